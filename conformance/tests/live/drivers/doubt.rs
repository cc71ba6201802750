//! What may have been done when its connection was lost, and what cannot have been.

use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, ConnectionExt, Error, ErrorKind, Result, rows};
use tokio::time::sleep;

use crate::drivers::Outcome;
use crate::drivers::engine::{Server, Which};
use crate::drivers::site::{Db, Site};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;

tests! {
    what_commits_by_itself_is_in_doubt
    a_commit_is_in_doubt
    what_was_never_sent_is_in_no_doubt
}

fn is_lost(done: Result<()>, in_doubt: bool, what: &str) {
    let error = done.unwrap_err();
    assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, in_doubt), "{what}: {error}");
}

/// The connections of a server, and the numbers of their sessions.
async fn opened(db: &Db) -> Result<(AnyConnection, i64)> {
    let mut connection = db.connect().await?;
    let session = db.session().map(|(session, _)| session).unwrap_or_default();
    let id = number(&mut *connection, session).await?;
    Ok((connection, id))
}

/// Ends a connection, and waits until it is gone.
async fn end(server: &dyn Server, watches: &mut AnyConnection, id: i64) -> Result<()> {
    // It is no query everywhere.
    let _ = watches.execute(&plain(server.kill(id))).await?;
    while number(&mut **watches, &server.others(Which::Number(id))).await? > 0 {
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// Unless it only reads. Not in a transaction, which is taken back.
async fn what_commits_by_itself_is_in_doubt(site: &Site) -> Outcome {
    let db = site.db().await?;
    let server = db.needs_server()?;
    // What one sees of others may stay as it was within a transaction.
    let (mut watches, mut holds) = (db.connect().await?, db.connect().await?);
    let write = format!("INSERT INTO item (id) {}", db.endless());
    let query = format!("SELECT COUNT(*) AS n FROM ({}) q", db.numbers(12));
    let returning = format!("{write} RETURNING id");
    let into = db.bulk("item", &["id"]);
    let calls = [
        ("execute", &write, false, true),
        ("execute", &write, true, false),
        ("query", &query, false, false),
        ("query", &returning, false, true),
        ("stream", &returning, false, true),
        ("script", &write, false, true),
        ("script", &write, true, false),
        ("many", &write, false, true),
        ("bulk", &write, false, !db.commits_bulk_last()),
        ("bulk", &write, true, false),
    ];
    for (what, sql, in_transaction, in_doubt) in calls {
        if sql == &returning && !db.returns() {
            continue;
        }
        let (mut connection, id) = opened(&db).await?;
        if in_transaction {
            connection.begin(&plainly()).await?;
        }
        if what == "bulk" {
            // It waits for this one, which has the row.
            holds.begin(&plainly()).await?;
            holds.execute(&db.insert(1..2)).await?;
        }
        let statement = plain(&**sql);
        let call = async {
            match what {
                "execute" => connection.execute(&statement).await.map(drop),
                "query" => connection.fetch::<(i64,)>(&statement).await.map(drop),
                "stream" => pin!(connection.stream::<(i64,)>(&statement)).try_next().await.map(drop),
                "script" => connection.script(sql).await,
                "many" => connection.execute_many(&statement, rows([[], []])).await.map(drop),
                _ => connection.bulk_insert(&into, rows([[Value::from(1)]])).await.map(drop),
            }
        };
        let kills = async {
            // It runs by then.
            while number(&mut *watches, &server.others(Which::Running(id))).await? == 0 {
                sleep(Duration::from_millis(20)).await;
            }
            sleep(Duration::from_millis(100)).await;
            end(server, &mut watches, id).await
        };
        let (done, killed) = tokio::join!(call, kills);
        killed?;
        if holds.depth() > 0 {
            holds.rollback().await?;
        }
        is_lost(done, in_doubt, &format!("{what} {sql}"));
    }
    assert_eq!(db.count(&mut *watches).await?, 0);
    Ok(())
}

/// But for one of a transaction that an error has ended: the engine takes that back in any case.
async fn a_commit_is_in_doubt(site: &Site) -> Outcome {
    let db = site.db().await?;
    let server = db.needs_server()?;
    let mut watches = db.connect().await?;
    for failed in [false, true] {
        if failed && !db.fails_whole() {
            continue;
        }
        let (mut connection, id) = opened(&db).await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(1..2)).await?;
        if failed {
            connection.execute(&plain("SELECT nothing FROM item")).await.unwrap_err();
        }
        end(server, &mut watches, id).await?;
        is_lost(connection.commit().await, !failed, "commit");
        assert_eq!(db.count(&mut *watches).await?, 0);
    }
    Ok(())
}

/// Behind a connection that was ended while nobody used it, and behind one that is known to be lost.
async fn what_was_never_sent_is_in_no_doubt(site: &Site) -> Outcome {
    let db = site.db().await?;
    let server = db.needs_server()?;
    let (mut watches, into) = (db.connect().await?, db.bulk("item", &["id"]));
    for what in ["execute", "script", "many", "bulk"] {
        let (mut connection, id) = opened(&db).await?;
        end(server, &mut watches, id).await?;
        // That it is gone has to be read.
        sleep(Duration::from_millis(500)).await;
        for n in 0..2 {
            let done: Result<(), Error> = match what {
                "execute" => connection.execute(&db.insert(1..2)).await.map(drop),
                "script" => connection.script("INSERT INTO item (id) VALUES (1)").await,
                "many" => {
                    connection.execute_many(&plain("INSERT INTO item (id) VALUES (1)"), rows([[]])).await.map(drop)
                }
                _ => connection.bulk_insert(&into, rows([[Value::from(1)]])).await.map(drop),
            };
            if n == 1 && done.is_ok() {
                // Another has taken its place, where nothing was set in it.
                watches.execute(&plain("DELETE FROM item")).await?;
                break;
            }
            if n == 1 || server.hears_its_end() {
                is_lost(done, false, &format!("{what} {n}"));
            } else {
                assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::ConnectionLost), "{what}");
            }
        }
    }
    assert_eq!(db.count(&mut *watches).await?, 0);
    Ok(())
}
