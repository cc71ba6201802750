#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let adults = expr!(|u: User| u.age >= 18);
    let _ = expr!(|o: Order| o.status == 1 && adults);
    let _ = expr!(|o: Order| o.user_id == User::ID);
    // A condition that is captured is of the closure's own table.
    let _ = expr!(|u: User| exists::<Order>(|o| o.user_id == u.id && adults));
    let _ = query!(|o: Order| o.filter(adults).order_by(User::NAME));
    // No entity takes what is of its view.
    let named = expr!(|o: OrderView| o.customer_name == "Ann");
    let _ = expr!(|o: Order| named);
    let _ = expr!(|o: Order| if o.status == 1 { User::AGE } else { o.status } > 3);
}
