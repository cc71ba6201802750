//! How a value is shown whose type only the code that calls a macro knows: by its [`Logable`], or by the name of its
//! type: a `Debug` would show what an entity in it hides. The first that there is, is found by the number of references.

use std::any::type_name;
use std::marker::PhantomData;

use super::{LogText, Logable};

/// Formats a value for a log.
pub type Shows<T> = fn(&T, &mut LogText);

/// Finds how values of a type are formatted: `(&&Probe::of(&value)).shows()`.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Probe<T> {
    /// The probe for the type of this value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// Formats a value by its [`Logable`].
pub trait ByText<T: ?Sized> {
    /// The function that formats the value.
    fn shows(&self) -> Shows<T>;
}

impl<T: Logable + ?Sized> ByText<T> for &Probe<T> {
    fn shows(&self) -> Shows<T> {
        |value, text| value.log(text)
    }
}

/// Formats a value as the name of its type.
pub trait ByName<T: ?Sized> {
    /// The function that formats the value.
    fn shows(&self) -> Shows<T>;
}

impl<T: ?Sized> ByName<T> for Probe<T> {
    fn shows(&self) -> Shows<T> {
        |_, text| {
            text.push("<");
            text.name(type_name::<T>());
            text.push(">");
        }
    }
}
