//! PostgreSQL, 12 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What PostgreSQL lacks is named in [`SUPPORT`](crate::SUPPORT); how it is
//! rewritten lives in the compiler, shared with every dialect that lacks the same thing.

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, FormatToken, PathStep, ROWS, ROWS_COLUMN, RowsForm, RowsSource, RowsWrite, Sense, Sheet, Version,
    assigns_everywhere,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, LockMode, Value};
use isogloss_compiler::frame::{In, Lock, Param, Scalar, ScalarKind, TextForm};
use isogloss_compiler::model::Collation;
use isogloss_compiler::render::{Micros, Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::sheet::SHEET;

/// The literals and comments of a program's own text, with `standard_conforming_strings` on, as it is by default.
pub const LEXIS: Lexis = Lexis { escape_strings: true, dollar_quotes: true, nested_comments: true, ..Lexis::STANDARD };

/// A version of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Postgres {
    major: u16,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl Postgres {
    pub const V12: Self = Self { major: 12 };
    pub const V13: Self = Self { major: 13 };
    pub const V14: Self = Self { major: 14 };
    pub const V15: Self = Self { major: 15 };
    pub const V16: Self = Self { major: 16 };
    pub const V17: Self = Self { major: 17 };
    pub const V18: Self = Self { major: 18 };

    /// The version of a server, by the number before the dot.
    pub const fn new(major: u16) -> Self {
        Self { major }
    }
}

impl Default for Postgres {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V15
    }
}

impl Dialect for Postgres {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    fn version(&self) -> Version {
        (self.major, 0, 0)
    }

    fn label(&self) -> String {
        format!("postgres {}", self.major)
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn repeats_placeholders(&self) -> bool {
        true
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        let (scalar, array) = match ty.base {
            T::String | T::AnsiString | T::AnsiStringFixedLength | T::StringFixedLength | T::Object => {
                ("text", "text[]")
            }
            T::Byte | T::SByte | T::Int16 => ("smallint", "smallint[]"),
            T::Int32 | T::UInt16 => ("integer", "integer[]"),
            T::Int64 | T::UInt32 => ("bigint", "bigint[]"),
            T::UInt64 | T::Decimal | T::Currency | T::VarNumeric => ("numeric", "numeric[]"),
            T::Boolean => ("boolean", "boolean[]"),
            T::Double => ("double precision", "double precision[]"),
            T::Single => ("real", "real[]"),
            T::Date => ("date", "date[]"),
            T::Time => ("time", "time[]"),
            T::DateTime | T::DateTime2 => ("timestamp", "timestamp[]"),
            T::DateTimeOffset => ("timestamptz", "timestamptz[]"),
            T::Guid => ("uuid", "uuid[]"),
            T::Binary => ("bytea", "bytea[]"),
            T::Json => ("json", "json[]"),
            T::Jsonb => ("jsonb", "jsonb[]"),
            T::Xml => ("xml", "xml[]"),
            other => return Err(self.no_type(other)),
        };
        Ok(if ty.array { array } else { scalar })
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            Value::Bytes(bytes) => {
                w.text("'\\x");
                w.hex(bytes);
                w.text("'::bytea");
            }
            Value::Uuid(uuid) => w.quoted("'", uuid, "'::uuid"),
            Value::Text(text) => w.dialect().bare_text(w, text),
            Value::Json(text) => {
                w.dialect().bare_text(w, text);
                w.text("::json");
            }
            // A number with a point is a numeric.
            Value::Float(n) if n.is_nan() => w.text("'NaN'::double precision"),
            Value::Float(n) if n.is_infinite() => {
                w.text(if *n > 0.0 { "'Infinity'::double precision" } else { "'-Infinity'::double precision" });
            }
            Value::Float(n) => {
                w.float(*n);
                w.text("::double precision");
            }
            Value::DateTimeOffset(at) => {
                let (date, time) = (at.date_naive(), Micros(at.time()));
                w.quoted("TIMESTAMPTZ '", format_args!("{date} {time}{}", at.offset()), "'");
            }
            other => w.standard_literal(other)?,
        }
        Ok(())
    }

