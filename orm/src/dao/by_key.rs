//! The row of a key, by a statement that is compiled once for each pool.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{Catalog, Entity as Model, EntityId};
use isogloss_compiler::render::Parameter;
use isogloss_compiler::{Compiled, StatementRef};
use isogloss_driver::{Flow, FromRow, Layout, Row, RowSink};

use super::access::Access;
use super::entity::has_key;
use super::rows::named;
use crate::context::Opened;
use crate::entity::Entity;
use crate::session::Purpose;
use crate::{OrmResult, meter};

/// The statements of one pool, by the numbers of the catalog's entities.
pub(crate) struct ByKey {
    statements: Box<[OnceLock<Kept>]>,
    data_source: Box<str>,
}

/// The query of a row by its key. But for the key's values, the next one has the same text and parameters.
struct Kept {
    statement: Compiled<'static>,
    /// The struct that its rows are read as: another of the same name may have other fields.
    of: TypeId,
    /// Whether the columns come in the order of the fields.
    in_order: AtomicBool,
}

impl ByKey {
    pub(crate) fn new(catalog: &Catalog, data_source: &str) -> Self {
        Self { statements: catalog.entities().map(|_| OnceLock::new()).collect(), data_source: data_source.into() }
    }

    fn kept<V: 'static>(&self, id: Option<EntityId>) -> Option<&Kept> {
        self.statements.get(id?.index())?.get().filter(|kept| kept.of == TypeId::of::<V>())
    }

    /// Keeps a statement if the values of that key are all its parameters, in their order.
    fn keep<V: 'static>(&self, id: EntityId, made: &Compiled<'_>, key: &[Value]) {
        let Some(slot) = self.statements.get(id.index()).filter(|slot| slot.get().is_none()) else { return };
        let is_key = |(param, value): (&Parameter<'_>, &Value)| *param.value == *value;
        let of_key = made.params.len() == key.len() && made.params.iter().zip(key).all(is_key);
        if of_key {
            let (statement, in_order) = (made.clone().into_owned(), AtomicBool::new(false));
            // Somebody else may have been quicker.
            if slot.set(Kept { statement, of: TypeId::of::<V>(), in_order }).is_ok() {
                meter::kept(&self.data_source, 1);
            }
        }
    }
}

impl Drop for ByKey {
    fn drop(&mut self) {
        let kept = self.statements.iter().filter(|slot| slot.get().is_some()).count();
        meter::kept(&self.data_source, -i32::try_from(kept).unwrap_or(i32::MAX));
    }
}

/// The row with that key, if there is one.
pub(super) async fn get<V: Entity>(over: &Access, key: Vec<Value>) -> OrmResult<Option<V>> {
    let (id, model) = over.entity()?;
    // The text of a shard has its arguments, that of a scope its filters, and that of another value may have another form.
    let plain = over.args.is_empty() && over.session.current_scope().is_none() && is_plain(model, &key);
    let plain = plain.then_some(id);
    if plain.is_none() {
        // What is wrong with the key is told before anything is asked.
        has_key(model, key.clone())?;
    }
    let mut lease = over.lease(Purpose::Read, &over.args, None).await?;
    let compile = |opened: &Opened| {
        if let Some(kept) = opened.by_key.kept::<V>(plain) {
            return Ok(kept.with(&key));
        }
        let filter = has_key(model, key.clone())?;
        let made = over.session.compile(&opened.target, StatementRef::Filter(&filter), over.request())?;
        if plain.is_some() {
            opened.by_key.keep::<V>(id, &made, &key);
        }
        OrmResult::Ok(made.into_owned())
    };
    let sink = |opened: &Opened, _: &Compiled<'_>| {
        let known = opened.by_key.kept::<V>(plain).is_some_and(|kept| kept.in_order.load(Ordering::Relaxed));
        Only { row: None, layout: if known { Layout::in_order() } else { Layout::default() }, name: V::NAME }
    };
    let only = lease.gather(compile, sink).await?;
    if only.layout.is_in_order()
        && let Some(kept) = lease.opened().by_key.kept::<V>(plain)
    {
        kept.in_order.store(true, Ordering::Relaxed);
    }
    Ok(only.row)
}

impl Kept {
    /// The statement for another key.
    fn with(&self, key: &[Value]) -> Compiled<'static> {
        let Compiled { sql, params, notes, .. } = &self.statement;
        let params = params.iter().zip(key);
        Compiled {
            sql: sql.clone(),
            params: params.map(|(param, value)| Parameter { value: Cow::Owned(value.clone()), ty: param.ty }).collect(),
            notes: notes.clone(),
            ..Compiled::default()
        }
    }
}

/// Whether each value is one that is bound as it stands, and says nothing of the text of the statement.
fn is_plain(model: &Model, key: &[Value]) -> bool {
    let mut columns = model.key_columns();
    let plain = key.iter().all(|value| {
        let usual = match value {
            Value::Int(_) | Value::Uuid(_) => true,
            // An empty text is NULL on Oracle, and a long one has another type.
            Value::Text(text) => !text.is_empty() && text.len() <= 255,
            _ => false,
        };
        usual && columns.next().is_some_and(|column| column.takes(value))
    });
    plain && columns.next().is_none()
}

/// Takes the only row. The rest of the answer is read, too: a server that has nothing more to say is not told to stop.
struct Only<T> {
    row: Option<T>,
    layout: Layout,
    name: &'static str,
}

impl<T: FromRow + Send + 'static> RowSink for Only<T> {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        if self.row.is_none() {
            let row = T::from_next_row(row, &mut self.layout);
            self.row = Some(row.map_err(|error| named(error, self.name, 1))?);
        }
        Ok(Flow::More)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use isogloss_compiler::expr::DbValueType as T;
    use isogloss_compiler::model::{ColumnDef, TableDef};

    use super::*;

    #[test]
    fn a_key_is_plain_that_says_nothing_of_the_text() {
        let key = |name, ty| ColumnDef::new(name, ty).primary_key();
        let seat = TableDef::new("Seat").column(key("Row", T::Int32)).column(key("Code", T::String).length(300));
        let catalog = Catalog::builder().table(seat).build().unwrap();
        let (_, seat) = catalog.entity("Seat").unwrap();
        let text = |length| Value::from("x".repeat(length).as_str());
        for (values, plain) in [
            (vec![1.into(), text(1)], true),
            (vec![1.into(), text(255)], true),
            (vec![1.into(), text(256)], false),
            (vec![1.into(), text(0)], false),
            (vec![1.into(), Value::Null], false),
            (vec![text(1), 1.into()], false),
            (vec![1.into()], false),
            (vec![1.into(), text(1), 1.into()], false),
        ] {
            assert_eq!(is_plain(seat, &values), plain, "{values:?}");
        }
    }
}
