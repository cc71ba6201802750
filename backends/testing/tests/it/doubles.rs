//! Programs that run on doubles of databases.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss::chrono::NaiveDate;
use isogloss::config::DataSourceConfig;
use isogloss::driver::{Backend, ConnectionExt as _, ErrorKind};
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::prelude::*;
use isogloss::provider::Given;
use isogloss::session::RetryOptions;
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss::uuid::Uuid;
use isogloss_testing::{Answers, Fault, Faulty, Recorded, Recorder};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "bills", columns = "snake_case")]
struct Bill {
    #[column(primary_key, identity)]
    id: i64,
    #[column(precision = 12, scale = 2)]
    amount: Decimal,
    due: NaiveDate,
    paid: bool,
    note: Option<String>,
    code: Uuid,
    file: Vec<u8>,
    rate: f64,
}

fn bills() -> Vec<Bill> {
    let due = NaiveDate::from_ymd_opt(2026, 2, 28).unwrap();
    let bill = |cents: i64, note: Option<&str>| Bill {
        amount: Decimal::new(cents.into(), 2).unwrap(),
        due,
        paid: cents > 200,
        note: note.map(Into::into),
        code: Uuid::from_u128(7),
        file: vec![0, 255],
        rate: 0.1,
        ..Bill::default()
    };
    vec![bill(150, None), bill(250, Some("it's")), bill(999, Some(""))]
}

async fn context(backend: Arc<dyn Backend>) -> OrmContext {
    let catalog = Catalog::builder().entity::<Bill>().build().unwrap();
    let provider = Given::new("double", backend);
    let context = OrmContext::builder().catalog(catalog).provider(provider).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "double", "given")).unwrap();
    context
}

/// An SQLite in memory that has the table.
async fn real() -> Arc<dyn Backend> {
    let backend = Arc::new(SqliteBackend::open(SqliteOptions::memory()).await.unwrap());
    context(Arc::clone(&backend) as Arc<dyn Backend>).await.sync_table("Bill", [""; 0]).await.unwrap();
    backend
}

/// What a program does: it writes in a transaction, one by one and many, reads, and streams.
async fn program(context: &OrmContext) -> OrmResult<(Vec<Bill>, Vec<Bill>, u64, usize)> {
    let session = context.create_session()?;
    let mut bills = bills();
    let written = session
        .transaction(async |tx: &Session| {
            let dao = ObjectDao::new(tx);
            dao.insert(&mut bills[0]).await?;
            dao.batch_insert(&mut bills[1..]).await?;
            bills[0].paid = true;
            dao.update(&mut bills[0]).await?;
            OrmResult::Ok(bills.clone())
        })
        .await?;
    let views = ObjectViewDao::<Bill>::new(&session);
    let read = views.search(query!(|b: Bill| b.filter(b.amount > 1).order_by(b.id))).all().await?;
    let paid = views.count(expr!(|b: Bill| b.paid)).await?;
    let streamed: Vec<Bill> = views.search(query!(|b: Bill| b.order_by(b.id))).stream().try_collect().await?;
    Ok((written, read, paid, streamed.len()))
}

#[tokio::test]
async fn what_was_recorded_is_answered_again() {
    let recorder = Recorder::new(real().await);
    let first = program(&context(Arc::new(recorder.clone())).await).await.unwrap();
    assert_eq!(first.0, first.1);
    let text = recorder.answers().to_json().unwrap();

    let double = Recorded::new(isogloss::SQLITE, Answers::from_json(&text).unwrap());
    let second = program(&context(Arc::new(double.clone())).await).await.unwrap();
    assert_eq!(second, first);
    assert!(double.unasked().is_empty(), "{:?}", double.unasked());
    let words: Vec<String> =
        double.asked().into_iter().map(|asked| asked.sql.split(' ').next().unwrap().into()).collect();
    assert_eq!((words.first().unwrap().as_str(), words[words.len() - 4].as_str()), ("BEGIN", "COMMIT"));
}

