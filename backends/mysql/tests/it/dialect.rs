//! What MySQL and MariaDB make of expressions. The answers were compared on MySQL 9.7 and MariaDB 10.11.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use isogloss_compiler::dialect::{Dialect, Feature};
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, Collation, ColumnCollation, ColumnDef, TableDef, TextMode, sample};
use isogloss_compiler::{Compiler, ErrorKind, Request};
use isogloss_mysql::{MariaDb, MySql};

const MARIADB: MariaDb = MariaDb::V10_11;

fn sql(dialect: impl Dialect, expr: impl Into<Expr>) -> String {
    match Compiler::new(sample::catalog()).compile(&expr.into(), &dialect) {
        Ok(compiled) => compiled.sql,
        Err(error) => format!("refused: {error}"),
    }
}

/// One item over orders.
fn item(dialect: impl Dialect, value: impl Into<ValueTypeExpr>) -> String {
    let text = sql(dialect, from("Order").order_by([prop("Id").asc()]).select([value.into().alias("x")]));
    let inner = text.strip_prefix("SELECT ").and_then(|t| t.split_once(" AS `x`")).map(|(item, _)| item.to_owned());
    inner.unwrap_or(text)
}

/// A condition over orders.
fn condition(dialect: impl Dialect, condition: impl Into<LogicExpr>) -> String {
    let text = sql(dialect, from("Order").filter(condition.into()).select([prop("Id")]));
    text.split_once(" WHERE ").map_or(text.clone(), |(_, condition)| condition.to_owned())
}

#[test]
fn versions_are_told_apart() {
    assert_eq!(MySql::V8_0.label(), "mysql 8.0");
    assert_eq!(MySql::V8_0_31.label(), "mysql 8.0.31");
    assert_eq!(MARIADB.label(), "mariadb 10.11");
    let compiler = Compiler::new(sample::catalog());
    let has = |dialect: &dyn Dialect, feature| compiler.target(dialect).has(feature);
    for (feature, before, since) in [
        (Feature::Lateral, MySql::V8_0, MySql::V8_0_14),
        (Feature::SetGroupParentheses, MySql::V8_0_19, MySql::V8_0_22),
        (Feature::Intersect, MySql::V8_0_22, MySql::V8_0_31),
        (Feature::Except, MySql::V8_0_22, MySql::V8_4),
    ] {
        assert!(!has(&before, feature) && has(&since, feature), "{feature:?}");
    }
    assert!(has(&MARIADB, Feature::Intersect) && has(&MARIADB, Feature::InsertReturning));
    assert!(!has(&MARIADB, Feature::Lateral) && !has(&MySql::V9_0, Feature::InsertReturning));
}

#[test]
fn names_and_paging() {
    assert_eq!(
        sql(
            MySql::V8_0,
            from("Order")
                .order_by([prop("Qty").asc().nulls_last(), prop("ShipDate").asc().nulls_last()])
                .skip(5)
                .select([prop("Id")])
        ),
        "SELECT `T0`.`Id` FROM `Orders` `T0` ORDER BY `T0`.`Qty`, CASE WHEN `T0`.`ShipDate` IS NULL THEN 1 ELSE 0 END, \
         `T0`.`ShipDate`, `T0`.`Id` LIMIT 18446744073709551615 OFFSET ?"
    );
    let locked = || from("User").take(1).lock(LockMode::Share, LockWait::SkipLocked).select([prop("Id")]);
    let text = "SELECT `T0`.`Id` FROM `Users` `T0` ORDER BY `T0`.`Id` LIMIT ? ";
    assert_eq!(sql(MySql::V8_0, locked()), format!("{text}FOR SHARE SKIP LOCKED"));
    assert_eq!(sql(MARIADB, locked()), format!("{text}LOCK IN SHARE MODE SKIP LOCKED"));
}

/// MySQL's hook refuses, MariaDB is what is named.
#[test]
fn what_the_base_refuses_is_the_variants_refusal() {
    let text = item(MARIADB, prop("Note").cast(DbValueType::Xml));
    assert_eq!(text, "refused: `CAST to Xml` is refused by mariadb 10.11: it has no type for it at $.Selects[0].Value");
}

