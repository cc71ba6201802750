//! One session at a server: what the pool holds of a connection.

use std::fmt::{self, Write as _};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::dial::{Address, Dialer, Wire, addresses};
use super::error::{connecting, ends_session, error, is_unanswered};
use super::limit::{Change, Limit, number};
use super::options::PostgresOptions;
use super::product::{ANSWERS, ASKED, Product, refused, unfit, unfit_host};
use super::relay::Relay;
use super::statements::{Statements, TableChanges};
use super::typed::Strange;

/// What the dialect's texts reckon with.
const SETTINGS: &str = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; \
                        SET standard_conforming_strings = on; SET extra_float_digits = 1";

/// Those that a pooler sees to, when they go with the login.
const PARAMETERS: &[(&str, &str)] =
    &[("TimeZone", "UTC"), ("DateStyle", "ISO, YMD"), ("standard_conforming_strings", "on")];

/// All of them by their names, and what they are behind a pooler.
const CHECKED: [(&str, &str); 5] = [
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "postgres"),
    ("standard_conforming_strings", "on"),
    ("extra_float_digits", "1"),
];

/// Those that no pooler sees to.
const LOCAL_SETTINGS: &str = "SET LOCAL IntervalStyle = 'postgres'; SET LOCAL extra_float_digits = 1";

/// What CockroachDB needs beside those: NULLs where PostgreSQL has them in an order, and FOR SHARE that locks in a transaction
/// which is SERIALIZABLE, as its transactions are unless told otherwise.
const COCKROACHDB_SETTINGS: &str = "SET null_ordered_last = on; SET enable_shared_locking_for_serializable = on";

/// The settings of CockroachDB that a pooler has to keep, by their names.
const COCKROACHDB_CHECKED: [&str; 2] = ["null_ordered_last", "enable_shared_locking_for_serializable"];

/// What takes back what a text may have done to a session of CockroachDB. It listens to nothing, and has no locks of a session.
/// Statements that are kept cannot be told apart from those of the protocol when they are thrown away: where there are some, the
/// division fails, and with it the session is closed.
const COCKROACHDB_RESET: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DISCARD TEMP; DISCARD SEQUENCES; \
                                 SELECT 1 / (SELECT CASE WHEN COUNT(*) = 0 THEN 1 ELSE 0 END \
                                 FROM pg_prepared_statements WHERE from_sql)";

/// What takes back all that a text may have done to its session, but for the statements that are kept: those of the
/// protocol.
const RESET: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; \
                     SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; \
                     DO $$ DECLARE own text; BEGIN \
                     FOR own IN SELECT name FROM pg_prepared_statements WHERE from_sql LOOP \
                     EXECUTE format('DEALLOCATE %I', own); END LOOP; END $$";

/// What keeps a transaction from a stream that is given up in it, which is cancelled. Each has a name of its own: behind an
/// error that has ended the transaction, going back to the savepoint of an earlier stream would wake it.
pub(super) fn savepoint(stream: u64) -> String {
    format!("SAVEPOINT isogloss_stream_{stream}")
}

fn release(stream: u64) -> String {
    format!("RELEASE isogloss_stream_{stream}")
}

fn back(stream: u64) -> String {
    format!("ROLLBACK TO isogloss_stream_{stream}; {}", release(stream))
}

/// How long the rest of such a stream is read, before it is cancelled.
const REST: Duration = Duration::from_millis(5);

/// How long the end of a statement that was cancelled is waited for, before it is cancelled again: at first, since a request
/// may come before its statement; and each time twice as long.
const PATIENCE: Duration = Duration::from_millis(50);
const ATTEMPTS: u32 = 8;

/// How long a request to cancel may take.
const REQUEST: Duration = Duration::from_secs(5);

/// How long it may take in all to take back what a task has left.
const CLEANING: Duration = Duration::from_secs(15);

