use isogloss::entity::{Many, One};
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
    #[belongs_to]
    order: One<Order>,
}

async fn loads(session: &Session, orders: &mut [Order]) -> OrmResult<()> {
    session.load(orders, Item::order()).await?;
    session.load(orders, Order::items().then(Order::items())).await?;
    session.load(orders, Order::items().filter(Order::ID.gt(1))).await?;
    session.load(orders, Order::items().order_by(Order::ID)).await?;
    let mut items: [Item; 0] = [];
    session.load(&mut items, Item::order().take(1)).await?;
    let _: &[Item] = orders[0].items;
    Ok(())
}

fn main() {}
