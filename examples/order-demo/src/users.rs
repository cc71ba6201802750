//! `/api/users`: passwords. The rest of users is in the generic endpoints, `/api/User`.

use axum::extract::Path;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::StatusCode;
use axum::routing::put;
use axum::{Json, Router};
use isogloss::prelude::*;
use isogloss::service::{EntityService, FromSession, ServiceFailure, service};
use isogloss_web::{FieldProblem, Problem, ProblemKind, WebResult};
use serde::Deserialize;

use crate::app::App;
use crate::auth::{self, Signed};
use crate::body;
use crate::domain::{AuthSession, User};

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/users/{id}/password", put(give))
}

/// The body: the new password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    password: String,
}

/// `PUT /api/users/{id}/password`
async fn give(
    signed: Signed,
    id: Result<Path<i64>, PathRejection>,
    body: Result<Json<Body>, JsonRejection>,
) -> WebResult<StatusCode> {
    let Path(id) = id.map_err(|_| Problem::of(ProblemKind::BadId))?;
    let service: UserService = signed.session.service()?;
    // Access first: the body is looked at for those who may.
    service.find(id).await?;
    let Body { password } = body::read(body)?;
    if !(8..=200).contains(&password.chars().count()) {
        let detail = "`password`: it has 8 to 200 characters.";
        return Err(Problem::of_fields(vec![FieldProblem::new("password", "bad-value", detail)]));
    }
    // Hashing is slow on purpose: it runs on a thread where it blocks no other request.
    let hashed = tokio::task::spawn_blocking(move || auth::hash(&password)).await;
    let Ok(Ok(hash)) = hashed else {
        tracing::error!("a password cannot be hashed");
        return Err(Problem::of(ProblemKind::Internal));
    };
    service.give(id, hash).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Why the service refuses.
#[derive(Debug, thiserror::Error)]
enum UserError {
    #[error("there is no such user")]
    Missing,
    #[error(transparent)]
    Orm(#[from] OrmError),
}

impl ServiceFailure for UserError {}

impl From<UserError> for Problem {
    fn from(error: UserError) -> Self {
        match error {
            UserError::Missing => Self::new(ProblemKind::NotFound, "There is no such user."),
            UserError::Orm(error) => error.into(),
        }
    }
}

/// Users of the session's tenant.
#[derive(FromSession)]
struct UserService {
    session: Session,
    users: EntityService<User>,
}

#[service]
#[service_permission(roles = "Admin")]
#[service_log(level = debug)]
impl UserService {
    pub async fn find(&self, id: i64) -> Result<(), UserError> {
        if self.users.exists_id(id).await? { Ok(()) } else { Err(UserError::Missing) }
    }

    /// Stores the hash of a user's new password, and ends the user's logins.
    #[transaction]
    pub async fn give(&self, id: i64, #[log(skip)] hash: String) -> Result<(), UserError> {
        let mut user = self.users.get_object(id).await?.ok_or(UserError::Missing)?;
        user.password_hash = hash;
        if !self.users.update(&mut user).await? {
            return Err(UserError::Missing);
        }
        ObjectDao::<AuthSession>::new(&self.session).delete_where(AuthSession::USER_ID.eq(id)).await?;
        Ok(())
    }
}
