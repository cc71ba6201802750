//! Errors of mounting a controller.

use isogloss::walk::UnknownName;

use crate::WhyLeftOut;

/// Why a controller cannot be mounted. It is reported when the program starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// An entity or a view is not in the catalog.
    #[error("`{name}` is not in the catalog: add it before the controller is mounted")]
    UnknownEntity {
        /// The name.
        name: String,
    },
    /// The view belongs to another entity.
    #[error("`{view}` is no view of `{entity}`: a controller reads its entity's rows as the entity or a view of it")]
    NotAView {
        /// The name of the view.
        view: String,
        /// The name of the entity.
        entity: String,
    },
    /// The policy does not fit the catalog.
    #[error("the policy of the controller for `{entity}`: {source}")]
    Policy {
        /// The name of the entity.
        entity: String,
        /// The name in the policy that the catalog does not have.
        source: UnknownName,
    },
    /// The policy is for another entity than the one that rows are read as.
    #[error(
        "the policy of the controller for `{entity}` is about `{root}`, and its rows are read as `{view}`: make it by \
         `QueryPolicy::new(\"{view}\")`, and give it to this entity alone"
    )]
    PolicyRoot {
        /// The name of the entity.
        entity: String,
        /// The entity or view that rows are read as.
        view: String,
        /// The root of the policy.
        root: String,
    },
    /// A property in [`Rules::show`](crate::Rules::show) is not one of the view.
    #[error("`Rules::show` names `{property}`, and `{view}` has no property of that name that can be read")]
    UnknownProperty {
        /// The name of the view.
        view: String,
        /// The name of the property.
        property: String,
    },
    /// A column in [`Rules::filled`](crate::Rules::filled) is not one of the entity.
    #[error("`Rules::filled` names `{column}`, and `{entity}` has no column of that name")]
    UnknownColumn {
        /// The name of the entity.
        entity: String,
        /// The name.
        column: String,
    },
    /// Clients would see none of the view's properties.
    #[error(
        "clients may see no property of `{view}`: let it have one that is filterable, or show one by `Rules::show`"
    )]
    NothingVisible {
        /// The name of the view.
        view: String,
    },
    /// A path in [`Rules::include`](crate::Rules::include) has a name that is not a relation.
    #[error("`Rules::include` names `{relation}`, and `{entity}` has no relation of that name")]
    UnknownRelation {
        /// The entity or view whose relation it would be.
        entity: String,
        /// The name.
        relation: String,
    },
    /// Rows may be included of an entity that has two controllers on the host.
    #[error(
        "`{path}` includes rows of `{related}`, which has two controllers on this host: give one of them a host of its own, \
         so that the rules of the other hold"
    )]
    IncludedTwice {
        /// The path of relations.
        path: String,
        /// The entity of the rows.
        related: String,
    },
    /// Rows may be included of an entity that has no controller on the host.
    #[error(
        "`{path}` includes rows of `{related}`, which has no controller on this host: its rules would hold for them, so \
         serve it, too"
    )]
    NotIncluded {
        /// The path of relations.
        path: String,
        /// The entity of the rows.
        related: String,
    },
    /// A path in [`Rules::include`](crate::Rules::include) goes on from rows whose controller reads them as a view with another
    /// relation of that name, or none.
    #[error(
        "`{path}` goes on from rows that their controller reads as `{view}`, which does not have this `{relation}`: let the \
         controller read a view that has it, or let the entity have it"
    )]
    OtherRelation {
        /// The path of relations.
        path: String,
        /// The view of the controller.
        view: String,
        /// The name of the relation.
        relation: String,
    },
    /// The name cannot be used in a path.
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
        /// The entities of both controllers.
        entities: [String; 2],
    },
    /// Rules are given for an entity that is not served by them.
    #[error("the rules for `{entity}` hold for nothing, as it is left out: {why}")]
    UnusedRules {
        /// The name of the entity.
        entity: String,
        /// Why it is left out.
        why: WhyLeftOut,
    },
    /// An entity that `Controllers::only` names is not served.
    #[error("`{entity}` is named by `only`, and is not served: {why}")]
    NotServed {
        /// The name of the entity.
        entity: String,
        /// Why it is left out.
        why: WhyLeftOut,
    },
    /// `only`, `except` or `rules` of `Controllers` name a view.
    #[error("`{view}` is a view, and has no controller of its own: name the entity that it is of")]
    NamesAView {
        /// The name of the view.
        view: String,
    },
    /// The rules contradict each other.
    #[error("the rules of the controller for `{entity}`: {why}")]
    BadRules {
        /// The name of the entity.
        entity: String,
        /// What contradicts.
        why: &'static str,
    },
}
