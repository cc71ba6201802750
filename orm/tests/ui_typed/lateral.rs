//! Lateral joins, and queries that only they may join.
use isogloss::expr::Decimal;
use isogloss::prelude::*;

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "customers")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    amount: Decimal,
}

#[derive(Debug, Clone, FromRow)]
struct Line {
    id: i64,
    amount: Decimal,
}

fn main() {
    // A query that stands beside a table, or in front of all, sees nothing of it.
    let _ = query!(|c: Customer, t: Line| c
        .join(t.from(query!(|o: Order| o.filter(o.customer_id == c.id).select(Line { id: o.id, amount: o.amount }))), t.id > 0)
        .select(c.name));
    let _ = query!(|t: Line, c: Customer| t
        .from(query!(|o: Order| o.filter(o.customer_id == c.id).select(Line { id: o.id, amount: o.amount })))
        .join(c, c.id == t.id)
        .select(c.name));
    // Nor has it columns of its own result.
    let _ = query!(|c: Customer, t: Line| c
        .join_lateral(t.from(query!(|o: Order| o.filter(o.id == t.id).select(Line { id: o.id, amount: o.amount }))))
        .select(c.name));
    // A table looks at no rows, a condition stands in the query, and what need not be found may be NULL.
    let _ = query!(|c: Customer, o: Order| c.join_lateral(o).select(c.name));
    let _ = query!(|c: Customer, t: Line| c
        .join_lateral(t.from(query!(|o: Order| o.select(Line { id: o.id, amount: o.amount }))), t.id == c.id)
        .select(c.name));
    let _ = query!(|c: Customer, t: Line| c
        .left_join_lateral(t.from(query!(|o: Order| o.select(Line { id: o.id, amount: o.amount }))))
        .select(t.id));
    // There is no other one.
    let _ = query!(|c: Option<Customer>, t: Line| c.right_join_lateral(t).select(t.id));
    let _ = query!(|c: Customer, t: Line| c.cross_apply(t).select(t.id));
    // The rows are of the parameter's type, and its names are those of its fields.
    let _ = query!(|c: Customer, t: Line| c
        .join_lateral(t.from(query!(|o: Order| o.filter(o.customer_id == c.id).select((o.id, o.amount)))))
        .select(t.id));
    let _ = query!(|c: Customer, t: Line| c
        .join_lateral(t.from(query!(|o: Order| o.filter(o.customer_id == c.nmae).select(Line { id: o.id, amount: o.amount }))))
        .select(t.amuont));
}
