//! Services of entities, on every engine through one test body. A test's name begins with the number of the requirement
//! that it is of: E of what writes, V of what reads, VE of events.

mod blocking;
mod dynamic;
mod ended;
mod events;
mod faults;
mod objects;
mod reads;
mod tape;
mod tasks;
mod writes;

use isogloss::config::DataSourceConfig;
use isogloss::context::OrmBuilder;
use isogloss::entity::{Arged, Linked as _};
use isogloss::model::Catalog;
use isogloss::prelude::*;

use crate::support::engines::{self, Place};

/// The database numbers it, and no two have one name.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "items", columns = "snake_case")]
pub struct Item {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 50, unique)]
    pub name: String,
    pub price: i32,
    #[foreign(Sort)]
    pub sort_id: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Item)]
pub struct ItemView {
    pub item: Item,
    #[foreign_column(Sort, property = name)]
    pub sort_name: Option<String>,
}

/// Only those that are open are there.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "sorts", columns = "snake_case")]
pub struct Sort {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 50)]
    pub name: String,
    #[column(constant = true)]
    pub open: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "docs", columns = "snake_case")]
pub struct Doc {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 50)]
    pub text: String,
    #[column(timestamp)]
    pub version: i32,
}

/// A composite key, and a shard by itself.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "marks_{0}", columns = "snake_case", arged)]
pub struct Mark {
    #[column(primary_key)]
    pub day: i32,
    #[column(primary_key, length = 10)]
    pub code: String,
    pub points: i32,
    #[column(skip)]
    pub year: u16,
}

impl Arged for Mark {
    fn table_args(&self) -> Vec<String> {
        vec![self.year.to_string()]
    }
}

/// What subscribers write.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "audits", columns = "snake_case")]
pub struct Audit {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 100)]
    pub text: String,
}

pub(crate) fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Item>()
        .entity::<ItemView>()
        .entity::<Sort>()
        .entity::<Doc>()
        .entity::<Mark>()
        .entity::<Audit>()
        .build()
        .unwrap()
}

pub(crate) fn item(name: &str, price: i32) -> Item {
    Item { name: name.into(), price, ..Item::default() }
}

pub(crate) fn mark(year: u16, day: i32, code: &str, points: i32) -> Mark {
    Mark { day, code: code.into(), points, year }
}

/// A context over an empty database with all tables.
pub(crate) async fn context(place: &Place, builder: OrmBuilder) -> OrmContext {
    let context = builder.catalog(catalog()).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", place.provider, &place.url)).unwrap();
    for entity in ["Item", "Sort", "Doc", "Audit"] {
        context.sync_table(entity, [""; 0]).await.unwrap();
    }
    for year in ["2024", "2025"] {
        context.sync_table("Mark", [year]).await.unwrap();
    }
    context
}

/// Runs a test on every engine, in a context of its own.
pub(crate) async fn each<F: Future<Output = ()>>(builder: impl Fn() -> OrmBuilder, test: impl Fn(OrmContext) -> F) {
    engines::each_place(async |place: Place| {
        let context = context(&place, builder()).await;
        test(context.clone()).await;
        context.close();
    })
    .await;
}

/// Runs a test on every engine, without subscribers.
pub(crate) async fn plain<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    each(Orm::builder, async |context: OrmContext| test(context.create_session().unwrap()).await).await;
}
