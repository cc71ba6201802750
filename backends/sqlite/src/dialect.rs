//! SQLite, 3.35 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What SQLite lacks is named in [`SUPPORT`](crate::SUPPORT); how it is
//! rewritten lives in the compiler, shared with every dialect that lacks the same thing.
//!
//! SQLite has no types for dates, truth values and decimals. Stored are `2024-01-31`; `12:00:00` and
//! `2024-01-31 12:00:00`, with 3, 6 or 9 digits of a fraction where it is not 0; the latter in UTC with `+00:00` behind
//! it for a date and time with an offset, so that the order of the texts is that of the times; 1 and 0; and doubles.

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, FormatToken, JsonDateTime, PathStep, Row, Sense, Sheet, Spelling, Version, assigns_everywhere,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, Family, Value};
use isogloss_compiler::frame::{Body, In, Insert, Param, Pred, Query, Rows, Scalar, Select};
use isogloss_compiler::render::{Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::sheet::SHEET;
use crate::times::{fraction, time_in_text};

/// What is wrong where a second row is: the path that JSON_EXTRACT complains of.
macro_rules! several_rows {
    () => {
        "a subquery used as a value gave several rows"
    };
}

/// What the driver looks for in the message of that error.
#[cfg(feature = "driver")]
pub(crate) const SEVERAL_ROWS: &str = several_rows!();

/// Its literals and comments. A parameter with a name would shift the numbers of ours.
pub const LEXIS: Lexis = Lexis { backticks: true, bracket_names: true, parameters: ":@#$", ..Lexis::STANDARD };

/// Who writes the rows of a database: SQLite has no types for them, so each library has forms of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Storage {
    /// Isogloss, and diesel: an instant is `2024-01-31 12:00:00+00:00`, a UUID a text.
    Isogloss,
    /// sqlx, and so SeaORM: an instant is `2024-01-31T12:00:00+00:00`, which has to be in UTC, and a UUID 16 bytes.
    Sqlx,
}

/// A version of SQLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sqlite {
    version: Version,
    storage: Option<Storage>,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl Sqlite {
    pub const V3_35: Self = Self::new(35, 0);
    pub const V3_38: Self = Self::new(38, 0);
    pub const V3_39: Self = Self::new(39, 0);
    pub const V3_40: Self = Self::new(40, 0);
    pub const V3_44: Self = Self::new(44, 0);
    pub const V3_45: Self = Self::new(45, 0);

    /// Version 3 with these further numbers.
    pub const fn new(minor: u16, patch: u16) -> Self {
        Self { version: (3, minor, patch), storage: None }
    }

    /// For rows that this library writes. Texts, literals and parameters have its forms then, whatever binds them. What
    /// would make an instant or a UUID of another form is refused.
    ///
    /// ```
    /// use isogloss_sqlite::{Sqlite, Storage};
    /// let beside_sea_orm = Sqlite::default().stored_by(Storage::Sqlx);
    /// # let _ = beside_sea_orm;
    /// ```
    #[must_use]
    pub const fn stored_by(self, storage: Storage) -> Self {
        Self { storage: Some(storage), ..self }
    }

    fn by_sqlx(&self) -> bool {
        self.storage == Some(Storage::Sqlx)
    }

    fn refused(&self, feature: &str, reason: &str) -> Error {
        let (feature, reason) = (feature.to_owned(), reason.to_owned());
        ErrorKind::Refused { feature, dialect: self.label(), reason }.into()
    }
}

impl Default for Sqlite {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V3_45
    }
}

impl Dialect for Sqlite {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    // Only a trigger can RAISE: a path that is none is the error whose message says what was wrong.
    fn one_row(&self) -> &'static Spelling<'static> {
        const ONE: Spelling<'_> =
            Spelling::new(concat!("JSON_EXTRACT('1', CASE COUNT(*) WHEN 1 THEN '$' ELSE '", several_rows!(), "' END)"));
        &ONE
    }

    fn version(&self) -> Version {
        self.version
    }

    fn label(&self) -> String {
        format!("sqlite {}.{}", self.version.0, self.version.1)
    }

