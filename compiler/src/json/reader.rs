//! Objects and lists of a text: which node an object is, its keys in any order, the limits.
//!
//! Invariant: no tree of the JSON is built. An object whose marker comes first is read in one pass; for one where it
//! does not, the place of its marker, and of those of all objects in it, is looked up once (`Reader::index`), so that
//! the work stays linear in the length of the text.

use std::borrow::Cow;

use compact_str::CompactString;

use super::ReadLimits;
use super::error::{Fault, JsonErrorKind, Result, foreign_word, nearest, shown};
use super::native::Native;
use super::scan::Scanner;
use super::words::{self, Marker, WordRow};
use crate::expr::{BadName, Name, Value};

/// Reads a text. The nodes are in the files beside.
pub struct Reader<'a> {
    pub(super) scan: Scanner<'a>,
    pub(super) limits: ReadLimits,
    pub(super) depth: usize,
    pub(super) nodes: usize,
    /// Whether the text is the program's own: what it calls a constant is one.
    pub(super) own: bool,
    /// The objects before `indexed_to` with the place of their markers, in the order of the text.
    pub(super) index: Vec<(usize, Option<usize>)>,
    pub(super) indexed_to: usize,
}

/// How far an object has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The marker was its first key: a comma or the end is next.
    AfterMarker,
    /// The marker's value was read ahead of the keys before it: these are next.
    Ahead,
    /// The first key is next.
    First,
    /// A comma or the end is next.
    More,
}

/// An object that is being read.
pub(super) struct Object {
    /// Where it begins.
    pub(super) at: usize,
    /// Which node it is.
    pub(super) marker: Marker,
    /// Whether the marker is a text under `$`: the node's first part has a key of its own then.
    pub(super) long: bool,
    marker_at: usize,
    marker_end: usize,
    progress: Progress,
}

impl Object {
    /// An object whose marker is its first key, without blanks before it.
    #[inline]
    pub(super) fn marked(at: usize, marker: Marker, long: bool) -> Self {
        Self { at, marker, long, marker_at: at + 1, marker_end: usize::MAX, progress: Progress::AfterMarker }
    }
}

/// A key of an object; the place is at its value.
pub(super) struct Key<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) at: usize,
}

