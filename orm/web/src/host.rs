//! What all controllers of a program share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::request::Parts;
use futures_util::future::BoxFuture;
#[cfg(feature = "di")]
use isogloss::container::{Resolve as _, ServiceProvider};
use isogloss::service::Principal;
use isogloss::{OrmContext, OrmResult, Scope, Session};

use crate::registry::Registry;
use crate::{CursorKeys, Problem, ProblemKind, WebResult};

type Caller = Option<Arc<dyn Principal>>;
type Authenticate = dyn Fn(&Parts, Session) -> BoxFuture<'static, WebResult<Caller>> + Send + Sync;
type ScopeOf = dyn Fn(&Parts, Option<&Arc<dyn Principal>>) -> WebResult<Scope> + Send + Sync;

/// What all controllers of a program share: the source of sessions, the authentication of callers, and the scope of
/// requests. A clone refers to the same host.
///
/// ```
/// use std::sync::Arc;
///
/// use isogloss::service::Principal;
/// use isogloss::{OrmContext, Scope};
/// use isogloss_web::{Host, Problem, ProblemKind};
///
/// #[derive(Debug)]
/// struct User {
///     name: String,
///     tenant: i64,
/// }
///
/// impl Principal for User {
///     fn id(&self) -> &str {
///         &self.name
///     }
///
///     fn has_role(&self, _: &str) -> bool {
///         false
///     }
/// }
///
/// fn host(context: &OrmContext) -> Host {
///     Host::new(context)
///         .authenticate(|head, _session| {
///             let known = head.headers.get("authorization").is_some_and(|token| token == "Bearer 7c0ffee");
///             let user = User { name: "ann".into(), tenant: 7 };
///             async move { Ok(known.then(|| Arc::new(user) as Arc<dyn Principal>)) }
///         })
///         .scope(|_head, user| match user.and_then(|user| user.downcast_ref::<User>()) {
///             Some(user) => Ok(Scope::new().column("TenantId", user.tenant)),
///             None => Err(Problem::of(ProblemKind::Unauthenticated)),
///         })
/// }
/// ```
#[derive(Clone)]
pub struct Host {
    pub(crate) context: OrmContext,
    #[cfg(feature = "di")]
    services: Option<ServiceProvider>,
    authenticate: Option<Arc<Authenticate>>,
    scope: Option<Arc<ScopeOf>>,
    pub(crate) cursor_keys: Option<Arc<CursorKeys>>,
    /// The controllers that it serves.
    pub(crate) controllers: Arc<Registry>,
    /// Whether the log says that anybody may write.
    told: Arc<AtomicBool>,
}

/// The session of a request, with the caller's principal and the request's scope. It dereferences to [`Session`], and
/// keeps the scope of the container alive.
#[derive(Clone)]
pub struct RequestSession {
    session: Session,
    #[cfg(feature = "di")]
    services: Option<ServiceProvider>,
}

impl Deref for RequestSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl std::fmt::Debug for RequestSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.session.fmt(f)
    }
}

impl RequestSession {
    /// What the client is told of a problem: where somebody may do it and nobody is known, that somebody has to be.
    pub(crate) fn told(&self, problem: impl Into<Problem>) -> Problem {
        match problem.into() {
            problem if problem.kind() == ProblemKind::Forbidden && self.principal().is_none() => {
                Problem::of(ProblemKind::Unauthenticated)
            }
            problem => problem,
        }
    }
}

#[cfg(feature = "di")]
impl RequestSession {
    /// The scope of the container, if the host has a container.
    #[must_use]
    pub fn services(&self) -> Option<&ServiceProvider> {
        self.services.as_ref()
    }
}

impl Host {
    /// A host over a context. Callers are unknown, and requests have no scope, until
    /// [`authenticate`](Self::authenticate) and [`scope`](Self::scope) are set.
    #[must_use]
    pub fn new(context: &OrmContext) -> Self {
        Self {
            context: context.clone(),
            #[cfg(feature = "di")]
            services: None,
            authenticate: None,
            scope: None,
            cursor_keys: CursorKeys::random().map(Arc::new),
            controllers: Arc::default(),
            told: Arc::default(),
        }
    }

