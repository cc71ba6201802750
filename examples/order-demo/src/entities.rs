//! The generic endpoints of everything but orders, `/api/Department`, `/api/User` and `/api/Audit`, with the description of
//! the whole API by OpenAPI.

use std::sync::Arc;

use axum::Router;
use isogloss::prelude::*;
use isogloss::service::Principal;
use isogloss_web::{Controllers, Host, MountError, OpenApiDocument, Problem, ProblemKind, Rules};

use crate::auth::{self, Caller};
use crate::domain::{Audit, Department, User};
use crate::openapi;

/// Their routes. Who may write is asked by the services themselves: administrators alone. Departments and users are inserted
/// and changed, as orders refer to them; a department that is closed is disabled. Audits are only read.
///
/// # Errors
/// An entity cannot be served.
pub(crate) fn router(context: &OrmContext) -> Result<Router, MountError> {
    let writes = || Rules::new().allow_insert().allow_update();
    let mounted = Controllers::of(host(context))
        .only([<Department as Entity>::NAME, <User as Entity>::NAME, <Audit as Entity>::NAME])
        .rules(<Department as Entity>::NAME, writes())
        // A new user has no password, which fits none, until an administrator gives one.
        .rules(<User as Entity>::NAME, writes().filled(["PasswordHash"]))
        .mount()?;
    // At `/api/openapi.json`. Some tools do not follow trees into themselves: for those there is `/api/openapi-flat.json`.
    let document = OpenApiDocument::new("Order demo", "1.0").at("/api").bearer();
    let described = |document: OpenApiDocument| openapi::described(document.controllers(&mounted), context);
    let (exact, flat) = (described(document.clone()), described(document.unrolled(2)));
    Ok(mounted.router().merge(exact.routes("/openapi.json")).merge(flat.routes("/openapi-flat.json")))
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
