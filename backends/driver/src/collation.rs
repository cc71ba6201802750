//! What the engine's catalog says of the collations of columns.

use isogloss_compiler::model::{Catalog, Collation, ColumnCollation, TableName};

use crate::ddl::asked;
use crate::{BoxFuture, Connection, ConnectionExt, Result};

/// What asks the engine's catalog for collations.
pub trait Collations: Send + Sync {
    /// The collations of the columns of these tables, by a connection of the backend. A table or column that is not there
    /// is left out.
    ///
    /// # Errors
    /// Those of the queries.
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>>;
}

/// A row of such a query.
type Told = (Option<String>, String, String, Option<String>, Option<String>, String, Option<String>);

/// The schemas that the tables of a catalog name. A table of two names has one before it.
#[must_use]
pub fn schemas(catalog: &Catalog) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (_, entity) in catalog.entities() {
        if let Some([.., schema, _]) = entity.table.plain()
            && !found.contains(&schema.as_str())
        {
            found.push(schema);
        }
    }
    found
}

/// Asks the engine's catalog by a query of seven columns: schema, table, column, collation, the character set if it lacks
/// characters, whether texts are the same to it and sorted by their code points (`2`), only told apart by them (`1`), or
/// neither (`0`), and something that is not NULL where the table is found without its schema.
///
/// What stands at `{schemas}` in it becomes `one` for each schema that the catalog names, with its parameter's number at
/// `{n}`.
///
/// # Errors
/// Those of the query.
pub async fn tell(
    connection: &mut dyn Connection,
    query: &str,
    one: &str,
    catalog: &Catalog,
) -> Result<Vec<ColumnCollation>> {
    let schemas = schemas(catalog);
    let more: String = (1..=schemas.len()).map(|number| one.replace("{n}", &number.to_string())).collect();
    let statement = asked(query.replace("{schemas}", &more), &schemas);
    let mut known = Vec::new();
    for (schema, table, column, name, charset, level, current) in connection.fetch::<Told>(&statement).await? {
        let name = name.unwrap_or_else(|| "default".to_owned());
        let collation = match level.trim() {
            "2" => Collation::exact(name),
            "1" => Collation::sorted(name),
            _ => Collation::loose(name),
        };
        let collation = match charset {
            Some(charset) => collation.charset(charset),
            None => collation,
        };
        if current.is_some() {
            known.push(ColumnCollation::new(None, &*table, &*column, collation.clone()));
        }
        known.push(ColumnCollation::new(schema.map(Into::into), table, column, collation));
    }
    Ok(known)
}

/// The tables of a catalog that have text columns, each with their names, for engines that are asked table by table.
pub fn text_tables(catalog: &Catalog) -> impl Iterator<Item = (&TableName, Vec<&str>)> {
    catalog.entities().filter(|(_, entity)| entity.base.is_none()).filter_map(|(_, entity)| {
        let text = |ty: isogloss_compiler::expr::DbType| ty.base.is_text() && !ty.array;
        let columns: Vec<&str> =
            entity.columns.iter().filter(|column| text(column.ty)).map(|column| column.column.as_str()).collect();
        (!columns.is_empty()).then_some((&entity.table, columns))
    })
}
