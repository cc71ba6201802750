//! What the texts for SQL Server and Oracle give, by stand-ins for their functions.
//!
//! No test here has such a server. So each call of [`isogloss_conformance::edges`] is compiled for each version, and its
//! text is evaluated over NULL in each argument, the empty text and numbers out of range: expressions by a small
//! interpreter, functions by the lines of `sqlserver.rs` and `oracle.rs`, each of which says what the engine's
//! documentation says. Four things are checked:
//!
//! - the value is NULL where the function's signature says so, and nowhere else;
//! - it is of the signature's type;
//! - it is what the evaluator gives, where that knows the function;
//! - an argument that the engine computes more than once is none that gives another value each time.
//!
//! Rows of the function tables that no call reaches, or whose text has no stand-in, are listed in `unevaluated.txt`. The
//! other engines run: `tests/live/edges.rs` asks them the same calls.

mod evaluate;
mod oracle;
mod parse;
mod sqlserver;
mod value;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use evaluate::{Row as Evaluated, StandIn};
use isogloss_cases::{other_versions, targets};
use isogloss_compiler::dialect::{Dialect, Form, Row, Sheet, Spelling};
use isogloss_compiler::expr::{
    DbValueType as T, Expr, SqlSegment, Value, ValueOps as _, ValueTypeExpr, from, func, prop,
};
use isogloss_compiler::functions::{Class, Func};
use isogloss_compiler::{Compiler, json};
use isogloss_conformance::edges::{self, EdgeArg, EdgeCall, EdgeRow, Edges};
use oracle::PlSql;
use sqlserver::TSql;
use value::{Stop, V};

use crate::sheets::Altered;

/// Dialects that have rows of their own, and neither a server in a test of this crate nor stand-ins.
const UNASKED: [(&str, &str); 6] = [
    ("duckdb", "`conformance/engines/duckdb.sh` asks DuckDB"),
    ("cockroachdb", NO_SERVER),
    ("yugabytedb", NO_SERVER),
    ("citus", NO_SERVER),
    ("tidb", NO_SERVER),
    ("vitess", NO_SERVER),
];
const NO_SERVER: &str = "no test has such a server";

/// Functions whose value is another one each time: only its type counts.
const VOLATILE: [Func; 5] = [Func::Now, Func::UtcNow, Func::Today, Func::Random, Func::NewGuid];

/// A dialect whose texts say which row of its function table they are from, in a comment behind what the row spells.
fn marked(dialect: &Arc<dyn Dialect>) -> Arc<dyn Dialect> {
    let mark = |(place, row): (usize, &Row)| match &row.form {
        Form::Text(prec, spelling) => {
            let text: &'static str = format!("{}/*{place}*/", spelling.text()).leak();
            Row { form: Form::Text(*prec, Spelling::new(text)), ..*row }
        }
        _ => *row,
    };
    let own = dialect.sheet();
    let functions: Vec<Row> = own.functions.iter().enumerate().map(mark).collect();
    let sheet: &'static Sheet = Box::leak(Box::new(Sheet { functions: functions.leak(), ..*own }));
    Arc::new(Altered { dialect: Arc::clone(dialect), sheet })
}

/// The versions of a dialect.
fn versions(name: &str) -> Vec<Arc<dyn Dialect>> {
    let all = targets().into_iter().chain(other_versions()).map(|target| target.dialect);
    all.filter(|dialect| dialect.sheet().name == name).collect()
}

fn engine_value(value: &Value) -> V {
    match value {
        Value::Null => V::Null,
        Value::Bool(truth) => V::Bit(*truth),
        Value::Int(number) => V::Int((*number).into()),
        Value::UInt(number) => V::Int((*number).into()),
        Value::Float(number) => V::Real(*number),
        Value::Decimal(number) => V::Dec(number.to_string().parse().unwrap()),
        Value::Text(text) => V::Text(text.to_string()),
        Value::Json(text) => V::Text(text.to_string()),
        Value::Bytes(bytes) => V::Bytes(bytes.to_vec()),
        Value::Uuid(key) => V::Guid(*key),
        Value::Date(date) => V::Date(*date),
        Value::Time(time) => V::Time(*time),
        Value::DateTime(time) => V::Moment(*time),
        Value::DateTimeOffset(time) => V::Instant(*time),
        other => panic!("{other:?}"),
    }
}