    fn more_functions(&self) -> &'static [Row] {
        if self.by_sqlx() { crate::functions::BY_SQLX } else { &[] }
    }

    fn stored_form(&self) -> Option<fn(&Value) -> Option<Value>> {
        self.storage.map(|storage| match storage {
            Storage::Isogloss => written_by_isogloss,
            Storage::Sqlx => written_by_sqlx as fn(&Value) -> Option<Value>,
        })
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn ordered_join(&self) -> &'static str {
        " CROSS JOIN "
    }

    fn cross_join(&self) -> &'static str {
        // CROSS JOIN keeps the order of the tables; without ON, JOIN has the same rows.
        " JOIN "
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        let refused = || -> Error {
            let feature = format!("CAST to {}", ty.base.name());
            ErrorKind::Refused { feature, dialect: self.label(), reason: "it has no type for it".into() }.into()
        };
        if ty.array {
            return Err(refused());
        }
        Ok(match ty.base.family() {
            Family::Integer | Family::Boolean => "INTEGER",
            // NUMERIC would make a whole number of a decimal that is whole, and a quotient of those is cut.
            Family::Decimal | Family::Float => "REAL",
            Family::Binary => "BLOB",
            Family::Date | Family::Time | Family::DateTime | Family::DateTimeOffset | Family::Json => "TEXT",
            family if family.may_be_text() => "TEXT",
            _ => return Err(refused()),
        })
    }

    fn assigns(&self, from: T, to: T) -> bool {
        assigns_everywhere(from, to)
            || from.is_integer() && to.is_text()
            || from.is_text() && (to.is_text() || to.is_json())
            || from == T::Boolean && to.is_number()
    }

    /// What is stored as text is text already; but a fraction of a second has 3, 6 or 9 digits, and a text that is read
    /// as something else is brought to the form in which that is stored.
    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let from = value.ty.filter(|ty| !ty.array && !to.array).map(|ty| ty.base);
        match (from, to.base) {
            (Some(time @ (T::Time | T::DateTime | T::DateTime2)), to) if to.is_text() => {
                // The whole seconds, and the digits behind them without the zeros at the end.
                let (seconds, fraction) = if time == T::Time { ("8", "9") } else { ("19", "20") };
                w.text("(SUBSTR(");
                w.scalar(value, Prec::Lowest)?;
                w.quoted(", 1, ", seconds, ") || RTRIM(SUBSTR(");
                w.scalar(value, Prec::Lowest)?;
                w.quoted(", ", fraction, "), '0'))");
                Ok(())
            }
            (Some(from), to) if from.is_decimal() && to.is_text() => {
                // CAST leaves a point and a zero behind it; PRINTF takes NULL for 0.
                if value.nullable {
                    w.text("CASE WHEN ");
                    w.scalar(value, Prec::Concat)?;
                    w.text(" IS NOT NULL THEN ");
                }
                w.text("PRINTF('%.15g', ");
                w.scalar(value, Prec::Lowest)?;
                w.text(if value.nullable { ") END" } else { ")" });
                Ok(())
            }
            (Some(T::Guid), to) if to != T::Guid && self.by_sqlx() => {
                Err(self.refused("CAST of a UUID", "sqlx stores 16 bytes for one, and not its text"))
            }
            (_, T::Guid) if from != Some(T::Guid) && self.by_sqlx() => {
                Err(self.refused("CAST to a UUID", "sqlx stores 16 bytes for one, and not its text"))
            }
            (Some(from), T::Date | T::DateTime | T::DateTime2 | T::DateTimeOffset) if from.is_date() => {
                let (before, after) = match (from, to.base) {
                    (T::Date, T::DateTimeOffset) if self.by_sqlx() => ("(", " || 'T00:00:00+00:00')"),
                    (T::DateTime | T::DateTime2, T::DateTimeOffset) if self.by_sqlx() => {
                        ("REPLACE(", " || '+00:00', ' ', 'T')")
                    }
                    (T::DateTimeOffset, T::DateTime | T::DateTime2) if self.by_sqlx() => {
                        ("REPLACE(REPLACE(", ", '+00:00', ''), 'T', ' ')")
                    }
                    (T::Date, T::DateTime | T::DateTime2) => ("(", " || ' 00:00:00')"),
                    (T::Date, T::DateTimeOffset) => ("(", " || ' 00:00:00+00:00')"),
                    (T::DateTime | T::DateTime2, T::DateTimeOffset) => ("(", " || '+00:00')"),
                    (T::DateTimeOffset, T::DateTime | T::DateTime2) => ("REPLACE(", ", '+00:00', '')"),
                    _ => ("", ""),
                };
                w.text(before);
                w.scalar(value, if after.starts_with(',') { Prec::Lowest } else { Prec::Concat })?;
                w.text(after);
                Ok(())
            }
            (Some(from), T::Guid) if from.is_text() => {
                w.text("LOWER(");
                w.scalar(value, Prec::Lowest)?;
                w.text(")");
                Ok(())
            }
            (Some(from), to) if from.is_text() && (to.is_date() || to == T::Time) => {
                time_in_text(w, value, to, self.by_sqlx())
            }
            (Some(from), to) if is_stored_as_text(from) && is_stored_as_text(to) => w.scalar(value, Prec::Atom),
            _ => w.standard_cast(value, to),
        }
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            Value::Date(date) => w.quoted("'", date, "'"),
            Value::Time(time) => w.quoted("'", time, "'"),
            Value::DateTime(at) => w.quoted("'", at, "'"),
            // As sqlx stores it, with a T.
            Value::DateTimeOffset(at) if self.by_sqlx() => {
                w.quoted("'", format_args!("{:?}", at.naive_utc()), "+00:00'");
            }
            Value::DateTimeOffset(at) => w.quoted("'", at.naive_utc(), "+00:00'"),
            Value::Uuid(id) if self.by_sqlx() => w.quoted("x'", id.simple(), "'"),
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
        w.text(" LIMIT ");
        match limit {
            Some(limit) => w.scalar(limit, Prec::Lowest)?,
            None => w.text("-1"),
        }
        if let Some(offset) = offset {
            w.text(" OFFSET ");
            w.scalar(offset, Prec::Lowest)?;
        }
        Ok(())
    }

    fn cut_seconds(&self, ty: T, digits: u8) -> Option<(String, Prec)> {
        let zoned = ty == T::DateTimeOffset;
        let template = match digits {
            0 if zoned => "SUBSTR({0}, 1, 19) || '+00:00'".into(),
            0 if ty == T::Time => "SUBSTR({0}, 1, INSTR({0} || '.', '.') - 1)".into(),
            0 => "SUBSTR({0}, 1, 19)".into(),
            6.. => return None,
            _ => {
                let from = if ty == T::Time { 9 } else { 20 };
                let end = if zoned { " || '+00:00'" } else { "" };
                format!("SUBSTR({{0}}, 1, {}) || {}{end}", from - 1, fraction(from, digits))
            }
        };
        Some((template, if digits > 0 || zoned { Prec::Concat } else { Prec::Atom }))
    }

    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.scalar(left, Prec::Concat)?;
        w.text(sense.pick(" IS ", " IS NOT "));
        w.scalar(right, Prec::Concat)
    }

    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        let bytes = ty.base == T::Guid && self.by_sqlx();
        if bytes && self.version < (3, 41, 0) {
            return Err(self.refused("a list of UUIDs", "UNHEX, which makes bytes of them, came with SQLite 3.41"));
        }
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " NOT IN (SELECT " } else { " IN (SELECT " });
        w.text(if bytes { "UNHEX(value, '-')" } else { "value" });
        w.text(" FROM json_each(");
        w.placeholder(array, Some(T::Json.into()));
        w.text("))");
        Ok(())
    }

    /// An item is set in another way than a member.
    fn json_plain(&self, path: &str) -> bool {
        PathStep::last(path).is_none_or(|(_, is_member)| is_member)
    }

    /// The type of a truth value and of JSON is lost in SQLite; the item must not be a number or a text.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        let base = value.ty.filter(|ty| !ty.array).map(|ty| ty.base);
        let (before, after) = match base {
            Some(T::Boolean) => ("JSON(CASE ", " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"),
            Some(T::Json | T::Jsonb) => ("JSON(", ")"),
            _ => ("", ""),
        };
        w.text(before);
        w.scalar(value, if base == Some(T::Boolean) { Prec::Atom } else { Prec::Lowest })?;
        w.text(after);
        Ok(())
    }

    fn json_date_time(&self) -> JsonDateTime {
        JsonDateTime::Short
    }

    /// A quoted name that is no column is a text to SQLite, unless an alias stands before it.
    fn write_alias(&self) -> bool {
        true
    }

    /// Behind a query that ends with its source, ON CONFLICT would be the condition of a join: the query gets a WHERE.
    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        let (Some(_), Rows::Query(query)) = (&insert.conflict, insert.rows) else {
            return w.standard_insert(insert);
        };
        let with_where = |body: Body<'_, 'e>, w: &mut Writer<'_, 'e>| {
            w.standard_insert(&Insert { rows: Rows::Query(&Query { body, ..*query }), ..*insert })
        };
        let ends_here = query.order.is_empty() && query.limit.is_none() && query.offset.is_none();
        match query.body {
            Body::Select(select) if ends_here && ends_with_source(select) => {
                with_where(Body::Select(&Select { filter: Some(Pred::Const(true)), ..*select }), w)
            }
            Body::Set { op, left, right: member @ Query { body: Body::Select(select), .. } }
                if ends_here && ends_with_source(select) =>
            {
                let select = Select { filter: Some(Pred::Const(true)), ..**select };
                let right = Query { body: Body::Select(&select), ..*member };
                with_where(Body::Set { op, left, right: &right }, w)
            }
            _ => w.standard_insert(insert),
        }
    }

    fn like_escape(&self) -> &'static str {
        " ESCAPE '\\'"
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        let mut out = String::new();
        let mut rest = pattern;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            let word = match token {
                F::Year4 => "%Y",
                F::Month2 => "%m",
                F::Day2 => "%d",
                F::Hour24 => "%H",
                F::Minute => "%M",
                F::Second if matches!(rest, [F::Text("."), F::Millisecond, ..]) => {
                    // `%f` holds the whole second, the point and the thousandths.
                    rest = rest.get(2..).unwrap_or_default();
                    "%f"
                }
                F::Second => "%S",
                F::Hour12 if self.version >= (3, 44, 0) => "%I",
                F::AmPm if self.version >= (3, 44, 0) => "%p",
                F::Text(text) => {
                    out.push_str(&text.replace('%', "%%"));
                    ""
                }
                other => {
                    let feature = format!("Format with {other:?}");
                    let reason = "STRFTIME of this version has no such token".to_owned();
                    return Err(ErrorKind::Refused { feature, dialect: self.label(), reason }.into());
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }
}

