//! Many rows at once on PostgreSQL.
#![cfg(feature = "driver")]

mod support;

use std::borrow::Cow;
use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{ConnectionExt, Error, ErrorKind, Result, RowSource, TransactionOptions, rows};

use support::{Db, Outcome, each, plain};

fn user() -> TableDef {
    TableDef::new("User")
        .table("Users")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", T::String))
        .column(ColumnDef::new("Score", T::Decimal).nullable())
        .column(ColumnDef::new("Tenant", T::Int32).constant(7))
}

const USERS: &str = r#"CREATE TABLE "Users" ("Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "Name" varchar(40) NOT NULL UNIQUE, "Score" numeric(20, 4), "Tenant" int NOT NULL)"#;

fn people(count: i32) -> Vec<[Value; 2]> {
    (0..count).map(|n| [format!("user {n}").into(), if n % 3 == 0 { Value::Null } else { n.into() }]).collect()
}

async fn users(db: &Db) -> Outcome<(i64, Option<String>)> {
    let mut connection = db.connect().await?;
    let sql = r#"SELECT COUNT(*), SUM("Score")::text FROM "Users" WHERE "Tenant" = 7"#;
    Ok(connection.fetch_one(&plain(sql)).await?)
}

/// An INSERT of a name and a score.
fn insert(name: &Value, score: &Value) -> Compiled<'static> {
    let params = [(name, T::String), (score, T::Decimal)];
    let params = params.map(|(value, ty)| Parameter { value: Cow::Owned(value.clone()), ty: Some(ty.into()) });
    let sql = r#"INSERT INTO "Users" ("Name", "Score", "Tenant") VALUES ($1, $2, 7)"#;
    Compiled { sql: sql.into(), params: params.into(), ..Compiled::default() }
}

#[tokio::test]
async fn rows_are_copied_all_or_none() -> Outcome {
    each("copied", async |db| {
        db.script(USERS).await?;
        let into = db.target([user()])?.bulk_insert("User", &["Name", "Score"], &[])?;
        let mut connection = db.connect().await?;
        assert_eq!(connection.bulk_insert(&into, rows(people(100_000))).await?, 100_000);
        assert_eq!(users(db).await?, (100_000, Some("3333266667.0000".into())));
        assert_eq!(connection.bulk_insert(&into, rows(Vec::<[Value; 2]>::new())).await?, 0);

        // A name that is there already, far behind others that are not.
        let mut more: Vec<[Value; 2]> = (0..50_000).map(|n| [format!("new {n}").into(), Value::Null]).collect();
        more.push(["user 5".into(), Value::Null]);
        let error = connection.bulk_insert(&into, rows(more)).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (ErrorKind::UniqueViolation, Some("Users_Name_key")), "{error}");
        assert!(error.sql().is_some_and(|sql| sql.starts_with("COPY")));
        // What the driver itself refuses, and what the caller gives up.
        let long = connection.bulk_insert(&into, rows([["n1".into(), 1.into()], ["n2".into(), "x".into()]])).await;
        assert_eq!(long.unwrap_err().kind(), ErrorKind::Compile);
        let zero = connection.bulk_insert(&into, rows([["n1".into(), 1.into()], ["n\0".into(), 1.into()]])).await;
        assert_eq!(zero.unwrap_err().kind(), ErrorKind::BadValue);
        let failed = connection.bulk_insert(&into, Box::new(Fails(10_000))).await.unwrap_err();
        assert_eq!(failed.to_string(), "error: no more");
        assert_eq!(users(db).await?, (100_000, Some("3333266667.0000".into())));

        // In a transaction.
        connection.begin(&TransactionOptions::default()).await?;
        connection.bulk_insert(&into, rows([["in a transaction".into(), 1.into()]])).await?;
        connection.rollback().await?;
        assert_eq!(users(db).await?.0, 100_000);
        Ok(())
    })
    .await
}

/// What has no binary form that is known goes as text, by statements: COPY would store the letters for the form.
#[tokio::test]
async fn columns_of_any_type_take_many_rows() -> Outcome {
    each("any_type", async |db| {
        db.script(r#"CREATE TABLE "Any" ("Id" int PRIMARY KEY, "Price" money, "Host" inet, "Card" macaddr8)"#).await?;
        let any = TableDef::new("Any")
            .column(ColumnDef::new("Id", T::Int32).primary_key())
            .column(ColumnDef::new("Price", T::String).nullable())
            .column(ColumnDef::new("Host", T::String).nullable())
            .column(ColumnDef::new("Card", T::String).nullable());
        let into = db.target([any])?.bulk_insert("Any", &["Id", "Price", "Host", "Card"], &[])?;
        let row = |id: i32| -> [Value; 4] {
            [id.into(), "12345678".into(), "10.0.0.1".into(), "08:00:2b:01:02:03:04:05".into()]
        };
        let mut connection = db.connect().await?;
        assert_eq!(connection.bulk_insert(&into, rows((0..2_000).map(row))).await?, 2_000);
        let sql = r#"SELECT "Price"::numeric::text, host("Host"), "Card"::text, COUNT(*) FROM "Any" GROUP BY 1, 2, 3"#;
        let found: Vec<(String, String, String, i64)> = connection.fetch(&plain(sql)).await?;
        assert_eq!(found, [("12345678.00".into(), "10.0.0.1".into(), "08:00:2b:01:02:03:04:05".into(), 2_000)]);
        // All or none, also here.
        let error = connection.bulk_insert(&into, rows((2_000..3_000).chain([7]).map(row))).await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (ErrorKind::UniqueViolation, 0));
        let mut wrong = row(9_000);
        wrong[2] = "nowhere".into();
        let error = connection.bulk_insert(&into, rows([row(8_000), wrong])).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.bulk_insert(&into, rows([row(8_000)])).await?, 1);
        connection.rollback().await?;
        let count = plain(r#"SELECT COUNT(*) FROM "Any""#);
        assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (2_000,));
        Ok(())
    })
    .await
}

