//! Rows that are answered as they come.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_util::future::{Either, select};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use isogloss::OrmError;
use isogloss::driver::Result;
use isogloss::service::{EachRow, ReadAny, ServiceQuery};
use tokio::sync::mpsc;
use tokio::time::{timeout, timeout_at};
use tracing::Instrument as _;

use super::{RowWriter, lock};
use crate::routes::panicked;
use crate::{Call, Problem, ProblemKind, WebResult};

/// How many bytes are sent at once.
const CHUNK: usize = 32 * 1024;
/// How long a client may read nothing, until the query ends that it keeps a connection of the pool with.
const STALL: Duration = Duration::from_secs(5);

/// The rows that a query finds, written by a writer as they come, in constant memory.
///
/// The status is sent when the first rows are there, or an error instead of them. One that comes later breaks the connection
/// off, so that nobody takes what has been sent for all of it.
pub(crate) async fn streamed(call: &Call, query: ServiceQuery, writer: Box<dyn RowWriter>) -> WebResult {
    let content = writer.content_type();
    let written = Arc::new(Mutex::new(Written { writer, text: Vec::new() }));
    let into = Arc::clone(&written);
    let read: ReadAny = Arc::new(move |row| {
        let Written { writer, text } = &mut *lock(&into);
        writer.row(row, text)?;
        Ok(Box::new(()))
    });
    let rows = call.service()?.find_each_any(query, read);
    let (sender, mut receiver) = mpsc::channel(1);
    // Its own task, so that the deadline frees the pooled connection even if the client stops reading.
    let (session, deadline) = (call.session.clone(), call.deadline);
    let task = async move {
        let gone = sender.clone();
        let teller = session.clone();
        let told = move |error: OrmError| teller.told(error);
        let sent = AssertUnwindSafe(send(rows, &written, &sender, told)).catch_unwind();
        let last = match select(pin!(timeout_at(deadline, sent)), pin!(gone.closed())).await {
            Either::Left((Ok(Ok(Ok(last))), _)) => BodyPart::End(last),
            Either::Left((Ok(Ok(Err(problem))), _)) => BodyPart::Failed(problem),
            Either::Left((Ok(Err(panic)), _)) => BodyPart::Failed(panicked(&*panic)),
            Either::Left((Err(_), _)) => BodyPart::Failed(Problem::of(ProblemKind::Timeout)),
            Either::Right(_) => return,
        };
        drop(session);
        // Nobody may be there any more.
        let _ = timeout_at(deadline, sender.send(last)).await;
    };
    tokio::spawn(task.in_current_span());
    let first = match receiver.recv().await {
        Some(BodyPart::Failed(problem)) => return Err(problem),
        Some(BodyPart::End(all)) => return Ok(answer(Body::from(all), content)),
        Some(first) => first,
        None => return Err(Problem::of(ProblemKind::Internal)),
    };
    let parts = stream::unfold(Some((Some(first), receiver)), |state| async {
        let (first, mut receiver) = state?;
        let part = match first {
            Some(first) => Some(first),
            None => receiver.recv().await,
        };
        match part {
            Some(BodyPart::Some(bytes)) => Some((Ok(bytes), Some((None, receiver)))),
            Some(BodyPart::End(bytes)) => Some((Ok(bytes), None)),
            Some(BodyPart::Failed(problem)) => Some((Err(problem), None)),
            None => Some((Err(Problem::of(ProblemKind::Internal)), None)),
        }
    });
    Ok(answer(Body::from_stream(parts), content))
}

fn answer(body: Body, content: &'static str) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content));
    response
}

struct Written {
    writer: Box<dyn RowWriter>,
    text: Vec<u8>,
}

/// A part of the body, or what came instead of it.
enum BodyPart {
    Some(Bytes),
    End(Bytes),
    Failed(Problem),
}

/// Sends what is written, and gives the last part of it.
async fn send<V: Send + 'static>(
    rows: EachRow<V>,
    written: &Mutex<Written>,
    sender: &mpsc::Sender<BodyPart>,
    told: impl Fn(OrmError) -> Problem,
) -> WebResult<Bytes> {
    let with = |write: fn(&mut dyn RowWriter, &mut Vec<u8>) -> Result<()>| {
        let Written { writer, text } = &mut *lock(written);
        write(&mut **writer, text)
    };
    with(|writer, text| {
        writer.begin(text);
        Ok(())
    })
    .map_err(|error| told(error.into()))?;
    let mut rows = rows.into_stream();
    while let Some(row) = rows.next().await {
        row.map_err(&told)?;
        let full = {
            let text = &mut lock(written).text;
            (text.len() >= CHUNK).then(|| std::mem::take(text))
        };
        if let Some(full) = full {
            let sent = timeout(STALL, sender.send(BodyPart::Some(full.into()))).await;
            // Where nobody is there any more, the task is ended from outside.
            sent.map_err(|_| Problem::of(ProblemKind::Timeout))?.ok();
        }
    }
    with(|writer, text| writer.end(text)).map_err(|error| told(error.into()))?;
    Ok(std::mem::take(&mut lock(written).text).into())
}
