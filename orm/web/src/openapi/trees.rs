//! The trees that a controller's pages take.

use isogloss::json::schema;
use serde_json::{Map, Value};

use crate::Mounted;

/// The schemas of a controller's trees: `Expr_Order`, and those that it is made of.
pub(super) fn schemas(mounted: &Mounted, unrolled: Option<usize>) -> Vec<(String, Value)> {
    // The policy fits: nothing is mounted with one that does not.
    let Ok(tree) = schema::of_view(&mounted.catalog, mounted.policy()) else { return Vec::new() };
    let tree = match unrolled {
        Some(depth) => schema::unrolled(&tree, depth),
        None => tree,
    };
    let name = name(mounted);
    let none = Map::new();
    let definitions = tree.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let moved = definitions.iter().map(|(definition, schema)| {
        let mut schema = schema.clone();
        mend(&mut schema, &name);
        (component(&name, definition), schema)
    });
    let mut schemas: Vec<(String, Value)> = moved.collect();
    let mut root = serde_json::json!({ "$ref": tree.get("$ref") });
    mend(&mut root, &name);
    schemas.push((name, root));
    schemas
}

/// The name of a controller's trees.
pub(super) fn name(mounted: &Mounted) -> String {
    format!("Expr_{}", mounted.name())
}

/// What a definition is called among the components.
fn component(name: &str, definition: &str) -> String {
    format!("{name}.{definition}")
}

/// Refers to the components instead of definitions.
fn mend(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(keys) => {
            if let Some(Value::String(at)) = keys.get_mut("$ref")
                && let Some(definition) = at.strip_prefix("#/$defs/")
            {
                *at = format!("#/components/schemas/{}", component(name, definition));
            }
            keys.values_mut().for_each(|held| mend(held, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mend(item, name)),
        _ => {}
    }
}
