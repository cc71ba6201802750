//! Who calls: logins, and the tokens that are given for them.

mod caller;
mod login;
mod password;
mod token;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::{get, post};

pub(crate) use caller::{Caller, Signed, bearer, find, now};
pub(crate) use login::Limit;
pub(crate) use password::hash;

use crate::app::App;

/// Logging in and out, and who is logged in.
pub(crate) fn routes(limit: Limit) -> Router<App> {
    Router::new()
        .route("/login", login::limited(post(login::login), limit))
        .route("/logout", post(login::logout))
        .route("/me", get(login::me))
}

/// Marks an answer as not to be cached: it depends on who asks.
pub(crate) async fn never_stored(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
