//! Regular expressions: what engines read in different ways is written out, or refused.

use isogloss_compiler::expr::*;
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use super::{of_orders, orders};
use crate::{Case, Target, case};

/// Engines that have them.
fn engines() -> Vec<Target> {
    vec![
        Postgres::V15.into(),
        MySql::default().into(),
        MariaDb::new(10, 11).into(),
        SqlServer::V2025.into(),
        Oracle::V19.into(),
        Target { unlike: Some("postgres"), ..DuckDb::V1_5.into() },
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let test = |name: &str, pattern: &str| case(name, orders(prop("Note").regexp_like(pattern))).on(engines());
    let part = |name: &str, pattern: &str| {
        case(name, of_orders(func("RegexpSubstr", [prop("Note").into(), ValueTypeExpr::from(pattern)]))).on(engines())
    };
    let replaced = |name: &str, with: &str| {
        let args = [prop("Note").into(), ValueTypeExpr::from("[0-9]+"), with.into()];
        case(name, of_orders(func("RegexpReplace", args))).on(engines())
    };
    vec![
        test("plain", "^a[0-9]+b"),
        test("end", "ab$"),
        test("any_character", "a.b"),
        test("classes_of_ascii", r"^\d+\s\w"),
        test("an_escape_in_a_class", r"[\w\].-]"),
        test("case_that_does_not_matter", "(?i)ab-é"),
        test("a_group_that_is_not_captured", r"(?:a|b)(c)\1"),
        test("a_word", r"\bcat\b"),
        test("a_border_inside", r"a\b.b"),
        test("a_look_ahead", "a(?=b)"),
        test("a_look_behind", "(?<!a)b"),
        test("a_character_by_its_code", r"\x41\t"),
        test("of_500_bytes", &"a".repeat(500)),
        test("of_600_bytes", &"a".repeat(600)),
        case("a_column", orders(prop("Note").regexp_like(prop("OrderNo")))).on(engines()),
        case("a_number", orders(prop("Note").regexp_like(5))),
        case("null", orders(prop("Note").regexp_like(null()))).on(engines()),
        test("empty", ""),
        test("a_possessive_one", "a++"),
        test("a_property_of_unicode", r"\p{L}"),
        test("a_group_without_an_end", "(a"),
        part("one_extent", r#""[^"]*""#),
        part("the_shortest_extent", r#"".*?""#),
        part("an_alternative_that_is_longer", "a|ab"),
        part("more_and_less", r#"".*""#),
        part("empty_matches", "a*"),
        part("a_word_of_it", r"\bcat"),
        replaced("replaced_by_a_backslash", r"\1"),
        replaced("replaced_by_an_ampersand", "&"),
    ]
}
