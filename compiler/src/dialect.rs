//! What a dialect is: a data sheet, a function table, and a few hooks for what is spelled differently in structure.
//!
//! A difference is, in this order of preference: a row of the support table; a row of the function table; a rule of
//! [`legalize`](crate::legalize); an overridden hook with a default.
//!
//! A dialect may inherit from another one, its [`base`](Dialect::base): it says what differs, in its tables and hooks.

mod asked;
mod check;
mod feature;
mod identity;
mod json;
mod many;
mod quotes;
mod row;
mod sheet;
mod spelling;
mod tables;
mod variant;

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

pub use asked::{Returned, Sense};
pub use check::{Faults, check};
pub use feature::Feature;
pub use identity::Identity;
pub use json::{JsonDateTime, JsonHolder, PathStep};
pub(crate) use many::ROWS_VALUE;
pub use many::{ROWS, ROWS_COLUMN, RowsForm, RowsSource, RowsWrite};
pub use quotes::Quotes;
pub use row::{Form, On, Row};
pub use sheet::{Distribution, Limits, NullOrder, Placeholder, Sheet, Since, Support, Version};
pub use spelling::Spelling;
pub use variant::Variant;

use crate::error::Result;
use crate::expr::{DbType, DbValueType, Family, LockMode, Value};
use crate::frame::{Delete, In, Insert, Lock, Param, Scalar, TextForm, Update};
use crate::model::Collation;
use crate::render::{Prec, Writer};
use crate::template::Lexis;

/// What the base of a dialect does, if it has one.
macro_rules! inherit {
    ($dialect:ident.$hook:ident($($argument:ident),*)) => {
        if let Some(base) = $dialect.base() {
            return base.$hook($($argument),*);
        }
    };
}

/// A SQL dialect of an engine in a version.
///
/// A hook that a dialect does not write is that of its [`base`](Self::base); without one, it is what PostgreSQL and SQLite share.
///
/// Two values that are [equal](Identity) share what a compiler keeps for them: options of a dialect belong into its `Eq`.
pub trait Dialect: Identity + Any + Debug + Send + Sync {
    /// The data sheet.
    fn sheet(&self) -> &'static Sheet;

    /// The version that is meant, as this engine counts its versions.
    fn version(&self) -> Version;

    /// The name and version, as errors give it: `sqlserver 2019`.
    fn label(&self) -> String;

    /// The dialect, in one of its versions, that this one is a variant of. Rows that the sheet lacks, and hooks that are not
    /// overridden, are those of the base. So that a hook of the base finds what a variant overrides, a hook asks other hooks through
    /// [`Writer::dialect`], and not through `self`.
    fn base(&self) -> Option<&dyn Dialect> {
        None
    }

