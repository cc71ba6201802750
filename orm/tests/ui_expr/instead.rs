#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: Order| o.note.unwrap() == "x");
    let _ = expr!(|o: Order| o.note.map(|note| note.len()) == 2);
    let _ = expr!(|o: Order| o.amount.clamp(1, 2) == 1);
    let _ = expr!(|o: Order| o.note.chars().count() == 2);
    let _ = expr!(|o: Order| ["a"].iter().any(|note| o.note == *note));
    let _ = expr!(|o: Order| o.status & 4 == 4);
    let _ = expr!(|o: Order| o.note.map_or("none", |note| note.trim()) == "x");
}
