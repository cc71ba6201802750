//! `isogloss explain`: the plans of a tree on several databases.

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets::ASCII_FULL_CONDENSED};
use console::Term;
use isogloss::Compiler;

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, REFUSED, Result};
use crate::output::Out;
use crate::plan::{Plan, plan};
use crate::project::Project;
use crate::text::visible;
use crate::tree::{TreeArgs, writes};

/// Show how engines would run a tree
///
/// Each is asked for its plan by its own EXPLAIN. SQL Server, Oracle and Vitess are not.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// A database; can be given several times [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Vec<String>,
    /// Run the statement, and show what it took
    #[arg(long)]
    analyze: bool,
    /// Put the plans side by side
    #[arg(long)]
    side_by_side: bool,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub(crate) async fn run(args: &ExplainArgs, project: &Project) -> Result<Found> {
    let (tree, asked) = (args.tree.read()?, args.tree.asked());
    if args.analyze && writes(&tree) {
        return Err(Failure::input("the tree writes, and --analyze would run it: explain it without"));
    }
    let databases = Database::connect_all(project, &args.url, &args.connect).await?;
    let catalog = args.catalog.load(project, &args.connect, databases.first()).await?;
    asked.check(&catalog)?;
    let compiler = Compiler::new(catalog);
    let mut out = Out::new();
    let mut found = Found::Well;
    let mut plans = Vec::new();
    for database in databases {
        let statement_of = database.target(&compiler, asked.text);
        let text = match asked.compile(&tree, &statement_of) {
            Ok(statement) => match plan(&database, &tree, &statement, args.analyze).await? {
                Plan::Lines(lines) => lines,
                Plan::Unasked(why) => {
                    found = Found::Amiss;
                    format!("no plan: {why}")
                }
            },
            Err(Failure::Refused(error)) => {
                found = Found::Amiss;
                format!("{REFUSED}: {error}")
            }
            Err(failure) => return Err(failure),
        };
        plans.push((database.title(), visible(&text).into_owned()));
    }
    if args.side_by_side {
        out.line(&side_by_side(&plans))?;
    } else {
        for (place, (title, text)) in plans.iter().enumerate() {
            if place > 0 {
                out.line("")?;
            }
            out.heading(title)?;
            out.line(text)?;
        }
    }
    out.finish()?;
    Ok(found)
}

/// A column for each, as wide as the terminal in all.
fn side_by_side(plans: &[(String, String)]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_FULL_CONDENSED).force_no_tty();
    if let Some((_, width)) = Term::stdout().size_checked() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(plans.iter().map(|(title, _)| title)).add_row(plans.iter().map(|(_, text)| text));
    table.to_string()
}
