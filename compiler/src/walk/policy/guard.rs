//! A policy for one catalog.

use super::{QueryPolicy, Refusal, UnknownName};
use crate::kept::{self, Owner};
use crate::model::Catalog;
use crate::walk::node::ExprRef;
use crate::walk::shape::{SHORT, Shape};

/// How many bytes a shape may have whose trees are known to be allowed.
const MOST: usize = 1 << 14;

/// A [`QueryPolicy`] for one catalog, for a program that checks many trees.
///
/// It remembers the shapes of trees that it has allowed. A tree that differs from one of them only in values that are
/// compared with properties breaks no rule either, and is not checked again.
///
/// ```
/// use isogloss_compiler::expr::{DbValueType::Int32, ValueOps, prop};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::walk::{Guard, QueryPolicy};
/// let order = TableDef::new("Order").column(ColumnDef::new("Id", Int32).primary_key());
/// let catalog = Catalog::builder().table(order).build()?;
///
/// let guard = Guard::new(QueryPolicy::new("Order"), catalog)?;
/// for id in 0..100 {
///     guard.check(&prop("Id").gt(id))?;
/// }
/// assert!(guard.check(&prop("Margin").gt(5)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Guard {
    policy: QueryPolicy,
    catalog: Catalog,
    owner: Owner,
}

impl Guard {
    /// Combines a policy with a catalog.
    ///
    /// # Errors
    /// A name of the policy that the catalog does not have: see [`QueryPolicy::validate`].
    pub fn new(policy: QueryPolicy, catalog: Catalog) -> Result<Self, UnknownName> {
        policy.validate(&catalog)?;
        Ok(Self { policy, catalog, owner: Owner::new() })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &QueryPolicy {
        &self.policy
    }

    /// The catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Checks every node of the tree, unless its shape was allowed before: see [`QueryPolicy::check`].
    ///
    /// # Errors
    /// The first node that breaks a rule, with its path.
    pub fn check<'e>(&self, tree: impl Into<ExprRef<'e>>) -> Result<(), Refusal> {
        let tree = tree.into();
        // The rules that ask for the length of a text find all of these short, and together not too long.
        let QueryPolicy { max_text_bytes, max_pattern_bytes, .. } = self.policy;
        let is_all = |shape: &Shape<'_>| {
            !shape.compares() && shape.longest() <= max_text_bytes && (!shape.searches() || SHORT <= max_pattern_bytes)
        };
        kept::allowed(self.owner, MOST, tree, is_all, || self.policy.check(tree, &self.catalog))
    }
}
