//! Writes: what is special about them stands in the hooks of the dialects; here is what a value in one needs.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType};
use crate::frame::{Call, CompareOp, Item, Items, Scalar, ScalarKind, Select, Source};
use crate::functions::Func;
use crate::model::Column;

use super::Cx;
use super::query::column_of;

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
    /// SET at = NOW(6)         SET at = NOW(6) - INTERVAL MICROSECOND(NOW(6)) MICROSECOND
    /// ```
    pub(crate) fn stored(&mut self, value: Scalar<'a, 'e>, column: &Column) -> Result<Scalar<'a, 'e>> {
        let Some(from) = value.ty.filter(|_| !self.is_null(&value)) else { return Ok(value) };
        if column.ty.base == DbValueType::Single && from.base.is_number() {
            self.rule_for(Feature::SingleCast)?;
        }
        let cut = column.seconds().filter(|digits| !self.has_seconds(&value, column, *digits));
        let value = if self.converts(from, column.ty) {
            value
        } else {
            self.rule_for(Feature::Assignment)?;
            self.cast(value, column.ty)?
        };
        if let Some(digits) = cut {
            return self.seconds_cut(value, column.ty, digits);
        }
        match column.fraction().filter(|digits| !self.has_scale(&value, *digits)) {
            Some(digits) if self.rule_for(Feature::ColumnScale)?.is_some() => {
                let digits = self.int(digits.into());
                self.once(value, |cx, value| cx.call(Func::Round, &[value, digits], value.ty))
            }
            _ => Ok(value),
        }
    }

    /// A computed time in as many digits behind its seconds as its column has, as a value of the program is: cut to them.
    fn seconds_cut(&mut self, value: Scalar<'a, 'e>, ty: DbType, digits: u8) -> Result<Scalar<'a, 'e>> {
        if self.target.has(Feature::ColumnSeconds) {
            return Ok(value);
        }
        let Some((template, prec)) = self.target.dialect().cut_seconds(ty.base, digits) else { return Ok(value) };
        self.rule_for(Feature::ColumnSeconds)?;
        let spelling = self.made_spelling(&template)?;
        self.no_volatile_twice("the seconds", spelling, &[value])?;
        self.once(value, |cx, value| {
            let args = cx.slice(&[value]);
            let call = Call::spelled(spelling, prec, args);
            Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), column: None, ..value })
        })
    }

    /// Whether a time certainly has no more digits behind its seconds than a column.
    fn has_seconds(&self, value: &Scalar<'a, 'e>, column: &Column, digits: u8) -> bool {
        if let Some(known) = self.value_of(value) {
            return column.cut(known).is_none();
        }
        let own = value.column.filter(|_| matches!(value.kind, ScalarKind::Column(_)));
        value.ty.is_some_and(|ty| ty.base == DbValueType::Date)
            || matches!(value.kind, ScalarKind::Call(Call { func: Some(func), .. }) if func.begins_a_unit())
            || own.and_then(Column::seconds).is_some_and(|own| own <= digits)
    }

    /// What a spelling makes of a value, which it may repeat: one with a subquery in it is written and computed once.
    ///
    /// ```sql
    /// -- before                       -- after
    /// ROUND((SELECT ..) * .., 2)     (SELECT ROUND(T1.c0 * .., 2) FROM (SELECT (SELECT ..) AS c0) T1)
    /// ```
    fn once(
        &mut self,
        value: Scalar<'a, 'e>,
        make: impl FnOnce(&mut Self, Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>>,
    ) -> Result<Scalar<'a, 'e>> {
        if !self.has_subquery(&value) {
            return make(self, value);
        }
        let one_row = |from, items| Select {
            distinct: false,
            distinct_on: &[],
            items: Items::List(items),
            from,
            joins: &[],
            filter: None,
            group: &[],
            having: None,
        };
        let (alias, name) = (self.next_alias(), self.quoted(&["c0"]));
        let items = self.slice(&[Item { value, alias: Some(name) }]);
        let query = self.select_query(one_row(None, items));
        let made = make(self, column_of(self, alias, name, &value))?;
        let items = self.slice(&[Item { value: made, alias: None }]);
        let query = self.select_query(one_row(Some(Source::Derived { query, alias }), items));
        Ok(Scalar { kind: ScalarKind::Query(query), column: None, ..made })
    }

    /// Whether a column takes a value as it is.
    pub(crate) fn is_stored(&self, value: &Scalar<'a, 'e>, column: &Column) -> bool {
        let Some(from) = value.ty.filter(|_| !self.is_null(value)) else { return true };
        let (rounded, cut) = (|| self.target.has(Feature::ColumnScale), || self.target.has(Feature::ColumnSeconds));
        self.converts(from, column.ty)
            && column.fraction().is_none_or(|digits| rounded() || self.has_scale(value, digits))
            && column.seconds().is_none_or(|digits| cut() || self.has_seconds(value, column, digits))
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
