//! A subscriber that writes down what it is told.

use std::sync::{Arc, Mutex};

use isogloss::expr::Value;
use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EventContext, SetWrite, async_trait};

use crate::services::{Audit, Doc, Item, Mark, Sort};

/// What was told to whom, in the order of the telling.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// What an entity is called in the log.
pub(crate) trait Named {
    fn called(&self) -> String;
}

macro_rules! named {
    ($($of:ident: $field:ident),*) => {$(
        impl Named for $of {
            fn called(&self) -> String {
                self.$field.to_string()
            }
        }
    )*};
}

named!(Item: name, Sort: name, Doc: id, Mark: code, Audit: text);

/// How a subscriber answers where it does not just write down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answer {
    No,
    Fails,
    Panics,
}

/// Writes down what it is told, and answers otherwise than yes to lines that begin so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    pub(crate) name: &'static str,
    pub(crate) log: Log,
    answers: Vec<(&'static str, Answer)>,
}

impl Tape {
    pub(crate) fn new(name: &'static str, log: &Log) -> Self {
        Self { name, log: log.clone(), answers: Vec::new() }
    }

    pub(crate) fn to(mut self, line: &'static str, answer: Answer) -> Self {
        self.answers.push((line, answer));
        self
    }

    fn told(&self, line: String) -> OrmResult<bool> {
        let answer = self.answers.iter().find(|(begins, _)| line.starts_with(begins)).map(|(_, answer)| *answer);
        self.log.add(format!("{}{line}", self.name));
        match answer {
            None => Ok(true),
            Some(Answer::No) => Ok(false),
            Some(Answer::Fails) => Err(isogloss::entity::FieldError::new("unwilling").into()),
            Some(Answer::Panics) => panic!("on purpose"),
        }
    }

    fn done(&self, line: String) -> OrmResult<()> {
        self.told(line).map(drop)
    }
}

fn set<T>(write: &SetWrite<T>) -> String {
    let sets: Vec<_> = write.sets().iter().map(|(name, _)| name.as_str()).collect();
    format!("[{}] where {}", sets.join(","), write.condition().is_some())
}

fn change<T: Named>(change: &Change<T>) -> String {
    match change {
        Change::Inserted(entity) => format!("inserted {}", entity.called()),
        Change::Updated(entity) => format!("updated {}", entity.called()),
        Change::UpdatedOrInserted(entity) => format!("upserted {}", entity.called()),
        Change::Deleted(entity) => format!("deleted {}", entity.called()),
        Change::DeletedId(key) => format!("deleted id {}", key.len()),
        Change::BatchDeletedIds(keys) => format!("deleted ids {}", keys.len()),
        Change::DeletedAll(rows, write) => format!("deleted {rows} {}", set(write)),
        Change::UpdatedAll(rows, write) => format!("updated {rows} {}", set(write)),
        _ => "something else".to_owned(),
    }
}

#[async_trait]
impl<T: Named + Send + Sync + 'static> EntityEvents<T> for Tape {
    async fn on_inserting(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        assert!(event.session().in_transaction());
        self.told(format!("inserting {}", entity.called()))
    }

    async fn on_inserted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        assert!(event.session().in_transaction());
        self.done(format!("inserted {}", entity.called()))
    }

    async fn on_updating(&self, entity: &mut T, _: &EventContext) -> OrmResult<bool> {
        self.told(format!("updating {}", entity.called()))
    }

    async fn on_updated(&self, entity: &T, _: &EventContext) -> OrmResult<()> {
        self.done(format!("updated {}", entity.called()))
    }

    async fn on_updating_or_inserting(&self, entity: &mut T, _: &EventContext) -> OrmResult<bool> {
        self.told(format!("upserting {}", entity.called()))
    }

    async fn on_updated_or_inserted(&self, entity: &T, _: &EventContext) -> OrmResult<()> {
        self.done(format!("upserted {}", entity.called()))
    }

    async fn on_deleting(&self, entity: &T, _: &EventContext) -> OrmResult<bool> {
        self.told(format!("deleting {}", entity.called()))
    }

    async fn on_deleted(&self, entity: &T, _: &EventContext) -> OrmResult<()> {
        self.done(format!("deleted {}", entity.called()))
    }

    async fn on_delete_iding(&self, key: &[Value], event: &EventContext) -> OrmResult<bool> {
        self.told(format!("deleting id {} of {:?}", key.len(), event.args()))
    }

    async fn on_delete_ided(&self, key: &[Value], event: &EventContext) -> OrmResult<()> {
        self.done(format!("deleted id {} of {:?}", key.len(), event.args()))
    }

    async fn on_batch_delete_iding(&self, keys: &[Vec<Value>], _: &EventContext) -> OrmResult<bool> {
        self.told(format!("deleting ids {}", keys.len()))
    }

    async fn on_batch_delete_ided(&self, keys: &[Vec<Value>], _: &EventContext) -> OrmResult<()> {
        self.done(format!("deleted ids {}", keys.len()))
    }

    async fn on_delete_alling(&self, write: &mut SetWrite<T>, _: &EventContext) -> OrmResult<bool> {
        self.told(format!("deleting all {}", set(write)))
    }

    async fn on_delete_alled(&self, rows: u64, write: &SetWrite<T>, _: &EventContext) -> OrmResult<()> {
        self.done(format!("deleted all {rows} {}", set(write)))
    }

    async fn on_update_alling(&self, write: &mut SetWrite<T>, _: &EventContext) -> OrmResult<bool> {
        self.told(format!("updating all {}", set(write)))
    }

    async fn on_update_alled(&self, rows: u64, write: &SetWrite<T>, _: &EventContext) -> OrmResult<()> {
        self.done(format!("updated all {rows} {}", set(write)))
    }

    async fn on_committed(&self, what: &Change<T>, event: &EventContext) -> OrmResult<()> {
        assert!(!event.session().in_transaction());
        self.done(format!("committed: {}", change(what)))
    }

    async fn on_rolled_back(&self, what: &Change<T>, _: &EventContext) -> OrmResult<()> {
        self.done(format!("rolled back: {}", change(what)))
    }

    async fn on_outcome_unknown(&self, what: &Change<T>, _: &EventContext) -> OrmResult<()> {
        self.done(format!("unknown: {}", change(what)))
    }
}
