//! An entity that is served: what is settled once, when the program starts.

use isogloss::model::{Catalog, EntityId};

use crate::{Host, Rules};

/// An entity that a controller serves, with the view that its rows are read as.
#[derive(Debug)]
pub struct Mounted {
    pub(crate) host: Host,
    pub(crate) catalog: Catalog,
    pub(crate) entity: EntityId,
    pub(crate) view: EntityId,
    pub(crate) rules: Rules,
    /// The part of the path that is the controller's: `Order`.
    pub(crate) name: String,
}
