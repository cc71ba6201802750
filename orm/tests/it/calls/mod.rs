//! Calls of services on every engine that can be reached. The numbers in the names of tests are those of the requirements
//! of the interface.

mod bounds;
mod entities;
mod events;
mod faults;
mod logs;
mod made;
mod permissions;
mod shapes;
mod transactions;

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};

use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss::service::{
    FromSession, Interception, Principal, ServiceExceptionContext, ServiceExceptionEvent, ServiceFailure,
    ServiceInvokeContext, ServiceInvokedEvent, ServiceInvokingEvent, SessionPrincipal, async_trait, service,
};
use isogloss::session::Conflict;
use isogloss::{OrmContext, OrmError, OrmResult, Session};

use crate::support::engines::{Place, each_place};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case")]
struct Order {
    #[column(primary_key)]
    id: i32,
    note: String,
    #[log(skip)]
    secret: Option<String>,
}

fn order(id: i32, note: &str) -> Order {
    Order { id, note: note.to_owned(), secret: Some("hidden".to_owned()) }
}

fn catalog() -> Catalog {
    Catalog::builder().entity::<Order>().build().unwrap()
}

/// An error of the program's.
#[derive(Debug)]
enum ShopError {
    SoldOut,
    Orm(OrmError),
}

impl ServiceFailure for ShopError {}

impl From<OrmError> for ShopError {
    fn from(error: OrmError) -> Self {
        Self::Orm(error)
    }
}

impl Conflict for ShopError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Orm(error) if error.is_conflict())
    }
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SoldOut => f.write_str("sold out"),
            Self::Orm(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ShopError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::SoldOut => None,
            Self::Orm(error) => Some(error),
        }
    }
}

#[derive(FromSession)]
struct Orders {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
impl Orders {
    /// Places an order in a transaction; `fails` is behind the write.
    #[transaction]
    pub async fn place(&self, mut order: Order, fails: bool) -> Result<i32, ShopError> {
        self.orders.insert(&mut order).await?;
        if fails {
            return Err(ShopError::SoldOut);
        }
        Ok(order.id)
    }

    /// Places two by calls of itself; whether the second one has failed makes no difference to it.
    #[transaction]
    pub async fn place_both(&self, first: i32, second: i32, fails: bool) -> Result<bool, ShopError> {
        self.place(order(first, "first"), false).await?;
        Ok(self.place(order(second, "second"), fails).await.is_ok())
    }

    /// Without a transaction.
    pub async fn count(&self) -> OrmResult<u64> {
        ObjectViewDao::<Order>::new(&self.session).count(()).await
    }

    /// Says what the current session is.
    pub async fn current(&self) -> OrmResult<u64> {
        Ok(Session::current()?.id())
    }
}

/// Whoever calls.
#[derive(Debug)]
struct User(&'static str, &'static [&'static str]);

impl Principal for User {
    fn id(&self) -> &str {
        self.0
    }

    fn has_role(&self, role: &str) -> bool {
        self.1.contains(&role)
    }
}

fn user(name: &'static str, roles: &'static [&'static str]) -> Arc<dyn Principal> {
    Arc::new(User(name, roles))
}

/// Writes down what handlers are told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[async_trait]
impl ServiceInvokingEvent for Told {
    async fn on_invoking(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        self.add(format!("invoking {context:?}"));
        Ok(())
    }
}

#[async_trait]
impl ServiceInvokedEvent for Told {
    async fn on_invoked(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        self.add(format!("invoked {} = {}", context.method_name(), context.result().unwrap()));
        Ok(())
    }
}

#[async_trait]
impl ServiceExceptionEvent for Told {
    async fn on_exception(&self, context: &ServiceExceptionContext<'_>) -> OrmResult<()> {
        self.add(format!("exception {}: {}", context.method_name(), context.error()));
        Ok(())
    }
}

fn interception() -> Interception {
    Interception::new().principals(SessionPrincipal)
}

/// All that is told.
fn telling(told: &Told) -> Interception {
    interception().invoking(told.clone()).invoked(told.clone()).exception(told.clone())
}

/// Runs a test on every engine, with the table of orders.
async fn each<F: Future<Output = ()>>(interception: impl Fn() -> Interception, test: impl Fn(OrmContext) -> F) {
    each_place(async |place: Place| {
        let context = context(&place, interception()).await;
        test(context.clone()).await;
        context.close();
    })
    .await;
}

async fn context(place: &Place, interception: Interception) -> OrmContext {
    let context = OrmContext::builder().catalog(catalog()).with_interception(interception).build().await.unwrap();
    add(&context, place);
    context.sync_table("Order", [""; 0]).await.unwrap();
    context
}

fn add(context: &OrmContext, place: &Place) {
    let source = isogloss::config::DataSourceConfig::new("main", place.provider, &place.url).sync_table(true);
    context.add_data_source(source).unwrap();
}

/// In memory, for what no engine makes a difference to.
async fn memory(interception: Interception) -> OrmContext {
    context(&Place { provider: "sqlite", url: ":memory:".into() }, interception).await
}

fn orders(context: &OrmContext) -> Orders {
    context.create_session().unwrap().service().unwrap()
}

/// How many orders there are to others.
async fn stored(context: &OrmContext) -> u64 {
    ObjectViewDao::<Order>::new(&context.create_session().unwrap()).count(()).await.unwrap()
}