    /// A host over a container: each request gets a scope of the container, with its session.
    ///
    /// # Errors
    /// The container has no [`OrmContext`]: [`add_orm`](isogloss::container::AddOrm::add_orm) adds it.
    #[cfg(feature = "di")]
    pub fn with_services(services: &ServiceProvider) -> OrmResult<Self> {
        let context = services.resolve::<Arc<OrmContext>>()?;
        Ok(Self { services: Some(services.clone()), ..Self::new(&context) })
    }

    /// Sets how callers are identified: by the head of the request, and a session without a scope in which a token can
    /// be looked up. Read what you need of the head before the future is created.
    ///
    /// `None` is an unknown caller, who may read, and may write if
    /// [`Rules::anonymous_writes`](crate::Rules::anonymous_writes) allows it. A problem is the answer to the request.
    #[must_use]
    pub fn authenticate<A, F>(self, authenticate: A) -> Self
    where
        A: Fn(&Parts, Session) -> F + Send + Sync + 'static,
        F: Future<Output = WebResult<Option<Arc<dyn Principal>>>> + Send + 'static,
    {
        let boxed = move |head: &Parts, session: Session| -> BoxFuture<'static, WebResult<Caller>> {
            Box::pin(authenticate(head, session))
        };
        // Rows are included for callers that the host of their controller knows.
        Self { authenticate: Some(Arc::new(boxed)), controllers: Arc::default(), ..self }
    }

    /// Whether callers are asked who they are.
    pub(crate) fn asks_who(&self) -> bool {
        self.authenticate.is_some()
    }

    /// Says once in the log that anybody may write, where nobody is asked who they are.
    pub(crate) fn tells_of_writes(&self, name: &str) {
        if !self.asks_who() && !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                target: "isogloss::web",
                "anybody may write to `/{name}`: say who calls by `Host::authenticate`, or allow no writes"
            );
        }
    }

    /// Sets how the scope of a request is determined: by its head and its caller. The request reads and writes only
    /// rows within that scope. A problem is the answer to the request, such as a 401 if a caller is required.
    #[must_use]
    pub fn scope(
        self,
        scope: impl Fn(&Parts, Option<&Arc<dyn Principal>>) -> WebResult<Scope> + Send + Sync + 'static,
    ) -> Self {
        Self { scope: Some(Arc::new(scope)), controllers: Arc::default(), ..self }
    }

    /// Sets the keys by which cursors of pages are signed. By default it is a random key of this host: its cursors
    /// become invalid when the process ends, and other instances of the program do not accept them.
    #[must_use]
    pub fn cursor_keys(self, keys: CursorKeys) -> Self {
        Self { cursor_keys: Some(Arc::new(keys)), ..self }
    }

    /// The session of a request as controllers get it, for a route of the program's own.
    ///
    /// ```
    /// use axum::extract::Request;
    /// use axum::routing::get;
    /// use isogloss_web::{Host, WebResult};
    /// fn routes(host: Host) -> axum::Router {
    ///     let hello = async move |request: Request| -> WebResult<String> {
    ///         let session = host.session(&request.into_parts().0).await?;
    ///         Ok(format!("Hello, {}!", session.principal().map_or("whoever you are", |user| user.id())))
    ///     };
    ///     axum::Router::new().route("/hello", get(hello))
    /// }
    /// ```
    ///
    /// # Errors
    /// The problem to answer with: that of the caller's authentication or the scope, or the context is closed.
    pub async fn session(&self, head: &Parts) -> WebResult<RequestSession> {
        let caller = match &self.authenticate {
            Some(authenticate) => authenticate(head, self.context.create_session()?).await?,
            None => None,
        };
        let scope = self.scope.as_ref().map(|scope| scope(head, caller.as_ref())).transpose()?;
        let on_terms = |session: &Session| -> OrmResult<Session> {
            let session = scope.map_or_else(|| Ok(session.clone()), |scope| session.scoped(&scope))?;
            Ok(caller.map_or_else(|| session.clone(), |caller| session.with_principal(caller)))
        };
        #[cfg(feature = "di")]
        if let Some(services) = &self.services {
            let services = services.create_scope_with(on_terms)?;
            return Ok(RequestSession { session: services.resolve()?, services: Some(services) });
        }
        Ok(RequestSession {
            session: on_terms(&self.context.create_session()?)?,
            #[cfg(feature = "di")]
            services: None,
        })
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("context", &self.context).finish_non_exhaustive()
    }
}
