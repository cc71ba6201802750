//! Writes predicates.

use std::borrow::Cow;

use crate::dialect::{Feature, Sense, Spelling};
use crate::error::Result;
use crate::expr::{DbType, Value};
use crate::frame::{
    Call, Compare, CompareOp, Fragment, In, InList, Literal, Match, MatchKind, Pred, Scalar, ScalarKind,
};

use super::{Prec, Writer, sql};

/// The condition of a call that is spelled as 1 where that is true, if it is compared with 1.
fn asked<'a, 'e>(left: &Scalar<'a, 'e>, right: &Scalar<'a, 'e>) -> Option<(&'a Call<'a, 'e>, Spelling<'a>)> {
    let (ScalarKind::Call(call), ScalarKind::Literal(Literal::Int(1))) = (left.kind, right.kind) else { return None };
    Some((call, call.spelling.truth()?))
}

impl<'e> Writer<'_, 'e> {
    /// Writes a predicate, in parentheses if it binds less tightly than its place requires.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn pred(&mut self, pred: &Pred<'_, 'e>, place: Prec) -> Result<()> {
        let own = match pred {
            Pred::Or(_) => Prec::Or,
            Pred::And(_) => Prec::And,
            Pred::Text(_) => Prec::And,
            Pred::Not(_) => Prec::Not,
            Pred::Exists(_, false) | Pred::IsTrue(_) | Pred::Fragment(_) => Prec::Atom,
            Pred::Exists(_, true) => Prec::Not,
            _ => Prec::Compare,
        };
        if own < place {
            sql!(self, "(" [self.bare_pred(pred)] ")");
            Ok(())
        } else {
            self.bare_pred(pred)
        }
    }

    /// Writes a predicate of which only matters whether it is true: the condition of a WHERE.
    ///
    /// ```sql
    /// -- before                                                                        -- after
    /// CASE WHEN JSON_EXISTS(a, '$.b') THEN 1 WHEN a IS NOT NULL THEN 0 END = 1         JSON_EXISTS(a, '$.b')
    /// ```
    ///
    /// An index serves the condition by itself.
    pub(crate) fn holds(&mut self, pred: &Pred<'_, 'e>, place: Prec) -> Result<()> {
        match pred {
            Pred::And(items) => self.holding(items, " AND ", Prec::And),
            Pred::Or(items) if place > Prec::Or => {
                sql!(self, "(" [self.holding(items, " OR ", Prec::Or)] ")");
                Ok(())
            }
            Pred::Or(items) => self.holding(items, " OR ", Prec::Or),
            Pred::Compare(node) if place <= Prec::Compare => {
                if node.op == CompareOp::Equal
                    && let Some((call, condition)) = asked(&node.left, &node.right)
                {
                    return self.call(&Call { spelling: &condition, ..*call });
                }
                self.compare(node)
            }
            _ => self.pred(pred, place),
        }
    }

    fn holding(&mut self, items: &[Pred<'_, 'e>], word: &str, prec: Prec) -> Result<()> {
        if let Some(size) = self.group_size(items.len()) {
            return self.in_groups(items, size, word, |w, group| w.holding(group, word, prec));
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(word);
            }
            self.holds(item, prec)?;
        }
        Ok(())
    }

    #[inline]
    fn compare(&mut self, node: &Compare<'_, 'e>) -> Result<()> {
        let Compare { left, op, right } = node;
        match op {
            CompareOp::Distinct => self.target.dialect().null_safe_equal(self, left, right, Sense::IsNot),
            CompareOp::NotDistinct => self.target.dialect().null_safe_equal(self, left, right, Sense::Is),
            CompareOp::JsonEqual => self.target.dialect().json_equal(self, left, right, Sense::Is),
            CompareOp::JsonNotEqual => self.target.dialect().json_equal(self, left, right, Sense::IsNot),
            op => {
                self.operand(left, Prec::Concat)?;
                self.text(op.sign());
                self.operand(right, Prec::Concat)
            }
        }
    }

    fn bare_pred(&mut self, pred: &Pred<'_, 'e>) -> Result<()> {
        match *pred {
            Pred::Compare(node) => self.compare(node)?,
            Pred::And(items) => self.joined(items, " AND ", Prec::And)?,
            Pred::Or(items) => self.joined(items, " OR ", Prec::Or)?,
            Pred::Not(operand) => sql!(self, "NOT "[self.pred(operand, Prec::Atom)]),
            Pred::Const(value) => self.text(self.target.constant(value)),
            Pred::Null(value, negated) => {
                self.scalar(value, Prec::Concat)?;
                self.text(if negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Pred::Match(node) => self.matches(node)?,
            Pred::In(node) => self.in_list(node)?,
            Pred::Exists(query, negated) => {
                self.text(if negated { "NOT EXISTS (" } else { "EXISTS (" });
                self.query(query)?;
                self.text(")");
            }
            Pred::IsTrue(value) => self.scalar(value, Prec::Atom)?,
            Pred::Text(text) => self.text(text),
            Pred::Fragment(fragment) => sql!(self, "(" [self.fragment(fragment)] ")"),
        }
        Ok(())
    }

    fn joined(&mut self, items: &[Pred<'_, 'e>], word: &str, prec: Prec) -> Result<()> {
        if let Some(size) = self.group_size(items.len()) {
            return self.in_groups(items, size, word, |w, group| w.joined(group, word, prec));
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(word);
            }
            self.pred(item, prec)?;
        }
        Ok(())
    }

    fn matches(&mut self, node: &Match<'_, 'e>) -> Result<()> {
        let (word, escaped) = match node.kind {
            MatchKind::Like { escaped } => ("LIKE ", escaped),
            MatchKind::ILike { escaped } => ("ILIKE ", escaped),
            MatchKind::Glob => ("GLOB ", false),
            MatchKind::Regex => {
                return self.target.dialect().regex(self, &node.text, &node.pattern, Sense::negated(node.negated));
            }
        };
        self.scalar(&node.text, Prec::Concat)?;
        self.text(if node.negated { " NOT " } else { " " });
        self.text(word);
        self.scalar(&node.pattern, Prec::Concat)?;
        if escaped {
            self.text(self.target.dialect().like_escape());
        }
        Ok(())
    }

    fn in_list(&mut self, node: &In<'_, 'e>) -> Result<()> {
        if let InList::Array(param, ty, _) = node.list {
            return self.target.dialect().in_array(self, node, param, ty);
        }
        self.scalar(&node.left, Prec::Concat)?;
        self.text(if node.negated { " NOT IN (" } else { " IN (" });
        match node.list {
            InList::Values(values, ty) => {
                // ", $1234" an item.
                self.sql.reserve(values.len().saturating_mul(7));
                self.params.reserve(values.len());
                if values.iter().any(Value::is_null) {
                    self.nullable_values(values, ty);
                } else {
                    self.bind_all(values, std::iter::repeat(Some(ty)));
                }
            }
            InList::Scalars(items) => {
                if matches!(node.left.kind, ScalarKind::Row(_)) && !self.target.has(Feature::TupleInList) {
                    self.text("VALUES ");
                }
                // A comparison among them stands in brackets: not every grammar takes a bare one.
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text(", ");
                    }
                    self.scalar(item, Prec::Concat)?;
                }
            }
            InList::Query(query) => self.query(query)?,
            InList::Array(..) => {}
        }
        self.text(")");
        Ok(())
    }

    /// NULL in a list is written out: SQL's three-valued logic does the rest.
    fn nullable_values(&mut self, values: &'e [Value], ty: DbType) {
        for (index, value) in values.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            if value.is_null() {
                self.text("NULL");
            } else {
                self.bind(Cow::Borrowed(value), Some(ty));
            }
        }
    }

    /// Writes a registered fragment with its values.
    pub(crate) fn fragment(&mut self, fragment: &Fragment<'e>) -> Result<()> {
        let Some(made) = self.fragments.get(fragment.index) else { return Ok(()) };
        for (before, value, ty) in &made.values {
            self.text(before);
            self.bind(Cow::Owned(value.clone()), *ty);
        }
        self.text(&made.last);
        Ok(())
    }
}
