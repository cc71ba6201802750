//! Rows are held to the session's scope before anything of them is written.

use isogloss_compiler::ScopedRows;
use isogloss_compiler::expr::Value;
use isogloss_compiler::model::Entity as Model;

use super::ObjectDao;
use super::access::Access;
use super::batch::Write;
use super::entity::{Placed, inserted, take, updated, value_of};
use crate::OrmResult;
use crate::entity::{Table, Writable};

impl<T: Table> ObjectDao<T> {
    /// Holds each row of a batch to the scope: the error names the row.
    pub(super) async fn hold_all(&self, write: Write, entities: &mut [T]) -> OrmResult<()> {
        let Some(scope) = self.0.session.current_scope() else { return Ok(()) };
        let (model, target) = (self.0.model()?, self.0.target().await?);
        let rows = target.scoped_rows(T::NAME, scope)?;
        if rows.is_silent() {
            return Ok(());
        }
        let places = Places::of(model);
        for (place, entity) in entities.iter_mut().enumerate() {
            hold_row(write, (model, &places), &rows, entity).map_err(|error| error.of_row(T::NAME, place))?;
        }
        Ok(())
    }
}

impl Access {
    /// Fills in what the scope fixes where a row says nothing, and holds the row to it.
    pub(super) async fn hold(&self, write: Write, entity: &mut (impl Writable + ?Sized)) -> OrmResult<()> {
        let Some(scope) = self.session.current_scope() else { return Ok(()) };
        let (model, target) = (self.model()?, self.target().await?);
        let rows = target.scoped_rows(self.name.as_str(), scope)?;
        if rows.is_silent() { Ok(()) } else { hold_row(write, (model, &Places::of(model)), &rows, entity) }
    }
}

fn hold_row(
    write: Write,
    (model, places): (&Model, &Places),
    rows: &ScopedRows<'_>,
    entity: &mut (impl Writable + ?Sized),
) -> OrmResult<()> {
    for (column, value) in rows.fixed() {
        let nullable = model.columns.get(column).is_some_and(|column| column.nullable);
        let filled = entity.has(column) || write != Write::Update;
        if filled && says_nothing(&value_of(entity, column)?, nullable) {
            take(entity, column, value)?;
        }
    }
    let values = (0..model.columns.len()).map(|column| value_of(entity, column));
    let values = values.collect::<OrmResult<Vec<Value>>>()?;
    if matches!(write, Write::Insert | Write::Upsert) {
        rows.takes(&|column| values.get(column).filter(|_| places.inserted.contains(&column)))?;
    }
    if matches!(write, Write::Update | Write::Upsert) {
        let set = |column: &usize| places.updated.contains(column) && entity.has(*column);
        rows.keeps(&|column| values.get(column).filter(|_| set(&column)))?;
    }
    Ok(())
}

/// The places of the columns that statements write.
struct Places {
    inserted: Vec<usize>,
    updated: Vec<usize>,
}

impl Places {
    fn of(model: &Model) -> Self {
        let places = |columns: Vec<Placed<'_>>| columns.into_iter().map(|(place, _)| place).collect();
        Self { inserted: places(inserted(model)), updated: places(updated(model)) }
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
