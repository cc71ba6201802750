//! At the limits of engines: long lists, many parameters.

use isogloss_compiler::expr::*;

use super::orders;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    // Computed items cannot be bound as one parameter: they show where a list is split.
    let computed = |n: i64| row((1..=n).map(|i| ValueTypeExpr::from(prop("Qty") + i)).collect::<Vec<_>>());
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
    cases.push(case("in_70000_expressions", orders(prop("CustomerId").in_list(computed(70_000)))));
    cases.push(case("in_70000_values_built_one_by_one", orders(prop("CustomerId").in_list(built(70_000)))));
    cases.push(case("in_64_values", orders(prop("CustomerId").in_list(plain(64)))));
    cases.push(case("in_65_values", orders(prop("CustomerId").in_list(plain(65)))));
    let mut deep = prop("Qty").eq(1);
    for n in 2..300 {
        deep = !(deep & prop("Qty").eq(n));
    }
    cases.push(case("a_deep_tree", orders(deep)));
    cases
}
