//! What keeps a program from starting, and how it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use isogloss::container::{
    AddOrm as _, ContainerError, FromServices, OrmServices, Resolve as _, ServiceCollection, ServiceLifetime,
    ServiceProvider, auto_register, di,
};
use isogloss::driver::ErrorKind;
use isogloss::prelude::*;
use isogloss::service::{FromSession, ServiceError};
use isogloss::session::SessionError;

use crate::container::{alone, context};

/// It cannot be made in this program.
#[auto_register]
pub struct Broken;

impl FromSession for Broken {
    fn from_session(_: &Session) -> OrmResult<Self> {
        Err(SessionError::NoCurrent.into())
    }
}

#[derive(FromServices)]
struct AroundBroken {
    _broken: Broken,
}

/// It can be made once only.
struct Once;

impl FromSession for Once {
    fn from_session(_: &Session) -> OrmResult<Self> {
        static MADE: AtomicBool = AtomicBool::new(false);
        if MADE.swap(true, Ordering::Relaxed) { Err(SessionError::NoCurrent.into()) } else { Ok(Self) }
    }
}

/// Held for longer than what it holds.
#[derive(FromServices)]
struct Keeps {
    _session: Session,
}

#[derive(FromServices)]
struct KeepsByAnother {
    _other: Arc<Transient>,
}

#[derive(FromServices)]
struct Transient {
    _session: Session,
}

#[derive(FromServices)]
struct Egg {
    _hen: Arc<Hen>,
}

#[derive(FromServices)]
struct Hen {
    _egg: Arc<Egg>,
}

fn built(add: impl FnOnce(&mut ServiceCollection) -> OrmResult<()>) -> OrmResult<ServiceProvider> {
    let mut services = ServiceCollection::new();
    services.add_orm_with(&context(), alone())?;
    add(&mut services)?;
    Ok(services.build_provider()?)
}

fn refusal<T>(done: OrmResult<T>) -> String {
    let error = done.err().unwrap();
    assert_eq!(error.kind(), Some(ErrorKind::Configuration));
    error.to_string()
}

#[test]
fn g05_a_service_that_cannot_be_made_is_named() {
    let here = OrmServices::new().only_modules([module_path!()]);
    let error = ServiceCollection::new().add_orm_with(&context(), here).map(drop).unwrap_err();
    let OrmError::Service(service) = &error else { panic!("{error:?}") };
    assert!(
        matches!(
            &**service,
            ServiceError::Container(ContainerError::Service { service: "it::container::refused::Broken", .. })
        ),
        "{error:?}"
    );
    assert!(std::error::Error::source(&error).is_some());
    let text = refusal(built(|services| services.add_service::<AroundBroken>(ServiceLifetime::Scoped).map(drop)));
    assert!(
        text.starts_with("service `it::container::refused::AroundBroken` cannot be registered: there is no current"),
        "{text}"
    );
}

#[test]
fn g07_every_service_that_is_linked_is_registered_in_the_order_of_their_paths() {
    let text = refusal(ServiceCollection::new().add_orm(&context()).map(drop));
    assert!(text.starts_with("service `it::container::modes::declared::BookingInNotes`"), "{text}");
}

#[test]
fn g05_a_callback_that_fails_is_named_with_its_reason() {
    let options = alone().configure_services(|_| Err("no licence for the mailer".into()));
    let text = refusal(ServiceCollection::new().add_orm_with(&context(), options).map(drop));
    assert_eq!(text, "`configure_services` has failed: no licence for the mailer");
}

#[test]
fn g05_a_context_without_sources_is_told_when_it_is_added() {
    let context = OrmContext::new(Catalog::builder().build().unwrap());
    let text = refusal(ServiceCollection::new().add_orm_with(&context, OrmServices::new()).map(drop));
    assert!(text.starts_with("the configuration has no data source"), "{text}");
}

#[test]
fn a_singleton_holds_nothing_of_a_scope() {
    let text = refusal(built(|services| services.add_service::<Keeps>(ServiceLifetime::Singleton).map(drop)));
    assert!(
        text.starts_with(
            "the services do not fit together: The service 'it::container::refused::Keeps' has a singleton lifetime"
        ),
        "{text}"
    );
    assert!(text.contains("'isogloss::session::Session' has a scoped lifetime"), "{text}");
    let text = refusal(built(|services| {
        services.add_service::<Transient>(ServiceLifetime::Transient)?;
        services.add_service::<KeepsByAnother>(ServiceLifetime::Singleton).map(drop)
    }));
    assert!(text.contains("transitive dependency 'isogloss::session::Session'"), "{text}");
}

#[test]
fn what_is_missing_and_what_leads_back_to_itself_is_told_when_the_provider_is_built() {
    let text = refusal(built(|services| services.add_service::<Egg>(ServiceLifetime::Scoped).map(drop)));
    assert!(
        text.contains("'it::container::refused::Egg' requires dependent service 'it::container::refused::Hen'"),
        "{text}"
    );
    let text = refusal(built(|services| {
        services.add_service::<Egg>(ServiceLifetime::Scoped)?;
        services.add_service::<Hen>(ServiceLifetime::Scoped).map(drop)
    }));
    assert!(text.contains("circular dependency") && text.contains("it::container::refused::Hen"), "{text}");
}

#[test]
#[should_panic(
    expected = "service `it::container::refused::Once` could be made when it was registered, and no longer: there is no current"
)]
fn a_service_that_can_be_made_at_first_only_panics() {
    let scope =
        built(|services| services.add_service::<Once>(ServiceLifetime::Scoped).map(drop)).unwrap().create_scope();
    // By value it is an error.
    assert!(matches!(scope.resolve::<Once>(), Err(OrmError::Session(SessionError::NoCurrent))));
    let _ = scope.resolve::<Arc<Once>>();
}

#[test]
fn one_context_and_before_its_services() {
    let text = refusal(built(|services| services.add_orm(&context()).map(drop)));
    assert_eq!(text, "a context has been added to these services already: call `add_orm` once");
    let text = refusal(ServiceCollection::new().add_service::<Transient>(ServiceLifetime::Scoped).map(drop));
    assert_eq!(text, "there is no context among these services: call `add_orm` first");
    // Of a provider that has none.
    let empty = ServiceCollection::new().build_provider().unwrap();
    assert!(refusal(empty.resolve::<Session>()).contains("no service `isogloss::session::Session` is registered"));
    // A service of another kind is no context.
    let mut services = ServiceCollection::new();
    services.add(di::existing_as_self(7_u8));
    assert!(services.add_orm_with(&context(), alone()).is_ok());
}
