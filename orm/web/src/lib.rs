//! Generates HTTP APIs from entities, as routes of axum: clients read, write and query rows by JSON trees, within what
//! the program allows.
//!
//! Implement [`EntityController`] for an entity, or let [`Controllers`] serve all entities of the program. A [`Host`]
//! has what they share: the source of sessions, the authentication of callers, and the scope of requests.
//!
//! ```
//! use axum::Router;
//! use isogloss::config::DataSourceConfig;
//! use isogloss::entity::Linked as _;
//! use isogloss::prelude::*;
//! use isogloss_web::{EntityController, Host, Rules};
//!
//! #[derive(Debug, Clone, Default, Entity)]
//! struct Note {
//!     #[column(primary_key, identity)]
//!     id: i64,
//!     #[column(length = 200, writable)]
//!     text: String,
//!     #[column(not_filterable)]
//!     author_id: Option<i64>,
//! }
//!
//! struct Notes;
//!
//! impl EntityController for Notes {
//!     type Entity = Note;
//!     type View = Note;
//!
//!     fn rules(&self) -> Rules {
//!         Rules::new().allow_insert() // clients read and insert notes; they change and delete none
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
//!
//! let api = Router::new().nest("/api", Notes.router(&Host::new(&context))?);
//! # async fn served(api: Router) -> std::io::Result<()> {
//! axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, api).await
//! # }
//! # use axum::{body::{Body, to_bytes}, http::Request};
//! # use tower::ServiceExt as _;
//! # let json = "application/json";
//! # let insert = Request::post("/api/Note").header("content-type", json).body(Body::from(r#"{"text":"Hi!"}"#))?;
//! # assert_eq!(to_bytes(api.clone().oneshot(insert).await?.into_body(), 99).await?, "true");
//! # let get = Request::get("/api/Note/1").body(Body::empty())?;
//! # assert_eq!(to_bytes(api.clone().oneshot(get).await?.into_body(), 99).await?, r#"{"id":1,"text":"Hi!"}"#);
//! # Ok(()) }
//! ```
//!
//! | request | answer |
//! |:--|:--|
//! | `GET /api/Note/7` | `{"id":7,"text":"Hi!"}`, or `null` |
//! | `GET /api/Note` | `[{"id":7,"text":"Hi!"}]`, at most as many as [`Rules::max_list`] says |
//! | `POST /api/Note` with `{"text":"Hi!"}` | `true` |
//! | `PUT /api/Note` with `{"id":7,"text":"Hi!"}` | `true`; `false` if there is no such row |
//! | `DELETE /api/Note/7` | `true`; `false` if there is no such row |
//! | `POST /api/Note/page` with a [tree](isogloss::json) | `{"skip":0,"take":20,"total":1,"items":[{"id":7,"text":"Hi!"}]}` |
//! | `GET /api/Note/count`, `?keyword=` for those that have it in their `name` | `1` |
//! | `GET /api/Note/exists/7` | `true` |
//!
//! # What clients may see, ask for and write
//!
//! - They see the properties that the controller's [policy](Rules::policy) lets them name, and may use them in queries:
//!   by default the view's filterable properties. Others are not shown, and are reported like properties that do not
//!   exist; [`Rules::show`] shows them.
//! - They include related rows where [`Rules::include`] names the relation: `?include=items.product`. What they see of
//!   those is what the related entity's own controller shows.
//! - They write what the [rules](Rules::allow_writes) allow: insert, update, delete; by default nothing. They set columns
//!   that are marked `#[column(writable)]`, and no others.
//! - Their trees are checked against the policy before anything of the server's is added to them, and the
//!   [scope](Host::scope) of the request applies to whatever they ask for.
//! - A key of several columns is written `3,B` in a path: its values in the key's order. Rows whose text key is empty,
//!   `.`, `..`, `count` or `page` have no address, so that clients cannot insert them.
//!
//! # What can go wrong
//!
//! An error is a [`Problem`]: `application/problem+json` of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457). It has
//! the place in the client's JSON, if it is about that, and never the engine's message. Three errors of the page
//! endpoint have bodies of their own, which begin with `error`.
//!
//! A list is streamed: an error after its first rows aborts the connection, so that clients do not take it for
//! complete.

mod accept;
mod body;
mod call;
mod controller;
mod controllers;
mod cursor;
mod endpoints;
mod host;
mod id;
mod include;
mod mount_error;
mod mounted;
mod names;
#[cfg(feature = "openapi")]
mod openapi;
mod problem;
mod query_string;
mod registry;
mod request;
mod routes;
mod rows;
mod rules;
#[cfg(feature = "server")]
mod server;
mod version;

pub use call::Call;
pub use controller::EntityController;
pub use controllers::{Controllers, LeftOut, MountedControllers, WhyLeftOut};
pub use cursor::{CursorKeyError, CursorKeys};
pub use host::{Host, RequestSession};
pub use mount_error::MountError;
pub use mounted::Mounted;
#[cfg(feature = "openapi")]
pub use openapi::OpenApiDocument;
pub use problem::{FieldProblem, Problem, ProblemKind, WebResult};
pub use query_string::{BadParameter, QueryString, QueryStringError, StringQuery};
pub use rules::{Int64, Rules};
#[cfg(feature = "server")]
pub use server::Server;

/// The chapters of the book about this crate run, too.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../../docs/src/controllers.md")]
    struct Controllers;
    #[doc = include_str!("../../../docs/src/callers.md")]
    struct Callers;
    #[cfg(feature = "openapi")]
    #[doc = include_str!("../../../docs/src/openapi.md")]
    struct OpenApi;
    #[doc = include_str!("../../../docs/src/client.md")]
    struct Client;
}
