//! References to nodes of any kind, and the kinds of nodes.

use std::fmt;

use super::parts::Contents;
use super::path::Step;
use super::shape::Shape;
use crate::expr::{
    DeleteExpr, Expr, FunctionExpr, InsertExpr, LogicExpr, OrderByItemExpr, SelectExpr, SelectItemExpr, SqlSegment,
    TableExpr, TableJoinExpr, UpdateExpr, ValueExpr, ValueTypeExpr,
};

macro_rules! expr_types {
    ($($(#[doc = $doc:literal])* $kind:ident,)*) => {
        /// The kind of a node.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum ExprType {
            $($(#[doc = $doc])* $kind,)*
        }

        impl ExprType {
            /// What it is, in words: `A row lock.`
            pub(super) fn words(self) -> &'static str {
                match self {
                    $(ExprType::$kind => concat!($($doc),*).trim_ascii(),)*
                }
            }

            /// All kinds.
            pub const ALL: &'static [ExprType] = &[$(ExprType::$kind),*];

            /// The name of the kind.
            pub fn name(self) -> &'static str {
                match self {
                    $(ExprType::$kind => stringify!($kind),)*
                }
            }
        }
    };
}

expr_types! {
    /// An entity's table.
    Table,
    /// A common table expression, or a reference to one.
    CommonTable,
    /// A joined source.
    TableJoin,
    /// A source with joins.
    From,
    /// A select list.
    Select,
    /// An item of a select list.
    SelectItem,
    /// An order key.
    OrderByItem,
    /// A function or an aggregate.
    Function,
    /// EXISTS over an entity.
    Foreign,
    /// A lambda of another host language. In Rust, a lambda is a tree at compile time.
    Lambda,
    /// A comparison.
    LogicBinary,
    /// A conjunction.
    And,
    /// A disjunction.
    Or,
    /// A negation.
    Not,
    /// Arithmetic or a concatenation.
    ValueBinary,
    /// A list of values.
    ValueSet,
    /// An operator on one value.
    Unary,
    /// A property.
    Property,
    /// A parameter or a constant.
    Value,
    /// A registered SQL fragment.
    GenericSql,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// A filter.
    Where,
    /// Grouping.
    GroupBy,
    /// An order.
    OrderBy,
    /// A filter of groups.
    Having,
    /// Paging.
    Section,
    /// INSERT.
    Insert,
    /// A row lock.
    Lock,
    /// EXISTS over a query.
    Exists,
    /// A boolean value as a predicate.
    IsTrue,
    /// A predicate as a value.
    Truth,
    /// A query as a value.
    Query,
    /// CASE.
    Case,
    /// CAST.
    Cast,
    /// A function over a window.
    Window,
}

impl fmt::Display for ExprType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of kinds of nodes.
///
/// ```
/// use isogloss_compiler::walk::{ExprType, ExprTypes};
/// let set: ExprTypes = [ExprType::And, ExprType::Or].into_iter().collect();
/// assert!(set.contains(ExprType::And) && !set.contains(ExprType::Not));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ExprTypes(u64);

impl ExprTypes {
    const fn bit(kind: ExprType) -> u64 {
        1 << (kind as u8)
    }

    /// The set of these kinds.
    pub const fn of(kinds: &[ExprType]) -> Self {
        let (mut bits, mut rest) = (0, kinds);
        while let [kind, more @ ..] = rest {
            bits |= Self::bit(*kind);
            rest = more;
        }
        Self(bits)
    }

    /// Whether the kind is in the set.
    pub const fn contains(self, kind: ExprType) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// The union of two sets.
    #[must_use]
    pub const fn with(self, other: ExprTypes) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds of this set that are not in the other one.
    #[must_use]
    pub const fn without(self, other: ExprTypes) -> Self {
        Self(self.0 & !other.0)
    }

    /// The kinds of the set.
    pub fn iter(self) -> impl Iterator<Item = ExprType> {
        ExprType::ALL.iter().copied().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<ExprType> for ExprTypes {
    fn from_iter<I: IntoIterator<Item = ExprType>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | Self::bit(kind)))
    }
}

impl<const N: usize> From<[ExprType; N]> for ExprTypes {
    fn from(kinds: [ExprType; N]) -> Self {
        Self::of(&kinds)
    }
}

impl fmt::Debug for ExprTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

