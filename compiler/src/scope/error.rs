//! What can be wrong with a scope.

use crate::expr::Name;

/// A mistake in a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "a variant's message says what its fields are")]
pub enum ScopeError {
    /// A filter on nothing.
    #[error("a filter of the scope is on entity `{name}`, which the catalog does not have")]
    UnknownEntity { name: Name },
    /// A filter by a column that nothing has.
    #[error("a filter of the scope is on property `{property}`, which is a column of no entity")]
    UnknownProperty { property: Name },
    /// A condition that names what its entity does not have.
    #[error("the scope's filter on `{entity}` names `{property}`, which is no column of its table")]
    NotItsColumn { entity: Name, property: Name },
    /// Two filters of one name.
    #[error("two filters of the scope are named `{name}`: give one another name")]
    SameName { name: Name },
    /// A second name for one filter.
    #[error(
        "the filter `{name}` is given a second name, `{second}`: call `named` once, behind the filter that it names"
    )]
    NamedTwice { name: Name, second: Name },
    /// A word about a filter that is not there.
    #[error("`{said}` is about the filter that was added last, and the scope has none yet")]
    NoFilter { said: &'static str },
    /// A condition with a common table expression.
    #[error(
        "the scope's filter `{filter}` has a common table expression: it stands in statements that have others; write the \
         query where it is used"
    )]
    CommonTable { filter: Name },
    /// A filter whose condition reads what the filter is on.
    #[error(
        "the scope's filters lead back to where they began: {}. Let one of them do without the other's entity",
        way(entities)
    )]
    Cycle { entities: Vec<Name> },
    /// A state of rows that are never marked as deleted.
    #[error("the scope speaks of deleted rows of `{entity}`, which has no soft_delete column")]
    NotMarked { entity: Name },
}

fn way(entities: &[Name]) -> String {
    entities.iter().map(|entity| format!("`{entity}`")).collect::<Vec<_>>().join(" -> ")
}
