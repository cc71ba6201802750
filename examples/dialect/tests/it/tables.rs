//! The tables of the dialect are complete.

use d1_dialect::D1;
use isogloss_compiler::dialect::{self, Faults};

#[test]
fn the_tables_are_complete() -> Result<(), Faults> {
    dialect::check(&D1)
}
