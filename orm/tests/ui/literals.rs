use isogloss::expr::Decimal;
use isogloss::prelude::*;

const LEAST: Decimal = dec!(12.50);

fn main() {
    let _ = LEAST;
    let _ = dec!(1.5f64);
    let _ = dec!("x");
    let _ = dec!(123456789012345678901234567890123456789);
}
