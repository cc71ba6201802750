//! One connection to a server: its session, and in the middle of what it is.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, Result};
use mysql_async::consts::StatusFlags;
use mysql_async::prelude::Queryable;
use mysql_async::{
    BinaryProtocol, Conn, FromRowError, InfileData, OkPacket, Params, QueryResult, Row, Statement, Value as Sent,
    from_row_opt,
};
use tokio::time::{Instant, timeout};

use super::error::{INTERRUPTED, connecting, error, is_farewell, is_last};
use super::kill::{IDENTITY, Killer, Target, What, flowing, limited};
use super::line::Line;
use super::over::Over;
use super::prepared::Prepared;
use super::server::{Server, Variables};
use crate::dialect::LEFT_ALONE;
use crate::product::Product;

/// How many rows of an answer that nobody wants are read before it is killed, and for how long.
const PATIENCE: (usize, Duration) = (1000, Duration::from_millis(20));

/// How long the server has to say that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// How much later than the server's own clock ours ends a statement, so that the server says why.
const GRACE: Duration = Duration::from_millis(20);

/// For how many seconds nobody need take a row of a stream, or give one to be loaded: a day. The server's own minute is for the
/// whole of an answer that is read at once.
const PAUSE: u32 = 86_400;

/// A packet of the protocol; what is longer is sent in several.
const LONG: usize = 1 << 24;

/// What a statement may have beside its parameters, in the limit of a packet.
const PACKET_HEAD: usize = 1024;

/// What every session begins with, in words that both engines know.
///
/// Global settings of the server would change answers: how many rows a SELECT gives, which UPDATE and DELETE run, what
/// `id IS NULL` finds, how many digits a quotient has, and whether COMMIT begins another transaction.
///
/// Notes are not counted as warnings, which a bulk insert looks at: that a decimal was rounded is one. Collations: a text that is computed from parameters has the connection's, which meets the columns' without a clash if
/// it is theirs.
const SESSION: &str = "SET NAMES utf8mb4, time_zone = '+00:00', lc_time_names = 'en_US', autocommit = 1, \
                       group_concat_max_len = 4294967295, sql_notes = 0, sql_select_limit = 9223372036854775807, \
                       sql_safe_updates = 0, sql_auto_is_null = 0, sql_big_selects = 1, div_precision_increment = 4, \
                       completion_type = 0;\
                       SET collation_connection = IF(@@character_set_database = 'utf8mb4', @@collation_database, \
                       @@collation_connection);";

/// What the server is asked of itself, with its [`IDENTITY`].
const FACTS: &str =
    "SELECT VERSION(), @@max_allowed_packet, @@local_infile, @@innodb_rollback_on_timeout, CONNECTION_ID(), ";

/// The modes that each engine begins with by itself, strict ones for tables without transactions, too, differences
/// with a sign, since a row's number has none on MySQL, and 0 as the value of an identity where it is given.
///
/// MariaDB's subquery cache finds an answer by the outer columns as their collations compare them: `(SELECT outer.name)` would
/// give `abc` for `ABC`, however the subquery itself compares.
const MODES: &str = "SET sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,\
                     NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_UNSIGNED_SUBTRACTION,\
                     NO_AUTO_VALUE_ON_ZERO', cte_max_recursion_depth = 4294967295";
const MARIADB_MODES: &str = "SET sql_mode = 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,\
                             NO_ENGINE_SUBSTITUTION,NO_UNSIGNED_SUBTRACTION,NO_AUTO_VALUE_ON_ZERO', \
                             max_recursive_iterations = 4294967295, optimizer_switch = 'subquery_cache=off'";

/// A parameter has the collation of the client's character set on MariaDB, which only the whole of SET NAMES sets.
const MARIADB_COLLATION: &str = "; EXECUTE IMMEDIATE IF(@@character_set_database = 'utf8mb4', \
                                 CONCAT('SET NAMES utf8mb4 COLLATE ', @@collation_database), 'DO 0')";

/// What a connection is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// Nothing.
    Rest,
    /// An answer, between two of its rows.
    Rows,
    /// Something that was begun. If its future is gone, so is the connection: how much was sent or read is not known.
    Midway,
    /// The connection is lost.
    Lost,
}

