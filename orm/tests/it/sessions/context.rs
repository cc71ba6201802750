//! Contexts: what can be wrong with their sources, and what they never tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use isogloss::config::{ConfigError, DataSourceConfig, OrmConfig, PoolConfig, ReplicaConfig};
use isogloss::dialect::Dialect as _;
use isogloss::driver::{Backend, BoxFuture, ErrorKind, TransactionOptions};
use isogloss::expr::{DbValueType, sql};
use isogloss::model::{ColumnDef, TableDef};
use isogloss::prelude::*;
use isogloss::provider::Provider;
use isogloss::session::{Purpose, SessionError};
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss::{FragmentContext, Orm, OrmContext, OrmError, OrmResult, Registry, SQLITE, Session};
use isogloss_testkit::events;
use tokio::sync::Semaphore;
use tracing::Level;

use crate::sessions::place::{Engine, each};
use crate::sessions::{Bank, Outcome, catalog, create};

fn memory(name: &str) -> DataSourceConfig {
    DataSourceConfig::new(name, "sqlite", ":memory:")
}

fn wrong<T: std::fmt::Debug>(result: Result<T, OrmError>) -> ConfigError {
    match result {
        Err(OrmError::Config(error)) => *error,
        other => panic!("an error of the configuration is expected, not {other:?}"),
    }
}

