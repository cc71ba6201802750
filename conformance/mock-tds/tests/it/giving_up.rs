//! What is given up on its way: streams, statements, scripts, whole connections.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use isogloss_compiler::Compiler;
use isogloss_compiler::expr::DbValueType;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::{
    AnyConnection, Backend, ConnectionExt, ErrorKind, Isolation, PoolOptions, TransactionOptions, rows,
};
use isogloss_sqlserver::driver::SqlServerBackend;
use isogloss_testkit::events;
use tracing::Level;

use crate::support::*;

/// The warning of a write that was not read to its end.
const UNFINISHED: &str = "a write was ended before its rows were read to their end";

/// Removes the events so far, and returns how many of them contain `text`.
fn count(events: &events::Events, text: &str) -> usize {
    events.take_messages().iter().filter(|message| message.contains(text)).count()
}

const INSERT: &str = "INSERT INTO [ITEM] ([ID]) VALUES (2)";

/// The first ten rows, and no more.
async fn ten(connection: &mut AnyConnection, sql: &str) -> isogloss_driver::Result<()> {
    let statement = plain(sql);
    let mut rows = pin!(connection.stream::<(i32,)>(&statement).take(10));
    while let Some(row) = rows.next().await {
        row?;
    }
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_ended_behind_a_streams_back_takes_no_statements() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for sql in [ENDLESS, LONG] {
        let mut connection = backend.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        ten(&mut connection, sql).await?;
        server.answer("SELECT XACT_STATE()", number(0)).await;
        server.proxy.sent();
        let error = connection.execute(&plain(INSERT)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TransactionFailed, "{sql}: {error}");
        assert!(!server.was_sent(INSERT), "{sql}");
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        connection.rollback().await?;
        // One that is still there goes on, with what was done in it.
        server.answer("SELECT XACT_STATE()", number(1)).await;
        connection.begin(&TransactionOptions::default()).await?;
        ten(&mut connection, sql).await?;
        assert_eq!(works(&mut connection).await?, 500);
        connection.commit().await?;
        assert_eq!(backend.status().open, 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_that_is_given_up_ends_at_the_server() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    let streams = async {
        for sql in [ENDLESS, LONG, NUMBERS, ENDLESS] {
            ten(&mut connection, sql).await?;
            assert_eq!(works(&mut connection).await?, 500, "{sql}");
            let first: Option<(i32,)> = connection.fetch_first(&plain(sql)).await?;
            assert_eq!((first, works(&mut connection).await?), (Some((0,)), 500), "{sql}");
            // In the middle of a row.
            let statement = plain(sql);
            let all = connection.fetch::<(i32,)>(&statement);
            let _ = tokio::time::timeout(Duration::from_millis(30), all).await;
            assert_eq!(works(&mut connection).await?, 500, "{sql}");
        }
        Outcome::Ok(())
    };
    // A driver that reads to the end never comes to it.
    tokio::time::timeout(HANGS, streams).await??;
    assert_eq!(backend.status().open, 1);
    Ok(())
}

#[tokio::test]
async fn a_write_whose_rows_are_given_up_is_done() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for in_transaction in [false, true] {
        let mut connection = backend.connect().await?;
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        server.proxy.sent();
        let first: Option<(i32,)> = connection.fetch_first(&plain(WRITE)).await?;
        assert_eq!((first, works(&mut connection).await?), (Some((0,)), 500));
        ten(&mut connection, WRITE).await?;
        assert_eq!(works(&mut connection).await?, 500);
        // A row of another type: the caller is told, and the rest is read.
        let error = connection.fetch_first::<(String,)>(&plain(WRITE)).await.unwrap_err();
        assert_eq!((error.kind(), works(&mut connection).await?), (ErrorKind::Decode, 500));
        server.proxy.sent();
        ten(&mut connection, WRITE).await?;
        if in_transaction {
            connection.commit().await?;
        }
        drop(connection);
        assert!(server.is_written(HANGS).await);
        assert!(until(HANGS, || backend.status().idle == 1).await);
        assert_eq!(backend.status().open, 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_write_that_is_given_up_with_its_connection_has_a_statements_time() -> Outcome {
    let (events, _guard) = events::capture("isogloss", Level::WARN);
    let server = Server::start().await?;
    let backend = async |grace| {
        let pool = PoolOptions::default().grace(grace).statement_timeout(Some(HANGS));
        SqlServerBackend::connect(server.options().pool(pool)).await
    };
    for scripted in [false, true] {
        for limit in [None, Some(HANGS), Some(Duration::from_secs(1))] {
            let what = format!("{limit:?}, scripted: {scripted}");
            let is_short = limit.is_some_and(|limit| limit < HANGS);
            let backend = backend(if is_short { Duration::from_millis(100) } else { HANGS }).await?;
            let mut connection = backend.connect().await?;
            if scripted {
                connection.script("SET DATEFIRST 1").await?;
            }
            connection.set_statement_timeout(limit).await?;
            server.proxy.sent();
            ten(&mut connection, if is_short { SLOW_WRITE } else { WRITE }).await?;
            drop(connection);
            if is_short {
                assert!(until(HANGS, || server.proxy.open() == 0).await, "{what}");
                assert!(!server.is_written(Duration::ZERO).await, "{what}");
            } else {
                assert!(server.is_written(HANGS).await, "{what}");
            }
            let kept = u32::from(!is_short && !scripted);
            let settled = || (backend.status().open, backend.status().idle) == (kept, kept);
            assert!(until(HANGS, settled).await, "{what}: {:?}", backend.status());
            assert_eq!(count(&events, UNFINISHED), usize::from(is_short), "{what}");
        }
    }
    // What a transaction has written is taken back with it: nobody waits for that.
    let backend = backend(HANGS).await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    ten(&mut connection, SLOW_WRITE).await?;
    drop(connection);
    assert!(until(HANGS, || server.was_interrupted()).await);
    // One that is closed is not read to its end.
    let mut connection = backend.connect().await?;
    ten(&mut connection, SLOW_WRITE).await?;
    connection.close();
    assert_eq!(count(&events, UNFINISHED), 1);
    Ok(())
}

#[tokio::test]
async fn a_write_that_is_given_up_ends_before_the_clock_of_what_is_next() -> Outcome {
    let (events, _guard) = events::capture("isogloss", Level::WARN);
    let server = Server::start().await?;
    for (grace, ends) in [(HANGS, true), (Duration::from_millis(100), false)] {
        let mut pool = PoolOptions::default();
        pool.grace = grace;
        let backend = SqlServerBackend::connect(server.options().pool(pool)).await?;
        for what in ["statement", "stream", "script", "begin"] {
            let mut connection = backend.connect().await?;
            connection.set_statement_timeout(Some(Duration::from_secs(2))).await?;
            server.proxy.sent();
            ten(&mut connection, SLOW_WRITE).await?;
            let statement = plain(INSERT);
            let done = match what {
                "statement" => connection.execute(&statement).await.map(drop),
                "stream" => connection.open(&statement).await.map(drop),
                "script" => connection.script(INSERT).await,
                _ => connection.begin(&TransactionOptions::default()).await,
            };
            if ends {
                done?;
                assert!(server.is_written(Duration::ZERO).await, "{what}");
            } else {
                let error = done.unwrap_err();
                assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{what}: {error}");
                assert!(!server.was_sent(INSERT) && connection.ping().await.is_err(), "{what}");
            }
            assert_eq!(count(&events, UNFINISHED), usize::from(!ends), "{what}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_write_that_is_given_up_ends_with_the_transaction_that_is_rolled_back() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    for depth in [1, 2] {
        for _ in 0..depth {
            connection.begin(&TransactionOptions::default()).await?;
        }
        server.proxy.sent();
        ten(&mut connection, SLOW_WRITE).await?;
        connection.rollback().await?;
        assert!(server.was_interrupted());
        assert_eq!((works(&mut connection).await?, connection.depth()), (500, depth - 1));
    }
    // Without one there is nothing to be taken back.
    connection.rollback().await?;
    server.proxy.sent();
    ten(&mut connection, WRITE).await?;
    assert_eq!(connection.rollback().await.unwrap_err().kind(), ErrorKind::Other);
    assert_eq!(works(&mut connection).await?, 500);
    assert!(server.is_written(Duration::ZERO).await);
    Ok(())
}

#[tokio::test]
async fn what_a_write_fails_with_whose_rows_were_given_up_is_told_by_what_is_next() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for (sql, in_transaction) in [(FAILS, true), (FAILS_SOON, true), (FAILS, false), (FAILS_SOON, false)] {
        server.answer(UNREAD, numbers([1_871_513_907, 2627])).await;
        let mut connection = backend.connect().await?;
        for what in ["statement", "stream", "begin", "commit"] {
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            ten(&mut connection, sql).await?;
            server.proxy.sent();
            let statement = plain(INSERT);
            let done = match what {
                "statement" => connection.execute(&statement).await.map(drop),
                "stream" => connection.open(&statement).await.map(drop),
                "commit" if in_transaction => connection.commit().await,
                _ => connection.begin(&TransactionOptions::default()).await,
            };
            let error = done.unwrap_err();
            assert_eq!((error.kind(), error.code()), (ErrorKind::UniqueViolation, Some("2627")), "{what}: {error}");
            assert!(!error.is_in_doubt() && !server.was_sent(INSERT), "{what}");
            // It is told once.
            assert_eq!(works(&mut connection).await?, 500, "{what}");
            if in_transaction {
                connection.rollback().await?;
            }
        }
        // It is no one else's, nor that of a transaction that was taken back.
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
            ten(&mut connection, sql).await?;
            connection.rollback().await?;
            assert_eq!(works(&mut connection).await?, 500);
        }
        ten(&mut connection, sql).await?;
        drop(connection);
        assert!(until(HANGS, || backend.status().idle == 1).await);
        server.answer(UNREAD, numbers([1_871_513_907, 0])).await;
        assert_eq!(works(&mut backend.connect().await?).await?, 500);
    }
    // Who has given up the asking, too, is not told that all is well.
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    ten(&mut connection, WRITE).await?;
    server.answer(UNREAD, numbers([1_871_513_907, 2627]).with_delay(Duration::from_secs(60))).await;
    assert!(tokio::select! {
        _ = connection.ping() => false,
        sent = until(HANGS, || server.was_sent(UNREAD)) => sent,
    });
    let error = connection.commit().await.unwrap_err();
    assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
    connection.rollback().await?;
    server.answer(UNREAD, numbers([1_871_513_907, 0])).await;
    // Before it was asked, there is nothing lost.
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    ten(&mut connection, SLOW_WRITE).await?;
    for _ in 0..3 {
        assert!(tokio::time::timeout(Duration::from_millis(50), connection.ping()).await.is_err());
    }
    connection.rollback().await?;
    connection.begin(&TransactionOptions::default()).await?;
    ten(&mut connection, WRITE).await?;
    connection.commit().await?;
    // A read has given what was wanted of it.
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    ten(&mut connection, LONG).await?;
    assert_eq!(works(&mut connection).await?, 500);
    Ok(())
}

/// Who runs the next statement again does not run the write again.
#[tokio::test]
async fn a_write_that_failed_behind_its_rows_is_no_matter_of_the_next_statement() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    server.answer(UNREAD, numbers([1_871_513_907, 1205])).await;
    for (in_transaction, kind) in [(false, ErrorKind::Other), (true, ErrorKind::Deadlock)] {
        let mut connection = backend.connect().await?;
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        ten(&mut connection, FAILS).await?;
        if !in_transaction {
            // There is nothing to be taken back, and nothing is forgotten.
            assert_eq!(connection.rollback().await.unwrap_err().code(), None);
        }
        let error = connection.execute(&plain(INSERT)).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (kind, Some("1205")), "{error}");
    }
    Ok(())
}

/// Nobody hears of it by an error.
#[tokio::test]
async fn a_write_that_fails_behind_its_connections_back_is_warned_of() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    server.answer(UNREAD, numbers([1_871_513_907, 2627])).await;
    for sql in [FAILS, FAILS_SOON] {
        let (events, _guard) = events::capture("isogloss", Level::WARN);
        let mut connection = backend.connect().await?;
        ten(&mut connection, sql).await?;
        drop(connection);
        assert!(until(HANGS, || count(&events, "a write has failed") == 1).await, "{sql}");
    }
    Ok(())
}

#[tokio::test]
async fn rows_that_have_come_already_need_no_attention() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    server.proxy.sent();
    let first: Option<(i32, String)> = connection.fetch_first(&plain(ITEMS)).await?;
    assert!(first.is_some());
    assert_eq!(works(&mut connection).await?, 500);
    assert!(!server.was_sent("SELECT 1871513907"));
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_end_a_statement_loses_its_connection_in_time() -> Outcome {
    let server = Server::start().await?;
    let mut pool = PoolOptions::default();
    pool.grace = Duration::from_millis(200);
    let backend = SqlServerBackend::connect(server.options().pool(pool)).await?;
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(Duration::from_millis(300))).await?;
    server.proxy.hold(true);
    // Nothing comes back before the test asks for it.
    let done = tokio::time::timeout(HANGS, connection.execute(&plain(ITEMS))).await?;
    assert_eq!(done.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(connection.ping().await.unwrap_err().kind(), ErrorKind::ConnectionLost);
    drop(connection);
    server.proxy.hold(false);
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    Ok(())
}

#[tokio::test]
async fn what_is_closed_is_closed_at_once() -> Outcome {
    let server = Server::start().await?;
    let mut pool = PoolOptions::default();
    pool.grace = Duration::from_millis(200);
    let backend = SqlServerBackend::connect(server.options().pool(pool)).await?;
    for what in ["close", "statement", "stream", "script", "begin"] {
        let mut connection = backend.connect().await?;
        assert_eq!((works(&mut connection).await?, server.proxy.open()), (500, 1), "{what}");
        connection.set_statement_timeout(Some(Duration::from_millis(200))).await?;
        server.proxy.hold(what != "close");
        let statement = plain(ITEMS);
        let done = match what {
            "close" => {
                connection.close();
                connection.ping().await
            }
            "statement" => connection.execute(&statement).await.map(drop),
            "stream" => connection.open(&statement).await.map(drop),
            "script" => connection.script(ITEMS).await,
            _ => connection.begin(&TransactionOptions::default()).await,
        };
        assert!(done.is_err(), "{what}");
        let lost = connection.ping().await.unwrap_err();
        assert_eq!(lost.kind(), ErrorKind::ConnectionLost, "{what}: {lost}");
        // Its caller has it still.
        assert!(until(HANGS, || server.proxy.open() == 0).await, "{what}");
        server.proxy.hold(false);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_script_has_set_is_nobody_elses() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.script("BEGIN TRANSACTION; SET DATEFIRST 1").await?;
    assert_eq!(works(&mut connection).await?, 500);
    drop(connection);
    assert_eq!(backend.status().open, 0);
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.script("USE [other]; ROLLBACK").await?;
    server.answer("SELECT XACT_STATE()", number(0)).await;
    assert_eq!(connection.execute(&plain(INSERT)).await.unwrap_err().kind(), ErrorKind::TransactionFailed);
    drop(connection);
    assert_eq!((backend.status().open, works(&mut backend.connect().await?).await?), (0, 500));
    Ok(())
}

#[tokio::test]
async fn what_a_statement_leaves_open_is_nobody_elses() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for (sql, kept) in [
        (ITEMS, 1),
        ("/* APP=WEB */ SELECT [ID] FROM [ITEM]", 1),
        ("BEGIN TRANSACTION", 0),
        ("SELECT 1; EXEC SP_GETAPPLOCK 'a', 'Shared', 'Session'", 0),
        ("UPDATE [ITEM] SET [ID] = 1\nBEGIN TRANSACTION", 0),
    ] {
        if sql != ITEMS {
            server.answer(sql, number(0)).await;
        }
        let mut connection = backend.connect().await?;
        connection.execute(&plain(sql)).await?;
        drop(connection);
        assert_eq!(backend.status().open, kept, "{sql}");
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_that_has_just_died_is_not_given_out() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(backend.connect().await?);
    }
    drop(held);
    assert_eq!(backend.status().idle, 3);
    server.proxy.cut();
    assert!(until(HANGS, || server.proxy.open() == 0).await);
    for _ in 0..3 {
        held = vec![backend.connect().await?];
        assert_eq!(works(&mut held[0]).await?, 500);
    }
    Ok(())
}

#[tokio::test]
async fn a_commit_without_an_answer_is_in_doubt() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    server.proxy.cut_behind(0);
    let error = connection.commit().await.unwrap_err();
    assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, true));
    drop(connection);
    server.proxy.cut_behind(usize::MAX);
    // One that was never sent is not.
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    server.proxy.cut();
    assert_eq!(connection.execute(&plain(INSERT)).await.unwrap_err().kind(), ErrorKind::ConnectionLost);
    let error = connection.commit().await.unwrap_err();
    assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false));
    Ok(())
}

