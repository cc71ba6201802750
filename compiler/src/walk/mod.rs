//! Walks over trees: visitors, validators, the policy for trees of untrusted clients, and detection of cycles.
//!
//! Nothing here recurses with the tree: every pass has its own stack on the heap, so that a chain of a million nodes
//! can be walked, compared, hashed, cloned and printed on a small thread stack. `Display` shows only a few levels.
//!
//! Invariant: `parts` is the one table of the children of each node. Walking, equality, cloning and printing all use
//! it, so that no pass can miss a child.

mod copy;
mod cycle;
mod equal;
mod fields;
mod node;
mod parts;
mod path;
mod policy;
mod print;
pub(crate) mod shape;
mod text;
mod validate;
mod visit;

pub use cycle::{CycleDetector, CycleResult};
pub use node::{ExprMut, ExprRef, ExprType, ExprTypes};
pub(crate) use path::Hop;
pub use path::{Path, Step, Trail};
#[cfg(feature = "schema")]
pub(crate) use policy::Allowed;
pub use policy::{Guard, PolicyRule, PropertyInfo, QueryPolicy, Refusal, RelationInfo, Schema, UnknownName};
pub use validate::{ExprValidator, FailedExpr};
pub use visit::{
    CancellationToken, ExprNodeVisitor, ExprVisitor, Visit, VisitOrder, Walk, rewrite, visit, visit_while,
};

#[cfg(test)]
mod deep_tests;
