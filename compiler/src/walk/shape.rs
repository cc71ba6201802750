//! The shape of a tree: what trees have in common that differ in their values only.
//!
//! A shape is exact. Two trees of one shape have the nodes, names, constants and numbers of rows in common, to the letter and
//! in their order, and the values of their slots, in their order, are of one class each: of one kind, with the same answer to
//! whether they are NULL or empty.
//!
//! Slots are the values beside a property in a comparison or a search, and those of the rows of an INSERT. A tree with any other value that
//! is no constant has no shape, nor has one that is deeper than [`DEPTH`]: unlike the other passes, this one recurses.

use std::hash::{Hash as _, Hasher};

use super::node::{ExprRef, ExprType};
use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, Value, ValueExpr, ValueTypeExpr};

/// How deep a tree may be that has a shape.
const DEPTH: u8 = 64;

/// How long a text of a slot is at most: as long as engines take for short, so that its length says nothing more.
pub(crate) const SHORT: usize = 255;

/// A shape as it is written.
#[derive(Debug)]
pub(crate) struct Shape<'e> {
    bytes: Vec<u8>,
    /// How many bytes it may have.
    most: usize,
    slots: Vec<&'e Value>,
    depth: u8,
    is_whole: bool,
    compares: bool,
    searches: bool,
}

/// Words from outside of the tree are hashed into the shape.
impl Hasher for Shape<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // One name may be longer than all that there is room for.
        self.no_more_than(self.bytes.len().saturating_add(bytes.len()) <= self.most);
        if self.is_whole {
            self.bytes.extend_from_slice(bytes);
        }
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    /// What tells variants apart.
    #[inline]
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n.cast_unsigned() as u64);
    }

    /// Most numbers are small.
    #[inline]
    fn write_u64(&mut self, n: u64) {
        match u8::try_from(n) {
            Ok(small) if small < u8::MAX => self.bytes.push(small),
            _ => {
                self.bytes.push(u8::MAX);
                self.bytes.extend_from_slice(&n.to_le_bytes());
            }
        }
    }

    /// None: it is the text itself that is compared.
    fn finish(&self) -> u64 {
        0
    }
}

