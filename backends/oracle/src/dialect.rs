//! Oracle Database, 12.1 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What Oracle lacks is named in [`SUPPORT`](crate::SUPPORT); how it is
//! rewritten lives in the compiler, shared with every dialect that lacks the same thing.
//!
//! # Types
//!
//! | portable                   | Oracle                                                         |
//! |----------------------------|----------------------------------------------------------------|
//! | `Boolean`                  | `NUMBER(1)`: 1 and 0; `BOOLEAN` from 23ai on                   |
//! | whole numbers, `Decimal`   | `NUMBER`                                                       |
//! | `Double`, `Single`         | `BINARY_DOUBLE`, `BINARY_FLOAT`                                |
//! | text                       | `VARCHAR2`; a bound text over 4,000 bytes is a `CLOB`          |
//! | `Date`                     | `DATE` at midnight                                             |
//! | `DateTime`, `DateTime2`    | `TIMESTAMP`; a `DATE` with its time works wherever seconds do  |
//! | `DateTimeOffset`           | `TIMESTAMP WITH TIME ZONE`                                     |
//! | `Time`                     | `INTERVAL DAY TO SECOND`: Oracle has no time of day            |
//! | `Guid`, `Binary`           | `RAW(16)`; `RAW`, or a `BLOB` over 2,000 bytes                 |
//! | `Json`                     | `CLOB`; `JSON` from 21c on                                     |
//!
//! # The empty text
//!
//! Oracle takes the empty text for NULL, in columns, parameters and results alike. A comparison with a literal `''`
//! is written as one with NULL, and so is one with `Coalesce(a, '')`. What cannot be expressed: `Length` of an empty
//! text is NULL and not 0, a function whose text comes out empty gives NULL, and a search for an empty text that is
//! computed finds nothing. `a <> 'x'` and NOT LIKE leave rows out whose text is empty, two columns with an empty text
//! each are not equal, DISTINCT and GROUP BY take it together with NULL, and ORDER BY puts it last and not first.
//!
//! # The session
//!
//! Comparisons follow `NLS_COMP` and `NLS_SORT`: a connection sets them to `BINARY`. A date and time beside one with an
//! offset is taken for one of the session's zone, and a bound one beside a `DATE` column keeps an index from serving it.
//! Nothing else depends on the session; dates and numbers are never converted by its formats.

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, Feature, FormatToken, PathStep, Proposed, Sense, Sheet, Spelling, UpsertNames, Version, assigns_everywhere,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_compiler::frame::{
    Bound, Delete, In, InList, Insert, Item, Lock, Param, Query, Rows, Scalar, ScalarKind, Update,
};
use isogloss_compiler::functions::Func;
use isogloss_compiler::render::{MergeStyle, Micros, Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::sheet::{SHEET, SHEET_12_1, V21, V23};

/// What is a literal or a comment to it: `q'[ .. ]'` and `nq'[ .. ]'` are, and `:a` is a parameter.
pub const LEXIS: Lexis = Lexis { q_quotes: true, parameters: ":", ..Lexis::STANDARD };

/// The row that is there, and the proposed one, in a `MERGE`.
const MERGE: MergeStyle = MergeStyle {
    existing: " T",
    proposed: "S",
    values: false,
    no_source: " FROM DUAL",
    no_order: "NULL",
    matched_and: false,
};

/// The most bytes of a text or of its literal.
const TEXT: usize = 4_000;

/// A version of Oracle Database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Oracle {
    version: Version,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl Oracle {
    /// 12.1.0.2, the first with JSON.
    pub const V12_1: Self = Self::new(12, 1);
    pub const V12_2: Self = Self::new(12, 2);
    pub const V18: Self = Self::new(18, 0);
    pub const V19: Self = Self::new(19, 0);
    pub const V21: Self = Self::new(21, 0);
    pub const V23: Self = Self::new(23, 0);

    /// The version of a server, by its first two numbers.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { version: (major, minor, 0) }
    }
}

impl Default for Oracle {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V19
    }
}

