//! Subscribers to the events of entities.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

use isogloss_compiler::expr::Value;
use isogloss_driver::BoxFuture;

use super::events::Answer;
use super::listened::Listened;
use super::operation::Kind;
use super::{EntityEvents, ServiceError};
use crate::context::OrmBuilder;
use crate::dao::{ObjectDao, TableArgs};
use crate::entity::{FieldError, Table, Written};
use crate::session::caught;
use crate::{OrmContext, OrmResult, Session};

/// The subscribers of all entities.
#[derive(Default)]
pub(crate) struct Subscribers(BTreeMap<TypeId, Box<dyn EntitySubscribers>>);

/// Those of one entity.
pub(super) trait EntitySubscribers: Any + Send + Sync {
    /// The entity's name.
    fn entity(&self) -> &'static str;

    /// Makes those that are not made yet.
    fn make(&self, context: &OrmContext) -> OrmResult<()>;

    /// Writes a row of the entity, which its caller has without its type.
    fn write<'w>(
        &'w self,
        session: &'w Session,
        args: &'w TableArgs,
        kind: Kind,
        row: &'w mut dyn Written,
    ) -> BoxFuture<'w, OrmResult<bool>>;

    /// Deletes the row with that key.
    fn delete_key<'w>(
        &'w self,
        session: &'w Session,
        args: &'w TableArgs,
        key: Vec<Value>,
    ) -> BoxFuture<'w, OrmResult<bool>>;
}

type Make<T> = dyn Fn(&OrmContext) -> OrmResult<Arc<dyn EntityEvents<T>>> + Send + Sync;

/// Makes a subscriber, and says which.
struct Maker<T> {
    name: &'static str,
    make: Box<Make<T>>,
    made: OnceLock<Subscriber<T>>,
    making: Making,
}

/// The threads that make a subscriber. No lock is held meanwhile, as a program's own code runs: of two that make it at a
/// time, the first to be ready is kept.
#[derive(Default)]
struct Making(Mutex<Vec<ThreadId>>);

/// One of them.
struct MakingTurn<'m>(&'m Making);

/// A subscriber, and what it is called.
pub(super) struct Subscriber<T> {
    name: &'static str,
    pub(super) events: Arc<dyn EntityEvents<T>>,
}

/// All subscribers of an entity, in the order in which they were registered.
pub(super) type Listeners<T> = Arc<[Subscriber<T>]>;

struct Of<T> {
    makers: Vec<Maker<T>>,
    all: OnceLock<Listeners<T>>,
}

impl<T> Subscriber<T> {
    /// What a method of it gives; its panic is an error.
    pub(super) async fn answer<'e, R>(&'e self, call: impl FnOnce() -> Answer<'e, R>) -> OrmResult<R> {
        let panicked = || ServiceError::Panicked { who: self.name.to_owned() }.into();
        caught(async { call().await }).await.unwrap_or_else(|| Err(panicked()))
    }
}

impl<T> Clone for Subscriber<T> {
    fn clone(&self) -> Self {
        Self { name: self.name, events: Arc::clone(&self.events) }
    }
}

impl<T: Table> Of<T> {
    fn all(&self, context: &OrmContext) -> OrmResult<Listeners<T>> {
        if let Some(all) = self.all.get() {
            return Ok(Arc::clone(all));
        }
        let made = self.makers.iter().map(|maker| maker.subscriber(context)).collect::<OrmResult<Listeners<T>>>()?;
        Ok(Arc::clone(self.all.get_or_init(|| made)))
    }
}

impl<T: Table> Maker<T> {
    fn new(
        name: &'static str,
        make: impl Fn(&OrmContext) -> OrmResult<Arc<dyn EntityEvents<T>>> + Send + Sync + 'static,
    ) -> Self {
        Self { name, make: Box::new(make), made: OnceLock::new(), making: Making::default() }
    }

    /// The subscriber, made now if it was not before.
    fn subscriber(&self, context: &OrmContext) -> OrmResult<Subscriber<T>> {
        if let Some(made) = self.made.get() {
            return Ok(made.clone());
        }
        let name = self.name;
        let not_made = |error| ServiceError::NotMade { subscriber: name, entity: T::NAME, error };
        let events = match self.making.begin() {
            None => Err(ServiceError::Unmade { subscriber: name }.into()),
            Some(_making) => catch_unwind(AssertUnwindSafe(|| (self.make)(context)))
                .unwrap_or_else(|_| Err(ServiceError::Panicked { who: name.to_owned() }.into())),
        };
        let made = Subscriber { name, events: events.map_err(not_made)? };
        Ok(self.made.get_or_init(|| made).clone())
    }
}

