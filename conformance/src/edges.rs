//! Calls of each function over NULL, empty and extreme arguments.
//!
//! The table `Edge` has of each type columns that may be NULL, and of each of those a twin that is not (`Text1` and
//! `Given1`): dialects spell a call by whether its arguments may be NULL, and by which of them are known. So each
//! function is called with each mixture of a nullable column, its twin, and known values, and its rows hold the
//! combinations of NULL, the empty text, blanks, numbers below 0 and beyond the end.

use std::collections::HashSet;

use isogloss_compiler::Request;
use isogloss_compiler::chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{
    DbType, DbValueType as T, Decimal, Expr, SqlSegment, Value, ValueOps as _, ValueTypeExpr, from, func, prop, value,
};
use isogloss_compiler::functions::{ArgKind, Class, Func, NullRule, ResultType};
use isogloss_compiler::model::{Catalog, CatalogErrors, ColumnDef, TableDef};
use isogloss_compiler::uuid::Uuid;

#[cfg(feature = "engines")]
use std::sync::Arc;

#[cfg(feature = "engines")]
use isogloss_compiler::Compiler;

use crate::data::{self, Answer, TableData};
use crate::evaluator::{Error, evaluate};
#[cfg(feature = "engines")]
use crate::suite::{self, Schema, SchemaTable, SuiteError};

/// The entity.
pub const ENTITY: &str = "Edge";

/// How many rows it has: each first text, second text and first number in each combination.
const ROWS: usize = 6 * 5 * 7;

/// A call and what it is made of.
#[derive(Debug, Clone)]
pub struct EdgeCall {
    /// The function.
    pub func: Func,
    /// Its arguments.
    pub args: Vec<EdgeArg>,
    /// The type of its result.
    pub ty: DbType,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum EdgeArg {
    /// A column of [`ENTITY`].
    Column(&'static str, T),
    /// A known value.
    Known(Value, T),
}

impl EdgeArg {
    fn ty(&self) -> T {
        match self {
            EdgeArg::Column(_, ty) | EdgeArg::Known(_, ty) => *ty,
        }
    }

    fn node(&self) -> ValueTypeExpr {
        match self {
            EdgeArg::Column(name, _) => prop(*name).into(),
            EdgeArg::Known(known, _) => value(known.clone()).into(),
        }
    }
}

impl EdgeCall {
    /// The call by itself.
    #[must_use]
    pub fn value(&self) -> ValueTypeExpr {
        func(self.func.signature().name, self.args.iter().map(EdgeArg::node)).into()
    }

    /// The query of its value in each row, by the rows' keys.
    #[must_use]
    pub fn query(&self) -> Expr {
        let query = from(ENTITY).order_by(["Id"]).select([prop("Id").into(), self.value().alias("V")]);
        SqlSegment::from(query).into()
    }

    /// The types of the columns of [`query`](Self::query).
    #[must_use]
    pub fn types(&self) -> Vec<DbType> {
        vec![T::Int32.into(), self.ty]
    }

    /// The columns that it reads.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.args.iter().filter_map(|arg| match arg {
            EdgeArg::Column(name, _) => Some(*name),
            EdgeArg::Known(..) => None,
        })
    }
}

/// A column, its twin, and the values that both take by turns: row `n` has the value at `n / every`.
struct Column {
    name: &'static str,
    twin: &'static str,
    ty: T,
    every: usize,
    values: Vec<Value>,
}

fn decimal(text: &str) -> Value {
    text.parse::<Decimal>().map_or(Value::Null, Value::from)
}

fn date(text: &str) -> Value {
    text.parse::<NaiveDate>().map_or(Value::Null, Value::from)
}

fn moment(text: &str) -> Value {
    text.parse::<NaiveDateTime>().map_or(Value::Null, Value::from)
}

fn instant(text: &str) -> Value {
    DateTime::parse_from_rfc3339(text).map_or(Value::Null, Value::from)
}

