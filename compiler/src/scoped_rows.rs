//! Rows that a program has whole, and what a scope says of them before they are written.

use crate::compiler::{Request, Target};
use crate::error::Result;
use crate::expr::Value;
use crate::resolve::{self, Held};
use crate::scope::Scope;

/// What a [`Scope`] says of the rows of an entity that are written. A statement of one row is held to it when it is
/// compiled; for one that is run with the values of many rows, each is asked here.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::expr::{DbValueType, Value};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Compiler, Scope};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let order = TableDef::new("Order")
/// #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
/// #     .column(ColumnDef::new("TenantId", DbValueType::Int32));
/// # let target = Compiler::new(Catalog::builder().table(order).build()?).target(&Plain);
/// let scope = Scope::new().column("TenantId", 7);
/// let orders = target.scoped_rows("Order", &scope)?;
/// assert_eq!(orders.fixed().collect::<Vec<_>>(), [(1, &7.into())]);
///
/// let rows: [[Value; 2]; 2] = [[1.into(), 7.into()], [2.into(), 8.into()]];
/// assert!(orders.takes(&|column| rows[0].get(column)).is_ok());
/// assert!(orders.takes(&|column| rows[1].get(column)).is_err());
/// # Ok(()) }
/// ```
pub struct ScopedRows<'t> {
    held: Vec<Held<'t, 't>>,
    silent: bool,
}

impl Target {
    /// What a scope says of the rows of an entity.
    ///
    /// # Errors
    /// An entity that is not there; one that wants a scope, where this one has nothing about it.
    pub fn scoped_rows<'t>(&'t self, entity: &str, scope: &'t Scope) -> Result<ScopedRows<'t>> {
        let (id, _) = resolve::entity(self, entity)?;
        let request = Request::default().scope(scope);
        let silent = resolve::applied(self, &request, id)?.is_empty();
        Ok(ScopedRows { held: resolve::held(self, &request, id, &[])?, silent })
    }
}

impl ScopedRows<'_> {
    /// Whether no filter is about the entity: neither about rows that are read, nor about those that are written.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// The columns that have one value in every row of the scope, by their places in the entity, with that value.
    pub fn fixed(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.held.iter().flat_map(Held::fixed)
    }

    /// Holds a new row to the scope: `known` gives the values that it is given, by the places of their columns.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfScope`](crate::ErrorKind::OutOfScope): it would be outside, or its values do not say.
    pub fn takes<'v>(&'v self, known: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()> {
        self.held.iter().try_for_each(|held| held.takes(known))
    }

    /// Holds a row to the scope that is inside, and is changed: `set` gives the values that it is given, by the places of
    /// their columns.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfScope`](crate::ErrorKind::OutOfScope): it would be outside, or its values do not say.
    pub fn keeps<'v>(&'v self, set: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()> {
        self.held.iter().try_for_each(|held| held.keeps(&|column| set(column).map(Some)))
    }
}
