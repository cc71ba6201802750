//! The texts for engines that cannot be run here, held by judges: a grammar for each, and checks of our own for what a
//! grammar does not see.
//!
//! Every case is judged in every version of SQL Server and of Oracle. The grammars judge with
//! `ISOGLOSS_LONG=1`, if `conformance/judges/tsql/setup.sh` and `conformance/judges/plsql/setup.sh` have installed them.

use std::collections::HashSet;
use std::fmt::Write as _;

use isogloss_cases::{Case, Target, cases, stone};
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::{Compiled, Compiler};
use isogloss_conformance::judge::{self, Judge};
use isogloss_conformance::tpch;
use isogloss_oracle::Oracle;
use isogloss_sqlserver::SqlServer;

fn sqlserver() -> Vec<Target> {
    [SqlServer::V2017, SqlServer::V2019, SqlServer::V2022, SqlServer::V2025].map(Into::into).into()
}

fn oracle() -> Vec<Target> {
    [Oracle::V12_1, Oracle::V12_2, Oracle::V18, Oracle::V19, Oracle::V21, Oracle::V23].map(Into::into).into()
}

/// Hands every text to a check, and fails with what it finds.
fn hold(targets: &[Target], mut check: impl FnMut(&Target, &Compiled<'_>) -> Vec<String>) {
    let (sample, tpch) = (stone::compiler(), Compiler::new(tpch::catalog().unwrap()));
    let mut findings = String::new();
    let mut checked = 0;
    let mut all: Vec<(&Compiler, &str, Case)> = Vec::new();
    for (topic, cases) in cases::all() {
        all.extend(cases.into_iter().map(|case| (&sample, topic, case)));
    }
    all.extend(tpch::cases().into_iter().map(|case| (&tpch, "tpch", case)));
    for target in targets {
        for (compiler, topic, case) in &all {
            let Ok(compiled) = stone::compile(compiler, case, target) else { continue };
            checked += 1;
            for finding in check(target, &compiled) {
                let text: String = compiled.sql.chars().take(1_000).collect();
                let _ = writeln!(findings, "{topic}/{} ({}): {finding}\n    {text}", case.name, target.label());
            }
        }
    }
    println!("{checked} texts judged");
    assert!(checked > 900 * targets.len(), "most cases have a text: {checked}");
    assert!(findings.is_empty(), "{findings}");
}

fn structure(target: &Target, compiled: &Compiled<'_>) -> Vec<String> {
    judge::structure(&*target.dialect, compiled).iter().map(ToString::to_string).collect()
}

#[test]
fn every_text_has_the_structure_that_sql_server_wants() {
    hold(&sqlserver(), structure);
}

#[test]
fn every_text_has_the_structure_that_oracle_wants() {
    hold(&oracle(), structure);
}

#[test]
fn every_text_keeps_the_limits_of_its_engine() {
    hold(&isogloss_cases::targets(), structure);
}

/// Asks a judge about every text, one process for each version; and before that about texts that are wrong.
fn ask(name: &str, targets: &[Target], wrong: &[&str]) {
    let start = |target: &Target| Judge::start(&*target.dialect).unwrap();
    let Some(mut judge) = targets.first().and_then(start) else {
        isogloss_testkit::skipped(format_args!(
            "the grammar of {name}: it judges with ISOGLOSS_LONG=1, once conformance/judges/{name}/setup.sh has installed it"
        ));
        return;
    };
    for sql in wrong {
        assert!(judge.check(sql).is_err(), "the judge takes {sql}");
    }
    let mut version = String::new();
    // Most versions have one text.
    let mut judged = HashSet::new();
    hold(targets, |target, compiled| {
        if version != target.label() {
            version = target.label();
            judge = start(target).unwrap();
        }
        if !judged.insert(compiled.sql.clone()) {
            return Vec::new();
        }
        judge.check(&compiled.sql).err().into_iter().collect()
    });
}

#[test]
fn every_text_for_sql_server_is_in_its_grammar() {
    let wrong = [
        "SELECT [a] FROM [t] LIMIT 1",
        "SELECT [a] > 1 FROM [t]",
        "SELECT [a] FROM [t] ORDER BY [a] NULLS LAST",
        "SELECT [a] || N'b' FROM [t]",
        "SELECT [a] FROM [t] WHERE ([a], [b]) IN ((1, 2))",
        "SELECT 1 FROM [t] WHERE [a] ILIKE N'b'",
        "INSERT INTO [t] ([a]) VALUES (1) ON CONFLICT DO NOTHING",
        "DELETE FROM [t] RETURNING [a]",
        "SELECT CAST([a] AS text) COLLATE FROM [t]",
        "SELECT 1; SELECT 2",
    ];
    ask("tsql", &sqlserver(), &wrong);
}

#[test]
fn every_text_for_oracle_is_in_its_grammar() {
    let wrong = [
        r#"SELECT "a" FROM "t" LIMIT 1"#,
        r#"SELECT "a" FROM "t" AS "x""#,
        r#"SELECT TOP 1 "a" FROM "t""#,
        r#"SELECT "a"::number FROM "t""#,
        r#"SELECT [a] FROM "t""#,
        r#"SELECT "a" FROM "t" WHERE "a" ILIKE 'b'"#,
        r#"INSERT INTO "t" ("a") VALUES (1) ON CONFLICT DO NOTHING"#,
        r#"UPDATE "t" SET "a" = 1 FROM "u""#,
        r#"SELECT "a" % 2 FROM "t""#,
        "SELECT 1 FROM DUAL; SELECT 2 FROM DUAL",
    ];
    ask("plsql", &oracle(), &wrong);
}

/// What asks the catalogs of the engines that do not run here.
fn questions(ddl: &dyn isogloss_driver::ddl::Ddl) -> Vec<&'static str> {
    let asked = ddl.introspection().unwrap();
    let always = [asked.tables, asked.columns, asked.keys, asked.indexes];
    always.into_iter().chain(asked.checks).chain(asked.identities).collect()
}

/// The oldest and the newest version: each starts a judge of its own.
#[test]
fn catalogs_are_asked_in_the_grammar_of_their_engine() {
    let of = |dialect: &dyn Dialect, questions: Vec<&str>| {
        let Some(mut judge) = Judge::start(dialect).unwrap() else {
            isogloss_testkit::skipped(format_args!("the judge of {} is not set up", dialect.label()));
            return;
        };
        assert!(questions.len() >= 5);
        for sql in questions {
            assert_eq!(judge.check(sql), Ok(()), "{}: {sql}", dialect.label());
        }
    };
    for dialect in [SqlServer::V2017, SqlServer::V2025] {
        of(&dialect, questions(&dialect));
    }
    for dialect in [Oracle::V12_2, Oracle::V23] {
        of(&dialect, questions(&dialect));
    }
}
