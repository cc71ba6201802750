//! Entity services, with what stands around their calls.

use isogloss::service::{EntityService, EntityViewService, LogRule, PermissionRule, ServiceError};

use super::*;

fn services(session: &Session) -> (EntityService<Order>, EntityViewService<Order>) {
    (EntityService::new(session), EntityViewService::new(session))
}

fn is_forbidden<T: std::fmt::Debug>(done: OrmResult<T>, told: &str) {
    let error = done.unwrap_err();
    assert!(matches!(error, OrmError::Forbidden { .. }), "{error}");
    assert_eq!(error.to_string(), format!("{told}: it needs somebody who is logged in"));
}

#[tokio::test]
async fn p02_generic_writes_need_somebody_and_reads_do_not() {
    each(interception, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let (writes, reads) = services(&session);
        is_forbidden(writes.insert(&mut order(1, "a")).await, "`Order.insert` is not permitted");
        is_forbidden(writes.update(&mut order(1, "a")).await, "`Order.update` is not permitted");
        is_forbidden(writes.update_or_insert(&mut order(1, "a")).await, "`Order.update_or_insert` is not permitted");
        is_forbidden(writes.delete(&order(1, "a")).await, "`Order.delete` is not permitted");
        is_forbidden(writes.delete_id(1).await, "`Order.delete_id` is not permitted");
        is_forbidden(writes.delete_all(Order::ID.eq(1)).await, "`Order.delete_all` is not permitted");
        is_forbidden(writes.delete_all_rows().await, "`Order.delete_all_rows` is not permitted");
        let update = || table("Order").update([("Note", "b")]).filter(prop("Id").eq(1));
        is_forbidden(writes.update_all(update()).await, "`Order.update_all` is not permitted");
        is_forbidden(writes.batch_insert(&mut [order(1, "a")]).await, "`Order.batch_insert` is not permitted");
        is_forbidden(writes.batch_delete_id([1]).await, "`Order.batch_delete_id` is not permitted");
        assert_eq!(stored(&context).await, 0);
        assert_eq!((reads.count(()).await.unwrap(), writes.search(()).await.unwrap()), (0, Vec::new()));
        assert_eq!((reads.get_object(1).await.unwrap(), reads.exists_id(1).await.unwrap()), (None, false));

        let (writes, _) = services(&session.with_principal(user("ann", &[])));
        assert!(writes.insert(&mut order(1, "a")).await.unwrap());
        assert_eq!(writes.update_all(update()).await.unwrap(), 1);
        assert_eq!(writes.batch_insert(&mut [order(2, "a"), order(3, "a")]).await.unwrap().written, 2);
        assert_eq!((stored(&context).await, reads.get_object(1).await.unwrap().unwrap().note), (3, "b".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn p02_what_is_said_for_entities_can_be_set() {
    let rules = || interception().entity_permissions(PermissionRule::roles(&["Reader"]), PermissionRule::ANYONE);
    let context = memory(rules()).await;
    let (writes, reads) = services(&context.create_session().unwrap());
    assert!(writes.insert(&mut order(1, "a")).await.unwrap());
    let error = reads.count(()).await.unwrap_err();
    assert_eq!(error.to_string(), "`Order.count` is not permitted: it needs the role `Reader`");
}

#[tokio::test]
async fn p02_writes_without_a_provider_are_refused() {
    let context = memory(Interception::new()).await;
    let (writes, reads) = services(&context.create_session().unwrap());
    let OrmError::Service(error) = writes.delete_id(1).await.unwrap_err() else { panic!("no error of a service") };
    assert!(matches!(*error, ServiceError::NoPrincipals { .. }), "{error}");
    assert_eq!(reads.count(()).await.unwrap(), 0);
}

/// Decides itself who may write.
#[derive(FromSession)]
struct Guests {
    session: Session,
    orders: EntityService<Order>,
}

#[service]
impl Guests {
    #[transaction]
    #[service_permission(allow_anonymous)]
    pub async fn register(&self, id: i32) -> OrmResult<bool> {
        assert!(self.session.in_transaction());
        self.orders.insert(&mut order(id, "guest")).await
    }
}

#[tokio::test]
async fn p02_inside_of_a_service_its_permission_counts() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let guests: Guests = context.create_session().unwrap().service().unwrap();
            assert!(guests.register(1).await.unwrap());
            assert_eq!((told.take().len(), stored(&context).await), (2, 1));
        },
    )
    .await;
}

#[tokio::test]
async fn i01_calls_of_entity_services_are_told() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let (writes, reads) = services(&context.create_session().unwrap().with_principal(user("ann", &[])));
            writes.insert(&mut order(1, "a")).await.unwrap();
            writes.batch_update(&mut [order(1, "b")]).await.unwrap();
            reads.search(prop("Id").eq(1)).await.unwrap();
            reads.search_as::<(i32,)>(from("Order").select(["Id"])).await.unwrap();
            writes.insert(&mut order(1, "a")).await.unwrap_err();
            let called = |call: &str| format!("invoking ServiceInvokeContext {{ call: Order.{call}, result: None }}");
            let lines = told.take();
            assert_eq!(
                lines[..3],
                [
                    called(r#"insert(entity: Order { Id: 1, Note: "a" })"#),
                    "invoked insert = true".to_owned(),
                    called(r#"batch_update(entities: [Order { Id: 1, Note: "b" }])"#),
                ]
            );
            assert_eq!(lines[4], called(r##"search(query: {"$":"==","Left":{"#":"Id"},"Right":{"@":"?"}})"##));
            assert_eq!(lines[5], r#"invoked search = [Order { Id: 1, Note: "b" }]"#);
            assert_eq!(lines[7], "invoked search_as = Vec<(i32,)>");
            assert!(lines[9].starts_with("exception insert: "), "{lines:?}");
            assert_eq!(lines.len(), 10);
        },
    )
    .await;
}

#[tokio::test]
async fn i06_an_entity_service_inside_of_a_call_is_a_part_of_it() {
    let told = Told::default();
    let context = memory(telling(&told).entity_log(LogRule::new())).await;
    let guests: Guests = context.create_session().unwrap().service().unwrap();
    guests.register(1).await.unwrap();
    let lines = told.take();
    assert_eq!(lines[1], "invoked register = true");
    assert_eq!(lines.len(), 2);
}

#[tokio::test]
async fn without_interception_nothing_stands_around() {
    let context = OrmContext::builder().catalog(catalog()).build().await.unwrap();
    add(&context, &Place { provider: "sqlite", url: ":memory:".into() });
    let (writes, reads) = services(&context.create_session().unwrap());
    assert!(writes.insert(&mut order(1, "a")).await.unwrap());
    assert_eq!(reads.count(()).await.unwrap(), 1);
}