#[tokio::test]
async fn a_statement_that_is_not_recorded_is_told() {
    let sql = r#"SELECT COUNT(*) FROM "bills" "T0" WHERE "T0"."note" = ?"#;
    let answers = Answers::new().rows((sql, ["a"]), ["n"], [[1]]).rows((sql, ["a"]), ["n"], [[2]]);
    let double = Recorded::new(isogloss::SQLITE, answers);
    let context = context(Arc::new(double.clone())).await;
    let session = context.create_session().unwrap();
    let views = ObjectViewDao::<Bill>::new(&session);
    let mut counts = Vec::new();
    for _ in 0..3 {
        counts.push(views.count(expr!(|b: Bill| b.note == "a")).await.unwrap());
    }
    assert_eq!(counts, [1, 2, 2]);
    let error = views.count(expr!(|b: Bill| b.note == "b")).await.unwrap_err().to_string();
    assert!(
        error.contains("no answer is recorded for") && error.contains(r#"the text is recorded with [Text("a")]"#),
        "{error}"
    );
    let error = views.exists(()).await.unwrap_err().to_string();
    assert!(error.contains("the text is not recorded"), "{error}");
}

#[tokio::test]
async fn an_answer_may_be_an_error() {
    let delete = r#"DELETE FROM "bills" AS "T0" WHERE "T0"."id" = ?"#;
    let answers = Answers::new()
        .fails((delete, [1]), ErrorKind::ForeignKeyViolation, "it is referred to")
        .changed((delete, [2]), 1)
        .fails("COMMIT", ErrorKind::ConnectionLost, "gone");
    let context = context(Arc::new(Recorded::new(isogloss::SQLITE, answers))).await;
    let session = context.create_session().unwrap();
    let dao = ObjectDao::<Bill>::new(&session);
    let error = dao.delete_where(expr!(|b: Bill| b.id == 1)).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::ForeignKeyViolation));
    let ended = session.transaction(async |_: &Session| dao.delete_where(expr!(|b: Bill| b.id == 2)).await).await;
    assert!(ended.unwrap_err().is_in_doubt());
}

/// A context over a backend that fails as it is told.
async fn faulty() -> (Faulty, OrmContext) {
    let faulty = Faulty::new(real().await);
    let context = context(Arc::new(faulty.clone())).await;
    (faulty, context)
}

async fn count(context: &OrmContext) -> u64 {
    ObjectViewDao::<Bill>::new(&context.create_session().unwrap()).count(()).await.unwrap()
}

async fn insert(context: &OrmContext, retry: RetryOptions) -> OrmResult<bool> {
    let session = context.create_session()?;
    session.transaction_with(retry, async |tx: &Session| ObjectDao::new(tx).insert(&mut bills()[0]).await).await
}

#[tokio::test]
async fn a_conflict_is_run_again() {
    let (faulty, context) = faulty().await;
    faulty.add(Fault::on("INSERT").error(ErrorKind::Deadlock));
    faulty.add(Fault::on_commit().error(ErrorKind::SerializationFailure));
    let quick = RetryOptions::attempts(3).pauses(Duration::from_millis(1), Duration::from_millis(1));
    insert(&context, quick).await.unwrap();
    assert_eq!((faulty.left(), count(&context).await), (0, 1));

    faulty.add(Fault::on("INSERT").error(ErrorKind::Deadlock).always());
    assert_eq!(insert(&context, quick).await.unwrap_err().kind(), Some(ErrorKind::Deadlock));
    assert_eq!((faulty.left(), count(&context).await), (1, 1));
    faulty.clear();
    insert(&context, quick).await.unwrap();
}

#[tokio::test]
async fn a_commit_is_in_doubt_whether_it_was_done_or_not() {
    let (faulty, context) = faulty().await;
    let once = RetryOptions::attempts(1);
    faulty.add(Fault::on_commit().answer_lost());
    assert!(insert(&context, once).await.unwrap_err().is_in_doubt());
    assert_eq!(count(&context).await, 1);
    faulty.add(Fault::on_commit());
    assert!(insert(&context, once).await.unwrap_err().is_in_doubt());
    assert_eq!(count(&context).await, 1);
}

