//! Regular expressions.

use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbValueType, Value};
use crate::frame::Scalar;
use crate::regex::{Pattern, PatternFault, PatternSpelling, parse, settled, write};

use super::{Cx, Rule, cast};

/// A regular expression that means the same as on every other engine; `test` if nothing counts but whether there is
/// a match.
///
/// ```sql
/// -- before               -- after, each on some engine
/// a ~ '^\d+$'             a REGEXP '^[0-9]+\z'
/// a ~ '\bx'               REGEXP_LIKE(a, '(^|[^0-9A-Z_a-z])x')
/// ```
///
/// Exact for a pattern that is known; a computed one has a note. This is the one place where the value of a pattern
/// is looked at.
pub(crate) fn regex<'a, 'e>(cx: &mut Cx<'a, 'e>, pattern: Scalar<'a, 'e>, test: bool) -> Result<Scalar<'a, 'e>> {
    let text = match cx.value_of(&pattern) {
        Some(Value::Text(text)) if test && is_plain(text) => return regex_fits(cx, pattern, text.len()),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Null) => return Ok(pattern),
        None if pattern.ty.is_none_or(|ty| ty.base.is_text() && !ty.array) => {
            cx.note(Feature::Regex, Rule::RegexComputed);
            return Ok(pattern);
        }
        _ => return Err(Cx::misplaced("a regular expression that is no text", "it is a text")),
    };
    let read = parse(&text).map_err(fault)?;
    if !test {
        settled(&read).map_err(|why| fault(PatternFault { at: text.chars().count(), why }))?;
    }
    let spelling = regex_spelling(cx, &read, test)?;
    let Some(written) = write(&read, &spelling) else {
        let why = "it has none: at the ends of a pattern that is only tested, beside a character that is known, it is \
                   written out; write `(^|[^0-9A-Za-z_])` where it is meant";
        return Err(cx.target.refused(Feature::RegexBorder.title(), why));
    };
    let length = written.len();
    if written == *text {
        return regex_fits(cx, pattern, length);
    }
    let ty = pattern.ty.unwrap_or_else(|| DbValueType::String.into());
    let pattern = cast::made_like(cx, &pattern, Value::Text(written.into()), ty);
    regex_fits(cx, pattern, length)
}

fn regex_fits<'a, 'e>(cx: &Cx<'a, 'e>, pattern: Scalar<'a, 'e>, length: usize) -> Result<Scalar<'a, 'e>> {
    let limit = cx.target.dialect().sheet().limits.regex;
    if length <= limit {
        return Ok(pattern);
    }
    let why = format!("it takes at most {limit} bytes");
    Err(cx.target.refused(format!("a regular expression of {length} bytes"), why))
}

/// How the target spells what occurs in a pattern.
fn regex_spelling(cx: &mut Cx<'_, '_>, read: &Pattern<'_>, test: bool) -> Result<PatternSpelling> {
    let uses = read.uses;
    if uses.named {
        cx.note(Feature::Regex, Rule::RegexAscii);
    }
    for (used, feature) in [(uses.look, Feature::RegexLook), (uses.back, Feature::RegexReference)] {
        if used {
            cx.need(feature)?;
        }
    }
    let mut has = |used: bool, feature: Feature| {
        Ok::<_, crate::Error>(if used { cx.rule_for(feature)?.is_none() } else { cx.target.has(feature) })
    };
    Ok(PatternSpelling {
        end: if has(uses.end, Feature::RegexEnd)? { "$" } else { "\\z" },
        any: if has(uses.any, Feature::RegexAny)? { "." } else { "[\\s\\S]" },
        plain_group: has(uses.plain_group, Feature::RegexGroup)?,
        class_escape: has(uses.class, Feature::RegexClass)?,
        border: has(uses.border, Feature::RegexBorder)?,
        look: cx.target.has(Feature::RegexLook),
        test,
    })
}

/// The replacement of a regular expression stands for itself: what means a group to the engine is escaped.
pub(super) fn plain_replacement<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
    let Some(slot) = args.get_mut(2) else { return Ok(()) };
    let escaped = match cx.value_of(slot) {
        Some(Value::Null) => return Ok(()),
        Some(Value::Text(text)) => match cx.target.dialect().regexp_replacement(text) {
            Some(std::borrow::Cow::Borrowed(_)) => return Ok(()),
            Some(std::borrow::Cow::Owned(escaped)) => Value::from(escaped),
            None => {
                let why =
                    "it has a meaning there, and no way to take it away is documented: replace another text for it";
                let what = match (text.contains('&'), text.contains('\\')) {
                    (true, true) => "`&` or `\\`",
                    (false, true) => "`\\`",
                    _ => "`&`",
                };
                let what = format!("{what} in the replacement of a regular expression");
                return Err(cx.target.refused(what, why));
            }
        },
        _ => {
            let why = "engines read different groups in it, which are escaped while compiling: give a plain text";
            return Err(cx.target.refused("a computed replacement", why));
        }
    };
    *slot = cast::made_like(cx, slot, escaped, DbValueType::String.into());
    Ok(())
}

/// Whether nothing in the text has a meaning to any engine.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b'_')
}

fn fault(fault: PatternFault) -> crate::Error {
    ErrorKind::Regex { at: fault.at, why: fault.why }.into()
}
