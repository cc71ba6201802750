use isogloss::Session;
use isogloss::dao::ObjectDao;
use isogloss::prelude::*;

#[derive(Debug, Entity)]
struct Order {
    #[column(primary_key)]
    id: i32,
}

#[derive(Debug, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
}

fn rows(session: &Session) {
    let _ = ObjectDao::<OrderView>::new(session);
}

fn main() {}
