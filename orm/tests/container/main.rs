//! Services in a container, over sessions of scopes, on every engine that is there. Names that begin with `g01` and so on
//! are requirement numbers of the interface.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]
#![allow(clippy::print_stdout, reason = "it says where it runs, and why it is skipped")]
#![allow(missing_docs, unreachable_pub, reason = "a test says what they are for")]

#[allow(dead_code, reason = "other tests need more of it")]
#[path = "../it/support/engines.rs"]
mod engines;

mod factories;
mod modes;
mod refused;
mod registered;
mod scopes;

use isogloss::container::{AddOrm, OrmServices, ServiceCollection, ServiceProvider};
use isogloss::entity::linked;
use isogloss::prelude::*;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
pub struct Note {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 50)]
    pub text: String,
}

impl Note {
    pub fn of(text: &str) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Note)]
pub struct NoteView {
    pub note: Note,
}

/// A context without a server.
pub(crate) fn context() -> OrmContext {
    engines::Place { provider: "sqlite", url: ":memory:".into() }.context(linked().build().unwrap(), true)
}

/// A context over a place whose table is there.
pub(crate) async fn context_at(place: &engines::Place) -> OrmContext {
    let context = place.context(linked().build().unwrap(), true);
    context.sync_table(Note::NAME, Vec::<&str>::new()).await.unwrap();
    context
}

/// Nothing but what a context brings with it.
pub(crate) fn alone() -> OrmServices {
    OrmServices::new().without_auto_registered()
}

pub(crate) fn provider(context: &OrmContext, options: OrmServices) -> ServiceProvider {
    ServiceCollection::new().add_orm_with(context, options).unwrap().build_provider().unwrap()
}
