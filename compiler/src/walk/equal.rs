//! Equality and hash of trees, however deep.
//!
//! `And` and `Or` are sets: the order of their terms does not matter, and a term that stands there twice counts once.
//! Names compare without regard to ASCII case, numbers across their types, and whether a value is a constant is not
//! looked at.
//!
//! Two trees that are written the same way are compared side by side. Where that fails under an `And` or `Or`, both
//! trees are numbered bottom-up, equal nodes with equal numbers, which makes each comparison of two sets one of two
//! sorted lists: `O(n log n)`, whatever the nesting.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};

use hashbrown::HashTable;

use super::node::ExprRef;
use crate::expr::{AndExpr, LogicExpr, OrExpr, SelectExpr, SqlSegment, ValueTypeExpr};
use crate::work;

/// Whether both trees are the same.
fn equal<'a>(a: ExprRef<'a>, b: ExprRef<'a>) -> bool {
    match side_by_side(a, b) {
        Sameness::Equal => true,
        Sameness::Different => false,
        Sameness::PerhapsAsSets => {
            let mut numbers = Numbers::default();
            numbers.of(a) == numbers.of(b)
        }
    }
}

enum Sameness {
    Equal,
    Different,
    /// They are written in different ways, but a set was met on the way.
    PerhapsAsSets,
}

fn side_by_side<'a>(a: ExprRef<'a>, b: ExprRef<'a>) -> Sameness {
    let mut waiting: Vec<(ExprRef<'a>, ExprRef<'a>)> = Vec::new();
    let mut sets = false;
    let mut next = Some((a, b));
    while let Some((a, b)) = next {
        work::count(1);
        if a.kind() != b.kind() || !pair(a, b, &mut sets, &mut waiting) {
            return if sets { Sameness::PerhapsAsSets } else { Sameness::Different };
        }
        next = waiting.pop();
    }
    Sameness::Equal
}

fn pair<'a>(a: ExprRef<'a>, b: ExprRef<'a>, sets: &mut bool, waiting: &mut Vec<(ExprRef<'a>, ExprRef<'a>)>) -> bool {
    *sets |= a.as_set().is_some();
    a.pair(b, &mut |a, b| waiting.push((a, b)))
}

/// Calls `f` with the children that count by themselves: all terms of a set, else those that are no leaves.
fn for_each_inner<'a>(node: ExprRef<'a>, f: &mut dyn FnMut(ExprRef<'a>)) {
    let all = node.as_set().is_some();
    node.each(&mut |_, child| {
        if all || !child.is_leaf() {
            f(child);
        }
    });
}

/// What `join` makes of the root, where it makes something of each node from what it made of the inner children.
fn fold<'a, T: Copy>(root: ExprRef<'a>, mut join: impl FnMut(ExprRef<'a>, &mut [T]) -> T) -> Option<T> {
    // A node with the number of results that were there when its children were begun; none: they are still to come.
    let mut tasks: Vec<(ExprRef<'a>, Option<usize>)> = vec![(root, None)];
    let mut done: Vec<T> = Vec::new();
    while let Some((node, begun)) = tasks.pop() {
        let from = match begun {
            Some(from) => from,
            None => {
                let leave = tasks.len();
                tasks.push((node, Some(done.len())));
                for_each_inner(node, &mut |child| tasks.push((child, None)));
                if tasks.len() > leave + 1 {
                    continue;
                }
                tasks.pop();
                done.len()
            }
        };
        let made = join(node, done.get_mut(from..).unwrap_or_default());
        done.truncate(from);
        done.push(made);
    }
    done.pop()
}

/// Sorts what was made of the terms of a set; gives how many different ones there are, now in front.
fn as_set<T: Ord + Copy>(terms: &mut [T]) -> usize {
    terms.sort_unstable();
    let mut kept = 0;
    let mut last = None;
    for at in 0..terms.len() {
        let term = terms.get(at).copied();
        if term != last {
            last = term;
            terms.swap(kept, at);
            kept += 1;
        }
    }
    kept
}

/// A hash of the tree that is the same for equal trees.
fn digest(root: ExprRef<'_>) -> u64 {
    fold(root, |node, children: &mut [u64]| {
        let mut state = DefaultHasher::new();
        if node.as_set().is_some() {
            let different = as_set(children);
            state.write_u8(node.kind() as u8);
            children.iter().take(different).for_each(|child| state.write_u64(*child));
        } else {
            node.hash_data(&mut state);
            children.iter().for_each(|child| state.write_u64(*child));
        }
        state.finish()
    })
    .unwrap_or_default()
}

/// Nodes by number: the same number for equal nodes, and for no others.
#[derive(Default)]
struct Numbers<'a> {
    nodes: Vec<Numbered<'a>>,
    /// The children's numbers of all nodes, one after the other.
    children: Vec<usize>,
    by_hash: HashTable<usize>,
    random: RandomState,
}