/// What came of the rows of a function table.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    evaluated: BTreeSet<usize>,
    /// The rows without a stand-in, with the reason.
    unknown: BTreeMap<usize, String>,
    values: usize,
}

/// An argument in whose place a value is another one each time it is computed.
fn volatile(arg: &EdgeArg) -> Option<ValueTypeExpr> {
    let (EdgeArg::Column(_, ty) | EdgeArg::Known(_, ty)) = arg;
    let random: ValueTypeExpr = func("Random", Vec::<ValueTypeExpr>::new()).into();
    match ty {
        T::Int32 => Some((random * 5).cast(T::Int32).into()),
        T::Decimal => Some(random.cast(T::Decimal).into()),
        T::Double => Some(random),
        T::String => Some(ValueTypeExpr::from(func("NewGuid", Vec::<ValueTypeExpr>::new())).cast(T::String).into()),
        T::Guid => Some(func("NewGuid", Vec::<ValueTypeExpr>::new()).into()),
        _ => None,
    }
}

/// The call with a volatile argument at a place.
fn with_volatile(call: &EdgeCall, place: usize) -> Option<Expr> {
    let ValueTypeExpr::Function(node) = call.value() else { return None };
    let mut node = node.into_inner();
    node.args[place] = volatile(call.args.get(place)?)?;
    let query = from(edges::ENTITY).select([prop("Id").into(), node.alias("V")]);
    Some(SqlSegment::from(query).into())
}

struct Check<'c> {
    engine: &'c dyn StandIn,
    edges: &'c Edges,
    compiler: &'c Compiler,
    dialect: &'c Arc<dyn Dialect>,
    found: &'c mut Found,
}

impl<'c> Check<'c> {
    /// Evaluates a text in each row of its call.
    fn text(&mut self, call: &EdgeCall, rows: &[EdgeRow], sql: &str, params: &[V]) {
        let label = format!("{}: {}", self.dialect.label(), json::to_string(&Expr::from(call.value())));
        let items = match parse::items(&**self.dialect, sql) {
            Ok(items) => items,
            Err(why) => {
                for mark in marks(sql) {
                    self.found.unknown.entry(mark).or_insert_with(|| why.clone());
                }
                return;
            }
        };
        let Some(node) = items.nodes.get(1) else { return };
        let mut twice = false;
        for row in rows {
            let env = self.row(row, params);
            let value = env.value(node);
            let (vague, repeated) = (env.vague.get(), env.repeats());
            let value = match value {
                Ok(value) => value,
                Err(Stop::Unknown(why)) => {
                    for mark in &items.marks {
                        self.found.unknown.entry(*mark).or_insert_with(|| why.clone());
                    }
                    return;
                }
                Err(stop @ (Stop::Fault(_) | Stop::Domain)) => {
                    self.found.wrong.push(format!("{label}: {stop:?} of {:?}: {sql}", row.args));
                    continue;
                }
            };
            self.found.values += 1;
            twice |= repeated;
            let value = match value.read(call.ty) {
                Ok(value) => value,
                // A NUMBER, which the driver reads as a double.
                Err(_) if self.dialect.sheet().name == "oracle" && call.func == Func::Random => continue,
                Err(why) => {
                    self.found.wrong.push(format!("{label}: of {:?}: {why}: {sql}", row.args));
                    continue;
                }
            };
            let row = if vague || VOLATILE.contains(&call.func) {
                &EdgeRow {
                    expected: Err(isogloss_conformance::evaluator::Error::Unsupported(String::new())),
                    ..row.clone()
                }
            } else {
                row
            };
            if let Some(fault) = row.fault(call.func, &value)
                && !is_known(self.dialect.sheet().name, call, row, &value)
            {
                self.found.wrong.push(format!("{label}: {fault}: {sql}"));
            }
        }
        self.found.evaluated.extend(&items.marks);
        if twice {
            self.computed_twice(call, rows);
        }
    }

