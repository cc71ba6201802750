//! At the limits of engines: long lists, many parameters.

use isogloss_compiler::expr::*;
use isogloss_mysql::MySql;
use isogloss_sqlite::Sqlite;

use super::orders;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    // Computed items cannot be bound as one parameter: they show where a list is split.
    let computed = |n: i64| row((1..=n).map(|i| prop("Qty") + i).collect::<Vec<_>>());
    let built = |n: i64| row((1..=n).map(|i| ValueTypeExpr::from(value(i))).collect::<Vec<_>>());
    let plain = |n: i64| (1..=n).collect::<Vec<_>>();
    let mut cases: Vec<Case> = Vec::new();
    for n in [999, 1_000, 1_001] {
        cases.push(case(format!("in_{n}_values"), orders(prop("CustomerId").in_list(plain(n)))));
        cases.push(case(format!("in_{n}_expressions"), orders(prop("CustomerId").in_list(computed(n)))));
    }
    cases.push(case("not_in_1001_expressions", orders(prop("CustomerId").not_in_list(computed(1_001)))));
    cases.push(case("in_2500_expressions", orders(prop("CustomerId").in_list(computed(2_500)))));
    cases.push(case("in_70000_values", orders(prop("CustomerId").in_list(plain(70_000)))));
    cases.push(case("in_70000_values_built_one_by_one", orders(prop("CustomerId").in_list(built(70_000)))));
    cases.push(case("in_64_values", orders(prop("CustomerId").in_list(plain(64)))));
    cases.push(case("in_65_values", orders(prop("CustomerId").in_list(plain(65)))));
    // What is beyond some engine, on that engine only: the texts are long.
    let sqlite = || [Sqlite::V3_45.into()];
    let small = || [MySql::default().into(), Sqlite::V3_45.into()];
    let wide = |n: i64| (1..=n).map(|i| prop("Qty").ne(i)).collect::<Vec<_>>();
    cases.push(case("and_of_2500", orders(LogicExpr::all(wide(2_500)))).on(sqlite()));
    let text = |i: i64| ValueTypeExpr::from(format!("{i}").as_str());
    let parts = (1..=1_500).fold(ValueTypeExpr::from(prop("OrderNo")), |all, i| match all {
        ValueTypeExpr::Set(mut set) => {
            set.items.push(text(i));
            ValueTypeExpr::Set(set)
        }
        first => ValueTypeExpr::from(concat(first, text(i))),
    });
    cases.push(case("a_concatenation_of_1501", orders(parts.eq("x"))).on(sqlite()));
    let list = |n: i64| (1..=n).map(text).collect::<Vec<_>>();
    cases.push(
        case("a_function_of_200_arguments", orders(ValueTypeExpr::from(func("Coalesce", list(200))).eq("x")))
            .on(sqlite()),
    );
    let ids = || from("Customer").select([prop("Id")]);
    cases.push(case("a_union_of_501", (1..=500).fold(ids(), |all, _| all.union_all(ids()))).on(sqlite()));
    let joined = (1..=64).fold(from("Customer").aliased("c0"), |all, i| {
        let alias = format!("c{i}");
        let on = prop_of(alias.as_str(), "Id").eq(prop_of("c0", "Id"));
        all.join(TableJoinType::Inner, from("Customer").aliased(alias.as_str()), on)
    });
    cases.push(case("a_join_of_65_tables", joined.select([prop_of("c0", "Id")])).on(small()));
    let mut deep = prop("Qty").eq(1);
    for n in 2..300 {
        deep = !(deep & prop("Qty").eq(n));
    }
    cases.push(case("a_deep_tree", orders(deep)));
    cases
}
