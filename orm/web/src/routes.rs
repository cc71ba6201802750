//! The routes of a controller, and what all of its endpoints have in common.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{CACHE_CONTROL, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, delete, get, post};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use isogloss::OrmResult;
use isogloss::expr::Value;
use isogloss::service::DynamicServiceOps;
use tokio::time::{Instant, timeout_at};

use crate::id::{id_of, key_of};
use crate::{Call, Mounted, Problem, ProblemKind, WebResult, request};

/// A controller, whatever its types: what routes are made of.
pub(crate) trait Endpoints: Send + Sync + 'static {
    /// What is served.
    fn mounted(&self) -> &Arc<Mounted>;

    /// The service that a request is done by.
    fn service(&self, call: &Call) -> OrmResult<Box<dyn DynamicServiceOps>>;

    /// Whether rows may be included in those of another controller.
    fn included<'c>(&'c self, _call: &'c Call) -> BoxFuture<'c, WebResult<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Does a request.
    fn run<'c>(&'c self, call: &'c Call, endpoint: Endpoint<'c>) -> BoxFuture<'c, WebResult> {
        match endpoint {
            Endpoint::Get(id) => Box::pin(call.get(id)),
            Endpoint::List => Box::pin(call.list()),
            Endpoint::Insert(body) => Box::pin(call.insert(body)),
            Endpoint::Update(body) => Box::pin(call.update(body)),
            Endpoint::Delete(id) => Box::pin(call.delete(id)),
            Endpoint::Page(body) => Box::pin(call.page(body)),
            Endpoint::Count(keyword) => Box::pin(call.count(keyword)),
            Endpoint::Exists(id) => Box::pin(call.exists(id)),
        }
    }
}

