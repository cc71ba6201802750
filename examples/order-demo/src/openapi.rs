//! The description of the endpoints that are the demo's own, beside that of the generic ones.

use isogloss::prelude::*;
use isogloss_web::OpenApiDocument;
use serde_json::{Map, Value, json};

use crate::domain::{Role, Status};
use crate::orders;

/// Adds the endpoints of logins and orders.
pub(crate) fn described(document: OpenApiDocument, context: &OrmContext) -> OpenApiDocument {
    let own = json!({
        "tags": [{ "name": "login" }, { "name": "orders" }],
        "paths": paths(),
        "components": { "schemas": schemas() },
    });
    document.trees("OrderView", context.catalog(), &orders::policy()).with(own)
}

/// What any endpoint may answer.
const ANY: &[u16] = &[401, 403, 500, 503, 504];
/// What an endpoint may answer that reads a body.
const BODY: &[u16] = &[400, 413, 415, 422];
/// What an endpoint may answer that changes an order.
const CHANGE: &[u16] = &[400, 404, 409, 412];

fn paths() -> Value {
    let mut login = operation("login", "Log in", 200, "LoggedIn", &[ANY, &[400, 413, 415, 429]]);
    merge(&mut login, body("Credentials"));
    merge(&mut login, json!({ "security": [] }));
    let me = operation("login", "Who is logged in", 200, "Me", &[ANY]);

    let order = |summary, status, problems: &[&[u16]]| {
        let mut operation = operation("orders", summary, status, "Order", problems);
        let tag = json!({ "description": "The version of the order", "schema": { "type": "string" } });
        merge(&mut operation, json!({ "responses": { status.to_string(): { "headers": { "ETag": tag } } } }));
        operation
    };
    let mut place = order("Place an order", 201, &[ANY, BODY, &[409]]);
    merge(&mut place, body("OrderBody"));
    let mut change = order("Change an order", 200, &[ANY, BODY, CHANGE]);
    merge(&mut change, body("OrderBody"));
    merge(&mut change, if_match());
    let mut remove = without_content("orders", "Delete an order", &[ANY, CHANGE]);
    merge(&mut remove, if_match());
    let mut one = json!({ "get": order("An order", 200, &[ANY, &[400, 404]]), "put": change, "delete": remove });
    merge(&mut one, in_path("id", &json!({ "type": "integer", "format": "int64" })));

    let list = |summary, schema, more: &[&str]| {
        let mut operation = operation("orders", summary, 200, schema, &[ANY, &[400]]);
        let filter = FILTER.iter().chain(more).map(|name| json!({ "name": name, "in": "query", "schema": text() }));
        merge(&mut operation, json!({ "parameters": filter.collect::<Vec<_>>() }));
        operation
    };
    let mut query = operation("orders", "Orders by a tree", 200, "OrdersByTree", &[ANY, &[400, 413, 422]]);
    merge(&mut query, body("Expr_OrderView"));

    let mut archive = json!({
        "get": operation("orders", "How many orders of a month are archived", 200, "Archived", &[ANY, &[400]]),
        "post": operation("orders", "Archive the orders of a month that are done", 200, "Archiving", &[ANY, &[400]]),
    });
    merge(&mut archive, in_path("month", &json!({ "type": "string", "pattern": r"^20\d\d-(0[1-9]|1[0-2])$" })));

    let mut password = without_content("login", "Give a user a password", &[ANY, BODY, &[404]]);
    merge(&mut password, body("Password"));
    let mut password = json!({ "put": password });
    merge(&mut password, in_path("id", &json!({ "type": "integer", "format": "int64" })));

    json!({
        "/users/{id}/password": password,
        "/login": { "post": login },
        "/logout": { "post": without_content("login", "Log out", &[ANY]) },
        "/me": { "get": me },
        "/orders": { "post": place },
        "/orders/{id}": one,
        "/orders/query": { "get": list("A page of orders", "OrdersByPage", &["sortBy", "desc", "page", "pageSize"]) },
        "/orders/query/expr": { "post": query },
        "/orders/stats": { "get": list("Statistics of orders", "Stats", &[]) },
        "/orders/stats/months": { "get": list("What was ordered in each month", "Months", &[]) },
        "/archive/{month}": archive,
    })
}

/// What narrows a list.
const FILTER: &[&str] = &[
    "keyword",
    "status",
    "departmentName",
    "createdByUserName",
    "minTotalAmount",
    "maxTotalAmount",
    "createdFrom",
    "createdTo",
    "onlyMine",
];

fn operation(tag: &str, summary: &str, status: u16, schema: &str, problems: &[&[u16]]) -> Value {
    let content = json!({ "application/json": { "schema": at("schemas", schema) } });
    let answer = json!({ "description": summary, "content": content });
    json!({ "tags": [tag], "summary": summary, "responses": responses(status, &answer, problems) })
}

