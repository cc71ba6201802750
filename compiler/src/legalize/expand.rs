//! Calls that a dialect lacks, by what it has.

use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType};
use crate::frame::{Arith, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::Func;

use super::{CallParts, Cx, Rule, repeated};

impl<'a, 'e> Cx<'a, 'e> {
    pub(super) fn expand_call(
        &mut self,
        func: Func,
        rule: Rule,
        args: &'a [Scalar<'a, 'e>],
        ty: Option<DbType>,
        parts: CallParts<'a, 'e>,
    ) -> Result<Scalar<'a, 'e>> {
        if !matches!(rule, Rule::ConcatNull | Rule::ConcatCast) {
            // A concatenation notes by itself what it has to do about its items.
            self.notes_call(func, rule);
        }
        match (rule, func) {
            (Rule::GreatestCase, _) => {
                self.no_volatile(func.signature().name, args)?;
                let op = if func == Func::Greatest { CompareOp::GreaterOrEqual } else { CompareOp::LessOrEqual };
                self.greatest(op, args, ty)
            }
            (Rule::ConcatNull | Rule::ConcatCast, _) => self.concat(args),
            (Rule::ConcatWsCase, _) => self.concat_ws(args),
            (Rule::ModuloFunction, _) => match args {
                [a, b] => self.arithmetic(Arith::Modulo, *a, *b),
                _ => {
                    Err(ErrorKind::Arity { name: "Mod".into(), expected: "2 arguments".into(), found: args.len() }
                        .into())
                }
            },
            (Rule::TrimCharacters, _) => self.trim_characters(func, args, ty),
            (Rule::BoolAggregate, _) => self.bool_aggregate(func, args, parts),
            _ => Err(self.target.refused(func.signature().name, rule.why())),
        }
    }

    /// `FILTER (WHERE ...)` on an engine without it.
    ///
    /// ```sql
    /// -- before                             -- after
    /// SUM(a) FILTER (WHERE p)               SUM(CASE WHEN p THEN a END)
    /// COUNT(*) FILTER (WHERE p)             COUNT(CASE WHEN p THEN 1 END)
    /// ```
    ///
    /// Exact: an aggregate skips NULLs.
    pub(super) fn filter_to_case(&self, args: &'a [Scalar<'a, 'e>], filter: Pred<'a, 'e>) -> &'a [Scalar<'a, 'e>] {
        let Some((first, rest)) = args.split_first() else {
            return self.slice(&[self.case_when(&[(filter, self.int(1))], None, Some(DbValueType::Int32.into()))]);
        };
        // Inside of the CASE, nothing says the type of a parameter.
        let value = match (first.kind, first.ty) {
            (ScalarKind::Param(_), Some(ty)) if !self.target.has(Feature::UntypedParameter) => {
                Scalar { kind: ScalarKind::Cast(self.node(Scalar { ty: None, ..*first }), ty), ..*first }
            }
            _ => *first,
        };
        let mut list = self.vec(args.len());
        list.push(self.case_when(&[(filter, value)], None, first.ty));
        list.extend(rest.iter().copied());
        list.into_bump_slice()
    }

    /// `GREATEST` and `LEAST` on an engine without them; NULL if an argument is, as everywhere.
    ///
    /// ```sql
    /// -- before             -- after
    /// GREATEST(a, b, c)     CASE WHEN a >= b AND a >= c THEN a WHEN b >= a AND b >= c THEN b WHEN ... THEN c END
    /// ```
    ///
    /// A NULL argument leaves every test unknown, or the ones that are true beside it: each is ANDed over all others.
    pub(super) fn greatest(
        &mut self,
        op: CompareOp,
        args: &'a [Scalar<'a, 'e>],
        ty: Option<DbType>,
    ) -> Result<Scalar<'a, 'e>> {
        if args.len() > 16 {
            let why = "it is written out here, each argument against each other: give 16 at most, or nest them";
            return Err(self.target.refused("Greatest or Least", why));
        }
        let mut cases = self.vec(args.len());
        let args: Vec<Scalar<'a, 'e>> = args.iter().map(|arg| repeated(*arg)).collect();
        for (i, candidate) in args.iter().enumerate() {
            let mut tests = self.vec(args.len());
            for (j, other) in args.iter().enumerate() {
                if i != j {
                    tests.push(self.compare(*candidate, op, *other)?);
                }
            }
            cases.push((self.all(&tests), *candidate));
        }
        let nullable = args.iter().any(|s| s.nullable);
        Ok(Scalar { nullable, ..self.case_when(&cases, None, ty) })
    }

    /// `CONCAT_WS` on an engine without it: each text with the separator before it, without the first separator.
    pub(super) fn concat_ws(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
        let Some((separator, texts)) = args.split_first() else { return Ok(self.literal_text(&"")) };
        let ty = Some(DbType::from(DbValueType::String));
        let separator = &repeated(*separator);
        // Where it is NULL, so is its length, and with it the whole.
        let before = Scalar { nullable: false, ..*separator };
        let mut parts = self.vec(texts.len());
        for text in texts {
            // The CASE around it sees to a NULL.
            let with = self.concat(&[before, Scalar { nullable: false, ..*text }])?;
            parts.push(if text.nullable {
                let empty = self.literal_text(&"");
                let is_null = self.is_null_pred(*text, false);
                self.case_when(&[(is_null, empty)], Some(with), ty)
            } else {
                with
            });
        }
        let all = self.concat(&parts)?;
        if let Some(crate::expr::Value::Text(known)) = self.value_of(separator) {
            let length = i64::try_from(known.chars().count()).unwrap_or(i64::MAX);
            return if length == 0 { Ok(all) } else { self.call(Func::Substring, &[all, self.int(length)], ty) };
        }
        let length = self.call(Func::Length, &[*separator], Some(DbValueType::Int32.into()))?;
        self.call(Func::Substring, &[all, length], ty)
    }

    /// `BOOL_AND` and `BOOL_OR` as the least and the greatest of 1 and 0.
    pub(super) fn bool_aggregate(
        &mut self,
        func: Func,
        args: &'a [Scalar<'a, 'e>],
        parts: CallParts<'a, 'e>,
    ) -> Result<Scalar<'a, 'e>> {
        let Some(arg) = args.first() else {
            return Err(ErrorKind::Arity { name: "BoolAnd".into(), expected: "1 argument".into(), found: 0 }.into());
        };
        let number = {
            let (one, zero) = (self.int(1), self.int(0));
            if let Some(number) = self.as_numbers(arg) {
                number
            } else if arg.nullable {
                let pred = self.is_true(*arg)?;
                let not = self.not(pred);
                self.case_when(&[(pred, one), (not, zero)], None, Some(DbValueType::Int32.into()))
            } else {
                let pred = self.is_true(*arg)?;
                self.case_when(&[(pred, one)], Some(zero), Some(DbValueType::Int32.into()))
            }
        };
        let inner = if func == Func::BoolAnd { Func::Min } else { Func::Max };
        let value = self.call_with(inner, &[number], Some(DbValueType::Boolean.into()), parts)?;
        if self.target.has(Feature::BooleanLiteral) && self.target.has(Feature::BooleanValue) {
            let one = Scalar { ty: Some(DbValueType::Boolean.into()), ..self.int(1) };
            let pred =
                Pred::Compare(self.node(crate::frame::Compare { left: value, op: CompareOp::Equal, right: one }));
            return Ok(Scalar {
                kind: ScalarKind::Truth(self.node(pred)),
                ty: Some(DbValueType::Boolean.into()),
                nullable: true,
                column: None,
                text: None,
            });
        }
        Ok(value)
    }

    /// A CASE of truth values as one of 1 and 0.
    pub(super) fn as_numbers(&self, scalar: &Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
        let ScalarKind::Case(case) = scalar.kind else { return None };
        let number = |s: &Scalar<'a, 'e>| match s.kind {
            ScalarKind::Literal(Literal::Bool(b)) => Some(self.int(b.into())),
            _ => None,
        };
        let mut cases = self.vec(case.cases.len());
        for (pred, value) in case.cases {
            cases.push((*pred, number(value)?));
        }
        let otherwise = match &case.otherwise {
            Some(value) => Some(number(value)?),
            None => None,
        };
        Some(self.case_when(&cases, otherwise, Some(DbValueType::Int32.into())))
    }
}
