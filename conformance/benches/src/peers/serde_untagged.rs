//! serde_json with `#[serde(untagged)]`: the shortest derive, which buffers each level before it tries the variants.

use super::json_tree::{Literal, Node, text};
use crate::data::Data;
use crate::peer::{Case, NOT_ITS_JOB, Peer, Workload, direct};
use serde::Deserialize;
use std::borrow::Cow;

pub struct SerdeUntagged;

#[derive(Deserialize)]
#[serde(untagged)]
enum Tree<'a> {
    Compare {
        #[serde(rename = "$", borrow)]
        op: Cow<'a, str>,
        #[serde(rename = "Left", borrow)]
        left: Box<Tree<'a>>,
        #[serde(rename = "Right", borrow)]
        right: Box<Tree<'a>>,
    },
    Column {
        #[serde(rename = "#", borrow)]
        name: Cow<'a, str>,
    },
    Value {
        #[serde(rename = "@", borrow)]
        value: Literal<'a>,
    },
    And {
        #[serde(rename = "$and", borrow)]
        items: Vec<Tree<'a>>,
    },
    Or {
        #[serde(rename = "$or", borrow)]
        items: Vec<Tree<'a>>,
    },
}

impl Peer for SerdeUntagged {
    fn name(&self) -> &'static str {
        "serde-untagged"
    }

    fn about(&self) -> &'static str {
        "serde_json, derived #[serde(untagged)] borrowed enum"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::J2 => direct(data, |data| read(&data.json_page), |tree| text(&plain(tree))),
            Workload::J6 => direct(data, |data| read(&data.json_logic), |tree| text(&plain(tree))),
            _ => Err(NOT_ITS_JOB),
        }
    }
}

fn read(json: &str) -> Tree<'_> {
    serde_json::from_slice(json.as_bytes()).expect("the tree reads")
}

fn plain(tree: Tree<'_>) -> Node<'_> {
    match tree {
        Tree::And { items } => Node::And(items.into_iter().map(plain).collect()),
        Tree::Or { items } => Node::Or(items.into_iter().map(plain).collect()),
        Tree::Compare { op, left, right } => {
            Node::Compare { op, left: Box::new(plain(*left)), right: Box::new(plain(*right)) }
        }
        Tree::Column { name } => Node::Column(name),
        Tree::Value { value } => Node::Value(value),
    }
}