/// A session.
pub(super) struct Session {
    pub(super) client: Arc<Client>,
    pub(super) line: Line,
    pub(super) statements: Statements,
    pub(super) product: Product,
    pub(super) value_bytes: usize,
    /// How many transactions and savepoints are open.
    pub(super) depth: u32,
    /// Whether something in the transaction went wrong, so that the server may have ended it.
    pub(super) suspect: bool,
    /// Whether there are settings that the next task must not find.
    pub(super) changed: bool,
    /// Whether a text may have begun a transaction.
    pub(super) begun: bool,
    /// Whether a text may have ended the transaction, which is to be looked at.
    pub(super) ends: bool,
    /// Whether the transaction is over on the server: by a COMMIT that failed, or by a text.
    pub(super) over: bool,
    /// Whether a transaction of the driver's own is open: that of many rows.
    pub(super) half: bool,
    pub(super) limit: Limit,
    /// Behind a pooler, which gives its sessions to others, too: what is known of types.
    pub(super) pooled: Option<Arc<Strange>>,
}

/// The way to the server, and what may be left lying on it.
pub(super) struct Line {
    address: Address,
    dialer: Arc<Dialer>,
    client: Arc<Client>,
    runtime: Handle,
    /// The task that reads and writes.
    task: AbortHandle,
    /// A statement that was given up is being cancelled.
    pub(super) cancelling: Option<JoinHandle<bool>>,
    /// How many streams have had a savepoint.
    streams: u64,
    /// The one that has ended, and has left its savepoint.
    savepoint: Option<u64>,
    /// Nobody knows what state the session is in.
    lost: bool,
    /// A COMMIT is under way, or was given up.
    pub(super) committing: bool,
    /// A task closes the session, when the server has been asked to end what runs there.
    closing: bool,
}

/// What becomes of the session if a future is dropped while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The statement is cancelled.
    Cancel,
    /// It is a stream behind its [`savepoint`]: it is cancelled, and its transaction goes on.
    Back(u64),
    /// The session is closed: whether a transaction is open is not known.
    Close,
}

/// A statement is under way. Dropped before [`end`](Self::end), it is given up.
pub(super) struct Running<'l>(Option<(&'l mut Line, Fate)>);

impl Running<'_> {
    /// The server has answered.
    pub(super) fn end(mut self) {
        if let Some((line, Fate::Back(stream))) = self.0.take() {
            line.savepoint = Some(stream);
        }
    }

    /// It has answered by an error. A session that it has ended is not given to anybody else: that it is gone may be read
    /// later than that.
    pub(super) fn end_by(mut self, found: &Error) {
        let Some((line, fate)) = self.0.take() else { return };
        if ends_session(found) {
            line.close();
        } else if matches!(fate, Fate::Back(_)) && found.code().is_none() {
            // What the driver itself refuses leaves the transaction as it is, with the savepoint.
            line.give_up(fate);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some((line, fate)) = self.0.take() {
            line.give_up(fate);
        }
    }
}

