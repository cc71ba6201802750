//! serde_json with a `Visitor` written by hand: one pass, the first key decides the variant, strings are borrowed.

use super::json_tree::{Literal, Node, text};
use crate::data::Data;
use crate::peer::{Case, NOT_ITS_JOB, Peer, Workload, direct};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

pub struct SerdeVisitor;

impl Peer for SerdeVisitor {
    fn name(&self) -> &'static str {
        "serde-visitor"
    }

    fn about(&self) -> &'static str {
        "serde_json, hand-written Visitor into a borrowed enum"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::J2 => direct(data, |data| read(&data.json_page), |tree| text(&tree.0)),
            Workload::J6 => direct(data, |data| read(&data.json_logic), |tree| text(&tree.0)),
            _ => Err(NOT_ITS_JOB),
        }
    }
}

fn read(json: &str) -> Tree<'_> {
    serde_json::from_slice(json.as_bytes()).expect("the tree reads")
}

/// Only there because [`Node`] is not this file's.
#[repr(transparent)]
struct Tree<'a>(Node<'a>);

/// A list of nodes read without a `Vec<Tree>` in between.
struct Items<'a>(Vec<Node<'a>>);

/// A string that is borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    And,
    Or,
    Op,
    Left,
    Right,
    Column,
    Value,
}

impl<'de: 'a, 'a> Deserialize<'de> for Tree<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NodeVisitor).map(Tree)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let node = match map.next_key()? {
            Some(Key::And) => Node::And(map.next_value::<Items<'de>>()?.0),
            Some(Key::Or) => Node::Or(map.next_value::<Items<'de>>()?.0),
            Some(Key::Column) => Node::Column(map.next_value::<Name<'de>>()?.0),
            Some(Key::Value) => Node::Value(map.next_value::<Literal<'de>>()?),
            Some(first) => {
                let (mut op, mut left, mut right) = (None, None, None);
                let mut key = Some(first);
                while let Some(now) = key {
                    match now {
                        Key::Op if op.is_none() => op = Some(map.next_value::<Name<'de>>()?.0),
                        Key::Left if left.is_none() => left = Some(Box::new(map.next_value::<Tree<'de>>()?.0)),
                        Key::Right if right.is_none() => right = Some(Box::new(map.next_value::<Tree<'de>>()?.0)),
                        _ => return Err(A::Error::custom("this key is not one of a comparison, or stands twice")),
                    }
                    key = map.next_key()?;
                }
                let missing = A::Error::missing_field;
                return Ok(Node::Compare {
                    op: op.ok_or_else(|| missing("$"))?,
                    left: left.ok_or_else(|| missing("Left"))?,
                    right: right.ok_or_else(|| missing("Right"))?,
                });
            }
            None => return Err(A::Error::custom("an empty node")),
        };
        match map.next_key::<Key>()? {
            None => Ok(node),
            Some(_) => Err(A::Error::custom("this node has one key")),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of nodes")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(Tree(item)) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(v)))
            }

            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key of a node")
            }

            fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
                Ok(match key {
                    "$" => Key::Op,
                    "Left" => Key::Left,
                    "Right" => Key::Right,
                    "#" => Key::Column,
                    "@" => Key::Value,
                    "$and" => Key::And,
                    "$or" => Key::Or,
                    _ => return Err(E::unknown_field(key, &["$and", "$or", "$", "Left", "Right", "#", "@"])),
                })
            }
        }
        deserializer.deserialize_identifier(KeyVisitor)
    }
}