/// A text in a generated column, where there are no parameters.
#[test]
fn a_text_with_a_backslash_is_written_as_bytes() {
    let column = |dialect: &dyn Dialect, text: &'static str| {
        let value = func("Replace", [ValueTypeExpr::from(prop("Note")), constant(text).into(), "/".into()]).into();
        Compiler::new(sample::catalog()).target(dialect).constant_value(&value, &Request::of("Order")).unwrap().sql
    };
    assert_eq!(column(&MySql::V8_0, "\\é\t"), "REPLACE(`Note`, _utf8mb4 X'5CC3A909', '/')");
    assert!(
        column(&MARIADB, "\\é\t").contains("CHAR(0x5C, 0xC3, 0xA9, 0x09 USING utf8mb4)"),
        "{}",
        column(&MARIADB, "\\é\t")
    );
    assert!(column(&MARIADB, "é'").contains("'é'''"));
}

#[test]
fn values_and_operators() {
    assert_eq!(item(MySql::V8_0, prop("Qty") / 2), "`T0`.`Qty` DIV ?");
    assert_eq!(item(MySql::V8_0, concat(prop("Note"), prop("Qty"))), "CONCAT(`T0`.`Note`, `T0`.`Qty`)");
    // Written as bytes it would have another collation.
    assert_eq!(item(MySql::V8_0, constant("a\\b")), "?");
    assert_eq!(item(MySql::V8_0, constant("it's")), "'it''s'");
    assert_eq!(item(MySql::V8_0, constant(1.5)), "1.5e0");
    assert_eq!(item(MySql::V8_0, value(1)), "CAST(? AS SIGNED)");
    assert_eq!(item(MARIADB, value(1)), "?");
    assert_eq!(item(MySql::V8_0, value("a")), "?");
    assert_eq!(
        item(MARIADB, prop("Amount") * Value::from("1.5".parse::<Decimal>().unwrap())),
        "`T0`.`Amount` * CAST(? AS DECIMAL(65, 30))"
    );
    assert_eq!(item(MARIADB, prop("Note").cast(DbValueType::Json)), "CAST(`T0`.`Note` AS CHAR)");
    assert_eq!(item(MySql::V8_0, prop("Qty").cast(DbValueType::Double)), "(`T0`.`Qty` + 0e0)");
    assert!(item(MySql::V8_0, prop("Qty").cast(DbValueType::Single)).starts_with("refused"));
    assert_eq!(item(MySql::V8_0_31, prop("Qty").cast(DbValueType::Double)), "CAST(`T0`.`Qty` AS DOUBLE)");
}

#[test]
fn conditions() {
    assert_eq!(condition(MySql::V8_0, prop("Note").is_distinct_from("x")), "NOT (`T0`.`Note` <=> ?)");
    assert_eq!(condition(MySql::V8_0, prop("Note").starts_with("a_")), "`T0`.`Note` LIKE ? ESCAPE X'5C'");
    assert_eq!(condition(MySql::V8_0, prop("Note").ilike("a%")), "LOWER(`T0`.`Note`) LIKE LOWER(?)");
    assert_eq!(condition(MySql::V8_0, prop("Note").regexp_like("^a")), "REGEXP_LIKE(`T0`.`Note`, ?, 'cn')");
    assert_eq!(condition(MARIADB, !prop("Note").regexp_like("^a")), "`T0`.`Note` NOT REGEXP CONCAT('(?s-i)', ?)");
    let ids: Vec<Value> = (0..100).map(Value::Int).collect();
    assert_eq!(
        condition(MARIADB, prop("Id").in_list(ids)),
        "`T0`.`Id` IN (SELECT v FROM JSON_TABLE(?, '$[*]' COLUMNS (v BIGINT PATH '$')) j)"
    );
    let names: Vec<Value> = (0..100).map(|n| Value::from(n.to_string())).collect();
    assert_eq!(
        condition(MySql::V8_0, prop("Note").in_list(names.clone())),
        "`T0`.`Note` IN (SELECT CASE CAST(JSON_TYPE(v) AS BINARY) WHEN 'STRING' THEN JSON_UNQUOTE(v) END \
         FROM JSON_TABLE(?, '$[*]' COLUMNS (v JSON PATH '$')) j)"
    );
    // Where no join is made of it, texts are compared one by one.
    let places = vec!["?"; 100].join(", ");
    let listed = || prop("Note").in_list(names.clone());
    let not_listed = format!("`T0`.`Note` NOT IN ({places})");
    assert_eq!(condition(MySql::V8_0, prop("Note").not_in_list(names.clone())), not_listed);
    assert_eq!(condition(MARIADB, !listed()), not_listed);
    assert_eq!(condition(MARIADB, listed() | prop("Id").eq(1)), format!("`T0`.`Note` IN ({places}) OR `T0`.`Id` = ?"));
    let many: Vec<Value> = (0..40_000).map(|n| Value::from(n.to_string())).collect();
    assert!(condition(MySql::V8_0, prop("Note").not_in_list(many)).contains("NOT IN (SELECT CASE"));
    assert_eq!(condition(MySql::V8_0, prop("Paid").is_true()), "`T0`.`Paid` = 1");
    assert_eq!(condition(MARIADB, !prop("Paid").is_true()), "`T0`.`Paid` = 0");
}

