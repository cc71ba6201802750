//! Lists, statistics and trees of clients: A1, A2, A4, A5, A6, A12, A13.

use axum::http::Method;
use serde_json::{Value, json};

use super::shop::{Client, ORDERS, Shop, each_engine, order};

/// How many orders the first tenant has.
const FIRST: u64 = (ORDERS - ORDERS / 4) as u64;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a1_whose_orders_is_part_of_the_query() {
    each_engine(async |shop: Shop| {
        let (ada, sam) = (shop.login("ada").await, shop.login("sam").await);
        let all = ada.get("/api/orders/query?pageSize=100").await;
        assert_eq!(all.total(), FIRST, "an administrator sees the orders of all");
        let mine = sam.get("/api/orders/query?pageSize=100").await;
        assert!(mine.total() > 0 && mine.total() < FIRST);
        assert!(mine.items().iter().all(|order| order["createdByLoginName"] == "sam"));
        // A condition of the query, for the count as well as for the rows.
        for sql in mine.body["sql"].as_array().unwrap() {
            let sql = sql.as_str().unwrap();
            assert!(sql.contains("created_by_user_id") && sql.contains("hidden"), "{sql}");
            // Clients may not name these columns.
            assert!(!sql.contains("is_deleted") && !sql.contains("tenant_id"), "{sql}");
        }
        let own = ada.get("/api/orders/query?onlyMine=true&pageSize=100").await;
        assert!(own.total() < FIRST && own.items().iter().all(|order| order["createdByLoginName"] == "ada"));

        // List, count and statistics have one filter.
        for query in [
            "keyword=desk",
            "status=Completed",
            "minTotalAmount=500&maxTotalAmount=2000.50",
            "keyword=fjord&onlyMine=1",
        ] {
            for client in [&ada, &sam] {
                let list = client.get(&format!("/api/orders/query?pageSize=100&{query}")).await;
                let stats = client.get(&format!("/api/orders/stats?{query}")).await;
                assert_eq!(list.total(), stats.total(), "{query}");
                assert_eq!(list.items().len() as u64, list.total().min(100), "{query}");
                let sum: f64 = list.items().iter().map(|order| order["totalAmount"].as_f64().unwrap()).sum();
                if list.total() <= 100 {
                    assert!((sum - stats.body["totalAmount"].as_f64().unwrap()).abs() < 0.01, "{query}");
                }
                assert_eq!(stats.body["sql"].as_array().unwrap().len(), 1, "one statement");
            }
        }

        // A deleted order is in neither.
        let id = sam.first_order().await;
        assert_eq!(sam.delete(&format!("/api/orders/{id}")).await.status, 204);
        let after = sam.get("/api/orders/query?pageSize=100").await;
        assert_eq!(after.total(), mine.total() - 1);
        assert!(after.items().iter().all(|order| order["id"] != id));
        assert_eq!(sam.get("/api/orders/stats").await.total(), mine.total() - 1);
    })
    .await;
}

