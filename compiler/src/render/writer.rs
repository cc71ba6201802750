//! The writer: text, identifiers, parameters and literals.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::{self, Write as _};

use bumpalo::Bump;

use crate::dialect::{Dialect, Feature, Placeholder};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Decimal, LockWait, Value};
use crate::frame::{Bound, Param, Scalar};
use crate::kept::{Made, made_again};
use crate::model::Column;
use crate::target::Target;

use super::{Micros, Placeholders};

/// How tightly an operator binds. A node is put in parentheses if it binds less tightly than its place requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Prec {
    Lowest,
    Or,
    And,
    Not,
    Compare,
    /// Concatenation. The engines differ in the precedence of `||`, so everything but an atom beside it is put in
    /// parentheses.
    Concat,
    Add,
    Multiply,
    Unary,
    Atom,
}

/// A bound parameter with its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter<'e> {
    /// The value. It is borrowed from the tree if it is bound unchanged.
    pub value: Cow<'e, Value>,
    /// The database type, so that a NULL can be bound on every engine; `None` if it is unknown.
    pub ty: Option<DbType>,
}

/// For people: the value's kind and the value, as in `text 'R&D%'`. It is no SQL.
impl fmt::Display for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.value, self.ty) {
            (Value::Null, Some(ty)) => write!(f, "{} NULL", ty.base.name()),
            (Value::Null, None) => f.write_str("NULL"),
            (value, _) => write!(f, "{} {value}", value.kind()),
        }
    }
}

/// A value that the statement returns through a placeholder instead of a row: `RETURNING a INTO :3`.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The name that it would have in a row.
    pub name: String,
    /// The database type that it is bound as.
    pub ty: Option<DbType>,
}

/// Text and values of a registered fragment.
#[derive(Debug, Clone, Default)]
pub(crate) struct FragmentText {
    /// The values, each with the text before it.
    pub(crate) values: Vec<(String, Value, Option<DbType>)>,
    /// The text behind the last value.
    pub(crate) last: String,
}

/// Writes the SQL text of a statement.
#[derive(Debug)]
pub struct Writer<'w, 'e> {
    pub(crate) sql: String,
    pub(crate) params: Vec<Parameter<'e>>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) target: &'w Target,
    /// The placeholders of its parameters.
    pub(crate) placeholders: &'w Placeholders,
    /// The source of a write of many rows: see [`Dialect::rows_source`](crate::dialect::Dialect::rows_source).
    pub(crate) rows_source: Option<&'w str>,
    pub(crate) made: &'w [Value],
    pub(crate) fragments: &'w [FragmentText],
    /// The lock of the select that is being written, for dialects that write it behind the table.
    pub(crate) table_lock: Option<crate::frame::Lock<'static>>,
    /// Whether a condition of WHERE or ON is written, in which an engine takes a subquery that it does not take in an
    /// aggregate or among the values that come back.
    pub(crate) in_condition: bool,
    /// Where the order of a string aggregation of the select that is being written stands in the text; empty before
    /// there is one.
    pub(crate) aggregate_order: std::ops::Range<usize>,
    /// How many queries are being written, each within the one before.
    pub(crate) queries: u32,
    /// Whether the values that come back from a write are written.
    pub(crate) in_returning: bool,
    /// The alias of the table that is locked, where others are joined to it.
    pub(crate) lock_of: Option<String>,
    /// The values that are written more than once, with their types and the numbers of their placeholders.
    repeated: Vec<(Bound<'e>, Option<DbType>, usize)>,
    /// The places of the parameters that are bound once and may be written again.
    shared: Vec<usize>,
    /// Whether a date and time with an offset was bound as one without.
    pub(crate) utc_bound: bool,
    /// What was made of values of the tree, and which parameters are such, with their places here.
    pub(crate) may_be_made: &'w [Made<'e, &'w Column>],
    pub(crate) made_again: Vec<(usize, usize)>,
    /// Whether an open value was looked at.
    pub(crate) looked: Cell<bool>,
}

impl<'w, 'e> Writer<'w, 'e> {
    pub(crate) fn new(target: &'w Target, made: &'w [Value], fragments: &'w [FragmentText]) -> Self {
        Self {
            sql: String::new(),
            params: Vec::new(),
            outputs: Vec::new(),
            target,
            placeholders: target.placeholders(),
            rows_source: None,
            made,
            fragments,
            table_lock: None,
            in_condition: false,
            aggregate_order: 0..0,
            queries: 0,
            in_returning: false,
            lock_of: None,
            repeated: Vec::new(),
            shared: Vec::new(),
            utc_bound: false,
            may_be_made: &[],
            made_again: Vec::new(),
            looked: Cell::new(false),
        }
    }

