//! One statement for many rows, each with its own values.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::Datelike as _;

use crate::compiler::{Buffers, Compiled, Request, StatementRef};
use crate::dialect::{JsonDateTime, RowsForm, RowsWrite};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType as T, InsertExpr, InsertSource, Value};
use crate::legalize::json_text;
use crate::render::{Micros, Parameter};
use crate::resolve;
use crate::target::Target;

/// An UPDATE, or an INSERT of one row, that was compiled for many rows at once.
#[derive(Debug, Clone)]
pub struct RowsStatement {
    statement: Compiled<'static>,
    form: RowsForm,
    types: Vec<DbType>,
    date_time: JsonDateTime,
}

impl Target {
    /// Compiles an UPDATE, or an INSERT of one row, for many rows at once: each parameter is replaced by the values of
    /// the rows. `None` if the dialect has no such statement, the statement is another one, or a parameter has no known
    /// type or is an array itself.
    ///
    /// The filter of an UPDATE identifies a row: if two rows of values have the same one, only one of them is written.
    ///
    /// # Errors
    /// Those of [`compile`](Self::compile).
    pub fn compile_rows<'e>(&self, statement: impl Into<StatementRef<'e>>) -> Result<Option<RowsStatement>> {
        self.compile_rows_with(statement, &Request::default())
    }

    /// Compiles for many rows as [`compile_rows`](Self::compile_rows) does, with a request. `None` also if the
    /// request's [`Scope`](crate::Scope) has a filter on the statement's tables: each row then needs a statement of its
    /// own.
    ///
    /// # Errors
    /// Those of [`compile_with`](Self::compile_with).
    pub fn compile_rows_with<'e>(
        &self,
        statement: impl Into<StatementRef<'e>>,
        request: &Request<'e>,
    ) -> Result<Option<RowsStatement>> {
        let statement = statement.into();
        // The parameters of an INSERT are those of its row: what stands elsewhere in it does not see the rows.
        let (write, wanted) = match statement {
            StatementRef::Update(_) => (RowsWrite::Update, None),
            StatementRef::Insert(InsertExpr { columns, source: InsertSource::Values(row), .. })
                if row.len() == columns.len() =>
            {
                (RowsWrite::Insert, Some(row.len()))
            }
            _ => return Ok(None),
        };
        let one = self.compile_with(statement, request, Buffers::default())?;
        // A scope's values are not the rows', and each row would have to be looked at.
        if one.filters.iter().any(|filter| filter.off.is_none()) {
            return Ok(None);
        }
        let types: Option<Vec<DbType>> = one.params.iter().map(|param| param.ty.filter(|ty| !ty.array)).collect();
        let Some(types) = types.filter(|types| !types.is_empty() && wanted.is_none_or(|wanted| types.len() == wanted))
        else {
            return Ok(None);
        };
        let Some(source) = self.dialect().rows_source(write, &types)? else { return Ok(None) };
        let many =
            self.run(statement, one.recycle(), Some(&source.text), |cx| resolve::statement(cx, statement, request))?;
        let Compiled { sql, notes, .. } = many;
        let arrays = || types.iter().map(|ty| DbType::array_of(ty.base));
        let wanted: Vec<DbType> = match source.form {
            RowsForm::Arrays => arrays().collect(),
            RowsForm::Json => vec![T::Json.into()],
        };
        let param = |ty| Parameter { value: Cow::Owned(Value::Null), ty: Some(ty) };
        let params = wanted.into_iter().map(param).collect();
        let statement = Compiled { sql, params, notes, ..Compiled::default() };
        let date_time = self.dialect().json_date_time();
        Ok(Some(RowsStatement { statement, form: source.form, types, date_time }))
    }
}

impl RowsStatement {
    /// The SQL text.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.statement.sql
    }

    /// The number of values in a row: that of the parameters in the statement for one row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.types.len()
    }

    /// How the rows are passed.
    #[must_use]
    pub fn form(&self) -> RowsForm {
        self.form
    }

    /// The statement for these rows. `values` has the values of one row after the other, in the types of the parameters
    /// of one row.
    ///
    /// # Errors
    /// A value that the form does not support.
    pub fn with_rows(&self, values: Vec<Value>) -> Result<Compiled<'static>> {
        let width = self.types.len().max(1);
        let lists: Vec<Value> = match self.form {
            RowsForm::Arrays => {
                let mut lists = vec![Vec::with_capacity(values.len() / width); width];
                for (place, value) in values.into_iter().enumerate() {
                    if let Some(list) = lists.get_mut(place % width) {
                        list.push(value);
                    }
                }
                lists.into_iter().map(Value::from).collect()
            }
            RowsForm::Json => vec![self.json(&values)?],
        };
        let mut statement = self.statement.clone();
        for (param, list) in statement.params.iter_mut().zip(lists) {
            param.value = Cow::Owned(list);
        }
        Ok(statement)
    }

    /// The rows as one JSON array.
    fn json(&self, values: &[Value]) -> Result<Value> {
        let mut text = String::with_capacity(values.len() * 12 + 2);
        text.push('[');
        for (index, row) in values.chunks(self.types.len().max(1)).enumerate() {
            text.push_str(if index > 0 { ",[" } else { "[" });
            for (index, (value, ty)) in row.iter().zip(&self.types).enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                self.item(&mut text, value, *ty)?;
            }
            text.push(']');
        }
        text.push(']');
        Ok(Value::Json(text.into()))
    }

    #[allow(clippy::cast_possible_truncation, reason = "a column of single floats holds no more than that")]
    fn item(&self, text: &mut String, value: &Value, ty: DbType) -> Result<()> {
        let usual = |year: i32| (1..=9999).contains(&year);
        // Writing to a text does not fail.
        let _ = match value {
            Value::Null => write!(text, "null"),
            Value::Bool(truth) => write!(text, "{}", u8::from(*truth)),
            Value::Int(number) => write!(text, "{number}"),
            Value::UInt(number) => write!(text, "{number}"),
            Value::Float(number) if number.is_finite() && ty.base == T::Single => {
                write!(text, "\"{:e}\"", *number as f32)
            }
            Value::Float(number) if number.is_finite() => write!(text, "\"{number:e}\""),
            Value::Decimal(number) => write!(text, "\"{number}\""),
            Value::Text(value) => {
                json_text(text, value);
                Ok(())
            }
            Value::Json(value) => {
                json_text(text, value);
                Ok(())
            }
            Value::Bytes(bytes) => {
                text.push('"');
                bytes.iter().for_each(|byte| {
                    let _ = write!(text, "{byte:02x}");
                });
                text.push('"');
                Ok(())
            }
            Value::Date(date) if usual(date.year()) => write!(text, "\"{date}\""),
            Value::Time(time) => write!(text, "\"{}\"", Micros(*time)),
            Value::DateTime(at) if usual(at.year()) => self.date_time.write(text, *at),
            Value::DateTimeOffset(at) if usual(at.naive_utc().year()) => self.date_time.write(text, at.naive_utc()),
            other => match other.word() {
                Some(word) => write!(text, "\"{word}\""),
                None => {
                    return Err(ErrorKind::Unbindable { kind: other.kind(), hint: " in rows as one parameter" }.into());
                }
            },
        };
        Ok(())
    }
}
