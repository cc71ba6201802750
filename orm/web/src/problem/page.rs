//! The three errors of the page endpoint that are not problem details.

use isogloss::json::{JsonError, JsonErrorKind};
use isogloss::walk::ExprType;
use serde::Serialize;

use super::{Problem, ProblemKind};

/// A body as the specification has it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageBody {
    error: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl Problem {
    /// The error for a body that is not a tree. A body that is too long is a 413.
    #[must_use]
    pub fn unreadable_expr(error: JsonError) -> Self {
        if matches!(error.kind, JsonErrorKind::TooManyBytes { .. }) {
            return error.into();
        }
        Self::of(ProblemKind::BadJson).with_page(PageBody {
            error: "Invalid Expr JSON.",
            detail: Some(error.message()),
            failed_type: None,
            path: Some(error.path.into()),
        })
    }

    /// The error for a body that is `null`.
    #[must_use]
    pub fn null_expr() -> Self {
        let error = "Request body must be a valid Expr JSON.";
        Self::of(ProblemKind::BadJson).with_page(PageBody { error, detail: None, failed_type: None, path: None })
    }

    /// The error for a node of a kind that queries do not have, at a JSON path.
    #[must_use]
    pub fn disallowed_node(kind: ExprType, path: impl Into<String>) -> Self {
        Self::of(ProblemKind::BadQuery).with_page(PageBody {
            error: "Expr contains disallowed node types.",
            detail: None,
            failed_type: Some(format!("{kind}Expr")),
            path: Some(path.into()),
        })
    }

    fn with_page(mut self, body: PageBody) -> Self {
        self.0.page = Some(body);
        self
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use isogloss::json;

    use super::*;

    fn body(problem: &Problem) -> serde_json::Value {
        serde_json::to_value(problem.0.page.as_ref().unwrap()).unwrap()
    }

    /// B6, B7, B8, B9
    #[test]
    fn bodies_are_those_of_the_specification() {
        let unreadable = Problem::unreadable_expr(json::from_str(r#"{"$":"=="}"#).unwrap_err());
        let told = body(&unreadable);
        assert_eq!((&told["error"], &told["path"]), (&"Invalid Expr JSON.".into(), &"$".into()));
        assert!(told["detail"].as_str().unwrap().starts_with("missing key"));
        assert_eq!(
            body(&Problem::null_expr()),
            serde_json::json!({"error": "Request body must be a valid Expr JSON."})
        );
        let disallowed = Problem::disallowed_node(ExprType::Update, "$.Left");
        let expected = serde_json::json!({
            "error": "Expr contains disallowed node types.", "failedType": "UpdateExpr", "path": "$.Left",
        });
        assert_eq!(body(&disallowed), expected);
        let answer = disallowed.into_response();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["content-type"]),
            (400, &"application/json".parse().unwrap())
        );
    }
}