macro_rules! references {
    ($($(#[$doc:meta])* $variant:ident($node:ident),)*) => {
        /// A reference to a node of any kind.
        ///
        /// ```
        /// use isogloss_compiler::expr::{prop, ValueOps};
        /// use isogloss_compiler::walk::{ExprRef, ExprType};
        /// let filter = !prop("Age").ge(18);
        /// assert_eq!(ExprRef::from(&filter).kind(), ExprType::Not);
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum ExprRef<'a> {
            $($(#[$doc])* $variant(&'a $node),)*
        }

        /// A mutable reference to a node of any kind.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum ExprMut<'a> {
            $($(#[$doc])* $variant(&'a mut $node),)*
        }

        impl<'a> ExprRef<'a> {
            /// Calls `f` with every child and the step to it, in the order of the JSON notation.
            ///
            /// A child is a node in any place: an operand, a subquery, a member of a set operation, the definition of a
            /// common table expression, the table of a statement. Plain data is not a child: names, operators, the
            /// argument of a fragment, the plain values of an INSERT.
            pub fn for_each_child(self, mut f: impl FnMut(Step<'a>, ExprRef<'a>)) {
                self.each(&mut f);
            }

            pub(super) fn each(self, f: &mut dyn FnMut(Step<'a>, ExprRef<'a>)) {
                match self {
                    $(ExprRef::$variant(node) => Contents::each(node, f),)*
                }
            }

            /// Whether the data of both nodes is the same; their children that are no leaves go to `f` in pairs.
            pub(super) fn pair(self, other: Self, f: &mut dyn FnMut(ExprRef<'a>, ExprRef<'a>)) -> bool {
                match (self, other) {
                    $((ExprRef::$variant(a), ExprRef::$variant(b)) => Contents::pair(a, b, f),)*
                    _ => false,
                }
            }

            /// Hashes the kind, the data and the children that are leaves.
            pub(super) fn hash_data(self, state: &mut impl std::hash::Hasher) {
                state.write_u8(self.kind() as u8);
                match self {
                    $(ExprRef::$variant(node) => Contents::hash_data(node, state),)*
                }
            }

            /// Writes what it has besides its values.
            pub(super) fn shape(self, shape: &mut Shape<'a>) {
                match self {
                    $(ExprRef::$variant(node) => Contents::shape(node, shape),)*
                }
            }

            /// Calls `f` with the name and value of each field that is plain data and not empty.
            pub(super) fn show(self, f: &mut dyn FnMut(&'static str, &dyn fmt::Debug)) {
                match self {
                    $(ExprRef::$variant(node) => Contents::show(node, f),)*
                }
            }

            /// Makes `into` a copy of this node; its children that are no leaves are left to `f`.
            pub(super) fn fill<'d>(self, into: ExprMut<'d>, f: &mut dyn FnMut(ExprRef<'a>, ExprMut<'d>)) {
                match (self, into) {
                    $((ExprRef::$variant(from), ExprMut::$variant(into)) => {
                        *into = Contents::hollow(from);
                        Contents::refill(from, into, f);
                    })*
                    // A hole has the sort of the node that it was made for.
                    _ => {}
                }
            }
        }

        impl<'a> ExprMut<'a> {
            /// A shared reference to the same node.
            pub fn as_ref(&self) -> ExprRef<'_> {
                match self {
                    $(ExprMut::$variant(node) => ExprRef::$variant(node),)*
                }
            }

            /// A mutable reference to the same node with a shorter lifetime.
            pub fn reborrow(&mut self) -> ExprMut<'_> {
                match self {
                    $(ExprMut::$variant(node) => ExprMut::$variant(node),)*
                }
            }

            /// Calls `f` with every child, in the order of [`ExprRef::for_each_child`].
            pub fn for_each_child(self, mut f: impl FnMut(ExprMut<'a>)) {
                match self {
                    $(ExprMut::$variant(node) => Contents::each_mut(node, &mut f),)*
                }
            }
        }

        $(
            impl<'a> From<&'a $node> for ExprRef<'a> {
                fn from(node: &'a $node) -> Self {
                    ExprRef::$variant(node)
                }
            }

            impl<'a> From<&'a mut $node> for ExprMut<'a> {
                fn from(node: &'a mut $node) -> Self {
                    ExprMut::$variant(node)
                }
            }
        )*
    };
}

references! {
    /// A predicate.
    Logic(LogicExpr),
    /// A value.
    Value(ValueTypeExpr),
    /// A clause with what it applies to.
    Segment(SqlSegment),
    /// A select as a member of a set operation, or as the definition of a common table expression.
    Select(SelectExpr),
    /// The function of a window.
    Function(FunctionExpr),
    /// The table of a statement.
    Table(TableExpr),
    /// A value of a keyset cursor.
    Constant(ValueExpr),
    /// An item of a select list.
    SelectItem(SelectItemExpr),
    /// An order key.
    OrderByItem(OrderByItemExpr),
    /// A joined source.
    TableJoin(TableJoinExpr),
    /// INSERT.
    Insert(InsertExpr),
    /// UPDATE.
    Update(UpdateExpr),
    /// DELETE.
    Delete(DeleteExpr),
}

macro_rules! from_expr {
    ($($variant:ident),*) => {
        impl<'a> From<&'a Expr> for ExprRef<'a> {
            fn from(expr: &'a Expr) -> Self {
                match expr {
                    $(Expr::$variant(node) => ExprRef::$variant(node),)*
                }
            }
        }

        impl<'a> From<&'a mut Expr> for ExprMut<'a> {
            fn from(expr: &'a mut Expr) -> Self {
                match expr {
                    $(Expr::$variant(node) => ExprMut::$variant(node),)*
                }
            }
        }
    };
}

