//! The endpoints, each as the specification has it.

mod by_id;
mod count;
mod include;
mod lenient;
mod list;
mod page;
mod paging;
mod precondition;
mod query;
mod references;
mod write;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use isogloss::expr::{SqlSegment, ValueOps as _, constant};

/// Rows to be counted, but no more than so many: as a derived table, since a count leaves the paging of its own query away.
fn at_most(rows: SqlSegment, most: u64) -> SqlSegment {
    rows.take(most).select([constant(1).alias("One")]).into_segment().select(["One"]).into_segment()
}

/// A text of JSON as an answer.
fn json(text: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// What prints as JSON as an answer: a truth value or a number.
fn ok(value: impl std::fmt::Display) -> Response {
    json(value.to_string().into_bytes())
}
