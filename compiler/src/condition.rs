//! Conditions and values as SQL text, for statements that the program writes by other means.

use crate::compiler::{Buffers, Compiled, Request, StatementRef};
use crate::error::Result;
use crate::expr::{LogicExpr, ValueTypeExpr};
use crate::resolve;
use crate::target::Target;

impl Target {
    /// Compiles a filter over the request's root entity as a condition: text that can follow the WHERE of a query, an
    /// UPDATE or a DELETE that was written by other means.
    ///
    /// Columns are qualified with `qualifier`, the alias or name of the entity's table in that statement, or not at all
    /// without one. The entity's fixed filter is a part of the condition. A term over joined columns selects rows by
    /// their keys, as it does in an UPDATE.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
    /// # use isogloss_compiler::expr::{DbValueType, prop, ValueOps};
    /// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// use isogloss_compiler::{Compiler, Request};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let user = TableDef::new("User")
    /// #     .table("Users")
    /// #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
    /// #     .column(ColumnDef::new("Name", DbValueType::String).length(100));
    /// # let target = Compiler::new(Catalog::builder().table(user).build()?).target(&Plain);
    /// let filter = prop("Name").eq("Ann") | prop("Id").gt(7);
    /// let condition = target.condition(&filter, &Request::of("User"), Some("u"))?;
    /// assert_eq!(condition.sql, r#""u"."Name" = ? OR "u"."Id" > ?"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Names that cannot be resolved, what the dialect refuses, common table expressions, a request without a root
    /// entity, and a qualifier such as `T1`, which is an alias of subqueries.
    pub fn condition<'e>(
        &self,
        filter: &'e LogicExpr,
        request: &Request<'e>,
        qualifier: Option<&str>,
    ) -> Result<Compiled<'e>> {
        let statement = StatementRef::Filter(filter);
        self.run(statement, Buffers::default(), None, |cx| resolve::condition(cx, filter, request, qualifier))
    }

    /// Compiles a value that is computed from columns of the request's root entity, with its values as literals, as for
    /// the expression of a generated column.
    ///
    /// # Errors
    /// Names that cannot be resolved, what the dialect refuses, values that have no literal, and columns of joined
    /// tables.
    pub fn constant_value<'e>(&self, value: &'e ValueTypeExpr, request: &Request<'e>) -> Result<Compiled<'e>> {
        self.run(StatementRef::Other("value"), Buffers::default(), None, |cx| {
            resolve::constant_value(cx, value, request)
        })
    }
}
