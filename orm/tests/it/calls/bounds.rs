//! What a call does not do beyond its bounds: in a caller's closure, beside another call, and behind its end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use isogloss::driver::{Error, ErrorKind};
use isogloss::service::{
    AnyRow, Change, EntityEvents, EntityService, EntityViewService, EntityViewServiceOps, EventContext, PermissionRule,
    PrincipalProvider, QueryOf, ServiceError,
};
use isogloss::session::SessionError;
use tokio::sync::Notify;

use super::*;

fn service_error(error: OrmError) -> ServiceError {
    match error {
        OrmError::Service(error) => *error,
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn the_closure_of_for_each_is_no_part_of_the_call() {
    let context = memory(interception()).await;
    orders(&context).place(order(1, "a"), false).await.unwrap();
    let session = context.create_session().unwrap();
    let writes = EntityService::<Order>::new(&session);
    assert!(matches!(writes.delete_id(1).await, Err(OrmError::Forbidden { .. })));
    let mut seen = 0;
    let done = writes
        .for_each((), async |_| {
            seen += 1;
            writes.insert(&mut order(9, "nobody's")).await.map(drop)
        })
        .await;
    assert!(matches!(done, Err(OrmError::Forbidden { .. })), "{done:?}");
    assert_eq!((seen, stored(&context).await), (1, 1));
}

#[tokio::test]
async fn for_each_of_a_trait_object_is_a_call() {
    let told = Told::default();
    let readers = || telling(&told).entity_permissions(PermissionRule::PRINCIPAL, PermissionRule::PRINCIPAL);
    let context = memory(readers()).await;
    orders(&context).place(order(1, "a"), false).await.unwrap();
    told.take();
    let session = context.create_session().unwrap();
    let reads: Box<dyn EntityViewServiceOps<Order>> = Box::new(EntityViewService::<Order>::new(&session));
    let mut seen = 0;
    let count = async |_| {
        seen += 1;
        Ok(())
    };
    let refused = reads.for_each((), count).await;
    assert!(matches!(refused, Err(OrmError::Forbidden { .. })), "{refused:?}");
    assert_eq!(seen, 0);
    let lines = told.take();
    assert!(lines[0].starts_with("invoking") && lines[1].starts_with("exception for_each"), "{lines:?}");

    let session = session.with_principal(user("ann", &[]));
    let reads: Box<dyn EntityViewServiceOps<Order>> = Box::new(EntityViewService::<Order>::new(&session));
    reads
        .for_each((), async |_| {
            seen += 1;
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(seen, 1);
    assert!(told.take()[1].starts_with("invoked for_each"));
}

#[tokio::test]
async fn rows_that_are_streamed_are_a_call() {
    use futures_util::StreamExt as _;
    let told = Told::default();
    let readers = telling(&told).entity_permissions(PermissionRule::PRINCIPAL, PermissionRule::PRINCIPAL);
    let context = memory(readers).await;
    for id in [1, 2] {
        orders(&context).place(order(id, "a"), false).await.unwrap();
    }
    told.take();
    let session = context.create_session().unwrap();
    let streamed = |session: &Session| {
        let reads: Box<dyn EntityViewServiceOps<Order>> = Box::new(EntityViewService::<Order>::new(session));
        let query = QueryOf::<Order>::into_query(from("Order").order_by(["Id"]));
        reads.find_each_any(query, Arc::new(|row| Ok(Box::new(row.i64(0)?) as AnyRow))).into_stream()
    };
    let refused: Vec<_> = streamed(&session).collect().await;
    assert!(matches!(&refused[..], [Err(OrmError::Forbidden { .. })]), "{}", refused.len());
    let lines = told.take();
    assert!(lines[0].starts_with("invoking") && lines[1].starts_with("exception for_each"), "{lines:?}");

    let session = session.with_principal(user("ann", &[]));
    let mut rows = streamed(&session);
    assert!(told.take().is_empty());
    let first = rows.next().await.unwrap().unwrap();
    assert_eq!(first.downcast_ref::<Option<i64>>(), Some(&Some(1)));
    assert_eq!(told.take().len(), 1);
    assert!(rows.next().await.unwrap().is_ok() && rows.next().await.is_none());
    assert!(told.take()[0].starts_with("invoked for_each"));
}

/// Looks for the user by a service that asks who calls.
struct Looks(Arc<OnceLock<OrmContext>>);

#[async_trait]
impl PrincipalProvider for Looks {
    async fn principal(&self, _: &Session) -> OrmResult<Option<Arc<dyn Principal>>> {
        let session = self.0.get().unwrap().create_session()?;
        EntityViewService::<Order>::new(&session).count(()).await?;
        Ok(Some(user("ann", &[])))
    }
}

#[tokio::test]
async fn a_provider_that_asks_who_calls_is_told_so() {
    let own = Arc::new(OnceLock::new());
    let looks = Interception::new().principals(Looks(Arc::clone(&own)));
    let context = memory(looks.entity_permissions(PermissionRule::PRINCIPAL, PermissionRule::PRINCIPAL)).await;
    own.set(context.clone()).unwrap();
    let session = context.create_session().unwrap();
    let error = EntityViewService::<Order>::new(&session).count(()).await.unwrap_err();
    assert!(matches!(service_error(error), ServiceError::PrincipalAsked { .. }));
}

fn always(_: &OrmError) -> bool {
    true
}

/// Where a call stands between two statements.
#[derive(Default)]
struct Between {
    is_there: Notify,
    goes_on: Notify,
}

#[derive(FromSession)]
struct Slow {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
impl Slow {
    /// Writes two orders, and goes on between them when it may.
    #[transaction]
    pub async fn two(&self, id: i32, between: &Between) -> OrmResult<()> {
        self.orders.insert(&mut order(id, "first")).await?;
        between.is_there.notify_one();
        between.goes_on.notified().await;
        self.orders.insert(&mut order(id + 1, "second")).await.map(drop)
    }

    #[transaction]
    pub async fn gives_up(&self) -> OrmResult<()> {
        let between = Between::default();
        tokio::select! {
            done = self.two(1, &between) => panic!("it waits: {done:?}"),
            () = between.is_there.notified() => Ok(()),
        }
    }

    #[transaction(retry = 2, commit_on = always)]
    pub async fn conflicts(&self, next: &AtomicI32) -> OrmResult<()> {
        self.orders.insert(&mut order(next.fetch_add(1, Ordering::SeqCst), "conflict")).await?;
        Err(Error::new(ErrorKind::Deadlock, "another one was first").into())
    }

    #[service_method(remote = false)]
    pub async fn internal(&self) -> OrmResult<()> {
        assert_eq!(self.session.depth(), 0);
        Ok(())
    }
}

fn slow(context: &OrmContext) -> Slow {
    context.create_session().unwrap().service().unwrap()
}

#[tokio::test]
async fn a_part_that_is_given_up_takes_all_back() {
    each(interception, async |context: OrmContext| {
        let error = slow(&context).gives_up().await.unwrap_err();
        assert!(matches!(service_error(error), ServiceError::PartFailed { .. }));
        assert_eq!(stored(&context).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_call_does_not_join_the_transaction_of_one_beside_it() {
    each(interception, async |context: OrmContext| {
        let slow = slow(&context);
        let (first, second) = (Between::default(), Between::default());
        let beside = async {
            first.is_there.notified().await;
            first.goes_on.notify_one();
            second.goes_on.notify_one();
            slow.two(3, &second).await
        };
        let (done, beside) = tokio::join!(slow.two(1, &first), beside);
        done.unwrap();
        let error = beside.unwrap_err();
        assert!(matches!(error, OrmError::Session(SessionError::Overlap)), "{error}");
        assert_eq!(stored(&context).await, 2);
        // Behind its end there is none to be beside of.
        second.goes_on.notify_one();
        slow.two(3, &second).await.unwrap();
        assert_eq!(stored(&context).await, 4);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_ends_under_a_part_is_told() {
    each(interception, async |context: OrmContext| {
        let slow = slow(&context);
        let between = Between::default();
        let by_hand = async {
            let done = slow.session.transaction(async |_: &Session| {
                between.is_there.notified().await;
                OrmResult::Ok(())
            });
            let done = done.await;
            between.goes_on.notify_one();
            done
        };
        let (done, part) = tokio::join!(by_hand, slow.two(1, &between));
        done.unwrap();
        let error = part.unwrap_err();
        assert!(matches!(error, OrmError::Session(SessionError::Overlap)), "{error}");
    })
    .await;
}

#[tokio::test]
async fn what_is_committed_is_not_run_again() {
    each(interception, async |context: OrmContext| {
        let next = AtomicI32::new(1);
        assert!(slow(&context).conflicts(&next).await.unwrap_err().is_conflict());
        assert_eq!((next.into_inner(), stored(&context).await), (2, 1));
    })
    .await;
}

/// Calls a method that is not for remote calls, when an order is stored.
struct Calls(Told);

#[async_trait]
impl EntityEvents<Order> for Calls {
    async fn on_committed(&self, _: &Change<Order>, event: &EventContext) -> OrmResult<()> {
        let slow: Slow = event.session().service()?;
        self.0.add(format!("{:?}", slow.internal().await));
        Ok(())
    }
}

#[tokio::test]
async fn a_hook_of_a_remote_call_is_not_remote() {
    let told = Told::default();
    let telling = told.clone();
    let builder = OrmContext::builder().catalog(catalog()).with_interception(interception());
    let builder = builder.entity_events::<Order, _>(move |_| Ok(Calls(telling.clone())));
    let context = builder.build().await.unwrap();
    add(&context, &Place { provider: "sqlite", url: ":memory:".into() });
    let session = context.create_session().unwrap().with_principal(user("ann", &[]));
    let orders = EntityService::<Order>::new(&session);
    session.remote(orders.insert(&mut order(1, "a"))).await.unwrap();
    assert_eq!(told.take(), ["Ok(())"]);
    let error = session.remote(session.service::<Slow>().unwrap().internal()).await.unwrap_err();
    assert!(matches!(service_error(error), ServiceError::NotRemote { .. }));
}
