//! What writes.

use std::ops::Deref;

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::update;
use isogloss::prelude::*;
use isogloss::service::{BatchResult, EntityOperation, EntityService, EntityServiceOps, OpDef};

use crate::services::tape::{Log, Tape};
use crate::services::{Doc, Item, ItemView, Mark, Sort, each, item, mark, plain};
use crate::support::stop::Stop;

fn written(written: u64) -> BatchResult {
    BatchResult { written, cancelled: Vec::new() }
}

/// Runs a test with and without subscribers: what is written is the same.
async fn both<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    plain(&test).await;
    let heard = || {
        Orm::builder()
            .entity_events::<Item, _>(|_| Ok(Tape::new("", &Log::default())))
            .entity_events::<Sort, _>(|_| Ok(Tape::new("", &Log::default())))
            .entity_events::<Doc, _>(|_| Ok(Tape::new("", &Log::default())))
            .entity_events::<Mark, _>(|_| Ok(Tape::new("", &Log::default())))
    };
    each(heard, async |context: OrmContext| test(context.create_session().unwrap()).await).await;
}

#[tokio::test]
async fn e01_one_object_writes_an_entity_and_reads_its_view() {
    both(async |session: Session| {
        EntityService::<Sort>::new(&session)
            .insert(&mut Sort { id: 1, name: "tools".into(), open: true })
            .await
            .unwrap();
        let items = EntityService::<Item, ItemView>::new(&session);
        let mut saw = Item { sort_id: Some(1), ..item("saw", 5) };
        assert!(items.insert(&mut saw).await.unwrap());
        let found = items.get_object(saw.id).await.unwrap().unwrap();
        assert_eq!(found, ItemView { item: saw, sort_name: Some("tools".into()) });
    })
    .await;
}

