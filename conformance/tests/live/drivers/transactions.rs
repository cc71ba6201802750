//! Transactions, and what others see of them.

use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, ConnectionExt, Error, ErrorKind, TransactionOptions};

use crate::drivers::site::Site;
use crate::drivers::statements::plain;
use crate::drivers::{Outcome, not_here};

tests! {
    they_nest_and_a_dropped_one_is_taken_back
    one_that_only_reads_refuses_a_write
    one_ends_with_what_runs_in_it
    one_runs_in_a_task_and_borrows_what_is_around_it
    an_error_ends_its_statement_or_the_whole
    an_isolation_is_that_of_its_transaction_alone
    of_two_that_change_a_row_one_fails
    of_two_that_wait_for_each_other_one_fails
    a_begin_that_is_given_up_begins_nothing
}

/// A transaction as it is begun where nothing is said of it.
pub fn plainly() -> TransactionOptions {
    TransactionOptions::default()
}

async fn they_nest_and_a_dropped_one_is_taken_back(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    connection.begin(&plainly()).await?;
    connection.execute(&db.insert(0..1)).await?;
    if db.savepoints() {
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(1..2)).await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(2..3)).await?;
        assert_eq!(connection.depth(), 3);
        connection.commit().await?;
        connection.rollback().await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(3..5)).await?;
        connection.commit().await?;
        let error = connection.begin(&plainly().read_only()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
    } else {
        let error = connection.begin(&plainly()).await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (ErrorKind::Configuration, 1));
        connection.execute(&db.insert(3..5)).await?;
    }
    connection.commit().await?;
    assert_eq!((connection.depth(), db.count(&mut *connection).await?), (0, 3));
    assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::Other);
    assert_eq!(connection.rollback().await.unwrap_err().kind(), ErrorKind::Other);
    connection.begin(&plainly()).await?;
    connection.execute(&db.insert(5..9)).await?;
    drop(connection);
    let mut connection = db.connect().await?;
    assert_eq!(db.count(&mut *connection).await?, 3);
    Ok(())
}

