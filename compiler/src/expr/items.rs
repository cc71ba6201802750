//! Nested values. The depth of their nesting does not affect the stack.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::slice;

use compact_str::CompactString;

use super::Value;
use super::child::drop_deep;

/// The items of a [`Value::List`], or the named items of a [`Value::Map`], as a slice.
///
/// ```
/// use isogloss_compiler::expr::Value;
/// let list = Value::List([1.into(), 2.into()].into());
/// let Value::List(items) = list else { unreachable!() };
/// assert_eq!((items.len(), items.into_vec().pop()), (2, Some(Value::from(2))));
/// ```
pub struct Items<T: Item>(Box<[T]>);

/// The type of an item in a list or a map.
pub trait Item: sealed::Sealed + Sized + 'static {}

impl Item for Value {}
impl Item for (CompactString, Value) {}

mod sealed {
    use super::{Entries, Value};

    pub trait Sealed: Clone + std::fmt::Debug {
        fn value(&self) -> &Value;
        fn name(&self) -> Option<&str>;
        fn named(name: Option<&str>, value: Value) -> Self;
        fn entries(items: &[Self]) -> Entries<'_>;
        /// Whether it owns nothing, as far as a look tells.
        fn is_plain(&self) -> bool;
    }
}

impl sealed::Sealed for Value {
    fn value(&self) -> &Value {
        self
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn named(_: Option<&str>, value: Value) -> Self {
        value
    }

    fn entries(items: &[Self]) -> Entries<'_> {
        Entries::List(items.iter())
    }

    #[inline]
    fn is_plain(&self) -> bool {
        Value::is_plain(self)
    }
}

impl sealed::Sealed for (CompactString, Value) {
    fn value(&self) -> &Value {
        &self.1
    }

    fn name(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn named(name: Option<&str>, value: Value) -> Self {
        (name.unwrap_or_default().into(), value)
    }

    fn entries(items: &[Self]) -> Entries<'_> {
        Entries::Map(items.iter())
    }

    fn is_plain(&self) -> bool {
        !self.0.is_heap_allocated() && self.1.is_plain()
    }
}

/// The remaining items of a list or a map.
pub enum Entries<'v> {
    List(slice::Iter<'v, Value>),
    Map(slice::Iter<'v, (CompactString, Value)>),
}

impl<'v> Entries<'v> {
    /// Those of a value, if it is a list or a map.
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::List(items) => Some(Self::List(items.iter())),
            Value::Map(items) => Some(Self::Map(items.iter())),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Map(items) => items.len(),
        }
    }
}

impl<'v> Iterator for Entries<'v> {
    type Item = (Option<&'v str>, &'v Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::List(items) => items.next().map(|value| (None, value)),
            Self::Map(items) => items.next().map(|(name, value)| (Some(name.as_str()), value)),
        }
    }
}

/// A step through values that nest.
#[derive(PartialEq, Hash)]
enum ItemStep<'v> {
    /// A list or a map begins, with so many items.
    Open {
        is_map: bool,
        items: usize,
    },
    Name(&'v str),
    /// A value that is neither.
    Leaf(&'v Value),
    Close,
}

/// Goes through values without recursion.
struct Steps<'v> {
    open: Vec<Entries<'v>>,
    /// What follows the name that was given last.
    next: Option<&'v Value>,
}

impl<'v> Steps<'v> {
    fn enter(&mut self, value: &'v Value) -> ItemStep<'v> {
        let Some(entries) = Entries::of(value) else { return ItemStep::Leaf(value) };
        let step = ItemStep::Open { is_map: matches!(entries, Entries::Map(_)), items: entries.len() };
        self.open.push(entries);
        step
    }
}

impl<'v> Iterator for Steps<'v> {
    type Item = ItemStep<'v>;

    fn next(&mut self) -> Option<ItemStep<'v>> {
        if let Some(value) = self.next.take() {
            return Some(self.enter(value));
        }
        match self.open.last_mut()?.next() {
            Some((Some(name), value)) => {
                self.next = Some(value);
                Some(ItemStep::Name(name))
            }
            Some((None, value)) => Some(self.enter(value)),
            None => {
                self.open.pop();
                Some(ItemStep::Close)
            }
        }
    }
}

impl Value {
    /// The nested values that are neither lists nor maps, in order; for any other value, the value itself.
    ///
    /// ```
    /// use isogloss_compiler::expr::Value;
    /// let list = Value::from(vec![Value::from(1), vec![Value::from(2), Value::Null].into()]);
    /// assert!(list.leaves().eq([&Value::from(1), &Value::from(2), &Value::Null]));
    /// ```
    pub fn leaves(&self) -> impl Iterator<Item = &Value> {
        let steps = Steps { open: Vec::new(), next: Some(self) };
        steps.filter_map(|step| if let ItemStep::Leaf(value) = step { Some(value) } else { None })
    }

    fn nests(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }
}

impl<T: Item> Items<T> {
    /// Takes the items out.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0).into_vec()
    }

    fn nests(&self) -> bool {
        self.iter().any(|item| item.value().nests())
    }

    fn steps(&self) -> Steps<'_> {
        Steps { open: vec![T::entries(self)], next: None }
    }
}

