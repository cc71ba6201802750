//! Conditions and values of their own, for statements that the program writes by other means.

use crate::compiler::{Buffers, Compiled, Request, StatementRef, Target};
use crate::error::Result;
use crate::expr::{LogicExpr, ValueTypeExpr};
use crate::resolve;

impl Target {
    /// A filter over the request's root entity as a condition of its own: what may stand behind the WHERE of a query, an
    /// UPDATE or a DELETE that something else writes.
    ///
    /// The columns stand behind `qualifier`, the alias or name that the entity's table has there; without one they stand
    /// alone. The entity's fixed filter is a part of the condition. A term over joined columns chooses the rows by their
    /// keys, as it does in an UPDATE.
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
    /// What cannot be resolved, and what the dialect refuses; common table expressions, which have no place in a
    /// condition; a request without a root entity; `T1` and its like as a qualifier, which are aliases of subqueries.
    pub fn condition<'e>(
        &self,
        filter: &'e LogicExpr,
        request: &Request<'e>,
        qualifier: Option<&str>,
    ) -> Result<Compiled<'e>> {
        let statement = StatementRef::Filter(filter);
        self.run(statement, Buffers::default(), None, |cx| resolve::condition(cx, filter, request, qualifier))
    }

    /// A value that is computed from the columns of the request's root entity, with its values as constants of the text:
    /// what a generated column is made of.
    ///
    /// # Errors
    /// What cannot be resolved, what the dialect refuses, and what is no constant; a column of a joined table.
    pub fn constant_value<'e>(&self, value: &'e ValueTypeExpr, request: &Request<'e>) -> Result<Compiled<'e>> {
        self.run(StatementRef::Other("value"), Buffers::default(), None, |cx| {
            resolve::constant_value(cx, value, request)
        })
    }
}
