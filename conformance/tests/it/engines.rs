//! Each text is prepared by the engine that it is for.
//!
//! SQLite is there always. PostgreSQL and MariaDB or MySQL are asked where their URLs are given:
//! `ISOGLOSS_POSTGRES_URL=postgres://postgres@127.0.0.1/postgres`, `ISOGLOSS_MYSQL_URL=mysql://root@127.0.0.1/mysql`;
//! several URLs with blanks between.
//! The user must be allowed to create schemas and databases; nothing is left behind.

use isogloss_cases::Target;
use isogloss_compiler::Compiler;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbValueType as T, Expr, Value, ValueOps, prop, prop_of, table};
use isogloss_compiler::model::sample;
use isogloss_compiler::render::Parameter;
use isogloss_driver::ServerDialect;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_testkit::servers::{SALES_LOCK, SALES_MARK};
use mysql::prelude::Queryable;
use postgres::types::Type;

use crate::support::{SCHEMA, check_all, tables};

#[test]
fn sqlite_prepares_every_text() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&format!("ATTACH ':memory:' AS {SCHEMA}")).unwrap();
    for table in tables(&Sqlite::default()) {
        connection.execute_batch(&table).unwrap();
    }
    let number = rusqlite::version_number();
    let ours = |part: i32| u16::try_from(number / part % 1_000).unwrap();
    let bundled = (ours(1_000_000), ours(1_000), ours(1));
    let wanted = |target: &Target| {
        let version = target.dialect.version();
        if version <= bundled { Ok(()) } else { Err(format!("for SQLite {version:?}, {bundled:?} is at hand")) }
    };
    let failures = check_all("sqlite", wanted, |sql, params| {
        let statement = match connection.prepare(sql) {
            Ok(statement) => statement,
            Err(error) if without_math(&error) => {
                println!("not prepared: this SQLite is built without SQLITE_ENABLE_MATH_FUNCTIONS: {sql}");
                return Ok(());
            }
            Err(error) => return Err(error.to_string()),
        };
        let asked = statement.parameter_count();
        if asked == params.len() { Ok(()) } else { Err(format!("{} parameters given, {asked} asked", params.len())) }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let random = crate::support::garbage::check(&Sqlite::V3_45, |sql, _| match connection.prepare(sql) {
        Err(error) if !without_math(&error) => Err(error.to_string()),
        _ => Ok(()),
    });
    assert_eq!(random, Ok(()));
}

/// Compiles for SQLite, runs, and gives the number of rows that were written.
fn write(connection: &rusqlite::Connection, statement: impl Into<Expr>) -> Result<usize, String> {
    let statement = statement.into();
    let compiler = Compiler::new(sample::catalog());
    let compiled = compiler.compile(&statement, &Sqlite::V3_45).map_err(|error| error.to_string())?;
    let bound = compiled.params.iter().map(|parameter| match &*parameter.value {
        Value::Int(n) => rusqlite::types::Value::from(*n),
        Value::Text(text) => text.to_string().into(),
        other => panic!("{other:?}"),
    });
    connection.execute(&compiled.sql, rusqlite::params_from_iter(bound)).map_err(|error| error.to_string())
}

#[test]
fn sqlite_writes_what_the_catalog_says() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&format!("ATTACH ':memory:' AS {SCHEMA}")).unwrap();
    for table in tables(&Sqlite::default()) {
        connection.execute_batch(&table).unwrap();
    }
    let text = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();

    // A new row is one of the entity's.
    assert_eq!(write(&connection, table("Department").insert(["Name"], vec!["Sales".into(), "R&D".into()])), Ok(2));
    let renamed = table("Department").update([("Name", "Shop")]).filter(prop("Name").eq("Sales"));
    assert_eq!(write(&connection, renamed), Ok(1));

    // Of two rows with one key, DO NOTHING keeps the first.
    let regions = |values: Vec<Value>| table("Region").insert(["Id", "Name"], values);
    let twice = regions(vec![1.into(), "North".into(), 1.into(), "South".into()]);
    assert_eq!(write(&connection, twice.on_conflict_do_nothing([] as [&str; 0])), Ok(1));
    assert_eq!(text("SELECT Name FROM Regions"), "North");

    // The parent is a joined table, the name is the row's own.
    let child = regions(vec![2.into(), "South".into()]);
    assert_eq!(write(&connection, child), Ok(1));
    connection.execute("UPDATE Regions SET ParentId = 1 WHERE Id = 2", []).unwrap();
    let of_north = |name: &str| {
        let filter = prop("Name").eq(name) & prop_of("Parent", "Name").eq("North");
        table("Region").update([("Code", "x")]).filter(filter).returning([prop("Id")])
    };
    let compiler = Compiler::new(sample::catalog());
    let compiled = |name: &str| {
        let update = Expr::from(of_north(name));
        compiler.compile(&update, &Sqlite::V3_45).unwrap().sql
    };
    let rows = |name: &str| {
        let mut statement = connection.prepare(&compiled(name)).unwrap();
        let ids = statement.query_map(["x", name, name, "North"], |row| row.get::<_, i64>("Id")).unwrap();
        ids.collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!((rows("South"), rows("North")), (vec![2], vec![]));

    // A column that the table lacks is an error, not a text.
    connection.execute_batch("ALTER TABLE Regions DROP COLUMN ParentId").unwrap();
    let unknown = table("Region").delete().filter(prop("ParentId").ne("5"));
    assert!(write(&connection, unknown).unwrap_err().contains("no such column"));
}

