//! Rows, written and read.

use isogloss_compiler::expr::{Value, ValueOps, from, prop, table};
use isogloss_driver::ConnectionExt;

use crate::drivers::Outcome;
use crate::drivers::site::Site;
use crate::drivers::statements::plain;

tests! {
    they_are_written_and_read
    an_upsert_counts_its_rows
    a_table_that_changes_is_no_error
    long_values_come_whole
    null_is_null_as_every_type
}

/// Also by a statement that is kept. What does not fit is told with its column.
async fn they_are_written_and_read(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    assert_eq!(connection.execute(&db.insert(0..3_000)).await?, 3_000);
    let some = from("item").filter(prop("id").lt(2)).order_by([prop("id").asc()]).select([prop("id"), prop("name")]);
    let (some, all) = (db.compile(some), db.compile(from("item").select([prop("id")])));
    for _ in 0..3 {
        let rows: Vec<(i64, Option<String>)> = connection.fetch(&some).await?;
        assert_eq!(rows, [(0, Some("item 0".into())), (1, Some("item 1".into()))]);
        assert_eq!(connection.fetch::<(i64,)>(&all).await?.len(), 3_000);
    }
    let first = connection.fetch_first::<(i64,)>(&plain("SELECT id FROM item ORDER BY id DESC")).await?;
    assert_eq!(first, Some((2_999,)));
    let error = connection.fetch_one::<(bool,)>(&plain("SELECT name FROM item WHERE id = 1")).await.unwrap_err();
    let told = format!("cannot decode: column `{}` (index 0) holds text, not a truth value", db.folded("name"));
    assert!(error.to_string().starts_with(&told), "{error}");
    for (id, message) in [(-1, "there is none"), (1, "there are 2")] {
        let some = plain(format!("SELECT name FROM item WHERE id IN ({id}, 2 * {id})"));
        let error = connection.fetch_one::<(String,)>(&some).await.unwrap_err();
        assert!(error.to_string().ends_with(message), "{error}");
    }
    // Rows that are found count, also if they had the value already.
    let update = plain("UPDATE item SET n = 7 WHERE id < 9");
    assert_eq!((connection.execute(&update).await?, connection.execute(&update).await?), (9, 9));
    assert_eq!(connection.execute(&plain("DELETE FROM item WHERE id < 0")).await?, 0);
    Ok(())
}

/// One for each, whether it was there or not.
async fn an_upsert_counts_its_rows(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    connection.execute(&db.insert(1..11)).await?;
    for (least, most) in [(5, 6), (5, 15), (1, 21), (100, 101)] {
        let rows = (least..most).flat_map(|n| [Value::from(n), format!("again {n}").into(), Value::Null]);
        let upsert = table("item").insert(["id", "name", "n"], rows.collect::<Vec<_>>());
        let upsert = db.compile(upsert.on_conflict_update([] as [&str; 0]));
        assert_eq!(connection.execute(&upsert).await?, u64::try_from(most - least)?, "{least} to {most}");
    }
    assert_eq!(db.count(&mut *connection).await?, 21);
    Ok(())
}

/// A statement that is kept is prepared anew, when its table has other columns by then.
async fn a_table_that_changes_is_no_error(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut reads, all) = (db.connect().await?, plain("SELECT * FROM t"));
    db.script("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)").await?;
    for _ in 0..20 {
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::Int(1)]]);
    }
    db.script("ALTER TABLE t ADD b VARCHAR(9)").await?;
    for _ in 0..2 {
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::Int(1), Value::Null]]);
    }
    db.script("DROP TABLE t; CREATE TABLE t (c VARCHAR(9)); INSERT INTO t VALUES ('x')").await?;
    for _ in 0..2 {
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::from("x")]]);
    }
    Ok(())
}

/// Whatever their length, and whatever stands beside them.
async fn long_values_come_whole(site: &Site) -> Outcome {
    use isogloss_compiler::expr::DbValueType as T;
    use isogloss_compiler::model::ColumnDef;
    let own = |table: isogloss_compiler::model::TableDef| {
        table
            .column(ColumnDef::new("text", T::String).length(5_000).nullable())
            .column(ColumnDef::new("bytes", T::Binary).length(5_000).nullable())
    };
    let db = site.over(crate::drivers::site::pool(2), own).await?;
    let mut connection = db.connect().await?;
    for (id, length) in (0_i64..).zip([1, 10, 9_000, 70_000, 400_000, 3_000_000]) {
        let (text, bytes) = ("ł".repeat(length), vec![7_u8; length]);
        let row = vec![id.into(), text.clone().into(), bytes.clone().into()];
        connection.execute(&db.compile(table("own").insert(["id", "text", "bytes"], row))).await?;
        let read = from("own").filter(prop("id").eq(id)).select([prop("text"), prop("bytes"), prop("id")]);
        for _ in 0..3 {
            let found: (String, Vec<u8>, i64) = connection.fetch_one(&db.compile(read.clone())).await?;
            assert!(found.0 == text && found.1 == bytes && found.2 == id, "{length}");
        }
    }
    Ok(())
}

async fn null_is_null_as_every_type(site: &Site) -> Outcome {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    connection.execute(&db.compile(table("item").insert(["id"], vec![Value::from(1)]))).await?;
    let nulls = |count: usize| plain(format!("SELECT {} FROM item", vec!["n"; count].join(", ")));
    let numbers: (Option<bool>, Option<i64>, Option<f64>, Option<isogloss_compiler::expr::Decimal>) =
        connection.fetch_one(&nulls(4)).await?;
    assert_eq!(numbers, (None, None, None, None));
    let texts: (Option<String>, Option<Vec<u8>>, Option<uuid::Uuid>) = connection.fetch_one(&nulls(3)).await?;
    assert_eq!(texts, (None, None, None));
    let days: (Option<NaiveDate>, Option<NaiveTime>, Option<NaiveDateTime>, Option<DateTime<FixedOffset>>) =
        connection.fetch_one(&nulls(4)).await?;
    assert_eq!(days, (None, None, None, None));
    let error = connection.fetch_one::<(i64,)>(&nulls(1)).await.unwrap_err();
    let told = format!("cannot decode: column `{}` (index 0) holds NULL, not a whole number", db.folded("n"));
    assert!(error.to_string().starts_with(&told), "{error}");
    Ok(())
}
