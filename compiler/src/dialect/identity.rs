//! Which values of dialects are the same one.

use std::any::Any;
use std::sync::Arc;

use super::Dialect;

/// What tells values of dialects apart. Every dialect that is `Clone` and `Eq` has it.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// fn knows(known: &[Box<dyn Dialect>], dialect: &dyn Dialect) -> bool {
///     known.iter().any(|other| **other == *dialect)
/// }
/// # let _ = knows;
/// ```
pub trait Identity {
    /// Whether the other one is of the same type, and equal to this one.
    fn is(&self, other: &dyn Dialect) -> bool;

    /// The dialect in a box that can be kept.
    fn to_shared(&self) -> Arc<dyn Dialect>;
}

impl<D: Dialect + Clone + Eq> Identity for D {
    fn is(&self, other: &dyn Dialect) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<D>() == Some(self)
    }

    fn to_shared(&self) -> Arc<dyn Dialect> {
        Arc::new(self.clone())
    }
}

impl PartialEq for dyn Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for dyn Dialect {}
