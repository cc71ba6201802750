//! Texts that a tree builds, and columns that are written out.

use super::*;
use crate::args;
use crate::expr::{CastExpr, DbValueType, ValueJoinType, ValueSet};

/// `Concat` of so many times the same column.
fn joined(name: &'static str, times: usize) -> ValueTypeExpr {
    func("Concat", vec![prop(name); times]).into()
}

fn cast(value: ValueTypeExpr, to: DbValueType) -> ValueTypeExpr {
    CastExpr { value, to: to.into() }.into()
}

fn query(query: SqlSegment) -> ValueTypeExpr {
    ValueTypeExpr::Query(query.into())
}

/// Root rows with a text as `V`, then a list above it whose `V` is so many of it.
fn twice(times: usize) -> SqlSegment {
    let literal = SqlSegment::from(from("User").select([constant("x".repeat(1000)).alias("V")]));
    literal.select([joined("V", times).alias("V")]).into()
}

fn policy() -> QueryPolicy {
    wide().max_nesting(20).allow_functions(["Replace", "ConcatWs", "Mine"])
}

#[test]
fn columns_of_derived_tables_multiply() {
    let long = |outer, inner| exists_query(twice(inner).filter(func("Length", [joined("V", outer)]).gt(5)));
    passes(&wide(), long(8, 8));
    passes(&wide(), long(64, 1));
    refused(&wide(), long(13, 5), PolicyRule::TextParts, "$.$exists.Where.Left.Length[0]");
    refused(&wide(), long(2, 64), PolicyRule::TextParts, "$.$exists.Where.Left.Length[0]");
    refused(&wide(), long(60, 120), PolicyRule::TextParts, "$.$exists.$where.Selects[0].Value");
    passes(&wide().max_text_parts(100), long(20, 5));
    refused(&wide(), joined("Name", 999).eq("x"), PolicyRule::TextParts, "$.Left");
    // An alias, and the names of lists further out, make no difference.
    let aliased = twice(8).aliased("d").filter(func("Concat", vec![prop_of("d", "v"); 9]).eq("x"));
    refused(&wide(), exists_query(aliased), PolicyRule::TextParts, "$.$exists.Where.Left");
    let message = wide().check(&exists_query(twice(65)), &Tables).unwrap_err().message;
    assert_eq!(message, "a text is put together of 65 texts, more than 64");
}

#[test]
fn usual_concatenations_pass() {
    let full = || func("Concat", args![prop("Name"), " ", prop("Name"), ", ", prop("Age")]);
    passes(&narrow(), full().eq("x"));
    let address = func("Concat", (0..10).flat_map(|_| args![prop("Name"), ", "]).collect::<Vec<_>>());
    passes(&narrow(), LogicExpr::all((0..50).map(|_| address.clone().eq("x"))));
    let rows = SqlSegment::from(from("User").select([full().alias("Full"), address.alias("Address")]));
    passes(&narrow(), rows.filter(func("Concat", args![prop("Full"), ": ", prop("Address")]).contains("x")));
    // No text comes of a number.
    let sum = (0..40).fold(ValueTypeExpr::from(prop("Age")), |sum, _| sum + 1);
    passes(&narrow(), func("Concat", vec![sum; 3]).eq("x"));
    passes(&narrow(), func("Concat", vec![func("Length", [joined("Name", 60)]); 3]).eq("x"));
}

#[test]
fn every_way_from_text_to_text_is_counted() {
    let built = || joined("Name", 33);
    let all: Vec<ValueTypeExpr> = vec![
        if_else(prop("Age").gt(1), built(), "").into(),
        func("Coalesce", args![prop("Name"), built()]).into(),
        func("Lower", [built()]).into(),
        func("Mine", args![built()]).into(),
        func("Replace", args![built(), "a", "b"]).into(),
        built().max().into(),
        func("Lag", args![built()]).over().into(),
        cast(built(), DbValueType::String),
        query(from("User").select([built().alias("V")]).into()),
        query(from("User").select(["Name"]).union_all(from("User").select([built()])).into()),
    ];
    for value in all {
        passes(&policy(), value.clone().eq("x"));
        refused(&policy(), value.clone().concat(value.clone()).eq("x"), PolicyRule::TextParts, "$.Left");
        let set = ValueSet { join: ValueJoinType::Concat, items: vec![value.clone(), value.clone()] };
        refused(&policy(), ValueTypeExpr::from(set).eq("x"), PolicyRule::TextParts, "$.Left");
        refused(&policy(), func("ConcatWs", args![",", value.clone(), value]).eq("x"), PolicyRule::TextParts, "$.Left");
    }
    let separated = func("ConcatWs", args![joined("Name", 20), "a", "b", "c", "d", "e"]);
    refused(&policy(), separated.eq("x"), PolicyRule::TextParts, "$.Left");
    // Bytes that become text are twice as long.
    let digits = |times: usize| {
        (0..times).fold(prop("Name").into(), |value, _| cast(cast(value, DbValueType::Binary), DbValueType::String))
    };
    passes(&policy(), digits(6).eq("x"));
    assert_eq!(policy().check(&digits(7).eq("x"), &Tables).unwrap_err().rule, PolicyRule::TextParts);
    // A literal counts by its length.
    let literal = || constant("x".repeat(40 * 1024));
    passes(&policy(), prop("Name").concat(literal()).eq("x"));
    let pair = SqlSegment::from(from("User").select([literal().alias("V")]));
    refused(&policy(), pair.filter(joined("V", 2).eq("x")), PolicyRule::TextParts, "$.Where.Left");
}

