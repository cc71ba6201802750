//! The fluent methods of values and predicates: comparisons, aggregates, orders, names.

use compact_str::CompactString;

use super::lists::{GroupKey, InList, group_keys};
use super::{
    AndExpr, CaseExpr, CastExpr, Child, DbType, DeleteExpr, Expr, ForeignExpr, Frame, FrameBound, FrameExclude,
    FrameUnit, FunctionExpr, GenericSqlExpr, InsertExpr, LogicBinaryExpr, LogicExpr, LogicOperator, Name, Nulls,
    OrExpr, OrderByItemExpr, PropertyExpr, SelectExpr, SelectItemExpr, SqlSegment, TableJoinExpr, UnaryExpr,
    UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueSet, ValueTypeExpr, WindowExpr, aggregate, func, null,
};

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $operator:ident;)*) => {$(
        $(#[$doc])*
        fn $method(self, right: impl Into<ValueTypeExpr>) -> LogicExpr {
            self.compare(LogicOperator::$operator, right)
        }
    )*};
}

/// What can be said of a value: comparisons, aggregates, orders and names.
///
/// ```
/// use isogloss_compiler::expr::{prop, ValueOps};
/// let filter = prop("Amount").gt(100) & prop("Status").in_list([1, 2]) & prop("Note").is_not_null();
/// # let _ = filter;
/// ```
#[allow(clippy::wrong_self_convention, reason = "`is_null` and its like build a node of `self`")]
pub trait ValueOps: Into<ValueTypeExpr> + Sized {
    /// Compares with any operator.
    fn compare(self, operator: LogicOperator, right: impl Into<ValueTypeExpr>) -> LogicExpr {
        LogicExpr::Binary(LogicBinaryExpr { left: self.into(), operator, right: right.into() })
    }

    comparisons! {
        /// Equal; with NULL, `IS NULL`.
        eq Equal;
        /// Not equal; with NULL, `IS NOT NULL`.
        ne NotEqual;
        /// Greater.
        gt GreaterThan;
        /// Less.
        lt LessThan;
        /// Greater or equal.
        ge GreaterThanOrEqual;
        /// Less or equal.
        le LessThanOrEqual;
        /// Like a pattern: `%` any text, `_` any character, `\` the escape.
        like Like;
        /// Not like a pattern.
        not_like NotLike;
        /// Like a pattern, with no regard to case.
        ilike ILike;
        /// Contains the text as it is; `%` and `_` mean themselves.
        contains Contains;
        /// Begins with the text as it is.
        starts_with StartsWith;
        /// Ends with the text as it is.
        ends_with EndsWith;
        /// Contains the text, with no regard to case.
        icontains IContains;
        /// Begins with the text, with no regard to case.
        istarts_with IStartsWith;
        /// Ends with the text, with no regard to case.
        iends_with IEndsWith;
        /// Matches a regular expression.
        regexp_like RegexpLike;
        /// Differs, where NULL is a value like any other: never unknown.
        is_distinct_from IsDistinctFrom;
        /// Equals, where NULL is a value like any other: never unknown.
        is_not_distinct_from IsNotDistinctFrom;
    }

    /// Is one of the values, or of a subquery's. None of no values; rows are compared with rows.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, row, ValueOps};
    /// let listed = prop("Status").in_list(["F", "O"]);
    /// let asked = prop("CustomerId").in_list(from("Customer").filter(prop("City").eq("Rome")).select(["Id"]));
    /// let pairs = row([prop("City"), prop("Name")]).in_list([("Rome", "Ann"), ("Bonn", "Bob")]);
    /// # let _ = (listed, asked, pairs);
    /// ```
    fn in_list(self, list: impl InList) -> LogicExpr {
        self.compare(LogicOperator::In, list.into_list())
    }

    /// Is none of the values, nor of a subquery's.
    fn not_in_list(self, list: impl InList) -> LogicExpr {
        self.compare(LogicOperator::NotIn, list.into_list())
    }

    /// At least `low` and at most `high`.
    fn between(self, low: impl Into<ValueTypeExpr>, high: impl Into<ValueTypeExpr>) -> LogicExpr
    where
        Self: Clone,
    {
        LogicExpr::And(AndExpr { items: vec![self.clone().ge(low), self.le(high)] })
    }