#[test]
fn a_list_of_a_change_is_read_once() {
    let delete = || {
        let ids: Vec<Value> = (0..100).map(Value::Int).collect();
        table("Order").delete().filter(prop("Id").in_list(ids))
    };
    assert!(sql(MARIADB, delete()).starts_with("DELETE FROM `Orders` WHERE `Id` IN (?, ?, ?"));
    assert!(sql(MySql::V8_4, delete()).contains("`Id` IN (SELECT v FROM JSON_TABLE(?"));
}

#[test]
fn decimals_of_many_digits() {
    let with = |digits: &str| item(MARIADB, prop("Amount") * Value::from(digits.parse::<Decimal>().unwrap()));
    assert!(with(&"9".repeat(35)).ends_with("CAST(? AS DECIMAL(65, 30))"));
    assert!(with(&format!("{}.5", "9".repeat(36))).ends_with("CAST(? AS DECIMAL(65, 27))"));
    assert!(with(&format!("0.{}", "9".repeat(30))).ends_with("CAST(? AS DECIMAL(65, 30))"));
    assert_eq!(item(MARIADB, prop("Qty").cast(DbValueType::UInt64)), "CAST(`T0`.`Qty` AS DECIMAL(20, 0))");
}

#[test]
fn what_looks_out_of_a_derived_table() {
    let inner = |outer: bool| {
        let user = from("User").filter(outer.then(|| prop("Name").eq(prop_of("T0", "Note"))));
        user.order_by([prop("Id").asc()]).take(3).select([prop("Id")])
    };
    let text = condition(MARIADB, prop("SalesUserId").in_list(inner(true)));
    assert!(text.contains("a derived table that looks at the query around it"), "{text}");
    assert!(condition(MySql::V8_0, prop("SalesUserId").in_list(inner(true))).contains("since 8.0.14"));
    for text in [
        condition(MySql::V8_4, prop("SalesUserId").in_list(inner(true))),
        condition(MARIADB, prop("SalesUserId").in_list(inner(false))),
    ] {
        assert!(text.starts_with("`T0`.`SalesUserId` IN (SELECT * FROM (SELECT"), "{text}");
    }
}

