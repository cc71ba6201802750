//! What panics, is dropped or fails, and many calls at once.

use futures_util::FutureExt as _;
use isogloss::driver::ErrorKind;
use isogloss::service::ServiceError;

use super::*;
use crate::support::scripted::{Call, Fault, Servers};
use crate::support::stop::Stop;

/// Panics when it is told.
struct Panics;

#[async_trait]
impl ServiceInvokingEvent for Panics {
    async fn on_invoking(&self, _: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        panic!("invoking")
    }
}

#[async_trait]
impl ServiceInvokedEvent for Panics {
    async fn on_invoked(&self, _: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        panic!("invoked")
    }
}

#[async_trait]
impl ServiceExceptionEvent for Panics {
    async fn on_exception(&self, _: &ServiceExceptionContext<'_>) -> OrmResult<()> {
        panic!("exception")
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_an_error() {
    each(
        || interception().invoking(Panics),
        async |context: OrmContext| {
            let error = orders(&context).place(order(1, "a"), false).await.unwrap_err();
            let ShopError::Orm(OrmError::Service(error)) = error else { panic!("{error}") };
            assert!(matches!(*error, ServiceError::Panicked { ref who } if who.ends_with("Panics")), "{error}");
            assert_eq!(stored(&context).await, 0);
        },
    )
    .await;
    each(
        || interception().invoked(Panics).exception(Panics),
        async |context: OrmContext| {
            let orders = orders(&context);
            assert_eq!(orders.place(order(1, "a"), false).await.unwrap(), 1);
            assert!(matches!(orders.place(order(2, "a"), true).await, Err(ShopError::SoldOut)));
            assert_eq!(stored(&context).await, 1);
        },
    )
    .await;
}

#[derive(FromSession)]
struct Bad {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
impl Bad {
    #[transaction]
    pub async fn panics(&self, id: i32) -> OrmResult<()> {
        self.orders.insert(&mut order(id, "panics")).await?;
        panic!("enough")
    }

    #[transaction]
    pub async fn hangs(&self, id: i32, stop: &Stop) -> OrmResult<()> {
        self.orders.insert(&mut order(id, "hangs")).await?;
        stop.here().await
    }

    #[transaction]
    pub async fn rolls_back(&self, id: i32) -> OrmResult<()> {
        self.orders.insert(&mut order(id, "rolls back")).await?;
        self.session.rollback().await
    }
}

#[tokio::test]
async fn a_body_that_panics_is_taken_back() {
    each(interception, async |context: OrmContext| {
        let bad: Bad = context.create_session().unwrap().service().unwrap();
        let panicked = std::panic::AssertUnwindSafe(bad.panics(1)).catch_unwind().await.unwrap_err();
        assert_eq!(panicked.downcast_ref::<&str>(), Some(&"enough"));
        assert_eq!((stored(&context).await, bad.session.depth()), (0, 0));
        // The session goes on.
        assert!(bad.orders.insert(&mut order(1, "a")).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_taken_back() {
    each(interception, async |context: OrmContext| {
        let bad: Bad = context.create_session().unwrap().service().unwrap();
        let stop = Stop::default();
        stop.is_reached_by(bad.hangs(1, &stop)).await;
        assert_eq!((stored(&context).await, bad.session.depth()), (0, 0));
        assert!(Session::current().is_err());
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_over_is_an_error() {
    let told = Told::default();
    each(
        || interception().exception(told.clone()),
        async |context: OrmContext| {
            let bad: Bad = context.create_session().unwrap().service().unwrap();
            assert!(matches!(bad.rolls_back(1).await, Err(OrmError::Session(_))));
            assert_eq!((stored(&context).await, told.take().len()), (0, 1));
        },
    )
    .await;
}

#[tokio::test]
async fn a_transaction_that_cannot_begin_is_an_error() {
    let told = Told::default();
    each(
        || interception().exception(told.clone()),
        async |context: OrmContext| {
            let orders = orders(&context);
            context.close();
            let error = orders.place(order(1, "a"), false).await.unwrap_err();
            assert!(matches!(error, ShopError::Orm(OrmError::Session(_))), "{error}");
            assert_eq!(told.take(), [format!("exception place: {error}")]);
        },
    )
    .await;
}

#[tokio::test]
async fn a_commit_of_which_nobody_knows_is_told_as_such() {
    let servers = Servers::new("calls", 1);
    let told = Told::default();
    let interception = interception().invoked(told.clone()).exception(told.clone());
    let builder = OrmContext::builder().catalog(catalog()).provider(servers.clone());
    let context = builder.with_interception(interception).build().await.unwrap();
    add(&context, &Place { provider: "scripted", url: "0".into() });
    context.sync_table("Order", [""; 0]).await.unwrap();
    let orders = orders(&context);
    for (call, fault, in_doubt) in [
        (Call::Commit, Fault::Lost, true),
        (Call::Commit, Fault::Refused(ErrorKind::Deadlock), false),
        (Call::Begin, Fault::Lost, false),
    ] {
        servers.all[0].fails(call, 1, fault);
        let ShopError::Orm(error) = orders.place(order(1, "a"), false).await.unwrap_err() else { panic!("sold out") };
        assert_eq!(error.is_in_doubt(), in_doubt, "{call:?}: {error}");
        assert_eq!((told.take(), orders.session.depth()), (vec![format!("exception place: {error}")], 0));
    }
    servers.all[0].clear();
    assert_eq!(orders.place(order(1, "a"), false).await.unwrap(), 1);
    context.close();
    servers.end();
}

/// A transaction that was given up while others were at work is not one to be a part of.
#[tokio::test]
async fn a_transaction_that_was_given_up_is_not_joined() {
    each(interception, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let (bad, orders): (Bad, Orders) = (session.service().unwrap(), session.service().unwrap());
        let stop = Stop::default();
        let mut hangs = Box::pin(bad.hangs(1, &stop));
        stop.is_reached_by(&mut hangs).await;
        // Somebody has the session when the call is given up.
        let lease = session.lease(None, isogloss::session::Purpose::Write).await.unwrap();
        drop(hangs);
        assert!(session.in_transaction());
        drop(lease);
        assert_eq!(orders.place(order(2, "a"), false).await.unwrap(), 2);
        assert_eq!((stored(&context).await, session.depth()), (1, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_many_tasks_share_nothing() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let mut tasks = tokio::task::JoinSet::new();
            for task in 0..64 {
                let context = context.clone();
                tasks.spawn(async move {
                    let orders = orders(&context);
                    let id = task * 10;
                    match task % 3 {
                        0 => assert!(orders.place_both(id, id + 1, false).await.unwrap()),
                        1 => assert!(orders.place_both(id, id + 1, true).await.is_err()),
                        _ => assert!(matches!(orders.place(order(id, "a"), true).await, Err(ShopError::SoldOut))),
                    }
                    assert_eq!(orders.session.depth(), 0);
                });
            }
            while let Some(done) = tasks.join_next().await {
                done.unwrap();
            }
            assert_eq!(stored(&context).await, 44);
            let lines = told.take();
            let count = |what: &str| lines.iter().filter(|line| line.starts_with(what)).count();
            assert_eq!((count("invoking"), count("invoked"), count("exception")), (64, 22, 42));
        },
    )
    .await;
}
