//! The driver beside a server that answers what it is told to.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{
    Backend, ConnectionExt, ErrorKind, Flow, Isolation, PoolOptions, Row, RowSink, TransactionOptions, rows,
};
use isogloss_sqlserver::SqlServer;
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};
use mssql_mock_tds::{ColumnDefinition, ColumnValue, MockTdsServer, QueryResponse, Row as MockRow, SqlDataType};

use crate::support::*;

#[tokio::test]
async fn rows_are_read_and_the_level_names_the_dialect() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    assert_eq!(backend.dialect().label(), "sqlserver 2019");
    assert_eq!(
        (backend.origin().system, backend.origin().port),
        ("microsoft.sql_server", Some(server.proxy.address.port()))
    );
    let mut connection = backend.connect().await?;
    let rows: Vec<(i64, Option<String>)> = connection.fetch(&plain(ITEMS)).await?;
    assert_eq!((rows.len(), rows[7].clone()), (500, (7, Some("item 7 ł".into()))));
    let first: Option<(i32, String)> = connection.fetch_first(&plain(ITEMS)).await?;
    assert_eq!(first, Some((0, "item 0 ł".into())));
    let error = connection.fetch::<(bool, String)>(&plain(ITEMS)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(works(&mut connection).await?, 500);
    connection.ping().await?;
    Ok(())
}

#[tokio::test]
async fn a_database_of_old_is_refused() -> Outcome {
    let server = Server::start().await?;
    server.answer(LEVEL, number(110)).await;
    assert_eq!(server.backend().await.unwrap_err().kind(), ErrorKind::Configuration);
    assert_eq!(SqlServer::default(), SqlServer::V2019);
    Ok(())
}

#[tokio::test]
async fn a_certificate_error_names_url_parameters() -> Outcome {
    let server = Server::start_with_tls().await?;
    let mut options = server.options();
    options.trust_certificate = false;
    let error = SqlServerBackend::connect(options).await.unwrap_err();
    let message = error.message();
    assert_eq!(error.kind(), ErrorKind::Connect, "{message}");
    assert!(
        message.contains("certificate was rejected") && message.contains("`trust_server_certificate=true`"),
        "{message}"
    );
    assert!(!message.contains("Config::"), "{message}");
    Ok(())
}

#[tokio::test]
async fn a_text_beside_a_varchar_column_is_a_varchar() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    let sql = "SELECT [ID] FROM [ITEM] WHERE [CODE] = @P1";
    connection.execute(&with(sql, "abc", DbValueType::AnsiString)).await?;
    assert!(server.was_sent("@P1 varchar(8000)"));
    connection.execute(&with(sql, "ab\u{142}", DbValueType::AnsiString)).await?;
    assert!(server.was_sent("@P1 nvarchar(4000)"));
    connection.execute(&with(sql, Value::Null, DbValueType::Guid)).await?;
    assert!(server.was_sent("@P1 uniqueidentifier"));
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_sent_is_not() -> Outcome {
    let server = Server::start().await?;
    let mut options = server.options();
    options.pool.value_bytes = 100;
    let backend = SqlServerBackend::connect(options).await?;
    let mut connection = backend.connect().await?;
    server.proxy.sent();
    let many = Parameter { value: std::borrow::Cow::Owned(1.into()), ty: None };
    let statements = [
        with("SELECT @P1", "x".repeat(101), DbValueType::String),
        with("SELECT @P1", f64::INFINITY, DbValueType::Double),
        isogloss_compiler::Compiled { params: vec![many; 2_099], ..plain("SELECT 1") },
    ];
    for statement in statements {
        let error = connection.execute(&statement).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue);
        assert_eq!(error.sql(), Some(statement.sql.as_str()));
    }
    assert!(server.proxy.sent().is_empty());
    Ok(())
}

