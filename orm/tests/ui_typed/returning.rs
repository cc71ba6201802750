//! What a statement returns of what it wrote.
use isogloss::dao::ObjectDao;
use isogloss::entity::{insert, update};
use isogloss::expr::Decimal;
use isogloss::prelude::*;

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "customers")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    city: Option<String>,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    amount: Decimal,
    note: Option<String>,
}

#[derive(Debug, Clone, FromRow)]
struct Line {
    id: i64,
    note: String,
}

async fn run(orders: ObjectDao<Order>) -> isogloss::OrmResult<()> {
    let raise = || update::<Order>([Order::AMOUNT.set(2)]).filter(Order::ID.eq(1));
    // A field that there is not, one that is left out, another type, and NULL where the field takes none.
    orders.update_returning(raise(), expr!(|o: Order| Line { id: o.id, note: o.note.unwrap_or(""), notes: o.note })).await?;
    orders.update_returning(raise(), expr!(|o: Order| Line { id: o.id })).await?;
    orders.update_returning(raise(), expr!(|o: Order| Line { id: o.amount, note: o.note.unwrap_or("") })).await?;
    orders.delete_returning(Order::ID.eq(1), expr!(|o: Order| Line { id: o.id * 2, note: o.note })).await?;
    // A column that there is not, and those of another entity.
    orders.delete_returning(Order::ID.eq(1), expr!(|o: Order| (o.id, o.amuont))).await?;
    let copy = insert((Order::ID, Order::AMOUNT), query!(|o: Order| o.select((o.id + 1, o.amount))));
    orders.insert_from_returning(copy, expr!(|c: Customer| Line { id: c.id, note: c.city.unwrap_or("") })).await?;
    // A rest, and a row within a row.
    let line = Line { id: 1, note: String::new() };
    orders.delete_returning(Order::ID.eq(1), expr!(|o: Order| Line { id: o.id, ..line })).await?;
    orders.delete_returning(Order::ID.eq(1), expr!(|o: Order| (o.id, (o.amount, o.note)))).await?;
    Ok(())
}

fn main() {}
