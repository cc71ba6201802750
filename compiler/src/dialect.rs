//! What a dialect is: a data sheet, a function table, and a few hooks for what is spelled differently in structure.
//!
//! A difference is, in this order of preference: a row of the support table; a row of the function table; a rule of
//! [`legalize`](crate::legalize); an overridden hook with a default.

mod feature;
mod row;
mod spelling;

use std::borrow::Cow;
use std::fmt::{self, Debug, Write as _};

use chrono::NaiveDateTime;

pub use feature::Feature;
pub use row::{Form, On, Row};
pub use spelling::Spelling;

use crate::error::Result;
use crate::expr::{DbType, DbValueType, LockMode, Value};
use crate::frame::{Delete, In, Insert, Lock, Param, Scalar, TextForm, Update};
use crate::legalize::Rule;
use crate::model::Collation;
use crate::render::{Micros, Prec, Writer};
use crate::template::Lexis;

/// What the source of [`Dialect::rows_source`] is called.
pub const ROWS: &str = "given_rows";

/// What its columns are called, before their numbers.
pub const ROWS_COLUMN: &str = "value_";

/// Its columns in the text of a statement, before their numbers.
pub(crate) const ROWS_VALUE: &str = "given_rows.value_";

/// What writes many rows by one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsWrite {
    /// `INSERT INTO t (..) SELECT .. FROM` the rows.
    Insert,
    /// `UPDATE t SET ..` of the rows that the filter finds for each of them.
    Update,
}

/// A table of parameters in a statement.
#[derive(Debug, Clone)]
pub struct RowsSource {
    /// Its text.
    pub text: String,
    /// How it takes the rows.
    pub form: RowsForm,
}

/// How a statement of many rows takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsForm {
    /// A parameter for each column: an array of what the rows have there.
    Arrays,
    /// One parameter: a JSON array of the rows, each an array of its values. Whole numbers are bare, truth values 0 and 1,
    /// bytes are hexadecimal digits, and anything else is text. No index may find a row by a text of it, whatever the collation of the column is.
    Json,
}

/// How a date and time stands in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonDateTime {
    /// `2024-01-31T10:20:30.500000`
    Iso,
    /// `2024-01-31 10:20:30.500`, with three, six or nine digits behind the seconds, or none where they would be zeros.
    Short,
}

impl JsonDateTime {
    pub(crate) fn write(self, text: &mut String, at: NaiveDateTime) -> fmt::Result {
        match self {
            Self::Iso => write!(text, "\"{}T{}\"", at.date(), Micros(at.time())),
            Self::Short => write!(text, "\"{at}\""),
        }
    }
}

/// A version of an engine: major, minor, patch.
pub type Version = (u16, u16, u16);

/// The names of an engine's data sheet.
#[derive(Debug)]
pub struct Sheet {
    /// The dialect's name, as snapshots and errors give it.
    pub name: &'static str,
    /// How identifiers are quoted.
    pub quotes: Quotes,
    /// How parameters stand in the text.
    pub placeholder: Placeholder,
    /// What it can take.
    pub limits: Limits,
    /// What differs from standard SQL. A feature that is not named is native. Of several rows for one feature the
    /// last whose version fits counts.
    pub support: &'static [(Feature, Since)],
    /// How functions are spelled. Of several rows that fit, the first counts.
    pub functions: &'static [Row],
}

/// The characters around an identifier. The closing one is doubled inside.
#[derive(Debug, Clone, Copy)]
pub struct Quotes(pub char, pub char);

/// How parameters stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`
    Question,
    /// A prefix and the parameter's number from 1: `$1`, `@P1`, `:1`.
    Numbered(&'static str),
}

