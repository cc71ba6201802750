//! Orders of two tenants, with what they relate to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use bytes::Bytes;
use isogloss::chrono::NaiveDateTime;
use isogloss::config::DataSourceConfig;
use isogloss::entity::{Linked as _, Many, One, Table, View};
use isogloss::prelude::*;
use isogloss::service::{EntityService, EntityServiceOps, Interception, PermissionRule, Principal, SessionPrincipal};
use isogloss_web::{Call, EntityController, Host, Problem, ProblemKind, Rules, WebResult};

use crate::support::{Answer, send_as};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_customers", columns = "snake_case")]
pub(crate) struct Customer {
    #[column(primary_key)]
    pub id: i64,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[column(length = 50)]
    pub name: String,
    #[column(length = 50, not_filterable)]
    pub password: String,
    #[has_many]
    pub orders: Many<Order>,
}

/// A client does not see which customer it is of.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_orders", columns = "snake_case")]
pub(crate) struct Order {
    #[column(primary_key)]
    pub id: i64,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[foreign(Customer)]
    #[column(not_filterable)]
    pub customer_id: i64,
    #[column(length = 20)]
    pub order_no: String,
    #[column(timestamp)]
    pub version: i32,
    #[belongs_to]
    pub customer: One<Customer>,
    #[has_many]
    pub items: Many<Item>,
    #[many_to_many(through = OrderTag)]
    pub tags: Many<Tag>,
    #[has_one]
    pub invoice: One<Invoice>,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub(crate) struct OrderView {
    pub order: Order,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_items", columns = "snake_case")]
pub(crate) struct Item {
    #[column(primary_key)]
    pub id: i64,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[foreign(Order)]
    #[column(not_filterable)]
    pub order_id: i64,
    #[foreign(Product)]
    #[column(not_filterable)]
    pub product_id: Option<i64>,
    pub pieces: i32,
    #[column(soft_delete, not_filterable)]
    pub gone: Option<NaiveDateTime>,
    #[belongs_to]
    pub order: One<Order>,
    #[belongs_to]
    pub product: One<Product>,
}

/// Nothing keeps an order from having two.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_invoices", columns = "snake_case")]
pub(crate) struct Invoice {
    #[column(primary_key)]
    pub id: i64,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[foreign(Order)]
    #[column(not_filterable)]
    pub order_id: i64,
}

/// What clients see of an item.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Item)]
pub(crate) struct ItemView {
    pub item: Item,
    #[foreign_column(Product, property = name)]
    pub product_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_products", columns = "snake_case")]
pub(crate) struct Product {
    #[column(primary_key)]
    pub id: i64,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[column(length = 50)]
    pub name: String,
    #[column(not_filterable)]
    pub cost: i32,
    #[has_many]
    pub tags: Many<Tag>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_tags", columns = "snake_case")]
pub(crate) struct Tag {
    #[column(primary_key, length = 20)]
    pub name: String,
    #[foreign(Product)]
    #[column(not_filterable)]
    pub product_id: i64,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Tag)]
pub(crate) struct TagView {
    pub tag: Tag,
    #[foreign_column(Product, property = name)]
    pub of: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_order_tags", columns = "snake_case")]
pub(crate) struct OrderTag {
    #[column(primary_key)]
    pub id: i64,
    #[foreign(Order)]
    pub order_id: i64,
    #[foreign(Tag)]
    #[column(length = 20)]
    pub tag: String,
    #[column(not_filterable)]
    pub tenant_id: i32,
    #[column(soft_delete, not_filterable)]
    pub gone: Option<NaiveDateTime>,
}

/// A row that clients write.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_tasks", columns = "snake_case")]
pub(crate) struct Task {
    #[column(primary_key)]
    pub id: i64,
    #[foreign(Product)]
    pub product_id: Option<i64>,
    #[column(length = 20, writable)]
    pub text: String,
    #[column(timestamp)]
    pub version: i32,
    #[belongs_to]
    pub product: One<Product>,
}

pub(crate) fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Customer>()
        .entity::<Order>()
        .entity::<OrderView>()
        .entity::<Item>()
        .entity::<ItemView>()
        .entity::<Product>()
        .entity::<Tag>()
        .entity::<TagView>()
        .entity::<OrderTag>()
        .entity::<Invoice>()
        .entity::<Task>()
        .build()
        .unwrap()
}

/// Three orders of tenant 1 and one of tenant 2. Order 1 has two items of its own, one that is deleted, and one of tenant 2.
/// Item 12 is of a product of tenant 2. Order 1 has two invoices, and one of tenant 2. The tag of order 3 is no longer its own.
pub(crate) async fn fill(context: &OrmContext) {
    let session = context.create_session().unwrap();
    let customer = |id, tenant_id, name: &str| Customer {
        id,
        tenant_id,
        name: name.into(),
        password: "hunter2".into(),
        ..Customer::default()
    };
    let mut customers = [customer(1, 1, "Ann"), customer(2, 1, "Bob"), customer(3, 2, "Mallory")];
    ObjectDao::<Customer>::new(&session).batch_insert(&mut customers).await.unwrap();
    let product =
        |id, tenant_id, name: &str| Product { id, tenant_id, name: name.into(), cost: 99, ..Product::default() };
    let mut products = [product(1, 1, "tea"), product(2, 2, "gold")];
    ObjectDao::<Product>::new(&session).batch_insert(&mut products).await.unwrap();
    let order = |id: i64, tenant_id, customer_id| Order {
        id,
        tenant_id,
        customer_id,
        order_no: format!("A-{id}"),
        ..Order::default()
    };
    let mut orders = [order(1, 1, 1), order(2, 1, 1), order(3, 1, 3), order(4, 2, 3)];
    ObjectDao::<Order>::new(&session).batch_insert(&mut orders).await.unwrap();
    let item = |id, tenant_id, order_id, product_id: Option<i64>| Item {
        id,
        tenant_id,
        order_id,
        product_id,
        pieces: 5,
        ..Item::default()
    };
    let mut items = [
        item(11, 1, 1, Some(1)),
        item(12, 1, 1, Some(2)),
        Item { gone: Some("2024-01-31T00:00:00".parse().unwrap()), ..item(13, 1, 1, Some(1)) },
        item(14, 2, 1, Some(1)),
        item(21, 1, 2, None),
    ];
    ObjectDao::<Item>::new(&session).batch_insert(&mut items).await.unwrap();
    let mut tags = ["new", "old"].map(|name| Tag { name: name.into(), product_id: 1 });
    ObjectDao::<Tag>::new(&session).batch_insert(&mut tags).await.unwrap();
    let tag = |id, order_id, tag: &str, tenant_id| OrderTag { id, order_id, tag: tag.into(), tenant_id, gone: None };
    let gone = OrderTag { gone: Some("2024-01-31T00:00:00".parse().unwrap()), ..tag(4, 3, "new", 1) };
    let mut between = [tag(1, 1, "new", 1), tag(2, 2, "new", 1), tag(3, 1, "old", 2), gone];
    ObjectDao::<OrderTag>::new(&session).batch_insert(&mut between).await.unwrap();
    let invoice = |id, order_id, tenant_id| Invoice { id, tenant_id, order_id };
    let mut invoices = [invoice(71, 1, 2), invoice(73, 1, 1), invoice(72, 1, 1), invoice(74, 2, 1)];
    ObjectDao::<Invoice>::new(&session).batch_insert(&mut invoices).await.unwrap();
}

/// A caller of a tenant, who may have roles: `Bearer 1 Buyer`.
struct Caller(Vec<String>);

impl Principal for Caller {
    fn id(&self) -> &str {
        &self.0[0]
    }

    /// Each of them is a reader, as nobody else is.
    fn has_role(&self, role: &str) -> bool {
        role == "Reader" || self.0.iter().any(|own| own == role)
    }
}

/// Nobody in particular, who may not read.
struct Stranger;

impl Principal for Stranger {
    fn id(&self) -> &'static str {
        "stranger"
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

/// The service of a request, whose methods callers with this role may not call.
fn service_but_for<T: Table + View<Of = T> + Clone>(call: &Call, role: &str) -> EntityService<T, T> {
    let is_refused = call.principal().is_some_and(|caller| caller.has_role(role));
    let stranger = || call.session().with_principal(Arc::new(Stranger));
    if is_refused { EntityService::new(&stranger()) } else { EntityService::new(call.session()) }
}

pub(crate) fn host(context: &OrmContext) -> Host {
    Host::new(context)
        .authenticate(|head, _| {
            let token =
                head.headers.get("authorization").and_then(|token| token.to_str().ok()?.strip_prefix("Bearer "));
            let words = token.map(|token| token.split(' ').map(str::to_owned).collect());
            async move { Ok(words.map(|words| Arc::new(Caller(words)) as Arc<dyn Principal>)) }
        })
        .scope(|_, caller| {
            let nobody = || Problem::of(ProblemKind::Unauthenticated);
            let tenant: i32 = caller.ok_or_else(nobody)?.id().parse().map_err(|_| nobody())?;
            Ok(Scope::new().column("TenantId", tenant))
        })
}

/// Orders, which count the statements of each request.
#[derive(Clone)]
pub(crate) struct Orders {
    pub rules: Rules,
    pub statements: Arc<AtomicUsize>,
}

impl Orders {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules, statements: Arc::default() }
    }

    fn count(&self, call: &Call) {
        self.statements.store(call.session().sql_stack().len(), Ordering::SeqCst);
    }
}

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;

    fn rules(&self) -> Rules {
        self.rules.clone()
    }

    async fn page(&self, call: &Call, body: Bytes) -> WebResult {
        let answer = call.page(body).await;
        self.count(call);
        answer
    }

    async fn list(&self, call: &Call) -> WebResult {
        let answer = call.list().await;
        self.count(call);
        answer
    }
}

pub(crate) struct Items;

impl EntityController for Items {
    type Entity = Item;
    type View = ItemView;
}

pub(crate) struct Customers;

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;

