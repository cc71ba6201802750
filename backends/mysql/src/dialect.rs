//! MySQL, 8.0 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What the engine lacks is named in [`SUPPORT`](crate::SUPPORT); how
//! it is rewritten lives in the compiler, shared with every dialect that lacks the same thing.
//!
//! Truth values are 1 and 0. Texts compare by the collation of their column; a list in one parameter and a search do
//! so, too. A date and time with an offset is a `DATETIME(6)` in UTC.

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, FormatToken, Proposed, ROWS, ROWS_COLUMN, RowsForm, RowsSource, RowsWrite, Sense, Sheet, UpsertNames,
    Version, assigns_everywhere,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, LockMode, Value};
use isogloss_compiler::frame::{
    Body, BuiltJoin, Conflict, Delete, In, Insert, Join, Lock, Param, Pred, Query, Rows, Scalar, ScalarKind, Select,
    TextForm, Update,
};
use isogloss_compiler::model::Collation;
use isogloss_compiler::render::{Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::sheet::SHEET;
use crate::variants::VITESS_SHEET;

/// Without zeros at the end of a text, and without a point that is left there.
macro_rules! trimmed {
    () => {
        "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM "
    };
}

/// A subquery that is an error as soon as it is asked for, and nothing else before.
pub(crate) const TWO_ROWS: &str = "(SELECT 1 UNION SELECT 2)";

/// What DO NOTHING gives as the last number, where the row is there: the one sign by which the server tells such a row from
/// a new one. No column numbers so many rows.
pub(crate) const LEFT_ALONE: &str = "7338091256402719483";

const OTHER_KEYS: &str =
    "the table has another unique key, and the two could not be told apart: leave the key as it is";
/// Their literals and comments, in the default mode.
pub const LEXIS: Lexis = Lexis {
    backslash: true,
    backticks: true,
    executed_comments: true,
    hash_comments: true,
    blank_after_dashes: true,
    ..Lexis::STANDARD
};

/// MySQL in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MySql {
    version: Version,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl MySql {
    /// 8.0.11, the first general release of 8.0: what every 8.0 has.
    pub const V8_0: Self = Self::new(8, 0, 11);
    pub const V8_0_14: Self = Self::new(8, 0, 14);
    pub const V8_0_19: Self = Self::new(8, 0, 19);
    pub const V8_0_22: Self = Self::new(8, 0, 22);
    pub const V8_0_31: Self = Self::new(8, 0, 31);
    pub const V8_4: Self = Self::new(8, 4, 0);
    pub const V9_0: Self = Self::new(9, 0, 0);

    /// A version of MySQL.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { version: (major, minor, patch) }
    }
}

impl Default for MySql {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V8_0
    }
}

impl Dialect for MySql {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    fn version(&self) -> Version {
        self.version
    }

    fn label(&self) -> String {
        let (name, (major, minor, patch)) = (self.sheet().name, self.version);
        let plain = patch == 0 || *self == Self::V8_0;
        if plain { format!("{name} {major}.{minor}") } else { format!("{name} {major}.{minor}.{patch}") }
    }

