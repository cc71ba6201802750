//! The fluent methods: comparisons and aggregates on values, clauses on queries.

use compact_str::CompactString;

use super::{
    AndExpr, CaseExpr, CastExpr, Child, CommonTableExpr, ConflictAction, DbType, DeleteExpr, Distinct, Expr,
    ForeignExpr, Frame, FrameBound, FrameExclude, FrameUnit, FromExpr, FunctionExpr, GenericSqlExpr, GroupByExpr,
    HavingExpr, InsertExpr, InsertSource, LockExpr, LockMode, LockWait, LogicBinaryExpr, LogicExpr, LogicOperator,
    Name, NextSelect, Nulls, OnConflict, OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr, SelectExpr,
    SelectItemExpr, SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UnaryExpr, UpdateExpr, Value,
    ValueBinaryExpr, ValueExpr, ValueSet, ValueTypeExpr, WhereExpr, WindowExpr, aggregate, func, null,
};

/// The right side of an IN: a list of values, a row of expressions, or a subquery.
pub trait InList {
    /// The node for the right side.
    fn into_list(self) -> ValueTypeExpr;
}

impl<T: Into<Value>> InList for Vec<T> {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.into_iter().map(Into::into).collect()).into()
    }
}

impl<T: Into<Value>, const N: usize> InList for [T; N] {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.into_iter().map(Into::into).collect()).into()
    }
}

impl<T: Clone + Into<Value>> InList for &[T] {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.iter().cloned().map(Into::into).collect()).into()
    }
}

impl InList for SqlSegment {
    fn into_list(self) -> ValueTypeExpr {
        self.into()
    }
}

impl InList for SelectExpr {
    fn into_list(self) -> ValueTypeExpr {
        SqlSegment::from(self).into()
    }
}

impl InList for ValueSet {
    fn into_list(self) -> ValueTypeExpr {
        self.into()
    }
}

impl InList for ValueTypeExpr {
    fn into_list(self) -> ValueTypeExpr {
        self
    }
}

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

    /// Is one of the values, or of a subquery's.
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
    /// Only the rows that satisfy the condition count in the aggregate.
    #[must_use]
    pub fn filter(mut self, condition: impl Into<LogicExpr>) -> Self {
        self.filter = Some(condition.into());
        self
    }

    /// The order inside of an aggregate.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.order_by = items.into_iter().map(Into::into).collect();
        self
    }

    /// The function over a window of all rows; see [`WindowExpr`]'s methods for its parts.
    pub fn over(self) -> WindowExpr {
        WindowExpr { function: self, partition_by: Vec::new(), order_by: Vec::new(), frame: None }
    }
}

impl WindowExpr {
    /// What parts the rows.
    #[must_use]
    pub fn partition_by<I: Into<ValueTypeExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.partition_by = items.into_iter().map(Into::into).collect();
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
    /// Both.
    #[must_use]
    pub fn and(self, right: impl Into<LogicExpr>) -> Self {
        self & right.into()
    }

    /// Either.
    #[must_use]
    pub fn or(self, right: impl Into<LogicExpr>) -> Self {
        self | right.into()
    }

    /// The opposite.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "the specification's name; the operator `!` is there as well")]
    pub fn not(self) -> Self {
        !self
    }

    /// Every one of them; `None` items count for nothing.
    pub fn all<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Self {
        LogicExpr::And(items.into_iter().filter_map(Into::into).collect::<AndExpr>())
    }

    /// At least one of them; `None` items count for nothing.
    pub fn any<L: Into<Option<LogicExpr>>>(items: impl IntoIterator<Item = L>) -> Self {
        LogicExpr::Or(items.into_iter().filter_map(Into::into).collect::<OrExpr>())
    }
}

impl SqlSegment {
    /// Only the rows that satisfy the condition.
    #[must_use]
    pub fn filter(self, condition: impl Into<LogicExpr>) -> Self {
        WhereExpr { source: Some(self), filter: condition.into() }.into()
    }

