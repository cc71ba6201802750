//! The trees that clients may send.

use isogloss::json::schema;
use isogloss::model::Catalog;
use isogloss::walk::QueryPolicy;
use serde_json::{Map, Value};

/// The schemas of the trees that a policy allows: `Expr_Order`, and those that it is made of. There are none of a policy that
/// does not fit the catalog, which allows nothing.
pub(super) fn schemas(
    name: &str,
    catalog: &Catalog,
    policy: &QueryPolicy,
    unrolled: Option<usize>,
) -> Vec<(String, Value)> {
    let Ok(tree) = schema::of_view(catalog, policy) else { return Vec::new() };
    let tree = match unrolled {
        Some(depth) => schema::unrolled(&tree, depth),
        None => tree,
    };
    let name = self::name(name);
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

/// The name of the schema of trees.
pub(super) fn name(of: &str) -> String {
    format!("Expr_{of}")
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
