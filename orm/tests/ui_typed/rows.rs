//! What a query selects, and what its rows are read as.
use isogloss::expr::Decimal;
use isogloss::prelude::*;

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "customers")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    name: String,
    city: Option<String>,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    amount: Decimal,
}

#[derive(FromRow)]
struct Best {
    name: String,
    orders: i64,
}

fn main() {
    // A field that the struct does not have, and one that is left out.
    let _ = query!(|o: Order| o.group_by(o.customer_id).select(Best { nmae: "x", orders: count() }));
    let _ = query!(|o: Order| o.select(Best { orders: count() }));
    // Other types, and NULL where the field takes none.
    let _ = query!(|c: Customer| c.select(Best { name: c.id, orders: count() }));
    let _ = query!(|c: Customer| c.select(Best { name: c.city, orders: count() }));
    let _ = query!(|o: Order, c: Option<Customer>| o
        .left_join(c, c.id == o.customer_id)
        .select(Best { name: c.name, orders: o.id }));
    // A column that is not there.
    let _ = query!(|o: Order, c: Customer| o.join(c, c.id == o.custmer_id).select((o.id, c.name)));
    // The rows of a query are of its select list.
    let pairs = query!(|o: Order, c: Customer| o.join(c, c.id == o.customer_id).select((o.id, c.city)));
    let _: isogloss::entity::Query<_, (i64, String)> = pairs;
}