impl Line {
    pub(super) fn start(&mut self, fate: Fate) -> Running<'_> {
        Running(Some((self, fate)))
    }

    /// The number of the next stream that has a savepoint.
    pub(super) fn next_stream(&mut self) -> u64 {
        self.streams += 1;
        self.streams
    }

    fn give_up(&mut self, fate: Fate) {
        self.lost |= fate == Fate::Close;
        self.closing |= self.lost;
        let client = Arc::clone(&self.client);
        let cancel = cancelled(Arc::clone(&self.dialer), self.address.clone(), Arc::clone(&client));
        let (task, close) = (self.task.clone(), self.lost);
        self.cancelling = Some(self.runtime.spawn(async move {
            let done = match fate {
                Fate::Back(stream) => taken_back(&client, stream, cancel).await,
                Fate::Cancel | Fate::Close => cancel.await,
            };
            if close || !done {
                task.abort();
            }
            done
        }));
    }

    /// Waits until the server has cancelled what was given up. Where the session is closed, nobody waits.
    async fn settle(&mut self) -> Result<()> {
        if !self.lost
            && let Some(cancelling) = &mut self.cancelling
        {
            let done = cancelling.await;
            self.cancelling = None;
            self.lost |= !matches!(done, Ok(true));
        }
        if self.lost {
            return Err(Error::new(
                ErrorKind::ConnectionLost,
                "the connection was closed with what was given up on it",
            ));
        }
        Ok(())
    }

    /// Closes the session, when what runs there was ended: a server does not look at a connection meanwhile, and a pooler
    /// finds what is to be ended by the connection. Of many statements that are under way, each is cancelled when it begins.
    pub(super) fn close_running(&mut self) {
        (self.lost, self.closing) = (true, true);
        let under_way = self.cancelling.take();
        let cancel = cancelled(Arc::clone(&self.dialer), self.address.clone(), Arc::clone(&self.client));
        let task = self.task.clone();
        self.runtime.spawn(async move {
            let ended = async {
                match under_way {
                    Some(cancelling) => cancelling.await.unwrap_or(false),
                    None => cancel.await,
                }
            };
            let _ = tokio::time::timeout(REQUEST, ended).await;
            task.abort();
        });
    }

    /// Closes the session without a farewell.
    pub(super) fn close(&mut self) {
        self.lost = true;
        if !self.closing {
            self.task.abort();
        }
    }
}

/// Cancels what a session runs. Whether it has ended, and nothing can be cancelled by it any more.
///
/// A request that comes before its statement is lost on the server: so it is made until the statement has ended.
async fn cancelled(dialer: Arc<Dialer>, address: Address, client: Arc<Client>) -> bool {
    let token = client.cancel_token();
    for attempt in 0..ATTEMPTS {
        // One that is given up half way might cancel what comes next.
        let asked = tokio::time::timeout(REQUEST, dialer.cancel(&address, &token)).await;
        if !matches!(asked, Ok(Ok(()))) {
            return false;
        }
        let ended = tokio::time::timeout(PATIENCE * 2_u32.pow(attempt), client.check_connection()).await;
        if let Ok(ended) = ended {
            return ended.is_ok();
        }
    }
    false
}

/// Ends a stream that nobody reads any more, and leaves its transaction as it is. Whether it has ended.
///
/// A short rest is read. Where it was cancelled in time, or has failed, it is taken back.
async fn taken_back(client: &Client, stream: u64, cancel: impl Future<Output = bool>) -> bool {
    let has_ended = tokio::time::timeout(REST, client.check_connection()).await.is_ok();
    if !has_ended && !cancel.await {
        return false;
    }
    // Only behind an error it fails. There is no savepoint in a transaction that was over before; its COMMIT tells.
    if client.batch_execute(&release(stream)).await.is_err() {
        let _ = client.batch_execute(&back(stream)).await;
    }
    true
}

