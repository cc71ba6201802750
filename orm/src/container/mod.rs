//! Dependency injection: services in a container, with one session in each scope.
//!
//! The container is [`di`], the crate `more-di`, with the lifetimes and scopes of .NET's: a singleton is created once,
//! a scoped service once in each scope, a transient one each time. [`add_orm`](AddOrm::add_orm) adds a context to its
//! [`ServiceCollection`], and with it every service of the program with [`#[auto_register]`](auto_register).
//! [`build_provider`](ServiceCollection::build_provider) refuses contradictions: a dependency that is missing or
//! cyclic, and a singleton that depends on a scoped service. A unit of work, such as a request, creates a scope, and
//! [`resolve`](Resolve::resolve)s the services that it needs:
//!
//! ```standalone_crate
//! use std::sync::Arc;
//!
//! use isogloss::config::DataSourceConfig;
//! use isogloss::container::{AddOrm, Resolve, ServiceCollection, auto_register};
//! use isogloss::prelude::*;
//! use isogloss::service::FromSession;
//!
//! #[derive(Entity, Debug, Clone)]
//! struct Order {
//!     #[column(primary_key, identity)]
//!     id: i64,
//!     customer: String,
//! }
//!
//! #[auto_register]
//! struct Orders {
//!     orders: ObjectViewDao<Order>,
//! }
//!
//! impl FromSession for Orders {
//!     fn from_session(session: &Session) -> OrmResult<Self> {
//!         Ok(Self { orders: ObjectViewDao::new(session) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> OrmResult<()> {
//! let context = OrmContext::new(isogloss::entity::linked().build()?);
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
//! let mut services = ServiceCollection::new();
//! services.add_orm(&context)?;
//! let provider = services.build_provider()?;
//!
//! let scope = provider.create_scope();
//! let orders = scope.resolve::<Arc<Orders>>()?;
//! assert_eq!(orders.orders.count(()).await?, 0);
//! // What is made of a session is there without being registered, for every entity.
//! let dao = scope.resolve::<ObjectDao<Order>>()?;
//! assert!(dao.insert(&mut Order { id: 0, customer: "Ann".into() }).await?);
//! assert_eq!(orders.orders.count(()).await?, 1);
//! # Ok(()) }
//! ```
//!
//! # Services that register themselves
//!
//! The fields of a service are injected: types that are created from the session by value, other services as an `Arc`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use isogloss::container::{FromServices, auto_register};
//! use isogloss::prelude::*;
//!
//! pub trait Mailer: Send + Sync {
//!     fn send(&self, to: &str);
//! }
//!
//! /// One for the program, found as a `dyn Mailer` alone.
//! #[auto_register(policy = interface, interfaces(dyn Mailer), lifetime = singleton)]
//! #[derive(FromServices)]
//! struct NoMail;
//!
//! impl Mailer for NoMail {
//!     fn send(&self, _: &str) {}
//! }
//!
//! /// One a scope, found as an `Arc<Welcome>`.
//! #[auto_register]
//! #[derive(FromServices)]
//! struct Welcome {
//!     session: Session,
//!     mailer: Arc<dyn Mailer>,
//! }
//! ```
//!
//! # Lifetimes
//!
//! - All services of a scope share its [`Session`](crate::Session). It ends with the scope, when the last clone of its
//!   [`ServiceProvider`] is dropped: an open transaction is rolled back, and connections return to their pools. A clone
//!   of the session that is used afterwards fails with [`SessionError::Ended`](crate::session::SessionError::Ended).
//! - [`create_scope_with`](Resolve::create_scope_with) sets the tenant and the user of a request, for everything in the
//!   scope.
//! - The provider that `build_provider` returns is a scope, too, which lives as long as the program: resolve only
//!   singletons from it.
//! - `more-di` identifies types by their names: two types with the same path, as in two versions of a crate, are one to
//!   it.
//! - Its feature `async` is enabled, as services move between threads: its `Ref` is [`Arc`](std::sync::Arc) in the
//!   whole program.

mod add;
mod error;
mod from_services;
mod register;
mod scope;

pub use di::{self, KeyedRef, ServiceCollection, ServiceLifetime, ServiceProvider, ValidationError};
pub use isogloss_derive::{FromServices, ServiceFactory, auto_register, service_factory};

pub use add::{AddOrm, OrmServices};
pub use error::ContainerError;
pub use from_services::FromServices;
pub use register::{Registration, ServiceFactory};
pub use scope::Resolve;

/// Called by derived code. It is not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use di::ServiceDependency;
    pub use inventory;

    pub use super::register::{Adding, Keyed};
}