/// Rows, and then an error.
struct Fails(i32);

impl RowSource for Fails {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        self.0 -= 1;
        row.extend([format!("fails {}", self.0).into(), Value::Null]);
        if self.0 > 0 { Ok(true) } else { Err(Error::new(ErrorKind::Other, "no more")) }
    }
}

#[tokio::test]
async fn a_bulk_insert_that_is_given_up_leaves_nothing() -> Outcome {
    each("given_up", async |db| {
        db.script(USERS).await?;
        let into = db.target([user()])?.bulk_insert("User", &["Name", "Score"], &[])?;
        let mut connection = db.connect().await?;
        for millis in [0, 1, 5, 20, 50] {
            let wait = Duration::from_millis(millis);
            let endless = (0..).map(|n: i64| [format!("user {n}").into(), Value::Null]);
            assert!(tokio::time::timeout(wait, connection.bulk_insert(&into, rows(endless))).await.is_err());
            assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Users""#)).await?, (0,));
            let endless = (0..).map(|n: i64| [format!("user {n}").into(), Value::Null]);
            assert!(tokio::time::timeout(wait, connection.bulk_insert_keys(&into, rows(endless))).await.is_err());
            drop(connection);
            connection = db.connect().await?;
            assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Users""#)).await?, (0,));
        }
        Ok(())
    })
    .await
}