    /// Makes room for a statement at once, so that neither text nor parameters grow. The arena tells how much its
    /// nodes say; text that was made in advance is not in there.
    pub(crate) fn reserve(&mut self, statement: &crate::frame::Statement<'_, 'e>, arena: &Bump, params: usize) {
        use crate::frame::{Body, Items, Join, Statement};
        let mut text = 0;
        if let Statement::Query(crate::frame::Query { body: Body::Select(select), .. }) = statement {
            let joins = select.joins.iter().map(|join| if let Join::View(joins) = join { joins.text.len() } else { 0 });
            text = joins.sum::<usize>() + if let Items::Text(items) = select.items { items.len() } else { 0 };
        }
        let nodes = arena.allocated_bytes().saturating_sub(arena.chunk_capacity());
        self.sql.reserve(text + nodes / 5 + 48);
        self.params.reserve(params);
    }

    /// Writes text as it is.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    /// Whether the current place is a part of a condition of WHERE or ON, so that a subquery may be used.
    pub fn in_condition(&self) -> bool {
        self.in_condition
    }

    /// Whether a query within another one is being written.
    pub fn in_subquery(&self) -> bool {
        self.queries > 1
    }

    /// The dialect of the statement. A hook that calls another hook has to call that of this dialect, as its own may be a base
    /// of it.
    #[must_use]
    pub fn dialect(&self) -> &'w dyn Dialect {
        self.target.dialect()
    }

    /// The error of a dialect that refuses something.
    pub fn refused(&self, feature: impl Into<String>, reason: impl Into<String>) -> crate::Error {
        self.target.refused(feature, reason)
    }

    /// Writes an identifier, quoted and escaped.
    pub fn identifier(&mut self, name: &str) {
        self.target.quotes().quote_into(&mut self.sql, name);
    }

    /// Writes a number.
    #[inline]
    pub fn number(&mut self, n: usize) {
        push_number(&mut self.sql, n);
    }

    /// The source of a write of many rows, which the caller has to write: see
    /// [`Dialect::rows_source`](crate::dialect::Dialect::rows_source).
    pub fn take_rows_source(&mut self) -> Option<&str> {
        self.rows_source.take()
    }

    /// Binds a parameter and writes its placeholder.
    #[inline]
    pub fn placeholder(&mut self, param: Param<'e>, ty: Option<DbType>) {
        match param {
            Param { value: Bound::Tree(value) | Bound::Open(value), shared: false, repeated: false, .. } => {
                self.bind(Cow::Borrowed(value), ty)
            }
            _ => self.placed_again(param, ty),
        }
    }

    /// The same for a value that was made, or that may be bound already.
    fn placed_again(&mut self, param: Param<'e>, ty: Option<DbType>) {
        if param.repeated && !param.shared && self.is_bound(param, ty) {
            return;
        }
        let value = match param.value {
            Bound::Tree(value) => Cow::Borrowed(value),
            Bound::Open(value) => {
                // A shared one is compared with the others.
                self.looked.set(self.looked.get() || param.shared);
                Cow::Borrowed(value)
            }
            Bound::Made(index) => {
                if let Some(place) = made_again(self.may_be_made, index) {
                    self.looked.set(self.looked.get() || param.shared);
                    self.made_again.push((self.params.len(), place));
                }
                Cow::Owned(self.made.get(index as usize).cloned().unwrap_or_default())
            }
        };
        if param.shared {
            self.bind_once(value, ty);
        } else {
            self.bind(value, ty);
        }
    }

