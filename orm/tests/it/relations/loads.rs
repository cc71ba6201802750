//! What is loaded, in which order, and by how many statements.

use isogloss::dao::ObjectDao;
use isogloss::driver::TransactionOptions;
use isogloss::entity::NotLoaded;
use isogloss::prelude::*;

use super::{Call, Clerk, Desk, Invoice, Item, Order, OrderView, Product, Tag, all, each, ids, put};

#[tokio::test]
async fn rows_point_back_by_one_statement() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        session.load(&mut orders, Order::items()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1, "{:?}", session.sql_stack());
        let found: Vec<Vec<i32>> = orders.iter().map(|order| ids(&order.items)).collect();
        assert_eq!(found, [vec![1, 2, 3], vec![], vec![4]]);
        assert!(orders[0].items.get().unwrap()[0].order.is_not_loaded());
        let named = session.related(&orders, Order::named()).await.unwrap();
        let names: Vec<_> = named[0].iter().map(|item| item.product_name.as_deref()).collect();
        assert_eq!(names, [Some("product 1"), Some("product 2"), None]);
    })
    .await;
}

#[tokio::test]
async fn one_row_or_none() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        session.load(&mut orders, Order::invoice()).await.unwrap();
        let found = |id| orders.iter().find(|order| order.id == id).unwrap().invoice.get().unwrap().map(|row| row.id);
        assert_eq!((found(1), found(2)), (None, Some(1)));

        // NULL refers to nothing, 9 to no row, and two items to one product.
        let mut items = all::<Item>(&session).await;
        items.sort_by_key(|item| item.id);
        session.load(&mut items, Item::product()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1);
        let products: Vec<_> = items.iter().map(|item| item.product.get().unwrap().map(|row| row.id)).collect();
        assert_eq!(products, [Some(1), Some(2), None, Some(1), None]);
    })
    .await;
}

/// One of several is the first by an order.
#[tokio::test]
async fn the_latest_of_several() {
    each(async |session| {
        put(&session, [3, 2].map(|id| Invoice { id, order_id: 2 })).await;
        session.clear_sql_stack();
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        session.load(&mut orders, Order::invoice().order_by(Invoice::ID.desc())).await.unwrap();
        let latest = orders.iter().map(|order| order.invoice.get().unwrap().map(|invoice| invoice.id));
        assert_eq!(latest.collect::<Vec<_>>(), [None, Some(3), None]);
        assert!(session.sql_stack()[0].contains("ROW_NUMBER()"), "{:?}", session.sql_stack());
    })
    .await;
}

#[tokio::test]
async fn what_is_not_loaded_is_not_empty() {
    each(async |session| {
        let orders = all::<Order>(&session).await;
        let error: NotLoaded = orders[0].items.get().unwrap_err();
        assert!(error.to_string().contains("`Item`"), "{error}");
        let mut none: Vec<Order> = Vec::new();
        session.load(&mut none, Order::items()).await.unwrap();
        let mut nowhere = [super::item(9, None, None, 1)];
        session.load(&mut nowhere, Item::product()).await.unwrap();
        assert_eq!(nowhere[0].product.get(), Ok(None));
        // Without a key there is nothing to ask for.
        assert!(session.sql_stack().is_empty());
    })
    .await;
}

#[tokio::test]
async fn three_levels_are_three_statements() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        let relation = Order::items().then(Item::product().then(Product::maker()));
        session.load(&mut orders, relation).await.unwrap();
        assert_eq!(session.sql_stack().len(), 3, "{:?}", session.sql_stack());
        let maker = |order: usize, item: usize| {
            let product = orders[order].items.get().unwrap()[item].product.get().unwrap().cloned();
            product.and_then(|product| product.maker.get().unwrap().map(|maker| maker.code.clone()))
        };
        assert_eq!([maker(0, 0), maker(0, 1), maker(0, 2)], [Some("acme".to_owned()), None, None]);
        assert_eq!(maker(2, 0).as_deref(), Some("acme"));
    })
    .await;
}

#[tokio::test]
async fn filters_orders_and_limits_are_per_parent() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        let dearest = || Order::items().order_by(Item::PRICE.desc());
        session.load(&mut orders, dearest().take(2)).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1);
        let found = |orders: &[Order]| orders.iter().map(|order| ids(&order.items)).collect::<Vec<_>>();
        assert_eq!(found(&orders), [vec![2, 3], vec![], vec![4]]);
        session.load(&mut orders, dearest().filter(expr!(|i: Item| i.price < 30)).take(1)).await.unwrap();
        assert_eq!(found(&orders), [vec![3], vec![], vec![4]]);
        session
            .load(&mut orders, Order::items().order_by(Item::ID).order_by(Item::PRICE.desc()).take(2))
            .await
            .unwrap();
        assert_eq!(found(&orders), [vec![2, 3], vec![], vec![4]]);
        session.load(&mut orders, dearest().filter(prop("Price").lt(20))).await.unwrap();
        assert_eq!(found(&orders), [vec![1], vec![], vec![4]]);
        session.load(&mut orders, Order::items().filter(None::<LogicExpr>).take(0)).await.unwrap();
        assert_eq!(found(&orders), [[0_i32; 0]; 3]);
    })
    .await;
}

