//! The generic endpoints of everything but orders: `/api/Department`, `/api/User`, `/api/Audit`.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::Method;
use isogloss::prelude::*;
use isogloss::service::Principal;
use isogloss_web::{Call, Controllers, EntityController, Host, MountError, Problem, ProblemKind, WebResult};

use crate::auth::{self, Caller};
use crate::domain::{Audit, Department, User};

/// Their routes. Who may write is asked by the services themselves: administrators alone.
///
/// # Errors
/// An entity cannot be served.
pub(crate) fn router(context: &OrmContext) -> Result<Router, MountError> {
    Controllers::of(host(context))
        .only([<Department as Entity>::NAME, <User as Entity>::NAME, <Audit as Entity>::NAME])
        .with(Audits)
        .router()
}

/// Who calls is known by the same tokens, and sees the same tenant.
fn host(context: &OrmContext) -> Host {
    Host::new(context)
        .authenticate(|head, session| {
            let token = auth::bearer(head).map(str::to_owned);
            async move {
                let token = token.ok_or_else(nobody)?;
                let caller = auth::find(session.context(), &token).await?.ok_or_else(nobody)?;
                Ok(Some(Arc::new(caller) as Arc<dyn Principal>))
            }
        })
        .scope(|_, caller| {
            let caller = caller.and_then(|caller| caller.downcast_ref::<Caller>());
            caller.map(Caller::scope).ok_or_else(nobody)
        })
}

fn nobody() -> Problem {
    Problem::of(ProblemKind::Unauthenticated)
}

/// What was done is read, and not written by anybody.
struct Audits;

impl EntityController for Audits {
    type Entity = Audit;
    type View = Audit;

    async fn insert(&self, _: &Call, _: Bytes) -> WebResult {
        Err(read_only())
    }

    async fn update(&self, _: &Call, _: Bytes) -> WebResult {
        Err(read_only())
    }

    async fn delete(&self, _: &Call, _: &str) -> WebResult {
        Err(read_only())
    }
}

fn read_only() -> Problem {
    Problem::of(ProblemKind::MethodNotAllowed).allow([Method::GET])
}