/// Reads all keys of an object, each at most once; an unknown key is an error.
macro_rules! keys {
    ($reader:ident, $object:ident, { $($name:literal $(if $guard:expr)? => $slot:ident = $read:expr,)* }) => {
        while let Some(key) = $reader.key(&mut $object)? {
            match &*key.text {
                $($name $(if $guard)? => $reader.once(&mut $slot, &key, $read)?,)*
                _ => return Err($reader.unknown(&$object, &key, &[$($name),*])),
            }
        }
    };
}
pub(super) use keys;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, limits: &ReadLimits) -> Self {
        Self {
            scan: Scanner { text, at: 0 },
            limits: *limits,
            depth: 0,
            nodes: 0,
            own: false,
            index: Vec::new(),
            indexed_to: 0,
        }
    }

    /// The place of the next token.
    pub(super) fn place(&mut self) -> Result<usize> {
        self.scan.peek()?;
        Ok(self.scan.at)
    }

    #[inline]
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(Fault::new(self.scan.at, JsonErrorKind::TooDeep { limit: self.limits.depth }));
        }
        Ok(())
    }

    /// Counts a node.
    #[inline]
    pub(super) fn count(&mut self) -> Result<()> {
        self.count_many(1)
    }

    /// Counts so many nodes.
    #[inline]
    pub(super) fn count_many(&mut self, nodes: usize) -> Result<()> {
        self.nodes += nodes;
        if self.nodes > self.limits.nodes {
            return Err(Fault::new(self.scan.at, JsonErrorKind::TooManyNodes { limit: self.limits.nodes }));
        }
        Ok(())
    }

    /// Begins the object of a node; the place is at its brace. After it, the place is at the marker's value or, in the
    /// long form, behind the object's kind.
    #[inline]
    pub(super) fn node(&mut self) -> Result<Object> {
        let at = self.scan.at;
        self.enter()?;
        self.count()?;
        if self.scan.take(b"{\"$\":\"") {
            self.scan.at -= 1;
            let marker = self.kind()?;
            return Ok(Object::marked(at, marker, true));
        }
        self.scan.at += 1;
        match self.scan.peek()? {
            b'"' => {}
            b'}' => return Err(Fault::new(at, JsonErrorKind::NoMarker)),
            _ => return Err(Fault::syntax(self.scan.at, "a key is missing")),
        }
        let marker_at = self.scan.at;
        let key = self.scan.string()?;
        if !words::is_marker(&key) {
            return self.node_by_index(at);
        }
        self.scan.colon()?;
        self.marked(at, marker_at, &key, Progress::AfterMarker)
    }

    #[cold]
    fn node_by_index(&mut self, at: usize) -> Result<Object> {
        let marker_at = self.marker_of(at)?.ok_or_else(|| Fault::new(at, JsonErrorKind::NoMarker))?;
        self.scan.at = marker_at;
        let key = self.scan.string()?;
        self.scan.colon()?;
        self.marked(at, marker_at, &key, Progress::Ahead)
    }

    #[inline]
    fn marked(&mut self, at: usize, marker_at: usize, key: &str, progress: Progress) -> Result<Object> {
        let (marker, long) = match key.as_bytes() {
            b"$" => (self.kind()?, true),
            b"#" => (Marker::Property, false),
            b"@" => (Marker::Param, false),
            b"$and" => (Marker::And, false),
            _ => (self.marker(key, marker_at)?, false),
        };
        Ok(Object { at, marker, long, marker_at, marker_end: usize::MAX, progress })
    }

    fn marker(&self, key: &str, at: usize) -> Result<Marker> {
        let node = words::KEYS.iter().find(|(name, _)| *name == key).map(|(_, marker)| *marker);
        let native = || Native::of_marker(key).map(Marker::Native);
        node.or_else(native).ok_or_else(|| {
            let known =
                words::KEYS.iter().map(|(name, _)| *name).chain(Native::ALL.iter().map(|native| native.marker()));
            let near = foreign_word(key).or_else(|| nearest(key, known));
            Fault::new(at, JsonErrorKind::UnknownMarker { marker: shown(key), near })
        })
    }

    /// Takes the text under `$`.
    #[inline]
    fn kind(&mut self) -> Result<Marker> {
        let at = self.place()?;
        let word = self.text("the name of a node or operator")?;
        words::kind(&word).ok_or_else(|| {
            let near = foreign_word(&word).or_else(|| nearest(&word, words::kinds()));
            Fault::new(at, JsonErrorKind::UnknownMarker { marker: shown(&word), near })
        })
    }

    /// Begins an object that has no marker; the place is at its brace.
    pub(super) fn object(&mut self, expected: &'static str) -> Result<Object> {
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(expected));
        }
        let at = self.scan.at;
        self.enter()?;
        self.scan.at += 1;
        Ok(Object {
            at,
            marker: Marker::Param,
            long: true,
            marker_at: usize::MAX,
            marker_end: usize::MAX,
            progress: Progress::First,
        })
    }

    /// The next key of an object, or its end.
    #[inline]
    pub(super) fn key(&mut self, object: &mut Object) -> Result<Option<Key<'a>>> {
        loop {
            if object.progress == Progress::Ahead {
                object.marker_end = self.scan.at;
                self.scan.at = object.at + 1;
                object.progress = Progress::First;
            }
            match (self.scan.peek()?, object.progress) {
                (b'}', _) => {
                    self.scan.at += 1;
                    self.depth -= 1;
                    return Ok(None);
                }
                (b',', Progress::More | Progress::AfterMarker) => {
                    self.scan.at += 1;
                    if self.scan.peek()? != b'"' {
                        return Err(Fault::syntax(self.scan.at, "a key is missing"));
                    }
                }
                (b'"', Progress::First) => {}
                (_, Progress::First) => return Err(Fault::syntax(self.scan.at, "a key is missing")),
                _ => return Err(Fault::syntax(self.scan.at, "a comma or the end of the object is missing")),
            }
            if object.progress != Progress::AfterMarker {
                object.progress = Progress::More;
            }
            let at = self.scan.at;
            let text = self.scan.string()?;
            self.scan.colon()?;
            if at != object.marker_at {
                return Ok(Some(Key { text, at }));
            }
            self.scan.at = object.marker_end;
        }
    }

    /// The object must end here.
    #[inline]
    pub(super) fn finish(&mut self, object: &mut Object) -> Result<()> {
        match self.key(object)? {
            None => Ok(()),
            Some(key) => Err(self.unknown(object, &key, &[])),
        }
    }

    /// Reads what a key holds, once.
    #[inline]
    pub(super) fn once<T>(
        &mut self,
        slot: &mut Option<T>,
        key: &Key<'a>,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<()> {
        if slot.is_some() {
            return Err(duplicate(key));
        }
        *slot = Some(read(self)?);
        Ok(())
    }

    /// The error about a key that the object does not have, or has had.
    #[cold]
    pub(super) fn unknown(&mut self, object: &Object, key: &Key<'a>, known: &[&'static str]) -> Box<Fault> {
        self.scan.at = object.marker_at;
        if object.marker_at != usize::MAX && self.scan.string().is_ok_and(|marker| marker == key.text) {
            return duplicate(key);
        }
        let near = nearest(&key.text, known.iter().copied());
        Fault::new(key.at, JsonErrorKind::UnknownKey { key: shown(&key.text), near })
    }

    /// What must have been there.
    #[inline]
    pub(super) fn need<T>(&self, slot: Option<T>, object: &Object, key: &'static str) -> Result<T> {
        slot.ok_or_else(|| Fault::new(object.at, JsonErrorKind::MissingKey { key }))
    }

    /// The value of the marker in the short form; nothing in the long one.
    #[inline]
    pub(super) fn lead<T>(&mut self, object: &Object, read: fn(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if object.long { Ok(None) } else { read(self).map(Some) }
    }

    /// Takes a list.
    #[inline]
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.each(|reader| {
            items.push(read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// Takes a list, item by item.
    #[inline]
    pub(super) fn each(&mut self, mut read: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.scan.peek()? != b'[' {
            return Err(self.wrong("a list"));
        }
        let at = self.scan.at;
        self.enter()?;
        self.scan.at += 1;
        if self.scan.peek()? != b']' {
            let mut count = 0;
            loop {
                count += 1;
                if count > self.limits.list {
                    return Err(Fault::new(at, JsonErrorKind::TooLong { limit: self.limits.list }));
                }
                read(self)?;
                match self.scan.peek()? {
                    b',' => self.scan.at += 1,
                    b']' => break,
                    _ => return Err(Fault::syntax(self.scan.at, "a comma or the end of the list is missing")),
                }
                if self.scan.peek()? == b']' {
                    return Err(Fault::syntax(self.scan.at, "a list does not end with a comma"));
                }
            }
        }
        self.scan.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// `null`, or what `read` reads.
    pub(super) fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.scan.peek()? == b'n' {
            return self.scan.word("null").map(|()| None);
        }
        read(self).map(Some)
    }

    /// The error about a value of another kind at this place.
    #[cold]
    pub(super) fn wrong(&mut self, expected: &'static str) -> Box<Fault> {
        let at = self.scan.at;
        let found = match self.scan.byte() {
            Some(b'{') => match self.node() {
                Ok(object) => object.marker.noun(),
                Err(fault) if fault.at > at && !matches!(fault.kind, JsonErrorKind::UnknownMarker { .. }) => {
                    return fault;
                }
                Err(_) => "an object",
            },
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => return Fault::syntax(at, "neither a value nor its end"),
        };
        Fault::wrong(at, expected, found)
    }

    /// Takes a text.
    #[inline]
    pub(super) fn text(&mut self, expected: &'static str) -> Result<Cow<'a, str>> {
        if self.scan.peek()? == b'"' { self.scan.string() } else { Err(self.wrong(expected)) }
    }

    /// Takes `true` or `false`.
    pub(super) fn boolean(&mut self) -> Result<bool> {
        match self.scan.peek()? {
            b't' => self.scan.word("true").map(|()| true),
            b'f' => self.scan.word("false").map(|()| false),
            _ => Err(self.wrong("a boolean")),
        }
    }

    /// Takes a whole number.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let at = self.place()?;
        if !matches!(self.scan.byte(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.wrong("a whole number"));
        }
        match self.scan.number()? {
            Value::Int(n) => Ok(n),
            _ => Err(Fault::bad_value(at, "whole number", "it has a fraction or more than 63 bits")),
        }
    }

    /// Takes a name.
    pub(super) fn name(&mut self) -> Result<Name> {
        let at = self.place()?;
        let text = self.text("a name")?;
        checked_name(&text, at)
    }

    /// Takes the name of an entity: names with dots between them.
    pub(super) fn entity(&mut self) -> Result<Name> {
        let at = self.place()?;
        let text = self.text("the name of an entity")?;
        if text.len() <= 4 * Name::MAX_LEN && text.split('.').all(Name::is_plain) {
            return Ok(Name::new(text));
        }
        Err(Fault::new(at, BadName(shown(&text))))
    }

    /// Takes the arguments of a table's name: letters, digits and `_`.
    pub(super) fn table_args(&mut self) -> Result<Vec<CompactString>> {
        self.list(|reader| {
            let at = reader.place()?;
            let text = reader.text("a text")?;
            let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if plain && (1..=Name::MAX_LEN).contains(&text.len()) {
                return Ok(CompactString::new(text));
            }
            Err(Fault::bad_value(at, "table argument", "it has ASCII letters, digits and `_`, 1 to 128 of them"))
        })
    }

    /// Takes a word of a table, or the number that stands for it.
    pub(super) fn word<T: Copy>(&mut self, what: &'static str, table: &'static [WordRow<T>]) -> Result<T> {
        let at = self.place()?;
        let word = match self.scan.byte() {
            Some(b'"') => self.scan.string()?,
            Some(b'-' | b'0'..=b'9') => Cow::Owned(self.integer()?.to_string()),
            _ => return Err(self.wrong(what)),
        };
        words::find(table, &word)
            .ok_or_else(|| unknown_word(at, what, &word, nearest(&word, table.iter().map(|(name, ..)| *name))))
    }

    pub(super) fn limits(&self) -> ReadLimits {
        self.limits
    }

    /// The text must end here.
    pub(super) fn end(&mut self) -> Result<()> {
        self.scan.end()
    }
}

/// The name, if it is one.
#[inline]
pub(super) fn checked_name(text: &str, at: usize) -> Result<Name> {
    if Name::is_plain(text) { Ok(Name::new(text)) } else { Err(Fault::new(at, BadName(shown(text)))) }
}

#[cold]
pub(super) fn duplicate(key: &Key<'_>) -> Box<Fault> {
    Fault::new(key.at, JsonErrorKind::DuplicateKey { key: shown(&key.text) })
}

#[cold]
pub(super) fn unknown_word(at: usize, what: &'static str, word: &str, near: Option<&'static str>) -> Box<Fault> {
    Fault::new(at, JsonErrorKind::UnknownWord { what, word: shown(word), near })
}