impl<T: Item> Drop for Items<T> {
    fn drop(&mut self) {
        // A look at each is less than a walk through its fields.
        if self.iter().all(T::is_plain) {
            std::mem::take(&mut self.0).into_vec().into_iter().for_each(std::mem::forget);
        } else if self.nests() {
            drop_deep(Box::new(std::mem::take(&mut self.0)));
        }
    }
}

impl<T: Item> Clone for Items<T> {
    fn clone(&self) -> Self {
        if !self.nests() {
            return Self(self.0.clone());
        }
        // The lists and maps that are being copied; this itself is the first.
        let mut open = vec![Copied { is_map: false, name: None, items: Vec::new() }];
        let mut name = None;
        for step in self.steps() {
            let done = match step {
                ItemStep::Name(of_next) => {
                    name = Some(of_next);
                    continue;
                }
                ItemStep::Open { is_map, items } => {
                    open.push(Copied { is_map, name: name.take(), items: Vec::with_capacity(items) });
                    continue;
                }
                ItemStep::Leaf(value) => (name.take(), value.clone()),
                ItemStep::Close if open.len() == 1 => break,
                ItemStep::Close => match open.pop() {
                    Some(Copied { is_map: true, name, items }) => (name, Value::Map(collected(items))),
                    Some(Copied { is_map: false, name, items }) => (name, Value::List(collected(items))),
                    None => break,
                },
            };
            if let Some(around) = open.last_mut() {
                around.items.push(done);
            }
        }
        open.pop().map_or_else(Self::default, |copied| collected(copied.items))
    }
}

/// A list or a map that is being copied.
struct Copied<'v> {
    is_map: bool,
    /// What it is called in the map around it.
    name: Option<&'v str>,
    items: Vec<(Option<&'v str>, Value)>,
}

fn collected<T: Item>(items: Vec<(Option<&str>, Value)>) -> Items<T> {
    items.into_iter().map(|(name, value)| T::named(name, value)).collect()
}

impl<T: Item> PartialEq for Items<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.steps().eq(other.steps())
    }
}

impl<T: Item> Eq for Items<T> {}

impl<T: Item> Hash for Items<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.steps().for_each(|step| step.hash(state));
    }
}

impl<T: Item> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.nests() {
            return f.debug_list().entries(self.iter()).finish();
        }
        f.write_str("[")?;
        let (mut before, mut open) = ("", 1_usize);
        for step in self.steps() {
            let is_end = matches!(step, ItemStep::Close);
            f.write_str(if is_end { "" } else { before })?;
            before = match step {
                ItemStep::Open { .. } | ItemStep::Name(_) => "",
                ItemStep::Leaf(_) | ItemStep::Close => ", ",
            };
            match step {
                ItemStep::Open { is_map, .. } => {
                    open += 1;
                    f.write_str(if is_map { "Map([" } else { "List([" })?;
                }
                ItemStep::Name(name) => write!(f, "{name:?}: ")?,
                ItemStep::Leaf(value) => write!(f, "{value:?}")?,
                ItemStep::Close => {
                    open -= 1;
                    f.write_str(if open > 0 { "])" } else { "]" })?;
                }
            }
        }
        Ok(())
    }
}

impl<T: Item> Default for Items<T> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<T: Item> Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Item> DerefMut for Items<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Item> FromIterator<T> for Items<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T: Item> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items.into())
    }
}

impl<T: Item> From<Box<[T]>> for Items<T> {
    fn from(items: Box<[T]>) -> Self {
        Self(items)
    }
}

impl<T: Item, const N: usize> From<[T; N]> for Items<T> {
    fn from(items: [T; N]) -> Self {
        Self(items.into())
    }
}

impl<T: Item> IntoIterator for Items<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'v, T: Item> IntoIterator for &'v Items<T> {
    type Item = &'v T;
    type IntoIter = slice::Iter<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::hash::DefaultHasher;

    use super::*;
    use crate::tests::{levels, on_small_stack};

    fn deep(levels: usize) -> Value {
        (0..levels).fold(Value::from(7), |inner, level| match level % 3 {
            0 => Value::Map([("a".into(), inner), ("b".into(), Value::Null)].into()),
            1 => Value::List([Value::from(level as i64), inner].into()),
            _ => Value::List([inner].into()),
        })
    }

    fn hash(value: &Value) -> u64 {
        let mut state = DefaultHasher::new();
        value.hash(&mut state);
        state.finish()
    }

    #[test]
    fn a_value_of_many_levels_needs_no_stack() {
        on_small_stack(|| {
            let levels = levels(200_000);
            let (value, other) = (deep(levels), deep(levels + 1));
            let copy = value.clone();
            assert!(copy == value && hash(&copy) == hash(&value));
            assert!(other != value && hash(&other) != hash(&value));
            assert!(format!("{value:?}").len() > levels && value.to_string().len() < 10_000);
            assert!(value.leaves().any(|leaf| *leaf == Value::from(7)));
        });
    }

    #[test]
    fn a_copy_is_equal_and_what_differs_is_not() {
        for levels in 0..9 {
            let value = deep(levels);
            assert_eq!(value.clone(), value);
            assert_ne!(deep(levels + 1), value);
        }
        let list = |items: Vec<Value>| Value::from(items);
        let ones = list(vec![1.into(), list(vec![]), list(vec![2.into()])]);
        assert_ne!(ones, list(vec![1.into(), list(vec![2.into()]), list(vec![])]));
        assert_eq!(format!("{ones:?}"), "List([Int(1), List([]), List([Int(2)])])");
    }
}