#[tokio::test]
async fn many_to_many_has_each_row_once_however_often_it_is_linked() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        orders.sort_by_key(|order| order.id);
        session.load(&mut orders, Order::tags()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1, "{:?}", session.sql_stack());
        let tags = |order: &Order| order.tags.get().unwrap().iter().map(|tag| tag.id).collect::<Vec<_>>();
        assert_eq!(orders.iter().map(tags).collect::<Vec<_>>(), [vec![1, 2], vec![1], vec![]]);
        session.load(&mut orders, Order::tags().order_by(Tag::ID).take(2)).await.unwrap();
        assert_eq!(orders.iter().map(tags).collect::<Vec<_>>(), [vec![1, 2], vec![1], vec![]]);
        session.load(&mut orders, Order::tags().order_by(Tag::ID.desc()).take(1)).await.unwrap();
        assert_eq!(orders.iter().map(tags).collect::<Vec<_>>(), [vec![2], vec![1], vec![]]);
        session.load(&mut orders, Order::tags().filter(expr!(|t: Tag| t.id > 1)).then(Tag::orders())).await.unwrap();
        let back = &orders[0].tags.get().unwrap()[0];
        assert_eq!(back.orders.get().unwrap().iter().map(|order| order.id).collect::<Vec<_>>(), [1]);
    })
    .await;
}

#[tokio::test]
async fn a_view_has_the_relations_of_its_entity() {
    each(async |session| {
        let mut orders = all::<OrderView>(&session).await;
        session.load(&mut orders, Order::items()).await.unwrap();
        let first = orders.iter().find(|order| order.id == 1).unwrap();
        assert_eq!(ids(&first.items), [1, 2, 3]);
    })
    .await;
}

#[tokio::test]
async fn parents_of_one_key_all_get_its_rows() {
    each(async |session| {
        let one = all::<Order>(&session).await.into_iter().find(|order| order.id == 1).unwrap();
        let mut orders = [one.clone(), one.clone(), one];
        session.load(&mut orders, Order::items()).await.unwrap();
        assert!(orders.iter().all(|order| ids(&order.items) == [1, 2, 3]));
        assert_eq!(session.sql_stack().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn it_runs_in_the_transaction() {
    each(async |session| {
        let mut orders = all::<Order>(&session).await;
        session.begin(&TransactionOptions::default()).await.unwrap();
        put(&session, [super::item(20, Some(2), None, 1)]).await;
        session.load(&mut orders, Order::items()).await.unwrap();
        session.rollback().await.unwrap();
        assert_eq!(ids(&orders.iter().find(|order| order.id == 2).unwrap().items), [20]);
        session.load(&mut orders, Order::items()).await.unwrap();
        assert!(ids(&orders.iter().find(|order| order.id == 2).unwrap().items).is_empty());
    })
    .await;
}

/// The rows, or those between, are in the table of one year.
#[tokio::test]
async fn shards_of_the_rows_and_of_those_between() {
    each(async |session| {
        put(&session, [1, 2].map(|id| Clerk { id, ..Clerk::default() })).await;
        put(&session, [1, 2].map(|id| Desk { id, ..Desk::default() })).await;
        for (year, desk_id) in [("2023", 1), ("2024", 2)] {
            let mut calls = [7, 8].map(|id| Call { id, clerk_id: 1, desk_id });
            ObjectDao::<Call>::new(&session).with_args([year]).batch_insert(&mut calls).await.unwrap();
        }
        let mut clerks = all::<Clerk>(&session).await;
        clerks.sort_by_key(|clerk| clerk.id);
        session.load(&mut clerks, Clerk::calls().with_args(["2024"])).await.unwrap();
        let calls = |clerk: &Clerk| clerk.calls.get().unwrap().iter().map(|call| (call.id, call.desk_id)).collect();
        assert_eq!(clerks.iter().map(calls).collect::<Vec<Vec<_>>>(), [vec![(7, 2), (8, 2)], vec![]]);
        let desks = session.related(&clerks, Clerk::desks().with_args(["2023"])).await.unwrap();
        let desks: Vec<Vec<_>> = desks.iter().map(|desks| desks.iter().map(|desk| desk.id).collect()).collect();
        // Two calls are between, and the desk is one.
        assert_eq!(desks, [vec![1], vec![]]);
        let missing = session.load(&mut clerks, Clerk::calls()).await.unwrap_err().to_string();
        assert!(missing.contains("Call"), "{missing}");
    })
    .await;
}
