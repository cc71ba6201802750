#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::expr::Expr;
use isogloss::prelude::*;

fn main() {
    let _ = exists_related::<Department>(|d| d.name == "R&D");
    let _ = Expr::exists::<Department>(|d| d.name == "R&D");
}
