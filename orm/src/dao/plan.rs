//! One UPDATE or upsert for the rows of a batch.

use std::borrow::Cow;
use std::collections::HashSet;

use isogloss_compiler::dialect::RowsForm;
use isogloss_compiler::expr::{DbType, DbValueType, Expr, InsertExpr, InsertSource, Value, ValueTypeExpr};
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit};
use isogloss_compiler::{Compiled, Request, RowsStatement, Target};
use isogloss_driver::{RowSource, fitted, weight};

use super::TableArgs;
use super::batch::Flat;
use super::entity::table_of;
use super::update::{Slot, Version, changes, filled, slots};
use crate::OrmResult;
use crate::entity::Table;
use crate::session::Session;

/// How many rows one UPDATE or upsert writes, and about how many bytes of values.
const MOST_TOGETHER: usize = 10_000;
const MOST_BYTES: usize = 4 << 20;

/// A statement for many rows: what is another in each is a parameter.
pub(super) struct Plan {
    pub(super) statement: Compiled<'static>,
    /// Where each parameter comes from.
    slots: Vec<Slot>,
    /// The statement of all rows, where the engine has one; for UPDATE, where it tells keys apart as the program does.
    together: Option<RowsStatement>,
    /// Whether no two rows have the same key, as somebody has looked already.
    distinct: bool,
}

impl Plan {
    /// The UPDATE of the first row, if each of its values is a parameter as it stands.
    pub(super) fn update<'e, T: Table>(
        session: &Session,
        target: &Target,
        model: &Model,
        args: &TableArgs,
        mut rows: impl Iterator<Item = (&'e T, Option<&'e Version>)>,
    ) -> OrmResult<Option<Self>> {
        let Some((entity, version)) = rows.next() else { return Ok(None) };
        // A version that is NULL is asked for by IS NULL.
        if rows.any(|(_, version)| version.is_some_and(Version::is_null)) {
            return Ok(None);
        }
        let update = changes(table_of::<T>(args), entity, model, version)?;
        let found = |rows: &RowsStatement| model.key_columns().all(|column| is_exact(column.ty, rows.form()));
        let together = session.compile_rows(target, &update)?.filter(found);
        let first = Expr::from(update);
        let (values, slots) = (values(&first), slots(model, version));
        // Two lists that are made apart: were they ever in another order, each row would have its own statement.
        let mut known = values.len() == slots.len();
        for (value, slot) in values.iter().zip(&slots) {
            known = known && **value == filled(slot, entity, model, version)?;
        }
        let compiled = session.compile(target, &first, Request::default())?;
        let mut used = vec![false; values.len()];
        let mut params = Vec::with_capacity(compiled.params.len());
        for param in &compiled.params {
            let place = match &param.value {
                Cow::Borrowed(value) => values.iter().position(|known| std::ptr::eq(*known, *value)),
                Cow::Owned(value) => {
                    let is = |(known, used): (&&Value, &bool)| {
                        let instant = matches!(known, Value::DateTimeOffset(_)) && !used;
                        instant && at_utc((*known).clone(), param.ty) == *value
                    };
                    values.iter().zip(&used).position(is)
                }
            };
            params.push(match place.and_then(|place| Some((slots.get(place)?, used.get_mut(place)?))) {
                Some((slot, used)) => {
                    *used = true;
                    slot.clone()
                }
                None => Slot::Fixed(param.value.as_ref().clone()),
            });
        }
        let all = known && used.into_iter().all(|used| used);
        Ok(all.then(|| Self { statement: compiled.into_owned(), slots: params, together, distinct: false }))
    }

    /// The upsert of the first row, if each of its values is a parameter as it stands. The rows have different keys.
    pub(super) fn upsert(
        session: &Session,
        target: &Target,
        insert: &InsertExpr,
        columns: &[usize],
    ) -> OrmResult<Option<Self>> {
        let InsertSource::Values(row) = &insert.source else { return Ok(None) };
        let statement = session.compile(target, insert, Request::default())?;
        let as_they_are = statement.params.len() == row.len()
            && statement.params.iter().zip(row).all(|(param, value)| std::ptr::eq(&*param.value, value));
        if !as_they_are {
            return Ok(None);
        }
        let together = session.compile_rows(target, insert)?;
        let slots = columns.iter().copied().map(Slot::Column).collect();
        Ok(Some(Self { statement: statement.into_owned(), slots, together, distinct: true }))
    }

    /// Whether there may be a statement of all rows.
    pub(super) fn has_together(&self) -> bool {
        self.together.is_some()
    }

    /// Whether the engine meets the rows of the statement in an order of its own: an UPDATE that is joined to arrays.
    pub(super) fn meets_in_any_order(&self) -> bool {
        !self.distinct && self.together.as_ref().is_some_and(|together| together.form() == RowsForm::Arrays)
    }

    /// The statements of all rows with their values, each of as many as one takes. None if there is no such statement; and
    /// for rows that it would not treat as one after the other: two of the same key, or one with a value that does not fit,
    /// which is told there.
    pub(super) fn together(&self, model: &Model, rows: Box<dyn RowSource>) -> Option<Vec<Compiled<'static>>> {
        let together = self.together.as_ref().filter(|together| together.width() == self.slots.len())?;
        let is_key = |slot: &Slot| matches!(slot, Slot::Column(place) if model.keys.contains(place));
        let mut rows = fitted(&self.statement, rows);
        let (mut row, mut values, mut keys) = (Vec::new(), Vec::new(), HashSet::new());
        let (mut count, mut bytes, mut statements) = (0, 0, Vec::new());
        while rows.next(&mut row).ok()? {
            if count == MOST_TOGETHER || bytes > MOST_BYTES {
                statements.push(together.with_rows(std::mem::take(&mut values)).ok()?);
                keys.clear();
                (count, bytes) = (0, 0);
            }
            let of_key = self.slots.iter().zip(&row).filter(|(slot, _)| is_key(slot));
            if !self.distinct && !keys.insert(of_key.map(|(_, value)| value.clone()).collect::<Vec<Value>>()) {
                return None;
            }
            (count, bytes) = (count + 1, bytes + row.iter().map(weight).sum::<usize>());
            values.append(&mut row);
        }
        if count > 0 {
            statements.push(together.with_rows(values).ok()?);
        }
        Some(statements)
    }

    /// The parameters of each row.
    pub(super) fn rows<'e, T: Table>(
        &self,
        model: &Model,
        rows: impl Iterator<Item = (&'e T, Option<&'e Version>)>,
    ) -> OrmResult<Box<dyn RowSource>> {
        let mut values = Vec::new();
        for (entity, version) in rows {
            for (slot, param) in self.slots.iter().zip(&self.statement.params) {
                values.push(at_utc(filled(slot, entity, model, version)?, param.ty));
            }
        }
        Ok(Box::new(Flat { values: values.into_iter(), width: self.slots.len() }))
    }
}