/// What a server said of itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub(super) product: Product,
    /// How long a packet may be that it takes.
    pub(super) packet: usize,
    /// Whether it takes a file from here.
    pub(super) local_infile: bool,
    /// Whether a wait that took too long takes the transaction back, and not just the statement.
    rollback_on_timeout: bool,
}

/// A connection.
pub(super) struct Wire {
    pub(super) line: Line,
    pub(super) at: At,
    /// A call on it took too long: it is not opened anew.
    pub(super) closed: bool,
    facts: Facts,
    server: Arc<Server>,
    target: Target,
    /// The server may be at work for what was closed.
    abandoned: bool,
    /// What runs was asked to end, for its time is over: the error comes with one of its rows, perhaps.
    pub(super) late: bool,
    /// How long a statement may take.
    timeout: Option<Duration>,
    /// When the time of the statement whose answer is open is over, by our own clock.
    pub(super) due: Option<Instant>,
    /// What the server was told of that.
    pub(super) told: Option<Duration>,
    /// The server waits for who reads a stream.
    patient: bool,
    pub(super) prepared: Prepared,
    /// Nothing was answered since it was taken out of the pool without a question whether it is still there: the server may
    /// have closed it before.
    pub(super) untried: bool,
    /// What takes back that which was to be done wholly or not at all, until it is done.
    pub(super) unfinished: Option<&'static str>,
    /// Whether a script was run, or what else may have set what it likes: nobody else gets the connection.
    pub(super) scripted: bool,
    /// Whether the server says that a transaction is open, or will be with the next statement.
    pub(super) open: bool,
    /// Whether the statement whose answer is open only reads.
    pub(super) reads: bool,
    /// How the transaction has ended, if it was not its owner who ended it. Outside of one it says nothing.
    pub(super) over: Option<Over>,
    /// Whether rows that have changed since the snapshot of a transaction are conflicts, which the next one may not want.
    pub(super) conflicts: bool,
}

impl Wire {
    /// Opens a connection, and sets its session up.
    pub(super) async fn open(server: &Arc<Server>) -> Result<Self> {
        let usual = server.options.pool.statement_timeout;
        let mut line = server.dial().await?;
        let set_up = async {
            let conn = line.conn().map_err(connecting)?;
            let (facts, target) = facts(conn).await?;
            let mariadb = facts.product.is_mariadb();
            let mut modes = format!("{}, {}", if mariadb { MARIADB_MODES } else { MODES }, limit(mariadb, usual));
            if let (Product::Galera(_), Some(wait)) = (facts.product, server.options.wsrep_sync_wait) {
                modes.push_str(&format!(", wsrep_sync_wait = {wait}"));
            }
            if mariadb {
                modes.push_str(MARIADB_COLLATION);
            }
            conn.query_drop(modes).await.map_err(connecting)?;
            Ok::<_, Error>((facts, target))
        };
        let (facts, target) = match timeout(server.options.pool.connect_timeout, set_up).await {
            Ok(set_up) => set_up?,
            Err(_) => return Err(Error::new(ErrorKind::Connect, "the server does not answer")),
        };
        Ok(Self {
            line,
            at: At::Rest,
            closed: false,
            facts,
            server: Arc::clone(server),
            target,
            abandoned: false,
            late: false,
            timeout: usual,
            due: None,
            told: usual,
            patient: false,
            prepared: Prepared::new(server.options.pool.prepared, &server.prepared),
            untried: false,
            unfinished: None,
            scripted: false,
            open: false,
            reads: false,
            over: None,
            conflicts: false,
        })
    }

    pub(super) fn at(&self) -> At {
        self.at
    }

