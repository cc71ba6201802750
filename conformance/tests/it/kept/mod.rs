//! Kept and prepared statements are what a full compilation makes.
//!
//! `ISOGLOSS_KEPT` is the number of random trees of each sort (200, and 2,000 in the nightly tier), `ISOGLOSS_SEED`
//! the seed of the first (1).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod everywhere;
mod random;
mod values;

use std::sync::Arc;

use isogloss_cases::{other_versions, targets};
use isogloss_compiler::expr::{Expr, InsertExpr, InsertSource, Name, Value, ValueRef, ValueTypeExpr};
use isogloss_compiler::model::{Catalog, TextMode};
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit};
use isogloss_compiler::{Buffers, CompileLimits, Compiled, Compiler, InsertRows, Request, Scope, Target};

/// A target that keeps statements, and one that does not.
type Side = (Arc<Target>, Arc<Target>);

/// Each dialect in each version, with texts of both modes; lists are one parameter from so many values on.
fn sides(catalog: &Catalog, in_list: usize) -> Vec<Side> {
    let limits = |kept| CompileLimits::default().kept(kept).in_list(in_list);
    let [keeps, anew] = [1 << 16, 0].map(|kept| Compiler::new(catalog.clone()).with_limits(limits(kept)));
    let all = targets().into_iter().chain(other_versions());
    let both = |target: isogloss_cases::Target| {
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
    same(compiled(keeps, tree, request), anew, tree, request);
}

/// The statement of the first tree, prepared and bound to the values of another one, is that of the other one.
fn agree_bound((keeps, anew): &Side, trees: &[Expr], scopes: &[Scope], request: &Request<'_>) {
    let scope = |place: usize| scopes.get(place % scopes.len().max(1)).or(request.scope);
    let within = |place| scope(place).map_or(*request, |scope| request.scope(scope));
    let Some(prepared) = trees.first().and_then(|first| keeps.prepare_with(first.clone(), &within(0)).ok()) else {
        return;
    };
    for (place, tree) in trees.iter().enumerate() {
        let values = values_of(tree);
        let bound = prepared.bind_in(&values, scope(place), Buffers::default()).map_err(|error| error.to_string());
        same(bound, anew, tree, &within(place));
    }
}

/// INSERTs of rows of borrowed values are those of their trees, whatever the number of rows.
fn agree_rows((keeps, anew): &Side, trees: &[Expr], request: &Request<'_>) {
    let inserts: Vec<_> = trees.iter().filter_map(|tree| rows_of(tree).map(|rows| (tree, rows))).collect();
    let Some((Expr::Insert(first), _)) = inserts.first() else { return };
    let names: Vec<&str> = first.columns.iter().map(Name::as_str).collect();
    let prepared = keeps.prepare_insert(first.table.entity.as_str(), &names, &first.table.table_args);
    for (tree, values) in &inserts {
        let values: Vec<ValueRef<'_>> = values.iter().map(ValueRef::from).collect();
        match &prepared {
            Ok(prepared) => {
                let bound = prepared.bind(&values).map(InsertRows::into_compiled).map_err(|error| error.to_string());
                same(bound, anew, tree, request);
            }
            Err(_) => assert!(compiled(anew, tree, request).is_err(), "{tree:?}"),
        }
    }
}

/// The plain values of a bare INSERT.
fn rows_of(tree: &Expr) -> Option<&[Value]> {
    let Expr::Insert(insert) = tree else { return None };
    let InsertExpr { table, columns, source: InsertSource::Values(values), conflict: None, returning } = &**insert
    else {
        return None;
    };
    (returning.is_empty() && !columns.is_empty() && table.alias.is_none()).then_some(values)
}

/// The values of a tree that are not constants, in their order.
fn values_of(tree: &Expr) -> Vec<Value> {
    let mut found = Vec::new();
    visit(tree, VisitOrder::Pre, |node| match node {
        ExprRef::Value(ValueTypeExpr::Value(node)) | ExprRef::Constant(node) if !node.is_const => {
            found.push(node.value.clone());
        }
        ExprRef::Insert(InsertExpr { source: InsertSource::Values(values), .. }) => found.extend_from_slice(values),
        _ => {}
    });
    found
}

fn same(kept: Result<Compiled<'_>, String>, anew: &Target, tree: &Expr, request: &Request<'_>) {
    let full = compiled(anew, tree, request);
    let (label, text) = (anew.dialect().label(), anew.text());
    let at = || format!("{label} {text:?}, {request:?}: {}", isogloss_compiler::json::to_string(tree));
    assert_eq!(kept, full, "{}", at());
    // Numbers of different kinds are equal.
    if let (Ok(kept), Ok(full)) = (kept, full) {
        assert_eq!(format!("{:?}", kept.params), format!("{:?}", full.params), "{}", at());
    }
}
