use isogloss_compiler::Compiler;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{Expr, ValueOps, ValueTypeExpr, aggregate, from, func, null, prop, value};
use isogloss_compiler::model::sample;

use super::*;

/// The spelling of a value over an order.
fn spelled(value: impl Into<ValueTypeExpr>, dialect: &dyn Dialect) -> String {
    let value = value.into().alias("r");
    let query = Expr::from(from("Order").select([value]));
    match Compiler::new(sample::catalog()).compile(&query, dialect) {
        Ok(statement) => statement.sql.split(" AS \"r\"").next().unwrap().replacen("SELECT ", "", 1),
        Err(error) => error.to_string(),
    }
}

fn call<const N: usize>(name: &'static str, args: [ValueTypeExpr; N]) -> ValueTypeExpr {
    func(name, args).into()
}

fn p(name: &'static str) -> ValueTypeExpr {
    prop(name).into()
}

#[test]
fn every_function_is_spelled_or_refused() {
    for version in [crate::Sqlite::V3_35, crate::Sqlite::V3_45, crate::Sqlite::new(50, 0)] {
        for func in F::ALL {
            let row = FUNCTIONS.iter().find(|row| row.func == *func && row.since <= version.version());
            assert!(row.is_some(), "{func:?} on {}", version.label());
        }
    }
}

#[test]
fn later_versions_stand_before_earlier_ones() {
    for (index, row) in FUNCTIONS.iter().enumerate() {
        for later in FUNCTIONS.iter().skip(index + 1).filter(|later| later.func == row.func) {
            let whatever =
                row.on == On::Anything && row.args.is_none() && !row.plain && !row.distinct && row.not_null == 0;
            let shadowed = whatever && row.since <= later.since;
            assert!(!shadowed, "{later:?} is never reached");
        }
    }
}

