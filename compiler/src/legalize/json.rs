//! JSON documents, which can be the same but have no order.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType};
use crate::frame::{Compare, CompareOp, Pred, Scalar, ScalarKind};

use super::{Cx, typed_by};

impl<'a, 'e> Cx<'a, 'e> {
    /// A comparison of JSON: whether both are the same document, whatever their blanks and the order of their members.
    pub(super) fn compare_json(
        &mut self,
        left: Scalar<'a, 'e>,
        op: CompareOp,
        right: Scalar<'a, 'e>,
    ) -> Result<Pred<'a, 'e>> {
        let op = match op {
            CompareOp::Equal | CompareOp::JsonEqual => CompareOp::JsonEqual,
            CompareOp::NotEqual | CompareOp::JsonNotEqual => CompareOp::JsonNotEqual,
            CompareOp::Distinct | CompareOp::NotDistinct => {
                self.need(Feature::JsonEqual)?;
                return if left.nullable || right.nullable {
                    self.null_safe_case(left, op, right)
                } else {
                    let equal = if op == CompareOp::Distinct { CompareOp::NotEqual } else { CompareOp::Equal };
                    self.compare_json(left, equal, right)
                };
            }
            _ => return Err(self.json_refused("a comparison by order")),
        };
        self.need(Feature::JsonEqual)?;
        let (left, right) = (typed_by(left, &right), typed_by(right, &left));
        Ok(Pred::Compare(self.node(Compare { left, op, right })))
    }

    /// An error if one of them, or an item of a row, is JSON.
    ///
    /// Engines compare documents by what they are, by their text, or not at all; only a comparison of two can be brought
    /// to one answer.
    pub(crate) fn no_json(&self, what: &str, values: &[Scalar<'a, 'e>]) -> Result<()> {
        for value in values {
            match value.kind {
                ScalarKind::Row(items) => self.no_json(what, items)?,
                _ => self.no_json_type(what, value.ty)?,
            }
        }
        Ok(())
    }

    /// An error if the type is JSON.
    pub(crate) fn no_json_type(&self, what: &str, ty: Option<DbType>) -> Result<()> {
        if is_json(ty) { Err(self.json_refused(what)) } else { Ok(()) }
    }

    fn json_refused(&self, what: &str) -> crate::Error {
        let why = "engines neither order nor group documents alike: take a value out by JsonValue, or CAST it to text";
        self.target.refused(format!("JSON in {what}"), why)
    }
}

/// Whether a value of that type is a JSON document.
pub(super) fn is_json(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| matches!(ty.base, DbValueType::Json | DbValueType::Jsonb) && !ty.array)
}
