//! Transactions that end otherwise than by a word of whoever began them, or when nobody listens.

use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_driver::{ConnectionExt, Error, ErrorKind, rows};
use tokio::time::timeout;

use crate::drivers::site::{Db, Site, pool};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;
use crate::drivers::{Outcome, not_here};

tests! {
    one_that_a_text_has_ended_takes_nothing_more
    one_whose_write_was_given_up_says_so_until_it_is_rolled_back
    a_commit_that_was_given_up_is_told_truly
    a_constraint_may_be_checked_at_the_end
    a_write_ends_before_its_first_row_is_given
    one_that_is_dropped_half_way_lets_go_at_once
}

/// What comes behind it would commit by itself.
async fn one_that_a_text_has_ended_takes_nothing_more(site: &Site) -> Outcome {
    let db = site.db().await?;
    if db.endings().is_empty() {
        return not_here("no text ends a transaction here");
    }
    let mut connection = db.connect().await?;
    let one = db.insert(1..2);
    for ends in db.endings() {
        for (as_script, depth) in [(true, 1), (true, 2), (false, 1)] {
            if !as_script && ends.contains(';') || depth > 1 && !db.savepoints() {
                continue;
            }
            for _ in 0..depth {
                connection.begin(&plainly()).await?;
            }
            let ended = match as_script {
                true => connection.script(ends).await,
                false => connection.execute(&plain(*ends)).await.map(drop),
            };
            assert!(ended.is_ok() || is_failed(&ended), "{ends}: {ended:?}");
            let next = connection.execute(&one).await.map(drop);
            assert!(is_failed(&next), "{ends}: {next:?}");
            let committed = connection.commit().await;
            assert!(is_failed(&committed), "{ends}: {committed:?}");
            while connection.depth() > 0 {
                let _ = connection.rollback().await;
            }
            // The next transaction is one.
            connection.begin(&plainly()).await?;
            connection.execute(&one).await?;
            connection.rollback().await?;
            assert_eq!(db.count(&mut *connection).await?, 0, "{ends}");
        }
    }
    Ok(())
}

fn is_failed(done: &isogloss_driver::Result<()>) -> bool {
    done.as_ref().is_err_and(|error| error.kind() == ErrorKind::TransactionFailed)
}

/// Whatever is called: a COMMIT of a transaction that was ended by what was given up in it would roll it back, and say nothing.
async fn one_whose_write_was_given_up_says_so_until_it_is_rolled_back(site: &Site) -> Outcome {
    let db = site.with(pool(2)).await?;
    let into = db.bulk("item", &["id", "name"]);
    let (one, all) = (db.insert(0..1), plain("SELECT COUNT(*) FROM item"));
    let write = plain(format!("INSERT INTO item (id) {}", db.endless()));
    let deepest = if db.savepoints() { 3 } else { 1 };
    for (ended, depth) in [(true, 1), (true, deepest), (false, 1), (false, deepest)] {
        let mut connection = db.connect().await?;
        for level in 0..depth {
            connection.begin(&plainly()).await?;
            connection.execute(&db.insert(10 + level..11 + level)).await?;
        }
        if ended {
            connection.set_statement_timeout(Some(Duration::from_millis(100))).await?;
            let error = connection.execute(&write).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
            connection.set_statement_timeout(None).await?;
        } else {
            assert!(timeout(Duration::from_millis(500), connection.execute(&write)).await.is_err());
        }
        let refused = db.interrupted(true, !ended);
        if let Some(kind) = refused {
            let is = |done: isogloss_driver::Result<()>| assert_eq!(done.map_err(|error| error.kind()), Err(kind));
            is(connection.execute(&one).await.map(drop));
            is(connection.fetch::<(i64,)>(&all).await.map(drop));
            is(futures_util::TryStreamExt::try_collect::<Vec<_>>(connection.stream::<(i64,)>(&all)).await.map(drop));
            is(connection.execute_many(&one, rows([[1.into(), Value::Null, Value::Null]])).await.map(drop));
            is(connection.bulk_insert(&into, rows([[1.into(), Value::Null]])).await.map(drop));
            is(connection.script("DELETE FROM item").await);
            is(connection.begin(&plainly()).await);
        }
        while connection.depth() > 0 {
            connection.rollback().await?;
        }
        assert_eq!(db.count(&mut *connection).await?, 0);
        // The next one is as any other.
        connection.begin(&plainly()).await?;
        assert_eq!(connection.execute(&one).await?, 1);
        connection.rollback().await?;
    }
    Ok(())
}