#[test]
fn columns_are_followed_through_every_source() {
    let eight = || SqlSegment::from(from("User").select([joined("Name", 8).alias("V")]));
    let nine = || joined("V", 9).eq("x");
    let rule = PolicyRule::TextParts;
    // Unions: the first member names the columns of all.
    let union = from("User").select([prop("Name").alias("V")]).union_all(from("User").select([joined("Name", 8)]));
    refused(&policy(), SqlSegment::from(union).filter(nine()), rule, "$.Where.Left");
    let all = SqlSegment::from(from("Open").select_all().union_all(from("Open").select([joined("Id", 8)])));
    refused(&policy(), exists_query(all.filter(joined("Id", 9).eq("x"))), rule, "$.$exists.Where.Left");
    // Joins, lateral and in their conditions.
    let join = |on: LogicExpr| from("User").join(TableJoinType::Left, eight(), on).select(["Id"]);
    refused(&policy(), join(nine()), rule, "$.$select.Joins[0].On.Left");
    let lateral = SqlSegment::from(from("Open").filter(nine()).select(["Id"]));
    let lateral = eight().join_lateral(TableJoinType::Cross, lateral, None).select([prop("V")]);
    assert_eq!(policy().check(&SqlSegment::from(lateral), &Tables).unwrap_err().rule, rule);
    // Correlated, and through lists that pass it on.
    refused(&policy(), eight().filter(LogicExpr::from(exists("Open", nine()))), rule, "$.Where.InnerExpr.Left");
    let passed = SqlSegment::from(eight().select(["V"])).take(5).select_all().into_segment();
    refused(&policy(), passed.select([joined("V", 9).alias("W")]), rule, "$.Selects[0].Value");
    // An order sees what lies below the list.
    let ordered = SqlSegment::from(eight().select([constant(1).alias("One")])).order_by([joined("V", 9)]);
    refused(&policy(), ordered, rule, "$.OrderBys[0].Field");
    // A subquery's columns end with it.
    let apart = prop("Name").in_list(eight()) & func("Concat", vec![prop("Name"); 9]).eq("x");
    passes(&policy(), apart);
}

#[test]
fn common_tables_count_wherever_they_are_defined() {
    let of = |source: SqlSegment, times: usize| source.select([joined("V", times).alias("V")]);
    let first = SqlSegment::from(from("User").select([joined("Name", 4).alias("V")]).with("a"));
    let second = SqlSegment::from(of(cte("a"), 4).with("b"));
    let third = |times| of(cte("b"), times);
    // The reference stands before what it refers to.
    let query = |times| {
        let both = SqlSegment::from(third(times)).join(TableJoinType::Cross, second.clone(), None);
        both.join(TableJoinType::Cross, first.clone(), None).select([constant(1).alias("One")])
    };
    passes(&policy(), query(4));
    refused(&policy(), query(5), PolicyRule::TextParts, "$.$select.$from.Selects[0].Value");
    // A definition has the path of its place.
    let inner = SqlSegment::from(of(first, 17).with("b"));
    refused(&policy(), inner.select(["V"]), PolicyRule::TextParts, "$.$select.$cte.Selects[0].Value");
}

