//! The chain of clauses that makes a query.

use compact_str::CompactString;

use super::{Child, LogicExpr, Name, ValueExpr, ValueTypeExpr, child};

/// A clause with what it applies to: a segment of a query. A query is a chain of them, from its table outward; the last
/// one stands for the whole. [`from`](crate::expr::from) begins one.
///
/// Resolving folds a chain into one SELECT while the order of clauses allows (FROM, WHERE, GROUP BY, HAVING,
/// ORDER BY, paging, SELECT), and starts a subquery where it does not.
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
    /// A select list, with further selects of a set operation.
    Select(Child<SelectExpr>),
    /// A common table expression, or a reference to one.
    CommonTable(Child<CommonTableExpr>),
}

/// An entity's table as a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableExpr {
    /// The entity or view.
    pub entity: Name,
    /// Arguments for the placeholders of the table's name.
    pub table_args: Box<[CompactString]>,
    /// Its alias; `T0`, `T1`, ... if absent.
    pub alias: Option<Name>,
    /// The named filters that are off at this node. JSON has no word for them.
    pub filters_off: Box<[FilterOff]>,
}

/// A named filter that is off at one node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterOff {
    /// The filter.
    pub name: Name,
    /// Why.
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
    /// What is joined: a table, a select or a common table expression.
    pub source: SqlSegment,
    /// The condition; a cross join has none.
    pub on: Option<LogicExpr>,
    /// The kind of join.
    pub join_type: TableJoinType,
    /// Whether the source may look at the sources before it.
    pub lateral: bool,
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WhereExpr {
    /// What is filtered; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// The condition.
    pub filter: LogicExpr,
}

/// Grouping.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GroupByExpr {
    /// What is grouped; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// The keys.
    pub group_by: Vec<ValueTypeExpr>,
}

/// A filter of groups.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HavingExpr {
    /// The grouped source; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// The condition.
    pub having: LogicExpr,
}

/// An order. Filters, select lists and pages over it keep it, whether they have its keys as columns or not; of two, the
/// outer one counts first. Groups, sets, joins, counts and EXISTS have none of what they are over.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderByExpr {
    /// What is ordered; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// The keys.
    pub order_by: Vec<OrderByItemExpr>,
}

/// A key of an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderByItemExpr {
    /// The value.
    pub field: ValueTypeExpr,
    /// The direction.
    pub ascending: bool,
    /// Where NULLs go.
    pub nulls: Nulls,
}

/// Where NULLs go in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Nulls {
    /// Where the engine puts them.
    #[default]
    Default,
    /// Before everything else.
    First,
    /// After everything else.
    Last,
}

/// Paging: a section of the rows, as the specification calls it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SectionExpr {
    /// What is paged; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// How many rows are skipped.
    pub skip: u64,
    /// How many rows are taken at most; all if absent.
    pub take: Option<u64>,
    /// Keyset paging: the values of the order's keys in the last row seen. Empty: none.
    pub after: Vec<ValueExpr>,
}

/// A row lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LockExpr {
    /// The rows that are locked; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// How they are locked.
    pub mode: LockMode,
    /// What to do about rows that another transaction has locked.
    pub wait: LockWait,
}

/// How rows are locked.
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

/// Which rows of a select are distinct.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Distinct {
    /// Every row is kept.
    #[default]
    No,
    /// Equal rows are one.
    Rows,
    /// The first row, in the select's order, of each group of equal keys.
    On(Vec<ValueTypeExpr>),
}

/// How a further select is attached to what is before it. The discriminants are the wire's numbers.
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
    /// How it is attached.
    pub set_type: SelectSetType,
    /// The select; its own further selects make it a group in parentheses.
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
    /// What is selected from; the root entity if absent.
    pub source: Option<SqlSegment>,
    /// The items; every column of the source if empty.
    pub selects: Vec<SelectItemExpr>,
    /// Which rows are distinct.
    pub distinct: Distinct,
    /// The further selects, attached from left to right with equal rank, as written.
    pub next_selects: Vec<NextSelect>,
    /// Its alias as a derived table; the next `T<n>` if absent.
    pub alias: Option<Name>,
}

/// An item of a select list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectItemExpr {
    /// The value.
    pub value: ValueTypeExpr,
    /// Its name in the result; the property's name for a property if absent.
    pub alias: Option<Name>,
}

/// A common table expression: its definition, or a reference to one defined elsewhere in the statement.
///
/// A query over it keeps the order of its definition, as over a derived table. The rows of a recursive one have no order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommonTableExpr {
    /// The definition; a reference if absent. A reference inside of the definition makes it recursive.
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
