//! Templates: SQL of the program with holes for expressions and values.
//!
//! Most statements are better built as trees. A template is for what a tree does not say: an engine's own function, a
//! hint, a statement that is there already. Its text is the program's, never a client's; what comes from outside goes
//! through holes, and is bound.

mod hole;
mod raw;

pub(crate) use hole::HoleKind;
pub use hole::{Hole, identifier, list};
pub use isogloss_lexis::{Lexis, TextPlace, TextProblem};
pub(crate) use isogloss_lexis::{Token, is_word, unbracketed};
pub use raw::RawSql;

use std::borrow::Cow;

use compact_str::CompactString;
use isogloss_lexis::{Notation, Scanner};

use crate::error::{ErrorKind, Result};
use crate::expr::{Expr, Name};

/// SQL text with holes.
///
/// # The text
///
/// | written | means |
/// |---|---|
/// | `[Order Date]` | the identifier, in the engine's quotes; a `[` or `]` in it is doubled, and it does not begin with `[`. It is a name of the database as it stands: no property is looked up, and a dot does not part it |
/// | `[[`, `]]`, `{{`, `}}` | one bracket or brace. A subscript is `[Tags][[1]]`; write a blank between `]` and `]]` |
/// | `{name}` | what [`bind`](Self::bind) gives for the name |
/// | `{}`, `{0}` | the next of what [`arg`](Self::arg) gives, and the one with that number |
/// | `{Table}` | the entity's table |
/// | `{From}` | the entity's table under the alias `T0`, and the joins of a view under their names |
/// | `{AllFields}` | every readable column, as a search selects them: needs `{From}` |
/// | `{FixedFilter}` | the entity's fixed filter, or what is always true |
///
/// In a literal, a quoted name or a comment nothing is replaced. What those are is the engine's business (see
/// [`Lexis`]): `'a\'` is a whole literal for PostgreSQL and an open one for MySQL.
///
/// # Holes
///
/// | bound | written |
/// |---|---|
/// | a value | a parameter |
/// | NULL | `NULL` |
/// | a list | `(?, ?, ?)`. An empty one is refused: no text is right behind both `IN` and `NOT IN`; bind the predicate `prop(..).in_list(..)` |
/// | a predicate | itself, in parentheses if it has an operator |
/// | a value of the tree | itself, in parentheses if it has an operator |
/// | items of a select list, keys of an order | themselves, with commas between them |
/// | a query | itself, in parentheses |
/// | a common table expression | its name only: write `WITH` in the text |
/// | [`identifier`] | the identifier, in the engine's quotes |
/// | [`RawSql`] | its text as it stands |
///
/// A hole that stands alone between parentheses, as in `IN ({ids})`, gets none of its own. Names in a hole are those
/// of the entity of the template or of the request; its table has the alias `T0` there. In an UPDATE or DELETE, where
/// it has none, say [`unqualified`](Self::unqualified).
///
/// # The fixed filter
///
/// `{From}` of an entity with a fixed filter is `(SELECT * FROM t WHERE ..) T0`: so the filter holds whatever stands
/// around it, behind an `OR` as well as without a `WHERE`. The joins' filters stand in their `ON`. A row lock in the
/// text need not reach through it (MySQL's does not): lock with a tree. `{Table}` is the
/// bare name; write `WHERE {FixedFilter} AND ..` behind it.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// use isogloss_compiler::expr::{ValueOps, prop};
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Compiler, ExprString, Request, list};
/// # use isogloss_compiler::expr::DbValueType as T;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let orders = TableDef::new("Order").table("Orders")
///     .column(ColumnDef::new("Id", T::Int64).primary_key())
///     .column(ColumnDef::new("Amount", T::Decimal).precision(18, 2));
/// let target = Compiler::new(Catalog::builder().table(orders).build()?).target(&Plain);
///
/// let template = ExprString::parse("SELECT COUNT(*) FROM {From} WHERE {filter} AND [State] IN {states}")?
///     .bind("filter", prop("Amount").gt(100) | prop("Id").eq(1))
///     .bind("states", list(["open", "shipped"]));
/// let statement = target.compile_template(&template, &Request::of("Order"))?;
/// assert_eq!(
///     statement.sql,
///     r#"SELECT COUNT(*) FROM "Orders" "T0" WHERE ("T0"."Amount" > ? OR "T0"."Id" = ?) AND "State" IN (?, ?)"#
/// );
/// assert_eq!(statement.params.len(), 4);
///
/// let body = ExprString::new().text("WHERE [T0].[Amount] > ").value(100);
/// let statement = target.compile_template(&body, &Request::of("Order"))?;
/// assert_eq!(statement.sql, r#"SELECT "T0"."Id", "T0"."Amount" FROM "Orders" "T0" WHERE "T0"."Amount" > ?"#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExprString {
    pub(crate) parts: Vec<TemplatePart>,
    pub(crate) named: Vec<(CompactString, Hole)>,
    pub(crate) args: Vec<Hole>,
    pub(crate) entity: Option<Name>,
    pub(crate) search: bool,
    pub(crate) unqualified: bool,
}

/// A part of a template.
#[derive(Debug, Clone)]
pub(crate) enum TemplatePart {
    /// Text, which has holes of its own.
    Text(Cow<'static, str>),
    /// A hole that the builder filled.
    Hole(Hole),
}

impl ExprString {
    /// An empty template, to be built.
    pub fn new() -> Self {
        Self::default()
    }