    fn cut_seconds(&self, ty: T, digits: u8) -> Option<(String, Prec)> {
        Some(match (ty, digits) {
            (_, 6..) => return None,
            (T::DateTime | T::DateTime2 | T::DateTimeOffset, 0) => ("DATE_TRUNC('second', {0})".into(), Prec::Atom),
            (T::DateTime | T::DateTime2 | T::DateTimeOffset, 3) => {
                ("DATE_TRUNC('milliseconds', {0})".into(), Prec::Atom)
            }
            _ => {
                let unit = 10_u32.pow(6 - u32::from(digits));
                let micros = "CAST(EXTRACT(MICROSECONDS FROM {0}) AS integer)";
                (format!("{{0^}} - {micros} % {unit} * INTERVAL '1 microsecond'"), Prec::Add)
            }
        })
    }

    /// Without an offset, dates and times lose or get their time as by a CAST.
    fn assigns(&self, from: T, to: T) -> bool {
        let time = |ty| matches!(ty, T::DateTime | T::DateTime2);
        assigns_everywhere(from, to)
            || from.is_integer() && to.is_text() && to != T::Xml
            || from == T::Date && time(to)
            || time(from) && matches!(to, T::Date | T::Time)
    }

    /// To text, a date follows the session's `DateStyle` by itself, and a decimal keeps its zeros; `bytea` and text read
    /// each other's escapes.
    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let from = value.ty.filter(|ty| !ty.array && !to.array).map(|ty| ty.base);
        let (before, after) = match (from, to.base) {
            (Some(T::Date), to) if to.is_text() => ("TO_CHAR(", ", 'YYYY-MM-DD')"),
            (Some(T::DateTime | T::DateTime2), to) if to.is_text() => {
                ("RTRIM(RTRIM(TO_CHAR(", ", 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.')")
            }
            (Some(from), to) if from.is_decimal() && to.is_text() => {
                if self.major >= 13 {
                    ("CAST(TRIM_SCALE(", ") AS text)")
                } else {
                    ("REGEXP_REPLACE(CAST(", " AS text), '([.][0-9]*[1-9])0+$|[.]0+$', E'\\\\1')")
                }
            }
            // Between times with and without an offset, the session's zone would count.
            (Some(T::DateTime | T::DateTime2), T::DateTimeOffset)
            | (Some(T::DateTimeOffset), T::DateTime | T::DateTime2) => ("TIMEZONE('UTC', ", ")"),
            (Some(T::Date), T::DateTimeOffset) => ("TIMEZONE('UTC', CAST(", " AS timestamp))"),
            // By itself, it has six digits.
            (Some(T::Single), to) if to.is_decimal() => ("CAST(CAST(", " AS double precision) AS numeric)"),
            // By itself, it has the collation of the encoding's name.
            (Some(T::Binary), to) if to.is_text() && to != T::Xml => {
                ("(CONVERT_FROM(", ", 'UTF8') COLLATE \"default\")")
            }
            (Some(from), T::Binary) if from.is_text() => ("CONVERT_TO(", ", 'UTF8')"),
            _ => return w.standard_cast(value, to),
        };
        w.text(before);
        w.scalar(value, Prec::Lowest)?;
        w.text(after);
        Ok(())
    }

    /// `json` has no equality, `jsonb` has: `"Data"::jsonb = $1::jsonb`.
    fn json_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        self.jsonb(w, left)?;
        w.text(sense.pick(" = ", " <> "));
        self.jsonb(w, right)
    }

    /// What a backslash means in a plain literal hangs on `standard_conforming_strings`, which any session may change;
    /// in `E'..'` it is always the escape.
    fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str) {
        if text.contains('\\') {
            w.text("E");
            w.text_literal(&text.replace('\\', "\\\\"));
        } else {
            w.text_literal(text);
        }
    }

    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        w.placeholder(param, Some(ty));
        w.text("::");
        w.text(w.dialect().cast_type(ty)?);
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

    /// Without it, a column that is GENERATED ALWAYS AS IDENTITY takes no value. Of another column it says nothing.
    fn overriding(&self) -> &'static str {
        " OVERRIDING SYSTEM VALUE"
    }

    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " <> ALL(" } else { " = ANY(" });
        w.placeholder(array, Some(DbType::array_of(ty.base)));
        w.text(")");
        Ok(())
    }

    /// `citext` and `char(n)` have an `=` of their own, and a nondeterministic collation takes no pattern: so what is not
    /// known to be a text that is compared by itself becomes one.
    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()> {
        let known = text.collation().filter(|collation| collation.equal && collation.charset.is_none());
        match text.kind {
            ScalarKind::Column(_) if known.is_some() => {
                w.scalar(text, Prec::Atom)?;
                if form == TextForm::Pattern && known.is_some_and(|collation| collation.name != "default") {
                    return Ok(());
                }
            }
            ScalarKind::Param(_) | ScalarKind::Literal(_) => w.scalar(text, Prec::Atom)?,
            _ => {
                w.text("CAST(");
                w.scalar(text, Prec::Lowest)?;
                w.text(" AS text)");
            }
        }
        w.text(match form {
            TextForm::Value | TextForm::Key => " COLLATE \"C\"",
            TextForm::Pattern => " COLLATE \"default\"",
        });
        Ok(())
    }

    /// `"Code" = CAST($1 AS bpchar)`
    fn beside_column(&self, collation: &Collation) -> Option<String> {
        let ty = collation.charset.as_ref()?;
        Some(format!("CAST({{0}} AS {ty})"))
    }

    /// ` FROM unnest($1::bigint[], $2::text[]) AS given_rows (value_1, value_2)`
    fn rows_source(&self, _: RowsWrite, types: &[DbType]) -> Result<Option<RowsSource>> {
        unnested(self, types).map(Some)
    }

    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.scalar(text, Prec::Concat)?;
        w.text(sense.pick(" ~ ", " !~ "));
        // `||` has the same rank, from the left.
        w.scalar(pattern, Prec::Add)
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        let mut out = String::new();
        for token in pattern {
            let word = match token {
                F::Year4 => "YYYY",
                F::Year2 => "YY",
                F::Month2 => "MM",
                F::Month => "FMMM",
                F::MonthName => "FMMonth",
                F::MonthShort => "Mon",
                F::Day2 => "DD",
                F::Day => "FMDD",
                F::DayName => "FMDay",
                F::DayShort => "Dy",
                F::Hour24 => "HH24",
                F::Hour24Plain => "FMHH24",
                F::Hour12 => "HH12",
                F::Hour12Plain => "FMHH12",
                F::Minute => "MI",
                F::Second => "SS",
                F::Millisecond => "MS",
                F::AmPm => "AM",
                // Only letters, quotes and backslashes mean something.
                F::Text(text) if !text.contains(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\\')) => text,
                F::Text(text) => {
                    out.push('"');
                    for c in text.chars() {
                        if matches!(c, '"' | '\\') {
                            out.push('\\');
                        }
                        out.push(c);
                    }
                    out.push('"');
                    ""
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }

    /// A literal has no type of its own, which `TO_JSONB` needs.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        match (value.kind, value.ty) {
            (ScalarKind::Literal(_), None) => w.cast_to(value, T::String.into()),
            (ScalarKind::Literal(_), Some(ty)) if ty.base.is_text() => w.cast_to(value, ty),
            _ => w.scalar(value, Prec::Lowest),
        }
    }

    /// `#>` takes a number for the place of an item and for the name of a member alike, whichever is there.
    fn json_plain(&self, path: &str) -> bool {
        steps(path).all(|(step, quoted)| quoted && step.parse::<i64>().is_err())
    }

    fn json_strict(&self, path: &str) -> String {
        let mut strict = String::from("strict $");
        for (step, quoted) in steps(path) {
            if quoted {
                strict.push_str(".\"");
                strict.push_str(step);
                strict.push('"');
            } else {
                strict.push('[');
                strict.push_str(step);
                strict.push(']');
            }
        }
        strict
    }

    /// A backslash begins a group: `\1`, `\&`.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(if text.contains('\\') { Cow::Owned(text.replace('\\', r"\\")) } else { Cow::Borrowed(text) })
    }

    fn json_parent<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let inner = path.strip_prefix('{').and_then(|p| p.strip_suffix('}')).unwrap_or(path);
        let step = match inner.strip_suffix('"') {
            Some(quoted) => quoted.rfind('"').unwrap_or(0),
            None => inner.rfind(',').map_or(0, |at| at + 1),
        };
        let before = inner.get(..step).unwrap_or("");
        Cow::Owned(format!("{{{}}}", before.strip_suffix(',').unwrap_or(before)))
    }

    /// The path as an array of text, for `#>` and `#>>`.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        let mut path = String::from("{");
        for (index, step) in steps.iter().enumerate() {
            if index > 0 {
                path.push(',');
            }
            match step {
                PathStep::Item(item) => path.push_str(&item.to_string()),
                PathStep::Member(name) => {
                    path.push('"');
                    for c in name.chars() {
                        if matches!(c, '"' | '\\') {
                            path.push('\\');
                        }
                        path.push(c);
                    }
                    path.push('"');
                }
            }
        }
        path.push('}');
        Ok(path)
    }
}

