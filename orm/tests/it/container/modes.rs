//! A program without a container, with one, and with one and interception.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use isogloss::container::{AddOrm as _, FromServices, OrmServices, Resolve as _, ServiceCollection, auto_register};
use isogloss::prelude::*;
use isogloss::service::{
    FromSession, Interception, ServiceError, ServiceInvokeContext, ServiceInvokingEvent, async_trait, service,
};
use isogloss::session::SessionError;

use crate::container::{Note, alone, catalog, context, context_at, provider};
use crate::support::engines::{Place, each_place};

/// It declares nothing: it works in every mode.
mod plain {
    use super::*;

    #[auto_register]
    #[derive(FromSession)]
    pub struct Plain {
        session: Session,
        notes: ObjectDao<Note>,
    }

    #[service]
    impl Plain {
        pub async fn add(&self, text: &str) -> OrmResult<bool> {
            self.notes.insert(&mut Note::of(text)).await
        }
    }
}

/// It declares a transaction: it needs interception.
mod declared {
    use super::*;

    #[auto_register(interfaces(dyn Booking))]
    #[derive(FromServices)]
    pub struct BookingInNotes {
        session: Session,
        notes: ObjectDao<Note>,
    }

    #[async_trait]
    pub trait Booking: Send + Sync {
        async fn book(&self, text: &str) -> OrmResult<u64>;
    }

    #[service]
    #[async_trait]
    impl Booking for BookingInNotes {
        #[transaction]
        async fn book(&self, text: &str) -> OrmResult<u64> {
            self.notes.insert(&mut Note::of(text)).await?;
            assert!(self.session.in_transaction());
            if text.is_empty() { Err(SessionError::NoTransaction.into()) } else { Ok(Session::current()?.id()) }
        }
    }

    /// Made by hand, which the registration checks, too.
    #[auto_register(policy = self)]
    pub struct ByHand {
        session: Session,
    }

    impl FromSession for ByHand {
        fn from_session(session: &Session) -> OrmResult<Self> {
            Ok(Self { session: session.clone() })
        }
    }

    #[service]
    impl ByHand {
        #[transaction]
        pub async fn nothing(&self) -> OrmResult<()> {
            Ok(())
        }
    }
}

use declared::{Booking, BookingInNotes, ByHand};
use plain::Plain;

fn of(module: &str) -> OrmServices {
    OrmServices::new().only_modules([format!("{}::{module}", module_path!())])
}

/// Counts calls.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

#[async_trait]
impl ServiceInvokingEvent for Calls {
    async fn on_invoking(&self, _: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

async fn intercepted(place: &Place, calls: &Calls) -> OrmContext {
    let builder = Orm::builder().catalog(catalog());
    let context = builder.with_interception(Interception::new().invoking(calls.clone())).build().await.unwrap();
    let source = isogloss::config::DataSourceConfig::new("main", place.provider, &place.url).sync_table(true);
    context.add_data_source(source).unwrap();
    context.sync_table(Note::NAME, Vec::<&str>::new()).await.unwrap();
    context
}

#[tokio::test]
async fn g01_a_service_works_by_hand_in_a_container_and_with_interception() {
    each_place(async |place| {
        let context = context_at(&place).await;
        let by_hand = context.create_session().unwrap().service::<Plain>().unwrap();
        assert!(by_hand.add("by hand").await.unwrap());
        let scope = provider(&context, of("plain")).create_scope();
        assert!(scope.resolve::<Arc<Plain>>().unwrap().add("in a container").await.unwrap());
        // Made over the session it need not be registered.
        assert!(scope.resolve::<Plain>().unwrap().add("in a container").await.unwrap());
        let calls = Calls::default();
        let context = intercepted(&place, &calls).await;
        let scope = provider(&context, of("plain")).create_scope();
        assert!(scope.resolve::<Arc<Plain>>().unwrap().add("with interception").await.unwrap());
        assert_eq!(calls.0.load(Ordering::Relaxed), 1);
        assert_eq!(scope.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 4);
        context.close();
    })
    .await;
}

#[test]
fn g02_what_needs_interception_is_refused_without_when_it_is_registered() {
    let refused = |error: OrmError| {
        let text = error.to_string();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let named = matches!(cause.downcast_ref::<ServiceError>(), Some(ServiceError::NoInterception { .. }));
        (named || text.contains("has attributes that need interception"), text)
    };
    let (is, text) = refused(ServiceCollection::new().add_orm_with(&context(), of("declared")).err().unwrap());
    assert!(
        is && text.starts_with("service `it::container::modes::declared::BookingInNotes` cannot be registered"),
        "{text}"
    );
    assert!(text.contains("BookingInNotes.book"), "{text}");
    let mut services = ServiceCollection::new();
    services.add_orm_with(&context(), alone()).unwrap();
    let scoped = isogloss::container::ServiceLifetime::Scoped;
    assert!(refused(services.add_service::<BookingInNotes>(scoped).err().unwrap()).0);
}

#[tokio::test]
async fn g02_by_hand_too_with_interception_all_are_there() {
    let calls = Calls::default();
    let context = intercepted(&Place { provider: "sqlite", url: ":memory:".into() }, &calls).await;
    let scope = provider(&context, of("declared")).create_scope();
    scope.resolve::<Arc<ByHand>>().unwrap().nothing().await.unwrap();
    assert_eq!(calls.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn g10_the_current_session_of_a_call_is_that_of_the_scope_g11_and_services_are_intercepted() {
    each_place(async |place| {
        let calls = Calls::default();
        let context = intercepted(&place, &calls).await;
        let provider = provider(&context, of("declared"));
        let (one, other) = (provider.create_scope(), provider.create_scope());
        for scope in [&one, &other] {
            let booking = scope.resolve::<Arc<dyn Booking>>().unwrap();
            assert_eq!(booking.book("a").await.unwrap(), scope.resolve::<Session>().unwrap().id());
        }
        assert!(Session::current().is_err());
        // The transaction that is declared is one: what fails is taken back.
        assert!(one.resolve::<Arc<dyn Booking>>().unwrap().book("").await.is_err());
        assert_eq!(other.resolve::<ObjectViewDao<Note>>().unwrap().count(()).await.unwrap(), 2);
        assert_eq!(calls.0.load(Ordering::Relaxed), 3);
        // What is no service is called as it is.
        one.resolve::<ObjectDao<Note>>().unwrap().insert(&mut Note::of("b")).await.unwrap();
        assert_eq!(calls.0.load(Ordering::Relaxed), 3);
        context.close();
    })
    .await;
}