struct Numbered<'a> {
    node: ExprRef<'a>,
    hash: u64,
    children: std::ops::Range<usize>,
}

impl<'a> Numbers<'a> {
    fn of(&mut self, root: ExprRef<'a>) -> Option<usize> {
        fold(root, |node, children| {
            let different = if node.as_set().is_some() { as_set(children) } else { children.len() };
            self.number(node, children.get(..different).unwrap_or_default())
        })
    }

    fn number(&mut self, node: ExprRef<'a>, children: &[usize]) -> usize {
        let Self { nodes, children: lists, by_hash, random } = self;
        let set = node.as_set().is_some();
        let mut state = random.build_hasher();
        if set {
            state.write_u8(node.kind() as u8);
        } else {
            node.hash_data(&mut state);
        }
        children.hash(&mut state);
        let hash = state.finish();
        let same = |number: &usize| {
            nodes.get(*number).is_some_and(|known| {
                known.hash == hash
                    && known.node.kind() == node.kind()
                    && lists.get(known.children.clone()) == Some(children)
                    && (set || known.node.pair(node, &mut |_, _| {}))
            })
        };
        if let Some(number) = by_hash.find(hash, same) {
            return *number;
        }
        let number = nodes.len();
        let from = lists.len();
        lists.extend_from_slice(children);
        nodes.push(Numbered { node, hash, children: from..lists.len() });
        by_hash.insert_unique(hash, number, |known| nodes.get(*known).map_or(0, |known| known.hash));
        number
    }
}

macro_rules! equality {
    ($($node:ident),*) => {$(
        impl PartialEq for $node {
            fn eq(&self, other: &Self) -> bool {
                equal(ExprRef::from(self), ExprRef::from(other))
            }
        }

        impl Eq for $node {}

        impl Hash for $node {
            fn hash<H: Hasher>(&self, state: &mut H) {
                let node = ExprRef::from(self);
                if node.is_leaf() {
                    node.hash_data(state);
                } else {
                    state.write_u64(digest(node));
                }
            }
        }
    )*};
}

equality!(LogicExpr, ValueTypeExpr, SqlSegment, SelectExpr);

/// Whether both lists hold the same terms, in whatever order and number.
fn same_terms<'a>(a: &'a [LogicExpr], b: &'a [LogicExpr]) -> bool {
    if a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b) {
        return true;
    }
    let mut numbers = Numbers::default();
    let mut set = |terms: &'a [LogicExpr]| {
        let mut set: Vec<_> = terms.iter().map(|term| numbers.of(term.into())).collect();
        set.sort_unstable();
        set.dedup();
        set
    };
    set(a) == set(b)
}

macro_rules! set_equality {
    ($($node:ident),*) => {$(
        impl PartialEq for $node {
            fn eq(&self, other: &Self) -> bool {
                same_terms(&self.items, &other.items)
            }
        }

        impl Eq for $node {}

        impl Hash for $node {
            fn hash<H: Hasher>(&self, state: &mut H) {
                let mut terms: Vec<u64> = self.items.iter().map(|term| digest(term.into())).collect();
                let different = as_set(&mut terms);
                terms.iter().take(different).for_each(|term| state.write_u64(*term));
            }
        }
    )*};
}

