//! Relations without `.await`, on a thread of its own.

use isogloss::prelude::*;
use isogloss::service::DynamicObject;
use isogloss::{blocking, entity::NotLoaded};

use super::{Item, Order, all, each, ids};

#[tokio::test]
async fn what_waits_loads_the_same() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        let waiting = blocking::Session::from(session);
        tokio::task::spawn_blocking(move || run(&waiting, &mut orders)).await.unwrap().unwrap();
    })
    .await;
}

fn run(session: &blocking::Session, orders: &mut [Order]) -> OrmResult<()> {
    session.load(orders, Order::items().then(Item::product()))?;
    assert_eq!((ids(&orders[0].items), ids(&orders[1].items)), (vec![1, 2, 3], vec![]));
    let product = orders[0].items.get().and_then(|items| items[0].product.get()).map(|row| row.map(|row| row.id));
    assert_eq!(product, Ok::<_, NotLoaded>(Some(1)));
    let dearest = session.related(orders, Order::items().order_by(Item::PRICE.desc()).take(1))?;
    let dearest: Vec<Vec<i32>> = dearest.iter().map(|items| items.iter().map(|item| item.id).collect()).collect();
    assert_eq!(dearest, [vec![2], vec![], vec![4]]);

    let catalog = session.session().context().catalog();
    let mut order = DynamicObject::new(catalog, catalog.entity("Order").unwrap().0);
    order.set("Id", 1)?;
    session.load_named(std::slice::from_mut(&mut order), "items.product")?;
    assert_eq!(order.related("items").map(<[_]>::len), Some(3));
    let error = session.load_named(std::slice::from_mut(&mut order), "itms").unwrap_err();
    assert!(error.to_string().contains("has no relation `itms`"), "{error}");
    Ok(())
}