    fn ordered_join(&self) -> &'static str {
        " STRAIGHT_JOIN "
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        if ty.array {
            return Err(self.no_type(ty.base, "it has no arrays"));
        }
        Ok(match ty.base {
            T::String | T::AnsiString | T::AnsiStringFixedLength | T::StringFixedLength | T::Object => "CHAR",
            // UNSIGNED takes -5 for a number of 20 digits.
            T::UInt64 => "DECIMAL(20, 0)",
            whole if whole.is_integer() => "SIGNED",
            T::Boolean => "SIGNED",
            T::Decimal | T::Currency | T::VarNumeric => "DECIMAL(65, 30)",
            T::Single if !self.has_double() => {
                return Err(self.no_type(ty.base, "MySQL has it since 8.0.17: cast to a double"));
            }
            T::Double => "DOUBLE",
            T::Single => "FLOAT",
            T::Date => "DATE",
            T::Time => "TIME(6)",
            T::DateTime | T::DateTime2 => "DATETIME(6)",
            T::Guid => "CHAR(36)",
            T::Binary => "BINARY",
            T::Json | T::Jsonb => "JSON",
            other => return Err(self.no_type(other, "it has no type for it")),
        })
    }

    /// A length that is left out is that of the value.
    fn wide_type(&self, ty: DbType) -> Option<&'static str> {
        (ty.base.is_text() && !ty.array).then_some("CHAR(4000)")
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            // What a backslash means hangs on the mode of the session.
            Value::Text(text) if needs_hex(text) => {
                w.text("_utf8mb4 ");
                w.dialect().bare_text(w, text);
            }
            Value::Json(text) => {
                w.text("CAST(");
                w.dialect().literal(w, &Value::from(&**text))?;
                w.text(" AS JSON)");
            }
            // 1.5 is a decimal.
            Value::Float(n) if n.is_finite() => w.quoted("", format_args!("{n:e}"), ""),
            other => w.standard_literal(other)?,
        }
        Ok(())
    }

    /// Written as bytes, a text has the default collation of its character set, and so has a derived column of it.
    fn writes_constant(&self, value: &Value) -> bool {
        !matches!(value, Value::Text(text) if needs_hex(text))
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        w.text(" LIMIT ");
        match limit {
            Some(limit) => w.scalar(limit, Prec::Lowest)?,
            None => w.text("18446744073709551615"),
        }
        if let Some(offset) = offset {
            w.text(" OFFSET ");
            w.scalar(offset, Prec::Lowest)?;
        }
        Ok(())
    }

    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(match lock.mode {
            LockMode::Update => " FOR UPDATE",
            LockMode::Share => " FOR SHARE",
        });
        w.lock_of();
        w.lock_wait(lock.wait);
    }

    /// A date that is made of a date and time is rounded, so that it is the next day near midnight. A time with an offset
    /// is one at UTC, in columns as anywhere.
    fn assigns(&self, from: T, to: T) -> bool {
        let time = |ty| matches!(ty, T::DateTime | T::DateTime2 | T::DateTimeOffset);
        assigns_everywhere(from, to)
            || from.is_integer() && to.is_text()
            || from.is_text() && (to.is_text() || to.is_json())
            || from == T::Boolean && to.is_number()
            || (from == T::Date || time(from)) && time(to)
    }

    /// Bytes are those of UTF-8, whatever the character set of the text is. A decimal gets a point first, so that the
    /// zeros that are taken away stand behind it.
    ///
    /// The text of a number or date is made by CONCAT: it compares by the collation of what is beside it, as a
    /// parameter does. That of a CAST insists on the connection's, and fails beside a column with another.
    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let from = value.ty.filter(|ty| !ty.array).map(|ty| ty.base);
        let (before, after, place) = match (from, to.base) {
            // It keeps the collation of its column.
            (Some(from), to) if from.is_text() && to.is_text() => return w.scalar(value, Prec::Atom),
            (Some(T::Binary), to) if to.is_text() => ("CONVERT(", " USING utf8mb4)", Prec::Lowest),
            (Some(from), T::Binary) if from.is_text() => ("CAST(CONVERT(", " USING utf8mb4) AS BINARY)", Prec::Lowest),
            (Some(from), to) if from.is_decimal() && to.is_text() => {
                (concat!(trimmed!(), "CONCAT(CAST("), " AS DECIMAL(65, 30)))))", Prec::Lowest)
            }
            // A driver may send a date as a date and time, so that a derived table's column of dates is one of these.
            (Some(T::Date), to) if to.is_text() => ("DATE_FORMAT(", ", '%Y-%m-%d')", Prec::Lowest),
            (Some(from), to) if from.is_integer() && to.is_text() => ("CONCAT(", ")", Prec::Lowest),
            (Some(T::DateTime | T::DateTime2), to) if to.is_text() => {
                (concat!(trimmed!(), "DATE_FORMAT("), ", '%Y-%m-%d %H:%i:%s.%f')))", Prec::Lowest)
            }
            (Some(T::Time), to) if to.is_text() => {
                (concat!(trimmed!(), "TIME_FORMAT("), ", '%H:%i:%s.%f')))", Prec::Lowest)
            }
            // As they are stored: a comparison may count the case.
            (Some(from), T::Guid) if from.is_text() => ("LOWER(", ")", Prec::Lowest),
            (_, T::Double) if !self.has_double() => ("(", " + 0e0)", Prec::Add),
            _ => return w.standard_cast(value, to),
        };
        w.text(before);
        w.scalar(value, place)?;
        w.text(after);
        Ok(())
    }

    /// A text is one without a CAST, which would give it the connection's collation.
    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        let (before, after) = match ty.base {
            T::Json | T::Jsonb => ("CAST(", " AS JSON)"),
            // One of 38 digits has at most 3 behind the point if there are more than 35 before it.
            T::Decimal | T::Currency | T::VarNumeric => match w.value_of(&param) {
                Some(Value::Decimal(number)) if has_long_whole(number) => ("CAST(", " AS DECIMAL(65, 27))"),
                _ => ("CAST(", " AS DECIMAL(65, 30))"),
            },
            T::Double | T::Single => ("(", " + 0e0)"),
            T::UInt64 => ("CAST(", " AS UNSIGNED)"),
            T::Boolean => ("CAST(", " AS SIGNED)"),
            whole if whole.is_integer() => ("CAST(", " AS SIGNED)"),
            T::Date => ("CAST(", " AS DATE)"),
            T::Time => ("CAST(", " AS TIME(6))"),
            T::DateTime | T::DateTime2 | T::DateTimeOffset => ("CAST(", " AS DATETIME(6))"),
            _ => ("", ""),
        };
        w.text(before);
        w.placeholder(param, Some(ty));
        w.text(after);
        Ok(())
    }

    fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()> {
        w.text("CONCAT(");
        w.list(items)?;
        w.text(")");
        Ok(())
    }

    /// A separator takes bytes, but nothing before them.
    fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str) {
        if needs_hex(text) {
            w.text("X'");
            w.hex(text.as_bytes());
            w.text("'");
        } else {
            w.text_literal(text);
        }
    }

    fn concat_prec(&self) -> Prec {
        Prec::Atom
    }

    /// `a IN (SELECT v FROM JSON_TABLE(?, '$[*]' COLUMNS (v BIGINT PATH '$')) j)`
    ///
    /// A text column of JSON_TABLE would compare by a collation of its own, or clash with the left side's. What
    /// JSON_UNQUOTE gives follows the left side. A name that JSON_TYPE gives is compared as bytes, since MySQL does not
    /// compare its collation with that of a connection in `utf8mb4_0900_bin`.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        const TEXT: &str = "CASE CAST(JSON_TYPE(v) AS BINARY) WHEN 'STRING' THEN JSON_UNQUOTE(v) END";
        // A name that no column of a table has, which would be taken for the item.
        const OWN_TEXT: &str =
            "CASE CAST(JSON_TYPE(given_text) AS BINARY) WHEN 'STRING' THEN JSON_UNQUOTE(given_text) END";
        let (value, column) = match ty.base {
            T::UInt64 => ("v", "v BIGINT UNSIGNED"),
            T::Boolean => ("v", "v TINYINT"),
            whole if whole.is_integer() => ("v", "v BIGINT"),
            T::Decimal | T::Currency | T::VarNumeric => match w.value_of(&array) {
                Some(Value::Json(list)) if lists_long_whole(list) => ("v", "v DECIMAL(65, 27)"),
                _ => ("v", "v DECIMAL(65, 30)"),
            },
            T::Date => ("v", "v DATE"),
            T::DateTime | T::DateTime2 => ("v", "v DATETIME(6)"),
            _ if node.exact.is_some() => (OWN_TEXT, "given_text JSON"),
            _ => (TEXT, "v JSON"),
        };
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " NOT IN (SELECT " } else { " IN (SELECT " });
        w.text(value);
        w.text(" FROM JSON_TABLE(");
        w.placeholder(array, Some(T::Json.into()));
        w.text(", '$[*]' COLUMNS (");
        w.text(column);
        w.text(" PATH '$')) j");
        if let Some(exact) = node.exact {
            w.text(" WHERE ");
            w.scalar(exact, Prec::Concat)?;
            w.text(" = ");
            w.text(value);
        }
        w.text(")");
        Ok(())
    }

    fn json_doubles(&self) -> bool {
        true
    }

    /// An IN of many is a join with their table. Two lists would be two joins, and every row of the one meets every row of the
    /// other: `a IN (SELECT t FROM JSON_TABLE(..) j WHERE a COLLATE utf8mb4_0900_bin = t)` is one.
    fn joins_array(&self) -> bool {
        true
    }

    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()> {
        collated(w, text, form, " COLLATE utf8mb4_0900_bin")
    }

    fn cut_seconds(&self, ty: T, digits: u8) -> Option<(String, Prec)> {
        let over = match digits {
            6.. => return None,
            0 => String::new(),
            _ => format!(" % {}", 10_u32.pow(6 - u32::from(digits))),
        };
        // A time may be negative, the microseconds of one are not: it is cut toward zero.
        let sign = if ty == T::Time { "SIGN({0}) * " } else { "" };
        let (open, close) = if sign.is_empty() || over.is_empty() { ("", "") } else { ("(", ")") };
        Some((format!("{{0^}} - INTERVAL {sign}{open}MICROSECOND({{0}}){over}{close} MICROSECOND"), Prec::Add))
    }

    /// The text as one of the column's character set, in which a character that it lacks is a question mark.
    fn beside_column(&self, collation: &Collation) -> Option<String> {
        let charset = collation.charset.as_ref()?;
        Some(format!("CONVERT(CAST({{0}} AS CHAR) USING {charset}) COLLATE {}", collation.name))
    }

    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.text(sense.pick("", "NOT ("));
        w.scalar(left, Prec::Concat)?;
        w.text(" <=> ");
        w.scalar(right, Prec::Concat)?;
        w.text(sense.pick("", ")"));
        Ok(())
    }

    /// A regular expression minds case, whatever the collation is, and its dot matches a line break, too.
    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.text(sense.pick("REGEXP_LIKE(", "NOT REGEXP_LIKE("));
        w.scalar(text, Prec::Lowest)?;
        w.text(", ");
        w.scalar(pattern, Prec::Lowest)?;
        w.text(", 'cn')");
        Ok(())
    }

    /// ICU takes `$1` for a group, and a backslash for an escape.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(escaped(text, &['\\', '$']))
    }

    /// The escape is `\` by itself, unless the session's mode takes that away.
    fn like_escape(&self) -> &'static str {
        " ESCAPE X'5C'"
    }

    fn default_row(&self, _column: &str) -> Cow<'static, str> {
        Cow::Borrowed(" () VALUES ()")
    }

    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        w.insert_into(insert);
        let alias = insert.conflict.is_some() && self.has_row_alias();
        if let (Rows::Values(_) | Rows::Scalars(_), [], false) = (insert.rows, insert.ctes, insert.reads_itself) {
            w.rows(insert)?;
            if alias {
                w.text(" AS ");
                w.text(row_alias(insert.table));
            }
        } else {
            w.text(if alias { " SELECT * FROM (" } else { " " });
            w.with(insert.ctes)?;
            match insert.rows {
                Rows::Query(query) if insert.conflict.is_some() && !alias => query_before_on(w, query)?,
                Rows::Query(query) => w.query(query)?,
                _ => w.select_rows(insert, "")?,
            }
            if alias {
                w.text(") AS ");
                w.text(row_alias(insert.table));
                w.text(" (");
                w.column_names(insert.columns);
                w.text(")");
            }
        }
        if let Some(conflict) = &insert.conflict {
            self.on_duplicate_key(w, insert.table, conflict)?;
        }
        w.returning(" RETURNING ", insert.returning)
    }

    fn upsert_names(&self, table: &str) -> UpsertNames {
        let proposed =
            if self.has_row_alias() { Proposed::Qualifier(row_alias(table)) } else { Proposed::Function("VALUES") };
        UpsertNames { proposed, existing: None }
    }

    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        if let Some(joined) = &update.joined {
            w.with(update.ctes)?;
            w.text("UPDATE ");
            w.tables(joined)?;
            w.text(" JOIN (SELECT 1 AS `one row`) `one` SET ");
            w.assignments(update.sets)?;
            return w.filter(update.filter.as_ref());
        }
        // Two tables are joined before SET.
        let table = w.take_rows_source().map(|rows| format!("{}, {rows}", update.table));
        let table = table.as_deref().unwrap_or(update.table);
        w.standard_update(&Update { table, ..*update })
    }

    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        let Some(joined) = &delete.joined else { return w.standard_delete(delete) };
        w.with(delete.ctes)?;
        w.text("DELETE ");
        w.text(delete.table);
        w.text(" FROM ");
        w.tables(joined)?;
        w.filter(delete.filter.as_ref())
    }

    /// The values of a text are converted when they are assigned, as those of a parameter are.
    fn rows_source(&self, write: RowsWrite, types: &[DbType]) -> Result<Option<RowsSource>> {
        if write != RowsWrite::Update {
            return Ok(None);
        }
        let (mut columns, mut items) = (String::new(), String::new());
        for (index, ty) in types.iter().enumerate() {
            let column = match ty.base {
                T::UInt64 => "BIGINT UNSIGNED",
                T::Boolean => "TINYINT",
                whole if whole.is_integer() => "BIGINT",
                float if float.is_float() => "DOUBLE",
                T::Date => "DATE",
                T::DateTime | T::DateTime2 | T::DateTimeOffset => "DATETIME(6)",
                // MariaDB would take the charset of the database.
                _ => "LONGTEXT CHARACTER SET utf8mb4",
            };
            let (comma, number) = (if index > 0 { ", " } else { "" }, index + 1);
            let wrong = "ERROR ON EMPTY ERROR ON ERROR";
            columns.push_str(&format!("{comma}{ROWS_COLUMN}{number} {column} PATH '$[{index}]' {wrong}"));
            let (before, after) = if ty.base == T::Binary { ("UNHEX(", ")") } else { ("", "") };
            let name = format!("{ROWS_COLUMN}{number}");
            items.push_str(&format!("{comma}{before}{name}{after} AS {name}"));
        }
        let table = format!("JSON_TABLE(?, '$[*]' COLUMNS ({columns}))");
        let text = match types.iter().any(|ty| ty.base == T::Binary) {
            true => format!("(SELECT {items} FROM {table} AS given) AS {ROWS}"),
            false => format!("{table} AS {ROWS}"),
        };
        Ok(Some(RowsSource { text, form: RowsForm::Json }))
    }

    fn materialize_hint(&self, alias: &str) -> Option<String> {
        Some(format!("/*+ NO_MERGE({alias}) */"))
    }

    fn integer_division(&self) -> &'static str {
        " DIV "
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        let mut out = String::new();
        for token in pattern {
            let word = match token {
                F::Year4 => "%Y",
                F::Year2 => "%y",
                F::Month2 => "%m",
                F::Month => "%c",
                F::MonthName => "%M",
                F::MonthShort => "%b",
                F::Day2 => "%d",
                F::Day => "%e",
                F::DayName => "%W",
                F::DayShort => "%a",
                F::Hour24 => "%H",
                F::Hour24Plain => "%k",
                F::Hour12 => "%h",
                F::Hour12Plain => "%l",
                F::Minute => "%i",
                F::Second => "%s",
                F::Millisecond => {
                    let reason =
                        "DATE_FORMAT has six digits of a second only: add Millisecond() to the text".to_owned();
                    return Err(ErrorKind::Refused {
                        feature: "Format with fff".into(),
                        dialect: self.label(),
                        reason,
                    }
                    .into());
                }
                F::AmPm => "%p",
                F::Text(text) => {
                    out.push_str(&text.replace('%', "%%"));
                    ""
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }
}

impl MySql {
    fn no_type(self, ty: T, reason: &str) -> Error {
        let feature = format!("CAST to {}", ty.name());
        ErrorKind::Refused { feature, dialect: self.label(), reason: reason.to_owned() }.into()
    }

    /// `CAST(.. AS DOUBLE)`
    fn has_double(self) -> bool {
        self.version >= (8, 0, 17)
    }

    /// `INSERT .. VALUES (..) AS new ON DUPLICATE KEY UPDATE a = new.a`; VALUES(a) is deprecated where this is known.
    fn has_row_alias(self) -> bool {
        self.version >= (8, 0, 19)
    }

    /// `ON DUPLICATE KEY UPDATE a = new.a`; to do nothing, the key is set to itself. The fixed filter guards each
    /// assignment: `a = IF(filter, new.a, t.a)`.
    ///
    /// The clause is for every unique key of the table, also for those that the catalog does not know of. The row that is
    /// there may be one that has another key, and must stay as it is: `id = IF(t.id = new.id, t.id, (SELECT 1 UNION SELECT
    /// 2))`. The subquery of two rows is an error as soon as it is asked for. To do nothing says that it has done so:
    /// `id = IF(LAST_INSERT_ID(IF(t.id = new.id, 7338091256402719483, 0)), t.id, ..)`.
    fn on_duplicate_key<'e>(self, w: &mut Writer<'_, 'e>, table: &str, conflict: &Conflict<'_, 'e>) -> Result<()> {
        w.text(" ON DUPLICATE KEY UPDATE ");
        let own = |w: &mut Writer<'_, 'e>, column: &str| {
            w.text(table);
            w.text(".");
            w.text(column);
        };
        if let Some(key) = conflict.target.first() {
            if conflict.sets.iter().any(|set| set.column == key.name) {
                return Err(w.refused("an upsert that changes its key", OTHER_KEYS));
            }
            // Vitess knows no number that is set.
            let marks = conflict.sets.is_empty() && w.dialect().sheet().name != VITESS_SHEET.name;
            w.text(key.name);
            w.text(if marks { " = IF(LAST_INSERT_ID(" } else { " = " });
            for (index, key) in conflict.target.iter().enumerate() {
                w.text(if index > 0 { " AND " } else { "IF(" });
                own(w, key.name);
                w.text(" = ");
                if self.has_row_alias() {
                    w.text(row_alias(table));
                    w.text(".");
                    w.text(key.name);
                } else {
                    w.text("VALUES(");
                    w.text(key.name);
                    w.text(")");
                }
            }
            if marks {
                w.text(", ");
                w.text(LEFT_ALONE);
                w.text(", 0))");
            }
            w.text(", ");
            own(w, key.name);
            w.text(", ");
            w.text(TWO_ROWS);
            w.text(")");
            if conflict.sets.is_empty() {
                return Ok(());
            }
            w.text(", ");
        }
        let Some(filter) = &conflict.filter else {
            return w.assignments(conflict.sets);
        };
        for (index, set) in conflict.sets.iter().enumerate() {
            w.text(if index > 0 { ", " } else { "" });
            w.text(set.column);
            w.text(" = IF(");
            w.pred(filter, Prec::Lowest)?;
            w.text(", ");
            w.scalar(&set.value, Prec::Lowest)?;
            w.text(", ");
            own(w, set.column);
            w.text(")");
        }
        Ok(())
    }
}

