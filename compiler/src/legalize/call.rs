//! Calls of functions, aggregates and windows.

use crate::compiler::fits;
use crate::dialect::{Feature, Form, Row};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, FrameBound, FrameExclude, FrameUnit, Value};
use crate::frame::{Arith, Call, CompareOp, Literal, Order, Pred, Scalar, ScalarKind, Window};
use crate::functions::{ArgKind, Class, Func, NullRule};
use crate::registry::Spelling;
use crate::render::Prec;

use super::arithmetic::widest;
use super::dates::has_offset;
use super::{Cx, Rule, repeated};

/// What a call has besides its arguments.
#[derive(Clone, Copy, Default)]
pub(crate) struct CallParts<'a, 'e> {
    pub(crate) distinct: bool,
    pub(crate) order: &'a [Order<'a, 'e>],
    pub(crate) filter: Option<Pred<'a, 'e>>,
    /// Whether it stands over a window.
    pub(crate) over: bool,
}

impl<'a, 'e> Cx<'a, 'e> {
    /// A call of a portable function; `ty` is the type of its result.
    pub(crate) fn call(&mut self, func: Func, args: &[Scalar<'a, 'e>], ty: Option<DbType>) -> Result<Scalar<'a, 'e>> {
        self.call_with(func, args, ty, CallParts::default())
    }

