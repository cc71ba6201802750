//! Captures what the code under test reports to `tracing`.
//!
//! `tracing` caches for the whole process whether any subscriber is interested in a call site. A subscriber that a test
//! installs for its own thread is therefore not reliable: another thread may reach a call site first, while nobody is
//! subscribed, and the answer "never" is kept. [`listen`] and [`capture`] first install a subscriber for the process that is
//! possibly interested in everything, so that each call site asks the subscriber of its own thread.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Level, Metadata, Subscriber};

/// Is possibly interested in everything, and records nothing.
struct Undecided;

impl Subscriber for Undecided {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Makes each call site ask the subscriber of its own thread, from now on and in all threads.
///
/// A fixture calls this before the code under test runs for the first time.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        tracing::subscriber::set_global_default(Undecided).unwrap();
    });
}

/// Sends the spans and events of this thread to `subscriber`, until the guard is dropped.
#[must_use]
pub fn listen(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    install();
    let guard = tracing::subscriber::set_default(subscriber);
    // A call site that another thread registered during `install` is asked again.
    tracing_core::callsite::rebuild_interest_cache();
    guard
}

/// Captures the events of this thread up to `level` whose target begins with `target`, until the guard is dropped.
#[must_use]
pub fn capture(target: &'static str, level: Level) -> (Events, DefaultGuard) {
    let events = Events::default();
    let guard = listen(Capture { target, level, events: events.clone() });
    (events, guard)
}

/// An event, with its fields as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The level.
    pub level: Level,
    /// The target, such as `isogloss::service`.
    pub target: String,
    /// The fields by name; the text of the event is `message`.
    pub fields: BTreeMap<String, String>,
}

impl Event {
    /// Returns the text of the event.
    #[must_use]
    pub fn message(&self) -> &str {
        self.fields.get("message").map_or("", String::as_str)
    }
}

impl fmt::Display for Event {
    /// Writes the message, then the other fields as `name=value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        let others = self.fields.iter().filter(|(name, _)| *name != "message");
        others.into_iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// Events in the order in which they happened. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    /// Removes and returns the events so far.
    #[must_use]
    pub fn take(&self) -> Vec<Event> {
        mem::take(&mut *self.0.lock().unwrap())
    }

    /// Removes the events so far and returns their messages.
    #[must_use]
    pub fn take_messages(&self) -> Vec<String> {
        self.take().iter().map(|event| event.message().to_owned()).collect()
    }

    /// Removes the events so far and returns each as a line, with its fields.
    #[must_use]
    pub fn take_text(&self) -> String {
        self.take().iter().map(|event| format!("{event}\n")).collect()
    }
}

struct Capture {
    target: &'static str,
    level: Level,
    events: Events,
}

struct Fields<'f>(&'f mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Capture {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // `tracing::enabled!` asks with metadata that is neither of an event nor of a span.
        !metadata.is_span() && metadata.target().starts_with(self.target) && *metadata.level() <= self.level
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        let metadata = event.metadata();
        let event = Event { level: *metadata.level(), target: metadata.target().to_owned(), fields };
        self.events.0.lock().unwrap().push(event);
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(number: i32) {
        tracing::warn!(target: "isogloss::test", number, "happened");
    }

    #[test]
    fn each_thread_captures_its_own_events() {
        let one = |number| {
            move || {
                let (events, _guard) = capture("isogloss", Level::WARN);
                report(number);
                assert_eq!(events.take_text(), format!("happened number={number}\n"));
            }
        };
        let threads: Vec<_> = (0..8).map(|number| std::thread::spawn(one(number))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn code_that_asks_first_reports() {
        let ask = || tracing::enabled!(target: "isogloss::test", Level::INFO);
        assert!(!ask());
        let (_events, _guard) = capture("isogloss", Level::INFO);
        assert!(ask());
        assert!(!tracing::enabled!(target: "isogloss::test", Level::DEBUG));
    }

    #[test]
    fn other_targets_and_levels_are_left_out() {
        let (events, _guard) = capture("isogloss::web", Level::INFO);
        report(1);
        tracing::debug!(target: "isogloss::web", "too low");
        tracing::info!(target: "isogloss::web", "mounted");
        assert_eq!(events.take_messages(), ["mounted"]);
    }
}