    /// Binds a value and writes its placeholder, or writes the one again that a shared parameter of that value has.
    fn bind_once(&mut self, value: Cow<'e, Value>, ty: Option<DbType>) {
        // A draft may have been taken back.
        self.shared.retain(|place| *place < self.params.len());
        let is = |place: &&usize| self.params.get(**place).is_some_and(|p| p.ty == ty && p.value == value);
        match self.shared.iter().find(is) {
            Some(place) => self.placeholders.push(&mut self.sql, place + 1),
            None => {
                self.shared.push(self.params.len());
                self.bind(value, ty);
            }
        }
    }

    /// Writes the placeholder of a value again, if it is bound already and a placeholder may stand twice.
    fn is_bound(&mut self, param: Param<'e>, ty: Option<DbType>) -> bool {
        if !self.target.dialect().repeats_placeholders() {
            return false;
        }
        // A draft may have been taken back.
        self.repeated.retain(|(_, _, number)| *number <= self.params.len());
        let same = |(value, of, _): &&(Bound<'e>, Option<DbType>, usize)| *of == ty && value.is(&param.value);
        match self.repeated.iter().find(same) {
            Some((_, _, number)) => {
                self.placeholders.push(&mut self.sql, *number);
                true
            }
            None => {
                self.repeated.push((param.value, ty, self.params.len() + 1));
                false
            }
        }
    }

    /// Binds a value and writes its placeholder.
    // Not in a debug build, where it would take room in the frames of the recursion around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn bind(&mut self, value: Cow<'e, Value>, ty: Option<DbType>) {
        let mut parameter = Parameter { value, ty };
        if is_offset(ty) {
            parameter = self.at_utc(parameter);
        }
        self.params.push(parameter);
        self.placeholders.push(&mut self.sql, self.params.len());
    }

    /// Binds plain values and writes their placeholders with commas between them.
    pub(crate) fn bind_all(&mut self, values: &'e [Value], types: impl Iterator<Item = Option<DbType>>) {
        let first = self.params.len();
        let mut offsets = false;
        let bound = values.iter().zip(types).map(|(value, ty)| {
            offsets |= is_offset(ty);
            Parameter { value: Cow::Borrowed(value), ty }
        });
        self.params.extend(bound);
        if offsets {
            let bound = self.params.split_off(first);
            for parameter in bound {
                let parameter = if is_offset(parameter.ty) { self.at_utc(parameter) } else { parameter };
                self.params.push(parameter);
            }
        }
        self.placeholders.push_run(&mut self.sql, first + 1, self.params.len() - first);
    }

    /// The same instant in UTC; as a date and time where the engine has no type with an offset.
    #[cold]
    fn at_utc(&mut self, parameter: Parameter<'e>) -> Parameter<'e> {
        let Value::DateTimeOffset(time) = &*parameter.value else { return parameter };
        if !self.target.has(Feature::OffsetParameter) {
            self.utc_bound = true;
            let value = Value::DateTime(time.naive_utc());
            return Parameter { value: Cow::Owned(value), ty: Some(DbValueType::DateTime2.into()) };
        }
        if time.offset().local_minus_utc() == 0 {
            return parameter;
        }
        let value = Value::DateTimeOffset(time.to_utc().fixed_offset());
        Parameter { value: Cow::Owned(value), ty: parameter.ty }
    }

    /// Writes a placeholder that the statement fills. It is numbered after all bound values.
    pub fn output(&mut self, quoted: &str, ty: Option<DbType>) {
        let name = self.target.quotes().unquoted(quoted);
        self.outputs.push(Output { name, ty });
        match self.target.placeholder() {
            Placeholder::Question => self.sql.push('?'),
            Placeholder::Numbered(prefix) => {
                self.sql.push_str(prefix);
                push_number(&mut self.sql, self.params.len() + self.outputs.len());
            }
        }
    }

    /// The value of a parameter.
    pub fn value_of<'v>(&'v self, param: &Param<'e>) -> Option<&'v Value>
    where
        'e: 'v,
    {
        self.bound(param.value)
    }

    /// The value that is bound there: one of the tree's, or one that was made.
    pub(crate) fn bound<'v>(&self, bound: Bound<'e>) -> Option<&'v Value>
    where
        'w: 'v,
        'e: 'v,
    {
        match bound {
            Bound::Tree(value) => Some(value),
            Bound::Open(value) => {
                self.looked.set(true);
                Some(value)
            }
            Bound::Made(index) => {
                if made_again(self.may_be_made, index).is_some() {
                    self.looked.set(true);
                }
                self.made.get(index as usize)
            }
        }
    }

