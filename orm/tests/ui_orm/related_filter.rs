use isogloss::entity::Many;
use isogloss::prelude::*;

#[derive(Clone, Entity)]
struct Order {
    #[column(primary_key)]
    id: i32,
    #[has_many]
    items: Many<Item>,
}

#[derive(Clone, Entity)]
struct Item {
    #[column(primary_key)]
    id: i32,
    #[foreign(Order)]
    order_id: i32,
}

fn filtered() {
    let _ = Order::items().filter(Order::ID.gt(1));
}

fn main() {}
