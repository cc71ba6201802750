//! What fills a hole.

use compact_str::CompactString;

use super::RawSql;
use crate::expr::{
    CaseExpr, DeleteExpr, Expr, ForeignExpr, FunctionExpr, GenericSqlExpr, InsertExpr, LogicExpr, OrderByItemExpr,
    PropertyExpr, SelectExpr, SelectItemExpr, SqlSegment, TableJoinExpr, UpdateExpr, Value, ValueExpr, ValueTypeExpr,
};

/// What fills a hole of a template: see [`ExprString`](super::ExprString). Anything that is a value or an expression
/// becomes one, and so do [`list`], [`identifier`], [`RawSql`], and arrays of select items or of keys of an order.
#[derive(Debug, Clone)]
pub struct Hole(pub(crate) HoleKind);

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "a hole is made once, and moved once into its template")]
pub(crate) enum HoleKind {
    Value(ValueExpr),
    Expr(Expr),
    Items(Box<[SelectItemExpr]>),
    Orders(Box<[OrderByItemExpr]>),
    Raw(RawSql),
    Identifier(CompactString),
}

/// A list for a hole: a parameter an item.
pub fn list<V: Into<Value>>(items: impl IntoIterator<Item = V>) -> Hole {
    Hole::from(Value::List(items.into_iter().map(Into::into).collect()))
}

/// A name for a hole: the identifier, in the engine's quotes. For a name that only the running program knows.
pub fn identifier(name: impl Into<CompactString>) -> Hole {
    Hole(HoleKind::Identifier(name.into()))
}

impl<T: Into<Value>> From<T> for Hole {
    fn from(value: T) -> Self {
        Hole(HoleKind::Value(ValueExpr { value: value.into(), is_const: false }))
    }
}

impl From<Expr> for Hole {
    fn from(expr: Expr) -> Self {
        Hole(match expr {
            Expr::Value(ValueTypeExpr::Value(value)) => HoleKind::Value(value),
            other => HoleKind::Expr(other),
        })
    }
}

impl From<RawSql> for Hole {
    fn from(text: RawSql) -> Self {
        Hole(HoleKind::Raw(text))
    }
}

macro_rules! hole_from_expr {
    ($($node:ty),* $(,)?) => {$(
        impl From<$node> for Hole {
            fn from(node: $node) -> Self {
                Hole::from(Expr::from(node))
            }
        }
    )*};
}

hole_from_expr! {
    ValueTypeExpr, PropertyExpr, ValueExpr, FunctionExpr, CaseExpr, LogicExpr, ForeignExpr, GenericSqlExpr,
    SqlSegment, SelectExpr, SelectItemExpr, OrderByItemExpr, TableJoinExpr, InsertExpr, UpdateExpr, DeleteExpr,
}

impl From<Vec<SelectItemExpr>> for Hole {
    fn from(items: Vec<SelectItemExpr>) -> Self {
        Hole(HoleKind::Items(items.into()))
    }
}

impl<const N: usize> From<[SelectItemExpr; N]> for Hole {
    fn from(items: [SelectItemExpr; N]) -> Self {
        Hole(HoleKind::Items(items.into()))
    }
}

impl From<Vec<OrderByItemExpr>> for Hole {
    fn from(keys: Vec<OrderByItemExpr>) -> Self {
        Hole(HoleKind::Orders(keys.into()))
    }
}

impl<const N: usize> From<[OrderByItemExpr; N]> for Hole {
    fn from(keys: [OrderByItemExpr; N]) -> Self {
        Hole(HoleKind::Orders(keys.into()))
    }
}
