//! `POST /page`.

use std::io::Write as _;
use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use isogloss::service::{QueryOf, ServiceQuery};

use super::json;
use super::query::Asked;
use crate::rows::{JsonRow, items};
use crate::{Call, Problem, WebResult};

impl Call {
    /// The page that a tree of the client's asks for: how many rows were skipped, how many a page has, how many rows there
    /// are, and those of the page.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn page(&self, body: Bytes) -> WebResult<Response> {
        let mounted = &self.mounted;
        let Asked { skip, take, counted, query, shape } = self.asked(&body).await?;
        let row = shape.map_or_else(|| mounted.json(), |shape| Arc::new(JsonRow::new(&shape, mounted.rules.int64)));
        let counted: ServiceQuery = match counted {
            Some(query) => QueryOf::<()>::into_query(query),
            None => QueryOf::<()>::into_query(()),
        };
        let service = self.service()?;
        let told = |error| self.session.told(Problem::of_query(error));
        let total = service.number_of(counted).await.map_err(told)?;
        let items = items(&*service, QueryOf::<()>::into_query(query), row).await.map_err(told)?;
        let mut text = Vec::with_capacity(items.text.len() + 80);
        // Memory takes all of it.
        let _ = write!(text, r#"{{"skip":{skip},"take":{take},"total":{total},"items":["#);
        text.extend_from_slice(&items.text);
        text.extend_from_slice(b"]}");
        Ok(json(text))
    }
}
