//! Streams: rows as they are asked for.

use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_driver::{AnyConnection, ConnectionExt, Error, ErrorKind};
use tokio::time::{sleep, timeout};

use crate::drivers::Outcome;
use crate::drivers::site::{Site, pool};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;

tests! {
    one_reads_no_further_than_it_is_asked
    one_is_read_to_its_end
    one_ends_with_the_error_of_its_row
    one_that_is_given_up_holds_no_transaction
    one_may_be_given_up_at_any_moment
    one_may_be_read_for_longer_than_a_statement_may_take
}

/// Reads so many of the first rows, and gives up the rest.
async fn take(connection: &mut AnyConnection, sql: &str, count: usize) -> Outcome {
    let many = plain(sql);
    let mut rows = pin!(connection.stream::<(i64,)>(&many));
    for _ in 0..count {
        assert!(rows.try_next().await?.is_some(), "{sql}");
    }
    Ok(())
}

/// The connection is there for the next statement, the same one. Reading all of the 10^12 rows would never end.
async fn one_reads_no_further_than_it_is_asked(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let mut connection = db.connect().await?;
    let (many, session) = (db.numbers(12), db.session().map_or(db.select("7"), |(session, _)| session.to_owned()));
    let id = number(&mut *connection, &session).await?;
    for count in [1, 10, 300, 5_000] {
        take(&mut connection, &many, count).await?;
        db.works(&mut *connection).await?;
        assert!(connection.fetch_first::<(i64,)>(&plain(&*many)).await?.is_some());
        db.works(&mut *connection).await?;
    }
    assert_eq!(number(&mut *connection, &session).await?, id, "it is the same connection");
    Ok(())
}

/// Slowly at first: the engine waits.
async fn one_is_read_to_its_end(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (all, mut count, mut sum) = (plain(db.numbers(5)), 0, 0);
    let mut rows = pin!(connection.stream::<(i64,)>(&all));
    while let Some((n,)) = rows.try_next().await? {
        (count, sum) = (count + 1, sum + n);
        if count % 10_000 == 1 {
            sleep(Duration::from_millis(20)).await;
        }
    }
    assert_eq!((count, sum), (100_000, 5_000_050_000_i64));
    Ok(())
}

/// One of the caller's type, one of the statement, and one of the engine's behind rows that it has given.
async fn one_ends_with_the_error_of_its_row(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (thousand, wrong) = (plain(db.numbers(3)), plain("SELECT nothing FROM item"));
    for (statement, kind) in [(&thousand, ErrorKind::Decode), (&wrong, ErrorKind::Syntax)] {
        let read = connection.stream::<(i8,)>(statement).try_collect::<Vec<_>>().await.unwrap_err();
        assert_eq!(read.kind(), kind, "{read}");
        assert_eq!(connection.fetch::<(i8,)>(statement).await.unwrap_err().kind(), kind);
    }
    let (failing, mut count) = (plain(db.failing()), 0);
    {
        let mut rows = pin!(connection.stream::<(Option<i64>,)>(&failing));
        let error = loop {
            match rows.try_next().await {
                Ok(row) => count += i32::from(row.is_some()),
                Err(error) => break error,
            }
            assert!(count < 10_000, "it does not fail");
        };
        assert_eq!(error.kind(), db.unlike("failing").unwrap_or(ErrorKind::BadValue), "{error}");
    }
    // One that was read ends its statement or the whole.
    connection.begin(&plainly()).await?;
    connection.execute(&db.insert(0..1)).await?;
    assert!(connection.stream::<(Option<i64>,)>(&failing).try_collect::<Vec<_>>().await.is_err());
    assert_eq!(connection.execute(&db.insert(1..2)).await.is_err(), db.fails_whole());
    assert_eq!(connection.commit().await.is_err(), db.fails_whole());
    if connection.depth() > 0 {
        connection.rollback().await?;
    }
    assert_eq!(db.count(&mut *connection).await?, if db.fails_whole() { 0 } else { 2 });
    Ok(())
}

