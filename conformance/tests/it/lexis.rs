//! A template's text is read as the engine reads it: what is a literal or a comment to one engine alone opens a literal
//! to the others, and is an error there.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use isogloss_cases::{other_versions, targets};
use isogloss_compiler::dialect::{Dialect, Form};
use isogloss_compiler::expr::{ValueOps, constant, from, func, prop};
use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, ExprString, Lexis, Registry, Request};
use isogloss_lexis::{Notation, Scanner, TextProblem, Token};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_testkit::random::count;
use mysql::prelude::Queryable as _;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Texts that only these engines read to their end.
const TEXTS: &[(&str, &[&str])] = &[
    // A backslash escapes the quote.
    (r"SELECT 'a\'[b]'", &["mysql", "mariadb"]),
    (r"SELECT E'a\'[b]'", &["mysql", "mariadb", "postgres", "duckdb"]),
    ("SELECT $t$'$t$", &["postgres", "duckdb"]),
    ("SELECT q'[']'", &["oracle"]),
    ("SELECT nq'{'}', Nq'('[a]')', Q'<'{b}>'", &["oracle"]),
    ("SELECT q'!'!'", &["oracle"]),
    ("SELECT NQ'\"'\"'", &["oracle"]),
    ("SELECT q'q'q'", &["oracle"]),
    ("SELECT q'\u{3000}'\u{3000}'", &["oracle"]),
    ("SELECT q'#'#'", &["mysql", "mariadb", "oracle"]),
    ("SELECT q''a''", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ("SELECT q''a", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver"]),
    ("SELECT a#q'['", &["mysql", "mariadb", "postgres", "duckdb", "sqlserver", "oracle"]),
    ("SELECT 1q'['", &["mysql", "mariadb", "sqlite", "sqlserver"]),
    (r"SELECT 1e'\'", &["sqlite", "sqlserver"]),
    // Brackets of the engine.
    ("SELECT [[a]]", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ("SELECT [[a']], [[']]", &["mysql", "mariadb", "postgres", "duckdb", "oracle"]),
    ("SELECT [[a]]]]", &["mysql", "mariadb", "postgres", "duckdb", "oracle"]),
    // What is run ends where the engine's own literals let it end.
    ("SELECT /*! '*/ 1", &["postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ("SELECT /*! a */ 1", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    // A blank, but none to MySQL.
    ("SELECT 1 --\u{a0}'", &["oracle", "postgres", "duckdb", "sqlite", "sqlserver"]),
    ("SELECT 1 --\t'", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    // The end of the text for some.
    ("SELECT '\0'", &[]),
    ("SELECT 1 --\0", &[]),
    ("SELECT \0", &[]),
    ("SELECT `'`", &["mysql", "mariadb", "sqlite"]),
    ("SELECT 1 /* /* */ ' */", &["postgres", "duckdb", "sqlserver"]),
    ("SELECT 1 # '", &["mysql", "mariadb"]),
    // `--` before a quote is two signs to MySQL.
    ("SELECT 1 --'", &["oracle", "postgres", "duckdb", "sqlite", "sqlserver"]),
    // Parameters of the engine.
    ("SELECT :a", &["mysql", "postgres", "duckdb", "sqlserver"]),
    ("BEGIN a := 1; END;", &["mariadb", "mysql", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ("SELECT @a", &["mariadb", "mysql", "postgres", "duckdb", "sqlserver", "oracle"]),
    ("SELECT #a", &["mariadb", "mysql", "postgres", "duckdb", "sqlserver", "oracle"]),
    // Behind a word as well, unless it is part of the word.
    ("SELECT:a, 1", &["mysql", "postgres", "duckdb", "sqlserver"]),
    ("SELECT:1", &["mysql", "postgres", "duckdb", "sqlserver"]),
    ("SELECT@a", &["mariadb", "mysql", "postgres", "duckdb", "sqlserver", "oracle"]),
    ("SELECT a$a, a$1", &["mariadb", "mysql", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ("SELECT $$, $::a", &["mariadb", "mysql", "sqlserver", "oracle"]),
    ("SELECT $a", &["mariadb", "mysql", "postgres", "sqlserver", "oracle"]),
    ("SELECT ':a @a $a ?' -- :a @a $a ?", &["mariadb", "mysql", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
];

#[test]
fn each_dialect_reads_the_text_as_its_engine_does() {
    let compiler = Compiler::new(sample::catalog());
    for &(text, engines) in TEXTS {
        let mut read = BTreeSet::new();
        for target in targets() {
            let dialect = &*target.dialect;
            // What none reads is an error before there is a dialect.
            let template = ExprString::parse(text);
            assert_eq!(template.is_err(), engines.is_empty(), "{text}");
            let template = template.unwrap_or_else(|_| ExprString::new().text(text));
            if compiler.target(dialect).compile_template(&template, &Request::default()).is_ok() {
                read.insert(dialect.label().split(" ").next().unwrap_or_default().to_owned());
            }
        }
        assert_eq!(read, engines.iter().map(|engine| (*engine).to_owned()).collect(), "{text}");
    }
}

/// A dialect's own reading is one of those that the text is tried in before the dialect is known, as `sql!` does it.
#[test]
fn each_dialect_has_one_of_the_readings() {
    for target in targets().into_iter().chain(other_versions()) {
        let lexis = Lexis { parameters: "", ..target.dialect.lexis() };
        assert!(Lexis::READINGS.contains(&lexis), "{}", target.label());
    }
}

/// The texts of registered functions, and the engines that read them to their end.
#[test]
fn a_registered_function_is_read_as_its_engine_does() {
    let texts: [(&str, &[&str]); 9] = [
        ("F({0}, q'[it's )]', nq'!'(!')", &["oracle"]),
        (r"F({0}, 'it\'s )')", &["mysql", "mariadb"]),
        ("F({0}, $t$it's )$t$)", &["postgres", "duckdb"]),
        ("F({0}, `'`)", &["mysql", "mariadb", "sqlite"]),
        ("F({0}, [it's )])", &["sqlite", "sqlserver"]),
        ("F({0} /* /* ) */ ' */)", &["postgres", "duckdb", "sqlserver"]),
        ("F({0} # '\n)", &["mysql", "mariadb"]),
        ("F({0} -- it's )\n)", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
        ("F({0}, 'it''s {{)}}')", &["mysql", "mariadb", "postgres", "duckdb", "sqlite", "sqlserver", "oracle"]),
    ];
    for (text, engines) in texts {
        let mut registry = Registry::default();
        registry.function("Own", None, targets().iter().map(|target| (target.dialect.sheet().name, text))).unwrap();
        let compiler = Compiler::with_registry(sample::catalog(), registry);
        let query = from("User").filter(func("Own", [prop("Id")]).eq(1)).select(["Id"]).into_segment();
        let mut read = BTreeSet::new();
        for target in targets() {
            match compiler.compile(&query, &*target.dialect) {
                Ok(statement) => {
                    let (name, wanted) = (target.dialect.sheet().name, text.replace("{{", "{").replace("}}", "}"));
                    let (begin, end) = wanted.split_once("{0}").unwrap();
                    assert!(statement.sql.contains(begin) && statement.sql.contains(end), "{name}: {}", statement.sql);
                    read.insert(name);
                }
                Err(error) => assert!(error.is_refused(), "{error}"),
            }
        }
        assert_eq!(read, engines.iter().copied().collect(), "{text}");
    }
    for (text, why) in [
        ("F('{0}')", "a hole stands in a literal, a quoted name or a comment"),
        ("F(\"{0}\")", "a hole stands in a literal, a quoted name or a comment"),
        ("F(/* {0} */)", "a hole stands in a literal, a quoted name or a comment"),
        ("F({0}) -- a", "a line comment is left open: end it with a line feed"),
        ("F({0}) /*", "a comment is left open"),
        ("F(q'[{0}]')", "a hole stands in a literal, a quoted name or a comment"),
        ("F({0}, '\0')", "a NUL character, where some engines end the text"),
    ] {
        let error = Registry::default().function("Own", None, [("oracle", text)]).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

/// Read with comments behind `#`, the text is a sum, and no call that binds as one.
#[test]
fn a_function_is_as_tight_as_it_was_registered() {
    let mut registry = Registry::default();
    registry.function("Own", None, [("mysql", "({0} # (\n) + (1 # )\n)")]).unwrap();
    let compiler = Compiler::with_registry(sample::catalog(), registry);
    let query = from("User").filter(func("Own", [prop("Id")]).eq(1)).select(["Id"]).into_segment();
    let error = compiler.compile(&query, &isogloss_mysql::MySql::V8_0).unwrap_err();
    let why = "the engine takes for a literal or a comment what another one does not";
    assert!(error.is_refused() && error.to_string().contains(why), "{error}");
}

/// Two minus signs would begin a comment.
#[test]
fn an_argument_behind_a_minus_begins_no_comment() {
    let names: Vec<&str> = targets().iter().map(|target| target.dialect.sheet().name).collect();
    let mut registry = Registry::default();
    for (name, text) in [("A", "(-{0^})"), ("B", "(1-{0^})"), ("C", "(1 - {0})")] {
        registry.function(name, None, names.iter().map(|dialect| (*dialect, text))).unwrap();
    }
    let compiler = Compiler::with_registry(sample::catalog(), registry);
    for target in targets() {
        for name in ["A", "B", "C"] {
            for argument in [
                constant(-5) + 0,
                constant(-5).into(),
                constant(-0.5).into(),
                -prop("Id"),
                -constant(5),
                -prop("Id") + 1,
            ] {
                let query = from("User").filter(func(name, [argument]).eq(1)).select(["Id"]).into_segment();
                let sql = compiler.compile(&query, &*target.dialect).unwrap().sql;
                assert!(!sql.contains("--"), "{}: {sql}", target.label());
            }
        }
    }
}

/// The tables of functions have no literal that a hole stands in, and leave nothing open.
#[test]
fn each_spelling_is_read_to_its_end() {
    let hole = |inner: &str| inner.find('}').ok_or(TextProblem::OpenHole);
    for target in targets().into_iter().chain(other_versions()) {
        let dialect = &*target.dialect;
        for row in dialect.more_functions().iter().chain(dialect.sheet().functions) {
            let Form::Text(_, spelling) = row.form else { continue };
            for token in Scanner::new(spelling.text(), dialect.lexis(), Notation { brackets: false, hole: Some(hole) })
            {
                let text = spelling.text();
                match token.unwrap_or_else(|(at, problem)| panic!("{}: {text}: {at}: {problem}", target.label())).1 {
                    Token::Quoted(quoted) => {
                        let plain = quoted.replace("{{", "").replace("}}", "");
                        assert!(!plain.contains(['{', '}']), "{}: {text}", target.label());
                    }
                    Token::Comment(_) | Token::OpenComment(_) => panic!("{}: {text}", target.label()),
                    _ => {}
                }
            }
        }
    }
}

/// The engine sees as many parameters as there are holes, and no literal, name or comment in which one could lie hidden.
///
/// It prepares each text that the compiler takes: the number of parameters, or its message.
fn is_read_as_it_is_read_here(
    dialect: &dyn Dialect,
    open: &[&str],
    prepare: impl FnMut(&str) -> Result<usize, String>,
) {
    let compiler = Compiler::new(sample::catalog());
    let target = compiler.target(dialect);
    let prepare = RefCell::new(prepare);
    let prepared = Cell::new(0);
    let item = prop::collection::vec(prop::sample::select(PARTS), 1..5).prop_map(|parts| parts.concat());
    let items = prop::collection::vec(item, 0..5).prop_map(|items| items.join(", "));
    let cases = u32::try_from(count(2_000, 10_000)).unwrap();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let ran = TestRunner::new(config).run(&items, |items| {
        let text = format!("SELECT {items}, {{x}}");
        let template = ExprString::new().text(text).bind("x", 1);
        let Ok(statement) = target.compile_template(&template, &Request::default()) else { return Ok(()) };
        match (prepare.borrow_mut())(&statement.sql) {
            Ok(parameters) => {
                prepared.set(prepared.get() + 1);
                prop_assert_eq!(parameters, statement.params.len(), "{}", statement.sql);
            }
            Err(error) => prop_assert!(!open.iter().any(|open| error.contains(open)), "{}: {error}", statement.sql),
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{}: {error}", dialect.label()));
    assert!(prepared.get() > cases / 200, "{}: {} of {cases}", dialect.label(), prepared.get());
}

#[test]
fn sqlite_reads_a_text_as_it_is_read_here() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let open =
        ["unrecognized token: \"'", "unrecognized token: \"\"", "unrecognized token: \"`", "unrecognized token: \"["];
    is_read_as_it_is_read_here(&Sqlite::V3_45, &open, |sql| {
        connection.prepare(sql).map(|prepared| prepared.parameter_count()).map_err(|error| error.to_string())
    });
}

#[test]
fn postgres_reads_a_text_as_it_is_read_here() {
    for url in isogloss_testkit::servers::postgres() {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        let open = ["unterminated"];
        is_read_as_it_is_read_here(&Postgres::V15, &open, |sql| {
            let prepared = client.prepare(sql).map(|prepared| prepared.params().len());
            prepared
                .map_err(|error| error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().into()))
        });
    }
}

#[test]
fn mysql_reads_a_text_as_it_is_read_here() {
    for url in isogloss_testkit::servers::mysql() {
        let mut connection = mysql::Conn::new(&*url).unwrap();
        let version: String = connection.query_first("SELECT VERSION()").unwrap().unwrap();
        let dialect: &dyn Dialect = if version.contains("MariaDB") { &MariaDb::V10_11 } else { &MySql::V8_4 };
        is_read_as_it_is_read_here(dialect, &[], |sql| {
            // The client would take `:a` for a parameter of its own; to the server, a colon is one sign either way.
            let sql = sql.replace(':', ": ");
            connection.prep(sql).map(|prepared| prepared.num_params().into()).map_err(|error| error.to_string())
        });
    }
}

/// Parts of texts, most of which begin or end something for some engine.
const PARTS: &[&str] = &[
    "'", "'", "''", "\"", "`", "[[", "]]", "[a]", "[a]]b]", "[a[[b]", "--", "-- ", "--\u{a0}", "\n", "/*", "*/", "/*!",
    "\\", "q'", "E'", "e'", "N'", "x'", "U&'", "$a$", "$$", "#", ":a", "@a", "$a", "#a", "?", "$1", " ", "a", "1",
    "1e", "é", ", ", " AS ", "+", "=", "::", "{x}", ", {x}, ", "'a'", "'a\\'", "\"b\"", "`c`", "x'00'", "(1)",
    "$a$'$a$", "E'\\''", "-- '\n", "/* ' */", "1-- 2\n", "NULL", "SELECT",
];
