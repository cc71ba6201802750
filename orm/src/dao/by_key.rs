//! The row of a key, by a statement that is prepared once for each pool.

use std::any::TypeId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{Catalog, Entity as Model, EntityId};
use isogloss_compiler::{Compiled, Prepared, StatementRef};
use isogloss_driver::{Flow, FromRow, Layout, Row, RowSink};

use super::access::Access;
use super::entity::has_key;
use super::rows::driver_error_in_row;
use crate::context::Opened;
use crate::entity::Entity;
use crate::session::Purpose;
use crate::{OrmResult, meter};

/// The statements of one pool, by the numbers of the catalog's entities.
pub(crate) struct ByKey {
    statements: Box<[OnceLock<Kept>]>,
    data_source: Box<str>,
}

/// The query of a row by its key.
struct Kept {
    statement: Prepared,
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

    fn keep<V: 'static>(&self, id: EntityId, prepare: impl FnOnce() -> OrmResult<Prepared>) -> OrmResult<()> {
        // Those of another struct may be there.
        if let Some(slot) = self.statements.get(id.index()).filter(|slot| slot.get().is_none())
            && slot.set(Kept { statement: prepare()?, of: TypeId::of::<V>(), in_order: AtomicBool::new(false) }).is_ok()
        {
            meter::kept(&self.data_source, 1);
        }
        Ok(())
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
    // The text of a shard has its arguments, that of a scope its filters.
    let plain = over.args.is_empty() && over.session.current_scope().is_none() && is_whole(model, &key);
    let plain = plain.then_some(id);
    if plain.is_none() {
        // What is wrong with the key is told before anything is asked.
        has_key(model, key.clone())?;
    }
    let mut lease = over.lease(Purpose::Read, &over.args, None).await?;
    let compile = |opened: &Opened| {
        if let Some(kept) = opened.by_key.kept::<V>(plain) {
            return Ok(kept.statement.bind(&key)?.into_owned());
        }
        let filter = has_key(model, key.clone())?;
        let made = over.session.compile(&opened.target, StatementRef::Filter(&filter), over.request())?.into_owned();
        if plain.is_some() {
            opened.by_key.keep::<V>(id, || Ok(opened.target.prepare_with(filter, &over.request())?))?;
        }
        OrmResult::Ok(made)
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

/// Whether it has a value for each column of the key.
fn is_whole(model: &Model, key: &[Value]) -> bool {
    model.keys.len() == key.len() && !key.is_empty() && !key.iter().any(Value::is_null)
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
            self.row = Some(row.map_err(|error| driver_error_in_row(error, self.name, 1))?);
        }
        Ok(Flow::More)
    }
}