    /// Returns whether the runtime that it was opened in has ended.
    pub(super) fn is_orphaned(&self) -> bool {
        self.line.is_orphaned()
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.at == At::Rest
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// How long a value may be.
    pub(super) fn value_bytes(&self) -> usize {
        self.server.options.pool.value_bytes.min(self.facts.packet.saturating_sub(PACKET_HEAD))
    }

    /// Whether a transaction is over with an error of that code. A row that has changed since the snapshot ends it on
    /// MariaDB, which has innodb_snapshot_isolation on from 11.6.2.
    pub(super) fn ends_transaction(&self, code: &str) -> bool {
        matches!(code, "1020" | "1206" | "1213" | "1613" | "1614" | "3101")
            || (code == "1205" && self.facts.rollback_on_timeout)
    }

    /// Another connection in the place of one that is of no use any more.
    pub(super) async fn reopen(&mut self) -> Result<()> {
        self.end().await;
        let timeout = self.timeout;
        *self = Self::open(&self.server).await?;
        self.timeout = timeout;
        Ok(())
    }

    /// Another connection in the place of one that the server had closed before anything was sent on it.
    ///
    /// # Errors
    /// [`ErrorKind::ConnectionLost`]: it is lost, and there is no other.
    pub(super) async fn replace(&mut self) -> Result<()> {
        self.reopen().await.map_err(|error| {
            let message =
                format!("the server had closed the connection, and another cannot be opened: {}", error.message());
            Error::new(ErrorKind::ConnectionLost, message).with_source(error).unsent()
        })
    }

    /// What was asked to end, and ended by itself before that came, may have the next statement hit in its place: this one.
    /// It also asks of a transaction in which something failed, with which an error says nothing: DDL commits before it fails.
    pub(super) async fn settle(&mut self, in_transaction: bool) {
        let unknown = in_transaction && self.over.is_none() && self.line.last(|conn| conn.last_ok_packet().is_none());
        if self.at == At::Rest && (std::mem::take(&mut self.late) || unknown) {
            let _ = self.text("DO 0").await;
        }
    }

    /// Closes the connection at once.
    pub(super) fn close(&mut self) {
        self.abandoned |= matches!(self.at, At::Midway | At::Rows);
        self.at = At::Lost;
        self.line.hang_up();
    }

    /// Closes it at once, and lets nothing be sent on another one in its place.
    pub(super) fn close_for_good(&mut self) {
        self.closed = true;
        self.close();
    }

    /// Whether the server may be at work for a future that is gone: it does not look at a connection meanwhile.
    pub(super) fn may_run(&self) -> bool {
        self.abandoned || self.at == At::Midway
    }

    /// Closes the connection, and has the server end what runs on it. Until that is done, it counts as open.
    pub(super) async fn end(&mut self) {
        if self.may_run() || self.at == At::Rows {
            self.server.end(&self.target).await;
        }
        self.close();
        self.abandoned = false;
    }

    /// Returns whether the server had closed the connection before anything was sent on it.
    pub(super) fn was_closed(&self) -> bool {
        self.untried && self.at == At::Lost
    }

    /// Where the connection is after what was begun has ended so.
    pub(super) fn ended<T>(&mut self, done: mysql_async::Result<T>, next: At) -> Result<T> {
        self.at = match &done {
            Ok(_) => next,
            Err(mysql_async::Error::Server(error)) if !is_last(error.code) => At::Rest,
            Err(_) => At::Lost,
        };
        self.untried &= match &done {
            Ok(_) => false,
            Err(mysql_async::Error::Server(error)) => is_farewell(error.code),
            Err(_) => true,
        };
        match done {
            Ok(done) => {
                let state = |answer: &OkPacket<'_>| {
                    let flags = answer.status_flags();
                    let in_transaction = flags.contains(StatusFlags::SERVER_STATUS_IN_TRANS);
                    (in_transaction, in_transaction || !flags.contains(StatusFlags::SERVER_STATUS_AUTOCOMMIT))
                };
                if next == At::Rest
                    && let Some((in_transaction, open)) = self.line.last(|conn| conn.last_ok_packet().map(state))
                {
                    self.open = open;
                    if !in_transaction {
                        self.over.get_or_insert(Over::Committed);
                    }
                }
                Ok(done)
            }
            Err(found) => {
                let found = error(found);
                if found.code().is_some_and(|code| self.ends_transaction(code)) {
                    self.over = Some(Over::TakenBack);
                }
                Err(self.of_late(found))
            }
        }
    }

    /// Runs a text that has no parameters, of one statement or several.
    pub(super) async fn text(&mut self, sql: &str) -> Result<()> {
        self.tell(Timed::Statement).await?;
        self.at = At::Midway;
        let limit = self.killing(self.own_limit());
        let run = async { self.line.conn()?.query_iter(sql).await?.drop_result().await };
        let (done, at_once) = at_once(limited(run, limit)).await;
        self.untried &= at_once;
        self.ended_in_time(done, At::Rest)
    }

