//! `GET /`.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use isogloss::service::QueryOf;

use crate::rows::{JsonArray, streamed};
use crate::{Call, WebResult};

/// How many rows the list has at most.
const MAX_ROWS: HeaderName = HeaderName::from_static("x-max-rows");

impl Call {
    /// All rows, as many as a list may have at most, by their key. The header `X-Max-Rows` says how many that is.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn list(&self) -> WebResult<Response> {
        let mounted = &self.mounted;
        let most = mounted.rules.max_list;
        let rows = mounted.in_key_order(mounted.rows());
        let query = mounted.seen(match most {
            Some(most) => rows.take(most),
            None => rows,
        });
        let writer = JsonArray::new(mounted.json());
        let mut response = streamed(self, QueryOf::<()>::into_query(query), writer).await?;
        if let Some(most) = most {
            response.headers_mut().insert(MAX_ROWS, HeaderValue::from(most));
        }
        Ok(response)
    }
}
