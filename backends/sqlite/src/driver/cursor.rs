//! A query whose rows are read as they are asked for: it stands on a thread of its own between two calls.

use std::sync::mpsc;
use std::time::Duration;

use isogloss_driver::{BoxFuture, Cursor, Error, ErrorKind, Flow, Result, RowSink};
use rusqlite::types::Value as Stored;
use tokio::sync::oneshot;

use super::error::error;
use super::run::{bind, complete, ended};
use super::slot::{Control, Raw, Slot};
use super::value::SqliteRow;

/// A sink to be filled, and where it goes then.
type Order = (Box<dyn RowSink>, oneshot::Sender<Result<(Box<dyn RowSink>, bool)>>);

/// The caller's end. When it is dropped, the thread gives the connection back.
pub(super) struct SqliteCursor<'c> {
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) slot: &'c Slot,
    waits: bool,
}

impl<'c> SqliteCursor<'c> {
    /// The two ends of a cursor.
    pub(super) fn new(slot: &'c Slot) -> (Self, mpsc::Receiver<Order>) {
        let (orders, receiver) = mpsc::channel();
        (Self { orders, slot, waits: false }, receiver)
    }
}

impl Drop for SqliteCursor<'_> {
    fn drop(&mut self) {
        // Between two calls the thread waits for orders, and sees that there are none any more.
        if self.waits {
            self.slot.give_up();
        }
    }
}

impl Cursor for SqliteCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let gone = |_| Error::new(ErrorKind::ConnectionLost, "the thread of the query ended");
            let (answer, filled) = oneshot::channel();
            if self.orders.send((sink, answer)).is_err() {
                return Err(Error::new(ErrorKind::Other, "the query has ended"));
            }
            self.waits = true;
            let filled = filled.await;
            self.waits = false;
            filled.unwrap_or_else(|lost| Err(gone(lost)))
        })
    }
}

/// The other end: fills sinks until there are no more of them, or no more rows.
pub(super) fn serve(
    raw: &mut Raw,
    control: &Control,
    timeout: Option<Duration>,
    sql: &str,
    params: &[Stored],
    orders: &mpsc::Receiver<Order>,
) -> Result<()> {
    let Ok((mut sink, mut answer)) = orders.recv() else { return Ok(()) };
    let failed = |e| error(e, sql);
    let opened = raw.connection.prepare_cached(sql).map_err(failed).and_then(|mut prepared| {
        bind(&mut prepared, params).map_err(failed)?;
        complete(&prepared, params.len(), sql)?;
        Ok(prepared)
    });
    let mut prepared = match opened {
        Ok(prepared) => prepared,
        Err(error) => {
            let _ = answer.send(Err(error));
            return Ok(());
        }
    };
    let reads = prepared.readonly();
    let mut rows = prepared.raw_query();
    loop {
        // The time that the caller takes between two calls is not the statement's.
        control.begin(false, timeout);
        let filled = loop {
            match rows.next() {
                Ok(Some(row)) => match sink.row(&SqliteRow(row)) {
                    Ok(Flow::More) => {}
                    Ok(Flow::Enough) => break Ok(true),
                    Err(error) => break Err(error),
                },
                Ok(None) => break Ok(false),
                Err(found) => break Err(ended(&raw.connection, control, found, sql, reads)),
            }
        };
        let more = matches!(filled, Ok(true));
        // Nobody waits for it any more: the cursor was dropped.
        let wanted = answer.send(filled.map(|more| (sink, more))).is_ok();
        if !more || !wanted {
            return Ok(());
        }
        let Ok(next) = orders.recv() else { return Ok(()) };
        (sink, answer) = next;
    }
}