    /// One row for each distinct key.
    #[must_use]
    pub fn group_by<I: Into<ValueTypeExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        GroupByExpr { source: Some(self), group_by: keys.into_iter().map(Into::into).collect() }.into()
    }

    /// Only the groups that satisfy the condition.
    #[must_use]
    pub fn having(self, condition: impl Into<LogicExpr>) -> Self {
        HavingExpr { source: Some(self), having: condition.into() }.into()
    }

    /// In that order.
    #[must_use]
    pub fn order_by<I: Into<OrderByItemExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        OrderByExpr { source: Some(self), order_by: keys.into_iter().map(Into::into).collect() }.into()
    }

    /// At most `take` rows after the first `skip`.
    #[must_use]
    pub fn section(self, skip: u64, take: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: Some(take), after: Vec::new() }.into()
    }

    /// All rows after the first `skip`.
    #[must_use]
    pub fn skip(self, skip: u64) -> Self {
        SectionExpr { source: Some(self), skip, take: None, after: Vec::new() }.into()
    }

    /// At most `take` rows.
    #[must_use]
    pub fn take(self, take: u64) -> Self {
        self.section(0, take)
    }

    /// Keyset paging: at most `take` rows after the one whose order keys have these values.
    #[must_use]
    pub fn after<V: Into<ValueExpr>>(self, cursor: impl IntoIterator<Item = V>, take: u64) -> Self {
        let after = cursor.into_iter().map(Into::into).collect();
        SectionExpr { source: Some(self), skip: 0, take: Some(take), after }.into()
    }

    /// Locks the rows.
    #[must_use]
    pub fn lock(self, mode: LockMode, wait: LockWait) -> Self {
        LockExpr { source: Some(self), mode, wait }.into()
    }

    /// Selects every column.
    pub fn select_all(self) -> SelectExpr {
        SelectExpr { source: Some(self), ..SelectExpr::default() }
    }

    /// Selects the items.
    pub fn select<I: Into<SelectItemExpr>>(self, items: impl IntoIterator<Item = I>) -> SelectExpr {
        SelectExpr { selects: items.into_iter().map(Into::into).collect(), ..self.select_all() }
    }

    /// Joins a source.
    #[must_use]
    pub fn join(
        self,
        join_type: TableJoinType,
        source: impl Into<SqlSegment>,
        on: impl Into<Option<LogicExpr>>,
    ) -> Self {
        let join = TableJoinExpr { source: source.into(), on: on.into(), join_type, lateral: false };
        match self {
            SqlSegment::From(mut from) => {
                from.joins.push(join);
                SqlSegment::From(from)
            }
            source => FromExpr { source, joins: vec![join] }.into(),
        }
    }

    /// Joins a source that may look at the sources before it.
    #[must_use]
    pub fn join_lateral(
        self,
        join_type: TableJoinType,
        source: impl Into<SqlSegment>,
        on: impl Into<Option<LogicExpr>>,
    ) -> Self {
        match self.join(join_type, source, on) {
            SqlSegment::From(mut from) => {
                if let Some(join) = from.joins.last_mut() {
                    join.lateral = true;
                }
                SqlSegment::From(from)
            }
            other => other,
        }
    }

    /// Gives a table, a select or the select of a chain an alias.
    #[must_use]
    pub fn aliased(self, alias: impl Into<Name>) -> Self {
        match self {
            SqlSegment::Table(table) => SqlSegment::Table(TableExpr { alias: Some(alias.into()), ..table }),
            SqlSegment::Select(mut select) => {
                select.alias = Some(alias.into());
                SqlSegment::Select(select)
            }
            other => SelectExpr { alias: Some(alias.into()), ..other.select_all() }.into(),
        }
    }
}

impl SelectExpr {
    /// Equal rows are one.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: Distinct::Rows, ..self }
    }

    /// The first row, in the select's order, of each group of equal keys.
    #[must_use]
    pub fn distinct_on<I: Into<ValueTypeExpr>>(self, keys: impl IntoIterator<Item = I>) -> Self {
        Self { distinct: Distinct::On(keys.into_iter().map(Into::into).collect()), ..self }
    }

    /// More items.
    #[must_use]
    pub fn select_more<I: Into<SelectItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.selects.extend(items.into_iter().map(Into::into));
        self
    }

    /// The select under a name, for a statement's WITH clause.
    pub fn with(self, name: impl Into<Name>) -> CommonTableExpr {
        CommonTableExpr { source: Some(self), alias: name.into() }
    }

    /// Attaches a further select.
    #[must_use]
    pub fn set(mut self, set_type: SelectSetType, select: SelectExpr) -> Self {
        self.next_selects.push(NextSelect { set_type, select });
        self
    }

    /// The rows of both, each once.
    #[must_use]
    pub fn union(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Union, select)
    }

    /// The rows of both.
    #[must_use]
    pub fn union_all(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::UnionAll, select)
    }

    /// The rows that are in both.
    #[must_use]
    pub fn intersect(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Intersect, select)
    }

    /// The rows that are in the first only.
    #[must_use]
    pub fn except(self, select: SelectExpr) -> Self {
        self.set(SelectSetType::Except, select)
    }

    /// The select as a source or a root, for further clauses.
    pub fn into_segment(self) -> SqlSegment {
        self.into()
    }
}