/// What the configuration says of a pooler takes precedence over the connection string.
#[tokio::test]
async fn behind_a_pooler_nothing_is_left_in_a_session() -> Outcome {
    each("pooled", async |place| {
        if place.engine != Engine::Postgres {
            return Ok(());
        }
        for (url, said, pooled) in [("", None, false), ("", Some(true), true), ("?pooled=true", Some(false), false)] {
            let context = OrmContext::new(catalog());
            let mut source = DataSourceConfig::new("main", "postgres", format!("{}{url}", place.url));
            source.pooled = said;
            context.add_data_source(source)?;
            let mut lease = context.create_session()?.lease(None, Purpose::Write).await?;
            let set = lease.script("SET work_mem = '8MB'").await;
            let refused = set.as_ref().is_err_and(|error| error.kind() == Some(ErrorKind::Configuration));
            assert_eq!((set.is_ok(), refused), (!pooled, pooled), "{url} {said:?}: {set:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn sources_are_checked() -> Outcome {
    let context = OrmContext::new(catalog());
    assert_eq!(wrong(context.create_session()), ConfigError::NoDataSource);
    assert_eq!(wrong(context.add_data_source(memory(" "))), ConfigError::EmptyName);
    context.add_data_source(memory("main"))?;
    let twice = wrong(context.add_data_source(memory("MAIN")));
    assert_eq!(twice, ConfigError::DuplicateName { name: "MAIN".into() });
    let unknown = wrong(context.add_data_source(DataSourceConfig::new("x", "dbase", "x.dbf")));
    assert!(
        unknown.to_string().starts_with("data source `x`: `dbase` is no provider: the providers are "),
        "{unknown}"
    );
    assert!(unknown.to_string().contains("sqlite"), "{unknown}");
    let none = wrong(context.add_data_source(DataSourceConfig::new("x", "", "x")));
    assert!(matches!(none, ConfigError::NoProvider { .. }));
    let nowhere = wrong(context.add_data_source(DataSourceConfig::new("x", "sqlite", "")));
    assert_eq!(nowhere, ConfigError::NoConnectionString { name: "x".into() });
    let narrow = wrong(context.add_data_source(memory("x").max_pool_size(0)));
    assert_eq!(narrow, ConfigError::NoConnections { name: "x".into() });
    let pooled = wrong(context.add_data_source(memory("x").pooled(true)));
    assert_eq!(pooled, ConfigError::NotPooled { name: "x".into(), provider: "sqlite".into() });
    let builder = wrong(context.add_data_source(memory("x").sql_builder("cobol")));
    assert!(builder.to_string().starts_with("data source `x`: `cobol` is no dialect: the dialects are "), "{builder}");

    assert_eq!(context.default_data_source_name().as_deref(), Some("main"));
    context.add_default_data_source(memory("other"))?;
    assert_eq!(context.default_data_source_name().as_deref(), Some("other"));
    assert_eq!(context.data_sources().len(), 2);
    let session = context.create_session()?;
    assert_eq!(wrong(context.add_data_source(memory("late"))), ConfigError::Sealed { name: "late".into() });
    let lease = session.lease(Some("third"), Purpose::Read).await.map(drop);
    let expected = ConfigError::UnknownDataSource { name: "third".into(), known: vec!["main".into(), "other".into()] };
    assert_eq!(wrong(lease), expected);

    context.close();
    let closed = session.lease(None, Purpose::Read).await.map(drop);
    assert!(matches!(closed, Err(OrmError::Session(SessionError::Closed))));
    assert!(context.create_session().is_err());
    Ok(())
}

/// A shutdown lets a transaction and a stream come to their ends, and nothing new begin.
#[tokio::test]
async fn what_is_under_way_comes_to_its_end() -> Outcome {
    each("drained", async |place| {
        let context = place.context().await?;
        let (session, idle) = (context.create_session()?, context.create_session()?);
        context.ping().await?;
        session.begin(&TransactionOptions::default()).await?;
        Bank(&session, None).open(1, 5).await?;

        let early = context.close_and_wait(Duration::from_millis(20)).await.unwrap_err();
        assert_eq!(
            early.to_string(),
            "the context is closed, and after 20ms still under way: 1 transaction(s), 0 other operation(s)"
        );
        let closed = |done: OrmResult<()>| assert!(matches!(done, Err(OrmError::Session(SessionError::Closed))));
        closed(idle.lease(None, Purpose::Read).await.map(drop));
        closed(idle.begin(&TransactionOptions::default()).await);

        // The transaction has its connection, and ends as ever.
        let waits = tokio::spawn({
            let context = context.clone();
            async move { context.close_and_wait(Duration::from_secs(600)).await }
        });
        session.transaction(async |tx: &Session| Bank(tx, None).add(1, 1).await).await?;
        assert_eq!(Bank(&session, None).money(1).await?, Some(6));
        tokio::task::yield_now().await;
        assert!(!waits.is_finished());
        session.commit().await?;
        waits.await??;
        closed(session.lease(None, Purpose::Read).await.map(drop));
        closed(session.begin(&TransactionOptions::default()).await);
        if !place.is_memory() {
            let again = place.reopened()?;
            assert_eq!(Bank(&again.create_session()?, None).money(1).await?, Some(6));
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn readiness_is_asked_of_the_servers() -> Outcome {
    let context = OrmContext::new(catalog());
    context.add_data_source(memory("main"))?;
    context.ping().await?;
    let nowhere = DataSourceConfig::new("far", "postgres", "postgres://app@127.0.0.1:9/app");
    context.add_data_source(nowhere.connect_timeout(Duration::from_secs(60)))?;
    let error = context.ping().await.unwrap_err();
    assert_eq!((error.data_source(), error.kind()), (Some("far"), Some(ErrorKind::Connect)), "{error}");
    context.data_source("main")?.ping().await?;
    Ok(())
}

#[tokio::test]
async fn a_configuration_is_checked() -> Outcome {
    let build = async |text: &str| {
        let config = OrmConfig::from_json(text)?;
        Orm::builder().catalog(catalog()).config(config).build().await
    };
    let source = r#"{"Name": "main", "Provider": "SQLite", "ConnectionString": ":memory:"}"#;
    let orm = build(&format!(r#"{{"Default": "Main", "DataSources": [{source}]}}"#)).await?;
    assert_eq!(orm.default_data_source_name().as_deref(), Some("main"));
    orm.connect_all().await?;
    orm.create_session()?;

    assert_eq!(wrong(build(r#"{"Default": "main"}"#).await), ConfigError::NoDataSource);
    let only = build(&format!(r#"{{"DataSources": [{source}]}}"#)).await?;
    assert_eq!(only.default_data_source_name().as_deref(), Some("main"));
    only.create_session()?;
    let other = source.replace("main", "other");
    assert_eq!(wrong(build(&format!(r#"{{"DataSources": [{source}, {other}]}}"#)).await), ConfigError::NoDefault);
    let error = wrong(build(&format!(r#"{{"Default": "x", "DataSources": [{source}]}}"#)).await);
    assert_eq!(error.to_string(), "the default is `x`, and the data sources are main");

    let elsewhere = TableDef::new("A").data_source("b").column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
    let context = OrmContext::new(Catalog::builder().table(elsewhere).build()?);
    context.add_data_source(memory("main"))?;
    let error = wrong(context.create_session());
    assert_eq!(error.to_string(), "entity `A` is of data source `b`, and the data sources are main");
    Ok(())
}

/// A database in memory, whatever the connection string is.
#[derive(Debug)]
struct Fresh;

impl Provider for Fresh {
    fn names(&self) -> &[&str] {
        &["fresh"]
    }

    fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, isogloss::driver::Result<Arc<dyn Backend>>> {
        Box::pin(async move {
            let options = SqliteOptions::memory().pool(config.options());
            Ok(Arc::new(SqliteBackend::open(options).await?) as Arc<dyn Backend>)
        })
    }
}

/// A server that is away. An attempt ends when the test lets it.
#[derive(Debug, Clone)]
struct Away {
    attempts: Arc<AtomicUsize>,
    may_end: Arc<Semaphore>,
}

impl Provider for Away {
    fn names(&self) -> &[&str] {
        &["away"]
    }

    fn connect<'a>(&'a self, _: &'a PoolConfig) -> BoxFuture<'a, isogloss::driver::Result<Arc<dyn Backend>>> {
        Box::pin(async move {
            self.attempts.fetch_add(1, Ordering::Relaxed);
            self.may_end.acquire().await.expect("it is open").forget();
            Err(isogloss::driver::Error::new(ErrorKind::Connect, "nobody is there"))
        })
    }
}

/// They wait for one attempt together, and not each for its own behind those of the others.
#[tokio::test]
async fn many_wait_once_for_a_server_that_is_away() -> Outcome {
    let away = Away { attempts: Arc::default(), may_end: Arc::new(Semaphore::new(0)) };
    let context = Orm::builder().catalog(catalog()).provider(away.clone()).build().await?;
    context.add_data_source(DataSourceConfig::new("main", "away", "x"))?;
    let source = context.data_source(None)?;
    let all_wait = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        away.may_end.add_permits(50);
    };
    let (all, ()) = tokio::join!(futures_util::future::join_all((0..50).map(|_| source.ping())), all_wait);
    for done in all {
        assert_eq!(done.unwrap_err().kind(), Some(ErrorKind::Connect));
    }
    assert_eq!(away.attempts.load(Ordering::Relaxed), 1);
    // A later caller tries again.
    assert!(source.ping().await.is_err());
    assert_eq!(away.attempts.load(Ordering::Relaxed), 2);
    Ok(())
}

#[tokio::test]
async fn a_builder_keeps_all_that_it_is_given() -> Outcome {
    let mut registry = Registry::default();
    registry.fragment("rich", |cx: &mut FragmentContext<'_, '_>, least| {
        cx.column("Money")?;
        cx.text(" >= ");
        cx.bind(least.clone());
        Ok(())
    });
    let source = r#"{"DataSources": [{"Name": "main", "Provider": "fresh", "ConnectionString": "x"}]}"#;
    let old = isogloss::sqlite::Sqlite::V3_35;
    let context = Orm::builder()
        .stack_parameters()
        .provider(Fresh)
        .sql_builder("main", &old)
        .catalog(catalog())
        .registry(registry)
        .config(OrmConfig::from_json(source)?)
        .replica_pause(Duration::from_millis(1), Duration::from_millis(2))
        .slow_statement(Duration::from_secs(60))
        .lease_wait(Duration::from_secs(60))
        .connect_all()
        .build()
        .await?;
    create(&context, "main").await?;
    let session = context.create_session()?;
    let bank = Bank(&session, None);
    bank.open(1, 10).await?;
    bank.open(2, 20).await?;
    let mut lease = session.lease(None, Purpose::Read).await?;
    assert_eq!(lease.target().version(), old.version());
    let target = Arc::clone(lease.target());
    let query = from("Account").filter(sql("rich", 15)).select(["Id"]).into_segment();
    let rows = lease.fetch::<(i32,)>(&target.compile(&query)?).await?;
    assert_eq!(rows, [(2,)]);
    drop(lease);
    let stack = session.sql_stack();
    assert!(stack.iter().any(|sql| sql.contains("15")), "{stack:?}");
    Ok(())
}

#[tokio::test]
async fn a_limit_of_parameters_is_no_more_than_the_engine_s() -> Outcome {
    let context = OrmContext::new(catalog());
    for (name, limit) in [("own", 0), ("some", 7), ("all", usize::MAX)] {
        context.add_data_source(memory(name).param_count_limit(limit))?;
    }
    let engine = SQLITE.sheet().limits.parameters;
    for (name, limit) in [("own", engine), ("some", 7), ("all", engine)] {
        assert_eq!(context.data_source(name)?.param_limit().await?, limit, "{name}");
    }
    Ok(())
}

#[tokio::test]
async fn nothing_tells_a_connection_string() -> Outcome {
    let secret = "postgres://app:s3cret@127.0.0.1:1/shop";
    let config = DataSourceConfig::new("main", "sqlite", secret)
        .replica(ReplicaConfig::new().connection_string(format!("{secret}2")));
    let context = OrmContext::new(catalog());
    context.add_data_source(config)?;
    let session = context.create_session()?;
    let mut said = format!("{context:?} {session:?} {:?}", context.data_sources());
    for purpose in [Purpose::Read, Purpose::Write] {
        let error = session.lease(None, purpose).await.map(drop).unwrap_err();
        said.push_str(&format!("{error} {error:?}"));
    }
    assert!(!said.contains("s3cret") && said.contains("main"), "{said}");
    Ok(())
}

#[tokio::test]
async fn the_current_session_is_that_of_the_scope() -> Outcome {
    let context = OrmContext::new(catalog());
    context.add_data_source(memory("main"))?;
    let (outer, inner) = (context.create_session()?, context.create_session()?);
    let none = Session::current().map(drop).unwrap_err();
    assert!(matches!(none, OrmError::Session(SessionError::NoCurrent)));
    let spawned = outer
        .scope(async {
            assert!(Session::current()?.is(&outer));
            inner.scope(async { Session::current().map(|current| assert!(current.is(&inner))) }).await?;
            tokio::task::yield_now().await;
            assert!(Session::current()?.is(&outer));
            // Another task has none, unless it is given one.
            let given = Session::current()?;
            let own = tokio::spawn(async move { given.scope(async { Session::current().map(|s| s.id()) }).await });
            assert_eq!(own.await??, outer.id());
            Outcome::Ok(tokio::spawn(async { Session::current().is_err() }).await?)
        })
        .await?;
    assert!(spawned);
    // Two at the same time do not see each other's.
    let (a, b) = tokio::join!(
        outer.scope(async {
            tokio::task::yield_now().await;
            Session::current().map(|s| s.id())
        }),
        inner.scope(async { Session::current().map(|s| s.id()) }),
    );
    assert_eq!((a?, b?), (outer.id(), inner.id()));
    Ok(())
}

#[tokio::test]
async fn slow_statements_are_logged_without_values() -> Outcome {
    let (heard, _listens) = events::capture("isogloss", Level::WARN);
    for (slow, logged) in [(Duration::ZERO, true), (Duration::from_secs(600), false)] {
        let context = Orm::builder().catalog(catalog()).slow_statement(slow).build().await?;
        context.add_data_source(memory("main"))?;
        create(&context, "main").await?;
        Bank(&context.create_session()?, None).open(1, 987_654).await?;
        let said = heard.take_text();
        assert_eq!(said.contains("slow statement"), logged, "{said}");
        assert_eq!(said.contains("data_source=main") && said.contains("INSERT INTO"), logged, "{said}");
        assert!(!said.contains("987654"), "{said}");
    }
    Ok(())
}