impl Making {
    /// None if this thread makes it already.
    fn begin(&self) -> Option<MakingTurn<'_>> {
        let (mut threads, this) = (self.threads(), thread::current().id());
        if threads.contains(&this) {
            return None;
        }
        threads.push(this);
        Some(MakingTurn(self))
    }

    fn threads(&self) -> MutexGuard<'_, Vec<ThreadId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MakingTurn<'_> {
    fn drop(&mut self) {
        let this = thread::current().id();
        self.0.threads().retain(|thread| *thread != this);
    }
}

impl<T: Table + Clone> EntitySubscribers for Of<T> {
    fn entity(&self) -> &'static str {
        T::NAME
    }

    fn make(&self, context: &OrmContext) -> OrmResult<()> {
        self.all(context).map(drop)
    }

    fn write<'w>(
        &'w self,
        session: &'w Session,
        args: &'w TableArgs,
        kind: Kind,
        row: &'w mut dyn Written,
    ) -> BoxFuture<'w, OrmResult<bool>> {
        Box::pin(async move {
            let listeners = self.all(session.context())?;
            let dao = ObjectDao::new(session).with_args(args.iter().cloned());
            let other = || FieldError::new(format!("it is no row of `{}`", T::NAME));
            let row: &mut T = (row as &mut dyn Any).downcast_mut().ok_or_else(other)?;
            Listened::new(session, args, &dao, listeners).write(kind, row).await
        })
    }

    fn delete_key<'w>(
        &'w self,
        session: &'w Session,
        args: &'w TableArgs,
        key: Vec<Value>,
    ) -> BoxFuture<'w, OrmResult<bool>> {
        Box::pin(async move {
            let listeners = self.all(session.context())?;
            let dao = ObjectDao::<T>::new(session).with_args(args.iter().cloned());
            Listened::new(session, args, &dao, listeners).delete_id(key).await
        })
    }
}

impl Subscribers {
    /// Those of an entity, made now if they were not before; none where nobody listens.
    pub(super) fn of<T: Table>(&self, context: &OrmContext) -> OrmResult<Option<Listeners<T>>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let registered = self.0.get(&TypeId::of::<T>()).map(|registered| &**registered as &dyn Any);
        registered.and_then(|of| of.downcast_ref::<Of<T>>()).map(|of| of.all(context)).transpose()
    }

    /// Those of the struct of a row.
    pub(super) fn of_row(&self, row: &dyn Written) -> Option<&dyn EntitySubscribers> {
        self.0.get(&(row as &dyn Any).type_id()).map(|registered| &**registered)
    }

    /// Whether somebody listens to an entity of that name.
    pub(super) fn listen_to(&self, entity: &str) -> bool {
        self.0.values().any(|registered| registered.entity() == entity)
    }

    fn add<T: Table + Clone>(&mut self, maker: Maker<T>) {
        let none = || Box::new(Of::<T> { makers: Vec::new(), all: OnceLock::new() });
        let registered = self.0.entry(TypeId::of::<T>()).or_insert_with(|| none());
        if let Some(of) = (&mut **registered as &mut dyn Any).downcast_mut::<Of<T>>() {
            of.makers.push(maker);
        }
    }
}

impl fmt::Debug for Subscribers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscribers").field("entities", &self.0.len()).finish()
    }
}

impl OrmBuilder {
    /// Registers a subscriber to the events of entities of type `T`. Subscribers of one entity are called in the order
    /// of registration.
    ///
    /// `make` is called at the first write of such an entity, and its subscriber is kept; if two tasks call it at the
    /// same time, the second one is dropped. It must not write such entities itself. If it fails, the write fails, and
    /// the next one calls it again. [`check_subscribers`](OrmContext::check_subscribers) creates all subscribers at
    /// once. A subscriber lives as long as the context: it should take sessions from its events, and not hold the
    /// context.
    ///
    /// See [`EntityEvents`].
    pub fn entity_events<T: Table + Clone, S: EntityEvents<T> + 'static>(
        mut self,
        make: impl Fn(&OrmContext) -> OrmResult<S> + Send + Sync + 'static,
    ) -> Self {
        let make = move |context: &OrmContext| Ok(Arc::new(make(context)?) as Arc<dyn EntityEvents<T>>);
        self.services.subscribers.add(Maker::new(type_name::<S>(), make));
        self
    }
}

impl OrmContext {
    /// Creates all subscribers that do not exist yet: for a test, or at the start of a program that should fail early.
    ///
    /// # Errors
    /// The first subscriber that cannot be created.
    pub fn check_subscribers(&self) -> OrmResult<()> {
        self.services().subscribers.0.values().try_for_each(|registered| registered.make(self))
    }
}
