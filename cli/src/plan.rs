//! What an engine says about how it would run a statement.

use isogloss::Compiled;
use isogloss::dialect::Dialect;
use isogloss::driver::{ConnectionExt as _, Flow, Result as Driven, Row, RowSink};
use isogloss::expr::Value;

use crate::database::Database;
use crate::failure::Result;
use crate::rows::plain;
use crate::rows::table::table;

/// How an engine is asked for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Postgres,
    MySql,
    MariaDb,
    Sqlite,
    DuckDb,
}

impl Engine {
    /// The engine of a dialect, or of what it is a variant of; `None` where a plan takes more than a statement.
    pub(crate) fn of(dialect: &dyn Dialect) -> Option<Self> {
        match dialect.sheet().name {
            "postgres" => Some(Self::Postgres),
            "mysql" => Some(Self::MySql),
            "mariadb" => Some(Self::MariaDb),
            "sqlite" => Some(Self::Sqlite),
            "duckdb" => Some(Self::DuckDb),
            _ => Self::of(dialect.base()?),
        }
    }

    /// The words before the statement, which is run for them if it is `analyzed`; `None` where the engine cannot.
    fn prefix(self, analyzed: bool) -> Option<&'static str> {
        Some(match (self, analyzed) {
            (Self::Postgres | Self::DuckDb, false) | (Self::MariaDb, false) => "EXPLAIN ",
            (Self::Postgres, true) => "EXPLAIN (ANALYZE, BUFFERS) ",
            (Self::MySql, false) => "EXPLAIN FORMAT=TREE ",
            (Self::MySql | Self::DuckDb, true) => "EXPLAIN ANALYZE ",
            (Self::MariaDb, true) => "ANALYZE ",
            (Self::Sqlite, false) => "EXPLAIN QUERY PLAN ",
            (Self::Sqlite, true) => return None,
        })
    }
}

/// A plan, or why there is none.
#[derive(Debug)]
pub(crate) enum Plan {
    /// Its lines.
    Lines(String),
    /// What the engine is not asked for.
    Unasked(String),
}

/// Asks for the plan of a statement.
pub(crate) async fn plan(database: &Database, statement: &Compiled<'_>, analyzed: bool) -> Result<Plan> {
    let dialect = database.backend.dialect();
    let Some(engine) = Engine::of(dialect) else {
        return Ok(Plan::Unasked(format!(
            "{} is not asked for plans: take the text of `isogloss sql` there",
            dialect.label()
        )));
    };
    let Some(prefix) = engine.prefix(analyzed) else {
        return Ok(Plan::Unasked(format!("{} has no plan with times: leave --analyze away", dialect.label())));
    };
    let asked =
        Compiled { sql: format!("{prefix}{}", statement.sql), params: statement.params.clone(), ..Compiled::default() };
    let rows = database.reading(async |connection| connection.query_into(&asked, PlanRows::default()).await).await?;
    Ok(Plan::Lines(if engine == Engine::Sqlite { tree(&rows.rows) } else { lines(&rows) }))
}

#[derive(Debug, Default)]
struct PlanRows {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl RowSink for PlanRows {
    fn row(&mut self, row: &dyn Row) -> Driven<Flow> {
        if self.rows.is_empty() {
            self.names = (0..row.len()).map(|index| row.name(index).unwrap_or_default().to_owned()).collect();
        }
        self.rows.push((0..row.len()).map(|index| row.own_value(index)).collect::<Driven<_>>()?);
        Ok(Flow::More)
    }
}

/// A text of several lines where there is one column (of DuckDB the second), else a table.
fn lines(rows: &PlanRows) -> String {
    let texts = |row: &Vec<Value>| row.iter().map(|value| plain::text(value).unwrap_or_default()).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = rows.rows.iter().map(texts).collect();
    match rows.names.len() {
        1 | 2 => lines.iter().filter_map(|row| row.last()).map(|line| line.trim_end()).collect::<Vec<_>>().join("\n"),
        _ => table(&rows.names, lines.into_iter().map(|row| row.into_iter().map(|text| (text, false)).collect())),
    }
}

/// SQLite's steps: each has a number, that of the one above it, and a text.
fn tree(rows: &[Vec<Value>]) -> String {
    let mut depths: Vec<(i64, usize)> = Vec::new();
    let mut lines = Vec::new();
    for row in rows {
        let [Value::Int(id), Value::Int(above), .., text] = &**row else { continue };
        let depth = depths.iter().find(|(known, _)| known == above).map_or(0, |(_, depth)| depth + 1);
        depths.push((*id, depth));
        lines.push(format!("{}{}", "  ".repeat(depth), plain::text(text).unwrap_or_default()));
    }
    lines.join("\n")
}
