//! Calls of functions, aggregates and windows.

use crate::dialect::{Feature, Form, On, Row, Spelling};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Call, Literal, Order, Pred, Scalar, ScalarKind};
use crate::functions::{ArgKind, Func, NullRule};
use crate::registry::CustomSpelling;
use crate::render::Prec;

use super::arguments::Asked;
use super::arithmetic::widest;
use super::{Cx, Rule, arguments, arithmetic, compare, dates, expand, logic, text, volatile};

/// What a call has besides its arguments.
#[derive(Clone, Copy, Default)]
pub(crate) struct CallParts<'a, 'e> {
    pub(crate) distinct: bool,
    pub(crate) order: &'a [Order<'a, 'e>],
    pub(crate) filter: Option<Pred<'a, 'e>>,
    /// Whether it stands over a window.
    pub(crate) over: bool,
}

/// A call of a portable function; `ty` is the type of its result.
pub(crate) fn call<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Scalar<'a, 'e>> {
    call_with(cx, func, args, ty, CallParts::default())
}

/// A call with DISTINCT, an order or a filter.
///
/// What the signature of a function says is seen to here. What one asks of its arguments beyond that, and what an
/// aggregate may have beside them, stands in `arguments`.
pub(crate) fn call_with<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    ty: Option<DbType>,
    mut parts: CallParts<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    if let Some(value) = without_call(cx, func, args, ty)? {
        return Ok(value);
    }
    let (signature, target) = (func.signature(), cx.target);
    let nullable = match signature.null {
        NullRule::Any => args.iter().any(|s| s.nullable),
        NullRule::All => args.iter().all(|s| s.nullable),
        NullRule::First => args.first().is_some_and(|s| s.nullable),
        NullRule::Never => false,
        NullRule::Maybe => true,
    };
    let args = arguments::typed_nulls(cx, func, args)?;
    if let Some(call) = dates::at_utc(cx, func, args, ty, parts)? {
        return Ok(call);
    }
    if !target.has(Feature::ZeroCharacter) && (0..args.len()).any(|at| signature.arg(at) == ArgKind::Text) {
        args.iter().try_for_each(|arg| text::no_zero(cx, arg))?;
    }
    let args = match arguments::own_arguments(cx, func, args, ty)? {
        Asked::Arguments(args) => arguments::aggregated(cx, func, args, &mut parts)?,
        Asked::Value(value) => return Ok(value),
    };
    let limit = target.dialect().sheet().limits.arguments;
    if args.len() > limit {
        let reason = format!("a function takes at most {limit}: nest it");
        return Err(target.refused(format!("{} of {} arguments", signature.name, args.len()), reason));
    }
    let Some(row) = row(cx, func, args, &parts) else {
        return Err(target.refused(signature.name, "it has no spelling for these arguments"));
    };
    if let Some(rule) = row.note
        && !is_surely_short(cx, func, args)
    {
        notes_call(cx, func, rule);
    }
    match &row.form {
        Form::Text(prec, spelling) => {
            if cx.volatile {
                volatile::no_volatile_twice(cx, signature.name, spelling, args)?;
                if row.twice
                    && let [twice @ .., _] = args
                {
                    volatile::no_volatile(cx, signature.name, twice)?;
                }
            }
            cx.volatile |= matches!(func, Func::Random | Func::NewGuid);
            arguments::no_aggregate_inside(cx, func, spelling, args)?;
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
            let call = Scalar { kind: ScalarKind::Call(cx.node(call)), ty, nullable, column: None, text: None };
            Ok(if row.guarded { null_guard(cx, call, args) } else { call })
        }
        Form::Expand(rule) => expand::expand_call(cx, func, *rule, args, ty, parts),
        Form::Refuse(reason) => Err(target.refused(signature.name, *reason)),
    }
}

