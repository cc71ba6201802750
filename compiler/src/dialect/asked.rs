//! What hooks are asked for.

/// Whether a comparison is to hold or not: `IS NOT DISTINCT FROM` or `IS DISTINCT FROM`, `~` or `!~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// It is to hold.
    Is,
    /// It is not to hold.
    IsNot,
}

impl Sense {
    pub(crate) fn negated(negated: bool) -> Self {
        if negated { Self::IsNot } else { Self::Is }
    }

    /// One of two texts.
    #[must_use]
    pub fn pick<T>(self, is: T, is_not: T) -> T {
        match self {
            Self::Is => is,
            Self::IsNot => is_not,
        }
    }
}

/// Which rows come back from a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// Those that are there then, of an INSERT or UPDATE.
    Written,
    /// Those that were there, of a DELETE.
    Deleted,
}
