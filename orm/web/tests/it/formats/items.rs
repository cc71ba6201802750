//! Items whose columns have NULLs and ties.

use std::sync::Arc;

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::Principal;
use isogloss_web::{CursorKeys, EntityController, Host, Rules};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "items", columns = "snake_case")]
pub(crate) struct Item {
    #[column(primary_key)]
    pub id: i64,
    pub tenant_id: i32,
    pub rank: Option<i32>,
    #[column(length = 50)]
    pub name: Option<String>,
    #[column(precision = 18, scale = 2)]
    pub price: Decimal,
    pub weight: f64,
    #[column(length = 50, not_filterable)]
    pub secret: String,
}

pub(crate) fn catalog() -> Catalog {
    Catalog::builder().entity::<Item>().build().unwrap()
}

/// The item of that number: every third has no rank, every fourth no name, and there are five prices.
pub(crate) fn item(id: i64) -> Item {
    Item {
        id,
        tenant_id: 1,
        rank: (id % 3 != 0).then_some(i32::try_from(id % 5).unwrap() - 2),
        name: (id % 4 != 0).then(|| format!("item {}", id % 7)),
        price: Decimal::from(id % 5),
        weight: 0.5,
        secret: "hunter2".into(),
    }
}

pub(crate) async fn insert(context: &OrmContext, items: impl IntoIterator<Item = Item>) {
    let session = context.create_session().unwrap();
    let mut items: Vec<Item> = items.into_iter().collect();
    ObjectDao::<Item>::new(&session).batch_insert(&mut items).await.unwrap();
}

/// A context over a database in memory with these items.
pub(crate) async fn stored(items: impl IntoIterator<Item = Item>) -> OrmContext {
    let context = OrmContext::new(catalog());
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    insert(&context, items).await;
    context
}

struct Items(Rules);

impl EntityController for Items {
    type Entity = Item;
    type View = Item;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

/// The API below `/`, whose callers say their name, and the tenant of which they are.
pub(crate) fn api(context: &OrmContext, rules: Rules) -> Router {
    let keys = CursorKeys::new("a", b"0123456789abcdef0123456789abcdef").unwrap();
    let host = Host::new(context)
        .cursor_keys(keys)
        .authenticate(|head, _| {
            let name = head.headers.get("user").map(|name| name.to_str().unwrap().to_owned());
            async move { Ok(name.map(|name| Arc::new(User(name)) as Arc<dyn Principal>)) }
        })
        .scope(|head, _| {
            let tenant = head.headers.get("tenant").map(|tenant| tenant.to_str().unwrap().parse::<i32>().unwrap());
            Ok(tenant.map_or_else(Scope::new, |tenant| Scope::new().column("TenantId", tenant)))
        });
    Items(rules).router(&host).unwrap()
}

struct User(String);

impl Principal for User {
    fn id(&self) -> &str {
        &self.0
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}
