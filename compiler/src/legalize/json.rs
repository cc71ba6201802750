//! JSON documents, which can be the same but have no order.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Call, Compare, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::Func;
use crate::render::Prec;

use super::{Cx, Rule, typed_by};

impl<'a, 'e> Cx<'a, 'e> {
    /// Truth values that become part of JSON, on an engine where they are numbers.
    ///
    /// ```sql
    /// -- before             -- after
    /// JSON_ARRAY(paid)      JSON_ARRAY(paid = 1)
    ///                       JSON_ARRAY(CASE WHEN paid = 1 THEN 'true' ELSE 'false' END FORMAT JSON)
    /// ```
    pub(super) fn json_truths(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        let truth = |s: &Scalar<'a, 'e>| {
            s.ty.is_some_and(|ty| ty.base == DbValueType::Boolean && !ty.array)
                && !matches!(s.kind, ScalarKind::Truth(_))
        };
        if !args.iter().any(truth) {
            return Ok(args);
        }
        let Some(rule) = self.rule_for(Feature::JsonBoolean)? else { return Ok(args) };
        let mut list = self.vec(args.len());
        for arg in args {
            if !truth(arg) || rule == Rule::JsonTruth && matches!(arg.kind, ScalarKind::Literal(_)) {
                list.push(*arg);
                continue;
            }
            if rule == Rule::JsonTruthText {
                list.push(self.truth_word(*arg)?);
                continue;
            }
            let one = Scalar { ty: arg.ty, ..self.int(1) };
            let pred = self.compare(*arg, CompareOp::Equal, one)?;
            list.push(Scalar { kind: ScalarKind::Truth(self.node(pred)), column: None, ..*arg });
        }
        Ok(list.into_bump_slice())
    }

    /// Dates and times that become part of JSON, which has none: texts, as a CAST writes them.
    ///
    /// ```sql
    /// -- before           -- after
    /// JSON_ARRAY(day)     JSON_ARRAY(TO_CHAR(day, 'YYYY-MM-DD'))
    /// ```
    pub(super) fn json_dates(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        let dated = |s: &Scalar<'a, 'e>| {
            s.ty.is_some_and(|ty| !ty.array && (ty.base.is_date() || ty.base == DbValueType::Time))
        };
        if !args.iter().any(dated) {
            return Ok(args);
        }
        let mut list = self.vec(args.len());
        for arg in args {
            list.push(if dated(arg) { self.as_text(*arg)? } else { *arg });
        }
        Ok(list.into_bump_slice())
    }

    /// `true` or `false` as JSON. A CASE of truth values gets them in their places.
    pub(super) fn truth_word(&mut self, truth: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        let json = DbType::from(DbValueType::Json);
        let word =
            |cx: &Self, b: bool| Scalar { ty: Some(json), ..cx.literal_text(if b { &"true" } else { &"false" }) };
        let literal = |s: &Scalar<'a, 'e>| match s.kind {
            ScalarKind::Literal(Literal::Bool(b)) => Some(b),
            ScalarKind::Literal(Literal::Tree(Value::Bool(b))) => Some(*b),
            _ => None,
        };
        if let Some(known) = literal(&truth) {
            return Ok(word(self, known));
        }
        if let ScalarKind::Case(case) = truth.kind
            && case.cases.iter().all(|(_, value)| literal(value).is_some())
            && case.otherwise.is_none_or(|value| literal(&value).is_some())
        {
            let mut cases = self.vec(case.cases.len());
            for (pred, value) in case.cases {
                cases.push((*pred, word(self, literal(value).unwrap_or_default())));
            }
            let otherwise = case.otherwise.map(|value| word(self, literal(&value).unwrap_or_default()));
            return Ok(Scalar { nullable: truth.nullable, ..self.case_when(&cases, otherwise, Some(json)) });
        }
        let (yes, no) = (word(self, true), word(self, false));
        self.by_truth(truth, yes, no, json)
    }

