//! Bodies, and what becomes of them.

use isogloss::expr::DbValueType as T;
use isogloss::expr::{DbType, Decimal, Value};
use isogloss::model::{Catalog, ColumnDef, ColumnMode, TableDef};
use isogloss::service::DynamicObject;

use super::{Reader, Write};
use crate::names::members;
use crate::{Problem, ProblemKind};

fn catalog() -> Catalog {
    let column = |name: &str, ty: T| ColumnDef::new(name.to_owned(), ty);
    let table = TableDef::new("Item")
        .column(column("Id", T::Int64).primary_key().identity(1, 1))
        .column(column("TenantId", T::Int64))
        .column(column("Name", T::String).length(5).writable())
        .column(column("Count", T::Int32).nullable().writable())
        .column(column("Total", T::Int64).nullable().writable())
        .column(column("Big", T::UInt64).nullable().writable())
        .column(column("Price", T::Decimal).precision(6, 2).nullable().writable())
        .column(column("Exact", T::Decimal).nullable().writable())
        .column(column("Ratio", T::Double).nullable().writable())
        .column(column("Small", T::Single).nullable().writable())
        .column(column("Active", T::Boolean).nullable().writable())
        .column(column("Day", T::Date).nullable().writable())
        .column(column("At", T::DateTime2).nullable().writable())
        .column(column("Short", T::DateTime2).precision(3, 0).nullable().writable())
        .column(column("Clock", T::Time).precision(0, 0).nullable().writable())
        .column(column("Key", T::Guid).nullable().writable())
        .column(column("Data", T::Binary).length(4).nullable().writable())
        .column(column("Extra", T::Json).nullable().writable())
        .column(ColumnDef::new("Tags", DbType::array_of(T::String)).length(3).nullable().writable())
        .column(column("Status", T::Int32).enumeration([("Open", 1), ("Paid", 2)]).nullable().writable())
        .column(column("Source", T::String).length(9).default_sql("'web'").writable())
        .column(column("Origin", T::String).length(9).nullable().mode(ColumnMode::FINAL).writable())
        .column(column("Secret", T::String).length(9).nullable().writable().not_filterable())
        .column(column("Version", T::Int64).timestamp());
    Catalog::builder().table(table).build().unwrap()
}

fn read(catalog: &Catalog, write: Write, body: &str) -> Result<DynamicObject, Problem> {
    let (id, _) = catalog.entity("Item").unwrap();
    // What clients see of the entity, and of the view over it.
    let sees = |property: &str| {
        property.eq_ignore_ascii_case("CustomerName")
            || property != "Secret" && catalog.get(id).property(property).is_some()
    };
    let names = members(catalog.get(id));
    Reader::new(catalog, id, &names, &sees, write, 4).read(body.as_bytes())
}

/// The value that a member gives to its column.
fn value(member: &str, json: &str) -> Result<Value, (String, String)> {
    let catalog = catalog();
    let body = if member == "Name" {
        format!("{{\"Name\":{json}}}")
    } else {
        format!("{{\"name\":\"a\",\"{member}\":{json}}}")
    };
    let object = read(&catalog, Write::Insert, &body).map_err(|problem| {
        let [error] = problem.errors() else { panic!("{problem:?}") };
        assert_eq!(error.field(), member);
        (error.code().to_owned(), error.detail().to_owned())
    })?;
    let (place, _) = object.entity().column(member).unwrap();
    Ok(object.value(place).unwrap().clone())
}

fn codes(write: Write, body: &str) -> String {
    let problem = read(&catalog(), write, body).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::InvalidBody);
    let told = problem.errors().iter().map(|error| format!("{} {}", error.path(), error.code()));
    told.collect::<Vec<_>>().join(", ")
}

