//! A schema: what its tables are, and the rows that they hold.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::dialect::Limits;
use isogloss_compiler::expr::{DbValueType, InsertExpr, InsertSource, Name, TableExpr};
use isogloss_compiler::model::{Catalog, CatalogBuilder, Entity, Property};
use isogloss_compiler::{Compiler, FragmentContext, Registry};
use serde::Deserialize;
use serde_json::Value as Json;

use super::SuiteError;
use super::value;
use crate::data::{Data, TableData};

/// How large a file of a suite may be.
const FILE_BYTES: u64 = 64 << 20;

/// How long a name of a group, a case or a schema may be.
const NAME_BYTES: usize = 100;

/// How many rows one INSERT takes at most.
const BATCH: usize = 50;

/// What the tables of some cases are, and the rows that they hold.
///
/// Two files: `name.toml` has the definitions that
/// [`CatalogBuilder::from_toml`](isogloss_compiler::model::CatalogBuilder::from_toml) reads, `name.json` the rows of
/// each entity. A sharded table is named with its arguments: `Log/2024`.
#[derive(Debug)]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// The compiler over its catalog, with the fragments and the function that cases use.
    pub compiler: Compiler,
    /// A compiler whose catalog says of each column of texts that they are compared by code points.
    pub exact: Compiler,
    /// The tables with rows, as they are written.
    pub tables: Vec<SchemaTable>,
}

/// A table that holds rows.
#[derive(Debug, Clone)]
pub struct SchemaTable {
    /// Arguments for the placeholders of its name.
    pub args: Vec<CompactString>,
    /// The rows.
    pub data: TableData,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableText {
    columns: Vec<String>,
    rows: Vec<Vec<Json>>,
}

impl Schema {
    /// Reads `name.toml` and `name.json` of a folder.
    ///
    /// # Errors
    /// A name that is no plain word, a file that cannot be read, or whose definitions or rows are wrong.
    pub fn load(folder: &Path, name: &str) -> Result<Self, SuiteError> {
        word(name).map_err(|error| content(folder, &error))?;
        let path = folder.join(format!("{name}.toml"));
        let text = read(&path)?;
        let catalog = |text: &str| {
            let builder = CatalogBuilder::from_toml(text).map_err(|error| content(&path, &error))?;
            builder.build().map_err(|error| content(&path, &error))
        };
        let exact = catalog(&text.replace("type = \"String", "text = \"exact\", type = \"String"))?;
        let catalog = catalog(&text)?;
        let path = folder.join(format!("{name}.json"));
        let tables: BTreeMap<String, Json> =
            serde_json::from_str(&read(&path)?).map_err(|error| content(&path, &error))?;
        let tables = tables
            .into_iter()
            .map(|(entity, table)| SchemaTable::read(&catalog, &entity, table))
            .collect::<Result<_, _>>()
            .map_err(|error| content(&path, &error))?;
        let compiler = |catalog| {
            let registry = registry().map_err(|error| content(&path, &error))?;
            Ok(Compiler::with_registry(catalog, registry))
        };
        Ok(Self { name: name.to_owned(), compiler: compiler(catalog)?, exact: compiler(exact)?, tables })
    }

    /// The catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.compiler.catalog()
    }

    /// The rows of every entity, of those without any an empty table. Two entities over one table have the same rows;
    /// those of sharded tables are left out.
    #[must_use]
    pub fn data(&self) -> Data {
        let rows = |entity: &Entity| {
            let same = |table: &&SchemaTable| {
                let other = self.catalog().entity(&table.data.entity);
                other.is_some_and(|(_, other)| other.table == entity.table)
            };
            self.tables.iter().find(same).map_or_else(TableData::default, |table| table.data.clone())
        };
        let table = |entity: &Entity| {
            let mut table = TableData { entity: entity.name.to_string(), ..rows(entity) };
            if table.columns.is_empty() {
                table.columns = entity.columns.iter().map(|column| column.name.to_string()).collect();
            }
            table
        };
        let whole = |entity: &Entity| entity.base.is_none() && entity.table.args() == 0;
        self.catalog().entities().filter(|(_, entity)| whole(entity)).map(|(_, entity)| table(entity)).collect()
    }
}

