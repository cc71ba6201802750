//! The usual spelling of a filter: comparisons of properties with parameters, markers first, no blanks.
//!
//! Each function here takes a whole node if it is spelled so, or else leaves it to the general way, which reads every
//! spelling and gives the errors. The nodes are made in their places: moving them around would cost more than the
//! reading.

use super::error::Result;
use super::reader::{Object, Reader};
use super::words::{self, Marker};
use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, Name, PropertyExpr, Value, ValueExpr, ValueTypeExpr};

/// Holds the place of a predicate that is read next.
pub(super) const BLANK: LogicExpr =
    LogicExpr::Binary(LogicBinaryExpr { left: BLANK_VALUE, operator: LogicOperator::Equal, right: BLANK_VALUE });
const BLANK_VALUE: ValueTypeExpr = ValueTypeExpr::Value(ValueExpr { value: Value::Null, is_const: false });

impl Reader<'_> {
    /// Reads a predicate into a [`BLANK`].
    pub(super) fn logic_into(&mut self, slot: &mut LogicExpr) -> Result<()> {
        let at = self.scan.at;
        if let LogicExpr::Binary(node) = slot
            && self.has_room()
            && let Some(operator) = self.usual_operator()
        {
            self.nodes += 1;
            self.depth += 1;
            node.operator = operator;
            self.value_into(&mut node.left)?;
            let more = self.scan.take(b",\"Right\":");
            if more {
                self.value_into(&mut node.right)?;
                if self.usual_end() {
                    return Ok(());
                }
            }
            let left = std::mem::take(&mut node.left);
            let right = more.then(|| std::mem::take(&mut node.right));
            let object = Object::marked(at, Marker::Compare(operator), true);
            *node = self.comparison(object, operator, Some(left), right)?;
            return Ok(());
        }
        self.scan.at = at;
        *slot = self.any_logic()?;
        Ok(())
    }

    /// Takes `{"$":"==","Left":`. If something else is next, the place may have moved.
    #[inline]
    fn usual_operator(&mut self) -> Option<LogicOperator> {
        if !self.scan.take(b"{\"$\":\"") {
            return None;
        }
        let rest = self.scan.text.as_bytes().get(self.scan.at..)?;
        let length = rest.iter().take(16).position(|b| *b == b'"')?;
        let word = self.scan.text.get(self.scan.at..self.scan.at + length)?;
        let Some(Marker::Compare(operator)) = words::frequent_kind(word) else { return None };
        self.scan.at += length;
        self.scan.take(b"\",\"Left\":").then_some(operator)
    }

    /// Reads a value.
    #[inline]
    pub(super) fn value_into(&mut self, slot: &mut ValueTypeExpr) -> Result<()> {
        if let Some(name) = self.usual_property() {
            *slot = ValueTypeExpr::Property(PropertyExpr { alias: None, name });
        } else if self.has_room() && self.scan.take(b"{\"@\":") {
            *slot = ValueTypeExpr::Value(ValueExpr { value: self.usual_param()?, is_const: false });
        } else {
            *slot = self.any_value()?;
        }
        Ok(())
    }

    /// Takes `{"#":"Name"}`.
    #[inline]
    fn usual_property(&mut self) -> Option<Name> {
        const OPEN: &[u8] = b"{\"#\":\"";
        let start = self.scan.at + OPEN.len();
        let name = self.scan.text.as_bytes().get(self.scan.at..)?.strip_prefix(OPEN)?;
        let length = name.iter().position(|b| NAME_BYTES.get(usize::from(*b)) != Some(&true))?;
        let ends = name.get(length..)?.starts_with(b"\"}") && length <= Name::MAX_LEN;
        if !ends || length == 0 || name.first()?.is_ascii_digit() || !self.has_room() {
            return None;
        }
        let name = Name::new(self.scan.text.get(start..start + length)?);
        self.nodes += 1;
        self.scan.at = start + length + 2;
        Some(name)
    }

    /// Takes the rest of `{"@":value}`.
    #[inline]
    fn usual_param(&mut self) -> Result<Value> {
        let at = self.scan.at - 5;
        self.nodes += 1;
        self.depth += 1;
        let value = self.plain()?;
        if !self.usual_end() {
            self.finish(&mut Object::marked(at, Marker::Param, false))?;
        }
        Ok(value)
    }

    /// Takes the brace after a node.
    #[inline]
    pub(super) fn usual_end(&mut self) -> bool {
        let end = self.scan.byte() == Some(b'}');
        if end {
            self.scan.at += 1;
            self.depth -= 1;
        }
        end
    }

    /// Whether one more node fits here.
    #[inline]
    fn has_room(&self) -> bool {
        self.depth < self.limits.depth && self.nodes < self.limits.nodes
    }
}

/// The bytes that a name may have.
static NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        #[allow(clippy::indexing_slicing, reason = "a byte is less than 256")]
        {
            table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        }
        byte += 1;
    }
    table
};
