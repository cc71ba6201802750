//! The path of an error leads through the tree's own canonical JSON to what is wrong.

use isogloss_compiler::expr::*;
use isogloss_compiler::{Buffers, Compiler, Request, json, model::sample};
use isogloss_postgres::Postgres;
use serde_json::Value as Json;

/// Trees with `BAD` where a property stands that no entity has.
const TREES: &[&str] = &[
    r##"{"$":"==","Left":{"$":"func","Lower":[BAD]},"Right":"x"}"##,
    r##"{"$":"==","Left":{"$":"func","Substring":[{"#":"Note"},1,BAD]},"Right":"x"}"##,
    r##"{"$":"==","Left":{"$":"func","CASE":[{"$":"==","Left":{"#":"Id"},"Right":1},BAD,"x"]},"Right":"x"}"##,
    r##"{"$":"==","Left":{"$":"func","CASE":[{"$":"==","Left":BAD,"Right":1},1,2]},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"func","CAST":[BAD,"Int32"]},"Right":1}"##,
    r##"{"!":{"$":"==","Left":BAD,"Right":1}}"##,
    r##"{"$or":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":"==","Left":BAD,"Right":1}]}"##,
    r##"{"$":"==","Left":{"$":"unary","Nagive":BAD},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"set","List":[BAD,1]},"Right":{"$":"set","List":[1,1]}}"##,
    r##"{"$":"==","Left":{"$":"set","List":[{"#":"Id"},1]},"Right":{"$":"set","List":[1,BAD]}}"##,
    r##"{"$":"==","Left":{"$":"+","Left":BAD,"Right":1},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"+","Left":1,"Right":BAD},"Right":1}"##,
    r##"{"$":"==","Left":{"#":"Note"},"Right":{"$":"set","Concat":["a",BAD]}}"##,
    r##"{"$":"in","Left":{"#":"Id"},"Right":{"$":"set","List":[1,BAD]}}"##,
    r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"==","Left":BAD,"Right":1}}"##,
    r##"{"$exists":{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":BAD,"Right":1}}}"##,
    r##"{"$":"==","Left":{"#":"Id"},"Right":{"$select":{"$table":"Customer"},"Selects":[{"Value":BAD}]}}"##,
    r##"{"$":"in","Left":{"#":"Id"},"Right":{"$select":{"$table":"Customer"},"Selects":[{"Value":BAD}]}}"##,
    r##"{"$istrue":BAD}"##,
    r##"{"$select":{"$where":{"$table":"Order"},"Where":{"$":"==","Left":BAD,"Right":1}},"Selects":[{"Value":{"#":"Id"}}]}"##,
    r##"{"$select":{"$table":"Order"},"Selects":[{"Value":{"#":"Id"}},{"Value":BAD}]}"##,
    r##"{"$select":{"$group":{"$table":"Order"},"GroupBys":[BAD]},"Selects":[{"Value":{"#":"Id"}}]}"##,
    r##"{"$orderby":{"$table":"Order"},"OrderBys":[{"Field":BAD}]}"##,
    r##"{"$select":{"$having":{"$group":{"$table":"Order"},"GroupBys":[{"#":"Id"}]},"Having":{"$":"==","Left":BAD,"Right":1}},"Selects":[{"Value":{"#":"Id"}}]}"##,
    r##"{"$from":{"$table":"Order"},"Joins":[{"$join":{"$table":"Customer","Alias":"c"},"On":{"$":"==","Left":BAD,"Right":1},"JoinType":"Inner"}]}"##,
    r##"{"$from":{"$where":{"$table":"Order"},"Where":{"$":"==","Left":BAD,"Right":1}},"Joins":[]}"##,
    r##"{"$section":{"$orderby":{"$table":"Order"},"OrderBys":[{"Field":BAD}]},"Take":5}"##,
    r##"{"$select":{"$table":"Order"},"Selects":[{"Value":{"$":"over","Func":{"$":"func","RowNumber":[]},"OrderBy":[{"Field":BAD}]}}]}"##,
    r##"{"$select":{"$table":"Order"},"Selects":[{"Value":{"$":"over","Func":{"$":"func","Sum":[BAD]},"PartitionBy":[{"#":"Id"}]}}]}"##,
    r##"{"$select":{"$table":"Order"},"Selects":[{"Value":{"$":"func","Sum":[{"#":"Qty"}],"IsAggregate":true,"Filter":{"$":"==","Left":BAD,"Right":1}}}]}"##,
    r##"{"$select":{"$table":"Order"},"Selects":[{"Value":{"#":"Id"}}],"Next":[{"SetType":"Union","$select":{"$table":"Order"},"Selects":[{"Value":BAD}]}]}"##,
    r##"{"$cte":{"$select":{"$table":"Order"},"Selects":[{"Value":BAD}]},"Alias":"t"}"##,
    r##"{"$update":{"$table":"Order"},"Sets":[{"Note":BAD}],"Where":{"$":"==","Left":{"#":"Id"},"Right":1}}"##,
    r##"{"$insert":{"$table":"Product"},"Columns":["Id","Nope"],"Values":[[1,2]]}"##,
    r##"{"$insert":{"$table":"Product"},"Columns":["Name","Id"],"Values":[["a",2],["b","x"]]}"##,
    r##"{"$insert":{"$table":"Product"},"Columns":["Id","Name"],"Values":[[1,"x"]],"Conflict":{"Target":["Nope"],"Action":"DoNothing"}}"##,
    r##"{"$insert":{"$table":"Product"},"Columns":["Id","Name"],"Values":[[1,"x"]],"Conflict":{"Target":["Id"],"Action":{"Update":[{"Name":BAD}]}}}"##,
    r##"{"$delete":{"$table":"Order"},"Where":{"$":"==","Left":BAD,"Right":1}}"##,
];

/// What a path leads to.
fn follow<'j>(tree: &'j Json, path: &str) -> Option<&'j Json> {
    let mut found = tree;
    let mut rest = path.strip_prefix('$')?;
    while !rest.is_empty() {
        let end = rest.get(1..)?.find(['.', '[']).map_or(rest.len(), |at| at + 1);
        let (step, after) = rest.split_at(end);
        found = match step.strip_prefix('.') {
            Some(key) => found.get(key)?,
            None => found.get(step.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok()?)?,
        };
        rest = after;
    }
    Some(found)
}

#[test]
fn the_path_of_an_error_leads_to_what_is_wrong() {
    let target = Compiler::new(sample::catalog()).target(&Postgres::V15);
    let mut lost = Vec::new();
    for text in TREES {
        let bad = r##"{"#":"Nope"}"##;
        let text = text.replace("BAD", bad);
        let tree: Json = serde_json::from_str(&text).unwrap();
        let expr: Expr = json::from_str(&text).unwrap();
        let request = if matches!(expr, Expr::Logic(_)) { Request::of("Order") } else { Request::default() };
        let error = target.compile_with(&expr, &request, Buffers::default()).unwrap_err();
        let path = error.path();
        match follow(&tree, path.as_str()) {
            // The node itself, or what stands in its place: a name in a list of names, a value in a row.
            Some(found) if found["#"] == "Nope" || found == "Nope" || found == "x" => {}
            found => lost.push(format!("{path} leads to {found:?} in {text}: {error}")),
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
