//! Of two databases that differ only in what a stranger may not see, no tree tells which one it was asked of.
//!
//! The tree goes where the documents have it: behind the program's own filter of the tenant, or into a query with a scope of
//! the tenant, where it may look at documents wherever it likes. An error of the engine may tell
//! of rows of others, as no engine promises in which order it looks at conditions; the guide for web applications says what a
//! program does about it. Such errors are counted apart.

use std::ops::AddAssign;

use isogloss::expr::{Expr, SelectItemExpr, SqlSegment, ValueTypeExpr};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::walk::QueryPolicy;
use isogloss::{OrmError, json};

use crate::Outcome;
use crate::chance::Chance;
use crate::shop::{Guard, Shop};
use crate::strangers;

/// Of so many answers an error may tell one database from the other at one. Measured: none of 1,300, on five engines.
const TOLD: u64 = 1_000;

/// What was tried.
#[derive(Debug, Default)]
pub struct Counts {
    /// The engine, with its version.
    pub engine: String,
    /// Trees that were made.
    pub tried: u64,
    /// Those that the policy lets pass.
    pub passed: u64,
    /// Those of them that both databases have answered.
    pub answered: u64,
    /// Those that the compiler refuses.
    pub refused: u64,
    /// Those that an engine fails at, at both databases.
    pub failed: u64,
    /// Those that an engine fails at, at one of them.
    pub told_by_errors: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.engine = other.engine;
        self.tried += other.tried;
        self.passed += other.passed;
        self.answered += other.answered;
        self.refused += other.refused;
        self.failed += other.failed;
        self.told_by_errors += other.told_by_errors;
    }
}

/// Tries so many trees on an engine, by a policy of that root, behind that guard.
///
/// # Errors
/// A tree that was answered differently.
pub async fn run(
    (provider, server): (&str, &str),
    (root, policy, guard): (&'static str, &QueryPolicy, Guard),
    count: u64,
    seed: u64,
) -> Outcome<Counts> {
    let (one, other) = (Shop::make(provider, server, false).await?, Shop::make(provider, server, true).await?);
    let done = compare([&one, &other], (root, policy, guard), count, seed).await;
    one.end().await?;
    other.end().await?;
    done
}

async fn compare(
    [one, other]: [&Shop; 2],
    (root, policy, guard): (&'static str, &QueryPolicy, Guard),
    count: u64,
    seed: u64,
) -> Outcome<Counts> {
    let engine = one.session.lease(None, Purpose::Read).await?.target().dialect().label();
    let mut counts = Counts { engine, ..Counts::default() };
    let catalog = one.session.context().catalog();
    for number in 0..count {
        let mut chance = Chance::new(seed.wrapping_add(number));
        let theirs = strangers::filter(&mut chance, root, 3);
        let item = (chance.below(4) == 0).then(|| strangers::item(&mut chance, root));
        counts.tried += 1;
        // As they come in.
        let text = json::to_string(&theirs);
        let theirs: LogicExpr = json::read(&text, &json::ReadLimits::DEFAULT)?;
        let item_text = item.as_ref().map(json::to_string).unwrap_or_default();
        let item: Option<ValueTypeExpr> =
            item.map(|_| json::read(&item_text, &json::ReadLimits::DEFAULT)).transpose()?;
        let passes = policy.check(&theirs, catalog).is_ok();
        if !passes || item.as_ref().is_some_and(|item| policy.check(item, catalog).is_err()) {
            continue;
        }
        counts.passed += 1;
        let rows = guard.rows(root).filter(theirs).order_by(["Id"]);
        let own = ["Id", "Title", "Pages"].map(|name| SelectItemExpr::from(prop(name)));
        let query = Expr::from(SqlSegment::from(rows.select(own.into_iter().chain(item.map(SelectItemExpr::from)))));
        match (one.ask(&query, guard).await, other.ask(&query, guard).await) {
            (Ok(ours), Ok(others)) if ours == others => counts.answered += 1,
            (Ok(ours), Ok(others)) => {
                return Err(format!(
                    "tree {number} of seed {seed} tells the databases apart: {text} {item_text}\n{ours}\n{others}"
                )
                .into());
            }
            (Err(OrmError::Compile(_)), Err(OrmError::Compile(_))) => counts.refused += 1,
            (Err(_), Err(_)) => counts.failed += 1,
            _ => counts.told_by_errors += 1,
        }
    }
    // No engine tells in which order it looks at conditions; it is rare that one tells by an error.
    if counts.told_by_errors * TOLD > counts.answered {
        return Err(format!("errors tell the databases apart: {counts:?}").into());
    }
    Ok(counts)
}
