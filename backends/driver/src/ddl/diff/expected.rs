//! What introspection would say of the tables of a catalog.

use isogloss_compiler::model::{Catalog, Entity, EntityId};

use super::super::difference::DiffOptions;
use super::super::draft::Draft;
use super::super::spelling::{ColumnOf, Spelling};
use crate::Result;
use crate::introspect::{
    CheckReport, ColumnReport, Filled, IndexKey, IndexReport, Kept, PortableType, SchemaReport, TableKind, TableReport,
};

/// The entities whose tables are compared: those of a source, but for views and sharded tables.
pub(super) fn entities<'c>(
    catalog: &'c Catalog,
    options: &'c DiffOptions,
) -> impl Iterator<Item = (EntityId, &'c Entity)> {
    let source = options.data_source.as_deref();
    let own = move |entity: &Entity| entity.base.is_none() && entity.data_source.as_deref() == source;
    catalog.entities().filter(move |(_, entity)| own(entity) && entity.table.args() == 0)
}

/// What introspection would say of the tables.
pub(crate) fn expected<S: Spelling>(spelling: &S, catalog: &Catalog, options: &DiffOptions) -> Result<SchemaReport> {
    let mut report = declared(spelling, catalog, options)?;
    report.tables.iter_mut().for_each(|table| spelling.reported(table));
    Ok(report)
}

/// The tables as they are declared, each once: entities of one table have columns of their own.
pub(super) fn declared<S: Spelling>(spelling: &S, catalog: &Catalog, options: &DiffOptions) -> Result<SchemaReport> {
    let mut report = SchemaReport::default();
    for (id, _) in entities(catalog, options) {
        let table = Draft::new(spelling, catalog, id, &[])?.expected()?;
        match report.tables.iter_mut().find(|known| (&known.schema, &known.name) == (&table.schema, &table.name)) {
            None => report.tables.push(table),
            Some(known) => {
                for column in table.columns {
                    if known.column(&column.name).is_none() {
                        known.columns.push(column);
                    }
                }
                for index in table.indexes {
                    if !known.indexes.contains(&index) {
                        known.indexes.push(index);
                    }
                }
                for key in table.foreign_keys {
                    if !known.foreign_keys.iter().any(|own| own.name == key.name) {
                        known.foreign_keys.push(key);
                    }
                }
                for check in table.checks {
                    if !known.checks.iter().any(|own| own.name == check.name) {
                        known.checks.push(check);
                    }
                }
            }
        }
    }
    Ok(report)
}

impl<S: Spelling> Draft<'_, S> {
    pub(super) fn expected(&self) -> Result<TableReport> {
        let (name, schema) = match self.parts.split_last() {
            Some((name, schema)) => (name.clone(), schema.join(".")),
            None => Default::default(),
        };
        let columns = self.entity.columns.iter().map(|column| {
            let name = column.column.to_string();
            let number = self.number().filter(|number| number.column.name == column.name);
            let engine_type = match number {
                Some(_) => self.spelling.numbered_type(column)?,
                None => self.plain_type(column, ColumnOf::NewTable)?,
            };
            let filled = match (number, &column.computed, &column.default) {
                (Some(number), ..) => match &number.identity.expression {
                    Some(expression) => Filled::Default(expression.clone()),
                    None => Filled::Identity { start: number.identity.start, increment: number.identity.increment },
                },
                (_, Some(computed), _) => Filled::Generated(Some(self.computed(computed)?)),
                (.., Some(default)) => {
                    let text = self.default_text(column, default);
                    Filled::Default(self.spelling.bare_default(&engine_type, text).unwrap_or_else(|| text.to_owned()))
                }
                _ => Filled::Not,
            };
            // A generated column is declared without NOT NULL.
            let nullable = !column.primary_key && (column.nullable || column.computed.is_some());
            let engine_type = engine_type.into_owned();
            let comment = self.told(Some(column), column.comment.as_deref())?;
            let comment = comment.filter(|text| !text.is_empty()).map(str::to_owned);
            let portable = PortableType::new(column.ty).length(column.length).digits(column.precision, column.scale);
            let (portable, collation, hidden, choices) = (portable.sized(), None, false, None);
            // How a column is stored is the engine's choice, and no catalog says it.
            let (stored, updated, on_null) = (false, None, None);
            Ok(ColumnReport {
                name,
                engine_type,
                portable,
                nullable,
                filled,
                collation,
                comment,
                hidden,
                stored,
                updated,
                on_null,
                choices,
                is_special: false,
            })
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let keys = self.entity.columns.iter().filter(|column| column.primary_key);
        let mut checks = Vec::new();
        for check in &self.entity.checks {
            checks.push(CheckReport::new(check.name.as_str(), self.text(&check.condition)));
        }
        let indexes = self.entity.columns.iter().filter(|column| self.has_index(column)).map(|column| {
            let keys = vec![IndexKey::Column(column.column.to_string())];
            let condition = self.apart(&[column], column.is_unique).filter;
            IndexReport { condition, ..IndexReport::new(self.index_name(column), column.is_unique, keys) }
        });
        Ok(TableReport {
            schema,
            name,
            kind: TableKind::Table,
            comment: self
                .told(None, self.entity.comment.as_deref())?
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
            estimated_rows: None,
            columns,
            primary_key: keys.map(|column| column.column.to_string()).collect(),
            primary_key_name: match self.key_name() {
                Some(name) => Some(name.to_owned()),
                None => self.spelling.made_key_name(self.parts.last().map_or("", String::as_str)),
            },
            primary_key_is_made: self.key_name().is_none(),
            primary_key_clause: None,
            unique_keys: Vec::new(),
            foreign_keys: self.foreign_keys()?,
            indexes: indexes.chain(self.table_indexes()).collect(),
            checks,
            primary_key_kept: Kept::Always,
            others: Vec::new(),
            options: Vec::new(),
            triggers: Vec::new(),
            collation: None,
            details: Vec::new(),
            readers: Vec::new(),
            broken: None,
        })
    }
}
