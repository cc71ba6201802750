//! What most programs need: `use isogloss::prelude::*;`
//!
//! The nodes' own types are in [`expr`](crate::expr); here are the functions that make them.

pub use crate::dialect::Dialect;
pub use crate::dialects::*;
pub use crate::expr::{
    DbType, DbValueType, Decimal, Expr, LogicExpr, Name, SqlSegment, Value, ValueOps, ValueTypeExpr, case, count_all,
    cte, exists, exists_related, from, func, if_else, null, prop, prop_of, row, table, value,
};
pub use crate::json;
pub use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
pub use crate::walk::QueryPolicy;
pub use crate::{Compiled, Compiler, Request, Verb};
