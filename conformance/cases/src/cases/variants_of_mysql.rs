//! What variants of a dialect write otherwise than their base, or refuse: cases of other topics, on the whole family.

use isogloss_compiler::expr::*;
use isogloss_mysql::{MariaDb, MySql, tidb};

use super::{ctes, in_lists, insert_item, joins, like, locks, of_orders, orders, regex, set_operations, subqueries};
use super::{update, upsert, windows};
use crate::targets::variants_of_mysql;
use crate::{Case, Target, case};

/// MySQL, MariaDB, and who speaks as they do.
fn of_mysql() -> Vec<Target> {
    let mut all = vec![MySql::V8_4.into(), Target { unlike: Some("mysql"), ..MariaDb::V10_11.into() }];
    all.extend(variants_of_mysql());
    all
}

pub(super) fn cases() -> Vec<Case> {
    let taken = [
        (like::cases(), "contains"),
        (regex::cases(), "plain"),
        (regex::cases(), "a_word"),
        (regex::cases(), "a_look_ahead"),
        (regex::cases(), "a_group_that_is_not_captured"),
        (regex::cases(), "one_extent"),
        (regex::cases(), "replaced_by_a_backslash"),
        (in_lists::cases(), "a_long_list_is_one_parameter"),
        (joins::cases(), "lateral_left"),
        (joins::cases(), "on_an_exists"),
        (subqueries::cases(), "in_of_a_page_that_looks_outside"),
        (ctes::cases(), "recursive"),
        (set_operations::cases(), "intersect"),
        (set_operations::cases(), "except"),
        (windows::cases(), "running_total"),
        (windows::cases(), "the_best_of_each_group"),
        (locks::cases(), "share"),
        (locks::cases(), "no_wait"),
        (locks::cases(), "skip_locked"),
        (locks::cases(), "a_view_with_joins"),
        (upsert::cases(), "by_the_primary_key"),
        (update::cases(), "a_related_filter"),
    ];
    let mut all: Vec<Case> = taken
        .into_iter()
        .map(|(cases, name)| {
            let found = cases.into_iter().find(|case| case.name == name);
            found.unwrap_or_else(|| unreachable!("{name}")).on(of_mysql())
        })
        .collect();
    // MySQL and MariaDB refuse it themselves.
    let round = ctes::cases().into_iter().find(|case| case.name == "a_round_with_an_outer_join");
    all.extend(round.map(|case| case.on([tidb(8, 5).into()])));
    let joined = |separator: &str| of_orders(func("StringAgg", [prop("Note").into(), ValueTypeExpr::from(separator)]));
    all.push(case("a_separator_with_a_backslash", joined("\\\n")).on(of_mysql()));
    let count = func("RegexpCount", [prop("Note").into(), ValueTypeExpr::from("[0-9]+")]);
    all.push(case("a_regex_counted", orders(count.gt(1))).on(of_mysql()));
    let moved = table("OrderItem").update([("OrderId", 2)]).filter(prop("OrderId").eq(1));
    all.push(case("a_row_that_moves", moved).on(of_mysql()));
    all.push(case("a_row_without_a_place", insert_item(&["LineNo", "ProductId", "Qty", "Price"])).on(of_mysql()));
    all
}
