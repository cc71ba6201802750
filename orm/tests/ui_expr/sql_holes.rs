#[allow(dead_code, unreachable_pub)]
#[path = "../support/mod.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

struct Point;

fn main() {
    let point = Point;
    let _ = sql!("WHERE [Amount] > {mim}");
    let _ = sql!("WHERE [Place] = {point}");
}
