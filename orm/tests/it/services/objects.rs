//! Services as trait objects, and doubles of them.

use std::sync::Mutex;

use isogloss::expr::{Expr, Value};
use isogloss::prelude::*;
use isogloss::service::{
    AnyRow, BatchResult, EachRow, EntityOperation, EntityService, EntityServiceOps, EntityViewService,
    EntityViewServiceOps, ReadAny, ServiceQuery, async_trait,
};

use crate::services::{Item, ItemView, Mark, item, mark, plain};

#[tokio::test]
async fn e14_every_method_is_there_by_a_trait_object() {
    plain(async |session: Session| {
        let service = EntityService::<Item, ItemView>::new(&session);
        let items: &dyn EntityServiceOps<Item, ItemView> = &service;
        let mut saw = item("saw", 1);
        assert!(items.insert(&mut saw).await.unwrap() && items.update(&mut saw).await.unwrap());
        assert!(items.update_or_insert(&mut saw).await.unwrap() && items.delete(&saw).await.unwrap());
        let mut all: Vec<Item> = (0..6).map(|n| item(&format!("i{n}"), n)).collect();
        assert_eq!(items.batch_insert(&mut all).await.unwrap().written, 6);
        assert_eq!(items.batch_update(&mut all).await.unwrap().written, 6);
        assert_eq!(items.batch_update_or_insert(&mut all).await.unwrap().written, 6);
        assert_eq!(items.get_object(all[0].id).await.unwrap().unwrap().item, all[0]);
        assert_eq!(items.search(expr!(|i: ItemView| i.price >= 4)).await.unwrap().len(), 2);
        assert_eq!(items.search_one(from("ItemView").order_by(["Price"])).await.unwrap().unwrap().item, all[0]);
        let prices: Vec<i32> = items.search_as(from("ItemView").order_by(["Price"]).select(["Price"])).await.unwrap();
        let one: Option<(String, i32)> =
            items.search_one_as(from("ItemView").order_by(["Price"]).select(["Name", "Price"])).await.unwrap();
        assert_eq!((prices, one), ((0..6).collect(), Some(("i0".to_owned(), 0))));
        let mut sum = 0;
        let add = async |item: ItemView| {
            sum += item.item.price;
            Ok(())
        };
        items.for_each((), add).await.unwrap();
        assert_eq!((sum, items.count(()).await.unwrap()), (15, 6));
        assert!(items.exists(Item::PRICE.eq(5)).await.unwrap() && items.exists_id(all[0].id).await.unwrap());
        assert!(items.delete_id(all[0].id).await.unwrap());
        assert_eq!(items.delete_all(Item::PRICE.eq(1)).await.unwrap(), 1);
        assert!(items.delete_all(None::<LogicExpr>).await.is_err());
        assert_eq!(items.update_all(table("Item").update([("Price", 9)]).all_rows()).await.unwrap(), 4);
        assert_eq!(items.batch_delete(&all[2..3]).await.unwrap().written, 1);
        assert_eq!(items.batch_delete_id([all[3].id]).await.unwrap().written, 1);
        assert_eq!(items.batch(&mut [EntityOperation::delete(all[4].clone())]).await.unwrap().written, 1);
        assert_eq!(items.delete_all_rows().await.unwrap(), 1);

        let marks: Box<dyn EntityServiceOps<Mark>> = Box::new(EntityService::<Mark>::new(&session));
        marks.insert(&mut mark(2024, 1, "a", 1)).await.unwrap();
        assert_eq!(marks.with_args(["2024"]).view().count(()).await.unwrap(), 1);
        let views: Box<dyn EntityViewServiceOps<Mark>> = Box::new(EntityViewService::<Mark>::new(&session));
        assert_eq!(views.with_args(["2025"]).count(()).await.unwrap(), 0);
    })
    .await;
}

/// What a handler would be written against.
async fn dearest(items: &dyn EntityViewServiceOps<Item>) -> OrmResult<Option<Item>> {
    items.search_one(query!(|i: Item| i.filter(i.price > 0).order_by(i.price.desc()))).await
}

/// A double without a database.
#[derive(Default)]
struct Double(Mutex<Vec<Option<Expr>>>);

#[async_trait]
impl EntityViewServiceOps<Item> for Double {
    fn find_each(&self, _: ServiceQuery) -> EachRow<Item> {
        EachRow::new(futures_util::stream::iter([Ok(item("double", 1))]))
    }

    fn find_each_any(&self, _: ServiceQuery, _: ReadAny) -> EachRow<AnyRow> {
        EachRow::new(futures_util::stream::iter([Ok(Box::new(5_i32) as AnyRow)]))
    }

    fn of_shard(&self, _: Vec<String>) -> Box<dyn EntityViewServiceOps<Item>> {
        Box::new(Self::default())
    }

    async fn get_key(&self, _: Vec<Value>) -> OrmResult<Option<Item>> {
        Ok(None)
    }

    async fn find_one(&self, query: ServiceQuery) -> OrmResult<Option<Item>> {
        self.0.lock().unwrap().push(query.expr().cloned());
        Ok(Some(item("double", 1)))
    }

    async fn find(&self, _: ServiceQuery) -> OrmResult<Vec<Item>> {
        Ok(Vec::new())
    }

    async fn find_any(&self, _: ServiceQuery, _: ReadAny) -> OrmResult<Vec<AnyRow>> {
        Ok(vec![Box::new(5_i32)])
    }

    async fn find_one_any(&self, _: ServiceQuery, _: ReadAny) -> OrmResult<Option<AnyRow>> {
        Ok(None)
    }

    async fn has_key(&self, _: Vec<Value>) -> OrmResult<bool> {
        Ok(false)
    }

    async fn has(&self, _: ServiceQuery) -> OrmResult<bool> {
        Ok(false)
    }

    async fn number_of(&self, _: ServiceQuery) -> OrmResult<u64> {
        Ok(1)
    }
}

#[tokio::test]
async fn e14_a_test_gives_a_double() {
    let double = Double::default();
    assert_eq!(dearest(&double).await.unwrap().unwrap().name, "double");
    let asked = double.0.lock().unwrap().pop().unwrap().unwrap();
    assert!(format!("{asked:?}").contains("Price"), "{asked:?}");
    let items: &dyn EntityViewServiceOps<Item> = &double;
    assert_eq!(items.search_as::<i32>(()).await.unwrap(), [5]);
    let other = items.search_as::<String>(()).await.unwrap_err();
    assert!(other.to_string().contains("a row was not read as `alloc::string::String`"), "{other}");
    let written = BatchResult::default();
    assert_eq!((written.written, written.cancelled.len()), (0, 0));
}
