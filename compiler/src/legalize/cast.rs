//! CAST, and what stands where text is due.

use std::borrow::Cow;

use compact_str::{CompactString, format_compact};

use crate::dialect::{Feature, Spelling};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Decimal, Value};
use crate::frame::{Call, CompareOp, Literal, Scalar, ScalarKind};
use crate::functions::{ArgKind, Func};
use crate::render::{Micros, Prec};

use super::{Cx, call, compare, exact, logic};

/// The words for true and false.
macro_rules! truth_words {
    ($yes:literal, $no:literal) => {
        truth_words!(@ $yes ["true" "t" "yes" "y" "on" "1"], $no ["false" "f" "no" "n" "off" "0"])
    };
    (@ $yes:literal [$($y:literal)*], $no:literal [$($n:literal)*]) => {
        concat!("CASE LOWER(TRIM({0}))", $(" WHEN '", $y, "' THEN ", $yes,)* $(" WHEN '", $n, "' THEN ", $no,)* " END")
    };
}

/// CAST, where engines agree on it; else what they agree on.
///
/// ```sql
/// -- before                             -- after
/// CAST(price AS integer)               CAST(TRUNC(price) AS integer)
/// CAST(qty AS boolean)                 qty <> 0
/// CAST(paid AS integer)                CASE WHEN paid THEN 1 WHEN NOT paid THEN 0 END
/// CAST(paid AS text)                   CASE WHEN paid THEN 'true' WHEN NOT paid THEN 'false' END
/// CAST(note AS boolean)                CASE LOWER(TRIM(note)) WHEN 'true' THEN 1 WHEN 'false' THEN 0 .. END
/// CAST(created AS date)                what the engine has for the date of a date and time
/// CAST('5' AS integer)                 5
/// ```
///
/// As text, a number is written without zeros behind its last digit, a truth value as `true` or `false`, a date as
/// `2024-01-31`, a time as `10:20:30.5`, a date and time with a blank between the two: the dialect's
/// [`cast`](crate::dialect::Dialect::cast) sees to that. A float, a date and time with an offset and JSON are refused,
/// as engines write them in different ways.
pub(crate) fn cast<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>, to: DbType) -> Result<Scalar<'a, 'e>> {
    if to.array {
        cx.need(Feature::Array)?;
    }
    // Refused here rather than while writing, so that the error knows its place.
    cx.target.dialect().cast_type(to)?;
    if let Some(known) = known_cast(cx, &value, to)? {
        return Ok(known);
    }
    let mut value = value;
    if let Some(from) = value.ty.filter(|from| !from.array && !to.array) {
        use DbValueType as T;
        let moment = from.base.is_date_and_time();
        match to.base {
            _ if from == to && !from.base.is_decimal() => return Ok(exact::without_column(cx, value)),
            base if base.is_decimal() && (from.base.is_text() || from.base.is_float()) => {
                cx.rule_for(Feature::DecimalDigits)?;
            }
            base if base.is_integer()
                && (from.base.is_decimal() || from.base.is_float())
                && cx.rule_for(Feature::IntegerCast)?.is_some() =>
            {
                value = call::call(cx, Func::Truncate, &[value], value.ty)?;
            }
            T::Single if from.base.is_number() && cx.rule_for(Feature::SingleCast)?.is_some() => {}
            base if from.base.is_text() && base.is_number() => {
                cx.rule_for(Feature::TextNumber)?;
                if base == T::Single {
                    cx.rule_for(Feature::SingleCast)?;
                }
            }
            base if from.base.is_text() && (base.is_date() || base == T::Time) => {
                cx.rule_for(Feature::TextTime)?;
            }
            T::Boolean if from.base.is_text() && cx.rule_for(Feature::TextTruth)?.is_some() => {
                return Ok(truth_in_text(cx, value));
            }
            T::Boolean if from.base.is_number() => {
                let zero = Scalar { ty: value.ty, ..cx.int(0) };
                let pred = compare::compare(cx, value, CompareOp::NotEqual, zero)?;
                return logic::truth(cx, pred);
            }
            base if from.base == T::Boolean && base.is_number() => {
                let (one, zero) = (cx.int(1), cx.int(0));
                return by_truth(cx, value, one, zero, to);
            }
            base if from.base == T::Boolean && base.is_text() => {
                let (yes, no) = (cx.literal_text(&"true"), cx.literal_text(&"false"));
                return by_truth(cx, value, yes, no, to);
            }
            base if base.is_text() => has_one_text(cx, from.base)?,
            T::Date if moment => return call::call(cx, Func::Date, &[value], Some(to)),
            T::Time if moment => return call::call(cx, Func::TimeOfDay, &[value], Some(to)),
            _ => {}
        }
    }
    Ok(Scalar {
        kind: ScalarKind::Cast(cx.node(value), to),
        ty: Some(to),
        nullable: value.nullable,
        column: None,
        text: None,
    })
}

