//! What is told of statements, transactions and pools: spans and measurements.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use isogloss::config::DataSourceConfig;
use isogloss::config::ReplicaConfig;
use isogloss::driver::{ConnectionExt as _, Error, ErrorKind, TransactionOptions};
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss::session::{Purpose, RetryOptions};
use isogloss::{Compiled, OrmContext, OrmError, OrmResult, Session};
use isogloss_testkit::events;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::clock::Frozen;
use crate::support::stop::until;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

#[derive(Debug, Clone, PartialEq, Entity)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

type Told = Arc<Mutex<Vec<BTreeMap<String, String>>>>;

/// Keeps the spans with their fields, in the order in which they began; and the warnings.
#[derive(Clone, Default)]
struct Heard(Told, Told);

struct Fields<'m>(&'m mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), format!("number {value}"));
    }
}

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "isogloss" && (metadata.is_span() || *metadata.level() == tracing::Level::WARN)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        let mut spans = self.0.lock().unwrap();
        spans.push(fields);
        Id::from_u64(u64::try_from(spans.len()).unwrap())
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut spans = self.0.lock().unwrap();
        values.record(&mut Fields(&mut spans[usize::try_from(id.into_u64()).unwrap() - 1]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        self.1.lock().unwrap().push(fields);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Heard {
    /// What was heard since the last time: a line for each span, with those fields.
    fn take(&self, names: &[&str]) -> String {
        lines(&self.0, names)
    }
}

fn lines(told: &Told, names: &[&str]) -> String {
    let mut lines = String::new();
    for one in std::mem::take(&mut *told.lock().unwrap()) {
        let shown: Vec<&str> = names.iter().filter_map(|name| one.get(*name)).map(String::as_str).collect();
        writeln!(lines, "{}", shown.join(" | ")).unwrap();
    }
    lines
}

async fn notes() -> Outcome<(OrmContext, Session)> {
    // No statement counts as slow, however slow the machine is.
    let slow = Duration::from_secs(600);
    let context = OrmContext::builder().catalog(Catalog::builder().entity::<Note>().build()?).slow_statement(slow);
    let context = context.build().await?;
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    context.sync_table("Note", [""; 0]).await?;
    let session = context.create_session()?;
    Ok((context, session))
}

fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

#[tokio::test]
async fn each_call_has_a_span() -> Outcome {
    let heard = Heard::default();
    let _listens = events::listen(heard.clone());
    let (_context, session) = notes().await?;
    let opened = heard.take(&["otel.name", "db.client.connection.pool.name"]);
    assert!(opened.starts_with("wait for a connection | main\nconnect | main\n"), "{opened}");

    let dao = ObjectDao::new(&session);
    dao.insert(&mut Note { id: 1, text: "secret".into() }).await?;
    let fields = ["otel.name", "db.system.name", "db.operation.name", "db.collection.name", "db.query.text"];
    assert_eq!(
        heard.take(&fields),
        "INSERT Note | sqlite | INSERT | Note | INSERT INTO \\\"Note\\\" (\\\"Id\\\", \\\"Text\\\") VALUES (?, ?)\n"
    );

    let fields = ["otel.name", "db.operation.batch.size", "otel.status_code", "error.type", "db.response.status_code"];
    let again = session.transaction(async |tx: &Session| {
        let dao = ObjectDao::new(tx);
        dao.batch_insert(&mut [2, 3, 4].map(|id| Note { id, text: String::new() })).await?;
        dao.insert(&mut Note { id: 1, text: "again".into() }).await
    });
    again.await.unwrap_err();
    assert_eq!(
        heard.take(&fields),
        "BEGIN\nSAVEPOINT\nINSERT Note | number 3\nRELEASE\nINSERT Note | ERROR | unique_violation | 1555\nROLLBACK\n"
    );

    // A commit that fails leaves its trace.
    let mut lease = session.lease(None, Purpose::Write).await?;
    lease.execute(&plain("CREATE TABLE b (j INTEGER PRIMARY KEY)")).await?;
    lease.execute(&plain("CREATE TABLE a (i INTEGER REFERENCES b DEFERRABLE INITIALLY DEFERRED)")).await?;
    drop(lease);
    heard.take(&fields);
    session.begin(&TransactionOptions::default()).await?;
    session.lease(None, Purpose::Write).await?.execute(&plain("insert into a values (7)")).await?;
    session.commit().await.unwrap_err();
    assert_eq!(heard.take(&fields), "BEGIN\nINSERT a\nCOMMIT | ERROR | foreign_key_violation | 787\nROLLBACK\n");

    // Of a script there is a summary alone: its text may have values in it.
    session.lease(None, Purpose::Write).await?.script("CREATE TABLE c (s); INSERT INTO c VALUES ('secret')").await?;
    let told = std::mem::take(&mut *heard.0.lock().unwrap());
    let [script] = &told[..] else { panic!("{told:#?}") };
    assert_eq!(script.get("otel.name").map(String::as_str), Some("INSERT c"));
    assert!(script.values().all(|value| !value.contains("secret")), "{script:?}");

    // One that is given up says so; a stream that is dropped has just ended.
    let mut lease = session.lease(None, Purpose::Write).await?;
    let endless = plain(ENDLESS);
    assert!(tokio::time::timeout(Duration::from_millis(50), lease.execute(&endless)).await.is_err());
    assert_eq!(heard.take(&fields), "SELECT n SELECT n | ERROR | cancelled\n");
    drop(lease);
    let mut connection = session.context().data_source(None)?.backend().await?.connect().await?;
    heard.take(&fields);
    let mut stream = Box::pin(connection.stream::<(i64,)>(&endless));
    stream.next().await.ok_or("a row")??;
    drop(stream);
    assert_eq!(heard.take(&fields), "SELECT n SELECT n\n");
    Ok(())
}

/// What the recorder has, by names and labels: of histograms how many measurements.
fn measured(snapshotter: &Snapshotter) -> BTreeMap<String, f64> {
    let of = |value: DebugValue| match value {
        DebugValue::Counter(count) => count as f64,
        DebugValue::Gauge(value) => value.into_inner(),
        DebugValue::Histogram(values) => {
            assert!(values.iter().all(|seconds| seconds.into_inner() >= 0.0));
            values.len() as f64
        }
    };
    let all = snapshotter.snapshot().into_vec().into_iter();
    all.map(|(key, _, _, value)| {
        let labels: Vec<String> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        (format!("{}{{{}}}", key.key().name(), labels.join(",")), of(value))
    })
    .collect()
}

#[tokio::test]
async fn calls_and_pools_are_measured() -> Outcome {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _listens = metrics::set_default_local_recorder(&recorder);
    let (context, session) = notes().await?;
    let dao = ObjectDao::new(&session);
    for (id, fits) in [(1, true), (2, true), (1, false)] {
        assert_eq!(dao.insert(&mut Note { id, text: "secret".into() }).await.is_ok(), fits);
    }
    let view = ObjectViewDao::<Note>::new(&session);
    assert!(view.get(1).await?.is_some() && view.get(2).await?.is_some());

    let backend = context.data_source(None)?.backend().await?;
    let held = backend.connect().await?;
    let status = context.data_source(None)?.status().pool.unwrap_or_default();
    assert_eq!((status.open, status.idle, status.max, status.waiting, status.timeouts), (1, 0, 1, 0, 0));
    let in_vain = tokio::time::timeout(Duration::from_millis(20), backend.connect());
    assert!(in_vain.await.is_err());
    let now = measured(&snapshotter);
    let of_pool = |name: &str, state: &str| {
        let state = if state.is_empty() { String::new() } else { format!(",db.client.connection.state={state}") };
        now.get(&format!("{name}{{db.client.connection.pool.name=main{state}}}")).copied()
    };
    assert_eq!(of_pool("db.client.connection.count", "used"), Some(1.0), "{now:#?}");
    assert_eq!(of_pool("db.client.connection.count", "idle"), Some(0.0));
    assert_eq!(of_pool("db.client.connection.max", ""), Some(1.0));
    assert_eq!(of_pool("db.client.connection.idle.max", ""), Some(1.0));
    assert_eq!(of_pool("db.client.connection.pending_requests", ""), Some(0.0));
    // The first connection was waited for, too.
    assert_eq!(of_pool("db.client.connection.wait_time", ""), Some(2.0));
    assert_eq!(of_pool("db.client.connection.create_time", ""), Some(1.0));
    assert_eq!(now.get("isogloss.statements.kept{isogloss.data_source=main}"), Some(&1.0));
    let inserts = "db.client.operation.duration{db.system.name=sqlite,db.operation.name=INSERT,db.collection.name=Note";
    assert_eq!(now.get(&format!("{inserts}}}")), Some(&2.0));
    let failed = "error.type=unique_violation,db.response.status_code=1555";
    assert_eq!(now.get(&format!("{inserts},{failed}}}")), Some(&1.0));

    drop((held, backend));
    context.close();
    // The recorder gives what has changed since.
    let then = measured(&snapshotter);
    assert_eq!(then.get("db.client.connection.use_time{db.client.connection.pool.name=main}"), Some(&1.0), "{then:#?}");
    for (key, value) in now.iter().filter(|(key, _)| key.contains("connection.count") || key.contains("kept")) {
        assert_eq!(value + then.get(key).unwrap_or(&0.0), 0.0, "{key}");
    }
    Ok(())
}

#[tokio::test]
async fn callers_that_wait_in_vain_are_counted() -> Outcome {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _listens = metrics::set_default_local_recorder(&recorder);
    let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
    let wait = Duration::from_secs(20);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").pool_wait(wait))?;
    let clock = Frozen::new();
    let backend = context.data_source(None)?.backend().await?;
    let _held = backend.connect().await?;
    for count in 1..3_u32 {
        let source = context.data_source(None)?;
        let passes = async {
            until(|| source.status().pool.is_some_and(|pool| pool.waiting == 1)).await;
            clock.skip(wait * 2).await;
        };
        let (waited, ()) = tokio::join!(backend.connect(), passes);
        assert_eq!(waited.map(drop).unwrap_err().kind(), ErrorKind::PoolExhausted);
        let told = measured(&snapshotter);
        let counted = told.get("db.client.connection.timeouts{db.client.connection.pool.name=main}");
        assert_eq!(counted, Some(&1.0), "{told:#?}");
        assert_eq!(context.data_source(None)?.status().pool.map(|pool| pool.timeouts), Some(count.into()));
    }
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_is_run_again_is_told() -> Outcome {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _measures = metrics::set_default_local_recorder(&recorder);
    let heard = Heard::default();
    let _listens = events::listen(heard.clone());
    let (_context, session) = notes().await?;
    let attempts = std::cell::Cell::new(0);
    let options = RetryOptions::attempts(5).pauses(Duration::from_millis(1), Duration::from_millis(1));
    let done = session.transaction_with(options, async |_: &Session| {
        attempts.set(attempts.get() + 1);
        match attempts.get() {
            1 => Err(OrmError::from(Error::new(ErrorKind::Deadlock, "chosen")).at("main")),
            2 => Err(OrmError::from(Error::new(ErrorKind::SerializationFailure, "late")).at("main")),
            _ => OrmResult::Ok(()),
        }
    });
    done.await?;
    assert_eq!(
        lines(&heard.1, &["message", "data_source", "error.type", "attempt"]),
        "a transaction is run again | main | deadlock | number 1\n\
         a transaction is run again | main | serialization_failure | number 2\n"
    );
    let told = measured(&snapshotter);
    for kind in ["deadlock", "serialization_failure"] {
        let key = format!("isogloss.transaction.retries{{isogloss.data_source=main,error.type={kind}}}");
        assert_eq!(told.get(&key), Some(&1.0), "{told:#?}");
    }
    Ok(())
}

#[tokio::test]
async fn replicas_that_are_up_are_measured() -> Outcome {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _listens = metrics::set_default_local_recorder(&recorder);
    let place = tempfile::tempdir()?;
    let folder = place.path().join("later");
    let pause = Duration::from_millis(1);
    let catalog = Catalog::builder().entity::<Note>().build()?;
    let context = OrmContext::builder().catalog(catalog).replica_pause(pause, pause).build().await?;
    let replica = format!("{}?create=true", folder.join("copy").display());
    let source = DataSourceConfig::new("main", "sqlite", ":memory:");
    context.add_data_source(source.replica(ReplicaConfig::new().connection_string(replica)))?;
    let up = || measured(&snapshotter).get("isogloss.replicas.up{isogloss.data_source=main}").copied();
    context.connect_all().await?;
    assert_eq!(up(), Some(0.0));
    std::fs::create_dir(&folder)?;
    tokio::time::sleep(Duration::from_millis(10)).await;
    let session = context.create_session()?;
    assert_eq!(session.lease(None, Purpose::Read).await?.replica(), Some(0));
    assert_eq!(up(), Some(1.0));
    context.close();
    Ok(())
}
