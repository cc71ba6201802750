#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: OrderView| o.note.begins_with("A"));
    let _ = expr!(|o: OrderView| o.amount.year() == 2024);
    let _ = expr!(|o: OrderView| o.amount.is_none());
}
