//! Which entities of a catalog can be served by values.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use isogloss_compiler::model::{Catalog, Entity as Model, EntityId};

use crate::OrmContext;
use crate::entity::{MakeRow, Registered, registered};

/// Why an entity cannot be served by values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NotDynamic {
    /// The catalog has no entity of that name.
    #[error("the catalog has no such entity")]
    Unknown,
    /// The entity is a view.
    #[error("it is a view, and not written")]
    View,
    /// The rows are to be read as something that is neither the entity itself nor a view of it.
    #[error("what its rows are to be read as is neither the entity itself nor a view of it")]
    OtherView,
    /// No row of its struct can be created, as the struct is not `Clone` and `Default`.
    #[error("its struct is not both `Clone` and `Default`: no row of it can be made")]
    NotMade,
    /// Subscribers listen to its struct, which no derive has registered.
    #[error("subscribers listen to its struct, which its derive has not registered: no row of it can be made")]
    NotRegistered,
}

/// The entities of a catalog: they are looked up when the first of them is asked for.
#[derive(Debug, Default)]
pub(crate) struct Entities(OnceLock<Box<[Known]>>);

/// What is known of an entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) name: &'static str,
    registered: Option<&'static Registered>,
}

/// An entity that is served, and what its rows are read as.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    pub(super) entity: EntityId,
    pub(super) view: EntityId,
    pub(super) name: &'static str,
    pub(super) view_name: &'static str,
    /// What makes rows of its struct, if it has one.
    pub(super) row: Option<MakeRow>,
}

impl Served {
    pub(super) fn of(context: &OrmContext, entity: &str, view: &str) -> Result<Self, NotDynamic> {
        let catalog = context.catalog();
        let (id, model) = catalog.entity(entity).ok_or(NotDynamic::Unknown)?;
        if model.base.is_some() {
            return Err(NotDynamic::View);
        }
        let (view, viewed) = catalog.entity(view).ok_or(NotDynamic::OtherView)?;
        if view != id && viewed.base != Some(id) {
            return Err(NotDynamic::OtherView);
        }
        let services = context.services();
        let known = |id| services.entities.get(catalog, id);
        let (Some(of_entity), Some(of_view)) = (known(id), known(view)) else { return Err(NotDynamic::Unknown) };
        let row = match of_entity.registered {
            Some(registered) => Some(registered.row.ok_or(NotDynamic::NotMade)?),
            None if services.subscribers.listen_to(of_entity.name) => return Err(NotDynamic::NotRegistered),
            None => None,
        };
        Ok(Self { entity: id, view, name: of_entity.name, view_name: of_view.name, row })
    }
}

impl Entities {
    fn get(&self, catalog: &Catalog, id: EntityId) -> Option<Known> {
        let all = || catalog.entities().map(|(_, model)| Known::of(model)).collect();
        self.0.get_or_init(all).get(id.index()).copied()
    }
}

impl Known {
    fn of(model: &Model) -> Self {
        let registered = registered(model);
        let name = registered.map_or_else(|| lasting(model.name.as_str()), |registered| registered.name);
        Self { name, registered }
    }
}

/// A name for as long as the program runs, as those of structs are. Each is kept once.
fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}
