//! Searching in text.

use isogloss_compiler::expr::*;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let note = || prop("Note");
    let compare = |operator, text: &str| orders(note().compare(operator, text));
    use LogicOperator as O;
    vec![
        case("contains_a_zero_character", orders(prop("Note").contains("\0zzz"))),
        case("index_of_a_zero_character", {
            of_orders(func("IndexOf", [ValueTypeExpr::from(prop("Note")), ValueTypeExpr::from("a\0")]))
        }),
        case("starts_with", orders(note().starts_with("ab"))),
        case("ends_with", orders(note().ends_with("ab"))),
        case("contains", orders(note().contains("ab"))),
        case("not_starts_with", compare(O::NotStartsWith, "ab")),
        case("not_ends_with", compare(O::NotEndsWith, "ab")),
        case("not_contains", compare(O::NotContains, "ab")),
        case("wildcards_mean_themselves", orders(note().contains("50%_of"))),
        case("a_backslash_means_itself", orders(note().contains(r"C:\temp"))),
        case("a_bracket_means_itself", orders(note().starts_with("[a-z]*?"))),
        case("empty_text_is_contained", orders(note().contains(""))),
        case("like", orders(note().like("a%b_c"))),
        case("not_like", orders(note().not_like("a%b_c"))),
        case("like_with_an_escape", orders(note().like(r"50\%%"))),
        case("like_with_a_bracket", orders(note().like("[a]%"))),
        case("like_with_an_escape_at_the_end", orders(note().like(r"a\"))),
        case("like_null", orders(note().like(null()))),
        case("ilike", orders(note().ilike("A%b"))),
        case("not_ilike", compare(O::NotILike, "A%b")),
        case("icontains", orders(note().icontains("Ab"))),
        case("istarts_with", orders(note().istarts_with("Ab_"))),
        case("iends_with", orders(note().iends_with("Ab"))),
        case("not_icontains", compare(O::NotIContains, "Ab")),
        case("not_istarts_with", compare(O::NotIStartsWith, "Ab")),
        case("not_iends_with", compare(O::NotIEndsWith, "Ab")),
        case("regexp", orders(note().regexp_like("^a[0-9]+$"))),
        case("not_regexp", compare(O::NotRegexpLike, "^a[0-9]+$")),
        case("contains_a_column", orders(note().contains(prop("OrderNo")))),
        case("starts_with_a_column", orders(note().starts_with(prop("OrderNo")))),
        case("ends_with_a_column", orders(note().ends_with(prop("OrderNo")))),
        case("icontains_a_column", orders(note().icontains(prop("OrderNo")))),
        case("like_a_column", orders(note().like(prop("OrderNo")))),
        case("contains_on_a_number", orders(prop("Qty").contains("5"))),
    ]
}
