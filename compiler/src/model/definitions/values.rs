//! The values of a definition's keys: types, modes, literals, and keys that have more than one form.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::OneForeignText;
use crate::expr::{DbType, DbValueType, Name, Value};
use crate::model::{ColumnMode, Identity};

/// `Decimal(18,2)`, `String(32)`, `Int32[]`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct TypeText {
    pub(super) ty: DbType,
    pub(super) length: Option<u32>,
    pub(super) precision: Option<u8>,
    pub(super) scale: Option<u8>,
}

impl TryFrom<String> for TypeText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let why = || {
            format!(
                "bad type `{text}`: it is a type's name, as in `Int32`, `String(100)`, `Decimal(18,2)`, `DateTime2(0)` or `String[]`"
            )
        };
        let (rest, array) = text.trim().strip_suffix("[]").map_or((text.trim(), false), |rest| (rest, true));
        let (name, size) = match rest.strip_suffix(')') {
            Some(rest) => rest.split_once('(').map(|(name, size)| (name, Some(size))).ok_or_else(why)?,
            None => (rest, None),
        };
        let base = DbValueType::from_name(name.trim()).ok_or_else(why)?;
        let mut read = Self { ty: DbType { base, array }, length: None, precision: None, scale: None };
        if let Some(size) = size {
            if base.is_decimal() {
                let (digits, scale) = size.split_once(',').unwrap_or((size, "0"));
                read.precision = Some(digits.trim().parse().map_err(|_| why())?);
                read.scale = Some(scale.trim().parse().map_err(|_| why())?);
            } else if base.has_seconds() {
                read.precision = Some(size.trim().parse().map_err(|_| why())?);
            } else {
                read.length = Some(size.trim().parse().map_err(|_| why())?);
            }
        }
        Ok(read)
    }
}

/// `Read|Insert`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ModeText(pub(super) ColumnMode);

impl TryFrom<String> for ModeText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let flag = |name: &str| {
            Ok(match name.trim().to_ascii_lowercase().as_str() {
                "read" => ColumnMode::READ,
                "update" => ColumnMode::UPDATE,
                "insert" => ColumnMode::INSERT,
                "write" => ColumnMode::WRITE,
                "final" => ColumnMode::FINAL,
                "full" => ColumnMode::FULL,
                "computed" => ColumnMode::COMPUTED,
                _ => {
                    return Err(format!(
                        "bad mode `{name}`: it is one of Read, Update, Insert, Write, Final, Full, Computed, or several with `|`"
                    ));
                }
            })
        };
        let mut flags = text.split('|').map(flag);
        let first = flags.next().unwrap_or(Ok(ColumnMode::FULL))?;
        flags.try_fold(first, |all, flag| flag.map(|flag| all | flag)).map(Self)
    }
}

/// Names with their values, in the order of the text where the format keeps it.
pub(super) struct Named<T>(pub(super) Vec<(Name, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Names<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names with their values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut named = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    named.push((Name::from(name), value));
                }
                Ok(Named(named))
            }
        }
        deserializer.deserialize_map(Names(std::marker::PhantomData))
    }
}

/// A truth value, a number or text.
pub(super) struct PlainValue(pub(super) Value);

impl<'de> Deserialize<'de> for PlainValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Plain;
        impl Visitor<'_> for Plain {
            type Value = PlainValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a truth value, a number or text; a date is written as text")
            }

            fn visit_bool<E>(self, value: bool) -> Result<PlainValue, E> {
                Ok(PlainValue(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<PlainValue, E> {
                Ok(PlainValue(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<PlainValue, E> {
                Ok(PlainValue(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<PlainValue, E> {
                Ok(PlainValue(value.into()))
            }

            fn visit_str<E>(self, value: &str) -> Result<PlainValue, E> {
                Ok(PlainValue(value.into()))
            }

            fn visit_unit<E>(self) -> Result<PlainValue, E> {
                Ok(PlainValue(Value::Null))
            }
        }
        deserializer.deserialize_any(Plain)
    }
}

/// A null that is written is a constant, not one that is left out.
pub(super) fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PlainValue>, D::Error> {
    PlainValue::deserialize(deserializer).map(Some)
}

/// `true`, or what an identity has.
#[derive(Default)]
pub(super) struct IdentityText(pub(super) Option<Identity>);

impl<'de> Deserialize<'de> for IdentityText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            #[serde(default = "one")]
            start: i64,
            #[serde(default = "one")]
            increment: i64,
            expression: Option<String>,
        }

        fn one() -> i64 {
            1
        }

        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = IdentityText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, or a table with start, increment and expression")
            }

            fn visit_bool<E: Error>(self, is: bool) -> Result<IdentityText, E> {
                Ok(IdentityText(is.then_some(Identity { start: 1, increment: 1, expression: None })))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<IdentityText, A::Error> {
                let Fields { start, increment, expression } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(IdentityText(Some(Identity { start, increment, expression })))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// One relation, or a list of them.
#[derive(Default)]
pub(super) struct ForeignText(pub(super) Vec<OneForeignText>);

impl<'de> Deserialize<'de> for ForeignText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ForeignText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with entity, alias, join_type, auto_expand and enforced, or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ForeignText, A::Error> {
                OneForeignText::deserialize(MapAccessDeserializer::new(map)).map(|one| ForeignText(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<ForeignText, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(ForeignText)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_with_their_sizes() {
        let read = |text: &str| {
            TypeText::try_from(text.to_owned()).map(|t| (t.ty.base, t.ty.array, t.length, t.precision, t.scale))
        };
        use DbValueType as T;
        assert_eq!(read("String(32)"), Ok((T::String, false, Some(32), None, None)));
        assert_eq!(read("decimal( 18 , 2 )"), Ok((T::Decimal, false, None, Some(18), Some(2))));
        assert_eq!(read("Currency(10)[]"), Ok((T::Currency, true, None, Some(10), Some(0))));
        assert_eq!(read("DateTime2(0)"), Ok((T::DateTime2, false, None, Some(0), None)));
        assert_eq!(read("Time(3)"), Ok((T::Time, false, None, Some(3), None)));
        for bad in [
            "",
            "Int",
            "DateTime2(1,2)",
            "String(",
            "String)",
            "String(x)",
            "String(-1)",
            "Decimal(1,2,3)",
            "Decimal(300)",
            "[]",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