#[tokio::test]
async fn e02_e03_single_rows() {
    both(async |session: Session| {
        let docs = EntityService::<Doc>::new(&session);
        let mut doc = Doc { id: 1, text: "a".into(), version: 0 };
        assert!(docs.insert(&mut doc).await.unwrap() && doc.version == 1);
        assert!(docs.insert(&mut doc.clone()).await.unwrap_err().is_unique_violation());
        let mut stale = doc.clone();
        doc.text = "b".into();
        assert!(docs.update(&mut doc).await.unwrap() && doc.version == 2);
        assert!(!docs.update(&mut stale).await.unwrap());
        // Inserted, updated, and failed by its version.
        assert!(docs.update_or_insert(&mut Doc { id: 2, text: "c".into(), version: 0 }).await.unwrap());
        assert!(docs.update_or_insert(&mut doc).await.unwrap());
        assert!(!docs.update_or_insert(&mut stale).await.unwrap());
        assert_eq!(docs.get_object(1).await.unwrap().unwrap(), doc);
        assert!(docs.delete(&doc).await.unwrap() && !docs.delete(&doc).await.unwrap());
        assert_eq!(docs.count(()).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn e04_delete_id_takes_keys_of_any_width() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let mut saw = item("saw", 5);
        items.insert(&mut saw).await.unwrap();
        assert!(items.delete_id(saw.id).await.unwrap() && !items.delete_id(saw.id).await.unwrap());
        let marks = EntityService::<Mark>::new(&session);
        marks.insert(&mut mark(2024, 1, "a", 1)).await.unwrap();
        assert!(marks.clone().with_args(["2024"]).delete_id((1, "a")).await.unwrap());
        let error = marks.with_args(["2024"]).delete_id(1).await.unwrap_err();
        assert!(error.to_string().contains("the key of `Mark` is (Day, Code), 1 values are given"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn e05_delete_all_needs_a_condition() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let mut all: Vec<Item> = (0..5).map(|n| item(&format!("i{n}"), n)).collect();
        items.batch_insert(&mut all).await.unwrap();
        assert_eq!(items.delete_all(expr!(|i: Item| i.price >= 3)).await.unwrap(), 2);
        assert_eq!(items.delete_all(prop("Price").gt(100)).await.unwrap(), 0);
        for nothing in [None, Some(LogicExpr::all([None::<LogicExpr>]))] {
            let error = items.delete_all(nothing).await.unwrap_err();
            assert!(error.to_string().contains("say all_rows()"), "{error}");
        }
        assert_eq!(items.count(()).await.unwrap(), 3);
        assert_eq!(items.delete_all_rows().await.unwrap(), 3);
    })
    .await;
}

#[tokio::test]
async fn e06_update_all_needs_a_condition() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        items.batch_insert(&mut [item("a", 1), item("b", 2), item("c", 3)]).await.unwrap();
        let cheaper = update::<Item>([Item::PRICE.set(0)]).filter(Item::PRICE.ge(2));
        assert_eq!(items.update_all(cheaper).await.unwrap(), 2);
        let error = items.update_all(update::<Item>([Item::PRICE.set(9)])).await.unwrap_err();
        assert!(error.to_string().contains("say all_rows()"), "{error}");
        assert_eq!(items.count(Item::PRICE.eq(0)).await.unwrap(), 2);
        assert_eq!(items.update_all(table("Item").update([("Price", 7)]).all_rows()).await.unwrap(), 3);
        assert!(items.update_all(table("Doc").update([("Text", "x")]).all_rows()).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn e07_a_batch_is_one_transaction() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let mut all: Vec<Item> = (0..40).map(|n| item(&format!("i{n}"), n)).collect();
        assert_eq!(items.batch_insert(&mut all).await.unwrap(), written(40));
        // The last of these violates a key: the others are not written either, and the row is named.
        let mut more = [item("x", 1), item("y", 1), item("i7", 1)];
        let error = items.batch_insert(&mut more).await.unwrap_err();
        assert!(error.is_unique_violation() && error.to_string().starts_with("row 3 of `Item`"), "{error}");
        assert_eq!(items.count(()).await.unwrap(), 40);

        all.iter_mut().for_each(|item| item.price += 100);
        assert_eq!(items.batch_update(&mut all).await.unwrap(), written(40));
        assert_eq!(items.count(Item::PRICE.ge(100)).await.unwrap(), 40);
        let mut some = [all[0].clone(), item("new", 1)];
        some[0].price = 1;
        assert_eq!(items.batch_update_or_insert(&mut some).await.unwrap(), written(2));
        assert_eq!(items.count(Item::PRICE.eq(1)).await.unwrap(), 2);
        assert_eq!(items.batch_delete(&all[..30]).await.unwrap(), written(30));
        assert_eq!(items.batch_delete(&all[25..35]).await.unwrap(), written(5));

        // In a transaction that runs it belongs to that.
        let failed = session.transaction(async |_: &Session| {
            items.batch_delete(&all).await?;
            items.batch_insert(&mut [item("a", 1), item("a", 1)]).await
        });
        assert!(failed.await.unwrap_err().is_unique_violation());
        assert_eq!(items.count(()).await.unwrap(), 6);
    })
    .await;
}

#[tokio::test]
async fn e08_batch_delete_id() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let mut all = [item("a", 1), item("b", 2), item("c", 3)];
        items.batch_insert(&mut all).await.unwrap();
        assert_eq!(items.batch_delete_id([all[0].id, all[2].id, -1]).await.unwrap(), written(2));
        assert_eq!(items.batch_delete_id([0_i64; 0]).await.unwrap(), written(0));
        let marks = EntityService::<Mark>::new(&session).with_args(["2025"]);
        marks.batch_insert(&mut [mark(2024, 1, "a", 1), mark(2024, 2, "b", 2)]).await.unwrap();
        assert_eq!(marks.batch_delete_id([(1, "a"), (2, "x")]).await.unwrap(), written(1));
    })
    .await;
}