/// A truth value by the words that PostgreSQL takes for one, whatever their case and the blanks around them.
fn truth_in_text<'a, 'e>(cx: &Cx<'a, 'e>, text: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    let to = DbType::from(DbValueType::Boolean);
    let literals = cx.target.has(Feature::BooleanLiteral);
    const TRUE: Spelling<'_> = Spelling::new(truth_words!("TRUE", "FALSE"));
    const ONE: Spelling<'_> = Spelling::new(truth_words!("1", "0"));
    let spelling = if literals { &TRUE } else { &ONE };
    let args = cx.slice(&[text]);
    let call = Call::spelled(spelling, Prec::Atom, args);
    let ty = Some(if literals { to } else { DbValueType::Int32.into() });
    let truth = Scalar { kind: ScalarKind::Call(cx.node(call)), ty, nullable: true, column: None, text: None };
    if literals {
        return truth;
    }
    // The number that it is would not have the type of a truth value.
    Scalar { kind: ScalarKind::Cast(cx.node(truth), to), ty: Some(to), ..truth }
}

/// CAST of a value that is known: the value in that type.
///
/// ```sql
/// -- before                 -- after
/// CAST($1 AS integer)      $1, with 5 for '5'
/// CAST(2.5 AS text)        '2.5'
/// ```
///
/// Engines read and write texts in different ways; and the parameter would get its type from the CAST.
fn known_cast<'a, 'e>(cx: &mut Cx<'a, 'e>, value: &Scalar<'a, 'e>, to: DbType) -> Result<Option<Scalar<'a, 'e>>> {
    if to.array || value.ty.is_some_and(|ty| ty.array) {
        return Ok(None);
    }
    if value.ty == Some(to) && matches!(value.kind, ScalarKind::Param(_)) {
        return Ok(Some(*value));
    }
    let cast = match cx.value_of(value) {
        None | Some(Value::Null | Value::List(_) | Value::Map(_)) => return Ok(None),
        Some(known) => {
            if to.base.is_text()
                && !matches!(known, Value::Json(_))
                && let Some(why) = known.natural_type().and_then(no_text)
            {
                return Err(cx.target.refused("a CAST to text", why));
            }
            cast_value(known, to)?
        }
    };
    Ok(cast.map(|cast| made_like(cx, value, cast, to)))
}

/// A value made while compiling, bound if the one in whose place it stands is, else in the text.
pub(super) fn made_like<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    like: &Scalar<'a, 'e>,
    value: Value,
    ty: DbType,
) -> Scalar<'a, 'e> {
    if matches!(like.kind, ScalarKind::Param(_)) {
        return cx.made(value, Some(ty));
    }
    let index = u32::try_from(cx.made.len()).unwrap_or(u32::MAX);
    cx.made.push(value);
    Scalar { kind: ScalarKind::Literal(Literal::Made(index)), ty: Some(ty), nullable: false, column: None, text: None }
}

/// Whether every engine writes values of the type as the same text.
fn has_one_text(cx: &mut Cx<'_, '_>, from: DbValueType) -> Result<()> {
    if from.is_decimal() {
        cx.rule_for(Feature::DecimalText)?;
    }
    match no_text(from) {
        Some(why) => Err(cx.target.refused("a CAST to text", why)),
        None => Ok(()),
    }
}

/// What stands where text is due: what is no text is cast to it, see [`cast`](cast).
///
/// ```sql
/// -- before          -- after
/// 'No. ' || qty      'No. ' || CAST(qty AS text)
/// 'due ' || day      'due ' || TO_CHAR(day, 'YYYY-MM-DD')
/// ```
///
/// A whole number stays as it is where the engine takes it there: all of them write it alike.
pub(crate) fn as_text<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let to = DbType::from(DbValueType::String);
    if is_text(value.ty) {
        return Ok(value);
    }
    if let Some(known) = known_cast(cx, &value, to)? {
        return Ok(known);
    }
    let alike = value.ty.is_none_or(|ty| ty.base.is_integer() && !ty.array);
    if cx.rule_for(Feature::ConcatAny)?.is_none() && alike {
        return Ok(value);
    }
    cast(cx, value, to)
}