/// A reference to a common table expression defined elsewhere in the statement.
pub fn cte(name: impl Into<Name>) -> SqlSegment {
    CommonTableExpr { source: None, alias: name.into() }.into()
}

impl TableExpr {
    /// INSERT of rows into these properties: the values row after row, in one flat list.
    pub fn insert<N: Into<Name>>(self, columns: impl IntoIterator<Item = N>, values: Vec<Value>) -> InsertExpr {
        InsertExpr {
            table: self,
            columns: columns.into_iter().map(Into::into).collect(),
            source: InsertSource::Values(values),
            conflict: None,
            returning: Vec::new(),
        }
    }

    /// INSERT of the rows of a query.
    pub fn insert_query<N: Into<Name>>(
        self,
        columns: impl IntoIterator<Item = N>,
        query: impl Into<SqlSegment>,
    ) -> InsertExpr {
        InsertExpr { source: InsertSource::Query(query.into()), ..self.insert(columns, Vec::new()) }
    }

    /// UPDATE of these properties.
    pub fn update<N: Into<Name>, V: Into<ValueTypeExpr>>(self, sets: impl IntoIterator<Item = (N, V)>) -> UpdateExpr {
        UpdateExpr {
            table: self,
            sets: sets.into_iter().map(|(n, v)| (n.into(), v.into())).collect(),
            filter: None,
            all_rows: false,
            returning: Vec::new(),
        }
    }

    /// DELETE of the rows that satisfy the condition given next.
    pub fn delete(self) -> DeleteExpr {
        DeleteExpr { table: self, filter: None, all_rows: false, returning: Vec::new() }
    }
}

macro_rules! statement_methods {
    ($($node:ident),*) => {$(
        impl $node {
            /// The rows that are meant; several conditions are ANDed.
            #[must_use]
            pub fn filter(mut self, condition: impl Into<LogicExpr>) -> Self {
                self.filter = Some(self.filter.take() & condition.into());
                self
            }

            /// Every row is meant.
            #[must_use]
            pub fn all_rows(self) -> Self {
                Self { all_rows: true, ..self }
            }
        }
    )*};
}

statement_methods!(UpdateExpr, DeleteExpr);

macro_rules! returning_method {
    ($($node:ident),*) => {$(
        impl $node {
            /// What comes back of each row.
            #[must_use]
            pub fn returning<I: Into<SelectItemExpr>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
                self.returning = items.into_iter().map(Into::into).collect();
                self
            }
        }
    )*};
}

returning_method!(InsertExpr, UpdateExpr, DeleteExpr);

impl UpdateExpr {
    /// One more assignment.
    #[must_use]
    pub fn set(mut self, property: impl Into<Name>, value: impl Into<ValueTypeExpr>) -> Self {
        self.sets.push((property.into(), value.into()));
        self
    }
}

impl InsertExpr {
    /// A row that is there already is left alone. No target: the primary key.
    #[must_use]
    pub fn on_conflict_do_nothing<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::DoNothing)
    }

    /// A row that is there already takes the proposed values. No target: the primary key.
    #[must_use]
    pub fn on_conflict_update<N: Into<Name>>(self, target: impl IntoIterator<Item = N>) -> Self {
        self.conflict(target, ConflictAction::UpdateAll)
    }

    /// What happens to a row that is there already.
    #[must_use]
    pub fn conflict<N: Into<Name>>(mut self, target: impl IntoIterator<Item = N>, action: ConflictAction) -> Self {
        self.conflict = Some(OnConflict { target: target.into_iter().map(Into::into).collect(), action });
        self
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