    /// Whoever is blocked sees no customer.
    async fn included(&self, call: &Call) -> WebResult<()> {
        match call.principal() {
            Some(caller) if caller.has_role("Blocked") => Err(Problem::of(ProblemKind::Forbidden)),
            _ => Ok(()),
        }
    }
}

pub(crate) struct Products;

impl EntityController for Products {
    type Entity = Product;
    type View = Product;

    /// Guests read no product: the service of visitors is not made, that of guests refuses each call.
    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Product, Product>>> {
        if call.principal().is_some_and(|caller| caller.has_role("Visitor")) {
            let permission = "no visitor".to_owned();
            return Err(isogloss::OrmError::Forbidden { service: "Products", method: "read", permission });
        }
        Ok(Box::new(service_but_for::<Product>(call, "Guest")))
    }
}

pub(crate) struct Tags;

impl EntityController for Tags {
    type Entity = Tag;
    type View = TagView;
}

pub(crate) struct Invoices;

impl EntityController for Invoices {
    type Entity = Invoice;
    type View = Invoice;
}

pub(crate) struct Tasks;

impl EntityController for Tasks {
    type Entity = Task;
    type View = Task;

    fn rules(&self) -> Rules {
        Rules::new().allow_writes().include(["product"])
    }
}

/// Which tags an order has.
pub(crate) struct OrderTags;

