//! The expression tree: what the user said. It knows no tables and no dialects.
//!
//! A predicate and a value are different sorts: [`LogicExpr`] and [`ValueTypeExpr`] are enums of their own, as is
//! [`SqlSegment`], the chain of clauses of a query. [`Expr`] is the enum over all of them, and what JSON reads as.
//! The only places where a truth value crosses the border are [`ValueTypeExpr::Truth`] and [`LogicExpr::IsTrue`].

mod child;
mod clauses;
mod decimal;
mod factory;
mod fluent;
mod items;
mod lists;
mod logic;
mod name;
mod operators;
mod segment;
mod show;
mod statement;
mod value;
mod value_expr;

pub use child::Child;
pub use clauses::cte;
pub use decimal::{BadDecimal, Decimal};
pub use factory::*;
pub use fluent::ValueOps;
pub use items::{Item, Items};
pub use lists::{GroupKey, InList, RowValues};
pub use logic::{AndExpr, ForeignExpr, GenericSqlExpr, LogicBinaryExpr, LogicExpr, LogicOperator, NotExpr, OrExpr};
pub use name::{BadName, Name};
pub use segment::{
    CommonTableExpr, Distinct, FilterOff, FromExpr, GroupByExpr, HavingExpr, LockExpr, LockMode, LockWait, NextSelect,
    Nulls, OrderByExpr, OrderByItemExpr, SectionExpr, SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr,
    TableJoinExpr, TableJoinType, WhereExpr,
};
pub use statement::{ConflictAction, DeleteExpr, InsertExpr, InsertSource, OnConflict, UpdateExpr};
pub use value::{DbType, DbValueType, Value};
pub use value_expr::{
    CaseExpr, CastExpr, Frame, FrameBound, FrameExclude, FrameUnit, FunctionExpr, PropertyExpr, UnaryExpr,
    UnaryOperator, ValueBinaryExpr, ValueExpr, ValueJoinType, ValueOperator, ValueSet, ValueTypeExpr, WindowExpr,
};

/// Any node that stands by itself: what JSON reads as, and what a compiler takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "a root is moved once; a box would cost an allocation a query")]
pub enum Expr {
    /// A value.
    Value(ValueTypeExpr),
    /// A predicate: the filter of the query over the root table.
    Logic(LogicExpr),
    /// A query.
    Segment(SqlSegment),
    /// An item of a select list.
    SelectItem(SelectItemExpr),
    /// A key of an order.
    OrderByItem(OrderByItemExpr),
    /// A join.
    TableJoin(Child<TableJoinExpr>),
    /// INSERT.
    Insert(Child<InsertExpr>),
    /// UPDATE.
    Update(Child<UpdateExpr>),
    /// DELETE.
    Delete(Child<DeleteExpr>),
}
