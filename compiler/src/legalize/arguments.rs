//! The arguments of a call, before any dialect spells it.

use crate::dialect::{Feature, Spelling};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{CompareOp, Literal, Scalar, ScalarKind};
use crate::functions::{ArgKind, Class, Func, NullRule};

use super::parts::Part;
use super::{Cx, is_text};

impl<'a, 'e> Cx<'a, 'e> {
    /// The positions and lengths among the arguments, on an engine that knows what they are by their place.
    ///
    /// ```sql
    /// -- before                      -- after
    /// LEFT(a, CAST(? AS SIGNED))     LEFT(a, ?)
    /// ```
    pub(super) fn typed_counts(&self, func: Func, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
        let signature = func.signature();
        let mut list = self.vec(args.len());
        list.extend(args.iter().enumerate().map(|(index, arg)| match signature.arg(index) {
            ArgKind::Int => super::typed(*arg),
            _ => *arg,
        }));
        list.into_bump_slice()
    }

    /// Whether a call with NULL among its arguments is NULL itself. An aggregate behind it makes one row of many.
    pub(super) fn is_null_call(&self, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
        let signature = func.signature();
        signature.null == NullRule::Any
            && signature.class == Class::Scalar
            && !args.iter().any(|arg| self.has_aggregate(arg))
    }

    /// Gives the NULLs among the arguments of any other call a type, where the engine asks for one.
    ///
    /// ```sql
    /// -- before      -- after
    /// MIN(NULL)      MIN(CAST(NULL AS int))
    /// ```
    pub(super) fn typed_nulls(&mut self, func: Func, args: &[Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
        let signature = func.signature();
        let mut list = self.copied(args);
        for (index, arg) in list.iter_mut().enumerate() {
            if !self.is_null(arg) {
                continue;
            }
            let due = match (signature.class, signature.arg(index)) {
                (Class::Scalar, ArgKind::Text) if signature.null == NullRule::Any => DbValueType::String,
                (Class::Aggregate | Class::Window, ArgKind::Text) if index == 0 => DbValueType::String,
                (Class::Aggregate | Class::Window, _) if index == 0 => DbValueType::Int32,
                _ => continue,
            };
            self.rule_for(Feature::UntypedNull)?;
            let ty = arg.ty.unwrap_or_else(|| due.into());
            *arg = Scalar { kind: ScalarKind::Cast(self.node(*arg), ty), ty: Some(ty), ..*arg };
        }
        Ok(list.into_bump_slice())
    }

    /// Whether a CASE, or a function that gives one of these values, would give bytes: an engine takes NULL for them, and a
    /// bound text for whatever stands beside it.
    ///
    /// ```sql
    /// -- before                          -- after
    /// CASE WHEN p THEN NULL ELSE ? END   CASE WHEN p THEN CAST(NULL AS CHAR) ELSE ? END
    /// ```
    pub(super) fn nulls_are_bytes<'v>(&self, values: impl Iterator<Item = &'v Scalar<'a, 'e>> + Clone) -> bool
    where
        'a: 'v,
        'e: 'a,
    {
        !self.target.has(Feature::NullBesideTexts)
            && values.clone().any(|value| matches!(value.kind, ScalarKind::Literal(Literal::Null)))
            && values.clone().any(|value| is_text(value.ty))
            && values.clone().all(is_open)
    }

