#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: OrderView| o.amont > 100);
    let _ = query!(|q: OrderView| q.order_by(q.custommer_name));
}