set_equality!(AndExpr, OrExpr);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::expr::{Child, Name, Value, ValueOps, constant, exists_related, from, func, if_else, prop, row, value};
    use crate::walk::{ExprMut, rewrite};

    fn hash(node: &impl Hash) -> u64 {
        let mut state = DefaultHasher::new();
        node.hash(&mut state);
        state.finish()
    }

    fn p(n: u8) -> LogicExpr {
        prop("P").eq(n)
    }

    fn and<const N: usize>(items: [LogicExpr; N]) -> LogicExpr {
        LogicExpr::And(AndExpr { items: items.into() })
    }

    fn or<const N: usize>(items: [LogicExpr; N]) -> LogicExpr {
        LogicExpr::Or(OrExpr { items: items.into() })
    }

    fn same(a: &LogicExpr, b: &LogicExpr) {
        assert_eq!(a, b);
        assert_eq!(hash(a), hash(b), "{a:?} and {b:?}");
    }

    #[test]
    fn and_and_or_are_sets() {
        same(&and([p(1), p(2)]), &and([p(2), p(1)]));
        same(&and([p(1), p(2), p(1)]), &and([p(2), p(1)]));
        same(&and([or([p(1), p(2)]), !p(3)]), &and([!p(3), or([p(2), p(1), p(2)]), or([p(1), p(2)])]));
        assert_ne!(and([p(1), p(2)]), or([p(1), p(2)]));
        assert_ne!(and([p(1)]), p(1));
        assert_ne!(and([p(1), p(1)]), and([p(1), p(2)]));
        assert_ne!(and([]), or([]));
    }

    #[test]
    fn sets_are_sets_below_other_nodes() {
        let query = |filter: LogicExpr| from("U").filter(filter).select(["A"]).union(from("V").select(["B"]));
        let a = prop("X").in_list(query(and([p(1), p(2)])));
        let b = prop("x").in_list(query(and([p(2), p(1), p(1)])));
        same(&a, &b);
        let case = |filter| func("F", [if_else(filter, 1, 2)]).eq(5);
        same(&case(or([p(1), p(2)])), &case(or([p(2), p(1)])));
        assert_ne!(case(or([p(1), p(2)])), case(or([p(2), p(3)])));
        assert_eq!(AndExpr { items: vec![p(1), p(2)] }, AndExpr { items: vec![p(2), p(1)] });
        assert_ne!(AndExpr { items: vec![p(1)] }, AndExpr { items: vec![p(1), p(2)] });
        assert_ne!(AndExpr { items: vec![p(1), p(2)] }, AndExpr { items: vec![p(1)] });
        assert_eq!(hash(&AndExpr { items: vec![p(1), p(2)] }), hash(&AndExpr { items: vec![p(2), p(1), p(2)] }));
    }

    #[test]
    fn names_ignore_case_and_constness_is_no_matter() {
        same(&prop("Name").eq(value(5)), &prop("NAME").eq(constant(5.0)));
        same(&exists_related("Dept", p(1)).into(), &exists_related("DEPT", p(1)).into());
        same(&func("Upper", [prop("A")]).eq("X"), &func("UPPER", [prop("a")]).eq("X"));
        assert_ne!(prop("A").eq("x"), prop("A").eq("X"));
    }

    #[test]
    fn shape_counts() {
        let f = |args: Vec<ValueTypeExpr>| func("F", args).eq(1);
        assert_ne!(f(vec![func("G", [1, 2]).into()]), f(vec![func("G", [1]).into(), 2.into()]));
        assert_ne!(hash(&f(vec![func("G", [1, 2]).into()])), hash(&f(vec![func("G", [1]).into(), 2.into()])));
        assert_ne!(prop("A").in_list(row([1, 2])), prop("A").in_list(row([2, 1])));
        let select = |alias: Option<Name>| SelectExpr { alias, ..from("U").select(["A"]) };
        assert_eq!(select(Some("T0".into())), select(Some("t0".into())));
        assert_ne!(select(Some("T0".into())), select(None));
    }

    fn trees() -> impl Strategy<Value = LogicExpr> {
        let leaf = prop_oneof![
            (0..3_u8, 0..3_i64).prop_map(|(name, n)| prop(["a", "b", "C"][usize::from(name)]).eq(Value::from(n))),
            Just(prop("A").is_null()),
        ];
        leaf.prop_recursive(6, 60, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|x| !x),
                proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| LogicExpr::And(AndExpr { items })),
                proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| LogicExpr::Or(OrExpr { items })),
                inner.clone().prop_map(|x| exists_related("E", x).into()),
                inner.clone().prop_map(|x| if_else(x, prop("A") + 1, func("F", [1, 2])).gt(3)),
                inner.clone().prop_map(|x| prop("A").in_list(from("U").filter(x).select(["B"]))),
                inner.prop_map(|x| LogicExpr::Exists(Child::new(from("U").filter(x)))),
            ]
        })
    }

    /// The same set written another way: every list turned round and its first term repeated.
    fn rewritten(mut tree: LogicExpr) -> LogicExpr {
        rewrite(&mut tree, |node| {
            if let ExprMut::Logic(LogicExpr::And(AndExpr { items, .. }) | LogicExpr::Or(OrExpr { items, .. })) = node {
                let again = items.first().cloned();
                items.reverse();
                items.extend(again);
            }
        });
        tree
    }

    /// Equality as one would define it: by recursion over a canonical text.
    fn canonical(tree: &LogicExpr) -> String {
        match tree {
            LogicExpr::And(AndExpr { items }) | LogicExpr::Or(OrExpr { items }) => {
                let set: std::collections::BTreeSet<String> = items.iter().map(canonical).collect();
                format!("{}{set:?}", tree.kind())
            }
            LogicExpr::Not(not) => format!("!{}", canonical(&not.operand)),
            LogicExpr::Foreign(foreign) => format!("E{:?}", foreign.inner.as_ref().map(canonical)),
            LogicExpr::Binary(binary) => match (&binary.left, &binary.right) {
                (ValueTypeExpr::Case(case), _) => format!("CASE {}", canonical(&case.cases[0].0)),
                (_, ValueTypeExpr::Query(query)) => match &**query {
                    SqlSegment::Select(select) => match &select.source {
                        Some(SqlSegment::Where(filter)) => format!("IN {}", canonical(&filter.filter)),
                        _ => unreachable!(),
                    },
                    _ => unreachable!(),
                },
                _ => format!("{tree:?}").to_ascii_lowercase(),
            },
            LogicExpr::Exists(query) => match &**query {
                SqlSegment::Where(filter) => format!("EXISTS {}", canonical(&filter.filter)),
                _ => unreachable!(),
            },
            _ => unreachable!(),
        }
    }

    proptest! {
        #[test]
        fn a_set_written_another_way_is_equal_and_hashes_the_same(tree in trees()) {
            let other = rewritten(tree.clone());
            prop_assert_eq!(&tree, &other);
            prop_assert_eq!(hash(&tree), hash(&other));
            prop_assert_eq!(HashSet::from([tree, other]).len(), 1);
        }

        #[test]
        fn equality_agrees_with_its_definition(a in trees(), b in trees()) {
            prop_assert_eq!(a == b, canonical(&a) == canonical(&b));
            prop_assert_eq!(a == b, b == a);
            if a == b {
                prop_assert_eq!(hash(&a), hash(&b));
            }
        }

        #[test]
        fn a_copy_is_equal_and_written_the_same_way(tree in trees()) {
            let copy = tree.clone();
            prop_assert_eq!(format!("{:?}", &copy), format!("{:?}", &tree));
            prop_assert_eq!(copy, tree);
        }
    }
}
