//! The contestants, one file each.

use crate::peer::Peer;

pub mod diesel_boxed;
pub mod diesel_schema;
pub mod diesel_typed;
pub mod hand;
pub mod isogloss;
pub mod isogloss_prepared;
pub mod json_tree;
pub mod sea_query;
pub mod serde_fields;
pub mod serde_untagged;
pub mod serde_visitor;
pub mod sqlx;

/// All contestants in the order of the tables. `hand` stands first: it is the base of the ratios and of the texts.
pub fn all() -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(hand::Hand),
        Box::new(isogloss::Isogloss),
        Box::new(isogloss::IsoglossReused),
        Box::new(isogloss_prepared::IsoglossPrepared),
        Box::new(sqlx::Sqlx),
        Box::new(sea_query::SeaQuery),
        Box::new(diesel_typed::DieselTyped),
        Box::new(diesel_boxed::DieselBoxed),
        Box::new(serde_visitor::SerdeVisitor),
        Box::new(serde_fields::SerdeFields),
        Box::new(serde_untagged::SerdeUntagged),
    ]
}