#[tokio::test]
async fn errors_have_kinds() -> Outcome {
    let server = Server::start().await?;
    let unique = "Violation of PRIMARY KEY constraint 'PK_Item'. Cannot insert duplicate key in object 'dbo.Item'.";
    let all = [
        ("INSERT [UNIQUE]", fails(2627, 14, unique), ErrorKind::UniqueViolation, Some("PK_Item")),
        ("SELECT [NOTHING]", fails(208, 16, "Invalid object name 'NOTHING'."), ErrorKind::Syntax, None),
        ("SELECT [WRONG", fails(105, 15, "Unclosed quotation mark."), ErrorKind::Syntax, None),
        ("DELETE [DENIED]", fails(229, 14, "The DELETE permission was denied."), ErrorKind::Permission, None),
        ("UPDATE [DEAD]", fails(1205, 13, "Transaction was deadlocked."), ErrorKind::Deadlock, None),
        ("UPDATE [LOCKED]", fails(1222, 16, "Lock request time out period exceeded."), ErrorKind::Timeout, None),
    ];
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    for (sql, answer, kind, constraint) in all {
        let code = answer.terminal_error.as_ref().map(|error| error.number.to_string());
        server.answer(sql, answer).await;
        let error = connection.execute(&plain(sql)).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (kind, constraint), "{error:?}");
        assert_eq!((error.code(), error.sql()), (code.as_deref(), Some(sql)));
    }
    assert_eq!(works(&mut connection).await?, 500);
    assert_eq!(backend.status().open, 1);
    Ok(())
}

#[tokio::test]
async fn nobody_there_is_an_error_of_connecting() -> Outcome {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    drop(listener);
    let url = format!("sqlserver://sa:secret@127.0.0.1:{port}/app?encrypt=off");
    let error = SqlServerBackend::connect(SqlServerOptions::url(&url)?).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    // A server that does not speak is waited for no longer than the pool says.
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let mut options = SqlServerOptions::new("127.0.0.1", "sa", "secret");
    (options.port, options.pool.wait) = (listener.local_addr()?.port(), Duration::from_millis(200));
    let connected = tokio::time::timeout(HANGS, SqlServerBackend::connect(options)).await?;
    assert!(connected.is_err());
    Ok(())
}

#[tokio::test]
async fn a_redirected_login_goes_on_there() -> Outcome {
    let server = Server::start().await?;
    let gate = MockTdsServer::new_with_redirection("127.0.0.1:0", "127.0.0.1", server.proxy.address.port()).await?;
    let mut options = server.options();
    options.port = gate.local_addr().port();
    tokio::spawn(gate.run());
    let backend = SqlServerBackend::connect(options).await?;
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    Ok(())
}

#[tokio::test]
async fn a_statement_ends_in_time_and_its_connection_goes_on() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default().statement_timeout(Duration::from_secs(2))).await?;
    server.proxy.sent();
    let error = connection.execute(&plain(SLOW)).await.unwrap_err();
    assert_eq!((error.kind(), error.sql()), (ErrorKind::Timeout, Some(SLOW)));
    assert!(server.was_interrupted());
    assert_eq!(works(&mut connection).await?, 500);
    connection.commit().await?;
    // The limit was the transaction's.
    let waits = tokio::time::timeout(Duration::from_secs(3), connection.execute(&plain(SLOW))).await;
    assert!(waits.is_err());
    assert_eq!(works(&mut connection).await?, 500);
    drop(connection);
    assert_eq!((backend.status().open, backend.status().idle), (1, 1));
    Ok(())
}

