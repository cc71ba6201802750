#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o: Order| return o.amount > 1);
    let _ = expr!(|o: Order| { println!("x"); o.amount > 1 });
    let _ = expr!(|o: Order| o.status = 1);
    let _ = expr!(|o: Order| o.note? == "x");
    let _ = expr!(|o: Order| format!("{:?}", o.note) == "x");
    let _ = expr!(|o: Order| o.status ^ 1 == 2);
    let _ = expr!(|o: Order| if o.status == 1 { o.amount > 1 });
    let _ = expr!(|o: Order| match o.status { 1 => true, 2 => false });
    let _ = expr!(|o: Order| match o.note { Some(note) => note == "x", _ => false });
    let _ = expr!(|o: Order| (1, 2) == (o.status, o.user_id));
}
