//! What a session has run, and what was slow.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use isogloss_compiler::Compiled;

use crate::context::Settings;

/// How many statements are kept.
const KEPT: usize = 10;

/// The last statements.
pub(super) struct Stack {
    texts: VecDeque<String>,
    parameters: bool,
}

impl Stack {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { texts: VecDeque::new(), parameters: settings.stack_parameters }
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.texts.iter().cloned().collect()
    }

    pub(super) fn clear(&mut self) {
        self.texts.clear();
    }

    /// Adds a text, in the memory of the one that has to go.
    pub(super) fn push(&mut self, sql: &str) {
        self.push_with(sql, |_| {});
    }

    fn push_with(&mut self, sql: &str, more: impl FnOnce(&mut String)) {
        let mut text = if self.texts.len() < KEPT { None } else { self.texts.pop_front() }.unwrap_or_default();
        text.clear();
        text.push_str(sql);
        more(&mut text);
        self.texts.push_back(text);
    }

    pub(super) fn statement(&mut self, statement: &Compiled<'_>) {
        let parameters = if self.parameters { statement.params.as_slice() } else { &[] };
        self.push_with(&statement.sql, |text| {
            for (number, parameter) in (1..).zip(parameters) {
                let before = if number == 1 { " -- " } else { ", " };
                // Writing to a text does not fail.
                let _ = write!(text, "{before}{number}: {parameter}");
            }
        });
    }
}

/// A statement under way.
pub(super) struct Watch {
    since: Instant,
    slow: Duration,
}

impl Watch {
    pub(super) fn start(slow: Duration) -> Self {
        Self { since: Instant::now(), slow }
    }

    /// Says so if it took long.
    pub(super) fn stop(&self, data_source: &str, sql: &str) {
        let took = self.since.elapsed();
        if took >= self.slow {
            let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(target: "isogloss", data_source, took_ms, db.query.text = sql, "slow statement");
        }
    }
}
