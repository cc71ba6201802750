//! What an engine need not have.

use isogloss_compiler::Target;
use isogloss_compiler::dialect::{Feature as F, Form, Limits, Row, Support};
use isogloss_compiler::functions::Func;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::model::TextMode;

/// Something that an engine need not have, and that some cases are about.
///
/// Whether a dialect has it is read off its own support table and function table. What they do not have is refused by
/// the compiler, so a case that asks for it passes on such an engine by a typed refusal; the few requirements that are
/// about another answer, not about a refusal, let the case be left out.
#[derive(Debug)]
pub struct Requirement {
    /// What the files call it.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    needs: Needs,
}

#[derive(Debug)]
enum Needs {
    /// A feature that is refused where it is missing.
    Feature(F),
    /// A function that is refused where it is missing.
    Function(Func),
    /// A function over a window, refused where it is missing.
    Over(Func),
    /// A function that takes an order, which is refused where there is no place for it.
    Ordered(Func),
    /// A limit over which is refused, or no name can be written.
    Limit(fn(&Target) -> bool),
    /// A feature without which the documented answer is another one.
    Native(F),
    /// That `=` counts blanks at the end of a text, by itself or because texts are compared by code points.
    Blanks,
    /// The mode `exact`.
    ExactMode,
}

impl Requirement {
    /// Whether a dialect has it.
    #[must_use]
    pub fn is_met(&self, target: &Target) -> bool {
        match self.needs {
            Needs::Feature(feature) => !matches!(target.support(feature), Support::Refuse(_)),
            Needs::Native(feature) => target.has(feature),
            Needs::Blanks => {
                target.support(F::TrailingBlanks) != Support::Expand(Rule::BlanksEnded)
                    || target.text() == TextMode::Exact
            }
            Needs::ExactMode => target.text() == TextMode::Exact,
            Needs::Limit(is_met) => is_met(target),
            Needs::Ordered(func) => rows(target, func).any(|row| match &row.form {
                Form::Text(_, spelling) => spelling.has_order(),
                form => !matches!(form, Form::Refuse(_)),
            }),
            Needs::Function(func) => rows(target, func).any(|row| !matches!(row.form, Form::Refuse(_))),
            Needs::Over(func) => !rows(target, func).any(|row| row.over && matches!(row.form, Form::Refuse(_))),
        }
    }

    /// Whether a dialect without it refuses what asks for it.
    #[must_use]
    pub fn refuses(&self) -> bool {
        !matches!(self.needs, Needs::Native(_) | Needs::Blanks | Needs::ExactMode)
    }
}

fn limits(target: &Target) -> &'static Limits {
    &target.dialect().sheet().limits
}

fn rows(target: &Target, func: Func) -> impl Iterator<Item = &'static Row> {
    target.dialect().rows_of(func).into_iter()
}

const fn feature(name: &'static str, feature: F, about: &'static str) -> Requirement {
    Requirement { name, about, needs: Needs::Feature(feature) }
}

const fn function(name: &'static str, func: Func) -> Requirement {
    Requirement { name, about: func.signature().meaning, needs: Needs::Function(func) }
}

const fn limit(name: &'static str, is_met: fn(&Target) -> bool, about: &'static str) -> Requirement {
    Requirement { name, about, needs: Needs::Limit(is_met) }
}

const fn native(name: &'static str, feature: F, about: &'static str) -> Requirement {
    Requirement { name, about, needs: Needs::Native(feature) }
}

/// Without it, decimals are kept as doubles.
pub(super) const EXACT_DECIMAL: Requirement =
    native("exact_decimal", F::DecimalText, "decimals of more digits than a double holds");

