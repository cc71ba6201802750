//! Wide lists: the work to compile them grows with their length, not with its square.

use std::hint::black_box;

use isogloss_testkit::random::is_long;

use super::{Plain, processor_time};
use crate::expr::{
    AndExpr, DbValueType as T, OrderByItemExpr, SelectItemExpr, SqlSegment, TableExpr, TableJoinType, ValueOps,
    ValueTypeExpr, from, prop, prop_of, table,
};
use crate::model::{Catalog, ColumnDef, TableDef};
use crate::walk::QueryPolicy;
use crate::{CompileLimits, Compiler, work};

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

/// A short and a long list.
const LENGTHS: [usize; 2] = [250, 2000];

/// The largest exponent by which work may grow: 2 is the square of the length.
const MOST: f64 = 1.15;

/// The largest exponent of bytes: a buffer that grows is twice as long as needed at most.
const MOST_BYTES: f64 = MOST + 1.0 / 3.0;

/// Checks the growth of what is allocated and of the [steps](work::count) between two lengths of a list.
///
/// Steps are what loops over names and nodes count. In a long run, the processor time of the thread is compared, too, which
/// also knows the other loops. Its exponent has room for caches and for what else the machine does.
fn grows_with_its_length(name: &str, run: impl Fn(usize)) {
    let allocated = |at: usize| allocation_counter::measure(|| run(at));
    let steps = |at: usize| work::steps(|| run(at));
    let [few, many] = [0, 1].map(allocated);
    for (what, few, many, most) in [
        ("steps", steps(0), steps(1), MOST),
        ("allocations", few.count_total, many.count_total, MOST),
        ("bytes", few.bytes_total, many.bytes_total, MOST_BYTES),
    ] {
        assert!(few > 0, "{name}: {what} are not counted");
        let exponent = exponent([few, many]);
        assert!(exponent <= most, "{name}: {few} {what} become {many}: exponent {exponent:.2}");
    }
    if is_long() {
        // So many short runs that they are as much work. The clock of the system ticks every few milliseconds.
        const RUNS: usize = 30;
        let times = RUNS * LENGTHS[1] / LENGTHS[0];
        let mut least = [u64::MAX; 2];
        let is_enough = (0..20).any(|_| {
            for (least, (at, times)) in least.iter_mut().zip([(0, times), (1, RUNS)]) {
                *least = (*least).min(time(|| (0..times).for_each(|_| run(at))));
            }
            1.0 + exponent(least) <= 1.6
        });
        assert!(is_enough, "{name}: {least:?} ns");
    }
}

fn exponent([few, many]: [u64; 2]) -> f64 {
    (many.max(1) as f64 / few.max(1) as f64).ln() / (LENGTHS[1] as f64 / LENGTHS[0] as f64).ln()
}

fn time(run: impl FnOnce()) -> u64 {
    let begun = processor_time();
    run();
    begun.zip(processor_time()).map_or(0, |(begun, ended)| ended - begun)
}

fn compile(compiler: &Compiler, query: &SqlSegment) {
    assert!(!black_box(compiler.compile(query, &Plain).unwrap()).sql.is_empty());
}

#[test]
fn the_work_for_a_derived_table_grows_with_its_columns() {
    let alias = |n: usize| ValueTypeExpr::from(prop(format!("Item{n:04}")));
    let queries = LENGTHS.map(|n| {
        let below = SqlSegment::from(from("Wide").select(items(0..n, column)));
        SqlSegment::from(
            below.filter(AndExpr::from_iter((0..n).map(|n| alias(n).gt(1)))).select((0..n).rev().map(alias)),
        )
    });
    let compilers = LENGTHS.map(compiler);
    grows_with_its_length("names", |at| compile(&compilers[at], &queries[at]));
}

#[test]
fn the_work_for_a_policy_grows_with_the_joins() {
    let compiler = compiler(4);
    let policy = QueryPolicy::new("Wide")
        .allow_entity("Wide")
        .max_joins(10_000)
        .max_list_items(10_000)
        .max_row_parts(10_000)
        .max_nodes(1_000_000)
        .max_depth(20_000);
    let queries = LENGTHS.map(joins);
    grows_with_its_length("joins", |at| policy.check(&queries[at], compiler.catalog()).unwrap());
}

#[test]
fn the_work_for_an_order_grows_with_its_length() {
    let compilers = LENGTHS.map(compiler);
    let [few, many] = LENGTHS.map(queries);
    for ((name, few), (_, many)) in few.iter().zip(&many) {
        grows_with_its_length(name, |at| compile(&compilers[at], [few, many][at]));
    }
}
