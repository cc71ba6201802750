//! A statement that is kept of one request is not taken for another: every pair of requests over one tree, compared with full
//! compilations.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;

use super::prepared::values_of;
use crate::compiler::{Buffers, CompileLimits, Compiled, Compiler, Request, Verb};
use crate::expr::{DbValueType as T, Expr, SqlSegment, Value, ValueOps as _, from, prop, table};
use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, TextMode};
use crate::scope::Scope;
use crate::scope::parts::scopes;
use crate::target::Target;
use crate::tests::Plain;

/// Notes, whose parts lie in tables with a placeholder in their names; and an archive in another data source.
fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", T::Int32).primary_key();
    let gone = || ColumnDef::new("Gone", T::Boolean).soft_delete();
    let tenant = || ColumnDef::new("TenantId", T::Int32).nullable();
    let text = || ColumnDef::new("Text", T::String).length(100).nullable();
    let note = TableDef::new("Note").column(id()).column(tenant()).column(text()).column(gone());
    let part = TableDef::new("Part").table("Part_{0}").column(id()).column(gone());
    let part = part.column(ColumnDef::new("NoteId", T::Int32).foreign(ForeignType::new("Note")));
    let archived =
        TableDef::new("Archived").data_source("archive").scoped().column(id()).column(tenant()).column(text());
    Catalog::builder().table(note).table(part).table(archived).build().unwrap()
}

/// Trees that ask for something of each part of a request.
fn trees() -> Vec<(&'static str, Expr)> {
    let notes = || from("Note").filter(prop("Text").eq("a"));
    let without = SqlSegment::from(table("Note").without_filter("tenant", "a test")).filter(prop("Text").eq("a"));
    vec![
        ("a filter", prop("Text").eq("a").into()),
        ("notes", notes().select(["Id"]).into()),
        ("notes in an order", notes().order_by([prop("Text").asc(), prop("Id").asc()]).section(0, 3).into()),
        ("notes without a filter", without.select(["Id"]).into()),
        ("several texts", from("Note").filter(prop("Text").in_list(["a", "b", "c"])).select(["Id"]).into()),
        ("parts", from("Part").filter(prop("Id").gt(1)).select(["Id"]).into()),
        ("archived", from("Archived").filter(prop("Id").gt(1)).select(["Id"]).into()),
        ("an update", table("Note").update([("Text", "a")]).filter(prop("Id").eq(1)).into()),
        ("a deletion", table("Part").delete().filter(prop("Id").eq(1)).into()),
    ]
}

/// A value of a part of a request, and a request with it: the part, what it is, the request.
type Varied<'r> = (&'static str, &'static str, Request<'r>);

/// Requests that differ from a first one in one part each.
fn varied<'r>(
    first: Request<'r>,
    arguments: &'r [CompactString],
    scopes: &'r [(&'static str, Scope)],
) -> Vec<Varied<'r>> {
    // A new field has no values below: it does not compile here.
    let Request { verb: _, root: _, home: _, table_args: _, columns: _, scope: _ } = first;
    let verbs = [("rows", Verb::Select), ("count", Verb::Count), ("exists", Verb::Exists)];
    let entities = || ["Note", "Part", "Archived"].map(|name| (name, Some(name))).into_iter().chain([("none", None)]);
    let some = [("none", &[][..]), ("2024", &arguments[..1]), ("2025", &arguments[1..]), ("both", arguments)];
    let columns = [("without", false), ("with", true)];
    let scopes = scopes.iter().map(|(what, scope)| (*what, Some(scope))).chain([("none", None)]);

    let mut all: Vec<Varied<'r>> = Vec::new();
    all.extend(verbs.map(|(what, verb)| ("verb", what, Request { verb, ..first })));
    all.extend(entities().map(|(what, root)| ("root", what, Request { root, ..first })));
    all.extend(entities().map(|(what, home)| ("home", what, Request { home, ..first })));
    all.extend(some.map(|(what, table_args)| ("table_args", what, Request { table_args, ..first })));
    all.extend(columns.map(|(what, columns)| ("columns", what, Request { columns, ..first })));
    all.extend(scopes.map(|(what, scope)| ("scope", what, Request { scope, ..first })));
    all
}

/// Returns a compiler that keeps statements of at most `kept` bytes.
fn target(kept: usize) -> Arc<Target> {
    target_with(kept, TextMode::Database, 64)
}

fn target_with(kept: usize, text: TextMode, in_list: usize) -> Arc<Target> {
    let limits = CompileLimits::default().kept(kept).in_list(in_list);
    Compiler::new(catalog()).with_limits(limits).target_of(&Plain, text, &[])
}

