//! Texts by code points: the mode `exact`.

use isogloss_compiler::expr::{self, *};
use isogloss_compiler::model::TextMode;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

use super::{of_orders, orders};
use crate::{Case, Target, case};

/// Each dialect in a version that has what it takes.
fn targets() -> Vec<Target> {
    vec![
        Postgres::V15.into(),
        MySql::V8_0_19.into(),
        Target { unlike: Some("mysql"), ..MariaDb::new(10, 11).into() },
        Sqlite::V3_45.into(),
        SqlServer::V2019.into(),
        Oracle::V19.into(),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let note = || prop("Note");
    let city = || prop("City");
    let names = || from("Customer").select([prop("Name")]);
    let users = || from("User").select([prop("Name")]);
    let cities = || from("Customer").group_by([prop("City")]);
    let exact = |name: &str, expr: Expr| case(name, expr).text(TextMode::Exact).on(targets());
    let replaced = || func("Replace", [note().into(), ValueTypeExpr::from("a"), ValueTypeExpr::from("b")]);
    let texts = |count: usize| (0..count).map(|n| Value::from(format!("n{n}"))).collect::<Vec<_>>();
    vec![
        exact("equal", orders(note().eq("a"))),
        exact("equal_from_the_right", orders(value("a").eq(note()))),
        exact("not_equal", orders(note().ne("a"))),
        exact("not_of_equal", orders(!note().eq("a"))),
        exact("less", orders(note().lt("a"))),
        exact("between", orders(note().between("a", "b"))),
        exact("two_columns", orders(note().eq(prop("OrderNo")))),
        exact("a_computed_text", orders(func("Lower", [note()]).eq("a"))),
        exact("two_computed_texts", orders(func("Lower", [note()]).eq(func("Upper", [prop("OrderNo")])))),
        exact("a_text_that_is_exact_already", orders(replaced().eq("x"))),
        exact("ilike_a_text_that_is_exact_already", orders(note().ilike(replaced()))),
        exact("a_computed_text_without_a_column", orders(func("Lower", [value("A")]).eq("a"))),
        exact("two_parameters", orders(value("a").eq("A"))),
        exact("distinct_from", orders(note().is_distinct_from("a"))),
        exact("a_number_is_none", orders(prop("Qty").eq(5))),
        exact("in_a_list", orders(note().in_list(["a", "b"]))),
        exact("not_in_a_list", orders(note().not_in_list(["a", "b"]))),
        exact("in_a_list_with_null", orders(note().in_list([Some("a"), None]))),
        exact(
            "in_a_computed_list_with_null",
            orders(note().in_list(row([ValueTypeExpr::from(prop("OrderNo")), Value::Null.into()]))),
        ),
        exact("in_a_long_list", orders(note().in_list(texts(100)))),
        exact("in_a_query", orders(note().in_list(users().into_segment()))),
        exact("under_or", orders(note().eq("a") | prop("OrderNo").eq("b"))),
        exact("like", orders(note().like("a%"))),
        exact("not_contains", orders(note().compare(LogicOperator::NotContains, "ab"))),
        exact("ilike", orders(note().ilike("A%b"))),
        exact("starts_with_a_column", orders(note().starts_with(prop("OrderNo")))),
        exact("regexp", orders(note().regexp_like("^a[0-9]+"))),
        exact("an_order", from("Order").order_by([note().desc()]).select([prop("Id")]).into()),
        exact(
            "an_order_by_an_alias",
            from("Order")
                .select([func("Lower", [note()]).alias("Low")])
                .into_segment()
                .order_by([prop("Low").asc()])
                .into(),
        ),
        exact("a_page", from("Order").order_by([note().asc()]).take(5).select([prop("Id")]).into()),
        exact(
            "a_union_of_parameters",
            from("Region").select([value("a").alias("X")]).union(from("Region").select([value("A").alias("X")])).into(),
        ),
        exact(
            "an_intersection_of_parameters_in_a_list",
            orders(
                value("a").in_list(
                    from("Region")
                        .select([value("a").alias("X")])
                        .intersect(from("Region").select([value("A").alias("X")]))
                        .into_segment(),
                ),
            ),
        ),
        exact("distinct", from("Customer").select([prop("City")]).distinct().into()),
        exact(
            "distinct_and_ordered",
            from("Customer").order_by([prop("City").asc()]).select([prop("City")]).distinct().into(),
        ),
        exact(
            "distinct_on",
            from("Customer")
                .order_by([prop("City").asc()])
                .select([prop("City"), prop("Id")])
                .distinct_on([prop("City")])
                .into(),
        ),
        exact(
            "groups",
            cities()
                .having(count_all().gt(1))
                .select([SelectItemExpr::from("City"), count_all().alias("N")])
                .into_segment()
                .order_by([prop("City").asc()])
                .into(),
        ),
        exact("a_key_of_a_group_less", cities().having(city().lt("a")).select([count_all().alias("N")]).into()),
        exact("a_key_of_a_group_equal", cities().having(city().eq("a")).select([city().alias("City")]).into()),
        exact(
            "a_key_of_a_group_listed",
            cities().having(city().in_list(["a", "b"])).select([count_all().alias("N")]).into(),
        ),
        exact("a_key_of_a_group_like", cities().having(city().like("a%")).select([count_all().alias("N")]).into()),
        exact(
            "a_key_of_a_group_computed",
            cities().having(func("Lower", [city()]).lt("a")).select([count_all().alias("N")]).into(),
        ),
        exact(
            "a_key_of_a_group_ordered",
            cities()
                .having(city().between("a", "b"))
                .select([count_all().alias("N")])
                .into_segment()
                .order_by([city().asc()])
                .into(),
        ),
        exact("a_key_of_a_group_within_another_key", {
            let known = || ValueTypeExpr::from(func("Coalesce", [ValueTypeExpr::from(city()), "?".into()]));
            let groups = from("Customer").group_by([city().into(), known()]);
            groups.select([SelectItemExpr::from("City"), known().alias("Known"), count_all().alias("N")]).into()
        }),
        exact("a_group_in_a_value", cities().select([func("Upper", [prop("City")]).alias("U")]).into()),
        exact(
            "least_and_greatest",
            from("Customer").select([prop("City").min().alias("A"), prop("City").max().alias("Z")]).into(),
        ),
        exact("counted_distinct", from("Customer").select([prop("City").count_distinct().alias("N")]).into()),
        exact("union", names().union(users()).into()),
        exact("except", names().except(users()).into()),
        exact("union_all", names().union_all(users()).into()),
        exact("union_all_ordered", names().union_all(users()).into_segment().order_by([prop("Name").asc()]).into()),
        exact(
            "a_window",
            from("Order")
                .select([func("RowNumber", [] as [ValueTypeExpr; 0])
                    .over()
                    .partition_by([prop("OrderNo")])
                    .order_by([note().asc()])
                    .alias("N")])
                .into(),
        ),
        exact("a_case", of_orders(ValueTypeExpr::from(expr::case([(note().eq("a"), 1.into())], Some(2.into()))))),
        exact("index_of", of_orders(func("IndexOf", [note().into(), ValueTypeExpr::from("a")]))),
        exact(
            "replace",
            of_orders(func("Replace", [note().into(), ValueTypeExpr::from("a"), ValueTypeExpr::from("b")])),
        ),
        exact("trim", of_orders(func("Trim", [note()]))),
        exact("trim_characters", of_orders(func("Trim", [note().into(), ValueTypeExpr::from("ab")]))),
        exact("null_if", of_orders(func("NullIf", [note().into(), ValueTypeExpr::from("a")]))),
        exact("greatest", of_orders(func("Greatest", [note(), prop("OrderNo")]))),
        exact(
            "a_join",
            from("Order")
                .join(
                    TableJoinType::Inner,
                    from("Customer").aliased("c"),
                    prop_of("c", "Name").eq(prop_of("T0", "Note")),
                )
                .select([prop("Id")])
                .into(),
        ),
        exact("an_update", table("Order").update([("Note", value("x"))]).filter(note().eq("a")).into()),
        exact("a_delete", table("Order").delete().filter(note().in_list(["a"])).into()),
        exact(
            "an_upsert",
            table("Region")
                .insert(["Id", "Name", "Code"], vec![1.into(), "North".into(), "N".into()])
                .on_conflict_update(["Code"])
                .into(),
        ),
        exact(
            "an_upsert_by_a_number",
            table("Region")
                .insert(["Id", "Name", "Code"], vec![1.into(), "North".into(), "N".into()])
                .on_conflict_update(["Id"])
                .into(),
        ),
        case("an_old_mysql", orders(note().eq("a"))).text(TextMode::Exact).on([MySql::V8_0.into()]),
        case("an_old_oracle", orders(note().eq("a")))
            .text(TextMode::Exact)
            .on([Oracle::V12_1.into(), Oracle::V12_2.into()]),
    ]
}
