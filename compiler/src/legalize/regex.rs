//! Regular expressions.

use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbValueType, Value};
use crate::frame::Scalar;
use crate::regex::{Fault, Pattern, Spelling, parse, settled, write};

use super::{Cx, Rule};

impl<'a, 'e> Cx<'a, 'e> {
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
    pub(crate) fn regex(&mut self, pattern: Scalar<'a, 'e>, test: bool) -> Result<Scalar<'a, 'e>> {
        let text = match self.value_of(&pattern) {
            Some(Value::Text(text)) if test && is_plain(text) => return self.regex_fits(pattern, text.len()),
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Null) => return Ok(pattern),
            None if pattern.ty.is_none_or(|ty| ty.base.is_text() && !ty.array) => {
                self.note(Feature::Regex, Rule::RegexComputed);
                return Ok(pattern);
            }
            _ => return Err(Self::misplaced("a regular expression that is no text", "it is a text")),
        };
        let read = parse(&text).map_err(fault)?;
        if !test {
            settled(&read).map_err(|why| fault(Fault { at: text.chars().count(), why }))?;
        }
        let spelling = self.regex_spelling(&read, test)?;
        let Some(written) = write(&read, &spelling) else {
            let why = "it has none: at the ends of a pattern that is only tested, beside a character that is known, it is \
                       written out; write `(^|[^0-9A-Za-z_])` where it is meant";
            return Err(self.target.refused(Feature::RegexBorder.title(), why));
        };
        let length = written.len();
        if written == *text {
            return self.regex_fits(pattern, length);
        }
        let ty = pattern.ty.unwrap_or_else(|| DbValueType::String.into());
        let pattern = self.made_like(&pattern, Value::Text(written.into()), ty);
        self.regex_fits(pattern, length)
    }

    fn regex_fits(&self, pattern: Scalar<'a, 'e>, length: usize) -> Result<Scalar<'a, 'e>> {
        let limit = self.target.dialect().sheet().limits.regex;
        if length <= limit {
            return Ok(pattern);
        }
        let why = format!("it takes at most {limit} bytes");
        Err(self.target.refused(format!("a regular expression of {length} bytes"), why))
    }

    /// How the target spells what occurs in a pattern.
    fn regex_spelling(&mut self, read: &Pattern<'_>, test: bool) -> Result<Spelling> {
        let uses = read.uses;
        if uses.named {
            self.note(Feature::Regex, Rule::RegexAscii);
        }
        for (used, feature) in [(uses.look, Feature::RegexLook), (uses.back, Feature::RegexReference)] {
            if used {
                self.need(feature)?;
            }
        }
        let mut has = |used: bool, feature: Feature| {
            Ok::<_, crate::Error>(if used { self.rule_for(feature)?.is_none() } else { self.target.has(feature) })
        };
        Ok(Spelling {
            end: if has(uses.end, Feature::RegexEnd)? { "$" } else { "\\z" },
            any: if has(uses.any, Feature::RegexAny)? { "." } else { "[\\s\\S]" },
            plain_group: has(uses.plain_group, Feature::RegexGroup)?,
            class_escape: has(uses.class, Feature::RegexClass)?,
            border: has(uses.border, Feature::RegexBorder)?,
            look: self.target.has(Feature::RegexLook),
            test,
        })
    }
}

/// Whether nothing in the text has a meaning to any engine.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b'_')
}

fn fault(fault: Fault) -> crate::Error {
    ErrorKind::Regex { at: fault.at, why: fault.why }.into()
}
