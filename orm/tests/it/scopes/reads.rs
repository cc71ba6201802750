//! What is read: by key, by conditions, over joins and EXISTS.

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::expr::{TableJoinType, exists};
use isogloss::prelude::*;
use isogloss::{Buffers, Request};

use super::{A, B, Customer, Order, OrderView, each_two, ids, last, tenant};

#[tokio::test]
async fn b2_01_a_foreign_key_finds_nothing() {
    each_two(async |two| {
        let (orders, views) = (ObjectDao::<Order>::new(&two.a), ObjectViewDao::<OrderView>::new(&two.a));
        assert_eq!(views.get(1).await.unwrap().unwrap().order.id, 1);
        assert_eq!(views.get(5).await.unwrap(), None);
        assert!(last(&two.a).contains("tenant_id"), "{}", last(&two.a));
        assert!(views.exists_key(1).await.unwrap() && !views.exists_key(5).await.unwrap());
        assert!(last(&two.a).contains("tenant_id"), "{}", last(&two.a));
        assert!(!orders.delete_by_keys(5).await.unwrap());
        assert!(last(&two.a).contains("tenant_id"), "{}", last(&two.a));
        let theirs = two.orders().await.swap_remove(4);
        assert!(!orders.delete(&theirs).await.unwrap());
        assert_eq!(orders.batch_delete(&two.orders().await[4..]).await.unwrap(), 0);
        assert_eq!(orders.batch_delete_by_keys([3, 5, 6]).await.unwrap(), 1);
        assert_eq!(ids(&two.all, ()).await, [1, 2, 4, 5, 6, 7]);
    })
    .await;
}

/// Numbers that look as if nobody had chosen them.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn number(&mut self, most: u64) -> i64 {
        i64::try_from(self.roll(most)).unwrap()
    }

    /// A condition on orders.
    fn tree(&mut self, depth: u32) -> LogicExpr {
        match if depth == 0 { 0 } else { self.roll(6) } {
            0 | 1 => match self.roll(7) {
                0 => prop("Id").gt(self.number(8)),
                1 => prop("Total").le(self.number(80)),
                2 => prop("TenantId").eq(B),
                3 => prop("TenantId").ne(A),
                4 => prop("BuyerId").is_null(),
                5 => prop("PayerId").in_list([self.number(5), self.number(5)]),
                _ => LogicExpr::all(None::<LogicExpr>),
            },
            2 => self.tree(depth - 1) & self.tree(depth - 1),
            3 | 4 => self.tree(depth - 1) | self.tree(depth - 1),
            _ => !self.tree(depth - 1),
        }
    }
}

