//! Fields that hold rows of other entities, and the relations that they are loaded by.

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "orm")]
use compact_str::CompactString;
use isogloss_compiler::expr::{LogicExpr, OrderByItemExpr};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(feature = "orm")]
use super::View;
use super::{Entity, Items, Predicate, Takes};
#[cfg(feature = "orm")]
use crate::dao::Nested;

/// The rows that a row has by a relation, once they are loaded.
///
/// It begins as not loaded, which is not the same as loaded and empty: reading it then is an error. It is equal to another
/// one if both are loaded with equal rows, or neither is.
///
/// With serde it is a list, or null if it is not loaded; leave it out by
/// `#[serde(default, skip_serializing_if = "Many::is_not_loaded")]`.
///
/// ```
/// use isogloss::entity::Many;
/// let mut items = Many::<i32>::default();
/// assert!(items.get().is_err() && items.is_not_loaded());
/// items = vec![1, 2].into();
/// assert_eq!(items.get()?, [1, 2]);
/// # Ok::<(), isogloss::entity::NotLoaded>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Many<T>(Option<Vec<T>>);

/// The row that a row has by a relation, or that there is none, once it is loaded.
///
/// It begins as not loaded, which is not the same as loaded without a row: reading it then is an error. It is equal to
/// another one if both are loaded with equal rows, or neither is.
///
/// With serde it is the row, or null if there is none or it is not loaded; leave the latter out by
/// `#[serde(default, skip_serializing_if = "One::is_not_loaded")]`. Null is read as not loaded.
///
/// ```
/// use isogloss::entity::One;
/// let mut customer = One::<&str>::default();
/// assert!(customer.get().is_err());
/// customer = None.into();
/// assert_eq!(customer.get()?, None);
/// # Ok::<(), isogloss::entity::NotLoaded>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct One<T>(Option<Option<Box<T>>>);

/// A relation's rows were read before they were loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the rows of `{of}` are not loaded: load them first, by `session.load(&mut rows, Entity::relation())`")]
pub struct NotLoaded {
    of: &'static str,
}

impl NotLoaded {
    fn of<T>() -> Self {
        let name = std::any::type_name::<T>();
        Self { of: name.rsplit_once("::").map_or(name, |(_, name)| name) }
    }
}

impl<T> Many<T> {
    /// The rows.
    ///
    /// # Errors
    /// They are not loaded.
    pub fn get(&self) -> Result<&[T], NotLoaded> {
        self.0.as_deref().ok_or_else(NotLoaded::of::<T>)
    }

    /// The rows, to be changed. What is changed is not written by itself.
    ///
    /// # Errors
    /// They are not loaded.
    pub fn get_mut(&mut self) -> Result<&mut Vec<T>, NotLoaded> {
        self.0.as_mut().ok_or_else(NotLoaded::of::<T>)
    }

    /// Takes the rows out, and leaves the relation as not loaded.
    ///
    /// # Errors
    /// They are not loaded.
    pub fn take(&mut self) -> Result<Vec<T>, NotLoaded> {
        self.0.take().ok_or_else(NotLoaded::of::<T>)
    }

    /// Whether the rows are not loaded.
    #[must_use]
    pub fn is_not_loaded(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> One<T> {
    /// The row; `None` if there is none.
    ///
    /// # Errors
    /// It is not loaded.
    pub fn get(&self) -> Result<Option<&T>, NotLoaded> {
        self.0.as_ref().map(Option::as_deref).ok_or_else(NotLoaded::of::<T>)
    }

    /// The row, to be changed. What is changed is not written by itself.
    ///
    /// # Errors
    /// It is not loaded.
    pub fn get_mut(&mut self) -> Result<Option<&mut T>, NotLoaded> {
        self.0.as_mut().map(Option::as_deref_mut).ok_or_else(NotLoaded::of::<T>)
    }

    /// Takes the row out, and leaves the relation as not loaded.
    ///
    /// # Errors
    /// It is not loaded.
    pub fn take(&mut self) -> Result<Option<T>, NotLoaded> {
        self.0.take().map(|row| row.map(|row| *row)).ok_or_else(NotLoaded::of::<T>)
    }

    /// Whether the row is not loaded.
    #[must_use]
    pub fn is_not_loaded(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> From<Vec<T>> for Many<T> {
    fn from(rows: Vec<T>) -> Self {
        Self(Some(rows))
    }
}

impl<T> From<Option<T>> for One<T> {
    fn from(row: Option<T>) -> Self {
        Self(Some(row.map(Box::new)))
    }
}

macro_rules! held {
    ($($of:ident)*) => {$(
        /// Not loaded.
        impl<T> Default for $of<T> {
            fn default() -> Self {
                Self(None)
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $of<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match &self.0 {
                    Some(rows) => rows.fmt(f),
                    None => f.write_str("NotLoaded"),
                }
            }
        }

        impl<T: Serialize> Serialize for $of<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }
    )*};
}

held!(Many One);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::deserialize(deserializer)?.map(Some)))
    }
}

