//! Services in a container, over sessions of scopes, on every engine that is there. Names that begin with `g01` and so on
//! are requirement numbers of the interface.

mod factories;
mod modes;
mod refused;
mod registered;
mod scopes;

use isogloss::container::{AddOrm, OrmServices, ServiceCollection, ServiceProvider};
use isogloss::entity::Linked as _;
use isogloss::prelude::*;

use crate::support::engines;

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

/// The entities of these tests. Other tests of this program have entities of the same names.
pub(crate) fn catalog() -> Catalog {
    Catalog::builder().entity::<Note>().entity::<NoteView>().build().unwrap()
}

/// A context without a server.
pub(crate) fn context() -> OrmContext {
    engines::Place { provider: "sqlite", url: ":memory:".into() }.context(catalog(), true)
}

/// A context over a place whose table is there.
pub(crate) async fn context_at(place: &engines::Place) -> OrmContext {
    let context = place.context(catalog(), true);
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