    /// A function of a JSON path with an index, on an engine that takes what is no array for an array of itself.
    ///
    /// ```sql
    /// -- before                      -- after
    /// JSON_VALUE(a, '$.b[0]')        CASE WHEN JSON_TYPE(JSON_EXTRACT(a, '$.b')) = 'ARRAY' THEN JSON_VALUE(a, '$.b[0]') END
    /// JSON_EXISTS(a, '$.b[0]')       CASE WHEN .. THEN JSON_EXISTS(a, '$.b[0]') WHEN a IS NOT NULL THEN FALSE END
    /// ```
    ///
    /// `lengths` are the lengths of the arrays that the indices look into.
    pub(crate) fn json_guard(
        &mut self,
        func: Func,
        json: Scalar<'a, 'e>,
        call: Scalar<'a, 'e>,
        lengths: &[Scalar<'a, 'e>],
    ) -> Scalar<'a, 'e> {
        let mut tests = self.vec(lengths.len());
        tests.extend(lengths.iter().map(|length| self.is_array(*length)));
        let arrays = self.all(&tests);
        let no = Scalar { kind: ScalarKind::Literal(Literal::Bool(false)), nullable: false, column: None, ..call };
        match func {
            Func::JsonSet => self.case_when(&[(arrays, call)], Some(json), call.ty),
            Func::JsonExists => {
                let known = self.is_null_pred(json, true);
                self.case_when(&[(arrays, call), (known, no)], None, call.ty)
            }
            _ => self.case_when(&[(arrays, call)], None, call.ty),
        }
    }

    /// Whether there is an array, by its length: that is `CASE WHEN condition THEN length END`, where the condition by
    /// itself says it.
    pub(super) fn is_array(&self, length: Scalar<'a, 'e>) -> Pred<'a, 'e> {
        if let ScalarKind::Call(call) = length.kind
            && let Some(condition) = call.spelling.condition()
        {
            // It stands by itself or among others with AND, where a comparison needs no parentheses.
            let call = self.node(Call { spelling: self.node(condition), prec: Prec::Atom, ..*call });
            let condition = Scalar { kind: ScalarKind::Call(call), ..length };
            return Pred::IsTrue(self.node(condition));
        }
        self.is_null_pred(length, true)
    }

    /// Whether it is a known JSON object or array, which no engine takes for a text.
    pub(super) fn is_document(&self, scalar: &Scalar<'a, 'e>) -> bool {
        matches!(self.value_of(scalar), Some(Value::Json(json)) if json.trim_start().starts_with(['{', '[']))
    }

    /// A comparison of JSON: whether both are the same document, whatever their blanks and the order of their members.
    pub(super) fn compare_json(
        &mut self,
        left: Scalar<'a, 'e>,
        op: CompareOp,
        right: Scalar<'a, 'e>,
    ) -> Result<Pred<'a, 'e>> {
        let op = match op {
            CompareOp::Equal | CompareOp::JsonEqual => CompareOp::JsonEqual,
            CompareOp::NotEqual | CompareOp::JsonNotEqual => CompareOp::JsonNotEqual,
            CompareOp::Distinct | CompareOp::NotDistinct => {
                self.need(Feature::JsonEqual)?;
                return if left.nullable || right.nullable {
                    self.null_safe_case(left, op, right)
                } else {
                    let equal = if op == CompareOp::Distinct { CompareOp::NotEqual } else { CompareOp::Equal };
                    self.compare_json(left, equal, right)
                };
            }
            _ => return Err(self.json_refused("JSON", "a comparison by order")),
        };
        self.need(Feature::JsonEqual)?;
        let (left, right) = (typed_by(left, &right), typed_by(right, &left));
        Ok(Pred::Compare(self.node(Compare { left, op, right })))
    }

    /// An error if one of them, or an item of a row, is JSON.
    ///
    /// Engines compare documents by what they are, by their text, or not at all; only a comparison of two can be brought
    /// to one answer.
    pub(crate) fn no_json(&self, what: &str, values: &[Scalar<'a, 'e>]) -> Result<()> {
        for value in values {
            match value.kind {
                ScalarKind::Row(items) => self.no_json(what, items)?,
                _ => {
                    self.no_json_type(what, value.ty)?;
                    self.no_large(what, value.column)?;
                }
            }
        }
        Ok(())
    }

    /// An error if the type is that of documents.
    pub(crate) fn no_json_type(&self, what: &str, ty: Option<DbType>) -> Result<()> {
        let xml = ty.is_some_and(|ty| ty.base == DbValueType::Xml);
        if xml || is_json(ty) { Err(self.json_refused(if xml { "XML" } else { "JSON" }, what)) } else { Ok(()) }
    }

    fn json_refused(&self, kind: &str, what: &str) -> crate::Error {
        let why = "engines neither order nor group documents alike: take a value out by JsonValue";
        self.target.refused(format!("{kind} in {what}"), why)
    }
}

/// Whether a value of that type is a JSON document.
pub(super) fn is_json(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| matches!(ty.base, DbValueType::Json | DbValueType::Jsonb) && !ty.array)
}
