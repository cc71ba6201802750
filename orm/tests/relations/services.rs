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
