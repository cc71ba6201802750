//! What is said of a value that does not fit.

use std::borrow::Cow;

use compact_str::{CompactString, format_compact};

use crate::expr::{DbType, Name, Value};

/// A value that does not fit its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue(Box<Misfit>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Misfit {
    property: Option<Name>,
    ty: DbType,
    value: String,
    why: Cow<'static, str>,
}

impl BadValue {
    /// The most characters of a value that a message shows.
    pub const SHOWN: usize = 40;

    pub(super) fn new(value: &Value, ty: DbType, why: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Misfit { property: None, ty, value: show(value), why: why.into() }))
    }

    /// The same, saying which property it was meant for.
    #[must_use]
    pub fn of(mut self, property: &Name) -> Self {
        self.0.property = Some(property.clone());
        self
    }

    /// The property that the value was meant for, where one is known.
    pub fn property(&self) -> Option<&Name> {
        self.0.property.as_ref()
    }

    /// The type that it does not fit.
    pub fn ty(&self) -> DbType {
        self.0.ty
    }

    /// What the value is, its text cut to [`BadValue::SHOWN`] characters.
    pub fn value(&self) -> &str {
        &self.0.value
    }

    /// Why it does not fit.
    pub fn why(&self) -> &str {
        &self.0.why
    }
}

impl std::fmt::Display for BadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Misfit { property, ty, value, why } = &*self.0;
        write!(f, "{value} does not fit ")?;
        if let Some(property) = property {
            write!(f, "`{property}`, ")?;
        }
        write!(f, "{}{}: {why}", ty.base.name(), if ty.array { "[]" } else { "" })
    }
}

impl std::error::Error for BadValue {}

impl BadValue {
    /// The same, saying which item of a list it was.
    pub(super) fn at(mut self, item: usize) -> Self {
        self.0.value = format!("item {item} of the list, {},", self.0.value);
        self
    }
}

/// The text of a value, cut.
pub(super) fn display(value: &Value) -> CompactString {
    match value {
        Value::Null => "null".into(),
        Value::Bool(v) => format_compact!("{v}"),
        Value::Int(v) => format_compact!("{v}"),
        Value::UInt(v) => format_compact!("{v}"),
        Value::Float(v) => format_compact!("{v}"),
        Value::Decimal(v) => format_compact!("{v}"),
        Value::Date(v) => format_compact!("{v}"),
        Value::Time(v) => format_compact!("{v}"),
        Value::DateTime(v) => format_compact!("{v}"),
        Value::DateTimeOffset(v) => format_compact!("{v}"),
        Value::TimeSpan(v) => format_compact!("{v}"),
        Value::Text(v) => format_compact!("{:?}", cut(v)),
        Value::Json(v) => cut(v),
        Value::Bytes(v) => format_compact!("of {} bytes", v.len()),
        Value::List(v) => format_compact!("of {} items", v.len()),
        Value::Map(v) => format_compact!("of {} names", v.len()),
        _ => value.word().map(|word| format_compact!("{word}")).unwrap_or_default(),
    }
}

/// The kind of a value and its text, cut.
fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        _ => format!("{} {}", value.kind(), display(value)),
    }
}

fn cut(text: &str) -> CompactString {
    match text.char_indices().nth(BadValue::SHOWN) {
        Some((end, _)) => format_compact!("{}...", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}
