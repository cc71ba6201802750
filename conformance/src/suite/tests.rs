use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::*;

/// A folder of a suite, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("isogloss-suite-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("schemas")).unwrap();
        let schema = "[[entity]]\nname = \"T\"\ncolumns = [{ name = \"Id\", type = \"Int32\", primary_key = true }]\n";
        fs::write(folder.join("schemas/one.toml"), schema).unwrap();
        fs::write(folder.join("schemas/one.json"), "{}").unwrap();
        Self(folder)
    }

    fn write(&self, file: &str, schema: &str, cases: &str) {
        let text = format!(r#"{{"about":"a","schema":"{schema}","cases":[{cases}]}}"#);
        fs::write(self.0.join(file), text).unwrap();
    }

    fn refused(&self, part: &str) {
        let error = Suite::load(&self.0).expect_err("is refused").to_string();
        assert!(error.contains(part), "{error}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn case(name: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","expr":["MANY"]{more},"refused":{{"kind":"k","message":"m"}}}}"#)
}

#[test]
fn a_long_list_is_reckoned_before_it_is_made() {
    let folder = Folder::new("many");
    let many = |count: &str, item: &str| case("c", &format!(r#","many":{{"count":{count},"item":"{item}"}}"#));
    folder.write("g.json", "one", &many("3", "%-%"));
    assert_eq!(Suite::load(&folder.0).unwrap().cases().next().unwrap().expr, "[1-1,2-2,3-3]");
    folder.write("g.json", "one", &many("1000000000", "%"));
    folder.refused("`many` has at most 1000000 items");
    folder.write("g.json", "one", &many("1000000", &"%".repeat(100)));
    folder.refused("too long, all together");
    let each = |name: &str| case(name, &format!(r#","many":{{"count":1000000,"item":"{}"}}"#, "x".repeat(60)));
    folder.write("g.json", "one", &each("a"));
    Suite::load(&folder.0).unwrap();
    folder.write("g.json", "one", &[each("a"), each("b"), each("c")].join(","));
    folder.refused("too long, all together");
}

#[test]
fn names_are_plain_words_and_stand_once() {
    let folder = Folder::new("names");
    for schema in ["/etc/hostname", "..", "../../one", "schemas/one", ""] {
        folder.write("g.json", schema, &case("c", ""));
        folder.refused("is no name");
        folder.write("g.json", "one", &case("c", &format!(r#","schema":"{schema}""#)));
        folder.refused("is no name");
    }
    for name in [r"a\u001b[2J", "A", "a b", "", "a/b"] {
        folder.write("g.json", "one", &case(name, ""));
        folder.refused("is no name");
    }
    folder.write("g.json", "one", &case(r"a\u001b", ""));
    folder.refused(r"a\u{1b}");
    folder.write("g.json", "one", &[case("a", ""), case("a", "")].join(","));
    folder.refused("two cases are called `a`");
    folder.write("g.json", "one", &[case("a", ""), case("b", "")].join(","));
    assert_eq!(Suite::load(&folder.0).unwrap().cases().count(), 2);
    folder.write("G H.json", "one", "");
    folder.refused("is no name");
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = Folder::new("files");
    let pipe = folder.0.join("pipe.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    folder.refused("it is no regular file");
    fs::remove_file(&pipe).unwrap();
    fs::create_dir(&pipe).unwrap();
    folder.refused("it is no regular file");
}

#[tokio::test]
async fn a_file_that_was_made_is_removed() {
    let path = std::env::temp_dir().join(format!("isogloss-suite-{}.db", std::process::id()));
    let url = path.to_str().unwrap();
    let run = async || {
        let (engine, suite) = (connect("sqlite", Some(url)).await.unwrap(), Suite::own().unwrap());
        let report = super::run(&*engine, &suite, |case| case.group == "nulls", |_| {}).await.unwrap();
        assert_eq!(report.failures().count(), 0);
        assert!(path.exists());
    };
    run().await;
    assert!(!path.exists());
    // One that was there is its owner's.
    fs::write(&path, "").unwrap();
    run().await;
    assert!(path.exists());
    fs::remove_file(&path).unwrap();
}

#[test]
fn what_would_move_a_cursor_is_shown() {
    assert_eq!(visible("a\u{1b}[2J\nb\r\u{202e}c"), "a\\u{1b}[2J\nb\\r\\u{202e}c");
}

/// What a dialect refuses is known before there is a server: each case compiles, or says that it is refused there.
#[test]
fn every_refusal_of_a_dialect_is_expected() {
    use isogloss_compiler::model::TextMode;
    use isogloss_compiler::{Buffers, json};

    let suite = Suite::own().unwrap();
    let mut found = Vec::new();
    for dialect in versions() {
        let mut targets = std::collections::HashMap::new();
        for case in suite.cases() {
            let Ok(expr) = json::from_str_with(&case.expr, &run::LIMITS) else { continue };
            let met = |target: &isogloss_compiler::Target| case.requires.iter().all(|wanted| wanted.is_met(target));
            let expected = case.refusal_on(&*dialect).is_some() || matches!(case.expect, Expect::Refused(_));
            for text in [TextMode::Database, TextMode::Exact] {
                let target = targets
                    .entry((case.schema.name.as_str(), text))
                    .or_insert_with(|| case.schema.compiler.target_of(&*dialect, text, &[]));
                if let Err(error) = target.compile_with(&expr, &case.request(), Buffers::default())
                    && error.is_refused()
                    && met(target)
                    && !expected
                {
                    found.push(format!("{} {text}: {}/{}: {error}", dialect.label(), case.group, case.name));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The engines that the command of the README is pointed at.
fn versions() -> Vec<Arc<dyn isogloss_compiler::dialect::Dialect>> {
    use isogloss_compiler::dialect::Identity as _;
    vec![
        isogloss_postgres::Postgres::V18.to_shared(),
        isogloss_mysql::MySql::V9_0.to_shared(),
        isogloss_mysql::MariaDb::V11_4.to_shared(),
        isogloss_sqlite::Sqlite::V3_45.to_shared(),
        isogloss_sqlserver::SqlServer::V2019.to_shared(),
        isogloss_sqlserver::SqlServer::V2022.to_shared(),
        isogloss_sqlserver::SqlServer::V2025.to_shared(),
        isogloss_oracle::Oracle::V19.to_shared(),
        isogloss_oracle::Oracle::V23.to_shared(),
    ]
}
