//! DuckDB, 1.5 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. DuckDB reads PostgreSQL's SQL, and stands on its dialect: what
//! differs is named in [`SUPPORT`](crate::SUPPORT) and [`FUNCTIONS`](crate::FUNCTIONS), and spelled here.
//!
//! Its texts reckon with a session whose `TimeZone` is UTC, and with the extensions `json` and `icu`. `Now` and `Today` are of
//! the time at which the transaction began: there is no other.

use std::borrow::Cow;

use isogloss_compiler::dialect::{
    Dialect, FormatToken, JsonHolder, PathStep, RowsSource, RowsWrite, Sense, Sheet, Version,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_compiler::frame::{In, Param, Scalar, ScalarKind, TextForm};
use isogloss_compiler::model::Collation;
use isogloss_compiler::render::{Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};
use isogloss_postgres::Postgres;

use crate::sheet::SHEET;

/// The dialect that it stands on.
const BASE: Postgres = Postgres::V16;

/// Its literals and comments. A parameter with a name would shift the numbers of ours.
pub const LEXIS: Lexis =
    Lexis { escape_strings: true, dollar_quotes: true, nested_comments: true, parameters: "$", ..Lexis::STANDARD };

/// A version of DuckDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DuckDb {
    major: u16,
    minor: u16,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl DuckDb {
    pub const V1_5: Self = Self::new(1, 5);

    /// A version by its first two numbers.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    fn refused(&self, feature: String, reason: &str) -> Error {
        ErrorKind::Refused { feature, dialect: self.label(), reason: reason.to_owned() }.into()
    }
}

impl Default for DuckDb {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V1_5
    }
}

impl Dialect for DuckDb {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    fn version(&self) -> Version {
        (self.major, self.minor, 0)
    }

    fn label(&self) -> String {
        format!("duckdb {}.{}", self.major, self.minor)
    }

