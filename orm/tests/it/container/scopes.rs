//! Lifetimes: one session a scope, which ends with it.

use std::sync::Arc;
use std::time::Duration;

use isogloss::Scope;
use isogloss::container::{AddOrm as _, OrmServices, Resolve as _, ServiceCollection};
use isogloss::driver::TransactionOptions;
use isogloss::prelude::*;
use isogloss::service::{EntityService, EntityServiceOps, EntityViewService, EntityViewServiceOps};
use isogloss::session::{Purpose, SessionError};

use crate::container::{Note, NoteView, alone, context, context_at, provider};
use crate::support::engines::each_place;

fn has_ended<T: std::fmt::Debug>(done: Result<T, OrmError>) -> bool {
    matches!(done, Err(OrmError::Session(SessionError::Ended)))
}

#[test]
fn g09_the_session_is_of_the_scope_and_the_context_of_the_program() {
    let context = context();
    let provider = provider(&context, alone());
    let (one, other) = (provider.create_scope(), provider.create_scope());
    let id = |scope: &isogloss::container::ServiceProvider| scope.resolve::<Session>().unwrap().id();
    assert_eq!(id(&one), id(&one));
    assert_ne!(id(&one), id(&other));
    assert!(one.resolve::<Session>().unwrap().is(&one.resolve::<Arc<Session>>().unwrap()));
    // Singletons: the same in each scope.
    assert!(Arc::ptr_eq(&one.resolve::<Arc<OrmContext>>().unwrap(), &other.resolve::<Arc<OrmContext>>().unwrap()));
    assert!(Arc::ptr_eq(&one.resolve::<Arc<Catalog>>().unwrap(), &other.resolve::<Arc<Catalog>>().unwrap()));
    let of_context = one.resolve::<OrmContext>().unwrap();
    assert!(of_context.catalog().entity(Note::NAME).is_some());
}

#[tokio::test]
async fn g03_generic_objects_are_there_without_being_registered() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let scope = provider(&context, alone()).create_scope();
        let mut note = Note::of("a");
        assert!(scope.resolve::<ObjectDao<Note>>().unwrap().insert(&mut note).await.unwrap());
        let data = scope.resolve::<DataDao<Note>>().unwrap();
        assert!(data.update_values([("Text", "b")], note.id).await.unwrap());
        let read = scope.resolve::<ObjectViewDao<NoteView>>().unwrap().search(()).all().await.unwrap();
        assert_eq!(read, [NoteView { note: Note { text: "b".into(), ..note } }]);
        let table = scope.resolve::<DataViewDao<NoteView>>().unwrap().search(()).await.unwrap();
        assert_eq!(table.len(), 1);
        // Entity services, and the interfaces of them.
        let service = scope.resolve::<EntityService<Note, NoteView>>().unwrap();
        assert!(service.insert(&mut Note::of("c")).await.unwrap());
        assert_eq!(scope.resolve::<EntityViewService<NoteView>>().unwrap().count(()).await.unwrap(), 2);
        let service = scope.resolve::<Box<dyn EntityServiceOps<Note, Note>>>().unwrap();
        assert!(service.insert(&mut Note::of("d")).await.unwrap());
        assert_eq!(scope.resolve::<Box<dyn EntityViewServiceOps<Note>>>().unwrap().count(()).await.unwrap(), 3);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn all_of_a_scope_works_on_the_terms_of_its_session() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, alone());
        let mine = Scope::new().column("Text", "mine");
        let scope = provider.create_scope_with(|session| session.scoped(&mine)).unwrap();
        let unscoped = provider.create_scope();
        unscoped.resolve::<ObjectDao<Note>>().unwrap().insert(&mut Note::of("other")).await.unwrap();
        scope.resolve::<EntityService<Note>>().unwrap().insert(&mut Note::of("mine")).await.unwrap();
        assert!(scope.resolve::<Session>().unwrap().current_scope().is_some());
        assert!(scope.resolve::<Arc<Session>>().unwrap().current_scope().is_some());
        assert_eq!(scope.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 1);
        assert_eq!(scope.resolve::<DataViewDao<NoteView>>().unwrap().search(()).await.unwrap().len(), 1);
        assert_eq!(unscoped.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 2);
        // It ends with the scope as any other.
        let session = scope.resolve::<Session>().unwrap();
        drop(scope);
        assert!(has_ended(session.lease(None, Purpose::Read).await));
        context.close();
    })
    .await;
}

#[test]
fn the_terms_of_a_scope_are_of_its_own_session() {
    let context = context();
    let provider = provider(&context, alone());
    let other = provider.create_scope_with(|session| session.context().create_session());
    let text = other.err().unwrap().to_string();
    assert!(text.starts_with("the closure of `create_scope_with` gave another session"), "{text}");
    let failed = provider.create_scope_with(|_| Err(SessionError::NoCurrent.into()));
    assert!(matches!(failed.err(), Some(OrmError::Session(SessionError::NoCurrent))));
}