#[test]
fn calls() {
    let call = |name: &'static str, args: Vec<ValueTypeExpr>| func(name, args);
    let note = || ValueTypeExpr::from(prop("Note"));
    assert_eq!(item(MySql::V8_0, call("IndexOf", vec![note(), constant("x").into()])), "LOCATE('x', `T0`.`Note`) - 1");
    assert_eq!(item(MySql::V8_0, call("Trim", vec![note(), constant("x").into()])), "TRIM(BOTH 'x' FROM `T0`.`Note`)");
    assert_eq!(
        item(MARIADB, call("TrimEnd", vec![note(), constant("x-").into()])),
        "REGEXP_REPLACE(`T0`.`Note`, CONCAT('(?s-i)', ?), '')"
    );
    assert!(item(MySql::V8_0, call("Trim", vec![note(), note()])).contains("Trim of computed characters"));
    assert_eq!(
        item(MySql::V8_0, call("AddMonths", vec![prop("ShipDate").into(), prop("Qty").into()])),
        "DATE_ADD(`T0`.`ShipDate`, INTERVAL `T0`.`Qty` MONTH)"
    );
    assert_eq!(
        item(MySql::V8_0, call("Format", vec![prop("CreatedTime").into(), value("yyyy-MM-dd '100%'").into()])),
        "DATE_FORMAT(`T0`.`CreatedTime`, '%Y-%m-%d 100%%')"
    );
    assert!(
        item(MySql::V8_0, call("Format", vec![prop("CreatedTime").into(), value("fff").into()]))
            .starts_with("RIGHT(CONCAT('00', ")
    );
    assert_eq!(item(MySql::V8_0, call("JsonArray", vec![prop("Paid").into()])), "JSON_ARRAY(`T0`.`Paid` = 1)");
    assert_eq!(
        item(MARIADB, call("JsonExists", vec![prop("Data").into(), value("$.a[0]").into()])),
        "CASE WHEN CAST(JSON_TYPE(JSON_EXTRACT(`T0`.`Data`, '$.\"a\"')) AS BINARY) = 'ARRAY' \
         THEN JSON_CONTAINS_PATH(`T0`.`Data`, 'one', '$.\"a\"[0]') WHEN `T0`.`Data` IS NOT NULL THEN FALSE END"
    );
    assert_eq!(item(MariaDb::new(11, 8), call("NewGuid", vec![])), "UUID_v4()");
    assert!(item(MariaDb::V10_6, call("NewGuid", vec![])).starts_with("refused"));
}

#[test]
fn aggregates_and_windows() {
    fn one(dialect: impl Dialect, function: FunctionExpr) -> String {
        sql(dialect, from("Order").select([function.alias("x")]))
    }
    let mut names = aggregate("StringAgg", prop("Note"));
    names.args.push(value("\n").into());
    names.order_by = vec![prop("Id").desc()];
    assert_eq!(
        one(MySql::V8_0, names.clone()),
        "SELECT GROUP_CONCAT(`T0`.`Note` ORDER BY `T0`.`Id` DESC SEPARATOR X'0A') AS `x` FROM `Orders` `T0`"
    );
    assert!(item(MySql::V8_0, names.over()).contains("gathers groups only"));
    assert_eq!(
        one(MARIADB, aggregate("Avg", prop("Qty")).distinct().filter(prop("Qty").gt(0))),
        "SELECT AVG(DISTINCT CASE WHEN `T0`.`Qty` > ? THEN `T0`.`Qty` END + 0e0) AS `x` FROM `Orders` `T0`"
    );
    assert!(
        one(MySql::V8_0, aggregate("JsonArrayAgg", prop("Qty")).distinct()).contains("take DISTINCT in a subquery")
    );
    let filtered = aggregate("JsonArrayAgg", prop("Qty")).filter(prop("Qty").gt(0));
    assert!(one(MARIADB, filtered).contains("no CASE can stand for the filter"));
    let lag = |args: Vec<ValueTypeExpr>| func("Lag", args).over().order_by([prop("Id").asc()]);
    let three = || vec![prop("Qty").into(), value(1).into(), value(0).into()];
    assert_eq!(item(MySql::V8_0, lag(three())), "LAG(`T0`.`Qty`, 1, CAST(? AS SIGNED)) OVER (ORDER BY `T0`.`Id`)");
    assert_eq!(item(MARIADB, lag(three())), "COALESCE(LAG(`T0`.`Qty`, 1) OVER (ORDER BY `T0`.`Id`), ?)");
    let over = "OVER (ORDER BY `T0`.`Id`)";
    assert_eq!(
        item(MARIADB, lag(vec![prop("Note").into(), value(1).into(), value("").into()])),
        format!("CASE WHEN LAG(1, 1) {over} IS NULL THEN ? ELSE LAG(`T0`.`Note`, 1) {over} END")
    );
    assert_eq!(
        item(MySql::V8_0, aggregate("Avg", prop("Amount")).distinct()),
        "AVG(DISTINCT CAST(`T0`.`Amount` AS DECIMAL(65, 30)))"
    );
    assert!(item(MARIADB, lag(vec![prop("Qty").into(), prop("Id").into()])).contains("plain value"));
}

