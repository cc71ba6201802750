//! Pictures of tables and their relations: Mermaid's `erDiagram`, and Graphviz.

use std::fmt::Write as _;

use crate::columns::Column;
use crate::definitions::type_text;
use crate::model::Model;
use crate::relations::{self, Relation};

impl Model {
    /// The tables and their relations as Mermaid's `erDiagram`.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("erDiagram\n");
        for entity in &self.entities {
            let _ = writeln!(out, "    \"{}\" {{", plain(&entity.table));
            for column in entity.columns() {
                // Mermaid's types and names are words.
                let ty = type_text(&column.ty).replace(',', "-");
                let marks = marks(column).join(", ");
                let line = format!("        {ty} {} {marks}", word(column));
                let _ = writeln!(out, "{}", line.trim_end());
            }
            out.push_str("    }\n");
        }
        for entity in &self.entities {
            for relation in relations::all(entity) {
                let target = self.place_of(relation);
                let one = if relation.optional { "|o" } else { "||" };
                let many = if relation.unique { "o|" } else { "o{" };
                let (own, label) = (plain(&entity.table), label(relation));
                let _ = writeln!(out, "    \"{}\" {one}--{many} \"{own}\" : \"{label}\"", plain(&target));
            }
        }
        out
    }

    /// The tables and their relations in Graphviz' language.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph tables {\n    rankdir=LR;\n    node [shape=plaintext];\n");
        for entity in &self.entities {
            let place = &entity.table;
            let _ = writeln!(out, "    {} [label=<", text(place));
            out.push_str("        <table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n");
            let _ = writeln!(out, "            <tr><td colspan=\"2\"><b>{}</b></td></tr>", markup(place));
            for column in entity.columns() {
                let name = markup(&column.name);
                let name = if column.primary_key { format!("<u>{name}</u>") } else { name };
                let ty = type_text(&column.ty);
                let _ =
                    writeln!(out, "            <tr><td align=\"left\">{name}</td><td align=\"left\">{ty}</td></tr>");
            }
            out.push_str("        </table>>];\n");
        }
        for entity in &self.entities {
            for relation in relations::all(entity) {
                let (own, target) = (text(&entity.table), text(&self.place_of(relation)));
                let style = if relation.optional { ", style=dashed" } else { "" };
                let _ = writeln!(out, "    {own} -> {target} [label={}{style}];", text(&label(relation)));
            }
        }
        out.push_str("}\n");
        out
    }

    fn place_of(&self, relation: &Relation) -> String {
        let target = self.entities.iter().find(|entity| entity.name == relation.target);
        target.map_or_else(|| relation.target.clone(), |entity| entity.table.clone())
    }
}

/// The columns of a relation.
fn label(relation: &Relation) -> String {
    let names: Vec<&str> = relation.keys.iter().map(|key| key.field.strip_prefix("r#").unwrap_or(&key.field)).collect();
    names.join(", ")
}

/// A column's name. Mermaid takes its own marks for what they are, whatever their case.
fn word(column: &Column) -> String {
    let name = column.field.strip_prefix("r#").unwrap_or(&column.field);
    if ["pk", "fk", "uk"].contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn marks(column: &Column) -> Vec<&'static str> {
    let marks =
        [(column.primary_key, "PK"), (!column.foreigns.is_empty(), "FK"), (column.unique && !column.primary_key, "UK")];
    marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect()
}

/// A name between quotes.
fn plain(name: &str) -> String {
    name.replace('"', "'").replace(|c: char| c.is_control() || matches!(c, '%' | '\\'), "_")
}

/// A text of Graphviz.
fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
