#[allow(dead_code, unreachable_pub)]
#[path = "../support/mod.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let _ = sql!("WHERE [Amount] > {mim}");
}
