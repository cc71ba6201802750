//! How MySQL and MariaDB spell tables.
//!
//! A default that is an expression stands in parentheses, which MySQL takes since 8.0.13, and so does that of a large
//! object. A literal and `CURRENT_TIMESTAMP` do not: MySQL copies the table, and blocks who writes to it, to add a column
//! whose default stands in them.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, Entity};
use isogloss_driver::Result;
use isogloss_driver::ddl::{Number, Spelling, Statement, Style, SyncLock, Wanted, asked, digits, is_literal, length};
use sea_query::{Index, MysqlQueryBuilder, TableCreateStatement};

use crate::MySql;

/// For indexes, which sea-query's builder makes on tables without a schema only.
const STYLE: Style = Style { quotes: Quotes('`', '`'), add: (" ADD COLUMN ", ""), index_in_schema: false };

/// The most bytes of a row, without what large objects hold.
const ROW: u32 = 65_535;

/// The most bytes of a key or an index.
const INDEX: u32 = 3_072;

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
            time if time.has_seconds() => {
                let ty = if time == T::Time { "TIME" } else { "DATETIME" };
                format!("{ty}({})", column.seconds().unwrap_or(6)).into()
            }
            T::Json | T::Jsonb => "JSON".into(),
            _ => self.cast_type(column.ty)?.into(),
        })
    }

    /// The longest ones, and of the same length the last ones.
    fn off_row(&self, entity: &Entity, column: &Column, added: bool) -> Option<&'static str> {
        let rank = |column: &Column, index| (movable(column).unwrap_or(0), index);
        movable(column)?;
        let (index, _) = entity.column(column.name.as_str())?;
        let own = rank(column, index);
        let before = entity.columns.iter().enumerate().filter(|(index, other)| added || rank(other, *index) <= own);
        let bytes: u32 = before.map(|(_, column)| bytes(column)).sum();
        (bytes > ROW).then_some(if column.ty.base == T::Binary { "BLOB" } else { "TEXT" })
    }

    fn index_bytes(&self, column: &Column) -> Option<u32> {
        let large = column.ty.array || matches!(column.ty.base, T::Json | T::Jsonb | T::Xml | T::Object);
        let sized = column.ty.base.is_text() || column.ty.base == T::Binary;
        (!large && (!sized || length(column).is_some())).then(|| bytes(column) - BESIDE)
    }

    fn index_limit(&self) -> u32 {
        INDEX
    }

    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        if column.ty.base.is_decimal() { Ok("BIGINT".into()) } else { self.column_type(column) }
    }

    /// Where the numbers begin is said of the table.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        number.by_itself(self)?;
        number.by_one(self)?;
        number.from_one(self)?;
        Ok("AUTO_INCREMENT".into())
    }

    fn filler(&self, column: &Column) -> Result<&'static str> {
        let utc = column.ty == T::DateTimeOffset.into();
        Ok(if utc { "'1900-01-01 00:00:00'" } else { self.standard_filler(column) })
    }

    /// To add a stored one copies the table, and only a key needs it.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        let kept = if column.primary_key { "STORED" } else { "VIRTUAL" };
        format!("{ty} GENERATED ALWAYS AS ({text}) {kept}")
    }

    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        let large = ["TEXT", "BLOB", "JSON"].iter().any(|large| ty.ends_with(large));
        if let Some(digits) = ty.strip_prefix("DATETIME")
            && text.trim().eq_ignore_ascii_case("CURRENT_TIMESTAMP")
        {
            return Some(format!("CURRENT_TIMESTAMP{digits}"));
        }
        // What a backslash means hangs on the mode of the session.
        (!large && is_literal(text) && !text.contains('\\')).then(|| text.trim().to_owned())
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

    fn catalog(&self, parts: &[&str], _: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
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

/// The most that a column takes in a row beside its value: its length, and the bit that says NULL.
const BESIDE: u32 = 3;

/// The most bytes of a column in a row, where each character has 4.
fn bytes(column: &Column) -> u32 {
    let value = match column.ty.base {
        _ if column.ty.array => None,
        T::Binary => length(column),
        T::Guid => Some(36 * 4),
        text if text.is_text() && text != T::Xml => length(column).map(|length| length * 4),
        _ => None,
    };
    // A pointer to a large object, a number, a time: a decimal of 65 digits has 30.
    value.unwrap_or(30) + BESIDE
}

/// The length of a text or binary that may as well be a large object: it is in no key and has no index.
fn movable(column: &Column) -> Option<u32> {
    let sized = column.ty.base == T::Binary || column.ty.base.is_text() && column.ty.base != T::Xml;
    let bound = column.ty.array || column.primary_key || column.is_index || column.is_unique;
    length(column).filter(|_| sized && !bound)
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
