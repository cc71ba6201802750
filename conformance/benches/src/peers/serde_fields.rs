//! serde_json with derive only: a struct with an optional field per key, then `try_from` into the enum.

use super::json_tree::{Literal, Node, text};
use crate::data::Data;
use crate::peer::{Case, NOT_ITS_JOB, Peer, Workload, direct};
use serde::Deserialize;
use std::borrow::Cow;

pub struct SerdeFields;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(rename = "$and", borrow)]
    and: Option<Vec<Tree<'a>>>,
    #[serde(rename = "$or", borrow)]
    or: Option<Vec<Tree<'a>>>,
    #[serde(rename = "$", borrow)]
    op: Option<Cow<'a, str>>,
    #[serde(rename = "Left", borrow)]
    left: Option<Box<Tree<'a>>>,
    #[serde(rename = "Right", borrow)]
    right: Option<Box<Tree<'a>>>,
    #[serde(rename = "#", borrow)]
    column: Option<Cow<'a, str>>,
    #[serde(rename = "@", borrow)]
    value: Option<Literal<'a>>,
}

#[derive(Deserialize)]
#[serde(try_from = "Fields<'a>", bound = "'de: 'a")]
enum Tree<'a> {
    And(Vec<Tree<'a>>),
    Or(Vec<Tree<'a>>),
    Compare { op: Cow<'a, str>, left: Box<Tree<'a>>, right: Box<Tree<'a>> },
    Column(Cow<'a, str>),
    Value(Literal<'a>),
}

impl<'a> TryFrom<Fields<'a>> for Tree<'a> {
    type Error = &'static str;

    fn try_from(fields: Fields<'a>) -> Result<Self, Self::Error> {
        match fields {
            Fields { and: Some(items), or: None, op: None, left: None, right: None, column: None, value: None } => {
                Ok(Tree::And(items))
            }
            Fields { and: None, or: Some(items), op: None, left: None, right: None, column: None, value: None } => {
                Ok(Tree::Or(items))
            }
            Fields {
                and: None,
                or: None,
                op: Some(op),
                left: Some(left),
                right: Some(right),
                column: None,
                value: None,
            } => Ok(Tree::Compare { op, left, right }),
            Fields { and: None, or: None, op: None, left: None, right: None, column: Some(name), value: None } => {
                Ok(Tree::Column(name))
            }
            Fields { and: None, or: None, op: None, left: None, right: None, column: None, value: Some(value) } => {
                Ok(Tree::Value(value))
            }
            _ => Err("no such node"),
        }
    }
}

impl Peer for SerdeFields {
    fn name(&self) -> &'static str {
        "serde-fields"
    }

    fn about(&self) -> &'static str {
        "serde_json, derived struct of optional fields + try_from into a borrowed enum"
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
        Tree::And(items) => Node::And(items.into_iter().map(plain).collect()),
        Tree::Or(items) => Node::Or(items.into_iter().map(plain).collect()),
        Tree::Compare { op, left, right } => {
            Node::Compare { op, left: Box::new(plain(*left)), right: Box::new(plain(*right)) }
        }
        Tree::Column(name) => Node::Column(name),
        Tree::Value(value) => Node::Value(value),
    }
}
