//! Which entities are served.

use isogloss::model::Catalog;

use crate::MountError;

/// Which entities are served.
pub(super) enum Choice {
    All,
    Only(Vec<String>),
    Except(Vec<String>),
}

impl Choice {
    /// Looks whether the catalog has what is named: an entity that is misspelt in `except` would be served.
    pub(super) fn check(&self, catalog: &Catalog) -> Result<(), MountError> {
        let unknown = |name: &&String| catalog.entity(name).is_none();
        match self.named().iter().find(unknown) {
            Some(name) => Err(MountError::UnknownEntity { name: name.clone() }),
            None => Ok(()),
        }
    }

    pub(super) fn takes(&self, entity: &str) -> bool {
        let is_named = self.named().iter().any(|name| name.eq_ignore_ascii_case(entity));
        matches!(self, Self::Only(_)) == is_named || matches!(self, Self::All)
    }

    fn named(&self) -> &[String] {
        match self {
            Self::All => &[],
            Self::Only(names) | Self::Except(names) => names,
        }
    }
}