#[test]
fn spellings() {
    let cases: &[(ValueTypeExpr, &str)] = &[
        (call("Length", [p("Note")]), r#"LENGTH("T0"."Note")"#),
        (call("Substring", [p("Note"), value(2).into(), value(5).into()]), r#"SUBSTR("T0"."Note", ? + 1, ?)"#),
        (
            call("Substring", [p("Note"), p("Qty")]),
            r#"SUBSTR("T0"."Note", CASE WHEN "T0"."Qty" < 0 THEN 0 ELSE "T0"."Qty" END + 1)"#,
        ),
        (call("Left", [p("Note"), value(-1).into()]), r#"SUBSTR("T0"."Note", 1, 0)"#),
        (call("Right", [p("Note"), value(3).into()]), r#"SUBSTR("T0"."Note", -?, ?)"#),
        (call("IndexOf", [p("Note"), value("x").into()]), r#"INSTR("T0"."Note", ?) - 1"#),
        (
            call("PadLeft", [p("OrderNo"), value(8).into(), value("0").into()]),
            r#"REPLACE(HEX(ZEROBLOB(? - LENGTH("T0"."OrderNo"))), '00', ?) || "T0"."OrderNo""#,
        ),
        (
            call("PadLeft", [p("OrderNo"), value(8).into(), value("ab").into()]),
            r#"the third argument of PadLeft or PadRight is misplaced: it is one character at $.Selects[0].Value"#,
        ),
        (
            call("Repeat", [p("OrderNo"), p("SalesUserId")]),
            r#"CASE WHEN CASE WHEN "T0"."SalesUserId" < 0 THEN 0 ELSE "T0"."SalesUserId" END IS NULL THEN NULL ELSE REPLACE(HEX(ZEROBLOB(CASE WHEN "T0"."SalesUserId" < 0 THEN 0 ELSE "T0"."SalesUserId" END)), '00', "T0"."OrderNo") END"#,
        ),
        (call("Greatest", [p("Qty"), value(1).into()]), r#"MAX("T0"."Qty", ?)"#),
        (call("Greatest", [p("SalesUserId"), p("Qty")]), r#"MAX("T0"."SalesUserId", "T0"."Qty")"#),
        (
            call("Round", [p("Amount"), value(1).into()]),
            r#"ROUND("T0"."Amount" * (1 + 2.3e-16 * (ABS("T0"."Amount") * CAST('1e' || ? AS REAL) < 1e15)), ?)"#,
        ),
        (
            call("Round", [p("Amount"), value(-1).into()]),
            r#"`rounding to tens or to computed digits` is refused by sqlite 3.45: SQLite rounds to digits after the point, given as a number at $.Selects[0].Value"#,
        ),
        (call("Ceiling", [p("Qty")]), r#""T0"."Qty""#),
        (call("Log", [p("Amount")]), r#"LN("T0"."Amount")"#),
        (call("Mod", [p("Amount"), p("Qty")]), r#"MOD("T0"."Amount", "T0"."Qty")"#),
        (prop("Qty") % 3, r#""T0"."Qty" % ?"#),
        (call("Coalesce", [null().into(), p("Note")]), r#"COALESCE(NULL, "T0"."Note")"#),
        (call("Year", [p("CreatedTime")]), r#"CAST(SUBSTR("T0"."CreatedTime", 1, 4) AS INTEGER)"#),
        (call("Year", [p("ShipDate")]), r#"CAST(SUBSTR("T0"."ShipDate", 1, 4) AS INTEGER)"#),
        (
            call("Week", [p("ShipDate")]),
            r#"(STRFTIME('%j', SUBSTR("T0"."ShipDate", 1, 10), '-3 days', 'weekday 4') - 1) / 7 + 1"#,
        ),
        (call("Hour", [p("ShipDate")]), r#"CAST(SUBSTR("T0"."ShipDate", 12, 2) AS INTEGER)"#),
        (call("AddDays", [p("ShipDate"), value(1).into()]), r#"DATE("T0"."ShipDate", ? || ' days')"#),
        (
            call("AddMonths", [p("ShipDate"), value(1).into()]),
            r#"MIN(DATE("T0"."ShipDate", ? || ' months'), DATE("T0"."ShipDate", 'start of month', ? || ' months', '+1 month', '-1 day'))"#,
        ),
        (
            call("AddMonths", [p("CreatedTime"), value(1).into()]),
            r#"MIN(DATE(SUBSTR("T0"."CreatedTime", 1, 10), ? || ' months'), DATE(SUBSTR("T0"."CreatedTime", 1, 10), 'start of month', ? || ' months', '+1 month', '-1 day')) || SUBSTR("T0"."CreatedTime", 11)"#,
        ),
        (
            call("AddHours", [p("CreatedTime"), p("Qty")]),
            r#"DATETIME(SUBSTR("T0"."CreatedTime", 1, 19), "T0"."Qty" || ' hours') || SUBSTR("T0"."CreatedTime", 20)"#,
        ),
        (
            call("DateDiffDays", [p("ShipDate"), p("ShipDate")]),
            r#"CAST(JULIANDAY("T0"."ShipDate") - JULIANDAY("T0"."ShipDate") AS INTEGER)"#,
        ),
        (
            call("DateDiffDays", [p("CreatedTime"), p("ShipDate")]),
            r#"(STRFTIME('%s', SUBSTR("T0"."CreatedTime", 1, 19)) * 1000000 + CAST(ROUND(SUBSTR("T0"."CreatedTime", 20) * 1000000) AS INTEGER) - (STRFTIME('%s', SUBSTR("T0"."ShipDate", 1, 19)) * 1000000 + CAST(ROUND(SUBSTR("T0"."ShipDate", 20) * 1000000) AS INTEGER))) / 86400000000"#,
        ),
        (call("TruncMonth", [p("ShipDate")]), r#"SUBSTR("T0"."ShipDate", 1, 7) || '-01'"#),
        (
            call("TruncWeek", [p("CreatedTime")]),
            r#"DATE(SUBSTR("T0"."CreatedTime", 1, 10), 'weekday 0', '-6 days') || ' 00:00:00'"#,
        ),
        (
            call("Format", [p("CreatedTime"), value("yyyy-MM-dd HH:mm:ss.fff").into()]),
            r#"STRFTIME('%Y-%m-%d %H:%M:%f', SUBSTR("T0"."CreatedTime", 1, 23))"#,
        ),
        (
            call("JsonValue", [p("Data"), value("$.a[0]").into()]),
            r#"CASE JSON_TYPE("T0"."Data", '$."a"[0]') WHEN 'text' THEN "T0"."Data" ->> '$."a"[0]' WHEN 'integer' THEN "T0"."Data" -> '$."a"[0]' WHEN 'real' THEN "T0"."Data" -> '$."a"[0]' WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END"#,
        ),
        (
            call("JsonExists", [p("Data"), value("$.a").into()]),
            r#"CASE WHEN "T0"."Data" IS NULL THEN NULL ELSE JSON_TYPE("T0"."Data", '$."a"') IS NOT NULL END"#,
        ),
        (
            call("JsonSet", [p("Data"), value("$.a.b").into(), value(true).into()]),
            r#"CASE WHEN JSON_TYPE("T0"."Data", '$."a"') = 'object' THEN JSON_SET("T0"."Data", '$."a"."b"', JSON(CASE ? WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)) ELSE "T0"."Data" END"#,
        ),
        (
            call("JsonSet", [p("Data"), value("$").into(), value(1).into()]),
            r#"bad name `$`: it has no step: there is no place to set at $.Selects[0].Value.JsonSet[1]"#,
        ),
        (
            call("JsonObject", [value("a").into()]),
            r#"function `JsonObject` takes a value for every name, 1 given at $.Selects[0].Value"#,
        ),
        (call("Hex", [p("Qty")]), r#"`Hex` is refused by sqlite 3.45: it takes bytes or text at $.Selects[0].Value"#),
        (call("Sum", [p("Qty")]), r#"SUM("T0"."Qty")"#),
        (call("Sum", [p("Id")]), r#"SUM("T0"."Id")"#),
        (func("Avg", [p("Qty")]).filter(prop("Qty").gt(1)).into(), r#"AVG("T0"."Qty") FILTER (WHERE "T0"."Qty" > ?)"#),
        (
            func("Avg", [p("Qty")]).over().partition_by([prop("CustomerId")]).into(),
            r#"AVG("T0"."Qty") OVER (PARTITION BY "T0"."CustomerId")"#,
        ),
        (
            func("StringAgg", [p("OrderNo"), value(",").into()]).order_by([prop("Id").asc()]).into(),
            r#"GROUP_CONCAT("T0"."OrderNo", ? ORDER BY "T0"."Id")"#,
        ),
        (aggregate("Min", prop("Token")).distinct().into(), r#"MIN(DISTINCT "T0"."Token")"#),
        (call("BoolAnd", [p("Paid")]), r#"MIN("T0"."Paid")"#),
        (
            call("JsonArrayAgg", [p("Paid")]),
            r#"NULLIF(JSON_GROUP_ARRAY(JSON(CASE "T0"."Paid" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)), '[]')"#,
        ),
        (
            prop("CreatedTime").cast(isogloss_compiler::expr::DbValueType::Date).into(),
            r#"SUBSTR("T0"."CreatedTime", 1, 10)"#,
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(spelled(value.clone(), &crate::Sqlite::V3_45), *expected);
    }
}