/// A field that holds what a relation leads to: [`Many`] or [`One`].
pub trait Related: sealed::Sealed + Default + Send + 'static {
    /// The entity or view whose rows it holds.
    type Row: Entity;

    /// What the rows of one parent are given as: a list, or an option.
    type Found: Send;

    /// Takes the rows of one parent.
    #[doc(hidden)]
    fn found(rows: Vec<Self::Row>) -> Self::Found;

    /// Takes what was found.
    #[doc(hidden)]
    fn put(&mut self, found: Self::Found);
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::Many<T> {}
    impl<T> Sealed for super::One<T> {}
}

impl<T: Entity> Related for Many<T> {
    type Row = T;
    type Found = Vec<T>;

    fn found(rows: Vec<T>) -> Vec<T> {
        rows
    }

    fn put(&mut self, found: Vec<T>) {
        self.0 = Some(found);
    }
}

impl<T: Entity> Related for One<T> {
    type Row = T;
    type Found = Option<T>;

    fn found(rows: Vec<T>) -> Option<T> {
        rows.into_iter().next()
    }

    fn put(&mut self, found: Option<T>) {
        *self = found.into();
    }
}

/// A relation of the entity `P`, whose rows its field of the type `F` holds: what [`Session::load`](crate::Session::load)
/// takes. The derive makes a function for each, `Order::items()`.
///
/// ```
/// # #[cfg(feature = "orm")] {
/// use isogloss::entity::{Many, One};
/// use isogloss::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, Default, Entity)]
/// struct Order {
///     #[column(primary_key)]
///     id: i32,
///     #[has_many]
///     items: Many<Item>,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Default, Entity)]
/// struct Item {
///     #[column(primary_key)]
///     id: i32,
///     #[foreign(Order)]
///     order_id: i32,
///     price: i32,
///     #[belongs_to]
///     order: One<Order>,
/// }
///
/// // The three dearest items of each order.
/// let dearest = Order::items().filter(expr!(|i: Item| i.price > 10)).order_by(Item::PRICE.desc()).take(3);
/// # let _ = dearest;
/// # }
/// ```
#[must_use = "it loads nothing by itself: give it to `session.load(&mut rows, ..)`"]
pub struct Relation<P, F: Related> {
    pub(crate) name: &'static str,
    #[cfg_attr(not(feature = "orm"), allow(dead_code, reason = "what loads is there with `orm`"))]
    pub(crate) field: fn(&mut P) -> &mut F,
    pub(crate) terms: Terms,
    #[cfg(feature = "orm")]
    pub(crate) then: Vec<Box<dyn Nested<F::Row>>>,
    of: PhantomData<fn() -> F>,
}

/// Which rows are loaded, and in which order.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "orm"), allow(dead_code, reason = "what loads is there with `orm`"))]
pub(crate) struct Terms {
    pub(crate) filter: Option<LogicExpr>,
    pub(crate) order: Vec<OrderByItemExpr>,
    pub(crate) take: Option<u64>,
    #[cfg(feature = "orm")]
    pub(crate) args: Vec<CompactString>,
}

impl<P, F: Related> Relation<P, F> {
    /// The relation of that name, whose rows are put into the field.
    #[doc(hidden)]
    pub fn new(name: &'static str, field: fn(&mut P) -> &mut F) -> Self {
        Self {
            name,
            field,
            terms: Terms::default(),
            #[cfg(feature = "orm")]
            then: Vec::new(),
            of: PhantomData,
        }
    }

    /// Loads only the rows that satisfy a condition. Several are combined by AND; `None` filters nothing.
    pub fn filter<C: Predicate>(mut self, condition: C) -> Self
    where
        F::Row: Takes<C::Entity>,
    {
        let both = [self.terms.filter.take(), condition.given()];
        self.terms.filter = both.iter().any(Option::is_some).then(|| LogicExpr::all(both));
        self
    }

    /// Orders the rows of each parent. The keys of a further call have priority over those of the calls before, as in every
    /// `order_by`. Rows that are equal in all, and all rows without an order, are in the order of their primary key.
    pub fn order_by(mut self, keys: impl Items<F::Row, OrderByItemExpr>) -> Self {
        self.terms.order.splice(0..0, keys.items());
        self
    }

    /// Reads the shard with these table arguments, where the table of the rows, or of those between, has placeholders in its
    /// name.
    #[cfg(feature = "orm")]
    pub fn with_args<A: Into<CompactString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.terms.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Loads what the loaded rows relate to as well, by one more query for all of them.
    #[cfg(feature = "orm")]
    pub fn then<G: Related<Row: Clone>>(mut self, relation: Relation<<F::Row as View>::Of, G>) -> Self
    where
        F::Row: View,
    {
        self.then.push(Box::new(relation));
        self
    }
}

impl<P, T: Entity> Relation<P, Many<T>> {
    /// Loads the first rows of each parent only.
    pub fn take(mut self, rows: u64) -> Self {
        self.terms.take = Some(self.terms.take.map_or(rows, |take| take.min(rows)));
        self
    }
}

impl<P, F: Related> fmt::Debug for Relation<P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relation").field("name", &self.name).field("terms", &self.terms).finish_non_exhaustive()
    }
}
