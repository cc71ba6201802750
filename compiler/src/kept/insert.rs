//! An INSERT that a program prepares for rows of borrowed values.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use compact_str::CompactString;

use super::statement::Record;
use crate::bulk::BulkInsert;
use crate::compiler::{Buffers, Compiled, Request};
use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Decimal, InsertExpr, InsertSource, TableExpr, Value, ValueRef, table};
use crate::legalize::Note;
use crate::model::Column;
use crate::render::Parameter;
use crate::resolve::fit;
use crate::target::Target;
use crate::walk::shape::{SHORT, class};

/// For how many numbers of rows the text is kept.
const TEXTS: usize = 8;

/// An INSERT of any number of rows, whose names are looked up once.
///
/// [`Target::prepare_insert`] names the entity and its columns, [`bind`](Self::bind) takes rows as borrowed values, and gives
/// the statement that [`Target::compile`] gives for an [`InsertExpr`] of these rows. Values that their columns store as they
/// are become the parameters without a copy, and the text for a number of rows is made once:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::Compiler;
/// # use isogloss_compiler::expr::{DbValueType, ValueRef};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let user = TableDef::new("User")
/// #     .column(ColumnDef::new("Name", DbValueType::String).length(50))
/// #     .column(ColumnDef::new("Age", DbValueType::Int32).nullable());
/// # let target = Compiler::new(Catalog::builder().table(user).build()?).target(&Plain);
/// let insert = target.prepare_insert("User", &["Name", "Age"], &[])?;
///
/// let people = [("Ann", Some(31)), ("Bob", None)];
/// let values: Vec<ValueRef<'_>> = people.iter().flat_map(|(name, age)| [(*name).into(), (*age).into()]).collect();
/// let statement = insert.bind(&values)?;
/// assert_eq!(statement.sql(), r#"INSERT INTO "User" ("Name", "Age") VALUES (?, ?), (?, ?)"#);
/// let parameters: Vec<_> = statement.params().collect();
/// assert!(matches!(parameters[..], [(ValueRef::Text("Ann"), _), (ValueRef::Int(31), _), (ValueRef::Text("Bob"), _), (ValueRef::Null, _)]));
///
/// // A value that its column does not take is refused with its place, one of another type is converted.
/// let error = insert.bind(&["Ann".into(), "old".into()]).unwrap_err();
/// assert!(error.to_string().contains("$.Values[0][1]"), "{error}");
/// let values = ["Ann".into(), "31".into()];
/// assert!(matches!(insert.bind(&values)?.params().last(), Some((ValueRef::Int(31), _))));
/// # Ok(()) }
/// ```
///
/// It compiles anew where a value has to be converted, as a name of an enumeration, or is a text of over 255 bytes, bytes, a JSON
/// document, a time of day, a date and time with an offset or a list; where columns are named that a fixed filter determines; and
/// for a number of rows that was not among the last eight. It is for no scope: where a [`Scope`](crate::Scope) holds rows, compile
/// an [`InsertExpr`] with its request, or use [`Target::bulk_insert_with`]. Many rows are sent to an engine faster by
/// [`Target::bulk_insert`], which a driver runs by the engine's own way.
#[derive(Debug)]
pub struct PreparedInsert {
    target: Arc<Target>,
    table: TableExpr,
    into: BulkInsert,
    checks: Box<[ColumnCheck]>,
    types: Box<[DbType]>,
    /// Whether a text may be kept.
    keeps: bool,
    texts: RwLock<Texts>,
}

/// The texts that are kept.
#[derive(Debug, Default)]
struct Texts {
    /// Each with the number of values that it is for.
    all: Vec<(usize, Text)>,
    /// The place of the next one.
    next: usize,
}

#[derive(Debug, Clone)]
struct Text {
    sql: Arc<str>,
    notes: Arc<[Note]>,
}

