//! A transaction with its savepoints, over as many sources as it has touched.

use std::sync::Arc;

use isogloss_driver::{AnyConnection, TransactionOptions};

use super::error::{CommitError, CommitOutcome, Ending};
use super::hooks::{Hooks, Outcome};
use super::transaction::Running;
use super::{SessionError, State};
use crate::context::{DataSource, Opened, UnderWay};
use crate::{OrmContext, OrmError, OrmResult};

/// A transaction. Its connections begin theirs when they are first needed; dropped, they take them back.
pub(super) struct Unit {
    options: TransactionOptions,
    /// The numbers of its levels, the outermost first.
    levels: Vec<u64>,
    held: Vec<Held>,
    /// A savepoint could not be taken back, or was released on some sources only: to commit would write a part.
    unusable: bool,
    /// What is to run when it has ended.
    hooks: Hooks,
    /// The context waits for its end.
    _under_way: UnderWay,
}

/// A source that belongs to it.
pub(super) struct Held {
    pub(super) source: Arc<DataSource>,
    pub(super) opened: Arc<Opened>,
    pub(super) connection: AnyConnection,
    /// Whether it may have written.
    pub(super) wrote: bool,
}

impl Held {
    fn failed(&self, error: isogloss_driver::Error) -> OrmError {
        self.source.failed(error)
    }

    fn depth(&self) -> usize {
        usize::try_from(self.connection.depth()).unwrap_or(usize::MAX)
    }

    /// Takes back what is deeper than that.
    async fn back_to(&mut self, depth: usize) -> OrmResult<()> {
        while self.depth() > depth {
            let before = self.depth();
            self.connection.rollback().await.map_err(|error| self.source.failed(error))?;
            if self.depth() >= before {
                return Err(SessionError::Unusable.into());
            }
        }
        Ok(())
    }
}

impl Unit {
    fn new(options: TransactionOptions, under_way: UnderWay) -> Self {
        Self {
            options,
            levels: Vec::new(),
            held: Vec::new(),
            unusable: false,
            hooks: Hooks::default(),
            _under_way: under_way,
        }
    }

    /// How many levels are open.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The connection to a source, in the transaction: its place among those that are held.
    pub(super) async fn join(&mut self, source: &Arc<DataSource>) -> OrmResult<usize> {
        if self.unusable {
            return Err(SessionError::Unusable.into());
        }
        let known = self.held.iter().position(|held| Arc::ptr_eq(&held.source, source));
        let place = match known {
            Some(place) => place,
            None => {
                let reached = source.primary().await?;
                let (connection, opened) = (reached.connection, reached.opened);
                let mut held = Held { source: Arc::clone(source), opened, connection, wrote: false };
                // It is one of the unit when it has begun: until then it may be dropped.
                held.connection.begin(&self.options).await.map_err(|error| held.source.failed(error))?;
                self.held.push(held);
                self.held.len() - 1
            }
        };
        let depth = self.depth();
        let held = self.held.get_mut(place).ok_or(SessionError::NoTransaction)?;
        if held.depth() == 0 {
            return Err(SessionError::Over { data_source: Arc::clone(held.source.name()) }.into());
        }
        while held.depth() < depth {
            held.connection.begin(&TransactionOptions::default()).await.map_err(|error| held.source.failed(error))?;
        }
        Ok(place)
    }

    pub(super) fn held(&mut self, place: usize) -> Option<&mut Held> {
        self.held.get_mut(place)
    }

    /// Takes back all levels from that one on, and leaves those around it.
    async fn back_to(&mut self, depth: usize) -> OrmResult<()> {
        self.hooks.undo(depth);
        let mut done = Ok(());
        for held in &mut self.held {
            done = done.and(held.back_to(depth).await);
        }
        self.unusable |= done.is_err();
        self.levels.truncate(depth);
        done
    }

    /// Releases the innermost savepoint on each source in turn. What one of them has released cannot be taken back alone:
    /// where another fails, or the future is dropped before it, nothing is left but to roll back the whole.
    async fn release(&mut self) -> OrmResult<()> {
        if self.unusable {
            return Err(SessionError::Unusable.into());
        }
        let depth = self.depth();
        for held in self.held.iter_mut().filter(|held| held.depth() >= depth) {
            held.connection.commit().await.map_err(|error| held.source.failed(error))?;
            self.unusable = true;
        }
        self.unusable = false;
        self.levels.truncate(depth - 1);
        self.hooks.release(depth - 1);
        Ok(())
    }

