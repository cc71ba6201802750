//! Keyset paging: the rows behind a cursor in the order of the query.
//!
//! Keys of one direction are compared as a row. Others are written out so that an index is entered at the cursor. A key
//! that can be NULL is compared by the place that NULLs have in its order:
//!
//! ```sql
//! -- ORDER BY a DESC, b DESC, after (1, 2)
//! (a, b) < (1, 2)
//! -- ORDER BY a, b DESC, after (1, 2)
//! a >= 1 AND (a > 1 OR b < 2)
//! -- ORDER BY a NULLS LAST, b, after (1, 2)
//! (a >= 1 OR a IS NULL) AND (a > 1 OR a IS NULL OR b > 2)
//! -- ORDER BY a NULLS LAST, b, after (NULL, 2)
//! a IS NULL AND b > 2
//! -- ORDER BY a NULLS FIRST, b, after (NULL, 2)
//! a IS NOT NULL OR b > 2
//! ```

use crate::dialect::{Feature, NullOrder};
use crate::error::{At, ErrorKind, Result};
use crate::expr::SectionExpr;
use crate::frame::{CompareOp, Order, Pred, Scalar, ScalarKind};
use crate::legalize::{compare, logic};

use super::chain::{Building, Stage, Ties};
use super::{Place, Resolver};

/// How many values a row that is compared has at most: written out, each is one level deeper.
pub(super) const ROW_WIDTH: usize = 64;

/// A key of the order, and the value that it has at the cursor.
struct Key<'a, 'e> {
    value: Scalar<'a, 'e>,
    descending: bool,
    /// Whether its NULLs come before its values.
    nulls_first: bool,
    /// `None` is NULL.
    cursor: Option<Scalar<'a, 'e>>,
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The rows behind the cursor of a section.
    pub(super) fn after(&mut self, building: &mut Building<'a, 'e>, node: &'e SectionExpr) -> Result<Pred<'a, 'e>> {
        self.keys_of_cursor(building, node.after.len())?;
        let rows = building.set.is_none() && building.group.is_empty() && !building.distinct && !building.aggregated;
        if !rows || building.order_place > Place::Rows {
            return Err(cursor(
                "needs the rows of a table, not groups, a window or a set: put the query into a derived table",
            ));
        }
        let (given, count) = (node.after.len(), key_count(&building.order));
        if count != given {
            return Err(cursor(format!("has {given} values, the order has {count} keys")));
        }
        if given > ROW_WIDTH {
            return Err(cursor(format!("has {given} values: at most {ROW_WIDTH} are taken")));
        }
        let mut keys = self.cx.vec(given);
        let mut is_sorted_by_nulls = false;
        let mut values = node.after.iter().enumerate();
        for order in &building.order {
            if order.sorts_nulls {
                is_sorted_by_nulls = true;
                continue;
            }
            let Some((index, value)) = values.next() else { break };
            let value = self.value_beside(value, &order.value).at_index(index)?;
            let is_null = self.cx.is_null(&value)
                || order.value.nullable && self.cx.is_empty(&value) && !self.cx.target.has(Feature::EmptyString);
            if is_null && !order.value.nullable {
                return Err(cursor("has NULL for a key that is never NULL")).at_index(index);
            }
            keys.push(Key {
                value: order.value,
                descending: order.descending,
                nulls_first: self.nulls_first(order) != std::mem::take(&mut is_sorted_by_nulls),
                cursor: (!is_null).then_some(value),
            });
        }
        self.behind(&keys)
    }

    /// Leaves the keys in the order that a cursor of that many values speaks of.
    fn keys_of_cursor(&mut self, building: &mut Building<'a, 'e>, values: usize) -> Result<()> {
        if building.order.is_empty() {
            if building.stage == Stage::Order {
                return Err(cursor("cannot follow an order whose keys are constants"));
            }
            // The joins of a view that are needed are known later: its rows may have more ties then.
            self.break_ties(building)?;
            building.ties = Ties::ToBreak;
            return Ok(());
        }
        // One that has a value for each key of the query's own goes by these, as one for each key of the tree does.
        let all = building.order.len();
        let [own, given] = [building.carried, building.appended].map(|keys| all.saturating_sub(keys));
        let is_meant =
            |keys: &usize| *keys < all && building.order.get(..*keys).is_some_and(|order| key_count(order) == values);
        if let Some(keys) = [own, given].into_iter().find(is_meant) {
            building.order.truncate(keys);
            building.carried = building.carried.saturating_sub(all - keys);
            building.appended = building.appended.saturating_sub(all - keys);
            building.ties = Ties::ToBreak;
        }
        Ok(())
    }

