//! Validators: which kinds of nodes a tree may have.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::node::{ExprRef, ExprType, ExprTypes};
use super::path::Path;
use super::visit::{CancellationToken, Visit, Walk};

/// What a filter over one table needs: the specification's minimum, and the two borders between predicates and values.
const MINIMUM: ExprTypes = ExprTypes::of(&[
    ExprType::Value,
    ExprType::Property,
    ExprType::Unary,
    ExprType::ValueSet,
    ExprType::LogicBinary,
    ExprType::And,
    ExprType::Or,
    ExprType::Not,
    ExprType::IsTrue,
    ExprType::Truth,
    ExprType::Where,
    ExprType::OrderBy,
    ExprType::OrderByItem,
    ExprType::Section,
]);

/// What a query needs. No statement, no lock, no registered SQL.
pub(super) const QUERY_ONLY: ExprTypes = MINIMUM.with(ExprTypes::of(&[
    ExprType::From,
    ExprType::GroupBy,
    ExprType::Having,
    ExprType::Select,
    ExprType::SelectItem,
    ExprType::Function,
    ExprType::Table,
    ExprType::TableJoin,
    ExprType::CommonTable,
    ExprType::Foreign,
    ExprType::Exists,
    ExprType::Query,
    ExprType::ValueBinary,
    ExprType::Case,
    ExprType::Cast,
    ExprType::Window,
]));

/// Checks which kinds of nodes a tree has, and reports the first one that is not allowed.
///
/// Call [`check`](Self::check), which looks at every node. A validator knows only kinds of nodes. Which entities,
/// properties and functions a tree of an untrusted client may use is the task of a [`QueryPolicy`](super::QueryPolicy).
///
/// ```
/// use isogloss_compiler::expr::{prop, sql, ValueOps};
/// use isogloss_compiler::walk::{ExprType, ExprValidator};
///
/// let mut validator = ExprValidator::query_only();
/// assert!(validator.visit_all(&prop("Age").ge(18)));
///
/// assert!(!validator.visit_all(&prop("Age").ge(18).and(sql("mine", 5))));
/// let failed = validator.failed_expr().ok_or("no failure")?;
/// assert_eq!((failed.kind, failed.path.as_str()), (ExprType::GenericSql, "$.$and[1]"));
///
/// let mut validator = ExprValidator::query_only().allow([ExprType::GenericSql]);
/// assert!(validator.visit_all(&prop("Age").ge(18).and(sql("mine", 5))));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExprValidator {
    /// One after the other; the first that rejects a node has rejected it.
    rules: Vec<Check>,
    failed: Option<FailedExpr>,
}

#[derive(Debug, Clone)]
struct Check {
    name: Cow<'static, str>,
    test: NodeTest,
}

#[derive(Clone)]
enum NodeTest {
    Kinds(ExprTypes),
    Own(Arc<dyn Fn(ExprRef<'_>) -> bool + Send + Sync>),
}

impl fmt::Debug for NodeTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeTest::Kinds(kinds) => kinds.fmt(f),
            NodeTest::Own(_) => f.write_str("Own(..)"),
        }
    }
}

/// The first node that a validator has rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} is not allowed here ({validator}) at {path}")]
#[non_exhaustive]
pub struct FailedExpr {
    /// Its kind.
    pub kind: ExprType,
    /// The place of the node.
    pub path: Path,
    /// The name of the validator that has rejected it; for a group, that of the member.
    pub validator: String,
}

impl ExprValidator {
    /// A filter over one table: comparisons, `And`, `Or`, `Not`, lists, an order and paging.
    pub fn minimum() -> Self {
        Self::of(MINIMUM).named("minimum")
    }

    /// A query: [`ExprValidator::minimum`] with joins, subqueries, groups, functions, arithmetic, CASE, CAST, windows,
    /// set operations and EXISTS.
    ///
    /// INSERT, UPDATE, DELETE, locks and registered SQL are not included unless they are
    /// [allowed](ExprValidator::allow).
    pub fn query_only() -> Self {
        Self::of(QUERY_ONLY).named("query only")
    }

