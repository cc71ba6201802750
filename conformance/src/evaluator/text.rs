//! Texts: as what a value is written, patterns, and the functions of texts.
//!
//! A position or length below 0 is taken for 0, one beyond the end for the end.

use isogloss_compiler::expr::{LogicOperator as Op, Value};
use isogloss_compiler::functions::Func;

use super::{Result, unsupported};

/// The text of a value, as a CAST writes it; none of NULL.
pub(crate) fn of(value: &Value) -> Result<Option<String>> {
    let seconds = |text: String| {
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if text.contains('.') { short.to_owned() } else { text }
    };
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Text(text) => text.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Decimal(number) => number.normalize().to_string(),
        Value::Date(date) => date.format("%Y-%m-%d").to_string(),
        Value::Time(time) => seconds(time.format("%H:%M:%S%.6f").to_string()),
        Value::DateTime(time) => seconds(time.format("%Y-%m-%d %H:%M:%S%.6f").to_string()),
        other => match other.word() {
            Some(word) => word.to_string(),
            None => return unsupported(format!("the text of {}", other.kind())),
        },
    }))
}

/// Whether a text is like another, by an operator of the LIKE family without its negation.
pub(crate) fn matches(text: &str, operator: Op, pattern: &str) -> Result<bool> {
    let folded = matches!(operator, Op::ILike | Op::IContains | Op::IStartsWith | Op::IEndsWith);
    let (text, pattern) =
        if folded { (text.to_lowercase(), pattern.to_lowercase()) } else { (text.to_owned(), pattern.to_owned()) };
    Ok(match operator {
        Op::Like | Op::ILike => like(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>()),
        Op::Contains | Op::IContains => text.contains(&pattern),
        Op::StartsWith | Op::IStartsWith => text.starts_with(&pattern),
        Op::EndsWith | Op::IEndsWith => text.ends_with(&pattern),
        _ => return unsupported("a regular expression"),
    })
}

/// `%` is any text, `_` any character, and what stands behind a `\` itself; a `\` at the very end means itself, too.
fn like(text: &[char], pattern: &[char]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        (['%', rest @ ..], _) => (0..=text.len()).any(|at| like(text.get(at..).unwrap_or_default(), rest)),
        (['_', rest @ ..], [_, text @ ..]) => like(text, rest),
        (['\\', wanted, rest @ ..], [first, text @ ..]) => first == wanted && like(text, rest),
        (['_'] | ['_', ..] | ['\\', _, ..], []) => false,
        ([wanted, rest @ ..], [first, text @ ..]) => first == wanted && like(text, rest),
        (_, []) => false,
    }
}

/// An argument of a function of texts.
enum TextArg {
    Text(Vec<char>),
    Number(usize),
}

/// A function of texts, none of whose arguments is NULL; none if it is no such function.
pub(crate) fn function(func: Func, args: &[Value]) -> Result<Option<Value>> {
    let mut list = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        list.push(match (func.signature().arg(index), arg) {
            (isogloss_compiler::functions::ArgKind::Int, Value::Int(number)) => {
                // Nothing is a million characters long.
                TextArg::Number(usize::try_from((*number).clamp(0, 1_000_000)).unwrap_or(0))
            }
            (_, other) => match of(other)? {
                Some(text) => TextArg::Text(text.chars().collect()),
                // Functions that are NULL then have been answered before.
                None => return Ok(None),
            },
        });
    }
    use TextArg::{Number as N, Text as T};
    let slice = |text: &[char], from: usize, count: usize| -> Vec<char> {
        text.iter().skip(from).take(count).copied().collect()
    };
    let found = match (func, list.as_slice()) {
        (Func::Length, [T(text)]) => return Ok(Some(length(text.len()))),
        (Func::ByteLength, [T(text)]) => {
            return Ok(Some(length(text.iter().map(|c| c.len_utf8()).sum())));
        }
        (Func::Lower, [T(text)]) => return Ok(Some(string(text).to_lowercase().into())),
        (Func::Upper, [T(text)]) => return Ok(Some(string(text).to_uppercase().into())),
        (Func::Trim | Func::TrimStart | Func::TrimEnd, [T(text), rest @ ..]) => {
            let set = match rest {
                [T(set)] => set.clone(),
                _ => vec![' '],
            };
            let text = string(text);
            let any = |c: char| set.contains(&c);
            let text = if func == Func::TrimEnd { &*text } else { text.trim_start_matches(any) };
            let text = if func == Func::TrimStart { text } else { text.trim_end_matches(any) };
            return Ok(Some(text.into()));
        }
        (Func::Substring, [T(text), N(from)]) => slice(text, *from, usize::MAX),
        (Func::Substring, [T(text), N(from), N(count)]) => slice(text, *from, *count),
        (Func::Left, [T(text), N(count)]) => slice(text, 0, *count),
        (Func::Right, [T(text), N(count)]) => slice(text, text.len().saturating_sub(*count), *count),
        (Func::Remove, [T(text), N(from)]) => slice(text, 0, *from),
        (Func::Remove, [T(text), N(from), N(count)]) => {
            [slice(text, 0, *from), slice(text, from + count, usize::MAX)].concat()
        }
        (Func::Insert, [T(text), N(at), T(part)]) => {
            [slice(text, 0, *at), part.clone(), slice(text, *at, usize::MAX)].concat()
        }
        (Func::IndexOf, [T(text), T(part), rest @ ..]) => {
            let from = match rest {
                [N(from)] => *from,
                _ => 0,
            };
            // The empty text is found where the search begins, unless that is after the end.
            if part.is_empty() {
                return Ok(Some(if from <= text.len() { length(from) } else { Value::Int(-1) }));
            }
            let at = (from..text.len()).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(part)));
            return Ok(Some(at.map_or(Value::Int(-1), length)));
        }
        (Func::Replace, [T(text), T(old), T(new)]) => {
            // Nothing is found nowhere.
            let text = string(text);
            let done = if old.is_empty() { text } else { text.replace(&string(old), &string(new)) };
            return Ok(Some(done.into()));
        }
        (Func::PadLeft | Func::PadRight, [T(text), N(count), rest @ ..]) => {
            let fill = match rest {
                [] => ' ',
                [T(fill)] if fill.len() == 1 => fill.first().copied().unwrap_or(' '),
                _ => return unsupported("a filling of several characters"),
            };
            let fill = vec![fill; count.saturating_sub(text.len())];
            if func == Func::PadLeft { [fill, text.clone()].concat() } else { [text.clone(), fill].concat() }
        }
        (Func::Repeat, [T(text), N(count)]) => text.repeat(*count),
        (Func::Space, [N(count)]) => vec![' '; *count],
        (Func::Reverse, [T(text)]) => text.iter().rev().copied().collect(),
        (Func::Ascii, [T(text)]) => match text.first() {
            Some(c) if c.is_ascii() => return Ok(Some(i64::from(u32::from(*c)).into())),
            _ => return unsupported("the ASCII code of what is none"),
        },
        (Func::Char, [N(code)]) => match u8::try_from(*code) {
            Ok(code @ 1..=127) => vec![char::from(code)],
            _ => return unsupported("the character of what is no ASCII code"),
        },
        _ => return Ok(None),
    };
    Ok(Some(string(&found).into()))
}

fn string(text: &[char]) -> String {
    text.iter().collect()
}

fn length(count: usize) -> Value {
    i64::try_from(count).map_or(Value::Null, Value::Int)
}
