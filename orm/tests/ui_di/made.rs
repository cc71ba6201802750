use isogloss::container::{AddOrm, FromServices, ServiceCollection, auto_register, service_factory};
use isogloss::prelude::*;
use isogloss::service::FromSession;

trait Greeting: Send + Sync {}
trait OneThread {}

#[auto_register(interfaces(dyn Greeting))]
#[derive(FromSession)]
struct NotImplemented(Session);

#[auto_register(interfaces(dyn OneThread))]
#[derive(FromSession)]
struct NotForThreads(Session);

impl OneThread for NotForThreads {}

#[auto_register]
struct NotMade(Session);

#[auto_register]
#[derive(FromServices)]
struct OfWhat {
    session: Session,
    count: u32,
}

#[service_factory]
trait NotClone {
    fn plain(&self) -> Plain;
}

struct Plain;

fn added(services: &mut ServiceCollection) -> OrmResult<()> {
    services.add_service_factory::<Plain>()?;
    Ok(())
}

fn main() {}
