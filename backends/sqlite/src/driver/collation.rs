//! What a column's collation is, by what it does: there is no table of collations.

use isogloss_compiler::Compiled;
use isogloss_compiler::model::{Catalog, Collation, ColumnCollation};
use isogloss_driver::collation::text_tables;
use isogloss_driver::ddl::quoted;
use isogloss_driver::{Connection, ConnectionExt, ErrorKind, Result};

use crate::Sqlite;

/// A value that stands in the place of a column of no rows has the collation of that column.
///
/// ```sql
/// WITH s (c0) AS (SELECT "Name" FROM "Users" WHERE 0 UNION ALL SELECT 'a')
/// SELECT c0 = 'A', c0 = 'a ', c0 < 'B' FROM s
/// ```
pub(super) async fn tell(
    dialect: &Sqlite,
    connection: &mut dyn Connection,
    catalog: &Catalog,
) -> Result<Vec<ColumnCollation>> {
    let mut known = Vec::new();
    for ((schema, table), columns) in tables(dialect, connection, catalog).await? {
        let name = quoted(dialect, schema.as_deref().into_iter().chain([&*table]));
        for column in columns {
            let sql = format!(
                "WITH s (c) AS (SELECT {} FROM {name} WHERE 0 UNION ALL SELECT 'a') \
                 SELECT (c = 'A') + 2 * (c = 'a ') + 4 * (c < 'B') FROM s",
                quoted(dialect, [column])
            );
            let found = match connection.fetch::<i64>(&Compiled { sql, ..Compiled::default() }).await {
                Ok(found) => found,
                // The table is not there yet, or the column.
                Err(error) if error.kind() == ErrorKind::Syntax => continue,
                Err(error) => return Err(error),
            };
            let collation = match found.first() {
                Some(0) => Collation::exact("BINARY"),
                Some(5) => Collation::loose("NOCASE"),
                Some(2) => Collation::loose("RTRIM"),
                Some(4) => Collation::sorted("another"),
                _ => Collation::loose("another"),
            };
            known.push(ColumnCollation::new(schema.as_deref().map(Into::into), &*table, column, collation));
        }
    }
    Ok(known)
}

/// A table of a database, which is the first one unless it is said.
type Place = (Option<String>, String);

/// The tables of a catalog that have texts, with their columns. Those of a sharded one are all that its name may mean.
async fn tables<'c>(
    dialect: &Sqlite,
    connection: &mut dyn Connection,
    catalog: &'c Catalog,
) -> Result<Vec<(Place, Vec<&'c str>)>> {
    let mut found = Vec::new();
    let mut there: Option<Vec<Place>> = None;
    for (table, columns) in text_tables(catalog) {
        match table.plain() {
            Some([.., schema, table]) => found.push(((Some(schema.to_string()), table.to_string()), columns)),
            Some([table]) => found.push(((None, table.to_string()), columns)),
            Some([]) => {}
            None => {
                let there = match &mut there {
                    Some(there) => there,
                    none => none.insert(all_tables(dialect, connection).await?),
                };
                let is = |(schema, name): &&Place| {
                    let parts: Vec<&str> = schema.as_deref().into_iter().chain([&**name]).collect();
                    table.matches(&parts)
                };
                found.extend(there.iter().filter(is).map(|place| (place.clone(), columns.clone())));
            }
        }
    }
    Ok(found)
}

/// All tables of all databases. Those of the first are found by their names alone, too.
async fn all_tables(dialect: &Sqlite, connection: &mut dyn Connection) -> Result<Vec<Place>> {
    let plain = |sql: String| Compiled { sql, ..Compiled::default() };
    let mut found = Vec::new();
    for schema in connection.fetch::<String>(&plain("SELECT name FROM pragma_database_list".into())).await? {
        let sql =
            format!("SELECT name FROM {}.sqlite_master WHERE type IN ('table', 'view')", quoted(dialect, [&*schema]));
        for table in connection.fetch::<String>(&plain(sql)).await? {
            if schema == "main" {
                found.push((None, table.clone()));
            }
            found.push((Some(schema.clone()), table));
        }
    }
    Ok(found)
}
