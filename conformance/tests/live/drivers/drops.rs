//! Futures that are dropped while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use isogloss_driver::{ConnectionExt, Error};
use tokio::time::{sleep, timeout};

use crate::drivers::Outcome;
use crate::drivers::engine::Which;
use crate::drivers::site::{Db, Site, pool};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;

tests! {
    one_in_a_transaction_leaves_nothing_of_it
    one_outside_of_a_transaction_leaves_a_connection_that_works
    ; threads
    a_thousand_are_dropped_and_each_answer_is_to_its_question
    a_storm_takes_no_more_connections_than_the_pool_has
}

/// Whether it is dropped with its connection, or whoever gave it up goes on.
async fn one_in_a_transaction_leaves_nothing_of_it(site: &Site) -> Outcome {
    const LATE: i64 = 34;
    let db = site.with(pool(1)).await?;
    let endless = plain(db.endless());
    for round in 0..40 {
        let mut connection = db.connect().await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(round..round + 1)).await?;
        // The last ones have come to run, however busy the machine is.
        let wait =
            if round < LATE { Duration::from_micros(u64::try_from(round)? * 300) } else { Duration::from_millis(300) };
        assert!(timeout(wait, connection.fetch::<(i64,)>(&endless)).await.is_err());
        if round % 2 == 0 {
            let next = connection.execute(&db.insert(100..101)).await;
            // At first it is not so much as sent.
            let told = next.as_ref().err().map(Error::kind);
            assert!(told == db.interrupted(false, true) || told.is_none() && round < LATE, "{round}: {next:?}");
            connection.rollback().await?;
            db.works(&mut *connection).await?;
        }
        drop(connection);
        assert_eq!(db.count(&mut *db.connect().await?).await?, 0, "{round}");
    }
    is_idle(&db).await?;
    assert_eq!(db.connect().await?.execute(&db.insert(0..7)).await?, 7);
    Ok(())
}

/// The server works for nobody who waits no more.
async fn is_idle(db: &Db) -> Outcome {
    let Some(server) = db.server() else { return Ok(()) };
    let (mut connection, busy) = (db.connect().await?, server.others(Which::Busy));
    while number(&mut *connection, &busy).await? > 0 {
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn one_outside_of_a_transaction_leaves_a_connection_that_works(site: &Site) -> Outcome {
    let db = site.with(pool(2)).await?;
    let (endless, mut connection) = (plain(db.endless()), db.connect().await?);
    for round in 0..20 {
        let wait = Duration::from_micros(round * 400);
        let dropped = match round % 2 {
            0 => timeout(wait, connection.fetch::<(i64,)>(&endless)).await.is_err(),
            _ => timeout(wait, connection.script(&endless.sql)).await.is_err(),
        };
        assert!(dropped);
        if round % 2 == 1 {
            // What a script may have set is not lost unheard.
            drop(connection);
            connection = db.connect().await?;
        }
        db.works(&mut *connection).await?;
    }
    drop(connection);
    is_idle(&db).await
}

async fn a_thousand_are_dropped_and_each_answer_is_to_its_question(site: &Site) -> Outcome {
    let db = site.with(pool(16).wait(Duration::from_secs(300))).await?;
    let answered = Arc::new(AtomicU32::new(0));
    let mut tasks = Vec::new();
    for n in 0..1_000_i64 {
        let (backend, answered, insert) = (Arc::clone(&db.backend), Arc::clone(&answered), db.insert(n..n + 1));
        let question = match n % 5 {
            0 => db.select(&n.to_string()),
            1 | 2 => db.endless(),
            _ => format!("SELECT {n} AS n FROM ({}) q", db.numbers(3)),
        };
        tasks.push(tokio::spawn(async move {
            let mut connection = backend.connect().await?;
            let question = plain(question);
            let work = async {
                if n % 5 == 2 {
                    connection.begin(&plainly()).await?;
                    connection.execute(&insert).await?;
                }
                let found = connection.fetch::<(i64,)>(&question).await?;
                assert!(!found.is_empty() && found.iter().all(|row| row.0 == n));
                answered.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Error>(())
            };
            timeout(Duration::from_micros(u64::try_from(n).unwrap() * 7_919 % 8_000), work).await.unwrap_or(Ok(()))
        }));
    }
    for task in tasks {
        task.await??;
    }
    // Everybody gets a connection again, and an answer.
    let heals = async {
        let mut held = Vec::new();
        for _ in 0..16 {
            let mut connection = db.connect().await?;
            db.works(&mut *connection).await?;
            assert_eq!(db.count(&mut *connection).await?, 0);
            held.push(connection);
        }
        Outcome::Ok(())
    };
    let status = || format!("no connection again: {:?}", db.backend.status());
    timeout(Duration::from_secs(40), heals).await.map_err(|_| status())??;
    assert!(db.backend.status().open <= 16);
    let answered = answered.load(Ordering::Relaxed);
    assert!((1..1_000).contains(&answered), "{answered} of them were answered");
    is_idle(&db).await
}

async fn a_storm_takes_no_more_connections_than_the_pool_has(site: &Site) -> Outcome {
    const POOL: u32 = 4;
    const TASKS: u32 = 25;
    let all = site.with(pool(1)).await?;
    let server = all.needs_server()?;
    let mut watches = all.connect().await?;
    let (host, port) = server.host();
    assert!(!host.is_empty());
    let backend = server.through(port, pool(POOL)).await?;
    let there = server.others(Which::There);
    let storm: Vec<_> = (0..TASKS)
        .map(|_| {
            let (backend, slow) = (Arc::clone(&backend), plain(all.endless()));
            tokio::spawn(async move {
                for _ in 0..12 {
                    let mut connection = backend.connect().await?;
                    assert!(timeout(Duration::from_millis(3), connection.fetch::<(i64,)>(&slow)).await.is_err());
                }
                Ok::<_, Error>(())
            })
        })
        .collect();
    let mut most = 0;
    while !storm.iter().all(|task| task.is_finished()) {
        assert!(backend.status().open <= POOL);
        most = most.max(number(&mut *watches, &there).await?);
        sleep(Duration::from_millis(1)).await;
    }
    for task in storm {
        task.await??;
    }
    // One more may be there to end the others', and a busy server counts those that it has just ended.
    assert!(most < i64::from(TASKS / 2), "{most} connections");
    drop(backend.connect().await?);
    while number(&mut *watches, &there).await? > i64::from(POOL) + 1 {
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