impl Target {
    /// Prepares an INSERT into columns of an entity: see [`PreparedInsert`]. A sharded table has arguments.
    ///
    /// # Errors
    /// No columns, and those of [`bulk_insert`](Self::bulk_insert): an entity or a column that does not exist, a column that is
    /// named twice or cannot be inserted, a sharded table without arguments.
    pub fn prepare_insert(
        self: &Arc<Self>,
        entity: &str,
        columns: &[&str],
        table_args: &[CompactString],
    ) -> Result<PreparedInsert> {
        let into = self.bulk_insert(entity, columns, table_args)?;
        if columns.is_empty() {
            let why = "it names no columns".into();
            let entity = into.entity.to_string();
            return Err(ErrorKind::BadStatement { statement: "a prepared INSERT", entity, why }.into());
        }
        let given = into.columns.iter().take(columns.len());
        let checks = given.clone().map(|column| ColumnCheck::of(self, &column.column)).collect();
        let types = given.map(|column| column.column.ty).collect();
        let table = TableExpr { table_args: table_args.into(), ..table(into.entity.clone()) };
        // What a value is stored as depends on it.
        let keeps = self.limits().kept > 0 && self.dialect().stored_form().is_none();
        let (target, texts) = (Arc::clone(self), RwLock::default());
        Ok(PreparedInsert { target, table, into, checks, types, keeps, texts })
    }
}

impl PreparedInsert {
    /// The statement for these rows: the values of one row after the other, in the order of the columns.
    ///
    /// # Errors
    /// Those of [`Target::compile`]: no rows or part of a row, a value that its column does not take, with its place, and more
    /// parameters than the engine takes.
    pub fn bind<'v>(&'v self, values: &'v [ValueRef<'v>]) -> Result<InsertRows<'v>> {
        if !self.keeps || !self.are_stored_as_they_are(values) {
            let insert = self.insert(values);
            return Ok(InsertRows(Bound::Compiled(self.target.compile(&insert)?.into_owned())));
        }
        if let Some(text) = self.known(values.len()) {
            return Ok(InsertRows(Bound::Rows { text, values, types: &self.types }));
        }
        let insert = self.insert(values);
        let mut record = Record::default();
        let statement = (&insert).into();
        let compiled =
            self.target.compile_anew(statement, &Request::default(), Buffers::default(), Some(&mut record))?;
        if !is_of_number(&compiled, &insert, &record) {
            return Ok(InsertRows(Bound::Compiled(compiled.into_owned())));
        }
        let text = Text { sql: compiled.sql.into(), notes: compiled.notes.into() };
        self.keep(values.len(), text.clone());
        Ok(InsertRows(Bound::Rows { text, values, types: &self.types }))
    }

    /// Whether each value is that of its column already.
    fn are_stored_as_they_are(&self, values: &[ValueRef<'_>]) -> bool {
        let rows = values.chunks_exact(self.checks.len().max(1));
        let of_row = |row: &[ValueRef<'_>]| {
            row.iter()
                .zip(&self.checks)
                .zip(&self.into.columns)
                .all(|((value, check), into)| check.takes(*value, &into.column))
        };
        rows.remainder().is_empty() && rows.clone().all(of_row)
    }

    /// The text for so many values.
    fn known(&self, values: usize) -> Option<Text> {
        let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        texts.all.iter().find(|(of, _)| *of == values).map(|(_, text)| text.clone())
    }

    /// Keeps a text, in the place of the oldest one if there are enough.
    fn keep(&self, values: usize, text: Text) {
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        let Texts { all, next } = &mut *texts;
        match all.get_mut(*next) {
            Some(oldest) => *oldest = (values, text),
            None => all.push((values, text)),
        }
        *next = (*next + 1) % TEXTS;
    }

    fn insert(&self, values: &[ValueRef<'_>]) -> InsertExpr {
        let names = self.into.columns.iter().take(self.types.len()).map(|column| column.column.name.clone());
        self.table.clone().insert(names, values.iter().copied().map(Value::from).collect())
    }
}

/// Whether the text is that of any values of their number, and these are the parameters.
fn is_of_number(compiled: &Compiled<'_>, insert: &InsertExpr, record: &Record<'_>) -> bool {
    let InsertSource::Values(given) = &insert.source else { return false };
    record.is_enough
        && record.made.is_empty()
        && record.asked.is_empty()
        && compiled.params.len() == given.len()
        && compiled.params.iter().zip(given).all(|(param, value)| std::ptr::eq(&*param.value, value))
}

/// An INSERT with its rows: its text, and the parameters in the order of their placeholders.
#[derive(Debug, Clone)]
pub struct InsertRows<'v>(Bound<'v>);