impl Dialect for Oracle {
    fn sheet(&self) -> &'static Sheet {
        if self.version < (12, 2, 0) { &SHEET_12_1 } else { &SHEET }
    }

    fn version(&self) -> Version {
        self.version
    }

    fn label(&self) -> String {
        match self.version {
            (major @ ..18, minor, _) => format!("oracle {major}.{minor}"),
            (major @ ..23, ..) => format!("oracle {major}c"),
            (major, ..) => format!("oracle {major}ai"),
        }
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        let no_type = || self.refused(&format!("CAST to {}", ty.base.name()), "it has no type for it");
        if ty.array {
            return Err(no_type());
        }
        Ok(match ty.base {
            T::String | T::AnsiString | T::AnsiStringFixedLength | T::StringFixedLength => "VARCHAR2(4000)",
            T::Byte | T::SByte => "NUMBER(3)",
            T::Int16 | T::UInt16 => "NUMBER(5)",
            T::Int32 | T::UInt32 => "NUMBER(10)",
            T::Int64 => "NUMBER(19)",
            T::UInt64 => "NUMBER(20)",
            T::Decimal | T::Currency | T::VarNumeric => "NUMBER",
            T::Boolean if self.has_booleans() => "BOOLEAN",
            T::Boolean => "NUMBER(1)",
            T::Double => "BINARY_DOUBLE",
            T::Single => "BINARY_FLOAT",
            T::Date => "DATE",
            T::Time => "INTERVAL DAY TO SECOND",
            T::DateTime | T::DateTime2 => "TIMESTAMP",
            T::DateTimeOffset => "TIMESTAMP WITH TIME ZONE",
            T::Guid => "RAW(16)",
            T::Binary => "RAW(2000)",
            T::Json if self.version >= V21 => "JSON",
            _ => return Err(no_type()),
        })
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            Value::Bool(b) if !self.has_booleans() => w.text(if *b { "1" } else { "0" }),
            Value::Float(n) if n.is_nan() => w.text("BINARY_DOUBLE_NAN"),
            Value::Float(n) if n.is_infinite() => {
                w.text(if *n < 0.0 { "-BINARY_DOUBLE_INFINITY" } else { "BINARY_DOUBLE_INFINITY" });
            }
            // Without the letter it would be a NUMBER, which ends at 1e126.
            Value::Float(n) => {
                w.float(*n);
                w.text("D");
            }
            Value::Text(text) => self.text_constant(w, text)?,
            Value::Json(text) => self.text_constant(w, text)?,
            Value::Uuid(uuid) => w.quoted("HEXTORAW('", uuid.simple().to_string().to_uppercase(), "')"),
            Value::Bytes(bytes) if bytes.len() * 2 > TEXT => {
                return Err(self.refused("a constant of over 2,000 bytes", "its literals are shorter: use a parameter"));
            }
            Value::Bytes(bytes) => {
                w.text("HEXTORAW('");
                w.hex(bytes);
                w.text("')");
            }
            Value::Time(time) => w.quoted("INTERVAL '", Micros(*time), "' HOUR TO SECOND"),
            Value::DateTimeOffset(at) => {
                let (date, time) = (at.date_naive(), Micros(at.time()));
                w.quoted("TIMESTAMP '", format_args!("{date} {time} {}", at.offset()), "'");
            }
            other => w.standard_literal(other)?,
        }
        Ok(())
    }

    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        if let Some(offset) = offset {
            w.text(" OFFSET ");
            w.scalar(offset, Prec::Lowest)?;
            w.text(" ROWS");
        }
        if let Some(limit) = limit {
            w.text(if offset.is_some() { " FETCH NEXT " } else { " FETCH FIRST " });
            w.scalar(limit, Prec::Lowest)?;
            w.text(" ROWS ONLY");
        }
        Ok(())
    }

    /// Without a column of it, the rows of every joined table would be locked.
    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(" FOR UPDATE");
        w.lock_of_column(lock);
        w.lock_wait(lock.wait);
    }

    fn no_source(&self) -> &'static str {
        if self.version < V23 { " FROM DUAL" } else { "" }
    }

    fn assigns(&self, from: T, to: T) -> bool {
        assigns_everywhere(from, to)
            || from.is_text() && to.is_json()
            || from == T::Boolean && to.is_number() && !self.has_booleans()
    }

    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let (before, after) = match (value.ty.map(|ty| ty.base), to.base) {
            // A DATE keeps the time; the portable one has none.
            (Some(T::DateTime | T::DateTime2), T::Date) => ("TRUNC(", ")"),
            // An instant is one in UTC; a CAST would take the zone of the session.
            (Some(T::DateTimeOffset), T::Date) => ("TRUNC(SYS_EXTRACT_UTC(", "))"),
            (Some(T::DateTimeOffset), T::DateTime | T::DateTime2) => ("SYS_EXTRACT_UTC(", ")"),
            (Some(T::Date | T::DateTime | T::DateTime2), T::DateTimeOffset) => {
                ("FROM_TZ(CAST(", " AS TIMESTAMP), 'UTC')")
            }
            // The formats of the session would read and write these.
            (Some(from), T::Date) if from.is_text() => ("TO_DATE(", ", 'YYYY-MM-DD')"),
            (Some(from), T::DateTime | T::DateTime2) if from.is_text() => {
                ("TO_TIMESTAMP(", ", 'YYYY-MM-DD HH24:MI:SS.FF')")
            }
            (Some(from), T::DateTimeOffset) if from.is_text() => {
                ("TO_TIMESTAMP_TZ(", ", 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM')")
            }
            (Some(T::Date), to) if to.is_text() => ("TO_CHAR(", ", 'YYYY-MM-DD')"),
            // Without the zeros behind the last digit of the fraction, and without its point if there is none.
            (Some(T::DateTime | T::DateTime2), to) if to.is_text() => {
                ("RTRIM(RTRIM(TO_CHAR(", ", 'YYYY-MM-DD HH24:MI:SS.FF6'), '0'), '.')")
            }
            // An interval has no format of its own.
            (Some(T::Time), to) if to.is_text() => {
                ("RTRIM(RTRIM(TO_CHAR(TIMESTAMP '1970-01-01 00:00:00' + ", ", 'HH24:MI:SS.FF6'), '0'), '.')")
            }
            (Some(from), to) if from.is_integer() && to.is_text() => ("TO_CHAR(", ")"),
            // As many digits as there are, but none before the point of what is less than 1.
            (Some(from), to) if from.is_decimal() && to.is_text() => {
                ("REGEXP_REPLACE(TO_CHAR(", ", 'TM9', 'NLS_NUMERIC_CHARACTERS=''.,'''), '^(-?)\\.', '\\10.')")
            }
            (Some(T::Json | T::Jsonb), to) if to.is_text() && self.version >= V21 => ("JSON_SERIALIZE(", ")"),
            // Read with the decimal point of the session. A CAST to a whole number rounds.
            (Some(from), number) if from.is_text() && number.is_number() => {
                let whole = number.is_integer();
                w.text(if whole { "CAST(TRUNC(TO_NUMBER(REPLACE(" } else { "CAST(REPLACE(" });
                w.scalar(value, Prec::Lowest)?;
                w.text(", '.', SUBSTR(TO_CHAR(0.5), 1, 1)");
                w.text(if whole { "))) AS " } else { ") AS " });
                w.text(w.dialect().cast_type(to)?);
                w.text(")");
                return Ok(());
            }
            // An interval has days before its time; NULL in it would be none.
            (Some(from), T::Time) if from.is_text() && value.nullable => {
                w.text("TO_DSINTERVAL(NVL2(");
                w.scalar(value, Prec::Lowest)?;
                w.text(", '0 ' || ");
                w.scalar(value, Prec::Concat)?;
                w.text(", NULL))");
                return Ok(());
            }
            (Some(from), T::Time) if from.is_text() => {
                w.text("TO_DSINTERVAL('0 ' || ");
                w.scalar(value, Prec::Concat)?;
                w.text(")");
                return Ok(());
            }
            (Some(from), T::Guid) if from.is_text() => ("HEXTORAW(REPLACE(", ", '-'))"),
            // CAST takes text for hexadecimal digits, and gives such.
            (Some(from), T::Binary) if from.is_text() => ("UTL_I18N.STRING_TO_RAW(", ", 'AL32UTF8')"),
            (Some(T::Binary), to) if to.is_text() => ("UTL_I18N.RAW_TO_CHAR(", ", 'AL32UTF8')"),
            (Some(T::Guid), to) if to.is_text() => {
                let groups = ", '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5')";
                w.text("REGEXP_REPLACE(LOWER(RAWTOHEX(");
                w.scalar(value, Prec::Lowest)?;
                w.text("))");
                w.text(groups);
                return Ok(());
            }
            _ => return w.standard_cast(value, to),
        };
        w.text(before);
        w.scalar(value, if value.ty.is_some_and(|ty| ty.base == T::Time) { Prec::Multiply } else { Prec::Lowest })?;
        w.text(after);
        Ok(())
    }

    /// `JSON_EQUAL` is false where a document is NULL; so it is asked for only where none can be.
    fn json_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        let plain = !left.nullable && !right.nullable;
        w.text(match (plain, sense) {
            (true, Sense::Is) => "JSON_EQUAL(",
            (true, Sense::IsNot) => "NOT JSON_EQUAL(",
            (false, _) => "CASE WHEN JSON_EQUAL(",
        });
        w.scalar(left, Prec::Lowest)?;
        w.text(", ");
        w.scalar(right, Prec::Lowest)?;
        w.text(")");
        if plain {
            return Ok(());
        }
        let mut word = " THEN 1 WHEN ";
        for side in [left, right].into_iter().filter(|side| side.nullable) {
            w.text(word);
            w.scalar(side, Prec::Concat)?;
            w.text(" IS NOT NULL");
            word = " AND ";
        }
        w.text(sense.pick(" THEN 0 END = 1", " THEN 0 END = 0"));
        Ok(())
    }

    fn with_recursive(&self) -> &'static str {
        "WITH "
    }

    fn except(&self) -> &'static str {
        " MINUS "
    }

    /// The items come out of a JSON text. `ERROR ON ERROR`, as an item that does not fit would be NULL without a word. How many
    /// they are is told by its magnitude: Oracle would reckon with 8,168 of them, and read the table as a whole.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        let (item, column) = match ty.base {
            T::Boolean if self.has_booleans() => ("v = 'true'", "VARCHAR2(5)"),
            T::Boolean => ("DECODE(v, 'true', 1, 'false', 0)", "VARCHAR2(5)"),
            T::Guid => ("HEXTORAW(REPLACE(v, '-'))", "VARCHAR2(36)"),
            T::Date => ("TO_DATE(v, 'YYYY-MM-DD')", "VARCHAR2(10)"),
            T::DateTime | T::DateTime2 => ("TO_TIMESTAMP(v, 'YYYY-MM-DD\"T\"HH24:MI:SS.FF')", "VARCHAR2(26)"),
            ty if ty.is_text() => ("v", "VARCHAR2(4000)"),
            _ => ("v", "NUMBER"),
        };
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " NOT IN (SELECT " } else { " IN (SELECT " });
        if let InList::Array(.., count) = node.list {
            w.text("/*+ CARDINALITY(l ");
            w.number(magnitude(count));
            w.text(") */ ");
        }
        w.text(item);
        w.text(" FROM JSON_TABLE(");
        w.placeholder(array, Some(T::Json.into()));
        w.text(", '$[*]' ERROR ON ERROR COLUMNS (v ");
        w.text(column);
        w.text(" PATH '$')) l)");
        Ok(())
    }

    fn clean_pattern(&self) -> &'static Spelling<'static> {
        const { &Spelling::new(r"REGEXP_REPLACE({0}, '(\\[%_\\])|\\(.)', '\1\2', 1, 0, 'n')") }
    }

    fn cut_seconds(&self, ty: T, digits: u8) -> Option<(String, Prec)> {
        let unit = match digits {
            6.. => return None,
            0 => "1".into(),
            _ => format!("1e-{digits}"),
        };
        let seconds = match ty {
            T::DateTime | T::DateTime2 => "EXTRACT(SECOND FROM CAST({0} AS TIMESTAMP))",
            _ => "EXTRACT(SECOND FROM {0})",
        };
        Some((format!("{{0^}} - NUMTODSINTERVAL(MOD({seconds}, {unit}), 'SECOND')"), Prec::Add))
    }

    /// Beside a known value, the other side is compared and asked for NULL by itself, so that an index serves it and the
    /// answer is never unknown: `(a = :1 AND a IS NOT NULL)`, `(a <> :1 OR a IS NULL)`.
    ///
    /// `DECODE` takes two NULLs for equal. It converts both sides to one type, so they must have one already.
    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        let known = match (left.is_plain() && !left.nullable, right.is_plain() && !right.nullable) {
            (_, true) => Some((left, right)),
            (true, false) => Some((right, left)),
            (false, false) => None,
        };
        if let Some((unknown, known)) = known {
            w.text("(");
            w.scalar(unknown, Prec::Concat)?;
            w.text(sense.pick(" = ", " <> "));
            w.scalar(known, Prec::Concat)?;
            w.text(sense.pick(" AND ", " OR "));
            w.scalar(unknown, Prec::Concat)?;
            w.text(sense.pick(" IS NOT NULL)", " IS NULL)"));
            return Ok(());
        }
        let boolean = left.ty.is_some_and(|ty| ty.base == T::Boolean);
        if left.ty.is_some() && left.ty == right.ty && !(boolean && self.has_booleans()) {
            w.text("DECODE(");
            w.scalar(left, Prec::Lowest)?;
            w.text(", ");
            w.scalar(right, Prec::Lowest)?;
            w.text(sense.pick(", 1, 0) = 1", ", 0, 1) = 1"));
            return Ok(());
        }
        w.text("CASE WHEN ");
        w.scalar(left, Prec::Concat)?;
        w.text(" = ");
        w.scalar(right, Prec::Concat)?;
        w.text(" OR ");
        w.scalar(left, Prec::Concat)?;
        w.text(" IS NULL AND ");
        w.scalar(right, Prec::Concat)?;
        w.text(sense.pick(" IS NULL THEN 1 ELSE 0 END = 1", " IS NULL THEN 0 ELSE 1 END = 1"));
        Ok(())
    }

    /// `c` minds case whatever NLS_SORT says, `n` lets a dot match a line break.
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

    /// A backslash begins a group.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(if text.contains('\\') { Cow::Owned(text.replace('\\', r"\\")) } else { Cow::Borrowed(text) })
    }

    fn like_escape(&self) -> &'static str {
        " ESCAPE '\\'"
    }

    /// Text that holds JSON is a JSON string unless this is said; what the JSON functions give needs it not, nor does
    /// the type JSON.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        use Func::{JsonArray, JsonArrayAgg, JsonObject, JsonQuery, JsonSet};
        // A RAW would be its digits without hyphens.
        if value.ty.is_some_and(|ty| ty.base == T::Guid && !ty.array) {
            return w.dialect().cast(w, value, T::String.into());
        }
        w.scalar(value, Prec::Lowest)?;
        let json = match value.kind {
            ScalarKind::Call(call) => {
                matches!(call.func, Some(JsonArray | JsonArrayAgg | JsonObject | JsonQuery | JsonSet))
            }
            ScalarKind::Column(_) | ScalarKind::Query(_) => self.version >= V21,
            _ => false,
        };
        if !json && value.ty.is_some_and(|ty| ty.base.is_json() && !ty.array) {
            w.text(" FORMAT JSON");
        }
        Ok(())
    }

    fn default_row(&self, column: &str) -> Cow<'static, str> {
        Cow::Owned(format!(" ({column}) VALUES (DEFAULT)"))
    }

    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        let with = "Oracle takes it in a query only: insert the rows of a query that begins with it";
        if let Some(conflict) = &insert.conflict {
            if !insert.ctes.is_empty() {
                return Err(self.refused(Feature::WriteWith.title(), "Oracle's MERGE takes none: use a derived table"));
            }
            if !insert.returning.is_empty() {
                return Err(self.refused("RETURNING of an upsert", "Oracle's MERGE gives no rows: select them by key"));
            }
            if let Some(set) = conflict.sets.iter().find(|set| conflict.target.iter().any(|t| t.name == set.column)) {
                let reason = format!("Oracle's MERGE cannot set {}, by which it finds the row", set.column);
                return Err(self.refused("an upsert that changes its key", &reason));
            }
            self.few_rows(insert)?;
            self.short_texts(insert)?;
            return w.merge(insert, "T", &MERGE);
        }
        let rows = row_count(insert);
        match insert.rows {
            Rows::Query(query) => {
                if !insert.returning.is_empty() {
                    let reason = "Oracle gives back the row of VALUES only: select the rows by key";
                    return Err(self.refused("RETURNING of an INSERT from a query", reason));
                }
                w.insert_into(insert);
                w.text(" ");
                w.query(&Query { ctes: insert.ctes, ..*query })?;
                return Ok(());
            }
            _ if !insert.ctes.is_empty() => return Err(self.refused(Feature::WriteWith.title(), with)),
            _ if rows > 1 && !insert.returning.is_empty() => {
                let reason = "Oracle gives back the row of VALUES only: insert one row at a time";
                return Err(self.refused("RETURNING of several rows", reason));
            }
            _ if rows > 1 && self.version < V23 => {
                self.few_rows(insert)?;
                self.short_texts(insert)?;
                w.insert_into(insert);
                w.text(" ");
                w.select_rows(insert, w.dialect().no_source())?;
            }
            _ => {
                w.insert_into(insert);
                w.rows(insert)?;
            }
        }
        returning(w, insert.returning)
    }

    fn upsert_names(&self, _table: &str) -> UpsertNames {
        UpsertNames { proposed: Proposed::Qualifier(MERGE.proposed), existing: Some("T") }
    }

    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        self.no_with(update.ctes.is_empty())?;
        w.standard_update(&Update { returning: &[], ..*update })?;
        returning(w, update.returning)
    }

    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        self.no_with(delete.ctes.is_empty())?;
        w.standard_delete(&Delete { returning: &[], ..*delete })?;
        returning(w, delete.returning)
    }

    /// `FM` takes away leading zeros and trailing blanks until the next `FM`.
    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        let mut out = String::new();
        for token in pattern {
            let word = match token {
                F::Year4 => "YYYY",
                F::Year2 => "YY",
                F::Month2 => "MM",
                F::Month => "FMMMFM",
                F::MonthName => "FMMonthFM",
                F::MonthShort => "Mon",
                F::Day2 => "DD",
                F::Day => "FMDDFM",
                F::DayName => "FMDayFM",
                F::DayShort => "Dy",
                F::Hour24 => "HH24",
                F::Hour24Plain => "FMHH24FM",
                F::Hour12 => "HH12",
                F::Hour12Plain => "FMHH12FM",
                F::Minute => "MI",
                F::Second => "SS",
                F::Millisecond => "FF3",
                F::AmPm => "AM",
                F::Text(text) if text.contains('"') => {
                    return Err(self.refused("Format with a double quote", "TO_CHAR has no way to write one"));
                }
                F::Text(text) if text.chars().all(|c| " -/,.;:".contains(c)) => text,
                F::Text(text) => {
                    out.push('"');
                    out.push_str(text);
                    "\""
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }

    /// Plain names without quotes, as an index over `JSON_VALUE` would be written.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        let plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let mut path = String::from("$");
        for step in steps {
            match step {
                PathStep::Member(name) if plain(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                other => path.push_str(PathStep::standard(std::slice::from_ref(other)).trim_start_matches('$')),
            }
        }
        Ok(path)
    }
}

impl Oracle {
    pub(crate) fn has_booleans(self) -> bool {
        self.version >= V23
    }

    fn refused(self, feature: &str, reason: &str) -> Error {
        let (feature, reason) = (feature.to_owned(), reason.to_owned());
        ErrorKind::Refused { feature, dialect: self.label(), reason }.into()
    }

    fn text_constant(self, w: &mut Writer<'_, '_>, text: &str) -> Result<()> {
        if text.len() > TEXT {
            return Err(self.refused("a constant of over 4,000 bytes", "its literals are shorter: use a parameter"));
        }
        w.text_literal(text);
        Ok(())
    }

    fn no_with(self, none: bool) -> Result<()> {
        if none {
            return Ok(());
        }
        Err(self.refused(Feature::WriteWith.title(), "Oracle takes it in a query only: use a derived table"))
    }

    /// Each row is a query of a `UNION ALL`, which Oracle parses as a whole: beyond some thousands for minutes, or not at all.
    fn few_rows(self, insert: &Insert<'_, '_>) -> Result<()> {
        let (rows, most) = (row_count(insert), SHEET.limits.rows_in_values);
        if rows <= most {
            return Ok(());
        }
        let reason = format!(
            "each is a query of a UNION ALL, of which a statement takes {most}: insert them by the driver's bulk_insert or \
             execute_many, which bind arrays, or in parts"
        );
        Err(self.refused(&format!("a statement that writes {rows} rows"), &reason))
    }

    /// The rows of a `UNION ALL` have the same types, and a long value is bound as another than a short one.
    fn short_texts(self, insert: &Insert<'_, '_>) -> Result<()> {
        let long = |value: &Value| match value {
            Value::Text(text) => text.len() > TEXT,
            Value::Json(text) => text.len() > TEXT,
            Value::Bytes(bytes) => bytes.len() * 2 > TEXT,
            _ => false,
        };
        let found = match insert.rows {
            Rows::Values(values) => values.iter().any(long),
            Rows::Scalars(scalars) => scalars.iter().any(|scalar| {
                matches!(scalar.kind, ScalarKind::Param(Param { value: Bound::Tree(value), .. }) if long(value))
            }),
            Rows::Query(_) => false,
        };
        if found && row_count(insert) > 1 {
            let reason = "Oracle binds them as another type: insert one row at a time";
            return Err(self.refused("several rows with texts over 4,000 bytes", reason));
        }
        Ok(())
    }
}

/// The power of ten that is not below a count: statements of a few texts, however long their lists are.
fn magnitude(count: usize) -> usize {
    let mut size = 10_usize;
    while size < count {
        size = size.saturating_mul(10);
    }
    size
}

fn row_count(insert: &Insert<'_, '_>) -> usize {
    let width = insert.columns.len().max(1);
    match insert.rows {
        Rows::Values(values) => values.len() / width,
        Rows::Scalars(scalars) => scalars.len() / width,
        Rows::Query(_) => 0,
    }
}

/// ` RETURNING a, b INTO :3, :4`: what comes back fills parameters, see [`Compiled`](isogloss_compiler::Compiled).
fn returning<'e>(w: &mut Writer<'_, 'e>, items: &[Item<'_, 'e>]) -> Result<()> {
    for (index, item) in items.iter().enumerate() {
        w.text(if index > 0 { ", " } else { " RETURNING " });
        w.scalar(&item.value, Prec::Lowest)?;
    }
    for (index, item) in items.iter().enumerate() {
        w.text(if index > 0 { ", " } else { " INTO " });
        let name = match (item.alias, item.value.kind) {
            (Some(alias), _) => alias,
            (None, ScalarKind::Column(column)) => column.text(),
            _ => "",
        };
        w.output(name, item.value.ty);
    }
    Ok(())
}