    /// Returns whether NULLs come first by a key alone.
    fn nulls_first(&self, key: &Order<'a, 'e>) -> bool {
        key.nulls_first.unwrap_or_else(|| match self.cx.target.dialect().sheet().null_order {
            NullOrder::Least => !key.descending,
            NullOrder::Greatest => key.descending,
            NullOrder::Last => false,
        })
    }

    fn behind(&mut self, keys: &[Key<'a, 'e>]) -> Result<Pred<'a, 'e>> {
        let [first, _, ..] = keys else {
            return keys.first().map_or(Ok(Pred::Const(false)), |key| key.is_behind(self));
        };
        let one_way = keys.iter().all(|key| key.descending == first.descending && !key.meets_null());
        if one_way {
            let left = self.row(keys.iter().map(|key| key.value));
            let right = self.row(keys.iter().filter_map(|key| key.cursor));
            return compare::compare(self.cx, left, first.op(), right);
        }
        let mut pred = Pred::Const(false);
        for key in keys.iter().rev() {
            let mut behind = key.is_behind(self)?;
            if !matches!(pred, Pred::Const(false)) {
                let later = logic::any(self.cx, &[behind, pred]);
                let not_before = key.is_not_before(self)?;
                behind = logic::all(self.cx, &[not_before, later]);
            }
            pred = behind;
        }
        Ok(pred)
    }

    fn row(&self, values: impl Iterator<Item = Scalar<'a, 'e>>) -> Scalar<'a, 'e> {
        let mut items = self.cx.vec(values.size_hint().0);
        items.extend(values);
        let kind = ScalarKind::Row(items.into_bump_slice());
        Scalar { kind, ty: None, nullable: false, column: None, text: None }
    }
}

impl<'a, 'e> Key<'a, 'e> {
    fn op(&self) -> CompareOp {
        if self.descending { CompareOp::Less } else { CompareOp::Greater }
    }

    /// Returns whether a comparison with the cursor alone does not find the rows behind it.
    fn meets_null(&self) -> bool {
        self.cursor.is_none() || self.value.nullable && !self.nulls_first
    }

    /// The rows whose value comes after that of the cursor.
    fn is_behind(&self, r: &mut Resolver<'_, '_, 'a, 'e>) -> Result<Pred<'a, 'e>> {
        match self.cursor {
            Some(cursor) => self.or_null(r, self.op(), cursor),
            None if self.nulls_first => Ok(compare::is_null_pred(r.cx, self.value, true)),
            None => Ok(Pred::Const(false)),
        }
    }

    /// The rows whose value comes after that of the cursor or is the same.
    fn is_not_before(&self, r: &mut Resolver<'_, '_, 'a, 'e>) -> Result<Pred<'a, 'e>> {
        let or_equal = if self.descending { CompareOp::LessOrEqual } else { CompareOp::GreaterOrEqual };
        match self.cursor {
            Some(cursor) => self.or_null(r, or_equal, cursor),
            None if self.nulls_first => Ok(Pred::Const(true)),
            None => Ok(compare::is_null_pred(r.cx, self.value, false)),
        }
    }

    /// A comparison with a value, or NULL where that is behind all values.
    fn or_null(&self, r: &mut Resolver<'_, '_, 'a, 'e>, op: CompareOp, cursor: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
        let compared = compare::compare(r.cx, self.value, op, cursor)?;
        if !self.meets_null() {
            return Ok(compared);
        }
        let null = compare::is_null_pred(r.cx, self.value, false);
        Ok(logic::any(r.cx, &[compared, null]))
    }
}

/// How many keys an order has for a cursor: one that sorts the NULLs of another is a part of that.
fn key_count(order: &[Order<'_, '_>]) -> usize {
    order.iter().filter(|key| !key.sorts_nulls).count()
}

fn cursor(why: impl Into<String>) -> crate::Error {
    ErrorKind::Cursor { why: why.into() }.into()
}
