//! Visitors of all nodes of a tree, before or after their children.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::node::{ExprMut, ExprRef};
use super::path::{Step, Trail};
use crate::work;

/// An event of a [`Walk`].
#[derive(Debug, Clone, Copy)]
pub enum Visit<'a> {
    /// The node, before its children.
    Enter(ExprRef<'a>),
    /// The node, after its children.
    Leave(ExprRef<'a>),
}

/// A walk over a tree: an iterator that enters and leaves every node, without recursion.
///
/// ```
/// use isogloss_compiler::expr::{prop, ValueOps};
/// use isogloss_compiler::walk::{ExprType, Visit, Walk};
/// let filter = prop("Age").ge(18) & !prop("Name").is_null();
/// let mut walk = Walk::new(&filter);
/// while let Some(visit) = walk.next() {
///     if matches!(visit, Visit::Enter(node) if node.kind() == ExprType::Property) {
///         println!("{}", walk.trail()); // $.$and[0].Left, then $.$and[1].!.Left
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Walk<'a> {
    waiting: Vec<Waiting<'a>>,
    trail: Trail<'a>,
    /// How many were waiting before the children of the node entered last.
    before_children: usize,
}

#[derive(Debug)]
struct Waiting<'a> {
    visit: Visit<'a>,
    step: Step<'a>,
    depth: usize,
}

impl<'a> Walk<'a> {
    /// A walk that begins at this node.
    pub fn new(root: impl Into<ExprRef<'a>>) -> Self {
        let root = Waiting { visit: Visit::Enter(root.into()), step: Step::Same, depth: 0 };
        Self { waiting: vec![root], trail: Trail::default(), before_children: 0 }
    }

    /// The steps from the root to the node of the last event.
    pub fn trail(&self) -> &Trail<'a> {
        &self.trail
    }

    /// The step to the node of the last event.
    pub fn step(&self) -> Option<Step<'a>> {
        self.trail.steps().last().copied()
    }

    /// The number of nodes above the node of the last event.
    pub fn depth(&self) -> usize {
        self.trail.steps().len().saturating_sub(1)
    }

    /// Skips the children of the node that was entered last.
    pub fn skip_children(&mut self) {
        self.waiting.truncate(self.before_children);
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Visit<'a>;

    fn next(&mut self) -> Option<Visit<'a>> {
        let Waiting { visit, step, depth } = self.waiting.pop()?;
        match visit {
            Visit::Enter(node) => {
                work::count(1);
                self.trail.enter(depth, step);
                self.waiting.push(Waiting { visit: Visit::Leave(node), step, depth });
                self.before_children = self.waiting.len();
                let waiting = &mut self.waiting;
                node.each(&mut |step, child| {
                    waiting.push(Waiting { visit: Visit::Enter(child), step, depth: depth + 1 });
                });
                if let Some(children) = self.waiting.get_mut(self.before_children..) {
                    children.reverse();
                }
            }
            Visit::Leave(_) => {
                self.trail.leave(depth);
                self.before_children = self.waiting.len();
            }
        }
        Some(visit)
    }
}

/// The order of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum VisitOrder {
    /// A node before its children.
    #[default]
    Pre,
    /// A node after its children.
    Post,
}

/// Stops a walk, from another thread or from inside. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops every walk that holds this token or a clone of it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`CancellationToken::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A visitor that is called before and after the children of each node.
pub trait ExprNodeVisitor {
    /// Before the node's children.
    fn begin_visit(&mut self, node: ExprRef<'_>, cancel: &CancellationToken);

    /// After the node's children.
    fn end_visit(&mut self, node: ExprRef<'_>, cancel: &CancellationToken);
}

/// Visits trees in an order, until it is stopped.
///
/// ```
/// use isogloss_compiler::expr::{prop, ValueOps};
/// use isogloss_compiler::walk::{ExprVisitor, VisitOrder};
/// let filter = prop("Age").ge(18) & !prop("Name").is_null();
/// let mut kinds = Vec::new();
/// ExprVisitor::new(VisitOrder::Post).visit(&filter, |node| kinds.push(node.kind().name()));
/// assert_eq!(kinds, ["Property", "Value", "LogicBinary", "Property", "Value", "LogicBinary", "Not", "And"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExprVisitor {
    order: VisitOrder,
    cancel: CancellationToken,
}

impl ExprVisitor {
    /// A visitor with this order.
    pub fn new(order: VisitOrder) -> Self {
        Self { order, cancel: CancellationToken::new() }
    }

    /// Stops when the token is cancelled.
    #[must_use]
    pub fn cancelled_by(self, token: &CancellationToken) -> Self {
        Self { cancel: token.clone(), ..self }
    }

    /// Visits all nodes until `f` returns false. Returns whether all of them were visited.
    pub fn visit_while<'a>(&self, root: impl Into<ExprRef<'a>>, mut f: impl FnMut(ExprRef<'a>) -> bool) -> bool {
        Walk::new(root).all(|visit| {
            !self.cancel.is_cancelled()
                && match (self.order, visit) {
                    (VisitOrder::Pre, Visit::Enter(node)) | (VisitOrder::Post, Visit::Leave(node)) => f(node),
                    _ => true,
                }
        })
    }

    /// Visits all nodes. Returns whether all of them were visited.
    pub fn visit<'a>(&self, root: impl Into<ExprRef<'a>>, mut f: impl FnMut(ExprRef<'a>)) -> bool {
        self.visit_while(root, |node| {
            f(node);
            true
        })
    }

