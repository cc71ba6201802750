//! The arguments of a call, before any dialect spells it.

use crate::dialect::{Feature, Spelling};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Call, CompareOp, Literal, Part, Scalar, ScalarKind};
use crate::functions::{ArgKind, Class, Func, NullRule};
use crate::render::Prec;

use super::call::CallParts;
use super::{
    Cx, arithmetic, call, cast, compare, dates, digits, expand, is_text, json, logic, parts, query, regex, sorted,
    volatile,
};

/// What a function asks of its arguments beyond what its signature says: each one that asks for something has its line
/// here.
pub(super) fn own_arguments<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Asked<'a, 'e>> {
    use Func as F;
    let args = match func {
        F::Coalesce => {
            let args = one_of(cx, func, args)?;
            if let [found, other] = args
                && let Some(call) = coalesced_query(cx, found, other, ty)?
            {
                return Ok(Asked::Value(call));
            }
            if !cx.target.has(Feature::EmptyString) && args.iter().any(|arg| cx.is_empty(arg)) {
                cx.rule_for(Feature::EmptyString)?;
            }
            args
        }
        F::Greatest | F::Least => {
            let args = one_of(cx, func, args)?;
            json::no_json(cx, func.signature().name, args)?;
            args
        }
        F::NullIf => {
            if let Some(case) = dates::null_if_same_date(cx, args)? {
                return Ok(Asked::Value(case));
            }
            if let Some(case) = arithmetic::null_if_narrower(cx, args)? {
                return Ok(Asked::Value(case));
            }
            json::no_json(cx, func.signature().name, args)?;
            args
        }
        F::Lag | F::Lead => {
            let args = one_of(cx, func, args)?;
            let args = typed_default(cx, args, ty)?;
            typed_literal(cx, args)
        }
        F::FirstValue | F::LastValue | F::NthValue => typed_literal(cx, args),
        F::Min | F::Max => {
            json::no_json(cx, func.signature().name, args)?;
            typed_cases(cx, args)
        }
        F::Lower | F::Upper => {
            cx.rule_for(Feature::CaseFolding)?;
            copied_texts(cx, args)?
        }
        F::Replace | F::ConcatWs => copied_texts(cx, args)?,
        F::Repeat => {
            let args = copied_texts(cx, args)?;
            typed_counts(cx, func, args)
        }
        F::Left
        | F::Right
        | F::Substring
        | F::IndexOf
        | F::Remove
        | F::Insert
        | F::PadLeft
        | F::PadRight
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
        | F::AddMilliseconds => typed_counts(cx, func, args),
        F::Trim | F::TrimStart | F::TrimEnd => {
            if args.get(1).is_some_and(|characters| !is_short_text(cx, characters)) {
                cx.need(Feature::TrimComputed)?;
            }
            args
        }
        F::JsonArrayAgg => {
            let args = json::json_members(cx, args)?;
            typed_literal(cx, args)
        }
        F::JsonObject | F::JsonArray => {
            let args = json::json_members(cx, args)?;
            json::json_inside(cx, args)?;
            args
        }
        F::JsonSet => {
            let args = json::json_members(cx, args)?;
            json::json_inside(cx, args.get(1..).unwrap_or_default())?;
            if args.last().is_some_and(|value| value.nullable) {
                cx.need(Feature::JsonNull)?;
            }
            args
        }
        _ => args,
    };
    Ok(Asked::Arguments(args))
}