/// What a call gives that needs none.
fn without_call<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Option<Scalar<'a, 'e>>> {
    // Of NULLs without a type, some engines make no value.
    let null = match (func, args) {
        // Some engines want two arguments.
        (Func::Coalesce, [one]) => return Ok(Some(*one)),
        (Func::Coalesce, args) => args.iter().all(|arg| cx.is_null(arg)),
        // An aggregate behind it makes one row of many, NULL or not.
        (Func::NullIf, [first, other]) => {
            cx.is_null(first)
                && matches!(other.kind, ScalarKind::Column(_) | ScalarKind::Param(_) | ScalarKind::Literal(_))
        }
        _ => false,
    };
    if null {
        return Ok(Some(cx.null(ty)));
    }
    if arguments::has_untyped_null(cx, args) && arguments::is_null_call(cx, func, args) {
        cx.rule_for(Feature::UntypedNull)?;
        return Ok(Some(cx.null(ty)));
    }
    Ok(dates::moved_date(cx, func, args, ty))
}

/// Whether a text that is made longer has certainly no more than 4,000 bytes, with 4 for each character.
fn is_surely_short<'a, 'e>(cx: &Cx<'a, 'e>, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
    let count = |index: usize| match args.get(index).and_then(|count| cx.value_of(count)) {
        Some(Value::Int(count)) => u64::try_from(*count).unwrap_or(0),
        Some(Value::Null) => 0,
        _ => u64::MAX,
    };
    let bytes = match func {
        Func::Space => count(0),
        Func::PadLeft | Func::PadRight => count(1).saturating_mul(4),
        Func::Repeat => args.first().and_then(|text| most_bytes(cx, text)).unwrap_or(u64::MAX).saturating_mul(count(1)),
        _ => return false,
    };
    bytes <= 4_000
}

/// The most bytes of a text that is known, or a column's.
fn most_bytes<'a, 'e>(cx: &Cx<'a, 'e>, text: &Scalar<'a, 'e>) -> Option<u64> {
    match cx.value_of(text) {
        Some(Value::Text(text)) => u64::try_from(text.len()).ok(),
        Some(_) => None,
        None => text.column.filter(|_| matches!(text.kind, ScalarKind::Column(_)))?.length.map(|n| u64::from(n) * 4),
    }
}

/// A value in a function that gives it as it is, where an engine needs that.
pub(super) fn spelled<'a, 'e>(
    cx: &Cx<'a, 'e>,
    func: Func,
    spelling: &'a Spelling<'a>,
    value: Scalar<'a, 'e>,
) -> Scalar<'a, 'e> {
    let call = Call { func: Some(func), ..Call::spelled(spelling, Prec::Atom, cx.slice(&[value])) };
    Scalar { kind: ScalarKind::Call(cx.node(call)), ..value }
}

/// A spelling that the dialect has made for this statement.
pub(crate) fn made_spelling<'a, 'e>(cx: &Cx<'a, 'e>, text: &str) -> Result<&'a Spelling<'a>> {
    let spelling = Spelling::parse(cx.str(text));
    Ok(cx.node(spelling.map_err(|why| cx.target.refused("a spelling of its own", why))?))
}

/// A time as text, as the dialect spells it.
pub(crate) fn formatted<'a, 'e>(cx: &Cx<'a, 'e>, spelling: &'a Spelling<'a>, time: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    let text = spelled(cx, Func::Format, spelling, time);
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
fn null_guard<'a, 'e>(cx: &Cx<'a, 'e>, call: Scalar<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Scalar<'a, 'e> {
    let mut tests = cx.vec(args.len());
    tests.extend(args.iter().filter(|s| s.nullable).map(|s| compare::is_null_pred(cx, *s, false)));
    match logic::any(cx, &tests) {
        Pred::Const(false) => call,
        Pred::Const(true) => cx.null(call.ty),
        any => {
            let null = cx.null(call.ty);
            Scalar { nullable: true, ..logic::case_when(cx, &[(any, null)], Some(call), call.ty) }
        }
    }
}

/// The row by which the target spells a call.
fn row<'a, 'e>(
    cx: &Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    parts: &CallParts<'a, 'e>,
) -> Option<&'static Row> {
    let fits_row = |row: &&&'static Row| {
        let on = |arg: &Scalar<'a, 'e>| row.on.takes(arg.ty);
        row.args.is_none_or(|n| usize::from(n) == args.len())
            && (if row.every { args.iter().all(on) } else { row.on.takes(args.first().and_then(|s| s.ty)) })
            && (!row.distinct || parts.distinct)
            && (!row.over || parts.over)
            && (row.not_null == 0 || never_null(row.not_null, args))
            && row.int32.is_none_or(|at| args.get(usize::from(at)).is_some_and(|arg| is_int32(cx, arg)))
            && row
                .not_zero
                .is_none_or(|at| args.get(usize::from(at)).is_some_and(|n| arithmetic::is_number_but_zero(cx, n)))
            && (!row.plain || is_plain(cx, func, args))
    };
    cx.target.function(func).iter().find(fits_row).copied()
}

