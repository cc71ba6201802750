//! Services of the program, and how they are made.

use std::marker::PhantomData;

pub use isogloss_derive::{FromSession, service};

use super::{EntityService, EntityServiceOps, EntityViewService, EntityViewServiceOps, Method, interception};
use crate::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao};
use crate::entity::{Entity, Table, View};
use crate::{OrmContext, OrmResult, Session};

/// A service of the program: `#[service]` implements it.
pub trait Service: Send + Sync + 'static {
    /// Its name: that of the type, or what `#[service(name = "..")]` says.
    const NAME: &'static str;

    /// Its methods, those of each `impl` by themselves.
    const METHODS: &'static [&'static [Method]];

    /// The session that it works in.
    fn session(&self) -> &Session;

    /// All methods: what a program allows, for a test that compares it with what it should.
    fn methods() -> impl Iterator<Item = &'static Method> {
        Self::METHODS.iter().copied().flatten()
    }

    /// Whether a program can do what the methods ask for.
    ///
    /// # Errors
    /// It runs without interception, or does not know who calls.
    fn check(context: &OrmContext) -> OrmResult<()> {
        let interception = context.services().interception.as_ref();
        Self::methods().try_for_each(|method| interception::check(method, interception))
    }
}

/// What is made over a session: data access objects and services. `#[derive(FromSession)]` is for a struct of such.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made from a session",
    note = "derive `FromSession` for a struct whose fields are sessions, data access objects and services; implement it for what needs more"
)]
pub trait FromSession: Sized {
    /// One over that session.
    ///
    /// # Errors
    /// The program cannot do what it asks for; or it cannot be made.
    fn from_session(session: &Session) -> OrmResult<Self>;
}

impl Session {
    /// A service over this session.
    ///
    /// ```
    /// use isogloss::service::{FromSession, service};
    /// use isogloss::{OrmResult, Session};
    /// #[derive(FromSession)]
    /// struct Greeter {
    ///     session: Session,
    /// }
    ///
    /// #[service]
    /// impl Greeter {
    ///     pub async fn greet(&self, name: &str) -> OrmResult<String> {
    ///         Ok(format!("Hello, {name}"))
    ///     }
    /// }
    ///
    /// async fn greeting(session: &Session) -> OrmResult<String> {
    ///     session.service::<Greeter>()?.greet("Ann").await
    /// }
    /// # let _ = greeting;
    /// ```
    ///
    /// # Errors
    /// The program cannot do what its methods ask for: it runs without interception, or does not know who calls; or it
    /// cannot be made.
    pub fn service<S: Service + FromSession>(&self) -> OrmResult<S> {
        S::check(self.context())?;
        S::from_session(self)
    }
}

impl FromSession for Session {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(session.clone())
    }
}

impl FromSession for OrmContext {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(session.context().clone())
    }
}

impl<T> FromSession for PhantomData<T> {
    fn from_session(_: &Session) -> OrmResult<Self> {
        Ok(Self)
    }
}

macro_rules! objects {
    ($($object:ident<$of:ident: $bound:ident>;)*) => {$(
        impl<$of: $bound> FromSession for $object<$of> {
            fn from_session(session: &Session) -> OrmResult<Self> {
                Ok(Self::new(session))
            }
        }
    )*};
}

impl<T: Table + Clone, V: View<Of = T>> FromSession for EntityService<T, V> {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(Self::new(session))
    }
}

/// As what a program may put a double in place of.
impl<T: Table + Clone, V: View<Of = T>> FromSession for Box<dyn EntityServiceOps<T, V>> {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(Box::new(EntityService::<T, V>::new(session)))
    }
}

/// As what a program may put a double in place of.
impl<V: Entity> FromSession for Box<dyn EntityViewServiceOps<V>> {
    fn from_session(session: &Session) -> OrmResult<Self> {
        Ok(Box::new(EntityViewService::<V>::new(session)))
    }
}

objects! {
    ObjectDao<T: Table>;
    ObjectViewDao<V: Entity>;
    EntityViewService<V: Entity>;
    DataDao<T: Table>;
    DataViewDao<V: Entity>;
}

/// Whether a struct that derives [`FromSession`] is a service: then a program must do what its methods ask for. The first
/// that there is, is found by the number of references: `(&Made::<S>::default()).check(context)`.
#[doc(hidden)]
pub mod probe_service {
    use std::marker::PhantomData;

    use super::Service;
    use crate::{OrmContext, OrmResult};

    /// What is asked.
    #[derive(Debug)]
    pub struct Made<S>(PhantomData<fn() -> S>);

    impl<S> Default for Made<S> {
        fn default() -> Self {
            Self(PhantomData)
        }
    }

    /// It is a service.
    pub trait IsService {
        /// Checks its methods.
        ///
        /// # Errors
        /// The program cannot do what they ask for.
        fn check(&self, context: &OrmContext) -> OrmResult<()>;
    }

    impl<S: Service> IsService for &Made<S> {
        fn check(&self, context: &OrmContext) -> OrmResult<()> {
            S::check(context)
        }
    }

    /// It is none.
    pub trait IsNone {
        /// There is nothing to be checked.
        ///
        /// # Errors
        /// None.
        fn check(&self, _: &OrmContext) -> OrmResult<()> {
            Ok(())
        }
    }

    impl<S> IsNone for Made<S> {}
}