/// What an aggregate has beside its arguments.
pub(super) fn aggregated<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    mut args: &'a [Scalar<'a, 'e>],
    parts: &mut CallParts<'a, 'e>,
) -> Result<&'a [Scalar<'a, 'e>]> {
    if let Some(filter) = parts.filter
        && cx.rule_for(Feature::AggregateFilter)?.is_some()
    {
        if func == Func::JsonArrayAgg {
            let reason = "it keeps NULLs, so that no CASE can stand for the filter: filter in a subquery";
            return Err(cx.target.refused("FILTER of JsonArrayAgg", reason));
        }
        args = expand::filter_to_case(cx, args, filter);
        parts.filter = None;
    }
    if parts.distinct {
        json::no_json(cx, func.signature().name, args)?;
        if matches!(func, Func::StdDev | Func::StdDevPop | Func::Variance | Func::VariancePop) {
            let why = "not every engine has it: aggregate a select of distinct values";
            return Err(Cx::misplaced("DISTINCT in a deviation or a variance", why));
        }
        if func == Func::StringAgg && args.first().is_some_and(|arg| query::is_constant(cx, arg)) {
            let why = "it is the same text in each row: it needs no aggregate";
            return Err(Cx::misplaced("a StringAgg of a constant, with DISTINCT,", why));
        }
    }
    if func == Func::StringAgg {
        let known =
            |separator: &Scalar<'a, 'e>| matches!(separator.kind, ScalarKind::Param(_) | ScalarKind::Literal(_));
        if args.get(1).is_some_and(|separator| !known(separator)) {
            cx.need(Feature::StringAggSeparator)?;
        }
        if parts.distinct {
            cx.need(Feature::StringAggDistinct)?;
        }
    } else if !parts.order.is_empty() {
        cx.need(Feature::AggregateOrder)?;
    }
    if parts.distinct && parts.order.iter().any(|key| !is_same_column(args.first(), &key.value)) {
        let why = "with DISTINCT it is ordered by its own argument only, which is a column then";
        return Err(Cx::misplaced("an order inside of an aggregate", why));
    }
    Ok(args)
}

/// Values of which a function gives one.
fn one_of<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, args: &[Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
    let mut same = cx.copied(args);
    dates::one_date(cx, &mut same)?;
    digits::common_digits(cx, &same)?;
    if !matches!(func, Func::Lag | Func::Lead) && nulls_are_bytes(cx, same.iter()) {
        same.iter_mut().for_each(|value| *value = text_null(cx, *value));
    }
    Ok(same.into_bump_slice())
}

/// The value of another row and what stands for it where there is none, on an engine that wants both of one type.
///
/// ```sql
/// -- before          -- after
/// LAG(a, 1, 0)       LAG(CAST(a AS bigint), 1, CAST(0 AS bigint))
/// ```
fn typed_default<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<&'a [Scalar<'a, 'e>]> {
    let ([value, offset, default], Some(ty)) = (args, ty) else { return Ok(args) };
    if cx.rule_for(Feature::WindowDefault)?.is_none() {
        return Ok(args);
    }
    let cast = |value: &Scalar<'a, 'e>| Scalar { kind: ScalarKind::Cast(cx.node(*value), ty), column: None, ..*value };
    Ok(cx.slice(&[cast(value), *offset, cast(default)]))
}

/// A text that is written out, which has no type of its own where parameters have none, either.
///
/// ```sql
/// -- before                -- after
/// FIRST_VALUE('a')         FIRST_VALUE(CAST('a' AS text))
/// ```
fn typed_literal<'a, 'e>(cx: &Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
    if let [value, ..] = args
        && let ScalarKind::Literal(literal) = value.kind
        && let ty = value.ty.unwrap_or_else(|| DbValueType::String.into())
        && (ty.base.is_text() || matches!(literal, Literal::Null))
        && !cx.target.has(Feature::UntypedParameter)
    {
        let mut list = cx.copied(args);
        if let Some(first) = list.first_mut() {
            *first = Scalar { kind: ScalarKind::Cast(cx.node(*value), ty), ..*value };
        }
        return list.into_bump_slice();
    }
    args
}

/// The positions and lengths among the arguments, on an engine that knows what they are by their place.
///
/// ```sql
/// -- before                      -- after
/// LEFT(a, CAST(? AS SIGNED))     LEFT(a, ?)
/// ```
fn typed_counts<'a, 'e>(cx: &Cx<'a, 'e>, func: Func, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
    if !types_by_place(cx) {
        return args;
    }
    let signature = func.signature();
    let mut list = cx.vec(args.len());
    list.extend(args.iter().enumerate().map(|(index, arg)| match signature.arg(index) {
        ArgKind::Int => super::typed(*arg),
        _ => *arg,
    }));
    list.into_bump_slice()
}

