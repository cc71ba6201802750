//! Problems: answers to requests that fail.

mod answer;
mod client;
mod constraint;
mod failure;
mod kind;
mod page;
mod pointer;

use std::borrow::Cow;
use std::time::Duration;

use axum::http::Method;
use axum::response::Response;

pub use kind::ProblemKind;

pub(crate) use constraint::columns_of;
use page::PageBody;

use crate::names::shown;

/// The result of an endpoint.
pub type WebResult<T = Response> = Result<T, Problem>;

/// An error as the client receives it: a problem of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).
///
/// It contains no message of the engine, and no value other than the client's own.
///
/// ```
/// use axum::response::IntoResponse;
/// use isogloss_web::{Problem, ProblemKind};
/// let problem = Problem::new(ProblemKind::BadValue, "An order has at most 100 pieces.").at("$.pieces").of_field("pieces");
/// let answer = problem.into_response();
/// assert_eq!(answer.status(), 422);
/// assert_eq!(answer.headers()["content-type"], "application/problem+json");
/// ```
// Boxed, so that results are small.
#[derive(Debug)]
pub struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ProblemKind,
    detail: Cow<'static, str>,
    path: Option<String>,
    field: Option<String>,
    errors: Vec<FieldProblem>,
    instance: Option<String>,
    retry_after: Option<Duration>,
    allow: Vec<Method>,
    /// The body, where the page endpoint has its own.
    page: Option<PageBody>,
}

/// An invalid member of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    field: String,
    code: &'static str,
    detail: String,
    path: String,
}

impl FieldProblem {
    /// A problem with a member of the body. A name of more than 100 characters is shortened.
    pub fn new(field: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        let field = field.into();
        let field = shown(&field).into_owned();
        Self { code, detail: detail.into(), path: pointer::path_of(&field), field }
    }

    /// The name of the member, as the client knows it.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The code of the problem, for programs: `required`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What is wrong, for people.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The place of the member, as a JSON path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Problem {
    /// A problem of a kind, with a sentence for people.
    pub fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            detail: detail.into(),
            path: None,
            field: None,
            errors: Vec::new(),
            instance: None,
            retry_after: None,
            allow: Vec::new(),
            page: None,
        }))
    }

    /// A problem of a kind, with the usual sentence for it.
    #[must_use]
    pub fn of(kind: ProblemKind) -> Self {
        Self::new(kind, kind.detail())
    }

    /// A problem with invalid members of the body.
    #[must_use]
    pub fn of_fields(errors: Vec<FieldProblem>) -> Self {
        let mut problem = Self::of(ProblemKind::InvalidBody);
        if let [error] = &*errors {
            problem.0.detail = error.detail.clone().into();
            problem = problem.at(error.path.clone()).of_field(error.field.clone());
        }
        problem.0.errors = errors;
        problem
    }

    /// Sets the place in the client's JSON, as a JSON path: `$.Right`.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    /// Without a place in JSON: the client has not written the tree that it would lead through.
    pub(crate) fn nowhere(mut self) -> Self {
        self.0.path = None;
        self
    }

    /// With another sentence for people.
    pub(crate) fn saying(mut self, detail: String) -> Self {
        self.0.detail = detail.into();
        self
    }

    /// Sets the field that the problem is about, as the client knows it.
    #[must_use]
    pub fn of_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// Sets the URI of this occurrence.
    #[must_use]
    pub fn instance(mut self, address: impl Into<String>) -> Self {
        self.0.instance = Some(address.into());
        self
    }

    /// Sets the header `Retry-After`. A 503 has it in any case.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Sets the methods that the resource supports, for a 405.
    #[must_use]
    pub fn allow(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.0.allow = methods.into_iter().collect();
        self
    }

    /// The kind of the problem.
    #[must_use]
    pub fn kind(&self) -> ProblemKind {
        self.0.kind
    }

    /// The invalid members of the body.
    #[must_use]
    pub fn errors(&self) -> &[FieldProblem] {
        &self.0.errors
    }

    /// The sentence for people.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.kind.code(), self.0.detail)
    }
}

impl std::error::Error for Problem {}
