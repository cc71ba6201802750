//! Methods of values and predicates: comparisons, aggregates, orders, aliases.

use compact_str::CompactString;

use super::lists::{GroupKey, InList, group_keys};
use super::{
    AndExpr, CaseExpr, CastExpr, Child, DbType, DeleteExpr, Expr, ForeignExpr, Frame, FrameBound, FrameExclude,
    FrameUnit, FunctionExpr, GenericSqlExpr, InsertExpr, LogicBinaryExpr, LogicExpr, LogicOperator, Name, Nulls,
    OrExpr, OrderByItemExpr, PropertyExpr, SelectExpr, SelectItemExpr, SqlSegment, TableJoinExpr, UnaryExpr,
    UnaryOperator, UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueSet, ValueTypeExpr, WindowExpr, aggregate, func,
    null,
};

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $operator:ident;)*) => {$(
        $(#[$doc])*
        fn $method(self, right: impl Into<ValueTypeExpr>) -> LogicExpr {
            self.compare(LogicOperator::$operator, right)
        }
    )*};
}

/// Methods of every value: comparisons, aggregates, order keys and aliases.
///
/// ```
/// use isogloss_compiler::expr::{prop, ValueOps};
/// let filter = prop("Amount").gt(100) & prop("Status").in_list([1, 2]) & prop("Note").is_not_null();
/// # let _ = filter;
/// ```
#[allow(clippy::wrong_self_convention, reason = "`is_null` and its like build a node of `self`")]
pub trait ValueOps: Into<ValueTypeExpr> + Sized {
    /// Compares by any operator.
    fn compare(self, operator: LogicOperator, right: impl Into<ValueTypeExpr>) -> LogicExpr {
        LogicExpr::Binary(LogicBinaryExpr { left: self.into(), operator, right: right.into() })
    }

    comparisons! {
        /// Whether it is equal; with NULL, `IS NULL`.
        eq Equal;
        /// Whether it is not equal; with NULL, `IS NOT NULL`.
        ne NotEqual;
        /// Whether it is greater.
        gt GreaterThan;
        /// Whether it is less.
        lt LessThan;
        /// Whether it is greater or equal.
        ge GreaterThanOrEqual;
        /// Whether it is less or equal.
        le LessThanOrEqual;
        /// Whether it matches a LIKE pattern: `%` is any text, `_` any character, `\` the escape.
        like Like;
        /// Whether it does not match a LIKE pattern.
        not_like NotLike;
        /// Whether it matches a LIKE pattern, without regard to case.
        ilike ILike;
        /// Whether it contains a text, in which `%` and `_` mean themselves.
        contains Contains;
        /// Whether it begins with a text, in which `%` and `_` mean themselves.
        starts_with StartsWith;
        /// Whether it ends with a text, in which `%` and `_` mean themselves.
        ends_with EndsWith;
        /// Whether it contains a text, without regard to case.
        icontains IContains;
        /// Whether it begins with a text, without regard to case.
        istarts_with IStartsWith;
        /// Whether it ends with a text, without regard to case.
        iends_with IEndsWith;
        /// Whether it matches a regular expression.
        regexp_like RegexpLike;
        /// Whether it differs, with NULL as a value like any other: never unknown.
        is_distinct_from IsDistinctFrom;
        /// Whether it is equal, with NULL as a value like any other: never unknown.
        is_not_distinct_from IsNotDistinctFrom;
    }

    /// Whether it is one of the values, or of a subquery's. An empty list has none. Rows are compared with rows.
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

    /// Whether it is none of the values, nor of a subquery's. With a NULL among them this is true of no row, on each engine.
    fn not_in_list(self, list: impl InList) -> LogicExpr {
        self.compare(LogicOperator::NotIn, list.into_list())
    }

    /// Whether it is between `low` and `high`, both included.
    fn between(self, low: impl Into<ValueTypeExpr>, high: impl Into<ValueTypeExpr>) -> LogicExpr
    where
        Self: Clone,
    {
        LogicExpr::And(AndExpr { items: vec![self.clone().ge(low), self.le(high)] })
    }

    /// Whether it is NULL.
    fn is_null(self) -> LogicExpr {
        self.eq(null())
    }

    /// Whether it is not NULL.
    fn is_not_null(self) -> LogicExpr {
        self.ne(null())
    }

    /// The boolean value as a predicate.
    fn is_true(self) -> LogicExpr {
        LogicExpr::IsTrue(self.into().into())
    }

    /// The value, or `other` if it is NULL.
    fn if_null(self, other: impl Into<ValueTypeExpr>) -> FunctionExpr {
        func("Coalesce", [self.into(), other.into()])
    }

    /// Casts the value to another type.
    fn cast(self, to: impl Into<DbType>) -> CastExpr {
        CastExpr { value: self.into(), to: to.into() }
    }

    /// Concatenates two texts; NULL if one is.
    fn concat(self, other: impl Into<ValueTypeExpr>) -> ValueSet {
        super::concat(self, other)
    }

    /// Converts to lower case.
    fn lower(self) -> FunctionExpr {
        func("Lower", [self.into()])
    }

