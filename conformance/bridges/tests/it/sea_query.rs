//! Filters as expressions of sea-query, in queries that it writes.

use std::sync::Arc;

use isogloss_bridges::{catalog, values};
use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::{Decimal, LogicExpr, Value, ValueOps, constant, prop, table};
use isogloss_compiler::{Compiler, Request, Target};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{Result, ServerDialect};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;
use isogloss_sqlite::{Sqlite, Storage};
use isogloss_testkit::servers;
use mysql::prelude::Queryable;
use sea_query::{
    Alias, Asterisk, Expr, ExprTrait as _, Func, MysqlQueryBuilder, PostgresQueryBuilder, Query, SelectStatement,
    SqliteQueryBuilder,
};

const TABLE: &str = "isogloss_sea_query";

/// An engine that runs texts.
struct Engine<'a> {
    target: Arc<Target>,
    ddl: &'a dyn Ddl,
    condition: fn(&Target, &LogicExpr, &Request<'_>, Option<&str>) -> Result<Expr>,
    write: fn(&SelectStatement) -> String,
    /// Runs a statement, and gives the first number of what comes back.
    run: &'a mut dyn FnMut(&str) -> Option<i64>,
}

impl Engine<'_> {
    /// A value of each type. SQLite's decimals are doubles.
    fn values(&self) -> Vec<(&'static str, Value)> {
        let short =
            self.target.dialect().label().starts_with("sqlite").then(|| "1234.0625".parse::<Decimal>().unwrap());
        let fit = |(name, value)| (name, short.filter(|_| name == "Amount").map_or(value, Value::from));
        values().into_iter().map(fit).collect()
    }

    fn count(&mut self, filter: &LogicExpr, qualifier: Option<&str>) -> i64 {
        let condition = (self.condition)(&self.target, filter, &Request::of("Kind"), qualifier).unwrap();
        // Beside a condition of sea-query's own, from which an OR would run away without parentheses.
        let id = Expr::col((Alias::new(TABLE), Alias::new("Id")));
        let mut query = Query::select();
        query.expr(Func::count(Expr::col(Asterisk))).from(Alias::new(TABLE)).and_where(id.gt(0)).and_where(condition);
        (self.run)(&(self.write)(&query)).unwrap()
    }

    fn holds(&mut self) {
        let catalog = self.target.catalog().clone();
        let (id, _) = catalog.entity("Kind").unwrap();
        for sql in self.ddl.create_table(&catalog, id, &[]).unwrap() {
            (self.run)(&sql);
        }
        let Quotes(open, close) = self.target.dialect().sheet().quotes;
        (self.run)(&format!("INSERT INTO {TABLE} ({open}Id{close}) VALUES (1), (2)"));
        for (name, given) in self.values() {
            let update = table("Kind").update([(name, constant(given.clone()))]).filter(prop("Id").eq(constant(1)));
            match self.target.compile(&update) {
                // A constant that MySQL has bound.
                Ok(update) if !update.params.is_empty() => {
                    let [Value::Text(text)] = [&*update.params[0].value] else { panic!("{:?}", update.params) };
                    let hex: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
                    (self.run)(&update.sql.replacen('?', &format!("_utf8mb4 X'{hex}'"), 1))
                }
                Ok(update) => (self.run)(&update.sql),
                // What has no constant on MySQL.
                Err(_) => (self.run)(&format!("UPDATE {TABLE} SET {name} = '2024-02-29 08:20:30.5' WHERE Id = 1")),
            };
        }
        for (name, given) in self.values() {
            for qualifier in [None, Some(TABLE)] {
                let label = self.target.dialect().label();
                assert_eq!(self.count(&prop(name).eq(given.clone()), qualifier), 1, "{label}: {name} = {given:?}");
                let null = prop(name).eq(Value::Null);
                assert_eq!(self.count(&null, qualifier), 1, "{label}: {name} = NULL");
                let either = prop("Id").eq(2) | prop(name).eq(given.clone());
                assert_eq!(self.count(&either, qualifier), 2, "{label}: {name}");
                let few = prop(name).in_list([given.clone(), given.clone()]);
                assert_eq!(self.count(&few, qualifier), 1, "{label}: {name} IN");
            }
        }
        // More than are bound one by one.
        let many: Vec<i64> = (0..500).collect();
        assert_eq!(self.count(&prop("Id").in_list(many), None), 2);
        let texts: Vec<Value> =
            (0..100).map(|n| format!("{n}\"\\").into()).chain([self.values()[0].1.clone()]).collect();
        assert_eq!(self.count(&prop("Text").in_list(texts), None), 1);
    }
}

#[test]
fn sqlite() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let mut run = |sql: &str| {
        if sql.starts_with("SELECT") {
            return Some(
                connection.query_row(sql, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{error}: {sql}")),
            );
        }
        connection.execute_batch(sql).unwrap();
        None
    };
    let target = Compiler::new(catalog(TABLE)).target(&Sqlite::V3_45.stored_by(Storage::Isogloss));
    let condition = isogloss_sqlite::sea_query::condition;
    let write = |query: &SelectStatement| query.to_string(SqliteQueryBuilder);
    Engine { target: Arc::clone(&target), ddl: &Sqlite::V3_45, condition, write, run: &mut run }.holds();
    // What SQLite's numbers cannot hold is not rounded.
    let (_, long) = values().into_iter().find(|(name, _)| *name == "Amount").unwrap();
    let error = condition(&target, &prop("Amount").eq(long), &Request::of("Kind"), None).unwrap_err();
    assert!(error.to_string().contains("15 digits"), "{error}");
}

#[test]
fn postgres() {
    for url in servers::postgres() {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        // It is never committed.
        let mut transaction = client.transaction().unwrap();
        let mut run = |sql: &str| {
            let messages = transaction.simple_query(sql).unwrap_or_else(|error| panic!("{error:?}: {sql}"));
            messages.iter().find_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => row.get(0).and_then(|number| number.parse().ok()),
                _ => None,
            })
        };
        let target = Compiler::new(catalog(TABLE)).target(&Postgres::V15);
        let condition = isogloss_postgres::sea_query::condition;
        let write = |query: &SelectStatement| query.to_string(PostgresQueryBuilder);
        Engine { target, ddl: &Postgres::V15, condition, write, run: &mut run }.holds();
    }
}

#[test]
fn mysql() {
    for url in servers::mysql() {
        let mut connection = mysql::Conn::new(url.as_str()).unwrap();
        let version: String = connection.query_first("SELECT VERSION()").unwrap().unwrap();
        let database = format!("{TABLE}_{}", std::process::id());
        connection.query_drop(format!("CREATE DATABASE {database}")).unwrap();
        let held = std::panic::catch_unwind(|| {
            let dialect: &dyn ServerDialect = if version.contains("MariaDB") { &MariaDb::V10_11 } else { &MySql::V8_4 };
            let mut connection = mysql::Conn::new(url.as_str()).unwrap();
            connection.query_drop(format!("USE {database}")).unwrap();
            let mut run = |sql: &str| match connection.query_first::<i64, _>(sql) {
                Ok(number) => number,
                Err(error) => panic!("{error}: {sql}"),
            };
            let target = Compiler::new(catalog(TABLE)).target(dialect);
            let condition = isogloss_mysql::sea_query::condition;
            let write = |query: &SelectStatement| query.to_string(MysqlQueryBuilder);
            Engine { target, ddl: dialect, condition, write, run: &mut run }.holds();
        });
        connection.query_drop(format!("DROP DATABASE {database}")).unwrap();
        assert!(held.is_ok(), "{version}");
    }
}