    /// Commits on each source in turn; from the first on that fails, the others are taken back.
    async fn commit(self) -> OrmResult<()> {
        if self.unusable {
            return Err(SessionError::Unusable.into());
        }
        if let Some(over) = self.held.iter().find(|held| held.depth() == 0) {
            return Err(SessionError::Over { data_source: Arc::clone(over.source.name()) }.into());
        }
        let alone = self.held.len() == 1;
        let (mut outcomes, mut failed) = (Vec::with_capacity(self.held.len()), false);
        for mut held in self.held {
            let ending = if failed {
                // Where this fails, the connection is lost, and the transaction with it.
                let _ = held.back_to(0).await;
                Ending::RolledBack
            } else {
                match held.connection.commit().await {
                    Ok(()) => Ending::Committed,
                    Err(error) => {
                        // Where nobody knows, the connection is of no use, and its end takes back what is not committed.
                        if !error.is_in_doubt() {
                            let _ = held.connection.rollback().await;
                        }
                        if alone && !error.is_in_doubt() {
                            return Err(held.failed(error));
                        }
                        failed = true;
                        if error.is_in_doubt() { Ending::Unknown(error) } else { Ending::Failed(error) }
                    }
                }
            };
            outcomes.push(CommitOutcome { data_source: Arc::clone(held.source.name()), ending });
        }
        if failed { Err(SessionError::Commit(Box::new(CommitError::new(outcomes))).into()) } else { Ok(()) }
    }
}

impl State {
    /// Fails while a closure runs whose transaction somebody else has ended: what it does now would be outside of any.
    pub(super) fn is_whole(&self) -> OrmResult<()> {
        let open = |running: &Running| self.place(running.level).is_some();
        if self.running.iter().all(open) { Ok(()) } else { Err(SessionError::Overlap.into()) }
    }

    /// Opens a level, and gives its number. No engine hears of it before its source is needed.
    pub(super) fn open(&mut self, context: &OrmContext, options: &TransactionOptions) -> OrmResult<u64> {
        let depth = self.unit.as_ref().map_or(0, Unit::depth);
        options.check(u32::try_from(depth).unwrap_or(u32::MAX))?;
        let unit = match &mut self.unit {
            Some(unit) => unit,
            none => none.insert(Unit::new(*options, context.begin_transaction()?)),
        };
        self.serial += 1;
        unit.levels.push(self.serial);
        Ok(self.serial)
    }

    /// The number of the innermost level.
    pub(super) fn innermost(&self) -> Option<u64> {
        self.unit.as_ref()?.levels.last().copied()
    }

    /// The place of a level among those that are open.
    pub(super) fn place(&self, level: u64) -> Option<usize> {
        self.unit.as_ref()?.levels.iter().position(|open| *open == level)
    }

    /// Commits the innermost level.
    pub(super) async fn commit(&mut self) -> OrmResult<()> {
        match &mut self.unit {
            None => Err(SessionError::NoTransaction.into()),
            Some(unit) if unit.depth() > 1 => unit.release().await,
            // Taken out first: whoever drops this future drops the connections.
            unit => match unit.take() {
                Some(mut unit) => {
                    // So are its hooks: whether a commit that is given up takes effect, nobody knows.
                    self.ended.append(&mut unit.hooks);
                    unit.held.iter().filter(|held| held.wrote).for_each(|held| self.wrote(&held.source));
                    let done = unit.commit().await;
                    self.ended.end(Outcome::of_commit(&done));
                    done
                }
                None => Ok(()),
            },
        }
    }

    /// Takes back all levels from that place on.
    pub(super) async fn back_to(&mut self, place: usize) -> OrmResult<()> {
        if place > 0 {
            return match &mut self.unit {
                Some(unit) => unit.back_to(place).await,
                None => Err(SessionError::NoTransaction.into()),
            };
        }
        let Some(mut unit) = self.unit.take() else { return Err(SessionError::NoTransaction.into()) };
        self.end_rolled_back(&mut unit);
        unit.back_to(0).await
    }

    /// Drops the transaction: its connections take it back.
    pub(super) fn give_up(&mut self) {
        if let Some(mut unit) = self.unit.take() {
            self.end_rolled_back(&mut unit);
        }
    }

    fn end_rolled_back(&mut self, unit: &mut Unit) {
        self.ended.append(&mut unit.hooks);
        self.ended.end(Outcome::RolledBack);
    }

    /// The hooks of the transaction, if one is open.
    pub(super) fn hooks(&mut self) -> Option<&mut Hooks> {
        self.unit.as_mut().map(|unit| &mut unit.hooks)
    }
}
