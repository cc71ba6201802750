//! Filters as expressions of [sea-query](::sea_query), for use in the `.filter()` of SeaORM.
//!
//! Each backend crate has a function for it: `isogloss_sqlite::sea_query::condition(..)`.

use std::borrow::Cow;
use std::ops::Range;

use isogloss_compiler::dialect::{Dialect, Placeholder};
use isogloss_compiler::expr::{DbType, DbValueType as T, LogicExpr, Value};
use isogloss_compiler::{Request, Target};
use sea_query::Expr;

use crate::{Error, ErrorKind, Result};

/// Compiles a filter over the request's root entity to an expression in parentheses, whose values sea-query binds. See
/// [`Target::condition`] for what a filter may contain.
///
/// `stored` decides how a value is bound. Booleans, numbers, texts and bytes are bound as they are; all others as texts
/// that the engine casts, which need no further features of sea-query or its driver.
///
/// # Errors
/// Those of [`Target::condition`], and values that cannot be bound.
pub fn condition(
    target: &Target,
    filter: &LogicExpr,
    request: &Request<'_>,
    qualifier: Option<&str>,
    stored: impl Fn(&Value, Option<DbType>) -> Result<Stored<'_>>,
) -> Result<Expr> {
    let compiled = target.condition(filter, request, qualifier)?;
    let dialect = target.dialect();
    let mark = dialect.sheet().placeholder;
    let places = placeholders(&compiled.sql, mark);
    if places.len() != compiled.params.len() {
        let (found, given) = (places.len(), compiled.params.len());
        let why = format!("the condition has {given} parameters, and its text {found} placeholders");
        return Err(Error::new(ErrorKind::Compile, why).with_statement(&compiled));
    }
    let mut pieces = Pieces { exprs: Vec::new(), text: "(".to_owned() };
    let mut rest = 0;
    for (place, parameter) in places.into_iter().zip(&compiled.params) {
        pieces.text.push_str(compiled.sql.get(rest..place.start).unwrap_or_default());
        rest = place.end;
        match stored(&parameter.value, parameter.ty)? {
            Stored::Value(value) => pieces.value(&value, parameter.ty, dialect)?,
            Stored::Literal(text) => pieces.text.push_str(&text),
        }
    }
    pieces.text.push_str(compiled.sql.get(rest..).unwrap_or_default());
    pieces.text.push(')');
    Ok(pieces.into_expr(mark))
}

/// How a parameter is passed to sea-query.
#[derive(Debug)]
pub enum Stored<'v> {
    /// As a bound value.
    Value(Cow<'v, Value>),
    /// As a literal in the statement's text.
    Literal(String),
}

/// Text and values one after the other.
struct Pieces {
    exprs: Vec<Expr>,
    text: String,
}

impl Pieces {
    fn push(&mut self, value: impl Into<sea_query::Value>) {
        self.exprs.push(Expr::cust(std::mem::take(&mut self.text)));
        self.exprs.push(Expr::Value(value.into()));
    }

    fn value(&mut self, value: &Value, ty: Option<DbType>, dialect: &dyn Dialect) -> Result<()> {
        match value {
            Value::Null => self.text.push_str("NULL"),
            Value::Bool(truth) => self.push(*truth),
            Value::Int(number) => match (ty.map(|ty| ty.base), i32::try_from(*number)) {
                (Some(base), Ok(small)) if base.fits_int32() => self.push(small),
                _ => self.push(*number),
            },
            Value::Float(number) => self.push(*number),
            Value::Text(text) => self.push(text.as_str()),
            Value::Bytes(bytes) => self.push(bytes.to_vec()),
            other => {
                let (text, ty) = as_text(other, ty)?;
                self.text.push_str("CAST(");
                self.push(text);
                self.text.push_str(" AS ");
                self.text.push_str(dialect.cast_type(ty)?);
                self.text.push(')');
            }
        }
        Ok(())
    }

    /// sea-query looks for placeholders in the text of its expressions, and takes brackets for quotes and backslashes
    /// for escapes. So the text of ours is not looked at: it is an expression itself, as the values are.
    fn into_expr(mut self, mark: Placeholder) -> Expr {
        self.exprs.push(Expr::cust(self.text));
        let mut template = String::new();
        for place in 1..=self.exprs.len() {
            match mark {
                Placeholder::Question => template.push_str("? "),
                Placeholder::Numbered(_) => template.push_str(&format!("${place} ")),
            }
        }
        template.pop();
        Expr::cust_with_exprs(template, self.exprs)
    }
}

