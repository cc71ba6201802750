//! Conditions of their own, in statements that this test writes by hand.

use isogloss_compiler::Request;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{
    Expr, LogicExpr, SqlSegment, Value, ValueOps, exists_related, from, prop, prop_of, table,
};
use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, Result};
use isogloss_driver::ddl::Ddl;
use isogloss_mysql::MySql;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

fn sql(filter: &LogicExpr, root: &str, qualifier: Option<&str>, dialect: &dyn Dialect) -> Result<String> {
    let target = Compiler::new(sample::catalog()).target(dialect);
    Ok(target.condition(filter, &Request::of(root), qualifier)?.sql)
}

fn of_sales() -> LogicExpr {
    prop("DeptName").eq("Sales")
}

#[test]
fn columns_stand_as_the_statement_around_calls_them() {
    let filter = prop("Age").gt(5) & !prop("IsAdmin").is_true();
    let text = |qualifier| sql(&filter, "User", qualifier, &Postgres::V15).unwrap();
    assert_eq!(text(None), r#""Age" > $1 AND NOT "IsAdmin""#);
    assert_eq!(text(Some("u\"")), r#""u"""."Age" > $1 AND NOT "u"""."IsAdmin""#);
    assert_eq!(sql(&filter, "User", Some("u"), &SqlServer::V2019).unwrap(), "[u].[Age] > @P1 AND [u].[IsAdmin] = 0");
    // The fixed filter of the table comes first.
    let named = prop("Name").eq("Sales") | prop("Name").is_null();
    assert_eq!(
        sql(&named, "Department", Some("d"), &MySql::V8_0).unwrap(),
        "`d`.`State` = 1 AND (`d`.`Name` = ? OR `d`.`Name` IS NULL)"
    );
}

#[test]
fn what_is_not_of_the_table_is_asked_in_subqueries() {
    assert_eq!(
        sql(&of_sales(), "UserView", Some("u"), &Postgres::V15).unwrap(),
        concat!(
            r#""u"."Id" IN (SELECT "T2"."Id" FROM "Users" "T2" LEFT JOIN "Departments" "T3" ON "T2"."DeptId" = "T3"."Id" "#,
            r#"AND "T3"."State" = 1 WHERE "T3"."Name" = $1)"#
        )
    );
    let related = exists_related("Department", prop("Name").eq("Sales"));
    let text = |qualifier| sql(&related.clone().into(), "User", qualifier, &Postgres::V15).unwrap();
    let exists = |outer: &str| {
        format!(
            r#"EXISTS (SELECT 1 FROM "Departments" "T1" WHERE "T1"."State" = 1 AND "T1"."Id" = {outer}."DeptId" AND "T1"."Name" = $1)"#
        )
    };
    assert_eq!(text(Some("u")), exists(r#""u""#));
    assert_eq!(text(None), exists(r#""Users""#));
}

#[test]
fn what_has_no_place_in_a_condition_is_refused() {
    let refused =
        |filter: LogicExpr, root, qualifier| sql(&filter, root, qualifier, &Postgres::V15).unwrap_err().to_string();
    let cte = from("User").filter(prop("Age").gt(5)).select(["Id"]).with("adults");
    let among = prop("Id").in_list(SqlSegment::from(cte).select(["Id"]));
    assert!(refused(among, "User", None).contains("common table expression"));
    assert!(refused(prop("Age").gt(5), "User", Some("T1")).contains("T1"));
    assert!(refused(prop("Nmae").gt(5), "User", None).contains("did you mean `Name`"));
    assert!(refused(prop_of("x", "Age").gt(5), "User", Some("u")).contains("x"));
    let target = Compiler::new(sample::catalog()).target(&Postgres::V15);
    assert!(target.condition(&prop("Age").gt(5), &Request::default(), None).is_err());
}

#[test]
fn sqlite_takes_them_in_statements_of_all_kinds() {
    let catalog = sample::catalog();
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for name in ["Department", "User"] {
        let (id, _) = catalog.entity(name).unwrap();
        for statement in Sqlite::V3_45.create_table(&catalog, id, &[]).unwrap() {
            connection.execute_batch(&statement).unwrap();
        }
    }
    let target = Compiler::new(catalog).target(&Sqlite::V3_45);
    let bound = |values: &[isogloss_compiler::render::Parameter<'_>]| {
        let bind = |value: &Value| match value {
            Value::Int(n) => rusqlite::types::Value::from(*n),
            Value::Bool(truth) => i64::from(*truth).into(),
            Value::Text(text) => text.to_string().into(),
            other => panic!("{other:?}"),
        };
        rusqlite::params_from_iter(values.iter().map(|value| bind(&value.value)).collect::<Vec<_>>())
    };
    let insert = |statement: Expr| {
        let compiled = target.compile(&statement).unwrap();
        connection.execute(&compiled.sql, bound(&compiled.params)).unwrap();
    };
    insert(table("Department").insert_rows(["Id", "Name"], [(1, "Sales"), (2, "R&D")]).into());
    let users = [(1, "Ann", 1, 30), (2, "Bob", 2, 4), (3, "Cid", 1, 5)].map(|(id, name, dept, age)| {
        vec![id.into(), name.into(), dept.into(), age.into(), Value::Bool(false), "x".into()]
    });
    let columns = ["Id", "Name", "DeptId", "Age", "IsAdmin", "Password"];
    insert(table("User").insert(columns, users.concat()).into());

    let run = |before: &str, filter: &LogicExpr, qualifier| {
        let condition = target.condition(filter, &Request::of("UserView"), qualifier).unwrap();
        let sql = format!("{before} WHERE {}", condition.sql);
        if before.starts_with("SELECT") {
            connection.query_row(&sql, bound(&condition.params), |row| row.get::<_, u32>(0)).unwrap() as usize
        } else {
            connection.execute(&sql, bound(&condition.params)).unwrap()
        }
    };
    let adults = of_sales() & prop("Age").gt(10);
    assert_eq!(run("SELECT COUNT(*) FROM Users u", &of_sales(), Some("u")), 2);
    assert_eq!(run("SELECT COUNT(*) FROM Users JOIN Departments ON 1 = 1", &adults, Some("Users")), 2);
    assert_eq!(run("UPDATE Users SET Age = 40", &adults, None), 1);
    assert_eq!(run("DELETE FROM Users", &exists_related("Department", prop("Name").eq("R&D")).into(), None), 1);
    assert_eq!(run("SELECT COUNT(*) FROM Users", &prop("Age").ge(0), Some("Users")), 2);
}
