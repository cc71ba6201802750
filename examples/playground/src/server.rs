//! What the browser asks for: files, the compiler where it has none of its own, and rows.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use isogloss_compiler::expr::Value;
use isogloss_compiler::json as notation;
use isogloss_tpch as tpch;
use serde::Deserialize;
use serde_json::json;

use crate::engine::{Answer, Asked, Engine, NoAnswer};
use crate::page::Page;

/// The longest request.
const BODY: usize = 1 << 20;

/// How long an engine may take with all that is before a query: filling its tables, and the queries in front.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the server has.
#[derive(Debug)]
pub struct World {
    /// The files.
    pub page: Page,
    /// The engines: SQLite, whose rows are shown, and those that are beside it.
    pub engines: Vec<Engine>,
}

/// The server's routes.
pub fn router(world: Arc<World>) -> Router {
    Router::new()
        .route("/compile", post(compile))
        .route("/describe", post(describe))
        .route("/types", get(async || json_answer(isogloss_wasm::types())))
        .route("/rows", post(rows))
        .route("/engines", get(engines))
        .fallback(get(file))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&world), guard))
        .with_state(world)
}

/// Only this machine's own pages may ask: another one whose name leads here is refused, and none may post what a form could.
async fn guard(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    let mut response = if !is_local(request.headers()) {
        (StatusCode::FORBIDDEN, "ask for 127.0.0.1 or localhost").into_response()
    } else if request.method() == "POST" && !is_json(request.headers()) {
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json").into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(world.page.policy));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

async fn file(State(world): State<Arc<World>>, uri: Uri) -> Response {
    match world.page.file(uri.path()) {
        Some(file) => ([(CONTENT_TYPE, file.mime)], file.bytes.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}

fn json_answer(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

fn bad_request(error: &serde_json::Error) -> Response {
    (StatusCode::BAD_REQUEST, format!("bad request: {error}")).into_response()
}

/// The arguments of the compiler's functions, each a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Compile {
    catalog: String,
    tree: String,
    #[serde(default)]
    options: String,
}

async fn compile(body: Bytes) -> Response {
    match serde_json::from_slice(&body) {
        Ok(Compile { catalog, tree, options }) => json_answer(isogloss_wasm::compile(&catalog, &tree, &options)),
        Err(error) => bad_request(&error),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Describe {
    catalog: String,
}

async fn describe(body: Bytes) -> Response {
    match serde_json::from_slice(&body) {
        Ok(Describe { catalog }) => json_answer(isogloss_wasm::catalog(&catalog)),
        Err(error) => bad_request(&error),
    }
}

async fn engines(State(world): State<Arc<World>>) -> Response {
    let labels: Vec<String> = world.engines.iter().map(Engine::label).collect();
    json_answer(json!({ "engines": labels }).to_string())
}

#[derive(Deserialize)]
struct Rows {
    tree: String,
    #[serde(flatten)]
    asked: Asked,
}

/// A query's rows from the first engine, and whether the others have the same.
async fn rows(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let Rows { tree, asked } = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(error) => return bad_request(&error),
    };
    let tree = match notation::from_str(&tree) {
        Ok(tree) => tree,
        Err(error) => return (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()).into_response(),
    };
    let mut answers = Vec::new();
    for engine in &world.engines {
        let answer = match tokio::time::timeout(PATIENCE, engine.run(&tree, &asked)).await {
            Ok(answer) => answer.map_err(|error| told(&error)),
            Err(_) => Err("the engine is busy: try again".to_owned()),
        };
        answers.push((engine.label(), answer));
    }
    json_answer(json!({ "engines": shown(&answers) }).to_string())
}

/// Engines beside this one have their own words. They are shown: whoever asks has started them.
fn told(error: &NoAnswer) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}

fn shown(answers: &[(String, Result<Answer, String>)]) -> Vec<serde_json::Value> {
    let first = answers.iter().find_map(|(_, answer)| answer.as_ref().ok());
    let each = answers.iter().map(|(label, answer)| match answer {
        Err(error) => json!({ "label": label, "error": error }),
        Ok(answer) => {
            let is_first = first.is_some_and(|first| std::ptr::eq(first, answer));
            json!({
                "label": label,
                "milliseconds": answer.time.as_secs_f64() * 1e3,
                "count": answer.rows.len(),
                "more": answer.more,
                "columns": is_first.then_some(&answer.columns),
                "rows": is_first.then(|| answer.rows.iter().map(|row| row.iter().map(cell).collect()).collect::<Vec<Vec<_>>>()),
                "differs": first.filter(|_| !is_first).and_then(|first| difference(first, answer)),
            })
        }
    });
    each.collect()
}

/// Where an answer differs from the first, if it does. What is cut off is not compared.
fn difference(first: &Answer, other: &Answer) -> Option<String> {
    if first.more || other.more {
        let said = "more rows than are compared";
        return (first.more != other.more).then(|| said.to_owned());
    }
    tpch::difference(&first.rows, &other.rows, &[])
}

/// A value as its text; NULL is null.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.to_string()),
        other => {
            let text = other.to_string();
            let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            Some(inner.map_or(text.clone(), str::to_owned))
        }
    }
}
