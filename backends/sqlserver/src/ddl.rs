//! How SQL Server spells tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{
    Number, Spelling, Statement, Style, SyncLock, Wanted, asked, digits, is_literal, length, quoted, timed,
};

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
            _ => timed(self.cast_type(column.ty)?, column),
        })
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        let counted = || format!("IDENTITY({}, {})", number.identity.start, number.identity.increment).into();
        Ok(number.default().unwrap_or_else(counted))
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

    /// A text without the N is read in the code page of the database, which may lack its characters.
    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        let text = text.trim();
        let wide = ty.starts_with('n') && !text.is_ascii() && text.starts_with('\'') && is_literal(text);
        wide.then(|| format!("N{text}"))
    }

    fn null_is_unique(&self) -> bool {
        true
    }

    fn name_parts(&self) -> usize {
        3
    }

    /// The collation of the database says whether `Name` and `name` are one, so that it is asked.
    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        let table = quoted(self, parts.iter().copied());
        // Of another database, its own catalog is asked.
        let catalog = match parts {
            [database, _, _] => format!("{}.sys", quoted(self, [*database])),
            _ => "sys".to_owned(),
        };
        let names = |of: &str, wanted: Vec<&str>| {
            let values: Vec<String> = (0..wanted.len()).map(|index| format!("(@P{})", index + 2)).collect();
            let (name, join) = match values.as_slice() {
                [] => ("t.name", String::new()),
                values => (
                    "COALESCE(w.name, t.name)",
                    format!(" LEFT JOIN (VALUES {}) w (name) ON w.name = t.name", values.join(", ")),
                ),
            };
            let of = format!("{catalog}.{of} t{join}");
            let texts: Vec<&str> = std::iter::once(table.as_str()).chain(wanted).collect();
            asked(format!("SELECT {name} FROM {of} WHERE t.object_id = OBJECT_ID(@P1) AND t.name IS NOT NULL"), &texts)
        };
        let columns = wanted.iter().map(|wanted| wanted.column.as_str()).collect();
        let indexes = wanted.iter().filter_map(|wanted| wanted.index.as_deref()).collect();
        (names("columns", columns), names("indexes", indexes))
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
