//! What handlers are told of calls, and in which order.

use isogloss::service::{RemoteAnswer, ServiceError};

use super::*;

#[tokio::test]
async fn i01_events_are_told_of_each_call() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let orders = orders(&context);
            assert_eq!(orders.place(order(1, "a"), false).await.unwrap(), 1);
            let call = r#"Orders.place(order: Order { Id: 1, Note: "a" }, fails: false)"#;
            let context = format!("ServiceInvokeContext {{ call: {call}, result: None }}");
            assert_eq!(told.take(), [format!("invoking {context}"), "invoked place = 1".to_owned()]);
            let error = orders.place(order(2, "b"), true).await.unwrap_err();
            assert!(matches!(error, ShopError::SoldOut));
            assert_eq!(told.take()[1..], ["exception place: sold out"]);
        },
    )
    .await;
}

/// Looks at all that a context has.
struct Looks(Told);

fn looked(call: &isogloss::service::ServiceCall<'_>) -> String {
    assert!(call.target::<Orders>().is_some_and(|orders| orders.session.is(call.session())));
    assert!(call.service_type().ends_with("it::calls::Orders"), "{}", call.service_type());
    assert_eq!(call.method().path(), format!("{}.{}", call.service_name(), call.method_name()));
    assert_eq!(call.session_id(), call.session().id());
    assert_eq!(call.arguments().names().collect::<Vec<_>>(), ["order", "fails"]);
    assert_eq!((call.arguments().get("fails").as_deref(), call.arguments().get("none")), (Some("true"), None));
    format!("{} -> {}", call.arguments(), call.method().returns())
}

#[async_trait]
impl ServiceInvokingEvent for Looks {
    async fn on_invoking(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        self.0.add(looked(context));
        assert_eq!(context.result(), None);
        Ok(())
    }
}

#[async_trait]
impl ServiceExceptionEvent for Looks {
    async fn on_exception(&self, context: &ServiceExceptionContext<'_>) -> OrmResult<()> {
        self.0.add(looked(context));
        assert!(matches!(context.error().downcast_ref(), Some(ShopError::SoldOut)));
        assert!(context.duration() > std::time::Duration::ZERO);
        assert!(context.sql_stack().iter().any(|sql| sql.starts_with("INSERT INTO")), "{:?}", context.sql_stack());
        Ok(())
    }
}

#[tokio::test]
async fn i02_i03_contexts_say_what_is_called() {
    let told = Told::default();
    let looks = || interception().invoking(Looks(told.clone())).exception(Looks(told.clone()));
    each(looks, async |context: OrmContext| {
        orders(&context).place(order(1, "a"), true).await.unwrap_err();
        let line = r#"order: Order { Id: 1, Note: "a" }, fails: true -> Result<i32, ShopError>"#;
        assert_eq!(told.take(), [line; 2]);
    })
    .await;
}

/// Says when it runs.
#[derive(FromSession)]
struct Steps {
    session: Session,
}

#[service]
impl Steps {
    #[transaction]
    pub async fn step(&self, #[log(skip)] told: &Told, fails: bool) -> Result<(), ShopError> {
        assert!(self.session.in_transaction());
        told.add("body");
        if fails { Err(ShopError::SoldOut) } else { Ok(()) }
    }
}

#[tokio::test]
async fn i04_i05_events_are_around_the_body() {
    let told = Told::default();
    let context = memory(telling(&told)).await;
    let steps: Steps = context.create_session().unwrap().service().unwrap();
    steps.step(&told, false).await.unwrap();
    let lines = told.take();
    assert!(lines[0].starts_with("invoking ") && lines[0].contains("Steps.step(told: *, fails: false)"), "{lines:?}");
    assert_eq!(lines[1..], ["body", "invoked step = ()"]);
    // The error comes unchanged.
    assert!(matches!(steps.step(&told, true).await, Err(ShopError::SoldOut)));
    assert_eq!(told.take()[1..], ["body", "exception step: sold out"]);
}

#[tokio::test]
async fn i06_only_the_outermost_call_is_told() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let orders = orders(&context);
            assert!(orders.place_both(1, 2, false).await.unwrap());
            let lines = told.take();
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert_eq!(lines[1], "invoked place_both = true");
        },
    )
    .await;
}

#[tokio::test]
async fn i06_calls_beside_each_other_are_told_each() {
    let told = Told::default();
    let context = memory(telling(&told)).await;
    let orders = orders(&context);
    // The same session: neither is inside of the other.
    let (one, other) = tokio::join!(orders.count(), orders.current());
    assert_eq!((one.unwrap(), other.unwrap()), (0, orders.session.id()));
    let lines = told.take();
    assert_eq!(lines.iter().filter(|line| line.starts_with("invoking")).count(), 2, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("invoked")).count(), 2, "{lines:?}");
}

/// A call in another session is one of its own.
#[derive(FromSession)]
struct Outer {
    session: Session,
    orders: Orders,
}

#[service]
impl Outer {
    pub async fn twice(&self, fails: bool) -> Result<u64, ShopError> {
        let other: Orders = self.session.context().create_session()?.service()?;
        self.orders.place(order(1, "a"), fails).await?;
        Ok(other.count().await?)
    }
}

#[tokio::test]
async fn i06_t04_another_session_is_told_by_itself() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let outer: Outer = context.create_session().unwrap().service().unwrap();
            assert_eq!(outer.twice(false).await.unwrap(), 1);
            assert_eq!(
                told.take()[1..],
                [
                    "invoking ServiceInvokeContext { call: Orders.count(), result: None }",
                    "invoked count = 1",
                    "invoked twice = 1"
                ]
            );
        },
    )
    .await;
}