/// D.5 case 23
#[test]
fn numbers_keep_their_digits() {
    let decimal = |text: &str| Value::from(text.parse::<Decimal>().unwrap());
    assert_eq!(value("Total", "9007199254740993"), Ok(9_007_199_254_740_993_i64.into()));
    assert_eq!(value("Total", "\"9223372036854775807\""), Ok(i64::MAX.into()));
    assert_eq!(value("Big", "18446744073709551615"), Ok(Value::UInt(u64::MAX)));
    assert_eq!(value("Total", "-0"), Ok(0.into()));
    assert_eq!(value("Count", "1e2"), Ok(100.into()));
    assert_eq!(value("Price", "9999.99"), Ok(decimal("9999.99")));
    assert_eq!(value("Price", "1.500"), Ok(decimal("1.500")));
    let digits = "1234567890123456789012345678.9012345678";
    assert_eq!(value("Exact", digits), Ok(decimal(digits)));
    assert_eq!(value("Ratio", "0.1"), Ok(Value::Float(0.1)));
    for (member, json, code) in [
        ("Total", "9223372036854775808", "type"),
        ("Count", "2147483648", "type"),
        ("Count", "1.5", "type"),
        ("Count", "true", "type"),
        ("Count", "\"many\"", "type"),
        ("Price", "0.001", "too-precise"),
        ("Price", "10000", "too-large"),
        ("Exact", "1234567890123456789012345678901234567890", "type"),
        ("Exact", "1e400", "type"),
        ("Ratio", "1e400", "type"),
        ("Ratio", "\"NaN\"", "type"),
        ("Small", "1e39", "type"),
    ] {
        assert_eq!(value(member, json).unwrap_err().0, code, "{member} {json}");
    }
    assert_eq!(value("Count", "2147483648").unwrap_err().1, "`Count`: it takes -2147483648 to 2147483647.");
}

#[test]
fn dates_are_those_that_every_engine_has() {
    for (member, json) in [("Day", "\"0000-12-31\""), ("At", "\"0000-12-31T23:59:59\"")] {
        assert_eq!(value(member, json).unwrap_err().0, "type", "{member} {json}");
    }
    assert!(value("Day", "\"0001-01-01\"").is_ok() && value("At", "\"9999-12-31T23:59:59\"").is_ok());
}

