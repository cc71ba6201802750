//! Many rows at once on PostgreSQL.
#![allow(clippy::unwrap_used, reason = "a test")]

use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{ConnectionExt, ErrorKind, RowSource, TransactionOptions, rows};

use crate::support::{Db, Outcome, each, plain};

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

/// A table of rows, and how it is called. It has no number of its own, so that its rows need no keys.
fn note(table: &str) -> TableDef {
    let table = TableDef::new("Note").table(table).column(ColumnDef::new("id", T::Int32).primary_key());
    table.column(ColumnDef::new("text", T::String)).column(ColumnDef::new("place", T::Int32))
}

fn notes(from: i32, count: i32, place: i32) -> Box<dyn RowSource> {
    rows((from..from + count).map(move |id| [id.into(), format!("note {id}").into(), place.into()]))
}

/// Where COPY is refused, or passes over what an INSERT heeds, rows are inserted: a table with a policy, with a rule, a view.
#[tokio::test]
async fn rows_are_copied_where_that_is_an_insert() -> Outcome {
    each("not_copied", async |db| {
        let who = format!("{}_clerk", db.schema);
        db.script(&format!(
            "DROP ROLE IF EXISTS {who}; CREATE ROLE {who}; GRANT USAGE ON SCHEMA {} TO {who};
             CREATE TABLE guarded (id int PRIMARY KEY, text text NOT NULL, place int);
             CREATE VIEW seen AS SELECT * FROM guarded;
             CREATE TABLE plain (LIKE guarded INCLUDING ALL); CREATE TABLE heard (LIKE guarded); CREATE TABLE other (LIKE guarded);
             CREATE TABLE also (LIKE guarded); CREATE TABLE instead (LIKE guarded); CREATE TABLE late (LIKE guarded);
             CREATE RULE tell AS ON INSERT TO also DO ALSO INSERT INTO heard VALUES (NEW.id, NEW.text, 1);
             CREATE RULE turn AS ON INSERT TO instead DO INSTEAD INSERT INTO other VALUES (NEW.id, NEW.text, 2);
             CREATE TABLE parts (id int, text text, place int) PARTITION BY LIST (place);
             CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1); CREATE TABLE part_2 PARTITION OF parts FOR VALUES IN (2);
             ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY here ON guarded USING (place = 7);
             GRANT ALL ON guarded, late TO {who}",
            db.schema
        ))
        .await?;
        let done = not_copied(db, &who).await;
        db.script(&format!("DROP OWNED BY {who}; DROP ROLE {who}")).await?;
        done
    })
    .await
}

async fn not_copied(db: &Db, who: &str) -> Outcome {
    let into = |table: &str| -> Outcome<_> {
        Ok(db.target([note(table)])?.bulk_insert("Note", &["id", "text", "place"], &[])?)
    };
    let count = |table: &str| plain(format!("SELECT COUNT(*) FROM {table}"));
    let mut connection = db.connect().await?;

    // The owner copies, and who the policy is for inserts: on the same connection, whose role was another one.
    assert_eq!(connection.bulk_insert(&into("guarded")?, notes(0, 100, 8)).await?, 100);
    connection.script(&format!("SET ROLE {who}")).await?;
    assert_eq!(connection.bulk_insert(&into("guarded")?, notes(100, 100, 7)).await?, 100);
    let error = connection.bulk_insert(&into("guarded")?, notes(200, 100, 8)).await.unwrap_err();
    assert_eq!((error.code(), connection.depth()), (Some("42501"), 0), "{error}");
    connection.script("RESET ROLE").await?;
    assert_eq!(connection.bulk_insert(&into("guarded")?, notes(200, 100, 8)).await?, 100);

    // What is made after a batch is heeded by the next one.
    let late = into("late")?;
    connection.script(&format!("SET ROLE {who}")).await?;
    assert_eq!(connection.bulk_insert(&late, notes(0, 100, 8)).await?, 100);
    db.script("ALTER TABLE late ENABLE ROW LEVEL SECURITY; CREATE POLICY here ON late USING (place = 7)").await?;
    let error = connection.bulk_insert(&late, notes(100, 100, 8)).await.unwrap_err();
    assert_eq!(error.code(), Some("42501"), "{error}");
    assert_eq!(connection.bulk_insert(&late, notes(100, 100, 7)).await?, 100);
    connection.script("RESET ROLE").await?;
    assert_eq!(connection.bulk_insert(&into("plain")?, notes(0, 100, 1)).await?, 100);
    db.script("CREATE RULE tell AS ON INSERT TO plain DO ALSO INSERT INTO heard VALUES (NEW.id, NEW.text, 3)").await?;
    assert_eq!(connection.bulk_insert(&into("plain")?, notes(100, 50, 1)).await?, 50);
    assert_eq!(connection.fetch_one::<(i64,)>(&count("heard WHERE place = 3")).await?, (50,));

    // A view, and rules that write more or something else; all or none of it, also in a transaction.
    assert_eq!(connection.bulk_insert(&into("seen")?, notes(1_000, 100, 7)).await?, 100);
    assert_eq!(connection.fetch_one::<(i64,)>(&count("guarded WHERE id >= 1000")).await?, (100,));
    let error = connection.bulk_insert(&into("seen")?, notes(900, 101, 7)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
    assert!(error.sql().is_some_and(|sql| sql.starts_with("INSERT INTO ")), "{error}");
    assert_eq!(connection.fetch_one::<(i64,)>(&count("guarded WHERE id BETWEEN 900 AND 999")).await?, (0,));
    connection.begin(&TransactionOptions::default()).await?;
    connection.bulk_insert(&into("also")?, notes(0, 100, 1)).await?;
    connection.bulk_insert(&into("instead")?, notes(0, 100, 1)).await?;
    connection.commit().await?;
    for (table, rows) in [("also", 100), ("heard WHERE place = 1", 100), ("instead", 0), ("other WHERE place = 2", 100)]
    {
        assert_eq!(connection.fetch_one::<(i64,)>(&count(table)).await?, (rows,), "{table}");
    }

    // A table in parts is copied: its rows are those that an INSERT gives it.
    assert_eq!(connection.bulk_insert(&into("parts")?, notes(0, 100, 2)).await?, 100);
    assert_eq!(connection.fetch_one::<(i64,)>(&count("part_2")).await?, (100,));
    let error = connection.bulk_insert(&into("parts")?, notes(0, 100, 3)).await.unwrap_err();
    assert!(error.sql().is_some_and(|sql| sql.starts_with("COPY ")), "{error}");

    // One that is not there is told as such, and nothing is left open.
    let error = connection.bulk_insert(&into("nowhere")?, notes(0, 100, 3)).await.unwrap_err();
    assert_eq!((error.code(), connection.depth()), (Some("42P01"), 0), "{error}");
    assert_eq!(connection.fetch_one::<(i64,)>(&count("part_2")).await?, (100,));
    Ok(())
}
