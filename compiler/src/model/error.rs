//! What can be wrong with definitions.

use std::fmt;

use crate::expr::Name;

/// A mistake in a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Two definitions of one name.
    #[error("entity `{entity}` is defined twice; names differ by more than case")]
    DuplicateEntity {
        /// The name.
        entity: Name,
    },
}

/// Everything that is wrong with the definitions of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogErrors(pub Vec<CatalogError>);

impl fmt::Display for CatalogErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(error, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for CatalogErrors {}
