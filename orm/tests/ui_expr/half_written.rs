#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: Order| o.amount > 1 && o.);
    let _ = query!(|q: Order| q.filter(q.));
    let _ = query!(|q: Order| q.filter(q.amount > 1).order);
}