/// The bundled library leaves the mathematical functions out unless its build is told otherwise.
fn without_math(error: &rusqlite::Error) -> bool {
    const MATH: &str = "acos asin atan atan2 ceil ceiling cos degrees exp floor ln log10 log2 mod pi pow power radians sin sqrt tan trunc";
    let text = error.to_string().to_lowercase();
    let Some((_, rest)) = text.split_once("no such function: ") else { return false };
    let name = rest.split_whitespace().next().unwrap_or_default();
    MATH.split(' ').any(|known| known == name)
}

#[test]
fn postgres_prepares_every_text() {
    for url in isogloss_testkit::servers::postgres() {
        postgres_at(&url);
    }
}

fn postgres_at(url: &str) {
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let server: i32 = client.query_one("SELECT current_setting('server_version_num')::int", &[]).unwrap().get(0);
    let server = (u16::try_from(server / 10_000).unwrap(), 0, 0);
    // Everything happens in a transaction that is never committed.
    let mut outer = client.transaction().unwrap();
    // A schema of that name that is there already is not ours: this fails then, and nothing has happened.
    outer.batch_execute(&format!("CREATE SCHEMA {SCHEMA}")).unwrap();
    outer
        .batch_execute("CREATE SCHEMA isogloss_snapshots; SET LOCAL search_path = isogloss_snapshots, public")
        .unwrap();
    for table in tables(&Postgres::V15) {
        outer.batch_execute(&table).unwrap();
    }
    // What the cases' own function stands for.
    outer
        .batch_execute("CREATE FUNCTION similarity(text, text) RETURNS real LANGUAGE sql AS 'SELECT 1.0::real'")
        .unwrap();
    let wanted = |target: &Target| {
        let version = target.dialect.version();
        if version <= server { Ok(()) } else { Err(format!("for PostgreSQL {version:?}, {server:?} is at hand")) }
    };
    let failures = check_all("postgres", wanted, |sql, params| {
        // As a driver that leaves the types to the server, and as one that tells them.
        for types in [Vec::new(), params.iter().map(postgres_type).collect()] {
            let told = if types.is_empty() { "types left to the server" } else { "types told" };
            let mut inner = outer.transaction().unwrap();
            let prepared = inner.prepare_typed(sql, &types).map(|statement| statement.params().len());
            inner.rollback().unwrap();
            match prepared {
                Ok(asked) if asked == params.len() => {}
                Ok(asked) => return Err(format!("{} parameters given, {asked} asked", params.len())),
                Err(error) => {
                    return Err(format!(
                        "{}, {told}",
                        error.as_db_error().map_or(error.to_string(), |e| e.message().to_owned())
                    ));
                }
            }
        }
        // Some errors are the planner's.
        let nulls = vec!["NULL"; params.len()].join(", ");
        let arguments = if nulls.is_empty() { nulls } else { format!("({nulls})") };
        let mut inner = outer.transaction().unwrap();
        let planned = inner.batch_execute(&format!("PREPARE planned AS {sql}; EXPLAIN EXECUTE planned{arguments}"));
        inner.rollback().unwrap();
        outer.batch_execute("DEALLOCATE ALL").unwrap();
        planned.map_err(|error| error.as_db_error().map_or(error.to_string(), |e| format!("{}, planned", e.message())))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let random = crate::support::garbage::check(&Postgres::V15, |sql, _| {
        let prepared = outer.batch_execute(&format!("SAVEPOINT tried; PREPARE tried AS {sql}; RELEASE tried"));
        match prepared {
            Ok(()) => outer.batch_execute("DEALLOCATE tried").map_err(|error| error.to_string()),
            Err(error) => {
                outer.batch_execute("ROLLBACK TO tried").unwrap();
                Err(error.as_db_error().map_or(error.to_string(), |e| format!("{} {}", e.code().code(), e.message())))
            }
        }
    });
    assert_eq!(random, Ok(()));
}

/// The type that a driver tells the server.
fn postgres_type(parameter: &Parameter<'_>) -> Type {
    let Some(ty) = parameter.ty else { return Type::UNKNOWN };
    match (ty.base, ty.array) {
        (T::Boolean, false) => Type::BOOL,
        (T::Boolean, true) => Type::BOOL_ARRAY,
        (T::Byte | T::SByte | T::Int16, false) => Type::INT2,
        (T::Byte | T::SByte | T::Int16, true) => Type::INT2_ARRAY,
        (T::Int32 | T::UInt16, false) => Type::INT4,
        (T::Int32 | T::UInt16, true) => Type::INT4_ARRAY,
        (T::Int64 | T::UInt32, false) => Type::INT8,
        (T::Int64 | T::UInt32, true) => Type::INT8_ARRAY,
        (T::UInt64 | T::Decimal | T::Currency | T::VarNumeric, false) => Type::NUMERIC,
        (T::UInt64 | T::Decimal | T::Currency | T::VarNumeric, true) => Type::NUMERIC_ARRAY,
        (T::Double, false) => Type::FLOAT8,
        (T::Double, true) => Type::FLOAT8_ARRAY,
        (T::Single, false) => Type::FLOAT4,
        (T::Date, false) => Type::DATE,
        (T::Date, true) => Type::DATE_ARRAY,
        (T::Time, false) => Type::TIME,
        (T::DateTime | T::DateTime2, false) => Type::TIMESTAMP,
        (T::DateTime | T::DateTime2, true) => Type::TIMESTAMP_ARRAY,
        (T::DateTimeOffset, false) => Type::TIMESTAMPTZ,
        (T::Guid, false) => Type::UUID,
        (T::Guid, true) => Type::UUID_ARRAY,
        (T::Binary, false) => Type::BYTEA,
        (T::Json, false) => Type::JSONB,
        (T::Jsonb, false) => Type::JSONB,
        (_, false) => Type::TEXT,
        (_, true) => Type::TEXT_ARRAY,
    }
}

#[test]
fn mysql_prepares_every_text() {
    for url in isogloss_testkit::servers::mysql() {
        mysql_at(&url);
    }
}

fn mysql_at(url: &str) {
    let mut connection = mysql::Conn::new(url).unwrap();
    let version: String = connection.query_first("SELECT VERSION()").unwrap().unwrap();
    let server: &dyn ServerDialect = if version.contains("MariaDB") { &MariaDb::V10_11 } else { &MySql::V8_4 };
    let dialect = server.sheet().name;
    let database = format!("isogloss_snapshots_{}", std::process::id());
    // One process at a time makes that schema: the lock ends with its connection.
    let lock: Option<i64> = connection.query_first(format!("SELECT GET_LOCK('{SALES_LOCK}', 600)")).unwrap();
    assert_eq!(lock, Some(1));
    // A test that was killed leaves the mark in it.
    let marked = format!("SHOW TABLES FROM {SCHEMA} LIKE '{SALES_MARK}'");
    if connection.query_first::<String, _>(marked).is_ok_and(|mark| mark.is_some()) {
        connection.query_drop(format!("DROP DATABASE {SCHEMA}")).unwrap();
    }
    let schema_is_ours =
        connection.query_first::<String, _>(format!("SHOW DATABASES LIKE '{SCHEMA}'")).unwrap().is_none();
    assert!(schema_is_ours, "there is a database `{SCHEMA}` already: this test makes and drops one of that name");
    connection.query_drop(format!("DROP DATABASE IF EXISTS {database}")).unwrap();
    connection.query_drop(format!("CREATE DATABASE {database} CHARACTER SET utf8mb4")).unwrap();
    connection.query_drop(format!("CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4")).unwrap();
    connection.query_drop(format!("CREATE TABLE {SCHEMA}.{SALES_MARK} (n INT)")).unwrap();
    connection.query_drop(format!("USE {database}")).unwrap();
    for table in tables(server) {
        connection.query_drop(&table).unwrap();
    }
    let failures = check_all(
        dialect,
        |_| Ok(()),
        |sql, params| {
            let statement = connection.prep(sql).map_err(|e| e.to_string())?;
            let asked = usize::from(statement.num_params());
            if asked == params.len() {
                Ok(())
            } else {
                Err(format!("{} parameters given, {asked} asked", params.len()))
            }
        },
    );
    let random = crate::support::garbage::check(server, |sql, _| {
        connection.prep(sql).map(drop).map_err(|error| error.to_string())
    });
    let [same, other] = upserts_by_key(&mut connection, dialect);
    connection.query_drop(format!("DROP DATABASE {database}")).unwrap();
    connection.query_drop(format!("DROP DATABASE {SCHEMA}")).unwrap();
    assert!(same.is_ok() && other.is_err(), "a row with another key stays as it is: {same:?}, {other:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(random, Ok(()));
}

/// Upserts by the primary key: of a row that is there, and of one whose other key is there already.
fn upserts_by_key(connection: &mut mysql::Conn, dialect: &str) -> [Result<(), String>; 2] {
    let compiler = Compiler::new(sample::catalog());
    let dialect: &dyn Dialect = if dialect == "mysql" { &MySql::V8_0 } else { &MariaDb::V10_11 };
    let mut upsert = |id: i64| {
        let insert = table("Region").insert(["Id", "Name", "Code"], vec![id.into(), "North".into(), "N".into()]);
        let insert = Expr::from(insert.on_conflict_update([] as [&str; 0]));
        let sql = compiler.compile(&insert, dialect).map_err(|error| error.to_string())?.sql;
        connection.exec_drop(sql, (id, "North", "N")).map_err(|error| error.to_string())
    };
    [upsert(1).and_then(|()| upsert(1)), upsert(2)]
}