fn clock(text: &str) -> Value {
    text.parse::<NaiveTime>().map_or(Value::Null, Value::from)
}

fn columns() -> Vec<Column> {
    let column = |name, twin, ty, every, values: &[Value]| {
        let values = [&[Value::Null], values].concat();
        Column { name, twin, ty, every, values }
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
    let ints = |numbers: &[i64]| numbers.iter().map(|number| Value::from(*number)).collect::<Vec<_>>();
    let decimals = ["-7.5", "-1", "0", "0.5", "2", "7.5"].map(decimal);
    let doubles = [-7.5, -1.0, 0.0, 0.5, 2.0, 7.5].map(Value::from);
    let dates = ["2024-02-29", "1969-12-31", "2023-03-31"].map(date);
    let moments = ["2024-02-29T23:59:59.999", "1969-12-31T00:00:00", "2023-03-31T08:05:09.5"].map(moment);
    let instants =
        ["2024-02-29T23:30:00-02:00", "1969-12-31T00:00:00+00:00", "2023-03-31T01:05:09.5+02:00"].map(instant);
    let keys = [1, 0x0123_abcd_4567_89ab_cdef_0123_4567_89ab].map(|key| Value::from(Uuid::from_u128(key)));
    let documents = [r#"{"a":1,"b":["x"]}"#, "[1,2]", r#"{"a":null}"#].map(|text| Value::Json(text.into()));
    vec![
        column("Text1", "Given1", T::String, 35, &texts(&["", " ", "ab", "abcabc", " b a "])),
        column("Text2", "Given2", T::String, 7, &texts(&["", "b", "abc", " "])),
        column("Text3", "Given3", T::String, 1, &texts(&["", "x"])),
        column("Int1", "Whole1", T::Int32, 1, &ints(&[-7, -1, 0, 1, 3, 7])),
        column("Int2", "Whole2", T::Int32, 7, &ints(&[-1, 0, 2])),
        column("Int3", "Whole3", T::Int32, 35, &ints(&[-1, 4])),
        column("Long", "LongGiven", T::Int64, 1, &ints(&[-1_000, 0, 3, 1_000])),
        column("Natural", "NaturalGiven", T::Int32, 1, &ints(&[0, 1, 5])),
        column("LongNatural", "LongNaturalGiven", T::Int64, 1, &ints(&[0, 5, 1 << 40])),
        column("Pattern", "PatternGiven", T::String, 1, &texts(&["b"])),
        column("Distance", "DistanceGiven", T::Int32, 4, &ints(&[0, 3])),
        column("Year", "YearGiven", T::Int32, 1, &ints(&[2024])),
        column("Month", "MonthGiven", T::Int32, 2, &ints(&[2])),
        column("DayNo", "DayNoGiven", T::Int32, 4, &ints(&[29])),
        column("Decimal1", "Exact1", T::Decimal, 1, &decimals),
        column("Decimal2", "Exact2", T::Decimal, 7, &decimals),
        column("Double1", "Real1", T::Double, 1, &doubles),
        column("Double2", "Real2", T::Double, 7, &doubles),
        column("Date1", "Day1", T::Date, 1, &dates),
        column("Date2", "Day2", T::Date, 4, &dates),
        column("Moment1", "At1", T::DateTime2, 1, &moments),
        column("Moment2", "At2", T::DateTime2, 4, &moments),
        column("Instant1", "Zoned1", T::DateTimeOffset, 1, &instants),
        column("Instant2", "Zoned2", T::DateTimeOffset, 4, &instants),
        column("Clock", "ClockGiven", T::Time, 1, &["00:00:00", "23:59:59.999"].map(clock)),
        column("Bool1", "Flag1", T::Boolean, 1, &[true, false].map(Value::from)),
        column("Bool2", "Flag2", T::Boolean, 3, &[true, false].map(Value::from)),
        column("Guid1", "Key1", T::Guid, 1, &keys),
        column("Guid2", "Key2", T::Guid, 3, &keys),
        column("Bytes", "BytesGiven", T::Binary, 1, &[&[0x61_u8][..], &[0x00, 0xff]].map(Value::from)),
        column("Json", "JsonGiven", T::Json, 1, &documents),
    ]
}

/// The catalog with the table.
///
/// # Errors
/// None, while the definitions above are right.
pub fn catalog() -> Result<Catalog, CatalogErrors> {
    let sized = |name: &'static str, ty: T| match ty {
        T::String => ColumnDef::new(name, ty).length(30),
        T::Binary => ColumnDef::new(name, ty).length(20),
        T::Decimal => ColumnDef::new(name, ty).precision(18, 4),
        _ => ColumnDef::new(name, ty),
    };
    let table = TableDef::new(ENTITY).table("Edges").column(ColumnDef::new("Id", T::Int32).primary_key());
    let table = columns().iter().fold(table, |table, column| {
        table.column(sized(column.name, column.ty).nullable()).column(sized(column.twin, column.ty))
    });
    Catalog::builder().table(table).build()
}

/// The rows of the table.
#[must_use]
pub fn rows() -> TableData {
    let columns = columns();
    let names = columns.iter().flat_map(|column| [column.name, column.twin]);
    let names = ["Id"].into_iter().chain(names).map(str::to_owned).collect();
    let row = |n: usize| {
        let values = columns.iter().flat_map(|column| {
            let turn = (n / column.every) % column.values.len();
            // Its twin has another value where it is NULL.
            let [own, given] = [turn, turn.max(1)].map(|at| column.values.get(at).cloned().unwrap_or_default());
            [own, given]
        });
        std::iter::once(Value::from(i64::try_from(n).unwrap_or(0))).chain(values).collect()
    };
    TableData { entity: ENTITY.to_owned(), columns: names, rows: (0..ROWS).map(row).collect() }
}

/// What may stand at a place: a column that may be NULL, its twin, and known values.
type Choices = Vec<EdgeArg>;

/// A column, its twin, and these known values.
fn choices(name: &'static str, known: &[Value]) -> Choices {
    let columns = columns();
    let Some(column) = columns.iter().find(|column| column.name == name) else { return Vec::new() };
    let of = |name| EdgeArg::Column(name, column.ty);
    let known = known.iter().map(|value| EdgeArg::Known(value.clone(), column.ty));
    [of(column.name), of(column.twin)].into_iter().chain(known).collect()
}

fn texts(place: usize) -> Choices {
    let known = ["b", ""].map(Value::from);
    match place {
        0 => choices("Text1", &known),
        1 => choices("Text2", &known),
        _ => choices("Text3", &["x", ""].map(Value::from)),
    }
}

fn literal(text: &str) -> Choices {
    vec![EdgeArg::Known(text.into(), T::String)]
}

fn ints(place: usize) -> Choices {
    choices(["Int1", "Int2", "Int3"].get(place).unwrap_or(&"Int3"), &[2_i64, -1].map(Value::from))
}

/// The places of a call, for each type that the function is spelled for.
fn places(func: Func, count: usize) -> Vec<Vec<Choices>> {
    use Func as F;
    let kinds: Vec<ArgKind> = (0..count).map(|at| func.signature().arg(at)).collect();
    let pairs = |pairs: &[[&'static str; 2]]| -> Vec<Vec<Choices>> {
        let of = |names: &[&'static str; 2]| (0..count).map(|at| choices(names[at.min(1)], &[])).collect();
        pairs.iter().map(of).collect()
    };
    match func {
        F::MakeDate => return vec![["Year", "Month", "DayNo"].map(|name| choices(name, &[])).into()],
        F::ShiftLeft | F::ShiftRight => {
            let distance = || choices("Distance", &[Value::from(2)]);
            return vec![
                vec![choices("Natural", &[Value::from(5)]), distance()],
                vec![choices("LongNatural", &[]), distance()],
            ];
        }
        F::RegexpReplace => return vec![vec![texts(0), choices("Pattern", &["b".into()]), texts(2)]],
        F::RegexpSubstr | F::RegexpCount => return vec![vec![texts(0), choices("Pattern", &["b".into()])]],
        F::Hex => return vec![vec![choices("Bytes", &[])], vec![texts(0)]],
        F::Length | F::ByteLength => return vec![vec![texts(0)], vec![choices("Bytes", &[])]],
        F::Concat => {
            let mixed = [texts(0), ints(0), choices("Date1", &[])].into_iter().take(count).collect();
            return vec![(0..count).map(texts).collect(), mixed];
        }
        F::ConcatWs => {
            let mut mixed = vec![texts(1), texts(0), ints(0)];
            mixed.truncate(count);
            return vec![vec![texts(1), texts(0), texts(2)].into_iter().take(count).collect(), mixed];
        }
        F::JsonObject => return vec![[literal("k"), texts(0)].into(), [literal("k"), ints(0)].into()],
        F::JsonArray => return vec![(0..count).map(texts).collect(), (0..count).map(ints).collect()],
        F::JsonSet => {
            let document = || choices("Json", &[]);
            return vec![
                vec![document(), literal("$.a"), texts(0)],
                vec![document(), literal("$.a"), ints(0)],
                vec![document(), literal("$[1]"), ints(0)],
            ];
        }
        F::JsonContains => return vec![vec![choices("Json", &[]), choices("Json", &[])]],
        F::Coalesce | F::NullIf | F::Greatest | F::Least => {
            let mut all = vec![(0..count).map(ints).collect(), (0..count).map(texts).collect()];
            all.extend(pairs(&[
                ["Decimal1", "Decimal2"],
                ["Double1", "Double2"],
                ["Date1", "Date2"],
                ["Moment1", "Moment2"],
                ["Instant1", "Instant2"],
                ["Guid1", "Guid2"],
            ]));
            if matches!(func, F::Coalesce | F::NullIf) {
                all.extend(pairs(&[["Bool1", "Bool2"]]));
            }
            return all;
        }
        _ => {}
    }
    let mut all = Vec::new();
    let second = |kind: ArgKind, place: usize, numbers: usize| match kind {
        ArgKind::Text => texts(place),
        ArgKind::Int => ints(numbers),
        ArgKind::Literal if func == F::Format => [literal("yyyy-MM-dd"), literal("d/M/yyyy HH:mm")].concat(),
        ArgKind::Literal => [literal("$.a"), literal("$.b[0]")].concat(),
        _ => ints(place),
    };
    let after = |skip: usize| -> Vec<Choices> {
        let mut numbers = 0;
        let of = |(place, kind): (usize, &ArgKind)| {
            let choices = second(*kind, place, numbers);
            numbers += usize::from(*kind == ArgKind::Int);
            choices
        };
        kinds.iter().enumerate().skip(skip).map(of).collect()
    };
    match kinds.first() {
        Some(ArgKind::Date | ArgKind::Moment) => {
            for names in [["Date1", "Date2"], ["Moment1", "Moment2"], ["Instant1", "Instant2"]] {
                match kinds.get(1) {
                    Some(ArgKind::Date) => all.extend(pairs(&[names])),
                    _ => all.push([vec![choices(names[0], &[])], after(1)].concat()),
                }
                if kinds.get(1) == Some(&ArgKind::Int) {
                    all.push(vec![choices(names[0], &[]), choices("Long", &[])]);
                }
            }
            if kinds.first() == Some(&ArgKind::Moment) {
                all.push(vec![choices("Clock", &[])]);
            }
        }
        Some(ArgKind::Number) => {
            let known =
                [[Value::from(2), Value::from(-1)], [decimal("2.5"), decimal("-1.5")], [2.0, -1.5].map(Value::from)];
            let names = [["Int1", "Int2"], ["Decimal1", "Decimal2"], ["Double1", "Double2"]];
            for (names, known) in names.into_iter().zip(&known) {
                match kinds.get(1) {
                    Some(ArgKind::Number) => all.push(names.map(|name| choices(name, known)).into()),
                    _ => all.push([vec![choices(names[0], known)], after(1)].concat()),
                }
            }
        }
        Some(ArgKind::Json) => all.push([vec![choices("Json", &[])], after(1)].concat()),
        _ => all.push(after(0)),
    }
    all
}

/// The type of a call's result.
fn result(func: Func, args: &[EdgeArg]) -> DbType {
    let first = args.first().map_or(T::Int32, EdgeArg::ty);
    match func.signature().result {
        ResultType::Is(ty) => ty,
        ResultType::First if func.signature().arg(0) == ArgKind::Text => T::String,
        ResultType::DateLike if first == T::Date => T::DateTime2,
        _ => first,
    }
    .into()
}

/// Each function of one row, with each mixture of its arguments.
#[must_use]
pub fn calls() -> Vec<EdgeCall> {
    let scalar = Func::ALL.iter().filter(|func| func.signature().class == Class::Scalar);
    scalar.flat_map(|func| calls_of(*func)).collect()
}

/// The calls of one function.
#[must_use]
pub fn calls_of(func: Func) -> Vec<EdgeCall> {
    let args = func.signature().args;
    let letters = args.bytes().filter(u8::is_ascii_alphabetic).count();
    let least = args.find('?').unwrap_or(letters);
    let mut calls = Vec::new();
    for count in least..=letters + usize::from(args.ends_with('*')) {
        if func == Func::JsonObject && count != 2 {
            continue;
        }
        for places in places(func, count) {
            let mut lists: Vec<Vec<EdgeArg>> = vec![Vec::new()];
            for place in &places {
                let with = |list: &Vec<EdgeArg>, arg: &EdgeArg| [list.as_slice(), std::slice::from_ref(arg)].concat();
                lists = lists.iter().flat_map(|list| place.iter().map(move |arg| with(list, arg))).collect();
            }
            // One of several known values is the same in each row.
            let read = |list: &Vec<EdgeArg>| count < 2 || list.iter().any(|arg| matches!(arg, EdgeArg::Column(..)));
            calls.extend(lists.into_iter().filter(read).map(|args| EdgeCall { func, ty: result(func, &args), args }));
        }
    }
    calls
}

/// The arguments of a call in one row, and what the call gives there.
#[derive(Debug, Clone)]
pub struct EdgeRow {
    /// The place of the row in [`rows`].
    pub row: usize,
    /// The arguments.
    pub args: Vec<Value>,
    /// What the evaluator gives, or why it gives nothing.
    pub expected: Result<Value, Error>,
}

/// The calls' table, and what the evaluator gives of it.
#[derive(Debug)]
pub struct Edges {
    catalog: Catalog,
    table: TableData,
}

impl Edges {
    /// The table.
    ///
    /// # Errors
    /// As [`catalog`].
    pub fn new() -> Result<Self, CatalogErrors> {
        Ok(Self { catalog: catalog()?, table: rows() })
    }

    /// The rows for an engine that stores the empty text as NULL: a column that is never NULL has a blank in its place.
    #[must_use]
    pub fn without_empty_texts(mut self) -> Self {
        let twins: HashSet<&str> = columns().iter().map(|column| column.twin).collect();
        for row in &mut self.table.rows {
            for (value, name) in row.iter_mut().zip(&self.table.columns) {
                if *value == Value::from("") {
                    *value = if twins.contains(name.as_str()) { " ".into() } else { Value::Null };
                }
            }
        }
        self
    }

    /// The catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The rows.
    #[must_use]
    pub fn table(&self) -> &TableData {
        &self.table
    }

    /// The rows of a call that differ in its arguments.
    #[must_use]
    pub fn rows_of(&self, call: &EdgeCall) -> Vec<EdgeRow> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (row, values) in self.table.rows.iter().enumerate() {
            let value = |name: &str| {
                let at = self.table.column(name)?;
                values.get(at).cloned()
            };
            let args: Vec<Value> = call
                .args
                .iter()
                .map(|arg| match arg {
                    EdgeArg::Column(name, _) => value(name).unwrap_or_default(),
                    EdgeArg::Known(known, _) => known.clone(),
                })
                .collect();
            if !seen.insert(args.clone()) {
                continue;
            }
            let (entity, columns) = (self.table.entity.clone(), self.table.columns.clone());
            let table = TableData { entity, columns, rows: vec![values.clone()] };
            let answer = evaluate(&self.catalog, &[table].into_iter().collect(), &call.query(), &Request::default());
            let expected = answer.map(|answer| answer.rows.into_iter().flatten().nth(1).unwrap_or_default());
            found.push(EdgeRow { row, args, expected });
        }
        found
    }
}

#[cfg(feature = "engines")]
impl Edges {
    /// The table as a schema of the suite.
    ///
    /// # Errors
    /// As [`catalog`].
    pub fn schema(&self) -> Result<Arc<Schema>, CatalogErrors> {
        let (compiler, exact) = (Compiler::new(catalog()?), Compiler::new(catalog()?));
        let table = SchemaTable { args: Vec::new(), data: self.table.clone() };
        Ok(Arc::new(Schema { name: "edges".to_owned(), compiler, exact, tables: vec![table] }))
    }

    /// What SQLite answers to each call; nothing where it has no such function.
    ///
    /// # Errors
    /// SQLite cannot make the table.
    pub async fn by_sqlite(&self, calls: &[EdgeCall]) -> Result<Vec<Option<Answer>>, SuiteError> {
        let engine = suite::connect("sqlite", None).await?;
        let schema = self
            .schema()
            .map_err(|errors| SuiteError::Schema { engine: engine.name().to_owned(), why: errors.to_string() })?;
        let queries: Vec<(Expr, Vec<DbType>)> = calls.iter().map(|call| (call.query(), call.types())).collect();
        let queries = queries.iter().map(|(query, types)| (query, types.as_slice()));
        let answers = suite::answers(&*engine, &schema, queries).await?;
        Ok(answers.into_iter().map(std::result::Result::ok).collect())
    }
}

impl EdgeRow {
    /// The row with another engine's answer as what is expected, where the evaluator gives nothing.
    #[must_use]
    pub fn or_by(self, answer: Option<&Answer>) -> Self {
        let value = answer.and_then(|answer| answer.rows.get(self.row)?.get(1).cloned());
        match (&self.expected, value) {
            (Err(_), Some(value)) => Self { expected: Ok(value), ..self },
            _ => self,
        }
    }

    /// What is wrong about a value that was computed, if anything is: whether it is NULL where the function's
    /// signature says so, and what the evaluator gives.
    #[must_use]
    pub fn fault(&self, func: Func, value: &Value) -> Option<String> {
        let null = value.is_null();
        let any = self.args.iter().any(Value::is_null);
        let expected = match func.signature().null {
            NullRule::Any => Some(any),
            NullRule::All => Some(self.args.iter().all(Value::is_null)),
            NullRule::First => Some(self.args.first().is_some_and(Value::is_null)),
            NullRule::Never => Some(false),
            NullRule::Maybe => None,
        };
        if expected.is_some_and(|expected| expected != null) {
            let rule = func.signature().null;
            return Some(format!("{value:?} of {:?}, though it is NULL by {rule:?}: {}", self.args, !null));
        }
        match &self.expected {
            Ok(expected) if !data::agrees(expected, value) => {
                Some(format!("{value:?} of {:?}, {expected:?} expected", self.args))
            }
            _ => None,
        }
    }
}
