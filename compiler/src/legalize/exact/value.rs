//! Values and predicates in which texts are compared.

use crate::dialect::Feature;
use crate::error::Result;
use crate::frame::{Call, Case, Match, MatchKind, Pred, Scalar, ScalarKind, TextForm, Window};
use crate::functions::{Class, Func};
use crate::legalize::Cx;
use crate::legalize::parts::Step;

use super::{At, Beside, For, Told};

impl<'a, 'e> Cx<'a, 'e> {
    /// A value in which texts are compared as they should be. What is one of the group's keys becomes the key that the
    /// group is made by.
    pub(super) fn exact_value(&mut self, value: Scalar<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
        if value.is_plain() {
            return Ok(value);
        }
        let changed = self.map_scalar(&value, &mut |cx, part| cx.exact_step(part, group))?;
        Ok(changed.unwrap_or(value))
    }

    pub(super) fn exact_step(&mut self, part: &Scalar<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Step<'a, 'e>> {
        if group.iter().any(|key| self.same(key, part)) {
            let inner = self.exact_value(*part, &[])?;
            return Ok(Step::Becomes(self.by_points(inner, Beside::default(), For::Equal, TextForm::Value)?));
        }
        let kind = match part.kind {
            ScalarKind::Query(query) => ScalarKind::Query(self.exact_query(query, Told::Rows)?),
            ScalarKind::Truth(pred) => {
                let pred = self.exact_pred(pred, group, At::Elsewhere)?;
                ScalarKind::Truth(self.node(pred))
            }
            ScalarKind::Case(case) => {
                let mut cases = self.copied(case.cases);
                for (cond, value) in &mut cases {
                    *cond = self.exact_pred(cond, group, At::Elsewhere)?;
                    *value = self.exact_value(*value, group)?;
                }
                let mut otherwise = case.otherwise.map(|value| self.exact_value(value, group)).transpose()?;
                self.one_collation(cases.iter_mut().map(|(_, value)| value).chain(&mut otherwise));
                ScalarKind::Case(self.node(Case { cases: cases.into_bump_slice(), otherwise }))
            }
            ScalarKind::Concat(items) => {
                let items = self.exact_values(items, group)?;
                let mut items = self.copied(items);
                self.one_collation(items.iter_mut());
                ScalarKind::Concat(items.into_bump_slice())
            }
            ScalarKind::Call(call) => {
                let call = self.exact_call(call, group)?;
                ScalarKind::Call(self.node(call))
            }
            ScalarKind::Window(window) => {
                let partition = self.exact_values(window.partition, group)?;
                let window = Window {
                    call: self.exact_call(&window.call, group)?,
                    partition: self.all_by_points(partition, For::Equal, TextForm::Key)?,
                    order: self.exact_orders(window.order, group, TextForm::Key)?,
                    frame: window.frame,
                };
                ScalarKind::Window(self.node(window))
            }
            _ => return Ok(Step::Into),
        };
        Ok(Step::Becomes(Scalar { kind, ..*part }))
    }

    pub(super) fn exact_call(&mut self, call: &Call<'a, 'e>, group: &[Scalar<'a, 'e>]) -> Result<Call<'a, 'e>> {
        use Func as F;
        let aggregate = call.func.is_some_and(|func| func.signature().class == Class::Aggregate);
        let group = if aggregate { &[] } else { group };
        let mut args = self.copied(call.args);
        for arg in &mut args {
            *arg = self.exact_value(*arg, group)?;
        }
        // What knows letters from others does so by a collation that knows them.
        if let Some(F::Lower | F::Upper | F::RegexpReplace | F::RegexpSubstr | F::RegexpCount) = call.func
            && let Some((text, further)) = args.split_first_mut()
        {
            *text = self.by_letters(*text);
            for arg in further.iter_mut().filter(|arg| self.shows(arg, false)) {
                *arg = self.by_letters(*arg);
            }
        }
        // What looks into texts, or compares them.
        let (count, use_of, form) = match call.func {
            Some(F::Replace) => (3, For::Equal, TextForm::Value),
            Some(F::IndexOf | F::NullIf) => (2, For::Equal, TextForm::Value),
            Some(F::Trim | F::TrimStart | F::TrimEnd) if args.len() > 1 => (1, For::Equal, TextForm::Value),
            Some(F::Greatest | F::Least) => (args.len(), For::Order, TextForm::Value),
            Some(F::Min | F::Max) => (1, For::Order, TextForm::Value),
            Some(F::Count) if call.distinct => (1, For::Equal, TextForm::Key),
            Some(_) if call.distinct => {
                (1, if call.order.is_empty() { For::Equal } else { For::Order }, TextForm::Value)
            }
            _ => (0, For::Equal, TextForm::Value),
        };
        if let Some(sides) = args.get_mut(..count.min(call.args.len())) {
            self.exact_sides(sides, use_of, form)?;
        }
        self.one_collation(args.iter_mut());
        let form = if call.distinct { TextForm::Value } else { TextForm::Key };
        Ok(Call {
            args: args.into_bump_slice(),
            order: self.exact_orders(call.order, group, form)?,
            filter: call.filter.map(|filter| self.exact_pred(&filter, group, At::Elsewhere)).transpose()?,
            ..*call
        })
    }

    pub(super) fn exact_pred(&mut self, pred: &Pred<'a, 'e>, group: &[Scalar<'a, 'e>], at: At) -> Result<Pred<'a, 'e>> {
        self.may_change()?;
        Ok(match *pred {
            Pred::Compare(node) => return self.exact_compare(node, group, at),
            Pred::Match(node) => {
                let text = self.exact_value(node.text, group)?;
                let pattern = self.exact_value(node.pattern, group)?;
                let mut sides = [text, pattern];
                match node.kind {
                    MatchKind::ILike { .. } | MatchKind::Regex => {
                        let pattern = if self.shows(&pattern, false) { self.by_letters(pattern) } else { pattern };
                        sides = [self.by_letters(text), pattern];
                    }
                    // Where LIKE never follows a collation, it compares code points; and so does GLOB.
                    MatchKind::Like { .. } if self.target.has(Feature::LikeCollation) => {
                        self.exact_sides(&mut sides, For::Equal, TextForm::Value)?;
                    }
                    MatchKind::Like { .. } | MatchKind::Glob => {}
                }
                let [text, pattern] = sides;
                Pred::Match(self.node(Match { text, pattern, ..*node }))
            }
            Pred::In(node) => return self.exact_in(node, group, at),
            Pred::Exists(query, negated) => Pred::Exists(self.exact_query(query, Told::Rows)?, negated),
            Pred::And(items) => Pred::And(self.exact_preds(items, group, at)?),
            Pred::Or(items) => Pred::Or(self.exact_preds(items, group, at)?),
            Pred::Not(inner) => {
                let inner = self.exact_pred(inner, group, At::Elsewhere)?;
                Pred::Not(self.node(inner))
            }
            Pred::Null(value, negated) => {
                let value = self.exact_value(*value, group)?;
                Pred::Null(self.node(value), negated)
            }
            Pred::IsTrue(value) => {
                let value = self.exact_value(*value, group)?;
                Pred::IsTrue(self.node(value))
            }
            Pred::Const(_) | Pred::Text(_) | Pred::Fragment(_) => *pred,
        })
    }

    pub(super) fn exact_preds(
        &mut self,
        items: &[Pred<'a, 'e>],
        group: &[Scalar<'a, 'e>],
        at: At,
    ) -> Result<&'a [Pred<'a, 'e>]> {
        let mut list = self.vec(items.len());
        for item in items {
            let item = self.exact_pred(item, group, at)?;
            // What became two conditions is two of this list.
            list.push(item);
        }
        Ok(list.into_bump_slice())
    }
}
