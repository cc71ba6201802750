//! A problem as the answer to a request.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::pointer::pointer;
use super::{FieldProblem, Problem};

/// The members of RFC 9457, and ours behind them.
#[derive(Serialize)]
struct ProblemMembers<'p> {
    #[serde(rename = "type")]
    type_uri: &'static str,
    title: &'static str,
    status: u16,
    detail: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<&'p str>,
    code: &'static str,
    #[serde(flatten)]
    place: JsonPlace<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'p str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Member<'p>>,
}

/// One of `errors`.
#[derive(Serialize)]
struct Member<'p> {
    field: &'p str,
    code: &'static str,
    detail: &'p str,
    #[serde(flatten)]
    place: JsonPlace<'p>,
}

impl<'p> Member<'p> {
    fn new(error: &'p FieldProblem) -> Self {
        let FieldProblem { field, code, detail, path } = error;
        Self { field, code, detail, place: JsonPlace::new(Some(path)) }
    }
}

/// A place in the client's JSON.
#[derive(Serialize)]
struct JsonPlace<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'p str>,
    /// The place as RFC 6901 has it, where the path is not shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
}

impl<'p> JsonPlace<'p> {
    fn new(path: Option<&'p str>) -> Self {
        Self { path, pointer: path.and_then(pointer) }
    }
}

impl Problem {
    fn members(&self) -> ProblemMembers<'_> {
        ProblemMembers {
            type_uri: self.0.kind.type_uri(),
            title: self.0.kind.title(),
            status: self.0.kind.status().as_u16(),
            detail: &self.0.detail,
            instance: self.0.instance.as_deref(),
            code: self.0.kind.code(),
            place: JsonPlace::new(self.0.path.as_deref()),
            field: self.0.field.as_deref(),
            errors: self.0.errors.iter().map(Member::new).collect(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.0.kind.status();
        let (content, body) = match &self.0.page {
            Some(page) => ("application/json", serde_json::to_vec(page)),
            None => ("application/problem+json", serde_json::to_vec(&self.members())),
        };
        // Texts and numbers alone are always written.
        let mut response = Response::new(Body::from(body.unwrap_or_default()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::NOT_ACCEPTABLE => {
                headers.insert(VARY, HeaderValue::from_static("Accept"));
            }
            StatusCode::METHOD_NOT_ALLOWED if !self.0.allow.is_empty() => {
                let methods = self.0.allow.iter().map(|method| method.as_str()).collect::<Vec<_>>().join(", ");
                headers.extend(HeaderValue::try_from(methods).ok().map(|methods| (ALLOW, methods)));
            }
            _ => {}
        }
        let wait = self.0.retry_after.map(|wait| wait.as_secs().max(1));
        if let Some(seconds) = wait.or((status == StatusCode::SERVICE_UNAVAILABLE).then_some(1)) {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::Method;

    use super::*;
    use crate::ProblemKind;

    fn json(problem: &Problem) -> serde_json::Value {
        serde_json::to_value(problem.members()).unwrap()
    }

    #[test]
    fn members_are_those_of_rfc_9457() {
        let problem = Problem::new(ProblemKind::BadValue, "No.").at("$.a[1]").of_field("a").instance("/log/7");
        let expected = serde_json::json!({
            "type": "/problems/bad-value", "title": "Bad value", "status": 422, "detail": "No.", "instance": "/log/7",
            "code": "bad-value", "path": "$.a[1]", "pointer": "/a/1", "field": "a",
        });
        assert_eq!(json(&problem), expected);
    }

    #[test]
    fn several_members_are_told_together() {
        let problem = |fields: &[&str]| {
            let errors = fields.iter().map(|field| FieldProblem::new(*field, "required", "It is missing."));
            json(&Problem::of_fields(errors.collect()))
        };
        let one = problem(&["x y"]);
        assert_eq!(
            (&one["field"], &one["path"], &one["pointer"]),
            (&"x y".into(), &r#"$["x y"]"#.into(), &"/x y".into())
        );
        let two = problem(&["a", "b"]);
        assert_eq!(two["errors"].as_array().unwrap().len(), 2);
        assert!(two.get("field").is_none() && two["errors"][1]["pointer"] == "/b");
    }

    #[test]
    fn headers_say_what_to_do() {
        let headers = |problem: Problem| problem.into_response().headers().clone();
        assert_eq!(headers(Problem::of(ProblemKind::Contention))["retry-after"], "1");
        let late = Problem::of(ProblemKind::TooManyRequests).retry_after(Duration::from_secs(30));
        assert_eq!(headers(late)["retry-after"], "30");
        assert!(!headers(Problem::of(ProblemKind::InDoubt)).contains_key("retry-after"));
        assert_eq!(headers(Problem::of(ProblemKind::Unauthenticated))["www-authenticate"], "Bearer");
        let method = Problem::of(ProblemKind::MethodNotAllowed).allow([Method::GET, Method::PUT]);
        assert_eq!(headers(method)["allow"], "GET, PUT");
    }

    #[test]
    fn every_kind_has_a_type_of_its_own() {
        let codes: std::collections::HashSet<&str> = ProblemKind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(codes.len(), ProblemKind::ALL.len());
        assert!(ProblemKind::ALL.is_sorted_by_key(|kind| kind.status().as_u16()));
    }
}
