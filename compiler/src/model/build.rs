//! From definitions to a checked catalog.

use super::define::Definition;
use super::{Catalog, CatalogErrors, Column, Entity, EnumDef, EnumMember, EnumStorage, TableDef, ViewDef};

/// Gathers definitions, in any order, and makes a catalog of them.
#[derive(Debug, Clone, Default)]
pub struct CatalogBuilder {
    definitions: Vec<Definition>,
}

impl CatalogBuilder {
    /// Adds a table.
    #[must_use]
    pub fn table(mut self, table: TableDef) -> Self {
        self.definitions.push(table.0);
        self
    }

    /// Adds a view.
    #[must_use]
    pub fn view(mut self, view: ViewDef) -> Self {
        self.definitions.push(view.0);
        self
    }

    /// Checks everything and makes the catalog.
    ///
    /// # Errors
    /// Everything that is wrong with the definitions.
    pub fn build(self) -> Result<Catalog, CatalogErrors> {
        let entities = self.definitions.into_iter().map(entity).collect();
        Ok(Catalog::new(entities, entity(Definition::default())))
    }
}

fn entity(d: Definition) -> Entity {
    let columns: Vec<Column> = d.columns.into_iter().map(column).collect();
    let mut keys: Vec<usize> = columns.iter().enumerate().filter(|(_, c)| c.primary_key).map(|(i, _)| i).collect();
    keys.sort_by_key(|i| columns.get(*i).map(|c| c.name.as_str().to_ascii_lowercase()));
    let mut entity = Entity {
        table: d.table.unwrap_or_else(|| d.name.to_string()).parse().unwrap_or_default(),
        name: d.name,
        data_source: d.data_source,
        sync_table: d.sync_table,
        base: None,
        foreign_columns: Vec::new(),
        joins: Vec::new(),
        relations: Vec::new(),
        fixed_filter: d.fixed_filter,
        identity: columns.iter().position(|c| c.identity.is_some()),
        version: columns.iter().position(|c| c.is_timestamp),
        keys,
        columns,
        index: hashbrown::HashTable::new(),
    };
    entity.index_properties();
    entity
}

fn column(c: super::ColumnDef) -> Column {
    let stored = if c.ty.base.is_text() { EnumStorage::Text } else { EnumStorage::Number };
    let flags = c.enum_flags;
    Column {
        column: c.column.unwrap_or_else(|| c.name.as_str().into()),
        name: c.name,
        ty: c.ty,
        length: c.length,
        precision: c.precision,
        scale: c.scale,
        nullable: c.nullable,
        primary_key: c.primary_key,
        identity: c.identity,
        is_timestamp: c.is_timestamp,
        is_index: c.is_index,
        is_unique: c.is_unique,
        default: c.default,
        computed: None,
        mode: c.mode,
        filterable: c.filterable,
        enum_values: c.enum_members.map(|members| EnumDef {
            stored,
            flags,
            members: members.into_iter().map(|(name, number)| EnumMember { name, number }).collect(),
        }),
    }
}