/// Whether a decimal has more digits before the point than `DECIMAL(65, 30)` holds.
fn has_long_whole(number: &Decimal) -> bool {
    let digits = number.mantissa().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
    digits.saturating_sub(number.scale().into()) > 35
}

/// Whether one of the decimals in a JSON array has.
fn lists_long_whole(list: &str) -> bool {
    let whole = |item: &str| item.split('.').next().map_or(0, |whole| whole.trim_start_matches('-').len());
    list.split(['[', ',', '"', ']']).any(|item| whole(item) > 35)
}

/// A query before ON DUPLICATE KEY, which would be the condition of a join that has none and ends the query.
fn query_before_on<'e>(w: &mut Writer<'_, 'e>, query: &Query<'_, 'e>) -> Result<()> {
    let open_join = |join: &&Join<'_, 'e>| matches!(join, Join::Built(BuiltJoin { on: None, .. }));
    if let Body::Select(select) = query.body
        && query.order.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && select.filter.is_none()
        && select.group.is_empty()
        && select.having.is_none()
        && select.joins.last().as_ref().is_some_and(open_join)
    {
        let select = Select { filter: Some(Pred::Const(true)), ..*select };
        return w.query(&Query { body: Body::Select(&select), ..*query });
    }
    w.query(query)
}