    /// Runs a text that takes rows from here, for as long as they flow: what it may take is counted from the last sign of life.
    ///
    /// MariaDB's own limit is for each statement, and can be another one for this. MySQL's is for SELECT.
    pub(super) async fn loads(&mut self, sql: &str, last_sign: impl Fn() -> Instant) -> Result<()> {
        let sql = match self.facts.product.is_mariadb() {
            true => format!("SET STATEMENT max_statement_time = 0, net_read_timeout = {PAUSE} FOR {sql}"),
            false => sql.to_owned(),
        };
        self.at = At::Midway;
        let limit = self.killing(self.timeout.map(|timeout| timeout + GRACE));
        let run = async { self.line.conn()?.query_iter(sql).await?.drop_result().await };
        let done = flowing(run, limit, last_sign).await;
        self.ended_in_time(done, At::Rest)
    }

    /// The first row of a text that cannot be prepared.
    pub(super) async fn first(&mut self, sql: &str) -> Result<Option<Row>> {
        self.at = At::Midway;
        let found = async { self.line.conn()?.query_first(sql).await }.await;
        self.ended(found, At::Rest)
    }

    /// Sends a statement with its parameters. Its rows are next.
    pub(super) async fn send(&mut self, statement: &Statement, params: Vec<Sent>) -> Result<()> {
        self.reads = false;
        self.send_timed(statement, params, Timed::Statement).await
    }

    /// Sends a statement, with a limit for that.
    pub(super) async fn send_timed(&mut self, statement: &Statement, params: Vec<Sent>, timed: Timed) -> Result<()> {
        let wanted = usize::from(statement.num_params());
        if wanted != params.len() {
            let message = format!("{} parameters are given, the statement has {wanted}", params.len());
            return Err(Error::new(ErrorKind::BadValue, message));
        }
        // The parameters of a longer one are sent one by one.
        let bytes = params.iter().map(size).sum::<usize>() + PACKET_HEAD;
        if bytes > self.facts.packet && bytes < LONG {
            let message = format!("the parameters have {bytes} bytes, over the server's max_allowed_packet");
            return Err(Error::new(ErrorKind::BadValue, message));
        }
        self.tell(timed).await?;
        self.at = At::Midway;
        let limit = self.own_limit();
        // Who reads a stream has the limit for each wait.
        let due = limit.filter(|_| timed == Timed::Statement);
        self.due = due.and_then(|limit| Instant::now().checked_add(limit));
        let limit = self.killing(limit);
        let run = async { self.line.conn()?.exec_iter(statement, Params::Positional(params)).await.map(drop) };
        let (done, at_once) = at_once(limited(run, limit)).await;
        self.untried &= at_once;
        self.ended_in_time(done, At::Rows)
    }

    /// The next row; after the last one the connection is at rest.
    pub(super) async fn next(&mut self) -> Result<Option<Row>> {
        let conn = self.line.conn().map_err(error)?;
        let mut answer = QueryResult::<'_, '_, BinaryProtocol>::new(conn);
        let row = match answer.next().await {
            Ok(Some(row)) => return Ok(Some(row)),
            // What a procedure gives beyond its first answer is nobody's.
            Ok(None) if answer.is_empty() => Ok(()),
            Ok(None) => {
                self.at = At::Midway;
                answer.drop_result().await
            }
            Err(found) => Err(found),
        };
        self.ended(row, At::Rest)?;
        Ok(None)
    }

    /// Reads the answer of a statement to its end, and gives how many rows the statement changed, or gave.
    pub(super) async fn finish(&mut self) -> Result<u64> {
        self.at = At::Midway;
        let mut rows = 0;
        while self.next().await?.is_some() {
            rows += 1;
        }
        Ok(self.changed().max(rows))
    }

    /// How many rows the last statement changed.
    pub(super) fn changed(&self) -> u64 {
        self.line.last(Conn::affected_rows)
    }

