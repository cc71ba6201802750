//! How MySQL and MariaDB spell tables. Defaults stand in parentheses, which MySQL takes since 8.0.13.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{Number, Spelling, Statement, Style, SyncLock, asked, digits, length};
use sea_query::{Index, MysqlQueryBuilder, TableCreateStatement};

use crate::MySql;

/// For indexes, which sea-query's builder makes on tables without a schema only.
const STYLE: Style = Style { quotes: Quotes('`', '`'), add: (" ADD COLUMN ", ""), index_in_schema: false };

impl Spelling for MySql {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(match column.ty.base {
            _ if column.ty.array => "JSON".into(),
            T::Binary => length(column).map_or("LONGBLOB".into(), |length| format!("VARBINARY({length})").into()),
            T::Xml | T::Object => "LONGTEXT".into(),
            text if text.is_text() => {
                length(column).map_or("LONGTEXT".into(), |length| format!("VARCHAR({length})").into())
            }
            // Wide enough with a sign: what is subtracted from a number without one is an error below 0.
            T::Byte | T::SByte | T::Int16 => "SMALLINT".into(),
            T::UInt16 | T::Int32 => "INT".into(),
            T::UInt32 | T::Int64 => "BIGINT".into(),
            T::UInt64 => "BIGINT UNSIGNED".into(),
            T::Boolean => "TINYINT(1)".into(),
            decimal if decimal.is_decimal() => {
                let (precision, scale) = digits(column);
                format!("DECIMAL({precision}, {scale})").into()
            }
            T::Single => "FLOAT".into(),
            T::DateTimeOffset => "DATETIME(6)".into(),
            T::Json | T::Jsonb => "JSON".into(),
            _ => self.cast_type(column.ty)?.into(),
        })
    }

    /// Where the numbers begin is said of the table.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        number.by_one(self)?;
        Ok("AUTO_INCREMENT".into())
    }

    fn filler(&self, column: &Column) -> Option<&'static str> {
        let utc = column.ty == T::DateTimeOffset.into();
        Some(if utc { "'1900-01-01 00:00:00'" } else { self.standard_filler(column) })
    }

    fn computed(&self, ty: &str, text: &str) -> String {
        format!("{ty} GENERATED ALWAYS AS ({text}) STORED")
    }

    fn finish(&self, create: &mut TableCreateStatement, number: Option<&Number<'_>>) {
        if let Some(number) = number.filter(|number| !number.is_indexed) {
            create.index(Index::create().col(number.column.column.to_string()));
        }
        create.character_set("utf8mb4").collate(self.collation());
        if let Some(number) = number.filter(|number| number.identity.start != 1) {
            create.extra(format!("AUTO_INCREMENT={}", number.identity.start));
        }
    }

    fn catalog(&self, parts: &[&str]) -> (Compiled<'static>, Compiled<'static>) {
        let (schema, table) = match parts {
            [schema, table] => (*schema, *table),
            parts => ("", parts.last().copied().unwrap_or_default()),
        };
        let of = "WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?";
        let columns = format!("SELECT COLUMN_NAME FROM information_schema.COLUMNS {of}");
        let indexes = format!("SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS {of}");
        (asked(columns, &[schema, table]), asked(indexes, &[schema, table]))
    }

    fn ignores_case(&self) -> bool {
        true
    }

    /// The name is one of the whole server.
    fn lock(&self) -> SyncLock {
        let name = "CONCAT('isogloss.sync.', LEFT(COALESCE(DATABASE(), ''), 50))";
        SyncLock::OfSession {
            take: asked(format!("SELECT GET_LOCK({name}, 60)"), &[]),
            free: asked(format!("SELECT RELEASE_LOCK({name})"), &[]),
        }
    }

    fn spell(&self, statement: &Statement) -> String {
        match statement {
            Statement::Index { .. } => statement.build_styled(&STYLE),
            other => other.build(MysqlQueryBuilder),
        }
    }
}

impl MySql {
    /// A collation by code points that does not ignore blanks at the end, where there is one.
    fn collation(&self) -> &'static str {
        match self.sheet().name {
            "mariadb" => "utf8mb4_nopad_bin",
            _ if self.version() < (8, 0, 17) => "utf8mb4_bin",
            _ => "utf8mb4_0900_bin",
        }
    }
}
