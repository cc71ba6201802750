//! Reads INSERT, UPDATE and DELETE.

use super::error::{Fault, JsonErrorKind, Result};
use super::reader::{Object, Reader, keys};
use super::words;
use crate::expr::{
    ConflictAction, DeleteExpr, InsertExpr, InsertSource, Name, OnConflict, UpdateExpr, Value, ValueTypeExpr,
};

/// Rows one after the other, in one list.
struct ReadRows<T> {
    at: usize,
    items: Vec<T>,
    rows: usize,
    /// The first row that is not as long as the first one: where it is, and its length.
    odd: Option<(usize, usize)>,
    width: usize,
}

impl Reader<'_> {
    #[inline(never)]
    pub(super) fn insert(&mut self, mut object: Object) -> Result<InsertExpr> {
        let table = self.table()?;
        let (mut columns, mut values, mut rows, mut query) = (None, None, None, None);
        let (mut conflict, mut returning) = (None, None);
        keys!(self, object, {
            "Columns" => columns = |reader| reader.list(Self::name),
            "Values" => values = |reader| reader.rows(Self::plain),
            "Rows" => rows = |reader| reader.rows(Self::value),
            "Query" => query = Self::segment,
            "Conflict" => conflict = |reader| reader.optional(Self::conflict),
            "Returning" => returning = |reader| reader.list(Self::select_item),
        });
        let columns: Vec<Name> = self.need(columns, &object, "Columns")?;
        let source = match (values, rows, query) {
            (Some(values), None, None) => InsertSource::Values(fitting::<Value>(values, columns.len())?),
            (None, Some(rows), None) => InsertSource::Exprs(fitting::<ValueTypeExpr>(rows, columns.len())?),
            (None, None, Some(query)) => InsertSource::Query(query),
            (None, None, None) => return Err(Fault::new(object.at, JsonErrorKind::MissingKey { key: "Values" })),
            _ => {
                let why = "it has either Values or Rows or Query";
                return Err(Fault::bad_value(object.at, "INSERT", why));
            }
        };
        let (conflict, returning) = (conflict.flatten(), returning.unwrap_or_default());
        Ok(InsertExpr { table, columns, source, conflict, returning })
    }

    fn rows<T>(&mut self, read: fn(&mut Self) -> Result<T>) -> Result<ReadRows<T>> {
        let mut all = ReadRows { at: self.place()?, items: Vec::new(), rows: 0, odd: None, width: 0 };
        self.each(|reader| {
            let (at, before) = (reader.place()?, all.items.len());
            reader.each(|reader| {
                all.items.push(read(reader)?);
                Ok(())
            })?;
            let width = all.items.len() - before;
            if all.rows == 0 {
                all.at = at;
                all.width = width;
            } else if width != all.width && all.odd.is_none() {
                all.odd = Some((at, width));
            }
            all.rows += 1;
            Ok(())
        })?;
        Ok(all)
    }

    fn conflict(&mut self) -> Result<OnConflict> {
        let mut object = self.object("a conflict clause")?;
        let (mut target, mut action) = (None, None);
        keys!(self, object, {
            "Target" => target = |reader| reader.list(Self::name),
            "Action" => action = Self::conflict_action,
        });
        Ok(OnConflict { target: target.unwrap_or_default(), action: self.need(action, &object, "Action")? })
    }

    fn conflict_action(&mut self) -> Result<ConflictAction> {
        if self.scan.peek()? != b'{' {
            let word = self.word("conflict action", words::CONFLICT_ACTIONS)?;
            return Ok(if word { ConflictAction::UpdateAll } else { ConflictAction::DoNothing });
        }
        let mut object = self.object("a conflict action")?;
        let mut sets = None;
        keys!(self, object, { "Update" => sets = Self::sets, });
        self.need(sets, &object, "Update").map(ConflictAction::Update)
    }

    /// `[{"Property":value},..]`
    fn sets(&mut self) -> Result<Vec<(Name, ValueTypeExpr)>> {
        self.list(|reader| {
            let mut object = reader.object("an assignment")?;
            let Some(key) = reader.key(&mut object)? else {
                return Err(Fault::bad_value(object.at, "assignment", "it is {\"Property\":value}"));
            };
            let name = super::reader::checked_name(&key.text, key.at)?;
            let value = reader.value()?;
            match reader.key(&mut object)? {
                None => Ok((name, value)),
                Some(again) if again.text == key.text => Err(super::reader::duplicate(&again)),
                Some(_) => {
                    Err(Fault::bad_value(object.at, "assignment", "it is {\"Property\":value}, one object each"))
                }
            }
        })
    }

    #[inline(never)]
    pub(super) fn update(&mut self, mut object: Object) -> Result<UpdateExpr> {
        let mut table = self.lead(&object, Self::table)?;
        let (mut sets, mut filter, mut all_rows, mut returning) = (None, None, None, None);
        keys!(self, object, {
            "Table" if object.long => table = Self::table,
            "Sets" => sets = Self::sets,
            "Where" => filter = |reader| reader.optional(Self::logic),
            "AllRows" => all_rows = Self::boolean,
            "Returning" => returning = |reader| reader.list(Self::select_item),
        });
        Ok(UpdateExpr {
            table: self.need(table, &object, "Table")?,
            sets: self.need(sets, &object, "Sets")?,
            filter: filter.flatten(),
            all_rows: all_rows.unwrap_or_default(),
            returning: returning.unwrap_or_default(),
        })
    }

    #[inline(never)]
    pub(super) fn delete(&mut self, mut object: Object) -> Result<DeleteExpr> {
        let mut table = self.lead(&object, Self::table)?;
        let (mut filter, mut all_rows, mut returning) = (None, None, None);
        keys!(self, object, {
            "Table" if object.long => table = Self::table,
            "Where" => filter = |reader| reader.optional(Self::logic),
            "AllRows" => all_rows = Self::boolean,
            "Returning" => returning = |reader| reader.list(Self::select_item),
        });
        Ok(DeleteExpr {
            table: self.need(table, &object, "Table")?,
            filter: filter.flatten(),
            all_rows: all_rows.unwrap_or_default(),
            returning: returning.unwrap_or_default(),
        })
    }
}

/// The values, if every row has one for each column.
fn fitting<T>(rows: ReadRows<T>, columns: usize) -> Result<Vec<T>> {
    let wrong = |at, found| Err(Fault::new(at, JsonErrorKind::RowLength { expected: columns, found }));
    match rows.odd {
        _ if rows.rows > 0 && (rows.width != columns || columns == 0) => wrong(rows.at, rows.width),
        Some((at, found)) => wrong(at, found),
        None => Ok(rows.items),
    }
}
