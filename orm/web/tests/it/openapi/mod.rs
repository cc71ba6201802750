//! The description of what is served: it says what there is, what clients see and may set, and its examples run.

mod answers;

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Answer, Customer, Kind, Orders, Plain, Seat, api, send, shop};
use axum::http::StatusCode;
use isogloss::OrmContext;
use isogloss::walk::QueryPolicy;
use isogloss_web::{EntityController, Host, Int64, OpenApiDocument, ProblemKind, Rules};
use serde_json::Value as Json;

fn described(context: &OrmContext, document: OpenApiDocument, orders: Rules) -> OpenApiDocument {
    let host = Host::new(context);
    document
        .at("/api")
        .controller(&Orders(orders.allow_writes()).mounted(&host).unwrap())
        .controller(&Plain::<Customer>::new().mounted(&host).unwrap())
        .controller(&Plain::<Seat>::by(Rules::new()).mounted(&host).unwrap())
        .controller(&Plain::<Kind>::by(Rules::new()).mounted(&host).unwrap())
}

fn document(context: &OrmContext) -> Json {
    described(context, OpenApiDocument::new("Shop", "1.0"), Rules::new()).document()
}

async fn get(api: &axum::Router, path: &str) -> Answer {
    send(api, &format!("GET {path}"), None).await
}

async fn post(api: &axum::Router, path: &str, body: &str) -> Answer {
    send(api, &format!("POST {path}"), body).await
}

#[tokio::test]
async fn every_endpoint_is_there() {
    let document = document(&shop().await);
    assert_eq!(document["openapi"], "3.1.0");
    let mut endpoints = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        endpoints.extend(item.as_object().unwrap().keys().map(|method| format!("{method} {path}")));
    }
    for expected in [
        "get /Order",
        "post /Order",
        "put /Order",
        "get /Order/{id}",
        "delete /Order/{id}",
        "post /Order/page",
        "get /Order/count",
        "get /Order/exists/{id}",
        "post /Kind/page",
    ] {
        assert!(endpoints.contains(expected), "{expected}: {endpoints:?}");
    }
    // Of a seat and a kind clients can set nothing.
    for refused in ["post /Seat", "put /Seat", "delete /Seat/{id}", "post /Kind", "put /Kind", "delete /Kind/{id}"] {
        assert!(!endpoints.contains(refused), "{refused}");
    }
    assert_eq!(endpoints.len(), 4 * 8 - 6);
}

