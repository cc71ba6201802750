//! The rows of relations in rows.

use isogloss::model::EntityId;
use serde_json::{Map, Value, json};

use super::columns;
use crate::Mounted;
use crate::include::{self, Includes};

/// What the controllers of a document include, and of which rows.
#[derive(Clone, Default)]
pub(super) struct Included {
    controllers: Vec<(String, Includes)>,
    rows: Vec<(EntityId, Value)>,
}

impl Included {
    pub(super) fn controller(&mut self, mounted: &Mounted) {
        self.rows.push((mounted.entity, columns::row(mounted)));
        if !mounted.includes.is_empty() {
            self.controllers.push((mounted.name().to_owned(), mounted.includes.clone()));
        }
    }

    /// The schemas with the related rows in them: those of `Order` have `items`, which are of the schema `Order.items`.
    pub(super) fn with(&self, mut schemas: Map<String, Value>) -> Map<String, Value> {
        for (name, includes) in &self.controllers {
            schemas.insert(query_name(name), query(name, includes));
            self.add(&mut schemas, name, includes);
        }
        schemas
    }

    fn add(&self, schemas: &mut Map<String, Value>, owner: &str, includes: &Includes) {
        for include in includes.iter() {
            let name = format!("{owner}.{}", include.member);
            let row = self.rows.iter().find(|(entity, _)| *entity == include.entity).map(|(_, row)| row.clone());
            schemas.insert(name.clone(), row.unwrap_or_else(|| json!({ "type": "object" })));
            self.add(schemas, &name, &include.behind);
            let one = json!({ "$ref": format!("#/components/schemas/{name}") });
            let member = if include.is_many {
                json!({ "type": "array", "items": one, "readOnly": true })
            } else {
                json!({ "anyOf": [one, { "type": "null" }], "readOnly": true })
            };
            let members = schemas.get_mut(owner).and_then(|schema| schema.get_mut("properties")?.as_object_mut());
            if let Some(members) = members {
                members.insert(include.member.clone(), member);
            }
        }
    }
}

/// The name of the schema of a page's body.
pub(super) fn query_name(controller: &str) -> String {
    format!("{controller}PageQuery")
}

/// A tree, or one that has the relations to include.
fn query(name: &str, includes: &Includes) -> Value {
    let paths: Vec<String> = includes.all().into_iter().map(|(path, _)| path).collect();
    let paths = json!({ "type": "array", "items": { "type": "string", "enum": paths } });
    json!({ "anyOf": [
        { "$ref": format!("#/components/schemas/{}", super::trees::name(name)) },
        {
            "description": "A tree with one more member, the relations whose rows are included. Its other members are those of the tree, \
                and are held to its schema when the page is asked for",
            "type": "object",
            "properties": { include::NAME: paths },
            "required": [include::NAME],
        },
    ] })
}
