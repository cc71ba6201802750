//! Logging in and out.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use isogloss::chrono::TimeDelta;
use isogloss::prelude::*;
use isogloss_web::{Problem, ProblemKind, WebResult};
use serde::{Deserialize, Serialize};
use tower_governor::governor::GovernorConfigBuilder;
use tower_governor::{GovernorError, GovernorLayer};

use super::caller::{Caller, Signed, bearer, now};
use super::{password, token};
use crate::app::App;
use crate::body;
use crate::domain::{AuthSession, Department, User};

/// How long a token holds.
const HOURS: i64 = 12;

/// How often an address may try a password: a burst, and then one attempt in each period.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) at_once: u32,
    pub(crate) then_every: Duration,
}

impl Default for Limit {
    fn default() -> Self {
        Self { at_once: 10, then_every: Duration::from_secs(3) }
    }
}

/// Limits how often each address may use a route. It is asked before a password is looked at.
pub(super) fn limited(route: MethodRouter<App>, limit: Limit) -> MethodRouter<App> {
    let config = GovernorConfigBuilder::default().period(limit.then_every).burst_size(limit.at_once).finish();
    // `finish` gives none where the limit is zero, and then nobody gets in.
    let Some(config) = config else { return MethodRouter::new() };
    route.layer(GovernorLayer::new(config).error_handler(refused))
}

fn refused(error: GovernorError) -> Response {
    let problem = match error {
        GovernorError::TooManyRequests { wait_time, .. } => {
            Problem::of(ProblemKind::TooManyRequests).retry_after(Duration::from_secs(wait_time.max(1)))
        }
        _ => Problem::of(ProblemKind::Internal),
    };
    problem.into_response()
}

/// The body of a login.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Credentials {
    user_name: String,
    password: String,
}

/// The answer to a login.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedIn<'l> {
    token: String,
    expires_at: String,
    user: Me<'l>,
}

/// The user as clients see them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Me<'l> {
    id: i64,
    user_name: &'l str,
    display_name: &'l str,
    role: &'static str,
    department_name: Option<&'l str>,
}

impl<'l> From<&'l Caller> for Me<'l> {
    fn from(caller: &'l Caller) -> Self {
        Self {
            id: caller.id,
            user_name: &caller.user_name,
            display_name: &caller.display_name,
            role: caller.role.name(),
            department_name: caller.department_name.as_deref(),
        }
    }
}

/// `POST /api/login`
pub(super) async fn login(
    State(app): State<App>,
    body: Result<Json<Credentials>, JsonRejection>,
) -> WebResult<impl IntoResponse> {
    let Credentials { user_name, password } = body::read(body)?;
    let session = app.context.create_session()?.unscoped("a login says of which tenant its user is");
    let query = query!(|u: User| u.filter(u.user_name == user_name.as_str()).take(1));
    let user = ObjectViewDao::<User>::new(&session).search(query).first().await?;

    // Hashing is slow on purpose: it runs on a thread where it blocks no other request.
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let is_right = tokio::task::spawn_blocking(move || password::is_right(&password, stored.as_deref())).await;
    let wrong = || Problem::new(ProblemKind::Unauthenticated, "The user name or the password is wrong.");
    let user = user.filter(|_| matches!(is_right, Ok(true))).ok_or_else(wrong)?;

    let department = ObjectViewDao::<Department>::new(&session).get(user.department_id).await?;
    let caller = Caller {
        id: user.id,
        user_name: user.user_name,
        display_name: user.display_name,
        role: user.role,
        department_name: department.map(|department| department.name),
        tenant_id: user.tenant_id.unwrap_or_default(),
    };
    let (token, expires) = begin(&session, caller.id).await?;
    let expires_at = body::time(expires);
    Ok(Json(LoggedIn { token, expires_at, user: Me::from(&caller) }).into_response())
}

/// Stores a new token of that user, and gives it with the time when it expires. Expired ones of the user are deleted.
async fn begin(session: &Session, user_id: i64) -> WebResult<(String, isogloss::chrono::NaiveDateTime)> {
    let token = token::new().map_err(|error| {
        tracing::error!(%error, "no random bytes");
        Problem::of(ProblemKind::Internal)
    })?;
    let created_time = now();
    let expires_time = created_time + TimeDelta::hours(HOURS);
    let sessions = ObjectDao::<AuthSession>::new(session);
    sessions.delete_where(AuthSession::USER_ID.eq(user_id) & AuthSession::EXPIRES_TIME.le(created_time)).await?;
    let mut entry = AuthSession { token_hash: token::hash(&token), user_id, created_time, expires_time };
    sessions.insert(&mut entry).await?;
    Ok((token, expires_time))
}

/// `POST /api/logout`: revokes the token of the request.
pub(super) async fn logout(State(app): State<App>, _: Signed, request: Request) -> WebResult<StatusCode> {
    let (parts, _) = request.into_parts();
    if let Some(token) = bearer(&parts) {
        let sessions = ObjectDao::<AuthSession>::new(&app.context.create_session()?);
        sessions.delete_by_keys(token::hash(token)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /api/me`
pub(super) async fn me(signed: Signed) -> impl IntoResponse {
    Json(Me::from(&*signed.caller)).into_response()
}
