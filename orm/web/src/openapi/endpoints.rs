//! The endpoints of a controller.

use isogloss::expr::{Name, ValueOps as _, ValueTypeExpr, prop};
use serde_json::Value;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, ParameterStyle, PathItem,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{Array, Object, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{Content, RefOr, Required, Schema};

use super::problems::Responses;
use super::{examples, included, schema_at, trees};
use crate::Mounted;
use crate::accept::Format;
use crate::include;
use crate::names::camel;

/// What any endpoint may answer: nobody is known, it is not allowed, too often, not now, too late.
const ANY: &[u16] = &[400, 401, 403, 404, 429, 500, 503, 504];
/// What an endpoint may answer whose body is JSON.
const BODY: &[u16] = &[408, 413, 415, 422];
/// What an endpoint may answer that writes a row which is there.
const WRITE: &[u16] = &[409, 412];

/// The paths of a controller, each with its operations.
pub(super) fn paths(mounted: &Mounted) -> Vec<(String, PathItem)> {
    let name = mounted.name();
    let all = PathItem::from_http_methods([HttpMethod::Get], list(mounted));
    let mut all = if mounted.is_insertable() { with(all, HttpMethod::Post, insert(mounted)) } else { all };
    let mut paths = Vec::new();
    if !mounted.entity().keys.is_empty() {
        if mounted.is_updatable() {
            all = with(all, HttpMethod::Put, update(mounted));
        }
        let one = PathItem::new(HttpMethod::Get, by_id(mounted));
        let one = if mounted.is_deletable() { with(one, HttpMethod::Delete, delete(mounted)) } else { one };
        paths.push((format!("/{name}/{{id}}"), one));
        paths.push((format!("/{name}/exists/{{id}}"), PathItem::new(HttpMethod::Get, exists(mounted))));
    }
    paths.push((format!("/{name}"), all));
    paths.push((format!("/{name}/page"), PathItem::new(HttpMethod::Post, page(mounted))));
    paths.push((format!("/{name}/count"), PathItem::new(HttpMethod::Get, count(mounted))));
    paths
}

fn with(mut item: PathItem, method: HttpMethod, operation: Operation) -> PathItem {
    item.merge_operations(PathItem::new(method, operation));
    item
}

/// An operation that answers so, or with one of these problems.
fn operation(mounted: &Mounted, verb: &str, summary: &str, answer: Response, problems: &[&[u16]]) -> OperationBuilder {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(format!("{verb}{}", mounted.name())))
        .tag(mounted.name())
        .summary(Some(summary))
        .response("200", answer);
    for status in problems.iter().copied().flatten() {
        operation = operation.response(status.to_string(), Responses::at(*status));
    }
    operation
}

fn by_id(mounted: &Mounted) -> Operation {
    let row = OneOfBuilder::new().item(schema_at(mounted.name())).item(of(Type::Null)).build();
    let content = Content::new(Some(Schema::from(row)));
    let answer = ResponseBuilder::new().description("The row, or `null` if there is none").content(JSON, content);
    let operation = operation(mounted, "get", "The row with that key", tagged(mounted, answer), &[ANY, &[422]]);
    let operation = including(mounted, operation.parameter(id()));
    if !has_version(mounted) {
        return operation.build();
    }
    let known = ResponseBuilder::new().description("The client has the row in this version");
    let operation = operation.parameter(header("If-None-Match", "The versions that the client has"));
    operation.response("304", tagged(mounted, known)).build()
}

fn exists(mounted: &Mounted) -> Operation {
    let answer = answer("Whether there is such a row", boolean());
    operation(mounted, "exists", "Whether there is a row with that key", answer, &[ANY, &[422]]).parameter(id()).build()
}

fn delete(mounted: &Mounted) -> Operation {
    let answer = answer("Whether there was such a row", boolean());
    let operation = operation(mounted, "delete", "Deletes the row with that key", answer, &[ANY, WRITE, &[422]]);
    conditional(mounted, operation.parameter(id())).build()
}