impl SchemaTable {
    /// The rows of an entity, from `{"columns": [..], "rows": [[..], ..]}`.
    pub(super) fn read(catalog: &Catalog, entity: &str, json: Json) -> Result<Self, String> {
        let table: TableText = serde_json::from_value(json).map_err(|error| format!("`{entity}`: {error}"))?;
        let mut parts = entity.split('/');
        let entity = parts.next().unwrap_or_default();
        let (_, known) = catalog.entity(entity).ok_or_else(|| format!("`{entity}` is no entity"))?;
        let types = table
            .columns
            .iter()
            .map(|column| match known.property(column) {
                Some(Property::Column(index)) => Ok(known.columns.get(index).map_or_else(Default::default, |c| c.ty)),
                _ => Err(format!("`{entity}` has no column `{column}`")),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let row = |row: &Vec<Json>| {
            if row.len() != types.len() {
                return Err(format!("`{entity}`: {} values for {} columns", row.len(), types.len()));
            }
            row.iter().zip(&types).map(|(json, ty)| value::read(json, *ty)).collect()
        };
        let rows = table.rows.iter().map(row).collect::<Result<_, _>>()?;
        let data = TableData { entity: entity.to_owned(), columns: table.columns, rows };
        Ok(Self { args: parts.map(CompactString::from).collect(), data })
    }

    /// The statements that put the rows in, each within the limits of the engine.
    pub(super) fn inserts(&self, limits: &Limits) -> impl Iterator<Item = InsertExpr> {
        let most = (limits.parameters / self.data.columns.len().max(1)).min(limits.rows_in_values);
        self.data.rows.chunks(most.clamp(1, BATCH)).map(|rows| InsertExpr {
            table: TableExpr {
                entity: Name::new(&self.data.entity),
                table_args: self.args.clone().into_boxed_slice(),
                alias: None,
                filters_off: Box::default(),
            },
            columns: self.data.columns.iter().map(Name::new).collect(),
            source: InsertSource::Values(rows.concat()),
            conflict: None,
            returning: Vec::new(),
        })
    }
}

/// What a program adds to the compiler: the cases' fragments are two predicates and a value, of standard SQL.
fn registry() -> Result<Registry, isogloss_compiler::Error> {
    let mut registry = Registry::default();
    // An OR that must not leave its place.
    registry.fragment("at_least", |cx: &mut FragmentContext<'_, '_>, least| {
        cx.column("Amount")?;
        cx.text(" >= ");
        cx.bind(least.clone());
        cx.text(" OR ");
        cx.column("Amount")?;
        cx.text(" IS NULL");
        Ok(())
    });
    registry.value_fragment("tenfold", Some(DbValueType::Int32.into()), |cx, _| {
        cx.column("Qty")?;
        cx.text(" + ");
        cx.column("Qty")?;
        cx.text(" * 9");
        Ok(())
    });
    let everywhere = ["postgres", "mysql", "mariadb", "sqlite", "sqlserver", "oracle", "duckdb"];
    registry.function("Twice", Some(DbValueType::Int32.into()), everywhere.map(|name| (name, "({0} + {0})")))?;
    Ok(registry)
}

/// The text of a regular file: a pipe would wait for somebody to write, a device may have no end.
pub(super) fn read(path: &Path) -> Result<String, SuiteError> {
    let text = fs::metadata(path).and_then(|about| match about.len() {
        _ if !about.is_file() => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
        FILE_BYTES.. => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is too large")),
        _ => fs::read_to_string(path),
    });
    text.map_err(|source| SuiteError::File { path: path.to_owned(), source })
}

/// Whether it is a name of a group, a case or a schema: so it leads to no other folder, and prints as it is.
pub(super) fn word(name: &str) -> Result<(), String> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if !name.is_empty() && name.len() <= NAME_BYTES && name.bytes().all(plain) {
        return Ok(());
    }
    let cut: String = name.chars().take(NAME_BYTES).collect();
    Err(format!("{cut:?} is no name: small letters, digits and `_`, at most {NAME_BYTES}"))
}

pub(super) fn content(path: &Path, what: &dyn ToString) -> SuiteError {
    SuiteError::Content { path: path.to_owned(), what: what.to_string() }
}
