//! The entities that are linked into the program.

use std::sync::OnceLock;

#[cfg(feature = "services")]
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::model::{Catalog, CatalogBuilder, CatalogErrors};

use super::written::MakeRow;
use super::{Definition, Entity};

/// An entity that a derive has registered.
#[derive(Debug)]
pub struct Registered {
    pub(crate) name: &'static str,
    definition: fn() -> Definition,
    pub(crate) row: Option<MakeRow>,
}

impl Registered {
    /// The registration of an entity.
    #[must_use]
    pub const fn of<E: Entity>() -> Self {
        Self { name: E::NAME, definition: E::definition, row: None }
    }

    /// With what makes a row of it, if anything does.
    #[doc(hidden)]
    #[must_use]
    pub const fn row(mut self, make: Option<MakeRow>) -> Self {
        self.row = make;
        self
    }
}

inventory::collect!(Registered);

/// The registration of the struct that an entity of a catalog was defined by, if it has one.
#[cfg(feature = "services")]
pub(crate) fn registered(model: &Model) -> Option<&'static Registered> {
    let defines = |known: &&Registered| match (known.definition)() {
        Definition::Table(table) => table.properties().eq(model.columns.iter().map(|column| &column.name)),
        Definition::View(_) => false,
    };
    inventory::iter::<Registered>.into_iter().filter(|known| model.name == *known.name).find(defines)
}

/// A catalog's builder with every entity and view that derives are linked for.
///
/// What only the program knows when it runs is added to it as to any other:
///
/// ```standalone_crate
/// use isogloss::entity::linked;
/// use isogloss::prelude::*;
/// let extra = TableDef::new("Audit").column(ColumnDef::new("Id", DbValueType::Int64).primary_key());
/// let catalog = linked().table(extra).build()?;
/// assert!(catalog.entity("Audit").is_some());
/// # Ok::<(), isogloss::model::CatalogErrors>(())
/// ```
#[must_use]
pub fn linked() -> CatalogBuilder {
    inventory::iter::<Registered>
        .into_iter()
        .fold(Catalog::builder(), |builder, entity| builder.definition((entity.definition)()))
}

/// The catalog of every entity and view that derives are linked for: built and checked at the first call, and kept.
///
/// # Errors
/// Everything that is wrong with their definitions, each time.
pub fn catalog() -> Result<&'static Catalog, &'static CatalogErrors> {
    static CATALOG: OnceLock<Result<Catalog, CatalogErrors>> = OnceLock::new();
    CATALOG.get_or_init(|| linked().build()).as_ref()
}

/// Adds entities to a catalog's builder.
pub trait Linked: Sized {
    /// Adds what a struct says of itself. What is generic registers nothing, and is added by this.
    #[must_use]
    fn entity<E: Entity>(self) -> Self {
        self.definition(E::definition())
    }

    /// Adds a definition.
    #[must_use]
    fn definition(self, definition: Definition) -> Self;
}

impl Linked for CatalogBuilder {
    fn definition(self, definition: Definition) -> Self {
        match definition {
            Definition::Table(table) => self.table(table),
            Definition::View(view) => self.view(view),
        }
    }
}
