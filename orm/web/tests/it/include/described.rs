//! What the description says of related rows.

use isogloss_web::{EntityController as _, OpenApiDocument, Rules};
use serde_json::{Value as Json, json};

use crate::include::shop::{Customers, Invoices, Items, Orders, PATHS, Products, Shop, Tags, host, rules};

async fn document(rules: Rules) -> (Shop, Json) {
    let shop = Shop::new(rules.clone()).await;
    let host = host(&shop.context);
    // Whichever is described first.
    let document = OpenApiDocument::new("Shop", "1.0")
        .controller(&Orders::new(rules).mounted(&host).unwrap())
        .controller(&Items.mounted(&host).unwrap())
        .controller(&Customers.mounted(&host).unwrap())
        .controller(&Products.mounted(&host).unwrap())
        .controller(&Tags.mounted(&host).unwrap())
        .controller(&Invoices.mounted(&host).unwrap())
        .document();
    (shop, document)
}

fn members(document: &Json, schema: &str) -> Vec<String> {
    let members = &document["components"]["schemas"][schema]["properties"];
    members.as_object().unwrap_or_else(|| panic!("{schema}")).keys().cloned().collect()
}

#[tokio::test]
async fn rows_and_parameters_are_described() {
    let (shop, document) = document(rules()).await;
    assert_eq!(members(&document, "Order"), ["customer", "id", "invoice", "items", "orderNo", "tags", "version"]);
    assert_eq!(document["components"]["schemas"]["Order"]["required"], json!(["id", "orderNo", "version"]));
    assert_eq!(members(&document, "Order.items"), ["id", "order", "pieces", "product", "productName"]);
    assert_eq!(members(&document, "Order.items.product"), ["id", "name"]);
    // An item by itself has no product in it, and an order in an item no items.
    assert_eq!(members(&document, "Item"), ["id", "pieces", "productName"]);
    assert_eq!(members(&document, "Order.items.order"), ["id", "orderNo", "version"]);
    let order = &document["components"]["schemas"]["Order"]["properties"];
    assert_eq!(order["items"]["items"], json!({"$ref": "#/components/schemas/Order.items"}));
    assert_eq!(order["customer"]["anyOf"][1], json!({"type": "null"}));
    let text = document.to_string();
    for hidden in ["enant", "assword", "cost", "customerId", "orderId"] {
        assert!(!text.contains(hidden), "{hidden}");
    }

    let mut allowed: Vec<String> = shop_paths();
    allowed.sort();
    for path in ["/paths/~1Order~1page/post", "/paths/~1Order/get", "/paths/~1Order~1{id}/get"] {
        let parameters = document.pointer(&format!("{path}/parameters")).unwrap().as_array().unwrap();
        let include = parameters.iter().find(|parameter| parameter["name"] == "include").unwrap();
        assert_eq!((&include["style"], &include["explode"]), (&json!("form"), &json!(false)), "{path}");
        let mut paths: Vec<String> = serde_json::from_value(include["schema"]["items"]["enum"].clone()).unwrap();
        paths.sort();
        assert_eq!(paths, allowed, "{path}");
        // Each of them is one that is taken.
        let request = path.strip_prefix("/paths/").unwrap().replace("~1", "/").replace("{id}", "1");
        let (address, method) = request.rsplit_once('/').unwrap();
        let body = if method == "post" { r#"{"$section":null}"# } else { "" };
        for path in &paths {
            let answer = shop.send(&format!("{} {address}?include={path}", method.to_uppercase()), body).await;
            assert_eq!(answer.status, 200, "{path} {answer:?}");
        }
    }
    let body = document.pointer("/paths/~1Order~1page/post/requestBody/content/application~1json/schema").unwrap();
    assert_eq!(*body, json!({"$ref": "#/components/schemas/OrderPageQuery"}));
}

/// The paths that the rules allow, with their beginnings.
fn shop_paths() -> Vec<String> {
    let beginnings = PATHS.iter().flat_map(|path| {
        let ends = path.match_indices('.').map(|(end, _)| end).chain([path.len()]);
        ends.map(|end| path[..end].to_owned())
    });
    let all: std::collections::BTreeSet<String> = beginnings.collect();
    all.into_iter().collect()
}

/// The rows that are answered are those that are described.
#[tokio::test]
async fn answers_are_as_described() {
    let (shop, document) = document(rules()).await;
    let page = shop.page("include=items.product,items.order,customer.orders.customer,tags,invoice").await;
    for (pointer, schema) in [
        ("/items/0", "Order"),
        ("/items/0/items/0", "Order.items"),
        ("/items/0/items/0/product", "Order.items.product"),
        ("/items/0/customer", "Order.customer"),
        ("/items/0/customer/orders/0", "Order.customer.orders"),
        ("/items/0/customer/orders/0/customer", "Order.customer.orders.customer"),
        ("/items/0/tags/0", "Order.tags"),
        ("/items/0/invoice", "Order.invoice"),
    ] {
        let row = page.at(pointer);
        let own: Vec<String> = row.as_object().unwrap().keys().cloned().collect();
        assert_eq!(own, members(&document, schema), "{pointer}");
    }
}

#[tokio::test]
async fn what_includes_nothing_is_described_as_before() {
    let (_, document) = document(Rules::new()).await;
    let text = document.to_string();
    for none in ["include", "PageQuery", "Order.items"] {
        assert!(!text.contains(none), "{none}");
    }
}
