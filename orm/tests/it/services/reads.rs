//! What reads.

use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::expr::{Expr, aggregate};
use isogloss::prelude::*;
use isogloss::service::{EntityService, EntityViewService};
use isogloss::{OrmContext, OrmError};

use crate::services::tape::{Log, Tape};
use crate::services::{Item, ItemView, Mark, Sort, each, item, mark, plain};

/// Items of which each costs one more than the one before.
async fn filled(session: &Session, count: i32) -> EntityViewService<ItemView> {
    let items = EntityService::<Item, ItemView>::new(session);
    let mut all: Vec<Item> = (0..count).map(|n| item(&format!("i{n:03}"), n)).collect();
    items.batch_insert(&mut all).await.unwrap();
    EntityViewService::new(session)
}

#[tokio::test]
async fn v01_get_object() {
    plain(async |session: Session| {
        let sorts = EntityService::<Sort>::new(&session);
        sorts.insert(&mut Sort { id: 1, name: "tools".into(), open: true }).await.unwrap();
        let mut saw = Item { sort_id: Some(1), ..item("saw", 5) };
        EntityService::<Item>::new(&session).insert(&mut saw).await.unwrap();
        let items = EntityViewService::<ItemView>::new(&session);
        assert_eq!(items.get_object(saw.id).await.unwrap().unwrap().sort_name.as_deref(), Some("tools"));
        assert_eq!(items.get_object(saw.id + 1).await.unwrap(), None);
        let marks = EntityService::<Mark>::new(&session).with_args(["2024"]);
        marks.insert(&mut mark(2024, 1, "a", 5)).await.unwrap();
        assert_eq!(marks.get_object((1, "a")).await.unwrap().unwrap().points, 5);
        assert!(marks.get_object(1).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn v02_search_one_asks_for_one_row() {
    plain(async |session: Session| {
        let items = filled(&session, 5).await;
        let queries: [(Expr, &str); 4] = [
            (prop("Price").ge(2).into(), "i002"),
            (from("ItemView").filter(prop("Price").ge(2)).order_by([prop("Price").desc()]).into(), "i004"),
            (from("ItemView").order_by(["Price"]).section(1, 3).into(), "i001"),
            (from("ItemView").order_by(["Price"]).skip(3).select_all().into_segment().into(), "i003"),
        ];
        for (query, name) in queries {
            session.clear_sql_stack();
            assert_eq!(items.search_one(query).await.unwrap().unwrap().item.name, name);
            let sql = session.sql_stack().pop().unwrap();
            assert!(sql.contains("LIMIT"), "{sql}");
        }
        assert!(items.search_one(()).await.unwrap().is_some());
        assert_eq!(items.search_one(Item::PRICE.gt(100)).await.unwrap(), None);
        assert_eq!(items.search_one(query!(|i: ItemView| i.order_by(i.price.desc()).take(0))).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn v03_search() {
    plain(async |session: Session| {
        let items = filled(&session, 25).await;
        assert_eq!(items.search(()).await.unwrap().len(), 25);
        assert_eq!(items.search(None::<LogicExpr>).await.unwrap().len(), 25);
        assert_eq!(items.search(Some(prop("Price").lt(5))).await.unwrap().len(), 5);
        assert_eq!(items.search(expr!(|i: ItemView| i.price < 5 && i.name != "i000")).await.unwrap().len(), 4);
    })
    .await;
}

#[tokio::test]
async fn v04_search_as() {
    plain(async |session: Session| {
        let items = filled(&session, 5).await;
        let pairs: Vec<(String, i32)> = items
            .search_as(query!(|i: ItemView| i.filter(i.price < 2).order_by(i.price).select((i.name, i.price))))
            .await
            .unwrap();
        assert_eq!(pairs, [("i000".to_owned(), 0), ("i001".to_owned(), 1)]);
        // A single value is of the first column; a struct is read by the names of its fields.
        let most: Option<Option<i32>> =
            items.search_one_as(from("ItemView").select([aggregate("Max", prop("Price"))])).await.unwrap();
        assert_eq!(most, Some(Some(4)));
        #[derive(Debug, PartialEq, FromRow)]
        struct Label {
            cost: i32,
            name: String,
        }
        let query =
            from("ItemView").order_by(["Price"]).select([prop("Name").alias("Name"), prop("Price").alias("Cost")]);
        assert_eq!(
            items.search_one_as::<Label>(query.clone()).await.unwrap(),
            Some(Label { cost: 0, name: "i000".into() })
        );
        session.clear_sql_stack();
        assert_eq!(items.search_as::<Label>(query).await.unwrap().len(), 5);
        assert!(!session.sql_stack().pop().unwrap().contains("LIMIT"));
        assert!(items.search_as::<i32>(from("ItemView").select(["Name"])).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn v05_for_each_streams() {
    plain(async |session: Session| {
        let items = filled(&session, 3000).await;
        let mut sum = 0;
        let add = async |item: ItemView| {
            sum += i64::from(item.item.price);
            tokio::task::yield_now().await;
            Ok(())
        };
        items.for_each(from("ItemView").order_by(["Price"]), add).await.unwrap();
        assert_eq!(sum, 3000 * 2999 / 2);
        // The first error ends it, and leaves the session as it was.
        let mut seen = 0;
        let stops = async |_: ItemView| {
            seen += 1;
            if seen < 10 { Ok(()) } else { Err(isogloss::entity::FieldError::new("enough").into()) }
        };
        assert_eq!(items.for_each((), stops).await.unwrap_err().to_string(), "enough");
        assert_eq!((seen, items.count(()).await.unwrap()), (10, 3000));
    })
    .await;
}

#[tokio::test]
async fn v06_v07_exists_and_count() {
    plain(async |session: Session| {
        let items = filled(&session, 5).await;
        let first = items.search_one(()).await.unwrap().unwrap().item.id;
        assert!(items.exists_id(first).await.unwrap() && !items.exists_id(-1).await.unwrap());
        assert!(items.exists(Item::PRICE.eq(4)).await.unwrap() && !items.exists(Item::PRICE.eq(5)).await.unwrap());
        assert!(items.exists(()).await.unwrap());
        assert_eq!((items.count(()).await.unwrap(), items.count(Item::PRICE.gt(2)).await.unwrap()), (5, 2));
        assert_eq!(items.count(from("ItemView").filter(prop("Price").lt(3))).await.unwrap(), 3);
    })
    .await;
}

#[tokio::test]
async fn v08_the_root_is_the_services_own() {
    plain(async |session: Session| {
        let items = filled(&session, 2).await;
        for other in [from("Sort"), from("Sort").filter(prop("Id").eq(1)), from("Sort").take(1)] {
            let errors = [
                items.search(other.clone()).await.map(drop),
                items.search_one(other.clone()).await.map(drop),
                items.exists(other.clone()).await.map(drop),
                items.count(other).await.map(drop),
            ];
            for (place, error) in errors.into_iter().enumerate() {
                assert!(matches!(error, Err(OrmError::Compile(_) | OrmError::Field(_))), "{place}: {error:?}");
            }
        }
        // Nor is a statement that writes.
        let delete: Expr = table("Item").delete().all_rows().into();
        assert!(items.search(delete.clone()).await.is_err() && items.search_one(delete).await.is_err());
        assert_eq!(items.count(()).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn v09_v10_conditions_and_queries_in_rust() {
    plain(async |session: Session| {
        filled(&session, 6).await;
        let items = EntityService::<Item, ItemView>::new(&session);
        assert_eq!(items.search(expr!(|i: ItemView| i.price > 3)).await.unwrap().len(), 2);
        assert_eq!(items.search_one(expr!(|i: ItemView| i.price > 4)).await.unwrap().unwrap().item.price, 5);
        assert!(items.exists(expr!(|i: ItemView| i.price == 5)).await.unwrap());
        assert_eq!(items.count(expr!(|i: ItemView| i.price == 5)).await.unwrap(), 1);
        assert_eq!(items.search(query!(|i: ItemView| i.filter(i.price > 1).take(2))).await.unwrap().len(), 2);
        let query = query!(|i: ItemView| i.order_by(i.price.desc()));
        assert_eq!(items.search_one(query).await.unwrap().unwrap().item.price, 5);
        let prices: Vec<i32> =
            items.search_as(query!(|i: ItemView| i.order_by(i.price).take(2).select(i.price))).await.unwrap();
        let most: Option<i32> =
            items.search_one_as(query!(|i: ItemView| i.order_by(i.price.desc()).select(i.price))).await.unwrap();
        assert_eq!((prices, most), (vec![0, 1], Some(5)));
        assert_eq!(items.delete_all(expr!(|i: Item| i.price >= 4)).await.unwrap(), 2);
        let update = isogloss::entity::update::<Item>([Item::PRICE.set(9)]);
        assert_eq!(items.update_all(update.filter(expr!(|i: Item| i.price <= 1))).await.unwrap(), 2);
    })
    .await;
}

/// The replica of this test is a database of its own, and empty: what is found tells who was asked.
#[tokio::test]
async fn v11_reads_go_to_a_replica_outside_of_a_transaction() {
    let [main, replica] = ["main", "replica"].map(|name| {
        let file = std::env::temp_dir().join(format!("isogloss_services_{name}_{}.db", std::process::id()));
        format!("{}?create=true", file.display())
    });
    for url in [&replica, &main] {
        let place = crate::support::engines::Place { provider: "sqlite", url: url.clone() };
        crate::services::context(&place, Orm::builder()).await.close();
    }
    let context = Orm::builder().catalog(crate::services::catalog()).build().await.unwrap();
    let source =
        DataSourceConfig::new("main", "sqlite", &main).replica(ReplicaConfig::new().connection_string(&replica));
    context.add_data_source(source).unwrap();
    let session = context.create_session().unwrap();
    let items = EntityService::<Item>::new(&session);
    let mut saw = item("saw", 1);
    items.insert(&mut saw).await.unwrap();
    // The session that has written does not read from where that is not.
    assert_eq!(items.count(()).await.unwrap(), 1);
    let session = context.create_session().unwrap();
    let items = EntityService::<Item>::new(&session);
    let all = async || {
        let found = [items.search(()).await?.len(), items.search_as::<i64>(from("Item").select(["Id"])).await?.len()];
        let one = [items.search_one(()).await?.is_some(), items.get_object(saw.id).await?.is_some()];
        let is = [items.exists(()).await?, items.exists_id(saw.id).await?, items.count(()).await? == 1];
        OrmResult::Ok((found, one, is))
    };
    assert_eq!(all().await.unwrap(), ([0, 0], [false; 2], [false; 3]));
    let inside = session.transaction(async |_: &Session| all().await).await.unwrap();
    assert_eq!(inside, ([1, 1], [true; 2], [true; 3]));
    context.close();
    for url in [main, replica] {
        let file = url.trim_end_matches("?create=true");
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{file}{end}"));
        }
    }
}

/// Who listens to writes changes nothing of reads.
#[tokio::test]
async fn v11_reads_have_no_events() {
    let log = Log::default();
    let told = log.clone();
    let heard = move || {
        let log = told.clone();
        Orm::builder().entity_events::<Item, _>(move |_| Ok(Tape::new("", &log)))
    };
    each(heard, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = filled(&session, 1).await;
        log.take();
        session.clear_sql_stack();
        items.search(()).await.unwrap();
        assert_eq!((session.sql_stack().len(), log.take().len()), (1, 0));
        let with = session.sql_stack();
        session.clear_sql_stack();
        isogloss::dao::ObjectViewDao::<ItemView>::new(&session).search(()).all().await.unwrap();
        assert_eq!(session.sql_stack(), with);
    })
    .await;
}
