//! Counts the steps of a thread, for tests of how the work grows with its input. Outside of tests it counts nothing.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts comparisons of names, hashes of names, and nodes that a walk visits.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps as u64);
    #[cfg(not(test))]
    let _ = steps;
}

/// Returns how many steps `run` takes.
#[cfg(test)]
pub(crate) fn steps(run: impl FnOnce()) -> u64 {
    let before = STEPS.get();
    run();
    STEPS.get() - before
}
