//! Comparisons, the border between predicates and values, and logic.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbValueType, Value};
use crate::frame::{Call, Case, Compare, CompareOp, Literal, Match, Pred, Scalar, ScalarKind};
use crate::functions::Func;

use super::json::is_json;
use super::{Cx, repeated, type_by, typed_by};

impl<'a, 'e> Cx<'a, 'e> {
    /// A comparison.
    pub(crate) fn compare(
        &mut self,
        left: Scalar<'a, 'e>,
        op: CompareOp,
        right: Scalar<'a, 'e>,
    ) -> Result<Pred<'a, 'e>> {
        if let (ScalarKind::Row(l), ScalarKind::Row(r)) = (left.kind, right.kind) {
            return self.compare_rows(l, op, r);
        }
        if matches!(left.kind, ScalarKind::Row(_)) || matches!(right.kind, ScalarKind::Row(_)) {
            let why = "it is compared with a row of as many values, and with nothing else";
            return Err(crate::ErrorKind::Misplaced { what: "a row of values".into(), why }.into());
        }
        let (left_null, right_null) = (self.is_null(&left), self.is_null(&right));
        if left_null || right_null {
            let negated = match op {
                CompareOp::Equal | CompareOp::NotDistinct => Some(false),
                CompareOp::NotEqual | CompareOp::Distinct => Some(true),
                _ => None,
            };
            if let Some(negated) = negated {
                return Ok(self.is_null_pred(if left_null { right } else { left }, negated));
            }
        }
        if is_json(left.ty) || is_json(right.ty) {
            return self.compare_json(left, op, right);
        }
        if let Some(pred) = self.compare_empty(&left, op, &right)? {
            return Ok(pred);
        }
        self.no_large_value("a comparison", &left)?;
        self.no_large_value("a comparison", &right)?;
        if matches!(op, CompareOp::Distinct | CompareOp::NotDistinct) {
            return self.null_safe(left, op, right);
        }
        let (mut left, mut right, mut op) = (left, right, op);
        if op == CompareOp::NotEqual
            && let Some(Value::Bool(truth)) = self.value_of(&right)
        {
            // What is not true is false: an index finds that.
            let other = Value::Bool(!truth);
            right = self.made_like(&right, other, right.ty.unwrap_or_default());
            op = CompareOp::Equal;
        }
        type_by(&mut left, &right);
        type_by(&mut right, &left);
        if left.ty != right.ty {
            let mut sides = [left, right];
            self.same_dates(&mut sides)?;
            [left, right] = sides;
        }
        if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            (left, right) = (self.sorted(left)?, self.sorted(right)?);
        }
        for side in [&mut left, &mut right] {
            if matches!(side.kind, ScalarKind::Literal(_)) {
                *side = self.bit(*side);
            }
        }
        let (op, right) = other_bit(op, right);
        Ok(Pred::Compare(self.node(Compare { left, op, right })))
    }

    /// A constant truth value in a comparison, on an engine without TRUE and FALSE: `paid = 1`.
    fn bit(&self, scalar: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        match (scalar.kind, self.value_of(&scalar)) {
            (ScalarKind::Literal(Literal::Bool(b)), _) | (ScalarKind::Literal(_), Some(&Value::Bool(b)))
                if !self.target.has(Feature::BooleanLiteral) =>
            {
                Scalar { ty: scalar.ty, ..self.int(b.into()) }
            }
            _ => scalar,
        }
    }

    /// Whether it is NULL in the tree.
    pub(crate) fn is_null(&self, scalar: &Scalar<'a, 'e>) -> bool {
        matches!(scalar.kind, ScalarKind::Literal(Literal::Null)) || self.class_of(scalar).is_some_and(Value::is_null)
    }

    /// `IS NULL`, or `IS NOT NULL`.
    pub(crate) fn is_null_pred(&self, scalar: Scalar<'a, 'e>, negated: bool) -> Pred<'a, 'e> {
        if self.is_null(&scalar) {
            return Pred::Const(!negated);
        }
        let null_here =
            |value: &Value| matches!(value, Value::Text(t) if t.is_empty() && !self.target.has(Feature::EmptyString));
        if self.value_of(&scalar).is_some_and(|value| !null_here(value)) {
            return Pred::Const(negated);
        }
        Pred::Null(self.node(scalar), negated)
    }

    /// A comparison with the empty text, on an engine that stores NULL for it.
    ///
    /// ```sql
    /// -- before        -- after
    /// "Note" = ''      "Note" IS NULL
    /// "Note" <> ''     "Note" IS NOT NULL
    /// "Note" > ''      "Note" IS NOT NULL
    /// ```
    fn compare_empty(
        &mut self,
        left: &Scalar<'a, 'e>,
        op: CompareOp,
        right: &Scalar<'a, 'e>,
    ) -> Result<Option<Pred<'a, 'e>>> {
        if self.target.has(Feature::EmptyString) {
            return Ok(None);
        }
        let (other, op) = match (self.is_empty(left), self.is_empty(right)) {
            (_, true) => (*left, op),
            (true, false) => (*right, flip(op)),
            (false, false) => return self.compare_coalesced(left, op, right),
        };
        self.rule_for(Feature::EmptyString)?;
        Ok(Some(match op {
            CompareOp::Equal | CompareOp::NotDistinct | CompareOp::LessOrEqual | CompareOp::JsonEqual => {
                self.is_null_pred(other, false)
            }
            CompareOp::NotEqual | CompareOp::Distinct | CompareOp::Greater | CompareOp::JsonNotEqual => {
                self.is_null_pred(other, true)
            }
            // Nothing is less than the empty text, and everything is at least it.
            CompareOp::Less => Pred::Const(false),
            CompareOp::GreaterOrEqual => Pred::Const(true),
        }))
    }

    /// A comparison of what is the empty text where it would be NULL, on an engine that knows no empty text.
    ///
    /// ```sql
    /// -- before                         -- after
    /// COALESCE("Note", '') = 'x'        "Note" = 'x' AND "Note" IS NOT NULL
    /// COALESCE("Note", '') <> 'x'       "Note" <> 'x' OR "Note" IS NULL
    /// ```
    ///
    /// Exact, also under NOT: it is never unknown.
    fn compare_coalesced(
        &mut self,
        left: &Scalar<'a, 'e>,
        op: CompareOp,
        right: &Scalar<'a, 'e>,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let (text, op, other) = match (self.without_empty(left), self.without_empty(right)) {
            (Some(text), None) => (text, op, *right),
            (None, Some(text)) => (text, flip(op), *left),
            _ => return Ok(None),
        };
        if other.nullable {
            return Ok(None);
        }
        self.rule_for(Feature::EmptyString)?;
        let compared = self.compare(text, op, other)?;
        Ok(Some(match op {
            CompareOp::NotEqual | CompareOp::Less | CompareOp::LessOrEqual => {
                self.any(&[compared, self.is_null_pred(text, false)])
            }
            CompareOp::Equal | CompareOp::Greater | CompareOp::GreaterOrEqual => {
                self.all(&[compared, self.is_null_pred(text, true)])
            }
            CompareOp::Distinct | CompareOp::NotDistinct | CompareOp::JsonEqual | CompareOp::JsonNotEqual => compared,
        }))
    }

    /// What `COALESCE(a, b, '')` is without the empty text behind.
    fn without_empty(&mut self, scalar: &Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
        let ScalarKind::Call(call) = scalar.kind else { return None };
        let (last, rest) = call.args.split_last().filter(|_| call.func == Some(Func::Coalesce))?;
        if !self.is_empty(last) {
            return None;
        }
        match rest {
            [one] => Some(*one),
            _ => {
                let call = self.node(Call { args: rest, ..*call });
                Some(Scalar { kind: ScalarKind::Call(call), nullable: true, ..*scalar })
            }
        }
    }

    /// Whether it is the empty text, or no bytes, in the tree.
    pub(crate) fn is_empty(&self, scalar: &Scalar<'a, 'e>) -> bool {
        self.value_of(scalar).is_some_and(Value::is_empty)
    }

    /// `IS [NOT] DISTINCT FROM` on an engine without it.
    ///
    /// ```sql
    /// -- before                    -- after
    /// a IS NOT DISTINCT FROM 5     a = 5 AND a IS NOT NULL
    /// a IS DISTINCT FROM 5         a <> 5 OR a IS NULL
    /// a IS DISTINCT FROM b         what the dialect writes for two columns
    /// a IS DISTINCT FROM b + 1     CASE WHEN a = b + 1 OR a IS NULL AND b + 1 IS NULL THEN 0 ELSE 1 END = 1
    /// ```
    ///
    /// Exact, and never unknown. An index serves columns and what is not NULL.
    fn null_safe(&mut self, left: Scalar<'a, 'e>, op: CompareOp, right: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
        if !left.nullable && !right.nullable {
            let plain = if op == CompareOp::Distinct { CompareOp::NotEqual } else { CompareOp::Equal };
            return self.compare(left, plain, right);
        }
        let column = |side: &Scalar<'a, 'e>| side.nullable && matches!(side.kind, ScalarKind::Column(_));
        if self.rule_for(Feature::NullSafeEqual)?.is_none() || column(&left) && column(&right) {
            let mut sides = [typed_by(left, &right), typed_by(right, &left)];
            self.same_dates(&mut sides)?;
            let [left, right] = sides;
            return Ok(Pred::Compare(self.node(Compare { left, op, right })));
        }
        self.null_safe_case(left, op, right)
    }

    /// [`null_safe`](Self::null_safe), written out.
    pub(super) fn null_safe_case(
        &mut self,
        left: Scalar<'a, 'e>,
        op: CompareOp,
        right: Scalar<'a, 'e>,
    ) -> Result<Pred<'a, 'e>> {
        if !left.nullable || !right.nullable {
            return self.null_safe_beside(left, op, right);
        }
        let equal = self.compare(left, CompareOp::Equal, right)?;
        let both = self.all(&[self.is_null_pred(left, false), self.is_null_pred(right, false)]);
        let same = self.any(&[equal, both]);
        let case = self.case_when(&[(same, self.int(0))], Some(self.int(1)), Some(DbValueType::Int32.into()));
        let wanted = self.int(i64::from(op == CompareOp::Distinct));
        Ok(Pred::Compare(self.node(Compare { left: case, op: CompareOp::Equal, right: wanted })))
    }

    /// The same where one of the sides is never NULL.
    fn null_safe_beside(&mut self, left: Scalar<'a, 'e>, op: CompareOp, right: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
        let differs = op == CompareOp::Distinct;
        let plain = if differs { CompareOp::NotEqual } else { CompareOp::Equal };
        let null = self.is_null_pred(if left.nullable { left } else { right }, !differs);
        // Beside the test for NULL, the comparison being unknown makes no difference.
        let known = |side: Scalar<'a, 'e>| Scalar { nullable: false, ..side };
        let compared = self.compare(known(left), plain, known(right))?;
        Ok(if differs { self.any(&[compared, null]) } else { self.all(&[compared, null]) })
    }

    /// A comparison of rows.
    ///
    /// ```sql
    /// -- before              -- after
    /// (a, b) > (1, 2)        a >= 1 AND (a > 1 OR b > 2)
    /// (a, b) = (1, 2)        a = 1 AND b = 2
    /// ```
    ///
    /// Exact, with NULLs as well: where `a` is NULL, both are unknown or false alike. An index on `a` gives the range.
    fn compare_rows(
        &mut self,
        left: &'a [Scalar<'a, 'e>],
        op: CompareOp,
        right: &'a [Scalar<'a, 'e>],
    ) -> Result<Pred<'a, 'e>> {
        if left.len() != right.len() || left.is_empty() {
            let why = "both rows need the same number of values, at least one";
            return Err(crate::ErrorKind::Misplaced { what: "a comparison of rows".into(), why }.into());
        }
        let row = |items: &'a [Scalar<'a, 'e>]| Scalar {
            kind: ScalarKind::Row(items),
            ty: None,
            nullable: items.iter().any(|s| s.nullable),
            column: None,
            text: None,
        };
        let plain = !matches!(op, CompareOp::Distinct | CompareOp::NotDistinct);
        let ordered = !matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        let feature = if ordered { Feature::TupleOrder } else { Feature::TupleCompare };
        // NULL in the tree is asked for by IS NULL, also in a row.
        let asked = !ordered && left.iter().chain(right).any(|value| self.is_null(value));
        if plain && !asked && self.target.has(feature) {
            let typed = |cx: &Self, a: &[Scalar<'a, 'e>], b: &[Scalar<'a, 'e>]| {
                let mut items = cx.vec(a.len());
                items.extend(a.iter().zip(b).map(|(a, b)| typed_by(*a, b)));
                items.into_bump_slice()
            };
            let (mut l, mut r) = (typed(self, left, right), typed(self, right, left));
            if l.iter().zip(r).any(|(l, r)| l.ty != r.ty) {
                let (mut left, mut right) = (self.copied(l), self.copied(r));
                for (l, r) in left.iter_mut().zip(&mut right) {
                    let mut sides = [*l, *r];
                    self.same_dates(&mut sides)?;
                    [*l, *r] = sides;
                }
                (l, r) = (left.into_bump_slice(), right.into_bump_slice());
            }
            return Ok(Pred::Compare(self.node(Compare { left: row(l), op, right: row(r) })));
        }
        if plain && !asked {
            self.rule_for(feature)?;
        }
        let pairs = left.iter().copied().zip(right.iter().copied());
        match op {
            CompareOp::Equal | CompareOp::NotDistinct => {
                let mut all = self.vec(left.len());
                for (l, r) in pairs {
                    all.push(self.compare(l, op, r)?);
                }
                Ok(self.all(&all))
            }
            CompareOp::NotEqual | CompareOp::Distinct => {
                let mut any = self.vec(left.len());
                for (l, r) in pairs {
                    any.push(self.compare(l, op, r)?);
                }
                Ok(self.any(&any))
            }
            _ => self.compare_rows_in_order(left, op, right),
        }
    }

    fn compare_rows_in_order(
        &mut self,
        left: &'a [Scalar<'a, 'e>],
        op: CompareOp,
        right: &'a [Scalar<'a, 'e>],
    ) -> Result<Pred<'a, 'e>> {
        let (Some((l, left)), Some((r, right))) = (left.split_first(), right.split_first()) else {
            return Ok(Pred::Const(matches!(op, CompareOp::LessOrEqual | CompareOp::GreaterOrEqual)));
        };
        if left.is_empty() {
            return self.compare(*l, op, *r);
        }
        let (l, r) = (&repeated(*l), &repeated(*r));
        let strict = match op {
            CompareOp::LessOrEqual => CompareOp::Less,
            CompareOp::GreaterOrEqual => CompareOp::Greater,
            other => other,
        };
        let loose = if strict == CompareOp::Less { CompareOp::LessOrEqual } else { CompareOp::GreaterOrEqual };
        let range = self.compare(*l, loose, *r)?;
        let before = self.compare(*l, strict, *r)?;
        let rest = self.compare_rows_in_order(left, op, right)?;
        let later = self.any(&[before, rest]);
        Ok(self.all(&[range, later]))
    }

    /// A truth value used as a predicate.
    pub(crate) fn is_true(&mut self, value: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
        if let ScalarKind::Truth(pred) = value.kind {
            return Ok(*pred);
        }
        if let ScalarKind::Case(case) = value.kind
            && let Some(pred) = truth_of(case)
        {
            return Ok(pred);
        }
        match self.value_of(&value) {
            Some(Value::Bool(b)) => return Ok(Pred::Const(*b)),
            // A parameter by itself would be an untyped condition; NULL is never true.
            Some(Value::Null) => {}
            _ => {}
        }
        let indexed = !matches!(value.kind, ScalarKind::Column(_)) || self.rule_for(Feature::TruthIndex)?.is_none();
        match self.rule_for(Feature::BooleanPredicate)? {
            None if indexed => Ok(Pred::IsTrue(self.node(value))),
            _ => {
                let right = Scalar { ty: Some(DbValueType::Boolean.into()), ..self.int(1) };
                Ok(Pred::Compare(self.node(Compare { left: value, op: CompareOp::Equal, right })))
            }
        }
    }

    /// A predicate that a rule writes more than once.
    pub(super) fn repeated_pred(&self, pred: Pred<'a, 'e>) -> Pred<'a, 'e> {
        let all = |items: &'a [Pred<'a, 'e>]| {
            let mut list = self.vec(items.len());
            list.extend(items.iter().map(|item| self.repeated_pred(*item)));
            list.into_bump_slice()
        };
        match pred {
            Pred::Compare(node) => {
                let (left, right) = (repeated(node.left), repeated(node.right));
                Pred::Compare(self.node(Compare { left, right, op: node.op }))
            }
            Pred::Match(node) => Pred::Match(self.node(Match { pattern: repeated(node.pattern), ..*node })),
            Pred::And(items) => Pred::And(all(items)),
            Pred::Or(items) => Pred::Or(all(items)),
            Pred::Not(inner) => Pred::Not(self.node(self.repeated_pred(*inner))),
            other => other,
        }
    }

    /// A predicate used as a value.
    ///
    /// ```sql
    /// -- before              -- after
    /// SELECT a > 1           SELECT CASE WHEN a > 1 THEN 1 WHEN NOT a > 1 THEN 0 END
    /// SELECT a IS NULL       SELECT CASE WHEN a IS NULL THEN 1 ELSE 0 END
    /// ```
    pub(crate) fn truth(&mut self, pred: Pred<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        let ty = Some(DbValueType::Boolean.into());
        if let Pred::Const(value) = pred {
            let kind = ScalarKind::Literal(Literal::Bool(value));
            return Ok(Scalar { kind, ty, nullable: false, column: None, text: None });
        }
        let nullable = pred_nullable(&pred);
        match self.rule_for(Feature::BooleanValue)? {
            None => Ok(Scalar { kind: ScalarKind::Truth(self.node(pred)), ty, nullable, column: None, text: None }),
            Some(_) => {
                let bool = |b| Scalar {
                    kind: ScalarKind::Literal(Literal::Bool(b)),
                    ty,
                    nullable: false,
                    column: None,
                    text: None,
                };
                let (one, zero) = (bool(true), bool(false));
                if !nullable {
                    return Ok(self.case_when(&[(pred, one)], Some(zero), ty));
                }
                let pred = self.repeated_pred(pred);
                let not = self.not(pred);
                Ok(Scalar { nullable: true, ..self.case_when(&[(pred, one), (not, zero)], None, ty) })
            }
        }
    }

    /// Every one of them.
    pub(crate) fn all(&self, items: &[Pred<'a, 'e>]) -> Pred<'a, 'e> {
        if items.iter().any(|p| matches!(p, Pred::Const(false))) {
            return Pred::Const(false);
        }
        let mut list = self.vec(items.len());
        for item in items {
            match item {
                Pred::Const(_) => {}
                Pred::And(inner) => list.extend(inner.iter().copied()),
                other => list.push(*other),
            }
        }
        match list.as_slice() {
            [] => Pred::Const(true),
            [one] => *one,
            _ => Pred::And(list.into_bump_slice()),
        }
    }

    /// At least one of them.
    pub(crate) fn any(&self, items: &[Pred<'a, 'e>]) -> Pred<'a, 'e> {
        if items.iter().any(|p| matches!(p, Pred::Const(true))) {
            return Pred::Const(true);
        }
        let mut list = self.vec(items.len());
        for item in items {
            match item {
                Pred::Const(_) => {}
                Pred::Or(inner) => list.extend(inner.iter().copied()),
                other => list.push(*other),
            }
        }
        match list.as_slice() {
            [] => Pred::Const(false),
            [one] => *one,
            _ => Pred::Or(list.into_bump_slice()),
        }
    }

    /// The opposite; pushed into a comparison where that is exact.
    pub(crate) fn not(&self, pred: Pred<'a, 'e>) -> Pred<'a, 'e> {
        match pred {
            Pred::Const(value) => Pred::Const(!value),
            Pred::Not(inner) => *inner,
            Pred::Null(value, negated) => Pred::Null(value, !negated),
            Pred::Exists(query, negated) => Pred::Exists(query, !negated),
            Pred::Compare(node) => {
                let (op, right) = other_bit(opposite(node.op), node.right);
                Pred::Compare(self.node(Compare { left: node.left, op, right }))
            }
            Pred::In(node) => Pred::In(self.node(crate::frame::In { negated: !node.negated, ..*node })),
            Pred::Match(node) => Pred::Match(self.node(crate::frame::Match { negated: !node.negated, ..*node })),
            other => Pred::Not(self.node(other)),
        }
    }
}

