//! Many rows at once: a bulk load, and INSERTs of as many rows as a statement has parameters for.
//!
//! Both are inside of a transaction, or of a savepoint: a load whose rows end with an error is sent to its end, as the
//! driver knows no other, and taken back.

use std::fmt::Write as _;

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Flow, Result, Row, RowSink, RowSource};

use super::connection::SqlServerConnection;
use super::load::load;
use super::raw::Reads;
use crate::SHEET;

/// The rows of an INSERT: VALUES take no more.
const ROWS: usize = 1_000;

/// Inserts rows, and gives how many there were.
pub(super) async fn insert(
    connection: &mut SqlServerConnection,
    into: &BulkInsert,
    mut rows: Box<dyn RowSource>,
) -> Result<u64> {
    connection.begin_bulk().await?;
    let done = insert_all(connection, into, &mut *rows).await;
    connection.end_bulk(done).await
}

async fn insert_all(connection: &mut SqlServerConnection, into: &BulkInsert, rows: &mut dyn RowSource) -> Result<u64> {
    let timeout = connection.timeout();
    let loaded = load(connection.raw()?, into, rows, timeout).await;
    let (mut count, mut rest) = connection.after(loaded).await?;
    loop {
        let chunk = chunk(into, rows, rest.take())?;
        if chunk.is_empty() {
            return Ok(count);
        }
        let sql = insert_sql(into, chunk.len() / into.columns.len());
        count += connection.run(&sql, &typed(into, &chunk), Reads(false), None).await?;
    }
}

/// Inserts rows, and gives the number that the server gave each of them.
///
/// MERGE is what can give back a value that it does not write: the place of the row. An INSERT gives its rows in any
/// order. They go by a variable, as a table with triggers gives back none.
pub(super) async fn insert_keys(
    connection: &mut SqlServerConnection,
    into: &BulkInsert,
    mut rows: Box<dyn RowSource>,
) -> Result<Vec<Value>> {
    let Some(identity) = &into.identity else {
        let message = format!("`{}` has no column that the database numbers", into.entity);
        return Err(Error::new(ErrorKind::Configuration, message));
    };
    connection.begin_bulk().await?;
    let mut keys = Keys { ty: identity.column.ty, found: Vec::new() };
    let done = async {
        loop {
            let chunk = chunk(into, &mut *rows, None)?;
            if chunk.is_empty() {
                return Ok(());
            }
            let (before, count) = (keys.found.len(), chunk.len() / into.columns.len());
            let sql = merge_sql(into, &identity.name, identity.column.ty, count);
            connection.run(&sql, &typed(into, &chunk), Reads(false), Some(&mut keys)).await?;
            if keys.found.len() - before != count {
                let message = format!("{count} rows were written, and {} keys came back", keys.found.len() - before);
                return Err(Error::new(ErrorKind::Other, message));
            }
        }
    }
    .await;
    connection.end_bulk(done).await?;
    Ok(keys.found)
}

struct Keys {
    ty: DbType,
    found: Vec<Value>,
}

impl RowSink for Keys {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.found.push(row.value(0, Some(self.ty))?);
        Ok(Flow::More)
    }
}

/// The values of as many rows as a statement takes, behind those of a row that was taken already.
fn chunk(into: &BulkInsert, rows: &mut dyn RowSource, first: Option<Vec<Value>>) -> Result<Vec<Value>> {
    let most = (SHEET.limits.parameters / into.columns.len().max(1)).min(ROWS);
    let mut count = usize::from(first.is_some());
    let mut values = first.unwrap_or_default();
    let mut row = Vec::new();
    while count < most && rows.next(&mut row)? {
        into.complete(&mut row)?;
        values.append(&mut row);
        count += 1;
    }
    Ok(values)
}

/// The values of rows, each with the type of its column.
fn typed<'v>(into: &'v BulkInsert, values: &'v [Value]) -> Vec<(&'v Value, Option<DbType>)> {
    let types = into.columns.iter().map(|column| Some(column.column.ty)).cycle();
    values.iter().zip(types).collect()
}

/// `INSERT INTO t (a, b) VALUES (@P1, @P2), (@P3, @P4)`.
fn insert_sql(into: &BulkInsert, count: usize) -> String {
    let mut sql = format!("INSERT INTO {} (", into.table);
    names(&mut sql, into, "");
    sql.push_str(") VALUES ");
    values(&mut sql, into, count, false);
    sql
}

