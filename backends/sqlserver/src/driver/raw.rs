//! A connection as the pool holds it: what is sent, and what has still to be read.

use std::fmt;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use futures_util::{FutureExt, TryStreamExt};
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Flow, HEAD_START, Result, Row, RowSink, first_connected};
use tiberius::error::Error as Found;
use tiberius::{Client, ColumnData, Command, CommandItem as Item, CommandStream};
use tokio::net::TcpStream;

use super::error::{connect_error, error};
use super::options::SqlServerOptions;
use super::row::SqlServerRow;
use super::value::{bad, bound};
use super::wire::{Ear, Wire};
use crate::SHEET;

/// So many rows are read that nobody wants, before the statement is cancelled.
const SKIMMED: usize = 1_000;

/// What the dialect's texts rely on, the driver's error messages among it.
const SESSION: &str = "SET QUOTED_IDENTIFIER, ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, \
     CONCAT_NULL_YIELDS_NULL ON; SET NUMERIC_ROUNDABORT, NOCOUNT, XACT_ABORT, IMPLICIT_TRANSACTIONS OFF; \
     SET LANGUAGE us_english";

/// A connection to a server.
pub(super) struct Raw {
    pub(super) client: Client<Wire>,
    pub(super) ear: Ear,
    pub(super) state: State,
    /// How long tidying up may take before the connection is closed instead.
    pub(super) grace: Duration,
    /// How large a value may be, in bytes.
    pub(super) value_bytes: usize,
}

/// How far the last statement has come.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Its answer has not been read to the end.
    pub(super) pending: bool,
    /// It only reads, so that it is ended where nobody wants the rest.
    pub(super) reads: bool,
    /// Nobody wants the rest of a write, which is read to its end: to end it would take back what was done.
    pub(super) unwanted: bool,
    /// It is being asked for its error.
    pub(super) asked: bool,
    /// What such a write has failed with, for what comes next: its caller has not been told.
    pub(super) untold: Option<Error>,
    /// Nobody knows what comes next: the connection is of no use.
    pub(super) broken: bool,
    /// The server has reported an error since it was last asked for its transaction, or may have done so in an answer
    /// that nobody has read.
    pub(super) doubtful: bool,
    /// A script has run, and has set what it likes. Nobody else gets the connection.
    pub(super) scripted: bool,
}

impl State {
    /// What the driver reported, of what was no statement and is over now.
    pub(super) fn ended(&mut self, found: Found) -> Error {
        self.broken = false;
        self.failed(found)
    }

    /// What the driver reported, of a statement whose answer was being read. A server's error stands at the end of it.
    pub(super) fn failed(&mut self, found: Found) -> Error {
        match &found {
            // Of class 20 and over the server closes the connection.
            Found::Server(server) => {
                (self.pending, self.doubtful) = (false, true);
                self.broken |= server.class() >= 20;
            }
            _ => self.broken = true,
        }
        let error = error(found);
        self.broken |= error.kind() == ErrorKind::ConnectionLost;
        error
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raw").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Whether a statement only reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads(pub(super) bool);

/// The values of a statement.
pub(super) type Params<'p> = Vec<(&'p Value, Option<DbType>)>;

/// The parameters of a statement, as it has them.
pub(super) fn params<'p>(statement: &'p Compiled<'_>) -> Params<'p> {
    statement.params.iter().map(|param| (&*param.value, param.ty)).collect()
}

/// A call of `sp_executesql`: the text, the types of the parameters, and these in their order.
fn call<'p>(sql: &'p str, params: &Params<'p>, most: usize) -> Result<Command<'p>> {
    let limit = SHEET.limits.parameters;
    if params.len() > limit {
        return Err(bad(format!("the statement has {} parameters, SQL Server takes {limit}", params.len())));
    }
    let mut command = Command::new("sp_executesql");
    command.bind_param("", ColumnData::String(Some(sql.into())));
    if params.is_empty() {
        return Ok(command);
    }
    let (declared, values) = declared(params, most)?;
    command.bind_param("", ColumnData::String(Some(declared.into())));
    for data in values {
        command.bind_param("", data);
    }
    Ok(command)
}

/// How parameters are declared, `@P1 int,@P2 varchar(8000)`, and what they are sent as.
pub(super) fn declared<'p>(params: &Params<'p>, most: usize) -> Result<(String, Vec<ColumnData<'p>>)> {
    let mut declared = String::new();
    let mut values = Vec::with_capacity(params.len());
    for (index, (value, ty)) in params.iter().enumerate() {
        let (as_what, data) = bound(value, *ty, most)?;
        let comma = if index == 0 { "" } else { "," };
        // Writing to a String does not fail.
        let _ = write!(declared, "{comma}@P{} {as_what}", index + 1);
        values.push(data);
    }
    Ok((declared, values))
}

