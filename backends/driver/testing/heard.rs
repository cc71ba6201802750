//! What is told to `tracing`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};

/// The warnings of the driver, on one thread.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    /// Listens to this thread, on which the tasks of a test run, as long as the guard is there.
    pub fn listen() -> (Self, DefaultGuard) {
        let heard = Self::default();
        (heard.clone(), tracing::subscriber::set_default(heard))
    }

    pub fn said(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// How many warnings with that text there have been since it was last asked.
    pub fn count(&self, text: &str) -> usize {
        let said = std::mem::take(&mut *self.0.lock().unwrap());
        said.iter().filter(|said| said.contains(text)).count()
    }
}

impl Visit for Heard {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "isogloss" && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
