//! The table of the scenarios.

use isogloss::prelude::*;

/// A row, written with its twin in one transaction.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "fault_rows", columns = "snake_case")]
pub struct Row {
    /// Its key.
    #[column(primary_key)]
    pub id: i64,
    /// The transaction that has written it.
    pub pair: i64,
    /// Something to write.
    #[column(length = 200)]
    pub text: String,
}

impl Row {
    /// The two rows of a transaction.
    #[must_use]
    pub fn pair(pair: i64) -> [Self; 2] {
        [0, 1].map(|half| Self { id: pair * 2 + half, pair, text: format!("row {pair}.{half}") })
    }
}