/// A table of lists, one for each column, of the types that a dialect has.
pub(crate) fn unnested(dialect: &dyn Dialect, types: &[DbType]) -> Result<RowsSource> {
    let (mut lists, mut names) = (String::new(), String::new());
    for (number, ty) in (1..).zip(types) {
        let comma = if number > 1 { ", " } else { "" };
        lists.push_str(&format!("{comma}${number}::{}", dialect.cast_type(DbType::array_of(ty.base))?));
        names.push_str(&format!("{comma}{ROWS_COLUMN}{number}"));
    }
    Ok(RowsSource { text: format!(" FROM unnest({lists}) AS {ROWS} ({names})"), form: RowsForm::Arrays })
}

/// The steps of a path for `#>`, as they are written, and whether each is in quotes: a member.
fn steps(path: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = path.strip_prefix('{').and_then(|path| path.strip_suffix('}')).unwrap_or(path);
    std::iter::from_fn(move || {
        rest = rest.strip_prefix(',').unwrap_or(rest);
        if rest.is_empty() {
            return None;
        }
        let Some(quoted) = rest.strip_prefix('"') else {
            let (step, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
            rest = after;
            return Some((step, false));
        };
        let mut escaped = false;
        let end = quoted.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let (step, after) = quoted.split_at(end.unwrap_or(quoted.len()));
        rest = after.strip_prefix('"').unwrap_or(after);
        Some((step, true))
    })
}

impl Postgres {
    fn jsonb<'e>(self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        match value.kind {
            ScalarKind::Param(param) => w.dialect().typed_parameter(w, param, T::Jsonb.into()),
            _ if value.ty == Some(T::Jsonb.into()) => w.scalar(value, Prec::Concat),
            _ => w.cast_to(value, T::Jsonb.into()),
        }
    }

    fn no_type(self, ty: T) -> Error {
        let reason = "it has no type for it".to_owned();
        ErrorKind::Refused { feature: format!("CAST to {}", ty.name()), dialect: self.label(), reason }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_paths_tell_items_from_members() {
        let pg = Postgres::V15;
        for (steps, plain, strict) in [
            (&[PathStep::Member("a"), PathStep::Member("b")][..], true, r#"strict $."a"."b""#),
            (&[PathStep::Member("a"), PathStep::Item(3)][..], false, r#"strict $."a"[3]"#),
            (&[PathStep::Member("a"), PathStep::Member("-1")][..], false, r#"strict $."a"."-1""#),
            (&[PathStep::Member("b\",c"), PathStep::Item(0)][..], false, r#"strict $."b\",c"[0]"#),
            (&[][..], true, "strict $"),
        ] {
            let path = pg.json_path(steps).unwrap();
            assert_eq!((pg.json_plain(&path), pg.json_strict(&path).as_str()), (plain, strict));
        }
    }

    #[test]
    fn paths_and_their_parents() {
        let pg = Postgres::V15;
        for (steps, path, parent) in [
            (&[PathStep::Member("a")][..], r#"{"a"}"#, "{}"),
            (&[PathStep::Member("a"), PathStep::Item(3)][..], r#"{"a",3}"#, r#"{"a"}"#),
            (&[PathStep::Item(0), PathStep::Member("b,c")][..], r#"{0,"b,c"}"#, "{0}"),
            (&[PathStep::Item(7)][..], "{7}", "{}"),
        ] {
            assert_eq!(pg.json_path(steps).unwrap(), path);
            assert_eq!(pg.json_parent(path), parent);
        }
    }
}
