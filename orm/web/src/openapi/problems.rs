//! Answers that are problems.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::openapi::header::Header;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{Content, Ref, RefOr, Schema};

use super::{object, schema_at};
use crate::ProblemKind;

/// The answers of an endpoint that are problems.
pub(super) struct Responses;

impl Responses {
    /// One for each status.
    pub(super) fn components() -> Vec<(String, RefOr<Response>)> {
        let mut titles: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for kind in ProblemKind::ALL {
            titles.entry(kind.status().as_u16()).or_default().push(kind.title());
        }
        let response = |(status, titles): (u16, Vec<&str>)| {
            let content = Content::new(Some(schema_at("Problem")));
            let mut response =
                ResponseBuilder::new().description(titles.join("; ")).content("application/problem+json", content);
            if let Some((header, kind, description)) = header(status) {
                let mut said = Header::new(RefOr::T(Schema::Object(Object::with_type(kind))));
                said.description = Some(description.to_owned());
                response = response.header(header, said);
            }
            (name(status), RefOr::T(response.build()))
        };
        titles.into_iter().map(response).collect()
    }

    /// The one of a status.
    pub(super) fn at(status: u16) -> RefOr<Response> {
        RefOr::Ref(Ref::from_response_name(name(status)))
    }

    /// What the page endpoint answers to a tree that it does not take.
    pub(super) fn bad_page() -> Response {
        let content = |name: &str| Content::new(Some::<RefOr<Schema>>(schema_at(name)));
        ResponseBuilder::new()
            .description("The body is no tree, or one that is not allowed")
            .content("application/json", content("PageProblem"))
            .content("application/problem+json", content("Problem"))
            .build()
    }
}

/// What a problem of that status says to do in a header.
fn header(status: u16) -> Option<(&'static str, Type, &'static str)> {
    match status {
        401 => Some(("WWW-Authenticate", Type::String, "How to log in")),
        405 => Some(("Allow", Type::String, "The methods that there are")),
        429 | 503 => Some(("Retry-After", Type::Integer, "After how many seconds to try again")),
        _ => None,
    }
}

fn name(status: u16) -> String {
    format!("Problem{status}")
}

/// The schemas of problems.
pub(super) fn schemas() -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let codes: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.code()).collect();
    let types: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.type_uri()).collect();
    let of = |members: Value, required: &[&str]| {
        let members = members.as_object().cloned().unwrap_or_default();
        object(members, required.iter().map(|key| (*key).to_owned()).collect())
    };
    let place = json!({ "field": text(), "code": text(), "detail": text(), "path": text(), "pointer": text() });
    let field = of(place, &["field", "code", "detail"]);
    let problem = json!({
        "type": { "type": "string", "enum": types },
        "title": text(),
        "status": { "type": "integer" },
        "detail": text(),
        "instance": text(),
        "code": { "type": "string", "enum": codes },
        "path": { "type": "string", "description": "The place in the body, as a JSON path." },
        "pointer": { "type": "string", "description": "The place in the body, as a JSON pointer." },
        "field": text(),
        "errors": { "type": "array", "items": field },
    });
    let message = |error: &str, more: &[&str]| {
        let mut members = Map::from_iter([("error".to_owned(), json!({ "const": error }))]);
        members.extend(more.iter().map(|key| ((*key).to_owned(), text())));
        let required = members.keys().cloned().collect();
        object(members, required)
    };
    let pages = json!({
        "anyOf": [
            message("Invalid Expr JSON.", &["detail", "path"]),
            message("Request body must be a valid Expr JSON.", &[]),
            message("Expr contains disallowed node types.", &["failedType", "path"]),
        ],
    });
    let problem = of(problem, &["type", "title", "status", "detail", "code"]);
    Map::from_iter([("Problem".to_owned(), problem), ("PageProblem".to_owned(), pages)])
}
