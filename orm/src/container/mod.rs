//! Services in a container with scopes: one session a scope, ended with it.
//!
//! The container is [`di`], the crate `more-di`, whose lifetimes and scopes are those of .NET's: a singleton is made once,
//! a scoped service once a scope, a transient one each time. [`add_orm`](AddOrm::add_orm) puts a context into its
//! [`ServiceCollection`], and with it every service of the program that says [`#[auto_register]`](auto_register).
//! [`build_provider`](ServiceCollection::build_provider) refuses what does not fit together: a dependency that is missing, one
//! that leads back to its own service, a singleton that holds what is scoped. A unit of work, such as a request, creates a
//! scope, and [`resolve`](Resolve::resolve)s in it what it needs:
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
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true), true)?;
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
//! What stands in a service is given to it: what is made over the session by itself, another service as an `Arc`.
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
//! # What holds
//!
//! - The scope's [`Session`](crate::Session) is the same for all that is made in it. It ends with the scope, which is when the
//!   last clone of its [`ServiceProvider`] is dropped: a transaction that is open then is rolled back, its connections go
//!   back to their pools, and a clone of the session that is left somewhere is refused with
//!   [`SessionError::Ended`](crate::session::SessionError::Ended).
//! - [`create_scope_with`](Resolve::create_scope_with) gives the session the tenant and the user of a request, for all that is
//!   made in the scope.
//! - The provider that `build_provider` gives is a scope, too, and as long as the program: of it ask singletons only.
//! - `more-di` tells types apart by their names: two types with one path, as two versions of a crate have them, are one to it.
//! - Its feature `async` is on, as services go from thread to thread: its `Ref` is [`Arc`](std::sync::Arc) in the whole program.

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

/// What derived code calls. Nothing here is for programs.
#[doc(hidden)]
pub mod __private {
    pub use di::ServiceDependency;
    pub use inventory;

    pub use super::register::{Adding, Keyed};
}