/// What the row that an upsert proposes is called: not as the table itself.
fn row_alias(table: &str) -> &'static str {
    let name = table.rsplit('.').next().unwrap_or(table);
    if name.eq_ignore_ascii_case("`new`") { "`new_row`" } else { "`new`" }
}

/// A text by its code points, by a collation. That belongs to a character set: a text that is not known to be of `utf8mb4`
/// becomes one of it first.
pub(crate) fn collated<'e>(w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm, collate: &str) -> Result<()> {
    if form == TextForm::Pattern {
        return w.scalar(text, Prec::Unary);
    }
    let known = text.collation();
    match text.kind {
        ScalarKind::Column(_) if known.is_some_and(|collation| collation.charset.is_none()) => {
            w.scalar(text, Prec::Atom)?;
        }
        _ => {
            w.text("CONVERT(");
            w.scalar(text, Prec::Lowest)?;
            w.text(" USING utf8mb4)");
        }
    }
    w.text(collate);
    Ok(())
}

/// A match of a regular expression that takes `(?s-i)`.
pub(crate) fn regexp_operator<'e>(
    w: &mut Writer<'_, 'e>,
    text: &Scalar<'_, 'e>,
    pattern: &Scalar<'_, 'e>,
    sense: Sense,
) -> Result<()> {
    w.scalar(text, Prec::Concat)?;
    w.text(sense.pick(" REGEXP CONCAT('(?s-i)', ", " NOT REGEXP CONCAT('(?s-i)', "));
    w.scalar(pattern, Prec::Lowest)?;
    w.text(")");
    Ok(())
}

/// The replacement of a regular expression with a backslash before each special character.
pub(crate) fn escaped<'t>(text: &'t str, special: &[char]) -> Cow<'t, str> {
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        if special.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

/// Whether a text literal has to be written as its bytes.
pub(crate) fn needs_hex(text: &str) -> bool {
    text.chars().any(|c| c == '\\' || c.is_control())
}
