//! Services of the program that say of themselves how they are registered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use isogloss::container::{
    AddOrm as _, FromServices, KeyedRef, OrmServices, Resolve as _, ServiceCollection, ServiceLifetime,
    ServiceProvider, auto_register, di,
};
use isogloss::prelude::*;
use isogloss::service::FromSession;

use crate::container::{Note, alone, context, context_at, provider};
use crate::support::engines::each_place;

/// A service over the session of its scope, found by its type and by its interface.
#[auto_register(interfaces(dyn Notes))]
#[derive(FromServices)]
pub struct NotesInTable {
    session: Session,
    write: ObjectDao<Note>,
    ids: Arc<Ids>,
}

#[isogloss::service::async_trait]
pub trait Notes: Send + Sync {
    fn session(&self) -> &Session;
    async fn add(&self, text: &str) -> OrmResult<u64>;
}

#[isogloss::service::async_trait]
impl Notes for NotesInTable {
    fn session(&self) -> &Session {
        &self.session
    }

    async fn add(&self, text: &str) -> OrmResult<u64> {
        self.write.insert(&mut Note::of(text)).await?;
        Ok(self.ids.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// One for the whole program.
#[auto_register(lifetime = singleton)]
#[derive(Default)]
pub struct Ids(AtomicU64);

impl FromServices for Ids {
    fn from_services(_: &ServiceProvider) -> OrmResult<Self> {
        Ok(Self::default())
    }
}

pub trait Greeting: Send + Sync {
    fn text(&self) -> &'static str;
}

/// Found by its interfaces alone, and a data access object.
#[auto_register(policy = interface, interfaces(dyn Greeting, dyn Counts))]
#[derive(FromServices)]
struct Hello(ObjectViewDao<Note>);

impl Greeting for Hello {
    fn text(&self) -> &'static str {
        "hello"
    }
}

pub trait Counts: Send + Sync {
    fn dao(&self) -> &ObjectViewDao<Note>;
}

impl Counts for Hello {
    fn dao(&self) -> &ObjectViewDao<Note> {
        &self.0
    }
}

/// One each time, found by its type alone.
#[auto_register(policy = self, lifetime = transient)]
pub struct Fresh(Session);

impl FromSession for Fresh {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(Self(session.clone()))
    }
}

/// A key.
pub struct Polite;

#[auto_register(key = Polite, interfaces(dyn Greeting))]
#[derive(FromServices)]
pub struct GoodDay;

impl Greeting for GoodDay {
    fn text(&self) -> &'static str {
        "good day"
    }
}

#[auto_register(enabled = false)]
#[derive(FromServices)]
pub struct Disabled;

pub mod inner {
    use isogloss::container::{FromServices, auto_register};

    #[auto_register]
    #[derive(FromServices)]
    pub struct Inner;
}

fn here() -> OrmServices {
    OrmServices::new().only_modules([module_path!()])
}

#[tokio::test]
async fn g06_all_is_the_type_and_its_interfaces_as_one_instance_of_the_scope() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let provider = provider(&context, here());
        let (one, other) = (provider.create_scope(), provider.create_scope());
        let itself = one.resolve::<Arc<NotesInTable>>().unwrap();
        let notes = one.resolve::<Arc<dyn Notes>>().unwrap();
        assert!(std::ptr::addr_eq(Arc::as_ptr(&itself), Arc::as_ptr(&notes)));
        assert!(notes.session().is(&one.resolve().unwrap()));
        let elsewhere = other.resolve::<Arc<dyn Notes>>().unwrap();
        assert!(!elsewhere.session().is(notes.session()));
        assert_eq!(notes.add("a").await.unwrap(), 1);
        // The singleton is the same in both.
        assert_eq!(elsewhere.add("b").await.unwrap(), 2);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn g06_interface_is_found_by_its_interfaces_alone() {
    let scope = provider(&context(), here()).create_scope();
    assert_eq!(scope.resolve::<Arc<dyn Greeting>>().unwrap().text(), "hello");
    let greeting = scope.resolve::<Arc<dyn Greeting>>().unwrap();
    let counts = scope.resolve::<Arc<dyn Counts>>().unwrap();
    assert!(std::ptr::addr_eq(Arc::as_ptr(&greeting), Arc::as_ptr(&counts)));
    assert_eq!(counts.dao().count(()).await.unwrap(), 0);
    let missing = scope.resolve::<Arc<Hello>>().err().unwrap();
    assert!(
        missing.to_string().starts_with("no service `it::container::registered::Hello` is registered"),
        "{missing}"
    );
    assert_eq!(missing.kind(), Some(isogloss::driver::ErrorKind::Configuration));
}

