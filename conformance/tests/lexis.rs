//! A template's text is read as the engine reads it: what is a literal or a comment to one engine alone opens a literal
//! to the others, and is an error there.

use std::collections::BTreeSet;

use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, ExprString, Request};
use isogloss_conformance::targets;

/// Texts that only these engines read to their end.
const TEXTS: [(&str, &[&str]); 13] = [
    // A backslash escapes the quote.
    (r"SELECT 'a\'[b]'", &["mysql", "mariadb"]),
    (r"SELECT E'a\'[b]'", &["mysql", "mariadb", "postgres"]),
    ("SELECT $t$'$t$", &["postgres"]),
    ("SELECT q'[']'", &["oracle"]),
    ("SELECT `'`", &["mysql", "mariadb", "sqlite"]),
    ("SELECT 1 /* /* */ ' */", &["postgres", "sqlserver"]),
    ("SELECT 1 # '", &["mysql", "mariadb"]),
    // `--` before a quote is two signs to MySQL.
    ("SELECT 1 --'", &["oracle", "postgres", "sqlite", "sqlserver"]),
    // Parameters of the engine.
    ("SELECT :a", &["mariadb", "mysql", "postgres", "sqlserver"]),
    ("BEGIN a := 1; END;", &["mariadb", "mysql", "postgres", "sqlite", "sqlserver", "oracle"]),
    ("SELECT @a", &["mariadb", "mysql", "postgres", "sqlserver", "oracle"]),
    ("SELECT $a", &["mariadb", "mysql", "postgres", "sqlserver", "oracle"]),
    ("SELECT ':a @a $a ?' -- :a @a $a ?", &["mariadb", "mysql", "postgres", "sqlite", "sqlserver", "oracle"]),
];

#[test]
fn each_dialect_reads_the_text_as_its_engine_does() {
    let compiler = Compiler::new(sample::catalog());
    for (text, engines) in TEXTS {
        let mut read = BTreeSet::new();
        for target in targets() {
            let dialect = &*target.dialect;
            let template = ExprString::parse(text).unwrap();
            if compiler.target(dialect).compile_template(&template, &Request::default()).is_ok() {
                read.insert(dialect.label().split(" ").next().unwrap_or_default().to_owned());
            }
        }
        assert_eq!(read, engines.iter().map(|engine| (*engine).to_owned()).collect(), "{text}");
    }
}
