//! Entities as a crate.

use crate::Error;
use crate::model::Model;

/// A crate that is generated: what it is called, and where it has `isogloss` from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrateOptions {
    /// Its name.
    pub name: String,
    /// The version of `isogloss`.
    pub version: String,
    /// Where `isogloss` lies, if it is not from a registry.
    pub path: Option<String>,
    /// Features of `isogloss` beside `orm`.
    pub features: Vec<String>,
}

impl CrateOptions {
    /// A crate of that name, over the version of `isogloss` that this crate belongs to.
    pub fn new(name: impl Into<String>) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { name: name.into(), version, path: None, features: Vec::new() }
    }

    /// With `isogloss` from a folder.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// With that version of `isogloss`.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// With a feature of `isogloss` beside `orm`: an engine's name, say.
    #[must_use]
    pub fn feature(mut self, feature: impl Into<String>) -> Self {
        self.features.push(feature.into());
        self
    }
}

impl Model {
    /// The entities as a crate: the paths of its files, and their texts.
    ///
    /// # Errors
    /// Only by a mistake of this crate: the code does not parse.
    pub fn to_crate(&self, options: &CrateOptions) -> Result<Vec<(String, String)>, Error> {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let place = match &options.path {
            Some(path) => format!("path = {}", text(path)),
            None => format!("version = {}", text(&options.version)),
        };
        let features = ["orm"].into_iter().chain(options.features.iter().map(String::as_str));
        let features = features.map(text).collect::<Vec<_>>().join(", ");
        let json = if self.has_json() { "serde_json = \"1\"\n" } else { "" };
        let manifest = format!(
            "[package]\nname = {}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             isogloss = {{ {place}, default-features = false, features = [{features}] }}\n{json}",
            text(&options.name),
        );
        let mut head = String::from("//! The tables of a database, as `isogloss generate` has read them.\n");
        if !self.idents().all(|name| name.is_ascii()) {
            // They are names of the database.
            head.push_str("\n#![allow(confusable_idents, mixed_script_confusables, uncommon_codepoints)]\n");
        }
        Ok(vec![("Cargo.toml".to_owned(), manifest), ("src/lib.rs".to_owned(), self.module(&head)?)])
    }

    fn idents(&self) -> impl Iterator<Item = &str> {
        self.entities.iter().flat_map(|entity| {
            std::iter::once(entity.name.as_str()).chain(entity.columns().map(|column| column.field.as_str()))
        })
    }
}
