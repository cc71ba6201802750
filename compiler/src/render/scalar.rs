//! Writes values.

use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, FrameBound, FrameExclude, FrameUnit, Value};
use crate::frame::{Arith, Case, Literal, Scalar, ScalarKind, Window};

use super::{Prec, Writer, sql};

impl<'e> Writer<'_, 'e> {
    /// Writes a value, in parentheses if it binds less tightly than its place requires.
    ///
    /// # Errors
    /// Those of the dialect's hooks: a type or a literal that it lacks.
    #[inline]
    pub fn scalar(&mut self, scalar: &Scalar<'_, 'e>, place: Prec) -> Result<()> {
        self.operand(scalar, place)
    }

    /// [`scalar`](Self::scalar) without a call for the two kinds that most comparisons are made of.
    // Not in a debug build, where it would take room in the frames of the recursion around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn operand(&mut self, scalar: &Scalar<'_, 'e>, place: Prec) -> Result<()> {
        match scalar.kind {
            ScalarKind::Column(column) => {
                self.text(column.text());
                Ok(())
            }
            ScalarKind::Param(param) if !param.untyped && !self.in_returning => {
                self.placeholder(param, scalar.ty);
                Ok(())
            }
            _ => self.placed_scalar(scalar, place),
        }
    }

    /// The same for what is neither a column nor a plain parameter.
    fn placed_scalar(&mut self, scalar: &Scalar<'_, 'e>, place: Prec) -> Result<()> {
        let limit = self.target.limits().text;
        if self.sql.len() > limit {
            return Err(ErrorKind::TooLarge { limit }.into());
        }
        let own = self.scalar_prec(scalar);
        if own < place {
            sql!(self, "(" [self.bare_scalar(scalar)] ")");
            Ok(())
        } else {
            self.bare_scalar(scalar)
        }
    }

    /// The function of the quotient of whole numbers, on an engine without a sign for it.
    fn quotient(&self) -> Option<&'static str> {
        self.target.dialect().integer_quotient()
    }

    fn scalar_prec(&self, scalar: &Scalar<'_, 'e>) -> Prec {
        match scalar.kind {
            ScalarKind::Binary(Arith::Add | Arith::Subtract, _) => Prec::Add,
            ScalarKind::Binary(Arith::DivideInt, _) if self.quotient().is_some() => Prec::Atom,
            ScalarKind::Binary(..) => Prec::Multiply,
            ScalarKind::Negative(_) => Prec::Unary,
            // PostgreSQL's `~a + 1` is `~(a + 1)`: as with `||`, the engines differ in its rank.
            ScalarKind::BitNot(_) => Prec::Concat,
            ScalarKind::Concat(_) => self.target.dialect().concat_prec(),
            ScalarKind::Call(call) => call.prec,
            ScalarKind::Window(window) => window.call.prec,
            ScalarKind::Truth(_) => Prec::Or,
            ScalarKind::Exact(_, form) => self.target.dialect().exact_prec(form),
            ScalarKind::Literal(literal) if is_negative(self.made, literal) => Prec::Unary,
            _ => Prec::Atom,
        }
    }

    fn bare_scalar(&mut self, scalar: &Scalar<'_, 'e>) -> Result<()> {
        match scalar.kind {
            ScalarKind::Column(column) => self.text(column.text()),
            ScalarKind::Param(param) => self.param(param, scalar.ty)?,
            ScalarKind::Literal(literal) => self.literal(literal, scalar.ty)?,
            // A minus before a minus would begin a comment.
            ScalarKind::Negative(operand) => sql!(self, "-"[self.scalar(operand, Prec::Atom)]),
            ScalarKind::BitNot(operand) => sql!(self, "~"[self.scalar(operand, Prec::Atom)]),
            ScalarKind::Binary(Arith::DivideInt, [left, right]) if self.quotient().is_some() => {
                let function = self.quotient().unwrap_or_default();
                sql!(self, function "(" [self.scalar(left, Prec::Lowest)] ", " [self.scalar(right, Prec::Lowest)] ")");
            }
            ScalarKind::Binary(op, [left, right]) => {
                let (sign, prec) = match op {
                    Arith::Add => (" + ", Prec::Add),
                    Arith::Subtract => (" - ", Prec::Add),
                    Arith::Multiply => (" * ", Prec::Multiply),
                    Arith::Divide => (" / ", Prec::Multiply),
                    Arith::DivideInt => (self.target.dialect().integer_division(), Prec::Multiply),
                    Arith::Modulo => (" % ", Prec::Multiply),
                };
                // `a - (b - c)`, and `a + (b + c)` too: an overflow or a rounding happens where the caller put it.
                let inner = if prec == Prec::Add { Prec::Multiply } else { Prec::Unary };
                self.scalar(left, prec)?;
                self.text(sign);
                self.scalar(right, inner)?;
            }
            ScalarKind::Concat(items) => self.target.dialect().concat(self, items)?,
            ScalarKind::Call(call) => self.call(call)?,
            ScalarKind::Case(case) => self.case(case)?,
            ScalarKind::Cast(value, ty) => self.target.dialect().cast(self, value, ty)?,
            ScalarKind::Window(window) => self.window(window)?,
            ScalarKind::Query(query) => sql!(self, "(" [self.query(query)] ")"),
            ScalarKind::Truth(pred) => self.pred(pred, Prec::Lowest)?,
            ScalarKind::Row(items) => sql!(self, "(" [self.list(items)] ")"),
            ScalarKind::Fragment(fragment) => sql!(self, "(" [self.fragment(fragment)] ")"),
            ScalarKind::Exact(text, form) => self.target.dialect().exact_text(self, text, form)?,
        }
        Ok(())
    }

    fn literal(&mut self, literal: Literal<'e>, ty: Option<DbType>) -> Result<()> {
        let target = self.target;
        let value = match literal {
            Literal::Tree(value) => Some(value),
            Literal::Made(index) => self.made.get(index as usize),
            _ => None,
        };
        if let Some(value) = value {
            return match ty {
                Some(ty) => target.dialect().typed_literal(self, value, ty),
                None => target.dialect().literal(self, value),
            };
        }
        match literal {
            Literal::Tree(_) | Literal::Made(_) => Ok(()),
            Literal::Int(n) => {
                self.display(n);
                Ok(())
            }
            Literal::Bool(b) => target.dialect().literal(self, &Value::Bool(b)),
            Literal::Text(text) => target.dialect().literal(self, &Value::from(*text)),
            Literal::Null => {
                self.text("NULL");
                Ok(())
            }
        }
    }

    fn case(&mut self, case: &Case<'_, 'e>) -> Result<()> {
        self.text("CASE");
        for (cond, value) in case.cases {
            sql!(self, " WHEN " [self.pred(cond, Prec::Lowest)] " THEN " [self.scalar(value, Prec::Lowest)]);
        }
        if let Some(otherwise) = &case.otherwise {
            sql!(self, " ELSE "[self.scalar(otherwise, Prec::Lowest)]);
        }
        self.text(" END");
        Ok(())
    }

    fn window(&mut self, window: &Window<'_, 'e>) -> Result<()> {
        self.call_over(&window.call, Some(window))
    }

    /// Writes ` OVER (...)`.
    pub(crate) fn over(&mut self, window: &Window<'_, 'e>) -> Result<()> {
        self.text(" OVER (");
        let mut blank = "";
        if !window.partition.is_empty() {
            sql!(self, "PARTITION BY "[self.list(window.partition)]);
            blank = " ";
        }
        if !window.order.is_empty() {
            self.text(blank);
            self.orders("ORDER BY ", window.order)?;
            blank = " ";
        }
        if let Some((unit, start, end, exclude)) = window.frame {
            self.text(blank);
            self.text(match unit {
                FrameUnit::Rows => "ROWS BETWEEN ",
                FrameUnit::Range => "RANGE BETWEEN ",
                FrameUnit::Groups => "GROUPS BETWEEN ",
            });
            self.frame_bound(start);
            self.text(" AND ");
            self.frame_bound(end);
            self.text(match exclude {
                FrameExclude::NoOthers => "",
                FrameExclude::CurrentRow => " EXCLUDE CURRENT ROW",
                FrameExclude::Group => " EXCLUDE GROUP",
                FrameExclude::Ties => " EXCLUDE TIES",
            });
        }
        self.text(")");
        Ok(())
    }

    fn frame_bound(&mut self, bound: FrameBound) {
        match bound {
            FrameBound::UnboundedPreceding => self.text("UNBOUNDED PRECEDING"),
            FrameBound::Preceding(n) => self.quoted("", n, " PRECEDING"),
            FrameBound::CurrentRow => self.text("CURRENT ROW"),
            FrameBound::Following(n) => self.quoted("", n, " FOLLOWING"),
            FrameBound::UnboundedFollowing => self.text("UNBOUNDED FOLLOWING"),
        }
    }
}

/// A negative number in the text needs parentheses beside an operator, and behind a minus above all.
fn is_negative(made: &[Value], literal: Literal<'_>) -> bool {
    let value = match literal {
        Literal::Int(n) => return n < 0,
        Literal::Tree(value) => value,
        Literal::Made(index) => match made.get(index as usize) {
            Some(value) => value,
            None => return false,
        },
        _ => return false,
    };
    match value {
        Value::Int(n) => *n < 0,
        Value::Float(n) => n.is_sign_negative(),
        Value::Decimal(n) => n.mantissa() < 0,
        _ => false,
    }
}
