//! Controllers of the program's own.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use isogloss::OrmResult;
use isogloss::entity::{Entity as _, Table, View};
use isogloss::service::{DynamicServiceOps, EntityService, EntityServiceOps, TypedService};

use crate::routes::{self, Endpoint, Endpoints};
use crate::{Call, Host, MountError, Mounted, Rules, WebResult};

/// The HTTP API of an entity, whose rows are read as a view: eight endpoints, each a method with a default.
///
/// An `impl` has an endpoint of its own by having its method, which may go on with what the default does:
///
/// ```
/// # use isogloss::entity::Linked as _;
/// # use isogloss::prelude::*;
/// # #[derive(Debug, Clone, Default, Entity)]
/// # struct Note { #[column(primary_key, identity)] id: i64, text: String }
/// use isogloss_web::{Call, EntityController, Problem, ProblemKind, Rules, WebResult};
///
/// struct Notes;
///
/// impl EntityController for Notes {
///     type Entity = Note;
///     type View = Note;
///
///     fn rules(&self) -> Rules {
///         Rules::new().name("notes").max_list(10_000)
///     }
///
///     async fn delete(&self, call: &Call, id: &str) -> WebResult {
///         match call.principal() {
///             Some(user) if user.has_role("Editor") => call.delete(id).await,
///             _ => Err(Problem::new(ProblemKind::Forbidden, "Editors alone delete notes.")),
///         }
///     }
/// }
/// ```
pub trait EntityController: Send + Sync + Sized + 'static {
    /// The entity that is written.
    type Entity: Table + Clone + Default;

    /// What its rows are read as: the entity itself, or a view of it.
    type View: View<Of = Self::Entity>;

    /// What its clients may do.
    fn rules(&self) -> Rules {
        Rules::new()
    }

    /// The service that a request is done by.
    ///
    /// # Errors
    /// It cannot be made.
    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Self::Entity, Self::View>>> {
        Ok(Box::new(EntityService::new(call.session())))
    }

    /// `GET /{id}`: the row with that key, or `null`. Here and below, the id is the key as it is printed, however the client
    /// has spelt it: that of `/%31` is `1`.
    fn get(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.get(id)
    }

    /// `GET /`: all rows, as many as the rules let a list have.
    fn list(&self, call: &Call) -> impl Future<Output = WebResult> + Send {
        call.list()
    }

    /// `POST /`: inserts the row of the body.
    fn insert(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.insert(body)
    }

    /// `PUT /`: writes the row of the body over the one with its key.
    fn update(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.update(body)
    }

    /// `DELETE /{id}`: deletes the row with that key.
    fn delete(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.delete(id)
    }

    /// `POST /page`: the rows that the tree of the body finds, a page of them.
    fn page(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.page(body)
    }

    /// `GET /count`: how many rows there are, with a keyword those that have it in their `Name`.
    fn count(&self, call: &Call, keyword: Option<&str>) -> impl Future<Output = WebResult> + Send {
        call.count(keyword)
    }

    /// `GET /exists/{id}`: whether there is a row with that key.
    fn exists(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.exists(id)
    }

    /// Its routes, below its name, which [`Rules::name`] may change: `/Order`, `/Order/{id}`, ... A program nests them where
    /// its API is, `Router::new().nest("/api", orders)`.
    ///
    /// # Errors
    /// The entity or its view is not in the catalog; the rules do not fit them.
    fn router(self, host: &Host) -> Result<Router, MountError> {
        let rules = self.rules();
        Ok(routes::router(endpoints(self, host, rules)?))
    }

    /// What is mounted: for a description of it.
    ///
    /// # Errors
    /// As [`router`](Self::router).
    fn mounted(&self, host: &Host) -> Result<Mounted, MountError> {
        Mounted::new(host, Self::Entity::NAME, Self::View::NAME, self.rules())
    }
}

/// The endpoints of a controller, with rules that it has or that were made of them.
pub(crate) fn endpoints<C: EntityController>(
    controller: C,
    host: &Host,
    rules: Rules,
) -> Result<Arc<dyn Endpoints>, MountError> {
    let mounted = Arc::new(Mounted::new(host, C::Entity::NAME, C::View::NAME, rules)?);
    Ok(Arc::new(Typed { controller, mounted }))
}

/// A controller without its types.
struct Typed<C> {
    controller: C,
    mounted: Arc<Mounted>,
}

impl<C: EntityController> Endpoints for Typed<C> {
    fn mounted(&self) -> &Arc<Mounted> {
        &self.mounted
    }

    fn service(&self, call: &Call) -> OrmResult<Box<dyn DynamicServiceOps>> {
        Ok(Box::new(TypedService::new(self.controller.service(call)?, call.session())))
    }

    fn run<'c>(&'c self, call: &'c Call, endpoint: Endpoint<'c>) -> BoxFuture<'c, WebResult> {
        let controller = &self.controller;
        match endpoint {
            Endpoint::Get(id) => Box::pin(controller.get(call, id)),
            Endpoint::List => Box::pin(controller.list(call)),
            Endpoint::Insert(body) => Box::pin(controller.insert(call, body)),
            Endpoint::Update(body) => Box::pin(controller.update(call, body)),
            Endpoint::Delete(id) => Box::pin(controller.delete(call, id)),
            Endpoint::Page(body) => Box::pin(controller.page(call, body)),
            Endpoint::Count(keyword) => Box::pin(controller.count(call, keyword)),
            Endpoint::Exists(id) => Box::pin(controller.exists(call, id)),
        }
    }
}