    /// Is NULL.
    fn is_null(self) -> LogicExpr {
        self.eq(null())
    }

    /// Is not NULL.
    fn is_not_null(self) -> LogicExpr {
        self.ne(null())
    }

    /// The value as a predicate.
    fn is_true(self) -> LogicExpr {
        LogicExpr::IsTrue(self.into().into())
    }

    /// The value, or another where it is NULL.
    fn if_null(self, other: impl Into<ValueTypeExpr>) -> FunctionExpr {
        func("Coalesce", [self.into(), other.into()])
    }

    /// The value as another type.
    fn cast(self, to: impl Into<DbType>) -> CastExpr {
        CastExpr { value: self.into(), to: to.into() }
    }

    /// Both texts, one after the other; NULL if either is.
    fn concat(self, other: impl Into<ValueTypeExpr>) -> ValueSet {
        super::concat(self, other)
    }

    /// In lower case.
    fn lower(self) -> FunctionExpr {
        func("Lower", [self.into()])
    }

    /// In upper case.
    fn upper(self) -> FunctionExpr {
        func("Upper", [self.into()])
    }

    /// A select item of that name.
    fn alias(self, alias: impl Into<Name>) -> SelectItemExpr {
        SelectItemExpr { value: self.into(), alias: Some(alias.into()) }
    }

    /// How many are not NULL.
    fn count(self, distinct: bool) -> FunctionExpr {
        aggregate("Count", self, distinct)
    }

    /// The sum.
    fn sum(self) -> FunctionExpr {
        aggregate("Sum", self, false)
    }

    /// The average.
    fn avg(self) -> FunctionExpr {
        aggregate("Avg", self, false)
    }

    /// The greatest.
    fn max(self) -> FunctionExpr {
        aggregate("Max", self, false)
    }

    /// The least.
    fn min(self) -> FunctionExpr {
        aggregate("Min", self, false)
    }

    /// An ascending key of an order.
    fn asc(self) -> OrderByItemExpr {
        OrderByItemExpr { field: self.into(), ascending: true, nulls: Nulls::Default }
    }

    /// A descending key of an order.
    fn desc(self) -> OrderByItemExpr {
        OrderByItemExpr { field: self.into(), ascending: false, nulls: Nulls::Default }
    }
}

macro_rules! value_ops {
    ($($node:ident),*) => {
        $(impl ValueOps for $node {})*

        $(impl From<$node> for SelectItemExpr {
            fn from(node: $node) -> Self {
                SelectItemExpr { value: node.into(), alias: None }
            }
        }

        impl From<$node> for OrderByItemExpr {
            fn from(node: $node) -> Self {
                node.asc()
            }
        }

        impl From<$node> for GroupKey {
            fn from(node: $node) -> Self {
                GroupKey::of(node)
            }
        })*
    };
}

value_ops!(
    ValueTypeExpr,
    PropertyExpr,
    ValueExpr,
    UnaryExpr,
    ValueBinaryExpr,
    FunctionExpr,
    ValueSet,
    CaseExpr,
    CastExpr,
    WindowExpr
);

impl From<&'static str> for SelectItemExpr {
    /// A property by its name.
    fn from(name: &'static str) -> Self {
        SelectItemExpr { value: super::prop(Name::from_static(name)).into(), alias: None }
    }
}

macro_rules! named {
    ($($node:ident: $make:expr;)*) => {$(
        impl From<Name> for $node {
            /// A property by its name.
            fn from(name: Name) -> Self {
                $make(super::prop(name))
            }
        }
    )*};
}

named! {
    SelectItemExpr: SelectItemExpr::from;
    OrderByItemExpr: ValueOps::asc;
    GroupKey: GroupKey::of;
}

impl From<LogicExpr> for SelectItemExpr {
    /// A predicate as a value.
    fn from(node: LogicExpr) -> Self {
        SelectItemExpr { value: node.into(), alias: None }
    }
}

impl From<&'static str> for OrderByItemExpr {
    /// A property by its name, ascending.
    fn from(name: &'static str) -> Self {
        super::prop(Name::from_static(name)).asc()
    }
}

impl OrderByItemExpr {
    /// NULLs before everything else.
    #[must_use]
    pub fn nulls_first(self) -> Self {
        Self { nulls: Nulls::First, ..self }
    }

