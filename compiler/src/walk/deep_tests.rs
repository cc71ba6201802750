//! Deep trees on a small stack: no pass over a tree recurses with its levels.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{ExprMut, ExprRef, VisitOrder, rewrite, visit};
use crate::expr::{
    AndExpr, Expr, LogicExpr, OrExpr, SelectExpr, SqlSegment, UnaryExpr, UnaryOperator, ValueOps, ValueTypeExpr,
    exists_query, exists_related, from, func, prop,
};
use crate::tests::{MILLION, levels, on_small_stack};

/// The levels of a long run where the shape is the same as one that has a million.
const SOME: usize = 200_000;

/// Runs what a tree goes through.
fn endures<T>(nodes: usize, build: impl FnOnce() -> T + Send + 'static)
where
    T: Clone + PartialEq + Hash + std::fmt::Debug + 'static,
    for<'a> &'a T: Into<ExprRef<'a>>,
    for<'a> &'a mut T: Into<ExprMut<'a>>,
    Expr: From<T>,
{
    let hash = |tree: &T| {
        let mut state = DefaultHasher::new();
        tree.hash(&mut state);
        state.finish()
    };
    on_small_stack(move || {
        let tree = build();
        let copy = tree.clone();
        assert!(tree == copy);
        assert_eq!(hash(&tree), hash(&copy));
        let mut seen = 0;
        visit(&copy, VisitOrder::Post, |_| seen += 1);
        assert_eq!(seen, nodes);
        assert!(format!("{copy:?}").len() > nodes);
        let mut changed = copy;
        rewrite(&mut changed, |_| seen -= 1);
        assert_eq!(seen, 0);
        let expr = Expr::from(tree);
        drop(expr.clone());
    });
}

/// Both written in different ways, so that they must be compared as sets.
fn endures_as_sets(build: impl Fn(bool) -> LogicExpr + Send + 'static) {
    on_small_stack(move || {
        let (a, b) = (build(false), build(true));
        assert!(a == b);
        let mut hashes = [&a, &b].map(|tree| {
            let mut state = DefaultHasher::new();
            tree.hash(&mut state);
            state.finish()
        });
        hashes.sort_unstable();
        assert_eq!(hashes[0], hashes[1]);
        assert!(!a == !b);
    });
}

/// The representative of all: it has a million levels in each run.
#[test]
fn negations() {
    endures(MILLION + 3, || (0..MILLION).fold(prop("A").eq(1), |tree, _| !tree));
}

#[test]
fn alternating_and_or() {
    endures(4 * levels(MILLION) + 3, || {
        (0..levels(MILLION))
            .fold(prop("A").eq(1), |tree, n| if n % 2 == 0 { prop("B").eq(2) & tree } else { prop("C").eq(3) | tree })
    });
}

#[test]
fn alternating_and_or_turned_round() {
    endures_as_sets(|round| {
        (0..levels(SOME)).fold(prop("A").eq(1), |tree, n| {
            let mut items = vec![prop("B").eq(2), tree];
            if round {
                items.reverse();
                items.push(prop("b").eq(2.0));
            }
            if n % 2 == 0 { LogicExpr::And(AndExpr { items }) } else { LogicExpr::Or(OrExpr { items }) }
        })
    });
}

#[test]
fn sums() {
    endures(2 * levels(MILLION) + 1, || (0..levels(MILLION)).fold(ValueTypeExpr::from(prop("A")), |tree, _| tree + 1));
}

#[test]
fn filters() {
    endures(4 * levels(MILLION) + 1, || (0..levels(MILLION)).fold(from("U"), |tree, _| tree.filter(prop("A").eq(1))));
}

#[test]
fn minus_signs() {
    endures(levels(SOME) + 1, || {
        (0..levels(SOME)).fold(ValueTypeExpr::from(prop("A")), |operand, _| {
            UnaryExpr { operator: UnaryOperator::Negative, operand }.into()
        })
    });
}

#[test]
fn calls() {
    endures(levels(SOME) + 1, || {
        (0..levels(SOME)).fold(ValueTypeExpr::from(prop("A")), |tree, _| ValueTypeExpr::from(func("F", [tree])))
    });
}

#[test]
fn selects_in_selects() {
    endures(levels(SOME) + 1, || (0..levels(SOME)).fold(from("U"), |tree, _| tree.select_all().into_segment()));
}

#[test]
fn members_of_set_operations() {
    endures(2 * levels(MILLION), || {
        (1..levels(MILLION)).fold(from("U").select_all(), |tree, _| from("V").select_all().union(tree))
    });
}

#[test]
fn every_border_of_sorts() {
    endures(7 * levels(100_000) + 3, || {
        (0..levels(100_000)).fold(prop("A").eq(1), |tree, _| {
            let foreign: LogicExpr = exists_related("D", tree).into();
            let truth = ValueTypeExpr::from(foreign).is_true();
            exists_query(SqlSegment::from(from("U").filter(truth).select_all()))
        })
    });
}

#[test]
fn a_select_may_be_taken_out_of_a_set_operation() {
    let mut select = from("U").select(["A"]).union(from("V").select(["B"]));
    let taken = select.next_selects.pop().map(|mut next| std::mem::take(&mut next.select));
    assert_eq!(taken, Some(from("V").select(["B"])));
    assert_eq!(select, from("U").select(["A"]));
    let _: SelectExpr = select;
}
