//! diesel's view of the order system, and how its queries are rendered (shared by the two contestants of diesel).

use crate::peer::Text;
use diesel::backend::Backend;
use diesel::pg::{Pg, PgMetadataLookup, PgQueryBuilder, PgTypeMetadata};
use diesel::query_builder::{QueryBuilder, QueryFragment};
use std::hint::black_box;

diesel::table! {
    #[sql_name = "Orders"]
    orders (id) {
        #[sql_name = "Id"]
        id -> BigInt,
        #[sql_name = "OrderNo"]
        order_no -> Text,
        #[sql_name = "CustomerId"]
        customer_id -> BigInt,
        #[sql_name = "ProductId"]
        product_id -> BigInt,
        #[sql_name = "Qty"]
        qty -> Integer,
        #[sql_name = "Amount"]
        amount -> Double,
        #[sql_name = "Status"]
        status -> Text,
        #[sql_name = "Note"]
        note -> Nullable<Text>,
        #[sql_name = "CreatedTime"]
        created_time -> Text,
        #[sql_name = "IsDeleted"]
        is_deleted -> Bool,
    }
}

diesel::table! {
    #[sql_name = "Customers"]
    customers (id) {
        #[sql_name = "Id"]
        id -> BigInt,
        #[sql_name = "Name"]
        name -> Text,
        #[sql_name = "City"]
        city -> Text,
    }
}

diesel::table! {
    #[sql_name = "Products"]
    products (id) {
        #[sql_name = "Id"]
        id -> BigInt,
        #[sql_name = "Name"]
        name -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(orders, customers, products);

diesel::alias! {
    pub const T0: Alias<T0Alias> = orders as T0;
    pub const CUSTOMER: Alias<CustomerAlias> = customers as Customer;
    pub const PRODUCT: Alias<ProductAlias> = products as Product;
    pub const C: Alias<CAlias> = customers as C;
}

/// The row of W5 as diesel wants it; an absent note is bound as NULL, as the others do.
#[derive(diesel::Insertable)]
#[diesel(table_name = orders, treat_none_as_default_value = false)]
pub struct NewOrder<'a> {
    pub order_no: &'a str,
    pub customer_id: i64,
    pub product_id: i64,
    pub qty: i32,
    pub amount: f64,
    pub note: Option<&'a str>,
    pub created_time: &'a str,
    pub is_deleted: bool,
}

impl<'a> From<&'a crate::data::OrderRow> for NewOrder<'a> {
    fn from(row: &'a crate::data::OrderRow) -> Self {
        NewOrder {
            order_no: &row.order_no,
            customer_id: row.customer_id,
            product_id: row.product_id,
            qty: row.qty,
            amount: row.amount,
            note: row.note.as_deref(),
            created_time: &row.created_time,
            is_deleted: row.is_deleted,
        }
    }
}

/// Types with a fixed OID need no connection; all of ours have one.
struct NoLookup;

impl PgMetadataLookup for NoLookup {
    fn lookup_type(&mut self, type_name: &str, _schema: Option<&str>) -> PgTypeMetadata {
        unreachable!("{type_name} has no fixed OID")
    }
}

type Binds<'a> = <Pg as Backend>::BindCollector<'a>;

fn made<Q: QueryFragment<Pg>>(query: &Q) -> (String, Binds<'_>) {
    let mut builder = PgQueryBuilder::default();
    query.to_sql(&mut builder, &Pg).expect("diesel renders");
    let mut binds = Binds::default();
    query.collect_binds(&mut binds, &mut NoLookup, &Pg).expect("diesel binds");
    (builder.finish(), binds)
}

/// Text and encoded parameters: the two walks that a connection of diesel needs at least (it makes a third one to learn
/// whether the statement may be cached, which is left out here).
pub fn render<Q: QueryFragment<Pg>>(query: &Q) {
    black_box(&made(query));
}

/// The same for `--show`.
pub fn text<Q: QueryFragment<Pg>>(query: &Q) -> Text {
    let (sql, binds) = made(query);
    Text { sql, params: binds.binds.len() }
}

/// The reasons shared by both contestants.
pub const ARRAY_ONLY: &str = "eq_any on PostgreSQL always binds one array (see W4b)";
pub const NO_CTE: &str = "diesel has no common table expressions";
pub const EQ_ANY: &str = "IN of ten values is = ANY(one array)";
