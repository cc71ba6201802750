//! SQL Server, 2017 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What SQL Server lacks is named in [`SUPPORT`](crate::SUPPORT); how it is
//! rewritten lives in the compiler, shared with every dialect that lacks the same thing.
//!
//! A version stands for the product and for the compatibility level of the database: on a newer server whose database
//! is kept at an older level, name the level's version.
//!
//! Three things are the database's and not the text's: which texts are equal (the collation: by default it ignores
//! case, and `=` ignores trailing blanks), that a character beyond the basic plane counts as two unless the collation
//! is one of `_SC`, and that a table with triggers gives no rows back (error 334: its rows are to be read after the
//! write).

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, FormatToken, JsonHolder, Proposed, Returned, Sense, Sheet, Spelling, UpsertNames, Version,
    assigns_everywhere,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, LockMode, LockWait, Value};
use isogloss_compiler::frame::{Delete, In, Insert, Item, Lock, Param, Rows, Scalar, ScalarKind, TextForm, Update};
use isogloss_compiler::functions::Func;
use isogloss_compiler::render::{MergeStyle, Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::cast;
use crate::concat::{fills_wide, fits_beside_wide, fits_in_place, unlimited};
use crate::list;
use crate::sheet::{ROWS_IN_VALUES, SHEET, V2022};

/// Its literals and comments.
pub const LEXIS: Lexis = Lexis { bracket_names: true, nested_comments: true, ..Lexis::STANDARD };

/// The characters that a text has room for in both of its types, without a length of their own.
const SHORT: usize = 4_000;

/// How an upsert is spelled.
///
/// `MERGE` by itself is not safe in a race: two sessions may both find no row, and both insert it. HOLDLOCK keeps the
/// range of the key locked from the look-up to the end of the transaction, so that the second waits. UPDLOCK makes
/// that lock one that only one session can have: with two shared ones, each would wait for the other to insert.
const MERGE: MergeStyle = MergeStyle {
    existing: " WITH (HOLDLOCK, UPDLOCK) [T0]",
    proposed: "[excluded]",
    values: true,
    no_source: "",
    no_order: "(SELECT NULL)",
    matched_and: true,
};

/// A version of SQL Server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlServer {
    major: u16,
}

#[allow(missing_docs, reason = "versions by their names")]
impl SqlServer {
    pub const V2017: Self = Self { major: 14 };
    pub const V2019: Self = Self { major: 15 };
    pub const V2022: Self = Self { major: 16 };
    pub const V2025: Self = Self { major: 17 };

    /// The version of a server, by the number before the first dot of `SERVERPROPERTY('ProductVersion')`: 15 is 2019.
    pub const fn new(major: u16) -> Self {
        Self { major }
    }
}

impl Default for SqlServer {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V2019
    }
}

impl Dialect for SqlServer {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    /// The product's number: 14 is 2017, 15 is 2019, 16 is 2022, 17 is 2025.
    fn version(&self) -> Version {
        (self.major, 0, 0)
    }

    fn label(&self) -> String {
        let year = match self.major {
            14 => 2017,
            15 => 2019,
            16 => 2022,
            17 => 2025,
            other => other,
        };
        format!("sqlserver {year}")
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        if ty.array {
            return Err(self.no_type(ty.base));
        }
        Ok(match ty.base {
            T::String | T::StringFixedLength | T::Object | T::Json | T::Jsonb => "nvarchar(max)",
            T::AnsiString | T::AnsiStringFixedLength => "varchar(max)",
            T::Byte => "tinyint",
            T::SByte | T::Int16 => "smallint",
            T::UInt16 | T::Int32 => "int",
            T::UInt32 | T::Int64 => "bigint",
            T::UInt64 => "decimal(20, 0)",
            // Without numbers it would be decimal(18, 0), and cut the digits after the point.
            T::Decimal | T::VarNumeric => "decimal(38, 10)",
            T::Currency => "decimal(19, 4)",
            T::Boolean => "bit",
            T::Double => "float",
            T::Single => "real",
            T::Date => "date",
            T::Time => "time",
            // The old datetime rounds to 3.33 milliseconds.
            T::DateTime | T::DateTime2 => "datetime2",
            T::DateTimeOffset => "datetimeoffset",
            T::Guid => "uniqueidentifier",
            T::Binary => "varbinary(max)",
            T::Xml => "xml",
            other => return Err(self.no_type(other)),
        })
    }