    /// A call with DISTINCT, an order or a filter.
    pub(crate) fn call_with(
        &mut self,
        func: Func,
        args: &[Scalar<'a, 'e>],
        ty: Option<DbType>,
        mut parts: CallParts<'a, 'e>,
    ) -> Result<Scalar<'a, 'e>> {
        if let (Func::Coalesce, [one]) = (func, args) {
            // Some engines want two arguments.
            return Ok(*one);
        }
        let name = func.signature().name;
        let nullable = match func.signature().null {
            NullRule::Any => args.iter().any(|s| s.nullable),
            NullRule::All => args.iter().all(|s| s.nullable),
            NullRule::First => args.first().is_some_and(|s| s.nullable),
            NullRule::Never => false,
            NullRule::Maybe => true,
        };
        let target = self.target;
        if (Func::Year..=Func::Format).contains(&func)
            && has_offset(args)
            && let Some(call) = self.at_utc(func, args, ty, parts)?
        {
            return Ok(call);
        }
        let mut args = self.slice(args);
        if matches!(func, Func::Coalesce | Func::Greatest | Func::Least | Func::Lag | Func::Lead) {
            let mut same = self.slice_of(args);
            self.same_dates(&mut same)?;
            args = same.into_bump_slice();
        }
        if let (Func::Lag | Func::Lead, [value, offset, default], Some(ty)) = (func, args, ty)
            && self.rule_for(Feature::WindowDefault)?.is_some()
        {
            let value = Scalar { kind: ScalarKind::Cast(self.node(*value), ty), column: None, ..*value };
            let default = Scalar { kind: ScalarKind::Cast(self.node(*default), ty), column: None, ..*default };
            args = self.slice(&[value, *offset, default]);
        }
        if func == Func::NullIf
            && let Some(case) = self.null_if_same_date(args)?
        {
            return Ok(case);
        }
        if matches!(func, Func::Lower | Func::Upper) {
            self.rule_for(Feature::CaseFolding)?;
        }
        if matches!(func, Func::JsonObject | Func::JsonArray | Func::JsonSet | Func::JsonArrayAgg)
            && args.iter().any(|arg| arg.ty.is_some_and(|ty| ty.base == DbValueType::Binary))
        {
            return Err(
                target.refused("bytes in JSON", "JSON has no bytes, and engines write them in different ways: use Hex")
            );
        }
        if matches!(func, Func::RegexpReplace | Func::RegexpSubstr | Func::RegexpCount)
            && let [text, pattern, rest @ ..] = args
        {
            let mut list = self.vec(args.len());
            list.extend([*text, self.regex_end(*pattern)?]);
            list.extend(rest.iter().copied());
            args = list.into_bump_slice();
        }
        if counts(func) && !target.has(Feature::UntypedParameter) && target.has(Feature::UntypedArgument) {
            args = self.typed_counts(func, args);
        }
        if matches!(func, Func::JsonObject | Func::JsonArray | Func::JsonSet | Func::JsonArrayAgg) {
            args = self.json_truths(args)?;
        }
        if let Some(filter) = parts.filter
            && self.rule_for(Feature::AggregateFilter)?.is_some()
        {
            if func == Func::JsonArrayAgg {
                let reason = "it keeps NULLs, so that no CASE can stand for the filter: filter in a subquery";
                return Err(target.refused("FILTER of JsonArrayAgg", reason));
            }
            args = self.filter_to_case(args, filter);
            parts.filter = None;
        }
        // What a JSON function gives is JSON on every engine; a column may be text that would be quoted.
        let json = |arg: &&Scalar<'a, 'e>| {
            arg.ty.is_some_and(|ty| matches!(ty.base, DbValueType::Json | DbValueType::Jsonb))
                && !matches!(arg.kind, ScalarKind::Call(_))
        };
        let nested = match func {
            Func::JsonObject | Func::JsonArray => args,
            Func::JsonSet => args.get(1..).unwrap_or_default(),
            _ => &[],
        };
        if nested.iter().any(|arg| json(&arg) && !self.is_document(arg)) {
            self.need(Feature::NestedJson)?;
        }
        if func == Func::JsonSet && args.last().is_some_and(|value| value.nullable) {
            self.need(Feature::JsonNull)?;
        }
        if func == Func::Coalesce && !target.has(Feature::EmptyString) && args.iter().any(|arg| self.is_empty_text(arg))
        {
            self.rule_for(Feature::EmptyString)?;
        }
        if parts.distinct || matches!(func, Func::Min | Func::Max | Func::Greatest | Func::Least | Func::NullIf) {
            self.no_json(name, args)?;
        }
        if parts.distinct && func == Func::StringAgg {
            self.need(Feature::StringAggDistinct)?;
        }
        if !parts.order.is_empty() && func != Func::StringAgg {
            self.need(Feature::AggregateOrder)?;
        }
        if parts.distinct && parts.order.iter().any(|key| !is_same_column(args.first(), &key.value)) {
            let why = "with DISTINCT it is ordered by its own argument only, which is a column then";
            return Err(Self::misplaced("an order inside of an aggregate", why));
        }
        let limit = target.dialect().sheet().limits.arguments;
        if args.len() > limit {
            let reason = format!("a function takes at most {limit}: nest it");
            return Err(target.refused(format!("{name} of {} arguments", args.len()), reason));
        }
        let Some(row) = self.row(func, args, &parts) else {
            return Err(target.refused(name, "it has no spelling for these arguments"));
        };
        if let Some(rule) = row.note {
            self.notes_call(func, rule);
        }
        match &row.form {
            Form::Text(prec, template) => {
                if self.volatile {
                    self.no_volatile_twice(func, template, args)?;
                }
                self.volatile |= matches!(func, Func::Random | Func::NewGuid);
                let place = || ["{o}", "{w}", "{W}"].iter().any(|hole| template.contains(hole));
                if func == Func::StringAgg && !parts.order.is_empty() && !place() {
                    return Err(target.refused("an order inside of StringAgg", "it has no place for it"));
                }
                let call = Call {
                    func: Some(func),
                    template,
                    prec: *prec,
                    args,
                    distinct: parts.distinct,
                    order: parts.order,
                    filter: parts.filter,
                };
                let call = Scalar { kind: ScalarKind::Call(self.node(call)), ty, nullable, column: None };
                Ok(if row.guarded { self.null_guard(call, args) } else { call })
            }
            Form::Expand(rule) => self.expand_call(func, *rule, args, ty, parts),
            Form::Refuse(reason) => Err(target.refused(name, *reason)),
        }
    }

    /// The positions and lengths among the arguments, on an engine that knows what they are by their place.
    ///
    /// ```sql
    /// -- before                      -- after
    /// LEFT(a, CAST(? AS SIGNED))     LEFT(a, ?)
    /// ```
    fn typed_counts(&self, func: Func, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
        let signature = func.signature();
        let mut list = self.vec(args.len());
        list.extend(args.iter().enumerate().map(|(index, arg)| match signature.arg(index) {
            ArgKind::Int => super::typed(*arg),
            _ => *arg,
        }));
        list.into_bump_slice()
    }