    /// Calls the visitor before and after the children of each node. Returns whether all of them were visited.
    pub fn visit_nodes<'a>(&self, root: impl Into<ExprRef<'a>>, visitor: &mut impl ExprNodeVisitor) -> bool {
        Walk::new(root).all(|visit| {
            if self.cancel.is_cancelled() {
                return false;
            }
            match visit {
                Visit::Enter(node) => visitor.begin_visit(node, &self.cancel),
                Visit::Leave(node) => visitor.end_visit(node, &self.cancel),
            }
            true
        })
    }
}

/// Visits all nodes until `f` returns false. Returns whether all of them were visited.
///
/// ```
/// use isogloss_compiler::expr::{from, prop, ValueOps};
/// use isogloss_compiler::walk::{visit_while, ExprType, VisitOrder};
/// // A subquery in an operand is a child like any other.
/// let filter = prop("DeptId").in_list(from("Dept").select(["Id"]));
/// assert!(!visit_while(&filter, VisitOrder::Pre, |node| node.kind() != ExprType::Select));
/// ```
pub fn visit_while<'a>(root: impl Into<ExprRef<'a>>, order: VisitOrder, f: impl FnMut(ExprRef<'a>) -> bool) -> bool {
    ExprVisitor::new(order).visit_while(root, f)
}

/// Visits all nodes.
pub fn visit<'a>(root: impl Into<ExprRef<'a>>, order: VisitOrder, f: impl FnMut(ExprRef<'a>)) {
    ExprVisitor::new(order).visit(root, f);
}

/// Changes a tree in place, from the root down: `f` is called with each node before its children, and then with the
/// children that it has left.
///
/// ```
/// use isogloss_compiler::expr::{prop, Name, ValueOps, ValueTypeExpr};
/// use isogloss_compiler::walk::{rewrite, ExprMut};
/// let mut filter = prop("Old").ge(18) & !prop("Old").is_null();
/// rewrite(&mut filter, |node| {
///     if let ExprMut::Value(ValueTypeExpr::Property(property)) = node {
///         property.name = Name::new("New");
///     }
/// });
/// assert_eq!(filter, prop("New").ge(18) & !prop("New").is_null());
/// ```
pub fn rewrite<'a>(root: impl Into<ExprMut<'a>>, mut f: impl FnMut(ExprMut<'_>)) {
    let mut waiting = vec![root.into()];
    while let Some(mut node) = waiting.pop() {
        f(node.reborrow());
        let from = waiting.len();
        node.for_each_child(|child| waiting.push(child));
        if let Some(children) = waiting.get_mut(from..) {
            children.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, from, prop, table};
    use crate::walk::ExprType;

    #[test]
    fn a_walk_knows_its_way() {
        let query = from("U").filter(prop("A").eq(1) & prop("B").in_list(from("V").select(["C"])));
        let mut walk = Walk::new(&query);
        let mut paths = Vec::new();
        while let Some(visit) = walk.next() {
            if let Visit::Enter(node) = visit {
                paths.push(format!("{} {}", walk.trail(), node.kind()));
            }
        }
        assert_eq!(
            paths,
            [
                "$ Where",
                "$.$where Table",
                "$.Where And",
                "$.Where.$and[0] LogicBinary",
                "$.Where.$and[0].Left Property",
                "$.Where.$and[0].Right Value",
                "$.Where.$and[1] LogicBinary",
                "$.Where.$and[1].Left Property",
                "$.Where.$and[1].Right Query",
                "$.Where.$and[1].Right Select",
                "$.Where.$and[1].Right.$select Table",
                "$.Where.$and[1].Right.Selects[0] SelectItem",
                "$.Where.$and[1].Right.Selects[0].Value Property",
            ]
        );
    }

    #[test]
    fn children_can_be_skipped() {
        let filter = !prop("A").eq(1) & prop("B").eq(2);
        let mut walk = Walk::new(&filter);
        let mut kinds = Vec::new();
        while let Some(visit) = walk.next() {
            if let Visit::Enter(node) = visit {
                kinds.push(node.kind());
                if node.kind() == ExprType::Not {
                    walk.skip_children();
                }
            }
        }
        assert_eq!(kinds, [ExprType::And, ExprType::Not, ExprType::LogicBinary, ExprType::Property, ExprType::Value]);
    }

    #[test]
    fn a_visit_stops_at_false_and_when_cancelled() {
        let delete = crate::expr::Expr::from(table("U").delete().filter(prop("A").eq(1)));
        let mut seen = 0;
        assert!(!visit_while(&delete, VisitOrder::Pre, |node| {
            seen += 1;
            node.kind() != ExprType::Table
        }));
        assert_eq!(seen, 2);

        struct Cancelling(Vec<String>);
        impl ExprNodeVisitor for Cancelling {
            fn begin_visit(&mut self, node: ExprRef<'_>, cancel: &CancellationToken) {
                self.0.push(format!("+{}", node.kind()));
                if node.kind() == ExprType::Property {
                    cancel.cancel();
                }
            }
            fn end_visit(&mut self, node: ExprRef<'_>, _: &CancellationToken) {
                self.0.push(format!("-{}", node.kind()));
            }
        }
        let mut visitor = Cancelling(Vec::new());
        assert!(!ExprVisitor::default().visit_nodes(&delete, &mut visitor));
        assert_eq!(visitor.0, ["+Delete", "+Table", "-Table", "+LogicBinary", "+Property"]);
    }

    #[test]
    fn what_a_rewrite_puts_in_is_visited_too() {
        let mut filter = prop("A").eq(1);
        let mut kinds = Vec::new();
        rewrite(&mut filter, |node| {
            kinds.push(node.as_ref().kind());
            if let ExprMut::Logic(logic) = node
                && kinds.len() == 1
            {
                *logic = !prop("B").eq(2);
            }
        });
        assert_eq!(filter, !prop("B").eq(2));
        assert_eq!(kinds, [ExprType::LogicBinary, ExprType::LogicBinary, ExprType::Property, ExprType::Value]);
    }
}
