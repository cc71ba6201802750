//! Texts that meet columns of other types than `text`, on PostgreSQL.
#![allow(clippy::print_stdout, reason = "it says what it skips")]

use isogloss_compiler::Target;
use isogloss_compiler::expr::{DbValueType as T, Expr, LogicExpr, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{Connection, ConnectionExt, rows};

use crate::support::{Outcome, each, plain};

const NOTE: &str = r#"CREATE TYPE mood AS ENUM ('calm', 'angry', 'glad');
    CREATE TABLE "Note" ("Id" int PRIMARY KEY, "Mood" mood, "Code" char(6), "Name" varchar(20), "Host" inet)"#;

fn note() -> TableDef {
    let text = |name| ColumnDef::new(name, T::String).nullable();
    TableDef::new("Note")
        .column(ColumnDef::new("Id", T::Int32).primary_key())
        .column(text("Mood"))
        .column(text("Code"))
        .column(text("Name"))
        .column(text("Host"))
}

/// The keys of the rows that a filter leaves.
async fn ids(connection: &mut dyn Connection, target: &Target, filter: LogicExpr) -> Outcome<Vec<i32>> {
    let query = Expr::from(from("Note").filter(filter).order_by([prop("Id").asc()]).select([prop("Id")]));
    let rows: Vec<(i32,)> = connection.fetch(&target.compile(&query)?).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

#[tokio::test]
async fn texts_take_the_type_of_the_column_that_they_meet() -> Outcome {
    each("texts", async |db| {
        db.script(NOTE).await?;
        let target = db.target([note()])?;
        let mut connection = db.connect().await?;
        let row = |id: i32, mood: &str, code: &str, name: &str, host: &str| -> [Value; 5] {
            [id.into(), mood.into(), code.into(), name.into(), host.into()]
        };
        let all = [
            row(1, "calm", "A1", "Ann", "10.0.0.1"),
            row(2, "angry", "A2", "Bob", "10.0.0.2"),
            row(3, "glad", "A3", "Cid", "10.0.0.3"),
        ];
        let columns = ["Id", "Mood", "Code", "Name", "Host"];
        let insert = Expr::from(table("Note").insert(columns, all.concat()));
        assert_eq!(connection.execute(&target.compile(&insert)?).await?, 3);
        let one = Expr::from(table("Note").insert(columns, row(0, "calm", "", "", "::1").to_vec()));
        let more = [row(4, "calm", "A4", "Dan", "10.0.0.4"), row(5, "glad", "A5", "Eve", "10.0.0.5")];
        assert_eq!(connection.execute_many(&target.compile(&one)?, rows(more)).await?, 2);

        let found = [
            (prop("Mood").eq("calm"), vec![1, 4]),
            (prop("Mood").ne("calm"), vec![2, 3, 5]),
            (prop("Mood").lt("glad"), vec![1, 2, 4]),
            (prop("Mood").in_list(["calm", "angry", "glad"]), vec![1, 2, 3, 4, 5]),
            (prop("Mood").not_in_list(["calm", "angry"]), vec![3, 5]),
            (prop("Code").eq("A2"), vec![2]),
            (prop("Code").in_list(["A2", "A3", "B1"]), vec![2, 3]),
            (prop("Code").starts_with("A"), vec![1, 2, 3, 4, 5]),
            (prop("Name").in_list(["Ann", "Bob", "x"]), vec![1, 2]),
            (prop("Name").contains("n"), vec![1, 4]),
            (prop("Name").is_distinct_from("Ann"), vec![2, 3, 4, 5]),
            (prop("Host").eq("10.0.0.3"), vec![3]),
        ];
        for (filter, expected) in found {
            let shown = format!("{filter:?}");
            assert_eq!(ids(&mut *connection, &target, filter).await.map_err(|e| format!("{shown}: {e}"))?, expected);
        }
        let update = table("Note").update([("Mood", "angry")]).filter(prop("Mood").eq("glad"));
        assert_eq!(connection.execute(&target.compile(&Expr::from(update))?).await?, 2);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_index_on_char_is_used() -> Outcome {
    each("char_index", async |db| {
        db.script(NOTE).await?;
        db.script(
            r#"INSERT INTO "Note" ("Id", "Code") SELECT n, n::text FROM generate_series(1, 20000) n;
               CREATE INDEX by_code ON "Note" ("Code"); ANALYZE "Note""#,
        )
        .await?;
        let target = db.target([note()])?;
        let mut connection = db.connect().await?;
        for filter in [prop("Code").eq("77"), prop("Code").in_list(["77", "78", "79"])] {
            let query = Expr::from(from("Note").filter(filter).select([prop("Id")]));
            let mut statement = target.compile(&query)?;
            statement.sql.insert_str(0, "EXPLAIN ");
            let plan: Vec<(String,)> = connection.fetch(&statement).await?;
            assert!(plan.iter().any(|(line,)| line.contains("by_code")), "{plan:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn citext_counts_no_case() -> Outcome {
    each("citext", async |db| {
        if let Err(error) = db.script("CREATE EXTENSION IF NOT EXISTS citext").await {
            isogloss_testkit::skipped(format_args!("citext: {error}"));
            return Ok(());
        }
        let mut connection = db.connect().await?;
        // Another schema may have it.
        let place = "SELECT quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace
                     WHERE extname = 'citext'";
        let (place,): (String,) = connection.fetch_one(&plain(place)).await?;
        let schema = &db.schema;
        connection
            .script(&format!(
                r#"SET search_path = {schema}, {place}; CREATE TABLE "Note" ("Id" int PRIMARY KEY, "Name" citext);
                   INSERT INTO "Note" VALUES (1, 'Ann'), (2, 'bob'), (3, 'CID')"#
            ))
            .await?;
        let target = db.target([note()])?;
        for (filter, expected) in [
            (prop("Name").eq("ANN"), vec![1]),
            (prop("Name").in_list(["ann", "BOB", "x"]), vec![1, 2]),
            (prop("Name").not_in_list(["ann", "BOB", "x"]), vec![3]),
            (prop("Name").ge("B"), vec![2, 3]),
        ] {
            assert_eq!(ids(&mut *connection, &target, filter).await?, expected);
        }
        Ok(())
    })
    .await
}
