//! What may be NULL goes where NULL may be.
use chrono::NaiveDate;
use isogloss::entity::{Query, insert};
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
    amount: Decimal,
    discount: Option<Decimal>,
    pieces: i32,
    given: Option<i32>,
    made: NaiveDate,
    sent: Option<NaiveDate>,
}

fn main() {
    // A part that may be NULL makes a whole that may be.
    let _: Query<_, i64> = query!(|o: Order| o.select((o.sent - o.made).num_days()));
    let _: Query<_, i64> = query!(|o: Order| o.select(o.given as i64));
    let _: Query<_, i32> = query!(|o: Order| o.select(o.given.unwrap_or(o.given)));
    let _: Query<_, i32> = query!(|o: Order| o.select(o.pieces.max(o.given)));
    let _: Query<_, i32> = query!(|o: Order| o.select(o.pieces.bit_and(o.given)));
    let _: Query<_, Decimal> = query!(|o: Order| o.select(o.amount.round_to(o.given)));
    let _: Query<_, Decimal> = query!(|o: Order| o.select(if o.id > 3 { o.amount } else { o.discount }));
    let _: Query<_, NaiveDate> = query!(|o: Order| o.select(o.made.add_days(o.given)));
    let _: Query<_, String> = query!(|c: Customer| c.select(c.name.concat(c.city)));
    let _: Query<_, String> = query!(|c: Customer| c.select(c.name.replace(c.city, "x")));
    let _: Query<_, i32> = query!(|c: Customer| c.select(c.name.index_of(c.city)));
    // A column that is never NULL is given nothing that may be.
    let _ = Order::AMOUNT.set(None::<Decimal>);
    let _ = Order::AMOUNT.set(Order::DISCOUNT);
    let _ = Order::AMOUNT.set(query!(|x: Order| x.select(x.amount.max())));
    // `NOT IN` finds nothing as soon as one of the values is NULL.
    let given = query!(|x: Order| x.select(x.given));
    let _ = Order::PIECES.not_in(given.clone());
    let _ = expr!(|o: Order| o.pieces.not_in(given));
    // The columns that are written are those of the entity.
    let ids = query!(|o: Order| o.select(o.id));
    let _ = insert::<Order, _, _, _>(Customer::ID.aliased("x"), ids);
}

fn lists(list: Vec<Option<i32>>) {
    // So it does of a list, and behind a `!`.
    let _ = Order::PIECES.not_in(list.clone());
    let _ = expr!(|o: Order| o.pieces.not_in(list));
    let _ = expr!(|o: Order| !list.contains(&o.pieces));
    let _ = expr!(|o: Order| !(o.id > 3 && [2, o.given].contains(&o.pieces)));
    let _ = expr!(|o: Order| !(o.id > 3 || o.pieces.is_in(query!(|x: Order| x.select(x.given)))));
    let _ = expr!(|o: Order| !(if o.id > 3 { list.contains(&o.pieces) } else { o.id > 1 }));
    let _ = expr!(|o: Order| o.given.is_some_and(|given| list.contains(&given)));
    let _ = expr!(|o: Order| !{
        let pieces = o.pieces;
        list.contains(&pieces)
    });
    // Elsewhere these are conditions as any.
    let _ = expr!(|o: Order| !o.pieces.not_in(list) && !exists::<Order>(|x| list.contains(&x.pieces)));
    let _ = expr!(|o: Order| list.contains(&o.pieces) && !!o.pieces.is_in([1, o.given]) && !!o.pieces.is_in(vec![Some(1)]));
}

fn literals() {
    let _ = expr!(|o: Order| !o.pieces.is_in(vec![Some(1)]));
    let _ = expr!(|o: Order| o.pieces.not_in([Some(1), Some(2)]));
    let _ = expr!(|o: Order| ![Some(1)].contains(&o.pieces));
}

fn none() {
    let _ = expr!(|o: Order| [Some(1), None].contains(&o.pieces));
}
