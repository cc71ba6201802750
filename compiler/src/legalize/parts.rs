//! The parts of a value or a predicate: looking at them, and rewriting some of them.

use crate::error::Result;
use crate::expr::{DbType, Value};
use crate::frame::{Bound, Call, Case, Compare, In, InList, Match, Order, Param, Pred, Scalar, ScalarKind, Window};

use super::Cx;

/// A part of a value.
pub(super) enum Part<'p, 'a, 'e> {
    Scalar(&'p Scalar<'a, 'e>),
    Pred(&'p Pred<'a, 'e>),
}

impl Part<'_, '_, '_> {
    /// Whether it reads rows of its own.
    pub(super) fn is_query(&self) -> bool {
        match self {
            Part::Scalar(scalar) => matches!(scalar.kind, ScalarKind::Query(_)),
            Part::Pred(Pred::In(found)) => matches!(found.list, InList::Query(_)),
            Part::Pred(pred) => matches!(pred, Pred::Exists(..)),
        }
    }
}

/// What becomes of a part.
pub(super) enum Step<'a, 'e> {
    /// Its own parts are looked at.
    Into,
    /// It stays as it is.
    Leave,
    /// It is replaced.
    Becomes(Scalar<'a, 'e>),
    /// It is replaced by something whose own parts are looked at.
    Again(Scalar<'a, 'e>),
}

/// Says what becomes of a part.
pub(super) type Change<'c, 'a, 'e> = dyn FnMut(&mut Cx<'a, 'e>, &Scalar<'a, 'e>) -> Result<Step<'a, 'e>> + 'c;

/// What a look at a part tells.
pub(super) enum Seen {
    /// It is what is looked for.
    Found,
    /// Neither it nor what is in it.
    Past,
    /// Its own parts are looked at.
    Into,
}

type Look<'c, 'a, 'e> = dyn FnMut(&Cx<'a, 'e>, Part<'_, 'a, 'e>) -> Seen + 'c;
type Test<'c, 'a, 'e> = dyn FnMut(&Cx<'a, 'e>, Part<'_, 'a, 'e>) -> bool + 'c;

impl<'a, 'e> Cx<'a, 'e> {
    /// Whether something holds of a value or of one of its parts. What stands inside of a subquery is none.
    pub(super) fn any_part(&self, value: &Scalar<'a, 'e>, test: &mut Test<'_, 'a, 'e>) -> bool {
        self.finds(value, &mut |cx, part| if test(cx, part) { Seen::Found } else { Seen::Into })
    }

    /// Whether something holds of a part of a predicate.
    pub(super) fn any_part_of(&self, pred: &Pred<'a, 'e>, test: &mut Test<'_, 'a, 'e>) -> bool {
        self.finds_in(pred, &mut |cx, part| if test(cx, part) { Seen::Found } else { Seen::Into })
    }

    /// Whether something is found in a value. What stands inside of a subquery is no part of it.
    pub(super) fn finds(&self, value: &Scalar<'a, 'e>, look: &mut Look<'_, 'a, 'e>) -> bool {
        if !self.may_look(1) {
            return false;
        }
        match look(self, Part::Scalar(value)) {
            Seen::Found => return true,
            Seen::Past => return false,
            Seen::Into => {}
        }
        match value.kind {
            ScalarKind::Negative(inner)
            | ScalarKind::BitNot(inner)
            | ScalarKind::Cast(inner, _)
            | ScalarKind::Exact(inner, _) => self.finds(inner, look),
            ScalarKind::Binary(_, sides) => sides.iter().any(|side| self.finds(side, look)),
            ScalarKind::Concat(items) | ScalarKind::Row(items) => items.iter().any(|item| self.finds(item, look)),
            ScalarKind::Call(call) => self.finds_in_call(call, look),
            ScalarKind::Window(window) => {
                self.finds_in_call(&window.call, look)
                    || window.partition.iter().any(|key| self.finds(key, look))
                    || window.order.iter().any(|key| self.finds(&key.value, look))
            }
            ScalarKind::Case(case) => {
                case.cases.iter().any(|(cond, value)| self.finds_in(cond, look) || self.finds(value, look))
                    || case.otherwise.as_ref().is_some_and(|value| self.finds(value, look))
            }
            ScalarKind::Truth(pred) => self.finds_in(pred, look),
            ScalarKind::Column(_)
            | ScalarKind::Param(_)
            | ScalarKind::Literal(_)
            | ScalarKind::Query(_)
            | ScalarKind::Fragment(_) => false,
        }
    }

