//! One accessor for each service.

use std::sync::Arc;

use isogloss::container::{
    AddOrm as _, FromServices, Resolve as _, ServiceCollection, ServiceFactory, ServiceLifetime, ServiceProvider,
    service_factory,
};
use isogloss::prelude::*;

use crate::container::{Note, alone, context};

#[derive(FromServices)]
pub struct Archive {
    session: Session,
}

/// The services as a struct.
#[derive(ServiceFactory)]
pub struct Services {
    /// The archive.
    archive: Arc<Archive>,
    notes: ObjectDao<Note>,
}

/// The services as a trait, of which a test may have a double.
#[service_factory]
pub trait Needed {
    /// The archive.
    fn archive(&self) -> Arc<Archive>;
    fn notes(&self) -> ObjectViewDao<Note>;
    fn session(&self) -> &Session;
}

/// Another one beside it.
#[service_factory]
trait Others {
    fn session(&self) -> Session;
}

/// A service that is made of a factory.
#[derive(FromServices)]
struct Reader {
    services: Arc<dyn Needed>,
}

fn scope(add: impl FnOnce(&mut ServiceCollection) -> OrmResult<()>) -> OrmResult<ServiceProvider> {
    let mut services = ServiceCollection::new();
    services.add_orm_with(&context(), alone())?;
    services.add_service::<Archive>(ServiceLifetime::Scoped)?;
    add(&mut services)?;
    Ok(services.build_provider()?.create_scope())
}

#[tokio::test]
async fn g08_a_struct_gives_each_service_by_an_accessor() {
    let scope = scope(|services| services.add_service_factory::<Services>().map(drop)).unwrap();
    let services = scope.resolve::<Arc<Services>>().unwrap();
    assert!(Arc::ptr_eq(services.archive(), &scope.resolve().unwrap()));
    assert!(services.archive().session.is(&scope.resolve().unwrap()));
    services.notes().insert(&mut Note::of("a")).await.unwrap();
    // One a scope; and made of it without being registered.
    assert!(Arc::ptr_eq(&services, &scope.resolve().unwrap()));
    assert!(Arc::ptr_eq(scope.resolve::<Services>().unwrap().archive(), services.archive()));
}

#[tokio::test]
async fn g08_a_trait_gives_each_service_by_a_method() {
    let scope = scope(|services| {
        services.add_service_factory::<dyn Needed>()?.add_service_factory::<dyn Others>()?;
        services.add_service::<Reader>(ServiceLifetime::Scoped).map(drop)
    })
    .unwrap();
    let reader = scope.resolve::<Arc<Reader>>().unwrap();
    let needed = &reader.services;
    assert!(needed.archive().session.is(needed.session()));
    assert!(scope.resolve::<Arc<dyn Others>>().unwrap().session().is(needed.session()));
    assert_eq!(needed.notes().count(()).await.unwrap(), 0);
}

#[test]
fn g08_a_factory_of_a_service_that_is_missing_is_refused() {
    let mut services = ServiceCollection::new();
    services.add_orm_with(&context(), alone()).unwrap();
    services.add_service_factory::<dyn Needed>().unwrap();
    let text = services.build_provider().err().unwrap().to_string();
    assert!(text.contains("NeededOfScope' requires dependent service 'it::container::factories::Archive'"), "{text}");
    let early = ServiceCollection::new().add_service_factory::<Services>().err().unwrap();
    assert_eq!(early.to_string(), "there is no context among these services: call `add_orm` first");
}
