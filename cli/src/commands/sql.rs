//! `isogloss sql`: a tree's SQL in the dialects asked.

use clap::Args;
use isogloss::dialect::{Dialect, Placeholder};
use isogloss::expr::DbType;
use isogloss::{Compiled, Compiler};
use serde::Serialize;

use crate::catalog::CatalogArgs;
use crate::database::ConnectArgs;
use crate::dialects;
use crate::failure::{Failure, Found, REFUSED, Result};
use crate::output::{Format, Out};
use crate::project::Project;
use crate::tree::TreeArgs;

/// Show the SQL of a tree
///
/// The tree is compiled for each dialect. The exit status is 1 if one of them refuses it.
#[derive(Debug, Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// A dialect, as in `postgres` or `oracle:19`, or `all`; can be given several times [default: `dialects` of
    /// isogloss.toml, else `all`]
    #[arg(long = "dialect", short, value_name = "DIALECT")]
    dialects: Vec<String>,
    /// Break the SQL into lines
    #[arg(long, short)]
    pretty: bool,
    /// Say what a dialect lacks, and what stands for it
    #[arg(long, short)]
    notes: bool,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub(crate) async fn run(args: &SqlArgs, project: &Project) -> Result<Found> {
    let dialects = dialects::asked(&args.dialects, project)?;
    let catalog = args.catalog.load(project, &args.connect, None).await?;
    let (tree, asked) = (args.tree.read()?, args.tree.asked());
    asked.check(&catalog)?;
    let compiler = Compiler::new(catalog).with_text(asked.text);
    let mut answers = Vec::new();
    for dialect in &dialects {
        let answer = match asked.compile(&tree, &compiler.target(&**dialect)) {
            Ok(statement) => Ok(statement),
            Err(Failure::Refused(error)) => Err(*error),
            Err(failure) => return Err(failure),
        };
        answers.push((&**dialect, answer));
    }
    let mut out = Out::new();
    match args.format {
        Format::Text => write_text(&mut out, args, &answers)?,
        Format::Json => {
            let results = answers.iter().map(|(dialect, answer)| Answer::of(*dialect, answer, args.pretty)).collect();
            out.json(&Answers { results })?;
        }
    }
    out.finish()?;
    Ok(Found::amiss(answers.iter().any(|(_, answer)| answer.is_err())))
}

type Answered<'a> = (&'a dyn Dialect, isogloss::Result<Compiled<'a>>);

fn write_text(out: &mut Out, args: &SqlArgs, answers: &[Answered<'_>]) -> Result<()> {
    let mut is_first = true;
    for (dialect, answer) in answers {
        let statement = match answer {
            Ok(statement) => statement,
            Err(error) => {
                out.amiss(REFUSED, &error.to_string())?;
                continue;
            }
        };
        if !std::mem::take(&mut is_first) {
            out.line("")?;
        }
        out.heading(&format!("-- {}", dialect.label()))?;
        out.data(&shown(statement, args.pretty))?;
        for (placeholder, parameter) in placeholders(*dialect).zip(&statement.params) {
            out.aside(&format!("-- {placeholder} = {parameter}"))?;
        }
        for note in statement.notes.iter().filter(|_| args.notes) {
            out.aside(&format!("-- {note}"))?;
        }
    }
    Ok(())
}

fn shown(statement: &Compiled<'_>, pretty: bool) -> String {
    if pretty { statement.pretty() } else { statement.sql.clone() }
}

fn type_name(ty: DbType) -> String {
    format!("{}{}", ty.base.name(), if ty.array { "[]" } else { "" })
}

/// The placeholders of a dialect, in their order.
fn placeholders(dialect: &dyn Dialect) -> impl Iterator<Item = String> {
    let placeholder = dialect.sheet().placeholder;
    (1_usize..).map(move |number| match placeholder {
        Placeholder::Question => "?".to_owned(),
        Placeholder::Numbered(sign) => format!("{sign}{number}"),
    })
}

#[derive(Serialize)]
struct Answers {
    results: Vec<Answer>,
}

/// A dialect's answer, for programs.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Sql {
        dialect: String,
        sql: String,
        parameters: Vec<ParameterAnswer>,
        columns: Vec<ColumnAnswer>,
        notes: Vec<NoteAnswer>,
    },
    Refused {
        dialect: String,
        error: ErrorAnswer,
    },
}

#[derive(Serialize)]
struct ParameterAnswer {
    placeholder: String,
    shown: String,
}

#[derive(Serialize)]
struct ColumnAnswer {
    name: String,
    #[serde(rename = "type")]
    ty: Option<String>,
}

#[derive(Serialize)]
struct NoteAnswer {
    rule: String,
    feature: &'static str,
    why: &'static str,
}

#[derive(Serialize)]
struct ErrorAnswer {
    message: String,
    path: String,
    refused: bool,
}

impl Answer {
    fn of(dialect: &dyn Dialect, answer: &isogloss::Result<Compiled<'_>>, pretty: bool) -> Self {
        let label = dialect.label();
        let statement = match answer {
            Ok(statement) => statement,
            Err(error) => {
                let path = error.path().to_string();
                let error = ErrorAnswer { message: error.message(), path, refused: error.is_refused() };
                return Self::Refused { dialect: label, error };
            }
        };
        let parameters = placeholders(dialect).zip(&statement.params);
        let parameters = parameters
            .map(|(placeholder, parameter)| ParameterAnswer { placeholder, shown: parameter.to_string() })
            .collect();
        let notes = statement.notes.iter();
        let notes = notes
            .map(|note| NoteAnswer { rule: note.rule.to_string(), feature: note.feature, why: note.why })
            .collect();
        let columns = statement.columns.iter();
        let columns = columns
            .map(|column| ColumnAnswer { name: column.name.to_string(), ty: column.ty.map(type_name) })
            .collect();
        Self::Sql { dialect: label, sql: shown(statement, pretty), parameters, columns, notes }
    }
}
