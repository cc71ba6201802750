#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    // Of the table outside, of the one inside?
    let _ = expr!(|a: User| exists::<User>(|b| b.id != User::ID));
    // The closure's argument is a view of it.
    let _ = expr!(|o: OrderView| exists::<User>(|u| u.age > Order::STATUS));
    let column = User::ID;
    let _ = expr!(|u: User| exists::<Order>(|o| o.user_id == column));
}