#[tokio::test]
async fn a_stream_ends_in_the_middle() {
    let (faulty, context) = faulty().await;
    let session = context.create_session().unwrap();
    ObjectDao::new(&session).batch_insert(&mut bills()).await.unwrap();
    faulty.add(Fault::on("ORDER BY").after_rows(2));
    let views = ObjectViewDao::<Bill>::new(&session);
    let rows: Vec<OrmResult<Bill>> = views.search(query!(|b: Bill| b.order_by(b.id))).stream().collect().await;
    assert_eq!(rows.last().unwrap().as_ref().unwrap_err().kind(), Some(ErrorKind::ConnectionLost));
    faulty.add(Fault::on("ORDER BY").after_rows(2));
    let all = views.search(query!(|b: Bill| b.order_by(b.id))).all().await;
    assert_eq!(all.unwrap_err().kind(), Some(ErrorKind::ConnectionLost));
    assert_eq!(views.search(query!(|b: Bill| b.order_by(b.id))).all().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_fault_that_has_not_happened_stays_behind_those_before_it() {
    let (faulty, context) = faulty().await;
    let session = context.create_session().unwrap();
    ObjectDao::new(&session).batch_insert(&mut bills()).await.unwrap();
    faulty.add(Fault::on("ORDER BY").nth(2).error(ErrorKind::Deadlock));
    faulty.add(Fault::on("ORDER BY").after_rows(10));
    let all = || ObjectViewDao::<Bill>::new(&session).search(query!(|b: Bill| b.order_by(b.id))).all();
    assert_eq!(all().await.unwrap().len(), 3);
    assert_eq!(faulty.left(), 2);
    assert_eq!(all().await.unwrap_err().kind(), Some(ErrorKind::Deadlock));
    assert_eq!(all().await.unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_refused_and_a_statement_waits() {
    let (faulty, context) = faulty().await;
    assert_eq!(count(&context).await, 0);
    faulty.add(Fault::on_connect());
    let error = insert(&context, RetryOptions::attempts(1)).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Connect));
    faulty.add(Fault::on("COUNT").nth(2).slow(Duration::from_secs(60)));
    assert_eq!(count(&context).await, 0);
    let waited = tokio::time::timeout(Duration::from_secs(59), count(&context)).await;
    assert!(waited.is_err() && faulty.left() == 0);
    assert_eq!(count(&context).await, 0);
}

/// What was retried on the real one is retried on its double, and ends alike.
#[tokio::test]
async fn a_retry_is_recorded_and_answered_again() {
    let faulty = Faulty::new(real().await);
    let recorder = Recorder::new(Arc::new(faulty.clone()));
    let quick = RetryOptions::attempts(3).pauses(Duration::from_millis(1), Duration::from_millis(1));
    let program = async |backend: Arc<dyn Backend>| {
        let context = context(backend).await;
        let session = context.create_session().unwrap();
        let work = async |tx: &Session| {
            let nested = tx.transaction(async |tx: &Session| ObjectDao::new(tx).insert(&mut bills()[1]).await).await;
            if let Err(error) = nested {
                assert_eq!(error.kind(), Some(ErrorKind::UniqueViolation));
            }
            ObjectDao::new(tx).insert(&mut bills()[0]).await
        };
        session.transaction_with(quick, work).await.unwrap();
        ObjectViewDao::<Bill>::new(&session).search(query!(|b: Bill| b.order_by(b.id))).all().await.unwrap()
    };
    faulty.add(Fault::on("INSERT").error(ErrorKind::UniqueViolation));
    faulty.add(Fault::on("INSERT").nth(2).error(ErrorKind::Deadlock));
    faulty.add(Fault::on_commit().error(ErrorKind::SerializationFailure));
    let first = program(Arc::new(recorder.clone())).await;
    assert_eq!((faulty.left(), first.len()), (0, 2));

    let text = recorder.answers().to_json().unwrap();
    let double = Recorded::new(isogloss::SQLITE, Answers::from_json(&text).unwrap());
    assert_eq!(program(Arc::new(double.clone())).await, first);
    assert!(double.unasked().is_empty(), "{:?}", double.unasked());
    let asked: Vec<String> = recorder.answers().exchanges().iter().map(|exchange| exchange.asked.sql.clone()).collect();
    let again: Vec<String> = double.asked().into_iter().map(|asked| asked.sql).collect();
    assert_eq!(asked, again);
    let count = |word: &str| again.iter().filter(|asked| *asked == word).count();
    assert_eq!(["BEGIN", "SAVEPOINT", "RELEASE", "COMMIT", "ROLLBACK"].map(count), [3, 3, 2, 2, 2]);
}

/// What a program asks of an error is what the real one has told.
#[tokio::test]
async fn an_error_is_recorded_whole() {
    let faulty = Faulty::new(real().await);
    let recorder = Recorder::new(Arc::new(faulty.clone()));
    let program = async |backend: &dyn Backend| {
        let mut told = Vec::new();
        for sql in ["CREATE TABLE once (n INT CONSTRAINT only UNIQUE)", "INSERT INTO once VALUES (3)"] {
            let mut connection = backend.connect().await.unwrap();
            connection.script(sql).await.unwrap();
            for statement in ["INSERT INTO once VALUES (1)", "UPDATE once SET n = n"] {
                let statement = isogloss::Compiled { sql: statement.into(), ..Default::default() };
                let error = connection.execute(&statement).await.err();
                told.push(error.map(|error| {
                    let [code, constraint, detail] =
                        [error.code(), error.constraint(), error.detail()].map(|text| text.map(ToOwned::to_owned));
                    (error.kind(), error.to_string(), code, constraint, detail, error.is_in_doubt())
                }));
            }
        }
        told
    };
    faulty.add(Fault::on("UPDATE").nth(2).answer_lost());
    let first = program(&recorder).await;
    assert!(first.iter().flatten().any(|told| told.3.is_some() && told.2.is_some()), "{first:?}");
    assert!(first.iter().flatten().any(|told| told.5), "{first:?}");
    let text = recorder.answers().to_json().unwrap();
    let double = Recorded::new(isogloss::SQLITE, Answers::from_json(&text).unwrap());
    assert_eq!(program(&double).await, first);
}

#[tokio::test]
async fn a_lost_connection_of_a_stream_is_closed() {
    let faulty = Faulty::new(real().await);
    let mut connection = faulty.connect().await.unwrap();
    let three = isogloss::Compiled { sql: "VALUES (1), (2), (3)".into(), ..Default::default() };
    faulty.add(Fault::on("VALUES").after_rows(2));
    let rows: Vec<_> = connection.stream::<(i64,)>(&three).collect().await;
    assert_eq!(rows.last().unwrap().as_ref().unwrap_err().kind(), ErrorKind::ConnectionLost);
    assert_eq!(connection.fetch::<(i64,)>(&three).await.unwrap_err().kind(), ErrorKind::ConnectionLost);
}

/// Where the rows end there, the end is what does not arrive.
#[tokio::test]
async fn a_connection_is_lost_behind_the_last_row_too() {
    let faulty = Faulty::new(real().await);
    let three = isogloss::Compiled { sql: "VALUES (1), (2), (3)".into(), ..Default::default() };
    for streams in [true, false] {
        for rows in [0, 3] {
            let mut connection = faulty.connect().await.unwrap();
            faulty.add(Fault::on("VALUES").after_rows(rows));
            let error = if streams {
                connection.stream::<(i64,)>(&three).try_collect::<Vec<_>>().await.unwrap_err()
            } else {
                connection.fetch::<(i64,)>(&three).await.unwrap_err()
            };
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{rows}");
        }
        // It waits for a query that gives so many.
        let mut connection = faulty.connect().await.unwrap();
        faulty.add(Fault::on("VALUES").after_rows(4));
        let rows = if streams {
            connection.stream::<(i64,)>(&three).try_collect::<Vec<_>>().await
        } else {
            connection.fetch::<(i64,)>(&three).await
        };
        assert_eq!((rows.unwrap().len(), faulty.left()), (3, 1));
        faulty.clear();
    }
}

/// A write that gives rows may have been done.
#[tokio::test]
async fn a_write_whose_rows_end_in_the_middle_is_in_doubt() {
    let faulty = Faulty::new(real().await);
    let sql = "INSERT INTO bills (amount, due, paid, code, file, rate) \
               VALUES (1, '2026-02-28', 0, x'00', x'00', 1), (2, '2026-02-28', 0, x'00', x'00', 1) RETURNING id";
    let insert = isogloss::Compiled { sql: sql.into(), ..Default::default() };
    for streams in [true, false] {
        let mut connection = faulty.connect().await.unwrap();
        faulty.add(Fault::on("INSERT").after_rows(1));
        let error = if streams {
            connection.stream::<(i64,)>(&insert).try_collect::<Vec<_>>().await.unwrap_err()
        } else {
            connection.fetch::<(i64,)>(&insert).await.unwrap_err()
        };
        assert!(error.is_in_doubt(), "{streams}");
    }
}

#[tokio::test]
async fn each_fault_counts_its_calls() {
    let faulty = Faulty::new(real().await);
    let mut connection = faulty.connect().await.unwrap();
    let one = isogloss::Compiled { sql: "SELECT 1".into(), ..Default::default() };
    faulty.add(Fault::on("SELECT").error(ErrorKind::Deadlock));
    faulty.add(Fault::on("SELECT").nth(2).error(ErrorKind::Timeout));
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(connection.fetch::<(i64,)>(&one).await.err().map(|error| error.kind()));
    }
    assert_eq!(kinds, [Some(ErrorKind::Deadlock), Some(ErrorKind::Timeout), None]);
}

#[tokio::test]
async fn a_savepoint_is_no_begin() {
    let (faulty, context) = faulty().await;
    let session = context.create_session().unwrap();
    let nested = async |tx: &Session| {
        ObjectDao::new(tx).insert(&mut bills()[0]).await?;
        faulty.add(Fault::on_begin());
        tx.transaction(async |tx: &Session| ObjectDao::new(tx).insert(&mut bills()[1]).await).await
    };
    session.transaction(nested).await.unwrap();
    assert_eq!((faulty.left(), count(&context).await), (1, 2));
    let error = insert(&context, RetryOptions::attempts(1)).await.unwrap_err();
    assert_eq!((error.kind(), faulty.left()), (Some(ErrorKind::ConnectionLost), 0));
}

/// It has as many connections as are asked for, so that a stream has one of its own.
#[tokio::test]
async fn a_double_has_more_than_one_connection() {
    let status = Recorded::new(isogloss::SQLITE, Answers::new()).status();
    assert!(status.max > 1 && status.open <= status.max, "{status:?}");
    let sql = r#"SELECT "T0"."id" FROM "bills" "T0""#;
    let answers = Answers::new().rows(sql, ["id"], [[1], [2]]).rows("SELECT 1", ["1"], [[1]]);
    let context = context(Arc::new(Recorded::new(isogloss::SQLITE, answers))).await;
    let session = context.create_session().unwrap();
    let read = |sql: &str| isogloss::Compiled { sql: sql.into(), ..Default::default() };
    let lease = session.lease(None, isogloss::session::Purpose::Read).await.unwrap();
    let mut rows = Box::pin(lease.into_stream::<(i64,)>(read(sql)));
    assert!(rows.next().await.unwrap().is_ok());
    let mut lease = session.lease(None, isogloss::session::Purpose::Read).await.unwrap();
    assert_eq!(lease.fetch::<(i64,)>(&read("SELECT 1")).await.unwrap(), [(1,)]);
}
