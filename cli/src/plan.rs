//! What an engine says about a statement without running it.

use std::borrow::Cow;

use isogloss::Compiled;
use isogloss::dialect::Dialect;
use isogloss::driver::{AnyConnection, ConnectionExt as _, Flow, Result as Driven, Row, RowSink};
use isogloss::expr::{DbType, DbValueType, Expr, Value};
use isogloss::render::Parameter;

use crate::database::Database;
use crate::failure::Result;
use crate::rows::plain;
use crate::rows::table::table;
use crate::tree::writes;

/// How an engine is asked for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Postgres,
    CockroachDb,
    MySql,
    /// MySQL before it has trees and times.
    OldMySql,
    TiDb,
    MariaDb,
    Sqlite,
    DuckDb,
}

impl Engine {
    /// The engine of a dialect, or of what it is a variant of. Else why it is not asked.
    fn of(dialect: &dyn Dialect) -> Result<Self, &'static str> {
        Ok(match dialect.sheet().name {
            "postgres" => Self::Postgres,
            "cockroachdb" => Self::CockroachDb,
            "mysql" if dialect.version() >= (8, 0, 18) => Self::MySql,
            "mysql" => Self::OldMySql,
            "tidb" => Self::TiDb,
            "mariadb" => Self::MariaDb,
            "sqlite" => Self::Sqlite,
            "duckdb" => Self::DuckDb,
            // <https://vitess.io/docs/user-guides/sql/vexplain/>
            "vitess" => {
                return Err("has the EXPLAIN of one shard only: use VEXPLAIN PLAN with the text of `isogloss sql`");
            }
            _ => match dialect.base() {
                Some(base) => Self::of(base)?,
                None => return Err("takes more than a statement for a plan: use the text of `isogloss sql` there"),
            },
        })
    }

    /// The words before the statement, which is run for them if it is `analyzed`. Else why there are none.
    fn prefix(self, analyzed: bool) -> Result<&'static str, &'static str> {
        Ok(match (self, analyzed) {
            (Self::Postgres, true) => "EXPLAIN (ANALYZE, BUFFERS) ",
            // TiDB has no trees: <https://docs.pingcap.com/tidb/stable/sql-statement-explain/>
            (Self::MySql, false) => "EXPLAIN FORMAT=TREE ",
            (Self::MySql | Self::TiDb | Self::DuckDb, true) => "EXPLAIN ANALYZE ",
            (Self::MariaDb, true) => "ANALYZE ",
            (Self::Sqlite, false) => "EXPLAIN QUERY PLAN ",
            (_, false) => "EXPLAIN ",
            (Self::Sqlite | Self::OldMySql, true) => return Err("has no plan with times: leave --analyze away"),
            // <https://github.com/cockroachdb/cockroach/pull/103259>
            (Self::CockroachDb, true) => return Err("takes no parameters in EXPLAIN ANALYZE: leave --analyze away"),
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

/// Asks for the plan of a tree's statement. One that writes is not run for it, whatever is asked.
pub(crate) async fn plan(database: &Database, tree: &Expr, statement: &Compiled<'_>, analyzed: bool) -> Result<Plan> {
    let dialect = database.backend.dialect();
    let words = Engine::of(dialect).and_then(|engine| Ok((engine, engine.prefix(analyzed && !writes(tree))?)));
    let (engine, prefix) = match words {
        Ok(words) => words,
        Err(why) => return Ok(Plan::Unasked(format!("{} {why}", dialect.label()))),
    };
    let asked =
        Compiled { sql: format!("{prefix}{}", statement.sql), params: statement.params.clone(), ..Compiled::default() };
    let ask = async |connection: &mut AnyConnection| connection.query_into(&asked, PlanRows::default()).await;
    // MySQL and MariaDB refuse even the plan of a write in a transaction that only reads. SQLite would lock the file for another.
    let rows = match writes(tree) && engine != Engine::Sqlite {
        true => database.undone(ask).await?,
        false => database.reading(ask).await?,
    };
    Ok(Plan::Lines(if engine == Engine::Sqlite { steps(&rows.rows) } else { lines(&rows) }))
}

/// Has the engine resolve the names of a tree's statement without running it. Returns the reason if the engine is not asked.
pub(crate) async fn resolve(database: &Database, tree: &Expr, statement: &Compiled<'_>) -> Result<Option<String>> {
    let dialect = database.backend.dialect();
    if dialect.sheet().name == "sqlserver" {
        let described = description(dialect, statement);
        database.undone(async |connection: &mut AnyConnection| connection.query_into(&described, Unread).await).await?;
        return Ok(None);
    }
    Ok(match plan(database, tree, statement, false).await? {
        Plan::Lines(_) => None,
        Plan::Unasked(why) => Some(why),
    })
}

/// What asks SQL Server for the columns of a statement's rows, for which it resolves the statement:
/// <https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql>.
fn description(dialect: &dyn Dialect, statement: &Compiled<'_>) -> Compiled<'static> {
    const TEXT: &str = "nvarchar(max)";
    let declared = statement.params.iter().zip(1..).map(|(param, number)| {
        let ty = param.ty.and_then(|ty| dialect.cast_type(ty).ok()).unwrap_or(TEXT);
        format!("@P{number} {ty}")
    });
    let declared = declared.collect::<Vec<_>>().join(", ");
    let text = |text: String| Parameter { value: Cow::Owned(text.into()), ty: Some(DbType::from(DbValueType::String)) };
    Compiled {
        sql: "EXEC sp_describe_first_result_set @tsql = @P1, @params = @P2".to_owned(),
        params: vec![text(statement.sql.clone()), text(declared)],
        ..Compiled::default()
    }
}

/// Discards the rows.
struct Unread;

impl RowSink for Unread {
    fn row(&mut self, _: &dyn Row) -> Driven<Flow> {
        Ok(Flow::More)
    }
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
fn steps(rows: &[Vec<Value>]) -> String {
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

#[cfg(all(
    test,
    feature = "postgres",
    feature = "mysql",
    feature = "sqlite",
    feature = "sqlserver",
    feature = "oracle"
))]
mod tests {
    use isogloss::{mysql, oracle, postgres, sqlite, sqlserver};

    use super::*;

    #[test]
    fn each_variant_is_asked_in_its_own_words() {
        let words = |dialect: &dyn Dialect| {
            Engine::of(dialect).map(|engine| [false, true].map(|analyzed| engine.prefix(analyzed).ok()))
        };
        let both = |plan, times| Ok([Some(plan), times]);
        for (dialect, expected) in [
            (&postgres::Postgres::new(15) as &dyn Dialect, both("EXPLAIN ", Some("EXPLAIN (ANALYZE, BUFFERS) "))),
            (&postgres::yugabytedb(2025, 1), both("EXPLAIN ", Some("EXPLAIN (ANALYZE, BUFFERS) "))),
            (&postgres::CockroachDb::V25_2, both("EXPLAIN ", None)),
            (&mysql::MySql::new(8, 0, 11), both("EXPLAIN ", None)),
            (&mysql::MySql::new(8, 4, 0), both("EXPLAIN FORMAT=TREE ", Some("EXPLAIN ANALYZE "))),
            (&mysql::tidb(8, 5), both("EXPLAIN ", Some("EXPLAIN ANALYZE "))),
            (&mysql::MariaDb::new(11, 4), both("EXPLAIN ", Some("ANALYZE "))),
            (&mysql::galera(10, 11), both("EXPLAIN ", Some("ANALYZE "))),
            (&sqlite::Sqlite::new(45, 0), both("EXPLAIN QUERY PLAN ", None)),
        ] {
            assert_eq!(words(dialect), expected, "{}", dialect.label());
        }
        for (dialect, why) in
            [(&mysql::vitess(22) as &dyn Dialect, "VEXPLAIN PLAN"), (&oracle::Oracle::new(19, 0), "for a plan")]
        {
            assert!(words(dialect).is_err_and(|error| error.contains(why)), "{}", dialect.label());
        }
    }
    #[test]
    fn sql_server_describes_a_statement_with_the_types_of_its_parameters() {
        let param =
            |value: Value, ty: Option<DbValueType>| Parameter { value: Cow::Owned(value), ty: ty.map(DbType::from) };
        let params = vec![
            param(7.into(), Some(DbValueType::Int64)),
            param(Value::Null, Some(DbValueType::Date)),
            param("a".into(), None),
        ];
        let statement = Compiled { sql: "SELECT @P1, @P2, @P3".to_owned(), params, ..Compiled::default() };
        let asked = description(&sqlserver::SqlServer::V2019, &statement);
        let given: Vec<_> = asked.params.iter().map(|param| plain::text(&param.value).unwrap_or_default()).collect();
        assert_eq!(given, ["SELECT @P1, @P2, @P3", "@P1 bigint, @P2 date, @P3 nvarchar(max)"]);
    }
}
