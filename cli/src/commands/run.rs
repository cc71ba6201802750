//! `isogloss run`: the rows of a tree.

use clap::Args;
use isogloss::driver::TransactionOptions;
use isogloss::{Compiled, Compiler};

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, Result};
use crate::output::{Out, note};
use crate::project::Project;
use crate::rows::{RowFormat, Rows};
use crate::text::counted;
use crate::tree::{TreeArgs, has_rows, writes};

/// How many rows a table has, if nothing is said.
const TABLE: usize = 1000;

/// Run a tree on a database
///
/// The statement runs in a transaction that only reads, unless --write is given. CSV and NDJSON are written while the rows
/// come; where an error ends them, their last line is `# incomplete: ..` or `{"$incomplete": ..}`. --timeout bounds the wait for
/// the next rows, not all of them.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// The database [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Option<String>,
    /// How rows are written
    #[arg(long, value_enum, default_value_t)]
    format: RowFormat,
    /// How many rows are written at most; 0 for all [default: 1000 in a table, else all]
    #[arg(long, short, value_name = "ROWS")]
    limit: Option<usize>,
    /// Let an INSERT, UPDATE or DELETE write
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

impl RunArgs {
    fn limit(&self) -> Option<usize> {
        let usual = if self.format == RowFormat::Table { TABLE } else { 0 };
        Some(self.limit.unwrap_or(usual)).filter(|limit| *limit > 0)
    }
}

pub(crate) async fn run(args: &RunArgs, project: &Project) -> Result<Found> {
    let (tree, asked) = (args.tree.read()?, args.tree.asked());
    if writes(&tree) && !args.write {
        return Err(Failure::input("the tree writes, and only reads are run: give --write if it is meant to"));
    }
    let url = project.only(args.url.as_deref())?;
    let database = Database::connect(project, url, &args.connect).await?;
    let catalog = args.catalog.load(project, &args.connect, Some(&database)).await?;
    asked.check(&catalog)?;
    let statement_of = database.target(&Compiler::new(catalog), asked.text);
    let statement = asked.compile(&tree, &statement_of)?;
    if !has_rows(&tree) {
        let written = execute(&database, &statement).await?;
        let mut out = Out::new();
        out.line(&format!("{written} {} written", if written == 1 { "row" } else { "rows" }))?;
        out.finish()?;
        return Ok(Found::Well);
    }
    // A write is done whatever becomes of its rows.
    let limit = args.limit().filter(|_| !writes(&tree));
    let rows = Rows::new(args.format, &statement, limit);
    let rows = if writes(&tree) {
        let options = TransactionOptions::default();
        let mut connection = database.connection().await?;
        let ran = connection.transaction(&options, async |connection| rows.stream(connection, &statement).await);
        ran.await.map_err(Failure::of(&database.label))?
    } else {
        database.reading(async |connection| rows.stream(connection, &statement).await).await?
    };
    let written = rows.finish()?;
    if written.has_more {
        note(&format!(
            "there are more than {}: --limit says how many are written",
            counted(written.rows, "row", "rows")
        ));
    }
    Ok(Found::Well)
}

async fn execute(database: &Database, statement: &Compiled<'_>) -> Result<u64> {
    let options = TransactionOptions::default();
    let mut connection = database.connection().await?;
    let ran = connection.transaction(&options, async |connection| connection.execute(statement).await);
    ran.await.map_err(Failure::of(&database.label))
}