    fn base(&self) -> Option<&dyn Dialect> {
        Some(&BASE)
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    /// DECIMAL alone has three digits behind the point.
    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        let (scalar, array) = match ty.base {
            T::UInt64 => ("hugeint", "hugeint[]"),
            T::Decimal | T::Currency | T::VarNumeric => ("decimal(38, 10)", "decimal(38, 10)[]"),
            T::Jsonb => ("json", "json[]"),
            T::Xml => return Err(self.refused("CAST to Xml".to_owned(), "it has no type for it")),
            _ => return BASE.cast_type(ty),
        };
        Ok(if ty.array { array } else { scalar })
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            Value::Bytes(bytes) => {
                w.text("UNHEX('");
                w.hex(bytes);
                w.text("')");
                Ok(())
            }
            other => BASE.literal(w, other),
        }
    }

    /// A decimal is bound with the digits that it has.
    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        w.placeholder(param, Some(ty));
        if !ty.base.is_decimal() || ty.array {
            w.text("::");
            w.text(w.dialect().cast_type(ty)?);
        }
        Ok(())
    }

    /// To text, a decimal keeps its zeros.
    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let from = value.ty.filter(|ty| !ty.array && !to.array).map(|ty| ty.base);
        let (before, after) = match (from, to.base) {
            (Some(from), to) if from.is_decimal() && to.is_text() => {
                ("REGEXP_REPLACE(CAST(", " AS text), '([.][0-9]*[1-9])0+$|[.]0+$', '\\1')")
            }
            // Between times with and without an offset, the session's zone would count.
            (Some(T::DateTime | T::DateTime2), T::DateTimeOffset)
            | (Some(T::DateTimeOffset), T::DateTime | T::DateTime2) => ("TIMEZONE('UTC', ", ")"),
            (Some(T::Date), T::DateTimeOffset) => ("TIMEZONE('UTC', CAST(", " AS timestamp))"),
            (Some(from), T::Boolean) if from.is_text() => ("CAST(TRIM(", ", ' ') AS boolean)"),
            (Some(T::Binary), to) if to.is_text() => ("DECODE(", ")"),
            (Some(from), T::Binary) if from.is_text() => ("ENCODE(", ")"),
            _ => return w.standard_cast(value, to),
        };
        w.text(before);
        w.scalar(value, Prec::Lowest)?;
        w.text(after);
        Ok(())
    }

    /// `a IN (SELECT UNNEST(CAST(CAST($1 AS json) AS BIGINT[])))`: of the JSON text of a list.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " NOT IN" } else { " IN" });
        w.text(" (SELECT UNNEST(CAST(CAST(");
        w.placeholder(array, Some(T::Json.into()));
        w.text(" AS json) AS ");
        w.text(w.dialect().cast_type(DbType::array_of(ty.base))?);
        w.text(")))");
        Ok(())
    }

    /// Texts of two collations stand together nowhere, so that none is given: bytes have none, and the text that is made of them.
    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, _: TextForm) -> Result<()> {
        let is_known = text.collation().is_some_and(|collation| collation.equal && collation.charset.is_none());
        match text.kind {
            ScalarKind::Param(_) | ScalarKind::Literal(_) => return w.scalar(text, Prec::Unary),
            ScalarKind::Column(_) if is_known => return w.scalar(text, Prec::Unary),
            _ => {}
        }
        w.text("DECODE(ENCODE(");
        w.scalar(text, Prec::Lowest)?;
        w.text("))");
        Ok(())
    }

    fn beside_column(&self, _: &Collation) -> Option<String> {
        None
    }

    fn rows_source(&self, _: RowsWrite, _: &[DbType]) -> Result<Option<RowsSource>> {
        Ok(None)
    }

    /// `.` is any character by the option `s`.
    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.text(sense.pick("REGEXP_MATCHES(", "NOT REGEXP_MATCHES("));
        w.scalar(text, Prec::Lowest)?;
        w.text(", ");
        w.scalar(pattern, Prec::Lowest)?;
        w.text(", 's')");
        Ok(())
    }

    /// In a subquery that looks outside, a page has constants.
    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        for (word, count) in [(" LIMIT ", limit), (" OFFSET ", offset)] {
            let Some(count) = count else { continue };
            w.text(word);
            let constant = match count.kind {
                ScalarKind::Param(param) if w.in_subquery() => w.value_of(&param).cloned(),
                _ => None,
            };
            match constant {
                Some(value) => w.standard_literal(&value)?,
                None => w.scalar(count, Prec::Lowest)?,
            }
        }
        Ok(())
    }

    fn binds_returning(&self) -> bool {
        false
    }

    fn like_escape(&self) -> &'static str {
        " ESCAPE '\\'"
    }

    fn overriding(&self) -> &'static str {
        ""
    }

    /// `/` of whole numbers is a double.
    fn integer_division(&self) -> &'static str {
        " // "
    }

    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        w.scalar(value, Prec::Lowest)
    }

    fn json_plain(&self, _: &str) -> bool {
        true
    }

    fn json_strict(&self, path: &str) -> String {
        path.to_owned()
    }

    fn json_parent<'p>(&self, path: &'p str) -> Cow<'p, str> {
        Cow::Borrowed(PathStep::parent(path))
    }

    fn json_kind(&self, holder: JsonHolder) -> &'static str {
        match holder {
            JsonHolder::Object => "'OBJECT'",
            JsonHolder::Array => "'ARRAY'",
        }
    }

    /// The standard's, whose star is all members, in quotes as well.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        for step in steps {
            if let PathStep::Member(name) = step
                && name.contains('*')
            {
                return Err(self.refused(format!("the JSON member `{name}`"), "a star in a path is all members"));
            }
        }
        Ok(PathStep::standard(steps))
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        let mut out = String::new();
        for token in pattern {
            let word = match token {
                F::Year4 => "%Y",
                F::Year2 => "%y",
                F::Month2 => "%m",
                F::Month => "%-m",
                F::MonthName => "%B",
                F::MonthShort => "%b",
                F::Day2 => "%d",
                F::Day => "%-d",
                F::DayName => "%A",
                F::DayShort => "%a",
                F::Hour24 => "%H",
                F::Hour24Plain => "%-H",
                F::Hour12 => "%I",
                F::Hour12Plain => "%-I",
                F::Minute => "%M",
                F::Second => "%S",
                F::Millisecond => "%g",
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

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::dialect;
    use isogloss_compiler::expr::{
        ConflictAction, Expr, ValueOps, ValueTypeExpr, constant, from, func, prop, table, value,
    };
    use isogloss_compiler::model::sample;

    use super::*;

    fn refused(query: impl Into<Expr>) -> String {
        Compiler::new(sample::catalog()).compile(&query.into(), &DuckDb::default()).unwrap_err().to_string()
    }

    #[test]
    fn the_tables_are_complete() {
        dialect::check(&DuckDb::default()).unwrap();
    }

    #[test]
    fn a_star_in_a_path_is_all_members() {
        let args: [ValueTypeExpr; 2] = [prop("Data").into(), value("$.\"a*\"").into()];
        let error = refused(from("Order").select([func("JsonValue", args).alias("r")]));
        assert!(error.contains("the JSON member `a*`") && error.contains("a star in a path is all members"), "{error}");
    }

    #[test]
    fn a_row_that_is_there_is_changed_by_no_query() {
        let changed = |name: ValueTypeExpr| {
            let insert = table("Category").insert(["Id", "Name"], vec![1.into(), "x".into()]);
            insert.conflict(["Id"], ConflictAction::Update(vec![("Name".into(), name)]))
        };
        let error = refused(changed(from("Customer").select([prop("Name").max()]).into()));
        assert!(error.contains("a subquery in ON CONFLICT") && error.contains("query its value before"), "{error}");
        // What only reads like one is none.
        let compiler = Compiler::new(sample::catalog());
        let insert = Expr::from(changed(constant("see (SELECT help)").into()));
        let sql = compiler.compile(&insert, &DuckDb::default()).unwrap().sql;
        assert!(sql.ends_with(r#"DO UPDATE SET "Name" = 'see (SELECT help)'"#), "{sql}");
    }
}
