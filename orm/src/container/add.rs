//! Adds a context to the services of a program.

use std::any::type_name;
use std::error::Error;
use std::fmt;

use di::{Ref, ServiceCollection, ServiceLifetime, ServiceProvider, Type, existing_as_self, scoped_factory};

use super::register::{Adding, registrations};
use super::scope::OfScope;
use super::{ContainerError, FromServices, ServiceFactory};
use crate::{OrmContext, OrmResult};

/// Adds a context, and services over its sessions, to a service collection.
pub trait AddOrm {
    /// Adds a context with its catalog, a session for each scope, and every service of the program with
    /// [`#[auto_register]`](super::auto_register).
    ///
    /// # Errors
    /// Those of [`add_orm_with`](Self::add_orm_with).
    fn add_orm(&mut self, context: &OrmContext) -> OrmResult<&mut Self>;

    /// Adds a context with options, such as which services of the program are registered.
    ///
    /// ```
    /// # use isogloss::{OrmContext, OrmResult};
    /// use isogloss::container::{AddOrm, OrmServices, ServiceCollection, ServiceProvider, di};
    /// struct Clock;
    /// fn provider(context: &OrmContext) -> OrmResult<ServiceProvider> {
    ///     let options = OrmServices::new().only_modules(["shop::sales"]).configure_services(|services| {
    ///         services.add(di::existing_as_self(Clock));
    ///         Ok(())
    ///     });
    ///     Ok(ServiceCollection::new().add_orm_with(context, options)?.build_provider()?)
    /// }
    /// ```
    ///
    /// # Errors
    /// Sessions cannot be created without data sources, a service cannot be created (the error names it), or a callback
    /// fails.
    fn add_orm_with(&mut self, context: &OrmContext, options: OrmServices) -> OrmResult<&mut Self>;

    /// Adds a service by hand, such as one of a generic type, which cannot register itself.
    ///
    /// # Errors
    /// No context was added before, or the service cannot be created.
    fn add_service<T: FromServices + Send + Sync + 'static>(
        &mut self,
        lifetime: ServiceLifetime,
    ) -> OrmResult<&mut Self>;

    /// Adds a [service factory](ServiceFactory) with the lifetime of a scope: `add_service_factory::<dyn Services>()`
    /// for a trait, `add_service_factory::<Services>()` for a struct.
    ///
    /// # Errors
    /// No context was added before, or one of its services cannot be created.
    fn add_service_factory<F: ServiceFactory + ?Sized>(&mut self) -> OrmResult<&mut Self>;
}

/// Options of [`add_orm_with`](AddOrm::add_orm_with): which services of the program are registered with a context.
#[derive(Default)]
#[must_use = "nothing is registered before it is given to `add_orm_with`"]
pub struct OrmServices {
    by_hand: bool,
    modules: Option<Vec<String>>,
    callbacks: Vec<Callback>,
}

type Failure = Box<dyn Error + Send + Sync>;
type Callback = Box<dyn FnOnce(&mut ServiceCollection) -> Result<(), Failure>>;

impl OrmServices {
    /// Options that register every service of the program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers no service with [`#[auto_register]`](super::auto_register). Types that are created from a session, such
    /// as data access objects, are available in any case.
    #[doc(alias = "auto_register_services")]
    pub fn without_auto_registered(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// Registers only the services of these crates and modules, such as `shop` or `shop::sales`, with the modules
    /// inside of them.
    pub fn only_modules<M: Into<String>>(mut self, modules: impl IntoIterator<Item = M>) -> Self {
        self.modules.get_or_insert_default().extend(modules.into_iter().map(Into::into));
        self
    }

    /// Adds a callback that runs after all other registrations. If a service is registered twice, the last registration
    /// is used.
    pub fn configure_services(
        mut self,
        callback: impl FnOnce(&mut ServiceCollection) -> Result<(), Failure> + 'static,
    ) -> Self {
        self.callbacks.push(Box::new(callback));
        self
    }

    fn takes(&self, module: &str) -> bool {
        let is_in = |outer: &String| {
            module.strip_prefix(outer.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        !self.by_hand && self.modules.as_ref().is_none_or(|modules| modules.iter().any(is_in))
    }
}

impl fmt::Debug for OrmServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrmServices")
            .field("by_hand", &self.by_hand)
            .field("only_modules", &self.modules)
            .field("callbacks", &self.callbacks.len())
            .finish()
    }
}

impl AddOrm for ServiceCollection {
    fn add_orm(&mut self, context: &OrmContext) -> OrmResult<&mut Self> {
        self.add_orm_with(context, OrmServices::new())
    }

    fn add_orm_with(&mut self, context: &OrmContext, options: OrmServices) -> OrmResult<&mut Self> {
        if context_of(self).is_ok() {
            return Err(ContainerError::AddedTwice.into());
        }
        let session = context.sessions()?;
        self.add(existing_as_self(context.clone()));
        self.add(existing_as_self(context.catalog().clone()));
        self.add(scoped_factory(move |_| Ref::new(OfScope::new(session()))));
        self.add(scoped_factory(|services| Ref::new(services.get_required::<OfScope>().session())));
        for registration in registrations().filter(|registration| options.takes(registration.module)) {
            (registration.add)(self, context).map_err(|error| unregistered(registration.service, error))?;
        }
        for callback in options.callbacks {
            callback(self).map_err(ContainerError::Configure)?;
        }
        Ok(self)
    }

    fn add_service<T: FromServices + Send + Sync + 'static>(
        &mut self,
        lifetime: ServiceLifetime,
    ) -> OrmResult<&mut Self> {
        let context = context_of(self)?;
        Adding::<T>::to(self, &context, lifetime)
            .map(Adding::itself)
            .map_err(|error| unregistered(type_name::<T>(), error))?;
        Ok(self)
    }

    fn add_service_factory<F: ServiceFactory + ?Sized>(&mut self) -> OrmResult<&mut Self> {
        let context = context_of(self)?;
        F::add(self, &context).map_err(|error| unregistered(type_name::<F>(), error))?;
        Ok(self)
    }
}

fn unregistered(service: &'static str, error: crate::OrmError) -> ContainerError {
    ContainerError::Service { service, error: Box::new(error) }
}

/// The context that was added.
fn context_of(services: &ServiceCollection) -> OrmResult<OrmContext> {
    let ty = Type::of::<OrmContext>();
    let descriptor = services.iter().find(|descriptor| *descriptor.service_type() == ty);
    let instance = descriptor.map(|descriptor| descriptor.get(&ServiceProvider::default()));
    let context = instance.as_ref().and_then(|instance| instance.downcast_ref::<Ref<OrmContext>>());
    context.map(|context| OrmContext::clone(context)).ok_or_else(|| ContainerError::NoContext.into())
}