    /// A template from its text.
    ///
    /// ```
    /// use isogloss_compiler::ExprString;
    /// let error = ExprString::parse("SELECT *\nFROM [Orders WHERE x = 1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "SQL template, line 2, column 6 (byte 14): a bracket is left open; \
    ///      a bracket that stands for itself is written `[[`"
    /// );
    /// ```
    ///
    /// # Errors
    /// If something in the text is left open, or closes nothing, in the reading of every engine. What only the
    /// dialect's own reading finds is an error of compiling.
    pub fn parse(text: impl Into<Cow<'static, str>>) -> Result<Self> {
        let text = text.into();
        Lexis::any(|lexis| scanner(&text, lexis).try_for_each(|token| token.map(drop)))
            .map_err(|(at, what)| problem(&text, at, what))?;
        Ok(Self::new().text(text))
    }

    /// Adds text, in the notation of [`parse`](Self::parse). A literal, a name or a comment ends where the text does
    /// unless more text follows.
    #[must_use]
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        match self.parts.last_mut() {
            Some(TemplatePart::Text(before)) => before.to_mut().push_str(&text),
            _ => self.parts.push(TemplatePart::Text(text)),
        }
        self
    }

    /// Adds a hole with a value in it: a parameter.
    #[must_use]
    pub fn value(self, value: impl Into<crate::expr::Value>) -> Self {
        self.hole(value.into())
    }

    /// Adds a hole with an expression in it.
    #[must_use]
    pub fn expr(self, expr: impl Into<Expr>) -> Self {
        self.hole(expr.into())
    }

    /// Adds a hole with a list in it: a parameter an item.
    #[must_use]
    pub fn list<V: Into<crate::expr::Value>>(self, items: impl IntoIterator<Item = V>) -> Self {
        self.hole(list(items))
    }

    /// Adds text that is taken over as it stands.
    #[must_use]
    pub fn raw(self, text: RawSql) -> Self {
        self.hole(text)
    }

    /// Adds a hole with anything in it.
    #[must_use]
    pub fn hole(mut self, hole: impl Into<Hole>) -> Self {
        self.parts.push(TemplatePart::Hole(hole.into()));
        self
    }

    /// Fills the holes of that name. The last call for a name counts.
    #[must_use]
    pub fn bind(mut self, name: impl Into<CompactString>, hole: impl Into<Hole>) -> Self {
        let (name, hole) = (name.into(), hole.into());
        match self.named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = hole,
            None => self.named.push((name, hole)),
        }
        self
    }

    /// Fills the next hole without a name: the first call is for `{0}` and the first `{}`.
    #[must_use]
    pub fn arg(mut self, hole: impl Into<Hole>) -> Self {
        self.args.push(hole.into());
        self
    }

    /// Names the entity that the tokens and the names in holes are of. Else it is the request's root.
    #[must_use]
    pub fn entity(mut self, entity: impl Into<Name>) -> Self {
        self.entity = Some(entity.into());
        self
    }

    /// Treats the template as the part after `SELECT {AllFields} FROM {From}`. This is automatic if its text begins with
    /// `WHERE` or `ORDER BY`.
    #[must_use]
    pub fn search(mut self) -> Self {
        self.search = true;
        self
    }

    pub(crate) fn is_search(&self) -> bool {
        self.search || matches!(self.parts.first(), Some(TemplatePart::Text(text)) if begins_with_clause(text))
    }

    /// The entity's table has no alias: in holes its columns are written without a qualifier, as an UPDATE or DELETE
    /// takes them. `{From}` and `{AllFields}` are refused then, and so are columns of a view's joins.
    ///
    /// In a subquery of a hole they are written behind the table's name.
    #[must_use]
    pub fn unqualified(mut self) -> Self {
        self.unqualified = true;
        self
    }
}

/// Returns whether a text begins with a clause that no statement begins with.
fn begins_with_clause(text: &str) -> bool {
    // Other words may be the name of a procedure.
    let mut words = text.split_ascii_whitespace();
    let mut is = |word: &str| words.next().is_some_and(|next| next.eq_ignore_ascii_case(word));
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'w' | b'W') => is("WHERE"),
        _ => is("ORDER") && is("BY"),
    }
}

/// A scanner of a template's text.
pub(crate) fn scanner(text: &str, lexis: Lexis) -> Scanner<'_> {
    Scanner::new(text, lexis, Notation { brackets: true, hole: Some(hole_end) })
}

/// What stands before the brace that closes a hole: a name, a number or nothing.
fn hole_end(inner: &str) -> Result<usize, TextProblem> {
    let (name, _) = inner.split_once('}').ok_or(TextProblem::OpenHole)?;
    let trimmed = name.trim();
    let known = trimmed.bytes().all(|b| b.is_ascii_digit()) || Name::is_plain(trimmed);
    if known { Ok(name.len()) } else { Err(TextProblem::BadHole) }
}

/// The error for a problem at a byte of a text.
pub(crate) fn problem(text: &str, offset: usize, problem: TextProblem) -> crate::Error {
    ErrorKind::TemplateText { problem, place: TextPlace::new(text, offset) }.into()
}
