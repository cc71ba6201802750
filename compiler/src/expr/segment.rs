//! The chain of clauses of a query.

use compact_str::CompactString;

use super::{Child, LogicExpr, Name, ValueExpr, ValueTypeExpr, child};

/// A clause with its source: a segment of a query. A query is a chain of them, from its table outward; the last clause
/// represents the whole. [`from`](crate::expr::from) begins one.
///
/// Resolving combines a chain into one SELECT as far as the order of clauses allows (FROM, WHERE, GROUP BY, HAVING,
/// ORDER BY, paging, SELECT), and begins a subquery where it does not.
#[non_exhaustive]
pub enum SqlSegment {
    /// A table.
    Table(TableExpr),
    /// A source with joins.
    From(Child<FromExpr>),
    /// A filter.
    Where(Child<WhereExpr>),
    /// Grouping.
    GroupBy(Child<GroupByExpr>),
    /// A filter of groups.
    Having(Child<HavingExpr>),
    /// An order.
    OrderBy(Child<OrderByExpr>),
    /// Paging.
    Section(Child<SectionExpr>),
    /// A row lock.
    Lock(Child<LockExpr>),
    /// A select list, with the further selects of a set operation.
    Select(Child<SelectExpr>),
    /// A common table expression, or a reference to one.
    CommonTable(Child<CommonTableExpr>),
}

/// The table of an entity or a view, as a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableExpr {
    /// The entity or view.
    pub entity: Name,
    /// Arguments for the placeholders of the table's name.
    pub table_args: Box<[CompactString]>,
    /// Its alias; by default `T0`, `T1` and so on.
    pub alias: Option<Name>,
    /// The named filters that are switched off at this node. They have no notation in JSON.
    pub filters_off: Box<[FilterOff]>,
}

/// A named filter that is switched off at one node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterOff {
    /// The name of the filter.
    pub name: Name,
    /// The reason.
    pub reason: CompactString,
}

/// A source with joins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FromExpr {
    /// The first source: a table, a select or a common table expression.
    pub source: SqlSegment,
    /// The joins.
    pub joins: Vec<TableJoinExpr>,
}

/// A kind of join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum TableJoinType {
    Inner,
    #[default]
    Left,
    Right,
    Full,
    Cross,
}

/// A joined source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableJoinExpr {
    /// The joined source: a table, a select or a common table expression.
    pub source: SqlSegment,
    /// The condition; a cross join has none.
    pub on: Option<LogicExpr>,
    /// The kind of join.
    pub join_type: TableJoinType,
    /// Whether the source may refer to the sources before it.
    pub lateral: bool,
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WhereExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The condition.
    pub filter: LogicExpr,
}

/// Grouping.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GroupByExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The keys.
    pub group_by: Vec<ValueTypeExpr>,
}

/// A filter of groups.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HavingExpr {
    /// The grouped source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The condition.
    pub having: LogicExpr,
}

/// An order. Filters, select lists and pages above it keep it, whether or not they select its keys; of two orders, the
/// outer one has priority. Groups, set operations, joins, counts and EXISTS discard it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderByExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The keys.
    pub order_by: Vec<OrderByItemExpr>,
}

/// A key of an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderByItemExpr {
    /// The value.
    pub field: ValueTypeExpr,
    /// Whether the order is ascending.
    pub ascending: bool,
    /// The position of NULLs.
    pub nulls: Nulls,
}

/// The position of NULLs in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Nulls {
    /// As the engine does by default.
    #[default]
    Default,
    /// Before all other values.
    First,
    /// After all other values.
    Last,
}

/// Paging.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SectionExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The number of skipped rows.
    pub skip: u64,
    /// The maximal number of rows; `None` is no limit.
    pub take: Option<u64>,
    /// Keyset paging: the values of the order's keys in the last row of the previous page. It may be empty.
    pub after: Vec<ValueExpr>,
}

/// A row lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LockExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The mode of the lock.
    pub mode: LockMode,
    /// What to do about rows that another transaction has locked.
    pub wait: LockWait,
}

/// The mode of a row lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum LockMode {
    #[default]
    Update,
    Share,
}

/// What to do about rows that another transaction has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum LockWait {
    #[default]
    Wait,
    NoWait,
    SkipLocked,
}

/// Which duplicate rows of a select are removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Distinct {
    /// None.
    #[default]
    No,
    /// Rows that are equal to another one.
    Rows,
    /// All but the first row, in the order of the select, of each group of equal keys.
    On(Vec<ValueTypeExpr>),
}

/// The set operation that appends a select. The discriminants are those of the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum SelectSetType {
    #[default]
    UnionAll = 0,
    Union = 1,
    Intersect = 2,
    Except = 3,
}

/// A further select of a set operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NextSelect {
    /// The set operation.
    pub set_type: SelectSetType,
    /// The select. Its own further selects make it a group in parentheses.
    pub select: SelectExpr,
}

/// Selects nest here without a box.
impl Drop for NextSelect {
    fn drop(&mut self) {
        child::drop_nested(&mut self.select, |select| !select.next_selects.is_empty());
    }
}

/// A select list over a source, and the further selects of a set operation.
#[derive(Default)]
pub struct SelectExpr {
    /// The source; by default the root entity.
    pub source: Option<SqlSegment>,
    /// The items; if empty, all columns of the source.
    pub selects: Vec<SelectItemExpr>,
    /// Which duplicate rows are removed.
    pub distinct: Distinct,
    /// The further selects, appended from left to right with equal precedence.
    pub next_selects: Vec<NextSelect>,
    /// Its alias as a derived table; by default the next `T<n>`.
    pub alias: Option<Name>,
}

/// An item of a select list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectItemExpr {
    /// The value.
    pub value: ValueTypeExpr,
    /// Its name in the result; by default the name of the property.
    pub alias: Option<Name>,
}

/// A common table expression: its definition, or a reference to one that is defined elsewhere in the statement.
///
/// A query over it keeps the order of its definition, as over a derived table. The rows of a recursive one have no
/// order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommonTableExpr {
    /// The definition; `None` is a reference. A reference inside of the definition makes it recursive.
    pub source: Option<SelectExpr>,
    /// Its name.
    pub alias: Name,
}

macro_rules! segment_from {
    ($($node:ident => $variant:ident;)*) => {$(
        impl From<$node> for SqlSegment {
            fn from(node: $node) -> Self {
                SqlSegment::$variant(node.into())
            }
        }
    )*};
}

segment_from! {
    TableExpr => Table;
    FromExpr => From;
    WhereExpr => Where;
    GroupByExpr => GroupBy;
    HavingExpr => Having;
    OrderByExpr => OrderBy;
    SectionExpr => Section;
    LockExpr => Lock;
    SelectExpr => Select;
    CommonTableExpr => CommonTable;
}
