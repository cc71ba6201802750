//! Entities as definitions in TOML and JSON, in the form that [`isogloss_compiler::model::definitions`] describes.

use std::fmt::Write as _;

use isogloss_driver::introspect::PortableType;
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::columns::Column;
use crate::constraints::{ForeignKey, Index};
use crate::model::{Entity, Member, Model};
use crate::relations::{Key, Relation};

/// A value of a definition; a table has its keys in the order in which one reads them.
enum Value {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Table(Vec<(&'static str, Value)>),
    /// A table whose keys are names of the database's.
    Named(Vec<(String, Value)>),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Bool(is) => to.serialize_bool(*is),
            Value::Number(number) => to.serialize_i64(*number),
            Value::Text(text) => to.serialize_str(text),
            Value::List(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Value::Table(pairs) => {
                let mut table = to.serialize_map(Some(pairs.len()))?;
                pairs.iter().try_for_each(|(key, value)| table.serialize_entry(key, value))?;
                table.end()
            }
            Value::Named(pairs) => {
                let mut table = to.serialize_map(Some(pairs.len()))?;
                pairs.iter().try_for_each(|(key, value)| table.serialize_entry(key, value))?;
                table.end()
            }
        }
    }
}

impl Value {
    fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// On one line of TOML.
    fn inline(&self, out: &mut String) {
        match self {
            Value::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
            Value::Number(number) => {
                let _ = write!(out, "{number}");
            }
            Value::Text(text) => out.push_str(&quoted(text)),
            Value::List(items) => parted(out, ["[", "]"], items, |out, item| item.inline(out)),
            Value::Table(pairs) => parted(out, ["{ ", " }"], pairs, |out, (key, value)| {
                out.push_str(key);
                out.push_str(" = ");
                value.inline(out);
            }),
            Value::Named(pairs) => parted(out, ["{ ", " }"], pairs, |out, (key, value)| {
                out.push_str(&quoted(key));
                out.push_str(" = ");
                value.inline(out);
            }),
        }
    }

    /// On a line, or on one for each item of a list.
    fn lines(&self, out: &mut String) {
        match self {
            Value::List(items) => {
                out.push_str("[\n");
                for item in items {
                    out.push_str("  ");
                    item.inline(out);
                    out.push_str(",\n");
                }
                out.push_str("]\n");
            }
            other => {
                other.inline(out);
                out.push('\n');
            }
        }
    }
}

/// Each escape of JSON is one of TOML, which wants one more character escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn parted<T>(out: &mut String, [open, close]: [&str; 2], items: &[T], one: impl Fn(&mut String, &T)) {
    out.push_str(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        one(out, item);
    }
    out.push_str(close);
}