#[tokio::test]
async fn what_is_made_in_a_scope_is_in_its_transaction_and_in_no_other() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, alone());
        let (one, other) = (provider.create_scope(), provider.create_scope());
        let (first, second) = (one.resolve::<Session>().unwrap(), other.resolve::<Session>().unwrap());
        first.begin(&TransactionOptions::default()).await.unwrap();
        one.resolve::<ObjectDao<Note>>().unwrap().insert(&mut Note::of("a")).await.unwrap();
        assert_eq!(one.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 1);
        assert!(!second.in_transaction());
        assert_eq!(other.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 0);
        first.commit().await.unwrap();
        assert_eq!(other.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 1);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_scope_takes_back_what_is_open() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, alone());
        let scope = provider.create_scope();
        let session = scope.resolve::<Session>().unwrap();
        let dao = scope.resolve::<ObjectDao<Note>>().unwrap();
        session.begin(&TransactionOptions::default()).await.unwrap();
        dao.insert(&mut Note::of("never")).await.unwrap();
        // A clone of the provider is of the same scope, which ends with the last of them.
        drop(scope.clone());
        assert!(session.in_transaction());
        drop(scope);
        assert!(!session.in_transaction());
        // What was left of it, a session and a data access object, does nothing more.
        assert!(has_ended(dao.insert(&mut Note::of("never")).await));
        assert!(has_ended(session.begin(&TransactionOptions::default()).await));
        assert!(has_ended(session.lease(None, Purpose::Read).await));
        // Its connection, and the locks of it, are given back: another scope writes at once.
        let next = provider.create_scope();
        next.resolve::<ObjectDao<Note>>().unwrap().insert(&mut Note::of("kept")).await.unwrap();
        let texts = next.resolve::<ObjectViewDao<Note>>().unwrap().search(()).all().await.unwrap();
        assert_eq!(texts.iter().map(|note| &*note.text).collect::<Vec<_>>(), ["kept"]);
        context.close_and_wait(Duration::from_secs(10)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_scope_that_ends_inside_of_a_transaction_is_an_error_of_it() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, alone());
        let scope = provider.create_scope();
        let session = scope.resolve::<Session>().unwrap();
        let done = session
            .transaction(async |session: &Session| {
                ObjectDao::<Note>::new(session).insert(&mut Note::of("never")).await?;
                // While a lease is out, its holder comes to its end.
                let lease = session.lease(None, Purpose::Write).await?;
                drop(scope);
                assert!(session.in_transaction());
                drop(lease);
                assert!(!session.in_transaction());
                Ok::<_, OrmError>(())
            })
            .await;
        assert!(has_ended(done));
        assert_eq!(ObjectViewDao::<Note>::new(&context.create_session().unwrap()).count(()).await.unwrap(), 0);
        context.close_and_wait(Duration::from_secs(10)).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_scopes_at_once_share_nothing() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, alone());
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..32 {
            let provider = provider.clone();
            tasks.spawn(async move {
                let scope = provider.create_scope();
                let dao = scope.resolve::<ObjectDao<Note>>().unwrap();
                let session = scope.resolve::<Arc<Session>>().unwrap();
                let done = session
                    .transaction(async |_: &Session| {
                        dao.insert(&mut Note::of(&format!("{number}"))).await?;
                        tokio::task::yield_now().await;
                        assert_eq!(session.depth(), 1);
                        if number % 2 == 0 { Ok(()) } else { Err(OrmError::from(SessionError::NoCurrent)) }
                    })
                    .await;
                assert_eq!(done.is_ok(), number % 2 == 0, "{done:?}");
                session.id()
            });
        }
        let mut sessions = tasks.join_all().await;
        sessions.sort_unstable();
        sessions.dedup();
        assert_eq!(sessions.len(), 32);
        let reader = context.create_session().unwrap();
        assert_eq!(ObjectViewDao::<Note>::new(&reader).count(()).await.unwrap(), 16);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn a_closed_context_is_an_error_of_what_is_done_in_a_scope() {
    let context = context();
    let provider = provider(&context, alone());
    context.close();
    let scope = provider.create_scope();
    let done = scope.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await;
    assert!(matches!(done, Err(OrmError::Session(SessionError::Closed))), "{done:?}");
    let mut services = ServiceCollection::new();
    let added = services.add_orm_with(&context, OrmServices::new()).map(drop);
    assert!(matches!(added, Err(OrmError::Session(SessionError::Closed))), "{added:?}");
}