    /// NULLs after everything else.
    #[must_use]
    pub fn nulls_last(self) -> Self {
        Self { nulls: Nulls::Last, ..self }
    }
}

impl FunctionExpr {
    /// Only the rows that satisfy the condition count in the aggregate. Several are ANDed; `None` filters nothing.
    #[must_use]
    pub fn filter(mut self, condition: impl Into<Option<LogicExpr>>) -> Self {
        if let Some(condition) = condition.into() {
            self.filter = Some(self.filter.take() & condition);
        }
        self
    }

    /// The order inside of an aggregate.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.order_by = items.into_iter().map(Into::into).collect();
        self
    }

    /// The function over a window of all rows; [`WindowExpr`]'s methods part, order and frame them.
    ///
    /// ```
    /// use isogloss_compiler::expr::{func, prop, FrameBound, FrameUnit, ValueOps};
    /// use isogloss_compiler::args;
    /// let place = func("RowNumber", args![]).over().partition_by(["CustomerId"]).order_by([prop("Total").desc()]);
    /// // SUM(Total) OVER (ORDER BY Id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)
    /// let week = prop("Total")
    ///     .sum()
    ///     .over()
    ///     .order_by(["Id"])
    ///     .frame(FrameUnit::Rows, FrameBound::Preceding(6), FrameBound::CurrentRow);
    /// # let _ = (place, week);
    /// ```
    pub fn over(self) -> WindowExpr {
        WindowExpr { function: self, partition_by: Vec::new(), order_by: Vec::new(), frame: None }
    }
}

impl WindowExpr {
    /// What parts the rows.
    #[must_use]
    pub fn partition_by<I: Into<GroupKey>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.partition_by = group_keys(items);
        self
    }

    /// The order inside of a part.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.order_by = items.into_iter().map(Into::into).collect();
        self
    }

    /// The frame.
    #[must_use]
    pub fn frame(mut self, unit: FrameUnit, start: FrameBound, end: FrameBound) -> Self {
        self.frame = Some(Frame { unit, start, end, exclude: FrameExclude::NoOthers });
        self
    }
}

impl CaseExpr {
    /// One more condition and its value.
    #[must_use]
    pub fn when(mut self, condition: impl Into<LogicExpr>, value: impl Into<ValueTypeExpr>) -> Self {
        self.cases.push((condition.into(), value.into()));
        self
    }
}

impl LogicExpr {
    /// Both; `None` leaves it as it is.
    #[must_use]
    pub fn and(self, right: impl Into<Option<LogicExpr>>) -> Self {
        self & right.into()
    }

    /// Either; `None` leaves it as it is.
    #[must_use]
    pub fn or(self, right: impl Into<Option<LogicExpr>>) -> Self {
        self | right.into()
    }

    /// The predicate as a select item of that name.
    pub fn alias(self, alias: impl Into<Name>) -> SelectItemExpr {
        SelectItemExpr { value: self.into(), alias: Some(alias.into()) }
    }

    /// The opposite.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "the specification's name; the operator `!` is there as well")]
    pub fn not(self) -> Self {
        !self
    }

    /// Every one of them; `None` items count for nothing. Of no items it is true.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, LogicExpr, ValueOps};
    /// # let (name, city) = (Some("Ann"), None::<&str>);
    /// let users = from("User").filter(LogicExpr::all([
    ///     name.map(|name| prop("Name").contains(name)),
    ///     city.map(|city| prop("City").eq(city)),
    /// ]));
    /// # let _ = users;
    /// ```
    pub fn all<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Self {
        LogicExpr::And(items.into_iter().filter_map(Into::into).collect::<AndExpr>())
    }

    /// At least one of them; `None` items count for nothing. Of no items, or of `None` alone, it is **false**: no row.
    /// Where no alternative is to mean no condition, use [`LogicExpr::any_given`].
    pub fn any<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Self {
        LogicExpr::Or(items.into_iter().filter_map(Into::into).collect::<OrExpr>())
    }