#[test]
fn texts_become_what_the_column_holds() {
    assert_eq!(value("Name", r#""\u00e9\"a""#), Ok("é\"a".into()));
    assert_eq!(value("Active", "true"), Ok(true.into()));
    assert!(matches!(value("Day", "\"2024-02-29\""), Ok(Value::Date(_))));
    assert!(matches!(value("At", "\"2024-02-29T10:00:00.123Z\""), Ok(Value::DateTime(_))));
    assert!(matches!(value("Key", "\"00000000-0000-0000-0000-000000000007\""), Ok(Value::Uuid(_))));
    assert_eq!(value("Data", "\"AQI=\""), Ok(Value::from(&[1_u8, 2][..])));
    assert_eq!(value("Extra", r#"{ "a": [1] }"#), Ok(Value::Json(r#"{ "a": [1] }"#.into())));
    assert_eq!(value("Tags", r#"["a","b"]"#), Ok(vec![Value::from("a"), "b".into()].into()));
    assert_eq!(value("Status", "\"Paid\""), Ok(2.into()));
    assert_eq!(value("Status", "1"), Ok(1.into()));
    assert_eq!(value("Count", "null"), Ok(Value::Null));
    for (member, json, code) in [
        ("Name", "5", "type"),
        ("Name", "null", "null"),
        ("Name", "\"ééééé!\"", "too-long"),
        ("Name", r#""a\u0000""#, "type"),
        ("Name", r#""\ud800""#, "type"),
        ("Active", "1", "type"),
        ("Active", "\"true\"", "type"),
        ("Day", "\"2023-02-29\"", "type"),
        ("Day", "20240229", "type"),
        ("At", "\"2024-02-29T10:00:00+02:00\"", "type"),
        ("Key", "\"7\"", "type"),
        ("Data", "\"AQIDBAU=\"", "too-long"),
        ("Data", "\"???\"", "type"),
        ("Extra", "[[[[[]]]]]", "too-deep"),
        ("Tags", "\"a\"", "type"),
        ("Tags", r#"["abcd"]"#, "too-long"),
        ("Tags", "[null]", "type"),
        ("Status", "\"Gone\"", "type"),
        ("Status", "3", "type"),
        ("Status", "{}", "type"),
    ] {
        assert_eq!(value(member, json).unwrap_err().0, code, "{member} {json}");
    }
    // Its braces are text.
    assert!(value("Extra", r#""[[[[[[\"[[""#).is_ok());
}

#[test]
fn no_part_of_a_second_is_cut_off() {
    for (member, json) in [
        ("At", "\"2024-02-29T10:00:00.123456789\""),
        ("Short", "\"2024-02-29T10:00:00.123\""),
        ("Short", "\"2024-02-29T10:00:00.120000000\""),
        ("Clock", "\"10:00:00\""),
    ] {
        assert!(value(member, json).is_ok(), "{member} {json}");
    }
    let (code, why) = value("Short", "\"2024-02-29T10:00:00.1234\"").unwrap_err();
    assert_eq!((&*code, &*why), ("too-precise", "`Short`: it has at most 3 digits behind the seconds."));
    assert_eq!(value("Clock", "\"10:00:00.5\"").unwrap_err().0, "too-precise");
}

/// D.5 case 26
#[test]
fn only_what_is_writable_is_set() {
    let body = r#"{"name":"a","id":1,"tenantId":2,"version":3,"secret":"x","nothing":1,"SECRET":1,"customerName":"b"}"#;
    let told = "$.id not-writable, $.tenantId not-writable, $.version not-writable, $.secret unknown, $.nothing unknown, \
                $.SECRET unknown, $.customerName not-writable";
    assert_eq!(codes(Write::Insert, body), told);
    // The key says which row it is, and the version how it was when it was read.
    let told = "$.tenantId not-writable, $.origin not-writable, $.secret unknown";
    assert_eq!(codes(Write::Update, r#"{"id":1,"version":3,"name":"a","tenantId":2,"origin":"x","secret":"x"}"#), told);
    let catalog = catalog();
    let object = read(&catalog, Write::Update, r#"{"id":1,"version":3,"name":"a"}"#).unwrap();
    let set: Vec<&str> = object
        .entity()
        .columns
        .iter()
        .enumerate()
        .filter(|(place, _)| object.value(*place).is_some())
        .map(|(_, column)| column.name.as_str())
        .collect();
    assert_eq!(set, ["Id", "Name", "Version"]);
}

#[test]
fn what_is_required_is_named() {
    assert_eq!(codes(Write::Insert, "{}"), "$.name required");
    assert_eq!(codes(Write::Update, "{}"), "$.id required, $.name required");
    assert_eq!(codes(Write::Insert, r#"{"name":null,"count":"x"}"#), "$.name null, $.count type");
}

#[test]
fn no_member_is_there_twice() {
    assert_eq!(codes(Write::Insert, r#"{"name":"a","name":"b"}"#), "$.name duplicate");
    assert_eq!(codes(Write::Insert, r#"{"name":"a","Name":"b"}"#), "$.Name duplicate");
    assert_eq!(codes(Write::Insert, r#"{"name":"a","n\u0061me":"b"}"#), "$.name duplicate");
}

/// D.5 case 8
#[test]
fn what_is_no_object_is_refused() {
    let catalog = catalog();
    for body in ["", "null", "true", "[]", "5", "\"a\"", "{", "{} {}", "{\"name\":\"a\",}", "{\"a\" 1}", "\u{feff}{}"] {
        assert_eq!(read(&catalog, Write::Insert, body).unwrap_err().kind(), ProblemKind::BadJson, "{body}");
    }
    let deep = "[".repeat(200_000);
    assert_eq!(read(&catalog, Write::Insert, &format!("{{\"name\":{deep}")).unwrap_err().kind(), ProblemKind::BadJson);
}

#[test]
fn not_every_one_of_very_many_is_told() {
    let many: Vec<String> = (0..5_000).map(|n| format!("\"a{n}\":1")).collect();
    let problem = read(&catalog(), Write::Insert, &format!("{{{}}}", many.join(","))).unwrap_err();
    assert_eq!(problem.errors().len(), super::MOST_TOLD);
}