/// At both depths, with the savepoint of the caller's own kept, and taken back; and right before the transaction's end.
async fn one_that_is_given_up_holds_no_transaction(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let many = db.numbers(12);
    connection.begin(&plainly()).await?;
    connection.execute(&db.insert(0..1)).await?;
    for round in 1..9 {
        let within = round % 2 == 1 && db.savepoints();
        if within {
            connection.begin(&plainly()).await?;
        }
        connection.execute(&db.insert(round..round + 1)).await?;
        take(&mut connection, &many, 10).await?;
        db.works(&mut *connection).await?;
        match round % 4 {
            1 if within => connection.commit().await?,
            3 if within => connection.rollback().await?,
            _ => {}
        }
    }
    take(&mut connection, &many, 10).await?;
    connection.commit().await?;
    assert_eq!(db.count(&mut *connection).await?, if db.savepoints() { 7 } else { 9 });
    Ok(())
}

/// While it is on its way, or the rows are. All of the transaction is there, or nothing, and the caller knows.
async fn one_may_be_given_up_at_any_moment(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let many = plain(db.numbers(12));
    for n in 0..60 {
        let mut connection = db.connect().await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(n..n + 1)).await?;
        let read = async {
            let mut rows = pin!(connection.stream::<(i64,)>(&many));
            while rows.try_next().await?.is_some() {
                tokio::task::yield_now().await;
            }
            Ok::<_, Error>(())
        };
        let wait = Duration::from_micros(u64::try_from(n)? * 40);
        assert!(timeout(wait, read).await.is_err());
        let committed = connection.commit().await;
        if let Err(error) = &committed {
            let known = [ErrorKind::TransactionFailed, ErrorKind::ConnectionLost];
            assert!(known.contains(&error.kind()) && !error.is_in_doubt(), "{error}");
            if connection.depth() > 0 {
                connection.rollback().await?;
            }
        }
        drop(connection);
        let mut connection = db.connect().await?;
        assert_eq!(db.count(&mut *connection).await?, i64::from(committed.is_ok()), "{wait:?}");
        connection.execute(&plain("DELETE FROM item")).await?;
    }
    Ok(())
}

/// The time between two rows is the reader's. The wait for rows that do not come has the limit, and so has each statement behind.
async fn one_may_be_read_for_longer_than_a_statement_may_take(site: &Site) -> Outcome {
    const LIMIT: Duration = Duration::from_secs(2);
    let db = site.with(pool(1).statement_timeout(Some(LIMIT))).await?;
    let (many, endless) = (plain(db.numbers(5)), plain(db.endless()));
    for in_transaction in [false, true] {
        let mut connection = db.connect().await?;
        if in_transaction {
            connection.begin(&plainly()).await?;
        }
        {
            let mut rows = pin!(connection.stream::<(i64,)>(&many));
            let mut count = 0;
            while rows.try_next().await?.is_some() {
                count += 1;
                if count % 20_000 == 1 {
                    sleep(LIMIT / 2).await;
                }
            }
            assert_eq!(count, 100_000);
        }
        let waited = match in_transaction {
            true => connection.stream::<(i64,)>(&endless).try_collect::<Vec<_>>().await.map(drop),
            false => connection.execute(&endless).await.map(drop),
        };
        assert_eq!(waited.unwrap_err().kind(), ErrorKind::Timeout);
        if in_transaction {
            let ended = connection.rollback().await;
            if let Err(error) = &ended {
                assert!(db.loses_slow_streams() && error.kind() == ErrorKind::ConnectionLost, "{error}");
                continue;
            }
        }
        // One that was given up half way leaves the limit as it was.
        take(&mut connection, &db.numbers(12), 1).await?;
        assert_eq!(connection.fetch::<(i64,)>(&endless).await.unwrap_err().kind(), ErrorKind::Timeout);
        db.works(&mut *connection).await?;
    }
    Ok(())
}