/// A value's text, and the type that the engine casts it to.
fn as_text(value: &Value, ty: Option<DbType>) -> Result<(String, DbType)> {
    let known = |is: fn(T) -> bool, usual: T| ty.filter(|ty| !ty.array && is(ty.base)).unwrap_or(usual.into());
    Ok(match value {
        Value::UInt(number) => (number.to_string(), T::UInt64.into()),
        Value::Decimal(number) => (number.to_string(), known(T::is_decimal, T::Decimal)),
        Value::Date(date) => (date.to_string(), T::Date.into()),
        Value::Time(time) => (time.format("%H:%M:%S%.f").to_string(), T::Time.into()),
        Value::DateTime(at) => (at.format("%Y-%m-%d %H:%M:%S%.f").to_string(), T::DateTime2.into()),
        Value::DateTimeOffset(at) => (at.to_rfc3339(), T::DateTimeOffset.into()),
        Value::Json(text) => (text.to_string(), known(T::is_json, T::Json)),
        Value::List(items) if ty.is_some_and(|ty| ty.array) => (array(items)?, ty.unwrap_or_default()),
        other => match (other.word(), other.natural_type()) {
            (Some(word), Some(ty)) => (word.to_string(), ty.into()),
            _ => return Err(Error::new(ErrorKind::BadValue, format!("a {} cannot be bound", other.kind()))),
        },
    })
}

/// An array in PostgreSQL's text notation: `{1,NULL,"a \"b\""}`.
///
/// # Errors
/// Items that cannot be bound.
pub fn array(items: &[Value]) -> Result<String> {
    let mut text = String::from("{");
    for (index, item) in items.iter().enumerate() {
        text.push_str(if index > 0 { "," } else { "" });
        match item {
            Value::Null => text.push_str("NULL"),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => text.push_str(&item.to_string()),
            other => {
                let plain = match other {
                    Value::Text(text) => Cow::Borrowed(text.as_str()),
                    other => as_text(other, None)?.0.into(),
                };
                text.push('"');
                for c in plain.chars() {
                    if matches!(c, '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(c);
                }
                text.push('"');
            }
        }
    }
    text.push('}');
    Ok(text)
}

/// Where the placeholders stand: not in literals, quoted names and comments.
fn placeholders(sql: &str, mark: Placeholder) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = sql;
    let at = |rest: &str| sql.len() - rest.len();
    while let Some(c) = rest.chars().next() {
        let len = match c {
            // A quote that is doubled ends one literal and begins the next.
            '\'' | '"' | '`' => behind(rest, 1, c.encode_utf8(&mut [0; 4])),
            '-' if rest.starts_with("--") => behind(rest, 2, "\n"),
            '/' if rest.starts_with("/*") => behind(rest, 2, "*/"),
            _ => {
                let len = match mark {
                    Placeholder::Question => usize::from(c == '?'),
                    Placeholder::Numbered(prefix) => rest.strip_prefix(prefix).map_or(0, |number| {
                        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
                        if digits == 0 { 0 } else { prefix.len() + digits }
                    }),
                };
                if len > 0 {
                    found.push(at(rest)..at(rest) + len);
                }
                len.max(c.len_utf8())
            }
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    found
}

/// How long the text is up to and with the first `end` behind its first bytes.
fn behind(text: &str, first: usize, end: &str) -> usize {
    let found = text.get(first..).and_then(|rest| rest.find(end));
    found.map_or(text.len(), |found| first + found + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_stand_outside_of_quotes() {
        let found = |sql: &str, mark| -> Vec<String> {
            placeholders(sql, mark).into_iter().map(|place| sql[place].to_owned()).collect()
        };
        let question = r#"a = ? AND "b?" LIKE '?''?' ESCAPE '\' /* ? */ AND `?` = ? -- ?"#;
        assert_eq!(found(question, Placeholder::Question), ["?", "?"]);
        let numbered = r#"a = $1 AND '$2' = ANY($10) AND b ? 'x' AND $ = $2::int"#;
        assert_eq!(found(numbered, Placeholder::Numbered("$")), ["$1", "$10", "$2"]);
    }

    #[test]
    fn arrays_are_quoted() {
        let items = [Value::Int(1), Value::Null, Value::from(r#"a "b\"#)];
        assert_eq!(array(&items).unwrap(), r#"{1,NULL,"a \"b\\"}"#);
    }
}
