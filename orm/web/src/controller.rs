//! Controllers of the program.

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

/// The HTTP API of an entity: eight endpoints, each a method with a default implementation.
///
/// To replace an endpoint, implement its method. It can call the default by [`Call`]:
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
///         Rules::new().allow_delete().name("notes").max_list(10_000)
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

    /// The type that rows are read as: the entity itself, or a view of it.
    type View: View<Of = Self::Entity>;

    /// What clients may do. By default that is [`Rules::new`].
    fn rules(&self) -> Rules {
        Rules::new()
    }

    /// Creates the service that handles a request.
    ///
    /// # Errors
    /// The service cannot be created.
    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Self::Entity, Self::View>>> {
        Ok(Box::new(EntityService::new(call.session())))
    }

    /// `GET /{id}`: the row with a key, or `null`. `id` is the key in its canonical form, whatever the encoding in the
    /// URL: for `/%31` it is `1`. This applies to all endpoints with an id.
    fn get(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.get(id)
    }

    /// `GET /`: all rows, up to the limit of the rules.
    fn list(&self, call: &Call) -> impl Future<Output = WebResult> + Send {
        call.list()
    }

    /// `POST /`: inserts the row in the body.
    fn insert(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.insert(body)
    }

    /// `PUT /`: updates the row with the key in the body.
    fn update(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.update(body)
    }

    /// `DELETE /{id}`: deletes the row with a key.
    fn delete(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.delete(id)
    }

    /// `POST /page`: a page of the rows that the tree in the body finds.
    fn page(&self, call: &Call, body: Bytes) -> impl Future<Output = WebResult> + Send {
        call.page(body)
    }

    /// `GET /count`: the number of rows; with a keyword, of those whose `Name` contains it.
    fn count(&self, call: &Call, keyword: Option<&str>) -> impl Future<Output = WebResult> + Send {
        call.count(keyword)
    }

    /// `GET /exists/{id}`: whether there is a row with a key.
    fn exists(&self, call: &Call, id: &str) -> impl Future<Output = WebResult> + Send {
        call.exists(id)
    }

    /// Whether the caller may have rows of this controller in those of another one, as that one's [`Rules::include`] allows it,
    /// or rows that are linked by rows of this controller. The default allows whoever the [`service`](Self::service) lets
    /// read.
    ///
    /// Included rows pass this method and the service, and nothing else of the controller. A layer around its routes, and
    /// an implementation of `get`, `list` or `page`, are not asked: callers that they refuse have to be refused here, too, and
    /// rows that they leave out have to be left out by the service or the scope of the [`Host`]. The head of the request,
    /// [`Call::parts`], is that of the request to the other controller, and its URI is none of this one.
    fn included(&self, _call: &Call) -> impl Future<Output = WebResult<()>> + Send {
        async { Ok(()) }
    }

    /// The routes of the controller, below its name: `/Order`, `/Order/{id}` and so on. [`Rules::name`] changes the
    /// name. Nest them below the path of the API: `Router::new().nest("/api", orders)`.
    ///
    /// # Errors
    /// The entity or its view is not in the catalog, or the rules do not fit them.
    fn router(self, host: &Host) -> Result<Router, MountError> {
        let rules = self.rules();
        Ok(routes::router(endpoints(self, host, rules)?))
    }

    /// The entity and view as they are mounted, such as for a description of the API.
    ///
    /// # Errors
    /// Those of [`router`](Self::router).
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
    host.controllers.add(Arc::new(Typed { controller, mounted }))
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

    fn included<'c>(&'c self, call: &'c Call) -> BoxFuture<'c, WebResult<()>> {
        Box::pin(self.controller.included(call))
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
