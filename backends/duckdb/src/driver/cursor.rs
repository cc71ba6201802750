//! A query whose rows are read as they are asked for: it stands on a thread of its own between two calls.

use std::sync::mpsc;
use std::time::Duration;

use duckdb::Connection;
use isogloss_driver::{BoxFuture, Cursor, Error, ErrorKind, Result, RowSink};
use tokio::sync::oneshot;

use super::raw::{Interrupt, Watch, timed_out};
use super::row::columns;
use super::run::{Call, fill};

/// A sink to be filled, and where it goes then.
type Order = (Box<dyn RowSink>, oneshot::Sender<Result<(Box<dyn RowSink>, bool)>>);

/// The caller's end. When it is dropped, the thread closes the query, and gives the connection back.
pub(super) struct DuckDbCursor<'c> {
    orders: mpsc::Sender<Order>,
    interrupt: Interrupt,
    timeout: Option<Duration>,
    waits: bool,
    /// Where it is said that the transaction has failed, if it stands in one.
    failed: &'c mut bool,
}

impl<'c> DuckDbCursor<'c> {
    pub(super) fn new(
        orders: mpsc::Sender<Order>,
        interrupt: Interrupt,
        timeout: Option<Duration>,
        failed: &'c mut bool,
    ) -> Self {
        Self { orders, interrupt, timeout, waits: false, failed }
    }
}

impl Drop for DuckDbCursor<'_> {
    fn drop(&mut self) {
        if self.waits {
            // It is interrupted, which is an error of the transaction.
            *self.failed = true;
        } else {
            // Between two calls the thread waits for orders, and sees that there are none any more.
            self.interrupt.disarm();
        }
    }
}

impl Cursor for DuckDbCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let (answer, mut filled) = oneshot::channel();
            if self.orders.send((sink, answer)).is_err() {
                return Err(Error::new(ErrorKind::Other, "the query has ended"));
            }
            self.waits = true;
            let filled = match self.timeout {
                None => filled.await,
                Some(limit) => match tokio::time::timeout(limit, &mut filled).await {
                    Ok(filled) => filled,
                    Err(_) => {
                        self.interrupt.now();
                        filled.await.map(|filled| filled.map_err(timed_out))
                    }
                },
            };
            self.waits = false;
            let gone = |_| Err(Error::new(ErrorKind::ConnectionLost, "the thread of the query ended"));
            let filled = filled.unwrap_or_else(gone);
            *self.failed |= filled.is_err();
            filled
        })
    }
}

/// The two ends of the orders of a cursor.
pub(super) fn orders() -> (mpsc::Sender<Order>, mpsc::Receiver<Order>) {
    mpsc::channel()
}

/// The other end: fills sinks until there are no more of them, or no more rows.
///
/// # Errors
/// What DuckDB reported, which its caller has been told, too.
pub(super) fn serve(connection: &Connection, watch: &Watch, call: &Call, orders: &mpsc::Receiver<Order>) -> Result<()> {
    call.around.run(connection, watch, || serve_here(connection, watch, call, orders))
}

fn serve_here(connection: &Connection, watch: &Watch, call: &Call, orders: &mpsc::Receiver<Order>) -> Result<()> {
    let Ok((mut sink, mut answer)) = orders.recv() else { return Ok(()) };
    let statement = match watch.go_on().and_then(|()| call.open(connection)) {
        Ok(statement) => statement,
        Err(error) => {
            let again = error.again();
            let _ = answer.send(Err(error));
            return Err(again);
        }
    };
    let columns = columns(&statement);
    let mut rows = statement.raw_query();
    loop {
        let filled = fill(&mut rows, &columns, &mut *sink);
        let more = matches!(filled, Ok((_, true)));
        let failed = filled.as_ref().err().map(Error::again);
        // Nobody waits for it any more: the cursor was dropped.
        let wanted = answer.send(filled.map(|(_, more)| (sink, more))).is_ok();
        if let Some(failed) = failed {
            return Err(failed);
        }
        if !more || !wanted {
            return Ok(());
        }
        let Ok(next) = orders.recv() else { return Ok(()) };
        (sink, answer) = next;
    }
}
