//! The services that say of themselves how they are registered.

use std::any::{Any, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use di::{ServiceCollection, ServiceDescriptorBuilder, ServiceLifetime, ServiceProvider, Type};

use super::FromServices;
use crate::{OrmContext, OrmError, OrmResult};

/// A service of the program, as `#[auto_register]` has it.
#[derive(Debug)]
pub struct Registration {
    pub(super) module: &'static str,
    pub(super) service: &'static str,
    pub(super) add: Add,
}

type Add = fn(&mut ServiceCollection, &OrmContext) -> OrmResult<()>;

impl Registration {
    /// The registration of a service, which derived code makes.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(module: &'static str, service: &'static str, add: Add) -> Self {
        Self { module, service, add }
    }
}

inventory::collect!(Registration);

/// All registrations that are linked into the program, by the paths of the services: in which order they are linked is
/// chance, and of two implementations of a trait the last is what is resolved.
pub(super) fn registrations() -> impl Iterator<Item = &'static Registration> {
    let mut all: Vec<_> = inventory::iter::<Registration>.into_iter().collect();
    all.sort_by_key(|registration| registration.service);
    all.into_iter()
}

/// One accessor for each service that a part of the program needs: made by `#[derive(ServiceFactory)]` on a struct, or by
/// [`#[service_factory]`](super::service_factory) on a trait.
///
/// ```
/// use std::sync::Arc;
/// use isogloss::container::{AddOrm, Resolve, ServiceCollection, ServiceFactory, service_factory};
/// use isogloss::{OrmContext, OrmResult, Session};
/// # pub trait Mailer: Send + Sync { fn send(&self, text: &str); }
///
/// #[derive(ServiceFactory)]
/// pub struct Services {
///     session: Session,
///     mailer: Arc<dyn Mailer>,
/// }
///
/// /// The same as a trait, so that a test may have a double of it.
/// #[service_factory]
/// pub trait Needed {
///     fn session(&self) -> Session;
///     fn mailer(&self) -> &Arc<dyn Mailer>;
/// }
///
/// fn send(services: &mut ServiceCollection) -> OrmResult<()> {
///     services.add_service_factory::<dyn Needed>()?;
///     let scope = services.build_provider()?.create_scope();
///     scope.resolve::<Services>()?.mailer().send("from a struct");
///     scope.resolve::<Arc<dyn Needed>>()?.mailer().send("from a trait");
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no service factory",
    note = "a struct derives `ServiceFactory`; a trait has `#[service_factory]` and is named as `dyn Trait`"
)]
pub trait ServiceFactory {
    /// Adds it to services, one a scope.
    ///
    /// # Errors
    /// One of its services cannot be made.
    #[doc(hidden)]
    fn add(services: &mut ServiceCollection, context: &OrmContext) -> OrmResult<()>;
}

/// Adds one type, as itself and as its interfaces: all of them are the same instance.
#[doc(hidden)]
pub struct Adding<'s, T, K = ()> {
    services: &'s mut ServiceCollection,
    lifetime: ServiceLifetime,
    of: PhantomData<fn() -> (T, K)>,
}

// Where the bound is on the function, the compiler says what is missing in the words of the trait.
impl<'s, T: Send + Sync + 'static, K: Key> Adding<'s, T, K> {
    /// Adds what makes it, which nobody finds yet.
    ///
    /// # Errors
    /// It cannot be made in this program.
    pub fn to(services: &'s mut ServiceCollection, context: &OrmContext, lifetime: ServiceLifetime) -> OrmResult<Self>
    where
        T: FromServices,
    {
        T::check(context)?;
        let slot = ServiceDescriptorBuilder::<Slot<T, K>, T>::new(lifetime, Type::of::<T>());
        services.add(slot.from(|services| Arc::new(Slot::new(services))));
        Ok(Self { services, lifetime, of: PhantomData })
    }

    /// Finds it by its type.
    pub fn itself(self) -> Self
    where
        T: FromServices,
    {
        self.interface(|it| it)
    }

    /// Finds it by another type that it can be seen as.
    pub fn interface<I: Any + Send + Sync + ?Sized>(self, seen: fn(Arc<T>) -> Arc<I>) -> Self
    where
        T: FromServices,
    {
        let mut builder = K::builder::<I, T>(self.lifetime);
        // Said here and not of the slot, so that what is wrong with them is told by a name that the program knows.
        for dependency in T::dependencies() {
            builder = builder.depends_on(dependency);
        }
        self.services.add(builder.from(move |services| seen(Arc::clone(&services.get_required::<Slot<T, K>>().made))));
        self
    }
}

/// Where the instance is.
struct Slot<T, K> {
    made: Arc<T>,
    key: PhantomData<fn() -> K>,
}

impl<T: FromServices, K> Slot<T, K> {
    fn new(services: &ServiceProvider) -> Self {
        let made = T::from_services(services).unwrap_or_else(|error| unmade::<T>(&error));
        Self { made: Arc::new(made), key: PhantomData }
    }
}

#[expect(
    clippy::panic,
    reason = "what `more-di` calls to make a service has no other way to fail, and says so of a missing one"
)]
fn unmade<T>(error: &OrmError) -> ! {
    panic!("service `{}` could be made when it was registered, and no longer: {error}", type_name::<T>())
}

/// Under which key a service is registered, if any.
#[doc(hidden)]
pub trait Key: 'static {
    fn builder<S: ?Sized, T>(lifetime: ServiceLifetime) -> ServiceDescriptorBuilder<S, T>;
}

impl Key for () {
    fn builder<S: ?Sized, T>(lifetime: ServiceLifetime) -> ServiceDescriptorBuilder<S, T> {
        ServiceDescriptorBuilder::new(lifetime, Type::of::<T>())
    }
}

/// Under the key of that type.
#[doc(hidden)]
pub struct Keyed<K>(PhantomData<fn() -> K>);

impl<K: 'static> Key for Keyed<K> {
    fn builder<S: ?Sized, T>(lifetime: ServiceLifetime) -> ServiceDescriptorBuilder<S, T> {
        ServiceDescriptorBuilder::keyed::<K>(lifetime, Type::of::<T>())
    }
}
