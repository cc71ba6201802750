//! A global allocator that counts what the current thread asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with thread-local counters (two plain additions per call: no atomics, so it disturbs the
/// wall time and the instruction counts as little as it can).
pub struct Counting;

thread_local! {
    static COUNTS: Counts = const { Counts { allocs: Cell::new(0), reallocs: Cell::new(0), bytes: Cell::new(0) } };
}

struct Counts {
    allocs: Cell<u64>,
    reallocs: Cell<u64>,
    bytes: Cell<u64>,
}

/// What was asked for since the thread started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Calls of `alloc` and `alloc_zeroed`.
    pub allocs: u64,
    /// Calls of `realloc`.
    pub reallocs: u64,
    /// Bytes of all allocations; a reallocation adds what it grows by.
    pub bytes: u64,
}

/// Reads the counters of this thread.
pub fn snapshot() -> Snapshot {
    COUNTS.with(|c| Snapshot { allocs: c.allocs.get(), reallocs: c.reallocs.get(), bytes: c.bytes.get() })
}

fn add(allocs: u64, reallocs: u64, bytes: usize) {
    let _ = COUNTS.try_with(|c| {
        c.allocs.set(c.allocs.get() + allocs);
        c.reallocs.set(c.reallocs.get() + reallocs);
        c.bytes.set(c.bytes.get() + bytes as u64);
    });
}

// SAFETY: every call goes to `System` unchanged; the counters neither allocate nor have a destructor.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(1, 0, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(1, 0, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        add(0, 1, new_size.saturating_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}
