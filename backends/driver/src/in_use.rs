//! A connection that somebody has, for whoever waits for one in vain.

use std::fmt;
use std::time::Duration;

/// A connection that was in use while a caller waited for one in vain: see [`Error::in_use`](crate::Error::in_use).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InUse {
    /// For how long it had been in use.
    pub held: Duration,
    /// The span of `tracing` in which it was taken, by its target and name: `shop::orders::page`. `None` outside of spans, and
    /// where nobody listens to them.
    pub span: Option<String>,
}

/// `for 4.203s by "shop::orders::page"`, with backticks.
impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = u64::try_from(self.held.as_millis()).unwrap_or(u64::MAX);
        write!(f, "for {:?}", Duration::from_millis(millis))?;
        match &self.span {
            Some(span) => write!(f, " by `{span}`"),
            None => Ok(()),
        }
    }
}
