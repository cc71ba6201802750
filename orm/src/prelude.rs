//! What most programs need: `use isogloss::prelude::*;`
//!
//! The nodes' own types are in [`expr`](mod@crate::expr); here are the functions that make them.

#[cfg(feature = "orm")]
pub use crate::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao};
pub use crate::dialect::Dialect;
#[cfg(feature = "entities")]
pub use crate::entity::{Arged, Column, Condition, DbEnum, Entity, Field, FromRow, Json, ScopeExt, Table, View};
// The dialects' modules are left out: `postgres` and `mysql` are names of drivers, too.
pub use crate::dialects::DIALECTS;
#[cfg(feature = "oracle")]
pub use crate::dialects::ORACLE;
#[cfg(feature = "postgres")]
pub use crate::dialects::POSTGRES;
#[cfg(feature = "sqlite")]
pub use crate::dialects::SQLITE;
#[cfg(feature = "sqlserver")]
pub use crate::dialects::SQLSERVER;
#[cfg(feature = "mysql")]
pub use crate::dialects::{MARIADB, MYSQL};
pub use crate::expr::{
    ConflictAction, DbType, DbValueType, Decimal, Expr, FrameBound, FrameUnit, LockMode, LockWait, LogicExpr, Name,
    SqlSegment, TableJoinType, Value, ValueOps, ValueTypeExpr, aggregate, case, constant, count_all, cte, exists,
    exists_query, exists_related, from, from_args, func, if_else, null, prop, prop_of, row, sql, table, value,
};
pub use crate::json;
#[cfg(feature = "entities")]
pub use crate::macros::{expr, query, sql};
pub use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, TextMode, ViewDef};
pub use crate::walk::QueryPolicy;
pub use crate::{
    Buffers, Compiled, Compiler, ExprString, FragmentContext, Registry, Request, Scope, Target, Verb, args, dec, items,
    list,
};
#[cfg(feature = "orm")]
pub use crate::{Orm, OrmContext, OrmError, OrmResult, Session};