/// A value as SQLite stores it, and as a parameter has to be bound so that it equals what is stored: dates, times, UUIDs and
/// JSON are text, truth values 1 and 0, decimals doubles.
///
/// ```
/// use isogloss_compiler::expr::Value;
/// use isogloss_sqlite::stored;
/// let time = "2024-01-31T10:20:30+02:00".parse::<chrono::DateTime<chrono::FixedOffset>>()?;
/// assert_eq!(*stored(&time.into()), Value::from("2024-01-31 08:20:30+00:00"));
/// assert_eq!(*stored(&true.into()), Value::from(1));
/// # Ok::<(), chrono::ParseError>(())
/// ```
pub fn stored(value: &Value) -> Cow<'_, Value> {
    Cow::Owned(match value {
        Value::Bool(truth) => Value::Int((*truth).into()),
        Value::Decimal(number) => Value::Float(number.to_f64()),
        Value::Json(text) => Value::from(&**text),
        Value::Date(date) => Value::from(date.to_string()),
        Value::Time(time) => Value::from(time.to_string()),
        Value::DateTime(at) => Value::from(at.to_string()),
        Value::DateTimeOffset(at) => Value::from(format!("{}+00:00", at.naive_utc())),
        other => match other.word() {
            Some(word) => Value::from(word.to_string()),
            None => return Cow::Borrowed(other),
        },
    })
}

