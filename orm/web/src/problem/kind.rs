//! The kinds of problems.

use axum::http::StatusCode;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $status:ident, $code:literal, $title:literal, $detail:literal;)*) => {
        /// The kind of a [`Problem`](super::Problem). Each has a status, and a `type` and a `code` that do not change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $($(#[$doc])* $kind,)*
        }

        impl ProblemKind {
            /// All kinds, by status.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The HTTP status.
            #[must_use]
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$kind => StatusCode::$status,)*
                }
            }

            /// The code of the kind, for programs: `unique-violation`.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                }
            }

            /// The problem's `type`, relative to the server: `/problems/unique-violation`.
            #[must_use]
            pub fn type_uri(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!("/problems/", $code),)*
                }
            }

            /// The title that all problems of the kind have.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$kind => $title,)*
                }
            }

            /// What is told where nothing more is known.
            pub(super) fn detail(self) -> &'static str {
                match self {
                    $(Self::$kind => $detail,)*
                }
            }
        }
    };
}

kinds! {
    /// 400: the request cannot be read.
    BadRequest = BAD_REQUEST, "bad-request", "Bad request", "The request cannot be read.";
    /// 400: the id in the path does not fit the type of the key.
    BadId = BAD_REQUEST, "bad-id", "Bad id", "The id does not fit the type of the key.";
    /// 400: the body is not JSON, or not of the form that the endpoint accepts.
    BadJson = BAD_REQUEST, "bad-json", "Bad JSON", "The body is not the JSON that is expected.";
    /// 400: the query uses a name that does not exist, or something that is not allowed.
    BadQuery = BAD_REQUEST, "bad-query", "Query refused", "The query asks for what is not there or not allowed.";
    /// 400: the cursor belongs to another query, or has expired.
    BadCursor = BAD_REQUEST, "bad-cursor", "Bad cursor", "The cursor is not of this query: begin with the first page.";
    /// 401: the caller is unknown, and must be known.
    Unauthenticated = UNAUTHORIZED, "unauthenticated", "Not logged in", "Log in and send the token with the request.";
    /// 403: the caller may not do this.
    Forbidden = FORBIDDEN, "forbidden", "Forbidden", "You are not allowed to do this.";
    /// 403: a row to be written is outside of the caller's scope.
    OutOfScope = FORBIDDEN, "out-of-scope", "Out of scope", "The row is not one that you may write.";
    /// 404: there is no such resource.
    NotFound = NOT_FOUND, "not-found", "Not found", "There is nothing at this address.";
    /// 405: the resource does not support the method.
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed", "Use a method that `Allow` names.";
    /// 406: no supported format is acceptable to the client.
    NotAcceptable = NOT_ACCEPTABLE, "not-acceptable", "Not acceptable", "There is no answer in a form that `Accept` names.";
    /// 408: the body did not arrive in time.
    RequestTimeout = REQUEST_TIMEOUT, "request-timeout", "Request timeout", "The body did not come in time.";
    /// 409: a unique key is used by another row.
    UniqueViolation = CONFLICT, "unique-violation", "Already taken", "Another row has this key already.";
    /// 409: a row refers to one that does not exist, or is still referred to.
    ForeignKeyViolation = CONFLICT, "foreign-key-violation", "Related row missing or in use",
        "The row refers to one that is not there, or others still refer to it.";
    /// 412: the row has another version than the client expects.
    VersionConflict = PRECONDITION_FAILED, "version-conflict", "Changed in the meantime",
        "The row has another version: read it again, and write on top of that.";
    /// 413: the body is longer than the endpoint accepts.
    TooLarge = PAYLOAD_TOO_LARGE, "too-large", "Body too large", "The body is longer than this endpoint takes.";
    /// 415: the body has another content type, or is compressed.
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Unsupported media type",
        "Send `Content-Type: application/json`, without a `Content-Encoding`.";
    /// 422: members of the body are invalid. `errors` has each of them.
    InvalidBody = UNPROCESSABLE_ENTITY, "invalid-body", "Invalid body", "Members of the body are wrong.";
    /// 422: a required field has no value.
    NotNullViolation = UNPROCESSABLE_ENTITY, "not-null-violation", "Value missing", "A field that is never null got no value.";
    /// 422: the row violates a constraint of the database.
    CheckViolation = UNPROCESSABLE_ENTITY, "check-violation", "Rule broken", "The row breaks a rule of the database.";
    /// 422: a value cannot be stored or computed with.
    BadValue = UNPROCESSABLE_ENTITY, "bad-value", "Bad value", "A value cannot be stored or computed with.";
    /// 422: the rows of the answer are larger than allowed.
    AnswerTooLarge = UNPROCESSABLE_ENTITY, "answer-too-large", "Answer too large",
        "The rows are longer than an answer may be: ask for fewer of them, or for less of each.";
    /// 428: the request does not say which version of the row it is about.
    PreconditionRequired = PRECONDITION_REQUIRED, "precondition-required", "Version required",
        "Say which version of the row you have read: send its `ETag` in `If-Match`.";
    /// 429: the client sends too many requests.
    TooManyRequests = TOO_MANY_REQUESTS, "too-many-requests", "Too many requests", "Wait before you ask again.";
    /// 500: an error of the program, with details in its log.
    Internal = INTERNAL_SERVER_ERROR, "internal", "Internal error", "The server cannot do this.";
    /// 503: a concurrent transaction was in the way. Nothing was written.
    Contention = SERVICE_UNAVAILABLE, "contention", "Too busy", "Another request was in the way: send this one again.";
    /// 503: the database cannot be reached, or has no connection or storage left.
    Unavailable = SERVICE_UNAVAILABLE, "unavailable", "Unavailable", "The database cannot do this now: try again later.";
    /// 504: the time limit was exceeded.
    Timeout = GATEWAY_TIMEOUT, "timeout", "Timeout", "It took longer than it may.";
    /// 504: the connection was lost or the time limit exceeded during a write, so that it is unknown whether it took
    /// effect. Check before the request is sent again.
    InDoubt = GATEWAY_TIMEOUT, "in-doubt", "Outcome unknown",
        "Whether it was written is not known: look before you send it again.";
}