#[test]
fn g06_self_is_found_by_its_type_and_a_transient_is_made_each_time() {
    let scope = provider(&context(), here()).create_scope();
    let (one, other) = (scope.resolve::<Arc<Fresh>>().unwrap(), scope.resolve::<Arc<Fresh>>().unwrap());
    assert!(!Arc::ptr_eq(&one, &other));
    assert!(one.0.is(&other.0));
}

#[test]
fn g06_a_key_is_a_type_and_disabled_is_not_registered() {
    let scope = provider(&context(), here()).create_scope();
    assert_eq!(scope.resolve::<KeyedRef<Polite, dyn Greeting>>().unwrap().text(), "good day");
    // Without the key it is another one.
    assert_eq!(scope.resolve::<Arc<dyn Greeting>>().unwrap().text(), "hello");
    assert!(scope.resolve::<Option<Arc<GoodDay>>>().unwrap().is_none());
    assert!(scope.resolve::<Option<Arc<Disabled>>>().unwrap().is_none());
}

#[test]
fn g03_the_option_governs_what_registers_itself() {
    let scope = provider(&context(), alone()).create_scope();
    assert!(scope.resolve::<Option<Arc<NotesInTable>>>().unwrap().is_none());
    assert!(scope.resolve::<Option<Arc<dyn Greeting>>>().unwrap().is_none());
    scope.resolve::<ObjectDao<Note>>().unwrap();
    // By hand it may be there all the same.
    let mut services = ServiceCollection::new();
    services.add_orm_with(&context(), alone()).unwrap();
    services.add_service::<Fresh>(ServiceLifetime::Scoped).unwrap();
    services.build_provider().unwrap().create_scope().resolve::<Arc<Fresh>>().unwrap();
}

#[test]
fn g04_services_are_those_of_some_modules_and_what_a_callback_adds() {
    // A module is there with what is inside of it, and no other whose name begins like it.
    let of = |modules: &[&str]| {
        let options = OrmServices::new().only_modules(modules.iter().map(|module| module.to_string()));
        let scope = provider(&context(), options).create_scope();
        let outer = scope.resolve::<Option<Arc<Fresh>>>().unwrap().is_some();
        (outer, scope.resolve::<Option<Arc<inner::Inner>>>().unwrap().is_some())
    };
    assert_eq!(of(&["it::container::registered"]), (true, true));
    assert_eq!(of(&["it::container::registered::inner"]), (false, true));
    assert_eq!(of(&["it::container::registered::inn", "it::container::regis"]), (false, false));
    assert_eq!(of(&[]), (false, false));

    struct Loud;
    impl Greeting for Loud {
        fn text(&self) -> &'static str {
            "HELLO"
        }
    }
    let options = here().configure_services(|services| {
        services.add(di::singleton_factory::<dyn Greeting, _>(|_| Arc::new(Loud)));
        Ok(())
    });
    let scope = provider(&context(), options).create_scope();
    // The last registration is what is resolved; all of them are there.
    assert_eq!(scope.resolve::<Arc<dyn Greeting>>().unwrap().text(), "HELLO");
    let all = scope.resolve::<Vec<Arc<dyn Greeting>>>().unwrap();
    assert_eq!(all.iter().map(|greeting| greeting.text()).collect::<Vec<_>>(), ["hello", "HELLO"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_scoped_service_is_made_once_whoever_asks() {
    let provider = provider(&context(), here());
    for _ in 0..50 {
        let scope = provider.create_scope();
        let ask = || {
            let scope = scope.clone();
            tokio::spawn(async move { scope.resolve::<Arc<dyn Notes>>().unwrap().session().id() })
        };
        let (one, other) = tokio::join!(ask(), ask());
        assert_eq!(one.unwrap(), other.unwrap());
    }
}
