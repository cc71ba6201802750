//! How much random input a test draws, and from which seed.

use std::env;

/// Returns the number in the environment variable `name`.
///
/// # Panics
/// The variable is set and holds no number.
#[must_use]
pub fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(error) => panic!("{name}={text}: {error}"),
    }
}

/// Returns the seed of random input: `ISOGLOSS_SEED`, or 1, so that a test that fails fails again.
#[must_use]
pub fn seed() -> u64 {
    number("ISOGLOSS_SEED").unwrap_or(1)
}

/// Returns true in the nightly tier, which sets `ISOGLOSS_LONG`.
#[must_use]
pub fn is_long() -> bool {
    env::var_os("ISOGLOSS_LONG").is_some()
}

/// Returns how much a test draws: `usual`, or `long` in the nightly tier.
#[must_use]
pub fn count(usual: u64, long: u64) -> u64 {
    if is_long() { long } else { usual }
}
