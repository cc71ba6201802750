#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = expr!(|o| o.amount > 1);
    let _ = expr!(amount > 1);
    let _ = expr!(|u: User| exists(|d| d.id == u.dept_id));
    let _ = expr!(|u: User| exists::<Department>(u.dept_id == 1));
    let _ = expr!(|u: User| { let id = u.id; exists::<Department>(|d| d.id == id) });
    let _ = expr!(|u: User| u.age >);
}