#[test]
fn upserts() {
    let values = || vec![Value::Int(1), Value::from("x")];
    let insert = || table("Customer").insert(["Id", "Name"], values());
    assert_eq!(
        sql(MySql::V8_0_19, insert().on_conflict_update([] as [&str; 0])),
        "INSERT INTO `Customers` (`Id`, `Name`) VALUES (?, ?) AS `new` ON DUPLICATE KEY UPDATE \
         `Id` = IF(`Customers`.`Id` = `new`.`Id`, `Customers`.`Id`, (SELECT 1 UNION SELECT 2)), `Name` = `new`.`Name`"
    );
    assert_eq!(
        sql(MARIADB, insert().on_conflict_update([] as [&str; 0])),
        "INSERT INTO `Customers` (`Id`, `Name`) VALUES (?, ?) ON DUPLICATE KEY UPDATE \
         `Id` = IF(`Customers`.`Id` = VALUES(`Id`), `Customers`.`Id`, (SELECT 1 UNION SELECT 2)), `Name` = VALUES(`Name`)"
    );
    assert_eq!(
        sql(MARIADB, insert().on_conflict_do_nothing([] as [&str; 0])),
        "INSERT INTO `Customers` (`Id`, `Name`) VALUES (?, ?) ON DUPLICATE KEY UPDATE \
         `Id` = IF(LAST_INSERT_ID(IF(`Customers`.`Id` = VALUES(`Id`), 7338091256402719483, 0)), `Customers`.`Id`, \
         (SELECT 1 UNION SELECT 2))"
    );
    // Vitess sets no number of the session's, whatever it is a variant of.
    assert_eq!(
        sql(isogloss_mysql::vitess(22), insert().on_conflict_do_nothing([] as [&str; 0])),
        "INSERT INTO `Customers` (`Id`, `Name`) VALUES (?, ?) AS `new` ON DUPLICATE KEY UPDATE \
         `Id` = IF(`Customers`.`Id` = `new`.`Id`, `Customers`.`Id`, (SELECT 1 UNION SELECT 2))"
    );
    // The fixed filter guards each assignment.
    assert_eq!(
        sql(MySql::V8_4, table("Department").insert(["Id", "Name"], values()).on_conflict_update([] as [&str; 0])),
        "INSERT INTO `Departments` (`Id`, `Name`, `State`) VALUES (?, ?, 1) AS `new` ON DUPLICATE KEY UPDATE \
         `Id` = IF(`Departments`.`Id` = `new`.`Id`, `Departments`.`Id`, (SELECT 1 UNION SELECT 2)), \
         `Name` = IF(`Departments`.`State` = 1, `new`.`Name`, `Departments`.`Name`)"
    );
    // A row that has another key of the table is an error, as elsewhere.
    let coded = || table("Region").insert(["Id", "Code"], values());
    assert_eq!(
        sql(MySql::V8_4, coded().on_conflict_do_nothing([] as [&str; 0])),
        "INSERT INTO `Regions` (`Id`, `Code`) VALUES (?, ?) AS `new` ON DUPLICATE KEY UPDATE \
         `Id` = IF(LAST_INSERT_ID(IF(`Regions`.`Id` = `new`.`Id`, 7338091256402719483, 0)), `Regions`.`Id`, \
         (SELECT 1 UNION SELECT 2))"
    );
    let moved = ConflictAction::Update(vec![("Id".into(), value(3).into())]);
    assert!(sql(MySql::V8_4, coded().conflict([] as [&str; 0], moved)).contains("another unique key"));
    let query = from("User").select([prop("Id"), prop("Name")]);
    let insert = table("Customer").insert_query(["Id", "Name"], query);
    assert_eq!(
        sql(MySql::V8_4, insert.on_conflict_update([] as [&str; 0])),
        "INSERT INTO `Customers` (`Id`, `Name`) SELECT * FROM (SELECT `T1`.`Id`, `T1`.`Name` FROM `Users` `T1`) \
         AS `new` (`Id`, `Name`) ON DUPLICATE KEY UPDATE \
         `Id` = IF(`Customers`.`Id` = `new`.`Id`, `Customers`.`Id`, (SELECT 1 UNION SELECT 2)), `Name` = `new`.`Name`"
    );
}