fn without_content(tag: &str, summary: &str, problems: &[&[u16]]) -> Value {
    let answer = json!({ "description": "It is done" });
    json!({ "tags": [tag], "summary": summary, "responses": responses(204, &answer, problems) })
}

fn responses(status: u16, answer: &Value, problems: &[&[u16]]) -> Value {
    let problem = |status: &u16| (status.to_string(), at("responses", &format!("Problem{status}")));
    let mut responses: Map<String, Value> = problems.iter().copied().flatten().map(problem).collect();
    responses.insert(status.to_string(), answer.clone());
    responses.into()
}

fn body(schema: &str) -> Value {
    let content = json!({ "application/json": { "schema": at("schemas", schema) } });
    json!({ "requestBody": { "required": true, "content": content } })
}

fn if_match() -> Value {
    let description = "The version that the order must have";
    json!({ "parameters": [{ "name": "If-Match", "in": "header", "description": description, "schema": text() }] })
}

fn in_path(name: &str, schema: &Value) -> Value {
    json!({ "parameters": [{ "name": name, "in": "path", "required": true, "schema": schema }] })
}

/// Puts more members into an operation or a path.
fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            more.into_iter().for_each(|(key, held)| merge(into.entry(key).or_insert(Value::Null), held));
        }
        (into, more) => *into = more,
    }
}

fn at(components: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{components}/{name}") })
}

fn schemas() -> Value {
    let sum = || json!({ "type": "number" });
    let sql = || list_of(&text());
    let statuses = json!({ "type": "string", "enum": Status::ALL.map(Status::name) });
    let roles = json!({ "type": "string", "enum": Role::ALL.map(Role::name) });
    let me = object(json!({
        "id": whole(), "userName": text(), "displayName": text(), "role": roles, "departmentName": or_null(&text()),
    }));
    let order = object(json!({
        "id": whole(), "orderNo": text(), "customerName": text(), "productName": text(), "quantity": whole(),
        "unitPrice": sum(), "totalAmount": sum(), "status": statuses, "note": or_null(&text()), "createdTime": time(),
        "updatedTime": or_null(&time()), "createdByUserId": whole(), "createdByUserName": or_null(&text()),
        "createdByLoginName": or_null(&text()), "departmentName": or_null(&text()),
    }));
    let name = json!({ "type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\S" });
    let members = json!({
        "customerName": name, "productName": name,
        "quantity": { "type": "integer", "minimum": 1, "maximum": 1_000_000 },
        "unitPrice": { "type": "number", "minimum": 0, "maximum": 1_000_000, "multipleOf": 0.01 },
        "status": statuses, "note": or_null(&json!({ "type": "string", "maxLength": 400 })),
    });
    let required = ["customerName", "productName", "quantity", "unitPrice"];
    let order_body =
        json!({ "type": "object", "properties": members, "required": required, "additionalProperties": false });
    let orders = || list_of(&at("schemas", "Order"));
    let month = object(json!({ "month": text(), "orders": whole(), "amount": sum() }));
    json!({
        "Credentials": object(json!({ "userName": text(), "password": text() })),
        "Password": object(json!({ "password": { "type": "string", "minLength": 8, "maxLength": 200 } })),
        "LoggedIn": object(json!({ "token": text(), "expiresAt": time(), "user": at("schemas", "Me") })),
        "Me": me,
        "Order": order,
        "OrderBody": order_body,
        "OrdersByPage": object(json!({
            "page": whole(), "pageSize": whole(), "total": whole(), "sql": sql(), "items": orders(),
        })),
        "OrdersByTree": object(json!({
            "skip": whole(), "take": whole(), "total": whole(), "sql": sql(), "items": orders(),
        })),
        "Stats": object(json!({
            "totalAmount": sum(), "total": whole(), "pendingCount": whole(), "paidCount": whole(),
            "shippedCount": whole(), "completedCount": whole(), "cancelledCount": whole(), "sql": sql(),
        })),
        "Months": object(json!({ "months": list_of(&month), "sql": sql() })),
        "Archiving": object(json!({ "archived": whole() })),
        "Archived": object(json!({ "month": text(), "total": whole(), "sql": sql() })),
    })
}

/// An object that has each of these members, and no other.
fn object(members: Value) -> Value {
    let required: Vec<&String> = members.as_object().into_iter().flat_map(Map::keys).collect();
    json!({ "type": "object", "required": required, "additionalProperties": false, "properties": members })
}

fn list_of(schema: &Value) -> Value {
    json!({ "type": "array", "items": schema })
}

fn or_null(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn whole() -> Value {
    json!({ "type": "integer" })
}