    fn finds_in_call(&self, call: &Call<'a, 'e>, look: &mut Look<'_, 'a, 'e>) -> bool {
        call.args.iter().any(|arg| self.finds(arg, look))
            || call.order.iter().any(|key| self.finds(&key.value, look))
            || call.filter.as_ref().is_some_and(|filter| self.finds_in(filter, look))
    }

    /// Whether something is found in a predicate.
    pub(super) fn finds_in(&self, pred: &Pred<'a, 'e>, look: &mut Look<'_, 'a, 'e>) -> bool {
        if !self.may_look(1) {
            return false;
        }
        match look(self, Part::Pred(pred)) {
            Seen::Found => return true,
            Seen::Past => return false,
            Seen::Into => {}
        }
        match pred {
            Pred::Compare(node) => self.finds(&node.left, look) || self.finds(&node.right, look),
            Pred::Null(value, _) | Pred::IsTrue(value) => self.finds(value, look),
            Pred::Match(node) => self.finds(&node.text, look) || self.finds(&node.pattern, look),
            Pred::In(node) => {
                self.finds(&node.left, look)
                    || node.exact.is_some_and(|exact| self.finds(exact, look))
                    || match node.list {
                        InList::Values(values, ty) => {
                            values.iter().any(|value| self.finds(&self.listed(value, ty), look))
                        }
                        InList::Scalars(items) => items.iter().any(|item| self.finds(item, look)),
                        InList::Array(param, ty, _) => {
                            let kind = ScalarKind::Param(param);
                            self.finds(&Scalar { kind, ty: Some(ty), nullable: false, column: None, text: None }, look)
                        }
                        InList::Query(_) => false,
                    }
            }
            Pred::And(items) | Pred::Or(items) => items.iter().any(|item| self.finds_in(item, look)),
            Pred::Not(inner) => self.finds_in(inner, look),
            Pred::Const(_) | Pred::Exists(..) | Pred::Text(_) | Pred::Fragment(_) => false,
        }
    }

