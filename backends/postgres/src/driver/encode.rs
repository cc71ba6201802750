//! Types as tokio-postgres tells them, and values as its parameters.

use std::fmt;

use bytes::BytesMut;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Result, weight};
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type};

use crate::wire::{self, Scalar, Shape, Slot, encode};

impl Shape {
    pub(crate) fn of(ty: &Type) -> Self {
        let scalar = match *ty {
            Type::BOOL => Scalar::Bool,
            Type::INT2 => Scalar::Int2,
            Type::INT4 => Scalar::Int4,
            Type::INT8 => Scalar::Int8,
            Type::OID => Scalar::Oid,
            Type::FLOAT4 => Scalar::Float4,
            Type::FLOAT8 => Scalar::Float8,
            Type::NUMERIC => Scalar::Numeric,
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::XML | Type::UNKNOWN => Scalar::Text,
            Type::BPCHAR => Scalar::Padded,
            Type::BYTEA => Scalar::Bytes,
            Type::DATE => Scalar::Date,
            Type::TIME => Scalar::Time,
            Type::TIMESTAMP => Scalar::Timestamp,
            Type::TIMESTAMPTZ => Scalar::TimestampTz,
            Type::INTERVAL => Scalar::Interval,
            Type::UUID => Scalar::Uuid,
            Type::JSON => Scalar::Json,
            Type::JSONB => Scalar::Jsonb,
            _ => match ty.kind() {
                Kind::Enum(_) => Scalar::Text,
                Kind::Domain(base) => return Self::of(base),
                Kind::Array(element) => return Self { scalar: Self::of(element).scalar, array: true },
                // An extension's text without regard to case.
                Kind::Simple if ty.name() == "citext" => Scalar::Text,
                _ => Scalar::Other,
            },
        };
        Self { scalar, array: false }
    }
}

impl<'t> Slot<'t> {
    /// A type, which has this shape.
    pub(super) fn of(ty: &'t Type, shape: Shape) -> Self {
        Self { shape, name: ty.name(), element: element(ty) }
    }
}

/// The type of an array's elements.
fn element(ty: &Type) -> u32 {
    match ty.kind() {
        Kind::Array(element) => element.oid(),
        Kind::Domain(base) => element(base),
        _ => 0,
    }
}

/// The type that the server is told of a parameter that it may prepare for.
pub(super) fn declared(ty: Option<DbType>) -> Type {
    Type::from_oid(wire::declared(ty)).unwrap_or(Type::UNKNOWN)
}

/// Whether a value may be sent at all.
///
/// # Errors
/// What is longer than `most` bytes.
pub(super) fn sized(value: &Value, most: usize) -> Result<()> {
    let len = match value {
        Value::Text(text) => text.len(),
        Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => {
            items.iter().try_for_each(|item| sized(item, most))?;
            items.iter().map(weight).sum()
        }
        _ => return Ok(()),
    };
    if len > most {
        return Err(Error::new(ErrorKind::BadValue, format!("a value has {len} bytes, over {most}")));
    }
    Ok(())
}

/// A value as a parameter.
pub(super) struct Bound<'v>(pub(super) &'v Value);

/// Without the value: tokio-postgres logs its parameters.
impl fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bound").field(&format_args!("{}", self.0.kind())).finish()
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(match encode(self.0, Slot::of(ty, Shape::of(ty)), out)? {
            wire::IsNull::Yes => IsNull::Yes,
            wire::IsNull::No => IsNull::No,
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.to_sql(ty, out)
    }

    fn encode_format(&self, ty: &Type) -> Format {
        if Shape::of(ty).scalar == Scalar::Other { Format::Text } else { Format::Binary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_parameters_has_no_values() {
        assert_eq!(format!("{:?}", [Bound(&"s3cret".into()), Bound(&5.into())]), "[Bound(text), Bound(integer)]");
    }
}
