//! Writes: what is special about them stands in the hooks of the dialects; here is what a value in one needs.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType};
use crate::frame::{CompareOp, Scalar};
use crate::functions::Func;
use crate::model::Column;

use super::Cx;

impl<'a, 'e> Cx<'a, 'e> {
    /// A value that a column takes. An assignment is a CAST to the column's type, and is written as one where the engine's
    /// own conversion gives something else, or none.
    ///
    /// ```sql
    /// -- before               -- after
    /// SET qty = price         SET qty = CAST(TRUNC(price) AS integer)
    /// SET day = created       SET day = DATE(created)
    /// SET price = price / 3   SET price = ROUND(price / 3, 2)
    /// SET qty = other_qty     SET qty = other_qty
    /// ```
    pub(crate) fn stored(&mut self, value: Scalar<'a, 'e>, column: &Column) -> Result<Scalar<'a, 'e>> {
        let Some(from) = value.ty.filter(|_| !self.is_null(&value)) else { return Ok(value) };
        if column.ty.base == DbValueType::Single && from.base.is_number() {
            self.rule_for(Feature::SingleCast)?;
        }
        let value = if self.converts(from, column.ty) {
            value
        } else {
            self.rule_for(Feature::Assignment)?;
            self.cast(value, column.ty)?
        };
        match column.fraction().filter(|digits| !self.has_scale(&value, *digits)) {
            Some(digits) if self.rule_for(Feature::ColumnScale)?.is_some() => {
                let digits = self.int(digits.into());
                self.call(Func::Round, &[value, digits], value.ty)
            }
            _ => Ok(value),
        }
    }

    /// Whether a column takes a value as it is.
    pub(crate) fn is_stored(&self, value: &Scalar<'a, 'e>, column: &Column) -> bool {
        let Some(from) = value.ty.filter(|_| !self.is_null(value)) else { return true };
        let rounded = || self.target.has(Feature::ColumnScale);
        self.converts(from, column.ty)
            && column.fraction().is_none_or(|digits| rounded() || self.has_scale(value, digits))
    }

    /// Whether the engine converts values of the one type in a column of the other as a CAST does.
    fn converts(&self, from: DbType, to: DbType) -> bool {
        from == to || !from.array && !to.array && self.target.dialect().assigns(from.base, to.base)
    }

    /// The argument of a logarithm in a write, on an engine that takes one of 0 for a division by zero there.
    ///
    /// ```sql
    /// -- before                -- after
    /// UPDATE t SET a = LN(b)   UPDATE t SET a = LN(CASE WHEN b > 0 THEN b END)
    /// ```
    ///
    /// Exact: outside of its domain, the logarithm is NULL.
    pub(crate) fn log_in_write(&mut self, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
        if !self.writes || !matches!(func, Func::Log | Func::Log10 | Func::Log2) {
            return Ok(());
        }
        for arg in args {
            if self.is_number_but_zero(arg) || self.rule_for(Feature::DivisionInWrite)?.is_none() {
                continue;
            }
            let zero = Scalar { ty: arg.ty.or(Some(DbValueType::Int32.into())), ..self.int(0) };
            let positive = self.compare(*arg, CompareOp::Greater, zero)?;
            *arg = self.case_when(&[(positive, *arg)], None, arg.ty);
        }
        Ok(())
    }
}