/// A date and time with its offset as the statement of one row binds it: in UTC, and where the engine has no type for it
/// without an offset. Any other value stays as it is.
fn at_utc(value: Value, ty: Option<DbType>) -> Value {
    match value {
        Value::DateTimeOffset(at) if ty == Some(DbValueType::DateTime2.into()) => at.naive_utc().into(),
        Value::DateTimeOffset(at) => Value::DateTimeOffset(at.to_utc().fixed_offset()),
        other => other,
    }
}

/// Whether two values of that type are equal to the engine only if they are equal to the program, and an index finds them:
/// texts may differ in case, and dates in what a column cuts off.
fn is_exact(ty: DbType, form: RowsForm) -> bool {
    !ty.array && (ty.base.is_integer() || form == RowsForm::Arrays && ty.base == DbValueType::Guid)
}

/// The values of a statement, in their order.
fn values(statement: &Expr) -> Vec<&Value> {
    let mut found = Vec::new();
    visit(statement, VisitOrder::Pre, |node| {
        if let ExprRef::Value(ValueTypeExpr::Value(value)) = node {
            found.push(&value.value);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_length_weighs_it() {
        let text = "x".repeat(100);
        for value in
            [Value::from(text.as_str()), Value::Json(text.as_str().into()), Value::Bytes(text.as_bytes().into())]
        {
            assert_eq!(weight(&value), 100, "{value:?}");
        }
        assert_eq!(weight(&Value::Int(1)), 8);
    }

    #[test]
    fn keys_are_exact_that_neither_case_nor_precision_tells_apart() {
        let exact = |ty: DbValueType, form| is_exact(ty.into(), form);
        for (ty, arrays, others) in [
            (DbValueType::Int64, true, true),
            (DbValueType::Guid, true, false),
            (DbValueType::String, false, false),
            (DbValueType::DateTime2, false, false),
        ] {
            assert_eq!((exact(ty, RowsForm::Arrays), exact(ty, RowsForm::Json)), (arrays, others), "{ty:?}");
        }
    }
}
