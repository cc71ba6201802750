//! The id in a path.

use isogloss::expr::{DbValueType, Value};
use isogloss::json::to_base64;
use isogloss::model::Entity;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::names::camel;
use crate::rows::text;
use crate::{Problem, ProblemKind, WebResult};

/// The values of an entity's key: of several columns, they are in the key's order, with `,` between. A `,` in a value is
/// `%2C`.
pub(crate) fn key_of(entity: &Entity, text: &str) -> WebResult<Vec<Value>> {
    let bad = |detail: String| Problem::new(ProblemKind::BadId, detail);
    // A key of one column takes the whole of it.
    let wanted = entity.keys.len();
    let parts = text.splitn(if wanted == 1 { 1 } else { usize::MAX }, ',');
    let given = parts.clone().count();
    if given != wanted {
        return Err(bad(format!("An id has {wanted} values, with `,` between; this one has {given}.")));
    }
    let value = |(column, part): (&isogloss::model::Column, &str)| {
        let text = percent_decode_str(part).decode_utf8().map_err(|_| bad("The id is no UTF-8.".to_owned()))?;
        // No engine agrees with another on what such a text is.
        if text.contains('\0') {
            return Err(bad("The id has a NUL.".to_owned()));
        }
        // A row has one address: neither `01` nor `1e3` is one.
        let form = match column.ty.base {
            base if base.is_integer() && column.enum_values.is_none() && !is_whole(&text) => {
                Some("a whole number, without zeros before it")
            }
            DbValueType::Boolean if !matches!(&*text, "true" | "false") => Some("`true` or `false`"),
            _ => None,
        };
        if let Some(form) = form {
            return Err(bad(format!("`{}` of an id is {form}.", camel(column.name.as_str()))));
        }
        let value = Value::from(&*text);
        let value = column.coerce(&value).map_err(|error| bad(error.to_string()))?;
        Ok(value.into_owned())
    };
    entity.key_columns().zip(parts).map(value).collect()
}

/// The value that stands for all that an engine takes for the same: `1.50` is 1.5, and a time is the same at another offset.
fn normal(value: &Value) -> Value {
    match value {
        Value::Decimal(value) => value.normalize().into(),
        Value::DateTimeOffset(at) => Value::DateTimeOffset(at.to_utc().fixed_offset()),
        value => value.clone(),
    }
}

/// Whether a text is a whole number as it is printed.
fn is_whole(text: &str) -> bool {
    match text.strip_prefix('-').unwrap_or(text) {
        "0" => text == "0",
        digits => !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// The id of a key, as [`key_of`] reads it; there is none of a key that has no text.
pub(crate) fn id_of<'k>(key: impl IntoIterator<Item = &'k Value>) -> Option<String> {
    let mut id = String::new();
    for (place, value) in key.into_iter().enumerate() {
        if place > 0 {
            id.push(',');
        }
        id.extend(utf8_percent_encode(&text_of(&normal(value))?, RESERVED));
    }
    Some(id)
}

/// The ids of no row: nothing, what walks up a path, and other endpoints.
pub(crate) const NO_ADDRESSES: [&str; 5] = ["", ".", "..", "count", "page"];

/// Returns whether a row with that id has an address.
pub(crate) fn is_address(id: &str) -> bool {
    !NO_ADDRESSES.contains(&id)
}

/// What is not written as it is (RFC 3986).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A value as the text from which its column takes it, which is what rows have of it.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Decimal(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Bytes(bytes) => to_base64(bytes),
        other => {
            let mut out = Vec::new();
            return if text::plain(other, &mut out) { String::from_utf8(out).ok() } else { None };
        }
    })
}

#[cfg(test)]
mod tests {
    use isogloss::expr::DbValueType as T;
    use isogloss::model::{Catalog, ColumnDef, TableDef};

    use super::*;

    fn key(columns: &[T], text: &str) -> Option<Vec<Value>> {
        let mut table = TableDef::new("Seat");
        for (place, ty) in columns.iter().enumerate() {
            table = table.column(ColumnDef::new(format!("K{place}"), *ty).primary_key());
        }
        let catalog = Catalog::builder().table(table).build().unwrap();
        let (_, seat) = catalog.entity("Seat").unwrap();
        key_of(seat, text).ok()
    }

    #[test]
    fn a_text_becomes_the_key() {
        assert_eq!(key(&[T::Int32], "-7"), Some(vec![(-7).into()]));
        assert_eq!(key(&[T::Int32], "%30"), Some(vec![0.into()]));
        assert_eq!(key(&[T::Boolean], "true"), Some(vec![true.into()]));
        assert_eq!(key(&[T::String], "a%2Cb%20c"), Some(vec!["a,b c".into()]));
        assert_eq!(key(&[T::String], "a,b"), Some(vec!["a,b".into()]));
        assert_eq!(key(&[T::Int64, T::String], "5,a%2Cb"), Some(vec![5.into(), "a,b".into()]));
        assert!(matches!(key(&[T::Guid], "00000000-0000-0000-0000-000000000007").as_deref(), Some([Value::Uuid(_)])));
        assert!(matches!(key(&[T::Date], "2024-02-29").as_deref(), Some([Value::Date(_)])));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (columns, text) in [
            (&[T::Int32][..], "2147483648"),
            (&[T::Int32], "x"),
            (&[T::Int32], ""),
            (&[T::Int32], "1.5"),
            (&[T::Int32], "1e3"),
            (&[T::Int32], "+1"),
            (&[T::Int32], "01"),
            (&[T::Int32], "-0"),
            (&[T::Int32], "00"),
            (&[T::Int32], "-01"),
            (&[T::Boolean], "1"),
            (&[T::Boolean], "True"),
            (&[T::Int64], "9223372036854775808"),
            (&[T::Guid], "7"),
            (&[T::Date], "2023-02-29"),
            (&[T::String], "%ff"),
            (&[T::String], "a%00b"),
            (&[T::Int32, T::Int32], "1"),
            (&[T::Int32, T::Int32], "1,2,3"),
            (&[T::Int32, T::Int32], "1,"),
        ] {
            assert_eq!(key(columns, text), None, "{columns:?} {text}");
        }
    }

    #[test]
    fn a_key_has_one_id() {
        for (ty, text, other) in [
            (T::Decimal, "1.5", "01.50"),
            (T::Guid, "abcdef00-0000-0000-0000-000000000007", "ABCDEF00-0000-0000-0000-000000000007"),
            (T::DateTimeOffset, "2024-02-29T10:00:00Z", "2024-02-29T12:00:00%2B02:00"),
            (T::String, "a", "%61"),
        ] {
            let id = |text: &str| id_of(&key(&[ty], text).unwrap()).unwrap();
            assert_eq!(id(other), id(text));
            assert_eq!(id(&id(text)), id(text));
        }
    }

    #[test]
    fn a_key_is_read_from_its_id() {
        for (columns, text) in [
            (&[T::Int32][..], "-7"),
            (&[T::String], "a%2Cb%20%2F%C3%A9~"),
            (&[T::Int64, T::String], "5,a%2Cb"),
            (&[T::Guid], "00000000-0000-0000-0000-000000000007"),
            (&[T::DateTime2], "2024-02-29T10%3A00%3A00.5"),
            (&[T::DateTimeOffset], "2024-02-29T10%3A00%3A00Z"),
            (&[T::Date], "2024-02-29"),
            (&[T::Time], "23%3A59%3A59"),
            (&[T::Binary], "AQI%3D"),
        ] {
            assert_eq!(id_of(&key(columns, text).unwrap()).as_deref(), Some(text));
        }
    }
}
