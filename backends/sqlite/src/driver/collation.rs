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
    for (table, columns) in text_tables(catalog) {
        let Some(parts) = table.plain() else { continue };
        let name = quoted(dialect, parts.iter().map(|part| &**part));
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
            let (schema, table) = match parts {
                [.., schema, table] => (Some(schema.clone()), table),
                [table] => (None, table),
                [] => continue,
            };
            known.push(ColumnCollation::new(schema, table.clone(), column, collation));
        }
    }
    Ok(known)
}
