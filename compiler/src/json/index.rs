//! Where the markers are, for objects whose marker is not their first key.
//!
//! The index is made once for the outermost such object and serves all that are in it, so that a text with all its
//! markers last is still read in linear time.

use super::error::{Fault, JsonErrorKind, Result};
use super::reader::Reader;
use super::words;

impl Reader<'_> {
    /// The marker of the object that begins at `at`: from the index, which is made if there is none for this place.
    pub(super) fn marker_of(&mut self, at: usize) -> Result<Option<usize>> {
        if at >= self.indexed_to {
            self.scan.at = at;
            self.make_index()?;
        }
        let entry = self.index.binary_search_by_key(&at, |(object, _)| *object).ok();
        Ok(entry.and_then(|entry| self.index.get(entry)).and_then(|(_, marker)| *marker))
    }

    /// Skips the value at this place and notes the markers of all objects in it.
    fn make_index(&mut self) -> Result<()> {
        self.index.clear();
        // The open objects and lists: for an object its entry.
        let mut open: Vec<Option<usize>> = Vec::new();
        loop {
            // A value is due.
            match self.scan.peek()? {
                byte @ (b'{' | b'[') => {
                    if self.depth + open.len() > self.limits.depth {
                        return Err(Fault::new(self.scan.at, JsonErrorKind::TooDeep { limit: self.limits.depth }));
                    }
                    open.push((byte == b'{').then_some(self.index.len()));
                    if byte == b'{' {
                        self.index.push((self.scan.at, None));
                    }
                    self.scan.at += 1;
                    let next = self.scan.peek()?;
                    if next != b'}' && next != b']' {
                        if byte == b'{' {
                            self.index_key(open.last().copied().flatten())?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    self.scan.string()?;
                }
                _ => {
                    self.scalar()?;
                }
            }
            // A value has ended.
            loop {
                let Some(top) = open.last().copied() else {
                    self.indexed_to = self.scan.at;
                    return Ok(());
                };
                match (self.scan.peek()?, top) {
                    (b',', _) => {
                        self.scan.at += 1;
                        if top.is_some() {
                            self.index_key(top)?;
                        }
                        break;
                    }
                    (b'}', Some(_)) | (b']', None) => {
                        self.scan.at += 1;
                        open.pop();
                    }
                    _ => return Err(Fault::syntax(self.scan.at, "a comma or an end is missing")),
                }
            }
        }
    }

    /// Takes a key and notes whether it is the marker of that object.
    fn index_key(&mut self, object: Option<usize>) -> Result<()> {
        if self.scan.peek()? != b'"' {
            return Err(Fault::syntax(self.scan.at, "a key is missing"));
        }
        let at = self.scan.at;
        let key = self.scan.string()?;
        self.scan.colon()?;
        if let Some((_, marker)) = object.and_then(|object| self.index.get_mut(object))
            && marker.is_none()
            && words::is_marker(&key)
        {
            *marker = Some(at);
        }
        Ok(())
    }

    /// Whether the object at this place says which node it is. The place stays.
    pub(super) fn has_marker(&mut self) -> Result<bool> {
        let at = self.scan.at;
        self.scan.at += 1;
        let first_is = match self.scan.peek()? {
            b'"' => words::is_marker(&self.scan.string()?),
            _ => false,
        };
        let has = first_is || self.marker_of(at)?.is_some();
        self.scan.at = at;
        Ok(has)
    }

    /// Takes a word or a number whose value does not matter.
    fn scalar(&mut self) -> Result<()> {
        match self.scan.peek()? {
            b'n' => self.scan.word("null"),
            b't' => self.scan.word("true"),
            b'f' => self.scan.word("false"),
            _ => self.scan.skip_number(),
        }
    }

    /// The place of an item of the list that begins at `at`, for a message.
    #[cold]
    pub(super) fn item_place(&mut self, at: usize, item: usize) -> usize {
        self.scan.at = at + 1;
        for _ in 0..item {
            if self.make_index().is_err() || self.scan.peek().is_err() {
                break;
            }
            self.scan.at += 1;
        }
        let _ = self.scan.peek();
        self.scan.at
    }

    /// Skips the value at this place.
    pub(super) fn skip(&mut self) -> Result<()> {
        self.make_index()
    }
}
