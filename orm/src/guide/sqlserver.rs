use isogloss::expr::{DbValueType, Value};
use isogloss::render::Parameter;
use tiberius::Query;
use tiberius::numeric::Numeric;

/// Binds a parameter after those before it.
pub fn bind<'q>(query: &mut Query<'q>, parameter: &'q Parameter<'_>) -> Result<(), String> {
    match &*parameter.value {
        // A NULL has a type on the wire. That of text turns into any but a binary one.
        Value::Null => match parameter.ty.map(|ty| ty.base) {
            Some(DbValueType::Binary) => query.bind(None::<&[u8]>),
            _ => query.bind(None::<&str>),
        },
        Value::Bool(v) => query.bind(*v),
        Value::Int(v) => query.bind(*v),
        Value::UInt(v) => query.bind(Numeric::new_with_scale(i128::from(*v), 0)),
        Value::Float(v) => query.bind(*v),
        // A Numeric has at most 37 digits after the point.
        Value::Decimal(v) if v.scale() < 38 => query.bind(Numeric::new_with_scale(v.mantissa(), v.scale())),
        Value::Decimal(v) => query.bind(v.to_string()),
        Value::Text(v) => query.bind(v.as_str()),
        Value::Json(v) => query.bind(v.as_ref()),
        Value::Bytes(v) => query.bind(v.as_ref()),
        Value::Date(v) => query.bind(*v),
        Value::Time(v) => query.bind(*v),
        Value::DateTime(v) => query.bind(*v),
        Value::DateTimeOffset(v) => query.bind(*v),
        Value::Uuid(v) => query.bind(*v),
        other => return Err(format!("a {} cannot be bound", other.kind())),
    }
    Ok(())
}
