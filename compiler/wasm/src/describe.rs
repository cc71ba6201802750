//! What a catalog says, for editors that complete names.

use isogloss_compiler::model::{Catalog, Column, Entity};

use crate::compile::write_type;
use crate::json::Json;

pub(crate) fn entities(catalog: &Catalog) -> String {
    let mut out = Json::default();
    out.open('{');
    out.key("entities").open('[');
    for (_, entity) in catalog.entities() {
        write_entity(&mut out, catalog, entity);
    }
    out.close(']');
    out.close('}');
    out.finish()
}

fn write_entity(out: &mut Json, catalog: &Catalog, entity: &Entity) {
    out.open('{');
    out.key("name").text(entity.name.as_str());
    out.key("table").text(&entity.table.to_string());
    if let Some(base) = entity.base {
        out.key("of").text(catalog.get(base).name.as_str());
    }
    out.key("properties").open('[');
    for column in &entity.columns {
        write_property(out, column.name.as_str(), column, column.filterable);
    }
    for foreign in &entity.foreign_columns {
        if let Some(column) = catalog.get(foreign.entity).columns.get(foreign.column) {
            write_property(out, foreign.name.as_str(), column, foreign.filterable);
        }
    }
    out.close(']');
    out.key("relations");
    out.texts(entity.relations.iter().map(|relation| catalog.get(relation.target).name.as_str()));
    out.close('}');
}

fn write_property(out: &mut Json, name: &str, column: &Column, filterable: bool) {
    out.open('{');
    out.key("name").text(name);
    write_type(out, Some(column.ty));
    out.mark("key", column.primary_key);
    out.mark("nullable", column.nullable);
    out.mark("hidden", !filterable);
    if let Some(values) = &column.enum_values {
        out.key("values");
        out.texts(values.members.iter().map(|member| member.name.as_str()));
    }
    out.close('}');
}
