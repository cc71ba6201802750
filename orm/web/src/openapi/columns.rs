//! The rows of a controller, as its clients read and write them.

use isogloss::expr::DbValueType as T;
use isogloss::model::{Column, EnumDef, EnumStorage, Property};
use serde_json::{Map, Value, json};

use super::object;
use crate::body::Write;
use crate::id::NO_ADDRESSES;
use crate::names::camel;
use crate::{Int64, Mounted};

/// The schemas of a controller's rows, pages and bodies.
pub(super) fn schemas(mounted: &Mounted) -> Vec<(String, Value)> {
    let name = mounted.name();
    let mut schemas = vec![(name.to_owned(), row(mounted)), (format!("{name}Page"), page(name))];
    if mounted.is_insertable() {
        schemas.push((format!("{name}Insert"), body(mounted, Write::Insert)));
    }
    if mounted.is_updatable() {
        schemas.push((format!("{name}Update"), body(mounted, Write::Update)));
    }
    schemas
}

/// A row as it is read.
pub(super) fn row(mounted: &Mounted) -> Value {
    let view = mounted.view();
    let mut members = Map::new();
    for name in mounted.visible() {
        let found = match view.property(name.as_str()) {
            Some(Property::Column(place)) => view.columns.get(place).map(|column| (column, column.nullable)),
            // A row that is joined may not be there.
            Some(Property::Foreign(place)) => {
                let column = view.foreign_columns.get(place).and_then(|foreign| mounted.catalog.foreign(foreign));
                column.map(|column| (column, true))
            }
            None => None,
        };
        let Some((column, nullable)) = found else { continue };
        let mut schema = or_null(read(column, mounted.rules().int64), nullable);
        let own = mounted.entity().column(name.as_str()).map(|(_, column)| column);
        let is_set = own.is_some_and(|column| {
            mounted.is_insertable() && may_set(column, Write::Insert)
                || mounted.is_updatable() && may_set(column, Write::Update)
        });
        if let Some(keys) = schema.as_object_mut().filter(|_| !is_set) {
            keys.insert("readOnly".into(), true.into());
        }
        members.insert(camel(name.as_str()), schema);
    }
    let required = members.keys().cloned().collect();
    object(members, required)
}

/// What [`Call::page`](crate::Call::page) answers.
fn page(name: &str) -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let items = json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/{name}") } });
    json!({
        "type": "object",
        "properties": {
            "skip": count(),
            "take": count(),
            "total": { "type": ["integer", "null"], "minimum": 0, "description": "How many rows there are; null with `count=none`." },
            "totalIsCapped": { "type": "boolean", "description": "Whether there are more, with `count=capped`." },
            "items": items,
            "next": { "type": ["string", "null"], "description": "A cursor, with `cursor=true`; null on the last page." },
        },
        "required": ["skip", "take", "total", "items"],
        "additionalProperties": false,
    })
}

/// The row in a body: what clients may set; of an update the key, and the version if there is one.
fn body(mounted: &Mounted, write: Write) -> Value {
    let entity = mounted.entity();
    let (mut members, mut required) = (Map::new(), Vec::new());
    for (place, column) in entity.columns.iter().enumerate() {
        let sees = mounted.visible().any(|visible| *visible == column.name);
        let is_key = write == Write::Update && column.primary_key;
        let is_version = write == Write::Update && entity.version == Some(place) && sees;
        let is_set = sees && may_set(column, write);
        if !(is_key || is_version || is_set) {
            continue;
        }
        let member = camel(column.name.as_str());
        if is_key || is_set && !column.nullable && column.default.is_none() {
            required.push(member.clone());
        }
        let mut schema = written(column);
        // A row with such a key would have no address.
        let is_whole_key = write == Write::Insert && column.primary_key && entity.keys.len() == 1;
        if let Some(keys) = schema.as_object_mut().filter(|_| is_whole_key && column.ty.base.is_text()) {
            keys.insert("not".into(), json!({ "enum": NO_ADDRESSES }));
        }
        members.insert(member, or_null(schema, column.nullable));
    }
    object(members, required)
}

fn may_set(column: &Column, write: Write) -> bool {
    column.writable
        && match write {
            Write::Insert => column.is_insertable(),
            Write::Update => column.is_updatable(),
        }
}

fn or_null(schema: Value, nullable: bool) -> Value {
    if nullable { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema }
}

/// A value of the column as rows have it.
fn read(column: &Column, int64: Int64) -> Value {
    let texts = int64 == Int64::String;
    let base = column.ty.base;
    let value = match &column.enum_values {
        Some(members) => names_of(members, members.stored == EnumStorage::Number),
        None if texts && (matches!(base, T::Int64 | T::UInt64) || base.is_decimal()) => digits(),
        None if base.is_float() => {
            any(vec![json!({ "type": "number" }), json!({ "enum": ["NaN", "Infinity", "-Infinity"] })])
        }
        None => value(base),
    };
    list_of(column, value)
}

/// A value of the column as bodies have it.
fn written(column: &Column) -> Value {
    let base = column.ty.base;
    let mut value = match &column.enum_values {
        Some(members) => names_of(members, true),
        None if base.is_number() => any(vec![value(base), digits()]),
        None => value(base),
    };
    if let (Some(keys), Some(length), true) =
        (value.as_object_mut(), column.length, base.is_text() && column.enum_values.is_none())
    {
        keys.insert("maxLength".into(), length.into());
    }
    list_of(column, value)
}

fn list_of(column: &Column, value: Value) -> Value {
    if column.ty.array { json!({ "type": "array", "items": value }) } else { value }
}

fn any(schemas: Vec<Value>) -> Value {
    json!({ "anyOf": schemas })
}

/// A number as a text, with all its digits.
fn digits() -> Value {
    json!({ "type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$" })
}

/// The names of an enumeration. A number is one of them, or a sum of flags.
fn names_of(members: &EnumDef, numbers: bool) -> Value {
    let names: Vec<&str> = members.members.iter().map(|member| member.name.as_str()).collect();
    let names = json!({ "type": "string", "enum": names });
    if numbers { any(vec![names, json!({ "type": "integer" })]) } else { names }
}

fn value(base: T) -> Value {
    let text = |format: &str| json!({ "type": "string", "format": format });
    match base {
        T::Boolean => json!({ "type": "boolean" }),
        T::Int64 => json!({ "type": "integer", "format": "int64" }),
        T::Int32 => json!({ "type": "integer", "format": "int32" }),
        _ if base.is_integer() => json!({ "type": "integer" }),
        _ if base.is_number() => json!({ "type": "number" }),
        T::Date => text("date"),
        T::DateTimeOffset => text("date-time"),
        T::Guid => text("uuid"),
        T::Binary => json!({ "type": "string", "contentEncoding": "base64" }),
        T::Time => json!({ "type": "string", "pattern": r"^\d{2}:\d{2}:\d{2}(\.\d+)?$" }),
        T::DateTime | T::DateTime2 => {
            json!({ "type": "string", "pattern": r"^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?$" })
        }
        T::Json | T::Jsonb | T::Object => json!({}),
        _ => json!({ "type": "string" }),
    }
}