/// Reads what has come already of an answer that nobody wants any more. Most often that is all of it.
pub(super) fn skim(stream: &mut CommandStream<'_>, state: &mut State) {
    for _ in 0..SKIMMED {
        match stream.try_next().now_or_never() {
            Some(Ok(Some(_))) => {}
            Some(Ok(None)) => {
                state.pending = false;
                return;
            }
            Some(Err(found)) => {
                let error = state.failed(found);
                // What reads has given all that was wanted of it.
                state.untold = (!state.reads && !state.broken).then_some(error);
                return;
            }
            None => return,
        }
    }
}

impl Raw {
    /// Connects. Azure may say that another server is the one to ask.
    pub(super) async fn connect(options: &SqlServerOptions) -> Result<Self> {
        let connected = match Self::login(options, &options.host, options.port).await {
            Err(Found::Routing { host, port }) => Self::login(options, &host, port).await,
            done => done,
        };
        let mut raw = connected.map_err(connect_error)?;
        raw.batch(SESSION).await?;
        Ok(raw)
    }

    async fn login(options: &SqlServerOptions, host: &str, port: u16) -> Result<Self, Found> {
        let found = tokio::net::lookup_host((host, port)).await?;
        let none = || io::Error::new(io::ErrorKind::NotFound, "the name of the host has no address");
        let socket = first_connected(found, HEAD_START, TcpStream::connect).await.unwrap_or_else(|| Err(none()))?;
        let ear = Ear::new(socket)?;
        let client = Client::connect(options.config(host, port), ear.wire()).await?;
        let (grace, value_bytes) = (options.pool.grace, options.pool.value_bytes);
        Ok(Self { client, ear, state: State::default(), grace, value_bytes })
    }

    /// Takes back what a dropped future has left: a statement that was not answered to its end is cancelled, and what is
    /// left of its answer thrown away. Where that takes too long, the connection is closed. A write that has come so far that
    /// its caller wanted no more is not taken back: its answer is read to the end, which may take as long as the write.
    pub(super) async fn settle(&mut self) -> Result<()> {
        if self.state.pending && !self.state.broken {
            // An error that nobody has read may have ended the transaction.
            self.state.doubtful = true;
            if self.state.unwanted {
                let ended = self.outlast().await;
                self.state.broken = ended.is_err();
                self.state.untold = ended.unwrap_or_default();
            } else {
                self.state.broken = true;
                let cancelled = tokio::time::timeout(self.grace, self.cancel()).await;
                self.state.broken = !matches!(cancelled, Ok(Ok(())));
            }
            (self.state.pending, self.state.asked) = (self.state.broken, false);
            self.state.unwanted &= self.state.broken;
            if self.state.broken {
                self.ear.hang_up();
            }
        }
        match self.state.broken {
            true => Err(Error::new(ErrorKind::ConnectionLost, "the connection is closed: take another one")),
            false => Ok(()),
        }
    }

    /// Ends at the server what was given up and takes the connection with it: it would go on there otherwise.
    pub(super) async fn give_up(&mut self) {
        let _ = tokio::time::timeout(self.grace, self.cancel()).await;
        self.close();
    }

