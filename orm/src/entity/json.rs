//! JSON columns.

use isogloss_compiler::expr::{DbType, DbValueType, Value, ValueOps, ValueTypeExpr, func};
use isogloss_driver::{Error, ErrorKind, FromColumn, Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::{Column, Condition, Converter, Field, FieldError, Typed};

/// A field that is stored as a JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Json<T>(pub T);

/// Converts a field of any type with serde's traits to a JSON document: the converter of `#[column(json)]`.
#[derive(Debug, Clone, Copy)]
pub struct JsonConverter;

/// A JSON document as text, as the column holds it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonText(pub Box<str>);

impl FromColumn for JsonText {
    const WANTED: &'static str = "JSON";

    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
        Ok(row.json(index)?.map(|text| Self(text.into())))
    }
}

impl Field for JsonText {
    type Base = Self;
    type Like<O: Field> = O;

    const TYPE: DbType = DbType { base: DbValueType::Json, array: false };

    fn store(&self) -> std::result::Result<Value, FieldError> {
        Ok(Value::Json(self.0.clone()))
    }

    fn load(value: &Value) -> std::result::Result<Self, FieldError> {
        match value {
            Value::Json(text) => Ok(Self(text.clone())),
            Value::Text(text) => Ok(Self(text.as_str().into())),
            _ => Err(FieldError::wanted::<Self>(value)),
        }
    }
}

impl<T: Serialize + DeserializeOwned> Converter<T> for JsonConverter {
    type Stored = JsonText;

    fn store(field: &T) -> std::result::Result<JsonText, FieldError> {
        let text = serde_json::to_string(field).map_err(|error| FieldError::new(format!("it is no JSON: {error}")))?;
        Ok(JsonText(text.into()))
    }

    fn load(stored: JsonText) -> std::result::Result<T, FieldError> {
        serde_json::from_str(&stored.0).map_err(|error| FieldError::new(misfit(&error)))
    }
}

/// Why and where a document does not fit, without what stands there.
fn misfit(error: &serde_json::Error) -> String {
    let why = match error.classify() {
        Category::Eof => "it ends too soon",
        Category::Syntax => "it is no JSON",
        Category::Data | Category::Io => "a part is another than the field's type has",
    };
    format!("the JSON does not fit: {why}, at line {} column {}", error.line(), error.column())
}

impl<T: DeserializeOwned> FromColumn for Json<T> {
    const WANTED: &'static str = "JSON";

    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
        let Some(text) = row.json(index)? else { return Ok(None) };
        let name = row.name(index).unwrap_or("?");
        let read = serde_json::from_str(text);
        let bad = |error| Error::new(ErrorKind::Decode, format!("column `{name}` (index {index}): {}", misfit(&error)));
        Ok(Some(Self(read.map_err(bad)?)))
    }
}

impl<T: 'static + Serialize + DeserializeOwned> Field for Json<T> {
    type Base = Self;
    type Like<O: Field> = O;

    const TYPE: DbType = JsonText::TYPE;

    fn store(&self) -> std::result::Result<Value, FieldError> {
        JsonConverter::store(&self.0)?.store()
    }

    fn load(value: &Value) -> std::result::Result<Self, FieldError> {
        JsonConverter::load(JsonText::load(value)?).map(Self)
    }
}

macro_rules! methods {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        #[allow(clippy::len_without_is_empty, reason = "a document is no list: what has no length is neither")]
        impl<$($generic)*> $of {
            /// The number of items of an array; NULL if it is not one.
            #[must_use]
            pub fn len(self) -> Typed<E, Option<i32>> {
                Typed::new(func("JsonLength", [ValueTypeExpr::from(self)]))
            }

            /// The scalar at a path (`$.name`, `$[0]`) as text; NULL if there is none.
            #[must_use]
            pub fn at(self, path: &str) -> Typed<E, Option<String>> {
                Typed::new(func("JsonValue", [ValueTypeExpr::from(self), path.into()]))
            }

            /// Whether there is a value at a path.
            #[must_use]
            pub fn has(self, path: &str) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(func("JsonExists", [ValueTypeExpr::from(self), path.into()])).is_true())
            }
        }
    )*};
}

methods! {
    [E] Column<E, JsonText>;
    [E] Column<E, Option<JsonText>>;
    [E, T] Column<E, Json<T>>;
    [E, T] Column<E, Option<Json<T>>>;
}