from_expr!(Value, Logic, Segment, SelectItem, OrderByItem, TableJoin, Insert, Update, Delete);

impl ExprRef<'_> {
    /// The kind of the node.
    pub fn kind(self) -> ExprType {
        match self {
            ExprRef::Logic(node) => node.kind(),
            ExprRef::Value(node) => node.kind(),
            ExprRef::Segment(node) => node.kind(),
            ExprRef::Select(_) => ExprType::Select,
            ExprRef::Function(_) => ExprType::Function,
            ExprRef::Table(_) => ExprType::Table,
            ExprRef::Constant(_) => ExprType::Value,
            ExprRef::SelectItem(_) => ExprType::SelectItem,
            ExprRef::OrderByItem(_) => ExprType::OrderByItem,
            ExprRef::TableJoin(_) => ExprType::TableJoin,
            ExprRef::Insert(_) => ExprType::Insert,
            ExprRef::Update(_) => ExprType::Update,
            ExprRef::Delete(_) => ExprType::Delete,
        }
    }

    /// Whether the node is handled in one piece: it has no children, or only such as have none.
    pub(super) fn is_leaf(self) -> bool {
        match self {
            ExprRef::Logic(node) => node.is_leaf(),
            ExprRef::Value(node) => node.is_leaf(),
            ExprRef::Segment(node) => node.is_leaf(),
            ExprRef::SelectItem(node) => node.value.is_leaf(),
            ExprRef::OrderByItem(node) => node.field.is_leaf(),
            ExprRef::Table(_) | ExprRef::Constant(_) => true,
            _ => false,
        }
    }

    /// The terms, if it is a conjunction or a disjunction.
    pub(super) fn as_set(&self) -> Option<&[LogicExpr]> {
        match self {
            ExprRef::Logic(LogicExpr::And(node)) => Some(&node.items),
            ExprRef::Logic(LogicExpr::Or(node)) => Some(&node.items),
            _ => None,
        }
    }
}

macro_rules! kinds {
    ($($node:ident: $($variant:ident $kind:ident,)*;)*) => {$(
        impl $node {
            /// The kind of the node.
            pub fn kind(&self) -> ExprType {
                match self {
                    $($node::$variant(_) => ExprType::$kind,)*
                }
            }
        }
    )*};
}

kinds! {
    LogicExpr:
        Binary LogicBinary, And And, Or Or, Not Not, Foreign Foreign, Exists Exists, IsTrue IsTrue, Sql GenericSql,;
    ValueTypeExpr:
        Value Value, Property Property, Unary Unary, Binary ValueBinary, Function Function, Set ValueSet, Case Case,
        Cast Cast, Window Window, Query Query, Truth Truth, Sql GenericSql,;
    SqlSegment:
        Table Table, From From, Where Where, GroupBy GroupBy, Having Having, OrderBy OrderBy, Section Section,
        Lock Lock, Select Select, CommonTable CommonTable,;
}

