use isogloss::container::{ServiceFactory, service_factory};
use isogloss::prelude::*;

#[service_factory]
trait Arguments {
    fn session(&self, id: u64) -> Session;
}

#[service_factory]
trait NotAsync {
    async fn session(&self) -> Session;
}

#[service_factory]
trait Nothing {
    fn session(&self);
}

#[service_factory]
trait Written {
    fn session(&self) -> Session {
        panic!()
    }
}

#[service_factory]
struct NoTrait {
    session: Session,
}

#[derive(ServiceFactory)]
struct Unnamed(Session);

#[derive(ServiceFactory)]
struct Generic<E: Entity> {
    dao: ObjectViewDao<E>,
}

fn main() {}
