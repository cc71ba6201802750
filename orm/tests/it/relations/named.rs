//! Relations by their names, of rows without a struct.

use isogloss::service::DynamicObject;

use super::each;

#[tokio::test]
async fn names_are_loaded_level_by_level() {
    each(async |session| {
        let catalog = session.context().catalog().clone();
        let (id, _) = catalog.entity("Order").unwrap();
        let mut orders: Vec<DynamicObject> = (1..=3)
            .map(|key| {
                let mut order = DynamicObject::new(&catalog, id);
                order.set("Id", key).unwrap();
                order
            })
            .collect();
        session.load_named(&mut orders, "items.product.maker, Invoice, items.order, named").await.unwrap();
        // Items, their products, the makers of those, the orders of items, invoices, and items by their view.
        assert_eq!(session.sql_stack().len(), 6);
        let items = orders[0].related("Items").unwrap();
        let ids: Vec<_> = items.iter().map(|item| item.get("Id").cloned().unwrap()).collect();
        assert_eq!(ids, [1.into(), 2.into(), 3.into()]);
        let product = &items[0].related("product").unwrap()[0];
        assert_eq!(product.related("maker").unwrap()[0].get("Code"), Some(&"acme".into()));
        assert_eq!(items[2].related("Product").map(<[_]>::len), Some(0));
        assert_eq!(items[0].related("order").unwrap()[0].get("Title"), Some(&"order 1".into()));
        assert_eq!(orders[1].related("invoice").map(<[_]>::len), Some(1));
        assert!(orders[1].related("tags").is_none());
        assert_eq!(orders[0].related("named").unwrap()[0].get("ProductName"), Some(&"product 1".into()));

        let wrong = session.load_named(&mut orders, "itms").await.unwrap_err().to_string();
        assert_eq!(wrong, "`Order` has no relation `itms` in the catalog");
        // It is told before anything is asked, also where no row leads to it.
        session.clear_sql_stack();
        let wrong = session.load_named(&mut orders[1..2], "items.prodct").await.unwrap_err().to_string();
        assert_eq!(wrong, "`Item` has no relation `prodct` in the catalog");
        assert!(session.sql_stack().is_empty());
        let mut unset = [DynamicObject::new(&catalog, id)];
        let wrong = session.load_named(&mut unset, "items").await.unwrap_err().to_string();
        assert_eq!(wrong, "`Order.Id` is not set: `Items` goes by it");
        // The second of two cannot be loaded: the row has none of them.
        let mut half = DynamicObject::new(&catalog, catalog.entity("Item").unwrap().0);
        half.set("OrderId", 1).unwrap();
        let wrong =
            session.load_named(std::slice::from_mut(&mut half), "order, product").await.unwrap_err().to_string();
        assert_eq!(wrong, "`Item.ProductId` is not set: `Product` goes by it");
        assert!(half.related("order").is_none());
    })
    .await;
}
