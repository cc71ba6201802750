//! Services of the program, and how they are created.

use std::marker::PhantomData;

pub use isogloss_derive::{FromSession, service};

use super::{EntityService, EntityServiceOps, EntityViewService, EntityViewServiceOps, Method, interception};
use crate::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao};
use crate::entity::{Entity, Table, View};
use crate::{OrmContext, OrmResult, Session};

/// A service of the program. `#[service]` implements it.
pub trait Service: Send + Sync + 'static {
    /// The name of the service: that of the type, or of `#[service(name = "..")]`.
    const NAME: &'static str;

    /// The methods, by `impl` block.
    const METHODS: &'static [&'static [Method]];

    /// The session that the service works in.
    fn session(&self) -> &Session;

    /// All methods with their attributes, such as for a test that compares the permissions with those that are
    /// intended.
    fn methods() -> impl Iterator<Item = &'static Method> {
        Self::METHODS.iter().copied().flatten()
    }

    /// Checks whether the program supports what the methods' attributes ask for.
    ///
    /// # Errors
    /// The program runs without interception, or does not know the caller.
    fn check(context: &OrmContext) -> OrmResult<()> {
        let interception = context.services().interception.as_ref();
        Self::methods().try_for_each(|method| interception::check(method, interception))
    }
}

/// A type that can be created from a session: data access objects and services. Derive it by `#[derive(FromSession)]`
/// for a struct of such types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made from a session",
    note = "derive `FromSession` for a struct whose fields are sessions, data access objects and services; implement it for what needs more"
)]
pub trait FromSession: Sized {
    /// Creates a value that works in a session.
    ///
    /// # Errors
    /// The program does not support what it asks for, or it cannot be created.
    fn from_session(session: &Session) -> OrmResult<Self>;
}

impl Session {
    /// Creates a service that works in this session.
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
    /// The program does not support what its methods ask for, as it runs without interception or does not know the
    /// caller; or the service cannot be created.
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

/// Checks whether a struct that derives [`FromSession`] is a service, whose methods the program has to support. Method
/// resolution finds the right trait by the number of references: `(&Made::<S>::default()).check(context)`.
#[doc(hidden)]
pub mod probe_service {
    use std::marker::PhantomData;

    use super::Service;
    use crate::{OrmContext, OrmResult};

    /// The type that is checked.
    #[derive(Debug)]
    pub struct Made<S>(PhantomData<fn() -> S>);

    impl<S> Default for Made<S> {
        fn default() -> Self {
            Self(PhantomData)
        }
    }

    /// A type that is a service.
    pub trait IsService {
        /// Checks the methods of the service.
        ///
        /// # Errors
        /// The program does not support what they ask for.
        fn check(&self, context: &OrmContext) -> OrmResult<()>;
    }

    impl<S: Service> IsService for &Made<S> {
        fn check(&self, context: &OrmContext) -> OrmResult<()> {
            S::check(context)
        }
    }

    /// A type that is not a service.
    pub trait IsNone {
        /// Does nothing, as there is nothing to check.
        ///
        /// # Errors
        /// None.
        fn check(&self, _: &OrmContext) -> OrmResult<()> {
            Ok(())
        }
    }

    impl<S> IsNone for Made<S> {}
}
