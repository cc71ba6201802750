//! Many rows at once on PostgreSQL.
#![cfg(feature = "driver")]

mod support;

use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{ConnectionExt, ErrorKind, TransactionOptions, rows};

use support::{Outcome, each, plain};

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
