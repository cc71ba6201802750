//! Many rows at once, on the thread that may wait for them.

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Flow, Result, Row, RowSink, RowSource};
use oracle::sql_type::ToSql;
use oracle::{Batch, Connection};

use super::error::error;
use super::run::{Call, of_large};
use super::value::{Bind, Binder, bad, is_large};

/// How many rows go to the server at a time.
const ROWS: usize = 1_000;

/// Runs a statement once for each row. Gives how many rows they changed.
pub(super) fn many(
    connection: &Connection,
    sql: &str,
    types: &[Option<DbType>],
    rows: &mut dyn RowSource,
    binder: Binder,
) -> Result<u64> {
    let call = Call::plain(sql);
    let mut statement = connection.statement(sql).build().map_err(error)?;
    let (mut row, mut count) = (Vec::with_capacity(types.len()), 0);
    while rows.next(&mut row)? {
        if row.len() != types.len() || row.len() != statement.bind_count() {
            return Err(bad(format!("a row has {} values, the statement has {}", row.len(), statement.bind_count())));
        }
        let binds = bound(&row, types, binder)?;
        call.bind(&mut statement, &binds)?;
        count += call.finish(&mut statement, None).map_err(|error| of_large(error, &binds))?;
        row.clear();
    }
    Ok(count)
}

/// Inserts rows by arrays of them. A row with a large object goes by itself, as an array holds none.
pub(super) fn insert(
    connection: &Connection,
    into: &BulkInsert,
    mut rows: Box<dyn RowSource>,
    binder: Binder,
) -> Result<u64> {
    let types: Vec<Option<DbType>> = into.columns.iter().map(|column| Some(column.column.ty)).collect();
    let mut batch = connection.batch(into.sql(), ROWS).build().map_err(error)?;
    for (index, column) in into.columns.iter().enumerate() {
        batch.set_type(index + 1, &binder.column(column.column.ty)).map_err(error)?;
    }
    let (mut row, mut count) = (Vec::new(), 0);
    while next(into, &mut *rows, &mut row)? {
        let binds = bound(&row, &types, binder)?;
        match binds.iter().any(is_large) {
            true => {
                Call::with(into.sql(), binds).run(connection, None)?;
            }
            false => append(&mut batch, &binds)?,
        }
        count += 1;
    }
    batch.execute().map_err(error)?;
    Ok(count)
}

fn append(batch: &mut Batch<'_>, binds: &[Bind]) -> Result<()> {
    let binds: Vec<&dyn ToSql> = binds.iter().map(|bind| bind as &dyn ToSql).collect();
    batch.append_row(&binds).map_err(error)
}

/// Inserts rows one by one, and gives the number that the server gave each of them: the crate's arrays give none back.
pub(super) fn insert_keys(
    connection: &Connection,
    into: &BulkInsert,
    mut rows: Box<dyn RowSource>,
    binder: Binder,
) -> Result<Vec<Value>> {
    let Some(identity) = &into.identity else {
        let message = format!("`{}` has no column that the database numbers", into.entity);
        return Err(Error::new(ErrorKind::Configuration, message));
    };
    let types: Vec<Option<DbType>> = into.columns.iter().map(|column| Some(column.column.ty)).collect();
    let sql = keys_sql(into, &identity.name);
    let mut keys = Keys { ty: identity.column.ty, found: Vec::new() };
    let mut row = Vec::new();
    while next(into, &mut *rows, &mut row)? {
        let binds = bound(&row, &types, binder)?;
        let call = Call::with(&*sql, binds);
        call.output("", binder.output(Some(identity.column.ty))).run(connection, Some(&mut keys))?;
    }
    Ok(keys.found)
}

/// `INSERT INTO "t" ("a", "b") VALUES (:1, :2) RETURNING "Id" INTO :3`.
fn keys_sql(into: &BulkInsert, identity: &str) -> String {
    format!("{} RETURNING {identity} INTO :{}", into.sql(), into.columns.len() + 1)
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

fn next(into: &BulkInsert, rows: &mut dyn RowSource, row: &mut Vec<Value>) -> Result<bool> {
    row.clear();
    let more = rows.next(row)?;
    if more {
        into.complete(row)?;
    }
    Ok(more)
}

fn bound(row: &[Value], types: &[Option<DbType>], binder: Binder) -> Result<Vec<Bind>> {
    row.iter().zip(types).map(|(value, ty)| binder.bind(value, *ty)).collect()
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::expr::DbValueType;
    use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};

    use super::*;
    use crate::Oracle;

    #[test]
    fn a_key_comes_back_behind_the_values() {
        let item = TableDef::new("Item")
            .column(ColumnDef::new("Id", DbValueType::Int32).primary_key().identity(1, 1))
            .column(ColumnDef::new("Name", DbValueType::String));
        let target = Compiler::new(Catalog::builder().table(item).build().unwrap()).target(&Oracle::default());
        let into = target.bulk_insert("Item", &["Name"], &[]).unwrap();
        let sql = keys_sql(&into, &into.identity.as_ref().unwrap().name);
        assert_eq!(sql, r#"INSERT INTO "Item" ("Name") VALUES (:1) RETURNING "Id" INTO :2"#);
    }
}
