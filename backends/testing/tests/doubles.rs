//! Programs that run on doubles of databases.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss::chrono::NaiveDate;
use isogloss::config::DataSourceConfig;
use isogloss::driver::{Backend, ErrorKind};
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
async fn a_connection_is_refused_and_a_statement_waits() {
    let (faulty, context) = faulty().await;
    assert_eq!(count(&context).await, 0);
    faulty.add(Fault::on_connect());
    let error = insert(&context, RetryOptions::attempts(1)).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Connect));
    faulty.add(Fault::on("COUNT").nth(2).slow(Duration::from_secs(60)));
    assert_eq!(count(&context).await, 0);
    let waited = tokio::time::timeout(Duration::from_millis(50), count(&context)).await;
    assert!(waited.is_err());
    assert_eq!(count(&context).await, 0);
}
