//! Bearer tokens: 32 random bytes, of which the database has the SHA-256 alone.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// A new token.
///
/// # Errors
/// The system has no random bytes.
pub(crate) fn new() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// The hash that is stored of a token. A token is long and random, so it needs no salt.
pub(crate) fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (super::new().unwrap(), super::new().unwrap());
        assert!(a.len() == 64 && a != b && super::hash(&a).len() == 64 && super::hash(&a) != a);
    }
}
