//! Patterns of `Format` with tokens that the engine lacks.

use crate::dialect::FormatToken;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Arith, CompareOp, Literal, Scalar, ScalarKind};
use crate::functions::Func;

use super::{Cx, Rule, arithmetic, call, cast, compare, logic};

/// A date as text by a pattern, some of whose tokens the engine lacks.
///
/// ```sql
/// -- before                      -- after
/// Format(at, 'd.M.yyyy')         CAST(SUBSTR(at, 9, 2) AS INTEGER) || '.' || .. || STRFTIME('.%Y', at)
/// Format(at, 'MMM')              SUBSTR('JanFebMarAprMayJunJulAugSepOctNovDec', (month - 1) * 3 + 1, 3)
/// ```
///
/// Exact. What stands together and the engine can write is one piece of it.
pub(crate) fn format_parts<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    time: Scalar<'a, 'e>,
    tokens: &[FormatToken<'_>],
) -> Result<Scalar<'a, 'e>> {
    call::notes_call(cx, Func::Format, Rule::FormatParts);
    let mut parts = cx.vec(tokens.len());
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        let mut length = 0;
        let mut pattern = None;
        for end in 1..=rest.len() {
            match rest.get(..end).map(|run| cx.target.dialect().format_pattern(run)) {
                Some(Ok(run)) => (length, pattern) = (end, Some(run)),
                _ => break,
            }
        }
        match pattern {
            Some(pattern) => {
                let run = rest.get(..length).unwrap_or_default();
                parts.push(match only_text(run) {
                    Some(text) => made_text_constant(cx, text),
                    None => native_format(cx, time, pattern)?,
                });
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                parts.push(format_token(cx, time, *first)?);
                rest = after;
            }
        }
    }
    let text = match parts.as_slice() {
        [one] => cast::as_text(cx, *one)?,
        _ => arithmetic::concat(cx, &parts)?,
    };
    Ok(text)
}

fn native_format<'a, 'e>(cx: &mut Cx<'a, 'e>, time: Scalar<'a, 'e>, pattern: String) -> Result<Scalar<'a, 'e>> {
    let pattern = made_text_constant(cx, pattern);
    call::call(cx, Func::Format, &[time, pattern], Some(DbValueType::String.into()))
}

/// One token.
fn format_token<'a, 'e>(cx: &mut Cx<'a, 'e>, time: Scalar<'a, 'e>, token: FormatToken<'_>) -> Result<Scalar<'a, 'e>> {
    use FormatToken as T;
    let int = Some(DbType::from(DbValueType::Int32));
    match token {
        T::Year2 => {
            let year = call::call(cx, Func::Year, &[time], int)?;
            last_digits(cx, year, 2)
        }
        T::Month => call::call(cx, Func::Month, &[time], int),
        T::Day => call::call(cx, Func::Day, &[time], int),
        T::Hour24Plain => call::call(cx, Func::Hour, &[time], int),
        T::Hour12Plain => hour_of_twelve(cx, time),
        T::Hour12 => {
            let hour = hour_of_twelve(cx, time)?;
            last_digits(cx, hour, 2)
        }
        T::Millisecond => {
            let thousandths = call::call(cx, Func::Millisecond, &[time], int)?;
            last_digits(cx, thousandths, 3)
        }
        T::AmPm => {
            let hour = call::call(cx, Func::Hour, &[time], int)?;
            let morning = compare::compare(cx, hour, CompareOp::Less, cx.int(12))?;
            let evening = logic::not(cx, morning);
            let (am, pm) = (cx.literal_text(&"AM"), cx.literal_text(&"PM"));
            let ty = Some(DbValueType::String.into());
            if time.nullable {
                return Ok(logic::case_when(cx, &[(morning, am), (evening, pm)], None, ty));
            }
            Ok(logic::case_when(cx, &[(morning, am)], Some(pm), ty))
        }
        T::MonthShort => name_of(cx, Func::Month, time, &"JanFebMarAprMayJunJulAugSepOctNovDec", 3),
        T::DayShort => name_of(cx, Func::DayOfWeek, time, &"SunMonTueWedThuFriSat", 3),
        T::MonthName => {
            let names = &"January  February March    April    May      June     July     August   September\
                          October  November December ";
            name_of(cx, Func::Month, time, names, 9)
        }
        T::DayName => {
            let names = &"Sunday   Monday   Tuesday  WednesdayThursday Friday   Saturday ";
            name_of(cx, Func::DayOfWeek, time, names, 9)
        }
        other => {
            // What every engine has; so this is the dialect's own refusal.
            let pattern = cx.target.dialect().format_pattern(&[other])?;
            native_format(cx, time, pattern)
        }
    }
}

/// The hour from 1 to 12: `(hour + 11) % 12 + 1`.
fn hour_of_twelve<'a, 'e>(cx: &mut Cx<'a, 'e>, time: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let hour = call::call(cx, Func::Hour, &[time], Some(DbValueType::Int32.into()))?;
    let later = arithmetic::arithmetic(cx, Arith::Add, hour, cx.int(11))?;
    let rest = arithmetic::arithmetic(cx, Arith::Modulo, later, cx.int(12))?;
    arithmetic::arithmetic(cx, Arith::Add, rest, cx.int(1))
}

/// The last digits of a number, with zeros in front.
fn last_digits<'a, 'e>(cx: &mut Cx<'a, 'e>, number: Scalar<'a, 'e>, digits: i64) -> Result<Scalar<'a, 'e>> {
    let zeros = cx.literal_text(&"00");
    let text = arithmetic::concat(cx, &[zeros, number])?;
    call::call(cx, Func::Right, &[text, cx.int(digits)], Some(DbValueType::String.into()))
}

/// A name out of a list of names that are all as long, with blanks at the end.
fn name_of<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    part: Func,
    time: Scalar<'a, 'e>,
    names: &'static &'static str,
    length: i64,
) -> Result<Scalar<'a, 'e>> {
    let text = Some(DbValueType::String.into());
    let mut number = call::call(cx, part, &[time], Some(DbValueType::Int32.into()))?;
    if part == Func::Month {
        number = arithmetic::arithmetic(cx, Arith::Subtract, number, cx.int(1))?;
    }
    let at = arithmetic::arithmetic(cx, Arith::Multiply, number, cx.int(length))?;
    let name = call::call(cx, Func::Substring, &[cx.literal_text(names), at, cx.int(length)], text)?;
    if length == 3 { Ok(name) } else { call::call(cx, Func::TrimEnd, &[name], text) }
}

fn made_text_constant<'a, 'e>(cx: &mut Cx<'a, 'e>, text: String) -> Scalar<'a, 'e> {
    let index = u32::try_from(cx.made.len()).unwrap_or(u32::MAX);
    cx.made.push(Value::from(text));
    let ty = Some(DbValueType::String.into());
    Scalar { kind: ScalarKind::Literal(Literal::Made(index)), ty, nullable: false, column: None, text: None }
}

/// The text of tokens that are nothing else.
fn only_text(tokens: &[FormatToken<'_>]) -> Option<String> {
    tokens.iter().map(|token| if let FormatToken::Text(text) = token { Some(*text) } else { None }).collect()
}
