//! `GET /{id}`, `DELETE /{id}` and `GET /exists/{id}`.

use axum::response::Response;

use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn get(&self, _id: &str) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }

    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn delete(&self, _id: &str) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }

    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn exists(&self, _id: &str) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }
}