fn list(mounted: &Mounted) -> Operation {
    let most = Header::new(of(Type::Integer));
    let mut answer = ResponseBuilder::new()
        .description("The rows, by their key, as many as a list may have")
        .header("X-Max-Rows", described(most, "How many rows a list has at most"));
    for format in Format::ALL {
        let content = match format {
            Format::Json => Content::new(Some(Schema::from(Array::new(schema_at(mounted.name()))))),
            Format::NdJson | Format::Csv => Content::new(Some(of(Type::String))),
            // Bytes, of which a schema says nothing.
            #[cfg(feature = "arrow")]
            Format::Arrow => Content::default(),
        };
        answer = answer.content(format.media_type(), content);
    }
    let mut operation = operation(mounted, "list", "All rows", answer.build(), &[ANY, &[406, 422]]);
    if mounted.rules().query_string {
        let text = |name: &str, description: &str| query(name, description, of(Type::String));
        let is_free = |name: &String| {
            !RESERVED.contains(&name.as_str()) && (mounted.includes.is_empty() || name != include::NAME)
        };
        for name in named(mounted).map(|name| camel(name.as_str())).filter(is_free) {
            operation = operation.parameter(text(&name, "A condition on this property"));
        }
        operation = operation
            .parameter(text("orderby", "Properties, each with `asc` or `desc` behind it, with `,` between"))
            .parameter(query("page", "Which page, from 1", of(Type::Integer)));
    }
    including(mounted, operation).build()
}

/// The parameters of a list that are no properties.
const RESERVED: [&str; 2] = ["orderby", "page"];

/// The properties that a client sees and may name.
fn named(mounted: &Mounted) -> impl Iterator<Item = &Name> {
    let may =
        |name: &&Name| mounted.policy().check(&ValueTypeExpr::from(prop((*name).clone())), &mounted.catalog).is_ok();
    mounted.visible().filter(may)
}

fn count(mounted: &Mounted) -> Operation {
    let answer = answer("How many rows there are", of(Type::Integer));
    let operation = operation(mounted, "count", "How many rows there are", answer, &[ANY, &[422]]);
    let named = prop("Name").contains("a");
    if mounted.policy().check(&named, &mounted.catalog).is_err() {
        return operation.build();
    }
    operation.parameter(query("keyword", "A part of the name of the rows that are counted", of(Type::String))).build()
}

fn insert(mounted: &Mounted) -> Operation {
    let answer =
        ResponseBuilder::new().description("Whether it was inserted").content(JSON, Content::new(Some(boolean())));
    let answer = answer.header("Location", described(Header::new(of(Type::String)), "Where the row is"));
    let operation = operation(mounted, "insert", "Inserts a row", tagged(mounted, answer), &[ANY, BODY, &[409]]);
    operation.request_body(Some(body(&format!("{}Insert", mounted.name())))).build()
}

fn update(mounted: &Mounted) -> Operation {
    let answer =
        ResponseBuilder::new().description("Whether there is such a row").content(JSON, Content::new(Some(boolean())));
    let operation = operation(mounted, "update", "Updates a row", tagged(mounted, answer), &[ANY, BODY, WRITE]);
    conditional(mounted, operation.request_body(Some(body(&format!("{}Update", mounted.name()))))).build()
}

