//! Values as JSON: a whole number, a text, a truth value and null as they are, others in the notation of trees, as in
//! `{"$date":"2024-01-31"}`.

use isogloss_compiler::expr::{Expr, Value, ValueTypeExpr, constant};
use isogloss_compiler::json;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn written(value: &Value) -> serde_json::Result<serde_json::Value> {
    match value {
        Value::List(items) => items.iter().map(written).collect(),
        leaf => serde_json::from_str(&json::to_string(&Expr::Value(constant(leaf.clone()).into()))),
    }
}

fn read(value: serde_json::Value) -> Result<Value, String> {
    if let serde_json::Value::Array(items) = value {
        let items = items.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        return Ok(Value::List(items.into()));
    }
    match json::from_str(&value.to_string()) {
        Ok(Expr::Value(ValueTypeExpr::Value(read))) => Ok(read.value),
        Ok(_) => Err(format!(
            "`{value}` is no value: it is a literal, or one of the notation of trees, as `{{\"$date\":..}}`"
        )),
        Err(error) => Err(error.to_string()),
    }
}

struct Plain<'v>(&'v Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        written(self.0).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// A list of values, for `#[serde(with)]`.
pub(crate) mod values {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(values: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Plain))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
        let values = Vec::<serde_json::Value>::deserialize(deserializer)?;
        values.into_iter().map(|value| read(value).map_err(D::Error::custom)).collect()
    }
}

/// A list of rows of values, for `#[serde(with)]`.
pub(crate) mod rows {
    use super::*;

    struct Line<'v>(&'v [Value]);

    impl Serialize for Line<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            values::serialize(self.0, serializer)
        }
    }

    #[derive(Deserialize)]
    struct OwnedLine(#[serde(with = "values")] Vec<Value>);

    pub(crate) fn serialize<S: Serializer>(rows: &[Vec<Value>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(|row| Line(row)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<Value>>, D::Error> {
        Ok(Vec::<OwnedLine>::deserialize(deserializer)?.into_iter().map(|line| line.0).collect())
    }
}
