#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: OrderView| o.amount > "100");
    let _ = expr!(|o: OrderView| 5 == o.note);
    let _ = expr!(|o: OrderView| o.note.starts_with(5));
    let _ = expr!(|o: OrderView| o.amount && o.status == 1);
    let _ = expr!(|o: OrderView| o.amount + "1" > 5);
    let _ = expr!(|o: OrderView| ["a", "b"].contains(&o.status));
}