/// Whether a parameter is told its type, but where a function does.
fn types_by_place<'a, 'e>(cx: &Cx<'a, 'e>) -> bool {
    !cx.target.has(Feature::UntypedParameter) && cx.target.has(Feature::UntypedArgument)
}

/// Whether NULL stands among arguments, on an engine that asks for its type.
pub(super) fn has_untyped_null<'a, 'e>(cx: &Cx<'a, 'e>, args: &[Scalar<'a, 'e>]) -> bool {
    !cx.target.has(Feature::UntypedNull) && args.iter().any(|arg| cx.is_null(arg))
}

/// Whether a call with NULL among its arguments is NULL itself. An aggregate behind it makes one row of many.
pub(super) fn is_null_call<'a, 'e>(cx: &Cx<'a, 'e>, func: Func, args: &[Scalar<'a, 'e>]) -> bool {
    let signature = func.signature();
    signature.null == NullRule::Any
        && signature.class == Class::Scalar
        && !args.iter().any(|arg| has_aggregate(cx, arg))
}

/// Gives the NULLs among the arguments of any other call a type, where the engine asks for one.
///
/// ```sql
/// -- before      -- after
/// MIN(NULL)      MIN(CAST(NULL AS int))
/// ```
pub(super) fn typed_nulls<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
) -> Result<&'a [Scalar<'a, 'e>]> {
    if !has_untyped_null(cx, args) {
        return Ok(cx.slice(args));
    }
    let signature = func.signature();
    let mut list = cx.copied(args);
    for (index, arg) in list.iter_mut().enumerate() {
        if !cx.is_null(arg) {
            continue;
        }
        let due = match (signature.class, signature.arg(index)) {
            (Class::Scalar, ArgKind::Text) if signature.null == NullRule::Any => DbValueType::String,
            (Class::Aggregate | Class::Window, ArgKind::Text) if index == 0 => DbValueType::String,
            (Class::Aggregate | Class::Window, _) if index == 0 => DbValueType::Int32,
            _ => continue,
        };
        cx.rule_for(Feature::UntypedNull)?;
        let ty = arg.ty.unwrap_or_else(|| due.into());
        *arg = Scalar { kind: ScalarKind::Cast(cx.node(*arg), ty), ty: Some(ty), ..*arg };
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
pub(super) fn nulls_are_bytes<'a, 'e, 'v>(
    cx: &Cx<'a, 'e>,
    values: impl Iterator<Item = &'v Scalar<'a, 'e>> + Clone,
) -> bool
where
    'a: 'v,
    'e: 'a,
{
    !cx.target.has(Feature::NullBesideTexts)
        && values.clone().any(|value| matches!(value.kind, ScalarKind::Literal(Literal::Null)))
        && values.clone().any(|value| is_text(value.ty))
        && values.clone().all(is_open)
}