/// The predicate that a CASE of [`Cx::truth`] holds.
fn truth_of<'a, 'e>(case: &Case<'a, 'e>) -> Option<Pred<'a, 'e>> {
    let is =
        |value: &Scalar<'a, 'e>, wanted| matches!(value.kind, ScalarKind::Literal(Literal::Bool(b)) if b == wanted);
    match (case.cases, case.otherwise) {
        ([(pred, yes)], Some(no)) if is(yes, true) && is(&no, false) && !pred_nullable(pred) => Some(*pred),
        ([(pred, yes), (_, no)], None) if is(yes, true) && is(no, false) && pred_nullable(pred) => Some(*pred),
        _ => None,
    }
}

/// Whether a predicate can be unknown.
pub(crate) fn pred_nullable(pred: &Pred<'_, '_>) -> bool {
    match pred {
        Pred::Const(_) | Pred::Null(..) | Pred::Exists(..) => false,
        Pred::Compare(node) => {
            !matches!(node.op, CompareOp::Distinct | CompareOp::NotDistinct)
                && (node.left.nullable || node.right.nullable)
        }
        Pred::Match(node) => node.text.nullable || node.pattern.nullable,
        Pred::And(items) | Pred::Or(items) => items.iter().any(pred_nullable),
        Pred::Not(inner) => pred_nullable(inner),
        Pred::IsTrue(value) => value.nullable,
        Pred::In(_) | Pred::Text(_) | Pred::Fragment(_) => true,
    }
}

