//! The kinds of problems.

use axum::http::StatusCode;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $status:ident, $code:literal, $title:literal, $detail:literal;)*) => {
        /// The kinds of problems. Each has a status, and a `type` and a `code` that stay as they are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $($(#[$doc])* $kind,)*
        }

        impl ProblemKind {
            /// Every kind, by status.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The status of the answer.
            #[must_use]
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$kind => StatusCode::$status,)*
                }
            }

            /// What a program tells kinds apart by: `unique-violation`.
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

            /// What all problems of the kind are called.
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
    /// 400: the body is no JSON, or not of the form that the endpoint takes.
    BadJson = BAD_REQUEST, "bad-json", "Bad JSON", "The body is not the JSON that is expected.";
    /// 400: the query names what is not there, or asks for what is not allowed.
    BadQuery = BAD_REQUEST, "bad-query", "Query refused", "The query asks for what is not there or not allowed.";
    /// 400: the cursor is not one of this query's, or is too old.
    BadCursor = BAD_REQUEST, "bad-cursor", "Bad cursor", "The cursor is not of this query: begin with the first page.";
    /// 401: nobody is logged in, and somebody must be.
    Unauthenticated = UNAUTHORIZED, "unauthenticated", "Not logged in", "Log in and send the token with the request.";
    /// 403: who is logged in may not do that.
    Forbidden = FORBIDDEN, "forbidden", "Forbidden", "You are not allowed to do this.";
    /// 403: a row that was to be written is of somebody else.
    OutOfScope = FORBIDDEN, "out-of-scope", "Out of scope", "The row is not one that you may write.";
    /// 404: there is no such resource.
    NotFound = NOT_FOUND, "not-found", "Not found", "There is nothing at this address.";
    /// 405: the resource has other methods.
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed", "Use a method that `Allow` names.";
    /// 406: the answer has no form that the client accepts.
    NotAcceptable = NOT_ACCEPTABLE, "not-acceptable", "Not acceptable", "There is no answer in a form that `Accept` names.";
    /// 408: the body did not come in time.
    RequestTimeout = REQUEST_TIMEOUT, "request-timeout", "Request timeout", "The body did not come in time.";
    /// 409: a key that has to be unique is taken.
    UniqueViolation = CONFLICT, "unique-violation", "Already taken", "Another row has this key already.";
    /// 409: a row refers to one that is not there, or is still referred to.
    ForeignKeyViolation = CONFLICT, "foreign-key-violation", "Related row missing or in use",
        "The row refers to one that is not there, or others still refer to it.";
    /// 412: the row has another version than the client believes.
    VersionConflict = PRECONDITION_FAILED, "version-conflict", "Changed in the meantime",
        "The row has another version: read it again, and write on top of that.";
    /// 413: the body is longer than the endpoint takes.
    TooLarge = PAYLOAD_TOO_LARGE, "too-large", "Body too large", "The body is longer than this endpoint takes.";
    /// 415: the body is of another content type, or encoded.
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Unsupported media type",
        "Send `Content-Type: application/json`, without a `Content-Encoding`.";
    /// 422: members of the body are wrong. `errors` has each of them.
    InvalidBody = UNPROCESSABLE_ENTITY, "invalid-body", "Invalid body", "Members of the body are wrong.";
    /// 422: a field that is never null got no value.
    NotNullViolation = UNPROCESSABLE_ENTITY, "not-null-violation", "Value missing", "A field that is never null got no value.";
    /// 422: a rule of the database does not hold for the row.
    CheckViolation = UNPROCESSABLE_ENTITY, "check-violation", "Rule broken", "The row breaks a rule of the database.";
    /// 422: a value that cannot be stored or computed with.
    BadValue = UNPROCESSABLE_ENTITY, "bad-value", "Bad value", "A value cannot be stored or computed with.";
    /// 422: the rows of the answer have more bytes than it may.
    AnswerTooLarge = UNPROCESSABLE_ENTITY, "answer-too-large", "Answer too large",
        "The rows are longer than an answer may be: ask for fewer of them, or for less of each.";
    /// 428: the request does not say which version of the row it is about.
    PreconditionRequired = PRECONDITION_REQUIRED, "precondition-required", "Version required",
        "Say which version of the row you have read: send its `ETag` in `If-Match`.";
    /// 429: the client asks too often.
    TooManyRequests = TOO_MANY_REQUESTS, "too-many-requests", "Too many requests", "Wait before you ask again.";
    /// 500: the program is to be mended. Its log says why.
    Internal = INTERNAL_SERVER_ERROR, "internal", "Internal error", "The server cannot do this.";
    /// 503: another transaction was in the way. Nothing was written.
    Contention = SERVICE_UNAVAILABLE, "contention", "Too busy", "Another request was in the way: send this one again.";
    /// 503: the database cannot be reached, or has no connection or room left.
    Unavailable = SERVICE_UNAVAILABLE, "unavailable", "Unavailable", "The database cannot do this now: try again later.";
    /// 504: it took longer than it may.
    Timeout = GATEWAY_TIMEOUT, "timeout", "Timeout", "It took longer than it may.";
    /// 504: the connection broke or the time was over while something was written, and nobody knows whether it was. It is not
    /// to be sent again before that was looked at.
    InDoubt = GATEWAY_TIMEOUT, "in-doubt", "Outcome unknown",
        "Whether it was written is not known: look before you send it again.";
}
