//! What the handlers share, and the routes.

use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse;
use axum::{Router, middleware};
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::prelude::*;
use isogloss::service::{Interception, PermissionRule, SessionPrincipal};
use isogloss_web::{MountError, Problem, ProblemKind};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::domain::{Department, Order, User};
use crate::orders::{CountCache, OrderAudits};
use crate::{auth, entities, orders, page, users};

/// No body of a client is longer.
const BODY_BYTES: usize = 64 * 1024;

/// Scripts, styles and requests of this server alone, nothing inline, and no framing by other pages.
const CONTENT_SECURITY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// The session knows the caller. Where no service of the program stands around, as in the generic endpoints, administrators alone
/// may write.
fn interception() -> Interception {
    let writes = PermissionRule::roles(&["Admin"]);
    Interception::new().principals(SessionPrincipal).entity_permissions(PermissionRule::PRINCIPAL, writes)
}

/// Where the data is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) provider: &'static str,
    pub(crate) url: String,
    /// A copy to read from, which the server keeps up to date.
    pub(crate) replica: Option<String>,
}

/// What the handlers share. A clone is a handle to the same.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) context: OrmContext,
    pub(crate) counts: CountCache,
}

impl App {
    /// Opens a database, and creates the tables that it lacks.
    ///
    /// # Errors
    /// The database cannot be reached, or a table cannot be created.
    pub(crate) async fn open(place: &Place) -> OrmResult<Self> {
        let counts = if place.replica.is_some() { CountCache::none() } else { CountCache::default() };
        let counted = || {
            let counts = counts.clone();
            move |_: &OrmContext| Ok(counts.clone())
        };
        let context = Orm::builder()
            .with_interception(interception())
            .entity_events::<Order, _>(|_| Ok(OrderAudits))
            // Conditions name orders, who placed them and in which department. Audits are written with an order.
            .entity_events::<Order, _>(counted())
            .entity_events::<User, _>(counted())
            .entity_events::<Department, _>(counted())
            .build()
            .await?;
        let mut source = DataSourceConfig::new("shop", place.provider, &place.url).sync_table(true);
        if let Some(replica) = &place.replica {
            source = source.replica(ReplicaConfig::new().connection_string(replica));
        }
        context.add_data_source(source)?;
        context.sync_all().await?;
        Ok(Self { context, counts })
    }

    /// The routes: `login_limit` is asked before a password is looked at.
    ///
    /// # Errors
    /// An entity cannot be served.
    pub(crate) fn router(&self, login_limit: auth::Limit) -> Result<Router, MountError> {
        let set = |name: HeaderName, value: &'static str| {
            SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
        };
        let api = Router::new()
            .merge(auth::routes(login_limit))
            .merge(orders::routes())
            .merge(users::routes())
            // The methods that a route has are put into `Allow` by axum.
            .method_not_allowed_fallback(async || Problem::of(ProblemKind::MethodNotAllowed))
            .with_state(self.clone())
            .merge(entities::router(&self.context)?)
            .fallback(async || Problem::of(ProblemKind::NotFound))
            .layer(middleware::map_response(auth::never_stored));
        let router = Router::new()
            .nest("/api", api)
            .merge(page::routes())
            .layer(DefaultBodyLimit::max(BODY_BYTES))
            .layer(CatchPanicLayer::custom(|_| Problem::of(ProblemKind::Internal).into_response()))
            .layer(set(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY))
            .layer(set(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .layer(set(header::REFERRER_POLICY, "no-referrer"));
        Ok(router)
    }
}
