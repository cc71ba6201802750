//! What can be made of the services of a scope.

use std::any::{Any, type_name};
use std::sync::Arc;

use di::{KeyedRef, ServiceDependency, ServiceProvider, exactly_one, exactly_one_with_key, zero_or_more, zero_or_one};

use super::ContainerError;
use crate::service::FromSession;
use crate::{OrmContext, OrmResult, Session};

/// What can be made of the services of a scope: the fields of a service, and services themselves.
///
/// | type | what it is |
/// |---|---|
/// | `Arc<T>`, `Arc<dyn Trait>` | a service that is registered; of several the last one |
/// | `Option<Arc<T>>` | one that may be missing |
/// | `Vec<Arc<dyn Trait>>` | all that are registered |
/// | [`KeyedRef<Key, T>`](KeyedRef) | one that is registered under a key |
/// | whatever is [`FromSession`] | made over the scope's session: the session itself, data access objects, entity services, `Box<dyn EntityServiceOps<T, V>>` |
/// | `Arc<OrmContext>` | the context, as [`OrmContext`] is made over a session: a singleton has none |
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
/// By hand it is written for what is made in another way, such as a singleton without dependencies:
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
    /// The services that it needs, by which a provider is checked when it is built. One that is left out here is not looked
    /// at: if it leads back to this one, making it has no end.
    #[must_use]
    fn dependencies() -> Vec<ServiceDependency> {
        Vec::new()
    }

    /// Whether it can be made in this program: looked at when it is registered.
    ///
    /// # Errors
    /// Why not.
    fn check(context: &OrmContext) -> OrmResult<()> {
        let _ = context;
        Ok(())
    }

    /// Makes one. What fails now and then belongs into a method of the service: whether one can be made is found out when it
    /// is registered, and from then on the container knows no failure.
    ///
    /// # Errors
    /// A service is not registered; or it cannot be made, which in the making of a registered service is a panic of who
    /// asks for it, as `ServiceProvider::get_required` panics of one that is missing.
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
