//! The types of columns, and what a column or a field certainly is.
//!
//! The names are those of the compiler's `DbValueType`, on which a crate of macros does not depend.

use syn::{Error, LitStr, Result, Type};

use crate::checks::argument;
use crate::naming;

/// The names of the types, as the specification has them, and what their columns are.
const TYPES: [(&str, Option<Kind>); 29] = [
    ("AnsiString", Some(Kind::Text)),
    ("Binary", Some(Kind::Bytes)),
    ("Byte", Some(Kind::Integer)),
    ("Boolean", Some(Kind::Boolean)),
    ("Currency", Some(Kind::Decimal)),
    ("Date", Some(Kind::Temporal)),
    ("DateTime", Some(Kind::Temporal)),
    ("Decimal", Some(Kind::Decimal)),
    ("Double", Some(Kind::Float)),
    ("Guid", Some(Kind::Guid)),
    ("Int16", Some(Kind::Integer)),
    ("Int32", Some(Kind::Integer)),
    ("Int64", Some(Kind::Integer)),
    ("Object", None),
    ("SByte", Some(Kind::Integer)),
    ("Single", Some(Kind::Float)),
    ("String", Some(Kind::Text)),
    ("Time", Some(Kind::Temporal)),
    ("UInt16", Some(Kind::Integer)),
    ("UInt32", Some(Kind::Integer)),
    ("UInt64", Some(Kind::Integer)),
    ("VarNumeric", Some(Kind::Decimal)),
    ("AnsiStringFixedLength", Some(Kind::Text)),
    ("StringFixedLength", Some(Kind::Text)),
    ("Xml", Some(Kind::Text)),
    ("DateTime2", Some(Kind::Temporal)),
    ("DateTimeOffset", Some(Kind::Temporal)),
    ("Json", Some(Kind::Json)),
    ("Jsonb", Some(Kind::Json)),
];

/// The name of a type as it is spelled, whatever its case.
pub(crate) fn db_type(text: &LitStr) -> Result<LitStr> {
    let name = text.value();
    let names = TYPES.map(|(name, _)| name);
    match names.iter().find(|known| known.eq_ignore_ascii_case(&name)) {
        Some(known) => Ok(LitStr::new(known, text.span())),
        None => {
            let near = naming::near(&name, names);
            let hint = if near.is_empty() { format!(": it is one of {}", names.join(", ")) } else { near };
            Err(Error::new(text.span(), format!("`{name}` is no type of a column{hint}")))
        }
    }
}

/// What a column, or a field, certainly is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Decimal,
    Float,
    Boolean,
    Temporal,
    Guid,
    Bytes,
    Json,
}

impl Kind {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "a whole number",
            Self::Decimal => "a decimal",
            Self::Float => "a float",
            Self::Boolean => "a truth value",
            Self::Temporal => "a date or time",
            Self::Guid => "a UUID",
            Self::Bytes => "bytes",
            Self::Json => "JSON",
        }
    }

    /// That of a field of that type.
    pub(crate) fn of_type(ty: &Type) -> Option<Self> {
        let Type::Path(path) = ty else { return None };
        let last = path.path.segments.last()?;
        Some(match last.ident.to_string().as_str() {
            "String" => Self::Text,
            "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => Self::Integer,
            "Decimal" => Self::Decimal,
            "f32" | "f64" => Self::Float,
            "bool" => Self::Boolean,
            "NaiveDate" | "NaiveTime" | "NaiveDateTime" | "DateTime" => Self::Temporal,
            "Uuid" => Self::Guid,
            "Json" => Self::Json,
            "Vec" if argument(ty).is_some_and(|ty| matches!(ty, Type::Path(of) if of.path.is_ident("u8"))) => {
                Self::Bytes
            }
            _ => return None,
        })
    }

    /// That of a column whose type has that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).and_then(|(_, kind)| *kind)
    }

    /// Whether a column of it may be a row's version.
    pub(crate) fn is_version(self) -> bool {
        matches!(self, Self::Integer | Self::Temporal | Self::Guid | Self::Bytes)
    }

    /// Whether a literal of it is a text, as it has none of its own.
    pub(crate) fn is_written_as_text(self) -> bool {
        matches!(self, Self::Temporal | Self::Guid | Self::Bytes)
    }

    /// Whether a field of it takes what the database writes into such a column.
    pub(crate) fn takes(self, column: Self) -> bool {
        let number = |kind| matches!(kind, Self::Integer | Self::Decimal | Self::Float);
        self == column
            || number(self) && number(column)
            || self == Self::Guid && matches!(column, Self::Text | Self::Bytes)
    }
}