/// `paid <> 1` of a truth value as `paid = 0`: the same, and an index serves it.
fn other_bit<'a, 'e>(op: CompareOp, right: Scalar<'a, 'e>) -> (CompareOp, Scalar<'a, 'e>) {
    match right.kind {
        ScalarKind::Literal(Literal::Int(n @ (0 | 1)))
            if op == CompareOp::NotEqual && right.ty.is_some_and(|ty| ty.base == DbValueType::Boolean) =>
        {
            (CompareOp::Equal, Scalar { kind: ScalarKind::Literal(Literal::Int(1 - n)), ..right })
        }
        _ => (op, right),
    }
}

fn flip(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
        other => other,
    }
}

fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Equal => CompareOp::NotEqual,
        CompareOp::NotEqual => CompareOp::Equal,
        CompareOp::Less => CompareOp::GreaterOrEqual,
        CompareOp::LessOrEqual => CompareOp::Greater,
        CompareOp::Greater => CompareOp::LessOrEqual,
        CompareOp::GreaterOrEqual => CompareOp::Less,
        CompareOp::Distinct => CompareOp::NotDistinct,
        CompareOp::NotDistinct => CompareOp::Distinct,
        CompareOp::JsonEqual => CompareOp::JsonNotEqual,
        CompareOp::JsonNotEqual => CompareOp::JsonEqual,
    }
}