    /// At least one of those that are given; nothing if none is, which a `filter` takes for no condition.
    ///
    /// ```
    /// use isogloss_compiler::expr::{from, prop, LogicExpr, ValueOps};
    /// let search = |name: Option<&str>, mail: Option<&str>| LogicExpr::any_given([
    ///     name.map(|name| prop("Name").contains(name)),
    ///     mail.map(|mail| prop("Email").eq(mail)),
    /// ]);
    /// assert_eq!(from("User").filter(search(None, None)), from("User"));
    /// assert_eq!(LogicExpr::any([None, None]), LogicExpr::any([] as [LogicExpr; 0])); // false
    /// ```
    pub fn any_given<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Option<Self> {
        let given: OrExpr = items.into_iter().filter_map(Into::into).collect();
        (!given.items.is_empty()).then_some(LogicExpr::Or(given))
    }
}

impl ForeignExpr {
    /// The alias of the entity that is looked into.
    #[must_use]
    pub fn aliased(self, alias: impl Into<Name>) -> Self {
        Self { alias: Some(alias.into()), ..self }
    }

    /// Arguments for the placeholders of its table name.
    #[must_use]
    pub fn table_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self { table_args: args.into_iter().map(Into::into).collect(), ..self }
    }
}

macro_rules! logic_operators {
    ($($node:ident),*) => {$(
        impl std::ops::BitAnd<LogicExpr> for $node {
            type Output = LogicExpr;

            fn bitand(self, right: LogicExpr) -> LogicExpr {
                LogicExpr::from(self) & right
            }
        }

        impl std::ops::BitAnd<$node> for LogicExpr {
            type Output = LogicExpr;

            fn bitand(self, right: $node) -> LogicExpr {
                self & LogicExpr::from(right)
            }
        }

        impl std::ops::BitOr<$node> for LogicExpr {
            type Output = LogicExpr;

            fn bitor(self, right: $node) -> LogicExpr {
                self | LogicExpr::from(right)
            }
        }

        impl std::ops::BitOr<LogicExpr> for $node {
            type Output = LogicExpr;

            fn bitor(self, right: LogicExpr) -> LogicExpr {
                LogicExpr::from(self) | right
            }
        }

        impl std::ops::Not for $node {
            type Output = LogicExpr;

            fn not(self) -> LogicExpr {
                !LogicExpr::from(self)
            }
        }

        impl std::ops::BitAndAssign<$node> for LogicExpr {
            fn bitand_assign(&mut self, right: $node) {
                *self &= LogicExpr::from(right);
            }
        }

        impl std::ops::BitAndAssign<$node> for Option<LogicExpr> {
            fn bitand_assign(&mut self, right: $node) {
                *self &= LogicExpr::from(right);
            }
        }

        impl std::ops::BitOrAssign<$node> for LogicExpr {
            fn bitor_assign(&mut self, right: $node) {
                *self |= LogicExpr::from(right);
            }
        }

        impl std::ops::BitOrAssign<$node> for Option<LogicExpr> {
            fn bitor_assign(&mut self, right: $node) {
                *self |= LogicExpr::from(right);
            }
        }
    )*};
}

logic_operators!(ForeignExpr, GenericSqlExpr);

macro_rules! expr_from {
    ($($node:ty => |$n:ident| $make:expr;)*) => {$(
        impl From<$node> for Expr {
            fn from($n: $node) -> Self {
                $make
            }
        }
    )*};
}

expr_from! {
    ValueTypeExpr => |n| Expr::Value(n);
    PropertyExpr => |n| Expr::Value(n.into());
    ValueExpr => |n| Expr::Value(n.into());
    FunctionExpr => |n| Expr::Value(n.into());
    CaseExpr => |n| Expr::Value(n.into());
    LogicExpr => |n| Expr::Logic(n);
    ForeignExpr => |n| Expr::Logic(n.into());
    GenericSqlExpr => |n| Expr::Logic(n.into());
    SqlSegment => |n| Expr::Segment(n);
    SelectExpr => |n| Expr::Segment(n.into());
    SelectItemExpr => |n| Expr::SelectItem(n);
    OrderByItemExpr => |n| Expr::OrderByItem(n);
    TableJoinExpr => |n| Expr::TableJoin(Child::new(n));
    InsertExpr => |n| Expr::Insert(Child::new(n));
    UpdateExpr => |n| Expr::Update(Child::new(n));
    DeleteExpr => |n| Expr::Delete(Child::new(n));
}

impl<T: Into<Value>> From<T> for ValueExpr {
    fn from(value: T) -> Self {
        ValueExpr { value: value.into(), is_const: false }
    }
}