impl LogicExpr {
    pub(super) fn is_leaf(&self) -> bool {
        match self {
            LogicExpr::Binary(node) => node.left.is_leaf() && node.right.is_leaf(),
            LogicExpr::Sql(_) => true,
            _ => false,
        }
    }
}

impl ValueTypeExpr {
    pub(super) fn is_leaf(&self) -> bool {
        matches!(self, ValueTypeExpr::Value(_) | ValueTypeExpr::Property(_) | ValueTypeExpr::Sql(_))
    }
}

impl SqlSegment {
    pub(super) fn is_leaf(&self) -> bool {
        match self {
            SqlSegment::Table(_) => true,
            SqlSegment::CommonTable(node) => node.source.is_none(),
            _ => false,
        }
    }
}

impl Expr {
    /// The kind of the node.
    pub fn kind(&self) -> ExprType {
        ExprRef::from(self).kind()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, cte, exists_related, from, func, if_else, prop, row, table, value};

    fn children<'a>(node: impl Into<ExprRef<'a>>) -> Vec<String> {
        let mut found = Vec::new();
        node.into().for_each_child(|step, child| {
            found.push(format!("{} {}", [step].into_iter().collect::<super::super::Trail<'_>>(), child.kind()));
        });
        found
    }

    #[test]
    fn children_are_named_as_on_the_wire() {
        assert_eq!(children(&(prop("A").eq(1) & prop("B").eq(2))), ["$.$and[0] LogicBinary", "$.$and[1] LogicBinary"]);
        assert_eq!(children(&!prop("A").eq(1)), ["$.! LogicBinary"]);
        let foreign: LogicExpr = exists_related("D", prop("A").eq(1)).into();
        assert_eq!(children(&foreign), ["$.InnerExpr LogicBinary"]);
        assert_eq!(children(&ValueTypeExpr::from(func("Upper", [prop("A")]))), ["$.Upper[0] Property"]);
        assert_eq!(children(&ValueTypeExpr::from(row([1, 2]))), ["$.List[0] Value", "$.List[1] Value"]);
        assert_eq!(children(&-prop("A")), ["$.Nagive Property"]);
        assert_eq!(
            children(&ValueTypeExpr::from(if_else(prop("A").eq(1), 2, 3))),
            ["$.CASE[0] LogicBinary", "$.CASE[1] Value", "$.CASE[2] Value"]
        );
        assert_eq!(children(&prop("A").in_list(from("U"))), ["$.Left Property", "$.Right Query"]);
    }

    #[test]
    fn children_of_queries_and_statements() {
        let select = from("U").select(["A"]).distinct_on([prop("B")]).union(from("V").select(["C"]));
        assert_eq!(
            children(&select),
            ["$.$select Table", "$.Selects[0] SelectItem", "$.DistinctOn[0] Property", "$.Next[0] Select"]
        );
        assert_eq!(children(&SqlSegment::from(select.with("x"))), ["$.$cte Select"]);
        let page = from("U").order_by([prop("A").asc()]).after([value(5)], 10);
        assert_eq!(children(&page), ["$.$section OrderBy", "$.After[0] Value"]);
        let joined = from("U").join(crate::expr::TableJoinType::Left, cte("x"), prop("A").eq(1));
        assert_eq!(children(&joined), ["$.$from Table", "$.Joins[0] TableJoin"]);
        let update = table("U").update([("A", 1)]).set("B", prop("C")).filter(prop("D").eq(1)).returning(["E"]);
        assert_eq!(
            children(&update),
            [
                "$.$update Table",
                "$.Sets[0].A Value",
                "$.Sets[1].B Property",
                "$.Where LogicBinary",
                "$.Returning[0] SelectItem"
            ]
        );
        let insert = table("U").insert_query(["A"], from("V"));
        assert_eq!(children(&insert), ["$.$insert Table", "$.Query Table"]);
        let window = ValueTypeExpr::from(prop("A").sum().over().partition_by([prop("B")]).order_by([prop("C")]));
        assert_eq!(
            children(&window),
            ["$.Function Function", "$.PartitionBy[0] Property", "$.OrderBys[0] OrderByItem"]
        );
    }

    #[test]
    fn a_set_holds_every_kind() {
        let all: ExprTypes = ExprType::ALL.iter().copied().collect();
        assert_eq!(all.iter().count(), ExprType::ALL.len());
        assert!(ExprType::ALL.len() < 64);
    }
}
