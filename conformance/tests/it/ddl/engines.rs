//! The engines at hand take the statements, and mean them.
//!
//! SQLite is there always, PostgreSQL and MariaDB or MySQL where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name
//! servers, with blanks between them.

use std::env;
use std::fmt::Display;

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::ServerDialect;
use isogloss_driver::ddl::Ddl;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use mysql::prelude::Queryable;

use crate::ddl::{added, catalog, hard, shard};

/// An engine that statements are run on.
trait Engine {
    type Error: Display;

    /// Runs a statement.
    fn run(&mut self, sql: &str) -> std::result::Result<(), Self::Error>;

    /// The only column of the only row, as text.
    fn text(&mut self, sql: &str) -> String;
}

/// What makes a table that has nothing but a key.
fn only_key(ddl: &dyn Ddl, table: &str) -> Vec<String> {
    let table = TableDef::new("Before").table(table).column(ColumnDef::new("Id", T::Int32).primary_key());
    let catalog = Catalog::builder().table(table).build().unwrap();
    ddl.create_table(&catalog, catalog.entity("Before").unwrap().0, &[]).unwrap()
}

/// Makes every table of the catalog, grows one, and looks at what the engine makes of them.
fn holds<E: Engine>(engine: &mut E, dialect: &dyn ServerDialect, quote: char) {
    let catalog = catalog();
    let all = |statements: Vec<String>, engine: &mut E| {
        for sql in statements {
            if let Err(error) = engine.run(&sql) {
                panic!("{}: {error}\n{sql}", dialect.label());
            }
        }
    };
    for (id, entity) in catalog.entities().filter(|(_, entity)| entity.name != *"Grown") {
        match dialect.create_table(&catalog, id, &[]) {
            Ok(statements) => all(statements, engine),
            Err(error) => {
                let refused: &[&str] = match dialect.sheet().name {
                    "postgres" => &["Long"],
                    "sqlite" => &["Five", "Line", "Zero", "Down"],
                    _ => &["Five", "Long", "Zero", "Down"],
                };
                assert!(refused.contains(&entity.name.as_str()), "{}: {error}", entity.name);
            }
        }
    }
    let q = |text: &str| text.replace('"', &quote.to_string());

    // Numbers begin where the catalog says, defaults are there, and NULL is no twin of NULL.
    for name in ["NULL", "NULL", "'x'", "'X'", "'x '"] {
        all(vec![q(&format!(r#"INSERT INTO "Counters" ("Name") VALUES ({name})"#))], engine);
    }
    assert!(engine.run(&q(r#"INSERT INTO "Counters" ("Name") VALUES ('x')"#)).is_err(), "a twin");
    assert_eq!(engine.text(&q(r#"SELECT MIN("Id") FROM "Counters""#)), "100");
    let defaults = r#"SELECT COUNT(*) FROM "Counters" WHERE "Active" = TRUE AND "Paid" = FALSE AND "Rank" = 7"#;
    assert_eq!(engine.text(&q(defaults)), "5");
    for (name, first, second) in [("Zero", "0", "1"), ("Down", "5", "3"), ("Huge", "7", "8"), ("Whole", "1", "2")] {
        if dialect.create_table(&catalog, catalog.entity(name).unwrap().0, &[]).is_ok() {
            all(vec![q(&format!(r#"INSERT INTO "{name}" ("Note") VALUES (1)"#))], engine);
            assert_eq!(engine.text(&q(&format!(r#"SELECT MAX("Id") FROM "{name}""#))), first, "{name}");
            all(vec![q(&format!(r#"INSERT INTO "{name}" ("Note") VALUES (2)"#))], engine);
            assert_eq!(engine.text(&q(&format!(r#"SELECT "Id" FROM "{name}" WHERE "Note" = 2"#))), second, "{name}");
        }
    }
    // By code points.
    let order = r#"SELECT "Name" FROM "Counters" WHERE "Name" IS NOT NULL ORDER BY "Name" LIMIT 1"#;
    assert_eq!(engine.text(&q(order)), "X");

    // The key has both columns, and the engine computes.
    if dialect.sheet().name != "sqlite" {
        let line = r#"INSERT INTO "Lines" ("Tenant", "Qty", "Price") VALUES (1, 3, 1.25)"#;
        all(vec![q(line), q(line)], engine);
        assert_eq!(engine.text(&q(r#"SELECT SUM("Total") FROM "Lines""#)), "7.50");
    }

    // Rows that are there get something in every column that is added.
    let (id, entity) = catalog.entity("Grown").unwrap();
    let shard = shard("x");
    all(only_key(dialect, "Growns_x"), engine);
    all(vec![q(r#"INSERT INTO "Growns_x" ("Id") VALUES (1)"#)], engine);
    for column in entity.columns.iter().filter(|column| !column.primary_key) {
        all(dialect.add_column(&catalog, id, column.name.as_str(), &shard).unwrap(), engine);
    }
    all(dialect.create_index(&catalog, id, "Int32", &shard).unwrap(), engine);
    let there = r#"SELECT COUNT(*) FROM "Growns_x" WHERE "Boolean" = FALSE AND "Decimal" = 0 AND "Twice" = 0 AND "Label" = 'X'"#;
    assert_eq!(engine.text(&q(there)), "1");

    // What is not refused, it takes: of a table with rows.
    for (table, name, there) in [
        ("Hards", "Hard", r#""Quoted" = 'it''s' AND "Big" = ''"#),
        ("Chosens", "Chosen", r#""FromZero" = 0 AND "FromOneByDefault" = 1 AND "Flags" = 0 AND "NameByDefault" = 'A'"#),
    ] {
        all(only_key(dialect, table), engine);
        let rows = [1, 2].map(|id| q(&format!(r#"INSERT INTO "{table}" ("Id") VALUES ({id})"#)));
        all(rows.into(), engine);
        for made in added(dialect, &hard(), name).into_iter().flatten() {
            all(made, engine);
        }
        assert_eq!(engine.text(&q(&format!(r#"SELECT COUNT(*) FROM "{table}" WHERE {there}"#))), "2");
        all(vec![q(&format!(r#"DROP TABLE "{table}""#))], engine);
    }

    for (id, entity) in catalog.entities() {
        if dialect.create_table(&catalog, id, &shard).is_ok() {
            let drops = dialect.drop_table(&catalog, id, &shard).unwrap();
            assert_eq!(drops.len(), 1, "{}", entity.name);
            all(drops, engine);
        }
    }
}

/// The servers that an environment variable names.
fn servers(variable: &str) -> Vec<String> {
    let urls = env::var(variable).unwrap_or_default();
    if urls.trim().is_empty() {
        isogloss_testkit::skipped(format_args!("no {variable}"));
    }
    urls.split_whitespace().map(str::to_owned).collect()
}

/// A database of this test's own.
fn database() -> String {
    format!("isogloss_ddl_{}", std::process::id())
}

impl Engine for rusqlite::Connection {
    type Error = rusqlite::Error;

    fn run(&mut self, sql: &str) -> rusqlite::Result<()> {
        self.execute_batch(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        let value: rusqlite::types::Value = self.query_row(sql, [], |row| row.get(0)).unwrap();
        match value {
            rusqlite::types::Value::Integer(n) => n.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn sqlite() {
    let mut connection = rusqlite::Connection::open_in_memory().unwrap();
    holds(&mut connection, &Sqlite::V3_45, '"');
}

#[test]
fn sqlite_in_a_schema() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch("ATTACH ':memory:' AS sales").unwrap();
    let table = TableDef::new("Note")
        .table("sales.Notes")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(50, 1))
        .column(ColumnDef::new("Text", T::String).unique());
    let catalog = Catalog::builder().table(table).build().unwrap();
    let (id, _) = catalog.entity("Note").unwrap();
    let mut statements = Sqlite::V3_45.create_table(&catalog, id, &[]).unwrap();
    statements.push("INSERT INTO sales.Notes (Text) VALUES ('a')".into());
    statements.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
    let number: i64 = connection.query_row("SELECT Id FROM sales.Notes", [], |row| row.get(0)).unwrap();
    assert_eq!(number, 50);
    assert!(connection.execute_batch("INSERT INTO sales.Notes (Text) VALUES ('a')").is_err());
}

/// SQLite numbers an `INTEGER PRIMARY KEY` by itself, whatever its default.
#[test]
fn sqlite_keeps_the_default_of_a_key() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let table = TableDef::new("Setting")
        .column(ColumnDef::new("Id", T::Int64).primary_key().default_sql("-1"))
        .column(ColumnDef::new("Text", T::String));
    let catalog = Catalog::builder().table(table).build().unwrap();
    let (id, _) = catalog.entity("Setting").unwrap();
    let mut statements = Sqlite::V3_45.create_table(&catalog, id, &[]).unwrap();
    statements.push(r#"INSERT INTO "Setting" ("Text") VALUES ('a')"#.into());
    statements.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
    let key: i64 = connection.query_row(r#"SELECT "Id" FROM "Setting""#, [], |row| row.get(0)).unwrap();
    assert_eq!(key, -1);
}

impl Engine for postgres::Client {
    type Error = postgres::Error;

    fn run(&mut self, sql: &str) -> std::result::Result<(), postgres::Error> {
        self.batch_execute(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        let messages = self.simple_query(sql).unwrap();
        let row = messages.iter().find_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        row.unwrap().to_owned()
    }
}

#[test]
fn postgres() {
    for url in servers("ISOGLOSS_POSTGRES_URL") {
        let mut server = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        let database = database();
        let collated = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'";
        server.batch_execute(&format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)")).unwrap();
        server.batch_execute(&format!("CREATE DATABASE {database} {collated}")).unwrap();
        let held = std::panic::catch_unwind(|| {
            let mut config: postgres::Config = url.parse().unwrap();
            let mut client = config.dbname(&database).connect(postgres::NoTls).unwrap();
            holds(&mut client, &Postgres::V15, '"');
        });
        server.batch_execute(&format!("DROP DATABASE {database} WITH (FORCE)")).unwrap();
        assert!(held.is_ok(), "{}", server.text("SELECT version()"));
    }
}

impl Engine for mysql::Conn {
    type Error = mysql::Error;

    fn run(&mut self, sql: &str) -> mysql::Result<()> {
        self.query_drop(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        self.query_first(sql).unwrap().unwrap()
    }
}

/// A column is added without a copy of the table, unless its default is an expression or that of a large object on MySQL;
/// and to a row that is full.
fn in_place(connection: &mut mysql::Conn, dialect: &dyn ServerDialect) {
    let catalog = catalog();
    for sql in ["Growns_x", "Hards"].iter().flat_map(|table| only_key(dialect, table)) {
        connection.run(&sql).unwrap();
    }
    for sql in added(dialect, &catalog, "Grown").into_iter().chain(added(dialect, &hard(), "Hard")).flatten().flatten()
    {
        let large = ["JSON NOT", "TEXT NOT", "BLOB NOT", "(1 + 1)"].iter().any(|why| sql.contains(why));
        let copies = large && dialect.sheet().name == "mysql";
        let how = if sql.starts_with("CREATE") || copies { "" } else { ", ALGORITHM=INSTANT" };
        connection.run(&format!("{sql}{how}")).unwrap_or_else(|error| panic!("{}: {error}\n{sql}", dialect.label()));
    }

    let mut full = TableDef::new("Wide").table("Wides").column(ColumnDef::new("Id", T::Int32).primary_key());
    for n in 0..4 {
        full = full.column(ColumnDef::new(format!("Long{n}"), T::String).length(4_000).nullable());
    }
    let full = full.column(ColumnDef::new("Text0", T::String).nullable());
    let before = Catalog::builder().table(full).build().unwrap();
    let mut grow = dialect.create_table(&before, before.entity("Wide").unwrap().0, &[]).unwrap();
    grow.extend(dialect.add_column(&catalog, catalog.entity("Wide").unwrap().0, "Late", &[]).unwrap());
    grow.iter().for_each(|sql| connection.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}")));
}

#[test]
fn mysql() {
    for url in servers("ISOGLOSS_MYSQL_URL") {
        let mut connection = mysql::Conn::new(url.as_str()).unwrap();
        let database = database();
        connection.query_drop(format!("DROP DATABASE IF EXISTS {database}")).unwrap();
        connection.query_drop(format!("CREATE DATABASE {database}")).unwrap();
        let mariadb = connection.text("SELECT VERSION()").contains("MariaDB");
        let held = std::panic::catch_unwind(|| {
            let mut connection = mysql::Conn::new(url.as_str()).unwrap();
            connection.query_drop(format!("USE {database}")).unwrap();
            let dialect: &dyn ServerDialect = if mariadb { &MariaDb::V10_11 } else { &MySql::V8_4 };
            holds(&mut connection, dialect, '`');
            in_place(&mut connection, dialect);
        });
        connection.query_drop(format!("DROP DATABASE {database}")).unwrap();
        assert!(held.is_ok(), "{url}");
    }
}
