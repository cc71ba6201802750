//! What is answered where a request cannot be done.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// The result of an endpoint.
pub type WebResult<T = Response> = Result<T, Problem>;

/// What went wrong with a request, as the client is told: [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).
///
/// It says nothing that the engine has said, and no value but the client's own.
#[derive(Debug)]
pub struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) detail: String,
    /// The place in the client's JSON, as a JSON path.
    pub(crate) path: Option<String>,
}

/// The kinds of problems: each has a status and a stable `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// 400: the request cannot be read, or asks for what is not there.
    BadRequest,
    /// 404: there is no such row.
    NotFound,
    /// 500: the program is to be mended. Its log says why.
    Internal,
}

impl ProblemKind {
    /// The status of the answer.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl Problem {
    /// A problem of a kind.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), path: None }
    }

    /// With the place in the client's JSON.
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }
}

impl From<isogloss::OrmError> for Problem {
    fn from(error: isogloss::OrmError) -> Self {
        tracing::error!(target: "isogloss::web", error = &error as &dyn std::error::Error, "a request has failed");
        Self::new(ProblemKind::Internal, "the server could not do it")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.kind.status(), self.detail).into_response()
    }
}