/// An error for bytes among the items of a concatenation. They may be no text: an error on PostgreSQL, other characters on
/// the others.
pub(super) fn no_bytes(items: &[Scalar<'_, '_>]) -> Result<()> {
    let is_bytes = |item: &Scalar<'_, '_>| item.ty.is_some_and(|ty| ty.base == DbValueType::Binary && !ty.array);
    if items.iter().any(is_bytes) {
        return Err(Cx::misplaced("bytes in a concatenation of texts", "they may be no text: CAST them to one first"));
    }
    Ok(())
}

/// Brings to text what stands in the place of text among the arguments of a function.
pub(crate) fn text_arguments<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
    let every = matches!(func, Func::Concat | Func::ConcatWs);
    let alone = func == Func::Concat && args.len() == 1;
    if every {
        no_bytes(args)?;
    }
    let signature = func.signature();
    for (index, arg) in args.iter_mut().enumerate() {
        let Some(ty) = arg.ty.filter(|ty| !is_text(Some(*ty))) else { continue };
        if !every && signature.arg(index) != ArgKind::Text {
            continue;
        }
        if alone {
            // Nothing stands beside it that would make it text.
            *arg = cast(cx, *arg, DbValueType::String.into())?;
            continue;
        }
        // Bytes have a length of their own.
        if ty.base != DbValueType::Binary || !matches!(func, Func::Length | Func::ByteLength) {
            *arg = as_text(cx, *arg)?;
        }
    }
    Ok(())
}

/// One value or another by a truth value; NULL where that is.
pub(super) fn by_truth<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    truth: Scalar<'a, 'e>,
    yes: Scalar<'a, 'e>,
    no: Scalar<'a, 'e>,
    ty: DbType,
) -> Result<Scalar<'a, 'e>> {
    let pred = logic::is_true(cx, truth)?;
    if !truth.nullable {
        return Ok(logic::case_when(cx, &[(pred, yes)], Some(no), Some(ty)));
    }
    let pred = logic::repeated_pred(cx, pred);
    let not = logic::not(cx, pred);
    Ok(logic::case_when(cx, &[(pred, yes), (not, no)], None, Some(ty)))
}

/// Whether a value of that type is text.
pub(super) fn is_text(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base.is_text() && !ty.array)
}

/// Why there is no text of the type that all engines write.
fn no_text(from: DbValueType) -> Option<&'static str> {
    match from {
        DbValueType::DateTimeOffset => {
            Some("engines write a time with an offset in different ways: format it, or take its parts")
        }
        DbValueType::Json | DbValueType::Jsonb => {
            Some("engines keep another text of a document, or none: take a value out by JsonValue, or read it as JSON")
        }
        _ if from.is_float() => Some("engines write a float in different ways: cast it to a decimal first"),
        _ => None,
    }
}