#[tokio::test]
async fn a2_a_tree_of_the_clients_own() {
    each_engine(async |shop: Shop| {
        let (ada, sam) = (shop.login("ada").await, shop.login("sam").await);
        let path = "/api/orders/query/expr";
        // Without a filter, every order that is theirs to see.
        for body in [None, Some(Value::Null)] {
            let answer = ada.ask(Method::POST, path, body).await;
            assert_eq!(answer.total(), FIRST);
            assert!(answer.sql().contains("hidden") && answer.sql().contains(" > "), "{}", answer.sql());
        }
        let mine = sam.ask(Method::POST, path, None).await.total();

        // A condition; what it says of others opens nothing.
        let anyone = json!({"$or": [{"$": ">", "Left": {"#": "Id"}, "Right": 0}, {"$": "<", "Left": {"#": "Id"}, "Right": 1}]});
        let answer = sam.post(path, anyone).await;
        assert_eq!(answer.total(), mine);
        assert!(answer.items().iter().all(|order| order["createdByLoginName"] == "sam"));
        assert!(answer.sql().contains("created_by_user_id"));

        // Order and page are kept.
        let page = |skip: u64| json!({
            "$section": {
                "$orderby": {"$where": null, "Where": {"$": "==", "Left": {"#": "Status"}, "Right": {"@": "Completed"}}},
                "OrderBys": [{"Field": {"#": "TotalAmount"}, "Asc": true}]
            }, "Skip": skip, "Take": 3
        });
        let (first, second) = (ada.post(path, page(0)).await, ada.post(path, page(3)).await);
        assert_eq!((&first.body["skip"], &first.body["take"], first.items().len()), (&json!(0), &json!(3), 3));
        let amounts: Vec<f64> =
            first.items().iter().chain(second.items()).map(|order| order["totalAmount"].as_f64().unwrap()).collect();
        assert!(amounts.len() == 6 && amounts.is_sorted(), "{amounts:?}");
        assert!(first.items().iter().all(|order| order["status"] == "Completed"));

        // EXISTS over related rows, forward and backward.
        let related = |entity: &str, property: &str, value: &str| json!({
            "$foreign": entity, "AutoRelated": true,
            "InnerExpr": {"$": "==", "Left": {"#": property}, "Right": {"@": value}}
        });
        let changed = ada.post(path, related("Audit", "Action", "Changed")).await.total();
        assert!(changed > 0 && changed < FIRST, "{changed}");
        let of_sam = ada.post(path, related("User", "UserName", "sam")).await;
        assert_eq!(of_sam.total(), mine);
    })
    .await;
}

#[tokio::test]
async fn a2_what_a_tree_may_not_say_is_a_400_with_its_path() {
    let shop = Shop::new().await;
    let sam = shop.login("sam").await;
    let equals = |property: &str| json!({"$": "==", "Left": {"#": property}, "Right": 1});
    let over = |entity: &str, inner: Value| json!({"$foreign": entity, "AutoRelated": true, "InnerExpr": inner});
    for (body, path) in [
        (equals("TenantId"), "$.Left"),
        (equals("IsDeleted"), "$.Left"),
        (equals("NoSuchThing"), "$.Left"),
        (json!({"$and": [equals("Id"), equals("Nothing")]}), "$.$and[1].Left"),
        (over("User", equals("PasswordHash")), "$.InnerExpr.Left"),
        (over("AuthSession", equals("UserId")), "$"),
        (json!({"$update": {"$table": "Order"}, "Sets": [{"Note": {"@": "x"}}], "Where": equals("Id")}), "$"),
        (json!({"$select": null, "Selects": [{"Value": {"#": "Id"}}]}), "$"),
        (json!({"$": "==", "Left": {"#": "Quantity"}, "Right": {"@": "many"}}), "$"),
        (json!(true), "$"),
    ] {
        let answer = sam.post("/api/orders/query/expr", body.clone()).await;
        assert_eq!(answer.status, 400, "{body} {}", answer.body);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let said = answer.body["path"].as_str().unwrap();
        assert!(said.starts_with(path), "{body} {}", answer.body);
        assert!(!answer.body.to_string().contains("SELECT"), "{}", answer.body);
    }
    // What is hidden is as what is not there.
    let hidden = sam.post("/api/orders/query/expr", equals("TenantId")).await.body.to_string();
    let unknown = sam.post("/api/orders/query/expr", equals("NoSuchIt")).await.body.to_string();
    assert_eq!(hidden.replace("TenantId", "X"), unknown.replace("NoSuchIt", "X"));
}