/// A UUID or an instant in the form of [`Storage::Isogloss`].
fn written_by_isogloss(value: &Value) -> Option<Value> {
    match value {
        Value::Uuid(_) | Value::DateTimeOffset(_) => Some(stored(value).into_owned()),
        _ => None,
    }
}

/// A UUID or an instant in the form of [`Storage::Sqlx`].
fn written_by_sqlx(value: &Value) -> Option<Value> {
    match value {
        Value::Uuid(id) => Some(Value::Bytes(id.as_bytes().to_vec().into())),
        Value::DateTimeOffset(at) => Some(format!("{:?}+00:00", at.naive_utc()).into()),
        _ => None,
    }
}

/// A parameter for a library that binds what SQLite has: numbers, texts and bytes.
///
/// # Errors
/// What SQLite has no room for.
#[cfg(any(feature = "diesel", feature = "sea-query", feature = "sqlx"))]
pub(crate) fn bound(value: &Value) -> isogloss_driver::Result<Cow<'_, Value>> {
    let why = match value {
        Value::Decimal(number) => match stored(value) {
            double if double.to_string().parse() == Ok(**number) => return Ok(double),
            _ => format!("{number}: SQLite's numbers have 15 digits"),
        },
        Value::UInt(number) => format!("{number}: SQLite's whole numbers have 63 bits"),
        Value::Float(number) if number.is_nan() => "NaN: SQLite stores NULL for it".to_owned(),
        Value::Float(number) if number.is_infinite() => format!("{number}: the dialect has no infinities on SQLite"),
        value if year(value).is_some_and(|year| !(0..=9999).contains(&year)) => {
            format!("{value}: SQLite's dates are those of the years 0 to 9999")
        }
        value => {
            let stored = stored(value);
            match &*stored {
                Value::Null | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::Bytes(_) => return Ok(stored),
                other => format!("SQLite has nothing for a {}", other.kind()),
            }
        }
    };
    Err(isogloss_driver::Error::new(isogloss_driver::ErrorKind::BadValue, why))
}

