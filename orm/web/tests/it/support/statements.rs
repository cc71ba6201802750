//! Counts the statements that databases are asked to run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use isogloss_testkit::events;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// The statements that are run on this thread as long as the value exists.
pub(crate) struct Statements {
    count: Arc<AtomicUsize>,
    _guard: DefaultGuard,
}

pub(crate) fn count() -> Statements {
    let count = Arc::new(AtomicUsize::new(0));
    Statements { _guard: events::listen(Spans(Arc::clone(&count))), count }
}

impl Statements {
    /// The number since it was asked for last.
    pub(crate) fn take(&self) -> usize {
        self.count.swap(0, Ordering::Relaxed)
    }
}

/// Counts the spans of drivers.
struct Spans(Arc<AtomicUsize>);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "isogloss" && !metadata.is_event()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if span.metadata().name() == "db" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
