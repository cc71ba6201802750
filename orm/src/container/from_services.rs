//! Types that can be created from the services of a scope.

use std::any::{Any, type_name};
use std::sync::Arc;

use di::{KeyedRef, ServiceDependency, ServiceProvider, exactly_one, exactly_one_with_key, zero_or_more, zero_or_one};

use super::ContainerError;
use crate::service::FromSession;
use crate::{OrmContext, OrmResult, Session};

/// A type that can be created from the services of a scope: a service, or a field of one.
///
/// | type | what it is |
/// |---|---|
/// | `Arc<T>`, `Arc<dyn Trait>` | a registered service; the last one if there are several |
/// | `Option<Arc<T>>` | a service that may be missing |
/// | `Vec<Arc<dyn Trait>>` | all that are registered |
/// | [`KeyedRef<Key, T>`](KeyedRef) | a service that is registered under a key |
/// | any [`FromSession`] | created over the scope's session: the session itself, data access objects, entity services, `Box<dyn EntityServiceOps<T, V>>` |
/// | `Arc<OrmContext>` | the context; a plain [`OrmContext`] is created from a session, which a singleton does not have |
/// | a struct of these | by `#[derive(FromServices)]` |
///
/// ```
/// use std::sync::Arc;
/// use isogloss::container::{FromServices, ServiceLifetime, auto_register};
/// use isogloss::Session;
///
/// pub trait Mailer: Send + Sync {
///     fn send(&self, text: &str);
/// }
///
/// // One a scope, beside a mailer that may be a singleton.
/// #[auto_register]
/// #[derive(FromServices)]
/// pub struct Greeter {
///     session: Session,
///     mailer: Arc<dyn Mailer>,
/// }
/// ```
///
/// Implement it by hand for a type that is created in another way, such as a singleton without dependencies:
///
/// ```
/// use isogloss::OrmResult;
/// use isogloss::container::{FromServices, ServiceProvider, auto_register};
///
/// #[auto_register(lifetime = singleton)]
/// #[derive(Default)]
/// pub struct Hits(std::sync::atomic::AtomicU64);
///
/// impl FromServices for Hits {
///     fn from_services(_: &ServiceProvider) -> OrmResult<Self> {
///         Ok(Self::default())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made of the services of a scope",
    label = "neither a service nor made of a session",
    note = "a service that is registered is an `Arc<..>`; what is made of a session implements `FromSession`; a struct of such fields derives `FromServices`"
)]
pub trait FromServices: Sized {
    /// The services that it depends on, which are checked when the provider is built. A dependency that is missing in
    /// this list is not checked: if it is cyclic, creating it never ends.
    #[must_use]
    fn dependencies() -> Vec<ServiceDependency> {
        Vec::new()
    }

    /// Checks when it is registered whether it can be created in this program.
    ///
    /// # Errors
    /// Why it cannot be created.
    fn check(context: &OrmContext) -> OrmResult<()> {
        let _ = context;
        Ok(())
    }

    /// Creates a value. An operation that may fail at run time belongs into a method of the service: whether a service
    /// can be created is checked when it is registered, and afterwards the container cannot report an error.
    ///
    /// # Errors
    /// A service is not registered, or cannot be created. While a registered service is being created, this is a panic
    /// in whoever requests it, as `ServiceProvider::get_required` panics for a missing service.
    fn from_services(services: &ServiceProvider) -> OrmResult<Self>;
}

impl<S: FromSession> FromServices for S {
    fn dependencies() -> Vec<ServiceDependency> {
        vec![exactly_one::<Session>()]
    }

    /// Makes one over a session that is given up at once.
    fn check(context: &OrmContext) -> OrmResult<()> {
        S::from_session(&context.create_session()?).map(drop)
    }

    fn from_services(services: &ServiceProvider) -> OrmResult<Self> {
        S::from_session(&*registered::<Session>(services)?)
    }
}

impl<T: Any + ?Sized> FromServices for Arc<T> {
    fn dependencies() -> Vec<ServiceDependency> {
        vec![exactly_one::<T>()]
    }

    fn from_services(services: &ServiceProvider) -> OrmResult<Self> {
        registered(services)
    }
}

impl<T: Any + ?Sized> FromServices for Option<Arc<T>> {
    fn dependencies() -> Vec<ServiceDependency> {
        vec![zero_or_one::<T>()]
    }

    fn from_services(services: &ServiceProvider) -> OrmResult<Self> {
        Ok(services.get())
    }
}

impl<T: Any + ?Sized> FromServices for Vec<Arc<T>> {
    fn dependencies() -> Vec<ServiceDependency> {
        vec![zero_or_more::<T>()]
    }

    fn from_services(services: &ServiceProvider) -> OrmResult<Self> {
        Ok(services.get_all().collect())
    }
}

impl<K, T: Any + ?Sized> FromServices for KeyedRef<K, T> {
    fn dependencies() -> Vec<ServiceDependency> {
        vec![exactly_one_with_key::<K, T>()]
    }

    fn from_services(services: &ServiceProvider) -> OrmResult<Self> {
        services.get_by_key().ok_or_else(|| ContainerError::Missing { service: type_name::<T>() }.into())
    }
}

pub(super) fn registered<T: Any + ?Sized>(services: &ServiceProvider) -> OrmResult<Arc<T>> {
    services.get().ok_or_else(|| ContainerError::Missing { service: type_name::<T>() }.into())
}
