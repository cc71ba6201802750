//! Checks of complete rows against a scope before they are written.

use crate::compiler::Request;
use crate::error::Result;
use crate::expr::Value;
use crate::resolve::{self, Held};
use crate::scope::Scope;
use crate::target::Target;

/// The filters of a [`Scope`] on the written rows of an entity. A statement for one row is checked when it is compiled;
/// for a statement that runs with the values of many rows, each row is checked by this.
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
    /// The filters of a scope on the rows of an entity.
    ///
    /// # Errors
    /// An unknown entity; or an entity that requires a scope, without a filter in this one.
    pub fn scoped_rows<'t>(&'t self, entity: &str, scope: &'t Scope) -> Result<ScopedRows<'t>> {
        let (id, _) = resolve::entity(self, entity)?;
        let request = Request::default().scope(scope);
        let silent = resolve::applied(self, &request, id)?.is_empty();
        Ok(ScopedRows { held: resolve::held(self, &request, id, &[])?, silent })
    }
}

impl ScopedRows<'_> {
    /// Whether the scope has no filter on the entity, neither for reading nor for writing.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// The columns that have one value in all rows of the scope, by their positions in the entity, with that value.
    pub fn fixed(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.held.iter().flat_map(Held::fixed)
    }

    /// Checks a new row: `known` returns the values that it gets, by the positions of their columns.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfScope`](crate::ErrorKind::OutOfScope): the row would be outside of the scope, or its values do
    /// not tell.
    pub fn takes<'v>(&'v self, known: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()> {
        self.held.iter().try_for_each(|held| held.takes(known))
    }

    /// Checks a changed row that was in the scope: `set` returns its new values, by the positions of their columns.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfScope`](crate::ErrorKind::OutOfScope): the row would be outside of the scope, or its values do
    /// not tell.
    pub fn keeps<'v>(&'v self, set: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()> {
        self.held.iter().try_for_each(|held| held.keeps(&|column| set(column).map(Some)))
    }
}
