//! Why a controller cannot be mounted.

use isogloss::walk::UnknownName;

/// Why a controller cannot be mounted: found when the program starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// An entity or a view is not in the catalog.
    #[error("`{name}` is not in the catalog: add it before the controller is mounted")]
    UnknownEntity {
        /// Its name.
        name: String,
    },
    /// The view is one of another entity.
    #[error("`{view}` is no view of `{entity}`: a controller reads its entity's rows as the entity or a view of it")]
    NotAView {
        /// The view.
        view: String,
        /// The entity.
        entity: String,
    },
    /// The policy does not fit the catalog.
    #[error("the policy of the controller for `{entity}`: {source}")]
    Policy {
        /// The entity.
        entity: String,
        /// What the policy names.
        source: UnknownName,
    },
    /// A property that is to be shown is none of the view's.
    #[error("`Rules::show` names `{property}`, and `{view}` has no property of that name that can be read")]
    UnknownProperty {
        /// The view.
        view: String,
        /// The property.
        property: String,
    },
    /// Clients would see no property.
    #[error(
        "clients may see no property of `{view}`: let it have one that is filterable, or show one by `Rules::show`"
    )]
    NothingVisible {
        /// The view.
        view: String,
    },
    /// The name does not stand in a path.
    #[error(
        "`{name}` is no part of a path: give the controller another by `Rules::name`, of ASCII letters, digits, `-`, `_`"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// The rules do not go together.
    #[error("the rules of the controller for `{entity}`: {why}")]
    BadRules {
        /// The entity.
        entity: String,
        /// What is wrong with them.
        why: &'static str,
    },
}
