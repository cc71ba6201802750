//! How MySQL and MariaDB spell tables: MariaDB as MySQL does, but for its collation.
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
use isogloss_driver::ddl::{
    Change, ColumnOf, Impact, InTheWay, IndexSchema, Number, SessionLock, Spelling, Statement, Style, SyncLock, Wanted,
    asked, digits, is_literal, length,
};
use isogloss_driver::introspect::{ColumnReport, Introspection, TableReport};
use sea_query::{Index, MysqlQueryBuilder, TableCreateStatement};

use crate::alter;
use crate::introspect;
use crate::mariadb::BASE;
use crate::{Galera, MariaDb, MySql, TiDb, Vitess};

/// For indexes, which sea-query's builder makes on tables without a schema only.
const STYLE: Style = Style { quotes: Quotes('`', '`'), add: (" ADD COLUMN ", ""), index_schema: IndexSchema::OfTable };

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
            decimal if decimal.is_decimal() => match digits(column) {
                Some((precision, scale)) => format!("DECIMAL({precision}, {scale})").into(),
                None => self.cast_type(column.ty)?.into(),
            },
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
    fn off_row(&self, entity: &Entity, column: &Column, of: ColumnOf) -> Option<&'static str> {
        let rank = |column: &Column, index| (movable(column).unwrap_or(0), index);
        movable(column)?;
        let (index, _) = entity.column(column.name.as_str())?;
        let own = rank(column, index);
        let before = entity
            .columns
            .iter()
            .enumerate()
            .filter(|(index, other)| of == ColumnOf::OldTable || rank(other, *index) <= own);
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
        number.by_itself()?;
        number.by_one()?;
        number.from_one()?;
        Ok("AUTO_INCREMENT".into())
    }

    fn filler(&self, column: &Column) -> Result<&'static str> {
        let utc = column.ty == T::DateTimeOffset.into();
        Ok(if utc { "'1900-01-01 00:00:00'" } else { self.standard_filler(column) })
    }

    /// That on a column is said with the column.
    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        let text = to.or(from.map(|_| ""))?;
        let table = alter::QUOTES.quoted(table.iter().copied());
        column.is_none().then(|| format!("ALTER TABLE {table} COMMENT = {}", alter::literal(text)))
    }

    fn comments_within(&self) -> bool {
        true
    }

    fn comment_limit(&self, of_column: bool) -> usize {
        if of_column { 1_024 } else { 2_048 }
    }

    /// To add a stored one copies the table, and only a key needs it.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        let kept = if column.primary_key { "STORED" } else { "VIRTUAL" };
        format!("{ty} GENERATED ALWAYS AS ({text}) {kept}")
    }

    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        let large = ["TEXT", "BLOB", "JSON"].iter().any(|large| ty.ends_with(large));
        // With the digits of the column, as the engine wants it; what introspection tells has them.
        if let Some(digits) = ty.to_uppercase().strip_prefix("DATETIME") {
            let now = format!("CURRENT_TIMESTAMP{digits}");
            if ["CURRENT_TIMESTAMP", &now].iter().any(|name| text.trim().eq_ignore_ascii_case(name)) {
                return Some(now);
            }
        }
        // What a backslash means hangs on the mode of the session.
        (!large && is_literal(text) && !text.contains('\\')).then(|| text.trim().to_owned())
    }

    fn finish(&self, create: &mut TableCreateStatement, number: Option<&Number<'_>>) {
        finish(create, number, self.collation());
    }

    fn table_collation(&self) -> Option<&'static str> {
        Some(self.collation())
    }

    /// Errors 3780 and 1005.
    fn refers_by_type(&self) -> bool {
        true
    }

    /// Error 1075.
    fn indexes_numbers(&self) -> bool {
        true
    }

    /// Error 1553.
    fn replace_index(&self, parts: &[&str], name: &str, create: &str) -> Option<String> {
        let (table, name) = (alter::QUOTES.quoted(parts.iter().copied()), alter::QUOTES.quoted([name]));
        let (kind, columns) = create.strip_prefix("CREATE ")?.split_once(&format!(" {name} ON {table} "))?;
        Some(format!("ALTER TABLE {table} DROP INDEX {name}, ADD {kind} {name} {columns}"))
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
    fn questions(&self) -> Option<Introspection> {
        Some(introspect::mysql(self.version()))
    }

    fn lock(&self) -> SyncLock {
        let SessionLock { take, free } = session_lock(60);
        SyncLock::OfSession { take, free }
    }

    fn session_lock(&self) -> Option<SessionLock> {
        Some(session_lock(0))
    }

    fn spell(&self, statement: &Statement) -> String {
        match statement {
            Statement::Index { .. } => statement.build_styled(&STYLE),
            other => other.build(MysqlQueryBuilder),
        }
    }

    fn reported_type(&self, ty: &str) -> String {
        alter::reported_type(ty)
    }

    fn reported_default(&self, text: &str) -> String {
        alter::reported_default(text)
    }

    fn reported(&self, table: &mut TableReport) {
        alter::reported(table);
    }

    fn alter_column(&self, table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        alter::alter(table, change, from, to)
    }

    fn column_again(&self, column: &ColumnReport) -> Option<String> {
        alter::column(column)
    }

    fn drop_index(&self, parts: &[&str], name: &str, _: bool) -> Option<String> {
        let quotes = alter::QUOTES;
        Some(format!("DROP INDEX {} ON {}", quotes.quoted([name]), quotes.quoted(parts.iter().copied())))
    }

    fn drop_constraint(&self, table: &str, name: &str, is_foreign: bool) -> String {
        let kind = if is_foreign { "FOREIGN KEY" } else { "CONSTRAINT" };
        format!("ALTER TABLE {table} DROP {kind} {}", alter::QUOTES.quoted([name]))
    }

    fn has_partial_indexes(&self) -> bool {
        false
    }

    fn names_keys(&self) -> bool {
        false
    }

    fn refers_beside(&self) -> bool {
        true
    }

    /// Since 8.0.29 for a column at any place.
    /// Errors 1832, 1833 and 3780. A text may grow in place.
    fn in_the_way(&self, change: Change, from: &ColumnReport, to: &ColumnReport) -> InTheWay {
        let foreign_keys = match change {
            Change::Type { widens } => !(widens && alter::stays_in_place(Some(from), Some(to))),
            _ => false,
        };
        InTheWay { foreign_keys, ..InTheWay::default() }
    }

    fn impact(&self, change: Change, from: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        alter::impact(change, from, to, self.version() >= (8, 0, 29))
    }
}