    /// A call whose spelling does not give NULL where an argument is NULL.
    ///
    /// ```sql
    /// -- before          -- after
    /// GREATEST(a, b)     CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE GREATEST(a, b) END
    /// ```
    ///
    /// Nothing is added where no argument can be NULL.
    fn null_guard(&self, call: Scalar<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Scalar<'a, 'e> {
        let mut tests = self.vec(args.len());
        tests.extend(args.iter().filter(|s| s.nullable).map(|s| self.is_null_pred(*s, false)));
        match self.any(&tests) {
            Pred::Const(false) => call,
            Pred::Const(true) => self.null(call.ty),
            any => {
                let null = self.null(call.ty);
                Scalar { nullable: true, ..self.case_when(&[(any, null)], Some(call), call.ty) }
            }
        }
    }

    /// Brings the positions and lengths of a call into the text, before any dialect spells it.
    ///
    /// ```sql
    /// -- before              -- after
    /// Left(a, n)             LEFT(a, CASE WHEN n < 0 THEN 0 ELSE n END)
    /// Left(a, -1)            LEFT(a, 0)
    /// ```
    ///
    /// The engines do anything with a negative one: count from the end, cut from the end, or fail. A value that is
    /// known is looked at here, so that a plain call stays a plain call.
    pub(crate) fn fit_arguments(&mut self, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
        use Func as F;
        let from = match func {
            F::Space => 0,
            F::Left | F::Right | F::Repeat | F::PadLeft | F::PadRight | F::Substring | F::Remove | F::Insert => 1,
            F::IndexOf => 2,
            F::RegexpReplace => return self.plain_replacement(args),
            F::Round | F::Truncate => {
                let known = args.get(1).is_none_or(|digits| self.is_not_negative(digits));
                return if known { Ok(()) } else { self.need(Feature::RoundDigits) };
            }
            _ => return Ok(()),
        };
        for index in from..args.len() {
            if func.signature().arg(index) == ArgKind::Int
                && let Some(slot) = args.get_mut(index)
                && matches!(self.value_of(slot), Some(Value::Int(FAR..) | Value::UInt(_)))
            {
                *slot = self.made_like(slot, Value::Int(FAR), DbValueType::Int32.into());
            }
        }
        if matches!(func, F::PadLeft | F::PadRight)
            && let Some(Value::Text(fill)) = args.get(2).and_then(|s| self.value_of(s))
            && fill.chars().count() != 1
        {
            return Err(Self::misplaced("the third argument of PadLeft or PadRight", "it is one character"));
        }
        if self.target.has(Feature::NegativeLength) {
            return Ok(());
        }
        for index in from..args.len() {
            if func.signature().arg(index) == ArgKind::Int
                && let Some(arg) = args.get(index).copied()
                && !self.is_not_negative(&arg)
                && let Some(slot) = args.get_mut(index)
            {
                self.rule_for(Feature::NegativeLength)?;
                self.no_volatile(func, &[arg])?;
                let zero = self.int(0);
                *slot = if self.value_of(&arg).is_some() {
                    zero
                } else {
                    let negative = self.compare(arg, CompareOp::Less, zero)?;
                    Scalar { nullable: arg.nullable, ..self.case_when(&[(negative, zero)], Some(arg), arg.ty) }
                };
            }
        }
        Ok(())
    }

    /// Whether it is a known JSON object or array, which no engine takes for a text.
    fn is_document(&self, scalar: &Scalar<'a, 'e>) -> bool {
        matches!(self.value_of(scalar), Some(Value::Json(json)) if json.trim_start().starts_with(['{', '[']))
    }

    /// The replacement of a regular expression stands for itself: what means a group to the engine is escaped.
    fn plain_replacement(&mut self, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
        let Some(slot) = args.get_mut(2) else { return Ok(()) };
        let escaped = match self.value_of(slot) {
            Some(Value::Null) => return Ok(()),
            Some(Value::Text(text)) => match self.target.dialect().regexp_replacement(text) {
                std::borrow::Cow::Borrowed(_) => return Ok(()),
                std::borrow::Cow::Owned(escaped) => Value::from(escaped),
            },
            _ => {
                let why = "engines read different groups in it, which are escaped while compiling: give a plain text";
                return Err(self.target.refused("a computed replacement", why));
            }
        };
        *slot = self.made_like(slot, escaped, DbValueType::String.into());
        Ok(())
    }

    /// Whether it is certainly not a number below 0.
    fn is_not_negative(&self, scalar: &Scalar<'a, 'e>) -> bool {
        match scalar.kind {
            ScalarKind::Literal(Literal::Int(n)) => n >= 0,
            ScalarKind::Call(call) => matches!(call.func, Some(Func::Length | Func::ByteLength)),
            _ => match self.value_of(scalar) {
                Some(Value::Int(n)) => *n >= 0,
                Some(Value::UInt(_) | Value::Null) => true,
                _ => false,
            },
        }
    }

    /// The row by which the target spells a call.
    fn row(&self, func: Func, args: &[Scalar<'a, 'e>], parts: &CallParts<'a, 'e>) -> Option<&'static Row> {
        let fits_row = |row: &&&'static Row| {
            let on = |arg: &Scalar<'a, 'e>| fits(row.on, arg.ty);
            row.args.is_none_or(|n| usize::from(n) == args.len())
                && (if row.every { args.iter().all(on) } else { fits(row.on, args.first().and_then(|s| s.ty)) })
                && (!row.distinct || parts.distinct)
                && (!row.over || parts.over)
                && (row.not_null == 0 || never_null(row.not_null, args))
                && (!row.plain || self.is_plain(func, args))
        };
        self.target.function(func).iter().find(fits_row).copied()
    }

    /// Whether each whole number and each exponent is known and not negative, and each text behind the first known and
    /// not empty.
    fn is_plain(&self, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
        let signature = func.signature();
        args.iter().enumerate().all(|(index, arg)| match signature.arg(index) {
            ArgKind::Int => match arg.kind {
                ScalarKind::Literal(Literal::Int(n)) => n >= 0,
                ScalarKind::Call(call) => matches!(call.func, Some(Func::Length | Func::ByteLength)),
                _ => matches!(self.value_of(arg), Some(Value::Int(0..) | Value::UInt(_))),
            },
            ArgKind::Number if index > 0 && func == Func::Power => match self.value_of(arg) {
                Some(Value::Int(0..) | Value::UInt(_)) => true,
                Some(Value::Float(n)) => *n >= 0.0 && n.fract() == 0.0,
                Some(Value::Decimal(n)) => n.to_i64().is_some_and(|n| n >= 0),
                _ => false,
            },
            ArgKind::Number if index > 0 => matches!(self.value_of(arg), Some(Value::Int(0..) | Value::UInt(_))),
            ArgKind::Literal => match self.value_of(arg) {
                Some(Value::Text(path)) => self.target.dialect().json_plain(path),
                _ => false,
            },
            ArgKind::Text if index > 0 => match arg.kind {
                ScalarKind::Literal(Literal::Text(text)) => !text.is_empty(),
                _ => matches!(self.value_of(arg), Some(Value::Text(text)) if !text.is_empty()),
            },
            _ => true,
        })
    }

    /// A call by a template of the program.
    pub(crate) fn custom(
        &mut self,
        spelling: &'a Spelling,
        args: &'a [Scalar<'a, 'e>],
        ty: Option<DbType>,
    ) -> Scalar<'a, 'e> {
        let Spelling { template, atom, .. } = spelling;
        let prec = if *atom { Prec::Atom } else { Prec::Lowest };
        let call = Call { func: None, template, prec, args, distinct: false, order: &[], filter: None };
        Scalar { kind: ScalarKind::Call(self.node(call)), ty, nullable: true, column: None }
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
    fn filter_to_case(&self, args: &'a [Scalar<'a, 'e>], filter: Pred<'a, 'e>) -> &'a [Scalar<'a, 'e>] {
        let Some((first, rest)) = args.split_first() else {
            return self.slice(&[self.case_when(&[(filter, self.int(1))], None, Some(DbValueType::Int32.into()))]);
        };
        let mut list = self.vec(args.len());
        list.push(self.case_when(&[(filter, *first)], None, first.ty));
        list.extend(rest.iter().copied());
        list.into_bump_slice()
    }

    fn expand_call(
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
                self.no_volatile(func, args)?;
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

    /// Truth values that become part of JSON, on an engine where they are numbers.
    ///
    /// ```sql
    /// -- before             -- after
    /// JSON_ARRAY(paid)      JSON_ARRAY(paid = 1)
    ///                       JSON_ARRAY(CASE WHEN paid = 1 THEN 'true' ELSE 'false' END FORMAT JSON)
    /// ```
    fn json_truths(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
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

    /// `true` or `false` as JSON. A CASE of truth values gets them in their places.
    fn truth_word(&mut self, truth: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
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
        self.note(Feature::JsonIndex, Rule::JsonIndexGuard);
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
    fn is_array(&self, length: Scalar<'a, 'e>) -> Pred<'a, 'e> {
        if let ScalarKind::Call(call) = length.kind
            && let Some((condition, _)) =
                call.template.strip_prefix("CASE WHEN ").and_then(|rest| rest.split_once(" THEN "))
        {
            // It stands by itself or among others with AND, where a comparison needs no parentheses.
            let call = self.node(Call { template: condition, prec: Prec::Atom, ..*call });
            let condition = Scalar { kind: ScalarKind::Call(call), ..length };
            return Pred::IsTrue(self.node(condition));
        }
        self.is_null_pred(length, true)
    }

    pub(super) fn notes_call(&mut self, func: Func, rule: Rule) {
        let note = super::Note { feature: func.signature().name, rule, why: rule.why() };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// `GREATEST` and `LEAST` on an engine without them; NULL if an argument is, as everywhere.
    ///
    /// ```sql
    /// -- before             -- after
    /// GREATEST(a, b, c)     CASE WHEN a >= b AND a >= c THEN a WHEN b >= a AND b >= c THEN b WHEN ... THEN c END
    /// ```
    ///
    /// A NULL argument leaves every test unknown, or the ones that are true beside it: each is ANDed over all others.
    fn greatest(&mut self, op: CompareOp, args: &'a [Scalar<'a, 'e>], ty: Option<DbType>) -> Result<Scalar<'a, 'e>> {
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
    fn concat_ws(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
        let Some((separator, texts)) = args.split_first() else { return Ok(self.literal_text(&"")) };
        let ty = Some(DbType::from(DbValueType::String));
        let separator = &repeated(*separator);
        let mut parts = self.vec(texts.len());
        for text in texts {
            // The CASE around it sees to a NULL.
            let with = self.concat(&[*separator, Scalar { nullable: false, ..*text }])?;
            let part = if text.nullable {
                let empty = self.literal_text(&"");
                let is_null = self.is_null_pred(*text, false);
                Scalar { nullable: false, ..self.case_when(&[(is_null, empty)], Some(with), ty) }
            } else {
                with
            };
            parts.push(Scalar { nullable: separator.nullable, ..part });
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
    fn bool_aggregate(
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
            });
        }
        Ok(value)
    }

    /// A CASE of truth values as one of 1 and 0.
    fn as_numbers(&self, scalar: &Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
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

    /// The type of a CASE, a COALESCE, a GREATEST: the widest of the values'.
    pub(crate) fn common_type(items: impl Iterator<Item = Option<DbType>>) -> Option<DbType> {
        items.fold(None, widest)
    }
}

/// Whether none of the arguments that a row names can be NULL.
fn never_null(named: u8, args: &[Scalar<'_, '_>]) -> bool {
    let is_named = |index: usize| named == u8::MAX || index < 8 && named & 1 << index != 0;
    args.iter().enumerate().all(|(index, arg)| !(is_named(index) && arg.nullable))
}

/// A position or length beyond this one is cut to it: no text is as long, and two of them still fit 32 bits.
const FAR: i64 = 1_000_000_000;

/// Whether the whole numbers among a function's arguments say where, or how much of something.
fn counts(func: Func) -> bool {
    use Func as F;
    matches!(
        func,
        F::Left
            | F::Right
            | F::Substring
            | F::IndexOf
            | F::Remove
            | F::Insert
            | F::PadLeft
            | F::PadRight
            | F::Repeat
            | F::Round
            | F::Truncate
            | F::AddYears
            | F::AddQuarters
            | F::AddMonths
            | F::AddWeeks
            | F::AddDays
            | F::AddHours
            | F::AddMinutes
            | F::AddSeconds
            | F::AddMilliseconds
    )
}

fn is_same_column(arg: Option<&Scalar<'_, '_>>, key: &Scalar<'_, '_>) -> bool {
    match (arg.map(|s| s.kind), key.kind) {
        (Some(ScalarKind::Column(a)), ScalarKind::Column(b)) => a == b,
        _ => false,
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
