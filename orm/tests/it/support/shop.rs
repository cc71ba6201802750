// A small shop, as programs write it. The examples of the macros and of the guide are about it, too.

use isogloss::chrono::{NaiveDate, NaiveDateTime};
use isogloss::entity::Linked;
use isogloss::expr::Decimal;
use isogloss::model::{Catalog, CatalogErrors};

// By name, as what else is linked into a test is none of its business.
pub fn catalog() -> Result<Catalog, CatalogErrors> {
    Catalog::builder().entity::<Department>().entity::<User>().entity::<Order>().entity::<OrderView>().build()
}

#[derive(Debug, Clone, PartialEq, isogloss::entity::Entity)]
#[table(name = "Departments")]
pub struct Department {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 100)]
    pub name: String,
    pub parent_id: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, isogloss::entity::Entity)]
#[table(name = "Users")]
pub struct User {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 100)]
    pub name: String,
    #[column(length = 100)]
    pub email: Option<String>,
    pub age: i32,
    pub active: bool,
    pub born: NaiveDate,
    #[foreign(Department)]
    pub dept_id: i32,
}

#[derive(Debug, Clone, PartialEq, isogloss::entity::Entity)]
#[table(name = "Orders")]
pub struct Order {
    #[column(primary_key)]
    pub id: i64,
    #[column(precision = 18, scale = 2)]
    pub amount: Decimal,
    pub status: i32,
    #[column(length = 200)]
    pub note: Option<String>,
    pub placed: NaiveDateTime,
    pub shipped: Option<NaiveDateTime>,
    pub weight: f64,
    #[foreign(User)]
    pub user_id: i32,
}

/// An order with the name of its customer.
#[derive(Debug, Clone, PartialEq, isogloss::entity::View)]
#[view(of = Order)]
pub struct OrderView {
    pub order: Order,
    #[foreign_column(User, property = name)]
    pub customer_name: Option<String>,
}
