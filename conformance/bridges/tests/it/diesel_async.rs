//! Compiled statements on connections of diesel-async, on PostgreSQL, MariaDB and MySQL.

use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::{
    AsyncConnection as _, AsyncMysqlConnection, AsyncPgConnection, RunQueryDsl as _, SimpleAsyncConnection as _,
};
use isogloss_bridges::{catalog, values};
use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType, Expr, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::ServerDialect;
use isogloss_driver::ddl::Ddl;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;
use isogloss_testkit::servers;
use mysql::prelude::Queryable as _;

const TABLE: &str = "isogloss_diesel";

/// Writes a row with a value of each type, and finds it by each; the connection's type is another one for each engine.
macro_rules! holds {
    ($connection:ident, $dialect:expr, $statement:path) => {{
        let target = Compiler::new(catalog(TABLE)).target(&*$dialect);
        let (id, _) = target.catalog().entity("Kind").unwrap();
        for sql in $dialect.create_table(target.catalog(), id, &[]).unwrap() {
            $connection.batch_execute(&sql).await.unwrap();
        }
        let (mut columns, mut row): (Vec<&str>, Vec<Value>) = values().into_iter().unzip();
        columns.push("Id");
        row.push(1.into());
        let mut rows = row;
        rows.extend(columns.iter().map(|column| if *column == "Id" { Value::from(2) } else { Value::Null }));
        let insert = Expr::from(table("Kind").insert(columns, rows));
        let compiled = target.compile(&insert).unwrap();
        assert_eq!($statement(&compiled).unwrap().execute(&mut $connection).await.unwrap(), 2);

        for (name, value) in values() {
            let query = Expr::from(from("Kind").filter(prop(name).eq(value)).select(["Big", "Text"]).into_segment());
            let compiled = target.compile(&query).unwrap();
            let found: Vec<(Option<i64>, Option<String>)> = $statement(&compiled)
                .unwrap()
                .typed::<(Nullable<BigInt>, Nullable<Text>)>()
                .load(&mut $connection)
                .await
                .unwrap_or_else(|error| panic!("{name}: {error}: {compiled}"));
            let text = values().swap_remove(0).1;
            assert_eq!(found.len(), 1, "{name}: {compiled}");
            assert_eq!(Value::from(found[0].1.clone().unwrap()), text);
            assert_eq!(found[0].0, Some(i64::MAX));
        }
        // As one array or JSON parameter.
        let many = prop("Id").in_list((0..500).collect::<Vec<i64>>());
        let delete = Expr::from(table("Kind").delete().filter(many));
        let compiled = target.compile(&delete).unwrap();
        assert_eq!($statement(&compiled).unwrap().uncached().execute(&mut $connection).await.unwrap(), 2);
    }};
}

fn block_on(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
}

#[test]
fn postgres() {
    for url in servers::postgres() {
        block_on(async {
            let mut connection = AsyncPgConnection::establish(&url).await.unwrap();
            connection.batch_execute("SET TimeZone = 'UTC'; BEGIN").await.unwrap();
            holds!(connection, &Postgres::V15, isogloss_postgres::diesel::statement);
            connection.batch_execute("ROLLBACK").await.unwrap();
        });
    }
}

/// An enum has no comparison with `text`, `citext` another one, and `char(n)` counts its blanks then.
#[test]
fn texts_of_postgres_own_types() {
    for url in servers::postgres() {
        block_on(async {
            let mut connection = AsyncPgConnection::establish(&url).await.unwrap();
            let tables =
                "BEGIN; CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE isogloss_mood AS ENUM ('sad', 'happy');
                CREATE TEMP TABLE moods (id bigint, mood isogloss_mood, name citext, code char(5));
                INSERT INTO moods VALUES (1, 'sad', 'Ann', 'a'), (2, 'happy', 'Bob', 'b'), (3, NULL, NULL, NULL)";
            connection.batch_execute(tables).await.unwrap();
            let text = |name: &'static str| ColumnDef::new(name, DbValueType::String).column(name.to_lowercase());
            let moods = TableDef::new("Mood")
                .table("moods")
                .column(ColumnDef::new("Id", DbValueType::Int64).column("id").primary_key())
                .column(text("Mood").nullable())
                .column(text("Name").nullable())
                .column(text("Code").nullable());
            let target = Compiler::new(Catalog::builder().table(moods).build().unwrap()).target(&Postgres::V15);
            for (filter, ids) in [
                (prop("Mood").eq("happy"), vec![2]),
                (prop("Mood").gt("sad"), vec![2]),
                (prop("Mood").in_list(["happy", "sad"]), vec![1, 2]),
                (prop("Mood").in_list(vec!["happy"; 100]), vec![2]),
                (prop("Name").eq("ANN"), vec![1]),
                (prop("Name").in_list(["ANN", "bob"]), vec![1, 2]),
                (prop("Name").in_list(vec!["BOB"; 100]), vec![2]),
                (prop("Code").eq("a"), vec![1]),
            ] {
                let query = Expr::from(from("Mood").filter(filter).order_by(["Id"]).select(["Id"]).into_segment());
                let compiled = target.compile(&query).unwrap();
                let found: Vec<i64> = isogloss_postgres::diesel::statement(&compiled)
                    .unwrap()
                    .typed::<BigInt>()
                    .load(&mut connection)
                    .await
                    .unwrap_or_else(|error| panic!("{error}: {compiled}"));
                assert_eq!(found, ids, "{compiled}");
            }
            connection.batch_execute("ROLLBACK").await.unwrap();
        });
    }
}

#[test]
fn mysql() {
    for url in servers::mysql() {
        let version: Option<String> = mysql::Conn::new(url.as_str()).unwrap().query_first("SELECT VERSION()").unwrap();
        let mariadb = version.unwrap().contains("MariaDB");
        let dialect: &dyn ServerDialect = if mariadb { &MariaDb::V10_11 } else { &MySql::V8_4 };
        block_on(async move {
            let mut connection = AsyncMysqlConnection::establish(&url).await.unwrap();
            let database = format!("{TABLE}_{}", std::process::id());
            connection.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
            let (url, name) = (url.clone(), database.clone());
            let held = tokio::spawn(async move {
                let mut connection = AsyncMysqlConnection::establish(&url).await.unwrap();
                for set in [format!("USE {name}"), "SET time_zone = '+00:00'".into()] {
                    connection.batch_execute(&set).await.unwrap();
                }
                holds!(connection, dialect, isogloss_mysql::diesel::statement);
            });
            let held = held.await;
            connection.batch_execute(&format!("DROP DATABASE {database}")).await.unwrap();
            held.unwrap();
        });
    }
}
