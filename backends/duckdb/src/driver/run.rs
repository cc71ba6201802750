//! A statement, on the thread that may wait for it.
//!
//! DuckDB 1.5 plans a statement by what it knows of the columns at that moment (their least and greatest values), and looks at
//! the plan of a prepared one again only where a table's definition has changed. Once rows have changed, such a plan loses rows,
//! and gives numbers that are in none: `prepare`, `UPDATE t SET q = 2`, and `SELECT q FROM t ORDER BY q` has given 258. So nothing
//! is prepared for later, and a statement is planned and run in one transaction, whose snapshot is not younger than its plan.

use std::borrow::Cow;

use duckdb::types::{ToSql, ToSqlOutput};
use duckdb::{Connection, Rows, Statement, params_from_iter};
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{coerce, is_of};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Error, ErrorKind, Flow, Result, RowSink};

use super::error::error;
use super::raw::Watch;
use super::row::{Column, DuckDbRow, columns};
use super::value::{Bound, bound};

/// A statement that owns everything that it needs.
#[derive(Debug)]
pub(super) struct Call {
    sql: String,
    binds: Vec<Bound>,
    pub(super) around: Around,
}

/// The transaction that a text is run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// Whatever there is.
    Any,
    /// One of its own.
    Own,
    /// That of its caller, which the text may end.
    Callers,
}

impl Around {
    /// Does some work in it.
    ///
    /// # Errors
    /// Those of the work, and [`ErrorKind::TransactionFailed`] where the caller's transaction is over.
    pub(super) fn run<T>(self, connection: &Connection, watch: &Watch, work: impl FnOnce() -> Result<T>) -> Result<T> {
        match self {
            Self::Any => work(),
            Self::Own => {
                let mut open = Open { connection, watch, committed: false };
                connection.execute_batch("BEGIN TRANSACTION").map_err(error)?;
                let done = work()?;
                watch.ends();
                connection.execute_batch("COMMIT").map_err(error)?;
                open.committed = true;
                Ok(done)
            }
            Self::Callers => {
                let before = transaction(connection)?;
                let done = work()?;
                match transaction(connection) {
                    Ok(after) if after == before => Ok(done),
                    _ => Err(Error::new(
                        ErrorKind::TransactionFailed,
                        "the text has ended the transaction that it stood in: end one by `commit` or `rollback`",
                    )),
                }
            }
        }
    }
}

/// The number of the transaction, which is another one for each statement that stands alone.
fn transaction(connection: &Connection) -> Result<i64> {
    connection.query_row("SELECT txid_current()", [], |row| row.get(0)).map_err(error)
}

impl ToSql for Bound {
    fn to_sql(&self) -> duckdb::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.as_ref()))
    }
}

impl Call {
    /// A call without parameters.
    pub(super) fn plain(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), binds: Vec::new(), around: Around::Any }
    }

    /// A call of a statement.
    pub(super) fn new(statement: &Compiled<'_>, most: usize, around: Around) -> Result<Self> {
        let binds = statement.params.iter().map(|param| bound(&*fitting(param)?, most)).collect::<Result<_>>()?;
        Ok(Self { sql: statement.sql.clone(), binds, around })
    }

    /// Prepares it, and binds its parameters.
    fn prepare<'c>(&self, connection: &'c Connection) -> Result<Statement<'c>> {
        let mut statement = connection.prepare(&self.sql).map_err(error)?;
        bind(&mut statement, &self.binds)?;
        Ok(statement)
    }

    /// Runs it, and gives its rows to the sink, if there is one. Gives how many rows it changed, or gave.
    pub(super) fn run(&self, connection: &Connection, watch: &Watch, sink: Option<&mut dyn RowSink>) -> Result<u64> {
        self.around.run(connection, watch, || self.run_here(connection, sink))
    }

    /// Opens it: its rows are made as they are read.
    pub(super) fn open<'c>(&self, connection: &'c Connection) -> Result<Statement<'c>> {
        let mut statement = self.prepare(connection)?;
        // The iterator that it gives panics where an error is met: the rows are read from the statement.
        drop(statement.stream_arrow(params_from_iter(&self.binds)).map_err(error)?);
        Ok(statement)
    }

    fn run_here(&self, connection: &Connection, sink: Option<&mut dyn RowSink>) -> Result<u64> {
        let Some(sink) = sink else {
            return Ok(count(self.prepare(connection)?.raw_execute().map_err(error)?));
        };
        let statement = self.open(connection)?;
        let columns = columns(&statement);
        let mut rows = statement.raw_query();
        Ok(fill(&mut rows, &columns, sink)?.0)
    }
}

/// A parameter's value as its type, where it has one. What does not fit would end the transaction, were it sent.
fn fitting<'v>(param: &'v Parameter<'_>) -> Result<Cow<'v, Value>> {
    match param.ty {
        Some(ty) if !is_of(&param.value, ty) => {
            coerce(&param.value, ty, None).map_err(|found| Error::new(ErrorKind::BadValue, found.to_string()).unsent())
        }
        _ => Ok(Cow::Borrowed(&param.value)),
    }
}

/// A transaction that is taken back where it is not committed.
struct Open<'c> {
    connection: &'c Connection,
    watch: &'c Watch,
    committed: bool,
}

impl Drop for Open<'_> {
    /// Whatever interrupts the work would interrupt this, too.
    fn drop(&mut self) {
        if !self.committed {
            self.watch.ends();
            // What failed tells more than this would.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// As the driver counts rows.
pub(super) fn count(changed: usize) -> u64 {
    u64::try_from(changed).unwrap_or(u64::MAX)
}

/// Binds the parameters of a statement, which must be as many as it has.
pub(super) fn bind(statement: &mut Statement<'_>, binds: &[Bound]) -> Result<()> {
    let wanted = statement.parameter_count();
    if binds.len() != wanted {
        let message = format!("{} parameters are given, the statement has {wanted}", binds.len());
        return Err(Error::new(ErrorKind::BadValue, message));
    }
    for (index, bind) in binds.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, bind).map_err(error)?;
    }
    Ok(())
}

/// Gives rows to a sink, until it has enough: how many, and whether there may be more.
pub(super) fn fill(rows: &mut Rows<'_>, columns: &[Column], sink: &mut dyn RowSink) -> Result<(u64, bool)> {
    let mut count = 0;
    while let Some(row) = rows.next().map_err(error)? {
        count += 1;
        if sink.row(&DuckDbRow { row, columns })? == Flow::Enough {
            return Ok((count, true));
        }
    }
    Ok((count, false))
}
