//! Who is logged in, and the session that works for them.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use isogloss::Request;
use isogloss::chrono::{NaiveDateTime, SubsecRound, Utc};
use isogloss::expr::exists_related;
use isogloss::prelude::*;
use isogloss::service::Principal;
use isogloss::session::Purpose;
use isogloss_web::{Problem, ProblemKind, WebResult};

use super::token;
use crate::app::App;
use crate::domain::{Audit, AuthSession, AuthSessionView, Order, Role};

/// Who is logged in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Caller {
    pub(crate) id: i64,
    pub(crate) user_name: String,
    pub(crate) display_name: String,
    pub(crate) role: Role,
    pub(crate) department_name: Option<String>,
    pub(crate) tenant_id: i32,
}

impl Caller {
    /// Whether the orders of all are shown to them.
    pub(crate) fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }

    /// The rows of their tenant, in every table that has a tenant; of audits, those of orders that they may see.
    pub(crate) fn scope(&self) -> Scope {
        let tenant = Scope::new().column("TenantId", self.tenant_id).named("tenant");
        if self.is_admin() {
            return tenant;
        }
        let own = exists_related(Order::NAME, Order::CREATED_BY_USER_ID.eq(self.id).into_logic());
        // Whoever may change an order writes its audit.
        tenant.filter_of(Audit::NAME, own).named("own").for_reads()
    }

    /// The caller of a session.
    pub(crate) fn of(session: &Session) -> Option<&Self> {
        session.principal()?.downcast_ref()
    }
}

impl Principal for Caller {
    fn id(&self) -> &str {
        &self.user_name
    }

    fn has_role(&self, role: &str) -> bool {
        self.role.name() == role
    }
}

/// A request of somebody who is logged in; without a valid token it is a 401.
pub(crate) struct Signed {
    /// Scoped to the caller's tenant, with the caller as its principal.
    pub(crate) session: Session,
    pub(crate) caller: Arc<Caller>,
}

impl FromRequestParts<App> for Signed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> WebResult<Self> {
        let nobody = || Problem::of(ProblemKind::Unauthenticated);
        let token = bearer(parts).ok_or_else(nobody)?;
        let caller = Arc::new(find(&app.context, token).await?.ok_or_else(nobody)?);
        let session = app.context.create_session()?.scoped(&caller.scope())?.with_principal(caller.clone());
        Ok(Self { session, caller })
    }
}

/// The token of the header `Authorization: Bearer ..`.
pub(crate) fn bearer(parts: &Parts) -> Option<&str> {
    let (scheme, token) = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}

/// The user of a token that is known and has not expired.
///
/// # Errors
/// The database cannot be asked.
pub(crate) async fn find(context: &OrmContext, token: &str) -> OrmResult<Option<Caller>> {
    let session = context.create_session()?.unscoped("a token says of which tenant its user is");
    let (hash, now) = (token::hash(token), now());
    let valid = AuthSession::TOKEN_HASH.eq(hash) & AuthSession::EXPIRES_TIME.gt(now);
    let query = from(AuthSessionView::NAME).filter(valid.into_logic()).take(1);
    // Not from a replica: it may not have the token yet, or still have one that was revoked.
    let mut lease = session.lease(None, Purpose::Write).await?;
    let target = lease.target().clone();
    let statement = session.compile(&target, &query, Request::default())?;
    let found = lease.fetch_first::<AuthSessionView>(&statement).await?;
    Ok(found.and_then(|found| {
        Some(Caller {
            id: found.session.user_id,
            user_name: found.user_name?,
            display_name: found.display_name?,
            role: found.role?,
            department_name: found.department_name,
            tenant_id: found.tenant_id?,
        })
    }))
}

/// Now, in UTC, as all times of the database are, with as many digits as its columns have.
pub(crate) fn now() -> NaiveDateTime {
    Utc::now().naive_utc().trunc_subsecs(6)
}