/// The year of a date or an instant.
#[cfg(any(feature = "diesel", feature = "sea-query", feature = "sqlx"))]
fn year(value: &Value) -> Option<i32> {
    use isogloss_compiler::chrono::Datelike as _;
    Some(match value {
        Value::Date(date) => date.year(),
        Value::DateTime(at) => at.year(),
        Value::DateTimeOffset(at) => at.naive_utc().year(),
        _ => return None,
    })
}

/// As [`bound`], for sqlx and what stands on it, whose forms are others than those of a dialect that does not say so.
///
/// # Errors
/// Also instants and UUIDs, of which nobody has said how they are stored.
#[cfg(any(feature = "sea-query", feature = "sqlx"))]
pub(crate) fn bound_beside(value: &Value) -> isogloss_driver::Result<Cow<'_, Value>> {
    let what = match value {
        Value::Uuid(_) => "a UUID",
        Value::DateTimeOffset(_) => "a date and time with an offset",
        other => return bound(other),
    };
    let why = format!(
        "{what} is stored in one form by sqlx and SeaORM, in another by Isogloss: compile for \
         `Sqlite::default().stored_by(Storage::Sqlx)`, or `Storage::Isogloss`"
    );
    Err(isogloss_driver::Error::new(isogloss_driver::ErrorKind::BadValue, why))
}

/// Texts, and what CAST takes for one as it stands.
fn is_stored_as_text(ty: T) -> bool {
    ty.family().may_be_text() || ty == T::Date || ty.is_json()
}

fn ends_with_source(select: &Select<'_, '_>) -> bool {
    select.from.is_some() && select.filter.is_none() && select.group.is_empty() && select.having.is_none()
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::expr::{Expr, ValueOps, from, prop, row, table, value};
    use isogloss_compiler::model::sample;

    use super::*;

    fn sql(query: impl Into<Expr>) -> String {
        Compiler::new(sample::catalog()).compile(&query.into(), &Sqlite::V3_45).unwrap().sql
    }

    #[test]
    fn on_conflict_behind_a_query_needs_a_where() {
        let every = from("Customer").select([prop("Id"), prop("Name")]);
        let insert = table("Category").insert_query(["Id", "Name"], every).on_conflict_do_nothing([] as [&str; 0]);
        assert!(sql(insert).contains(r#" WHERE TRUE ON CONFLICT ("Id")"#));
        let some = from("Customer").filter(prop("Id").gt(1)).select([prop("Id"), prop("Name")]);
        let insert = table("Category").insert_query(["Id", "Name"], some).on_conflict_do_nothing([] as [&str; 0]);
        assert!(!sql(insert).contains("TRUE"));
    }

    #[test]
    fn a_list_of_rows_is_a_values_list() {
        let rows = row([row([value(1), value(2)]), row([value(3), value(4)])]);
        let filter = row([prop("Id"), prop("Qty")]).in_list(rows);
        assert!(sql(from("Order").filter(filter)).contains(r#"("T0"."Id", "T0"."Qty") IN (VALUES (?, ?), (?, ?))"#));
    }

    #[cfg(any(feature = "diesel", feature = "sea-query", feature = "sqlx"))]
    #[test]
    fn dates_of_other_years_are_not_bound() {
        use isogloss_compiler::chrono::NaiveDate;
        for (year, is_bound) in [(-1, false), (0, true), (9999, true), (10_000, false)] {
            let date = NaiveDate::from_ymd_opt(year, 6, 1).unwrap();
            let at = date.and_hms_opt(12, 0, 0).unwrap();
            for value in [Value::from(date), at.into(), at.and_utc().into()] {
                assert_eq!(bound(&value).is_ok(), is_bound, "{value:?}");
            }
        }
    }
}