/// However far it came: it was done, it was not, or it is in doubt.
async fn a_commit_that_was_given_up_is_told_truly(site: &Site) -> Outcome {
    let db = site.db().await?;
    for n in 0..40_u32 {
        let mut connection = db.connect().await?;
        let id = i64::from(n) * 100;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(id..id + 100)).await?;
        // At first it is not so much as sent.
        let given_up = timeout(Duration::from_micros(u64::from(n / 2) * 20), connection.commit()).await;
        let again = n % 2 == 0;
        let told = match given_up {
            Ok(done) => done.map(|()| true),
            Err(_) if again => connection.commit().await.map(|()| true),
            Err(_) => connection.rollback().await.map(|()| false),
        };
        assert!(connection.depth() == 0 || told.is_err(), "{n}: {told:?}");
        drop(connection);
        let found = count_soon(&db, id).await?;
        match &told {
            Ok(committed) => assert_eq!(found, if *committed { 100 } else { 0 }, "{n}"),
            Err(error) if error.is_in_doubt() => assert!([0, 100].contains(&found), "{n}: {error}"),
            // A rollback that fails so was no rollback, nor was a COMMIT one.
            Err(error) => assert_eq!(found, if again { 0 } else { 100 }, "{n}: {error}"),
        }
    }
    Ok(())
}

/// How many of the hundred items from a number on there are, once nobody holds the first of them any more.
async fn count_soon(db: &Db, id: i64) -> Result<i64, Error> {
    let mut connection = db.connect().await?;
    connection.begin(&plainly()).await?;
    connection.execute(&plain(format!("DELETE FROM item WHERE id = {id} AND n = 1"))).await?;
    connection.commit().await?;
    let those = format!("SELECT COUNT(*) FROM item WHERE id >= {id} AND id < {}", id + 100);
    crate::drivers::statements::number(&mut *connection, &those).await
}

/// That is told with the COMMIT, and is no doubt; also where many rows commit by themselves.
async fn a_constraint_may_be_checked_at_the_end(site: &Site) -> Outcome {
    let db = site.db().await?;
    if !db.defers() {
        return not_here("each constraint is checked at once here");
    }
    db.script("CREATE TABLE child (item BIGINT REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)").await?;
    let mut connection = db.connect().await?;
    let orphan = plain("INSERT INTO child (item) VALUES (-1)");
    let violated = |error: Error| {
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ForeignKeyViolation, false), "{error}");
    };
    violated(connection.execute(&orphan).await.unwrap_err());
    connection.begin(&plainly()).await?;
    connection.execute(&orphan).await?;
    violated(connection.commit().await.unwrap_err());
    connection.rollback().await?;
    assert_eq!(connection.depth(), 0);
    let count = crate::drivers::statements::number(&mut *connection, "SELECT COUNT(*) FROM child").await?;
    assert_eq!(count, 0);
    Ok(())
}

/// A write whose first row is taken fails as one whose rows are all taken, and is done to its end.
async fn a_write_ends_before_its_first_row_is_given(site: &Site) -> Outcome {
    let db = site.db().await?;
    if !db.returns() {
        return not_here("no write gives rows here");
    }
    let mut connection = db.connect().await?;
    if db.defers() {
        db.script("CREATE TABLE child (item BIGINT REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)").await?;
        connection.execute(&db.insert(1..2)).await?;
        for (item, there) in [(1, true), (9, false), (1, true), (9, false)] {
            let insert = plain(format!("INSERT INTO child (item) VALUES ({item}) RETURNING item"));
            let done = connection.fetch_first::<(i64,)>(&insert).await;
            assert_eq!(done.as_ref().ok(), there.then_some(&Some((item,))));
            assert_eq!(done.err().map(|error| error.kind()), (!there).then_some(ErrorKind::ForeignKeyViolation));
        }
        connection.execute(&plain("DELETE FROM child")).await?;
        connection.execute(&plain("DELETE FROM item")).await?;
    }
    let all = format!("INSERT INTO item (id) SELECT n FROM ({}) q RETURNING id", db.numbers(4));
    assert!(connection.fetch_first::<(i64,)>(&plain(&*all)).await?.is_some());
    assert_eq!(db.count(&mut *connection).await?, 10_000);
    let error = connection.fetch_first::<(i64,)>(&plain(&*all)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    // One row in the middle is there already.
    connection.execute(&plain("DELETE FROM item WHERE id <> 7777")).await?;
    assert_eq!(connection.fetch_first::<(i64,)>(&plain(all)).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
    assert_eq!(db.count(&mut *connection).await?, 1);
    Ok(())
}

/// Its locks are gone without anybody taking the connection, which is not closed for it.
async fn one_that_is_dropped_half_way_lets_go_at_once(site: &Site) -> Outcome {
    let db = site.with(pool(2)).await?;
    let mut connection = db.connect().await?;
    connection.execute(&db.insert(0..100)).await?;
    let mut other = db.connect().await?;
    for endless in [false, true] {
        connection.begin(&plainly()).await?;
        connection.execute(&plain("UPDATE item SET n = 1")).await?;
        if endless {
            let endless = plain(db.endless());
            assert!(timeout(Duration::from_millis(20), connection.execute(&endless)).await.is_err());
        }
        let update = plain("UPDATE item SET n = 2");
        let drops = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(connection);
        };
        if db.waits() {
            let (updated, ()) = tokio::join!(timeout(Duration::from_secs(120), other.execute(&update)), drops);
            assert_eq!(updated??, 100);
        } else {
            drops.await;
        }
        connection = db.connect().await?;
        assert_eq!(connection.execute(&update).await?, 100);
    }
    Ok(())
}
