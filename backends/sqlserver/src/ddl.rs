//! How SQL Server spells tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{Number, Spelling, Statement, Style, SyncLock, asked, digits, length, quoted};

use crate::SqlServer;

const STYLE: Style = Style { quotes: Quotes('[', ']'), add: (" ADD ", ""), index_in_schema: false };

impl Spelling for SqlServer {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        let sized = |ty: &str| match length(column) {
            Some(length) => format!("{ty}({length})").into(),
            None => format!("{ty}(max)").into(),
        };
        Ok(match column.ty.base {
            _ if column.ty.array => "nvarchar(max)".into(),
            T::Xml => "xml".into(),
            T::Binary => sized("varbinary"),
            ansi if ansi.is_ansi() => sized("varchar"),
            text if text.is_text() => sized("nvarchar"),
            decimal if decimal.is_decimal() => {
                let (precision, scale) = digits(column);
                format!("decimal({precision}, {scale})").into()
            }
            _ => self.cast_type(column.ty)?.into(),
        })
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        Ok(format!("IDENTITY({}, {})", number.identity.start, number.identity.increment).into())
    }

    /// What is too long for an index is refused with the row that has it, and not with the table.
    fn index_bytes(&self, column: &Column) -> Option<u32> {
        let ty = self.column_type(column).ok()?;
        (!ty.ends_with("(max)") && ty != "xml" && ty != "json").then_some(0)
    }

    /// It has the type of what it is computed from, unless told otherwise.
    fn computed(&self, _: &Column, ty: &str, text: &str) -> String {
        format!("AS (CAST({text} AS {ty})) PERSISTED")
    }

    fn filler(&self, column: &Column) -> Result<&'static str> {
        Ok(if column.ty.base == T::Binary { "0x" } else { self.standard_filler(column) })
    }

    fn null_is_unique(&self) -> bool {
        true
    }

    fn name_parts(&self) -> usize {
        3
    }

    fn catalog(&self, parts: &[&str]) -> (Compiled<'static>, Compiled<'static>) {
        let table = quoted(self, parts.iter().copied());
        // Of another database, its own catalog is asked.
        let catalog = match parts {
            [database, _, _] => format!("{}.sys", quoted(self, [*database])),
            _ => "sys".to_owned(),
        };
        let columns = format!("SELECT name FROM {catalog}.columns WHERE object_id = OBJECT_ID(@P1)");
        let indexes =
            format!("SELECT name FROM {catalog}.indexes WHERE object_id = OBJECT_ID(@P1) AND name IS NOT NULL");
        (asked(columns, &[&table]), asked(indexes, &[&table]))
    }

    fn ignores_case(&self) -> bool {
        true
    }

    fn lock(&self) -> SyncLock {
        let take = "DECLARE @got int; EXEC @got = sp_getapplock @Resource = N'isogloss.sync', @LockMode = 'Exclusive', \
                    @LockOwner = 'Transaction', @LockTimeout = 60000; SELECT @got";
        SyncLock::InTransaction(asked(take, &[]))
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build_styled(&STYLE)
    }
}