    /// An argument is computed more than once: the compiler refuses one that is another value each time.
    fn computed_twice(&mut self, call: &EdgeCall, rows: &[EdgeRow]) {
        for place in 0..call.args.len() {
            let Some(query) = with_volatile(call, place) else { continue };
            let Ok(compiled) = self.compiler.compile(&query, &**self.dialect) else { continue };
            let Ok(items) = parse::items(&**self.dialect, &compiled.sql) else { continue };
            let params: Vec<V> = compiled.params.iter().map(|param| engine_value(&param.value)).collect();
            for row in rows {
                let env = self.row(row, &params);
                // An error has been reported where the argument was not volatile.
                let _ = env.value(&items.nodes[1]);
                if env.drawn.get() > 1 {
                    let label = self.dialect.label();
                    self.found.wrong.push(format!("{label}: a random argument is computed twice: {}", compiled.sql));
                    break;
                }
            }
        }
    }

    fn row<'r>(&self, row: &EdgeRow, params: &'r [V]) -> Evaluated<'r>
    where
        'c: 'r,
    {
        let table = self.edges.table();
        let values = table.rows[row.row].iter().map(|value| self.engine.stored(engine_value(value)));
        Evaluated::new(self.engine, table.columns.iter().map(String::as_str).zip(values).collect(), params)
    }
}

/// The marks in a text that cannot be read.
fn marks(sql: &str) -> Vec<usize> {
    sql.split("/*").skip(1).filter_map(|rest| rest.split("*/").next()?.parse().ok()).collect()
}

/// A row of a function table as the list names it.
fn name_of(dialect: &str, row: &Row) -> Option<String> {
    let Form::Text(_, spelling) = &row.form else { return None };
    let since = match row.since {
        (0, 0, 0) => String::new(),
        (major, minor, _) => format!(" since {major}.{minor}"),
    };
    Some(format!("{dialect} {}{since} {}", row.func.signature().name, spelling.text()))
}