/// What an engine can take at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Parameters of a statement.
    pub parameters: usize,
    /// Rows of a VALUES list, or of the query that stands in its place.
    pub rows_in_values: usize,
    /// Items of an IN list.
    pub in_items: usize,
    /// Members of a set operation.
    pub set_members: usize,
    /// Tables of a FROM, the joined ones among them.
    pub joined_tables: usize,
    /// Arguments of a function.
    pub arguments: usize,
    /// Items of AND, OR or a concatenation side by side: each is one level of the tree that the engine makes of them.
    /// Longer lists are written in groups.
    pub side_by_side: usize,
    /// Length of an identifier.
    pub identifier: usize,
    /// Whether that length counts bytes (true) or characters.
    pub identifier_bytes: bool,
    /// Whether a name may hold the quote that ends it, doubled.
    pub quote_in_name: bool,
    /// Bytes of a regular expression.
    pub regex: usize,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits {
        parameters: usize::MAX,
        rows_in_values: usize::MAX,
        in_items: usize::MAX,
        set_members: usize::MAX,
        joined_tables: usize::MAX,
        arguments: usize::MAX,
        side_by_side: usize::MAX,
        identifier: usize::MAX,
        identifier_bytes: false,
        quote_in_name: true,
        regex: usize::MAX,
    };

    /// How long an identifier is, in what its limit counts.
    pub fn length_of(&self, name: &str) -> usize {
        if self.identifier_bytes { name.len() } else { name.chars().count() }
    }

    /// Why a name cannot be written in those quotes, if it cannot.
    pub fn no_name(&self, name: &str, quotes: Quotes) -> Option<&'static str> {
        (!self.quote_in_name && name.contains(quotes.1)).then_some("no name holds a quote there")
    }
}

/// Whether an engine has a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It has.
    Native,
    /// It has not; the rule expresses the same by what it has.
    Expand(Rule),
    /// It has not, and nothing expresses the same: why.
    Refuse(&'static str),
}

/// A support and the version of the engine from which it counts.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    /// The version.
    pub version: Version,
    /// The support.
    pub support: Support,
}

impl Support {
    /// In every version.
    pub const fn always(self) -> Since {
        Since { version: (0, 0, 0), support: self }
    }

    /// From that version on.
    pub const fn since(self, version: Version) -> Since {
        Since { version, support: self }
    }
}

/// A SQL dialect of an engine in a version.
///
/// The defaults are what PostgreSQL and SQLite share.
pub trait Dialect: Debug + Send + Sync {
    /// The data sheet.
    fn sheet(&self) -> &'static Sheet;

    /// The version that is meant.
    fn version(&self) -> Version;

