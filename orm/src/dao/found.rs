//! Which rows of a batch are there.

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{LockMode, LockWait, Value, from};

use super::batch::among;
use super::entity::{key_columns, key_of};
use super::keys::key_order;
use super::{DataViewDao, ObjectDao};
use crate::OrmResult;
use crate::entity::Table;

/// How many values of keys a query lists.
const MOST_VALUES: usize = 1_000;

impl<T: Table> ObjectDao<T> {
    /// Which of the entities' rows are there, by their keys: of several with one key, the first is. In the transaction that
    /// is open they stay as they are, where the engine locks rows.
    pub(crate) async fn found(&self, entities: &[T]) -> OrmResult<Vec<bool>> {
        let (session, model) = (&self.0.session, self.0.model()?);
        let target = session.context().data_source_of(model)?.target().await?;
        let locks = matches!(target.support(Feature::LockUpdate), Support::Native);
        let columns = key_columns(model)?;
        let most = (MOST_VALUES / columns.len().max(1)).max(1);
        let mut found = vec![false; entities.len()];
        for (args, places) in self.groups(entities) {
            let dao = DataViewDao::<T>::new(session).with_args(args);
            for places in places.chunks(most) {
                let mut keyed = Vec::with_capacity(places.len());
                for place in places {
                    if let Some(entity) = entities.get(*place) {
                        keyed.push((key_of(entity, model)?, *place));
                    }
                }
                let keys: Vec<Vec<Value>> = keyed.iter().map(|(key, _)| key.clone()).collect();
                let rows = from(T::NAME).filter(among(model, keys)?);
                let rows = if locks { rows.lock(LockMode::Update, LockWait::default()) } else { rows };
                let rows = dao.search(rows.select(columns.iter().map(|column| column.name.clone()))).await?;
                keyed.sort_by(|(a, _), (b, _)| key_order(a, b));
                for row in rows.rows() {
                    let first = keyed.partition_point(|(key, _)| key_order(key, row).is_lt());
                    if let Some((_, place)) = keyed.get(first).filter(|(key, _)| key_order(key, row).is_eq())
                        && let Some(found) = found.get_mut(*place)
                    {
                        *found = true;
                    }
                }
            }
        }
        Ok(found)
    }
}