    /// Accepts nodes of these kinds.
    pub fn of(kinds: impl Into<ExprTypes>) -> Self {
        Self::rule("kinds", NodeTest::Kinds(kinds.into()))
    }

    /// Accepts nodes for which `test` returns true.
    pub fn by(test: impl Fn(ExprRef<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self::rule("test", NodeTest::Own(Arc::new(test)))
    }

    /// Accepts nodes that all of these validators accept. [`FailedExpr::validator`] is the first one that rejects a
    /// node.
    pub fn group(validators: impl IntoIterator<Item = ExprValidator>) -> Self {
        Self { rules: validators.into_iter().flat_map(|validator| validator.rules).collect(), failed: None }
    }

    fn rule(name: &'static str, test: NodeTest) -> Self {
        Self { rules: vec![Check { name: name.into(), test }], failed: None }
    }

    /// Sets the name of the validator in messages.
    #[must_use]
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        self.rules.iter_mut().for_each(|rule| rule.name = name.clone());
        self
    }

    /// Adds kinds to those that are allowed.
    #[must_use]
    pub fn allow(self, kinds: impl Into<ExprTypes>) -> Self {
        let more = kinds.into();
        self.change(|kinds| kinds.with(more))
    }

    /// Removes kinds from those that are allowed.
    #[must_use]
    pub fn forbid(self, kinds: impl Into<ExprTypes>) -> Self {
        let fewer = kinds.into();
        self.change(|kinds| kinds.without(fewer))
    }

    fn change(mut self, change: impl Fn(ExprTypes) -> ExprTypes) -> Self {
        for rule in &mut self.rules {
            if let NodeTest::Kinds(kinds) = &mut rule.test {
                *kinds = change(*kinds);
            }
        }
        self
    }