#[tokio::test]
async fn b2_02_an_or_of_the_caller_widens_nothing() {
    each_two(async |two| {
        let wide = || prop("Total").eq(10) | prop("Total").gt(0) | prop("TenantId").eq(B);
        assert_eq!(ids(&two.a, wide()).await, [1, 2, 3, 4]);
        assert_eq!(ids(&two.b, wide()).await, [5, 6, 7]);
        let mut dice = Dice(14);
        for _ in 0..100 {
            let tree = dice.tree(4);
            let theirs = ids(&two.all, tree.clone() & prop("TenantId").eq(A)).await;
            assert_eq!(ids(&two.a, tree.clone()).await, theirs, "{tree:?}");
            let views = ObjectViewDao::<Order>::new(&two.a);
            assert_eq!(views.count(tree.clone()).await.unwrap(), theirs.len() as u64, "{tree:?}");
            assert_eq!(views.exists(tree.clone()).await.unwrap(), !theirs.is_empty(), "{tree:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn b2_03_a_left_join_keeps_the_row_whose_other_is_hidden() {
    each_two(async |two| {
        let views = ObjectViewDao::<OrderView>::new(&two.a);
        let query = |skip| from("OrderView").order_by(["Id"]).section(skip, 3);
        let mut rows = views.search(query(0)).all().await.unwrap();
        rows.extend(views.search(query(3)).all().await.unwrap());
        let seen: Vec<(i32, Option<&str>, Option<&str>)> =
            rows.iter().map(|row| (row.order.id, row.buyer_name.as_deref(), row.payer_name.as_deref())).collect();
        let (ann, bob) = (Some("Ann"), Some("Bob"));
        assert_eq!(seen, [(1, ann, bob), (2, bob, ann), (3, None, None), (4, None, ann)]);
        assert_eq!(views.count(()).await.unwrap(), 4);
        // What is hidden is NULL, and a filter by it says so.
        assert_eq!(views.count(prop("BuyerName").is_null()).await.unwrap(), 2);
        assert_eq!(views.count(prop("BuyerName").eq("Cid")).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn b2_04_every_alias_of_a_table_has_the_condition_once() {
    each_two(async |two| {
        let customers = |alias: &'static str| from("Customer").aliased(alias);
        let on = |property: &'static str, alias| prop_of("o", property).eq(prop_of(alias, "Id"));
        let inner = from("Order")
            .aliased("o")
            .join(TableJoinType::Inner, customers("c"), on("BuyerId", "c"))
            .select([prop_of("o", "Id").alias("Id")]);
        let found = ObjectViewDao::<Order>::new(&two.a).search_as::<i32>(inner).all().await.unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(last(&two.a).matches("tenant_id").count(), 2, "{}", last(&two.a));

        // Of one total there are orders of both.
        let itself = from("Order")
            .aliased("o")
            .join(TableJoinType::Inner, from("Order").aliased("p"), prop_of("o", "Total").eq(prop_of("p", "Total")))
            .select([prop_of("o", "Id").alias("Id"), prop_of("p", "Id").alias("Other")]);
        let found = ObjectViewDao::<Order>::new(&two.a).search_as::<(i32, i32)>(itself).all().await.unwrap();
        assert_eq!(found.iter().filter(|(id, other)| id == other).count(), 4, "{found:?}");
        assert_eq!(found.len(), 4, "{found:?}");

        // Two ways to one table.
        ObjectViewDao::<OrderView>::new(&two.a).search(()).all().await.unwrap();
        let sql = last(&two.a);
        let conditions = sql.matches("tenant_id").count() - 1;
        assert_eq!(conditions, 3, "beside the column that is selected: {sql}");
        let lease = two.a.lease(None, isogloss::session::Purpose::Read).await.unwrap();
        let (view, scope) = (from("OrderView").select(["BuyerName", "PayerName"]).into_segment(), tenant(A));
        let compiled =
            lease.target().compile_with(&view, &Request::default().scope(&scope), Buffers::default()).unwrap();
        let mut aliases: Vec<&str> = compiled.filters.iter().map(|filter| filter.alias.as_str()).collect();
        aliases.sort_unstable();
        aliases.dedup();
        assert_eq!((aliases.len(), compiled.filters.len()), (3, 3), "{:?}", compiled.filters);
    })
    .await;
}

#[tokio::test]
async fn b2_05_the_condition_is_inside_of_exists() {
    each_two(async |two| {
        // No relation: any customer of that name.
        let any = |name: &str| LogicExpr::from(exists("Customer", prop("Name").eq(name)));
        assert_eq!(ids(&two.a, any("Dan")).await, [] as [i32; 0]);
        assert_eq!(ids(&two.a, !any("Dan")).await, [1, 2, 3, 4]);
        assert_eq!(ids(&two.a, any("Ann")).await, [1, 2, 3, 4]);

        // By either of two relations.
        let related = |name: &str| LogicExpr::from(exists_related("Customer", prop("Name").eq(name)));
        assert_eq!(ids(&two.all, related("Cid")).await, [4, 5, 6]);
        assert_eq!(ids(&two.a, related("Cid")).await, [] as [i32; 0]);
        assert_eq!(ids(&two.a, !related("Cid")).await, [1, 2, 3, 4]);
        assert_eq!(ids(&two.b, related("Cid")).await, [5, 6]);
        assert_eq!(ids(&two.a, related("Ann")).await, [1, 2, 4]);

        // The other way: an order of B's refers to a customer of A's.
        let buys = |total| LogicExpr::from(exists_related("Order", prop("Total").eq(total)));
        let customers = ObjectViewDao::<Customer>::new(&two.a);
        assert_eq!(ObjectViewDao::<Customer>::new(&two.all).count(buys(60)).await.unwrap(), 2);
        assert_eq!(customers.count(buys(60)).await.unwrap(), 0);
        assert_eq!(customers.count(!buys(60)).await.unwrap(), 2);
        assert_eq!(customers.count(buys(10)).await.unwrap(), 2);
    })
    .await;
}
