//! A box whose drop does not recurse, whatever the depth of the tree.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// How many levels drop by plain recursion before the rest is queued.
const RECURSION: u32 = 64;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Whether something waits in the queue.
    static WAITING: Cell<bool> = const { Cell::new(false) };
    static QUEUE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// The box of a child node.
///
/// A derived drop of a chain of a million nodes would overflow the stack. Here only the first levels recurse; deeper
/// nodes are queued, and dropped by the outermost drop.
#[derive(PartialEq, Eq, Hash)]
pub struct Child<T: 'static>(Option<Box<T>>);

impl<T: 'static> Child<T> {
    /// Boxes a node.
    pub fn new(node: T) -> Self {
        Self(Some(Box::new(node)))
    }

    /// Takes the node out of the box.
    pub fn into_inner(mut self) -> T {
        match self.0.take() {
            Some(node) => *node,
            None => unreachable!("a child holds its node until it is dropped"),
        }
    }
}

impl<T: 'static> From<T> for Child<T> {
    fn from(node: T) -> Self {
        Self::new(node)
    }
}

impl<T: 'static> Deref for Child<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(node) => node,
            None => unreachable!("a child holds its node until it is dropped"),
        }
    }
}

impl<T: 'static> DerefMut for Child<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            Some(node) => node,
            None => unreachable!("a child holds its node until it is dropped"),
        }
    }
}

impl<T: 'static> Drop for Child<T> {
    fn drop(&mut self) {
        if let Some(node) = self.0.take() {
            drop_deep(node);
        }
    }
}

/// Drops a node, through the queue when the drops around it are nested deep.
pub(super) fn drop_deep<T: 'static>(node: Box<T>) {
    // While a thread ends, its locals may be gone: then the plain drop has to do.
    let Ok(depth) = DEPTH.try_with(Cell::get) else { return drop(node) };
    if depth >= RECURSION {
        let _ = QUEUE.try_with(|queue| queue.borrow_mut().push(node));
        let _ = WAITING.try_with(|waiting| waiting.set(true));
        return;
    }
    let _ = DEPTH.try_with(|d| d.set(depth + 1));
    drop(node);
    if depth == 0 && WAITING.try_with(|waiting| waiting.replace(false)).unwrap_or(false) {
        while let Ok(Some(next)) = QUEUE.try_with(|queue| queue.borrow_mut().pop()) {
            drop(next);
        }
    }
    let _ = DEPTH.try_with(|d| d.set(depth));
}

/// Drops a node that is held without a box.
pub(crate) fn drop_nested<T: Default + 'static>(node: &mut T, may_nest: impl Fn(&T) -> bool) {
    if may_nest(node) {
        drop_deep(Box::new(std::mem::take(node)));
    }
}

/// Drops the list of an `And` or `Or`, where nodes nest without a box.
pub(crate) fn drop_list<T: 'static>(list: &mut Vec<T>, may_nest: impl Fn(&T) -> bool, is_plain: impl Fn(&T) -> bool) {
    let nests = list.iter().any(may_nest);
    let rest = list.drain(..).filter_map(|item| forget_plain(item, &is_plain));
    if nests {
        drop_deep(Box::new(rest.collect::<Vec<T>>()));
    } else {
        rest.for_each(drop);
    }
}

/// An item that owns nothing is forgotten, which costs a look at it, not a walk through its fields. Any other is given
/// back, to be dropped.
#[inline]
pub(crate) fn forget_plain<T>(item: T, is_plain: impl Fn(&T) -> bool) -> Option<T> {
    if is_plain(&item) {
        std::mem::forget(item);
        return None;
    }
    Some(item)
}

impl<T: fmt::Debug> fmt::Debug for Child<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Clone + 'static> Clone for Child<T> {
    fn clone(&self) -> Self {
        Self::new((**self).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{MILLION, on_small_stack};

    struct Link(#[allow(dead_code, reason = "only its drop matters")] Option<Child<Link>>);

    #[test]
    fn a_million_links_drop_on_a_small_stack() {
        on_small_stack(|| {
            let mut link = Link(None);
            for _ in 0..MILLION {
                link = Link(Some(Child::new(link)));
            }
            drop(link);
        });
    }
}