    /// How many rows the last statement changed, which counts so many. An upsert counts a row twice that it has updated,
    /// and one that it has left alone as well. Of several rows the server says how many there were, and how many of them
    /// were there before, unless a query has given them.
    pub(super) fn rows_of(&self, sql: &str, count: u64) -> u64 {
        if !sql.starts_with("INSERT") || !sql.contains(" ON DUPLICATE KEY UPDATE ") {
            return count;
        }
        let info = self.line.last(|conn| conn.info().into_owned());
        let told = |name: &str| {
            let (_, rest) = info.split_once(name)?;
            rest.split(' ').next()?.parse::<u64>().ok()
        };
        let records = told("Records: ").unwrap_or(1);
        let count = count.min(records);
        if !sql.contains(LEFT_ALONE) {
            count
        } else if records == 1 && self.last_insert_id().is_some_and(|id| id.to_string() == LEFT_ALONE) {
            0
        } else {
            count.saturating_sub(told("Duplicates: ").unwrap_or(0))
        }
    }

    /// How many warnings the last statement gave.
    pub(super) fn warnings(&self) -> u16 {
        self.line.last(Conn::get_warnings)
    }

    /// What the server gets when it asks for the file that the next statement names.
    pub(super) fn infile(
        &mut self,
        file: impl Future<Output = mysql_async::Result<InfileData>> + Send + Sync + 'static,
    ) {
        if let Ok(conn) = self.line.conn() {
            conn.set_infile_handler(file);
        }
    }

    /// The number that the last statement gave a row.
    pub(super) fn last_insert_id(&self) -> Option<u64> {
        self.line.last(Conn::last_insert_id)
    }

    /// Brings an answer to its end that nobody wants: reads what is left of a short one, and kills a long one, unless it is
    /// that of a write.
    pub(super) async fn clear(&mut self) -> Result<()> {
        if !self.reads {
            return self.finish_in_time().await.map(drop);
        }
        let (rows, time) = PATIENCE;
        let short = timeout(time, async {
            for _ in 0..rows {
                if self.next().await?.is_none() {
                    break;
                }
            }
            Ok::<_, Error>(())
        });
        if let Ok(Err(error)) = short.await
            && self.at != At::Rest
        {
            return Err(error);
        }
        if self.at == At::Rest {
            return Ok(());
        }
        self.server.kill(What::Query, &self.target).await?;
        self.late = true;
        match self.finish().await {
            Err(error) if self.at != At::Rest => Err(error),
            _ => {
                self.settle(false).await;
                Ok(())
            }
        }
    }

    /// How long a statement may take from now on. The server is told before the next one.
    pub(super) fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// Tells the server how long what comes next may take, unless it knows.
    async fn tell(&mut self, timed: Timed) -> Result<()> {
        let limited = self.timeout.filter(|_| timed == Timed::Statement);
        let mut sets = Vec::new();
        if self.told != limited {
            sets.push(limit(self.facts.product.is_mariadb(), limited));
        }
        // To Vitess, that is no variable of the session's.
        let patient = timed == Timed::Rows && !self.facts.product.is_vitess();
        if patient != self.patient {
            let wait = if patient { format!("{PAUSE}") } else { "DEFAULT".into() };
            sets.push(format!("net_write_timeout = {wait}"));
        }
        if sets.is_empty() {
            return Ok(());
        }
        self.at = At::Midway;
        let done = async { self.line.conn()?.query_drop(format!("SET {}", sets.join(", "))).await }.await;
        self.ended(done, At::Rest).map_err(Error::unsent)?;
        (self.told, self.patient) = (limited, patient);
        Ok(())
    }

    /// The limit by our own clock: where the server has one for SELECT only, for the rows of a stream, and for what does more
    /// than read, as MariaDB looks at each statement of a procedure by itself.
    pub(super) fn own_limit(&self) -> Option<Duration> {
        let own = !self.facts.product.is_mariadb() || self.told.is_none() || !self.reads;
        self.timeout.filter(|_| own).map(|timeout| timeout + GRACE)
    }

    /// A limit, and what ends at the server what takes longer.
    pub(super) fn killing(&self, limit: Option<Duration>) -> Option<(Duration, Killer)> {
        limit.map(|limit| (limit, Killer { server: Arc::clone(&self.server), target: self.target.clone() }))
    }

    /// Where the connection is after something that our own clock has looked at.
    fn ended_in_time<T>(&mut self, done: Option<(mysql_async::Result<T>, bool)>, next: At) -> Result<T> {
        match done {
            Some((done, late)) => {
                self.late |= late;
                self.ended(done, next)
            }
            None => Err(self.out_of_time()),
        }
    }

