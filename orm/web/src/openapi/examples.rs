//! Trees that a controller takes as they stand.

use isogloss::expr::{DbValueType as T, Name};
use isogloss::model::{Column, Property};
use isogloss::{expr::ValueOps as _, expr::prop};
use serde_json::{Value, json};

use crate::Mounted;

/// Trees by name, each with what it asks for.
pub(super) fn of_page(mounted: &Mounted) -> Vec<(&'static str, &'static str, Value)> {
    let Some((name, column)) = column(mounted) else {
        return vec![("page", "The first rows", json!({ "$section": null, "Skip": 0, "Take": 10 }))];
    };
    let property = json!({ "#": name.as_str() });
    let filter = filter(&property, column);
    let rows = json!({ "$where": null, "Where": filter });
    let order = json!({ "$orderby": rows, "OrderBys": [{ "Field": property, "Asc": false }] });
    vec![
        ("filter", "The first page of the rows for which a condition holds", filter),
        ("page", "A page of the rows in an order", json!({ "$section": order, "Skip": 0, "Take": 10 })),
    ]
}

/// A property that every client may name: one that says something, before the key.
fn column(mounted: &Mounted) -> Option<(&Name, &Column)> {
    let view = mounted.view();
    let mut own: Vec<(&Name, &Column)> = Vec::new();
    for name in mounted.visible() {
        let is_named = mounted.policy().check(&prop(name.clone()).is_null(), &mounted.catalog).is_ok();
        if let Some(Property::Column(place)) = view.property(name.as_str()).filter(|_| is_named) {
            own.extend(view.columns.get(place).filter(|column| !column.ty.array).map(|column| (name, column)));
        }
    }
    let says =
        |column: &Column| column.enum_values.is_none() && (column.ty.base.is_text() || column.ty.base.is_number());
    let found = own.iter().find(|(_, column)| says(column) && !column.primary_key);
    found.or(own.first()).copied()
}

fn filter(property: &Value, column: &Column) -> Value {
    let compare = |sign: &str, right: Value| json!({ "$": sign, "Left": property, "Right": right });
    match column.ty.base {
        _ if column.enum_values.is_some() => compare("!=", Value::Null),
        T::Xml => compare("!=", Value::Null),
        base if base.is_text() => compare("contains", json!({ "@": "a" })),
        base if base.is_number() => compare(">=", json!({ "@": 1 })),
        _ => compare("!=", Value::Null),
    }
}
