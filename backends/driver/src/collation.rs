//! What the engine's catalog says of the collations of columns.

use std::collections::BTreeSet;

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

/// How an engine's catalog is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// A query of seven columns: schema, table, column, collation, the character set if it lacks characters, whether texts
    /// are the same to it and sorted by their code points (`2`), only told apart by them (`1`), or neither (`0`), and
    /// something that is not NULL where the table is found without its schema.
    ///
    /// At `{schemas}`, behind the condition of a schema that is found without its name, stand those of the others, each
    /// behind OR; at `{tables}` stand those of the tables, with OR between.
    pub query: &'static str,
    /// The name of the schema in it, as a text.
    pub schema: &'static str,
    /// The name of the table in it, as a text.
    pub table: &'static str,
    /// Whether the name at `{name}` is like the parameter of the number `{n}`, whatever the case of their letters, with
    /// `!` as the escape.
    pub like: &'static str,
    /// The characters that its LIKE takes for more than they are, `!` among them.
    pub special: &'static str,
}

/// So many tables are asked for at a time.
const TABLES: usize = 200;

/// Asks the engine's catalog for the tables of a catalog that have texts.
///
/// # Errors
/// Those of the query.
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

/// The tables of a catalog that have text columns, each with their names, for engines that are asked table by table.
pub fn text_tables(catalog: &Catalog) -> impl Iterator<Item = (&TableName, Vec<&str>)> {
    catalog.entities().filter(|(_, entity)| entity.base.is_none()).filter_map(|(_, entity)| {
        let text = |ty: isogloss_compiler::expr::DbType| ty.base.is_text() && !ty.array;
        let columns: Vec<&str> =
            entity.columns.iter().filter(|column| text(column.ty)).map(|column| column.column.as_str()).collect();
        (!columns.is_empty()).then_some((&entity.table, columns))
    })
}