async fn one_that_only_reads_refuses_a_write(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    connection.begin(&plainly().read_only()).await?;
    assert_eq!(db.count(&mut *connection).await?, 0);
    let error = connection.execute(&db.insert(5..9)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    connection.rollback().await?;
    assert_eq!(connection.execute(&db.insert(5..9)).await?, 4);
    Ok(())
}

async fn one_ends_with_what_runs_in_it(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (options, first, second) = (plainly(), db.insert(0..1), db.insert(1..2));
    let done = connection.transaction(&options, async |connection| {
        connection.execute(&first).await?;
        if db.savepoints() {
            let inner = connection.transaction(&options, async |connection| {
                connection.execute(&second).await?;
                connection.execute(&first).await
            });
            assert_eq!(inner.await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        }
        Ok::<_, Error>("kept")
    });
    assert_eq!((done.await?, connection.depth(), db.count(&mut *connection).await?), ("kept", 0, 1));
    let failed: Outcome = connection
        .transaction(&plainly(), async |connection| {
            connection.execute(&second).await?;
            Err("enough".into())
        })
        .await;
    assert_eq!((failed.unwrap_err().to_string(), connection.depth()), ("enough".to_owned(), 0));
    assert_eq!(db.count(&mut *connection).await?, 1);
    Ok(())
}

/// Its future can be sent to another thread.
async fn one_runs_in_a_task_and_borrows_what_is_around_it(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (first, second) = (db.insert(0..1), db.insert(1..2));
    let task = tokio::spawn(async move {
        let mut done = Vec::new();
        let all = async |connection: &mut AnyConnection| {
            done.push(connection.execute(&first).await?);
            connection.execute(&second).await
        };
        let last: Result<u64, Error> = connection.transaction(&plainly(), all).await;
        done.push(last?);
        Ok::<_, Error>(done)
    });
    assert_eq!(task.await??, [1, 1]);
    Ok(())
}

/// Where it ends the whole, nothing but a rollback is taken, and a COMMIT that would only roll back is an error. A savepoint
/// saves it either way.
async fn an_error_ends_its_statement_or_the_whole(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (one, two) = (db.insert(1..2), db.insert(2..3));
    connection.begin(&plainly()).await?;
    connection.execute(&one).await?;
    assert_eq!(connection.execute(&one).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
    if db.fails_whole() {
        let failed = ErrorKind::TransactionFailed;
        assert_eq!(connection.execute(&two).await.unwrap_err().kind(), failed);
        assert_eq!(connection.fetch::<(i64,)>(&plain("SELECT id FROM item")).await.unwrap_err().kind(), failed);
        assert_eq!(connection.commit().await.unwrap_err().kind(), failed);
        connection.rollback().await?;
    } else {
        connection.execute(&two).await?;
        connection.commit().await?;
        assert_eq!(connection.execute(&plain("DELETE FROM item")).await?, 2);
    }
    // A row that the caller cannot read is none of its business.
    connection.begin(&plainly()).await?;
    connection.execute(&one).await?;
    let unread = connection.fetch::<(Vec<u8>, bool)>(&plain("SELECT name, name FROM item")).await.unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::Decode, "{unread}");
    if db.savepoints() {
        connection.begin(&plainly()).await?;
        connection.execute(&one).await.unwrap_err();
        connection.rollback().await?;
    }
    connection.commit().await?;
    assert_eq!(db.count(&mut *connection).await?, 1);
    Ok(())
}

/// Each sees what it says of what others commit, and the next transaction sees what is usual.
async fn an_isolation_is_that_of_its_transaction_alone(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut reads, mut writes) = (db.connect().await?, db.connect().await?);
    let all = db.isolations();
    let usual = all.iter().find(|(isolation, _)| isolation.is_none()).unwrap();
    for (next, (isolation, sees)) in (0..).zip(all.iter().flat_map(|one| [one, usual])) {
        let mut options = plainly().read_only();
        options.isolation = *isolation;
        let begun = reads.begin(&options).await;
        let sees = match sees {
            Ok(sees) => *sees,
            Err(kind) => {
                assert_eq!(begun.unwrap_err().kind(), *kind, "{isolation:?}");
                continue;
            }
        };
        begun?;
        let before = db.count(&mut *reads).await?;
        writes.execute(&db.insert(next..next + 1)).await?;
        assert_eq!(db.count(&mut *reads).await?, before + i64::from(sees), "{isolation:?}");
        reads.commit().await?;
    }
    Ok(())
}

/// One may run it again. Where there is no such thing, the second waits and finds what the first has written.
async fn of_two_that_change_a_row_one_fails(site: &Site) -> Outcome {
    let db = site.db().await?;
    db.script("INSERT INTO item (id, n) VALUES (1, 0)").await?;
    let (mut one, mut other) = (db.connect().await?, db.connect().await?);
    let add = plain("UPDATE item SET n = n + 1 WHERE id = 1");
    match db.conflicting() {
        Some(options) => {
            one.begin(&options).await?;
            assert_eq!(db.count(&mut *one).await?, 1);
            other.begin(&options).await?;
            other.execute(&add).await?;
            other.commit().await?;
            let error = one.execute(&add).await.unwrap_err();
            assert!(error.kind() == ErrorKind::SerializationFailure && error.kind().is_transient(), "{error}");
            // What was taken back takes nothing more.
            assert!(one.execute(&db.insert(7..8)).await.is_err() && one.commit().await.is_err());
            if one.depth() > 0 {
                one.rollback().await?;
            }
            assert_eq!(one.execute(&add).await?, 1);
        }
        None => {
            one.begin(&plainly()).await?;
            one.execute(&add).await?;
            let end = async {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                one.commit().await
            };
            let (added, ended) = tokio::join!(other.execute(&add), end);
            assert_eq!((added?, ended?), (1, ()));
        }
    }
    assert_eq!(other.fetch::<(i64, i64)>(&plain("SELECT id, n FROM item")).await?, [(1, 2)]);
    Ok(())
}

/// Nothing more is written outside of the transaction that is no more.
async fn of_two_that_wait_for_each_other_one_fails(site: &Site) -> Outcome {
    let db = site.db().await?;
    let Some(after) = db.after_deadlock() else { return not_here("there is no such failed transaction here") };
    db.script("INSERT INTO item (id, n) VALUES (1, 0); INSERT INTO item (id, n) VALUES (2, 0)").await?;
    let (mut one, mut other) = (db.connect().await?, db.connect().await?);
    let set = |id: i64| plain(format!("UPDATE item SET n = n + 1 WHERE id = {id}"));
    one.begin(&plainly()).await?;
    other.begin(&plainly()).await?;
    one.execute(&set(1)).await?;
    other.execute(&set(2)).await?;
    // Whoever lives may wait until the other has ended.
    let end = async |mut connection: AnyConnection, id: i64| {
        let done = connection.execute(&set(id)).await;
        if let Err(error) = &done {
            assert!(error.kind() == ErrorKind::Deadlock && error.kind().is_transient(), "{error}");
            assert_eq!(connection.execute(&set(id)).await.unwrap_err().kind(), after);
            assert_eq!(connection.commit().await.unwrap_err().kind(), after);
            if connection.depth() > 0 {
                connection.rollback().await?;
            }
            assert_eq!(connection.depth(), 0);
        } else {
            connection.commit().await?;
        }
        Outcome::Ok(done.is_ok())
    };
    let (one, other) = tokio::join!(end(one, 2), end(other, 1));
    assert!(one? != other?);
    let mut connection = db.connect().await?;
    let found: Vec<(i64, i64)> = connection.fetch(&plain("SELECT id, n FROM item ORDER BY id")).await?;
    assert_eq!(found, [(1, 1), (2, 1)]);
    Ok(())
}

/// Also one that waits for another's transaction: what comes next is seen by others at once.
async fn a_begin_that_is_given_up_begins_nothing(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut one, mut other) = (db.connect().await?, db.connect().await?);
    let waits = [0, 20, 100, 300, 1_000, 50_000].map(std::time::Duration::from_micros);
    for (id, (wait, busy)) in (0..).zip(waits.into_iter().flat_map(|wait| [(wait, false), (wait, true)])) {
        if busy {
            other.begin(&plainly()).await?;
            other
                .execute(
                    &db.compile(isogloss_compiler::expr::table("item").insert(["id"], vec![Value::from(100 + id)])),
                )
                .await?;
        }
        let begun = tokio::time::timeout(wait, one.begin(&plainly())).await.is_ok();
        if busy {
            other.rollback().await?;
        }
        if begun {
            one.rollback().await?;
        }
        assert_eq!(one.depth(), 0);
        let insert = db.insert(id..id + 1);
        if let Err(error) = one.execute(&insert).await {
            // It was closed with what was given up.
            assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
            one = db.connect().await?;
            one.execute(&insert).await?;
        }
        assert_eq!(db.count(&mut *other).await?, id + 1, "{wait:?}, busy {busy}, begun {begun}");
    }
    Ok(())
}