#[test]
fn an_assignment_sees_the_row_as_it_was() {
    let update = |sets: Vec<(&'static str, ValueTypeExpr)>| table("Order").update(sets).filter(prop("Id").eq(1));
    assert_eq!(
        sql(MySql::V8_0, update(vec![("Qty", prop("Qty") + 1), ("TenantId", prop("Qty").into())])),
        "UPDATE `Orders` SET `TenantId` = `Qty`, `Qty` = `Qty` + ? WHERE `Id` = ?"
    );
    let swap = update(vec![("Qty", prop("TenantId").into()), ("TenantId", prop("Qty").into())]);
    assert!(sql(MARIADB, swap).contains("from left to right"));
    // The same column of another table is another column.
    let other =
        || -> ValueTypeExpr { from("User").filter(prop("Id").eq(1)).select([prop("Age")]).into_segment().into() };
    let two = update(vec![("Qty", other()), ("TenantId", other())]);
    assert!(sql(MySql::V8_0, two).starts_with("UPDATE `Orders` SET `Qty` = (SELECT"));
}

/// A fixed filter is a text when it is looked at: what qualifies its columns counts there, too.
#[test]
fn a_filter_of_another_table_reads_nothing_of_the_row() {
    let number = |name: &str| ColumnDef::new(name, DbValueType::Int32);
    let team = TableDef::new("Team").column(number("Id").primary_key()).column(number("Kind").constant(7));
    let worker =
        TableDef::new("Worker").column(number("Id").primary_key()).column(number("State")).column(number("Kind"));
    let compiler = Compiler::new(Catalog::builder().table(team).table(worker).build().unwrap());
    let newest = from("Team").select([prop("Id").max()]).into_segment();
    let update = table("Worker").update([("State", ValueTypeExpr::from(newest)), ("Kind", prop("State").into())]);
    let sql = compiler.compile(&Expr::from(update.filter(prop("Id").eq(1))), &MySql::V8_0).unwrap().sql;
    assert!(sql.starts_with("UPDATE `Worker` SET `Kind` = `State`, `State` = (SELECT MAX("), "{sql}");
}

/// Whatever the table is called, no alias of the program's is taken for the row that an upsert proposes.
#[test]
fn an_alias_is_not_the_proposed_row() {
    let number = |name: &str| ColumnDef::new(name, DbValueType::Int32);
    let new = TableDef::new("New").table("new").column(number("Id").primary_key()).column(number("Qty"));
    let other = TableDef::new("Other").column(number("Qty").primary_key());
    let compiler = Compiler::new(Catalog::builder().table(new).table(other).build().unwrap());
    let (theirs, given) = (|| prop_of("new_row", "Qty"), prop_of("excluded", "Qty"));
    let most = from("Other").aliased("new_row").filter(theirs().lt(given)).select([theirs().max()]).into_segment();
    let action = ConflictAction::Update(vec![("Qty".into(), most.into())]);
    let upsert = table("New").insert(["Id", "Qty"], vec![1.into(), 2.into()]).conflict(["Id"], action);
    let sql = compiler.compile(&Expr::from(upsert), &MySql::V8_4).unwrap().sql;
    assert!(
        sql.contains("AS `new_row`") && sql.contains("< `new_row`.`Qty`") && !sql.contains("`Other` `new_row`"),
        "{sql}"
    );
}

#[test]
fn writes_over_their_own_table() {
    let own = || from("User").filter(prop("Age").gt(9)).select([prop("Id")]);
    let delete = || table("User").delete().filter(prop("Id").in_list(own()));
    let inner = "SELECT `T1`.`Id` FROM `Users` `T1` WHERE `T1`.`Age` > ?";
    assert_eq!(
        sql(MySql::V8_0, delete()),
        format!("DELETE FROM `Users` WHERE `Id` IN (SELECT /*+ NO_MERGE(`T2`) */ * FROM ({inner}) `T2`)")
    );
    assert_eq!(sql(MARIADB, delete()), format!("DELETE FROM `Users` WHERE `Id` IN ({inner})"));
    let returning = || table("User").delete().filter(prop("Id").eq(1)).returning([prop("Id")]);
    assert_eq!(sql(MARIADB, returning()), "DELETE FROM `Users` WHERE `Id` = ? RETURNING `Id`");
    assert!(sql(MySql::V9_0, returning()).contains("RETURNING of a DELETE"));
    let update = table("User").update([("Age", 1)]).filter(prop("Id").eq(1)).returning([prop("Id")]);
    let compiler = Compiler::new(sample::catalog());
    let error = compiler.compile(&Expr::from(update), &MARIADB).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Refused { .. }), "{error}");
}

