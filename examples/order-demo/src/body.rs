//! Bodies of requests, and values in those of answers.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use isogloss::chrono::NaiveDateTime;
use isogloss::expr::Decimal;
use isogloss_web::{Problem, ProblemKind, WebResult};
use serde_json::value::RawValue;

/// The body of a request.
///
/// # Errors
/// It is no JSON, of another form, too long, or of another media type.
pub(crate) fn read<T>(body: Result<Json<T>, JsonRejection>) -> WebResult<T> {
    match body {
        Ok(Json(body)) => Ok(body),
        Err(JsonRejection::MissingJsonContentType(_)) => Err(Problem::of(ProblemKind::UnsupportedMediaType)),
        Err(other) if other.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(Problem::of(ProblemKind::TooLarge)),
        Err(other) => Err(Problem::new(ProblemKind::BadJson, other.body_text())),
    }
}

/// A time as answers have it: ISO 8601, in UTC.
pub(crate) fn time(time: NaiveDateTime) -> String {
    time.format("%Y-%m-%dT%H:%M:%S%.fZ").to_string()
}

/// A decimal as a number with all of its digits.
pub(crate) fn number(decimal: Decimal) -> Option<Box<RawValue>> {
    RawValue::from_string(decimal.to_string()).ok()
}
