//! What unit tests share: deep trees on small stacks, and measures of work.

mod wide;

use std::thread;

use isogloss_testkit::random::is_long;

include!("../tests/support/plain.rs");

/// The stack of [`on_small_stack`], in bytes.
const STACK: usize = 128 * 1024;

/// Returns how deep a deep tree is: 20,000 levels, or `long` in a long run.
///
/// A pass that recurses needs at least 8 bytes of stack for each level, for the address to return to. The stack has 6.5 bytes
/// for each of 20,000 levels, so a recursion overflows it as surely as with a million.
pub(crate) fn levels(long: usize) -> usize {
    if is_long() { long } else { 20_000 }
}

/// How deep the representative of all deep trees is, in each run.
pub(crate) const MILLION: usize = 1_000_000;

/// Runs a test on a small stack.
pub(crate) fn on_small_stack<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap()
}

/// Returns the processor time of this thread in nanoseconds, where the system tells.
fn processor_time() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}
