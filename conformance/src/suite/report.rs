//! What a run found, and how it is written: a matrix, JUnit's XML, JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_json::json;

/// What one engine gave.
#[derive(Debug)]
pub struct Report {
    /// The engine's name.
    pub engine: String,
    /// Its dialect and version.
    pub label: String,
    /// The results, in the order of the cases.
    pub results: Vec<CaseResult>,
}

/// What a case gave.
#[derive(Debug)]
pub struct CaseResult {
    /// The case's group.
    pub group: String,
    /// Its name.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub elapsed: Duration,
}

/// What came of a case.
#[derive(Debug)]
pub enum Outcome {
    /// The engine answers as it should.
    Passed,
    /// The dialect refuses what its engine lacks, as it should.
    Refused,
    /// The engine lacks what the case is about, and documents another answer: the requirement's name.
    NotRequired(&'static str),
    /// Neither.
    Failed(Box<Failure>),
}

/// What is wrong.
#[derive(Debug)]
pub struct Failure {
    /// The difference, or the error.
    pub why: String,
    /// The SQL; the tree where it did not come so far.
    pub text: String,
    /// The parameters.
    pub parameters: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shorten = |text: &str| match text.char_indices().nth(1_200) {
            Some((end, _)) => format!("{} ...", text.get(..end).unwrap_or_default()),
            None => text.to_owned(),
        };
        writeln!(f, "{}", shorten(&self.why))?;
        writeln!(f, "    {}", shorten(&self.text))?;
        for (number, parameter) in (1..).zip(self.parameters.iter().take(12)) {
            writeln!(f, "    {number} = {parameter}")?;
        }
        Ok(())
    }
}

impl Report {
    /// What is wrong.
    pub fn failures(&self) -> impl Iterator<Item = (&CaseResult, &Failure)> {
        self.results.iter().filter_map(|result| match &result.outcome {
            Outcome::Failed(failure) => Some((result, &**failure)),
            _ => None,
        })
    }
}

/// A text for a terminal: what would move its cursor, colour it or turn its direction is escaped. Lines stay lines.
#[must_use]
pub fn visible(text: &str) -> String {
    let hides = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// How many cases came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in Outcome")]
pub struct Tally {
    pub passed: usize,
    pub refused: usize,
    pub not_required: usize,
    pub failed: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Refused => &mut self.refused,
            Outcome::NotRequired(_) => &mut self.not_required,
            Outcome::Failed(_) => &mut self.failed,
        } += 1;
    }

    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.refused += other.refused;
        self.not_required += other.not_required;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    /// `12 passed, 2 refused`; what there is none of is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.passed, "passed"),
            (self.refused, "refused"),
            (self.not_required, "not required"),
            (self.failed, "FAILED"),
        ];
        let shown: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        f.write_str(&if shown.is_empty() { "-".to_owned() } else { shown.join(", ") })
    }
}

/// Groups by engines.
#[derive(Debug)]
pub struct Matrix {
    /// The engines.
    pub engines: Vec<String>,
    /// The groups, each with a tally of every engine.
    pub groups: Vec<(String, Vec<Tally>)>,
    /// The sums of the engines.
    pub totals: Vec<Tally>,
}

impl Matrix {
    /// The matrix of some reports.
    #[must_use]
    pub fn of(reports: &[Report]) -> Self {
        let mut groups: BTreeMap<&str, Vec<Tally>> = BTreeMap::new();
        for (index, report) in reports.iter().enumerate() {
            for result in &report.results {
                let tallies = groups.entry(&result.group).or_insert_with(|| vec![Tally::default(); reports.len()]);
                if let Some(tally) = tallies.get_mut(index) {
                    tally.count(&result.outcome);
                }
            }
        }
        let mut totals = vec![Tally::default(); reports.len()];
        for tallies in groups.values() {
            for (total, tally) in totals.iter_mut().zip(tallies) {
                total.add(*tally);
            }
        }
        Self {
            engines: reports.iter().map(|report| report.engine.clone()).collect(),
            groups: groups.into_iter().map(|(group, tallies)| (group.to_owned(), tallies)).collect(),
            totals,
        }
    }
}

/// Reports as JUnit's XML: a suite for each engine and group.
///
/// # Errors
/// What the writer says.
pub fn junit(reports: &[Report]) -> Result<String, quick_junit::SerializeError> {
    let mut all = quick_junit::Report::new("isogloss-conformance");
    for report in reports {
        let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
        for result in &report.results {
            let suite = suites
                .entry(&result.group)
                .or_insert_with(|| TestSuite::new(format!("{}/{}", report.engine, result.group)));
            let status = match &result.outcome {
                Outcome::Passed | Outcome::Refused => TestCaseStatus::success(),
                Outcome::NotRequired(requirement) => {
                    let mut skipped = TestCaseStatus::skipped();
                    skipped.set_message(format!("not required: {requirement}"));
                    skipped
                }
                Outcome::Failed(failure) => {
                    let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    failed.set_message(failure.why.as_str()).set_description(failure.to_string());
                    failed
                }
            };
            let mut case = TestCase::new(result.name.as_str(), status);
            case.set_classname(format!("{}.{}", report.engine, result.group)).set_time(result.elapsed);
            suite.add_test_case(case);
        }
        all.add_test_suites(suites.into_values());
    }
    all.to_string()
}

/// Reports as JSON: engines, each with its totals and its cases.
#[must_use]
pub fn json(reports: &[Report]) -> serde_json::Value {
    let matrix = Matrix::of(reports);
    let engine = |(report, total): (&Report, &Tally)| {
        let case = |result: &CaseResult| {
            let mut case = json!({
                "group": result.group, "name": result.name,
                "seconds": result.elapsed.as_secs_f64(),
                "outcome": match &result.outcome {
                    Outcome::Passed => "passed",
                    Outcome::Refused => "refused",
                    Outcome::NotRequired(_) => "not required",
                    Outcome::Failed(_) => "failed",
                },
            });
            if let Some(case) = case.as_object_mut() {
                match &result.outcome {
                    Outcome::NotRequired(requirement) => _ = case.insert("requires".into(), (*requirement).into()),
                    Outcome::Failed(failure) => {
                        case.insert("why".into(), failure.why.as_str().into());
                        case.insert("sql".into(), failure.text.as_str().into());
                        case.insert("parameters".into(), failure.parameters.clone().into());
                    }
                    Outcome::Passed | Outcome::Refused => {}
                }
            }
            case
        };
        json!({
            "engine": report.engine, "dialect": report.label,
            "passed": total.passed, "refused": total.refused,
            "not_required": total.not_required, "failed": total.failed,
            "cases": report.results.iter().map(case).collect::<Vec<_>>(),
        })
    };
    json!({ "engines": reports.iter().zip(&matrix.totals).map(engine).collect::<Vec<_>>() })
}