/// Evaluates the texts of calls of functions for each of these dialects.
fn check(engine: &dyn StandIn, edges: &Edges, dialects: &[Arc<dyn Dialect>], calls: &[EdgeCall]) -> Found {
    let compiler = Compiler::new(edges::catalog().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let by_sqlite = runtime.block_on(edges.by_sqlite(calls)).unwrap();
    let mut found = Found::default();
    let mut texts = HashSet::new();
    for (call, by_sqlite) in calls.iter().zip(&by_sqlite) {
        let query = call.query();
        let mut rows: Option<Vec<EdgeRow>> = None;
        for dialect in dialects {
            let Ok(compiled) = compiler.compile(&query, &**dialect) else { continue };
            if !texts.insert(compiled.to_string()) {
                continue;
            }
            let of_call = || edges.rows_of(call).into_iter().map(|row| row.or_by(by_sqlite.as_ref())).collect();
            let rows = rows.get_or_insert_with(of_call);
            let params: Vec<V> = compiled.params.iter().map(|param| engine_value(&param.value)).collect();
            let mut check = Check { engine, edges, compiler: &compiler, dialect, found: &mut found };
            check.text(call, rows, &compiled.sql, &params);
        }
    }
    println!("{} values of {} texts", found.values, texts.len());
    found
}

fn scalar_calls() -> Vec<EdgeCall> {
    edges::calls().into_iter().filter(|call| call.func.signature().class == Class::Scalar).collect()
}

fn marked_versions(name: &str) -> Vec<Arc<dyn Dialect>> {
    versions(name).iter().map(marked).collect()
}

fn on_oracle() -> Edges {
    Edges::new().unwrap().without_empty_texts()
}

fn is_right(found: &Found) {
    let first: Vec<&str> = found.wrong.iter().map(String::as_str).take(200).collect();
    assert!(found.wrong.is_empty(), "{} are wrong:\n{}", found.wrong.len(), first.join("\n"));
}

/// What an engine answers otherwise, as the limits say.
fn is_known(dialect: &str, call: &EdgeCall, row: &EdgeRow, value: &Value) -> bool {
    let is_blank = |value: &Value| matches!(value, Value::Text(text) if text.trim().is_empty());
    match (dialect, call.func) {
        // Two for each character of an nvarchar.
        ("sqlserver", Func::ByteLength) => true,
        // Blanks at the end of texts do not count when they are compared.
        ("sqlserver", Func::Greatest | Func::Least | Func::NullIf) => {
            row.args.iter().filter(|arg| is_blank(arg)).count() > 1
        }
        // The empty text is NULL, as a result and where it is known.
        ("oracle", _) => {
            let is_empty = |value: &Value| matches!(value, Value::Text(text) if text.is_empty());
            let may_be_empty = call.ty.base == T::String && row.expected.as_ref().map_or(true, is_empty);
            value.is_null() && may_be_empty || row.args.iter().any(is_empty)
        }
        _ => false,
    }
}

fn sqlserver() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| check(&TSql, &Edges::new().unwrap(), &marked_versions("sqlserver"), &scalar_calls()))
}

fn oracle() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| check(&PlSql, &on_oracle(), &marked_versions("oracle"), &scalar_calls()))
}

#[test]
fn texts_for_sql_server_give_what_the_functions_mean() {
    is_right(sqlserver());
}

#[test]
fn texts_for_oracle_give_what_the_functions_mean() {
    is_right(oracle());
}

/// The rows of a dialect's table that some call reaches in some version.
fn reached(name: &str) -> BTreeSet<usize> {
    let compiler = Compiler::new(edges::catalog().unwrap());
    let calls: Vec<Expr> = edges::calls().iter().map(EdgeCall::query).collect();
    let mut found = BTreeSet::new();
    for dialect in versions(name) {
        let dialect = marked(&dialect);
        let texts = calls.iter().filter_map(|call| compiler.compile(call, &*dialect).ok());
        found.extend(texts.flat_map(|compiled| marks(&compiled.sql)));
    }
    found
}

/// The rows of a dialect's table that nothing evaluates, with the reason.
fn unevaluated(name: &str) -> Vec<String> {
    let dialects = versions(name);
    let evaluated = match name {
        "sqlserver" => sqlserver().evaluated.clone(),
        "oracle" => oracle().evaluated.clone(),
        _ => reached(name),
    };
    let why = |place: usize, row: &Row| match (name, row.func.signature().class) {
        (_, Class::Aggregate | Class::Window) => "it is about more than one row".to_owned(),
        ("sqlserver" | "oracle", _) if matches!(&row.form, Form::Text(_, text) if text.has_rows()) => {
            "a subquery".to_owned()
        }
        ("sqlserver", _) => sqlserver().unknown.get(&place).cloned().unwrap_or_else(|| UNREACHED.to_owned()),
        ("oracle", _) => oracle().unknown.get(&place).cloned().unwrap_or_else(|| UNREACHED.to_owned()),
        _ => UNREACHED.to_owned(),
    };
    let functions = dialects.first().map(|dialect| dialect.sheet().functions).unwrap_or_default();
    let rows = functions.iter().enumerate().filter(|(place, _)| !evaluated.contains(place));
    rows.filter_map(|(place, row)| Some(format!("{}: {}", name_of(name, row)?, why(place, row)))).collect()
}

