//! What a table has beside its columns: indexes and foreign keys.

use serde::Deserialize;

use crate::model::{ConstraintDef, IndexDef, ReferenceAction};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IndexText {
    columns: Vec<String>,
    #[serde(default)]
    unique: bool,
    filter: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ForeignKeyText {
    columns: Vec<String>,
    entity: String,
    #[serde(default)]
    on_delete: ActionText,
    #[serde(default)]
    on_update: ActionText,
    #[serde(default)]
    deferred: bool,
    name: Option<String>,
}

/// `no_action`, `restrict`, `cascade` or `set_null`.
#[derive(Deserialize, Default)]
#[serde(try_from = "String")]
struct ActionText(ReferenceAction);

impl TryFrom<String> for ActionText {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        word.parse().map(Self)
    }
}

impl IndexText {
    pub(super) fn define(self) -> IndexDef {
        let mut index = IndexDef::new(self.columns);
        if self.unique {
            index = index.unique();
        }
        if let Some(filter) = self.filter {
            index = index.filter_sql(filter);
        }
        match self.name {
            Some(name) => index.name(name),
            None => index,
        }
    }
}

impl ForeignKeyText {
    pub(super) fn define(self) -> ConstraintDef {
        let mut key =
            ConstraintDef::new(self.columns, self.entity).on_delete(self.on_delete.0).on_update(self.on_update.0);
        if self.deferred {
            key = key.deferred();
        }
        match self.name {
            Some(name) => key.name(name),
            None => key,
        }
    }
}
