//! The names that a program with entities, sessions and data access objects uses every day: `use isogloss::prelude::*;`
//!
//! It avoids names that programs take from elsewhere, such as `Json`, `Value`, `Expr`, `Decimal` and `Request`, so that it can be
//! used beside the preludes of axum, diesel and SeaORM. Import everything else by its name:
//!
//! - [`Compiler`](crate::Compiler), [`Request`](crate::Request), [`Registry`](crate::Registry), and a dialect such as `SQLITE`
//!   from the crate's root;
//! - nodes of a tree and further functions that create them, [`Value`](crate::expr::Value) and [`Decimal`](crate::expr::Decimal)
//!   from [`expr`](mod@crate::expr);
//! - definitions of tables from [`model`](crate::model).

#[cfg(feature = "orm")]
pub use crate::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao};
#[cfg(feature = "entities")]
pub use crate::entity::{DbEnum, Entity, Field, FromRow, ScopeExt, View};
pub use crate::expr::{LogicExpr, ValueOps, exists_related, from, func, prop, prop_of, table};
pub use crate::json;
#[cfg(feature = "entities")]
pub use crate::macros::{expr, query, sql};
pub use crate::model::Catalog;
pub use crate::walk::QueryPolicy;
#[cfg(feature = "orm")]
pub use crate::{Orm, OrmContext, OrmError, OrmResult, Session};
pub use crate::{Scope, args, dec, items};
