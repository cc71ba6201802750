#[allow(dead_code, unreachable_pub)]
#[path = "../it/support/shop.rs"]
mod support;

#[allow(unused_imports)]
use support::*;

use isogloss::prelude::*;

fn main() {
    let min = 5;
    let _ = sql!("SELECT * FROM [Orders WHERE [Amount] > {min}");
    let _ = sql!("SELECT * FROM [Orders]\nWHERE [Note] = 'open AND [Amount] > {min}");
    let _ = sql!("WHERE [Amount] > {min");
    let _ = sql!("WHERE [Amount]] > {min}}");
    let _ = sql!("WHERE [Amount] > {min +}");
    let _ = sql!("WHERE [Amount] > {}");
    let _ = sql!("WHERE [Amount] > {min} AND [Id] IN {ids} AND {min} < {From}", idd = [1]);
    let _ = sql!("WHERE [Note] = q'[it's]' AND [Amount > {min} AND [Id] = 1");
    let _ = sql!("WHERE [Note] = q'[it's] AND [Amount] > {min}");
    let _ = sql!("WHERE [Amount] > {min}", max = 5);
    let _ = sql!("SELECT {allfields} FROM {From}");
    let text = "WHERE 1 = 1";
    let _ = sql!(text);
}
