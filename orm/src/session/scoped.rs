//! What a session compiles: in one place, so that nothing of it can be forgotten.

use compact_str::CompactString;
use isogloss_compiler::{Buffers, BulkInsert, Compiled, Request, RowsStatement, StatementRef, Target};

use super::Session;
use crate::OrmResult;

impl Session {
    /// Compiles a statement.
    pub(crate) fn compile<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
        request: Request<'e>,
    ) -> OrmResult<Compiled<'e>> {
        Ok(target.compile_with(statement, &request, Buffers::default())?)
    }

    /// Compiles a write of many rows, where the engine has a statement for them.
    pub(crate) fn compile_rows<'e>(
        &'e self,
        target: &Target,
        statement: impl Into<StatementRef<'e>>,
    ) -> OrmResult<Option<RowsStatement>> {
        Ok(target.compile_rows(statement)?)
    }

    /// An INSERT of many rows by the fast path.
    pub(crate) fn into_table(
        &self,
        target: &Target,
        entity: &str,
        columns: &[&str],
        args: &[CompactString],
    ) -> OrmResult<BulkInsert> {
        Ok(target.bulk_insert(entity, columns, args)?)
    }
}