    /// A value with some of its parts replaced; nothing if none is.
    pub(super) fn map_scalar(
        &mut self,
        value: &Scalar<'a, 'e>,
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<Scalar<'a, 'e>>> {
        if value.kind.address().is_some() {
            self.may_change()?;
        }
        let (value, again) = match change(self, value)? {
            Step::Becomes(other) => return Ok(Some(other)),
            Step::Leave => return Ok(None),
            Step::Again(other) => (other, true),
            Step::Into => (*value, false),
        };
        let kind = match value.kind {
            ScalarKind::Negative(inner) => {
                self.map_scalar(inner, change)?.map(|inner| ScalarKind::Negative(self.node(inner)))
            }
            ScalarKind::BitNot(inner) => {
                self.map_scalar(inner, change)?.map(|inner| ScalarKind::BitNot(self.node(inner)))
            }
            ScalarKind::Cast(inner, ty) => {
                self.map_scalar(inner, change)?.map(|inner| ScalarKind::Cast(self.node(inner), ty))
            }
            ScalarKind::Exact(inner, form) => {
                self.map_scalar(inner, change)?.map(|inner| ScalarKind::Exact(self.node(inner), form))
            }
            ScalarKind::Binary(op, [left, right]) => {
                let sides = (self.map_scalar(left, change)?, self.map_scalar(right, change)?);
                match sides {
                    (None, None) => None,
                    (l, r) => Some(ScalarKind::Binary(op, self.node([l.unwrap_or(*left), r.unwrap_or(*right)]))),
                }
            }
            ScalarKind::Concat(items) => self.map_list(items, change)?.map(ScalarKind::Concat),
            ScalarKind::Row(items) => self.map_list(items, change)?.map(ScalarKind::Row),
            ScalarKind::Call(call) => self.map_call(call, change)?.map(|call| ScalarKind::Call(self.node(call))),
            ScalarKind::Window(window) => self.map_window(window, change)?,
            ScalarKind::Case(case) => self.map_case(case, change)?,
            ScalarKind::Truth(pred) => self.map_pred(pred, change)?.map(|pred| ScalarKind::Truth(self.node(pred))),
            ScalarKind::Column(_)
            | ScalarKind::Param(_)
            | ScalarKind::Literal(_)
            | ScalarKind::Query(_)
            | ScalarKind::Fragment(_) => None,
        };
        Ok(match kind {
            Some(kind) => Some(Scalar { kind, ..value }),
            None => again.then_some(value),
        })
    }

    fn map_list(
        &mut self,
        items: &'a [Scalar<'a, 'e>],
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<&'a [Scalar<'a, 'e>]>> {
        let mut list = self.copied(items);
        let mut changed = false;
        for item in &mut list {
            if let Some(other) = self.map_scalar(item, change)? {
                *item = other;
                changed = true;
            }
        }
        Ok(changed.then(|| list.into_bump_slice()))
    }

    fn map_orders(
        &mut self,
        keys: &'a [Order<'a, 'e>],
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<&'a [Order<'a, 'e>]>> {
        let mut list = self.copied(keys);
        let mut changed = false;
        for key in &mut list {
            if let Some(other) = self.map_scalar(&key.value, change)? {
                key.value = other;
                changed = true;
            }
        }
        Ok(changed.then(|| list.into_bump_slice()))
    }

    fn map_call(&mut self, call: &Call<'a, 'e>, change: &mut Change<'_, 'a, 'e>) -> Result<Option<Call<'a, 'e>>> {
        let (args, order) = (self.map_list(call.args, change)?, self.map_orders(call.order, change)?);
        let filter = match &call.filter {
            Some(filter) => self.map_pred(filter, change)?,
            None => None,
        };
        if args.is_none() && order.is_none() && filter.is_none() {
            return Ok(None);
        }
        let (args, order) = (args.unwrap_or(call.args), order.unwrap_or(call.order));
        Ok(Some(Call { args, order, filter: filter.or(call.filter), ..*call }))
    }

    fn map_window(
        &mut self,
        window: &Window<'a, 'e>,
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<ScalarKind<'a, 'e>>> {
        let call = self.map_call(&window.call, change)?;
        let (partition, order) = (self.map_list(window.partition, change)?, self.map_orders(window.order, change)?);
        if call.is_none() && partition.is_none() && order.is_none() {
            return Ok(None);
        }
        Ok(Some(ScalarKind::Window(self.node(Window {
            call: call.unwrap_or(window.call),
            partition: partition.unwrap_or(window.partition),
            order: order.unwrap_or(window.order),
            frame: window.frame,
        }))))
    }

    fn map_case(&mut self, case: &Case<'a, 'e>, change: &mut Change<'_, 'a, 'e>) -> Result<Option<ScalarKind<'a, 'e>>> {
        let mut cases = self.copied(case.cases);
        let mut otherwise = case.otherwise;
        let mut changed = false;
        for (cond, value) in &mut cases {
            if let Some(other) = self.map_pred(cond, change)? {
                *cond = other;
                changed = true;
            }
            if let Some(other) = self.map_scalar(value, change)? {
                *value = other;
                changed = true;
            }
        }
        if let Some(value) = &mut otherwise
            && let Some(other) = self.map_scalar(value, change)?
        {
            *value = other;
            changed = true;
        }
        Ok(changed.then(|| ScalarKind::Case(self.node(Case { cases: cases.into_bump_slice(), otherwise }))))
    }

    /// A predicate with some of its values replaced; nothing if none is.
    pub(super) fn map_pred(
        &mut self,
        pred: &Pred<'a, 'e>,
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<Pred<'a, 'e>>> {
        Ok(match pred {
            Pred::Compare(node) => {
                match (self.map_scalar(&node.left, change)?, self.map_scalar(&node.right, change)?) {
                    (None, None) => None,
                    (left, right) => {
                        let (left, right) = (left.unwrap_or(node.left), right.unwrap_or(node.right));
                        Some(Pred::Compare(self.node(Compare { left, op: node.op, right })))
                    }
                }
            }
            Pred::Null(value, negated) => {
                self.map_scalar(value, change)?.map(|value| Pred::Null(self.node(value), *negated))
            }
            Pred::IsTrue(value) => self.map_scalar(value, change)?.map(|value| Pred::IsTrue(self.node(value))),
            Pred::Match(node) => {
                match (self.map_scalar(&node.text, change)?, self.map_scalar(&node.pattern, change)?) {
                    (None, None) => None,
                    (text, pattern) => {
                        let (text, pattern) = (text.unwrap_or(node.text), pattern.unwrap_or(node.pattern));
                        Some(Pred::Match(self.node(Match { text, pattern, ..**node })))
                    }
                }
            }
            Pred::In(node) => self.map_in(node, change)?,
            Pred::And(items) => self.map_preds(items, change)?.map(Pred::And),
            Pred::Or(items) => self.map_preds(items, change)?.map(Pred::Or),
            Pred::Not(inner) => self.map_pred(inner, change)?.map(|inner| Pred::Not(self.node(inner))),
            Pred::Const(_) | Pred::Exists(..) | Pred::Text(_) | Pred::Fragment(_) => None,
        })
    }

    fn map_preds(
        &mut self,
        items: &[Pred<'a, 'e>],
        change: &mut Change<'_, 'a, 'e>,
    ) -> Result<Option<&'a [Pred<'a, 'e>]>> {
        let mut list = self.copied(items);
        let mut changed = false;
        for item in &mut list {
            if let Some(other) = self.map_pred(item, change)? {
                *item = other;
                changed = true;
            }
        }
        Ok(changed.then(|| list.into_bump_slice()))
    }

    fn map_in(&mut self, node: &In<'a, 'e>, change: &mut Change<'_, 'a, 'e>) -> Result<Option<Pred<'a, 'e>>> {
        let left = self.map_scalar(&node.left, change)?;
        let list = match node.list {
            InList::Values(values, ty) => {
                let mut items = self.vec(values.len());
                for value in values {
                    items.push(if value.is_null() { self.null(Some(ty)) } else { self.listed(value, ty) });
                }
                self.map_list(items.into_bump_slice(), change)?.map(InList::Scalars)
            }
            InList::Scalars(items) => self.map_list(items, change)?.map(InList::Scalars),
            InList::Array(param, ty, count) => {
                let kind = ScalarKind::Param(param);
                let array = Scalar { kind, ty: Some(ty), nullable: false, column: None, text: None };
                match self.map_scalar(&array, change)? {
                    Some(Scalar { kind: ScalarKind::Param(param), .. }) => Some(InList::Array(param, ty, count)),
                    _ => None,
                }
            }
            InList::Query(_) => None,
        };
        let exact = match node.exact {
            Some(exact) => self.map_scalar(exact, change)?,
            None => None,
        };
        if left.is_none() && list.is_none() && exact.is_none() {
            return Ok(None);
        }
        let (left, list) = (left.unwrap_or(node.left), list.unwrap_or(node.list));
        let exact = exact.map(|exact| self.node(exact)).or(node.exact);
        Ok(Some(Pred::In(self.node(In { left, list, negated: node.negated, exact }))))
    }

    /// A value of a list as a parameter of its own.
    pub(super) fn listed(&self, value: &'e Value, ty: DbType) -> Scalar<'a, 'e> {
        let bound = if self.open.is_some() { Bound::Open(value) } else { Bound::Tree(value) };
        let param = Param { value: bound, untyped: false, cast: false, shared: false, repeated: false };
        Scalar { kind: ScalarKind::Param(param), ty: Some(ty), nullable: value.is_null(), column: None, text: None }
    }
}
