use isogloss::container::{FromServices, auto_register};
use isogloss::prelude::*;
use isogloss::service::FromSession;

trait Greeting: Send + Sync {}

#[auto_register(lifetime = request)]
#[derive(FromSession)]
struct Lifetime(Session);

#[auto_register(policy = both)]
#[derive(FromSession)]
struct Policy(Session);

#[auto_register(policy = interface)]
#[derive(FromSession)]
struct NoInterface(Session);

#[auto_register(policy = self, interfaces(dyn Greeting))]
#[derive(FromSession)]
struct NoneWanted(Session);

#[auto_register(interfaces(Greeting))]
#[derive(FromSession)]
struct NotDyn(Session);

#[auto_register(lifetme = scoped)]
#[derive(FromSession)]
struct Misspelt(Session);

#[auto_register]
#[derive(FromServices)]
struct Generic<E: Entity> {
    dao: ObjectViewDao<E>,
}

#[auto_register]
fn misplaced() {}

#[derive(FromServices)]
enum NoStruct {}

#[derive(FromServices)]
struct Borrows<'a> {
    text: &'a str,
}

fn main() {}