/// NULL as a text; what is not NULL stays.
pub(super) fn text_null<'a, 'e>(cx: &Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    match value.kind {
        ScalarKind::Literal(Literal::Null) => {
            let ty = DbType::from(DbValueType::String);
            Scalar { kind: ScalarKind::Cast(cx.node(value), ty), ty: Some(ty), ..value }
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
pub(crate) fn fit_arguments<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
    use Func as F;
    let from = match func {
        F::Space => 0,
        F::Left | F::Right | F::Repeat | F::PadLeft | F::PadRight | F::Substring | F::Remove | F::Insert => 1,
        F::IndexOf => 2,
        F::Char => {
            if let Some(slot) = args.first_mut()
                && cx.asks(slot, |value| matches!(value, Value::Int(n) if !(1..=127).contains(n)))
            {
                *slot = cx.null(Some(DbValueType::Int32.into()));
            }
            return Ok(());
        }
        F::RegexpReplace | F::RegexpSubstr | F::RegexpCount => {
            if let Some(slot) = args.get_mut(1) {
                *slot = regex::regex(cx, *slot, false)?;
            }
            return if func == F::RegexpReplace { regex::plain_replacement(cx, args) } else { Ok(()) };
        }
        F::ByteLength => {
            // Engines count the bytes of any binary value.
            let text = args.first().filter(|arg| arg.ty.is_none_or(|ty| ty.base != DbValueType::Binary));
            return text.map_or(Ok(()), |text| sorted::no_large_value(cx, "the argument of ByteLength", text));
        }
        F::Round | F::Truncate => {
            let known = args.get(1).is_none_or(|digits| is_not_negative(cx, digits));
            return if known { Ok(()) } else { cx.need(Feature::RoundDigits) };
        }
        _ => return Ok(()),
    };
    for index in from..args.len() {
        if func.signature().arg(index) == ArgKind::Int
            && let Some(slot) = args.get_mut(index)
            && cx.asks(slot, |value| matches!(value, Value::Int(FAR..) | Value::UInt(_)))
        {
            *slot = cast::made_like(cx, slot, Value::Int(FAR), DbValueType::Int32.into());
        }
    }
    if matches!(func, F::PadLeft | F::PadRight)
        && let Some(fill) = args.get(2)
        && cx.asks(fill, |fill| matches!(fill, Value::Text(fill) if fill.chars().count() != 1))
    {
        return Err(Cx::misplaced("the third argument of PadLeft or PadRight", "it is one character"));
    }
    if matches!(func, F::PadLeft | F::PadRight)
        && let Some(slot) = args.get_mut(2)
        && cx.class_of(slot).is_none()
    {
        // Engines fill with as many characters as there are.
        let one = cx.int(1);
        *slot = call::call(cx, F::Left, &[*slot, one], Some(DbValueType::String.into()))?;
    }
    if cx.target.has(Feature::NegativeLength) {
        return Ok(());
    }
    for index in from..args.len() {
        if func.signature().arg(index) == ArgKind::Int
            && let Some(arg) = args.get(index).copied()
            && !is_not_negative(cx, &arg)
            && let Some(slot) = args.get_mut(index)
        {
            cx.rule_for(Feature::NegativeLength)?;
            volatile::no_volatile(cx, func.signature().name, &[arg])?;
            let zero = cx.int(0);
            *slot = if cx.class_of(&arg).is_some() {
                zero
            } else {
                let negative = compare::compare(cx, arg, CompareOp::Less, zero)?;
                Scalar { nullable: arg.nullable, ..logic::case_when(cx, &[(negative, zero)], Some(arg), arg.ty) }
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
pub(super) fn typed_cases<'a, 'e>(cx: &Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> &'a [Scalar<'a, 'e>] {
    let open = |arg: &Scalar<'a, 'e>| match arg.kind {
        ScalarKind::Case(case) => {
            let mut values = case.cases.iter().map(|(_, value)| value).chain(&case.otherwise);
            values.all(|value| matches!(value.kind, ScalarKind::Param(_) | ScalarKind::Literal(Literal::Null)))
        }
        _ => false,
    };
    if !types_by_place(cx) || !args.iter().any(open) {
        return args;
    }
    let mut list = cx.vec(args.len());
    list.extend(args.iter().map(|arg| match arg.ty.filter(|_| open(arg)) {
        Some(ty) => Scalar { kind: ScalarKind::Cast(cx.node(Scalar { ty: None, ..*arg }), ty), ..*arg },
        None => *arg,
    }));
    list.into_bump_slice()
}

/// Copies of the texts that a derived table computes.
///
/// ```sql
/// -- before                       -- after
/// REPLACE(d.text, 'a', 'b')       REPLACE(CONCAT(d.text), 'a', 'b')
/// ```
fn copied_texts<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
    const CONCAT: Spelling<'_> = Spelling::new("CONCAT({0})");
    let computed =
        |part: Part<'_, 'a, 'e>| matches!(part, Part::Scalar(Scalar { kind: ScalarKind::Column(_), column: None, .. }));
    let copies = |cx: &Cx<'a, 'e>, arg: &Scalar<'a, 'e>| {
        arg.ty.is_none_or(|ty| ty.base.is_text()) && parts::any_part(cx, arg, &mut |_, part| computed(part))
    };
    if cx.target.has(Feature::ComputedText) || !args.iter().any(|arg| copies(cx, arg)) {
        return Ok(args);
    }
    cx.rule_for(Feature::ComputedText)?;
    let mut copied = cx.vec(args.len());
    copied.extend(
        args.iter().map(|arg| if copies(cx, arg) { call::spelled(cx, Func::Concat, &CONCAT, *arg) } else { *arg }),
    );
    Ok(copied.into_bump_slice())
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
fn coalesced_query<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    found: &Scalar<'a, 'e>,
    other: &Scalar<'a, 'e>,
    ty: Option<DbType>,
) -> Result<Option<Scalar<'a, 'e>>> {
    if !matches!(found.kind, ScalarKind::Query(_)) || cx.target.has(Feature::CoalesceQuery) {
        return Ok(None);
    }
    let fits = match (found.ty.filter(|ty| !ty.array), other.ty) {
        (Some(found), Some(other)) => found.base.family().has_one_size() && found == other,
        _ => false,
    };
    let least = match cx.value_of(other) {
        Some(Value::Int(0) | Value::UInt(0)) => found.ty.is_some_and(|ty| ty.base.is_number()),
        Some(Value::Decimal(n)) => n.mantissa() == 0 && found.ty.is_some_and(|ty| ty.base.is_number()),
        Some(Value::Text(text)) => text.is_empty() && found.ty.is_some_and(|ty| ty.base.is_text()),
        _ => false,
    };
    if !(fits || least) {
        return Ok(None);
    }
    cx.rule_for(Feature::CoalesceQuery)?;
    let spelling = cx.target.dialect().coalesced_query();
    let call = Call::spelled(spelling, Prec::Atom, cx.slice(&[*found, *other]));
    let call = Call { func: Some(Func::Coalesce), ..call };
    let kind = ScalarKind::Call(cx.node(call));
    Ok(Some(Scalar { kind, ty, nullable: other.nullable, column: None, text: None }))
}

/// Whether it is a text that is known, or a column's, of at most 4,000 characters.
fn is_short_text<'a, 'e>(cx: &Cx<'a, 'e>, text: &Scalar<'a, 'e>) -> bool {
    match cx.class_of(text) {
        Some(Value::Text(text)) => text.len() <= 4_000,
        Some(value) => value.is_null(),
        None => {
            matches!(text.kind, ScalarKind::Column(_))
                && text.column.is_some_and(|column| column.length.is_some_and(|length| length <= 4_000))
        }
    }
}

/// Whether an aggregate that is no window is a part of it.
pub(crate) fn has_aggregate<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    parts::any_part(cx, value, &mut |_, part| match part {
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
pub(super) fn no_aggregate_inside<'a, 'e>(
    cx: &Cx<'a, 'e>,
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
    if args.iter().any(|arg| parts::any_part(cx, arg, &mut |_, part| over_rows(part))) {
        let what = format!("{} of an aggregate or of a window", func.signature().name);
        let why = "its spelling is a subquery, whose own rows that would be over: call it in a query over the one that \
                   has the aggregate or window";
        return Err(cx.target.refused(what, why));
    }
    Ok(())
}

/// Whether it is certainly not a number below 0.
pub(super) fn is_not_negative<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> bool {
    match scalar.kind {
        ScalarKind::Literal(Literal::Int(n)) => n >= 0,
        ScalarKind::Call(call) => matches!(call.func, Some(Func::Length | Func::ByteLength)),
        _ => cx.asks(scalar, |value| match value {
            Value::Int(n) => *n >= 0,
            Value::UInt(_) | Value::Null => true,
            _ => false,
        }),
    }
}

/// What a function makes of its arguments before it is spelled.
pub(super) enum Asked<'a, 'e> {
    Arguments(&'a [Scalar<'a, 'e>]),
    /// It is no call.
    Value(Scalar<'a, 'e>),
}

fn is_same_column(arg: Option<&Scalar<'_, '_>>, key: &Scalar<'_, '_>) -> bool {
    match (arg.map(|s| s.kind), key.kind) {
        (Some(ScalarKind::Column(a)), ScalarKind::Column(b)) => a == b,
        _ => false,
    }
}

/// A position or length beyond this one is cut to it: no text is as long, and two of them still fit 32 bits.
const FAR: i64 = 1_000_000_000;

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
