//! Errors of a scope.

use crate::expr::Name;

/// A mistake in a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "a variant's message says what its fields are")]
pub enum ScopeError {
    /// A filter on an entity that the catalog does not have.
    #[error("a filter of the scope is on entity `{name}`, which the catalog does not have")]
    UnknownEntity { name: Name },
    /// A filter by a property that no entity has.
    #[error("a filter of the scope is on property `{property}`, which is a column of no entity")]
    UnknownProperty { property: Name },
    /// A condition with a property that its entity does not have.
    #[error("the scope's filter on `{entity}` names `{property}`, which is no column of its table")]
    NotItsColumn { entity: Name, property: Name },
    /// Two filters with the same name.
    #[error("two filters of the scope are named `{name}`: give one another name")]
    SameName { name: Name },
    /// A second name for one filter.
    #[error(
        "the filter `{name}` is given a second name, `{second}`: call `named` once, behind the filter that it names"
    )]
    NamedTwice { name: Name, second: Name },
    /// A method that changes the last filter, on a scope without filters.
    #[error("`{said}` is about the filter that was added last, and the scope has none yet")]
    NoFilter { said: &'static str },
    /// A condition with a common table expression.
    #[error(
        "the scope's filter `{filter}` has a common table expression: it stands in statements that have others; write the \
         query where it is used"
    )]
    CommonTable { filter: Name },
    /// Filters whose conditions use each other's entities.
    #[error(
        "the scope's filters lead back to where they began: {}. Let one of them do without the other's entity",
        way(entities)
    )]
    Cycle { entities: Vec<Name> },
    /// Soft-deleted rows of an entity that has none.
    #[error("the scope speaks of deleted rows of `{entity}`, which has no soft_delete column")]
    NotMarked { entity: Name },
}

fn way(entities: &[Name]) -> String {
    entities.iter().map(|entity| format!("`{entity}`")).collect::<Vec<_>>().join(" -> ")
}