impl<'e> Shape<'e> {
    /// An empty one, in room that is there already. A tree whose shape would be longer has none.
    pub(crate) fn in_room((mut bytes, slots): (Vec<u8>, Vec<&'e Value>), most: usize) -> Self {
        bytes.clear();
        Self { bytes, most, slots, depth: 0, is_whole: true, compares: false, searches: false }
    }

    /// The shape and its values, if the tree has one.
    pub(crate) fn parts(&self) -> Option<(&[u8], &[&'e Value])> {
        self.is_whole.then_some((&*self.bytes, &*self.slots))
    }

    /// Whether values may stand in it that a policy compares with each other, or counts together: those of two definitions of a
    /// common table, and those that a pattern is put together of.
    pub(crate) fn compares(&self) -> bool {
        self.compares
    }

    /// Whether a slot is a text that is searched for.
    pub(crate) fn searches(&self) -> bool {
        self.searches
    }

    /// How many bytes its names and texts have at most, with those of its slots.
    pub(crate) fn longest(&self) -> usize {
        let values = |slot: &&Value| if let Value::List(items) = slot { items.len() } else { 1 };
        let values: usize = self.slots.iter().map(values).sum();
        values.saturating_mul(SHORT).saturating_add(self.bytes.len())
    }

    /// Writes a whole tree.
    pub(crate) fn tree(&mut self, tree: ExprRef<'e>) {
        // A table that is written stands for something else than one that is a query.
        std::mem::discriminant(&tree).hash(self);
        self.node(tree);
    }

    /// The room that it has.
    pub(crate) fn into_room(self) -> (Vec<u8>, Vec<&'e Value>) {
        (self.bytes, self.slots)
    }

    /// Writes a node with all that is below it.
    pub(crate) fn node(&mut self, node: ExprRef<'e>) {
        self.no_more_than(self.depth < DEPTH && self.bytes.len() <= self.most);
        if !self.is_whole {
            return;
        }
        self.write_u8(node.kind() as u8);
        // What the program makes of it is not known.
        self.no_more_than(node.kind() != ExprType::GenericSql);
        if let ExprRef::Logic(LogicExpr::Binary(comparison)) = node {
            if self.comparison(comparison) {
                return;
            }
            self.compares |= !takes_class(comparison.operator);
        }
        self.compares |= node.kind() == ExprType::CommonTable;
        self.depth += 1;
        node.shape(self);
        self.depth -= 1;
    }

    /// The leaf that filters are made of, whose value is a slot.
    fn comparison(&mut self, node: &'e LogicBinaryExpr) -> bool {
        let (ValueTypeExpr::Property(property), ValueTypeExpr::Value(value)) = (&node.left, &node.right) else {
            return false;
        };
        let class = match &value.value {
            _ if value.is_const => None,
            Value::List(items) if is_membership(node.operator) => class_of_all(items),
            value if takes_class(node.operator) => class(value),
            Value::Text(text) if is_searched(node.operator) && is_plain(text) => {
                self.searches = true;
                Some(PLAIN)
            }
            _ => None,
        };
        let Some(class) = class else { return false };
        // No kind has that number: what follows is a slot.
        self.write_u8(u8::MAX);
        self.write_u8(class);
        if let Value::List(items) = &value.value {
            self.write_usize(items.len());
        }
        self.write_u8(node.operator as u8);
        self.write_u8(property.alias.is_some().into());
        property.alias.iter().for_each(|alias| self.text(alias.as_str()));
        self.text(property.name.as_str());
        self.slots.push(&value.value);
        true
    }

    /// A value that a column is given.
    pub(super) fn given(&mut self, value: &'e Value) {
        let class = class(value);
        self.no_more_than(class.is_some());
        self.write_u8(class.unwrap_or_default());
        self.slots.push(value);
    }

    /// A value that is no slot: there is a shape if it is a constant of the program.
    pub(super) fn value(&mut self, node: &ValueExpr) {
        self.no_more_than(node.is_const);
        match &node.value {
            Value::Null => self.write_u8(0),
            Value::Bool(truth) => self.write(&[1, (*truth).into()]),
            Value::Int(n) => {
                self.write_u8(2);
                self.write_u64(n.cast_unsigned());
            }
            Value::Text(text) => {
                self.write_u8(3);
                self.text(text);
            }
            Value::Float(n) => {
                self.write_u8(4);
                self.write_u64(n.to_bits());
            }
            // Of the others, the form in which they are equal may not be all that there is to them.
            _ => self.no_more_than(false),
        }
    }

    /// Writes a text, to the letter.
    pub(crate) fn text(&mut self, text: &str) {
        self.write_usize(text.len());
        self.write(text.as_bytes());
    }

    /// There is no shape unless that holds.
    pub(crate) fn no_more_than(&mut self, holds: bool) {
        self.is_whole &= holds;
    }
}

/// What is known of a slot's value without a look at it.
fn class(value: &Value) -> Option<u8> {
    Some(match value {
        Value::Null => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Int(_) => 3,
        Value::Text(text) if text.is_empty() => 4,
        Value::Text(text) if text.len() <= SHORT => 5,
        Value::Uuid(_) => 6,
        Value::Date(_) => 7,
        Value::DateTime(_) => 8,
        Value::Float(n) if n.is_finite() => 9,
        Value::Decimal(_) => 10,
        _ => return None,
    })
}

/// What is known of a list of plain values of one class.
fn class_of_all(items: &[Value]) -> Option<u8> {
    let first = items.first().and_then(class)?;
    let is_one = items.len() <= LONGEST && items.iter().all(|item| !is_said(item) && class(item) == Some(first));
    is_one.then_some(LISTS + first)
}

/// How many values a list has at most that is a slot. Each length is a shape of its own.
const LONGEST: usize = 16;

/// What the class of a list is above that of its values.
const LISTS: u8 = 32;

/// The class of a text that is searched for, and has nothing in it that any engine takes for a wildcard or an escape.
const PLAIN: u8 = 11;

fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b',' | b'-' | b'@');
    (1..=SHORT).contains(&text.len()) && text.bytes().all(plain)
}

/// Whether a class has one value only, so that it says all of it.
pub(crate) fn is_said(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_)) || matches!(value, Value::Text(text) if text.is_empty())
}

/// Whether an operator takes a value as it stands, and neither a pattern nor a list.
fn takes_class(operator: LogicOperator) -> bool {
    use LogicOperator as O;
    matches!(
        operator,
        O::Equal
            | O::NotEqual
            | O::GreaterThan
            | O::GreaterThanOrEqual
            | O::LessThan
            | O::LessThanOrEqual
            | O::IsDistinctFrom
            | O::IsNotDistinctFrom
    )
}

/// Whether an operator looks for a text in another one.
fn is_searched(operator: LogicOperator) -> bool {
    use LogicOperator as O;
    matches!(
        operator.positive(),
        O::StartsWith | O::EndsWith | O::Contains | O::Like | O::IStartsWith | O::IEndsWith | O::IContains | O::ILike
    )
}

fn is_membership(operator: LogicOperator) -> bool {
    matches!(operator, LogicOperator::In | LogicOperator::NotIn)
}