/// A COPY is answered before it is committed: what a deferred constraint says then is told all the same.
#[tokio::test]
async fn a_deferred_constraint_is_heard() -> Outcome {
    each("deferred", async |db| {
        db.script(USERS).await?;
        db.script(r#"ALTER TABLE "Users" ADD CONSTRAINT once UNIQUE ("Score") DEFERRABLE INITIALLY DEFERRED"#).await?;
        let into = db.target([user()])?.bulk_insert("User", &["Name", "Score"], &[])?;
        let mut connection = db.connect().await?;
        let twice = || (0..100).map(|n| [format!("user {n}").into(), (n % 99).into()]);
        let error = connection.bulk_insert(&into, rows(twice())).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::UniqueViolation, false), "{error}");
        let error = connection.bulk_insert_keys(&into, rows(twice())).await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (ErrorKind::UniqueViolation, 0), "{error}");
        assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Users""#)).await?, (0,));

        // Behind a COMMIT that has failed so, nothing runs outside of the transaction.
        connection.begin(&isogloss_driver::TransactionOptions::default()).await?;
        connection
            .execute(&plain(r#"INSERT INTO "Users" ("Name", "Score", "Tenant") VALUES ('a', 1, 1), ('b', 1, 1)"#))
            .await?;
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        let outside =
            connection.execute(&plain(r#"INSERT INTO "Users" ("Name", "Tenant") VALUES ('c', 1)"#)).await.unwrap_err();
        assert_eq!(outside.kind(), ErrorKind::TransactionFailed, "{outside}");
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        connection.rollback().await?;
        assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Users""#)).await?, (0,));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keys_are_those_of_their_rows() -> Outcome {
    each("keys", async |db| {
        db.script(USERS).await?;
        // Keys that nobody could count up: in leaps, and backwards for every third.
        db.script(
            r#"CREATE FUNCTION leap() RETURNS trigger LANGUAGE plpgsql AS
               $$ BEGIN NEW."Id" = NEW."Id" * 10 * (CASE WHEN NEW."Id" % 3 = 0 THEN -1 ELSE 1 END); RETURN NEW; END $$;
               CREATE TRIGGER leap BEFORE INSERT ON "Users" FOR EACH ROW EXECUTE FUNCTION leap()"#,
        )
        .await?;
        let into = db.target([user()])?.bulk_insert("User", &["Name", "Score"], &[])?;
        let mut connection = db.connect().await?;
        let keys = connection.bulk_insert_keys(&into, rows(people(2_000))).await?;
        let found: Vec<(i64, String)> = connection.fetch(&plain(r#"SELECT "Id", "Name" FROM "Users""#)).await?;
        let found: std::collections::HashMap<_, _> = found.into_iter().collect();
        assert_eq!((keys.len(), found.len()), (2_000, 2_000));
        for (n, key) in keys.iter().enumerate() {
            let Value::Int(key) = key else { panic!("{key:?}") };
            assert_eq!(found[key], format!("user {n}"));
        }
        let twice = [["b".into(), Value::Null], ["user 7".into(), Value::Null]];
        let error = connection.bulk_insert_keys(&into, rows(twice)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UniqueViolation);
        assert_eq!(connection.depth(), 0);
        assert_eq!(users(db).await?.0, 2_000);

        // With their keys given, the database numbers none.
        db.script(r#"DROP TRIGGER leap ON "Users""#).await?;
        let into = db.target([user()])?.bulk_insert("User", &["Id", "Name"], &[])?;
        assert_eq!(connection.bulk_insert(&into, rows([[(-77).into(), "given".into()]])).await?, 1);
        let given = plain(r#"SELECT "Name" FROM "Users" WHERE "Id" = -77"#);
        assert_eq!(connection.fetch_one::<(String,)>(&given).await?.0, "given");
        let error = connection.bulk_insert_keys(&into, rows([[(-78).into(), "given".into()]])).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keys_of_copied_rows_are_theirs() -> Outcome {
    each("numbered", async |db| {
        let kinds = [
            ("identity", USERS.to_owned()),
            ("serial", USERS.replace("bigint GENERATED ALWAYS AS IDENTITY", "bigserial")),
            ("leaps", USERS.replace("IDENTITY", "IDENTITY (START 5 INCREMENT -3 MINVALUE -9000000 MAXVALUE 5)")),
            // Numbers of another sequence than the column's own, and parts of a table.
            (
                "other",
                USERS.replace("bigint GENERATED ALWAYS AS IDENTITY", "bigserial")
                    + r#"; CREATE SEQUENCE s START 77; ALTER TABLE "Users" ALTER "Id" SET DEFAULT nextval('s') * 2"#,
            ),
            (
                "parts",
                USERS.replace("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "bigserial").replace(" UNIQUE", "")
                    + r#" PARTITION BY HASH ("Name"); CREATE TABLE p0 PARTITION OF "Users" FOR VALUES WITH (MODULUS 1, REMAINDER 0)"#,
            ),
        ];
        for (kind, create) in kinds {
            db.script(&create).await?;
            let into = db.target([user()])?.bulk_insert("User", &["Name", "Score"], &[])?;
            let mut connection = db.connect().await?;
            for count in [1, 31, 32, 40_000] {
                db.script(r#"TRUNCATE "Users""#).await?;
                let keys = connection.bulk_insert_keys(&into, rows(people(count))).await?;
                let found: Vec<(String, i64)> = connection.fetch(&plain(r#"SELECT "Name", "Id"::bigint FROM "Users""#)).await?;
                assert_eq!((keys.len(), found.len()), (people(count).len(), people(count).len()), "{kind}");
                let found: std::collections::HashMap<_, _> = found.into_iter().collect();
                for (n, key) in keys.into_iter().enumerate() {
                    assert_eq!(key, found[&format!("user {n}")].into(), "{kind}");
                }
            }
            // All or none, also behind the first rows that are held.
            let mut more: Vec<[Value; 2]> = (0..33_000).map(|n| [format!("new {n}").into(), Value::Null]).collect();
            more.push([Value::Null, Value::Null]);
            assert!(connection.bulk_insert_keys(&into, rows(more)).await.is_err());
            assert_eq!((users(db).await?.0, connection.depth()), (40_000, 0), "{kind}");
            db.script(r#"DROP TABLE "Users"; DROP SEQUENCE IF EXISTS s"#).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn many_statements_run_in_their_order() -> Outcome {
    each("many", async |db| {
        db.script(USERS).await?;
        let mut connection = db.connect().await?;
        let statement = insert(&"x".into(), &1.into());
        assert_eq!(connection.execute_many(&statement, rows(people(3_000))).await?, 3_000);
        let order = r#"SELECT COUNT(*) FROM "Users" WHERE "Name" = 'user ' || ("Id" - 1)"#;
        assert_eq!(connection.fetch_one::<(i64,)>(&plain(order)).await?, (3_000,));

        // All or nothing in a transaction, up to the error without one.
        let twice = || rows([["a".into(), Value::Null], ["user 1".into(), Value::Null]]);
        connection.begin(&TransactionOptions::default()).await?;
        let error = connection.execute_many(&statement, twice()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
        assert!(connection.commit().await.is_err());
        connection.rollback().await?;
        assert_eq!(users(db).await?.0, 3_000);
        assert_eq!(connection.execute_many(&statement, twice()).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        assert_eq!(users(db).await?.0, 3_001);
        let short = connection.execute_many(&statement, rows([[Value::from("b")]])).await.unwrap_err();
        assert_eq!(short.kind(), ErrorKind::BadValue, "{short}");
        let none = plain(r#"UPDATE "Users" SET "Tenant" = "Tenant" WHERE "Id" = 1"#);
        assert_eq!(connection.execute_many(&none, rows([[], [], []] as [[Value; 0]; 3])).await?, 3);
        Ok(())
    })
    .await
}