#[tokio::test]
async fn a4_parameters() {
    each_engine(async |shop: Shop| {
        let ada = shop.login("ada").await;
        let list = async |query: &str| ada.get(&format!("/api/orders/query?pageSize=100&{query}")).await;
        let all = |answer: &super::shop::Answer, holds: &dyn Fn(&Value) -> bool| {
            assert!(!answer.items().is_empty() && answer.items().iter().all(holds), "{}", answer.body);
        };
        let text = |order: &Value, name: &str| order[name].as_str().unwrap().to_lowercase();
        all(&list("keyword=FJORD").await, &|order| text(order, "customerName").contains("fjord"));
        all(&list("keyword=lamp").await, &|order| text(order, "productName").contains("lamp"));
        all(&list("keyword=o-1-000001").await, &|order| text(order, "orderNo").contains("o-1-000001"));
        all(&list("status=shipped").await, &|order| order["status"] == "Shipped");
        all(&list("departmentName=Warehouse").await, &|order| order["departmentName"] == "Warehouse");
        all(&list("createdByUserName=lindqvist").await, &|order| order["createdByLoginName"] == "sue");
        all(&list("minTotalAmount=1000&maxTotalAmount=2000").await, &|order| {
            (1000.0..=2000.0).contains(&order["totalAmount"].as_f64().unwrap())
        });
        // A day is in it as a whole.
        let some = list("sortBy=createdTime").await.items()[20]["createdTime"].as_str().unwrap()[..10].to_owned();
        all(&list(&format!("createdFrom={some}&createdTo={some}")).await, &|order| {
            text(order, "createdTime").starts_with(&some)
        });
        assert_eq!(list("createdFrom=2024-01-01T00:00:00&createdTo=2024-01-02").await.total(), 0);
        assert_eq!(list("keyword=%25").await.total(), 0, "a percent sign is one");

        // Sorted, the newest first where nothing is said.
        let sorted = async |query: &str, name: &str| {
            list(query)
                .await
                .items()
                .iter()
                .map(|order| order[name].as_str().map_or_else(|| order[name].to_string(), str::to_owned))
                .collect::<Vec<_>>()
        };
        assert!(sorted("", "createdTime").await.is_sorted_by(|a, b| a >= b));
        assert!(sorted("sortBy=orderNo&desc=false", "orderNo").await.is_sorted());
        assert!(sorted("sortBy=OrderNo", "orderNo").await.is_sorted_by(|a, b| a >= b));

        // Pages.
        let first = ada.get("/api/orders/query").await;
        assert_eq!((&first.body["page"], &first.body["pageSize"], first.items().len()), (&json!(1), &json!(10), 10));
        let second = ada.get("/api/orders/query?page=2").await;
        assert!(second.items().iter().all(|order| !first.items().contains(order)));
        for (query, page, size) in [
            ("page=0", 1, 10),
            ("page=-5", 1, 10),
            ("pageSize=500", 1, 100),
            ("pageSize=0", 1, 10),
            ("pageSize=-1&page=3", 3, 10),
        ] {
            let answer = ada.get(&format!("/api/orders/query?{query}")).await;
            assert_eq!((&answer.body["page"], &answer.body["pageSize"]), (&json!(page), &json!(size)), "{query}");
        }
        let beyond = ada.get("/api/orders/query?page=9223372036854775807&pageSize=100").await;
        assert!(beyond.items().is_empty() && beyond.total() == FIRST);
    })
    .await;
}

