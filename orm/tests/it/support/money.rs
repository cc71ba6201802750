//! A type of the program's own, and its converter.

use isogloss::entity::{Converter, FieldError};

/// Money of two digits, stored as cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Money(pub(crate) i64);

/// How it is stored.
#[derive(Debug)]
pub(crate) struct Cents;

impl Converter<Money> for Cents {
    type Stored = i64;

    fn store(field: &Money) -> Result<i64, FieldError> {
        if field.0 < 0 { Err(FieldError::new("money is not negative")) } else { Ok(field.0) }
    }

    fn load(stored: i64) -> Result<Money, FieldError> {
        Ok(Money(stored))
    }
}
