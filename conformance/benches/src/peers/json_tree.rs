//! What the contestants of `J2` and `J6` read the bytes into: a tagged enum that borrows its strings.

use crate::peer::Text;
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt::Write;

/// A value behind `"@"`. Strings without escapes are borrowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Cow<'a, str>),
}

/// The tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<'a> {
    And(Vec<Node<'a>>),
    Or(Vec<Node<'a>>),
    Compare { op: Cow<'a, str>, left: Box<Node<'a>>, right: Box<Node<'a>> },
    Column(Cow<'a, str>),
    Value(Literal<'a>),
}

/// A literal is read the same way by all contestants: it has no tag, its JSON type decides.
impl<'de: 'a, 'a> Deserialize<'de> for Literal<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Literal<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("null, a bool, a number or a string")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Literal::Null)
            }

            fn visit_bool<E>(self, v: bool) -> Result<Self::Value, E> {
                Ok(Literal::Bool(v))
            }

            fn visit_i64<E>(self, v: i64) -> Result<Self::Value, E> {
                Ok(Literal::Int(v))
            }

            fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Self::Value, E> {
                i64::try_from(v).map(Literal::Int).map_err(E::custom)
            }

            fn visit_f64<E>(self, v: f64) -> Result<Self::Value, E> {
                Ok(Literal::Float(v))
            }

            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Literal::Str(Cow::Borrowed(v)))
            }

            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Literal::Str(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The tree as text, so that contestants can be compared.
pub fn text(tree: &Node<'_>) -> Text {
    fn put(out: &mut String, node: &Node<'_>, count: &mut usize) {
        match node {
            Node::And(items) | Node::Or(items) => {
                out.push_str(if matches!(node, Node::And(_)) { "and(" } else { "or(" });
                for item in items {
                    put(out, item, count);
                    out.push(';');
                }
                out.push(')');
            }
            Node::Compare { op, left, right } => {
                *count += 1;
                put(out, left, count);
                let _ = write!(out, " {op} ");
                put(out, right, count);
            }
            Node::Column(name) => out.push_str(name),
            Node::Value(value) => {
                let _ = write!(out, "{value:?}");
            }
        }
    }
    let (mut sql, mut params) = (String::new(), 0);
    put(&mut sql, tree, &mut params);
    Text { sql, params }
}
