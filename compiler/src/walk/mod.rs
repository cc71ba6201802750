//! Walking a tree: visitors, validators, the policy for trees from strangers, cycle detection.
//!
//! Nothing here recurses with the tree: every pass keeps its own stack on the heap, so that a chain of a million nodes
//! is walked, compared, hashed, copied and printed on a small thread stack. The text for people shows a few levels only.
//!
//! Invariant: `parts` is the one table of what hangs below what. Walking, equality, copies and printing all read it,
//! so no pass can miss a child that another one sees.

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
pub(crate) use path::Key;
pub use path::{Step, Trail};
#[cfg(feature = "schema")]
pub(crate) use policy::Allowed;
pub use policy::{Guard, PropertyInfo, QueryPolicy, Refusal, RelationInfo, Rule, Schema, UnknownName};
pub use validate::{ExprValidator, FailedExpr};
pub use visit::{CancellationToken, ExprNodeVisitor, ExprVisitor, Order, Visit, Walk, rewrite, visit, visit_while};

#[cfg(test)]
mod deep_tests;
