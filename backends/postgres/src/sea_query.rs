//! Filters as expressions of sea-query for PostgreSQL.

use std::borrow::Cow;

use isogloss_compiler::expr::{DbType, LogicExpr, Value};
use isogloss_compiler::{Request, Target};
use isogloss_driver::sea_query::{Stored, array};
use isogloss_driver::{Error, ErrorKind, Result};
use sea_query::Expr;

/// A filter over the request's root entity, for a query that `PostgresQueryBuilder` writes. The columns stand behind
/// `qualifier`, the table's alias or name there: for SeaORM it is the table's name.
///
/// A text is a literal in the statement: what sea-query binds is of the type `text`, and an enum has no comparison with
/// that, and `citext` another one. Each other value is bound.
///
/// # Errors
/// What [`Target::condition`] refuses, and values that cannot be bound.
pub fn condition(target: &Target, filter: &LogicExpr, request: &Request<'_>, qualifier: Option<&str>) -> Result<Expr> {
    isogloss_driver::sea_query::condition(target, filter, request, qualifier, stored)
}

fn stored(value: &Value, ty: Option<DbType>) -> Result<Stored<'_>> {
    let texts = |items: &[Value]| items.iter().all(|item| matches!(item, Value::Text(_) | Value::Null));
    match value {
        Value::Text(text) => literal(text),
        Value::List(items) if ty.is_none_or(|ty| ty.array) && texts(items) => literal(&array(items)?),
        other => Ok(Stored::Value(Cow::Borrowed(other))),
    }
}

/// A text as a literal, whose type the server finds out. With a backslash in it, it is one of the kind that means the same
/// whatever `standard_conforming_strings` is.
fn literal(text: &str) -> Result<Stored<'static>> {
    if text.contains('\0') {
        let why = "a text has a zero byte, which PostgreSQL's texts do not hold";
        return Err(Error::new(ErrorKind::BadValue, why));
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push_str(if text.contains('\\') { "E'" } else { "'" });
    for c in text.chars() {
        if matches!(c, '\'' | '\\') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    Ok(Stored::Literal(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_ends_where_its_text_does() {
        for (text, quoted) in
            [("a", "'a'"), ("'; DROP TABLE x --", "'''; DROP TABLE x --'"), (r"\'", r"E'\\'''"), (r"\", r"E'\\'")]
        {
            assert!(matches!(literal(text), Ok(Stored::Literal(found)) if found == quoted), "{text}");
        }
        assert!(literal("a\0b").is_err());
    }
}
