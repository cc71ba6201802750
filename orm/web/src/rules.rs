//! What a controller allows.

use std::time::Duration;

/// What clients of a controller may do, and how much.
#[derive(Debug, Clone)]
pub struct Rules {
    /// How many rows a page has where the client says nothing.
    pub(crate) page_size: u64,
    /// How many rows a page has at most.
    pub(crate) max_page_size: u64,
    /// How many rows a list has at most.
    pub(crate) max_list: u64,
    /// How long a request may take.
    pub(crate) timeout: Duration,
    /// How many bytes a body may have.
    pub(crate) max_body: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            page_size: 20,
            max_page_size: 100,
            max_list: 1_000,
            timeout: Duration::from_secs(30),
            max_body: 256 * 1024,
        }
    }
}

impl Rules {
    /// Those of the specification.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
