//! The page in the browser: files that are compiled in.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal = $file:literal, $kind:ident;)*) => {
        /// Each file by its path, its media type and its text.
        const FILES: &[(&str, &str, &str)] = &[$(($path, $kind, include_str!(concat!("../page/", $file)))),*];
    };
}

files! {
    "/" = "index.html", HTML;
    "/style.css" = "style.css", CSS;
    "/icon.svg" = "icon.svg", SVG;
    "/app.js" = "app.js", SCRIPT;
    "/api.js" = "api.js", SCRIPT;
    "/dom.js" = "dom.js", SCRIPT;
    "/login.js" = "login.js", SCRIPT;
    "/list.js" = "list.js", SCRIPT;
    "/builder.js" = "builder.js", SCRIPT;
    "/tree.js" = "tree.js", SCRIPT;
    "/edit.js" = "edit.js", SCRIPT;
    "/charts.js" = "charts.js", SCRIPT;
    "/format.js" = "format.js", SCRIPT;
}

pub(crate) fn routes() -> Router {
    FILES
        .iter()
        .fold(Router::new(), |router, &(path, kind, text)| router.route(path, get(async move || file(kind, text))))
}

fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text)
}