pub(crate) fn json(model: &Model) -> String {
    let entities = model.entities.iter().map(|entity| {
        let mut pairs = head(entity);
        pairs.push(("columns", Value::List(entity.columns().map(column).collect())));
        if !entity.joins.is_empty() {
            pairs.push(("table_joins", Value::List(entity.joins.iter().map(join).collect())));
        }
        pairs.extend(beside(entity));
        Value::Table(pairs)
    });
    let all = Value::Table(vec![("entity", Value::List(entities.collect()))]);
    // Nothing in it can fail: keys are texts.
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

pub(crate) fn toml(model: &Model) -> String {
    let mut out = String::new();
    for entity in &model.entities {
        if !out.is_empty() {
            out.push('\n');
        }
        for note in &entity.notes {
            comment(&mut out, "", &note.beside());
        }
        out.push_str("[[entity]]\n");
        for (key, value) in head(entity) {
            let _ = write!(out, "{key} = ");
            value.inline(&mut out);
            out.push('\n');
        }
        out.push_str("columns = [\n");
        for member in &entity.members {
            match member {
                Member::LeftOut(finding) => comment(&mut out, "  ", &finding.beside()),
                Member::Column(own) => {
                    own.notes.iter().for_each(|note| comment(&mut out, "  ", &note.beside()));
                    out.push_str("  ");
                    column(own).inline(&mut out);
                    out.push_str(",\n");
                }
            }
        }
        out.push_str("]\n");
        if !entity.joins.is_empty() {
            out.push_str("table_joins = ");
            Value::List(entity.joins.iter().map(join).collect()).lines(&mut out);
        }
        for (key, value) in beside(entity) {
            let _ = write!(out, "{key} = ");
            value.lines(&mut out);
        }
    }
    out
}

/// What the table has beside its columns.
fn beside(entity: &Entity) -> Vec<(&'static str, Value)> {
    let list = |items: Vec<Value>| Some(items).filter(|items| !items.is_empty()).map(Value::List);
    let checks = entity.checks.iter().map(|(name, sql)| (name.clone(), Value::text(sql))).collect();
    let checks = Some(checks).filter(|checks: &Vec<_>| !checks.is_empty()).map(Value::Named);
    let all = [
        ("indexes", list(entity.indexes.iter().map(index).collect())),
        ("checks", checks),
        ("foreign_keys", list(entity.foreign_keys.iter().map(foreign_key).collect())),
    ];
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn properties(keys: &[Key]) -> Value {
    Value::List(keys.iter().map(|key| Value::text(&key.property)).collect())
}

fn index(index: &Index) -> Value {
    let mut pairs = vec![("columns", properties(&index.columns))];
    pairs.extend(index.unique.then_some(("unique", Value::Bool(true))));
    for (key, text) in [("filter", &index.filter), ("name", &index.name)] {
        pairs.extend(text.as_ref().map(|text| (key, Value::text(text))));
    }
    Value::Table(pairs)
}

fn foreign_key(key: &ForeignKey) -> Value {
    let mut pairs = vec![("columns", properties(&key.columns)), ("entity", Value::text(&key.target))];
    for (word, action) in [("on_delete", key.on_delete), ("on_update", key.on_update)] {
        pairs.extend(action.map(|action| (word, Value::text(action))));
    }
    pairs.extend(key.deferred.then_some(("deferred", Value::Bool(true))));
    pairs.extend(key.name.as_ref().map(|name| ("name", Value::text(name))));
    Value::Table(pairs)
}

/// A comment has no line breaks, and none of the characters that TOML forbids there.
fn comment(out: &mut String, indent: &str, text: &str) {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(out, "{indent}# {}", text.trim_end());
}

fn head(entity: &Entity) -> Vec<(&'static str, Value)> {
    let mut pairs = vec![("name", Value::text(&entity.name))];
    if entity.table != entity.name {
        pairs.push(("table", Value::text(&entity.table)));
    }
    if entity.is_view {
        pairs.push(("sync_table", Value::text("Never")));
    }
    pairs.extend(entity.comment.as_ref().map(|text| ("comment", Value::text(text))));
    pairs.extend(entity.key_name.as_ref().map(|name| ("key_name", Value::text(name))));
    pairs
}

fn column(column: &Column) -> Value {
    let mut pairs = vec![("name", Value::text(&column.property)), ("type", Value::text(type_text(&column.ty)))];
    if column.name != column.property {
        pairs.push(("column", Value::text(&column.name)));
    }
    for (key, is) in [
        ("nullable", column.nullable),
        ("primary_key", column.primary_key),
        ("unique", column.unique),
        ("index", column.index && !column.unique),
    ] {
        if is {
            pairs.push((key, Value::Bool(true)));
        }
    }
    match column.identity {
        Some((1, 1)) => pairs.push(("identity", Value::Bool(true))),
        Some((start, increment)) => {
            let numbers = vec![("start", Value::Number(start)), ("increment", Value::Number(increment))];
            pairs.push(("identity", Value::Table(numbers)));
        }
        None => {}
    }
    for (key, text) in [("default", &column.default), ("computed", &column.computed), ("comment", &column.comment)] {
        if let Some(text) = text {
            pairs.push((key, Value::text(text)));
        }
    }
    if column.read_only {
        pairs.push(("mode", Value::text("Read")));
    }
    let foreign = |relation: &Relation| {
        let mut pairs = vec![("entity", Value::text(&relation.target))];
        pairs.extend(relation.alias.as_ref().map(|alias| ("alias", Value::text(alias))));
        Value::Table(pairs)
    };
    match column.foreigns.as_slice() {
        [] => {}
        [one] => pairs.push(("foreign", foreign(one))),
        several => pairs.push(("foreign", Value::List(several.iter().map(foreign).collect()))),
    }
    Value::Table(pairs)
}

fn join(relation: &Relation) -> Value {
    let mut pairs = vec![("entity", Value::text(&relation.target)), ("foreign_keys", properties(&relation.keys))];
    if !relation.prime_keys.is_empty() {
        pairs.push(("prime_keys", properties(&relation.prime_keys)));
    }
    pairs.extend(relation.alias.as_ref().map(|alias| ("alias", Value::text(alias))));
    Value::Table(pairs)
}

/// `String(100)`, `Decimal(18,2)`, `DateTime2(0)`, `Int32[]`.
pub(crate) fn type_text(ty: &PortableType) -> String {
    let size = match (ty.length, ty.precision, ty.scale) {
        (Some(length), ..) => format!("({length})"),
        (None, Some(digits), scale) if ty.ty.base.is_decimal() => format!("({digits},{})", scale.unwrap_or(0)),
        (None, Some(digits), _) => format!("({digits})"),
        (None, None, _) => String::new(),
    };
    format!("{}{size}{}", ty.ty.base.name(), if ty.ty.array { "[]" } else { "" })
}
