//! How a value is shown whose type only the code that calls a macro knows: by its [`Logable`], as a collection of what has
//! `Debug`, by its `Debug`, or by the name of its type. The first that there is, is found by the number of references.

use std::any::type_name;
use std::fmt::Debug;
use std::marker::PhantomData;

use super::{LogText, Logable};

/// What shows a value.
pub type Shows<T> = fn(&T, &mut LogText);

/// Asks for what shows values of a type: `(&&&&Probe::of(&value)).shows()`.
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

impl<T: Logable + ?Sized> ByText<T> for &&&Probe<T> {
    fn shows(&self) -> Shows<T> {
        |value, text| value.log(text)
    }
}

/// By its items.
pub trait ByItems<T: ?Sized> {
    /// What shows it.
    fn shows(&self) -> Shows<T>;
}

impl<T: ?Sized> ByItems<T> for &&Probe<T>
where
    for<'a> &'a T: IntoIterator<Item: Debug, IntoIter: ExactSizeIterator>,
{
    fn shows(&self) -> Shows<T> {
        |value, text| text.list(type_name::<T>(), value, |item, text| text.push(format_args!("{item:?}")))
    }
}

/// By its `Debug`.
pub trait ByDebug<T: ?Sized> {
    /// What shows it.
    fn shows(&self) -> Shows<T>;
}

impl<T: Debug + ?Sized> ByDebug<T> for &Probe<T> {
    fn shows(&self) -> Shows<T> {
        |value, text| text.push(format_args!("{value:?}"))
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
