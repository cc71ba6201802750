//! Descriptions of the served controllers by OpenAPI 3.1.
//!
//! Each controller is described as it is mounted: its endpoints, the rows as clients see them, the writable columns,
//! and the trees that pages accept, restricted to its policy. What clients do not see is not described.

mod columns;
mod endpoints;
mod examples;
mod included;
mod problems;
mod trees;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use axum::routing::get;
use bytes::Bytes;
use isogloss::model::Catalog;
use isogloss::walk::QueryPolicy;
use serde_json::{Map, Value, json};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::Tag;
use utoipa::openapi::{ComponentsBuilder, Info, OpenApi, OpenApiBuilder, PathsBuilder, RefOr, Server};

use crate::{Mounted, MountedControllers};
use included::Included;
use problems::Responses;

/// An OpenAPI description of controllers.
///
/// ```
/// use isogloss_web::{EntityController, Host, MountError, OpenApiDocument};
///
/// fn described<C: EntityController>(orders: C, host: &Host) -> Result<axum::Router, MountError> {
///     let description = OpenApiDocument::new("Shop", "1.0").at("/api").controller(&orders.mounted(host)?);
///     let api = axum::Router::new().nest("/api", orders.router(host)?);
///     Ok(api.merge(description.routes("/openapi.json")))
/// }
/// ```
#[derive(Clone)]
pub struct OpenApiDocument {
    title: String,
    version: String,
    server: String,
    bearer: bool,
    unrolled: Option<usize>,
    paths: Vec<(String, utoipa::openapi::path::PathItem)>,
    tags: Vec<String>,
    schemas: Map<String, Value>,
    included: Included,
    own: Vec<Value>,
}

impl OpenApiDocument {
    /// A description of an API with this title and version.
    #[must_use]
    pub fn new(title: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            version: version.into(),
            server: "/".to_owned(),
            bearer: false,
            unrolled: None,
            paths: Vec::new(),
            tags: Vec::new(),
            schemas: problems::schemas(),
            included: Included::default(),
            own: Vec::new(),
        }
    }

    /// Sets where the routes of the controllers are nested: `/api`, or a whole URL.
    #[must_use]
    pub fn at(self, server: impl Into<String>) -> Self {
        Self { server: server.into(), ..self }
    }

    /// Declares that requests have a bearer token in `Authorization`.
    #[must_use]
    pub fn bearer(self) -> Self {
        Self { bearer: true, ..self }
    }

    /// Describes trees without recursion, nested at most `depth` levels, for tools that do not support recursive
    /// schemas. It applies to controllers that are added afterwards.
    #[must_use]
    pub fn unrolled(self, depth: usize) -> Self {
        Self { unrolled: Some(depth), ..self }
    }

    /// Adds a controller. Rows that it includes are described as the document's controller of their entity has them.
    #[must_use]
    pub fn controller(mut self, mounted: &Mounted) -> Self {
        self.schemas.extend(columns::schemas(mounted));
        self.included.controller(mounted);
        self = self.trees(mounted.name(), &mounted.catalog, mounted.policy());
        self.paths.extend(endpoints::paths(mounted));
        self.tags.push(mounted.name().to_owned());
        self
    }

    /// Adds all controllers that [`Controllers::mount`](crate::Controllers::mount) has mounted.
    #[must_use]
    pub fn controllers(self, mounted: &MountedControllers) -> Self {
        mounted.mounted().fold(self, |document, controller| document.controller(controller))
    }

    /// Adds the trees that a policy allows, as the schema `Expr_{name}`, for an endpoint of the program's own.
    #[must_use]
    pub fn trees(mut self, name: &str, catalog: &Catalog, policy: &QueryPolicy) -> Self {
        self.schemas.extend(trees::schemas(name, catalog, policy, self.unrolled));
        self
    }

    /// Adds endpoints of the program's own: `paths`, `tags` and `components` of an OpenAPI document. References may
    /// lead to components of this document: `#/components/responses/Problem404`.
    ///
    /// ```
    /// use serde_json::json;
    /// let answers = json!({ "204": { "description": "It runs" }, "503": { "$ref": "#/components/responses/Problem503" } });
    /// let own = json!({ "paths": { "/health": { "get": { "responses": answers } } } });
    /// let document = isogloss_web::OpenApiDocument::new("Shop", "1.0").with(own).document();
    /// assert!(document.pointer("/paths/~1health/get").is_some());
    /// ```
    #[must_use]
    pub fn with(mut self, own: Value) -> Self {
        self.own.push(own);
        self
    }

    /// The document as JSON.
    #[must_use]
    pub fn document(&self) -> Value {
        // The schemas are data: what an OpenAPI library knows of them is less than they say.
        let mut document = serde_json::to_value(self.frame()).unwrap_or_default();
        if let Some(components) = document.pointer_mut("/components").and_then(Value::as_object_mut) {
            components.insert("schemas".into(), self.included.with(self.schemas.clone()).into());
        }
        for own in &self.own {
            let described = ["paths", "tags", "components"].into_iter().filter_map(|key| Some((key, own.get(key)?)));
            merge(&mut document, &described.map(|(key, own)| (key.to_owned(), own.clone())).collect());
        }
        document
    }

    /// All but the schemas.
    fn frame(&self) -> OpenApi {
        let mut paths = PathsBuilder::new();
        for (path, item) in &self.paths {
            paths = paths.path(path, item.clone());
        }
        let mut components = ComponentsBuilder::new().responses_from_iter(Responses::components());
        if self.bearer {
            components = components.security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        }
        let security = self.bearer.then(|| [SecurityRequirement::new::<_, [&str; 0], &str>("bearer", [])]);
        OpenApiBuilder::new()
            .info(Info::new(self.title.as_str(), self.version.as_str()))
            .servers(Some([Server::new(self.server.as_str())]))
            .tags(Some(self.tags.iter().map(Tag::new)))
            .paths(paths.build())
            .components(Some(components.build()))
            .security(security)
            .build()
    }

    /// A route that serves the document.
    pub fn routes(&self, path: &str) -> Router {
        let document = Bytes::from(self.document().to_string());
        let answer = move || {
            let document = document.clone();
            async move { ([(CONTENT_TYPE, "application/json")], document).into_response() }
        };
        Router::new().route(path, get(answer))
    }
}

impl std::fmt::Debug for OpenApiDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenApiDocument")
            .field("title", &self.title)
            .field("controllers", &self.tags)
            .finish_non_exhaustive()
    }
}

/// Adds the members of one JSON value to another, and the items of its lists.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, held) in from {
                merge(into.entry(key).or_insert(Value::Null), held);
            }
        }
        (Value::Array(into), Value::Array(from)) => into.extend(from.iter().cloned()),
        (into, from) => *into = from.clone(),
    }
}

/// A reference to one of the schemas.
fn schema_at(name: &str) -> RefOr<utoipa::openapi::Schema> {
    RefOr::Ref(utoipa::openapi::Ref::from_schema_name(name))
}

/// An object of these members and no others.
fn object(members: Map<String, Value>, required: Vec<String>) -> Value {
    json!({ "type": "object", "properties": members, "required": required, "additionalProperties": false })
}
