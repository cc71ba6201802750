//! Joins, sources and sets.
use isogloss::entity::insert;
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
struct Total {
    customer_id: i64,
    total: Option<Decimal>,
}

fn main() {
    // What need not be found may be NULL.
    let _ = query!(|o: Order, c: Customer| o.left_join(c, c.id == o.customer_id).select(c.name));
    let _ = query!(|o: Order, c: Customer| o.right_join(c, c.id == o.customer_id).select(o.id));
    // What is joined is a parameter, and there is a condition.
    let _ = query!(|o: Order, c: Customer| o.join(Customer, c.id == o.customer_id).select(c.name));
    let _ = query!(|o: Order, c: Customer| o.join(c).select(c.name));
    // Other types on both sides.
    let _ = query!(|o: Order, c: Customer| o.join(c, c.name == o.customer_id).select(c.name));
    // A condition of one entity does not say of which table it is.
    let rome = expr!(|c: Customer| c.city == "Rome");
    let _ = query!(|o: Order, c: Customer| o.join(c, c.id == o.customer_id).filter(rome).select(c.name));
    // The rows of another query.
    let names = query!(|c: Customer| c.select((c.id, c.name)));
    let _ = query!(|t: Total| t.from(names));
    // A subquery of another type, and one of two columns.
    let names = query!(|c: Customer| c.select(c.name));
    let _ = expr!(|o: Order| o.customer_id.is_in(names));
    let _ = expr!(|o: Order| o.customer_id == query!(|c: Customer| c.select((c.id, c.name))));
    // A set of other rows.
    let ids = query!(|o: Order| o.select(o.id));
    let _ = query!(|c: Customer| c.select(c.name)).union(ids);
    // No window.
    let _ = query!(|o: Order| o.select((o.amount + 1).over()));
    let _ = query!(|o: Order| o.select(row_number()));
    // An INSERT of what may be NULL.
    let cities = query!(|c: Customer| c.select((c.id, c.city)));
    let _ = insert::<Customer, _, _, _>((Customer::ID, Customer::NAME), cities);
}
