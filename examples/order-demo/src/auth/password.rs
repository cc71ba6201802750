//! Passwords, by Argon2id with the parameters that its crate recommends.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::{Error, PasswordHasher, PasswordVerifier, phc::PasswordHash};

/// What is stored of a password: the parameters, a salt of its own, the hash.
///
/// # Errors
/// The system has no random bytes for the salt.
pub(crate) fn hash(password: &str) -> Result<String, Error> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes())?;
    Ok(hash.to_string())
}

/// Whether the password is the one stored. Without a stored one, or with none that is a hash, it takes just as long, so that
/// the time of an answer does not tell which users exist.
pub(crate) fn is_right(password: &str, stored: Option<&str>) -> bool {
    static NOBODY: LazyLock<String> = LazyLock::new(|| hash("nobody").unwrap_or_default());
    let known = stored.and_then(|stored| PasswordHash::new(stored).ok());
    let is_known = known.is_some();
    let Some(hash) = known.or_else(|| PasswordHash::new(&NOBODY).ok()) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok() && is_known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_right_or_not() {
        let stored = hash("secret").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_ne!(stored, hash("secret").unwrap(), "each has a salt of its own");
        assert!(is_right("secret", Some(&stored)));
        assert!(!is_right("Secret", Some(&stored)));
        for none in [None, Some(""), Some("nobody"), Some("$argon2id$")] {
            assert!(!is_right("secret", none) && !is_right("nobody", none) && !is_right("", none), "{none:?}");
        }
    }
}