/// The largest number of a [plain](crate::dialect::Row::plain) call: no text is longer, and two of them fit into 32 bits together.
const LARGEST_PLAIN: i64 = (1 << 30) - 1;
const LARGEST_PLAIN_UNSIGNED: u64 = LARGEST_PLAIN.unsigned_abs();

/// Whether each whole number and each exponent is known, not negative and not large, and each text behind the first known and
/// not empty.
fn is_plain<'a, 'e>(cx: &Cx<'a, 'e>, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
    let signature = func.signature();
    args.iter().enumerate().all(|(index, arg)| match signature.arg(index) {
        ArgKind::Int => match arg.kind {
            ScalarKind::Literal(Literal::Int(n)) => (0..=LARGEST_PLAIN).contains(&n),
            ScalarKind::Call(call) => matches!(call.func, Some(Func::Length | Func::ByteLength)),
            _ => cx.asks(arg, is_natural),
        },
        ArgKind::Number if index > 0 && func == Func::Power => cx.asks(arg, |value| match value {
            Value::Float(n) => *n >= 0.0 && n.fract() == 0.0,
            Value::Decimal(n) => n.to_i64().is_some_and(|n| n >= 0),
            value => is_natural(value),
        }),
        ArgKind::Number if index > 0 => cx.asks(arg, is_natural),
        ArgKind::Literal => match cx.value_of(arg) {
            Some(Value::Text(path)) => cx.target.dialect().json_plain(path),
            _ => false,
        },
        ArgKind::Text if index > 0 => match arg.kind {
            ScalarKind::Literal(Literal::Text(text)) => !text.is_empty(),
            _ => matches!(cx.class_of(arg), Some(Value::Text(text)) if !text.is_empty()),
        },
        _ => true,
    })
}

/// Whether it is a whole number of at most 32 bits by its value or its type.
fn is_int32<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> bool {
    match cx.class_of(scalar) {
        Some(Value::Int(_) | Value::UInt(_)) => cx.asks(scalar, |value| match value {
            Value::Int(n) => i32::try_from(*n).is_ok(),
            Value::UInt(n) => i32::try_from(*n).is_ok(),
            _ => false,
        }),
        _ => On::Int32.takes(scalar.ty),
    }
}

/// A call by a template of the program.
pub(crate) fn custom<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    custom: &'a CustomSpelling,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Scalar<'a, 'e>> {
    let refused = |why: String| cx.target.refused("a registered function", why);
    custom.reads(cx.target.dialect().lexis()).map_err(refused)?;
    let spelling = Spelling::parse(&custom.template).map_err(|why| refused(why.to_owned()))?;
    if cx.volatile {
        volatile::no_volatile_twice(cx, "a registered function", &spelling, args)?;
    }
    cx.own_text = true;
    let prec = if custom.atom { Prec::Atom } else { Prec::Lowest };
    let call = Call::spelled(cx.node(spelling), prec, args);
    Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), ty, nullable: true, column: None, text: None })
}

pub(super) fn notes_call<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, rule: Rule) {
    let note = super::Note { feature: func.signature().name, rule, why: rule.why() };
    if !cx.notes.contains(&note) {
        cx.notes.push(note);
    }
}

/// The type of a CASE, a COALESCE, a GREATEST: the widest of the values'.
pub(crate) fn common_type(items: impl Iterator<Item = Option<DbType>>) -> Option<DbType> {
    items.fold(None, widest)
}

/// Whether it is a whole number, and not negative.
fn is_natural(value: &Value) -> bool {
    matches!(value, Value::Int(0..=LARGEST_PLAIN) | Value::UInt(0..=LARGEST_PLAIN_UNSIGNED))
}

/// Whether none of the arguments that a row names can be NULL.
fn never_null(named: u8, args: &[Scalar<'_, '_>]) -> bool {
    let is_named = |index: usize| named == u8::MAX || index < 8 && named & 1 << index != 0;
    args.iter().enumerate().all(|(index, arg)| !(is_named(index) && arg.nullable))
}