    /// Whether the node itself is accepted, for visitors that walk by themselves. Its children are not checked, and
    /// [`failed_expr`](Self::failed_expr) is not set: to check a tree, call [`check`](Self::check).
    pub fn validate<'a>(&self, node: impl Into<ExprRef<'a>>) -> bool {
        self.rejecting(node.into()).is_none()
    }

    fn rejecting(&self, node: ExprRef<'_>) -> Option<&Check> {
        self.rules.iter().find(|rule| match &rule.test {
            NodeTest::Kinds(kinds) => !kinds.contains(node.kind()),
            NodeTest::Own(test) => !test(node),
        })
    }

    /// Whether every node of the tree is accepted; [`ExprValidator::failed_expr`] has the first one that is not.
    /// [`check`](Self::check) does the same without keeping the result.
    pub fn visit_all<'a>(&mut self, root: impl Into<ExprRef<'a>>) -> bool {
        self.failed = self.check(root).err();
        self.failed.is_none()
    }

    /// The first node that the last [`ExprValidator::visit_all`] rejected.
    pub fn failed_expr(&self) -> Option<&FailedExpr> {
        self.failed.as_ref()
    }

    /// Checks every node of the tree.
    ///
    /// # Errors
    /// The first node that is not accepted.
    pub fn check<'a>(&self, root: impl Into<ExprRef<'a>>) -> Result<(), FailedExpr> {
        self.check_until(root, &CancellationToken::new()).map(|_| ())
    }

    /// Checks every node of the tree until the token is cancelled. Returns whether all of them were checked: a tree is
    /// valid only if the result is `Ok(true)`.
    ///
    /// # Errors
    /// The first node that is not accepted.
    pub fn check_until<'a>(
        &self,
        root: impl Into<ExprRef<'a>>,
        cancel: &CancellationToken,
    ) -> Result<bool, FailedExpr> {
        let mut walk = Walk::new(root);
        while let Some(visit) = walk.next() {
            if cancel.is_cancelled() {
                return Ok(false);
            }
            if let Visit::Enter(node) = visit
                && let Some(rule) = self.rejecting(node)
            {
                let (path, validator) = (walk.trail().into(), rule.name.to_string());
                return Err(FailedExpr { kind: node.kind(), path, validator });
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{
        Expr, LockMode, LockWait, LogicExpr, ValueOps, exists_query, exists_related, from, func, if_else, prop, sql,
        table,
    };

    fn failure(validator: &ExprValidator, expr: impl Into<Expr>) -> Option<(ExprType, String)> {
        validator.check(&expr.into()).err().map(|failed| (failed.kind, failed.path.into()))
    }

    #[test]
    fn the_minimum_is_a_filter_with_order_and_paging() {
        let minimum = ExprValidator::minimum();
        let filter = prop("A").in_list([1, 2]) & !prop("B").is_null() | prop("C").is_true();
        assert_eq!(failure(&minimum, filter), None);
        assert_eq!(failure(&minimum, func("Upper", [prop("A")]).eq("X")), Some((ExprType::Function, "$.Left".into())));
        assert_eq!(failure(&minimum, from("U").take(5)), Some((ExprType::Table, "$.$section".into())));
    }

    #[test]
    fn a_query_may_do_what_queries_do() {
        let query_only = ExprValidator::query_only();
        let query = from("U")
            .filter((prop("A") + 1).gt(2) & LogicExpr::from(exists_related("D", None)))
            .group_by([prop("A")])
            .having(prop("B").sum().gt(5))
            .select([if_else(prop("A").eq(1), 2, 3).alias("c"), prop("D").sum().over().alias("s")])
            .union(from("V").select(["A"]));
        assert_eq!(failure(&query_only, query), None);
    }

    #[test]
    fn what_hides_in_an_operand_is_found() {
        let query_only = ExprValidator::query_only();
        let hidden = prop("A").in_list(from("U").filter(sql("k", 1)).select(["B"]));
        assert_eq!(failure(&query_only, !hidden), Some((ExprType::GenericSql, "$.!.Right.$select.Where".into())));
        let locked = exists_query(from("U").lock(LockMode::Update, LockWait::Wait));
        assert_eq!(failure(&query_only, locked), Some((ExprType::Lock, "$.$exists".into())));
        let member = from("U").select(["A"]).union(from("V").filter(sql("k", 1)).select(["A"]));
        assert_eq!(failure(&query_only, member), Some((ExprType::GenericSql, "$.Next[0].$select.Where".into())));
        assert_eq!(failure(&query_only, table("U").delete().all_rows()), Some((ExprType::Delete, "$".into())));
        assert_eq!(failure(&query_only, table("U").update([("A", 1)])), Some((ExprType::Update, "$".into())));
        assert_eq!(failure(&query_only, table("U").insert(["A"], vec![])), Some((ExprType::Insert, "$".into())));
    }

    #[test]
    fn a_group_names_the_one_that_rejected() {
        let few = ExprValidator::by(|node| !matches!(node, ExprRef::Logic(LogicExpr::Or(_)))).named("no Or");
        let mut group = ExprValidator::group([ExprValidator::query_only().forbid([ExprType::Not]), few]);
        assert!(group.visit_all(&prop("A").eq(1)));
        assert!(!group.visit_all(&(prop("A").eq(1) | prop("B").eq(1))));
        assert_eq!(group.failed_expr().unwrap().to_string(), "Or is not allowed here (no Or) at $");
        assert!(!group.visit_all(&!prop("A").eq(1)));
        assert_eq!(group.failed_expr().unwrap().validator, "query only");
        assert!(group.visit_all(&prop("A").eq(1)));
        assert_eq!(group.failed_expr(), None);
    }

    #[test]
    fn a_cancelled_check_is_no_success() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(ExprValidator::minimum().check_until(&prop("A").eq(1), &cancel), Ok(false));
    }
}
