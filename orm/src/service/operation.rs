//! Operations on entities, one at a time and in batches.

use crate::OrmResult;
use crate::dao::{ObjectDao, UpdateOrInsertResult};
use crate::entity::{LogText, Logable, Table};
use crate::{OrmError, Session};

/// The operation of a batch on an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpDef {
    /// Nothing.
    #[default]
    None,
    /// The entity is inserted.
    Insert,
    /// The row with the entity's key is updated.
    Update,
    /// The row with the entity's key is deleted.
    Delete,
}

/// An entity of a batch with its operation.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityOperation<T> {
    /// The operation.
    pub operation: OpDef,
    /// The entity.
    pub entity: T,
}

impl<T> EntityOperation<T> {
    /// Inserts the entity.
    pub const fn insert(entity: T) -> Self {
        Self { operation: OpDef::Insert, entity }
    }

    /// Updates the row with the entity's key.
    pub const fn update(entity: T) -> Self {
        Self { operation: OpDef::Update, entity }
    }

    /// Deletes the row with the entity's key.
    pub const fn delete(entity: T) -> Self {
        Self { operation: OpDef::Delete, entity }
    }
}

impl<T: Table> Logable for EntityOperation<T> {
    fn log(&self, text: &mut LogText) {
        text.push(format_args!("{:?} ", self.operation));
        self.entity.log(text);
    }
}

/// The result of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchResult {
    /// How many rows were written.
    pub written: u64,
    /// The positions, from 0, of entities that a subscriber has cancelled.
    pub cancelled: Vec<usize>,
}

impl Logable for BatchResult {
    fn log(&self, text: &mut LogText) {
        text.push(self.written);
        if !self.cancelled.is_empty() {
            text.push(", without ");
            self.cancelled.log(text);
        }
    }
}

impl BatchResult {
    /// Nothing was cancelled.
    pub(super) const fn of(written: u64) -> Self {
        Self { written, cancelled: Vec::new() }
    }
}

/// What is done to the rows of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Insert,
    Update,
    UpdateOrInsert,
    Delete,
}

impl OpDef {
    pub(super) const fn kind(self) -> Option<Kind> {
        match self {
            Self::None => None,
            Self::Insert => Some(Kind::Insert),
            Self::Update => Some(Kind::Update),
            Self::Delete => Some(Kind::Delete),
        }
    }
}

impl Kind {
    /// Does it to one entity, and says whether that was written.
    pub(super) async fn write<T: Table>(self, dao: &ObjectDao<T>, entity: &mut T) -> OrmResult<bool> {
        match self {
            Self::Insert => dao.insert(entity).await,
            Self::Update => dao.update(entity).await,
            Self::UpdateOrInsert => Ok(dao.update_or_insert(entity).await? != UpdateOrInsertResult::Failed),
            Self::Delete => dao.delete(entity).await,
        }
    }

    /// Does it to several together, and says how many were written.
    pub(super) async fn write_all<T: Table>(self, dao: &ObjectDao<T>, entities: &mut [T]) -> OrmResult<u64> {
        let all = entities.len() as u64;
        match self {
            Self::Insert => dao.batch_insert(entities).await.map(|()| all),
            Self::Update => dao.batch_update(entities).await,
            Self::UpdateOrInsert => dao.batch_update_or_insert(entities).await.map(|()| all),
            Self::Delete => dao.batch_delete(entities).await,
        }
    }
}

/// Neighbours of a batch to which the same is done, with their places in it.
#[derive(Debug, Clone)]
pub(super) struct Run<T> {
    pub(super) kind: Kind,
    pub(super) places: Vec<usize>,
    pub(super) entities: Vec<T>,
}

/// Operations in their order, as runs.
#[derive(Debug, Clone)]
pub(super) struct Runs<T>(pub(super) Vec<Run<T>>);

impl<T: Table + Clone> Runs<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn push(&mut self, kind: Kind, place: usize, entity: T) {
        match self.0.last_mut().filter(|run| run.kind == kind) {
            Some(run) => {
                run.places.push(place);
                run.entities.push(entity);
            }
            None => self.0.push(Run { kind, places: vec![place], entities: vec![entity] }),
        }
    }

    /// Writes them in one transaction, which is run again if it lost to another writer and is its own.
    pub(super) async fn write(self, session: &Session, dao: &ObjectDao<T>) -> OrmResult<(u64, Self)> {
        let runs = &self;
        let all = async |_: &Session| {
            let (mut written, mut runs) = (0, runs.clone());
            for run in &mut runs.0 {
                written += run.write(dao).await?;
            }
            OrmResult::Ok((written, runs))
        };
        session.atomically_with(dao.retry(), all).await
    }

    /// The entities as they were written, with their places.
    pub(super) fn into_entities(self) -> impl Iterator<Item = (usize, T)> {
        self.0.into_iter().flat_map(|run| run.places.into_iter().zip(run.entities))
    }
}

impl<T: Table> Run<T> {
    /// Writes them together. The error of a row says its place in the whole.
    pub(super) async fn write(&mut self, dao: &ObjectDao<T>) -> OrmResult<u64> {
        let written = self.kind.write_all(dao, &mut self.entities).await;
        written.map_err(|error| match error {
            OrmError::Row { entity, row, error } => {
                let place = self.places.get(row.saturating_sub(1)).map_or(row, |place| place + 1);
                OrmError::Row { entity, row: place, error }
            }
            other => other,
        })
    }
}
