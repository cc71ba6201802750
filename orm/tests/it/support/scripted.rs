//! An engine that fails where a test says: SQLite, behind connections that fail at the n-th call of a kind.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use isogloss::config::PoolConfig;
use isogloss::driver::collation::Collations;
use isogloss::driver::ddl::Ddl;
use isogloss::driver::{
    AnyConnection, Backend, BoxFuture, Connection, Cursor, Error, ErrorKind, Origin, PoolStatus, Replication, Result,
    RowSink, RowSource, TransactionOptions,
};
use isogloss::expr::Value;
use isogloss::model::{Catalog, Collation, ColumnCollation};
use isogloss::provider::{Provider, built_in};
use isogloss::{BulkInsert, Compiled};
use tempfile::TempDir;

/// What is called, of a backend and of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Connect,
    Look,
    Execute,
    Query,
    Begin,
    Savepoint,
    Commit,
    Release,
    Rollback,
    RollbackTo,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is done.
    Refused(ErrorKind),
    /// It is done, and the answer is an error.
    Done(ErrorKind),
    /// The server has ended the connection, and taken the transaction back.
    Lost,
    /// The server has taken the transaction back, and the connection knows it, or does not.
    Ended { known: bool },
    /// There is no answer.
    Silent,
}

impl Fault {
    fn error(self) -> Error {
        let kind = match self {
            Self::Refused(kind) | Self::Done(kind) => kind,
            Self::Lost => ErrorKind::ConnectionLost,
            Self::Ended { .. } => ErrorKind::Deadlock,
            Self::Silent => ErrorKind::Timeout,
        };
        Error::new(kind, "as the script says")
    }
}

/// What was called, and what fails.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    faults: Vec<(Call, usize, Fault)>,
    /// How long who connects waits in vain, where nobody answers.
    silent: Option<Duration>,
}

/// A server whose calls a test writes down, and has fail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripted(Arc<Mutex<Script>>);

impl Scripted {
    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().expect("a script")
    }

    /// Forgets what was called, and has the n-th call of a kind fail from now on.
    pub(crate) fn fails(&self, call: Call, nth: usize, fault: Fault) {
        *self.script() = Script { faults: vec![(call, nth, fault)], ..Script::default() };
    }

    /// And another.
    pub(crate) fn fails_too(&self, call: Call, nth: usize, fault: Fault) {
        self.script().faults.push((call, nth, fault));
    }

    /// Forgets what was called, and answers nobody who connects from now on.
    pub(crate) fn falls_silent(&self, attempt: Duration) {
        *self.script() = Script { silent: Some(attempt), ..Script::default() };
    }

    /// Forgets what was called, and what fails.
    pub(crate) fn clear(&self) {
        *self.script() = Script::default();
    }

    /// How often something of the kind was called.
    pub(crate) fn count(&self, call: Call) -> usize {
        self.script().calls.iter().filter(|called| **called == call).count()
    }

    fn called(&self, call: Call) -> Option<Fault> {
        self.script().calls.push(call);
        let nth = self.count(call);
        self.script().faults.iter().find(|(kind, at, _)| *kind == call && *at == nth).map(|(.., fault)| *fault)
    }
}

/// A provider of the name `scripted`, of the servers that the connection strings `0`, `1`, .. name, each with a file.
#[derive(Debug, Clone)]
pub(crate) struct Servers {
    pub(crate) all: Vec<Scripted>,
    /// Removed with the last of those who have it.
    folder: Arc<TempDir>,
    replication: Option<Replication>,
}

/// How far a server is stands in a table, which a test writes.
const POSITIONS: Replication = Replication {
    position: "SELECT CAST(MAX(n) AS TEXT) FROM Positions",
    reached: "SELECT MAX(n) >= CAST(? AS INTEGER) FROM Positions",
};

impl Servers {
    pub(crate) fn new(test: &str, count: usize) -> Self {
        let folder = tempfile::Builder::new().prefix(&format!("isogloss_scripted_{test}_")).tempdir();
        let folder = Arc::new(folder.expect("a folder"));
        Self { all: (0..count).map(|_| Scripted::default()).collect(), folder, replication: None }
    }

    /// That tell how far they are, by a table `Positions`.
    pub(crate) fn replicated(test: &str, count: usize) -> Self {
        Self { replication: Some(POSITIONS), ..Self::new(test, count) }
    }

    /// Removes the files, which nothing else has by now.
    pub(crate) fn end(self) {
        std::fs::remove_dir_all(self.folder.path()).expect("the folder");
    }
}

impl Provider for Servers {
    fn names(&self) -> &[&str] {
        &["scripted"]
    }

    fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
        Box::pin(async move {
            let number: usize = config.connection_string.parse().expect("a number");
            let path = format!("{}?create=true", self.folder.path().join(&config.connection_string).display());
            let mut config = config.clone();
            config.connection_string = path;
            let all = built_in();
            let sqlite = all.iter().find(|provider| provider.names().contains(&"sqlite")).expect("SQLite");
            Ok(Arc::new(Server {
                script: self.all.get(number).expect("a server").clone(),
                inner: sqlite.connect(&config).await?,
                replication: self.replication,
            }) as Arc<dyn Backend>)
        })
    }
}

