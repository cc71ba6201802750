//! Which row belongs to which parent.

use isogloss::entity::One;
use isogloss::prelude::*;

use super::{Item, Maker, Node, Order, Product, Reading, Spot, all, each, put};

fn node(region: i32, id: i32, up: Option<i32>) -> Node {
    Node { region, id, up, ..Node::default() }
}

#[tokio::test]
async fn a_tree_by_two_columns() {
    each(async |session| {
        let nodes =
            [node(1, 1, None), node(1, 2, Some(1)), node(1, 3, Some(1)), node(2, 2, Some(1)), node(2, 3, Some(2))];
        put(&session, nodes).await;
        let mut nodes = all::<Node>(&session).await;
        nodes.sort_by_key(|node| (node.region, node.id));
        session.load(&mut nodes, Node::lower()).await.unwrap();
        session.load(&mut nodes, Node::upper()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 2);
        let key = |node: &Node| (node.region, node.id);
        let lower: Vec<Vec<_>> = nodes.iter().map(|node| node.lower.get().unwrap().iter().map(key).collect()).collect();
        assert_eq!(lower, [vec![(1, 2), (1, 3)], vec![], vec![], vec![(2, 3)], vec![]]);
        let upper: Vec<_> = nodes.iter().map(|node| node.upper.get().unwrap().map(key)).collect();
        assert_eq!(upper, [None, Some((1, 1)), Some((1, 1)), None, Some((2, 2))]);
    })
    .await;
}

/// What the database takes for one is found for each of the keys, and what it tells apart for one only.
#[tokio::test]
async fn texts_are_alike_where_the_database_says_so() {
    each(async |session| {
        let product = |id, code: &str| Product { id, maker_code: Some(code.into()), ..Product::default() };
        put(&session, [product(11, "ACME"), product(12, "Acme "), product(13, "other")]).await;
        let mut products = all::<Product>(&session).await;
        products.sort_by_key(|product| product.id);
        session.load(&mut products, Product::maker()).await.unwrap();
        // One for those that no collation takes for one, and one for each spelling more.
        assert_eq!(session.sql_stack().len(), 3);
        let makers = isogloss::dao::ObjectViewDao::<Maker>::new(&session);
        for product in &products {
            let Some(code) = product.maker_code.clone() else { continue };
            let same = makers.search(expr!(|m: Maker| m.code == code)).first().await.unwrap();
            assert_eq!(product.maker, One::from(same), "{product:?}");
        }
        assert_eq!(products[0].maker.get().unwrap().map(|maker| maker.code.as_str()), Some("acme"));

        let mut makers = all::<Maker>(&session).await;
        session.load(&mut makers, Maker::products()).await.unwrap();
        let asked = isogloss::dao::ObjectViewDao::<Product>::new(&session);
        let query = query!(|p: Product| p.filter(p.maker_code == "acme").order_by(p.id));
        assert_eq!(makers[0].products.get().unwrap(), asked.search(query).all().await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn any_number_of_keys() {
    each(async |session| {
        // One parameter holds them all.
        let mut orders: Vec<Order> = (0..70_000).map(|id| Order { id, ..Order::default() }).collect();
        session.load(&mut orders, Order::items()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1);
        assert_eq!(super::ids(&orders[1].items), [1, 2, 3]);
        assert_eq!(super::ids(&orders[3].items), [4]);
        let loaded: usize = orders.iter().map(|order| order.items.get().unwrap().len()).sum();
        assert_eq!(loaded, 4);

        // Keys of two columns are asked for by the thousand.
        put(&session, [node(1, 2, Some(1))]).await;
        session.clear_sql_stack();
        let mut nodes: Vec<Node> = (0..2_500).map(|id| node(1, 1, Some(id))).collect();
        session.load(&mut nodes, Node::upper()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 3);
        let found: Vec<_> = nodes.iter().filter_map(|node| node.upper.get().unwrap()).map(|node| node.id).collect();
        assert_eq!(found, [2]);
    })
    .await;
}

/// A query that needs more parameters than the engine takes is split.
#[tokio::test]
async fn more_keys_than_parameters() {
    each(async |session| {
        put(&session, [1, 2, 3].map(|id| Reading { id, height: f64::from(id / 3) * 65_000.5 })).await;
        session.clear_sql_stack();
        let spot = |number: u32| Spot { height: f64::from(number) + 0.5, ..Spot::default() };
        let mut spots: Vec<Spot> = (0..66_000).map(spot).collect();
        spots.push(Spot::default());
        session.load(&mut spots, Spot::readings()).await.unwrap();
        // SQLite takes 32,766, the others 65,535.
        assert!([2, 4].contains(&session.sql_stack().len()), "{}", session.sql_stack().len());
        let found = |place: usize| spots[place].readings.get().unwrap().iter().map(|row| row.id).collect::<Vec<_>>();
        assert_eq!((found(65_000), found(66_000)), (vec![3], vec![1, 2]));
        assert_eq!(spots.iter().map(|spot| spot.readings.get().unwrap().len()).sum::<usize>(), 3);
    })
    .await;
}

/// A key that the column cannot hold is told, as in any search.
#[tokio::test]
async fn a_key_that_does_not_fit() {
    each(async |session| {
        let mut orders = [Order { id: i64::MAX, ..Order::default() }];
        let error = session.load(&mut orders, Order::items()).await.unwrap_err().to_string();
        assert!(error.contains("`Order.Items`") && error.contains("OrderId"), "{error}");
        let mut items = all::<Item>(&session).await;
        session.load(&mut items, Item::order()).await.unwrap();
        let order =
            |id: i32| items.iter().find(|item| item.id == id).unwrap().order.get().unwrap().map(|order| order.id);
        assert_eq!((order(1), order(4), order(5)), (Some(1), Some(3), None));
    })
    .await;
}