#[tokio::test]
async fn a_thousand_dropped_futures_leave_working_connections() -> Outcome {
    let server = Server::start().await?;
    let mut options = server.options();
    options.pool.max = 8;
    let backend = Arc::new(SqlServerBackend::connect(options).await?);
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8_u64 {
        let backend = Arc::clone(&backend);
        tasks.spawn(async move {
            for round in 0..125 {
                let mut connection = backend.connect().await?;
                if round % 3 == 0 {
                    connection.begin(&TransactionOptions::default()).await?;
                }
                let statement = plain(if round % 2 == 0 { SLOW } else { ITEMS });
                let limit = Duration::from_micros((task * 131 + round * 37) % 2_000);
                let _ = tokio::time::timeout(limit, connection.execute(&statement)).await;
                // One that was answered just when it was cancelled takes its connection with it.
                match connection.ping().await {
                    Err(error) if error.kind() != ErrorKind::ConnectionLost => return Err(error),
                    _ => {}
                }
            }
            Ok::<(), isogloss_driver::Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    assert!(backend.status().open <= 8);
    Ok(())
}

struct Some20(usize);

impl RowSink for Some20 {
    fn row(&mut self, _: &dyn Row) -> isogloss_driver::Result<Flow> {
        self.0 += 1;
        Ok(if self.0.is_multiple_of(20) { Flow::Enough } else { Flow::More })
    }
}

#[tokio::test]
async fn a_cursor_gives_rows_as_they_are_asked_for() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    let statement = plain(ITEMS);
    let mut cursor = connection.open(&statement).await?;
    let mut sink: Box<dyn RowSink> = Box::new(Some20(0));
    let mut fills = 0;
    loop {
        let (back, more) = cursor.fill(sink).await?;
        sink = back;
        fills += 1;
        if !more {
            break;
        }
    }
    // The last fill found that there are no more.
    assert_eq!(fills, 26);
    drop(cursor);
    let mut cursor = connection.open(&statement).await?;
    let (_, more) = cursor.fill(Box::new(Some20(0))).await?;
    assert!(more);
    drop(cursor);
    assert_eq!(works(&mut connection).await?, 500);
    server.answer("SELECT [NOTHING]", fails(208, 16, "Invalid object name.")).await;
    let nothing = plain("SELECT [NOTHING]");
    assert_eq!(connection.open(&nothing).await.map(drop).unwrap_err().kind(), ErrorKind::Syntax);
    Ok(())
}

#[tokio::test]
async fn a_cut_connection_is_an_error_and_the_pool_heals() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    // In the middle of the rows.
    let mut connection = backend.connect().await?;
    server.proxy.cut_behind(3_000);
    let error = connection.fetch::<(i32, String)>(&plain(ITEMS)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost);
    assert_eq!(connection.ping().await.unwrap_err().kind(), ErrorKind::ConnectionLost);
    drop(connection);
    server.proxy.cut_behind(usize::MAX);
    assert_eq!(backend.status().open, 0);
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    // While nobody uses it: found out when it is taken, if it has been quiet for a while.
    server.proxy.cut();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    // In a transaction: it is gone with the connection, and rolling back is no error.
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    server.proxy.cut();
    assert_eq!(connection.execute(&plain(ITEMS)).await.unwrap_err().kind(), ErrorKind::ConnectionLost);
    connection.rollback().await?;
    Ok(())
}

#[tokio::test]
async fn transactions_are_said_in_transact_sql() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default().isolation(Isolation::Snapshot)).await?;
    assert!(server.was_sent("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION"));
    connection.begin(&TransactionOptions::default()).await?;
    assert!(server.was_sent("SAVE TRANSACTION s1"));
    connection.rollback().await?;
    assert!(server.was_sent("ROLLBACK TRANSACTION s1"));
    assert_eq!(connection.depth(), 1);
    connection.commit().await?;
    assert!(server.was_sent("COMMIT TRANSACTION; SET TRANSACTION ISOLATION LEVEL READ COMMITTED"));
    assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::Other);
    // One that only reads.
    connection.begin(&TransactionOptions::default().read_only()).await?;
    assert_eq!(works(&mut connection).await?, 500);
    for writes in ["DELETE FROM [ITEM]", "WITH x AS (SELECT 1 AS n) UPDATE [ITEM] SET [ID] = 1"] {
        assert_eq!(connection.execute(&plain(writes)).await.unwrap_err().kind(), ErrorKind::Permission);
    }
    assert_eq!(connection.script("DROP TABLE [ITEM]").await.unwrap_err().kind(), ErrorKind::Permission);
    server.proxy.sent();
    connection.commit().await?;
    assert!(server.was_sent("ROLLBACK TRANSACTION"));
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_the_server_has_rolled_back_takes_no_statements() -> Outcome {
    let server = Server::start().await?;
    server.answer("UPDATE [DEAD]", fails(1205, 13, "Transaction was deadlocked.")).await;
    server.answer("SELECT XACT_STATE()", number(0)).await;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    assert_eq!(connection.execute(&plain("UPDATE [DEAD]")).await.unwrap_err().kind(), ErrorKind::Deadlock);
    assert!(works(&mut connection).await.unwrap_err().to_string().contains("roll it back here"));
    assert!(connection.commit().await.is_err());
    connection.rollback().await?;
    assert_eq!(works(&mut connection).await?, 500);
    // A cursor may find out as well.
    connection.begin(&TransactionOptions::default()).await?;
    let dead = plain("UPDATE [DEAD]");
    assert_eq!(connection.open(&dead).await.map(drop).unwrap_err().kind(), ErrorKind::Deadlock);
    connection.begin(&TransactionOptions::default()).await.unwrap_err();
    connection.rollback().await?;
    assert_eq!((works(&mut connection).await?, connection.depth()), (500, 0));
    // One that the server still has goes on.
    server.answer("SELECT XACT_STATE()", number(1)).await;
    connection.begin(&TransactionOptions::default()).await?;
    assert_eq!(connection.execute(&dead).await.unwrap_err().kind(), ErrorKind::Deadlock);
    assert_eq!(works(&mut connection).await?, 500);
    connection.commit().await?;
    Ok(())
}

