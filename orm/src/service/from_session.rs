//! What is made of a session.

use crate::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao};
use crate::entity::{Entity, Table};
use crate::{OrmResult, Session};

/// What is made of a session.
pub trait FromSession: Sized {
    /// Makes one.
    ///
    /// # Errors
    /// It cannot be made in this program.
    fn from_session(session: &Session) -> OrmResult<Self>;
}

impl FromSession for Session {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(session.clone())
    }
}

macro_rules! from_session {
    ($($dao:ident: $bound:ident),*) => {$(
        impl<T: $bound> FromSession for $dao<T> {
            fn from_session(session: &Session) -> OrmResult<Self> {
                Ok(Self::new(session))
            }
        }
    )*};
}

from_session!(ObjectDao: Table, DataDao: Table, ObjectViewDao: Entity, DataViewDao: Entity);
