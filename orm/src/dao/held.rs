//! Rows are held to the session's scope before anything of them is written.

use isogloss_compiler::expr::Value;

use super::ObjectDao;
use super::batch::Write;
use super::entity::{inserted, take, updated, value_of};
use crate::entity::Table;
use crate::{OrmError, OrmResult};

impl<T: Table> ObjectDao<T> {
    /// Fills in what the scope fixes where a row says nothing, and holds the row to it.
    pub(super) async fn hold(&self, write: Write, entity: &mut T) -> OrmResult<()> {
        self.hold_all(write, std::slice::from_mut(entity)).await.map_err(OrmError::into_cause)
    }

    /// Does so with each row of a batch: the error names the row.
    pub(super) async fn hold_all(&self, write: Write, entities: &mut [T]) -> OrmResult<()> {
        let Some(scope) = self.0.session.current_scope() else { return Ok(()) };
        let (model, target) = (self.0.model()?, self.0.target().await?);
        let rows = target.scoped_rows(T::NAME, scope)?;
        if rows.is_silent() {
            return Ok(());
        }
        let given: Vec<usize> = inserted(model).into_iter().map(|(place, _)| place).collect();
        let set: Vec<usize> = updated(model).into_iter().map(|(place, _)| place).collect();
        for (place, entity) in entities.iter_mut().enumerate() {
            for (column, value) in rows.fixed() {
                let nullable = model.columns.get(column).is_some_and(|column| column.nullable);
                if says_nothing(&value_of(entity, column)?, nullable) {
                    take(entity, column, value)?;
                }
            }
            let values = (0..model.columns.len()).map(|column| value_of(entity, column));
            let values = values.collect::<OrmResult<Vec<Value>>>()?;
            let of = |places: &[usize], column: usize| values.get(column).filter(|_| places.contains(&column));
            let mut held = Ok(());
            if matches!(write, Write::Insert | Write::Upsert) {
                held = rows.takes(&|column| of(&given, column));
            }
            if matches!(write, Write::Update | Write::Upsert) {
                held = held.and_then(|()| rows.keeps(&|column| of(&set, column)));
            }
            held.map_err(|error| OrmError::from(error).of_row(T::NAME, place))?;
        }
        Ok(())
    }
}

/// Whether a row says nothing of a column: NULL, and where there is no NULL what a field is by default.
fn says_nothing(value: &Value, nullable: bool) -> bool {
    match value {
        Value::Null => true,
        _ if nullable => false,
        Value::Int(0) | Value::UInt(0) => true,
        Value::Text(text) => text.is_empty(),
        Value::Uuid(id) => id.is_nil(),
        _ => false,
    }
}
