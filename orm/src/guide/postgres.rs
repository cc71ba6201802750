use std::error::Error;

use bytes::{BufMut as _, BytesMut};
use isogloss::expr::Value;
use isogloss::render::Parameter;
use postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};

type BoxError = Box<dyn Error + Sync + Send>;

/// A parameter that is sent as text: the server reads it as the type that it takes the placeholder for, so a whole
/// number may meet a `numeric` column, and NULL anything.
#[derive(Debug)]
pub struct Bind<'p>(pub &'p Parameter<'p>);

impl ToSql for Bind<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match &*self.0.value {
            Value::Null => return Ok(IsNull::Yes),
            Value::List(items) => out.put(array(items)?.as_bytes()),
            value => out.put(text(value)?.as_bytes()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

fn text(value: &Value) -> Result<String, BoxError> {
    Ok(match value {
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::UInt(v) => v.to_string(),
        // `NaN`, `inf` and `-inf` are PostgreSQL's words, too.
        Value::Float(v) => v.to_string(),
        Value::Decimal(v) => v.to_string(),
        Value::Text(v) => v.to_string(),
        Value::Json(v) => v.to_string(),
        Value::Bytes(v) => v.iter().fold("\\x".to_owned(), |hex, byte| format!("{hex}{byte:02x}")),
        Value::Date(v) => v.to_string(),
        Value::Time(v) => v.to_string(),
        Value::DateTime(v) => v.to_string(),
        Value::DateTimeOffset(v) => v.to_rfc3339(),
        // A time of day, as the type of such a column is.
        Value::TimeSpan(v) => {
            let midnight = isogloss::chrono::NaiveTime::MIN;
            (midnight + *v).to_string()
        }
        Value::Uuid(v) => v.to_string(),
        other => return Err(format!("a {} cannot be bound", other.kind()).into()),
    })
}

/// `{"a","b",NULL}`
fn array(items: &[Value]) -> Result<String, BoxError> {
    let mut out = String::new();
    for item in items {
        out.push(if out.is_empty() { '{' } else { ',' });
        match item {
            Value::Null => out.push_str("NULL"),
            item => {
                let escaped = text(item)?.replace('\\', "\\\\").replace('"', "\\\"");
                out.push('"');
                out.push_str(&escaped);
                out.push('"');
            }
        }
    }
    out.push_str(if out.is_empty() { "{}" } else { "}" });
    Ok(out)
}