/// Returns compilers for one dialect that differ in one thing each.
fn targets(kept: usize) -> [(&'static str, Arc<Target>); 3] {
    [
        ("as usual", target(kept)),
        ("exact texts", target_with(kept, TextMode::Exact, 64)),
        ("short lists", target_with(kept, TextMode::Database, 2)),
    ]
}

const KEEPS: usize = 1 << 16;

/// A statement with all that it tells, or the error.
type Answer<'e> = Result<Compiled<'e>, String>;

fn answer<'e>(target: &Target, tree: &'e Expr, request: &Request<'e>) -> Answer<'e> {
    target.compile_with(tree, request, Buffers::default()).map_err(|error| error.to_string())
}

#[test]
fn a_kept_statement_is_of_its_request() {
    let (arguments, scopes) = (["2024".into(), "2025".into()], scopes());
    let unscoped = scopes.iter().map(|(_, scope)| scope).find(|scope| scope.reason().is_some());
    let first = Request { scope: unscoped, ..Request::default() };
    let of_note = Request { root: Some("Note"), ..first };
    let of_part = Request { root: Some("Part"), table_args: &arguments[..1], columns: true, ..first };
    let trees = trees();
    let anew = target(0);
    // The pairs of values of one part, and whether a tree tells them apart.
    let mut pairs = BTreeMap::new();
    let hits = Target::kept().hits;
    for varied in [Request::default(), first, of_note, of_part].map(|first| varied(first, &arguments, &scopes)) {
        for (tree_is, tree) in &trees {
            let expected: Vec<Answer<'_>> = varied.iter().map(|(.., request)| answer(&anew, tree, request)).collect();
            for ((part, what, first), of_first) in varied.iter().zip(&expected) {
                let keeps = target(KEEPS);
                for _ in 0..2 {
                    assert_eq!(answer(&keeps, tree, first), *of_first, "{tree_is}: {first:?}");
                }
                for ((other_part, other, request), expected) in varied.iter().zip(&expected) {
                    assert_eq!(answer(&keeps, tree, request), *expected, "{tree_is}: {request:?} after {first:?}");
                    if part == other_part && what < other {
                        *pairs.entry((*part, *what, *other)).or_insert(false) |= of_first != expected;
                    }
                }
            }
        }
    }
    assert!(Target::kept().hits > hits + 1_000, "{}", Target::kept().hits - hits);
    // Writes within a scope are not kept; the other pairs mean the same.
    let alike = [
        ("scope", "7", "7 for reads"),
        ("scope", "7, a tenant", "7, a tenant for reads"),
        ("scope", "NULL", "none of a list"),
        ("scope", "none", "nothing"),
    ];
    assert_eq!(pairs.iter().filter(|(_, apart)| !**apart).map(|(pair, _)| *pair).collect::<Vec<_>>(), alike);
}

#[test]
fn a_kept_statement_is_of_its_compiler() {
    let unscoped = Scope::unscoped("a test");
    let request = Request::default().scope(&unscoped);
    for (what, tree) in trees() {
        let expected: Vec<Answer<'_>> = targets(0).iter().map(|(_, anew)| answer(anew, &tree, &request)).collect();
        let keep = targets(KEEPS);
        for _ in 0..3 {
            for ((which, keeps), expected) in keep.iter().zip(&expected) {
                assert_eq!(answer(keeps, &tree, &request), *expected, "{what}, {which}");
            }
        }
    }
}

/// A prepared statement is bound within another scope than that which it was prepared with.
#[test]
fn a_prepared_statement_is_of_its_scope() {
    let scopes = scopes();
    let keeps = target(KEEPS);
    let anew = target(0);
    for (what, tree) in trees() {
        let values: Vec<Value> = values_of(&tree).into_iter().map(|(value, _)| value.clone()).collect();
        for (_, first) in &scopes {
            let request = Request { table_args: &[], ..Request::default() }.scope(first);
            let Ok(prepared) = keeps.prepare_with(tree.clone(), &request) else { continue };
            for scope in scopes.iter().map(|(_, scope)| Some(scope)).chain([None, Some(first)]) {
                let given = prepared.bind_in(&values, scope, Buffers::default()).map_err(|error| error.to_string());
                let expected = answer(&anew, &tree, &Request { scope, ..request });
                assert_eq!(given, expected, "{what}: {scope:?} after {first:?}");
            }
        }
    }
}
