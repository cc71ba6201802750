//! Which row belongs to which parent.

use isogloss::entity::One;
use isogloss::prelude::*;
use isogloss::session::Purpose;

use super::{Badge, Item, Maker, Node, Order, Product, Reading, Spot, Visit, all, catalog, each, engines, put};

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
        let codes = ["ACME", "Acme ", "other", "cafe", "café", "ΑΣ", "ας", "ασ"];
        let mut ids = 11..;
        put(&session, codes.map(|code| product(ids.next().unwrap(), code))).await;
        put(&session, ["cafe", "ασ"].map(|code| Maker { code: code.into(), ..Maker::default() })).await;
        let mut products = all::<Product>(&session).await;
        products.sort_by_key(|product| product.id);
        session.clear_sql_stack();
        session.load(&mut products, Product::maker()).await.unwrap();
        // The table is younger than what is known of collations: one query for each spelling.
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
        for maker in &makers {
            let code = maker.code.clone();
            let query = query!(|p: Product| p.filter(p.maker_code == code).order_by(p.id));
            assert_eq!(maker.products.get().unwrap(), asked.search(query).all().await.unwrap(), "{maker:?}");
        }
    })
    .await;
}

/// All keys are asked for at once where no two texts are alike, by the column's collation or by `text = "exact"`, else each
/// that may be alike by itself.
#[tokio::test]
async fn texts_are_told_apart_as_the_column_does() {
    engines::each_place(async |place| {
        let first = place.context(catalog(), true);
        let session = first.create_session().unwrap();
        let badge = |code: &str| Badge { code: code.into(), maker_code: code.into(), ..Badge::default() };
        put(&session, ["A", "a", "strase", "straße", "á"].map(badge)).await;
        put(&session, ["a", "strase", "𝐚"].map(|code| Maker { code: code.into(), ..Maker::default() })).await;
        let is_loose = place.provider == "mysql";
        if is_loose {
            let alike = "ALTER TABLE rel_makers CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
            session.lease(None, Purpose::Write).await.unwrap().script(alike).await.unwrap();
        }
        first.close();
        let context = place.context(catalog(), false);
        let session = context.create_session().unwrap();
        let mut badges = all::<Badge>(&session).await;
        badges.sort_by(|a, b| a.code.cmp(&b.code));
        session.load(&mut badges, Badge::maker()).await.unwrap();
        assert_eq!(session.sql_stack().len(), if is_loose { 3 } else { 1 });
        let found: Vec<bool> = badges.iter().map(|badge| badge.maker.get().unwrap().is_some()).collect();
        assert_eq!(found, [is_loose, true, true, is_loose, is_loose]);

        // What nobody would take for alike: this collation has one weight for all characters behind the first plane.
        let mut odd = ["😀", "zz"].map(badge);
        session.clear_sql_stack();
        session.load(&mut odd, Badge::maker()).await.unwrap();
        assert_eq!(session.sql_stack().len(), if is_loose { 3 } else { 1 });
        let found = odd.map(|badge| badge.maker.get().unwrap().map(|maker| maker.code.clone()));
        assert_eq!(found, [is_loose.then(|| "𝐚".into()), None]);

        let mut visits = ["a", "A", "a "].map(|code| Visit { badge_code: code.into(), ..Visit::default() });
        session.clear_sql_stack();
        session.load(&mut visits, Visit::badge()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1);
        let found = visits.map(|visit| visit.badge.get().unwrap().map(|badge| badge.code.clone()));
        assert_eq!(found, [Some("a".into()), Some("A".into()), None]);
        context.close();
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
        // SQLite takes 32,766, the others 65,535. The query that takes too many does not run.
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