    /// Rows of the function table that come before those of the data sheet: what this value of the dialect spells otherwise.
    fn more_functions(&self) -> &'static [Row] {
        &[]
    }

    /// Makes of a parameter's value the one that is bound instead, for a dialect that says how its database's rows are
    /// written.
    fn stored_form(&self) -> Option<fn(&Value) -> Option<Value>> {
        inherit!(self.stored_form());
        None
    }

    /// The name of a type in CAST, with a length where the engine wants one.
    ///
    /// # Errors
    /// A refusal, where the engine has no such type.
    fn cast_type(&self, ty: DbType) -> Result<&'static str>;

    /// A value as a literal. The caller has refused what no literal can hold.
    ///
    /// # Errors
    /// A refusal, where the engine has no literal for the value.
    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        inherit!(self.literal(w, value));
        w.standard_literal(value)
    }

    /// A value as a literal of a type that is known.
    ///
    /// # Errors
    /// Those of [`literal`](Self::literal).
    fn typed_literal(&self, w: &mut Writer<'_, '_>, value: &Value, ty: DbType) -> Result<()> {
        inherit!(self.typed_literal(w, value, ty));
        w.dialect().literal(w, value)
    }

    /// What the engine takes for a literal or a comment, beyond what all of them do. Templates are scanned by it.
    fn lexis(&self) -> Lexis;

    /// Between `SELECT [DISTINCT]` and the items: SQL Server's TOP.
    ///
    /// # Errors
    /// Those of writing the limit.
    fn top<'e>(&self, w: &mut Writer<'_, 'e>, limit: &Scalar<'_, 'e>) -> Result<bool> {
        inherit!(self.top(w, limit));
        Ok(false)
    }

    /// The paging clause, with the blank before it.
    ///
    /// # Errors
    /// Those of writing limit and offset.
    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        inherit!(self.paging(w, limit, offset));
        if let Some(limit) = limit {
            w.text(" LIMIT ");
            w.scalar(limit, Prec::Lowest)?;
        }
        if let Some(offset) = offset {
            w.text(" OFFSET ");
            w.scalar(offset, Prec::Lowest)?;
        }
        Ok(())
    }

    /// The lock clause at the end of a query, with the blank before it.
    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        inherit!(self.lock(w, lock));
        w.text(match lock.mode {
            LockMode::Update => " FOR UPDATE",
            LockMode::Share => " FOR SHARE",
        });
        w.lock_wait(lock.wait);
    }

    /// The lock hint behind a table, with the blank before it, for engines that lock so.
    fn table_hint(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        inherit!(self.table_hint(w, lock));
    }

    /// What locks the rows of a query for an update, for a template: the hint behind the table and the clause at the end, each with
    /// the blank before it.
    fn update_lock(&self) -> (&'static str, &'static str) {
        inherit!(self.update_lock());
        ("", " FOR UPDATE")
    }

    /// Whether a placeholder may stand in several places for one bound value.
    fn repeats_placeholders(&self) -> bool {
        inherit!(self.repeats_placeholders());
        false
    }

    /// What stands behind the items of a select without a source, with the blank before it.
    fn no_source(&self) -> &'static str {
        inherit!(self.no_source());
        ""
    }

    /// Whether a constant of the tree stands in the text. One whose literal would be another value is bound instead, wherever
    /// a parameter may stand.
    fn writes_constant(&self, value: &Value) -> bool {
        inherit!(self.writes_constant(value));
        true
    }

    /// A parameter to which nothing around it gives a type, where [`Feature::UntypedParameter`] is missing.
    ///
    /// # Errors
    /// A refusal of the type.
    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        inherit!(self.typed_parameter(w, param, ty));
        w.text("CAST(");
        w.placeholder(param, Some(ty));
        w.text(" AS ");
        w.text(w.dialect().cast_type(ty)?);
        w.text(")");
        Ok(())
    }

    /// CAST of a value, for engines whose type says less than the portable one.
    ///
    /// To text, the engine's CAST has to be mended until it gives what every engine gives: a decimal without zeros
    /// behind its last digit and with a digit before its point, a date as `2024-01-31`, a time as `10:20:30.5`, a date
    /// and time as `2024-01-31 10:20:30.5`, both without a fraction of 0; bytes as the UTF-8 text that they are, and
    /// text as its UTF-8 bytes. Floats and times with an offset never come here, and truth values do not either.
    ///
    /// # Errors
    /// A refusal of the type, and those of writing the value.
    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        inherit!(self.cast(w, value, to));
        w.standard_cast(value, to)
    }

    /// Whether a column takes a value of another type as a CAST to its own type gives it, so that it is assigned as it is.
    /// The default is what all engines do: numbers become those of a type that is not whole or is whole as they are, and
    /// texts stay texts.
    fn assigns(&self, from: DbValueType, to: DbValueType) -> bool {
        inherit!(self.assigns(from, to));
        assigns_everywhere(from, to)
    }

    /// The name of a type in CAST that has room for whatever a recursion makes of a column, where that of
    /// [`cast_type`](Self::cast_type) has not.
    fn wide_type(&self, ty: DbType) -> Option<&'static str> {
        inherit!(self.wide_type(ty));
        None
    }

    /// The words of a cross join, with the blanks around them.
    fn cross_join(&self) -> &'static str {
        inherit!(self.cross_join());
        " CROSS JOIN "
    }

    /// The words of an inner join that the engine reads after the tables before it, with the blanks around them.
    fn ordered_join(&self) -> &'static str {
        inherit!(self.ordered_join());
        " JOIN "
    }

    /// How WITH begins where a common table expression refers to itself.
    fn with_recursive(&self) -> &'static str {
        inherit!(self.with_recursive());
        "WITH RECURSIVE "
    }

    /// What ends a statement in which a common table expression refers to itself, with the blank before it.
    fn recursive_end(&self) -> &'static str {
        inherit!(self.recursive_end());
        ""
    }

    /// The word of EXCEPT.
    fn except(&self) -> &'static str {
        inherit!(self.except());
        " EXCEPT "
    }

    /// A concatenation.
    ///
    /// # Errors
    /// Those of writing the items.
    fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()> {
        inherit!(self.concat(w, items));
        w.operator_list(items, " || ")
    }

    /// A text literal in a place that takes nothing but one: no type, no character set before it.
    fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str) {
        inherit!(self.bare_text(w, text));
        w.text_literal(text);
    }

    /// How tight a concatenation binds.
    fn concat_prec(&self) -> Prec {
        inherit!(self.concat_prec());
        Prec::Concat
    }

    /// `left IN (every item of one parameter)`.
    ///
    /// # Errors
    /// Those of writing the left side.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()>;

    /// A text by its code points, where [`Feature::ExactText`] is expanded.
    ///
    /// # Errors
    /// Those of writing the text.
    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()> {
        inherit!(self.exact_text(w, text, form));
        match form {
            TextForm::Value | TextForm::Key => {
                w.scalar(text, Prec::Atom)?;
                w.text(" COLLATE BINARY");
                Ok(())
            }
            TextForm::Pattern => w.scalar(text, Prec::Unary),
        }
    }

    /// How tight [`exact_text`](Self::exact_text) binds.
    fn exact_prec(&self, form: TextForm) -> Prec {
        inherit!(self.exact_prec(form));
        Prec::Unary
    }

    /// Whether an array is a table that is joined: a text that is looked up by its column's collation and by its code points,
    /// [`In::exact`](crate::frame::In::exact), is looked up once then.
    fn joins_array(&self) -> bool {
        inherit!(self.joins_array());
        false
    }

    /// A text beside a column of another character set, collation or type, so that an index on the column serves it: how that
    /// is written, with the text at `{0}`. None where the engine converts it by itself.
    fn beside_column(&self, collation: &Collation) -> Option<String> {
        inherit!(self.beside_column(collation));
        None
    }

    /// A time of that type, at `{0}`, without what is behind `digits` digits of its seconds; nothing where the engine has
    /// no more. Asked for where [`Feature::ColumnSeconds`] is expanded.
    fn cut_seconds(&self, ty: DbValueType, digits: u8) -> Option<(String, Prec)> {
        inherit!(self.cut_seconds(ty, digits));
        None
    }

    /// A comparison where NULL is a value like any other: of any values where [`Feature::NullSafeEqual`] is native, else
    /// of two columns.
    ///
    /// # Errors
    /// Those of writing the sides.
    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        inherit!(self.null_safe_equal(w, left, right, sense));
        w.scalar(left, Prec::Concat)?;
        w.text(sense.pick(" IS NOT DISTINCT FROM ", " IS DISTINCT FROM "));
        w.scalar(right, Prec::Concat)
    }

    /// A comparison of two JSON documents, where [`Feature::JsonEqual`] is native.
    ///
    /// # Errors
    /// Those of writing the sides.
    fn json_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        inherit!(self.json_equal(w, left, right, sense));
        w.scalar(left, Prec::Concat)?;
        w.text(sense.pick(" = ", " <> "));
        w.scalar(right, Prec::Concat)
    }

    /// A match against a regular expression.
    ///
    /// # Errors
    /// Those of writing the sides.
    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        inherit!(self.regex(w, text, pattern, sense));
        w.text(sense.pick("REGEXP_LIKE(", "NOT REGEXP_LIKE("));
        w.scalar(text, Prec::Lowest)?;
        w.text(", ");
        w.scalar(pattern, Prec::Lowest)?;
        w.text(")");
        Ok(())
    }

    /// The clause behind a LIKE pattern that may hold the escape character.
    fn like_escape(&self) -> &'static str {
        inherit!(self.like_escape());
        ""
    }

    /// The conflict clause and everything else that is special about an INSERT.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        inherit!(self.insert(w, insert));
        w.standard_insert(insert)
    }

    /// What an INSERT of one row says that is given nothing, behind the table, with the blank before it. The column is the
    /// one that the database numbers.
    fn default_row(&self, column: &str) -> Cow<'static, str> {
        inherit!(self.default_row(column));
        Cow::Borrowed(" DEFAULT VALUES")
    }

    /// How the conflict clause of an INSERT into a table names the proposed row, and the one that is there.
    fn upsert_names(&self, table: &str) -> UpsertNames {
        inherit!(self.upsert_names(table));
        UpsertNames { proposed: Proposed::Qualifier("EXCLUDED"), existing: None }
    }

    /// Whether an UPDATE or DELETE names its table by an alias: where a name that is no column would be taken for
    /// something else unless an alias stands before it.
    fn write_alias(&self) -> bool {
        inherit!(self.write_alias());
        false
    }

    /// Whether an UPDATE or DELETE takes joins: `DELETE t0 FROM t t0 JOIN u ON ..`.
    fn write_joins(&self) -> bool {
        inherit!(self.write_joins());
        false
    }

    /// `COALESCE` of a subquery and one other value, which is computed once; asked for where [`Feature::CoalesceQuery`] is
    /// expanded.
    fn coalesced_query(&self) -> &'static Spelling<'static> {
        inherit!(self.coalesced_query());
        const { &Spelling::new("COALESCE({0}, {1})") }
    }

    /// A computed pattern of LIKE in which an escape stands before a wildcard or itself only; asked for where
    /// [`Feature::LikeEscape`] is expanded.
    fn clean_pattern(&self) -> &'static Spelling<'static> {
        inherit!(self.clean_pattern());
        const { &Spelling::new("{0^}") }
    }

    /// A decimal, at `{0}`, with so many digits behind the point and as many as there is room for before it; asked for where
    /// [`Feature::DecimalDigits`] is expanded.
    fn wide_decimal(&self, scale: u32) -> String {
        inherit!(self.wide_decimal(scale));
        "{0^}".to_owned()
    }

    /// What stands behind the columns of an INSERT that gives an identity column its value, with the blank before it.
    fn overriding(&self) -> &'static str {
        inherit!(self.overriding());
        ""
    }

    /// What HAVING asks of a group so that several rows of it are an error; asked for where
    /// [`Feature::ScalarRows`] is expanded.
    fn one_row(&self) -> &'static Spelling<'static> {
        inherit!(self.one_row());
        const { &Spelling::new("COUNT(*) = 1") }
    }

    /// The hint in a derived table that must be materialized, not merged into the query around it, with a blank behind
    /// it; if the engine would do so by itself.
    fn materialize_hint(&self, alias: &str) -> Option<String> {
        inherit!(self.materialize_hint(alias));
        None
    }

    /// What stands before the columns that come back from a write, or from a DELETE: `inserted`, `deleted`. Nothing
    /// stands there in standard SQL.
    fn returning_qualifier(&self, rows: Returned) -> Option<&'static str> {
        inherit!(self.returning_qualifier(rows));
        None
    }

    /// Whether what comes back from a write may have parameters. Where it may not, their values stand in the text.
    fn binds_returning(&self) -> bool {
        inherit!(self.binds_returning());
        true
    }

    /// What is special about an UPDATE.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        inherit!(self.update(w, update));
        w.standard_update(update)
    }

    /// The source of an UPDATE or INSERT of many rows, each with values of its own: what makes a table of parameters with
    /// columns of these types. It is called [`ROWS`], its columns [`ROWS_COLUMN`] with the numbers of the parameters. None
    /// where the engine has no such thing.
    ///
    /// The text stands behind what is set or selected, unless the dialect writes it elsewhere:
    /// [`Writer::take_rows_source`].
    ///
    /// # Errors
    /// A type that the engine lacks.
    fn rows_source(&self, write: RowsWrite, types: &[DbType]) -> Result<Option<RowsSource>> {
        inherit!(self.rows_source(write, types));
        Ok(None)
    }

    /// What is special about a DELETE.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        inherit!(self.delete(w, delete));
        w.standard_delete(delete)
    }

    /// Division of whole numbers toward zero, where [`Feature::IntegerDivision`] is native: the sign between.
    fn integer_division(&self) -> &'static str {
        inherit!(self.integer_division());
        " / "
    }

    /// The function that divides whole numbers toward zero, where [`Feature::IntegerDivision`] is native and there is no sign for
    /// it: it takes the place of [`integer_division`](Self::integer_division).
    fn integer_quotient(&self) -> Option<&'static str> {
        inherit!(self.integer_quotient());
        None
    }

    /// A value that becomes an item of JSON: of an object, an array, or at a path.
    ///
    /// # Errors
    /// Those of writing the value.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        inherit!(self.json_item(w, value));
        w.scalar(value, Prec::Lowest)
    }

    /// The path to what holds the place of a path of [`json_path`](Self::json_path).
    fn json_parent<'p>(&self, path: &'p str) -> Cow<'p, str> {
        inherit!(self.json_parent(path));
        Cow::Borrowed(PathStep::parent(path))
    }

    /// The kind of what holds the place of a JSON path, as the engine calls it.
    fn json_kind(&self, holder: JsonHolder) -> &'static str {
        inherit!(self.json_kind(holder));
        match holder {
            JsonHolder::Object => "'object'",
            JsonHolder::Array => "'array'",
        }
    }

    /// Whether a path of [`json_path`](Self::json_path) means one thing only: rows for a [`plain`](Row::plain) path fit.
    fn json_plain(&self, path: &str) -> bool {
        inherit!(self.json_plain(path));
        true
    }

    /// A path of [`json_path`](Self::json_path) in the notation that tells an item of an array from a member, for
    /// engines whose short one does not.
    fn json_strict(&self, path: &str) -> String {
        inherit!(self.json_strict(path));
        path.to_owned()
    }

    /// The replacement of [`RegexpReplace`](crate::functions::Func::RegexpReplace) so that it stands for itself; none
    /// if there is no way to say it.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        inherit!(self.regexp_replacement(text));
        Some(Cow::Borrowed(text))
    }

    /// A date and time of a list in one parameter, as its JSON text has it.
    fn json_date_time(&self) -> JsonDateTime {
        inherit!(self.json_date_time());
        JsonDateTime::Iso
    }

    /// Whether a number in a JSON text is a double: a decimal of a list in one parameter is a text there, if it has more digits.
    fn json_doubles(&self) -> bool {
        inherit!(self.json_doubles());
        false
    }

    /// A pattern of [`Format`](crate::functions::Func::Format) in the engine's tokens.
    ///
    /// # Errors
    /// A refusal of a token that the engine lacks.
    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String>;

    /// A shorter spelling of [`Format`](crate::functions::Func::Format) by a pattern, of a date and time without an
    /// offset or of a date, as the type says: a template with the time as `{0}`.
    fn format_template(&self, pattern: &[FormatToken<'_>], of: DbValueType) -> Option<&'static Spelling<'static>> {
        inherit!(self.format_template(pattern, of));
        None
    }

    /// A JSON path as the engine takes it, from its steps.
    ///
    /// # Errors
    /// A refusal of a step that the engine lacks.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        inherit!(self.json_path(steps));
        Ok(PathStep::standard(steps))
    }
}

