//! Cycles of names in a tree.
//!
//! A tree is owned data without cycles of nodes. Only names can be cyclic: common table expressions that refer to each
//! other, and registered SQL fragments whose callbacks use others.

use std::collections::{HashMap, HashSet};

use super::node::ExprRef;
use super::path::Step;
use super::visit::{Visit, Walk};
use crate::expr::{Name, SelectExpr, SelectSetType, SqlSegment};

/// The result of a [`CycleDetector`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CycleResult {
    /// The name that leads back to itself; `None` without a cycle.
    pub cycle_node: Option<Name>,
    /// The names along the cycle. It begins and ends with [`CycleResult::cycle_node`].
    pub path: Vec<Name>,
}

impl CycleResult {
    /// Whether there is a cycle.
    pub fn has_cycle(&self) -> bool {
        self.cycle_node.is_some()
    }
}

/// Finds names that lead back to themselves.
///
/// In a tree these are common table expressions. One that refers to itself is legal only as recursion in SQL: its
/// definition is a set operation, and the reference is in a member appended by UNION or UNION ALL, outside of any other
/// definition. Two that refer to each other are never legal.
///
/// ```
/// use isogloss_compiler::expr::{cte, from, SqlSegment};
/// use isogloss_compiler::walk::CycleDetector;
///
/// let step = cte("tree").select(["Id"]);
/// let legal: SqlSegment = from("Node").select(["Id"]).union_all(step.clone()).with("tree").into();
/// assert!(!CycleDetector::has_cycle(&legal));
///
/// let endless: SqlSegment = step.with("tree").into();
/// assert_eq!(CycleDetector::find_cycle(&endless), Some("tree".into()));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CycleDetector;

impl CycleDetector {
    /// Whether a common table expression of the tree leads back to itself.
    pub fn has_cycle<'a>(root: impl Into<ExprRef<'a>>) -> bool {
        Self::detect(root).has_cycle()
    }

    /// The first common table expression of the tree that leads back to itself.
    pub fn find_cycle<'a>(root: impl Into<ExprRef<'a>>) -> Option<Name> {
        Self::detect(root).cycle_node
    }

    /// The first common table expression that leads back to itself, with the names along the cycle.
    pub fn detect<'a>(root: impl Into<ExprRef<'a>>) -> CycleResult {
        let references = References::of(root.into());
        Self::detect_in(references.order.iter().map(|name| (*name).clone()), |name| {
            references.of.get(name).map(|to| to.iter().map(|name| (*name).clone()).collect()).unwrap_or_default()
        })
    }

    /// The first name of a registry that leads back to itself, with the names along the cycle. `references` returns the
    /// names that a name refers to, and is called once for each name.
    ///
    /// ```
    /// use isogloss_compiler::expr::Name;
    /// use isogloss_compiler::walk::CycleDetector;
    /// let found = CycleDetector::detect_in(["a".into()], |name: &Name| match name.as_str() {
    ///     "a" => vec!["b".into()],
    ///     "b" => vec!["c".into(), "B".into()],
    ///     _ => vec![],
    /// });
    /// assert_eq!(found.path, [Name::new("b"), Name::new("B")]);
    /// ```
    pub fn detect_in(
        starts: impl IntoIterator<Item = Name>,
        mut references: impl FnMut(&Name) -> Vec<Name>,
    ) -> CycleResult {
        let mut finished: HashSet<Name> = HashSet::new();
        for start in starts {
            if finished.contains(&start) {
                continue;
            }
            // The way that is being gone, and what is still to be tried from each of its names.
            let mut on_way: HashSet<Name> = HashSet::from([start.clone()]);
            let mut way = vec![(start.clone(), references(&start))];
            while let Some((name, rest)) = way.last_mut() {
                match rest.pop() {
                    None => {
                        on_way.remove(name);
                        finished.insert(name.clone());
                        way.pop();
                    }
                    Some(next) if on_way.contains(&next) => {
                        let path = way.into_iter().map(|(name, _)| name).skip_while(|name| *name != next);
                        let path: Vec<Name> = path.chain([next.clone()]).collect();
                        return CycleResult { cycle_node: Some(next), path };
                    }
                    Some(next) if finished.contains(&next) => {}
                    Some(next) => {
                        on_way.insert(next.clone());
                        let rest = references(&next);
                        way.push((next, rest));
                    }
                }
            }
        }
        CycleResult::default()
    }
}

/// Which common table expression's definition refers to which others. Legal recursion is left out.
#[derive(Default)]
struct References<'a> {
    order: Vec<&'a Name>,
    of: HashMap<&'a Name, Vec<&'a Name>>,
}