const UNREACHED: &str = "no call of `edges` is spelled by it as it stands";

/// The list changes with the tables: `ISOGLOSS_UPDATE_STAND_INS=1` writes it.
#[test]
fn rows_that_are_not_evaluated_are_listed() {
    let mut lines = Vec::new();
    for name in ["postgres", "mysql", "mariadb", "sqlite", "sqlserver", "oracle"] {
        lines.extend(unevaluated(name));
    }
    for (name, why) in UNASKED {
        let functions = versions(name).first().map(|dialect| dialect.sheet().functions).unwrap_or_default();
        lines.extend(functions.iter().filter_map(|row| Some(format!("{}: {why}", name_of(name, row)?))));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stand_ins/unevaluated.txt");
    let now = lines.join("\n") + "\n";
    if std::env::var_os("ISOGLOSS_UPDATE_STAND_INS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let before = std::fs::read_to_string(&path).unwrap();
    let lacks = |all: &str, of: &str| {
        of.lines().filter(|line| !all.lines().any(|other| other == *line)).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(lacks(&before, &now), "", "they are not evaluated, and not listed");
    assert_eq!(lacks(&now, &before), "", "they are evaluated now, or gone: take them out of the list");
}

/// A dialect with this row in the place of all of its function.
fn with_row(name: &str, row: Row) -> Vec<Arc<dyn Dialect>> {
    let dialect = versions(name).remove(0);
    let others = dialect.sheet().functions.iter().filter(|other| other.func != row.func).copied();
    let functions: Vec<Row> = [row].into_iter().chain(others).collect();
    let sheet: &'static Sheet = Box::leak(Box::new(Sheet { functions: functions.leak(), ..*dialect.sheet() }));
    vec![Arc::new(Altered { dialect, sheet })]
}

/// Rows with a mistake of each kind, two of them as they once were.
#[test]
fn mistakes_in_rows_are_noticed() {
    let start = "CASE WHEN DATALENGTH({1}) > 0 THEN CHARINDEX({1}, {0}, {2^} + 1) - 1 WHEN {2} < 0 THEN LEN({0}) * 0 \
                 WHEN {2} <= LEN(REPLACE({0}, ' ', '.')) THEN {2} \
                 WHEN DATALENGTH({1}) = 0 THEN LEN(REPLACE({0}, ' ', '.')) END";
    let twice = "CASE WHEN {0} IS NOT NULL THEN COALESCE(CAST({1} AS nvarchar(max)), N'') END";
    for (row, expected) in [
        (Row::call(Func::IndexOf, start), "though it is NULL by Any"),
        (Row::call(Func::IndexOf, "CHARINDEX({1}, {0}, {2^} + 1)"), "expected"),
        (Row::call(Func::Left, "LEFT({0}, {1})"), "a negative length for LEFT"),
        (Row::call(Func::Sign, "SIGN({0})"), "is no Int32"),
        (Row::call(Func::ConcatWs, twice), "a random argument is computed twice"),
    ] {
        let calls = edges::calls_of(row.func);
        let long: Vec<EdgeCall> =
            calls.into_iter().filter(|call| row.func != Func::IndexOf || call.args.len() == 3).collect();
        let found = check(&TSql, &Edges::new().unwrap(), &with_row("sqlserver", row), &long);
        assert!(found.wrong.iter().any(|wrong| wrong.contains(expected)), "{row:?}: {:?}", found.wrong.first());
    }
    for (row, expected) in [
        (Row::call(Func::Replace, "REPLACE({*})"), "though it is NULL by Any"),
        (Row::call(Func::Mod, "MOD({*})"), "expected"),
    ] {
        let found = check(&PlSql, &on_oracle(), &with_row("oracle", row), &edges::calls_of(row.func));
        assert!(found.wrong.iter().any(|wrong| wrong.contains(expected)), "{row:?}: {:?}", found.wrong.first());
    }
}