fn page(mounted: &Mounted) -> Operation {
    let examples = examples::of_page(mounted)
        .into_iter()
        .map(|(name, summary, tree)| (name, ExampleBuilder::new().summary(summary).value(Some(tree)).build()));
    let name = mounted.name();
    let tree = if mounted.includes.is_empty() { trees::name(name) } else { included::query_name(name) };
    let content = ContentBuilder::new().schema(Some(schema_at(&tree))).examples_from_iter(examples).build();
    let body = RequestBodyBuilder::new()
        .description(Some("A filter, an order or a page of the rows, as a tree"))
        .required(Some(Required::True))
        .content(JSON, content)
        .build();
    let answer = answer("The page", schema_at(&format!("{}Page", mounted.name())));
    let words = |words: &[&str]| {
        let mut schema = Object::with_type(Type::String);
        schema.enum_values = Some(words.iter().map(|word| Value::from(*word)).collect());
        RefOr::T(Schema::Object(schema))
    };
    let operation = operation(mounted, "page", "A page of rows", answer, &[ANY, BODY])
        .response("400", Responses::bad_page())
        .parameter(query("count", "Whether all rows are counted", words(&["exact", "capped", "none"])))
        .parameter(query("after", "The cursor of the page before", of(Type::String)))
        .parameter(query("cursor", "Whether the answer has the cursor of the next page", words(&["true", "false"])))
        .request_body(Some(body));
    including(mounted, operation).build()
}

/// An operation whose rows may have related rows in them.
fn including(mounted: &Mounted, operation: OperationBuilder) -> OperationBuilder {
    if mounted.includes.is_empty() {
        return operation;
    }
    let mut path = Object::with_type(Type::String);
    path.enum_values = Some(mounted.includes.all().into_iter().map(|(path, _)| Value::from(path)).collect());
    let paths = RefOr::T(Schema::from(Array::new(RefOr::T(Schema::Object(path)))));
    let list = parameter(include::NAME, ParameterIn::Query, "The relations whose rows are included", paths);
    // With `,` between.
    let list = list.style(Some(ParameterStyle::Form)).explode(Some(false));
    operation.parameter(list.required(Required::False).build())
}

const JSON: &str = "application/json";

fn of(kind: Type) -> RefOr<Schema> {
    RefOr::T(Schema::Object(Object::with_type(SchemaType::Type(kind))))
}

fn boolean() -> RefOr<Schema> {
    of(Type::Boolean)
}

fn answer(description: &str, schema: RefOr<Schema>) -> Response {
    ResponseBuilder::new().description(description).content(JSON, Content::new(Some(schema))).build()
}

fn body(name: &str) -> RequestBody {
    let content = Content::new(Some(schema_at(name)));
    RequestBodyBuilder::new().required(Some(Required::True)).content(JSON, content).build()
}

fn parameter(name: &str, place: ParameterIn, description: &str, schema: RefOr<Schema>) -> ParameterBuilder {
    ParameterBuilder::new().name(name).parameter_in(place).description(Some(description)).schema(Some(schema))
}

fn id() -> Parameter {
    let description = "The key; of several columns, their values with `,` between";
    parameter("id", ParameterIn::Path, description, of(Type::String)).required(Required::True).build()
}

fn query(name: &str, description: &str, schema: RefOr<Schema>) -> Parameter {
    parameter(name, ParameterIn::Query, description, schema).required(Required::False).build()
}

fn header(name: &str, description: &str) -> Parameter {
    parameter(name, ParameterIn::Header, description, of(Type::String)).required(Required::False).build()
}

/// What a request may say of the version of the row that it writes.
fn conditional(mounted: &Mounted, operation: OperationBuilder) -> OperationBuilder {
    if !has_version(mounted) {
        return operation;
    }
    let operation = operation
        .parameter(header("If-Match", "The versions of which the row must have one; `*` if it must be there"))
        .parameter(header("If-None-Match", "The versions of which the row must have none"));
    if mounted.rules().require_version { operation.response("428", Responses::at(428)) } else { operation }
}

/// An answer with the version of its row.
fn tagged(mounted: &Mounted, answer: ResponseBuilder) -> Response {
    let tag = || described(Header::new(of(Type::String)), "The version of the row");
    if has_version(mounted) { answer.header("ETag", tag()).build() } else { answer.build() }
}

fn described(header: Header, description: &str) -> Header {
    let mut header = header;
    header.description = Some(description.to_owned());
    header
}

fn has_version(mounted: &Mounted) -> bool {
    mounted.entity().version.is_some()
}