#[tokio::test]
async fn a_write_behind_what_has_lost_the_connection_is_in_no_doubt() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for what in ["commit", "stream", "a write's stream"] {
        let mut connection = backend.connect().await?;
        if what == "commit" {
            connection.begin(&TransactionOptions::default()).await?;
            server.proxy.cut_behind(0);
            assert!(connection.commit().await.unwrap_err().is_in_doubt());
            connection.rollback().await?;
            server.proxy.cut_behind(usize::MAX);
        } else {
            let statement = plain(if what == "stream" { LONG } else { SLOW_WRITE });
            let mut rows = pin!(connection.stream::<(i32,)>(&statement).take(1));
            rows.next().await.transpose()?;
            server.proxy.cut();
            assert!(until(HANGS, || server.proxy.open() == 0).await);
        }
        let error = connection.execute(&plain(INSERT)).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{what}: {error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_script_without_an_answer_is_in_doubt_and_so_is_one_that_took_too_long() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    for in_transaction in [false, true] {
        let mut connection = backend.connect().await?;
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        server.proxy.cut_behind(0);
        let error = connection.script(INSERT).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, !in_transaction), "{error}");
        // That one is not sent.
        assert!(!connection.script(INSERT).await.unwrap_err().is_in_doubt());
        drop(connection);
        server.proxy.cut_behind(usize::MAX);
        let mut connection = backend.connect().await?;
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        connection.set_statement_timeout(Some(Duration::from_millis(100))).await?;
        let error = connection.script(SLOW).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::Timeout, !in_transaction), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn what_a_dropped_bulk_insert_has_begun_is_taken_back() -> Outcome {
    let server = Server::start().await?;
    server.answer("MERGE INTO [", number(1).with_delay(Duration::from_secs(60))).await;
    let backend = server.backend().await?;
    let item = TableDef::new("Item")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String));
    let into = Compiler::new(Catalog::builder().table(item).build()?).target(backend.dialect());
    let into = into.bulk_insert("Item", &["Name"], &[])?;
    let mut connection = backend.connect().await?;
    server.proxy.sent();
    tokio::select! {
        _ = connection.bulk_insert_keys(&into, rows([["a".into()]])) => panic!("the server has no answer yet"),
        is_sent = until(HANGS, || server.was_sent("MERGE INTO [")) => assert!(is_sent),
    }
    assert_eq!(connection.depth(), 0);
    server.proxy.sent();
    assert_eq!(works(&mut connection).await?, 500);
    assert!(server.was_sent("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"));
    assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::Other);
    // In a transaction, only what is its own.
    connection.begin(&TransactionOptions::default()).await?;
    server.proxy.sent();
    tokio::select! {
        _ = connection.bulk_insert_keys(&into, rows([["a".into()]])) => panic!("the server has no answer yet"),
        is_sent = until(HANGS, || server.was_sent("MERGE INTO [")) => assert!(is_sent),
    }
    assert_eq!(connection.depth(), 1);
    server.proxy.sent();
    connection.commit().await?;
    let sent = server.proxy.sent();
    let at = |text: &str| {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        sent.windows(text.len()).position(|window| window == text)
    };
    assert!(at("ROLLBACK TRANSACTION s1").unwrap() < at("COMMIT TRANSACTION").unwrap());
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_goes_back_to_no_savepoint_is_rolled_back() -> Outcome {
    let server = Server::start().await?;
    server.answer("ROLLBACK TRANSACTION s1", fails(3931, 16, "It cannot be rolled back to a savepoint.")).await;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.rollback().await?;
    assert!(server.was_sent("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"));
    assert_eq!(connection.execute(&plain(INSERT)).await.unwrap_err().kind(), ErrorKind::TransactionFailed);
    connection.rollback().await?;
    assert_eq!((works(&mut connection).await?, connection.depth()), (500, 0));
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_has_half_begun_is_nobody_elses() -> Outcome {
    let server = Server::start().await?;
    let begin = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION";
    server.answer(begin, fails(3908, 16, "BEGIN TRANSACTION could not be run.")).await;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    let error = connection.begin(&TransactionOptions::default().isolation(Isolation::Snapshot)).await.unwrap_err();
    assert_eq!(error.code(), Some("3908"));
    drop(connection);
    assert_eq!(backend.status().open, 0);
    Ok(())
}

#[tokio::test]
async fn a_script_whose_time_is_over_ends_at_the_server() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(Duration::from_millis(100))).await?;
    server.proxy.sent();
    assert_eq!(connection.script(SLOW).await.unwrap_err().kind(), ErrorKind::Timeout);
    assert!(server.was_interrupted());
    assert_eq!(connection.ping().await.unwrap_err().kind(), ErrorKind::ConnectionLost);
    drop(connection);
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    Ok(())
}

#[tokio::test]
async fn what_is_given_up_behind_tls_ends_as_well() -> Outcome {
    let server = Server::start_with_tls().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    for _ in 0..5 {
        ten(&mut connection, NUMBERS).await?;
        assert_eq!(works(&mut connection).await?, 500);
        let slow = plain(SLOW);
        let waits = tokio::time::timeout(Duration::from_millis(50), connection.execute(&slow)).await;
        assert!(waits.is_err());
        assert_eq!(works(&mut connection).await?, 500);
    }
    for round in 0..40 {
        let statement = plain(NUMBERS);
        let all = connection.fetch::<(i32,)>(&statement);
        let _ = tokio::time::timeout(Duration::from_micros(round * 100), all).await;
        assert_eq!(works(&mut connection).await?, 500);
    }
    assert_eq!(backend.status().open, 1);
    Ok(())
}
