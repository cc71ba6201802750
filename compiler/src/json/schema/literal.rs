//! What a column is compared with.

use serde_json::{Value, json};

use super::closed::{Closed, any_of, one_of};
use super::plain::native_text;
use crate::expr::{DbValueType as T, LogicOperator as O, Name};
use crate::functions::ArgKind;
use crate::json::words::{NATIVES, Native};
use crate::model::{Column, EnumDef, EnumStorage};

/// What a column holds, as far as a comparison with a literal goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
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

impl Class {
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
            T::Boolean | T::Binary | T::Object | T::Xml | T::Json | T::Jsonb => Kind::Plain,
            _ if column.ty.array => Kind::Plain,
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
    let number = || json!({ "type": "number" });
    match base {
        T::Boolean => json!({ "type": "boolean" }),
        _ if base.is_integer() => {
            let (least, most) = range(base);
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        _ if base.is_decimal() => any_of(vec![number(), typed(Native::Decimal)]),
        T::Double | T::Single => any_of(vec![number(), typed(Native::Double)]),
        _ if base.is_text() => json!({ "type": "string" }),
        T::Date => moment(&[Native::Date]),
        T::Time => moment(&[Native::Time]),
        T::DateTime | T::DateTime2 => moment(&[Native::DateTime, Native::Date]),
        T::DateTimeOffset => moment(&[Native::DateTimeOffset, Native::DateTime]),
        T::Guid => moment(&[Native::Guid]),
        T::Binary => moment(&[Native::Bytes]),
        T::Json | T::Jsonb => any_of(vec![json!({ "type": ["string", "number", "boolean"] }), typed(Native::Json)]),
        _ => json!({ "type": ["string", "number", "boolean"] }),
    }
}

/// A text of one of these types, by itself or under its marker.
fn moment(natives: &[Native]) -> Value {
    let bare = natives.iter().map(|native| native_text(*native));
    any_of(bare.chain(natives.iter().map(|native| typed(*native))).collect())
}

fn typed(native: Native) -> Value {
    let marker = NATIVES.iter().find(|(_, of)| *of == native).map_or("", |(marker, _)| marker);
    Closed::default().must(marker, native_text(native)).schema()
}

fn range(base: T) -> (i64, u64) {
    match base {
        T::Byte => (0, u8::MAX.into()),
        T::SByte => (i8::MIN.into(), i8::MAX.unsigned_abs().into()),
        T::Int16 => (i16::MIN.into(), i16::MAX.unsigned_abs().into()),
        T::Int32 => (i32::MIN.into(), i32::MAX.unsigned_abs().into()),
        T::UInt16 => (0, u16::MAX.into()),
        T::UInt32 => (0, u32::MAX.into()),
        T::UInt64 => (0, u64::MAX),
        _ => (i64::MIN, i64::MAX.unsigned_abs()),
    }
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
