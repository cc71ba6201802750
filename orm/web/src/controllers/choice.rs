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
        self.named().iter().try_for_each(|name| check_name(catalog, name))
    }

    /// Whether an entity that is not served is an error.
    pub(super) fn demands(&self, entity: &str) -> bool {
        matches!(self, Self::Only(_)) && self.takes(entity)
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

/// Looks whether a name is that of an entity which may have a controller.
pub(super) fn check_name(catalog: &Catalog, name: &str) -> Result<(), MountError> {
    match catalog.entity(name) {
        None => Err(MountError::UnknownEntity { name: name.to_owned() }),
        Some((_, entity)) if entity.base.is_some() => Err(MountError::NamesAView { view: name.to_owned() }),
        Some(_) => Ok(()),
    }
}
