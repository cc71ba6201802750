//! Windows.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{FrameBound, FrameExclude, FrameUnit};
use crate::frame::{Order, Scalar, ScalarKind, Window};
use crate::functions::{Class, Func};

use super::{Cx, Rule};

impl<'a, 'e> Cx<'a, 'e> {
    /// A function over a window.
    ///
    /// ```sql
    /// -- before             -- after, where a ranking wants an order
    /// RANK() OVER ()        RANK() OVER (ORDER BY NULL)
    /// ```
    pub(crate) fn window(
        &mut self,
        value: Scalar<'a, 'e>,
        partition: &'a [Scalar<'a, 'e>],
        order: &'a [Order<'a, 'e>],
        frame: Option<(FrameUnit, FrameBound, FrameBound, FrameExclude)>,
    ) -> Result<Scalar<'a, 'e>> {
        let ScalarKind::Call(call) = value.kind else {
            return Err(Self::misplaced("a window", "the dialect computes this function from several others"));
        };
        self.no_json("the partition of a window", partition)?;
        if call.distinct {
            return Err(Self::misplaced("DISTINCT", "no aggregate over a window takes it on every engine"));
        }
        if call.func == Some(Func::StringAgg) && (!order.is_empty() || frame.is_some()) {
            self.need(Feature::StringAggWindow)?;
        }
        if let Some((unit, start, end, exclude)) = frame {
            if unit == FrameUnit::Groups {
                self.need(Feature::FrameGroups)?;
            }
            if exclude != FrameExclude::NoOthers {
                self.need(Feature::FrameExclude)?;
            }
            let offset = |b| matches!(b, FrameBound::Preceding(_) | FrameBound::Following(_));
            if unit == FrameUnit::Range && (offset(start) || offset(end)) {
                self.need(Feature::FrameRangeOffset)?;
                let number = |key: &Order<'a, 'e>| key.value.ty.is_none_or(|ty| ty.base.is_number() && !ty.array);
                if order.len() != 1 || !order.iter().all(number) {
                    let why = "its window is ordered by one number: DateDiffDays or ToUnixSeconds makes one of a date";
                    return Err(Self::misplaced("a RANGE frame with an offset", why));
                }
            }
            if order.is_empty() && unit != FrameUnit::Rows {
                return Err(Self::misplaced("a frame", "its window needs an order"));
            }
            if bound_rank(start) > bound_rank(end) {
                return Err(Self::misplaced("a frame", "its start lies behind its end"));
            }
        }
        let ordered = call.func.is_some_and(|func| func.signature().class == Class::Window) || frame.is_some();
        let rule = if order.is_empty() && ordered { self.rule_for(Feature::WindowWithoutOrder)? } else { None };
        let order = match rule {
            None => order,
            Some(Rule::WindowOrderNull) => {
                self.slice(&[Order { value: self.null(None), descending: false, nulls_first: None }])
            }
            Some(_) => self.slice(&[self.no_order()]),
        };
        let window = Window { call: *call, partition, order, frame };
        Ok(Scalar { kind: ScalarKind::Window(self.node(window)), nullable: true, ..value })
    }
}

fn bound_rank(bound: FrameBound) -> i64 {
    match bound {
        FrameBound::UnboundedPreceding => i64::MIN,
        FrameBound::Preceding(n) => -i64::from(n),
        FrameBound::CurrentRow => 0,
        FrameBound::Following(n) => n.into(),
        FrameBound::UnboundedFollowing => i64::MAX,
    }
}
