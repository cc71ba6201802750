use isogloss::expr::Decimal;
use isogloss::prelude::*;

struct Address;

#[derive(Entity)]
struct Order {
    #[column(primary_key)]
    id: i64,
    amount: Decimal,
    status: Status,
    name: Option<String>,
}

#[derive(Clone, Copy, DbEnum)]
enum Status {
    Open,
}

#[derive(Entity)]
struct Customer {
    #[column(primary_key)]
    id: i64,
    address: Address,
}

fn main() {
    let _ = Order::AMOUNT.eq("text");
    let _ = Order::STATUS.eq(1);
    let _ = Order::NAME.gt(5);
    let _ = Order::ID.eq(Order::NAME);
    let _ = Order::columns(None).amont;
}
