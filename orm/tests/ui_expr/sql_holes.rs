#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let (min, orders) = (5, [1, 2]);
    let _ = sql!("WHERE [Amount] > {mim}");
    let _ = sql!("WHERE [Amount] > {mim + min} AND [Id] IN {order}");
    let _ = sql!("WHERE [Amount] > {} AND [Id] IN {order}", min, orders = orders);
}
