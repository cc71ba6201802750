//! Filters of a scope by the type of their entity.

use isogloss_compiler::Scope;
use isogloss_compiler::expr::LogicExpr;

use super::{Entity, Predicate};

/// Adds filters to a [`Scope`] by the type of their entity.
pub trait ScopeExt: Sized {
    /// Adds a condition on the rows of an entity, and of every view of its table: like [`Scope::filter_of`], by type. A
    /// condition that is absent (`None`) excludes all rows, so that a value that a request lacks opens nothing.
    ///
    /// ```standalone_crate
    /// use isogloss::prelude::*;
    /// use isogloss::{Compiler, Request, SQLITE};
    ///
    /// #[derive(Entity)]
    /// struct Order {
    ///     #[column(primary_key)]
    ///     id: i32,
    ///     tenant_id: i32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let compiler = Compiler::new(isogloss::entity::catalog()?.clone());
    /// let tenant = 7;
    /// let scope = Scope::new().filter::<Order>(expr!(|o: Order| o.tenant_id == tenant));
    /// let filter: LogicExpr = expr!(|o: Order| o.id > 5).into();
    /// let statement = compiler.compile_with(&filter, &Request::of("Order").scope(&scope), &SQLITE)?;
    /// assert!(statement.sql.ends_with(r#"WHERE "T0"."TenantId" = ? AND "T0"."Id" > ?"#));
    /// # Ok(()) }
    /// ```
    #[must_use]
    fn filter<E: Entity>(self, condition: impl Predicate<Entity = E>) -> Self;
}

impl ScopeExt for Scope {
    fn filter<E: Entity>(self, condition: impl Predicate<Entity = E>) -> Self {
        let no_row = || LogicExpr::Or(std::iter::empty::<LogicExpr>().collect());
        self.filter_of(E::NAME, condition.given().unwrap_or_else(no_row))
    }
}