#[tokio::test]
async fn i07_a_failure_is_told_once() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let outer: Outer = context.create_session().unwrap().service().unwrap();
            outer.twice(true).await.unwrap_err();
            assert_eq!(told.take()[1..], ["exception twice: sold out"]);
        },
    )
    .await;
}

/// Fails, as each of the handlers.
struct Fails;

fn enough<T>() -> OrmResult<T> {
    Err(isogloss::driver::Error::new(isogloss::driver::ErrorKind::Other, "enough").into())
}

#[async_trait]
impl ServiceInvokingEvent for Fails {
    async fn on_invoking(&self, _: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        enough()
    }
}

#[async_trait]
impl ServiceInvokedEvent for Fails {
    async fn on_invoked(&self, _: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        enough()
    }
}

#[async_trait]
impl ServiceExceptionEvent for Fails {
    async fn on_exception(&self, _: &ServiceExceptionContext<'_>) -> OrmResult<()> {
        enough()
    }
}

#[tokio::test]
async fn i08_an_error_of_invoking_stops_the_call() {
    let told = Told::default();
    let fails = || interception().invoking(Fails).invoking(told.clone()).exception(told.clone());
    each(fails, async |context: OrmContext| {
        let error = orders(&context).place(order(1, "a"), false).await.unwrap_err();
        assert!(matches!(error, ShopError::Orm(OrmError::Driver { .. })), "{error}");
        assert_eq!((told.take(), stored(&context).await), (vec!["exception place: error: enough".to_owned()], 0));
    })
    .await;
}

#[tokio::test]
async fn i09_errors_behind_the_body_hide_nothing() {
    let told = Told::default();
    let fails = || interception().invoked(Fails).exception(Fails).invoked(told.clone()).exception(told.clone());
    each(fails, async |context: OrmContext| {
        let orders = orders(&context);
        assert_eq!(orders.place(order(1, "a"), false).await.unwrap(), 1);
        assert!(matches!(orders.place(order(2, "a"), true).await, Err(ShopError::SoldOut)));
        // The next handler is told, too.
        assert_eq!(told.take(), ["invoked place = 1", "exception place: sold out"]);
        assert_eq!(stored(&context).await, 1);
    })
    .await;
}

#[tokio::test]
async fn i10_the_statements_are_those_of_the_call() {
    each(interception, async |context: OrmContext| {
        let orders = orders(&context);
        for _ in 0..2 {
            orders.count().await.unwrap();
            let stack = orders.session.sql_stack();
            assert!(stack.len() == 1 && stack[0].contains("COUNT"), "{stack:?}");
        }
        for id in 0..12 {
            orders.place(order(id, "a"), false).await.unwrap();
        }
        assert!(orders.place_both(20, 21, false).await.unwrap());
        // Calls inside clear nothing.
        let inserts = orders.session.sql_stack().iter().filter(|sql| sql.starts_with("INSERT")).count();
        assert_eq!(inserts, 2);
    })
    .await;
}

/// Answers a number.
struct Answers(Told);

#[async_trait]
impl isogloss::service::RemoteErrorEvent for Answers {
    async fn on_error(
        &self,
        context: &isogloss::service::RemoteErrorContext<'_>,
        answer: &mut RemoteAnswer,
    ) -> OrmResult<()> {
        self.0.add(format!("{}({}): {}", context.method().name(), context.arguments(), context.error()));
        assert!(context.sql_stack().iter().any(|sql| sql.starts_with("INSERT")));
        assert!(context.session_id() > 0 && context.duration() > std::time::Duration::ZERO);
        answer.handle(-1_i32);
        Ok(())
    }
}

#[tokio::test]
async fn i11_a_handler_answers_a_remote_call() {
    let told = Told::default();
    each(
        || telling(&told).on_error(Answers(told.clone())),
        async |context: OrmContext| {
            let orders = orders(&context);
            let session = orders.session.clone();
            told.take();
            assert_eq!(session.remote(orders.place(order(1, "a"), true)).await.unwrap(), -1);
            let lines = told.take();
            // What is told of the call is told as ever, and it is taken back.
            assert_eq!(lines[1], "exception place: sold out");
            assert_eq!(lines[2], r#"place(order: Order { Id: 1, Note: "a" }, fails: true): sold out"#);
            assert_eq!(stored(&context).await, 0);
            // Another type than that of the method.
            let error = session.remote(orders.place_both(1, 1, false)).await.unwrap_err();
            let ShopError::Orm(OrmError::Service(error)) = error else { panic!("{error}") };
            assert!(matches!(*error, ServiceError::WrongAnswer { wanted: "bool", .. }), "{error}");
            // One that is not remote fails as it does.
            assert!(matches!(orders.place(order(1, "a"), true).await, Err(ShopError::SoldOut)));
        },
    )
    .await;
}

#[tokio::test]
async fn i12_tables_that_are_made_are_told() {
    each_place(async |place: Place| {
        let context = OrmContext::builder().catalog(catalog()).with_interception(interception()).build().await.unwrap();
        add(&context, &place);
        let told = Told::default();
        let telling = told.clone();
        context.on_table_syncing(move |syncing: &isogloss::sync::TableSyncing<'_>| {
            telling.add(syncing.table);
            true
        });
        orders(&context).place(order(1, "a"), false).await.unwrap();
        assert_eq!(told.take().len(), 1);
        context.close();
    })
    .await;
}
