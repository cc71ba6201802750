//! Functions over a window.
//!
//! Without a frame, an aggregate is over the rows up to the last one that is equal in the order, or over all without
//! one. What depends on the place of a row among equal ones is not determined, and refused.

use std::ops::Range;

use isogloss_compiler::expr::{FrameBound, FrameExclude, FrameUnit, Value, WindowExpr};
use isogloss_compiler::functions::{Class, Func};

use super::logic::same_rows;
use super::query::sort;
use super::scope::Env;
use super::{Evaluator, Result, fault, unsupported, value};

impl Evaluator<'_> {
    #[allow(clippy::cast_precision_loss, reason = "numbers of rows are small")]
    pub(crate) fn window(&self, env: &Env<'_>, node: &WindowExpr) -> Result<Value> {
        let Some((peers, own)) = env.peers else { return fault("a window where rows are looked at one by one") };
        let Some(func) = Func::from_name(node.function.name.as_str()) else {
            return unsupported(format!("no function `{}`", node.function.name));
        };
        let at = |place: usize| {
            let rows = peers.get(place).map_or(&[][..], |item| &item.rows);
            Env { rows, peers: Some((peers, place)), list: None, ..*env }
        };
        // The rows of the part, in order, each with its place among all rows.
        let part_of =
            |place: usize| node.partition_by.iter().map(|key| self.value(&at(place), key)).collect::<Result<Vec<_>>>();
        let part = part_of(own)?;
        let mut rows: Vec<(usize, Vec<Value>)> = Vec::new();
        for place in 0..peers.len() {
            if same_rows(&part, &part_of(place)?)? {
                let keys = node.order_by.iter().map(|key| self.value(&at(place), &key.field));
                rows.push((place, keys.collect::<Result<_>>()?));
            }
        }
        if !sort(&mut rows, &node.order_by, |row| &row.1)? {
            return unsupported("a window whose order says nothing of NULL");
        }
        let Some(here) = rows.iter().position(|(place, _)| *place == own) else { return fault("a row of no window") };
        let equal = |a: usize, b: usize| match (rows.get(a), rows.get(b)) {
            (Some(a), Some(b)) => same_rows(&a.1, &b.1),
            _ => Ok(false),
        };
        let mut first = here;
        while first > 0 && equal(first - 1, here)? {
            first -= 1;
        }
        let mut end = here + 1;
        while end < rows.len() && equal(end, here)? {
            end += 1;
        }
        let mut ties = false;
        for index in 1..rows.len() {
            ties |= equal(index - 1, index)?;
        }
        let number = |count: usize| i64::try_from(count).map_or(Value::Null, Value::Int);
        let exact = || if ties { unsupported("a window whose order leaves rows equal") } else { Ok(()) };
        let row = |index: usize| rows.get(index).map(|(place, _)| at(*place));
        let argument = |index: Option<usize>| match (index.and_then(row), node.function.args.first()) {
            (Some(env), Some(arg)) => self.value(&env, arg).map(Some),
            _ => Ok(None),
        };
        Ok(match func {
            Func::RowNumber => {
                exact()?;
                number(here + 1)
            }
            Func::Rank => number(first + 1),
            Func::DenseRank => {
                let mut rank = 1;
                for index in 1..=here {
                    rank += usize::from(!equal(index - 1, index)?);
                }
                number(rank)
            }
            Func::PercentRank if rows.len() < 2 => Value::Float(0.0),
            Func::PercentRank => Value::Float(first as f64 / (rows.len() - 1) as f64),
            Func::CumeDist => Value::Float(end as f64 / rows.len() as f64),
            Func::NTile => {
                exact()?;
                let Some(Value::Int(buckets @ 1..)) = argument(Some(here))? else {
                    return unsupported("buckets that are not a positive number");
                };
                let buckets = usize::try_from(buckets).unwrap_or(usize::MAX);
                // The first buckets have one more.
                let (size, more) = (rows.len() / buckets, rows.len() % buckets);
                let larger = more * (size + 1);
                number(if here < larger { here / (size + 1) } else { more + (here - larger) / size.max(1) } + 1)
            }
            Func::Lag | Func::Lead => {
                exact()?;
                let args = &node.function.args;
                let offset = match args.get(1) {
                    None => 1,
                    Some(offset) => match self.value(env, offset)? {
                        Value::Int(offset @ 0..) => usize::try_from(offset).unwrap_or(usize::MAX),
                        _ => return unsupported("an offset that is not a whole number from 0 on"),
                    },
                };
                let other = if func == Func::Lag { here.checked_sub(offset) } else { here.checked_add(offset) };
                match argument(other)? {
                    Some(value) => value,
                    None => match args.get(2) {
                        Some(default) => {
                            let value = self.value_beside(env, default, args.first())?;
                            value::widen(value, args.first().map_or(Ok(None), |arg| self.kind(env, arg))?)?
                        }
                        None => Value::Null,
                    },
                }
            }
            _ => {
                let frame = match &node.frame {
                    None if node.order_by.is_empty() => 0..rows.len(),
                    None => 0..end,
                    Some(frame) if frame.exclude != FrameExclude::NoOthers => {
                        return unsupported("a frame that leaves rows out");
                    }
                    Some(frame) => {
                        let (low, high) = match frame.unit {
                            FrameUnit::Rows => {
                                exact()?;
                                (here..here + 1, here..here + 1)
                            }
                            FrameUnit::Range => (first..end, first..end),
                            FrameUnit::Groups => return unsupported("a frame of groups"),
                        };
                        let by_value = frame.unit == FrameUnit::Range;
                        let start = bound(frame.start, &low, rows.len(), by_value)?.start;
                        let stop = bound(frame.end, &high, rows.len(), by_value)?.end;
                        start.min(rows.len())..stop.clamp(start.min(rows.len()), rows.len())
                    }
                };
                match func {
                    Func::FirstValue | Func::LastValue => {
                        exact()?;
                        let index = if func == Func::FirstValue { Some(frame.start) } else { frame.end.checked_sub(1) };
                        argument(index.filter(|index| frame.contains(index)))?.unwrap_or_default()
                    }
                    _ if func.signature().class == Class::Aggregate => {
                        let mut rows = frame.filter_map(row).map(|env| Env { peers: None, ..env });
                        self.aggregate_of(func, &node.function, &mut rows)?
                    }
                    _ => return unsupported(format!("function `{}`", func.signature().name)),
                }
            }
        })
    }
}

/// The rows at which a frame begins or ends, given those of the current row.
fn bound(bound: FrameBound, current: &Range<usize>, count: usize, by_value: bool) -> Result<Range<usize>> {
    let steps = |steps: u32| usize::try_from(steps).unwrap_or(usize::MAX);
    Ok(match bound {
        FrameBound::UnboundedPreceding => 0..0,
        FrameBound::UnboundedFollowing => count..count,
        FrameBound::CurrentRow => current.clone(),
        _ if by_value => return unsupported("a frame by the distance of values"),
        // Before the first row there is none: such a frame ends before it begins.
        FrameBound::Preceding(n) => current.start.saturating_sub(steps(n))..current.end.saturating_sub(steps(n)),
        FrameBound::Following(n) => current.start.saturating_add(steps(n))..current.end.saturating_add(steps(n)),
    })
}