/// A definition that the walk is inside of.
struct OpenDefinition<'a> {
    name: &'a Name,
    select: &'a SelectExpr,
    /// The depth of its select.
    depth: usize,
}

impl<'a> References<'a> {
    fn of(root: ExprRef<'a>) -> Self {
        let mut found = Self::default();
        let mut open: Vec<OpenDefinition<'a>> = Vec::new();
        let mut walk = Walk::new(root);
        while let Some(visit) = walk.next() {
            match visit {
                Visit::Enter(ExprRef::Segment(SqlSegment::CommonTable(table))) => {
                    if let Some(inside) = open.last()
                        && !(inside.name == &table.alias && table.source.is_none() && recursion(inside, &walk))
                    {
                        found.of.entry(inside.name).or_default().push(&table.alias);
                    }
                    if let Some(select) = &table.source {
                        found.order.push(&table.alias);
                        open.push(OpenDefinition { name: &table.alias, select, depth: walk.depth() + 1 });
                    }
                }
                Visit::Leave(ExprRef::Segment(SqlSegment::CommonTable(table))) if table.source.is_some() => {
                    open.pop();
                }
                _ => {}
            }
        }
        found
    }
}

/// Whether the walk is in a member of the definition that may refer to it: one attached by UNION or UNION ALL.
fn recursion(inside: &OpenDefinition<'_>, walk: &Walk<'_>) -> bool {
    match walk.trail().steps().get(inside.depth + 1) {
        Some(Step::Item("Next", member)) => inside
            .select
            .next_selects
            .get(*member)
            .is_some_and(|next| matches!(next.set_type, SelectSetType::UnionAll | SelectSetType::Union)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Expr, ValueOps, cte, from, prop};
    use crate::tests::{levels, on_small_stack};

    fn path(root: impl Into<Expr>) -> String {
        let found = CycleDetector::detect(&root.into());
        assert_eq!(found.has_cycle(), !found.path.is_empty());
        found.path.iter().map(Name::as_str).collect::<Vec<_>>().join(" ")
    }

    fn members(name: &str) -> SqlSegment {
        from("Node").select(["Id"]).union_all(cte(name).select(["Id"])).with(name).into()
    }

    #[test]
    fn recursion_through_union_is_legal() {
        assert_eq!(path(members("t")), "");
        let filtered = cte("T").filter(prop("A").eq(1)).select(["Id"]);
        assert_eq!(path(SqlSegment::from(from("N").select(["Id"]).union(filtered).with("t"))), "");
    }

    #[test]
    fn other_self_references_are_cycles() {
        let itself = cte("t").select(["Id"]);
        assert_eq!(path(SqlSegment::from(itself.clone().with("T"))), "T t");
        let except = from("N").select(["Id"]).except(itself.clone()).with("t");
        assert_eq!(path(SqlSegment::from(except)), "t t");
        let anchor = itself.union_all(from("N").select(["Id"])).with("t");
        assert_eq!(path(SqlSegment::from(anchor)), "t t");
        let in_operand = from("N").filter(prop("A").in_list(cte("t").select(["Id"]))).select(["Id"]).with("t");
        assert_eq!(path(prop("X").in_list(SqlSegment::from(in_operand))), "t t");
    }

    #[test]
    fn two_that_refer_to_each_other_are_a_cycle() {
        let a = SqlSegment::from(cte("b").select(["Id"]).with("a"));
        let b = SqlSegment::from(cte("a").select(["Id"]).with("b"));
        assert_eq!(path(a.clone().join(crate::expr::TableJoinType::Cross, b, None)), "a b a");
        let nested = SqlSegment::from(cte("a").select(["Id"]).with("b"));
        let outer = SqlSegment::from(from("N").select(["Id"]).union_all(nested.select(["Id"])).with("a"));
        assert_eq!(path(outer), "a b a");
        let c = SqlSegment::from(cte("z").select(["Id"]).with("c"));
        assert_eq!(path(a.join(crate::expr::TableJoinType::Cross, c, None)), "");
    }

    #[test]
    fn a_registry_of_many_names_needs_no_stack() {
        on_small_stack(|| {
            let last = levels(200_000);
            let next = |name: &Name| {
                let following = name.as_str().parse::<usize>().unwrap() + 1;
                vec![Name::new(following.min(last).to_string())]
            };
            let found = CycleDetector::detect_in([Name::new("0")], next);
            assert_eq!(found.path, vec![Name::new(last.to_string()); 2]);
        });
    }
}
