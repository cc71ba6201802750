//! Trees from files and standard input, and what is asked of them.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use isogloss::compact_str::CompactString;
use isogloss::expr::{Expr, Value};
use isogloss::model::{Catalog, TextMode};
use isogloss::{Buffers, Compiled, Request, Scope, Target, Verb, json};

use crate::failure::{Failure, Result};

/// A tree, and what is asked of it.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// The tree: a JSON file, or - for standard input
    #[arg(value_name = "TREE")]
    path: PathBuf,
    #[command(flatten)]
    asked: AskedArgs,
}

impl TreeArgs {
    pub(crate) fn read(&self) -> Result<Expr> {
        read(&self.path)
    }

    pub(crate) fn asked(&self) -> Asked {
        self.asked.asked()
    }
}

/// Reads a tree.
pub(crate) fn read(path: &Path) -> Result<Expr> {
    let (shown, text) = if path.as_os_str() == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        ("from standard input".to_owned(), read.map(|_| text))
    } else {
        (format!("`{}`", path.display()), fs::read_to_string(path))
    };
    let text = text.map_err(|error| Failure::input(format!("cannot read the tree {shown}: {error}")))?;
    json::from_str(&text).map_err(|error| Failure::input(format!("the tree {shown}: {error}")))
}

/// How a tree is compiled.
#[derive(Debug, Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct AskedArgs {
    /// The entity that a filter without a query is over
    #[arg(long, value_name = "ENTITY")]
    root: Option<String>,
    /// What is asked of a query
    #[arg(long, value_enum, default_value_t)]
    verb: AskedVerb,
    /// What texts are compared by: the collations of the database, or code points
    #[arg(long, value_enum, default_value_t)]
    text: AskedText,
    /// A text for a placeholder in the names of sharded tables; can be given several times
    #[arg(long = "table-arg", value_name = "TEXT")]
    table_args: Vec<CompactString>,
    /// A filter on every table that has the property, such as TenantId=7; can be given several times
    #[arg(long, value_name = "PROPERTY=VALUE", value_parser = scope_filter, conflicts_with = "unscoped")]
    scope: Vec<(String, Value)>,
    /// Compile entities that want a scope without one, for this reason
    #[arg(long, value_name = "REASON")]
    unscoped: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum AskedVerb {
    /// Its rows
    #[default]
    Rows,
    /// How many rows it has
    Count,
    /// Whether it has a row
    Exists,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum AskedText {
    #[default]
    Database,
    Exact,
}

/// `TenantId=7`: whole numbers and truth values are what they look like, all else is text.
fn scope_filter(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("it is PROPERTY=VALUE, as in TenantId=7")?;
    let value = if let Ok(number) = value.parse::<i64>() {
        number.into()
    } else if let Ok(truth) = value.parse::<bool>() {
        truth.into()
    } else {
        value.into()
    };
    Ok((name.to_owned(), value))
}

impl AskedArgs {
    pub(crate) fn asked(&self) -> Asked {
        let scoped = |scope: Scope, (name, value): &(String, Value)| scope.column(name.as_str(), value.clone());
        let scope = match &self.unscoped {
            Some(reason) => Some(Scope::unscoped(reason.as_str())),
            None if self.scope.is_empty() => None,
            None => Some(self.scope.iter().fold(Scope::new(), scoped)),
        };
        Asked {
            root: self.root.clone(),
            verb: match self.verb {
                AskedVerb::Rows => Verb::Select,
                AskedVerb::Count => Verb::Count,
                AskedVerb::Exists => Verb::Exists,
            },
            text: match self.text {
                AskedText::Database => TextMode::Database,
                AskedText::Exact => TextMode::Exact,
            },
            table_args: self.table_args.clone(),
            scope,
        }
    }
}

/// What is asked of a tree.
#[derive(Debug)]
pub(crate) struct Asked {
    root: Option<String>,
    verb: Verb,
    pub(crate) text: TextMode,
    table_args: Vec<CompactString>,
    scope: Option<Scope>,
}

impl Asked {
    /// Whether the catalog has what the scope names.
    pub(crate) fn check(&self, catalog: &Catalog) -> Result<()> {
        let checked = self.scope.as_ref().map_or(Ok(()), |scope| scope.check(catalog));
        checked.map_err(|error| Failure::input(format!("--scope: {error}")))
    }

    pub(crate) fn compile<'e>(&'e self, tree: &'e Expr, target: &Target) -> Result<Compiled<'e>> {
        let mut request = Request::default().verb(self.verb).table_args(&self.table_args).columns();
        request.root = self.root.as_deref();
        request.scope = self.scope.as_ref();
        Ok(target.compile_with(tree, &request, Buffers::default())?)
    }
}

/// Whether a tree writes.
pub(crate) fn writes(tree: &Expr) -> bool {
    matches!(tree, Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_))
}

/// Whether its statement has rows.
pub(crate) fn has_rows(tree: &Expr) -> bool {
    match tree {
        Expr::Insert(insert) => !insert.returning.is_empty(),
        Expr::Update(update) => !update.returning.is_empty(),
        Expr::Delete(delete) => !delete.returning.is_empty(),
        _ => true,
    }
}