    /// Without an offset, dates and times lose or get their time as by a CAST, and any number but 0 is true. What becomes
    /// a text is cast: beside it in VALUES, a number or a date would make one of the texts of the other rows.
    fn assigns(&self, from: T, to: T) -> bool {
        let time = |ty| matches!(ty, T::DateTime | T::DateTime2);
        assigns_everywhere(from, to)
            || from.is_text() && matches!(to, T::Json | T::Jsonb | T::Xml)
            || from == T::Boolean && to.is_number()
            || from.is_number() && to == T::Boolean
            || from == T::Date && (time(to) || to == T::DateTimeOffset)
            || time(from) && matches!(to, T::Date | T::Time | T::DateTimeOffset)
    }

    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        cast::cast(self, w, value, to)
    }

    /// A text beside a varchar column is a varchar, if the code page does not matter: an nvarchar would be the type that
    /// both are compared in, and no index on the column would serve it. A longer one is an nvarchar, whose type has any
    /// length: beside an nvarchar in VALUES, a varchar would be cut to 4,000 characters.
    fn typed_literal(&self, w: &mut Writer<'_, '_>, value: &Value, ty: DbType) -> Result<()> {
        match value {
            Value::Text(text) if ty.base.is_ansi() && !ty.array && text.is_ascii() && text.len() <= SHORT => {
                text_literal(w, text, "");
            }
            _ => return w.dialect().literal(w, value),
        }
        Ok(())
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            // By itself, 1 is an int: a result or a CASE would not be a bit.
            Value::Bool(true) => w.text("CAST(1 AS bit)"),
            Value::Bool(false) => w.text("CAST(0 AS bit)"),
            // A whole number beyond an int would be a decimal, whose division does not truncate.
            Value::Int(n) if i32::try_from(*n).is_err() => w.quoted("CAST(", n, " AS bigint)"),
            Value::Float(n) if n.is_finite() => float(w, *n),
            Value::Text(text) => text_literal(w, text, "N"),
            Value::Json(text) => text_literal(w, text, "N"),
            Value::Bytes(bytes) => {
                w.text("0x");
                w.hex(bytes);
            }
            Value::Uuid(uuid) => w.quoted("CAST('", uuid, "' AS uniqueidentifier)"),
            Value::Date(date) => w.quoted("CAST('", date, "' AS date)"),
            Value::Time(time) => w.quoted("CAST('", time, "' AS time)"),
            Value::DateTime(at) => w.quoted("CAST('", format_args!("{at:?}"), "' AS datetime2)"),
            Value::DateTimeOffset(at) => {
                w.quoted("CAST('", format_args!("{:?}{}", at.naive_local(), at.offset()), "' AS datetimeoffset)");
            }
            other => w.standard_literal(other)?,
        }
        Ok(())
    }

    fn top<'e>(&self, w: &mut Writer<'_, 'e>, limit: &Scalar<'_, 'e>) -> Result<bool> {
        w.text("TOP (");
        w.scalar(limit, Prec::Lowest)?;
        w.text(") ");
        Ok(true)
    }

    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        w.text(" OFFSET ");
        match offset {
            Some(offset) => w.scalar(offset, Prec::Lowest)?,
            None => w.text("0"),
        }
        w.text(" ROWS");
        if let Some(limit) = limit {
            w.text(" FETCH NEXT ");
            w.scalar(limit, Prec::Lowest)?;
            w.text(" ROWS ONLY");
        }
        Ok(())
    }

    /// Nothing: a lock is a hint behind the table.
    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        let _ = (w, lock);
    }

    /// `FOR UPDATE` is an update lock, which is kept to the end of the transaction. `FOR SHARE` is REPEATABLEREAD, which
    /// keeps the shared locks of the rows that were read; HOLDLOCK would lock the gaps between them as well, and does
    /// not go with READPAST.
    fn table_hint(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(match lock.mode {
            LockMode::Update => " WITH (UPDLOCK, ROWLOCK",
            LockMode::Share => " WITH (REPEATABLEREAD, ROWLOCK",
        });
        w.text(match lock.wait {
            LockWait::Wait => ")",
            LockWait::NoWait => ", NOWAIT)",
            LockWait::SkipLocked => ", READPAST)",
        });
    }

    fn update_lock(&self) -> (&'static str, &'static str) {
        (" WITH (UPDLOCK, ROWLOCK)", "")
    }

    fn repeats_placeholders(&self) -> bool {
        true
    }

    fn with_recursive(&self) -> &'static str {
        "WITH "
    }

    /// Without it, the 101st step of a recursion is an error. Other engines go on as long as there are rows.
    fn recursive_end(&self) -> &'static str {
        " OPTION (MAXRECURSION 0)"
    }

    fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()> {
        let Some((first, rest)) = items.split_first() else { return Ok(()) };
        let in_place = fits_in_place(w, items);
        unlimited(w, first, !in_place)?;
        for item in rest {
            w.text(" + ");
            let fits = fits_beside_wide(w, item);
            unlimited(w, item, !fits)?;
        }
        Ok(())
    }

    fn concat_prec(&self) -> Prec {
        Prec::Add
    }

    /// The items get the type of the column, so that an index on it serves the list: but only if all of them fit, for
    /// an item that is cut or rounded could equal what it did not before.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        w.scalar(&node.left, Prec::Concat)?;
        let key = matches!(node.left.kind, ScalarKind::Exact(_, TextForm::Key));
        w.text(if node.negated { " NOT IN (SELECT " } else { " IN (SELECT " });
        w.text(if key { "CAST([v] AS nvarchar(max)) + NCHAR(0)" } else { "[v]" });
        w.text(" FROM OPENJSON(");
        w.placeholder(array, Some(T::Json.into()));
        w.text(") WITH ([v] ");
        match w.value_of(&array) {
            Some(Value::Json(json)) if ty.base.is_text() => {
                let ty = list::text_type(json, ty, node.left.column);
                ty.write(w);
            }
            Some(Value::Json(json)) if ty.base.is_decimal() => match list::decimal_type(json, node.left.column) {
                Some(ty) => ty.write(w),
                None => return Err(w.refused("a list of decimals", "no type of 38 digits holds all of them")),
            },
            _ => w.text(w.dialect().cast_type(ty)?),
        }
        w.text(" '$')");
        // Without NULL among the items, the engine makes a join of it; a text of that look only costs that.
        let null = |json: &str| json.contains("[null") || json.contains(",null");
        if node.negated && matches!(w.value_of(&array), Some(Value::Json(json)) if !null(json)) {
            w.text(" WHERE [v] IS NOT NULL");
        }
        w.text(")");
        Ok(())
    }

    /// `=` ignores blanks at the end, and sorts a text as if it had blanks behind it; with the least character there, it
    /// does neither. A varchar becomes an nvarchar, whose collation has no code page.
    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()> {
        if form == TextForm::Pattern {
            return w.scalar(text, Prec::Unary);
        }
        let own = text.collation();
        let ansi = match own {
            Some(collation) => collation.charset.is_some(),
            None => text.ty.is_some_and(|ty| ty.base.is_ansi()),
        };
        if !text.is_plain() && ansi {
            let short = text.column.and_then(|column| column.length).is_some_and(|length| length < 4_000);
            w.text("CAST(");
            w.scalar(text, Prec::Lowest)?;
            w.text(if short { " AS nvarchar(4000))" } else { " AS nvarchar(max))" });
        } else {
            // The character behind it would be one too many.
            unlimited(w, text, form == TextForm::Key && fills_wide(w, text))?;
        }
        let has_one = matches!(text.kind, ScalarKind::Exact(_, TextForm::Value));
        if (!text.is_plain() || form == TextForm::Value) && !has_one {
            w.text(" COLLATE Latin1_General_100_BIN2");
        }
        if form == TextForm::Key {
            w.text(" + NCHAR(0)");
        }
        Ok(())
    }

    fn exact_prec(&self, form: TextForm) -> Prec {
        if form == TextForm::Key { Prec::Add } else { Prec::Unary }
    }

    /// `s` lets a dot match a line feed; that case counts is the default.
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
        w.text(", 's')");
        Ok(())
    }

    /// A backslash begins a group, and `&` is the match, for which no escape is documented.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        if text.contains('&') {
            return None;
        }
        Some(if text.contains('\\') { Cow::Owned(text.replace('\\', r"\\")) } else { Cow::Borrowed(text) })
    }

    fn coalesced_query(&self) -> &'static Spelling<'static> {
        const { &Spelling::new("ISNULL({0}, {1})") }
    }

    fn wide_decimal(&self, scale: u32) -> String {
        format!("CAST({{0}} AS decimal(38, {scale}))")
    }

    fn cut_seconds(&self, ty: T, digits: u8) -> Option<(String, Prec)> {
        let fraction = if digits == 0 { 0 } else { digits + 1 };
        let text = |length: u8, value| format!("CONVERT(char({}), {value}, 121)", length + fraction);
        let template = match ty {
            T::Time => format!("CAST({} AS time)", text(8, "{0}")),
            T::DateTimeOffset => {
                // With fewer digits, the offset would stand in their place.
                let utc = text(19, "CAST(SWITCHOFFSET({0}, '+00:00') AS datetime2)");
                format!("TODATETIMEOFFSET(CAST({utc} AS datetime2), '+00:00')")
            }
            _ => format!("CAST({} AS datetime2)", text(19, "{0}")),
        };
        Some((template, Prec::Atom))
    }

    /// The optimizer knows the set operation for a comparison, which it does not the CASE; but no subquery may stand in
    /// an aggregate or in OUTPUT.
    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        if self.major >= V2022.0 {
            w.scalar(left, Prec::Concat)?;
            w.text(sense.pick(" IS NOT DISTINCT FROM ", " IS DISTINCT FROM "));
            return w.scalar(right, Prec::Concat);
        }
        let (start, between, end) = if w.in_condition() {
            (sense.pick("EXISTS (SELECT ", "NOT EXISTS (SELECT "), " INTERSECT SELECT ", ")")
        } else {
            w.text("CASE WHEN ");
            w.scalar(left, Prec::Concat)?;
            w.text(" IS NULL AND ");
            w.scalar(right, Prec::Concat)?;
            (" IS NULL OR ", " = ", sense.pick(" THEN 0 ELSE 1 END = 0", " THEN 0 ELSE 1 END = 1"))
        };
        w.text(start);
        w.scalar(left, Prec::Concat)?;
        w.text(between);
        w.scalar(right, Prec::Concat)?;
        w.text(end);
        Ok(())
    }

    fn like_escape(&self) -> &'static str {
        " ESCAPE '\\'"
    }

    /// What JSON_QUERY gives is taken for JSON, and from 2022 on what makes JSON; any other text is taken for text.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        let (before, after) = match value.ty.filter(|ty| !ty.array).map(|ty| ty.base) {
            Some(T::Json | T::Jsonb) if !self.makes_json(value) => ("JSON_QUERY(", ")"),
            Some(T::Guid) => ("LOWER(CAST(", " AS nvarchar(36)))"),
            _ => ("", ""),
        };
        w.text(before);
        w.scalar(value, Prec::Lowest)?;
        w.text(after);
        Ok(())
    }

    /// The numbers that OPENJSON gives the types.
    fn json_kind(&self, holder: JsonHolder) -> &'static str {
        match holder {
            JsonHolder::Object => "5",
            JsonHolder::Array => "4",
        }
    }

    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        if insert.conflict.is_some() {
            w.merge(insert, "[T0]", &MERGE)?;
            output(w, insert.returning)?;
            w.recursive_end(insert.ctes);
            w.text(";");
            return Ok(());
        }
        w.with(insert.ctes)?;
        w.insert_into(insert);
        output(w, insert.returning)?;
        let width = insert.columns.len().max(1);
        let rows = match insert.rows {
            Rows::Values(values) => values.len() / width,
            Rows::Scalars(scalars) => scalars.len() / width,
            Rows::Query(_) => 0,
        };
        if rows > ROWS_IN_VALUES {
            w.values_rows(insert, " SELECT * FROM (VALUES (", "), (", ")) [v] (")?;
            w.column_names(insert.columns);
            w.text(")");
        } else {
            w.rows(insert)?;
        }
        w.recursive_end(insert.ctes);
        Ok(())
    }

    fn upsert_names(&self, _table: &str) -> UpsertNames {
        UpsertNames { proposed: Proposed::Qualifier(MERGE.proposed), existing: Some("[T0]") }
    }

    fn write_joins(&self) -> bool {
        true
    }

    fn returning_qualifier(&self, rows: Returned) -> Option<&'static str> {
        Some(match rows {
            Returned::Written => "inserted",
            Returned::Deleted => "deleted",
        })
    }

    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        w.with(update.ctes)?;
        w.text("UPDATE ");
        w.text(update.table);
        w.text(" SET ");
        w.assignments(update.sets)?;
        output(w, update.returning)?;
        w.from_joined(update.joined.as_ref())?;
        w.filter(update.filter.as_ref())?;
        w.recursive_end(update.ctes);
        Ok(())
    }

    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        w.with(delete.ctes)?;
        w.text(if delete.joined.is_some() { "DELETE " } else { "DELETE FROM " });
        w.text(delete.table);
        output(w, delete.returning)?;
        w.from_joined(delete.joined.as_ref())?;
        w.filter(delete.filter.as_ref())?;
        w.recursive_end(delete.ctes);
        Ok(())
    }

    /// The style 121 is `yyyy-mm-dd hh:mi:ss.fff`, of which a shorter text has the beginning: without .NET, as FORMAT is.
    fn format_template(&self, pattern: &[FormatToken<'_>], of: T) -> Option<&'static Spelling<'static>> {
        use FormatToken as F;
        const DAY: Spelling<'_> = Spelling::new("CONVERT(nvarchar(10), {0}, 121)");
        const MINUTE: Spelling<'_> = Spelling::new("CONVERT(nvarchar(16), {0}, 121)");
        const SECOND: Spelling<'_> = Spelling::new("CONVERT(nvarchar(19), {0}, 121)");
        let (day, time) = match pattern {
            [F::Year4, F::Text("-"), F::Month2, F::Text("-"), F::Day2, time @ ..] => (true, time),
            _ => (false, pattern),
        };
        match (day, time) {
            (true, []) => Some(&DAY),
            _ if of == T::Date => None,
            (true, [F::Text(" "), F::Hour24, F::Text(":"), F::Minute]) => Some(&MINUTE),
            (true, [F::Text(" "), F::Hour24, F::Text(":"), F::Minute, F::Text(":"), F::Second]) => Some(&SECOND),
            _ => None,
        }
    }

    /// The tokens are .NET's, which FORMAT takes. The culture is given beside it, so `/` and `:` stand for themselves.
    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        // One letter by itself would name a whole pattern: `d` is the short date.
        let single = matches!(pattern, [F::Month | F::Day | F::Hour24Plain | F::Hour12Plain]);
        let mut out = String::from(if single { "%" } else { "" });
        for token in pattern {
            let word = match token {
                F::Year4 => "yyyy",
                F::Year2 => "yy",
                F::Month2 => "MM",
                F::Month => "M",
                F::MonthName => "MMMM",
                F::MonthShort => "MMM",
                F::Day2 => "dd",
                F::Day => "d",
                F::DayName => "dddd",
                F::DayShort => "ddd",
                F::Hour24 => "HH",
                F::Hour24Plain => "H",
                F::Hour12 => "hh",
                F::Hour12Plain => "h",
                F::Minute => "mm",
                F::Second => "ss",
                F::Millisecond => "fff",
                F::AmPm => "tt",
                F::Text(text) => {
                    let plain = |c: char| !c.is_ascii_alphabetic() && !matches!(c, '%' | '\\' | '"');
                    if pattern.len() > 1 && text.chars().all(plain) {
                        out.push_str(text);
                    } else {
                        out.push('\'');
                        out.push_str(&text.replace('\\', "\\\\"));
                        out.push('\'');
                    }
                    ""
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }
}

impl SqlServer {
    /// Whether the engine knows by itself that it is JSON.
    fn makes_json(self, value: &Scalar<'_, '_>) -> bool {
        let ScalarKind::Call(call) = value.kind else { return false };
        match call.func {
            Some(Func::JsonQuery) => true,
            Some(Func::JsonObject | Func::JsonArray) => self.major >= V2022.0,
            _ => false,
        }
    }

    fn no_type(self, ty: T) -> Error {
        let reason = "it has no type for it".to_owned();
        ErrorKind::Refused { feature: format!("CAST to {}", ty.name()), dialect: self.label(), reason }.into()
    }
}

/// ` OUTPUT inserted.[a], ...`, if anything comes back.
fn output<'e>(w: &mut Writer<'_, 'e>, items: &[Item<'_, 'e>]) -> Result<()> {
    w.returning(" OUTPUT ", items)
}

/// A text with N before it, unless it is ASCII: without, it would be read in the code page of the database.
fn text_literal(w: &mut Writer<'_, '_>, text: &str, mark: &str) {
    // A backslash at the end of a line would join it with the next one, in the middle of a literal too.
    let joined = |text: &str| text.find("\\\n").into_iter().chain(text.find("\\\r")).min();
    let mut rest = text;
    let mut ends = joined(rest);
    w.text(if ends.is_some() { "(" } else { "" });
    while let Some(at) = ends {
        let (line, after) = rest.split_at(at + 1);
        w.text(mark);
        w.text_literal(line);
        w.text(" + ");
        rest = after;
        ends = joined(rest);
    }
    w.text(mark);
    w.text_literal(rest);
    w.text(if rest.len() < text.len() { ")" } else { "" });
}

/// A double with an exponent: without, it would be a decimal.
fn float(w: &mut Writer<'_, '_>, n: f64) {
    w.quoted("", format_args!("{n:E}"), "");
}