/// An endpoint, with what it takes.
#[derive(Debug)]
pub(crate) enum Endpoint<'c> {
    Get(&'c str),
    List,
    Insert(Bytes),
    Update(Bytes),
    Delete(&'c str),
    Page(Bytes),
    Count(Option<&'c str>),
    Exists(&'c str),
}

/// An endpoint, as a route knows it.
#[derive(Debug, Clone, Copy)]
enum Route {
    Get,
    List,
    Insert,
    Update,
    Delete,
    Page,
    Count,
    Exists,
}

/// The routes of a controller, below its name. An entity without a key has none by id.
///
/// They are one router, with a route for what is below the name and no endpoint: one that is nested in another costs each request
/// a second search and a new URI, and loses its fallback where that is nested, too.
pub(crate) fn router(endpoints: Arc<dyn Endpoints>) -> Router {
    let mounted = Arc::clone(endpoints.mounted());
    let at = |route: Route| {
        let endpoints = Arc::clone(&endpoints);
        move |request: Request| answer(endpoints, route, request)
    };
    if mounted.is_written() {
        mounted.host.tells_of_writes(&mounted.name);
    }
    if !mounted.rules.strict {
        tracing::warn!(
            target: "isogloss::web",
            "`POST /{}/page` answers a tree that is neither a page nor a filter with all rows: leave out \
             `Rules::lenient_pages` to refuse it",
            mounted.name
        );
    }
    let below = |path: &str| format!("/{}{path}", mounted.name);
    let nothing = || any(async || with_headers(Problem::of(ProblemKind::NotFound).into_response()));
    let read = || vec![Method::GET, Method::HEAD];
    let all = get(at(Route::List)).post(at(Route::Insert)).put(at(Route::Update));
    let all = only(all, mounted.methods_of_all());
    let routes = Router::new()
        .route(&below(""), all.clone())
        .route(&below("/"), all)
        .route(&below("/page"), only(post(at(Route::Page)), vec![Method::POST]))
        .route(&below("/count"), only(get(at(Route::Count)), read()));
    if mounted.entity().keys.is_empty() {
        routes.route(&below("/{*path}"), nothing())
    } else {
        let one = delete(at(Route::Delete)).get(at(Route::Get));
        routes
            .route(&below("/exists/{id}"), only(get(at(Route::Exists)), read()))
            .route(&below("/{id}"), only(one, mounted.methods_of_one()))
            .route(&below("/{id}/"), nothing())
            .route(&below("/{id}/{*path}"), nothing())
    }
}

/// Rows are of who asks, and nobody guesses what they are.
///
/// A middleware would do it in one place, for some 2,000 instructions a request.
fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    headers.append(VARY, HeaderValue::from_static("Authorization"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A route that says which methods it has, where it is asked by another.
fn only(route: MethodRouter, methods: Vec<Method>) -> MethodRouter {
    route
        .fallback(async move || with_headers(Problem::of(ProblemKind::MethodNotAllowed).allow(methods).into_response()))
}

/// A time that no request takes, where a longer one cannot be told.
const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Answers a request, whatever becomes of it.
async fn answer(endpoints: Arc<dyn Endpoints>, route: Route, request: Request) -> Response {
    let now = Instant::now();
    let deadline = now.checked_add(endpoints.mounted().rules.timeout).unwrap_or(now + FAR);
    let (parts, body) = request.into_parts();
    // What it has begun ends with the future: a statement is cancelled, a transaction rolled back.
    let done = AssertUnwindSafe(done(endpoints, route, parts, body, deadline)).catch_unwind();
    let result = match timeout_at(deadline, done).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(panicked(&*panic)),
        Err(_) => Err(Problem::of(ProblemKind::Timeout)),
    };
    with_headers(result.unwrap_or_else(IntoResponse::into_response))
}

async fn done(endpoints: Arc<dyn Endpoints>, route: Route, parts: Parts, body: Body, deadline: Instant) -> WebResult {
    let mounted = Arc::clone(endpoints.mounted());
    // Before the body is read: nobody sends one for nothing who may not.
    let session = mounted.host.session(&parts).await?;
    let is_nobody = mounted.host.asks_who() && session.principal().is_none();
    if is_nobody && !mounted.rules.anonymous_writes && writes(route, &mounted) {
        return Err(Problem::of(ProblemKind::Unauthenticated));
    }
    let body = match route {
        Route::Insert | Route::Update | Route::Page => {
            let body = request::body(&parts, body, mounted.rules.max_body);
            timeout_at(deadline, body).await.map_err(|_| Problem::of(ProblemKind::RequestTimeout))??
        }
        _ => Bytes::new(),
    };
    let key = match route {
        Route::Get | Route::Delete | Route::Exists => Some(key(&mounted, &parts)?),
        _ => None,
    };
    let call = Call { mounted, endpoints: Arc::clone(&endpoints), parts, session, deadline, key };
    let id = call.key.as_ref().map_or("", |(id, _)| id);
    let keyword = match route {
        Route::Count => request::keyword(&call.parts)?,
        _ => None,
    };
    let endpoint = match route {
        Route::Get => Endpoint::Get(id),
        Route::List => Endpoint::List,
        Route::Insert => Endpoint::Insert(body),
        Route::Update => Endpoint::Update(body),
        Route::Delete => Endpoint::Delete(id),
        Route::Page => Endpoint::Page(body),
        Route::Count => Endpoint::Count(keyword.as_deref()),
        Route::Exists => Endpoint::Exists(id),
    };
    endpoints.run(&call, endpoint).await
}

/// Whether a route writes, where it is not answered with status 405.
fn writes(route: Route, mounted: &Mounted) -> bool {
    match route {
        Route::Insert => mounted.is_insertable(),
        Route::Update => mounted.is_updatable(),
        Route::Delete => mounted.is_deletable(),
        _ => false,
    }
}

/// The key at the end of the path, with the id that it is written as: an endpoint of the program's own that compares the id is
/// not passed by another spelling of it.
fn key(mounted: &Mounted, parts: &Parts) -> WebResult<(String, Vec<Value>)> {
    let text = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let key = key_of(mounted.entity(), text)?;
    // A key that has no text of its own has been read all the same.
    Ok((id_of(&key).unwrap_or_else(|| text.to_owned()), key))
}

/// What a client is told of a panic. The log has what the panic says.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Problem {
    let text = panic.downcast_ref::<&str>().copied();
    let why = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it does not say why");
    tracing::error!(target: "isogloss::web", "an endpoint has panicked: {why}");
    Problem::of(ProblemKind::Internal)
}
