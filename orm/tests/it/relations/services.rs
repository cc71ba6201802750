//! Related rows by the service of their entity.

use std::sync::Arc;

use isogloss::dao::RelatedQuery;
use isogloss::driver::Row;
use isogloss::expr::Value;
use isogloss::service::{DynamicService, ReadAny};

use super::each;

/// Reads a number and a text.
fn read() -> ReadAny {
    Arc::new(|row: &dyn Row| Ok(Box::new((row.i64(0)?, row.text(1)?.map(str::to_owned)))))
}

fn keys(keys: &[Option<i64>]) -> Vec<Vec<Value>> {
    keys.iter().map(|key| vec![key.map_or(Value::Null, Value::from)]).collect()
}

#[tokio::test]
async fn rows_are_read_as_a_view_and_belong_to_their_parents() {
    each(async |session| {
        let items = DynamicService::new(&session, "Item", "ItemView").unwrap();
        let query = RelatedQuery::new(&session, "OrderView", "items", "ItemView", ["Id", "ProductName"]).unwrap();
        let names: Vec<_> = query.keys().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["Id"]);
        let asked = keys(&[Some(3), None, Some(1), Some(3), Some(2)]);
        let found = query.find(&items, asked.clone(), read()).await.unwrap();
        assert_eq!(session.sql_stack().len(), 1, "{:?}", session.sql_stack());
        let row = |place: &usize| found.rows[*place].downcast_ref::<(Option<i64>, Option<String>)>().unwrap().clone();
        let of = |parent: usize| found.of(parent).iter().map(row).collect::<Vec<_>>();
        let item = |id: i64, product: Option<i32>| (Some(id), product.map(|product| format!("product {product}")));
        assert_eq!(of(0), [item(4, Some(1))]);
        assert_eq!((of(1), of(3), of(4)), (vec![], of(0), vec![]));
        assert_eq!(of(2), [item(1, Some(1)), item(2, Some(2)), item(3, None)]);
        assert!(found.of(5).is_empty());

        let few = query.at_most(2).find(&items, asked, read()).await.unwrap();
        assert_eq!(few.rows.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn names_that_are_not_there_are_errors() {
    each(async |session| {
        for (owner, relation, view, told) in [
            ("Ordr", "items", "Item", "`Ordr`"),
            ("Order", "itms", "Item", "`Order` has no relation `itms` in the catalog"),
            ("Order", "items", "Itm", "`Itm`"),
        ] {
            let error = RelatedQuery::new(&session, owner, relation, view, ["Id"]).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        let items = DynamicService::new(&session, "Item", "Item").unwrap();
        let query = RelatedQuery::new(&session, "Order", "items", "Item", ["Nope"]).unwrap();
        let error = query.find(&items, keys(&[Some(1)]), read()).await.unwrap_err().to_string();
        assert!(error.contains("Nope"), "{error}");
    })
    .await;
}

/// The service says who may read, whether or not there is anything to be read.
#[tokio::test]
async fn a_service_is_asked_without_keys() {
    each(async |session| {
        for (owner, relation, of, width) in
            [("Order", "items", "Item", 1), ("Node", "Upper", "Node", 2), ("Order", "tags", "Tag", 1)]
        {
            session.clear_sql_stack();
            let service = DynamicService::new(&session, of, of).unwrap();
            let query = RelatedQuery::new(&session, owner, relation, of, ["Id"]).unwrap();
            for asked in [vec![], vec![vec![Value::Null; width]]] {
                let found = query.find(&service, asked, Arc::new(|_: &dyn Row| Ok(Box::new(())))).await.unwrap();
                assert!(found.rows.is_empty() && found.of(0).is_empty());
            }
            assert_eq!(session.sql_stack().len(), 2, "{relation}: {:?}", session.sql_stack());
        }
    })
    .await;
}

#[tokio::test]
async fn queries_are_bounded() {
    each(async |session| {
        let service = DynamicService::new(&session, "Item", "Item").unwrap();
        let query = RelatedQuery::new(&session, "Order", "items", "Item", ["Id"]).unwrap();
        let read = || -> ReadAny { Arc::new(|_: &dyn Row| Ok(Box::new(()))) };
        let error = query.clone().at_most_queries(0).find(&service, keys(&[Some(1)]), read()).await.unwrap_err();
        let told = "relation `Items` needs more than 0 queries: ask for the rows of fewer parents, or let the columns of its \
                    key tell texts apart";
        assert_eq!(error.to_string(), told);
        assert!(query.at_most_queries(1).find(&service, keys(&[Some(1)]), read()).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn rows_are_not_read_as_a_view_of_another_entity() {
    each(async |session| {
        let error = RelatedQuery::new(&session, "Order", "items", "Product", ["Id"]).unwrap_err();
        let told = "`Order.Items` finds rows of `Item`: they are not read as `Product`, which is no view of it";
        assert_eq!(error.to_string(), told);
    })
    .await;
}
