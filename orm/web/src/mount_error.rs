//! Why a controller cannot be mounted.

use isogloss::walk::UnknownName;

use crate::WhyLeftOut;

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
    /// The policy is about another entity than the rows are read as.
    #[error(
        "the policy of the controller for `{entity}` is about `{root}`, and its rows are read as `{view}`: make it by \
         `QueryPolicy::new(\"{view}\")`, and give it to this entity alone"
    )]
    PolicyRoot {
        /// The entity.
        entity: String,
        /// What its rows are read as.
        view: String,
        /// What the policy is about.
        root: String,
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
    /// Two controllers have one name.
    #[error(
        "`/{name}` would be of `{}` and of `{}`: give one of them another name by `Rules::name`, or leave it out", .entities[0], .entities[1]
    )]
    NameTwice {
        /// The name.
        name: String,
        /// The entities of the two.
        entities: [String; 2],
    },
    /// Rules are given for an entity that is not served by them.
    #[error("the rules for `{entity}` hold for nothing, as it is left out: {why}")]
    UnusedRules {
        /// The entity.
        entity: String,
        /// Why it is left out.
        why: WhyLeftOut,
    },
    /// An entity that `Controllers::only` names is not served.
    #[error("`{entity}` is named by `only`, and is not served: {why}")]
    NotServed {
        /// The entity.
        entity: String,
        /// Why it is left out.
        why: WhyLeftOut,
    },
    /// `only`, `except` or `rules` of `Controllers` name a view.
    #[error("`{view}` is a view, and has no controller of its own: name the entity that it is of")]
    NamesAView {
        /// The view.
        view: String,
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
