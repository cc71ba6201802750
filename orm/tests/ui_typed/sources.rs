//! Which tables a query has, and from where on.
use isogloss::prelude::*;

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "customers")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "products")]
struct Product {
    #[column(primary_key)]
    id: i64,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    product_id: i64,
}

fn main() {
    // What is joined before a right join need not have a row, wherever its parameter stands.
    let _ = query!(|o: Option<Order>, p: Product, c: Customer| o
        .join(c, c.id == o.customer_id)
        .right_join(p, p.id == o.product_id)
        .select((p.id, c.name)));
    // A table that is not joined, is joined twice, or is asked for before.
    let _ = query!(|o: Order, c: Customer| o.select((o.id, c.name)));
    let _ = query!(|o: Order, c: Customer| o
        .join(c, c.id == o.customer_id)
        .join(c, c.id == o.id)
        .select((o.id, c.name)));
    let _ = query!(|o: Order, p: Product, c: Customer| o
        .join(c, c.id == p.id)
        .join(p, p.id == o.product_id && exists::<Order>(|x| x.customer_id == c.id))
        .select(c.name));
    let _ = query!(|o: Order, c: Customer| o.filter(exists::<Order>(|x| x.id == c.id)).join(c, c.id == o.id).select(o.id));
    // Another clause of the rows that are selected from, and a second select list.
    let _ = query!(|o: Order| o.select(o.id).filter(o.id > 3));
    let _ = query!(|o: Order| o.select(o.id).select(o.customer_id));
    // Without a select list these are no rows.
    let joined = query!(|o: Order, c: Customer| o.join(c, c.id == o.customer_id));
    let _ = joined.clone().union(joined.clone());
    let _ = joined.named("joined");
}
