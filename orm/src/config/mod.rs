//! The configuration of data sources, from the program's settings or in code.
//!
//! The section `Orm` of the settings, as JSON or TOML:
//!
//! ```
//! use isogloss::config::OrmConfig;
//! let config = OrmConfig::from_toml(r#"
//!     [Orm]
//!     Default = "main"
//!
//!     [[Orm.DataSources]]
//!     Name = "main"
//!     Provider = "postgres"
//!     ConnectionString = "postgres://app:secret@db.example/shop"
//!     KeepAliveDuration = "00:05:00"
//!
//!     [[Orm.DataSources.ReadOnlyConfigs]]
//!     ConnectionString = "postgres://app:secret@replica.example/shop"
//!     PoolSize = 4
//! "#)?;
//! let main = &config.data_sources[0];
//! assert_eq!((main.max_pool_size, main.param_count_limit, main.replicas()[0].max_pool_size), (100, 1000, 100));
//! assert!(!format!("{config:?}").contains("secret"));
//!
//! // Each key may stand in small letters as well.
//! let small = r#"{"orm": {"data_sources": [{"name": "main", "provider": "sqlite", "max_pool_size": 4}]}}"#;
//! assert_eq!(OrmConfig::from_json(small)?.data_sources[0].max_pool_size, 4);
//!
//! let error = OrmConfig::from_json(r#"{"Orm": {"DataSources": [{"Nmae": "main"}]}}"#).unwrap_err();
//! assert_eq!(error.to_string(), "Orm.DataSources[0]: unknown key `Nmae` (did you mean `Name`?)");
//! # Ok::<(), isogloss::config::ConfigError>(())
//! ```

mod duration;
mod error;
mod read;
mod source;
#[cfg(test)]
mod tests;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use duration::{DurationError, duration_from_text, duration_to_text};
pub use error::ConfigError;
pub use source::{DataSourceConfig, PoolConfig, ReplicaConfig};

/// The section `Orm` of a program's settings.
///
/// It can be deserialized by serde as a part of the program's own settings, or parsed from a whole text by
/// [`from_json`](Self::from_json) and [`from_toml`](Self::from_toml). Errors name the place and never show a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrmConfig {
    /// `Default`: the name of the default data source. It can be left out if there is only one.
    pub default: Option<String>,
    /// `DataSources`: the data sources.
    pub data_sources: Vec<DataSourceConfig>,
}

impl OrmConfig {
    /// Parses JSON: settings with a section `Orm`, or that section itself.
    ///
    /// # Errors
    /// [`ConfigError::Syntax`], or [`ConfigError::UnknownKey`] and [`ConfigError::Value`] with their places.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let value = serde_json::from_str(text).map_err(|error| ConfigError::Syntax {
            format: "JSON",
            line: error.line(),
            column: error.column(),
        })?;
        read::settings(value)
    }

    /// Parses TOML: settings with a table `Orm`, or that table itself.
    ///
    /// # Errors
    /// Those of [`from_json`](Self::from_json).
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        // What the parser says of an error shows the line, with what is secret in it.
        let value: Value = toml::from_str(text).map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            ConfigError::Syntax { format: "TOML", line, column }
        })?;
        read::settings(value)
    }
}

impl<'de> Deserialize<'de> for OrmConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::section(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
