//! Cursors: the end of a page, as a text that the client sends back.
//!
//! A cursor is `v1.KEY.CONTENT.SIGNATURE`. The content is the time of its creation and the values of the order's keys
//! in the last row, which the client has seen. The query, the user and the scope are only a part of what is signed:
//! with another filter, order, user or scope, the signature is invalid.

mod keyset;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use isogloss::expr::{SqlSegment, Value, ValueExpr};
use isogloss::{Session, json};
use sha2::Sha256;

pub(crate) use keyset::Keyset;

use crate::{Problem, ProblemKind, WebResult};

const VERSION: &str = "v1";
/// The name of a key that no program has given.
const OWN: &str = "own";
/// How long a cursor may be: it stands in a URL, which servers and proxies bound.
const MOST: usize = 8 * 1024;
/// What the values of at most 16 keys may be together.
const LIMITS: json::ReadLimits = json::ReadLimits::DEFAULT.depth(8).nodes(64).bytes(MOST).list(64);

/// The keys by which cursors are signed.
///
/// New cursors are signed by the first key. Those of the other keys are accepted, too: to replace a key, put a new one
/// in front, and remove the old one a day later. All instances of a program need the same keys.
///
/// ```
/// use std::time::Duration;
/// use isogloss_web::CursorKeys;
///
/// let keys = CursorKeys::new("2026-11", b"a secret of at least 32 bytes, from the configuration")?
///     .and("2026-10", b"the secret that was there before this one")?
///     .lifetime(Duration::from_secs(60 * 60));
/// # Ok::<(), isogloss_web::CursorKeyError>(())
/// ```
#[derive(Clone)]
pub struct CursorKeys {
    keys: Vec<(String, Hmac<Sha256>)>,
    lifetime: Duration,
}

/// Why a key cannot be used to sign cursors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CursorKeyError {
    /// The name of the key has characters that are not allowed.
    #[error("`{0}` names a key of cursors: use ASCII letters, digits, `-` and `_`")]
    Name(String),
    /// Two keys have the same name.
    #[error("two keys of cursors are named `{0}`")]
    Twice(String),
    /// The secret is too short.
    #[error("the key `{name}` of cursors has {bytes} bytes: use 32 random ones or more")]
    Short {
        /// The name of the key.
        name: String,
        /// The length of the secret in bytes.
        bytes: usize,
    },
}

impl CursorKeys {
    /// A key with its name, which is a part of each cursor. Cursors are valid for 24 hours.
    ///
    /// # Errors
    /// The secret has less than 32 bytes, or the name has other characters than ASCII letters, digits, `-` and `_`.
    pub fn new(name: impl Into<String>, secret: &[u8]) -> Result<Self, CursorKeyError> {
        Self { keys: Vec::new(), lifetime: Duration::from_secs(24 * 60 * 60) }.and(name, secret)
    }

    /// Adds another key, whose cursors are still accepted.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and a name that is used already.
    pub fn and(mut self, name: impl Into<String>, secret: &[u8]) -> Result<Self, CursorKeyError> {
        let name = name.into();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || !name.bytes().all(plain) {
            return Err(CursorKeyError::Name(name));
        }
        if self.keys.iter().any(|(other, _)| *other == name) {
            return Err(CursorKeyError::Twice(name));
        }
        let bytes = secret.len();
        match Hmac::new_from_slice(secret) {
            Ok(key) if bytes >= 32 => self.keys.push((name, key)),
            _ => return Err(CursorKeyError::Short { name, bytes }),
        }
        Ok(self)
    }

    /// Sets how long a cursor is valid.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime, ..self }
    }

    /// A random key, whose cursors end with the process. None where the system has no random numbers.
    pub(crate) fn random() -> Option<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        Self::new(OWN, &secret).ok()
    }

    /// The cursor behind a row with these values.
    ///
    /// # Errors
    /// It would be too long for a URL, which the client can mend by another order.
    pub(crate) fn sign(&self, query: &Subject, values: Vec<Value>, now: SystemTime) -> WebResult<String> {
        let (name, key) = self.keys.first().ok_or_else(|| Problem::of(ProblemKind::Internal))?;
        let values = json::to_string(&ValueExpr::from(Value::from(values)));
        let content = URL_SAFE_NO_PAD.encode(format!("{} {values}", seconds(now)));
        let signed = format!("{VERSION}.{name}.{content}");
        let signature = URL_SAFE_NO_PAD.encode(query.signed(key, &signed).finalize().into_bytes());
        let cursor = format!("{signed}.{signature}");
        if cursor.len() > MOST {
            let detail = "The values of the order are too long for a cursor: order by shorter ones.";
            return Err(Problem::new(ProblemKind::BadQuery, detail));
        }
        Ok(cursor)
    }

    /// The values of the row that the cursor stands behind.
    ///
    /// # Errors
    /// It is none, is too old, or was made for another query or somebody else. The client is not told which.
    pub(crate) fn open(&self, query: &Subject, cursor: &str, now: SystemTime) -> WebResult<Vec<Value>> {
        self.opened(query, cursor, now).ok_or_else(|| Problem::of(ProblemKind::BadCursor))
    }

    fn opened(&self, query: &Subject, cursor: &str, now: SystemTime) -> Option<Vec<Value>> {
        let (signed, signature) = cursor.rsplit_once('.').filter(|_| cursor.len() <= MOST)?;
        let (name, content) = signed.strip_prefix(VERSION)?.strip_prefix('.')?.split_once('.')?;
        let (_, key) = self.keys.iter().find(|(own, _)| own == name)?;
        query.signed(key, signed).verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        let content = String::from_utf8(URL_SAFE_NO_PAD.decode(content).ok()?).ok()?;
        let (made, values) = content.split_once(' ')?;
        if seconds(now) > made.parse::<u64>().ok()?.saturating_add(self.lifetime.as_secs()) {
            return None;
        }
        match json::read::<ValueExpr>(values, &LIMITS).ok()?.value {
            Value::List(values) => Some(values.into_vec()),
            _ => None,
        }
    }
}

/// By the names of the keys alone.
impl fmt::Debug for CursorKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.keys.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("CursorKeys").field("keys", &names).field("lifetime", &self.lifetime).finish()
    }
}

/// What a cursor is for: a query, whoever asks, and whose rows are meant.
pub(crate) struct Subject(Vec<String>);

impl Subject {
    /// What the client of a session asks for. The rows are in the order in which the cursor goes through them.
    pub(crate) fn new(rows: &SqlSegment, session: &Session) -> Self {
        let principal = session.principal().map(|principal| principal.id().to_owned());
        let mut parts = vec![json::to_string(rows), json::to_string(&ValueExpr::from(Value::from(principal)))];
        let conditions = session.current_scope().into_iter().flat_map(isogloss::Scope::conditions);
        parts.extend(conditions.map(json::to_string));
        Self(parts)
    }

    fn signed(&self, key: &Hmac<Sha256>, text: &str) -> Hmac<Sha256> {
        let mut mac = key.clone();
        for part in self.0.iter().map(String::as_str).chain([text]) {
            // Each behind its length, so that no two lists of parts are one text.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
