//! What was found, as the table of the book's chapter on proof.

use std::fmt::Write as _;

use crate::{Finding, scenarios};

/// Where the table stands in the chapter.
pub const MARKS: [&str; 2] = ["<!-- measured: faults -->\n", "<!-- end -->"];

/// The chapter of the book.
pub const CHAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/proof.md");

/// A row for each scenario, a column for each engine, in Markdown. A cell is empty where a scenario is not for an engine.
#[must_use]
pub fn table(findings: &[Finding], corner: &str) -> String {
    let mut engines: Vec<&str> = Vec::new();
    for finding in findings {
        if !engines.contains(&&*finding.engine) {
            engines.push(&finding.engine);
        }
    }
    let heads: Vec<String> = engines.iter().map(|engine| title(engine)).collect();
    let mut text = format!("| {corner} | {} |\n|:--|{}\n", heads.join(" | "), ":--|".repeat(engines.len()));
    for scenario in scenarios::ALL {
        let own: Vec<&Finding> = findings.iter().filter(|finding| finding.scenario == scenario.name).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(text, "| {} |", scenario.what);
        for engine in &engines {
            let cell = match own.iter().find(|finding| finding.engine == *engine).map(|finding| &finding.outcome) {
                Some(Ok(said)) => format!(" {said} |"),
                Some(Err(_)) => " **failed** |".to_owned(),
                None => " |".to_owned(),
            };
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text
}

/// The engine as people write it: `MySQL 9.7` for `mysql 9.7.4`.
fn title(engine: &str) -> String {
    let (name, version) = engine.split_once(' ').unwrap_or((engine, ""));
    let name = match name {
        "sqlite" => "SQLite",
        "postgres" => "PostgreSQL",
        "mariadb" => "MariaDB",
        "mysql" => "MySQL",
        other => other,
    };
    let version: Vec<&str> = version.split('.').take(2).collect();
    format!("{name} {}", version.join("."))
}

/// A text with another table at the place of its own.
#[must_use]
pub fn replaced(text: &str, table: &str) -> Option<String> {
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{table}\n{end}{after}"))
}
