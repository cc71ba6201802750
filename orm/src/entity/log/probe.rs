//! How a value is shown whose type only the code that calls a macro knows: by its [`Logable`], or by the name of its
//! type: a `Debug` would show what an entity in it hides. The first that there is, is found by the number of references.

use std::any::type_name;
use std::marker::PhantomData;

use super::{LogText, Logable};

/// What shows a value.
pub type Shows<T> = fn(&T, &mut LogText);

/// Asks for what shows values of a type: `(&&Probe::of(&value)).shows()`.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Probe<T> {
    /// That of the type of this value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// By its own text.
pub trait ByText<T: ?Sized> {
    /// What shows it.
    fn shows(&self) -> Shows<T>;
}

impl<T: Logable + ?Sized> ByText<T> for &Probe<T> {
    fn shows(&self) -> Shows<T> {
        |value, text| value.log(text)
    }
}

/// By its name.
pub trait ByName<T: ?Sized> {
    /// What shows it.
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
