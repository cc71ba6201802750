//! The entities that are linked into the program.

use std::sync::OnceLock;

#[cfg(feature = "services")]
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::model::{Catalog, CatalogBuilder, CatalogErrors};

use super::written::MakeRow;
use super::{Definition, Entity};

/// An entity that its derive has registered.
#[derive(Debug)]
pub struct Registered {
    #[cfg(feature = "services")]
    pub(crate) name: &'static str,
    definition: fn() -> Definition,
    pub(crate) row: Option<MakeRow>,
}

impl Registered {
    /// The registration of an entity.
    #[must_use]
    pub const fn of<E: Entity>() -> Self {
        Self {
            #[cfg(feature = "services")]
            name: E::NAME,
            definition: E::definition,
            row: None,
        }
    }

    /// Sets the function that creates an empty row, if there is one.
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

/// A catalog builder with every entity and view of the program, as their derives have registered them.
///
/// Generic structs and those with `register = false` are left out. They and definitions that are known only at run time can
/// be added:
///
/// ```standalone_crate
/// use isogloss::entity::{Linked, linked};
/// use isogloss::expr::DbValueType;
/// use isogloss::model::{ColumnDef, TableDef};
/// use isogloss::prelude::*;
///
/// #[derive(Entity)]
/// struct Note {
///     #[column(primary_key)]
///     id: i64,
/// }
///
/// #[derive(View)]
/// #[view(of = Note)]
/// struct NoteView {
///     note: Note,
/// }
///
/// #[derive(Entity)]
/// #[table(register = false)]
/// struct Draft {
///     #[column(primary_key)]
///     id: i64,
/// }
///
/// #[derive(Entity)]
/// struct Setting<T: Field> {
///     #[column(primary_key)]
///     key: String,
///     value: T,
/// }
///
/// let catalog = linked().build()?;
/// let has = |name| catalog.entity(name).is_some();
/// assert!(has("Note") && has("NoteView"));
/// assert!(!has("Draft") && !has("Setting"));
///
/// let extra = TableDef::new("Audit").column(ColumnDef::new("Id", DbValueType::Int64).primary_key());
/// let catalog = linked().entity::<Setting<f64>>().table(extra).build()?;
/// assert!(catalog.entity("Setting").is_some() && catalog.entity("Audit").is_some());
/// # Ok::<(), isogloss::model::CatalogErrors>(())
/// ```
#[must_use]
pub fn linked() -> CatalogBuilder {
    inventory::iter::<Registered>
        .into_iter()
        .fold(Catalog::builder(), |builder, entity| builder.definition((entity.definition)()))
}

/// The catalog of every entity and view of the program, which is built and checked at the first call.
///
/// # Errors
/// All contradictions between the definitions, at every call.
pub fn catalog() -> Result<&'static Catalog, &'static CatalogErrors> {
    static CATALOG: OnceLock<Result<Catalog, CatalogErrors>> = OnceLock::new();
    CATALOG.get_or_init(|| linked().build()).as_ref()
}

/// Adds entities to a catalog builder by their types.
pub trait Linked: Sized {
    /// Adds the definition of an entity or a view. Generic structs are not registered by their derives, and are added
    /// by this.
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