#[tokio::test]
async fn a_dropped_transaction_is_taken_back_at_once() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    let dropped = tokio::time::timeout(Duration::from_millis(20), connection.execute(&plain(SLOW))).await;
    assert!(dropped.is_err());
    drop(connection);
    assert!(until(HANGS, || server.was_sent(ABANDON)).await, "the transaction is not rolled back");
    assert_eq!(works(&mut backend.connect().await?).await?, 500);
    assert_eq!(backend.status().open, 1);
    Ok(())
}

fn items() -> TableDef {
    TableDef::new("Item")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String))
        .column(ColumnDef::new("Price", DbValueType::Decimal).nullable())
}

#[tokio::test]
async fn many_rows_are_written_in_a_transaction() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let target = Compiler::new(Catalog::builder().table(items()).build()?).target(backend.dialect());
    let into = target.bulk_insert("Item", &["Name", "Price"], &[])?;
    let row = |n: i64| [Value::from(format!("item {n}")), n.into()];
    let mut connection = backend.connect().await?;
    // Keys: in the order of the rows, and as many.
    let keys = QueryResponse::new(
        vec![ColumnDefinition::new("id", SqlDataType::BigInt)],
        (7..10).map(|id| MockRow::new(vec![ColumnValue::BigInt(id)])).collect(),
    );
    server.answer("MERGE INTO [", keys).await;
    assert_eq!(connection.bulk_insert_keys(&into, rows((0..3).map(row))).await?, [7.into(), 8.into(), 9.into()]);
    assert!(server.was_sent("COMMIT TRANSACTION"));
    let error = connection.bulk_insert_keys(&into, rows((0..4).map(row))).await.unwrap_err();
    assert!(error.to_string().contains("4 rows were written, and 3 keys came back"), "{error}");
    assert!(server.was_sent("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"));
    // The mock does not say that its columns may be written: no load is begun, and INSERTs are sent.
    let columns = [("Name", SqlDataType::NVarChar), ("Price", SqlDataType::Int)];
    let columns = columns.map(|(name, ty)| ColumnDefinition::new(name, ty)).to_vec();
    server.answer("SELECT TOP 0 [Name], [Price] FROM [Item]", QueryResponse::new(columns, Vec::new())).await;
    connection.bulk_insert(&into, rows((0..3).map(row))).await?;
    let sent = server.proxy.sent();
    let said = |text: &str| {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        sent.windows(text.len()).any(|window| window == text)
    };
    assert!(said("INSERT INTO [Item] ([Name], [Price]) VALUES (@P1, @P2), (@P3, @P4), (@P5, @P6)"));
    assert!(said("@P1 nvarchar(4000),@P2 decimal(19, 0)") && said("COMMIT TRANSACTION"));
    // A row that does not fit takes the others back.
    let wrong = (0..3).map(move |n| if n == 2 { [Value::Null, Value::Null] } else { row(n) });
    assert_eq!(connection.bulk_insert(&into, rows(wrong)).await.unwrap_err().kind(), ErrorKind::Compile);
    assert!(server.was_sent("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"));
    assert_eq!((works(&mut connection).await?, connection.depth()), (500, 0));
    Ok(())
}

