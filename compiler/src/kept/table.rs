//! What a thread keeps by its shapes.

use std::cell::RefCell;
use std::mem::take;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::statement::KeptStatement;
use crate::expr::Value;
use crate::walk::shape::{Shape, ShapeLimits};

/// How many sets a thread has. A shape has its place in one of them.
const SETS: usize = 64;

/// How many shapes a set has.
const WAYS: usize = 4;

/// How many bytes of texts and shapes a thread keeps.
const ROOM: usize = 4 << 20;

/// Room for a shape that has more bytes is given back.
const LARGE: usize = 1 << 16;

/// How often nothing is found of a shape before somebody looks whether that is so of other values.
const SELDOM: u64 = 64;

/// How many shapes are known to have come once.
const SEEN: usize = 512;

/// Whose shapes they are: a target's or a policy's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl Owner {
    /// One that nobody else is.
    pub(crate) fn new() -> Self {
        static OWNERS: AtomicU64 = AtomicU64::new(0);
        Self(OWNERS.fetch_add(1, Ordering::Relaxed))
    }
}

/// The statements that a thread keeps, and how often they are used: see [`Target::kept`](crate::Target::kept).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptStatements {
    /// The number of kept shapes.
    pub shapes: usize,
    /// Their size with their texts, in bytes.
    pub bytes: usize,
    /// How often a statement was found.
    pub hits: u64,
    /// How often none was found for a tree that has a shape.
    pub misses: u64,
    /// How many statements were replaced by others.
    pub evicted: u64,
}

/// What is known of a shape.
#[derive(Debug, Clone)]
pub(super) enum KnownShape {
    /// The statement of its trees.
    Statement(Rc<KeptStatement>),
    /// A policy allows its trees.
    Allowed,
    /// Its statements depend on more than that, or the one did that was looked at.
    Nothing,
}

/// What a look into the table has found.
pub(super) enum Found {
    Known(KnownShape),
    /// It has come before, and may be kept.
    Again,
    /// It may come again.
    New,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    owner: Owner,
    shape: Box<[u8]>,
    known: KnownShape,
    used: u64,
    /// How often it was found.
    found: u64,
}

impl Entry {
    fn bytes(&self) -> usize {
        let text = if let KnownShape::Statement(statement) = &self.known { statement.bytes() } else { 0 };
        self.shape.len() + text
    }
}