#[test]
fn what_mariadb_lacks_is_refused() {
    let json = prop("Data").eq(Value::Json("{}".into()));
    assert!(condition(MariaDb::V10_6, json.clone()).contains("compares JSON by its text"));
    assert_eq!(condition(MARIADB, json.clone()), "JSON_EQUALS(`T0`.`Data`, JSON_EXTRACT(?, '$')) = 1");
    assert_eq!(condition(MySql::V8_0, json), "`T0`.`Data` = CAST(? AS JSON)");
    let rank = func("Rank", [] as [ValueTypeExpr; 0]).over();
    assert_eq!(item(MySql::V8_0, rank.clone()), "RANK() OVER ()");
    assert_eq!(item(MARIADB, rank), "RANK() OVER (ORDER BY NULL)");
}

/// What is known of a column's collation decides what is written beside it.
#[test]
fn a_known_collation_says_what_an_exact_text_takes() {
    let known = |column: &str, collation| ColumnCollation::new(None, "Orders", column, collation);
    let of = |collations: &[ColumnCollation], filter: LogicExpr| {
        let compiler = Compiler::new(sample::catalog());
        let target = compiler.target_of(&MARIADB, TextMode::Exact, collations);
        let query = from("Order").filter(filter).select([prop("Id")]).into_segment();
        let text = target.compile(&query).unwrap().sql;
        text.split_once(" WHERE ").unwrap().1.replace("`T0`.", "")
    };
    let equal = || prop("Note").eq("a");
    let columns = || prop("Note").eq(prop("OrderNo"));
    let nopad = || Collation::exact("utf8mb4_nopad_bin");
    let loose = || Collation::loose("utf8mb4_general_ci");
    let latin = || Collation::loose("latin1_swedish_ci").charset("latin1");
    for (collations, filter, expected) in [
        (vec![known("Note", nopad())], equal(), "`Note` = ?"),
        (vec![known("NOTE", nopad())], prop("Note").lt("a"), "`Note` < ?"),
        (vec![known("Note", Collation::sorted("x_bin"))], equal(), "`Note` = ?"),
        (vec![known("Note", Collation::sorted("x_bin"))], prop("Note").lt("a"), "`Note` COLLATE utf8mb4_nopad_bin < ?"),
        (vec![known("Note", loose())], equal(), "`Note` COLLATE utf8mb4_nopad_bin = ? AND `Note` = ?"),
        (vec![known("Note", loose())], !equal(), "`Note` COLLATE utf8mb4_nopad_bin <> ?"),
        (
            vec![known("Note", latin())],
            equal(),
            "CONVERT(`Note` USING utf8mb4) COLLATE utf8mb4_nopad_bin = ? \
             AND `Note` = CONVERT(CAST(? AS CHAR) USING latin1) COLLATE latin1_swedish_ci",
        ),
        // The engine would not compare the two by themselves.
        (
            vec![known("Note", loose()), known("OrderNo", Collation::loose("utf8mb4_unicode_ci"))],
            columns(),
            "`Note` COLLATE utf8mb4_nopad_bin = `OrderNo` COLLATE utf8mb4_nopad_bin",
        ),
        (vec![known("Note", nopad()), known("OrderNo", nopad())], columns(), "`Note` = `OrderNo`"),
    ] {
        assert_eq!(of(&collations, filter), expected);
    }
}