#[tokio::test]
async fn a5_bodies_of_answers() {
    let shop = Shop::new().await;
    let ada = shop.login("ada").await;
    let list = ada.get("/api/orders/query").await;
    assert_eq!(keys(&list.body), ["items", "page", "pageSize", "sql", "total"]);
    let stats = ada.get("/api/orders/stats").await;
    assert_eq!(
        keys(&stats.body),
        [
            "cancelledCount",
            "completedCount",
            "paidCount",
            "pendingCount",
            "shippedCount",
            "sql",
            "total",
            "totalAmount"
        ]
    );
    let counts = ["pendingCount", "paidCount", "shippedCount", "completedCount", "cancelledCount"];
    let sum: u64 = counts.iter().map(|name| stats.body[name].as_u64().unwrap()).sum();
    assert_eq!(sum, stats.total());
    let none = ada.get("/api/orders/stats?keyword=nothing-is-called-that").await;
    assert_eq!((none.total(), &none.body["totalAmount"]), (0, &json!(0)));
    let page = ada.ask(Method::POST, "/api/orders/query/expr", None).await;
    assert_eq!(keys(&page.body), ["items", "skip", "sql", "take", "total"]);
    assert_eq!((&page.body["take"], page.items().len()), (&json!(10), 10));
    let newest: Vec<&str> = page.items().iter().map(|order| order["createdTime"].as_str().unwrap()).collect();
    assert!(newest.is_sorted_by(|a, b| a >= b));
    for (take, taken) in [(500, 100), (0, 10), (100, 100)] {
        let answer = ada.post("/api/orders/query/expr", json!({"$section": null, "Skip": 2, "Take": take})).await;
        assert_eq!(
            (&answer.body["skip"], &answer.body["take"], answer.items().len()),
            (&json!(2), &json!(taken), taken)
        );
    }
    // The text of a statement has no values.
    let found = ada.get("/api/orders/query?keyword=fjord").await;
    assert!(!found.sql().to_lowercase().contains("fjord"), "{}", found.sql());
}

#[tokio::test]
async fn a6_members_of_an_order() {
    each_engine(async |shop: Shop| {
        let sam = shop.login("sam").await;
        let placed = sam.post("/api/orders", order()).await;
        assert_eq!(placed.status, 201, "{}", placed.body);
        assert_eq!(
            keys(&placed.body),
            [
                "createdByLoginName",
                "createdByUserId",
                "createdByUserName",
                "createdTime",
                "customerName",
                "departmentName",
                "id",
                "note",
                "orderNo",
                "productName",
                "quantity",
                "status",
                "totalAmount",
                "unitPrice",
                "updatedTime"
            ]
        );
        assert_eq!(placed.body["totalAmount"].to_string(), "119.7");
        assert_eq!(
            (&placed.body["createdByUserName"], &placed.body["departmentName"]),
            (&json!("Sam Okoye"), &json!("Sales"))
        );
        assert_eq!(placed.body["updatedTime"], Value::Null);
        let path = format!("/api/orders/{}", placed.body["id"]);

        // Any status may follow any other.
        for status in ["Completed", "Pending", "Cancelled", "Shipped", "Paid"] {
            let mut body = order();
            body["status"] = json!(status);
            let changed = sam.put(&path, body).await;
            assert_eq!((changed.status.as_u16(), &changed.body["status"]), (200, &json!(status)));
            assert!(changed.body["updatedTime"].is_string());
        }

        // What is wrong is told by its member, and nothing is written.
        for (name, value) in [
            ("customerName", json!(" ")),
            ("productName", Value::Null),
            ("quantity", json!(0)),
            ("quantity", json!(1.5)),
            ("quantity", json!("many")),
            ("unitPrice", json!(-1)),
            ("unitPrice", json!(1.005)),
            ("status", json!("Lost")),
            ("note", json!("x".repeat(401))),
        ] {
            let mut body = order();
            body[name] = value;
            for answer in [sam.put(&path, body.clone()).await, sam.post("/api/orders", body.clone()).await] {
                assert_eq!(answer.status, 422, "{name} {}", answer.body);
                assert_eq!(answer.body["errors"][0]["field"], name);
            }
        }
        // A price with all of its digits, as a text.
        let mut body = order();
        body["unitPrice"] = json!("999999.99");
        assert_eq!(sam.put(&path, body).await.body["unitPrice"].to_string(), "999999.99");
    })
    .await;
}

