//! What people decide about what is generated, in a file.

use std::collections::BTreeMap;

use isogloss_compiler::model::CatalogBuilder;
use isogloss_driver::introspect::PortableType;
use serde::Deserialize;

use crate::names;

/// Names and types that people have chosen. They are kept however often the rest is generated.
///
/// ```
/// use isogloss_generate::Mapping;
/// let mapping = Mapping::from_toml(r#"
///     [tables."public.order_items"]     # with its schema, or without
///     name = "Item"                     # the struct's
///     columns = { qty = "quantity" }    # the fields'
///     types = { area = "String(100)" }  # a column's, as in definitions
///
///     [tables.totals]
///     primary_key = ["order_id"]        # of a view, or of a table that declares none
///
///     [tables.log]
///     skip = true
/// "#)?;
///
/// let error = Mapping::from_toml("[tables.log]\nname = \"2 logs\"").unwrap_err();
/// assert!(error.to_string().contains("`2 logs` is no name of Rust"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    #[serde(default)]
    pub(crate) tables: BTreeMap<String, TableMapping>,
}

/// What is decided about a table.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableMapping {
    pub(crate) name: Option<RustName>,
    #[serde(default)]
    pub(crate) skip: bool,
    #[serde(default)]
    pub(crate) columns: BTreeMap<String, RustName>,
    #[serde(default)]
    pub(crate) types: BTreeMap<String, TypeName>,
    pub(crate) primary_key: Option<Vec<String>>,
}

/// A name that is one in Rust.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct RustName(pub(crate) String);

impl TryFrom<String> for RustName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if names::is_name(&name) {
            Ok(Self(name))
        } else {
            Err(format!("`{name}` is no name of Rust: a keyword takes `r#` in front, as in `r#type`"))
        }
    }
}

/// A type as definitions have it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct TypeName(pub(crate) PortableType);

impl TryFrom<String> for TypeName {
    type Error = String;

    /// Definitions themselves say what is a type.
    fn try_from(text: String) -> Result<Self, String> {
        let definition = serde_json::json!({"entity": [{"name": "T", "columns": [{"name": "C", "type": text}]}]});
        let bad = |error: &dyn std::fmt::Display| {
            let text = error.to_string();
            text.split_once(" at line").map_or(text.clone(), |(text, _)| text.to_owned())
        };
        let catalog = CatalogBuilder::from_json(&definition.to_string()).map_err(|error| bad(&error))?;
        let catalog = catalog.build().map_err(|error| bad(&error))?;
        let column = catalog.entity("T").and_then(|(_, entity)| entity.columns.first().cloned());
        let column = column.ok_or_else(|| format!("`{text}` is no type"))?;
        let ty = PortableType::new(column.ty).length(column.length).digits(column.precision, column.scale);
        Ok(Self(ty))
    }
}

/// A text that is no mapping: where, and why not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad mapping: {0}")]
pub struct BadMapping(String);

impl Mapping {
    /// The mapping of a TOML text.
    ///
    /// # Errors
    /// It is not TOML, has a key that is not known, a name that is none in Rust or an alias of statements, or a type that definitions
    /// do not have.
    pub fn from_toml(text: &str) -> Result<Self, BadMapping> {
        let mapping: Self = toml::from_str(text).map_err(|error| BadMapping(error.to_string()))?;
        let mut named = mapping.tables.iter().filter_map(|(table, said)| Some((table, said.name.as_ref()?)));
        match named.find(|(_, name)| names::is_made(&name.0)) {
            Some((table, RustName(name))) => Err(BadMapping(format!(
                "the table `{table}` has the name `{name}`, which is an alias that statements make themselves: choose another one"
            ))),
            None => Ok(mapping),
        }
    }

    /// What is said of a table: by its name with the schema, else without.
    pub(crate) fn table(&self, schema: &str, name: &str) -> Option<&TableMapping> {
        self.tables.get(&format!("{schema}.{name}")).or_else(|| self.tables.get(name))
    }
}
