//! Every type of value goes out by sqlx and is found again; what sqlx itself wrote is found by equality and by order.

use isogloss::chrono::{DateTime, NaiveDate, NaiveTime};
use isogloss::driver::ddl::Ddl;
use isogloss::expr::{DbType, DbValueType, Decimal, Value, ValueTypeExpr, constant};
use isogloss::model::{ColumnDef, TableDef};
use isogloss::mysql::{MariaDb, MySql};
use isogloss::postgres::Postgres;
use isogloss::prelude::*;
use isogloss::sqlite::{Sqlite, Storage};
use isogloss::uuid::Uuid;
use isogloss::{Compiled, Compiler, Target};
use sqlx::{AssertSqlSafe, Connection as _};

const TABLE: &str = "isogloss_sqlx";

/// A column of each type that every engine has, and a value of it.
fn kinds() -> Vec<(&'static str, DbType, Value)> {
    use DbValueType as T;
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let at = day.and_hms_micro_opt(10, 20, 30, 123_456).unwrap();
    vec![
        ("Text", T::String.into(), r#"it's "a" \ ? $1 [b] :x @P1 {c}"#.into()),
        ("Paid", T::Boolean.into(), true.into()),
        ("Small", T::Int16.into(), (-7).into()),
        ("Whole", T::Int32.into(), (-70_000).into()),
        ("Big", T::Int64.into(), i64::MAX.into()),
        ("Amount", T::Decimal.into(), "1234567890.0625".parse::<Decimal>().unwrap().into()),
        ("Ratio", T::Double.into(), 0.1.into()),
        ("Single", T::Single.into(), 0.1.into()),
        ("Day", T::Date.into(), day.into()),
        ("At", T::DateTime2.into(), at.into()),
        (
            "Instant",
            T::DateTimeOffset.into(),
            DateTime::parse_from_rfc3339("2024-02-29T10:20:30.5+02:00").unwrap().into(),
        ),
        ("Clock", T::Time.into(), NaiveTime::from_hms_micro_opt(1, 2, 3, 4).unwrap().into()),
        ("Token", T::Guid.into(), Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0).into()),
        ("Hash", T::Binary.into(), Value::Bytes(vec![0, 39, 92, 255].into())),
        ("Doc", T::Json.into(), Value::Json(r#"{"a": [1, "x"]}"#.into())),
    ]
}

fn catalog() -> Catalog {
    let table = TableDef::new("Kind").table(TABLE).column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
    let table = kinds().into_iter().fold(table, |table, (name, ty, _)| {
        let column = ColumnDef::new(name, ty).nullable();
        table.column(match name {
            "Amount" => column.precision(20, 4),
            "Hash" => column.length(8),
            _ => column,
        })
    });
    Catalog::builder().table(table).build().unwrap()
}

/// The keys of the rows that a filter finds.
macro_rules! ids {
    ($connection:expr, $target:expr, $filter:expr, $arguments:path) => {{
        let query = from("Kind").filter($filter).order_by(["Id"]).select(["Id"]).into_segment();
        let compiled = $target.compile(&query).unwrap();
        let arguments = $arguments(&compiled).unwrap_or_else(|error| panic!("{error}: {compiled}"));
        let found = sqlx::query_scalar_with(AssertSqlSafe(compiled.sql.as_str()), arguments);
        let found: Vec<i32> =
            found.fetch_all(&mut *$connection).await.unwrap_or_else(|error| panic!("{error}: {compiled}"));
        found
    }};
}
/// Writes a row with a value of each type and one of NULLs, and finds both by each.
macro_rules! holds {
    ($connection:expr, $dialect:expr, $arguments:path) => {{
        let connection = $connection;
        let target = Compiler::new(catalog()).target(&$dialect);
        let (id, _) = target.catalog().entity("Kind").unwrap();
        for sql in $dialect.create_table(target.catalog(), id, &[]).unwrap() {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *connection).await.unwrap();
        }
        let names = || std::iter::once("Id").chain(kinds().into_iter().map(|(name, ..)| name));
        let row = std::iter::once(Value::from(1)).chain(kinds().into_iter().map(|(.., value)| value));
        let nulls = std::iter::once(Value::from(2)).chain(kinds().into_iter().map(|_| Value::Null));
        let insert = table("Kind").insert(names(), row.chain(nulls).collect());
        let compiled = target.compile(&insert).unwrap();
        let done = sqlx::query_with(AssertSqlSafe(compiled.sql.as_str()), $arguments(&compiled).unwrap());
        assert_eq!(done.execute(&mut *connection).await.unwrap().rows_affected(), 2);
        for (name, ty, value) in kinds() {
            let label = target.dialect().label();
            // JSON is compared nowhere.
            let same =
                if ty == DbValueType::Json.into() { prop(name).is_not_null() } else { prop(name).eq(value.clone()) };
            assert_eq!(ids!(connection, target, same, $arguments), [1], "{label}: {name}");
            assert_eq!(ids!(connection, target, prop(name).is_null(), $arguments), [2], "{label}: {name} is NULL");
            if ty != DbValueType::Json.into() {
                for items in [2, 100] {
                    let few = prop(name).in_list(vec![value.clone(); items]);
                    match target.compile(&from("Kind").filter(few.clone()).select(["Id"]).into_segment()) {
                        Ok(_) => assert_eq!(ids!(connection, target, few, $arguments), [1], "{label}: {name} IN"),
                        Err(error) => assert!(error.to_string().contains("in a list"), "{label}: {name} IN: {error}"),
                    }
                }
            }
            let sets = [(name, isogloss::expr::value(value.clone()))];
            let update = table("Kind").update(sets).filter(prop("Id").eq(2));
            let compiled = target.compile(&update).unwrap();
            let done = sqlx::query_with(AssertSqlSafe(compiled.sql.as_str()), $arguments(&compiled).unwrap());
            assert_eq!(done.execute(&mut *connection).await.unwrap().rows_affected(), 1, "{label}: {name}");
            assert_eq!(ids!(connection, target, prop(name).is_not_null(), $arguments), [1, 2], "{label}: {name}");
        }
    }};
}

fn servers(variable: &str) -> Vec<String> {
    let urls = std::env::var(variable).unwrap_or_default();
    if urls.trim().is_empty() {
        println!("skipped: no {variable}");
    }
    urls.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn sqlite() {
    for storage in [Storage::Sqlx, Storage::Isogloss] {
        let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await.unwrap();
        holds!(&mut connection, Sqlite::V3_45.stored_by(storage), isogloss::sqlite::sqlx::arguments);
    }
}

#[tokio::test]
async fn postgres() {
    for url in servers("ISOGLOSS_POSTGRES_URL") {
        let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
        // It is never committed.
        let mut transaction = connection.begin().await.unwrap();
        holds!(&mut *transaction, Postgres::V15, isogloss::postgres::sqlx::arguments);
    }
}

#[tokio::test]
async fn mysql() {
    for url in servers("ISOGLOSS_MYSQL_URL") {
        let mut connection = sqlx::MySqlConnection::connect(&url).await.unwrap();
        let version: String = sqlx::query_scalar("SELECT VERSION()").fetch_one(&mut connection).await.unwrap();
        let mariadb = version.contains("MariaDB");
        let name = format!("{TABLE}_{}", std::process::id());
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}; USE {name}")))
            .execute(&mut connection)
            .await
            .unwrap();
        let held = tokio::spawn(async move {
            if mariadb {
                holds!(&mut connection, MariaDb::V10_11, isogloss::mysql::sqlx::arguments);
            } else {
                holds!(&mut connection, MySql::V8_4, isogloss::mysql::sqlx::arguments);
            }
        });
        let held = held.await;
        let mut connection = sqlx::MySqlConnection::connect(&url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE {name}"))).execute(&mut connection).await.unwrap();
        held.unwrap();
    }
}

/// An enum has no comparison with `text`, `citext` another one, and `char(n)` counts its blanks then.
#[tokio::test]
async fn texts_of_postgres_own_types() {
    for url in servers("ISOGLOSS_POSTGRES_URL") {
        let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
        let mut transaction = connection.begin().await.unwrap();
        let tables = "CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE isogloss_mood AS ENUM ('sad', 'happy');
            CREATE TEMP TABLE moods (id int, mood isogloss_mood, name citext, code char(5));
            INSERT INTO moods VALUES (1, 'sad', 'Ann', 'a'), (2, 'happy', 'Bob', 'b'), (3, NULL, NULL, NULL)";
        sqlx::raw_sql(tables).execute(&mut *transaction).await.unwrap();
        let text =
            |name: &str| ColumnDef::new(name.to_owned(), DbValueType::String).column(name.to_lowercase()).nullable();
        let moods = TableDef::new("Kind")
            .table("moods")
            .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
            .column(text("Mood"))
            .column(text("Name"))
            .column(text("Code"));
        let target = Compiler::new(Catalog::builder().table(moods).build().unwrap()).target(&Postgres::V15);
        use isogloss::postgres::sqlx::arguments;
        let connection = &mut *transaction;
        for (filter, found) in [
            (prop("Mood").eq("happy"), vec![2]),
            (prop("Mood").gt("sad"), vec![2]),
            (prop("Mood").in_list(["happy", "sad"]), vec![1, 2]),
            (prop("Mood").in_list(vec!["happy"; 100]), vec![2]),
            (prop("Name").eq("ANN"), vec![1]),
            (prop("Name").in_list(["ANN", "bob"]), vec![1, 2]),
            (prop("Name").in_list(vec!["BOB"; 100]), vec![2]),
            (prop("Code").eq("a"), vec![1]),
        ] {
            assert_eq!(ids!(connection, target, filter.clone(), arguments), found, "{filter:?}");
        }
        let update = table("Kind").update([("Mood", "sad"), ("Name", "Cid")]).filter(prop("Id").eq(3));
        let compiled: Compiled<'_> = target.compile(&update).unwrap();
        let done = sqlx::query_with(AssertSqlSafe(compiled.sql.as_str()), arguments(&compiled).unwrap());
        assert_eq!(done.execute(connection).await.unwrap().rows_affected(), 1);
    }
}

/// Rows that sqlx wrote, with its own ways for instants and UUIDs.
#[tokio::test]
async fn rows_of_sqlx_in_sqlite() {
    let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let connection = &mut connection;
    sqlx::raw_sql("CREATE TABLE kinds (id INTEGER PRIMARY KEY, at TEXT, token BLOB, other TEXT)")
        .execute(&mut *connection)
        .await
        .unwrap();
    let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().to_utc();
    let times =
        ["2026-01-02T09:59:59.999999Z", "2026-01-02T10:00:00Z", "2026-01-02T10:00:00.5Z", "2026-01-02T10:00:01Z"];
    for (id, time) in (1..).zip(times) {
        sqlx::query("INSERT INTO kinds VALUES (?, ?, ?, ?)")
            .bind(id)
            .bind(at(time))
            .bind(Uuid::from_u128(id as u128 * 7))
            .bind(at(time).naive_utc())
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    let kind = TableDef::new("Kind")
        .table("kinds")
        .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
        .column(ColumnDef::new("At", DbValueType::DateTimeOffset).column("at"))
        .column(ColumnDef::new("Token", DbValueType::Guid).column("token"))
        .column(ColumnDef::new("Other", DbValueType::DateTime2).column("other"));
    let compiler = Compiler::new(Catalog::builder().table(kind).build().unwrap());
    let target = compiler.target(&Sqlite::V3_45.stored_by(Storage::Sqlx));
    use isogloss::sqlite::sqlx::arguments;
    let ten = DateTime::parse_from_rfc3339("2026-01-02T12:00:00+02:00").unwrap();
    let id = Uuid::from_u128(14);
    for (filter, found) in [
        (prop("At").eq(ten), vec![2]),
        (prop("At").eq(constant(ten)), vec![2]),
        (prop("At").gt(ten), vec![3, 4]),
        (prop("At").ge(ten), vec![2, 3, 4]),
        (prop("At").lt(ten), vec![1]),
        (prop("At").in_list([ten, ten]), vec![2]),
        (prop("At").eq(prop("Other")), vec![1, 2, 3, 4]),
        (func("Second", [prop("At")]).eq(0), vec![2, 3]),
        (prop("Token").eq(id), vec![2]),
        (prop("Token").eq(constant(id)), vec![2]),
        (prop("Token").ne(id), vec![1, 3, 4]),
        (prop("Token").gt(id), vec![3, 4]),
        (prop("Token").in_list([id, id]), vec![2]),
        (prop("Token").in_list(vec![id; 100]), vec![2]),
        (prop("Token").not_in_list(vec![id; 100]), vec![1, 3, 4]),
    ] {
        assert_eq!(ids!(connection, target, filter.clone(), arguments), found, "{filter:?}");
    }
    // What would make one of another form is refused.
    for filter in [
        func("AddHours", [ValueTypeExpr::from(prop("At")), isogloss::expr::value(1).into()]).gt(ten),
        func("TruncDay", [prop("At")]).eq(ten),
        prop("Token").cast(DbValueType::String).eq("x"),
        func("NewGuid", [] as [ValueTypeExpr; 0]).eq(id),
    ] {
        let query = from("Kind").filter(filter).select(["Id"]).into_segment();
        let refused = target.compile(&query).unwrap_err();
        assert!(refused.to_string().contains("refused"), "{refused}");
    }
    // Nobody has said who writes the rows.
    let target: std::sync::Arc<Target> = compiler.target(&Sqlite::V3_45);
    for filter in [prop("At").eq(ten), prop("Token").eq(id)] {
        let query = from("Kind").filter(filter).select(["Id"]).into_segment();
        let refused = arguments(&target.compile(&query).unwrap()).unwrap_err();
        assert!(refused.to_string().contains("stored_by"), "{refused}");
    }
    // What SQLite has no room for is not rounded.
    let long: Decimal = "12345678901234567.89".parse().unwrap();
    let query = from("Kind").filter(prop("Id").eq(long)).select(["Id"]).into_segment();
    assert!(target.compile(&query).map(|compiled| arguments(&compiled).is_err()).unwrap_or(true));
}
