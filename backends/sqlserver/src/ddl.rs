//! How SQL Server spells tables.

use std::borrow::Cow;

use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{Number, Spelling, Statement, Style, digits, length};

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

    /// It has the type of what it is computed from, unless told otherwise.
    fn computed(&self, ty: &str, text: &str) -> String {
        format!("AS (CAST({text} AS {ty})) PERSISTED")
    }

    fn filler(&self, column: &Column) -> Option<&'static str> {
        Some(if column.ty.base == T::Binary { "0x" } else { self.standard_filler(column) })
    }

    fn null_is_unique(&self) -> bool {
        true
    }

    fn name_parts(&self) -> usize {
        3
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build_styled(&STYLE)
    }
}