    /// What it is set to beyond its version. A compiler keeps a target for each.
    fn variant(&self) -> &'static str {
        ""
    }

    /// The name and version, as errors give it: `sqlserver 2019`.
    fn label(&self) -> String;

    /// The dialect in a box that can be kept.
    fn to_shared(&self) -> std::sync::Arc<dyn Dialect>;

    /// Rows of the function table that come before those of the data sheet: what this value of the dialect spells otherwise.
    fn more_functions(&self) -> &'static [Row] {
        &[]
    }

    /// Makes of a parameter's value the one that is bound instead, for a dialect that says how its database's rows are
    /// written.
    fn stored_form(&self) -> Option<fn(&Value) -> Option<Value>> {
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
        w.standard_literal(value)
    }

    /// A value as a literal of a type that is known.
    ///
    /// # Errors
    /// Those of [`literal`](Self::literal).
    fn typed_literal(&self, w: &mut Writer<'_, '_>, value: &Value, ty: DbType) -> Result<()> {
        let _ = ty;
        self.literal(w, value)
    }

    /// What the engine takes for a literal or a comment, beyond what all of them do. Templates are scanned by it.
    fn lexis(&self) -> Lexis;

    /// Between `SELECT [DISTINCT]` and the items: SQL Server's TOP.
    ///
    /// # Errors
    /// Those of writing the limit.
    fn top<'e>(&self, w: &mut Writer<'_, 'e>, limit: &Scalar<'_, 'e>) -> Result<bool> {
        let _ = (w, limit);
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
        w.text(match lock.mode {
            LockMode::Update => " FOR UPDATE",
            LockMode::Share => " FOR SHARE",
        });
        w.lock_wait(lock.wait);
    }

    /// The lock hint behind a table, with the blank before it, for engines that lock so.
    fn table_hint(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        let _ = (w, lock);
    }

    /// Whether a placeholder may stand in several places for one bound value.
    fn repeats_placeholders(&self) -> bool {
        false
    }

    /// What stands behind the items of a select without a source, with the blank before it.
    fn no_source(&self) -> &'static str {
        ""
    }

    /// Whether a constant of the tree stands in the text. One whose literal would be another value is bound instead, wherever
    /// a parameter may stand.
    fn writes_constant(&self, value: &Value) -> bool {
        let _ = value;
        true
    }

    /// A parameter to which nothing around it gives a type, where [`Feature::UntypedParameter`] is missing.
    ///
    /// # Errors
    /// A refusal of the type.
    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        w.text("CAST(");
        w.placeholder(param, Some(ty));
        w.text(" AS ");
        w.text(self.cast_type(ty)?);
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
        w.standard_cast(value, to)
    }

    /// Whether a column takes a value of another type as a CAST to its own type gives it, so that it is assigned as it is.
    /// The default is what all engines do: numbers become those of a type that is not whole or is whole as they are, and
    /// texts stay texts.
    fn assigns(&self, from: DbValueType, to: DbValueType) -> bool {
        assigns_everywhere(from, to)
    }

    /// The name of a type in CAST that has room for whatever a recursion makes of a column.
    ///
    /// # Errors
    /// A refusal, where the engine has no such type.
    fn wide_type(&self, ty: DbType) -> Result<&'static str> {
        self.cast_type(ty)
    }

    /// The words of a cross join, with the blanks around them.
    fn cross_join(&self) -> &'static str {
        " CROSS JOIN "
    }

    /// How WITH begins where a common table expression refers to itself.
    fn with_recursive(&self) -> &'static str {
        "WITH RECURSIVE "
    }

    /// What ends a statement in which a common table expression refers to itself, with the blank before it.
    fn recursive_end(&self) -> &'static str {
        ""
    }

    /// The word of EXCEPT.
    fn except(&self) -> &'static str {
        " EXCEPT "
    }

    /// A concatenation.
    ///
    /// # Errors
    /// Those of writing the items.
    fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()> {
        w.operator_list(items, " || ")
    }

    /// A text literal in a place that takes nothing but one: no type, no character set before it.
    fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str) {
        w.text_literal(text);
    }

    /// How tight a concatenation binds.
    fn concat_prec(&self) -> Prec {
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
        let _ = form;
        Prec::Unary
    }

    /// Whether an array is a table that is joined: a text that is looked up by its column's collation and by its code points,
    /// [`In::exact`](crate::frame::In::exact), is looked up once then.
    fn joins_array(&self) -> bool {
        false
    }

    /// A text beside a column of another character set, collation or type, so that an index on the column serves it: how that
    /// is written, with the text at `{0}`. None where the engine converts it by itself.
    fn beside_column(&self, collation: &Collation) -> Option<String> {
        let _ = collation;
        None
    }

    /// A time of that type, at `{0}`, without what is behind `digits` digits of its seconds; nothing where the engine has
    /// no more. Asked for where [`Feature::ColumnSeconds`] is expanded.
    fn cut_seconds(&self, ty: DbValueType, digits: u8) -> Option<(String, Prec)> {
        let _ = (ty, digits);
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
        equal: bool,
    ) -> Result<()> {
        w.scalar(left, Prec::Concat)?;
        w.text(if equal { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " });
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
        equal: bool,
    ) -> Result<()> {
        w.scalar(left, Prec::Concat)?;
        w.text(if equal { " = " } else { " <> " });
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
        negated: bool,
    ) -> Result<()> {
        if negated {
            w.text("NOT ");
        }
        w.text("REGEXP_LIKE(");
        w.scalar(text, Prec::Lowest)?;
        w.text(", ");
        w.scalar(pattern, Prec::Lowest)?;
        w.text(")");
        Ok(())
    }

    /// The clause behind a LIKE pattern that may hold the escape character.
    fn like_escape(&self) -> &'static str {
        ""
    }

    /// The conflict clause and everything else that is special about an INSERT.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        w.standard_insert(insert)
    }

    /// What an INSERT of one row says that is given nothing, behind the table, with the blank before it. The column is the
    /// one that the database numbers.
    fn default_row(&self, column: &str) -> Cow<'static, str> {
        let _ = column;
        Cow::Borrowed(" DEFAULT VALUES")
    }

    /// How the conflict clause of an INSERT into a table names the proposed row, and the one that is there.
    fn upsert_names(&self, table: &str) -> UpsertNames {
        let _ = table;
        UpsertNames { proposed: Proposed::Qualifier("EXCLUDED"), existing: None }
    }

    /// Whether an UPDATE or DELETE names its table by an alias: where a name that is no column would be taken for
    /// something else unless an alias stands before it.
    fn write_alias(&self) -> bool {
        false
    }

    /// Whether an UPDATE or DELETE takes joins: `DELETE t0 FROM t t0 JOIN u ON ..`.
    fn write_joins(&self) -> bool {
        false
    }

    /// `COALESCE` of a subquery and one other value, which is computed once; asked for where [`Feature::CoalesceQuery`] is
    /// expanded.
    fn coalesced_query(&self) -> &'static Spelling<'static> {
        const { &Spelling::new("COALESCE({0}, {1})") }
    }

    /// A computed pattern of LIKE in which an escape stands before a wildcard or itself only; asked for where
    /// [`Feature::LikeEscape`] is expanded.
    fn clean_pattern(&self) -> &'static Spelling<'static> {
        const { &Spelling::new("{0^}") }
    }

    /// A decimal, at `{0}`, with so many digits behind the point and as many as there is room for before it; asked for where
    /// [`Feature::DecimalDigits`] is expanded.
    fn wide_decimal(&self, scale: u32) -> String {
        let _ = scale;
        "{0^}".to_owned()
    }

    /// What stands behind the columns of an INSERT that gives an identity column its value, with the blank before it.
    fn overriding(&self) -> &'static str {
        ""
    }

    /// What HAVING asks of a group so that several rows of it are an error; asked for where
    /// [`Feature::ScalarRows`] is expanded.
    fn one_row(&self) -> &'static Spelling<'static> {
        const { &Spelling::new("COUNT(*) = 1") }
    }

    /// The hint in a derived table that must be materialized, not merged into the query around it, with a blank behind
    /// it; if the engine would do so by itself.
    fn materialize_hint(&self, alias: &str) -> Option<String> {
        let _ = alias;
        None
    }

    /// What stands before the columns that come back from a write, or from a DELETE: `inserted`, `deleted`. Nothing
    /// stands there in standard SQL.
    fn returning_qualifier(&self, deleted: bool) -> Option<&'static str> {
        let _ = deleted;
        None
    }

    /// What is special about an UPDATE.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
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
        let _ = (write, types);
        Ok(None)
    }

    /// What is special about a DELETE.
    ///
    /// # Errors
    /// Those of writing its parts.
    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        w.standard_delete(delete)
    }

    /// Division of whole numbers toward zero, where [`Feature::IntegerDivision`] is native: the sign between.
    fn integer_division(&self) -> &'static str {
        " / "
    }

    /// A value that becomes an item of JSON: of an object, an array, or at a path.
    ///
    /// # Errors
    /// Those of writing the value.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        w.scalar(value, Prec::Lowest)
    }

    /// The path to what holds the place of a path of [`json_path`](Self::json_path).
    fn json_parent<'p>(&self, path: &'p str) -> Cow<'p, str> {
        Cow::Borrowed(PathStep::parent(path))
    }

    /// What holds the place of a JSON path: an object, if its last step is a member, or an array.
    fn json_kind(&self, member: bool) -> &'static str {
        if member { "'object'" } else { "'array'" }
    }

    /// Whether a path of [`json_path`](Self::json_path) means one thing only: rows for a [`plain`](Row::plain) path fit.
    fn json_plain(&self, path: &str) -> bool {
        let _ = path;
        true
    }

    /// A path of [`json_path`](Self::json_path) in the notation that tells an item of an array from a member, for
    /// engines whose short one does not.
    fn json_strict(&self, path: &str) -> String {
        path.to_owned()
    }

    /// The replacement of [`RegexpReplace`](crate::functions::Func::RegexpReplace) so that it stands for itself; none
    /// if there is no way to say it.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(Cow::Borrowed(text))
    }

    /// A date and time of a list in one parameter, as its JSON text has it.
    fn json_date_time(&self) -> JsonDateTime {
        JsonDateTime::Iso
    }

    /// A pattern of [`Format`](crate::functions::Func::Format) in the engine's tokens.
    ///
    /// # Errors
    /// A refusal of a token that the engine lacks.
    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String>;

    /// A shorter spelling of [`Format`](crate::functions::Func::Format) by a pattern, of a date and time without an
    /// offset or, if `date`, of a date: a template with the time as `{0}`.
    fn format_template(&self, pattern: &[FormatToken<'_>], date: bool) -> Option<&'static Spelling<'static>> {
        let _ = (pattern, date);
        None
    }

    /// A JSON path as the engine takes it, from its steps.
    ///
    /// # Errors
    /// A refusal of a step that the engine lacks.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        Ok(PathStep::standard(steps))
    }
}