/// By code points, and without ignoring blanks at the end, on MariaDB.
const NOPAD: &str = "utf8mb4_nopad_bin";

impl MySql {
    /// By code points, and without ignoring blanks at the end where there is such a one.
    fn collation(&self) -> &'static str {
        if self.version() < (8, 0, 17) { "utf8mb4_bin" } else { "utf8mb4_0900_bin" }
    }
}

/// The lock of a database by name, which is waited for so many seconds.
fn session_lock(wait: u32) -> SessionLock {
    let name = "CONCAT('isogloss.sync.', LEFT(COALESCE(DATABASE(), ''), 50))";
    SessionLock {
        take: asked(format!("SELECT GET_LOCK({name}, {wait})"), &[]),
        free: asked(format!("SELECT RELEASE_LOCK({name})"), &[]),
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

impl Spelling for MariaDb {
    fn ddl_base(&self) -> Option<&dyn Spelling> {
        Some(&BASE)
    }

    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        BASE.column_type(column)
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        BASE.identity(number)
    }

    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        BASE.computed(column, ty, text)
    }

    /// Errors 1832 and 1833, also where a text grows.
    fn in_the_way(&self, change: Change, _: &ColumnReport, _: &ColumnReport) -> InTheWay {
        InTheWay { foreign_keys: matches!(change, Change::Type { .. }), ..InTheWay::default() }
    }

    fn finish(&self, create: &mut TableCreateStatement, number: Option<&Number<'_>>) {
        finish(create, number, NOPAD);
    }

    fn table_collation(&self) -> Option<&'static str> {
        Some(NOPAD)
    }

    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        BASE.catalog(parts, wanted)
    }

    fn questions(&self) -> Option<Introspection> {
        Some(introspect::MARIADB)
    }

    fn lock(&self) -> SyncLock {
        Spelling::lock(&BASE)
    }

    fn spell(&self, statement: &Statement) -> String {
        BASE.spell(statement)
    }

    /// JSON is a text there.
    fn reported_type(&self, ty: &str) -> String {
        let ty = alter::reported_type(ty);
        if ty == "json" { "longtext".to_owned() } else { ty }
    }

    fn impact(&self, change: Change, from: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        alter::impact(change, from, to, true)
    }
}

/// What a variant takes from its base, where the trait has no default that does.
macro_rules! spelled_as_base {
    () => {
        fn ddl_base(&self) -> Option<&dyn Spelling> {
            Some(&self.base)
        }

        fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
            self.base.column_type(column)
        }

        fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
            self.base.identity(number)
        }

        fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
            self.base.computed(column, ty, text)
        }

        fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
            self.base.catalog(parts, wanted)
        }

        fn spell(&self, statement: &Statement) -> String {
            self.base.spell(statement)
        }
    };
}

impl Spelling for Galera {
    spelled_as_base!();

    /// A lock by name is one of a node. What defines tables goes over all nodes in one order: the second one fails.
    fn lock(&self) -> SyncLock {
        SyncLock::None
    }

    fn session_lock(&self) -> Option<SessionLock> {
        None
    }
}

impl Spelling for TiDb {
    spelled_as_base!();

    /// Not run there.
    fn questions(&self) -> Option<Introspection> {
        None
    }

    fn lock(&self) -> SyncLock {
        Spelling::lock(&self.base)
    }
}

impl Spelling for Vitess {
    spelled_as_base!();

    /// Not run there.
    fn questions(&self) -> Option<Introspection> {
        None
    }

    /// It takes one of no table but this.
    fn lock(&self) -> SyncLock {
        let SyncLock::OfSession { mut take, mut free } = Spelling::lock(&self.base) else { return SyncLock::None };
        for query in [&mut take, &mut free] {
            query.sql.push_str(" FROM dual");
        }
        SyncLock::OfSession { take, free }
    }

    fn session_lock(&self) -> Option<SessionLock> {
        let mut lock = session_lock(0);
        for query in [&mut lock.take, &mut lock.free] {
            query.sql.push_str(" FROM dual");
        }
        Some(lock)
    }
}

/// A number needs an index, begins where it shall, and texts have a collation.
fn finish(create: &mut TableCreateStatement, number: Option<&Number<'_>>, collation: &'static str) {
    if let Some(number) = number.filter(|number| !number.is_indexed) {
        create.index(Index::create().col(number.column.column.to_string()));
    }
    create.character_set("utf8mb4").collate(collation);
    if let Some(number) = number.filter(|number| number.identity.start != 1) {
        create.extra(format!("AUTO_INCREMENT={}", number.identity.start));
    }
}