#[derive(Default)]
struct Table {
    sets: Vec<[Option<Entry>; WAYS]>,
    /// The shapes that have come once, by their hashes.
    seen: Vec<u64>,
    counts: KeptStatements,
    clock: u64,
    /// Room for the next shape.
    bytes: Vec<u8>,
    slots: Vec<&'static Value>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// Nothing where a thread ends, and its table is gone.
fn with<T>(work: impl FnOnce(&mut Table) -> T) -> Option<T> {
    TABLE.try_with(|table| table.try_borrow_mut().ok().map(|mut table| work(&mut table))).ok().flatten()
}

/// What this thread keeps.
pub(crate) fn counts() -> KeptStatements {
    with(|table| table.counts).unwrap_or_default()
}

/// Writes a shape into room that is kept for it, and gives it to `then`.
pub(super) fn shaped<'e, T>(
    limits: ShapeLimits,
    write: impl FnOnce(&mut Shape<'e>),
    then: impl FnOnce(&Shape<'e>) -> T,
) -> T {
    let room = with(|table| (take(&mut table.bytes), emptied(take(&mut table.slots)))).unwrap_or_default();
    let mut shape = Shape::in_room(room, limits);
    write(&mut shape);
    let done = then(&shape);
    let (bytes, slots) = shape.into_room();
    if bytes.capacity() <= LARGE && slots.capacity() * size_of::<&Value>() <= LARGE {
        with(|table| (table.bytes, table.slots) = (bytes, emptied(slots)));
    }
    done
}

/// Room for values of another tree. `collect` of an emptied vector works in place.
fn emptied<'from, 'to>(mut slots: Vec<&'from Value>) -> Vec<&'to Value> {
    slots.clear();
    slots.into_iter().map(|_: &'from Value| -> &'to Value { &Value::Null }).collect()
}

/// Two of one hash contend for a place, and are told apart by their shapes.
fn hash_of(shape: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = shape.as_chunks::<8>();
    let hash = words.iter().fold(shape.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

/// The place of a hash among so many. Its high bits are the better ones.
fn place(hash: u64, places: usize) -> usize {
    usize::try_from(hash >> 40).unwrap_or_default() % places
}

/// What is known of a shape.
pub(super) fn find(owner: Owner, shape: &[u8]) -> Found {
    with(|table| table.find(owner, hash_of(shape), shape)).unwrap_or(Found::New)
}

/// Keeps what is known of a shape.
pub(super) fn keep(owner: Owner, shape: &[u8], known: KnownShape) {
    let entry = Entry { hash: hash_of(shape), owner, shape: shape.into(), known, used: 0, found: 0 };
    with(|table| table.keep(entry));
}

impl Table {
    fn find(&mut self, owner: Owner, hash: u64, shape: &[u8]) -> Found {
        self.clock += 1;
        let set = self.sets.get_mut(place(hash, SETS)).map_or(&mut [][..], |set| &mut set[..]);
        let is = |entry: &&mut Entry| entry.hash == hash && entry.owner == owner && *entry.shape == *shape;
        if let Some(entry) = set.iter_mut().flatten().find(is) {
            entry.used = self.clock;
            entry.found += 1;
            let is_hit = !matches!(entry.known, KnownShape::Nothing);
            self.counts.hits += u64::from(is_hit);
            self.counts.misses += u64::from(!is_hit);
            let again = !is_hit && entry.found.is_multiple_of(SELDOM);
            return if again { Found::Again } else { Found::Known(entry.known.clone()) };
        }
        self.counts.misses += 1;
        if self.seen.is_empty() {
            self.seen.resize(SEEN, 0);
        }
        let known = hash ^ owner.0;
        match self.seen.get_mut(place(hash, SEEN)) {
            Some(seen) if *seen == known => Found::Again,
            Some(seen) => {
                *seen = known;
                Found::New
            }
            None => Found::New,
        }
    }

    /// Keeps a shape in the place of the one that nobody has asked for the longest.
    fn keep(&mut self, mut entry: Entry) {
        entry.used = self.clock;
        let bytes = entry.bytes();
        if self.sets.is_empty() {
            self.sets.resize_with(SETS, Default::default);
        }
        let Some(set) = self.sets.get_mut(place(entry.hash, SETS)) else { return };
        // That of the shape itself, if there is one.
        let age = |way: &Option<Entry>| match way {
            Some(old) if old.hash == entry.hash && old.owner == entry.owner && old.shape == entry.shape => None,
            way => Some(way.as_ref().map_or(0, |old| old.used)),
        };
        let Some(way) = set.iter_mut().min_by_key(|way| age(way)) else { return };
        let old = way.replace(entry);
        self.counts.shapes += 1;
        self.counts.bytes += bytes;
        let is_other = old.as_ref().zip(way.as_ref()).is_some_and(|(old, new)| old.shape != new.shape);
        self.counts.forget(old, is_other);
        while self.counts.bytes > ROOM {
            let all = self.sets.iter_mut().flatten();
            let oldest = all.min_by_key(|way| way.as_ref().map_or(u64::MAX, |entry| entry.used));
            self.counts.forget(oldest.and_then(Option::take), true);
        }
    }
}

impl KeptStatements {
    fn forget(&mut self, old: Option<Entry>, is_evicted: bool) {
        if let Some(old) = old {
            self.shapes -= 1;
            self.bytes -= old.bytes();
            self.evicted += u64::from(is_evicted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_kept(owner: Owner, shape: &[u8]) -> bool {
        matches!(find(owner, shape), Found::Known(KnownShape::Allowed))
    }

    #[test]
    fn a_shape_is_found_by_its_owner_alone() {
        let (one, other) = (Owner::new(), Owner::new());
        assert!(matches!(find(one, b"shape"), Found::New));
        assert!(matches!(find(one, b"shape"), Found::Again));
        keep(one, b"shape", KnownShape::Allowed);
        assert!(is_kept(one, b"shape") && !is_kept(other, b"shape") && !is_kept(one, b"Shape"));
        let counts = counts();
        assert_eq!((counts.shapes, counts.bytes, counts.hits, counts.misses), (1, 5, 1, 4));
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let owner = Owner::new();
        for number in 0..3_000_u32 {
            keep(owner, &number.to_le_bytes(), KnownShape::Nothing);
        }
        let few = counts();
        assert!(few.shapes <= SETS * WAYS && few.shapes as u64 + few.evicted == 3_000, "{few:?}");
        let long = |number: u32| vec![number.to_le_bytes(); 40_000].concat();
        keep(owner, b"asked for", KnownShape::Allowed);
        for number in 0..200 {
            keep(owner, &long(number), KnownShape::Nothing);
            assert!(is_kept(owner, b"asked for"), "{number}");
        }
        assert!(counts().bytes <= ROOM, "{:?}", counts());
        // One that is longer than there is room for is not kept, nor does it leave anything else.
        keep(owner, &vec![0; ROOM + 1], KnownShape::Nothing);
        assert_eq!((counts().shapes, counts().bytes), (0, 0));
    }
}
