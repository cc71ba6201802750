//! Who may call what.

use isogloss::service::{Method, PermissionRule, PrincipalProvider, Service, ServiceError};

use super::*;

fn owns(who: &dyn Principal, order: &Order, _: &str) -> bool {
    who.downcast_ref::<User>().is_some_and(|user| user.0 == order.note)
}

#[derive(FromSession)]
struct Desk {
    session: Session,
    orders: Orders,
}

#[service]
#[service_permission]
impl Desk {
    pub async fn open(&self) -> OrmResult<u32> {
        Ok(1)
    }

    #[service_permission(roles = "Sales, Admin")]
    pub async fn sell(&self) -> OrmResult<u32> {
        Ok(2)
    }

    #[service_permission(allow_anonymous)]
    pub async fn look(&self) -> OrmResult<u32> {
        Ok(3)
    }

    #[service_permission(check = owns)]
    pub async fn change(&self, order: Order, note: &str) -> Result<i32, ShopError> {
        let order = Order { note: note.to_owned(), ..order };
        self.orders.place(order, false).await
    }

    #[service_permission(roles = "Sales", check = owns)]
    #[transaction]
    pub async fn both(&self, order: Order, note: &str) -> Result<i32, ShopError> {
        self.change(order, note).await
    }

    #[service_permission(allow_anonymous)]
    pub async fn sells_for_others(&self) -> OrmResult<u32> {
        self.sell().await
    }
}

fn desk(context: &OrmContext, who: Option<Arc<dyn Principal>>) -> Desk {
    let session = context.create_session().unwrap();
    who.map_or(session.clone(), |who| session.with_principal(who)).service().unwrap()
}

fn refusal<T: std::fmt::Debug>(done: OrmResult<T>) -> String {
    let error = done.unwrap_err();
    assert!(matches!(error, OrmError::Forbidden { .. }), "{error}");
    error.to_string()
}

#[tokio::test]
async fn p01_permissions_are_enforced() {
    let told = Told::default();
    let context = memory(telling(&told)).await;
    let nobody = desk(&context, None);
    assert_eq!(refusal(nobody.open().await), "`Desk.open` is not permitted: it needs somebody who is logged in");
    let lines = told.take();
    assert_eq!((lines.len(), lines[1].starts_with("exception open: `Desk.open` is not")), (2, true), "{lines:?}");
    assert_eq!(
        refusal(nobody.sell().await),
        "`Desk.sell` is not permitted: it needs one of the roles `Sales`, `Admin`"
    );
    assert_eq!(nobody.look().await.unwrap(), 3);

    let ann = desk(&context, Some(user("ann", &["Stock"])));
    assert_eq!((ann.open().await.unwrap(), ann.look().await.unwrap()), (1, 3));
    refusal(ann.sell().await);
    let bob = desk(&context, Some(user("bob", &["Admin"])));
    assert_eq!(bob.sell().await.unwrap(), 2);
}

#[tokio::test]
async fn p01_a_check_sees_the_arguments() {
    each(interception, async |context: OrmContext| {
        let ann = desk(&context, Some(user("ann", &[])));
        assert_eq!(ann.change(order(1, "ann"), "new").await.unwrap(), 1);
        let error = ann.change(order(2, "bob"), "new").await.unwrap_err();
        assert_eq!(error.to_string(), "`Desk.change` is not permitted: it needs the permission `owns`");
        let error = ann.both(order(2, "ann"), "new").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`Desk.both` is not permitted: it needs the role `Sales` and the permission `owns`"
        );
        let sales = desk(&context, Some(user("ann", &["Sales"])));
        assert_eq!(sales.both(order(2, "ann"), "new").await.unwrap(), 2);
        assert!(desk(&context, None).change(order(3, "ann"), "new").await.is_err());
        assert_eq!(stored(&context).await, 2);
    })
    .await;
}

#[tokio::test]
async fn p01_calls_inside_are_asked_as_well() {
    let context = memory(interception()).await;
    refusal(desk(&context, None).sells_for_others().await);
    assert_eq!(desk(&context, Some(user("bob", &["Sales"]))).sells_for_others().await.unwrap(), 2);
}

