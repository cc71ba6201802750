//! What a column is compared with.

use serde_json::{Value, json};

use super::closed::{Closed, any_of, one_of};
use crate::expr::{DbValueType as T, Family, LogicOperator as O, Name};
use crate::functions::ArgKind;
use crate::json::native::Native;
use crate::model::{Column, EnumDef, EnumStorage};

/// What a column holds, as far as a comparison with a literal goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LiteralClass {
    /// What definitions about it are called.
    pub(super) name: String,
    /// The schema of its literals.
    pub(super) literal: Value,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is equal to another or not.
    Plain,
    /// It has an order.
    Ordered,
    /// It has an order, and parts.
    Text,
}

impl LiteralClass {
    /// That of a property which stands for that column.
    pub(super) fn of(property: &Name, column: &Column) -> Self {
        let base = column.ty.base;
        if let Some(members) = &column.enum_values {
            let ordered = members.stored == EnumStorage::Number && !column.ty.array;
            let kind = if ordered { Kind::Ordered } else { Kind::Plain };
            return Self {
                name: format!("{}Member", property.as_str()),
                literal: array_of(column, member(members)),
                kind,
            };
        }
        let kind = match base {
            T::Xml => Kind::Plain,
            _ if column.ty.array || !base.family().is_ordered() => Kind::Plain,
            _ if base.is_text() => Kind::Text,
            _ => Kind::Ordered,
        };
        let class = if base.is_text() && base != T::Xml { "Text" } else { base.name() };
        let name = if column.ty.array { format!("{class}Array") } else { class.to_owned() };
        Self { name, literal: array_of(column, literal(base)), kind }
    }

    /// Whether the comparison is one of its.
    pub(super) fn takes(&self, operator: O) -> bool {
        match operator {
            O::Equal | O::NotEqual | O::IsDistinctFrom | O::IsNotDistinctFrom | O::In | O::NotIn => true,
            O::GreaterThan | O::LessThan | O::LessThanOrEqual | O::GreaterThanOrEqual => self.kind != Kind::Plain,
            _ => self.kind == Kind::Text,
        }
    }

    /// Whether it holds truth values.
    pub(super) fn is_truth(&self) -> bool {
        self.name == T::Boolean.name()
    }
}

fn array_of(column: &Column, literal: Value) -> Value {
    if column.ty.array { json!({ "type": "array", "items": literal }) } else { literal }
}

/// A name or a number of an enumeration; of flags, any sum of them.
fn member(members: &EnumDef) -> Value {
    let names = one_of(members.members.iter().map(|member| member.name.as_str()));
    let numbers: Vec<i64> = members.members.iter().map(|member| member.number).collect();
    let number = if members.flags { json!({ "type": "integer" }) } else { json!({ "enum": numbers }) };
    any_of(vec![names, number])
}

/// A value of a type: as JSON has it, or under the marker of its type.
fn literal(base: T) -> Value {
    let natives = Native::of_column(base.family());
    let typed = natives.iter().map(|native| Closed::default().must(native.marker(), native.schema()).schema());
    let bare: Vec<Value> = match base.family() {
        Family::Boolean => vec![json!({ "type": "boolean" })],
        Family::Integer => {
            let (least, most) = base.range().unwrap_or_default();
            vec![json!({ "type": "integer", "minimum": least, "maximum": most })]
        }
        Family::Decimal | Family::Float => vec![json!({ "type": "number" })],
        Family::Text => vec![json!({ "type": "string" })],
        Family::Json | Family::Other => vec![json!({ "type": ["string", "number", "boolean"] })],
        _ => natives.iter().map(|native| native.schema()).collect(),
    };
    any_of(bare.into_iter().chain(typed).collect())
}

/// A literal where a function takes such an argument.
pub(super) fn argument(kind: ArgKind) -> Value {
    match kind {
        ArgKind::Any => json!({ "type": ["null", "boolean", "number", "string"] }),
        ArgKind::Text | ArgKind::Literal => literal(T::String),
        ArgKind::Number => literal(T::Decimal),
        ArgKind::Int => literal(T::Int32),
        ArgKind::Date => literal(T::DateTime),
        ArgKind::Moment => any_of(vec![literal(T::DateTime), literal(T::Time)]),
        ArgKind::Json => literal(T::Json),
        ArgKind::Bool => literal(T::Boolean),
    }
}
