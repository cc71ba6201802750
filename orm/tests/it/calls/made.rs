//! How services are made, and what a program must have for them.

use isogloss::service::{PermissionRule, Service, ServiceError};

use super::*;

/// Says nothing that needs interception.
#[derive(FromSession)]
struct Plain {
    session: Session,
}

#[service]
impl Plain {
    pub async fn id(&self) -> OrmResult<u64> {
        Ok(Session::current()?.id())
    }
}

#[derive(FromSession)]
struct Guarded {
    session: Session,
}

#[service]
impl Guarded {
    #[service_permission]
    pub async fn id(&self) -> OrmResult<u64> {
        Ok(self.session.id())
    }
}

#[derive(FromSession)]
struct Noted {
    session: Session,
}

#[service]
#[service_log(level = debug)]
impl Noted {
    pub async fn id(&self) -> OrmResult<u64> {
        Ok(self.session.id())
    }
}

/// No service, of services.
#[derive(FromSession)]
struct All {
    plain: Plain,
    guarded: Guarded,
    context: OrmContext,
}

async fn without() -> OrmContext {
    let context = OrmContext::new(catalog());
    add(&context, &Place { provider: "sqlite", url: ":memory:".into() });
    context
}

fn refusal<T>(made: OrmResult<T>) -> ServiceError {
    match made {
        Err(OrmError::Service(error)) => *error,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was made"),
    }
}

#[tokio::test]
async fn g01_a_service_by_hand_needs_nothing() {
    // By hand, by the builder, and with interception.
    let built = OrmContext::builder().catalog(catalog()).build().await.unwrap();
    add(&built, &Place { provider: "sqlite", url: ":memory:".into() });
    for context in [without().await, built, memory(interception()).await] {
        let session = context.create_session().unwrap();
        assert_eq!(Plain { session: session.clone() }.id().await.unwrap(), session.id());
        assert_eq!(session.service::<Plain>().unwrap().id().await.unwrap(), session.id());
    }
}

#[tokio::test]
async fn g02_attributes_without_interception_are_errors() {
    let context = without().await;
    let session = context.create_session().unwrap();
    for (error, method) in [
        (refusal(session.service::<Orders>()), "Orders.place"),
        (refusal(session.service::<Guarded>()), "Guarded.id"),
        (refusal(session.service::<Noted>()), "Noted.id"),
        (refusal(All::from_session(&session)), "Guarded.id"),
        (refusal(Orders::from_session(&session)), "Orders.place"),
        (refusal(Orders::check(&context)), "Orders.place"),
        // Made by hand, it fails when it is called.
        (refusal(Guarded { session: session.clone() }.id().await), "Guarded.id"),
    ] {
        assert!(matches!(error, ServiceError::NoInterception { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("`{method}` has attributes that need interception")), "{error}");
    }
}

#[tokio::test]
async fn g02_permissions_without_principals_are_errors() {
    let context = memory(Interception::new()).await;
    let session = context.create_session().unwrap();
    let by_hand = Guarded { session: session.clone() }.id().await;
    for error in [refusal(session.service::<Guarded>()), refusal(by_hand)] {
        assert!(matches!(error, ServiceError::NoPrincipals { .. }), "{error}");
    }
    assert!(session.service::<Orders>().is_ok());
    let context = memory(Interception::new().default_permission(PermissionRule::PRINCIPAL)).await;
    let plain: Plain = context.create_session().unwrap().service().unwrap();
    assert!(matches!(refusal(plain.id().await), ServiceError::NoPrincipals { .. }));
}

#[tokio::test]
async fn g05_an_error_names_the_service() {
    let error = refusal(All::from_session(&without().await.create_session().unwrap()));
    assert!(error.to_string().contains("`Guarded.id`"), "{error}");
}

#[tokio::test]
async fn g09_services_live_as_long_as_their_session() {
    let context = memory(interception()).await;
    let session = context.create_session().unwrap();
    let all = All::from_session(&session).unwrap();
    assert!(all.plain.session.is(&session) && all.guarded.session.is(&session));
    assert_eq!(all.context.catalog().entities().count(), context.catalog().entities().count());
}

#[tokio::test]
async fn g10_a_call_enters_its_session() {
    each(interception, async |context: OrmContext| {
        let orders = orders(&context);
        assert!(Session::current().is_err());
        let other = context.create_session().unwrap();
        let current = other.scope(async { (orders.current().await.unwrap(), Session::current().unwrap().id()) }).await;
        assert_eq!(current, (orders.session.id(), other.id()));
    })
    .await;
}

/// Its session is that of another service.
#[derive(FromSession)]
struct Report {
    orders: Orders,
}

#[service(name = "Reports", session = self.orders.session(), with(more, of_trait))]
impl Report {
    pub async fn count(&self) -> OrmResult<u64> {
        self.orders.count().await
    }

    async fn not_told(&self) -> OrmResult<u64> {
        Ok(1)
    }

    pub(crate) fn not_async(&self) -> u64 {
        2
    }

    pub(crate) async fn no_self() -> u64 {
        3
    }
}

#[service(part = more)]
impl Report {
    #[service_method(remote = false)]
    pub async fn inside(&self) -> OrmResult<u64> {
        Ok(self.not_told().await? + self.not_async() + Self::no_self().await)
    }
}

trait Counts {
    async fn twice(&self) -> OrmResult<u64>;
}

#[service(part = of_trait)]
impl Counts for Report {
    #[transaction]
    async fn twice(&self) -> OrmResult<u64> {
        Ok(self.count().await? * 2)
    }
}

#[tokio::test]
async fn g11_what_is_a_method_of_a_service() {
    let methods: Vec<String> = Report::methods().map(ToString::to_string).collect();
    assert_eq!(methods, ["Reports.count", "Reports.inside: not remote", "Reports.twice: transaction(ReadCommitted)"]);
    let told = Told::default();
    let context = memory(telling(&told)).await;
    let report: Report = context.create_session().unwrap().service().unwrap();
    assert_eq!((report.inside().await.unwrap(), report.twice().await.unwrap()), (6, 0));
    assert_eq!(told.take()[1..], ["invoked inside = 6".to_owned(), called("twice"), "invoked twice = 0".to_owned()]);
    // It is called from inside only.
    let session = report.session().clone();
    let refused = session.remote(report.inside()).await;
    assert!(matches!(refusal(refused), ServiceError::NotRemote { .. }));
    assert_eq!(session.remote(report.count()).await.unwrap(), 0);
}

fn called(method: &str) -> String {
    format!("invoking ServiceInvokeContext {{ call: Reports.{method}(), result: None }}")
}
