//! What the trees are over.

use isogloss_compiler::model::Catalog;
use isogloss_conformance::generate::catalog;

/// A catalog, and whether trees over it are asked within a scope.
pub struct World {
    pub name: &'static str,
    pub catalog: Catalog,
    pub scoped: bool,
}

impl World {
    /// Tables whose rows all statements see, as far as the catalog lets them.
    pub fn plain() -> Self {
        Self { name: "plain", catalog: catalog::catalog().unwrap(), scoped: false }
    }

    /// Tables with rows of several tenants. Each tree has a scope of its own.
    pub fn tenants() -> Self {
        Self { name: "tenants", catalog: catalog::tenants().unwrap(), scoped: true }
    }
}
