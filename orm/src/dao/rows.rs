//! The rows of a search, which runs when they are requested.

use std::fmt;
use std::marker::PhantomData;

use futures_core::Stream;
use isogloss_compiler::expr::Name;
use isogloss_compiler::{Compiled, Request, Target};
use isogloss_driver::{Error, Flow, Layout, ReadRow, Row, RowSink};

use super::access::{Access, leased};
use super::entity::named;
use super::{Search, TableArgs};
use crate::session::{Lease, Purpose, Session};
use crate::{OrmError, OrmResult};

/// For how many rows of a page there is room at once: a page of any size may be asked for.
const MOST_ROOM: usize = 128;

/// The rows that a search will return. The query runs when one of the methods is awaited.
///
/// Once the data source is open, `{:?}` shows the SQL that it would be given, with placeholders for values, and `{:#?}`, which
/// `dbg!` takes, shows it in several lines. Before, it shows what is searched, with its values.
#[doc(alias = "EnumerableResult")]
#[must_use = "nothing is asked until it is awaited: `.all().await`"]
pub struct Rows<T, R = Layout> {
    session: Session,
    /// The entity that a bare filter is over; without one, the query says it itself.
    root: Name,
    search: Search,
    args: TableArgs,
    reader: R,
    of: PhantomData<fn() -> T>,
}

impl<T: Send + 'static, R: ReadRow<T> + Clone + Sync> Rows<T, R> {
    pub(super) fn new(over: Access, search: Search, reader: R) -> Self {
        Self { session: over.session, root: over.name, search, args: over.args, reader, of: PhantomData }
    }

    /// Returns all rows.
    ///
    /// # Errors
    /// A query that cannot be compiled or run, or a row that does not fit, with its number.
    #[doc(alias = "to_list")]
    pub async fn all(self) -> OrmResult<Vec<T>> {
        self.gather(usize::MAX).await
    }

    /// Returns the first row, or `None` without rows. It does not limit the query: add `take(1)` if there may be many
    /// rows.
    ///
    /// # Errors
    /// A query that cannot be compiled or run, or a row that does not fit.
    #[doc(alias = "first_or_default")]
    pub async fn first(self) -> OrmResult<Option<T>> {
        Ok(self.gather(1).await?.into_iter().next())
    }

    async fn gather(&self, most: usize) -> OrmResult<Vec<T>> {
        let mut lease = self.lease().await?;
        let room = self.search.most().and_then(|rows| usize::try_from(rows).ok()).map_or(0, |rows| rows.min(MOST_ROOM));
        let rows =
            || Gathered { rows: Vec::with_capacity(room), reader: self.reader.clone(), most, name: self.root.clone() };
        Ok(lease.gather(|opened| self.compile(&opened.target), |_, _| rows()).await?.rows)
    }

    /// Returns a stream of the rows. Rows are read ahead in batches: what arrives within about a millisecond, at most
    /// 1,024. The stream holds its connection until it is dropped.
    pub fn stream(self) -> impl Stream<Item = OrmResult<T>> + Send {
        let (name, reader) = (self.root.clone(), self.reader.clone());
        let open = async move {
            let lease = self.lease().await?;
            let statement = self.compile(lease.target())?.into_owned();
            OrmResult::Ok((lease, statement))
        };
        crate::session::rows(open, reader, move |error, number| error_in_row(error, name.as_str(), number))
    }

    async fn lease(&self) -> OrmResult<Lease> {
        leased(&self.session, self.root.as_str(), Purpose::Read, &self.args, self.search.expr()).await
    }
}

impl<T, R> Rows<T, R> {
    fn compile(&self, target: &Target) -> OrmResult<Compiled<'_>> {
        self.session.compile(target, self.search.statement()?, self.request())
    }

    fn request(&self) -> Request<'_> {
        self.search.request(self.root.as_str(), &self.args)
    }

    /// The statement, if its dialect is known without a connection.
    fn known(&self) -> OrmResult<Option<Compiled<'static>>> {
        let context = self.session.context();
        let (_, model) = named(context.catalog(), self.root.as_str())?;
        let Some(opened) = context.data_source_of(model)?.known() else { return Ok(None) };
        let statement = self.session.compile_shown(&opened.target, self.search.statement()?, self.request())?;
        Ok(Some(statement.into_owned()))
    }
}

impl<T, R> fmt::Debug for Rows<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = f.alternate();
        let mut shown = f.debug_struct("Rows");
        shown.field("of", &self.root);
        match self.known() {
            Ok(Some(statement)) if lines => shown.field("sql", &format_args!("\n{}", statement.pretty())),
            Ok(Some(statement)) => shown.field("sql", &format_args!("{}", statement.sql)),
            Ok(None) => shown.field("search", &self.search),
            Err(error) => shown.field("error", &format_args!("{error}")),
        };
        shown.finish_non_exhaustive()
    }
}

/// Gathers rows, and says which of them does not fit.
struct Gathered<T, R> {
    rows: Vec<T>,
    reader: R,
    most: usize,
    name: Name,
}

impl<T: Send + 'static, R: ReadRow<T>> RowSink for Gathered<T, R> {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        let number = self.rows.len() as u64 + 1;
        self.rows.push(self.reader.read(row).map_err(|error| driver_error_in_row(error, self.name.as_str(), number))?);
        Ok(if self.rows.len() < self.most { Flow::More } else { Flow::Enough })
    }

    fn most(&self) -> usize {
        self.most.saturating_sub(self.rows.len())
    }
}

/// The error of a row that does not fit, with its number.
pub(super) fn driver_error_in_row(error: Error, name: &str, number: u64) -> Error {
    let message = format!("row {number} of `{name}`: {}", error.message());
    Error::new(error.kind(), message).with_source(error)
}

fn error_in_row(error: OrmError, name: &str, number: u64) -> OrmError {
    match error {
        OrmError::Driver { data_source, error } if error.kind() == isogloss_driver::ErrorKind::Decode => {
            OrmError::Driver { data_source, error: driver_error_in_row(error, name, number) }
        }
        other => other,
    }
}