#[tokio::test]
async fn e09_a_batch_of_operations_keeps_their_order() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let (mut old, mut kept) = (item("old", 1), item("kept", 1));
        items.insert(&mut old).await.unwrap();
        items.insert(&mut kept).await.unwrap();
        kept.price = 5;
        // The name is free only when the old one is gone: by kinds, the insert would come first.
        let mut operations = [
            EntityOperation::delete(old.clone()),
            EntityOperation::insert(item("old", 2)),
            EntityOperation::insert(item("new", 3)),
            EntityOperation { operation: OpDef::None, entity: item("nothing", 4) },
            EntityOperation::update(kept.clone()),
        ];
        session.clear_sql_stack();
        assert_eq!(items.batch(&mut operations).await.unwrap(), written(4));
        // Two inserts are one statement.
        let inserts = session.sql_stack().iter().filter(|sql| sql.starts_with("INSERT")).count();
        assert_eq!(inserts, 1, "{:?}", session.sql_stack());
        let mut names: Vec<(String, i32)> = items.search_as(from("Item").select(["Name", "Price"])).await.unwrap();
        names.sort();
        assert_eq!(names, [("kept".into(), 5), ("new".into(), 3), ("old".into(), 2)]);
        assert_eq!(operations[1].entity.id, items.search_one(Item::NAME.eq("old")).await.unwrap().unwrap().id);
        assert_eq!((operations[0].entity.id, operations[3].entity.id), (old.id, 0));

        // Whole or not at all; a row that fails is that of the whole.
        let mut operations = [
            EntityOperation::delete(kept.clone()),
            EntityOperation { operation: OpDef::None, entity: item("nothing", 4) },
            EntityOperation::insert(item("x", 2)),
            EntityOperation::insert(item("new", 3)),
        ];
        let error = items.batch(&mut operations).await.unwrap_err();
        assert!(error.is_unique_violation() && error.to_string().starts_with("row 4 of `Item`"), "{error}");
        assert_eq!(operations[2].entity.id, 0);
        assert_eq!(items.count(()).await.unwrap(), 3);
        assert_eq!(items.batch(&mut []).await.unwrap(), written(0));
    })
    .await;
}

#[tokio::test]
async fn e10_arguments_of_tables() {
    both(async |session: Session| {
        let marks = EntityService::<Mark>::new(&session);
        let mut all = [mark(2024, 1, "a", 1), mark(2025, 1, "b", 2), mark(2024, 2, "c", 3), mark(2025, 2, "d", 4)];
        // Each row goes to its own shard, all in one transaction.
        assert_eq!(marks.batch_insert(&mut all).await.unwrap(), written(4));
        let of = |year: &'static str| marks.clone().with_args([year]);
        assert_eq!((of("2024").count(()).await.unwrap(), of("2025").count(()).await.unwrap()), (2, 2));
        // Those of the method win where the row is none's.
        assert_eq!(of("2024").delete_all(prop("Points").ge(3)).await.unwrap(), 1);
        let update = update::<Mark>([Mark::POINTS.set(9)]).filter(Mark::DAY.eq(1));
        assert_eq!(of("2025").update_all(update).await.unwrap(), 1);
        assert_eq!(of("2025").get_object((1, "b")).await.unwrap().unwrap().points, 9);
        assert!(of("2024").delete_id((1, "a")).await.unwrap());
        assert!(!of("2024").delete_id((2, "d")).await.unwrap());
        let mut operations = [
            EntityOperation::insert(mark(2024, 5, "x", 1)),
            EntityOperation::insert(mark(2025, 5, "y", 1)),
            EntityOperation::delete(mark(2025, 2, "d", 4)),
        ];
        assert_eq!(marks.batch(&mut operations).await.unwrap(), written(3));
        assert_eq!((of("2024").count(()).await.unwrap(), of("2025").count(()).await.unwrap()), (1, 2));
    })
    .await;
}