#[tokio::test]
async fn p01_no_transaction_is_begun_for_those_who_may_not() {
    each(interception, async |context: OrmContext| {
        let desk = desk(&context, Some(user("eve", &[])));
        desk.both(order(1, "eve"), "new").await.unwrap_err();
        assert_eq!(desk.session.sql_stack(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn p02_a_program_says_what_holds_for_all() {
    let context = memory(interception().default_permission(PermissionRule::PRINCIPAL)).await;
    let orders = orders(&context);
    assert_eq!(refusal(orders.count().await), "`Orders.count` is not permitted: it needs somebody who is logged in");
    // What a method says wins; inside of it, what is said for all is no question.
    let desk = desk(&context, None);
    assert_eq!(desk.look().await.unwrap(), 3);
    let outer: Outside = context.create_session().unwrap().service().unwrap();
    assert_eq!(outer.count().await.unwrap(), 0);
}

#[derive(FromSession)]
struct Outside {
    session: Session,
    orders: Orders,
}

#[service]
impl Outside {
    #[service_permission(allow_anonymous)]
    pub async fn count(&self) -> OrmResult<u64> {
        self.orders.count().await
    }
}

#[test]
fn p02_the_rules_are_a_table() {
    let rules: Vec<String> = Desk::methods().map(Method::to_string).collect();
    assert_eq!(
        rules,
        [
            "Desk.open: somebody who is logged in",
            "Desk.sell: one of the roles `Sales`, `Admin`",
            "Desk.look: anyone",
            "Desk.change: the permission `owns`",
            "Desk.both: transaction(ReadCommitted), the role `Sales` and the permission `owns`",
            "Desk.sells_for_others: anyone",
        ]
    );
}

/// Cannot say who calls.
struct Lost(bool);

#[async_trait]
impl PrincipalProvider for Lost {
    async fn principal(&self, _: &Session) -> OrmResult<Option<Arc<dyn Principal>>> {
        assert!(!self.0, "lost");
        Err(isogloss::driver::Error::new(isogloss::driver::ErrorKind::Connect, "nobody answers").into())
    }
}

#[tokio::test]
async fn p01_a_provider_that_fails_lets_nobody_through() {
    let context = memory(Interception::new().principals(Lost(false))).await;
    let desk: Desk = context.create_session().unwrap().service().unwrap();
    assert!(matches!(desk.open().await, Err(OrmError::Driver { .. })));
    assert_eq!(desk.look().await.unwrap(), 3);
    let context = memory(Interception::new().principals(Lost(true))).await;
    let desk: Desk = context.create_session().unwrap().service().unwrap();
    let OrmError::Service(error) = desk.open().await.unwrap_err() else { panic!("no error of a service") };
    assert!(matches!(*error, ServiceError::Panicked { .. }), "{error}");
}

fn panics(_: &dyn Principal) -> bool {
    panic!("the check")
}

/// Its check panics, or a role does.
#[derive(FromSession)]
struct Panicking {
    session: Session,
}

#[service]
impl Panicking {
    #[service_permission(check = panics)]
    pub async fn check(&self) -> OrmResult<u64> {
        Ok(self.session.id())
    }

    #[service_permission(roles = "Panic")]
    pub async fn role(&self) -> OrmResult<u64> {
        Ok(self.session.id())
    }
}

struct PanicsAtRoles;

impl Principal for PanicsAtRoles {
    fn id(&self) -> &str {
        "panics"
    }

    fn has_role(&self, role: &str) -> bool {
        panic!("{role}")
    }
}

#[tokio::test]
async fn p01_what_panics_lets_nobody_through() {
    let context = memory(interception()).await;
    let session = context.create_session().unwrap().with_principal(Arc::new(PanicsAtRoles));
    let panicking: Panicking = session.service().unwrap();
    for (done, named) in [(panicking.check().await, "Panicking.check"), (panicking.role().await, "PrincipalProvider")] {
        let OrmError::Service(error) = done.unwrap_err() else { panic!("no error of a service") };
        assert!(matches!(*error, ServiceError::Panicked { ref who } if who == named), "{error}");
    }
}