/// D.5 34: neither hidden properties nor internal entities are in it.
#[tokio::test]
async fn what_clients_do_not_see_is_not_there() {
    let context = shop().await;
    let text = document(&context).to_string();
    for hidden in ["enant", "arginNote", "argin_note", "assword"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    // One that the policy denies is as hidden as these; an entity that it does not allow is not named in its trees.
    let denied = Rules::new().policy(QueryPolicy::new("OrderView").deny_properties("OrderView", ["Total"]));
    let narrow = described(&context, OpenApiDocument::new("Shop", "1.0"), denied).document();
    assert!(narrow.pointer("/components/schemas/Order/properties/total").is_none());
    assert!(narrow.pointer("/components/schemas/OrderInsert/properties/total").is_none());
    let trees =
        narrow["components"]["schemas"].as_object().unwrap().iter().filter(|(name, _)| name.starts_with("Expr_Order"));
    for (name, schema) in trees {
        assert!(!schema.to_string().contains("\"Total\"") && !schema.to_string().contains("Seat"), "{name}: {schema}");
    }
}

#[tokio::test]
async fn rows_have_their_members() {
    let context = shop().await;
    let document = document(&context);
    let order = &document["components"]["schemas"]["Order"];
    let members: Vec<&str> = order["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["customerId", "customerName", "id", "orderNo", "status", "total"]);
    assert_eq!(order["required"].as_array().unwrap().len(), members.len());
    assert_eq!(order["properties"]["id"]["readOnly"], true);
    assert_eq!(order["properties"]["customerName"]["anyOf"][1]["type"], "null");
    let insert = &document["components"]["schemas"]["OrderInsert"];
    assert!(insert["properties"].get("id").is_none() && insert["properties"]["orderNo"]["maxLength"] == 50);
    assert_eq!(insert["additionalProperties"], false);
    let update = &document["components"]["schemas"]["OrderUpdate"];
    assert!(update["required"].as_array().unwrap().contains(&"id".into()));

    let texts = described(&context, OpenApiDocument::new("Shop", "1.0"), Rules::new().int64(Int64::String)).document();
    assert_eq!(texts.pointer("/components/schemas/Order/properties/id/type"), Some(&"string".into()));
}

/// The rows that are answered are those that are described.
#[tokio::test]
async fn answers_are_as_described() {
    let context = shop().await;
    let (api, document) = (api(&context), document(&context));
    let members = |name: &str| -> Vec<String> {
        document["components"]["schemas"][name]["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let order = get(&api, "/api/Order/1").await.json();
    assert_eq!(order.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), members("Order"));
    let page = post(&api, "/api/Order/page", "{\"$section\":null}").await.json();
    assert!(page.as_object().unwrap().keys().all(|key| members("OrderPage").contains(key)));
}

#[tokio::test]
async fn every_example_of_a_page_runs() {
    let context = shop().await;
    let (api, document) = (api(&context), document(&context));
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(content) = item.pointer("/post/requestBody/content/application~1json") else { continue };
        for (name, example) in content["examples"].as_object().into_iter().flatten() {
            let answer = post(&api, &format!("/api{path}"), &example["value"].to_string()).await;
            assert_eq!(answer.status, StatusCode::OK, "{path} {name}: {answer:?}");
            count += 1;
        }
    }
    assert_eq!(count, 4 * 2);
}

/// Each status that there is of a problem is one of some endpoint's, but for that of a method which it does not have, and the
/// one that a rule has to ask for.
#[tokio::test]
async fn every_status_is_documented() {
    let text = document(&shop().await).to_string();
    for kind in ProblemKind::ALL {
        let used = text.contains(&format!("#/components/responses/Problem{}", kind.status().as_u16()));
        let is_elsewhere = matches!(kind, ProblemKind::MethodNotAllowed | ProblemKind::PreconditionRequired);
        assert_eq!(used, !is_elsewhere, "{kind:?}");
    }
}

/// Each reference leads somewhere.
#[tokio::test]
async fn references_lead_to_components() {
    let context = shop().await;
    for document in [
        document(&context),
        described(&context, OpenApiDocument::new("Shop", "1.0").unrolled(3).bearer(), Rules::new()).document(),
    ] {
        let mut waiting = vec![&document];
        let mut found = 0;
        while let Some(value) = waiting.pop() {
            match value {
                Json::Object(keys) => {
                    if let Some(at) = keys.get("$ref").and_then(Json::as_str) {
                        found += 1;
                        assert!(document.pointer(&at[1..]).is_some(), "{at}");
                    }
                    waiting.extend(keys.values());
                }
                Json::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        assert!(found > 100, "{found}");
    }
}

#[tokio::test]
async fn the_document_is_served() {
    let context = shop().await;
    let described = described(&context, OpenApiDocument::new("Shop", "1.0"), Rules::new());
    let answer = get(&described.routes("/openapi.json"), "/openapi.json").await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
    assert_eq!(answer.json(), described.document());
    // Off unless it is mounted.
    assert_eq!(get(&api(&context), "/openapi.json").await.status, StatusCode::NOT_FOUND);
}

/// For `openapi/check.sh`, which has them judged: they are written where it says.
#[tokio::test]
async fn documents_are_written() {
    let Some(folder) = std::env::var_os("ISOGLOSS_OPENAPI_FOLDER") else { return };
    let context = shop().await;
    let new = || OpenApiDocument::new("Shop", "1.0");
    for (name, document) in
        [("shop.json", new()), ("bearer.json", new().bearer()), ("unrolled.json", new().unrolled(3))]
    {
        let text = described(&context, document, Rules::new()).document().to_string();
        std::fs::write(Path::new(&folder).join(name), text).unwrap();
    }
}