/// A future that is dropped takes back what it has begun: what a token that cancels would do.
#[tokio::test]
async fn e11_a_call_is_given_up_with_its_future() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let stop = Stop::default();
        let waits = session.transaction(async |_: &Session| {
            items.insert(&mut item("a", 1)).await?;
            stop.here::<OrmResult<()>>().await
        });
        stop.is_reached_by(waits).await;
        assert_eq!(items.count(()).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn e12_numbers_come_back_into_the_entities() {
    both(async |session: Session| {
        let items = EntityService::<Item>::new(&session);
        let mut all = [item("a", 1), item("b", 2)];
        items.batch_insert(&mut all).await.unwrap();
        let (mut one, mut either) = (item("c", 3), [item("d", 4)]);
        items.insert(&mut one).await.unwrap();
        items.batch_update_or_insert(&mut either).await.unwrap();
        for item in all.iter().chain([&one]).chain(&either) {
            assert!(item.id > 0);
            assert_eq!(items.get_object(item.id).await.unwrap().as_ref(), Some(item));
        }
        let mut docs = [Doc { id: 1, ..Doc::default() }, Doc { id: 2, ..Doc::default() }];
        let service = EntityService::<Doc>::new(&session);
        service.batch_insert(&mut docs).await.unwrap();
        service.batch_update(&mut docs).await.unwrap();
        assert_eq!(docs.map(|doc| doc.version), [2, 2]);
    })
    .await;
}

#[tokio::test]
async fn e13_fixed_filters_hold() {
    both(async |session: Session| {
        let sorts = EntityService::<Sort>::new(&session);
        let open = Sort { id: 1, name: "a".into(), open: true };
        assert!(sorts.insert(&mut Sort { open: false, ..open.clone() }).await.is_err());
        sorts.insert(&mut open.clone()).await.unwrap();
        // It is closed behind the model's back.
        let mut lease = session.lease(None, isogloss::session::Purpose::Write).await.unwrap();
        let text = if lease.dialect().sheet().name == "postgres" { "open = FALSE" } else { "open = 0" };
        lease.script(&format!("UPDATE sorts SET {text}")).await.unwrap();
        drop(lease);
        assert_eq!((sorts.count(()).await.unwrap(), sorts.exists_id(1).await.unwrap()), (0, false));
        assert_eq!(sorts.get_object(1).await.unwrap(), None);
        assert_eq!(sorts.search(()).await.unwrap(), []);
        assert!(!sorts.update(&mut open.clone()).await.unwrap() && !sorts.delete(&open).await.unwrap());
        assert!(!sorts.update_or_insert(&mut open.clone()).await.unwrap() && !sorts.delete_id(1).await.unwrap());
        assert_eq!(sorts.delete_all_rows().await.unwrap(), 0);
        assert_eq!(sorts.batch_delete(std::slice::from_ref(&open)).await.unwrap(), written(0));
        assert_eq!(sorts.batch_delete_id([1]).await.unwrap(), written(0));
        assert_eq!(sorts.batch(&mut [EntityOperation::update(open)]).await.unwrap(), written(0));
    })
    .await;
}

/// A service of the program's own, and the interface that it is asked for by.
struct ItemService(EntityService<Item, ItemView>);

trait Cheap: Send + Sync {
    fn cheap(&self) -> impl Future<Output = OrmResult<u64>> + Send;
}

impl Deref for ItemService {
    type Target = EntityService<Item, ItemView>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Cheap for ItemService {
    async fn cheap(&self) -> OrmResult<u64> {
        self.count(Item::PRICE.lt(10)).await
    }
}

#[tokio::test]
async fn e14_services_of_the_program_have_one_inside() {
    both(async |session: Session| {
        let items = ItemService(EntityService::new(&session));
        items.batch_insert(&mut [item("a", 1), item("b", 20)]).await.unwrap();
        assert_eq!(items.cheap().await.unwrap(), 1);
        let ops: &dyn EntityServiceOps<Item, ItemView> = &*items;
        assert_eq!(ops.count(()).await.unwrap(), 2);
    })
    .await;
}

/// That `sql!` is not taken is shown where `QueryOf` is documented: it does not compile. What a service does not offer,
/// the objects under it do.
#[tokio::test]
async fn e15_sql_is_for_the_data_access_objects() {
    plain(async |session: Session| {
        EntityService::<Item>::new(&session).insert(&mut item("a", 1)).await.unwrap();
        let text = sql!("SELECT {AllFields} FROM {From}");
        assert_eq!(ObjectViewDao::<Item>::new(&session).search(text).all().await.unwrap().len(), 1);
        assert_eq!(ObjectDao::<Item>::new(&session).delete_all_rows().await.unwrap(), 1);
    })
    .await;
}