    /// Closes the connection at once.
    pub(super) fn close(&mut self) {
        self.state.broken = true;
        self.ear.hang_up();
    }

    /// Whether the server still has the transaction, which some errors end.
    pub(super) async fn in_transaction(&mut self) -> Result<bool> {
        self.settle().await?;
        if !self.state.doubtful {
            return Ok(true);
        }
        match self.ask("SELECT XACT_STATE()").await {
            Ok(found) => {
                self.state.doubtful = false;
                Ok(found != Some(0))
            }
            Err(error) => {
                // What would run next might run outside of it.
                self.state.broken = true;
                Err(error)
            }
        }
    }

    /// Sends a statement. Its answer is to be read from the stream.
    pub(super) async fn send<'r>(
        &'r mut self,
        sql: &'r str,
        params: &Params<'r>,
        reads: Reads,
    ) -> Result<(CommandStream<'r>, &'r mut State)> {
        let command = call(sql, params, self.value_bytes)?;
        self.settle().await?;
        (self.state.pending, self.state.reads) = (true, reads.0);
        match command.exec(&mut self.client).await {
            Ok(stream) => Ok((stream, &mut self.state)),
            Err(found) => Err(self.state.failed(found)),
        }
    }

    /// Runs a statement, and gives its rows to the sink. Gives how many rows it changed, or gave. One that writes is read to
    /// its end, whatever of it is wanted.
    pub(super) async fn run(
        &mut self,
        sql: &str,
        params: &Params<'_>,
        reads: Reads,
        mut sink: Option<&mut dyn RowSink>,
    ) -> Result<u64> {
        let (mut stream, state) = self.send(sql, params, reads).await?;
        let (mut count, mut taken) = (0, Ok(()));
        loop {
            match stream.try_next().await {
                Ok(Some(Item::Row(row))) => {
                    let Some(wants) = sink.as_deref_mut() else { continue };
                    match wants.row(&SqlServerRow(&row)) {
                        Ok(Flow::More) => continue,
                        Ok(Flow::Enough) => {}
                        Err(error) => taken = Err(error),
                    }
                    if reads.0 {
                        skim(&mut stream, state);
                        return taken.map(|()| count);
                    }
                    sink = None;
                }
                // Triggers count first, the statement last.
                Ok(Some(Item::RowsAffected(rows))) => count = rows,
                Ok(Some(_)) => {}
                Ok(None) => {
                    state.pending = false;
                    return taken.map(|()| count);
                }
                Err(found) => return Err(state.failed(found)),
            }
        }
    }

    /// Runs text without parameters, of one statement or several. Given up on its way, it takes the connection with it.
    pub(super) async fn batch(&mut self, sql: &str) -> Result<()> {
        self.first_row(sql).await.map(drop)
    }

    /// Asks for a whole number: by a text without parameters, in the first column of its first row.
    pub(super) async fn ask(&mut self, sql: &str) -> Result<Option<i64>> {
        match self.first_row(sql).await? {
            Some(row) => SqlServerRow(&row).i64(0),
            None => Ok(None),
        }
    }

    async fn first_row(&mut self, sql: &str) -> Result<Option<tiberius::Row>> {
        let (client, state) = self.client().await?;
        let run = async {
            let mut stream = client.simple_query(sql).await?;
            let mut first = None;
            while let Some(item) = stream.try_next().await? {
                first = first.or(item.into_row());
            }
            Ok(first)
        };
        let done = run.await.map_err(|found| state.ended(found))?;
        state.broken = false;
        Ok(done)
    }

    /// The client, for what is no statement. Until [`State`] is set again, the connection is of no use.
    pub(super) async fn client(&mut self) -> Result<(&mut Client<Wire>, &mut State)> {
        self.settle().await?;
        // What is left of an answer goes with the next thing that is sent.
        (self.state.pending, self.state.broken) = (false, true);
        Ok((&mut self.client, &mut self.state))
    }
}