/// Whether every engine's column takes a value of another type as a CAST gives it: the default of
/// [`Dialect::assigns`].
pub fn assigns_everywhere(from: DbValueType, to: DbValueType) -> bool {
    use DbValueType as T;
    let time = |ty| matches!(ty, T::DateTime | T::DateTime2);
    let json = |ty| matches!(ty, T::Json | T::Jsonb);
    from == to
        || from.is_integer() && to.is_number()
        || from.is_number() && (to.is_decimal() || to.is_float())
        || from.is_text() && to.is_text() && from != T::Xml && to != T::Xml
        || time(from) && time(to)
        || json(from) && json(to)
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

/// A step of a JSON path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'p> {
    /// A member of an object.
    Member(&'p str),
    /// An item of an array.
    Item(u32),
}

impl PathStep<'_> {
    /// The path to what holds the place of a path in that notation: `$."a"` for `$."a"[0]`.
    pub fn parent(path: &str) -> &str {
        let inner = path.get(..path.len().saturating_sub(1)).unwrap_or("");
        let step = if path.ends_with(']') { "[" } else { ".\"" };
        inner.rfind(step).and_then(|at| path.get(..at)).unwrap_or(path)
    }

    /// The name or index of the last step of such a path, and whether it is a member; none if the path has no step.
    pub fn last(path: &str) -> Option<(&str, bool)> {
        let step = path.get(PathStep::parent(path).len()..)?;
        let name = |open, close| step.strip_prefix(open).and_then(|step: &str| step.strip_suffix(close));
        name(".\"", "\"").map(|name| (name, true)).or_else(|| name("[", "]").map(|index| (index, false)))
    }

    /// The path in the notation of the SQL standard: `$."a"."b"[0]`.
    pub fn standard(steps: &[PathStep<'_>]) -> String {
        let mut path = String::from("$");
        for step in steps {
            match step {
                PathStep::Member(name) => {
                    path.push_str(".\"");
                    for c in name.chars() {
                        if matches!(c, '"' | '\\') {
                            path.push('\\');
                        }
                        path.push(c);
                    }
                    path.push('"');
                }
                PathStep::Item(index) => {
                    path.push('[');
                    path.push_str(&index.to_string());
                    path.push(']');
                }
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::PathStep;

    #[test]
    fn the_parent_of_a_path_lacks_its_last_step() {
        for (path, parent) in [
            (r#"$."a""#, "$"),
            (r#"$."a"."b.""#, r#"$."a""#),
            (r#"$."a"[0]"#, r#"$."a""#),
            (r#"$[0]."x[1]""#, "$[0]"),
            ("$", "$"),
        ] {
            assert_eq!(PathStep::parent(path), parent);
        }
    }

    #[test]
    fn the_last_step_of_a_path_is_a_member_or_an_item() {
        assert_eq!(PathStep::last(r#"$."a"."b.""#), Some(("b.", true)));
        assert_eq!(PathStep::last(r#"$."a"[12]"#), Some(("12", false)));
        assert_eq!(PathStep::last("$"), None);
    }
}
