//! Calls of functions, aggregates and windows.

use crate::compiler::fits;
use crate::dialect::{Feature, Form, On, Row, Spelling};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Call, Literal, Order, Pred, Scalar, ScalarKind};
use crate::functions::{ArgKind, Func, NullRule};
use crate::registry::CustomSpelling;
use crate::render::Prec;

use super::arguments::counts;
use super::arithmetic::widest;
use super::dates::has_offset;
use super::parts::Part;
use super::{Cx, Rule};

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
        // Of NULLs without a type, some engines make no value.
        let null = match func {
            Func::Coalesce => args.iter().all(|arg| self.is_null(arg)),
            // An aggregate behind it makes one row of many, NULL or not.
            Func::NullIf => matches!(args, [first, other] if self.is_null(first)
                && matches!(other.kind, ScalarKind::Column(_) | ScalarKind::Param(_) | ScalarKind::Literal(_))),
            _ => false,
        };
        if null {
            return Ok(self.null(ty));
        }
        let name = func.signature().name;
        let nullable = match func.signature().null {
            NullRule::Any => args.iter().any(|s| s.nullable),
            NullRule::All => args.iter().all(|s| s.nullable),
            NullRule::First => args.first().is_some_and(|s| s.nullable),
            NullRule::Never => false,
            NullRule::Maybe => true,
        };
        let mut args = args;
        if !self.target.has(Feature::UntypedNull) && args.iter().any(|arg| self.is_null(arg)) {
            if self.is_null_call(func, args) {
                self.rule_for(Feature::UntypedNull)?;
                return Ok(self.null(ty));
            }
            args = self.typed_nulls(func, args)?;
        }
        if let Some(date) = self.moved_date(func, args, ty) {
            return Ok(date);
        }
        let target = self.target;
        if (Func::Year..=Func::Format).contains(&func)
            && has_offset(args)
            && let Some(call) = self.at_utc(func, args, ty, parts)?
        {
            return Ok(call);
        }
        let mut args = self.slice(args);
        if matches!(func, Func::Coalesce | Func::Greatest | Func::Least | Func::Lag | Func::Lead) {
            let mut same = self.copied(args);
            self.one_date(&mut same)?;
            self.common_digits(&same)?;
            if matches!(func, Func::Coalesce | Func::Greatest | Func::Least) && self.nulls_are_bytes(same.iter()) {
                same.iter_mut().for_each(|value| *value = self.text_null(*value));
            }
            args = same.into_bump_slice();
        }
        if let (Func::Lag | Func::Lead, [value, offset, default], Some(ty)) = (func, args, ty)
            && self.rule_for(Feature::WindowDefault)?.is_some()
        {
            let value = Scalar { kind: ScalarKind::Cast(self.node(*value), ty), column: None, ..*value };
            let default = Scalar { kind: ScalarKind::Cast(self.node(*default), ty), column: None, ..*default };
            args = self.slice(&[value, *offset, default]);
        }
        let polymorphic = matches!(
            func,
            Func::FirstValue | Func::LastValue | Func::NthValue | Func::Lag | Func::Lead | Func::JsonArrayAgg
        );
        if polymorphic
            && let [value, rest @ ..] = args
            && let ScalarKind::Literal(literal) = value.kind
            && let ty = value.ty.unwrap_or_else(|| DbValueType::String.into())
            && (ty.base.is_text() || matches!(literal, Literal::Null))
            && !target.has(Feature::UntypedParameter)
        {
            // A text that is written out has no type of its own there, either.
            let value = Scalar { kind: ScalarKind::Cast(self.node(*value), ty), ..*value };
            let mut list = self.vec(args.len());
            list.push(value);
            list.extend(rest.iter().copied());
            args = list.into_bump_slice();
        }
        if func == Func::Coalesce
            && let [found, other] = args
            && let Some(call) = self.coalesced_query(found, other, ty)?
        {
            return Ok(call);
        }
        if func == Func::NullIf
            && let Some(case) = self.null_if_same_date(args)?
        {
            return Ok(case);
        }
        if func == Func::NullIf
            && let Some(case) = self.null_if_narrower(args)?
        {
            return Ok(case);
        }
        if matches!(func, Func::Lower | Func::Upper) {
            self.rule_for(Feature::CaseFolding)?;
        }
        if !target.has(Feature::ZeroCharacter) && (0..args.len()).any(|at| func.signature().arg(at) == ArgKind::Text) {
            args.iter().try_for_each(|arg| self.no_zero(arg))?;
        }
        if matches!(func, Func::JsonObject | Func::JsonArray | Func::JsonSet | Func::JsonArrayAgg)
            && args.iter().any(|arg| arg.ty.is_some_and(|ty| ty.base == DbValueType::Binary))
        {
            return Err(
                target.refused("bytes in JSON", "JSON has no bytes, and engines write them in different ways: use Hex")
            );
        }
        let writes = matches!(func, Func::Lower | Func::Upper | Func::Replace | Func::Repeat | Func::ConcatWs);
        if writes && !target.has(Feature::ComputedText) {
            args = self.copied_texts(args)?;
        }
        if counts(func) && !target.has(Feature::UntypedParameter) && target.has(Feature::UntypedArgument) {
            args = self.typed_counts(func, args);
        }
        if matches!(
            func,
            Func::Min | Func::Max | Func::JsonObject | Func::JsonArray | Func::JsonSet | Func::JsonArrayAgg
        ) && !target.has(Feature::UntypedParameter)
            && target.has(Feature::UntypedArgument)
        {
            args = self.typed_cases(args);
        }
        if matches!(func, Func::JsonObject | Func::JsonArray | Func::JsonSet | Func::JsonArrayAgg) {
            args = self.json_truths(args)?;
            args = self.json_dates(args)?;
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
        if func == Func::Coalesce && !target.has(Feature::EmptyString) && args.iter().any(|arg| self.is_empty(arg)) {
            self.rule_for(Feature::EmptyString)?;
        }
        if parts.distinct || matches!(func, Func::Min | Func::Max | Func::Greatest | Func::Least | Func::NullIf) {
            self.no_json(name, args)?;
        }
        if parts.distinct && matches!(func, Func::StdDev | Func::StdDevPop | Func::Variance | Func::VariancePop) {
            let why = "not every engine has it: aggregate a select of distinct values";
            return Err(Self::misplaced("DISTINCT in a deviation or a variance", why));
        }
        if parts.distinct && func == Func::StringAgg && args.first().is_some_and(|arg| self.is_constant(arg)) {
            let why = "it is the same text in each row: it needs no aggregate";
            return Err(Self::misplaced("a StringAgg of a constant, with DISTINCT,", why));
        }
        if let (Func::StringAgg, Some(separator)) = (func, args.get(1))
            && !matches!(separator.kind, ScalarKind::Param(_) | ScalarKind::Literal(_))
        {
            self.need(Feature::StringAggSeparator)?;
        }
        if let (Func::Trim | Func::TrimStart | Func::TrimEnd, Some(characters)) = (func, args.get(1))
            && !self.is_short_text(characters)
        {
            self.need(Feature::TrimComputed)?;
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
        if let Some(rule) = row.note
            && !self.is_surely_short(func, args)
        {
            self.notes_call(func, rule);
        }
        match &row.form {
            Form::Text(prec, spelling) => {
                if self.volatile {
                    self.no_volatile_twice(func.signature().name, spelling, args)?;
                    if row.twice
                        && let [twice @ .., _] = args
                    {
                        self.no_volatile(func.signature().name, twice)?;
                    }
                }
                self.volatile |= matches!(func, Func::Random | Func::NewGuid);
                self.no_aggregate_inside(func, spelling, args)?;
                if func == Func::StringAgg && !parts.order.is_empty() && !spelling.has_order() {
                    return Err(target.refused("an order inside of StringAgg", "it has no place for it"));
                }
                let call = Call {
                    func: Some(func),
                    spelling,
                    prec: *prec,
                    args,
                    distinct: parts.distinct,
                    order: parts.order,
                    filter: parts.filter,
                };
                let call = Scalar { kind: ScalarKind::Call(self.node(call)), ty, nullable, column: None, text: None };
                Ok(if row.guarded { self.null_guard(call, args) } else { call })
            }
            Form::Expand(rule) => self.expand_call(func, *rule, args, ty, parts),
            Form::Refuse(reason) => Err(target.refused(name, *reason)),
        }
    }

    /// `COALESCE` of a subquery and one other value, on an engine that would run the subquery twice.
    ///
    /// ```sql
    /// -- before                              -- after
    /// COALESCE((SELECT SUM(a) ...), 0)       ISNULL((SELECT SUM(a) ...), 0)
    /// ```
    ///
    /// `ISNULL` has the type of the first value, so that the other must fit it: a type without a length, or a value
    /// that any length holds.
    fn coalesced_query(
        &mut self,
        found: &Scalar<'a, 'e>,
        other: &Scalar<'a, 'e>,
        ty: Option<DbType>,
    ) -> Result<Option<Scalar<'a, 'e>>> {
        use DbValueType as T;
        if !matches!(found.kind, ScalarKind::Query(_)) || self.target.has(Feature::CoalesceQuery) {
            return Ok(None);
        }
        let fits = match (found.ty.filter(|ty| !ty.array), other.ty) {
            (Some(found), Some(other)) => {
                let base = found.base;
                let plain = base.is_integer() || base.is_float() || matches!(base, T::Boolean | T::Date | T::Guid);
                plain && found == other
            }
            _ => false,
        };
        let least = match self.value_of(other) {
            Some(Value::Int(0) | Value::UInt(0)) => found.ty.is_some_and(|ty| ty.base.is_number()),
            Some(Value::Decimal(n)) => n.mantissa() == 0 && found.ty.is_some_and(|ty| ty.base.is_number()),
            Some(Value::Text(text)) => text.is_empty() && found.ty.is_some_and(|ty| ty.base.is_text()),
            _ => false,
        };
        if !(fits || least) {
            return Ok(None);
        }
        self.rule_for(Feature::CoalesceQuery)?;
        let spelling = self.target.dialect().coalesced_query();
        let call = Call::spelled(spelling, Prec::Atom, self.slice(&[*found, *other]));
        let call = Call { func: Some(Func::Coalesce), ..call };
        let kind = ScalarKind::Call(self.node(call));
        Ok(Some(Scalar { kind, ty, nullable: other.nullable, column: None, text: None }))
    }

    /// Whether it is a text that is known, or a column's, of at most 4,000 characters.
    fn is_short_text(&self, text: &Scalar<'a, 'e>) -> bool {
        match self.value_of(text) {
            Some(Value::Text(text)) => text.len() <= 4_000,
            Some(value) => value.is_null(),
            None => {
                matches!(text.kind, ScalarKind::Column(_))
                    && text.column.is_some_and(|column| column.length.is_some_and(|length| length <= 4_000))
            }
        }
    }

    /// Whether a text that is made longer has certainly no more than 4,000 bytes, with 4 for each character.
    fn is_surely_short(&self, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
        let count = |index: usize| match args.get(index).and_then(|count| self.value_of(count)) {
            Some(Value::Int(count)) => u64::try_from(*count).unwrap_or(0),
            Some(Value::Null) => 0,
            _ => u64::MAX,
        };
        let bytes = match func {
            Func::Space => count(0),
            Func::PadLeft | Func::PadRight => count(1).saturating_mul(4),
            Func::Repeat => {
                args.first().and_then(|text| self.most_bytes(text)).unwrap_or(u64::MAX).saturating_mul(count(1))
            }
            _ => return false,
        };
        bytes <= 4_000
    }

    /// The most bytes of a text that is known, or a column's.
    fn most_bytes(&self, text: &Scalar<'a, 'e>) -> Option<u64> {
        match self.value_of(text) {
            Some(Value::Text(text)) => u64::try_from(text.len()).ok(),
            Some(_) => None,
            None => {
                text.column.filter(|_| matches!(text.kind, ScalarKind::Column(_)))?.length.map(|n| u64::from(n) * 4)
            }
        }
    }

    /// Copies of the texts that a derived table computes.
    ///
    /// ```sql
    /// -- before                       -- after
    /// REPLACE(d.text, 'a', 'b')       REPLACE(CONCAT(d.text), 'a', 'b')
    /// ```
    fn copied_texts(&mut self, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        const CONCAT: Spelling<'_> = Spelling::new("CONCAT({0})");
        let computed = |part: Part<'_, 'a, 'e>| {
            matches!(part, Part::Scalar(Scalar { kind: ScalarKind::Column(_), column: None, .. }))
        };
        let copies = |cx: &Self, arg: &Scalar<'a, 'e>| {
            arg.ty.is_none_or(|ty| ty.base.is_text()) && cx.any_part(arg, &mut |_, part| computed(part))
        };
        if !args.iter().any(|arg| copies(self, arg)) {
            return Ok(args);
        }
        self.rule_for(Feature::ComputedText)?;
        let mut copied = self.vec(args.len());
        copied.extend(
            args.iter().map(|arg| if copies(self, arg) { self.spelled(Func::Concat, &CONCAT, *arg) } else { *arg }),
        );
        Ok(copied.into_bump_slice())
    }

    /// A value in a function that gives it as it is, where an engine needs that.
    pub(super) fn spelled(&self, func: Func, spelling: &'a Spelling<'a>, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        let call = Call { func: Some(func), ..Call::spelled(spelling, Prec::Atom, self.slice(&[value])) };
        Scalar { kind: ScalarKind::Call(self.node(call)), ..value }
    }

    /// A spelling that the dialect has made for this statement.
    pub(crate) fn made_spelling(&self, text: &str) -> Result<&'a Spelling<'a>> {
        let spelling = Spelling::parse(self.str(text));
        Ok(self.node(spelling.map_err(|why| self.target.refused("a spelling of its own", why))?))
    }

    /// A time as text, as the dialect spells it.
    pub(crate) fn formatted(&self, spelling: &'a Spelling<'a>, time: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        let text = self.spelled(Func::Format, spelling, time);
        Scalar { ty: Some(DbValueType::String.into()), column: None, ..text }
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

    /// The row by which the target spells a call.
    fn row(&self, func: Func, args: &[Scalar<'a, 'e>], parts: &CallParts<'a, 'e>) -> Option<&'static Row> {
        let fits_row = |row: &&&'static Row| {
            let on = |arg: &Scalar<'a, 'e>| fits(row.on, arg.ty);
            row.args.is_none_or(|n| usize::from(n) == args.len())
                && (if row.every { args.iter().all(on) } else { fits(row.on, args.first().and_then(|s| s.ty)) })
                && (!row.distinct || parts.distinct)
                && (!row.over || parts.over)
                && (row.not_null == 0 || never_null(row.not_null, args))
                && row.int32.is_none_or(|at| args.get(usize::from(at)).is_some_and(|arg| self.is_int32(arg)))
                && row.not_zero.is_none_or(|at| args.get(usize::from(at)).is_some_and(|n| self.is_number_but_zero(n)))
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

    /// Whether it is a whole number of at most 32 bits by its value or its type.
    fn is_int32(&self, scalar: &Scalar<'a, 'e>) -> bool {
        match self.value_of(scalar) {
            Some(Value::Int(n)) => i32::try_from(*n).is_ok(),
            Some(Value::UInt(n)) => i32::try_from(*n).is_ok(),
            _ => fits(On::Int32, scalar.ty),
        }
    }

    /// A call by a template of the program.
    pub(crate) fn custom(
        &mut self,
        custom: &'a CustomSpelling,
        args: &'a [Scalar<'a, 'e>],
        ty: Option<DbType>,
    ) -> Result<Scalar<'a, 'e>> {
        let spelling =
            Spelling::parse(&custom.template).map_err(|why| self.target.refused("a registered function", why))?;
        if self.volatile {
            self.no_volatile_twice("a registered function", &spelling, args)?;
        }
        let prec = if custom.atom { Prec::Atom } else { Prec::Lowest };
        let call = Call::spelled(self.node(spelling), prec, args);
        Ok(Scalar { kind: ScalarKind::Call(self.node(call)), ty, nullable: true, column: None, text: None })
    }

    pub(super) fn notes_call(&mut self, func: Func, rule: Rule) {
        let note = super::Note { feature: func.signature().name, rule, why: rule.why() };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
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

fn is_same_column(arg: Option<&Scalar<'_, '_>>, key: &Scalar<'_, '_>) -> bool {
    match (arg.map(|s| s.kind), key.kind) {
        (Some(ScalarKind::Column(a)), ScalarKind::Column(b)) => a == b,
        _ => false,
    }
}
