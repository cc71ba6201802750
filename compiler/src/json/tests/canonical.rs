//! Every node's canonical text, in both directions.

use super::{canonical, tree};
use crate::expr::*;
use crate::json::{Limits, read, to_string};

fn p(name: &str) -> PropertyExpr {
    prop(name)
}

#[test]
fn values() {
    canonical("null", null());
    canonical("5", constant(5));
    canonical("-9223372036854775808", constant(i64::MIN));
    canonical("18446744073709551615", constant(u64::MAX));
    canonical("true", constant(true));
    canonical(r#""a\"b\\c\n\u0001é𝄞""#, constant("a\"b\\c\n\u{1}é𝄞"));
    canonical("[1,\"a\",null,[2]]", constant(vec![1.into(), "a".into(), Value::Null, vec![Value::from(2)].into()]));
    canonical(r#"{"@":5}"#, value(5));
    canonical(r#"{"@":[]}"#, value(Vec::<Value>::new()));
    canonical(r#"{"@":1.5}"#, value(1.5));
    canonical(r#"{"@":1e+300}"#, value(1e300));
    canonical(r#"{"@":5.0}"#, value(5.0));
    canonical(r#"{"@":{"a":1,"b":[true]}}"#, value(map(&[("a", 1.into()), ("b", vec![Value::from(true)].into())])));
    canonical(r#"{"@":{"$map":{"$x":1}}}"#, value(map(&[("$x", 1.into())])));
    canonical(r#"{"$map":{"a":1}}"#, constant(map(&[("a", 1.into())])));
    canonical(r##"{"#":"Name"}"##, p("Name"));
    canonical(r##"{"#":"T0.Name"}"##, prop_of("T0", "Name"));
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
}

#[test]
fn typed_values() {
    use chrono::{DateTime, NaiveDate, TimeDelta};
    let day = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let noon = day.and_hms_milli_opt(10, 20, 30, 500).unwrap();
    canonical(r#"{"@":{"$date":"2024-01-31"}}"#, value(day));
    canonical(r#"{"$date":"2024-01-31"}"#, constant(day));
    canonical(r#"{"@":{"$time":"10:20:30.5"}}"#, value(noon.time()));
    canonical(r#"{"@":{"$datetime":"2024-01-31T10:20:30.5"}}"#, value(noon));
    canonical(r#"{"@":{"$datetime":"2024-01-31T00:00:00"}}"#, value(day.and_hms_opt(0, 0, 0).unwrap()));
    let zoned = DateTime::parse_from_rfc3339("2024-01-31T10:20:30.5-02:30").unwrap();
    canonical(r#"{"@":{"$datetimeoffset":"2024-01-31T10:20:30.5-02:30"}}"#, value(zoned));
    for (text, span) in [
        ("00:00:00", TimeDelta::zero()),
        ("01:02:03", TimeDelta::seconds(3723)),
        ("1.00:00:00.5000000", TimeDelta::milliseconds(86_400_500)),
        ("-00:00:00.5000000", TimeDelta::milliseconds(-500)),
        ("-10.00:00:01", TimeDelta::seconds(-864_001)),
        ("00:00:00.000000001", TimeDelta::nanoseconds(1)),
        ("106751991167.07:12:55.807000000", TimeDelta::MAX),
        ("-106751991167.07:12:55.807000000", TimeDelta::MIN),
    ] {
        let text = text.replace(".807000000", ".8070000");
        canonical(&format!(r#"{{"@":{{"$timespan":"{text}"}}}}"#), value(span));
    }
    let id = uuid::Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    canonical(r#"{"@":{"$guid":"01234567-89ab-cdef-0123-456789abcdef"}}"#, value(id));
    canonical(r#"{"@":{"$bytes":"AAH/"}}"#, value(vec![0, 1, 255_u8]));
    canonical(r#"{"@":{"$decimal":"1.50"}}"#, value("1.50".parse::<Decimal>().unwrap()));
    canonical(r#"{"@":1.25}"#, value("1.25".parse::<Decimal>().unwrap()));
    canonical(r#"{"@":{"$double":"NaN"}}"#, value(f64::NAN));
    canonical(r#"{"@":{"$double":"-Infinity"}}"#, value(f64::NEG_INFINITY));
    canonical(r#"{"@":{"$json":"{\"a\": 1}"}}"#, value(Value::Json(r#"{"a": 1}"#.into())));
    canonical(r#"{"@":[{"$date":"2024-01-31"},1]}"#, value(vec![day.into(), Value::from(1)]));
}