/// Every requirement.
pub const REQUIREMENTS: &[Requirement] = &[
    feature("aggregate_order", F::AggregateOrder, "ORDER BY inside of an aggregate other than string aggregation"),
    feature("aggregate_orders", F::AggregateOrders, "string aggregations of one select in different orders"),
    feature("delete_returning", F::DeleteReturning, "rows that come back from a DELETE"),
    feature("except", F::Except, "EXCEPT"),
    feature("frame_exclude", F::FrameExclude, "EXCLUDE of a window's frame"),
    feature("frame_groups", F::FrameGroups, "a frame that counts groups"),
    feature("frame_range_offset", F::FrameRangeOffset, "a RANGE frame with an offset"),
    feature("full_join", F::FullJoin, "FULL JOIN"),
    feature("having_without_group", F::HavingWithoutGroup, "HAVING without GROUP BY"),
    feature("identity_value", F::IdentityValue, "a value for a column that the database numbers"),
    feature("insert_returning", F::InsertReturning, "rows that come back from an INSERT"),
    feature("intersect", F::Intersect, "INTERSECT"),
    feature("json_equal", F::JsonEqual, "JSON compared by its value"),
    feature("json_index", F::JsonIndex, "an index in a JSON path"),
    feature("json_null", F::JsonNull, "NULL as a JSON null at a path"),
    feature("lateral", F::Lateral, "a joined query that looks at what is joined before it"),
    feature("lock_share", F::LockShare, "FOR SHARE"),
    feature("lock_skip", F::LockSkipLocked, "SKIP LOCKED and NOWAIT"),
    feature("lock_update", F::LockUpdate, "FOR UPDATE"),
    feature("nested_json", F::NestedJson, "JSON that stays JSON inside of JSON"),
    feature("outer_in_derived", F::OuterInDerived, "a derived table that looks at the query around it"),
    feature("recursive_union", F::RecursiveUnion, "a recursion by UNION"),
    feature("regex", F::Regex, "regular expressions"),
    feature("returning_subquery", F::ReturningSubquery, "a subquery in RETURNING"),
    feature("right_join", F::RightJoin, "RIGHT JOIN"),
    feature("round_digits", F::RoundDigits, "rounding to tens, or to computed digits"),
    feature("string_agg_distinct", F::StringAggDistinct, "DISTINCT in a string aggregation"),
    feature("string_agg_window", F::StringAggWindow, "a string aggregation over an ordered window"),
    feature("subquery_in_join", F::SubqueryInJoin, "a subquery in the condition of an outer join"),
    feature("twins_in_page", F::TwinsInPage, "two columns of one name in a page"),
    feature("unsigned_big", F::UnsignedBig, "whole numbers of 64 bits without a sign"),
    feature("update_returning", F::UpdateReturning, "rows that come back from an UPDATE"),
    function("is_json", Func::IsJson),
    function("json_array", Func::JsonArray),
    function("json_array_agg", Func::JsonArrayAgg),
    function("json_contains", Func::JsonContains),
    function("json_length", Func::JsonLength),
    function("json_object", Func::JsonObject),
    function("json_set", Func::JsonSet),
    function("new_guid", Func::NewGuid),
    function("nth_value", Func::NthValue),
    function("regexp_count", Func::RegexpCount),
    function("regexp_replace", Func::RegexpReplace),
    function("regexp_substr", Func::RegexpSubstr),
    function("std_dev", Func::StdDev),
    function("std_dev_pop", Func::StdDevPop),
    function("variance", Func::Variance),
    function("variance_pop", Func::VariancePop),
    Requirement {
        name: "string_agg_over",
        about: "a string aggregation over a window",
        needs: Needs::Over(Func::StringAgg),
    },
    Requirement {
        name: "string_agg_order",
        about: "an order inside of a string aggregation",
        needs: Needs::Ordered(Func::StringAgg),
    },
    limit("long_names", |target| limits(target).identifier >= 63, "names of 63 bytes"),
    limit(
        "many_rows",
        |target| target.has(F::MultiRowInsert) || limits(target).rows_in_values >= 32_768,
        "an INSERT of 32,768 rows",
    ),
    limit("quote_in_name", |target| limits(target).quote_in_name, "a name that holds the quote which ends it"),
    native("array", F::Array, "columns of arrays"),
    native("empty_text", F::EmptyString, "an empty text that is no NULL"),
    native("case_folding", F::CaseFolding, "the case of letters beyond ASCII"),
    EXACT_DECIMAL,
    Requirement {
        name: "trailing_blanks",
        about: "blanks at the end of a text that count in comparisons, groups and distinct rows",
        needs: Needs::Blanks,
    },
    Requirement {
        name: "exact_mode",
        about: "texts without a column that are compared by code points",
        needs: Needs::ExactMode,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: HashSet<&str> = REQUIREMENTS.iter().map(|requirement| requirement.name).collect();
        assert_eq!(names.len(), REQUIREMENTS.len());
    }
}