/// ```sql
/// DECLARE @keys TABLE ([row no] int, [id] bigint);
/// MERGE INTO t USING (VALUES (0, @P1, @P2), (1, @P3, @P4)) AS [s] ([row no], [a], [b]) ON 1 = 0
/// WHEN NOT MATCHED THEN INSERT ([a], [b]) VALUES ([s].[a], [s].[b])
/// OUTPUT [s].[row no], inserted.[Id] INTO @keys;
/// SELECT [id] FROM @keys ORDER BY [row no]
/// ```
fn merge_sql(into: &BulkInsert, identity: &str, ty: DbType, count: usize) -> String {
    let wide = if ty.base.is_integer() { "bigint" } else { "decimal(38, 0)" };
    let table = &into.table;
    let mut sql = format!("DECLARE @keys TABLE ([row no] int, [id] {wide}); MERGE INTO {table} USING (VALUES ");
    values(&mut sql, into, count, true);
    sql.push_str(") AS [s] ([row no], ");
    names(&mut sql, into, "");
    sql.push_str(") ON 1 = 0 WHEN NOT MATCHED THEN INSERT (");
    names(&mut sql, into, "");
    sql.push_str(") VALUES (");
    names(&mut sql, into, "[s].");
    // Writing to a String does not fail.
    let _ = write!(sql, ") OUTPUT [s].[row no], inserted.{identity} INTO @keys; ");
    sql.push_str("SELECT [id] FROM @keys ORDER BY [row no]");
    sql
}

fn names(sql: &mut String, into: &BulkInsert, before: &str) {
    for (index, column) in into.columns.iter().enumerate() {
        sql.push_str(if index == 0 { "" } else { ", " });
        sql.push_str(before);
        sql.push_str(&column.name);
    }
}

/// `(@P1, @P2), (@P3, @P4)`, each with its place before if that is asked for.
fn values(sql: &mut String, into: &BulkInsert, count: usize, places: bool) {
    let mut next = 1;
    for row in 0..count {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        if places {
            let _ = write!(sql, "{row}, ");
        }
        for index in 0..into.columns.len() {
            let _ = write!(sql, "{}@P{next}", if index == 0 { "" } else { ", " });
            next += 1;
        }
        sql.push(')');
    }
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::expr::DbValueType;
    use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};

    use super::*;
    use crate::SqlServer;

    fn items() -> BulkInsert {
        let item = TableDef::new("Item")
            .column(ColumnDef::new("Id", DbValueType::Int32).primary_key().identity(1, 1))
            .column(ColumnDef::new("Name", DbValueType::String))
            .column(ColumnDef::new("Price", DbValueType::Decimal).nullable());
        let catalog = Catalog::builder().table(item).build().unwrap();
        let target = Compiler::new(catalog).target(&SqlServer::default());
        target.bulk_insert("Item", &["Name", "Price"], &[]).unwrap()
    }

    #[test]
    fn statements_of_many_rows() {
        let into = items();
        assert_eq!(insert_sql(&into, 2), "INSERT INTO [Item] ([Name], [Price]) VALUES (@P1, @P2), (@P3, @P4)");
        let identity = into.identity.as_ref().unwrap();
        assert_eq!(
            merge_sql(&into, &identity.name, identity.column.ty, 2),
            "DECLARE @keys TABLE ([row no] int, [id] bigint); \
             MERGE INTO [Item] USING (VALUES (0, @P1, @P2), (1, @P3, @P4)) AS [s] ([row no], [Name], [Price]) \
             ON 1 = 0 WHEN NOT MATCHED THEN INSERT ([Name], [Price]) VALUES ([s].[Name], [s].[Price]) \
             OUTPUT [s].[row no], inserted.[Id] INTO @keys; SELECT [id] FROM @keys ORDER BY [row no]"
        );
    }

    #[test]
    fn a_chunk_has_as_many_rows_as_fit() {
        let into = items();
        let mut rows = isogloss_driver::rows((0..1_500).map(|n| [Value::from(n.to_string()), n.into()]));
        let sizes = std::iter::from_fn(|| Some(chunk(&into, &mut *rows, None).unwrap().len()));
        assert_eq!(sizes.take(3).collect::<Vec<_>>(), [2_000, 1_000, 0]);
    }
}