#[test]
fn columns_written_out_are_counted() {
    let level = |source: SqlSegment, times: i32| {
        let sum = (0..times).fold(ValueTypeExpr::from(prop("Age")), |sum, _| sum + prop("Age"));
        SqlSegment::from(source.select([sum.alias("Age")]))
    };
    let levels = |count: usize, times| (0..count).fold(from("User"), |source, _| level(source, times));
    passes(&policy(), levels(2, 20));
    passes(&policy(), levels(3, 4));
    let refusal = policy().check(&levels(3, 20), &Tables).unwrap_err();
    assert_eq!(refusal.rule, PolicyRule::Nodes, "{refusal}");
    passes(&policy().max_nodes(100_000), levels(3, 20));
    // Without end by the numbers of a machine, and in no time.
    let refusal = policy().max_depth(200).check(&levels(20, 40), &Tables).unwrap_err();
    assert_eq!(refusal.rule, PolicyRule::Nodes, "{refusal}");
}

#[test]
fn a_comparison_names_a_property() {
    let forgotten = || constant("Id").eq(1);
    refused(&narrow(), forgotten(), PolicyRule::NoProperty, "$");
    refused(&narrow(), prop("Id").eq(1) & constant("Id").in_list([1, 2]), PolicyRule::NoProperty, "$.$and[1]");
    refused(&narrow(), constant("Name").like("a%"), PolicyRule::NoProperty, "$");
    let set = || crate::expr::row([ValueTypeExpr::from(1), constant(2).into()]);
    refused(&narrow(), constant("Id").in_list(set()), PolicyRule::NoProperty, "$");
    passes(&narrow(), prop("Id").in_list(set()));
    let message = narrow().check(&forgotten(), &Tables).unwrap_err().to_string();
    assert_eq!(message, r##"a comparison of constants names no property: one is written {"#": "Name"} at $"##);
    passes(&narrow(), constant(1).eq(prop("Id")));
    passes(&wide(), constant(1).in_list(from("User").select(["Id"])));
    passes(&narrow(), func("Now", Vec::<ValueTypeExpr>::new()).gt("2024-01-01"));
}

#[test]
fn a_list_holds_so_many_texts_of_a_row() {
    let items = |count: usize, times| {
        let item = |place: usize| joined("Name", times).alias(format!("A{place}"));
        SqlSegment::from(from("User").select((0..count).map(item)))
    };
    let columns = |count: usize| {
        SqlSegment::from(from("User").select((0..count).map(|place| prop("Name").alias(format!("A{place}")))))
    };
    passes(&narrow(), columns(128));
    refused(&narrow(), columns(129), PolicyRule::RowParts, "$");
    passes(&narrow(), items(2, 64));
    refused(&narrow(), items(10, 64), PolicyRule::RowParts, "$");
    passes(&narrow().max_row_parts(640), items(10, 64));
    // Those of a list below it, and of a further member.
    let over = items(2, 60).select([prop("A0").alias("X"), prop("A1").alias("Y"), prop("A1").alias("Z")]);
    refused(&wide(), over, PolicyRule::RowParts, "$");
    let member = from("User").select(["Name"]).union_all(from("User").select([
        joined("Name", 64),
        joined("Name", 64),
        joined("Name", 2),
    ]));
    refused(&wide(), member, PolicyRule::RowParts, "$.Next[0]");
    let message = narrow().check(&Expr::from(items(10, 64)), &Tables).unwrap_err().message;
    assert_eq!(message, "a row holds 640 texts, more than 128");
}

#[test]
fn patterns_are_short() {
    let long = || "x".repeat(1_025);
    type With = fn(crate::expr::PropertyExpr, ValueTypeExpr) -> LogicExpr;
    let all: [With; 6] = [
        |left, right| left.like(right),
        |left, right| left.not_like(right),
        |left, right| left.contains(right),
        |left, right| left.starts_with(right),
        |left, right| !left.ends_with(right),
        |left, right| left.icontains(right),
    ];
    for with in all {
        passes(&narrow(), with(prop("Name"), constant("x".repeat(1_024)).into()));
        passes(&narrow(), with(prop("Name"), prop("Name").into()));
        let refused = |right: ValueTypeExpr| {
            let refusal = narrow().check(&Expr::from(with(prop("Name"), right)), &Tables).unwrap_err();
            assert_eq!(refusal.rule, PolicyRule::PatternBytes, "{refusal}");
        };
        refused(constant(long()).into());
        // However it is put together.
        refused(func("Concat", args!["x".repeat(600), "x".repeat(600)]).into());
        passes(&narrow().max_pattern_bytes(2_000), with(prop("Name"), constant(long()).into()));
    }
    let message = narrow().check(&Expr::from(prop("Name").like(long())), &Tables).unwrap_err().message;
    assert_eq!(message, "a pattern has more bytes than 1024");
    // What is compared and not searched for may be longer.
    passes(&narrow(), prop("Name").eq(long()));
}