impl EntityController for OrderTags {
    type Entity = OrderTag;
    type View = OrderTag;

    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<OrderTag, OrderTag>>> {
        Ok(Box::new(service_but_for::<OrderTag>(call, "Guest")))
    }

    async fn included(&self, call: &Call) -> WebResult<()> {
        match call.principal() {
            Some(caller) if caller.has_role("Blocked") => Err(Problem::of(ProblemKind::Forbidden)),
            _ => Ok(()),
        }
    }
}

/// What orders include in these tests.
pub(crate) const PATHS: [&str; 5] = ["items.product", "customer.orders.customer", "tags", "items.order", "invoice"];

pub(crate) fn rules() -> Rules {
    Rules::new().include(PATHS)
}

pub(crate) struct Shop {
    pub context: OrmContext,
    pub api: Router,
    statements: Arc<AtomicUsize>,
}

impl Shop {
    /// On a database in memory.
    pub(crate) async fn new(rules: Rules) -> Self {
        Self::at(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true), rules).await
    }

    pub(crate) async fn at(config: DataSourceConfig, rules: Rules) -> Self {
        Self::of(OrmContext::new(catalog()), config, rules).await
    }

    /// One whose services ask who calls, each call.
    pub(crate) async fn guarded(rules: Rules) -> Self {
        let (readers, anyone) = (PermissionRule::roles(&["Reader"]), PermissionRule::ANYONE);
        let interception = Interception::new().principals(SessionPrincipal).entity_permissions(readers, anyone);
        let builder = OrmContext::builder().catalog(catalog()).with_interception(interception);
        let config = DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true);
        Self::of(builder.build().await.unwrap(), config, rules).await
    }

    async fn of(context: OrmContext, config: DataSourceConfig, rules: Rules) -> Self {
        context.add_data_source(config).unwrap();
        fill(&context).await;
        let (host, orders) = (host(&context), Orders::new(rules));
        let statements = Arc::clone(&orders.statements);
        let api = orders
            .router(&host)
            .unwrap()
            .merge(Items.router(&host).unwrap())
            .merge(Customers.router(&host).unwrap())
            .merge(Products.router(&host).unwrap())
            .merge(Tags.router(&host).unwrap())
            .merge(Invoices.router(&host).unwrap());
        Self { context, api, statements }
    }

    /// Sends a request of the first tenant.
    pub(crate) async fn send(&self, request: &str, body: &str) -> Answer {
        self.send_as("1", request, body).await
    }

    pub(crate) async fn send_as(&self, caller: &str, request: &str, body: &str) -> Answer {
        self.send_with(request, body, &[("authorization", &format!("Bearer {caller}"))]).await
    }

    pub(crate) async fn send_with(&self, request: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = send_as(&self.api, request, (!body.is_empty()).then_some(body), headers).await;
        for hidden in ["hunter2", "99", "enantId", "Mallory", "gold", "select ", "IncludeKey", "RelationKey"] {
            assert!(!answer.text.contains(hidden), "`{hidden}` in {answer:?}");
        }
        answer
    }

    /// The items of a page of all orders with that in its URL.
    pub(crate) async fn page(&self, query: &str) -> Answer {
        let answer = self.send(&format!("POST /Order/page?{query}"), r#"{"$section":null}"#).await;
        assert_eq!(answer.status, 200, "{query} {answer:?}");
        answer
    }

    /// How many statements the last request for orders has run.
    pub(crate) fn statements(&self) -> usize {
        self.statements.load(Ordering::SeqCst)
    }
}

/// The problem that a client is told.
pub(crate) fn problem(answer: &Answer) -> (u16, String, String) {
    assert_eq!(answer.header("content-type"), "application/problem+json", "{answer:?}");
    let text = |name: &str| answer.json()[name].as_str().unwrap_or_default().to_owned();
    (answer.status.as_u16(), text("code"), text("detail"))
}
