//! A query whose rows are read as they are asked for: it stands on a thread of its own between two calls.

use std::sync::mpsc;

use isogloss_driver::{BoxFuture, Cursor, Error, ErrorKind, Result, RowSink};
use oracle::Connection;
use tokio::sync::oneshot;

use super::error::error;
use super::raw::Raw;
use super::run::{Call, fill, of_large};

/// A sink to be filled, and where it goes then.
type Order = (Box<dyn RowSink>, oneshot::Sender<Result<(Box<dyn RowSink>, bool)>>);

/// The caller's end. When it is dropped, the thread closes the query, and gives the connection back.
pub(super) struct OracleCursor<'c> {
    orders: mpsc::Sender<Order>,
    raw: &'c Raw,
}

impl<'c> OracleCursor<'c> {
    /// The two ends of a cursor.
    pub(super) fn new(raw: &'c Raw) -> (Self, mpsc::Receiver<Order>) {
        let (orders, receiver) = mpsc::channel();
        (Self { orders, raw }, receiver)
    }
}

impl Cursor for OracleCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let (answer, filled) = oneshot::channel();
            if self.orders.send((sink, answer)).is_err() {
                return Err(Error::new(ErrorKind::Other, "the query has ended"));
            }
            let mut interrupt = self.raw.interrupt();
            let filled = filled.await;
            interrupt.disarm();
            filled.unwrap_or_else(|_| Err(Error::new(ErrorKind::ConnectionLost, "the thread of the query ended")))
        })
    }
}

/// The other end: says that the query is open, and fills sinks until there are no more of them, or no more rows.
pub(super) fn serve(
    connection: &Connection,
    call: &Call,
    opened: oneshot::Sender<Result<()>>,
    orders: &mpsc::Receiver<Order>,
) -> Result<()> {
    let prepared = call.prepare(connection).and_then(|mut statement| {
        call.bind(&mut statement, &call.binds)?;
        Ok(statement)
    });
    let mut statement = match prepared {
        Ok(statement) => statement,
        Err(error) => {
            // Whoever waits for it is told; who does not has given it up.
            let _ = opened.send(Err(error));
            return Ok(());
        }
    };
    let mut rows = match statement.query(&[]) {
        Ok(rows) => rows,
        Err(found) => {
            let found = of_large(error(found), &call.binds);
            let lost = found.kind() == ErrorKind::ConnectionLost;
            let _ = opened.send(Err(found));
            return match lost {
                true => Err(Error::new(ErrorKind::ConnectionLost, "the query has lost its connection")),
                false => Ok(()),
            };
        }
    };
    if opened.send(Ok(())).is_err() {
        return Ok(());
    }
    while let Ok((mut sink, answer)) = orders.recv() {
        let filled = fill(&mut rows, &mut *sink);
        let lost = filled.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionLost);
        let more = matches!(filled, Ok((_, true)));
        let wanted = answer.send(filled.map(|(_, more)| (sink, more))).is_ok();
        if lost {
            return Err(Error::new(ErrorKind::ConnectionLost, "the query has lost its connection"));
        }
        if !more || !wanted {
            break;
        }
    }
    Ok(())
}
