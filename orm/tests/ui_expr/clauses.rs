#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = query!(|q: Order| q.where_(q.amount > 1));
    let _ = query!(|q: Order| q.order_by(q.id).limit(5));
    let _ = query!(|q: Order| q.skip(q.status));
    let _ = query!(|q: Order| from("Order").filter(q.amount > 1));
    let _ = query!(|q: Order| q.order_by());
}