    /// Writes a bound value, with its type where nothing around it tells it.
    pub(crate) fn param(&mut self, param: Param<'e>, ty: Option<DbType>) -> Result<()> {
        let bare = self.in_returning && !self.target.dialect().binds_returning();
        if bare && let Some(value) = self.bound(param.value).cloned() {
            return match ty {
                Some(ty) => self.target.dialect().typed_literal(self, &value, ty),
                None => self.target.dialect().literal(self, &value),
            };
        }
        match ty {
            Some(ty) if param.untyped => self.target.dialect().typed_parameter(self, param, ty),
            _ => {
                self.placeholder(param, ty);
                Ok(())
            }
        }
    }

    /// Writes values separated by an operator, each in parentheses unless it is an atom.
    ///
    /// # Errors
    /// Those of writing the items.
    pub fn operator_list(&mut self, items: &[Scalar<'_, 'e>], operator: &str) -> Result<()> {
        if let Some(size) = self.group_size(items.len()) {
            return self.in_groups(items, size, operator, |w, group| w.operator_list(group, operator));
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(operator);
            }
            self.scalar(item, Prec::Atom)?;
        }
        Ok(())
    }

    /// How many items go into a group, where so many are too many side by side.
    pub(super) fn group_size(&self, count: usize) -> Option<usize> {
        let most = self.target.dialect().sheet().limits.side_by_side.max(2);
        (count > most).then(|| count.div_ceil(most).max(most))
    }

    /// Writes items in groups: `(a AND b AND ..) AND (c AND d AND ..)`.
    pub(super) fn in_groups<T>(
        &mut self,
        items: &[T],
        size: usize,
        word: &str,
        mut write: impl FnMut(&mut Self, &[T]) -> Result<()>,
    ) -> Result<()> {
        for (index, group) in items.chunks(size).enumerate() {
            if index > 0 {
                self.text(word);
            }
            self.text("(");
            write(self, group)?;
            self.text(")");
        }
        Ok(())
    }

    /// Writes values separated by commas.
    ///
    /// # Errors
    /// Those of writing the items.
    pub fn list(&mut self, items: &[Scalar<'_, 'e>]) -> Result<()> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            self.scalar(item, Prec::Lowest)?;
        }
        Ok(())
    }

    /// Writes ` OF "T0"` if other tables are joined: the lock is for the rows of the first table, and some engines
    /// cannot lock rows that an outer join may leave out.
    pub fn lock_of(&mut self) {
        if let Some(alias) = self.lock_of.take() {
            self.text(" OF ");
            self.text(&alias);
        }
    }

    /// Writes ` OF "T0"."Id"` if other tables are joined, for an engine that requires a column instead of a table.
    pub fn lock_of_column(&mut self, lock: crate::frame::Lock<'_>) {
        if let (Some(_), Some(column)) = (self.lock_of.take(), lock.column) {
            self.text(" OF ");
            self.text(column);
        }
    }

    /// Writes `NOWAIT` or `SKIP LOCKED`, with a leading blank.
    pub fn lock_wait(&mut self, wait: LockWait) {
        self.text(match wait {
            LockWait::Wait => "",
            LockWait::NoWait => " NOWAIT",
            LockWait::SkipLocked => " SKIP LOCKED",
        });
    }

    /// Writes a text literal: single quotes, doubled inside.
    pub fn text_literal(&mut self, text: &str) {
        self.sql.push('\'');
        for (index, part) in text.split('\'').enumerate() {
            if index > 0 {
                self.sql.push_str("''");
            }
            self.sql.push_str(part);
        }
        self.sql.push('\'');
    }

    /// Writes `CAST(value AS type)` with the dialect's name of the type.
    ///
    /// # Errors
    /// Those of writing the value, and a type that the dialect refuses.
    pub fn standard_cast(&mut self, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let name = self.target.dialect().cast_type(to)?;
        self.text("CAST(");
        self.scalar(value, Prec::Lowest)?;
        self.text(" AS ");
        self.text(name);
        self.text(")");
        Ok(())
    }

    /// Writes a literal of the SQL standard: `TRUE`, `1.5`, `'a'`, `DATE '2024-01-31'`.
    ///
    /// # Errors
    /// A value without a literal, such as a list.
    pub fn standard_literal(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Null => self.text("NULL"),
            Value::Bool(b) => self.text(if *b { "TRUE" } else { "FALSE" }),
            Value::Int(n) => self.display(n),
            Value::UInt(n) => self.display(n),
            Value::Decimal(n) => self.decimal(n),
            Value::Float(n) if n.is_finite() => self.float(*n),
            Value::Text(text) => self.text_literal(text),
            Value::Json(text) => self.text_literal(text),
            Value::Date(date) => self.quoted("DATE '", date, "'"),
            Value::Time(time) => self.quoted("TIME '", Micros(*time), "'"),
            Value::DateTime(at) => {
                self.quoted("TIMESTAMP '", format_args!("{} {}", at.date(), Micros(at.time())), "'");
            }
            Value::Bytes(bytes) => {
                self.text("X'");
                self.hex(bytes);
                self.text("'");
            }
            other => match other.word() {
                Some(word) => self.quoted("'", word, "'"),
                None => {
                    return Err(
                        ErrorKind::Unbindable { kind: other.kind(), hint: " as a constant: use a parameter" }.into()
                    );
                }
            },
        }
        Ok(())
    }

    /// Writes a decimal that is no whole number to the engine, whose division would cut it: `1.5`, `5.0`.
    fn decimal(&mut self, n: &Decimal) {
        self.display(n);
        // Beyond 64 bits, it is none anyway.
        if n.scale() == 0 && i64::try_from(n.mantissa()).is_ok() {
            self.text(".0");
        }
    }

    /// Writes a double so that it is read back as the same number: `1.5`, `1e300`, `5.0`.
    pub fn float(&mut self, n: f64) {
        let _ = if n.abs() >= 1e16 || (n != 0.0 && n.abs() < 1e-5) {
            write!(self.sql, "{n:e}")
        } else {
            write!(self.sql, "{n:?}")
        };
    }

    /// Writes bytes as hexadecimal digits.
    pub fn hex(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let _ = write!(self.sql, "{byte:02X}");
        }
    }

    /// Writes a value by its `Display`.
    pub fn display(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.sql, "{value}");
    }

    /// Writes a value by its `Display`, between two texts.
    pub fn quoted(&mut self, before: &str, value: impl std::fmt::Display, after: &str) {
        self.text(before);
        self.display(value);
        self.text(after);
    }
}