    /// Converts to upper case.
    fn upper(self) -> FunctionExpr {
        func("Upper", [self.into()])
    }

    /// Names the value in a select list.
    fn alias(self, alias: impl Into<Name>) -> SelectItemExpr {
        SelectItemExpr { value: self.into(), alias: Some(alias.into()) }
    }

    /// The number of values that are not NULL.
    fn count(self) -> FunctionExpr {
        aggregate("Count", self)
    }

    /// The number of different values that are not NULL.
    fn count_distinct(self) -> FunctionExpr {
        self.count().distinct()
    }

    /// The sum.
    fn sum(self) -> FunctionExpr {
        aggregate("Sum", self)
    }

    /// The average.
    fn avg(self) -> FunctionExpr {
        aggregate("Avg", self)
    }

    /// The greatest value.
    fn max(self) -> FunctionExpr {
        aggregate("Max", self)
    }

    /// The least value.
    fn min(self) -> FunctionExpr {
        aggregate("Min", self)
    }

    /// An ascending order key.
    fn asc(self) -> OrderByItemExpr {
        OrderByItemExpr { field: self.into(), ascending: true, nulls: Nulls::Default }
    }

    /// A descending order key.
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
    /// Puts NULLs before all other values.
    #[must_use]
    pub fn nulls_first(self) -> Self {
        Self { nulls: Nulls::First, ..self }
    }

    /// Puts NULLs after all other values.
    #[must_use]
    pub fn nulls_last(self) -> Self {
        Self { nulls: Nulls::Last, ..self }
    }
}

impl FunctionExpr {
    /// Aggregates only the rows that satisfy a condition. Several are combined by AND; `None` filters nothing.
    #[must_use]
    pub fn filter(mut self, condition: impl Into<Option<LogicExpr>>) -> Self {
        if let Some(condition) = condition.into() {
            self.filter = Some(self.filter.take() & condition);
        }
        self
    }

    /// Aggregates each of the values once: `SUM(DISTINCT ..)`. It is about the first argument; without any, nothing changes.
    #[must_use]
    pub fn distinct(mut self) -> Self {
        let mut args = self.args.into_iter();
        let first = args.next().map(|operand| match &operand {
            ValueTypeExpr::Unary(node) if node.operator == UnaryOperator::Distinct => operand,
            _ => UnaryExpr { operator: UnaryOperator::Distinct, operand }.into(),
        });
        self.args = first.into_iter().chain(args).collect();
        self
    }

    /// Orders the rows inside of an aggregate. The keys of a further call have priority over those of the calls before, as in
    /// every `order_by`.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.order_by.splice(0..0, items.into_iter().map(Into::into));
        self
    }

    /// The function over a window of all rows. The methods of [`WindowExpr`] set its partition, order and frame.
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
    /// Partitions the rows. A further call adds keys.
    #[must_use]
    pub fn partition_by<I: Into<GroupKey>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.partition_by.extend(group_keys(items));
        self
    }

    /// Orders the rows of a partition. The keys of a further call have priority over those of the calls before, as in every
    /// `order_by`.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.order_by.splice(0..0, items.into_iter().map(Into::into));
        self
    }

    /// Sets the frame.
    #[must_use]
    pub fn frame(mut self, unit: FrameUnit, start: FrameBound, end: FrameBound) -> Self {
        self.frame = Some(Frame { unit, start, end, exclude: FrameExclude::NoOthers });
        self
    }
}

impl CaseExpr {
    /// Adds a condition and its value.
    #[must_use]
    pub fn when(mut self, condition: impl Into<LogicExpr>, value: impl Into<ValueTypeExpr>) -> Self {
        self.cases.push((condition.into(), value.into()));
        self
    }
}

impl LogicExpr {
    /// Combines by AND; `None` changes nothing.
    #[must_use]
    pub fn and(self, right: impl Into<Option<LogicExpr>>) -> Self {
        self & right.into()
    }

    /// Combines by OR; `None` changes nothing.
    #[must_use]
    pub fn or(self, right: impl Into<Option<LogicExpr>>) -> Self {
        self | right.into()
    }

    /// Names the predicate in a select list.
    pub fn alias(self, alias: impl Into<Name>) -> SelectItemExpr {
        SelectItemExpr { value: self.into(), alias: Some(alias.into()) }
    }

    /// Negates the predicate.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "the specification's name; the operator `!` is there as well")]
    pub fn not(self) -> Self {
        !self
    }

    /// All of the items; `None` items are left out. Without items it is true.
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

    /// At least one of the items; `None` items are left out. Without items, or with `None` alone, it is **false** for
    /// every row. If no alternative should mean no condition, use [`LogicExpr::any_given`].
    pub fn any<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Self {
        LogicExpr::Or(items.into_iter().filter_map(Into::into).collect::<OrExpr>())
    }

    /// At least one of the given items; `None` if there are none, which a `filter` takes as no condition.
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
    /// Sets the alias of the entity inside of the EXISTS.
    #[must_use]
    pub fn aliased(self, alias: impl Into<Name>) -> Self {
        Self { alias: Some(alias.into()), ..self }
    }

    /// Sets the arguments for the placeholders of its table name.
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
