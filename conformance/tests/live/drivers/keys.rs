//! Keys that the engine makes, each of its row.

use std::collections::HashMap;

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, ConnectionExt, ErrorKind, rows};

use crate::drivers::site::{Db, Site};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;
use crate::drivers::{Outcome, not_here};

tests! {
    they_are_those_of_their_rows
    they_are_right_or_nothing_is_inserted
    ; threads
    they_are_right_while_others_insert
}

fn names(word: &str, count: i64) -> Vec<[Value; 1]> {
    (0..count).map(|n| [format!("{word} {n}").into()]).collect()
}

/// Inserts people of these names, and compares. `None` if they are refused; then there are none.
async fn check(
    connection: &mut AnyConnection,
    into: &BulkInsert,
    word: &str,
    count: i64,
) -> Outcome<Option<ErrorKind>> {
    let done = connection.bulk_insert_keys(into, rows(names(word, count))).await;
    let some = plain(format!("SELECT id, name FROM person WHERE name LIKE '{word} %'"));
    let found: HashMap<String, i64> =
        connection.fetch::<(i64, String)>(&some).await?.into_iter().map(|(id, name)| (name, id)).collect();
    let Ok(keys) = done else {
        assert!(found.is_empty(), "{word}");
        return Ok(done.err().map(|error| error.kind()));
    };
    assert_eq!((keys.len(), found.len()), (usize::try_from(count)?, usize::try_from(count)?), "{word}");
    for (n, key) in keys.into_iter().enumerate() {
        assert_eq!(key, found[&format!("{word} {n}")].into(), "{word} {n}");
    }
    Ok(None)
}

/// Of few and of many, in a transaction as well. All or none.
async fn they_are_those_of_their_rows(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut connection, into) = (db.connect().await?, db.bulk("person", &["name"]));
    for (count, word) in [(0, "none"), (1, "one"), (31, "few"), (32, "more"), (2_000, "many"), (33_000, "all")] {
        assert_eq!(check(&mut connection, &into, word, count).await?, None);
    }
    let people = async |connection: &mut AnyConnection| {
        crate::drivers::statements::number(&mut **connection, "SELECT COUNT(*) FROM person").await
    };
    let before = people(&mut connection).await?;
    for more in [3, 33_000] {
        let twice = names("twice", more).into_iter().chain([["one 0".into()]]);
        let error = connection.bulk_insert_keys(&into, rows(twice)).await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (ErrorKind::UniqueViolation, 0));
        assert_eq!(people(&mut connection).await?, before);
    }
    connection.begin(&plainly()).await?;
    assert_eq!(check(&mut connection, &into, "within", 100).await?, None);
    connection.rollback().await?;
    assert_eq!(people(&mut connection).await?, before);
    // With their keys given, the engine makes none.
    let given = db.bulk("person", &["id", "name"]);
    assert_eq!(connection.bulk_insert(&given, rows([[1_000_000.into(), "given".into()]])).await?, 1);
    let error = connection.bulk_insert_keys(&given, rows([[1_000_001.into(), "more".into()]])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    Ok(())
}

/// Where the engine numbers in leaps or backwards, or a trigger does.
async fn they_are_right_or_nothing_is_inserted(site: &Site) -> Outcome {
    let db = site.db().await?;
    if db.numberings().is_empty() {
        return not_here("the engine numbers one after the other");
    }
    let (mut connection, into) = (db.connect().await?, db.bulk("person", &["name"]));
    for (n, (odd, may_refuse)) in db.numberings().into_iter().enumerate() {
        for statement in odd {
            connection.script(statement).await?;
        }
        for count in [50, 5_000] {
            let refused = check(&mut connection, &into, &format!("n{n} c{count}"), count).await?;
            assert!(may_refuse || refused.is_none(), "{odd:?}: {refused:?}");
        }
    }
    Ok(())
}

async fn they_are_right_while_others_insert(site: &Site) -> Outcome {
    let db = std::sync::Arc::new(site.db().await?);
    let tasks = (0..4).map(|who| {
        let db: std::sync::Arc<Db> = std::sync::Arc::clone(&db);
        tokio::spawn(async move {
            let (mut connection, into) = (db.connect().await?, db.bulk("person", &["name"]));
            for round in 0..5 {
                for count in [5, 500] {
                    let refused = check(&mut connection, &into, &format!("w{who} r{round} c{count}"), count).await?;
                    assert_eq!(refused, None);
                }
            }
            Outcome::Ok(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    Ok(())
}