#[derive(Debug, Clone)]
enum Bound<'v> {
    /// The values are the parameters.
    Rows {
        text: Text,
        values: &'v [ValueRef<'v>],
        types: &'v [DbType],
    },
    Compiled(Compiled<'static>),
}

impl<'v> InsertRows<'v> {
    /// The SQL text.
    #[must_use]
    pub fn sql(&self) -> &str {
        match &self.0 {
            Bound::Rows { text, .. } => &text.sql,
            Bound::Compiled(compiled) => &compiled.sql,
        }
    }

    /// What the dialect lacks, and by what it is expressed instead.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        match &self.0 {
            Bound::Rows { text, .. } => &text.notes,
            Bound::Compiled(compiled) => &compiled.notes,
        }
    }

    /// The parameters in the order of their placeholders, each with its type in the database.
    pub fn params(&self) -> impl ExactSizeIterator<Item = (ValueRef<'_>, Option<DbType>)> {
        let (values, types, compiled): (&[ValueRef<'_>], &[DbType], &[Parameter<'_>]) = match &self.0 {
            Bound::Rows { values, types, .. } => (values, types, &[]),
            Bound::Compiled(compiled) => (&[], &[], &compiled.params),
        };
        (0..values.len() + compiled.len()).map(move |place| match (values.get(place), compiled.get(place)) {
            (Some(value), _) => (*value, types.get(place % types.len().max(1)).copied()),
            (None, Some(param)) => ((&*param.value).into(), param.ty),
            (None, None) => (ValueRef::Null, None),
        })
    }

    /// The statement as [`Target::compile`] gives it, for a driver that takes that: each value is copied.
    #[must_use]
    pub fn into_compiled(self) -> Compiled<'static> {
        match self {
            InsertRows(Bound::Compiled(compiled)) => compiled,
            rows => Compiled {
                sql: rows.sql().into(),
                params: rows.params().map(|(value, ty)| Parameter { value: Cow::Owned(value.into()), ty }).collect(),
                notes: rows.notes().to_vec(),
                ..Compiled::default()
            },
        }
    }
}

/// Which values a column stores as they are, as far as a look at their kind tells.
#[derive(Debug)]
struct ColumnCheck {
    /// The least and the most.
    ints: (i64, i64),
    texts: bool,
    empty_texts: bool,
    floats: bool,
    decimals: bool,
    bools: bool,
    nulls: bool,
}

impl ColumnCheck {
    fn of(target: &Target, column: &Column) -> Self {
        let keeps = |value: Value| column.keeps(&value);
        let ints = match column.ty.base {
            _ if !keeps(0.into()) => (1, 0),
            DbValueType::Int16 => (i16::MIN.into(), i16::MAX.into()),
            DbValueType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            _ => (i64::MIN, i64::MAX),
        };
        let texts = keeps("x".into());
        Self {
            ints,
            texts,
            empty_texts: texts && target.has(Feature::EmptyString),
            floats: keeps(0.5.into()),
            decimals: keeps(Decimal::from(0).into()),
            bools: keeps(true.into()),
            nulls: column.nullable,
        }
    }

    #[inline]
    fn takes(&self, value: ValueRef<'_>, column: &Column) -> bool {
        match value {
            ValueRef::Int(n) if self.ints.0 <= n && n <= self.ints.1 => true,
            ValueRef::Text("") => self.empty_texts,
            ValueRef::Text(text) if self.texts => text.len() <= SHORT,
            ValueRef::Float(n) if self.floats => n.is_finite(),
            ValueRef::Bool(_) if self.bools => true,
            ValueRef::Decimal(number) if self.decimals => !column.is_too_fine(number),
            ValueRef::Null => self.nulls,
            value => is_stored(value, column),
        }
    }
}

/// Whether a column stores a value as it is that is of another kind than its own, or may be.
fn is_stored(value: ValueRef<'_>, column: &Column) -> bool {
    use ValueRef as V;
    if let V::Bytes(_) | V::Json(_) | V::UInt(_) | V::Time(_) | V::TimeSpan(_) | V::DateTimeOffset(_) | V::Other(_) =
        value
    {
        // Of these nothing is known by their class.
        return false;
    }
    let value = Value::from(value);
    class(&value).is_some()
        && matches!(fit(&value, Some(column), Some(column.ty)), Ok(Cow::Borrowed(_)))
        && column.rounded(&value).is_none()
}