impl Session {
    /// Opens one at the first host that takes it. Each has the time of `connect_timeout`, and so has each of its addresses that
    /// answers and refuses the login.
    ///
    /// # Errors
    /// Those of the last one.
    pub(super) async fn open(
        options: &PostgresOptions,
        dialer: &Arc<Dialer>,
        strange: &Arc<Strange>,
        changes: &TableChanges,
    ) -> Result<Self> {
        if options.pooled && options.settings.is_some() {
            let message = "a pooler keeps no `options` for a program: say ALTER ROLE .. SET in their place";
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let mut failed = Error::new(ErrorKind::Configuration, "there is no host to connect to");
        for (host, port) in &options.hosts {
            if let Some(reason) = unfit_host(host) {
                return Err(refused(reason));
            }
            let place = || format!("{host}:{port}");
            let refused = |found: io::Error| Error::new(ErrorKind::Connect, found.to_string()).with_source(found);
            let late = || refused(io::Error::new(io::ErrorKind::TimedOut, "the server did not answer in time"));
            let mut left = addresses(host, *port).await.unwrap_or_else(|error| {
                failed = refused(error).at(place());
                Vec::new()
            });
            // A server that answers may refuse the login where another one does not.
            while !left.is_empty() {
                let mut reached = None;
                let begun = async {
                    let (address, wire) = dialer.reach(&left).await.map_err(refused)?;
                    reached = Some(address.clone());
                    Self::begin(options, dialer, (strange, changes), address, wire).await
                };
                match tokio::time::timeout(options.pool.connect_timeout, begun).await {
                    Ok(Ok(session)) => return Ok(session),
                    Ok(Err(found)) => failed = found.at(place()),
                    Err(_) => failed = late().at(place()),
                }
                let Some(reached) = reached else { break };
                left.retain(|address| *address != reached);
            }
        }
        Err(failed)
    }

    async fn begin(
        options: &PostgresOptions,
        dialer: &Arc<Dialer>,
        (strange, changes): (&Arc<Strange>, &TableChanges),
        address: Address,
        wire: Wire,
    ) -> Result<Self> {
        let relay = if options.pooled { Relay::nameless(wire, PARAMETERS) } else { Relay::unique(wire) };
        let (client, connection) = options.config().connect_raw(relay, NoTls).await.map_err(connecting)?;
        let runtime = Handle::current();
        let task = runtime.spawn(async move {
            if let Err(found) = connection.await {
                tracing::debug!(target: "isogloss", error = %found, "a connection to PostgreSQL ended");
            }
        });
        let client = Arc::new(client);
        let line = Line {
            address,
            dialer: Arc::clone(dialer),
            client: Arc::clone(&client),
            runtime,
            task: task.abort_handle(),
            cancelling: None,
            streams: 0,
            savepoint: None,
            lost: false,
            committing: false,
            closing: false,
        };
        let usual = options.pool.statement_timeout;
        let product = if options.pooled { checked(&client).await? } else { settled(&client, usual).await? };
        Ok(Self {
            client,
            line,
            statements: Statements::new(options.pool.prepared, changes.clone()),
            product,
            value_bytes: options.pool.value_bytes,
            depth: 0,
            suspect: false,
            changed: false,
            begun: false,
            ends: false,
            over: false,
            half: false,
            limit: Limit::new(usual, options.pooled),
            pooled: options.pooled.then(|| Arc::clone(strange)),
        })
    }

    /// What is left of before is out of the way.
    ///
    /// # Errors
    /// The connection is lost.
    pub(super) async fn settle(&mut self) -> Result<()> {
        if self.line.cancelling.is_some() || self.line.lost {
            // What was cancelled may have ended its transaction.
            self.suspect = true;
            self.line.settle().await?;
        }
        if let Some(stream) = self.line.savepoint.take() {
            Box::pin(self.sent_text(&release(stream), Fate::Close)).await?;
        }
        Ok(())
    }

    /// Runs text without parameters.
    pub(super) async fn text(&mut self, sql: &str, fate: Fate) -> Result<()> {
        self.own_text(sql, fate).await.map_err(|found| found.with_sql(sql))
    }

    /// Runs text that is not what the caller asked for, and is not shown to him.
    async fn own_text(&mut self, sql: &str, fate: Fate) -> Result<()> {
        self.settle().await?;
        self.sent_text(sql, fate).await
    }

    async fn sent_text(&mut self, sql: &str, fate: Fate) -> Result<()> {
        let running = self.line.start(fate);
        let done = self.client.batch_execute(sql).await;
        running.end();
        done.map_err(|found| {
            self.suspect = true;
            let found = error(found);
            if ends_session(&found) {
                self.line.close();
            }
            found
        })
    }

    /// The limit of a statement that is bounded by our own clock, as a pooler's sessions have none.
    pub(super) fn own_limit(&self) -> Option<Duration> {
        self.limit.wanted().filter(|_| self.pooled.is_some() && self.depth == 0)
    }

    /// What the server is to be told before the next statement, or before a stream, whose readers take their time.
    pub(super) fn limit_before(&mut self, streams: bool) -> Option<Change> {
        if self.pooled.is_some() && self.depth == 0 {
            return None;
        }
        let wanted = if streams { None } else { self.limit.wanted() };
        self.limit.change(wanted, self.depth > 0)
    }

    /// Tells the server of the limit, if it has another one.
    pub(super) async fn limited(&mut self, streams: bool) -> Result<()> {
        if let Some(change) = self.limit_before(streams) {
            let in_transaction = self.depth > 0;
            self.own_text(&change.text(in_transaction), Fate::Cancel).await?;
            self.limit.changed(change, in_transaction);
        }
        Ok(())
    }

    /// The text that begins a transaction, perhaps with a limit of its own. Behind a pooler, what a session would have is set
    /// in each.
    pub(super) fn begin_text(&self, begin: &str, own: Option<Duration>, streams: bool) -> String {
        let mut sql = begin.to_owned();
        if self.pooled.is_some() || own.is_some() {
            let limit = own.or(self.limit.wanted()).filter(|_| !streams);
            let _ = write!(sql, "; SET LOCAL statement_timeout = {}", number(limit));
        }
        if self.pooled.is_some() {
            let _ = write!(sql, "; {LOCAL_SETTINGS}");
        }
        sql
    }

    /// Takes back what was begun to write many rows, and given up, or whose source has panicked.
    pub(super) async fn take_back(&mut self) -> Result<()> {
        if self.half {
            self.begin_by("ROLLBACK", Fate::Close).await?;
            self.half = false;
            self.ended();
        }
        Ok(())
    }

    /// Begins a transaction. Where that fails half way, nobody else gets the session.
    pub(super) async fn begin_by(&mut self, sql: &str, fate: Fate) -> Result<()> {
        let begun = self.text(sql, fate).await;
        if begun.is_err() {
            self.line.close();
        }
        begun
    }

    /// Whether the transaction can go on: behind a COMMIT that failed, what comes would be outside of it.
    pub(super) fn goes_on(&self) -> Result<()> {
        if self.over && self.depth > 0 {
            let message = "the transaction is over: its COMMIT has failed and taken it back, or a text of the program's own \
                           has ended it; say rollback(), and run again what is not there";
            return Err(Error::new(ErrorKind::TransactionFailed, message));
        }
        Ok(())
    }

    /// Commits. If no answer comes, nobody knows whether it was done.
    pub(super) async fn commit(&mut self) -> Result<()> {
        self.line.committing = true;
        let committed = self.text("COMMIT", Fate::Close).await;
        self.line.committing = false;
        committed.map_err(|found| {
            let doubt = is_unanswered(&found);
            // What was not begun to be committed is still open.
            self.over = !doubt && found.kind() != ErrorKind::TransactionFailed;
            if doubt { found.in_doubt() } else { found }
        })
    }

    /// Whether the next task may have it as it is.
    pub(super) fn is_clean(&self) -> bool {
        self.depth == 0 && !self.changed && !self.half && self.line.cancelling.is_none() && !self.is_lost()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.line.lost || self.client.is_closed()
    }

    /// Takes back what its last task has left open. Whatever fails closes it.
    pub(super) async fn clean(&mut self) {
        let mut back = Vec::new();
        self.line.savepoint = None;
        if self.begun || self.half || self.depth > 0 && !self.over {
            back.push("ROLLBACK".to_owned());
        }
        if self.changed {
            let is_cockroachdb = self.product.is_cockroachdb();
            back.push(if is_cockroachdb { COCKROACHDB_RESET } else { RESET }.to_owned());
            back.push(SETTINGS.to_owned());
            if is_cockroachdb {
                back.push(COCKROACHDB_SETTINGS.to_owned());
            }
            back.push(format!("SET statement_timeout = {}", number(self.limit.usual())));
        }
        let cleaned = async {
            self.settle().await?;
            if !back.is_empty() {
                self.text(&back.join("; "), Fate::Close).await?;
            }
            Ok::<_, Error>(())
        };
        match tokio::time::timeout(CLEANING, cleaned).await {
            Ok(Ok(())) => {
                if self.changed {
                    self.limit.reset();
                }
                self.ended();
                self.limit.forget();
                (self.depth, self.changed, self.begun, self.half) = (0, false, false, false);
            }
            _ => self.line.close(),
        }
    }

    /// The transaction is no more.
    pub(super) fn ended(&mut self) {
        (self.suspect, self.over, self.ends) = (false, false, false);
        self.limit.ended();
    }

    pub(super) fn runtime(&self) -> Handle {
        self.line.runtime.clone()
    }
}

/// Sets what the dialect's texts reckon with, and asks in the same round trip what the server is.
async fn settled(client: &Client, limit: Option<Duration>) -> Result<Product> {
    let asked = format!("{SETTINGS}; SET statement_timeout = {}; SELECT {ASKED}", number(limit));
    let answers = match client.simple_query(&asked).await {
        Ok(answers) => answers,
        Err(found) => return Err(named(client, found).await),
    };
    let product = Product::of(&values(&answers))?;
    if product.is_cockroachdb() {
        client.batch_execute(COCKROACHDB_SETTINGS).await.map_err(connecting)?;
    }
    Ok(product)
}

/// Why a server does not take the settings: because it is one that only speaks PostgreSQL's protocol, if it says so.
async fn named(client: &Client, found: tokio_postgres::Error) -> Error {
    if found.as_db_error().is_some() {
        let version = client.simple_query("SELECT version()").await.map(|answers| values(&answers)).unwrap_or_default();
        if let Some(reason) = version.first().and_then(|version| unfit(version)) {
            return refused(reason);
        }
        // A setting of the proxy before Spanner, which no other server has.
        if client.simple_query("SHOW spanner.readonly").await.is_ok() {
            return refused(SPANNER);
        }
    }
    connecting(found)
}

const SPANNER: &str = "the PostgreSQL dialect of Spanner is not supported: it has no savepoints, no temporary tables, and changes \
                       tables outside of transactions";

/// Looks whether a pooler's sessions have what the dialect's texts reckon with, and what the server is.
async fn checked(client: &Client) -> Result<Product> {
    let shown = CHECKED.map(|(name, _)| format!("current_setting('{name}')")).join(", ");
    let asked = format!("SELECT {shown}, {ASKED}");
    let answers = match client.simple_query(&asked).await {
        Ok(answers) => answers,
        Err(found) => return Err(named(client, found).await),
    };
    let found = values(&answers);
    let (found, product) = found.split_at(found.len().saturating_sub(ANSWERS));
    for ((name, wanted), found) in CHECKED.iter().zip(found) {
        // More digits are no fewer.
        let fits = found.eq_ignore_ascii_case(wanted)
            || *name == "extra_float_digits" && found.parse::<i32>().is_ok_and(|digits| digits > 0);
        if !fits {
            return Err(unset(name, found, wanted));
        }
    }
    let product = Product::of(product)?;
    if product.is_cockroachdb() {
        let shown = COCKROACHDB_CHECKED.map(|name| format!("current_setting('{name}')")).join(", ");
        let answers = client.simple_query(&format!("SELECT {shown}")).await.map_err(connecting)?;
        for (name, found) in COCKROACHDB_CHECKED.iter().zip(values(&answers)) {
            if found != "on" {
                return Err(unset(name, &found, "on"));
            }
        }
    }
    Ok(product)
}

fn unset(name: &str, found: &str, wanted: &str) -> Error {
    refused(format!(
        "behind the pooler, `{name}` is `{found}`, and the statements reckon with `{wanted}`: \
         let the pooler keep it for each program, or say ALTER ROLE .. SET {name} = '{wanted}'"
    ))
}

/// The values of the only row.
fn values(answers: &[SimpleQueryMessage]) -> Vec<String> {
    let row = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    row.map_or_else(Vec::new, |row| (0..row.len()).map(|at| row.get(at).unwrap_or_default().to_owned()).collect())
}

/// One that is not clean is closed at once, not when what it runs has ended.
impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_clean() {
            self.line.close();
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("address", &self.line.address)
            .field("depth", &self.depth)
            .field("lost", &self.is_lost())
            .finish_non_exhaustive()
    }
}
