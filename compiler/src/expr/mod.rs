//! The expression tree: queries, statements and conditions, without knowledge of tables and dialects.
//!
//! Predicates and values are different types: [`LogicExpr`] and [`ValueTypeExpr`]. A third one is [`SqlSegment`], the
//! chain of clauses of a query. [`Expr`] is the enum of all of them, which JSON is read as. Booleans cross between
//! predicates and values only by [`ValueTypeExpr::Truth`] and [`LogicExpr::IsTrue`].
//!
//! Trees are built by the functions of this module, such as [`from`], [`prop`] and [`table`], and by the methods of
//! [`SqlSegment`] and [`ValueOps`].

mod child;
mod clauses;
mod db_type;
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
mod value_ref;

pub use child::Child;
pub use clauses::cte;
pub use db_type::{DbType, DbValueType, Family};
pub use decimal::{BadDecimal, Decimal};
pub use factory::*;
pub use fluent::ValueOps;
pub use items::{Item, Items};
pub use lists::{GroupKey, InList, RowValues};
pub use logic::{AndExpr, ForeignExpr, GenericSqlExpr, LogicBinaryExpr, LogicExpr, LogicOperator, NotExpr, OrExpr};
pub use name::{BadName, ColumnName, Name};
pub use segment::{
    CommonTableExpr, Distinct, FilterOff, FromExpr, GroupByExpr, HavingExpr, LockExpr, LockMode, LockWait, NextSelect,
    Nulls, OrderByExpr, OrderByItemExpr, SectionExpr, SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr,
    TableJoinExpr, TableJoinType, WhereExpr,
};
pub use statement::{ConflictAction, DeleteExpr, InsertExpr, InsertSource, OnConflict, UpdateExpr};
pub use value::Value;
pub(crate) use value::on_clock;
pub use value_expr::{
    CaseExpr, CastExpr, Frame, FrameBound, FrameExclude, FrameUnit, FunctionExpr, PropertyExpr, UnaryExpr,
    UnaryOperator, ValueBinaryExpr, ValueExpr, ValueJoinType, ValueOperator, ValueSet, ValueTypeExpr, WindowExpr,
};
pub use value_ref::ValueRef;

/// Any node that can stand alone: what JSON is read as, and what a compiler accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "a root is moved once; a box would cost an allocation a query")]
pub enum Expr {
    /// A value.
    Value(ValueTypeExpr),
    /// A predicate: the filter of a query over the root table.
    Logic(LogicExpr),
    /// A query.
    Segment(SqlSegment),
    /// An item of a select list.
    SelectItem(SelectItemExpr),
    /// An order key.
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
