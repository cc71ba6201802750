//! What is done to entities that somebody listens to.

use std::sync::Arc;

use isogloss_compiler::expr::Value;
use isogloss_driver::BoxFuture;

use super::EntityEvents;
use super::chain::Chain;
use super::events::{Answer, Change, EventContext, SetWrite};
use super::operation::{BatchResult, Kind, Run, Runs};
use super::subscribers::Listeners;
use crate::dao::{ObjectDao, TableArgs};
use crate::entity::Table;
use crate::session::Session;
use crate::{OrmError, OrmResult};

/// The operations of a service, with those who listen.
pub(super) struct Listened<'s, T> {
    dao: &'s ObjectDao<T>,
    listeners: Listeners<T>,
    event: EventContext,
}

impl<'s, T: Table + Clone> Listened<'s, T> {
    pub(super) fn new(session: &Session, args: &TableArgs, dao: &'s ObjectDao<T>, listeners: Listeners<T>) -> Self {
        Self { dao, listeners, event: EventContext { session: session.clone(), args: args.clone() } }
    }

    /// Writes an entity, which then has what subscribers and the database have put into it. One that is not written, or
    /// taken back, stays as it was.
    pub(super) async fn write(&self, kind: Kind, entity: &mut T) -> OrmResult<bool> {
        let mut row = entity.clone();
        let written = self
            .within(async |chain: &Chain| {
                if !self.ask_row(kind, &mut row).await? || !kind.write(self.dao, &mut row).await? {
                    return Ok(false);
                }
                self.wrote(chain, vec![kind.change(row.clone())]).await?;
                Ok(true)
            })
            .await?;
        if written {
            *entity = row;
        }
        Ok(written)
    }

    /// Writes rows in their order, and gives them as they were written.
    pub(super) async fn write_all(&self, rows: Vec<(usize, Kind, T)>) -> OrmResult<(BatchResult, Runs<T>)> {
        self.within(async |chain: &Chain| {
            let (mut result, mut runs) = (BatchResult::default(), Runs::new());
            for (place, kind, mut entity) in rows {
                match self.ask_row(kind, &mut entity).await? {
                    true => runs.push(kind, place, entity),
                    false => result.cancelled.push(place),
                }
            }
            let mut changes = Vec::new();
            for run in &mut runs.0 {
                let (written, there) = self.write_run(run).await?;
                result.written += written;
                let told = run.entities.iter().zip(there).filter(|(_, there)| *there);
                changes.extend(told.map(|(entity, _)| run.kind.change(entity.clone())));
            }
            self.wrote(chain, changes).await?;
            Ok((result, runs))
        })
        .await
    }

    /// Writes neighbours together, and says how many and which of them were there.
    async fn write_run(&self, run: &mut Run<T>) -> OrmResult<(u64, Vec<bool>)> {
        let all = vec![true; run.entities.len()];
        // What is deleted cannot be asked for afterwards.
        let there = if run.kind == Kind::Delete { self.dao.found(&run.entities).await? } else { all };
        let written = run.write(self.dao).await?;
        let fewer = run.kind == Kind::Update && written < run.entities.len() as u64;
        let there = if fewer { self.dao.found(&run.entities).await? } else { there };
        Ok((written, there))
    }

    /// Deletes the row with a key.
    pub(super) async fn delete_id(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.within(async |chain: &Chain| {
            let asked = self.ask(|events| events.on_delete_iding(&key, &self.event)).await?;
            if !asked || !self.dao.delete_by_keys(key.clone()).await? {
                return Ok(false);
            }
            self.wrote(chain, vec![Change::DeletedId(key.clone())]).await?;
            Ok(true)
        })
        .await
    }

    /// Deletes the rows with these keys.
    pub(super) async fn batch_delete_id(&self, keys: Vec<Vec<Value>>) -> OrmResult<BatchResult> {
        self.within(async |chain: &Chain| {
            if !self.ask(|events| events.on_batch_delete_iding(&keys, &self.event)).await? {
                return Ok(BatchResult { written: 0, cancelled: (0..keys.len()).collect() });
            }
            let written = self.dao.batch_delete_by_keys(keys.clone()).await?;
            self.wrote(chain, vec![Change::BatchDeletedIds(keys.clone())]).await?;
            Ok(BatchResult { written, cancelled: Vec::new() })
        })
        .await
    }

    /// Changes or deletes the rows of a condition.
    pub(super) async fn write_set(&self, given: SetWrite<T>) -> OrmResult<u64> {
        self.within(async |chain: &Chain| {
            let mut write = given.clone();
            for subscriber in self.listeners.iter() {
                if !subscriber.answer(|| write.ask(&*subscriber.events, &self.event)).await? {
                    return Ok(0);
                }
            }
            if write.is_narrowed() {
                // What is refused as the caller has given it is not made good by who has narrowed it.
                self.dao.compiles(&given.clone().into_statement()).await?;
            }
            let rows = self.dao.write_set(write.clone().into_statement()).await?;
            if rows > 0 {
                self.wrote(chain, vec![write.change(rows)]).await?;
            }
            Ok(rows)
        })
        .await
    }

    /// Runs an operation in a transaction, one step deeper than what has led here.
    async fn within<R>(&self, run: impl AsyncFnOnce(&Chain) -> OrmResult<R>) -> OrmResult<R> {
        let chain = Chain::enter(T::NAME)?;
        let transaction = self.event.session.atomically(async |_: &Session| run(&chain).await);
        // Apart, so that callers do not carry what it needs.
        Box::pin(chain.clone().scope(transaction)).await
    }

    /// Asks all, until one says no.
    async fn ask<'e>(&'e self, ask: impl Fn(&'e dyn EntityEvents<T>) -> Answer<'e, bool>) -> OrmResult<bool> {
        for subscriber in self.listeners.iter() {
            if !subscriber.answer(|| ask(&*subscriber.events)).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn ask_row(&self, kind: Kind, entity: &mut T) -> OrmResult<bool> {
        for subscriber in self.listeners.iter() {
            if !subscriber.answer(|| kind.ask(&*subscriber.events, entity, &self.event)).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells what was written, now and when the transaction has ended.
    async fn wrote(&self, chain: &Chain, changes: Vec<Change<T>>) -> OrmResult<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let changes: Arc<[Change<T>]> = changes.into();
        // First of all: what is taken back because of who is told now is told of that, too.
        self.at_end(chain.clone(), Arc::clone(&changes)).await?;
        for change in changes.iter() {
            for subscriber in self.listeners.iter() {
                subscriber.answer(|| change.tell(&*subscriber.events, &self.event)).await?;
            }
        }
        Ok(())
    }

    async fn at_end(&self, chain: Chain, changes: Arc<[Change<T>]>) -> OrmResult<()> {
        let (listeners, args) = (Arc::clone(&self.listeners), self.event.args.clone());
        let tell = move |session, outcome| -> BoxFuture<'static, Vec<OrmError>> {
            Box::pin(chain.scope(async move {
                let event = EventContext { session, args };
                let mut errors = Vec::new();
                for change in changes.iter() {
                    for subscriber in listeners.iter() {
                        let told = subscriber.answer(|| change.tell_end(&*subscriber.events, outcome, &event)).await;
                        errors.extend(told.err());
                    }
                }
                errors
            }))
        };
        self.event.session.at_end_all(Box::new(tell)).await
    }
}
