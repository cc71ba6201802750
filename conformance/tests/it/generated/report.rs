//! What a run has seen.

use std::collections::BTreeMap;
use std::fmt;

use isogloss_conformance::evaluator::Error;

use crate::generated::case::Case;
use crate::generated::check::Outcome;

/// Counts, and what failed.
#[derive(Debug, Default)]
pub struct Report {
    pub failures: Vec<String>,
    engines: BTreeMap<String, Counts>,
    cases: usize,
    /// Cases with a row in their answer.
    with_rows: usize,
    /// Cases that the evaluator does not know, by its reason.
    unsupported: BTreeMap<String, usize>,
}

#[derive(Debug, Default)]
struct Counts {
    agreed: usize,
    alone: usize,
    judged: usize,
    failed: usize,
    refused: BTreeMap<String, usize>,
}

impl Counts {
    fn refusals(&self) -> usize {
        self.refused.values().sum()
    }
}

impl Report {
    /// Counts what came of a case on an engine; whether it failed.
    pub fn count(&mut self, engine: &str, outcome: &Outcome) -> bool {
        let counts = self.engines.entry(engine.to_owned()).or_default();
        match outcome {
            Outcome::Agreed => counts.agreed += 1,
            Outcome::Alone => counts.alone += 1,
            Outcome::Judged => counts.judged += 1,
            Outcome::Refused(why) => *counts.refused.entry(why.clone()).or_default() += 1,
            Outcome::Failed(_) => counts.failed += 1,
        }
        matches!(outcome, Outcome::Failed(_))
    }

    /// Counts whether the evaluator knows a case.
    pub fn count_case(&mut self, case: &Case) {
        self.cases += 1;
        self.with_rows += usize::from(
            case.expected.as_ref().is_ok_and(|answers| answers.iter().any(|answer| !answer.rows.is_empty())),
        );
        if let Err(Error::Unsupported(why)) = &case.expected {
            *self.unsupported.entry(why.clone()).or_default() += 1;
        }
    }

    /// Which part of the trees some engine's compiler refuses, at most.
    pub fn refused_share(&self) -> f64 {
        let most = self.engines.values().map(Counts::refusals).max().unwrap_or(0);
        most as f64 / self.cases.max(1) as f64
    }

    /// Which part of the trees the evaluator does not know.
    pub fn unsupported_share(&self) -> f64 {
        self.unsupported.values().sum::<usize>() as f64 / self.cases.max(1) as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |count: usize| 100.0 * count as f64 / self.cases.max(1) as f64;
        writeln!(f, "{:.0} % of the answers have rows", share(self.with_rows))?;
        for (engine, counts) in &self.engines {
            let Counts { agreed, alone, judged, failed, .. } = counts;
            let (refused, of_all) = (counts.refusals(), share(counts.refusals()));
            write!(f, "{engine}: ")?;
            match judged {
                0 => write!(f, "{agreed} agreed, {alone} without the evaluator")?,
                _ => write!(f, "{judged} judged by their texts")?,
            }
            writeln!(f, ", {refused} refused ({of_all:.2} %), {failed} failed")?;
            for (why, count) in &counts.refused {
                writeln!(f, "  refused {:.2} %: {why}", share(*count))?;
            }
        }
        for (why, count) in &self.unsupported {
            writeln!(f, "not evaluated {:.2} %: {why}", share(*count))?;
        }
        Ok(())
    }
}