#[derive(Debug)]
struct Server {
    script: Scripted,
    inner: Arc<dyn Backend>,
    replication: Option<Replication>,
}

impl Backend for Server {
    fn dialect(&self) -> &dyn isogloss::dialect::Dialect {
        self.inner.dialect()
    }

    fn ddl(&self) -> &dyn Ddl {
        self.inner.ddl()
    }

    fn origin(&self) -> &Origin {
        self.inner.origin()
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        Box::pin(async move {
            if let Some(fault) = self.script.called(Call::Connect) {
                return Err(fault.error());
            }
            let silent = self.script.script().silent;
            if let Some(attempt) = silent {
                tokio::time::sleep(attempt).await;
                return Err(Fault::Silent.error());
            }
            let inner = Some(self.inner.connect().await?);
            Ok(AnyConnection::new(Faulty { script: self.script.clone(), inner, depth: 0 }))
        })
    }

    fn collations(&self) -> Option<&dyn Collations> {
        Some(self)
    }

    fn replication(&self) -> Option<Replication> {
        self.replication
    }

    fn status(&self) -> PoolStatus {
        self.inner.status()
    }
}

impl Collations for Server {
    /// All names compare without case.
    fn tell<'c>(
        &'c self,
        _: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>> {
        Box::pin(async move {
            match self.script.called(Call::Look) {
                Some(Fault::Silent) => std::future::pending().await,
                Some(fault) => return Err(fault.error()),
                None => {}
            }
            let one = |table: &str| ColumnCollation::new(None, table, "Name", Collation::loose("ci"));
            Ok(catalog.entities().map(|(_, entity)| one(&entity.table.to_string())).collect())
        })
    }
}

/// A connection that knows its depth as a driver does: by what has succeeded.
#[derive(Debug)]
struct Faulty {
    script: Scripted,
    /// There until it is lost.
    inner: Option<AnyConnection>,
    depth: u32,
}

impl Faulty {
    fn inner(&mut self) -> Result<&mut AnyConnection> {
        self.inner.as_mut().ok_or_else(|| Fault::Lost.error())
    }

    /// Does a call by `run`, unless it fails.
    async fn call<T>(&mut self, call: Call, run: impl AsyncFnOnce(&mut AnyConnection) -> Result<T>) -> Result<T> {
        let fault = self.script.called(call);
        match fault {
            None => run(self.inner()?).await,
            Some(fault) => {
                match fault {
                    Fault::Done(_) => drop(run(self.inner()?).await?),
                    Fault::Lost => self.inner = None,
                    Fault::Ended { known } => {
                        let inner = self.inner()?;
                        while inner.depth() > 0 {
                            inner.rollback().await?;
                        }
                        if known {
                            self.depth = 0;
                        }
                    }
                    Fault::Silent => std::future::pending().await,
                    Fault::Refused(_) => {}
                }
                let error = fault.error();
                let unanswered = matches!(error.kind(), ErrorKind::ConnectionLost | ErrorKind::Timeout);
                Err(if call == Call::Commit && unanswered { error.in_doubt() } else { error })
            }
        }
    }
}

/// As a server says it that has no transaction or savepoint of that depth.
fn missing(inner: &AnyConnection, depth: u32) -> Result<()> {
    match inner.depth() < depth {
        true => Err(Error::new(ErrorKind::TransactionFailed, "there is no such savepoint")),
        false => Ok(()),
    }
}

impl Connection for Faulty {
    fn close(&mut self) {
        self.inner = None;
    }

    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(self.call(Call::Execute, async move |inner: &mut AnyConnection| inner.execute(statement).await))
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(self.call(Call::Query, async move |inner: &mut AnyConnection| inner.query(statement, sink).await))
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move { self.inner()?.open(statement).await })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move { self.inner()?.execute_many(statement, rows).await })
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move { self.inner()?.bulk_insert(into, rows).await })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move { self.inner()?.bulk_insert_keys(into, rows).await })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move { self.inner()?.script(sql).await })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let call = if self.depth == 0 { Call::Begin } else { Call::Savepoint };
            self.call(call, async |inner: &mut AnyConnection| inner.begin(options).await).await?;
            self.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let depth = self.depth;
            let call = if depth == 1 { Call::Commit } else { Call::Release };
            let run = async |inner: &mut AnyConnection| {
                missing(inner, depth)?;
                // What commits the transaction releases all of its savepoints.
                while inner.depth() >= depth {
                    inner.commit().await?;
                }
                Ok(())
            };
            self.call(call, run).await?;
            self.depth -= 1;
            Ok(())
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let depth = self.depth;
            let call = if depth == 1 { Call::Rollback } else { Call::RollbackTo };
            let run = async |inner: &mut AnyConnection| {
                missing(inner, depth)?;
                while inner.depth() >= depth {
                    inner.rollback().await?;
                }
                Ok(())
            };
            self.call(call, run).await?;
            self.depth -= 1;
            Ok(())
        })
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.inner()?.set_statement_timeout(timeout).await })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.inner()?.ping().await })
    }
}