    /// NULL as a text; what is not NULL stays.
    pub(super) fn text_null(&self, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        match value.kind {
            ScalarKind::Literal(Literal::Null) => {
                let ty = DbType::from(DbValueType::String);
                Scalar { kind: ScalarKind::Cast(self.node(value), ty), ty: Some(ty), ..value }
            }
            _ => value,
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
            F::Char => {
                if let Some(slot) = args.first_mut()
                    && matches!(self.value_of(slot), Some(Value::Int(n)) if !(1..=127).contains(n))
                {
                    *slot = self.null(Some(DbValueType::Int32.into()));
                }
                return Ok(());
            }
            F::RegexpReplace | F::RegexpSubstr | F::RegexpCount => {
                if let Some(slot) = args.get_mut(1) {
                    *slot = self.regex(*slot, false)?;
                }
                return if func == F::RegexpReplace { self.plain_replacement(args) } else { Ok(()) };
            }
            F::ByteLength => {
                return args.first().map_or(Ok(()), |text| self.no_large_value("the argument of ByteLength", text));
            }
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
        if matches!(func, F::PadLeft | F::PadRight)
            && let Some(slot) = args.get_mut(2)
            && self.value_of(slot).is_none()
        {
            // Engines fill with as many characters as there are.
            let one = self.int(1);
            *slot = self.call(F::Left, &[*slot, one], Some(DbValueType::String.into()))?;
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
                self.no_volatile(func.signature().name, &[arg])?;
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

    /// Gives a CASE of nothing but parameters its type, where the engine would take it for that of the function.
    ///
    /// ```sql
    /// -- before                              -- after
    /// MIN(CASE WHEN p THEN ? ELSE ? END)     MIN(CAST(CASE WHEN p THEN ? ELSE ? END AS CHAR))
    /// ```
    pub(super) fn typed_cases(&self, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
        let open = |arg: &Scalar<'a, 'e>| match arg.kind {
            ScalarKind::Case(case) => {
                let mut values = case.cases.iter().map(|(_, value)| value).chain(&case.otherwise);
                values.all(|value| matches!(value.kind, ScalarKind::Param(_) | ScalarKind::Literal(Literal::Null)))
            }
            _ => false,
        };
        if !args.iter().any(open) {
            return args;
        }
        let mut list = self.vec(args.len());
        list.extend(args.iter().map(|arg| match arg.ty.filter(|_| open(arg)) {
            Some(ty) => Scalar { kind: ScalarKind::Cast(self.node(Scalar { ty: None, ..*arg }), ty), ..*arg },
            None => *arg,
        }));
        list.into_bump_slice()
    }

    /// Whether an aggregate that is no window is a part of it.
    pub(crate) fn has_aggregate(&self, value: &Scalar<'a, 'e>) -> bool {
        self.any_part(value, &mut |_, part| match part {
            Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => {
                call.func.is_some_and(|func| func.signature().class == Class::Aggregate)
            }
            _ => false,
        })
    }

    /// In a spelling that is a subquery, an aggregate or a window would be over the subquery's one row.
    ///
    /// ```sql
    /// -- refused: Reverse(Max(name))
    /// (WITH RECURSIVE r(s, i, t) AS (SELECT MAX(name), ...) SELECT t FROM r ...)
    /// ```
    pub(super) fn no_aggregate_inside(
        &self,
        func: Func,
        spelling: &Spelling<'_>,
        args: &[Scalar<'a, 'e>],
    ) -> Result<()> {
        let plain = |arg: &Scalar<'a, 'e>| {
            matches!(arg.kind, ScalarKind::Column(_) | ScalarKind::Param(_) | ScalarKind::Literal(_))
        };
        if args.iter().all(plain) || func.signature().class != Class::Scalar || !spelling.has_rows() {
            return Ok(());
        }
        let over_rows = |part: Part<'_, 'a, 'e>| match part {
            Part::Scalar(Scalar { kind: ScalarKind::Window(_), .. }) => true,
            Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => {
                call.func.is_some_and(|func| func.signature().class == Class::Aggregate)
            }
            _ => false,
        };
        if args.iter().any(|arg| self.any_part(arg, &mut |_, part| over_rows(part))) {
            let what = format!("{} of an aggregate or of a window", func.signature().name);
            let why = "its spelling is a subquery, whose own rows that would be over: call it in a query over the one that \
                       has the aggregate or window";
            return Err(self.target.refused(what, why));
        }
        Ok(())
    }

    /// The replacement of a regular expression stands for itself: what means a group to the engine is escaped.
    pub(super) fn plain_replacement(&mut self, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
        let Some(slot) = args.get_mut(2) else { return Ok(()) };
        let escaped = match self.value_of(slot) {
            Some(Value::Null) => return Ok(()),
            Some(Value::Text(text)) => match self.target.dialect().regexp_replacement(text) {
                Some(std::borrow::Cow::Borrowed(_)) => return Ok(()),
                Some(std::borrow::Cow::Owned(escaped)) => Value::from(escaped),
                None => {
                    let why =
                        "it has a meaning there, and no way to take it away is documented: replace another text for it";
                    return Err(self.target.refused("`&` in the replacement of a regular expression", why));
                }
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
    pub(super) fn is_not_negative(&self, scalar: &Scalar<'a, 'e>) -> bool {
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
}

/// A position or length beyond this one is cut to it: no text is as long, and two of them still fit 32 bits.
const FAR: i64 = 1_000_000_000;

/// Whether the whole numbers among a function's arguments say where, or how much of something.
pub(super) fn counts(func: Func) -> bool {
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

/// Whether nothing but NULL and bound texts says what a value is.
fn is_open(value: &Scalar<'_, '_>) -> bool {
    match value.kind {
        ScalarKind::Literal(Literal::Null) => true,
        ScalarKind::Param(_) => is_text(value.ty),
        ScalarKind::Case(case) => case.cases.iter().map(|(_, value)| value).chain(&case.otherwise).all(is_open),
        ScalarKind::Call(call) => {
            matches!(call.func, Some(Func::Coalesce | Func::Greatest | Func::Least)) && call.args.iter().all(is_open)
        }
        _ => false,
    }
}
