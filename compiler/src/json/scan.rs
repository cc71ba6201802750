//! The tokens of a JSON text (RFC 8259), pulled one by one. Nothing here knows a node.

use std::borrow::Cow;

use super::error::{Fault, JsonErrorKind, Result};
use crate::expr::{Decimal, Value};

/// A place in a text.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte after the blanks; it is not taken.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return Ok(byte),
                None => return Err(Fault::syntax(self.at, "the text ends too early")),
            }
        }
    }

    /// Takes these bytes if they are next.
    #[inline]
    pub(super) fn take(&mut self, bytes: &[u8]) -> bool {
        let next = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(bytes));
        if next {
            self.at += bytes.len();
        }
        next
    }

    /// Takes the colon after a key.
    #[inline]
    pub(super) fn colon(&mut self) -> Result<()> {
        if self.byte() == Some(b':') || self.peek()? == b':' {
            self.at += 1;
            return Ok(());
        }
        Err(Fault::syntax(self.at, "a colon is missing"))
    }

    /// Only blanks may follow.
    pub(super) fn end(&mut self) -> Result<()> {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        match self.byte() {
            None => Ok(()),
            Some(_) => Err(Fault::syntax(self.at, "something follows the end of the value")),
        }
    }

    /// Takes `null`, `true` or `false`.
    pub(super) fn word(&mut self, word: &'static str) -> Result<()> {
        if self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            return Ok(());
        }
        Err(Fault::syntax(self.at, "neither a value nor its end"))
    }

    /// Takes a string; the place is at its quote. Borrowed when nothing is escaped.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        if let Some(length) = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))
            && rest.get(length) == Some(&b'"')
            && let Some(text) = self.text.get(start..start + length)
        {
            self.at = start + length + 1;
            return Ok(Cow::Borrowed(text));
        }
        self.escaped(start).map(Cow::Owned)
    }

    /// Takes the rest of a string with escapes in it, or finds out what is wrong with it.
    #[cold]
    fn escaped(&mut self, start: usize) -> Result<String> {
        let mut out = String::new();
        self.at = start;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let length = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
            out.push_str(self.text.get(self.at..self.at + length).unwrap_or_default());
            self.at += length;
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(Fault::syntax(self.at, "a control character in a string has to be escaped")),
                None => return Err(Fault::syntax(self.at, "a string has no end")),
            }
        }
    }

    /// Takes one escape; the place is at its backslash.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        let wrong = || Fault::syntax(start, "not an escape of JSON");
        self.at += 2;
        Ok(match self.text.as_bytes().get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let lone = || Fault::syntax(start, "half of a surrogate pair");
                let first = self.hex().ok_or_else(wrong)?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first).ok_or_else(lone);
                }
                if self.text.as_bytes().get(self.at..self.at + 2) != Some(b"\\u") {
                    return Err(lone());
                }
                self.at += 2;
                let second = self.hex().ok_or_else(wrong)?;
                if !(0xdc00..0xe000).contains(&second) {
                    return Err(lone());
                }
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or_else(lone)?
            }
            _ => return Err(wrong()),
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |n, digit| Some(n * 16 + char::from(*digit).to_digit(16)?))
    }

    /// Takes a number: whole if it has neither point nor exponent, else exact, else a double.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Value> {
        let start = self.at;
        let negative = self.byte() == Some(b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let mut magnitude = Some(0_u64);
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            magnitude = magnitude.and_then(|m| m.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let digits = self.at - first;
        if digits == 0 {
            return Err(Fault::syntax(start, "neither a value nor its end"));
        }
        if digits > 1 && self.text.as_bytes().get(first) == Some(&b'0') {
            return Err(Fault::syntax(start, "a number has no leading zeros"));
        }
        if matches!(self.byte(), Some(b'.' | b'e' | b'E')) {
            self.fraction()?;
        } else if let Some(magnitude) = magnitude {
            match i64::try_from(magnitude) {
                Ok(n) if negative => return Ok(Value::Int(-n)),
                Ok(n) => return Ok(Value::Int(n)),
                Err(_) if !negative => return Ok(Value::UInt(magnitude)),
                Err(_) if magnitude == i64::MIN.unsigned_abs() => return Ok(Value::Int(i64::MIN)),
                Err(_) => {}
            }
        }
        self.exact_or_double(start)
    }

    /// Takes a number whose value does not matter, which may be larger than any type.
    pub(super) fn skip_number(&mut self) -> Result<()> {
        let start = self.at;
        match self.number() {
            Err(fault) if !matches!(fault.kind, JsonErrorKind::BadValue { .. }) || self.at == start => Err(fault),
            _ => Ok(()),
        }
    }

    /// Takes the digits after the point, and the exponent.
    fn fraction(&mut self) -> Result<()> {
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(Fault::syntax(start, "a digit is missing")) } else { Ok(()) }
    }

    #[cold]
    fn exact_or_double(&self, start: usize) -> Result<Value> {
        let token = self.text.get(start..self.at).unwrap_or_default();
        if let Ok(exact) = token.parse::<Decimal>() {
            return Ok(exact.into());
        }
        match token.parse::<f64>() {
            Ok(double) if underflows(token, double) => {
                Err(Fault::bad_value(start, "number", "it is too near to 0 for a double"))
            }
            Ok(double) if double.is_finite() => Ok(Value::Float(double)),
            _ => Err(Fault::bad_value(start, "number", "it is too large for a double")),
        }
    }
}

/// Whether the number that a text gives has become 0.
pub(super) fn underflows(text: &str, number: f64) -> bool {
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    number == 0.0 && digits.bytes().any(|digit| matches!(digit, b'1'..=b'9'))
}