/// Whether every engine's column takes a value of another type as a CAST gives it: the default of
/// [`Dialect::assigns`].
pub fn assigns_everywhere(from: DbValueType, to: DbValueType) -> bool {
    use DbValueType as T;
    let time = |ty: T| ty.family() == Family::DateTime;
    from == to
        || from.is_integer() && to.is_number()
        || from.is_number() && (to.is_decimal() || to.is_float())
        || from.is_text() && to.is_text() && from != T::Xml && to != T::Xml
        || time(from) && time(to)
        || from.is_json() && to.is_json()
}

/// How the conflict clause of an INSERT names rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpsertNames {
    /// The proposed row.
    pub proposed: Proposed,
    /// The alias of the row that is there, as it stands in the text; the table's name if absent.
    pub existing: Option<&'static str>,
}

/// How a column of the proposed row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proposed {
    /// Behind a qualifier: `EXCLUDED.c`.
    Qualifier(&'static str),
    /// As the argument of a function: `VALUES(c)`.
    Function(&'static str),
}

/// A token of a [`Format`](crate::functions::Func::Format) pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum FormatToken<'p> {
    Year4,
    Year2,
    Month2,
    Month,
    MonthName,
    MonthShort,
    Day2,
    Day,
    DayName,
    DayShort,
    Hour24,
    Hour24Plain,
    Hour12,
    Hour12Plain,
    Minute,
    Second,
    Millisecond,
    AmPm,
    /// Text that stands for itself.
    Text(&'p str),
}
