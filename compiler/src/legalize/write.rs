//! Writes: what is special about them stands in the hooks of the dialects; here is what a value in one needs.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::DbValueType;
use crate::frame::{CompareOp, Scalar};
use crate::functions::Func;

use super::Cx;

impl<'a, 'e> Cx<'a, 'e> {
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
