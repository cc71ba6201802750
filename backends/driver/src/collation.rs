//! Collations of columns, read from the engine's catalog.

use std::collections::BTreeSet;

use isogloss_compiler::model::{Catalog, Collation, ColumnCollation, TableName};

use crate::ddl::asked;
use crate::{BoxFuture, Connection, ConnectionExt, Result};

/// Reads collations of columns from an engine's catalog.
pub trait Collations: Send + Sync {
    /// The collations of the text columns of `catalog`'s tables, read over a connection of the backend. Tables and
    /// columns that do not exist are left out.
    ///
    /// # Errors
    /// Errors of the queries.
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>>;
}

/// A row of such a query.
type Told = (Option<String>, String, String, Option<String>, Option<String>, String, Option<String>);

/// The query by which an engine's catalog is asked, in its parts.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// A query of seven columns:
    ///
    /// 1. the schema,
    /// 2. the table,
    /// 3. the column,
    /// 4. the collation,
    /// 5. the character set, if it does not cover all of Unicode,
    /// 6. `2` if the collation compares and sorts by code points, `1` if it only compares by them, `0` if neither,
    /// 7. a value that is not NULL if the table is found without naming its schema.
    ///
    /// The placeholder `{schemas}` is replaced by the conditions for schemas that are named, each preceded by OR, and
    /// `{tables}` by the conditions for the tables, joined by OR.
    pub query: &'static str,
    /// The SQL expression of the schema's name in the query, as text.
    pub schema: &'static str,
    /// The SQL expression of the table's name in the query, as text.
    pub table: &'static str,
    /// A condition that compares the name at `{name}` with parameter number `{n}` by LIKE, without regard to case and
    /// with `!` as the escape character.
    pub like: &'static str,
    /// The characters that have a special meaning in this engine's LIKE, including `!`.
    pub special: &'static str,
}

/// So many tables are asked for at a time.
const TABLES: usize = 200;

/// Reads the collations of all tables in a catalog that have text columns.
///
/// # Errors
/// Errors of the query.
pub async fn tell(
    connection: &mut dyn Connection,
    question: Question,
    catalog: &Catalog,
) -> Result<Vec<ColumnCollation>> {
    let (mut schemas, mut tables) = (BTreeSet::new(), BTreeSet::new());
    for (table, _) in text_tables(catalog) {
        let mut parts = table.patterns(question.special);
        tables.extend(parts.pop());
        schemas.extend(parts.pop());
    }
    let (schemas, tables): (Vec<String>, Vec<String>) = (schemas.into_iter().collect(), tables.into_iter().collect());
    let mut known = Vec::new();
    for tables in tables.chunks(TABLES) {
        let like =
            |name: &str, number: usize| question.like.replace("{name}", name).replace("{n}", &number.to_string());
        let more: String = (1..=schemas.len()).map(|at| format!(" OR {}", like(question.schema, at))).collect();
        let wanted: Vec<String> = (1..=tables.len()).map(|at| like(question.table, schemas.len() + at)).collect();
        let sql = question.query.replace("{schemas}", &more).replace("{tables}", &wanted.join(" OR "));
        let texts: Vec<&str> = schemas.iter().chain(tables).map(String::as_str).collect();
        for told in connection.fetch::<Told>(&asked(sql, &texts)).await? {
            read(told, &mut known);
        }
    }
    Ok(known)
}

/// Takes what a row tells.
fn read((schema, table, column, name, charset, level, current): Told, known: &mut Vec<ColumnCollation>) {
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

/// The tables of a catalog that have text columns, each with the names of those columns. It is for engines that are
/// asked table by table.
pub fn text_tables(catalog: &Catalog) -> impl Iterator<Item = (&TableName, Vec<&str>)> {
    catalog.entities().filter(|(_, entity)| entity.base.is_none()).filter_map(|(_, entity)| {
        let text = |ty: isogloss_compiler::expr::DbType| ty.base.is_text() && !ty.array;
        let columns: Vec<&str> =
            entity.columns.iter().filter(|column| text(column.ty)).map(|column| column.column.as_str()).collect();
        (!columns.is_empty()).then_some((&entity.table, columns))
    })
}