/// A known value in the type that a CAST asks for; none if the engine has to see to it.
///
/// # Errors
/// If the text is no value of the type.
fn cast_value(value: &Value, to: DbType) -> Result<Option<Value>> {
    use DbValueType as T;
    if to.base.is_text() {
        return Ok(text_of(value).filter(|_| to.base != T::Xml).map(Value::Text));
    }
    let number = matches!(value, Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_));
    let value = match value {
        Value::Text(text) if to.base == T::Binary => return Ok(Some(Value::from(text.as_bytes()))),
        Value::Decimal(n) if to.base.is_integer() => {
            let unit = 10_i128.checked_pow(n.scale().into()).unwrap_or(i128::MAX);
            let whole = n.mantissa() / unit;
            match (i64::try_from(whole), u64::try_from(whole)) {
                (Ok(n), _) => Cow::Owned(Value::Int(n)),
                (_, Ok(n)) => Cow::Owned(Value::UInt(n)),
                _ => Cow::Borrowed(value),
            }
        }
        Value::DateTimeOffset(time) if matches!(to.base, T::Date | T::Time | T::DateTime | T::DateTime2) => {
            return Ok(cast_time(time.naive_utc(), to.base));
        }
        Value::DateTime(time) if matches!(to.base, T::Date | T::Time) => return Ok(cast_time(*time, to.base)),
        Value::Float(n) if to.base.is_integer() => Cow::Owned(Value::Float(n.trunc())),
        // A whole number would be one to the engine, which divides and rounds it as such.
        Value::Int(n) if to.base.is_decimal() => return Ok(Some(Decimal::from(*n).into())),
        Value::UInt(n) if to.base.is_decimal() => return Ok(Some(Decimal::from(*n).into())),
        _ if number && to.base == T::Boolean => {
            return Ok(crate::model::coerce(value, T::Double.into(), None).ok().map(|n| match *n {
                Value::Float(n) => Value::Bool(n != 0.0),
                _ => Value::Bool(true),
            }));
        }
        _ => Cow::Borrowed(value),
    };
    // What is read or cut can be no value of the type; between other kinds the engine does what CAST does.
    let must = number && to.base.is_number() || matches!(*value, Value::Text(_));
    match crate::model::coerce(&value, to, None) {
        Ok(cast) => Ok(Some(cast.into_owned())),
        Err(bad) if must => {
            let why = if bad.why().is_empty() { String::new() } else { format!(": {}", bad.why()) };
            let (function, ty) = ("CAST".to_owned(), to.base.name().to_owned());
            Err(ErrorKind::BadArgument { function, number: 1, ty, value: format!("{}{why}", bad.value()) }.into())
        }
        Err(_) => Ok(None),
    }
}

/// A date and time, or what of it the type holds.
fn cast_time(time: chrono::NaiveDateTime, to: DbValueType) -> Option<Value> {
    Some(match to {
        DbValueType::Date => Value::from(time.date()),
        DbValueType::Time => Value::from(time.time()),
        _ => Value::from(time),
    })
}

/// The text of a known value, as a CAST of it gives on every engine.
fn text_of(value: &Value) -> Option<CompactString> {
    let mut text = match value {
        Value::Text(text) => text.clone(),
        Value::Bool(truth) => format_compact!("{truth}"),
        Value::Int(n) => format_compact!("{n}"),
        Value::UInt(n) => format_compact!("{n}"),
        Value::Decimal(n) => format_compact!("{}", n.normalize()),
        Value::Json(text) => CompactString::from(&**text),
        Value::Date(date) => format_compact!("{date}"),
        Value::Time(time) => format_compact!("{}", Micros(*time)),
        Value::DateTime(at) => format_compact!("{} {}", at.date(), Micros(at.time())),
        _ => format_compact!("{}", value.word()?),
    };
    if matches!(value, Value::Time(_) | Value::DateTime(_)) {
        let end = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(end);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Decimal;

    fn decimal(text: &str) -> Value {
        text.parse::<Decimal>().unwrap().into()
    }

    #[test]
    fn known_values_have_one_text() {
        let at = "2024-01-31T10:20:00".parse::<chrono::NaiveDateTime>().unwrap();
        let later = "2024-01-31T10:20:30.5".parse::<chrono::NaiveDateTime>().unwrap();
        for (value, text) in [
            (Value::from(true), "true"),
            (Value::from(-7), "-7"),
            (decimal("3.40"), "3.4"),
            (decimal("500.00"), "500"),
            (decimal("-0.50"), "-0.5"),
            (Value::from(at.date()), "2024-01-31"),
            (Value::from(at), "2024-01-31 10:20:00"),
            (Value::from(later), "2024-01-31 10:20:30.5"),
            (Value::from(later.time()), "10:20:30.5"),
        ] {
            assert_eq!(text_of(&value).as_deref(), Some(text));
        }
        assert_eq!(text_of(&Value::from(0.1)), None);
    }

    #[test]
    fn known_values_are_cast() {
        use DbValueType as T;
        for (value, to, cast) in [
            (Value::from("5"), T::Int32, Value::from(5)),
            (Value::from(-5.7), T::Int64, Value::from(-5)),
            (decimal("5.99"), T::Int32, Value::from(5)),
            (Value::from(7), T::Boolean, Value::from(true)),
            (Value::from("ab"), T::Binary, Value::from(&b"ab"[..])),
        ] {
            assert_eq!(cast_value(&value, to.into()).unwrap(), Some(cast));
        }
        assert!(cast_value(&Value::from("five"), T::Int32.into()).is_err());
        assert!(cast_value(&Value::from(1e30), T::Int32.into()).is_err());
    }
}
