//! `GET /count`.

use axum::response::Response;

use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn count(&self, _keyword: Option<&str>) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }
}