    /// An interrupted statement that we have interrupted took too long. With any other error, what was asked to end it may
    /// yet come.
    pub(super) fn of_late(&mut self, error: Error) -> Error {
        let code = INTERRUPTED.to_string();
        if error.code() != Some(&code) || !std::mem::take(&mut self.late) {
            return error;
        }
        Error::new(ErrorKind::Timeout, "the statement took longer than it may").with_code(code)
    }

    /// Closes the connection, on which something runs that could not be ended.
    pub(super) fn out_of_time(&mut self) -> Error {
        self.close_for_good();
        Error::new(ErrorKind::Timeout, "the statement took longer than it may, and the connection was closed")
    }

    /// Asks the server whether it is there. Without an answer in time, the connection is closed.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] without an answer; [`ErrorKind::ConnectionLost`] in the middle of something else, whose answer
    /// would be taken for this one's.
    pub(super) async fn sign_of_life(&mut self) -> Result<()> {
        if self.at != At::Rest {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection is in the middle of something"));
        }
        match timeout(SIGN_OF_LIFE, self.ping()).await {
            Ok(answer) => answer,
            Err(_) => {
                self.close();
                // There is nothing at work that would have to be ended.
                self.abandoned = false;
                Err(Error::new(ErrorKind::Timeout, "the server gives no sign of life"))
            }
        }
    }

    pub(super) async fn ping(&mut self) -> Result<()> {
        self.at = At::Midway;
        let done = async { self.line.conn()?.ping().await }.await;
        self.ended(done, At::Rest)
    }
}

/// Runs `run` and returns whether it completed on its first poll, before a server could have replied.
async fn at_once<T>(run: impl Future<Output = T>) -> (T, bool) {
    let (mut run, mut polls) = (pin!(run), 0_u32);
    let done = poll_fn(|cx| {
        polls = polls.saturating_add(1);
        run.as_mut().poll(cx)
    });
    let done = done.await;
    (done, polls == 1)
}

/// What a time limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timed {
    /// The statement, until its end.
    Statement,
    /// Each wait for rows that somebody reads as they like. The server counts the time of who reads, too, so that it is our
    /// own clock that looks at it.
    Rows,
}

/// How a server is told what a statement may take.
fn limit(mariadb: bool, limit: Option<Duration>) -> String {
    if mariadb {
        format!("max_statement_time = {:.6}", limit.map_or(0.0, |limit| limit.as_secs_f64().max(1e-6)))
    } else {
        format!("max_execution_time = {}", limit.map_or(0, |limit| limit.as_millis().max(1)))
    }
}

/// How many bytes a parameter takes in a packet, or a little more.
pub(super) fn size(value: &Sent) -> usize {
    match value {
        Sent::Bytes(bytes) => bytes.len() + 11,
        _ => 15,
    }
}

/// Sets the session up as far as the engines agree, and asks which one it is.
async fn facts(conn: &mut Conn) -> Result<(Facts, Target)> {
    let greeted = conn.id();
    let (mut variables, mut last) = (Variables::default(), None);
    let asked = async {
        let mut answers = conn.query_iter(format!("{}{SESSION}{FACTS}{IDENTITY}", Variables::ASKED)).await?;
        while !answers.is_empty() {
            for row in answers.collect::<Row>().await? {
                match from_row_opt(row) {
                    Ok((name, value)) => variables.add(name, value),
                    Err(FromRowError(row)) => last = Some(row),
                }
            }
        }
        Ok(())
    };
    let asked = asked.await;
    // What it does not know of the rest says less.
    if let Some(refused) = variables.refused() {
        return Err(refused);
    }
    asked.map_err(connecting)?;
    let (version, packet, local_infile, rollback_on_timeout, id, server): (String, u64, bool, bool, u64, String) =
        last.and_then(|row| from_row_opt(row).ok()).unwrap_or_default();
    let product = Product::of(&version, &variables);
    let packet = usize::try_from(packet).unwrap_or(usize::MAX);
    let local_infile = local_infile && !product.is_vitess();
    let facts = Facts { product, packet, local_infile, rollback_on_timeout };
    Ok((facts, Target::new(greeted, id, &server)))
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("id", &format_args!("{}", self.target))
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}
