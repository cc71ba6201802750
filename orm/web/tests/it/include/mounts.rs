//! What is found out when controllers are mounted.

use isogloss::config::DataSourceConfig;
use isogloss::model::CatalogBuilder;
use isogloss::prelude::*;
use isogloss_web::{Controllers, EntityController as _, Host, MountError, Rules};

use crate::include::shop::{Items, Orders, catalog, fill, host};
use crate::support::{send, send_as};

async fn context() -> OrmContext {
    let context = OrmContext::new(catalog());
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    fill(&context).await;
    context
}

fn orders(paths: [&str; 1]) -> Orders {
    Orders::new(Rules::new().include(paths))
}

#[tokio::test]
async fn a_path_that_is_no_relation_is_an_error() {
    let host = host(&context().await);
    for (path, told) in [
        ("itms", "`Rules::include` names `itms`, and `OrderView` has no relation of that name"),
        ("items.prodct", "`Rules::include` names `prodct`, and `Item` has no relation of that name"),
        ("items.", "`Rules::include` names ``, and `Item` has no relation of that name"),
        ("customerId", "`Rules::include` names `customerId`, and `OrderView` has no relation of that name"),
    ] {
        assert_eq!(orders([path]).router(&host).unwrap_err().to_string(), told);
    }
}

/// Whichever comes first.
#[tokio::test]
async fn rows_of_two_controllers_cannot_be_included() {
    let context = context().await;
    let twice = |error: MountError| {
        assert_eq!(
            error.to_string(),
            "`items` includes rows of `Item`, which has two controllers on this host: give one of them a host of its own, \
             so that the rules of the other hold"
        );
    };
    let first = host(&context);
    let _routes = (Items.router(&first).unwrap(), Items.router(&first).unwrap());
    twice(orders(["items"]).router(&first).unwrap_err());
    let last = host(&context);
    let _routes = (orders(["items"]).router(&last).unwrap(), Items.router(&last).unwrap());
    twice(Items.router(&last).unwrap_err());
    // On a host of its own, with other callers, it is another's.
    let other = last.clone().scope(|_, _| Ok(Scope::new()));
    assert!(Items.router(&other).is_ok());
}

#[tokio::test]
async fn rows_without_a_controller_cannot_be_included() {
    let context = context().await;
    let api = orders(["items"]).router(&host(&context)).unwrap();
    let answer = send_as(&api, "GET /Order/1?include=items", None, &[("authorization", "Bearer 1")]).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (500, "internal".into()), "{answer:?}");

    let some = Controllers::of(Host::new(&context)).only(["Order"]).rules("Order", Rules::new().include(["tags"]));
    assert_eq!(
        some.router().unwrap_err().to_string(),
        "`tags` includes rows of `Tag`, which has no controller on this host: its rules would hold for them, so serve it, too"
    );
}

#[tokio::test]
async fn generated_controllers_include_each_other() {
    let context = context().await;
    let paths = Rules::new().include(["items.product", "customer"]);
    let api = Controllers::of(Host::new(&context)).rules("Order", paths).router().unwrap();
    let answer = send(&api, "GET /Order/2?include=items.product,customer", None).await;
    let expected = concat!(
        r#"{"id":2,"orderNo":"A-2","version":1,"items":[{"id":21,"pieces":5,"productName":null,"product":null}],"#,
        r#""customer":{"id":1,"name":"Ann"}}"#
    );
    assert_eq!(answer.text, expected);
}

/// The relation leads to one view of the entity, the controller reads another.
#[tokio::test]
async fn a_path_goes_on_from_what_the_controller_reads() {
    let catalog = CatalogBuilder::from_toml(
        r#"
        [[entity]]
        name = "Order"
        columns = [{ name = "Id", type = "Int32", primary_key = true }]
        relations = [{ name = "Items", kind = "has_many", entity = "WideItem" }]

        [[entity]]
        name = "Item"
        columns = [
          { name = "Id", type = "Int32", primary_key = true },
          { name = "OrderId", type = "Int32", foreign = { entity = "Order" } },
          { name = "ProductId", type = "Int32", foreign = { entity = "Product" } },
        ]

        [[view]]
        name = "WideItem"
        of = "Item"
        relations = [{ name = "Product", kind = "belongs_to", entity = "Product" }]

        [[entity]]
        name = "Product"
        columns = [{ name = "Id", type = "Int32", primary_key = true }]
        "#,
    );
    let context = OrmContext::new(catalog.unwrap().build().unwrap());
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    let mount = |path: &str| {
        let controllers = Controllers::of(Host::new(&context)).rules("Order", Rules::new().include([path]));
        controllers.router().map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(mount("items"), Ok(()));
    let told = "`items.product` goes on from rows that their controller reads as `Item`, which does not have this `Product`: \
                let the controller read a view that has it, or let the entity have it";
    assert_eq!(mount("items.product"), Err(told.into()));
}