/// Whether it is a date and time with an offset.
#[inline]
fn is_offset(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base == DbValueType::DateTimeOffset && !ty.array)
}

/// The numbers below 1,000 with their leading zeros, one after the other.
#[allow(clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "digits, at compile time")]
const DIGITS: &str = {
    const BYTES: [u8; 3000] = {
        let mut bytes = [b'0'; 3000];
        let mut n = 0;
        while n < 1000 {
            bytes[3 * n] = b'0' + (n / 100) as u8;
            bytes[3 * n + 1] = b'0' + (n / 10 % 10) as u8;
            bytes[3 * n + 2] = b'0' + (n % 10) as u8;
            n += 1;
        }
        bytes
    };
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// Appends a number: three digits at a time, copied from a table.
#[inline]
pub(crate) fn push_number(sql: &mut String, n: usize) {
    if n >= 1000 {
        push_number(sql, n / 1000);
        sql.push_str(DIGITS.get(n % 1000 * 3..n % 1000 * 3 + 3).unwrap_or_default());
        return;
    }
    let skip = if n >= 100 {
        0
    } else if n >= 10 {
        1
    } else {
        2
    };
    sql.push_str(DIGITS.get(n * 3 + skip..n * 3 + 3).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::push_number;

    #[test]
    fn numbers_are_written_as_they_are_printed() {
        for n in (0..2_100).chain([65_535, 99_999, 100_000, 1_000_000, usize::MAX]) {
            let mut text = String::new();
            push_number(&mut text, n);
            assert_eq!(text, n.to_string());
        }
    }
}
