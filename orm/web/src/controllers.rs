//! Controllers for all entities of a program.

mod choice;
mod left_out;
mod naming;
mod table;

use std::sync::Arc;

use axum::Router;
use isogloss::model::{Catalog, Entity, EntityId};
use isogloss::service::{DynamicService, DynamicServiceOps};
use isogloss::{OrmContext, OrmResult};

use self::choice::{Choice, check_name};
pub use self::left_out::{LeftOut, WhyLeftOut};
use self::naming::Naming;
pub use self::table::MountedControllers;
use crate::controller::endpoints;
use crate::routes::Endpoints;
use crate::{Call, EntityController, Host, MountError, Mounted, Rules};

/// Generates a controller for each entity of the program: for structs, and for entities that are defined in files.
///
/// An entity of the context's catalog is served if it has a primary key, is not a view, and its name does not end with
/// `View`. Its rows are read as the view `<Name>View`, if that is a view of it. Entities that cannot be served are left
/// out; [`MountedControllers`] has the reasons. [`Rules`] and the attributes of columns decide what clients may read
/// and write, as for any controller.
///
/// ```
/// use axum::Router;
/// use isogloss::entity::{Entity, View};
/// use isogloss::OrmContext;
/// use isogloss_web::{Controllers, EntityController, Host, MountError, Rules};
///
/// #[derive(Debug, Clone, Default, Entity)]
/// pub struct Invoice {
///     #[column(primary_key)]
///     pub id: i64,
///     #[column(length = 50)]
///     pub title: String,
/// }
///
/// struct InvoiceController;
///
/// impl EntityController for InvoiceController {
///     type Entity = Invoice;
///     type View = Invoice;
/// }
///
/// fn api(context: &OrmContext) -> Result<Router, MountError> {
///     let controllers = Controllers::of(Host::new(context))
///         .defaults(Rules::new().max_list(500))
///         // This one is written by hand, and takes the place of the other.
///         .with(InvoiceController);
///     Ok(Router::new().nest("/api", controllers.router()?))
/// }
/// ```
#[must_use = "nothing is served before `router` or `mount`"]
pub struct Controllers {
    host: Host,
    own: Vec<Own>,
    choice: Choice,
    defaults: Rules,
    rules: Vec<(String, Rules)>,
    naming: Naming,
}

/// Makes a controller of the program's own.
type Own = Box<dyn FnOnce(&Host, Naming) -> Result<Arc<dyn Endpoints>, MountError> + Send>;

impl Controllers {
    /// Controllers of a host.
    pub fn of(host: Host) -> Self {
        Self {
            host,
            own: Vec::new(),
            choice: Choice::All,
            defaults: Rules::new(),
            rules: Vec::new(),
            naming: Naming::default(),
        }
    }

    /// Adds a controller of the program's own. It replaces the generated one of its entity, and one with the same name.
    pub fn with<C: EntityController>(mut self, controller: C) -> Self {
        self.own.push(Box::new(|host, naming| {
            let mut rules = controller.rules();
            rules.name.get_or_insert_with(|| naming.of(<C::Entity as isogloss::entity::Entity>::NAME));
            endpoints(controller, host, rules)
        }));
        self
    }

    /// Serves only these entities.
    pub fn only<N: Into<String>>(mut self, entities: impl IntoIterator<Item = N>) -> Self {
        self.choice = Choice::Only(entities.into_iter().map(Into::into).collect());
        self
    }

