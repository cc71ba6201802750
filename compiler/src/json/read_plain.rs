//! Reads plain values: literals, lists, dictionaries, and values wrapped with their type.

use compact_str::CompactString;

use super::error::{Fault, JsonErrorKind, Result, nearest, shown};
use super::native::Native;
use super::reader::{Key, Object, Reader};
use super::scan::Scanner;
use super::words;
use crate::expr::Value;

impl Reader<'_> {
    /// Reads a value that holds no node.
    #[inline]
    pub(super) fn plain(&mut self) -> Result<Value> {
        match self.scan.peek()? {
            b'"' => Ok(Value::Text(CompactString::from(self.scan.string()?))),
            b'-' | b'0'..=b'9' => self.scan.number(),
            _ => self.rare_plain(),
        }
    }

    #[inline(never)]
    fn rare_plain(&mut self) -> Result<Value> {
        match self.scan.peek()? {
            b'n' => self.scan.word("null").map(|()| Value::Null),
            b't' => self.scan.word("true").map(|()| Value::Bool(true)),
            b'f' => self.scan.word("false").map(|()| Value::Bool(false)),
            b'[' => Ok(Value::List(self.list(Self::plain)?.into())),
            b'{' => self.plain_object(),
            _ => Err(Fault::syntax(self.scan.at, "neither a value nor its end")),
        }
    }

    /// `{"$datetime":..}` and its like, or a dictionary.
    #[inline(never)]
    fn plain_object(&mut self) -> Result<Value> {
        let mut object = self.object("a dictionary")?;
        let Some(key) = self.key(&mut object)? else { return Ok(Value::Map([].into())) };
        if !words::is_marker(&key.text) {
            return self.dictionary(object, Some(key), false);
        }
        let Some(native) = Native::of_marker(&key.text) else {
            if words::KEYS.iter().any(|(name, _)| *name == key.text) || key.text == "$" {
                return Err(Fault::new(key.at, JsonErrorKind::ReservedKey { key: shown(&key.text) }));
            }
            let near = nearest(&key.text, Native::ALL.iter().map(|native| native.marker()));
            return Err(Fault::new(key.at, JsonErrorKind::UnknownMarker { marker: shown(&key.text), near }));
        };
        let value = self.native(native)?;
        self.finish(&mut object)?;
        Ok(value)
    }

    /// A typed value in a slot for nodes.
    #[inline(never)]
    pub(super) fn native_node(&mut self, mut object: Object, native: Native) -> Result<Value> {
        let value = self.native(native)?;
        self.finish(&mut object)?;
        Ok(value)
    }

    /// Takes the entries of a dictionary, the first of which may have been begun.
    fn dictionary(&mut self, mut object: Object, first: Option<Key<'_>>, any_key: bool) -> Result<Value> {
        let mut entries: Vec<(CompactString, Value)> = Vec::new();
        if let Some(key) = first {
            entries.push((CompactString::from(key.text), self.plain()?));
        }
        while let Some(key) = self.key(&mut object)? {
            if !any_key && words::is_marker(&key.text) {
                return Err(Fault::new(key.at, JsonErrorKind::ReservedKey { key: shown(&key.text) }));
            }
            entries.push((CompactString::from(key.text), self.plain()?));
        }
        let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair.first() == pair.last()).and_then(|pair| pair.first()) {
            Some(key) => Err(Fault::new(object.at, JsonErrorKind::DuplicateKey { key: shown(key) })),
            None => Ok(Value::Map(entries.into())),
        }
    }

    /// Takes what a type marker holds.
    fn native(&mut self, native: Native) -> Result<Value> {
        let at = self.place()?;
        if native == Native::Map {
            let object = self.object("a dictionary")?;
            return self.dictionary(object, None, true);
        }
        let number = matches!(self.scan.byte(), Some(b'-' | b'0'..=b'9'));
        if number && matches!(native, Native::Decimal | Native::Double) {
            return self.number_as(native, at);
        }
        let text = self.text("a text")?;
        let found = match native {
            Native::Json if self.check_json(&text).is_none() => Err(native.why_not(&text)),
            _ => native.read(&text),
        };
        found.map_err(|why| Fault::bad_value(at, native.title(), why))
    }

    /// Takes a number with its type.
    fn number_as(&mut self, native: Native, at: usize) -> Result<Value> {
        let negative = self.scan.byte() == Some(b'-');
        let value = self.scan.number()?;
        if native == Native::Double {
            let double = match &value {
                Value::Float(double) => *double,
                other => other.to_decimal().map_or(f64::NAN, |exact| exact.to_f64()),
            };
            // A zero of a decimal has no sign.
            return Ok(Value::Float(if negative && double == 0.0 { -0.0 } else { double }));
        }
        let exact = value.to_decimal().filter(|_| !matches!(value, Value::Float(_)));
        exact.map(Value::from).ok_or_else(|| Fault::bad_value(at, native.title(), native.why_not("")))
    }

    /// Whether a text is a JSON document, within the limit of depth.
    fn check_json(&self, text: &str) -> Option<()> {
        let mut inner = Reader::new(text, &self.limits());
        inner.skip().ok()?;
        Scanner { text, at: inner.scan.at }.end().ok()
    }
}
