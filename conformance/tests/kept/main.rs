//! Kept statements are what a full compilation makes.
//!
//! `ISOGLOSS_KEPT` says how many random trees of each sort (2,000), `ISOGLOSS_SEED` from which seed; it is printed, so that a run can
//! be repeated.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod random;
mod values;

use std::sync::Arc;

use isogloss_compiler::expr::Expr;
use isogloss_compiler::model::{Catalog, TextMode};
use isogloss_compiler::{Buffers, CompileLimits, Compiled, Compiler, Request, Target};
use isogloss_conformance::{other_versions, targets};

/// A target that keeps statements, and one that does not.
type Side = (Arc<Target>, Arc<Target>);

/// Each dialect in each version, with texts of both modes; lists are one parameter from so many values on.
fn sides(catalog: &Catalog, in_list: usize) -> Vec<Side> {
    let limits = |kept| CompileLimits { kept, in_list, ..CompileLimits::default() };
    let [keeps, anew] = [1 << 16, 0].map(|kept| Compiler::new(catalog.clone()).with_limits(limits(kept)));
    let all = targets().into_iter().chain(other_versions());
    let both = |target: isogloss_conformance::Target| {
        [TextMode::Database, TextMode::Exact].map(|text| {
            let of = |compiler: &Compiler| compiler.target_of(&*target.dialect, text, &[]);
            (of(&keeps), of(&anew))
        })
    };
    all.flat_map(both).collect()
}

fn compiled<'e>(target: &Target, tree: &'e Expr, request: &Request<'e>) -> Result<Compiled<'e>, String> {
    target.compile_with(tree, request, Buffers::default()).map_err(|error| error.to_string())
}

/// One side gives what the other one gives.
fn agree((keeps, anew): &Side, tree: &Expr, request: &Request<'_>) {
    let (kept, full) = (compiled(keeps, tree, request), compiled(anew, tree, request));
    let (label, text) = (anew.dialect().label(), anew.text());
    assert_eq!(kept, full, "{label} {text:?}, {request:?}: {}", isogloss_compiler::json::to_string(tree));
}