    /// Serves all entities except for these.
    pub fn except<N: Into<String>>(mut self, entities: impl IntoIterator<Item = N>) -> Self {
        self.choice = Choice::Except(entities.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the rules of all generated controllers that have none of their own.
    pub fn defaults(self, rules: Rules) -> Self {
        Self { defaults: rules, ..self }
    }

    /// Sets the rules of an entity's generated controller, instead of the [`defaults`](Self::defaults).
    pub fn rules(mut self, entity: impl Into<String>, rules: Rules) -> Self {
        self.rules.push((entity.into(), rules));
        self
    }

    /// Uses lower-case names with `-` between words: `/order-item`. A name that is set by rules stays as it is.
    pub fn kebab(mut self) -> Self {
        self.naming.kebab = true;
        self
    }

    /// Uses English plurals: `/Orders`, `/Categories`. A name that is set by rules stays as it is.
    pub fn plural(mut self) -> Self {
        self.naming.plural = true;
        self
    }

    /// The routes of all controllers, below their names. Nest them below the path of the API, such as `/api`. A table
    /// of the mounted controllers is logged.
    ///
    /// # Errors
    /// Those of [`mount`](Self::mount).
    pub fn router(self) -> Result<Router, MountError> {
        Ok(self.mount()?.router())
    }

    /// Mounts the controllers, so that they can be inspected before they are served. A table of them is logged.
    ///
    /// # Errors
    /// Two controllers have the same name, an entity that is named here is not in the catalog or cannot be served, or
    /// rules do not fit their entity.
    pub fn mount(self) -> Result<MountedControllers, MountError> {
        let Self { host, own, choice, defaults, mut rules, naming } = self;
        let catalog = host.context.catalog().clone();
        choice.check(&catalog)?;
        rules.iter().try_for_each(|(entity, _)| check_name(&catalog, entity))?;
        let mut all = MountedControllers::default();
        for own in own {
            all.add(own(&host, naming)?, true)?;
        }
        for (id, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
            let name = entity.name.as_str();
            let given = rules.iter().position(|(of, _)| entity.name == *of.as_str()).map(|at| rules.remove(at).1);
            let is_given = given.is_some();
            let mut rules = given.unwrap_or_else(|| defaults.clone());
            let route = rules.name.get_or_insert_with(|| naming.of(name)).clone();
            let view = view_of(&catalog, id, entity);
            let why = if all.has_own(entity, &route) {
                Some(WhyLeftOut::Own)
            } else {
                why_left_out(&host.context, entity, view, &choice)
            };
            let mounted = match why {
                Some(why) => Err(why),
                None => match Mounted::new(&host, name, view, rules) {
                    Err(MountError::NothingVisible { .. }) => Err(WhyLeftOut::NothingVisible),
                    mounted => Ok(mounted?),
                },
            };
            match mounted {
                Ok(mounted) => {
                    let generated = host.controllers.add(Arc::new(Generated { mounted: Arc::new(mounted) }))?;
                    all.add(generated, false)?;
                }
                Err(why) if is_given => return Err(MountError::UnusedRules { entity: name.to_owned(), why }),
                Err(why) if choice.demands(name) && why != WhyLeftOut::Own => {
                    return Err(MountError::NotServed { entity: name.to_owned(), why });
                }
                Err(why) => all.leave_out(LeftOut { entity: name.to_owned(), why }),
            }
        }
        if let Some((name, _)) = rules.pop() {
            return Err(MountError::UnknownEntity { name });
        }
        for mounted in all.mounted() {
            for (path, include) in mounted.includes.all() {
                if host.controllers.of(include.entity).is_empty() {
                    let related = catalog.get(include.entity).name.to_string();
                    return Err(MountError::NotIncluded { path, related });
                }
            }
        }
        tracing::info!(target: "isogloss::web", "controllers:\n{all}");
        Ok(all)
    }
}

/// Controllers of all entities of a context: nobody is known, and the rows of all are meant.
impl From<&OrmContext> for Controllers {
    fn from(context: &OrmContext) -> Self {
        Self::of(Host::new(context))
    }
}

impl std::fmt::Debug for Controllers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own = self.own.len();
        f.debug_struct("Controllers").field("host", &self.host).field("own", &own).finish_non_exhaustive()
    }
}

/// What the rows of an entity are read as.
fn view_of<'c>(catalog: &'c Catalog, id: EntityId, entity: &'c Entity) -> &'c str {
    let named = catalog.entity(&format!("{}View", entity.name)).map(|(_, view)| view);
    named.filter(|view| view.base == Some(id)).unwrap_or(entity).name.as_str()
}

/// Why an entity is not served, if anything speaks against it.
fn why_left_out(context: &OrmContext, entity: &Entity, view: &str, choice: &Choice) -> Option<WhyLeftOut> {
    let name = entity.name.as_str();
    if !choice.takes(name) {
        return Some(WhyLeftOut::Excepted);
    }
    if name.ends_with("View") {
        return Some(WhyLeftOut::NamedView);
    }
    if entity.keys.is_empty() {
        return Some(WhyLeftOut::NoKey);
    }
    if entity.table.args() > 0 {
        return Some(WhyLeftOut::Sharded);
    }
    DynamicService::check(context, name, view).err().map(WhyLeftOut::NotDynamic)
}

/// A controller of an entity, with no code of the program's.
struct Generated {
    mounted: Arc<Mounted>,
}

impl Endpoints for Generated {
    fn mounted(&self) -> &Arc<Mounted> {
        &self.mounted
    }

    fn service(&self, call: &Call) -> OrmResult<Box<dyn DynamicServiceOps>> {
        let (entity, view) = (&self.mounted.entity().name, &self.mounted.view().name);
        Ok(Box::new(DynamicService::new(call.session(), entity.as_str(), view.as_str())?))
    }
}
