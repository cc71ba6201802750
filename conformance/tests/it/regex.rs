//! Regular expressions on the engines that are at hand: each pattern matches the texts that it says, and the extents of
//! its matches are those of the first engine.
//!
//! PostgreSQL, MariaDB and MySQL are asked where their URLs are given, see `engines.rs`.

use std::sync::Arc;

use isogloss_compiler::Compiler;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbValueType, SqlSegment, Value, ValueOps, ValueTypeExpr, from, func, prop};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_postgres::Postgres;
use mysql::prelude::Queryable;
use postgres::types::Type;

/// What is searched.
const TEXTS: &[&str] = &[
    "",
    "a",
    "ab",
    "abc",
    "aab",
    "A-b_c",
    "foo bar",
    "foobar",
    "éfoo",
    "12",
    "a1b22",
    "line1\nline2",
    "end\n",
    "a\r\nb",
    "\t tab",
    "\"x\" \"y\"",
    "a.b@c.de",
    "]x[^-\\",
    "K\u{212A}s\u{17F}",
    "É é",
    "\u{0661}\u{0662}",
    "naïve\u{00A0}co\u{2003}op",
    "a{2}",
    "cat, cat",
    "\u{1F600}",
    "C:\\d",
];

/// Patterns and the texts that they match, by their places.
const TESTS: &[(&str, &[usize])] = &[
    (r"^ab$", &[2]),
    (r"\Aab\z", &[2]),
    (r"a.b", &[4, 10, 16]),
    (r"^a..b$", &[13]),
    (r"^.$", &[1, 24]),
    (r"^...$", &[3, 4, 19]),
    (r"\d", &[9, 10, 11, 22]),
    (r"^\d+$", &[9]),
    (r"\D", &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
    (r"\w\W\w", &[5, 6, 11, 16, 18, 21, 22]),
    (r"\s", &[6, 11, 12, 13, 14, 15, 19, 23]),
    (r"\S\s\S", &[6, 11, 15, 19, 23]),
    (r"\bfoo\b", &[6, 8]),
    (r"\bfoo", &[6, 7, 8]),
    (r"foo\b", &[6, 8]),
    (r"\bbar", &[6]),
    (r"o\Bb", &[7]),
    (r"\B.\B", &[3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 17, 19, 20, 23, 24]),
    (r"(?i)^k+$", &[]),
    (r"(?i)a-B", &[5]),
    (r"a(?i:B)c", &[3]),
    (r"(?i)é", &[8, 19]),
    (r"(?i)s", &[18]),
    (r"[[:alpha:]]$", &[1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 16, 21, 23, 25]),
    (r"[[:space:]]", &[6, 11, 12, 13, 14, 15, 19, 23]),
    (r"[[:punct:]]{2}", &[17, 25]),
    (r"[\d.]b", &[10, 16]),
    (r"[^\w\s]", &[5, 8, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
    (r"[\]\[]", &[17]),
    (r"[]x]{2}", &[17]),
    (r"[\\]", &[17, 25]),
    (r"\\d", &[25]),
    (r"[a\-c]-", &[]),
    (r"(cat), \1", &[23]),
    (r"(?:c|b)at", &[23]),
    (r"a(?=b)", &[2, 3, 4, 14]),
    (r"a(?!b)", &[1, 4, 6, 7, 10, 13, 16, 21, 22, 23]),
    (r"(?<=a)b", &[2, 3, 4, 14]),
    (r"(?<!a)b", &[5, 6, 7, 10, 13, 16]),
    (r"a\{2\}", &[22]),
    (r"a{2}b", &[4]),
    (r"a{2}", &[4]),
    (r"a{2,}b", &[4]),
    (r"n$", &[]),
    (r"\n$", &[12]),
    (r"\t", &[14]),
    (r"\x41", &[5]),
    (r"\u0041|\x{1F600}", &[5, 24]),
    (r"end$", &[]),
    (r"(a|b)+?c", &[3]),
    (r"^(a|ab)(c|bcd)?$", &[1, 2, 3]),
    (r"^[\s\S]$", &[1, 24]),
    (r"(?-s)1.l", &[]),
    (r"a[\s\S]{2}b", &[13]),
    (r"1.l", &[11]),
    (r".{2}b", &[4, 5, 6, 7, 10, 13, 14, 16]),
    (r"[\w.]+@[\w.]+", &[16]),
    (r"\/|\-", &[5, 17]),
    (r"\Ba", &[4, 6, 7, 14, 21, 23]),
    (r"[+--]", &[5, 17, 23]),
];

/// Patterns whose matches have one extent.
const EXTENTS: &[&str] = &[
    "[0-9]+",
    "ab|ac",
    "(jpg|jpeg|ab)",
    "\".*?\"",
    "\"[^\"]*\"",
    r"\w+",
    r"\bfoo",
    r"foo\b",
    r"\Bb",
    r"(\w)\1",
    "(?i)[a-c]+",
    r"[\]\[^-]",
    r"\s+",
    ".",
    "^a",
    "^.",
    "b$",
    "a(?=b)",
    "(?<=a)b",
    "(?<!a)b",
    r"\d{2}",
    "[^a-z]+",
    "(?:a|b)+c?",
    "a.",
];

/// The rows that a text with these parameters gives, of so many columns.
type Run = Box<dyn FnMut(&str, &[String], usize) -> Result<Vec<Vec<Option<String>>>, String>>;

/// An engine with the texts in a table.
struct Engine {
    name: String,
    dialect: Arc<dyn Dialect>,
    run: Run,
    /// What is left behind is taken away.
    end: Box<dyn FnOnce()>,
}

fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for url in isogloss_testkit::servers::postgres() {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        client.batch_execute("CREATE TEMPORARY TABLE \"Searched\" (\"Id\" integer, \"Note\" text)").unwrap();
        for (id, text) in (0_i32..).zip(TEXTS) {
            client.execute("INSERT INTO \"Searched\" VALUES ($1, $2)", &[&id, text]).unwrap();
        }
        let run = move |sql: &str, params: &[String], columns: usize| {
            let statement = client.prepare_typed(sql, &vec![Type::TEXT; params.len()]).map_err(|e| format!("{e:?}"))?;
            let params: Vec<&(dyn postgres::types::ToSql + Sync)> = params.iter().map(|p| p as _).collect();
            let rows = client.query(&statement, &params).map_err(|e| format!("{e:?}"))?;
            let cell = |row: &postgres::Row, at: usize| match row.columns()[at].type_() {
                &Type::INT4 => row.get::<_, Option<i32>>(at).map(|n| n.to_string()),
                _ => row.get::<_, Option<String>>(at),
            };
            Ok(rows.iter().map(|row| (0..columns).map(|at| cell(row, at)).collect()).collect())
        };
        engines.push(Engine { name: url, dialect: Arc::new(Postgres::V15), run: Box::new(run), end: Box::new(|| {}) });
    }
    for url in isogloss_testkit::servers::mysql() {
        let mut connection = mysql::Conn::new(url.as_str()).unwrap();
        let version: String = connection.query_first("SELECT VERSION()").unwrap().unwrap();
        let dialect = isogloss_mysql::by_version(&version);
        let database = format!("isogloss_regex_{}", std::process::id());
        connection.query_drop(format!("DROP DATABASE IF EXISTS {database}")).unwrap();
        connection.query_drop(format!("CREATE DATABASE {database} CHARACTER SET utf8mb4")).unwrap();
        connection.query_drop(format!("USE {database}")).unwrap();
        connection.query_drop("CREATE TABLE Searched (Id int, Note text)").unwrap();
        for (id, text) in (0_i32..).zip(TEXTS) {
            connection.exec_drop("INSERT INTO Searched VALUES (?, ?)", (id, text)).unwrap();
        }
        let run = move |sql: &str, params: &[String], columns: usize| {
            let params = mysql::Params::Positional(params.iter().map(mysql::Value::from).collect());
            let rows: Vec<mysql::Row> = connection.exec(sql, params).map_err(|e| e.to_string())?;
            let cell = |row: &mysql::Row, at: usize| match &row[at] {
                mysql::Value::NULL => None,
                mysql::Value::Int(n) => Some(n.to_string()),
                mysql::Value::UInt(n) => Some(n.to_string()),
                mysql::Value::Bytes(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
                other => panic!("{other:?}"),
            };
            Ok(rows.iter().map(|row| (0..columns).map(|at| cell(row, at)).collect()).collect())
        };
        let name = url.clone();
        let end = move || {
            mysql::Conn::new(url.as_str()).unwrap().query_drop(format!("DROP DATABASE {database}")).unwrap();
        };
        engines.push(Engine { name, dialect, run: Box::new(run), end: Box::new(end) });
    }
    engines
}

fn compiler() -> Compiler {
    let searched = TableDef::new("Searched")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Note", DbValueType::String));
    Compiler::new(Catalog::builder().table(searched).build().unwrap())
}

impl Engine {
    fn rows(
        &mut self,
        compiler: &Compiler,
        query: &SqlSegment,
        columns: usize,
    ) -> Result<Vec<Vec<Option<String>>>, String> {
        let compiled = compiler.compile(query, &*self.dialect).map_err(|error| error.to_string())?;
        let params = compiled.params.iter().map(|param| match &*param.value {
            Value::Text(text) => text.to_string(),
            other => panic!("{other:?}"),
        });
        let params: Vec<String> = params.collect();
        (self.run)(&compiled.sql, &params, columns).map_err(|error| format!("{error}: {} {params:?}", compiled.sql))
    }
}

#[test]
fn each_engine_gives_the_same_answers() {
    let compiler = compiler();
    let mut engines = engines();
    let mut failures = Vec::new();
    for (pattern, expected) in TESTS {
        let query = from("Searched").filter(prop("Note").regexp_like(*pattern)).order_by(["Id"]).select(["Id"]);
        let wanted: Vec<String> = expected.iter().map(usize::to_string).collect();
        for engine in &mut engines {
            let found = engine.rows(&compiler, &query.clone().into_segment(), 1);
            let found = found.map(|rows| rows.into_iter().flatten().flatten().collect::<Vec<_>>());
            if found.as_ref() != Ok(&wanted) {
                failures.push(format!("{pattern} on {}: {found:?}, not {wanted:?}", engine.name));
            }
        }
    }
    for pattern in EXTENTS {
        let note = || ValueTypeExpr::from(prop("Note"));
        let select = [
            func("RegexpSubstr", [note(), (*pattern).into()]).alias("s"),
            func("RegexpReplace", [note(), (*pattern).into(), "<>".into()]).alias("r"),
            func("RegexpCount", [note(), (*pattern).into()]).alias("c"),
        ];
        let query = from("Searched").order_by(["Id"]).select(select).into_segment();
        let mut first = None;
        for engine in &mut engines {
            let found = engine.rows(&compiler, &query, 3);
            match &first {
                None => first = Some(found),
                Some(first) if *first == found => {}
                Some(first) => failures.push(differs(pattern, &engine.name, first, &found)),
            }
        }
        if let Some(Err(error)) = first {
            failures.push(format!("{pattern}: {error}"));
        }
    }
    engines.into_iter().for_each(|engine| (engine.end)());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

type Rows = Result<Vec<Vec<Option<String>>>, String>;

fn differs(pattern: &str, name: &str, first: &Rows, found: &Rows) -> String {
    match (first, found) {
        (Ok(first), Ok(found)) => {
            let pairs = TEXTS.iter().zip(first.iter().zip(found)).filter(|(_, (a, b))| a != b);
            let pairs: Vec<String> = pairs.map(|(text, (a, b))| format!("{text:?}: {a:?} / {b:?}")).collect();
            format!("{pattern} on {name}: {}", pairs.join("; "))
        }
        (_, found) => format!("{pattern} on {name}: {found:?}"),
    }
}