#[tokio::test]
async fn a_pool_has_an_end() -> Outcome {
    let server = Server::start().await?;
    let mut pool = PoolOptions::default();
    (pool.max, pool.wait) = (1, Duration::from_secs(3));
    let backend = SqlServerBackend::connect(server.options().pool(pool)).await?;
    let held = backend.connect().await?;
    assert_eq!(backend.connect().await.unwrap_err().kind(), ErrorKind::PoolExhausted);
    drop(held);
    backend.connect().await?.ping().await?;
    Ok(())
}

#[tokio::test]
async fn a_statement_for_many_rows_is_one_batch() -> Outcome {
    let server = Server::start().await?;
    let backend = server.backend().await?;
    let mut connection = backend.connect().await?;
    // The batch comes as a call whose answer is its last number.
    server.answer("ROWCOUNT_BIG()", number(8)).await;
    let sql = "UPDATE [ITEM] SET [NAME] = @P1 WHERE [ID] = @P2 AND [NAME] <> '@P1'";
    let value =
        |value: Value, ty: DbValueType| Parameter { value: std::borrow::Cow::Owned(value), ty: Some(ty.into()) };
    let params = vec![value("".into(), DbValueType::AnsiString), value(0.into(), DbValueType::Int32)];
    let statement = isogloss_compiler::Compiled { params, ..plain(sql) };
    server.proxy.sent();
    let all = (0..8).map(|n: i64| [Value::from(if n == 5 { "ł" } else { "l" }), n.into()]);
    assert_eq!(connection.execute_many(&statement, rows(all)).await?, 8);
    let sent = server.proxy.sent();
    let count = |text: &str| times(&sent, text);
    assert_eq!((count("DECLARE @n bigint"), count("AND [NAME] <> '@P1'")), (1, 1));
    assert_eq!((count("EXEC sp_executesql @P1, @P2, "), count("EXEC sp_executesql @P1, @P3, ")), (7, 1));
    assert_eq!((count("@P1 nvarchar(4000),@P2 int"), count("@P1 varchar(8000),@P2 int")), (1, 1));
    // One row is a statement of its own.
    server.proxy.sent();
    connection.execute_many(&statement, rows([["a".into(), Value::from(1)]])).await?;
    assert!(!server.was_sent("ROWCOUNT_BIG"));
    server.answer("ROWCOUNT_BIG()", fails(2627, 14, "Violation of UNIQUE KEY constraint 'UQ'.")).await;
    let two = rows([["a".into(), Value::from(1)], ["b".into(), Value::from(2)]]);
    let error = connection.execute_many(&statement, two).await.unwrap_err();
    assert_eq!((error.kind(), error.sql()), (ErrorKind::UniqueViolation, Some(sql)));
    // Where a statement has little time, a batch has few rows. A slow machine sends the first one alone, and no matter.
    connection.set_statement_timeout(Some(Duration::from_millis(400))).await?;
    server.answer("ROWCOUNT_BIG()", number(4)).await;
    server.proxy.sent();
    let all = (0..8).map(|n: i64| [Value::from("l"), n.into()]);
    let done = connection.execute_many(&statement, rows(all)).await;
    assert!(done.map_or_else(|error| error.kind() == ErrorKind::Timeout, |count| count == 8));
    let mut sent = Vec::new();
    let is_heard = until(HANGS, || {
        sent.extend(server.proxy.sent());
        times(&sent, "DECLARE @n bigint") > 0
    });
    assert!(is_heard.await);
    assert_eq!(times(&sent, "EXEC sp_executesql @P1, @P2, "), 4 * times(&sent, "DECLARE @n bigint"));
    Ok(())
}
