//! The shape of a tree: what trees have in common that differ in their values only.
//!
//! A shape is exact. Two trees of one shape have the nodes, names, constants and numbers of rows in common, to the letter and
//! in their order, and the values of their slots, in their order, are of one class each: of one kind, with the same answer to
//! whether they are NULL or empty.
//!
//! Slots are the values that are no constants of the program, wherever they stand, and those of the rows of an INSERT. A tree with one of no class
//! has no shape, nor has one that is deeper than [`DEPTH`]: unlike the other passes, this one recurses.

use std::hash::{Hash as _, Hasher};

use super::node::{ExprRef, ExprType};
use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, Name, Value, ValueExpr, ValueTypeExpr};

/// How deep a tree may be that has a shape.
const DEPTH: u8 = 64;

/// How long a text of a slot is at most: as long as engines take for short, so that its length says nothing more.
pub(crate) const SHORT: usize = 255;

/// What a tree may have that has a shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeLimits {
    /// How many bytes the shape has at most.
    pub(crate) bytes: usize,
    /// How many values a list has at most whose length is a part of the shape.
    pub(crate) list: usize,
    /// From how many values on a list is one parameter whatever its length, which is no part of the shape then.
    pub(crate) packed: usize,
}

impl ShapeLimits {
    /// Those of a shape of so many bytes, of which every list's length is a part.
    pub(crate) fn of(bytes: usize) -> Self {
        Self { bytes, list: LONGEST, packed: usize::MAX }
    }
}

/// A shape as it is written.
#[derive(Debug)]
pub(crate) struct Shape<'e> {
    bytes: Vec<u8>,
    limits: ShapeLimits,
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
        self.no_more_than(self.bytes.len().saturating_add(bytes.len()) <= self.limits.bytes);
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
    pub(crate) fn in_room((mut bytes, slots): (Vec<u8>, Vec<&'e Value>), limits: ShapeLimits) -> Self {
        bytes.clear();
        Self { bytes, limits, slots, depth: 0, is_whole: true, compares: false, searches: false }
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
        self.no_more_than(self.depth < DEPTH && self.bytes.len() <= self.limits.bytes);
        if !self.is_whole {
            return;
        }
        let kind = node.kind();
        self.write_u8(kind as u8);
        // What the program makes of it is not known.
        self.no_more_than(kind != ExprType::GenericSql);
        if let ExprRef::Logic(LogicExpr::Binary(comparison)) = node {
            if self.comparison(comparison) {
                return;
            }
            self.compares |= !takes_class(comparison.operator);
        }
        self.compares |= kind == ExprType::CommonTable;
        self.depth += 1;
        node.shape(self);
        self.depth -= 1;
    }

    /// The leaf that filters are made of, whose value is a slot.
    fn comparison(&mut self, node: &'e LogicBinaryExpr) -> bool {
        let ValueTypeExpr::Value(value) = &node.right else { return false };
        if value.is_const {
            return false;
        }
        let Some(class) = self.class_beside(node.operator, &value.value) else {
            self.no_more_than(false);
            return true;
        };
        self.searches |= class == PLAIN;
        // No kind has that number: what follows is a slot.
        self.write_u8(u8::MAX);
        self.class(class, &value.value);
        self.write_u8(node.operator as u8);
        match &node.left {
            ValueTypeExpr::Property(property) => {
                self.write_u8(property.alias.is_some().into());
                property.alias.iter().for_each(|alias| self.name(alias));
                self.name(&property.name);
            }
            computed => self.beside(computed),
        }
        self.slots.push(&value.value);
        true
    }

    /// What a slot stands beside that is no property.
    #[inline(never)]
    fn beside(&mut self, node: &'e ValueTypeExpr) {
        // It is no alias.
        self.write_u8(u8::MAX);
        self.depth += 1;
        self.node(node.into());
        self.depth -= 1;
    }

    /// A value that a column is given.
    pub(super) fn given(&mut self, value: &'e Value) {
        self.slot(None, value);
    }

    /// The value of a slot, and by which operator it is compared, if it is the right side of a comparison.
    pub(crate) fn slot(&mut self, operator: Option<LogicOperator>, value: &'e Value) {
        let class = operator.map_or_else(|| class(value), |operator| self.class_beside(operator, value));
        self.no_more_than(class.is_some());
        self.class(class.unwrap_or_default(), value);
        self.slots.push(value);
    }

    /// Writes the class of a value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn class(&mut self, class: u8, value: &Value) {
        self.write_u8(class);
        if let Value::List(items) = value
            && class < PACKED
        {
            self.write_usize(items.len());
        }
    }

    /// What is known of the right side of a comparison. What its class is depends on the operator.
    // Not in a debug build, where it would take room in the frames of the recursion around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn class_beside(&self, operator: LogicOperator, value: &Value) -> Option<u8> {
        match value {
            Value::List(items) if is_membership(operator) => self.class_of_all(items),
            value if takes_class(operator) => class(value),
            Value::Text(text) if is_searched(operator) && is_plain(text) => Some(PLAIN),
            _ => None,
        }
    }

    /// What is known of a list of plain values of one class.
    #[inline(never)]
    fn class_of_all(&self, items: &[Value]) -> Option<u8> {
        let ShapeLimits { list, packed, .. } = self.limits;
        let first = items.first().and_then(class)?;
        let base = if items.len() >= packed { PACKED } else { LISTS };
        let is_one = match items {
            _ if items.len() > list && items.len() < packed => false,
            // The usual keys, in a loop over one kind.
            [Value::Int(_), ..] => items.iter().all(|item| matches!(item, Value::Int(_))),
            _ => items.iter().all(|item| !is_said(item) && class(item) == Some(first)),
        };
        is_one.then_some(base + first)
    }

    /// A value by itself: a slot, or a constant of the program, which is a part of the shape.
    pub(super) fn value(&mut self, node: &'e ValueExpr) {
        if !node.is_const {
            self.write_u8(SLOT);
            self.given(&node.value);
            return;
        }
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

    /// Writes a name, to the letter. A column's name is written as its address with the top bit set, so that it differs from every
    /// length.
    #[inline(never)]
    pub(crate) fn name(&mut self, name: &Name) {
        match name.column() {
            None => self.text(name.as_str()),
            Some(column) => self.write_u64(1 << 63 | std::ptr::from_ref(column).addr() as u64),
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
// Not in a debug build, where it would take room in the frames of the recursion around it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn class(value: &Value) -> Option<u8> {
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

/// What stands before the class of a slot, where the value may be a constant as well.
const SLOT: u8 = 5;

/// How many values a list of a kept statement has at most. Each length is a shape of its own.
pub(crate) const LONGEST: usize = 16;

/// What the class of a list is above that of its values.
const LISTS: u8 = 32;

/// What it is of a list that is one parameter whatever its length.
const PACKED: u8 = 64;

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
#[inline]
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
