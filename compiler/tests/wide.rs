//! Wide lists: the time to compile them grows with their length, not with its square.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::time::{Duration, Instant};

use isogloss_compiler::expr::{
    AndExpr, DbValueType as T, OrderByItemExpr, SelectItemExpr, SqlSegment, TableExpr, TableJoinType, ValueOps,
    ValueTypeExpr, from, prop, prop_of, table,
};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::walk::QueryPolicy;
use isogloss_compiler::{CompileLimits, Compiler};

include!("support/plain.rs");

fn name(n: usize) -> String {
    format!("Column{n:04}")
}

/// It keeps no statements: a short one that is kept takes no time at all, and a long one is not.
fn compiler(columns: usize) -> Compiler {
    let id = ColumnDef::new("Id", T::Int32).primary_key();
    let table = (0..columns).fold(TableDef::new("Wide").column(id), |t, n| t.column(ColumnDef::new(name(n), T::Int32)));
    let limits = CompileLimits::default().kept(0);
    Compiler::new(Catalog::builder().table(table).build().unwrap()).with_limits(limits)
}

fn sum(n: usize) -> ValueTypeExpr {
    prop(name(n)) + 1
}

fn keys(range: std::ops::Range<usize>, value: impl Fn(usize) -> ValueTypeExpr) -> Vec<OrderByItemExpr> {
    range.map(|n| value(n).desc()).collect()
}

fn column(n: usize) -> ValueTypeExpr {
    prop(name(n)).into()
}

fn items(range: std::ops::Range<usize>, value: impl Fn(usize) -> ValueTypeExpr) -> Vec<SelectItemExpr> {
    range.map(|n| value(n).alias(format!("Item{n:04}"))).collect()
}

/// Lists of `n` values that an order looks through.
fn queries(n: usize) -> Vec<(&'static str, SqlSegment)> {
    let over = |query: SqlSegment| query.filter(prop("Item0000").gt(1));
    let by = |value: fn(usize) -> ValueTypeExpr| from("Wide").order_by(keys(0..n, value));
    let alias = |n: usize| ValueTypeExpr::from(prop(format!("Item{n:04}")));
    let inside = move |n: usize| alias(n) + 1;
    let taken = |n: usize| sum(n).alias(if n == 0 { "Item0000".to_owned() } else { format!("C{}", n + 1) });
    vec![
        ("plain", by(column)),
        ("hidden", over(by(column).select(items(0..1, column)).into())),
        ("half hidden", over(by(column).select(items(0..n / 2, column)).into())),
        ("hidden sums", over(by(sum).select(items(0..n, column)).into())),
        ("hidden sums beside names like theirs", over(by(|n| prop(name(n)) + 2).select((0..n).map(taken)).into())),
        ("selected sums", over(by(sum).select(items(0..n, sum)).into())),
        ("aliases", from("Wide").select(items(0..n, column)).into_segment().order_by(keys(0..n, alias))),
        ("aliases of sums", from("Wide").select(items(0..n, sum)).into_segment().order_by(keys(0..n, alias))),
        ("inside", from("Wide").select(items(0..n, column)).into_segment().order_by(keys(0..n, inside))),
        ("distinct", by(sum).select(items(0..n, sum)).distinct().into()),
        ("distinct on", from("Wide").select(items(0..n, column)).distinct_on((0..n).map(column)).into()),
        ("ctes", SqlSegment::from(by(sum).select(items(0..n, column)).with("q")).take(3)),
    ]
}

/// So many joins, each with a condition and in the select list.
fn joins(n: usize) -> SqlSegment {
    let alias = |n: usize| format!("J{n}");
    let join = |rows: SqlSegment, n: usize| {
        let joined = TableExpr { alias: Some(alias(n).into()), ..table("Wide") };
        rows.join(TableJoinType::Inner, joined, prop_of(alias(n), "Id").eq(prop_of(alias(n.saturating_sub(1)), "Id")))
    };
    (0..n).fold(from("Wide"), join).select((0..n).map(|n| prop_of(alias(n), "Id"))).into()
}

/// By turns, and the shortest of several, as others use the machine, too. 8 times the length: with its square it would be
/// 64 times.
fn grows_with_its_length(name: &str, mut time: impl FnMut() -> [Duration; 2]) {
    let mut least = [Duration::MAX; 2];
    for _ in 0..20 {
        let [few, many] = time();
        least = [least[0].min(few), least[1].min(many)];
        if least[1] < least[0] * 32 {
            return;
        }
    }
    panic!("{name}: 20 times, the long one took more than 32 times as long as the short one: {least:?}");
}

#[test]
fn the_time_for_a_derived_table_grows_with_its_columns() {
    let lengths = [1_000, 8_000];
    let alias = |n: usize| ValueTypeExpr::from(prop(format!("Item{n:04}")));
    let queries = lengths.map(|n| {
        let below = SqlSegment::from(from("Wide").select(items(0..n, column)));
        SqlSegment::from(
            below.filter(AndExpr::from_iter((0..n).map(|n| alias(n).gt(1)))).select((0..n).rev().map(alias)),
        )
    });
    let compilers = lengths.map(compiler);
    grows_with_its_length("names", || [0, 1].map(|at| time(&compilers[at], &queries[at])));
}

#[test]
fn the_time_for_a_policy_grows_with_the_joins() {
    let compiler = compiler(4);
    let policy = QueryPolicy::new("Wide")
        .allow_entity("Wide")
        .max_joins(10_000)
        .max_list_items(10_000)
        .max_row_parts(10_000)
        .max_nodes(1_000_000)
        .max_depth(20_000);
    let queries = [250, 2000].map(joins);
    grows_with_its_length("joins", || {
        [0, 1].map(|at| {
            let start = Instant::now();
            policy.check(&queries[at], compiler.catalog()).unwrap();
            start.elapsed()
        })
    });
}

fn time(compiler: &Compiler, query: &SqlSegment) -> Duration {
    let start = Instant::now();
    assert!(!compiler.compile(query, &Plain).unwrap().sql.is_empty());
    start.elapsed()
}

#[test]
fn the_time_for_an_order_grows_with_its_length() {
    const FEW: usize = 500;
    const MANY: usize = 4000;
    let compilers = [FEW, MANY].map(compiler);
    let [few, many] = [FEW, MANY].map(queries);
    for ((name, few), (_, many)) in few.iter().zip(&many) {
        grows_with_its_length(name, || [time(&compilers[0], few), time(&compilers[1], many)]);
    }
}
