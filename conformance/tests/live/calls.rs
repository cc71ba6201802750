//! Each function with arguments of each shape: how it is spelled, and that engines agree about what it gives.
//!
//! A snapshot for each function has its calls, with the value as each dialect spells it. The engines are those of
//! `suite`: where several answer, they are compared with each other, and all with SQLite.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use isogloss_cases::calls::{Call, calls};
use isogloss_cases::{other_versions, targets};
use isogloss_compiler::expr::{Expr, SqlSegment};
use isogloss_compiler::functions::Func;
use isogloss_compiler::{Compiler, ErrorKind, json};
use isogloss_conformance::suite::{self, NoAnswer, Schema, Suite};
use libtest_mimic::{Failed, Trial};

/// A snapshot for each function, and the calls on all engines.
pub fn trials() -> Vec<Trial> {
    let schema = Schema::load(&Suite::folder().join("schemas"), "calls").unwrap();
    let schema = Arc::new(schema);
    let mut trials = Vec::new();
    for func in Func::ALL {
        let schema = Arc::clone(&schema);
        let name = file(func.signature().name);
        trials.push(Trial::test(format!("calls/{name}"), move || {
            let mut settings = insta::Settings::new();
            settings.set_snapshot_path(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/calls")));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            let stone = stone(&schema.compiler, *func);
            settings.bind(|| insta::assert_snapshot!(name.as_str(), stone));
            Ok(())
        }));
    }
    trials.push(Trial::test("calls: a snapshot for each function", || {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/calls"))?;
        let names = files.filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".snap").map(str::to_owned));
        let known: HashSet<String> = Func::ALL.iter().map(|func| file(func.signature().name)).collect();
        let strange: Vec<String> = names.filter(|name| !known.contains(name)).collect();
        if strange.is_empty() { Ok(()) } else { Err(format!("of no function: {strange:?}").into()) }
    }));
    trials.push(Trial::test("calls: engines agree", move || engines_agree(&schema)));
    trials
}

/// `IndexOf` as `index_of`.
fn file(name: &str) -> String {
    name.char_indices().fold(String::new(), |mut file, (at, c)| {
        if at > 0 && c.is_ascii_uppercase() {
            file.push('_');
        }
        file.push(c.to_ascii_lowercase());
        file
    })
}

/// The calls of a function, each as JSON and as every dialect spells it.
fn stone(compiler: &Compiler, func: Func) -> String {
    let mut out = String::new();
    for call in calls().into_iter().filter(|call| call.func == func) {
        let _ = writeln!(out, "{}", value(&call));
        let mut known: Vec<(&str, String)> = Vec::new();
        for target in targets().into_iter().chain(other_versions()) {
            let text = match compiler.target(&*target.dialect).compile(&call.query) {
                Ok(compiled) => {
                    let notes: String =
                        compiled.notes.iter().map(|note| format!("  -- {}", note.rule.name())).collect();
                    item(&compiled.sql) + &notes
                }
                Err(error) => format!("refused: {}", reason(error.kind())),
            };
            // MariaDB where it is not as MySQL, and another version where it is not as the usual one.
            let name = target.dialect.sheet().name;
            let like = [name, target.unlike.unwrap_or(name)];
            if !known.iter().any(|(other, before)| like.contains(other) && *before == text) {
                let _ = writeln!(out, "  {:<14} {text}", target.label());
            }
            known.push((name, text));
        }
        out.push('\n');
    }
    out
}

/// Why a call is refused, whatever the version.
fn reason(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Refused { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

/// The call in JSON.
fn value(call: &Call) -> String {
    let Expr::Segment(SqlSegment::Select(select)) = &call.query else { return String::new() };
    select.selects.last().map_or_else(String::new, |item| json::to_string(&Expr::from(item.value.clone())))
}

/// What is selected as `V`.
fn item(sql: &str) -> String {
    let end = sql.rfind(" AS ").unwrap_or(sql.len());
    let all = sql.get(..end).unwrap_or(sql);
    let begin = all
        .find("Id\", ")
        .or_else(|| all.find("Id`, "))
        .or_else(|| all.find("Id], "))
        .map_or("SELECT ".len(), |at| at + 5);
    all.get(begin..).unwrap_or(all).to_owned()
}

/// Functions whose value is another one each time.
const VOLATILE: [Func; 5] = [Func::Now, Func::UtcNow, Func::Today, Func::Random, Func::NewGuid];

/// What engines answer otherwise, by their dialect: it is documented, or an engine's own mistake.
fn is_known(func: Func, dialect: &str, call: &Call) -> bool {
    match (func, dialect) {
        // Of ASCII only: the note `ascii_case`.
        (Func::Lower | Func::Upper, "sqlite") => true,
        // For ASCII text, and for numbers that are not negative: nothing is said of others.
        (Func::Ascii | Func::ShiftRight, "mysql" | "mariadb") => true,
        // The values of an aggregate without an order come in any; and there is none for distinct ones.
        (Func::JsonArrayAgg, _) => value(call).contains("Distinct"),
        // A zero byte before the first of several empty texts.
        (Func::StringAgg, "sqlite") => value(call).contains("{\"@\":\"\"}"),
        _ => false,
    }
}

fn engines_agree(schema: &Arc<Schema>) -> Result<(), Failed> {
    let mut all = calls();
    all.retain(|call| !VOLATILE.contains(&call.func));
    let mut engines = vec![("sqlite", None)];
    for (engine, variable) in [("postgres", "ISOGLOSS_POSTGRES_URL"), ("mysql", "ISOGLOSS_MYSQL_URL")] {
        engines.extend(isogloss_testkit::servers::urls(variable).into_iter().map(|url| (engine, Some(url))));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut answers = Vec::new();
    for (name, url) in &engines {
        let asked = runtime.block_on(async {
            let engine = suite::connect(name, url.as_deref()).await?;
            let queries = all.iter().map(|call| (&call.query, call.types.as_slice()));
            let answers = suite::answers(&*engine, schema, queries).await?;
            Ok::<_, suite::SuiteError>((engine.backend().dialect().label(), answers))
        })?;
        answers.push(asked);
    }
    let mut wrong = Vec::new();
    for (index, call) in all.iter().enumerate() {
        let mut first = None;
        for (label, answers) in &answers {
            let dialect = label.split(' ').next().unwrap_or_default();
            let answer = answers.get(index).filter(|_| !is_known(call.func, dialect, call));
            match (answer, first) {
                (Some(Ok(answer)), None) => first = Some((label, answer)),
                (Some(Ok(answer)), Some((other, expected))) => {
                    if let Err(difference) = expected.near(answer) {
                        wrong.push(format!("{label} beside {other}: {}: {difference}", value(call)));
                    }
                }
                (Some(Err(NoAnswer::Failed(why))), _) => wrong.push(format!("{label}: {}: {why}", value(call))),
                _ => {}
            }
        }
    }
    println!("{} calls on {} engines", all.len(), answers.len());
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ\n{}", wrong.len(), wrong.join("\n")).into()) }
}
