//! The tables of a schema on an engine.

use isogloss_driver::ddl::quoted;

use super::{Engine, Schema};

/// A table: the statements that make it, and those that take it away.
pub(super) struct Table {
    pub(super) make: Vec<String>,
    pub(super) drop: Vec<String>,
}

/// The tables of a schema; of two entities over one table, it is that of the first.
pub(super) fn tables(engine: &dyn Engine, schema: &Schema) -> isogloss_driver::Result<Vec<Table>> {
    let (catalog, backend) = (schema.catalog(), engine.backend());
    let ddl = backend.ddl();
    let mut tables = Vec::new();
    let mut known = Vec::new();
    for (id, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
        let own = schema.tables.iter().filter(|table| table.data.entity.eq_ignore_ascii_case(entity.name.as_str()));
        let shards: Vec<_> = own.map(|table| table.args.as_slice()).collect();
        for args in if entity.table.args() == 0 { vec![&[][..]] } else { shards } {
            let made = ddl.create_table(catalog, id, args)?.into_iter();
            let mut make: Vec<String> = made.map(|statement| engine.written(statement)).collect();
            let Ok(parts) = entity.table.expand(args) else { continue };
            let name = quoted(backend.dialect(), parts.iter().map(|part| &**part));
            if known.contains(&name) {
                continue;
            }
            make.extend(entity.columns.iter().filter_map(|column| engine.collate(&name, column)));
            tables.push(Table { make, drop: ddl.drop_table(catalog, id, args)? });
            known.push(name);
        }
    }
    Ok(tables)
}