#[tokio::test]
async fn a12_values_of_parameters() {
    let shop = Shop::new().await;
    let ada = shop.login("ada").await;
    let mine = ada.get("/api/orders/query?onlyMine=true").await.total();
    for yes in ["Y", "t", "1", "TRUE"] {
        assert_eq!(ada.get(&format!("/api/orders/query?onlyMine={yes}")).await.total(), mine);
    }
    for no in ["N", "f", "0", "", "False"] {
        assert_eq!(ada.get(&format!("/api/orders/query?onlyMine={no}")).await.total(), FIRST);
    }
    assert_eq!(ada.get("/api/orders/query?color=red").await.total(), FIRST, "unknown names are ignored");
    for (query, field) in [
        ("onlyMine=perhaps", "onlyMine"),
        ("status=Lost", "status"),
        ("minTotalAmount=much", "minTotalAmount"),
        ("createdFrom=yesterday", "createdFrom"),
        ("createdTo=2024-02-30", "createdTo"),
        ("page=first", "page"),
        ("sortBy=PasswordHash", "sortBy"),
        ("sortBy=TenantId", "sortBy"),
    ] {
        let answer = ada.get(&format!("/api/orders/query?{query}")).await;
        assert_eq!((answer.status.as_u16(), &answer.body["field"]), (400, &json!(field)), "{}", answer.body);
    }
}

#[tokio::test]
async fn a13_counts_are_remembered_until_something_is_written() {
    each_engine(async |shop: Shop| {
        let (ada, sam) = (shop.login("ada").await, shop.login("sam").await);
        let statements = |answer: &super::shop::Answer| answer.body["sql"].as_array().unwrap().len();
        let query = "/api/orders/query?keyword=desk&minTotalAmount=10";
        let first = ada.get(query).await;
        let again = ada.get("/api/orders/query?minTotalAmount=10&keyword=desk&page=2&sortBy=id").await;
        assert_eq!((statements(&first), statements(&again)), (2, 1), "{}", again.sql());
        assert_eq!(first.total(), again.total());
        assert_eq!(statements(&sam.get(query).await), 2, "another condition: whose orders");

        let mut body = order();
        body["productName"] = json!("Standing desk");
        let placed = sam.post("/api/orders", body).await;
        let after = ada.get(query).await;
        assert_eq!((statements(&after), after.total()), (2, first.total() + 1));
        sam.delete(&format!("/api/orders/{}", placed.body["id"])).await;
        assert_eq!(ada.get(query).await.total(), first.total());
    })
    .await;
}

#[tokio::test]
async fn a13_a_write_drops_the_counts_of_its_tenant_alone() {
    each_engine(async |shop: Shop| {
        let (ada, bea) = (shop.login("ada").await, shop.login("bea").await);
        let statements = |answer: &super::shop::Answer| answer.body["sql"].as_array().unwrap().len();
        let query = "/api/orders/query?createdByUserName=okoye";
        let ask = async |client: &Client<'_>| {
            let answer = client.get(query).await;
            (statements(&answer), answer.total())
        };
        let (ours, theirs) = (ask(&ada).await.1, ask(&bea).await.1);
        assert!(ours > 0 && theirs == 0);
        bea.post("/api/orders", order()).await;
        assert_eq!(ask(&ada).await, (1, ours), "another tenant's write is not noticed");
        assert_eq!(ask(&bea).await, (2, 0));

        // A count depends on the names of users and departments, too.
        let users = ada.get("/api/User").await;
        let mut sam = users.body.as_array().unwrap().iter().find(|user| user["userName"] == "sam").unwrap().clone();
        sam["displayName"] = json!("Sam Smith");
        assert_eq!(ada.put("/api/User", sam).await.body, json!(true));
        assert_eq!(ask(&ada).await, (2, 0));
        assert_eq!(ask(&bea).await, (1, 0));
        let mut department = ada.get("/api/Department").await.body[0].clone();
        department["name"] = json!("Elsewhere");
        assert_eq!(ada.put("/api/Department", department).await.body, json!(true));
        assert_eq!(ask(&ada).await.0, 2);
    })
    .await;
}
