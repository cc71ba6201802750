//! Who has the connections of a pool.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use tracing::Metadata;
use tracing::level_filters::LevelFilter;

use crate::InUse;

/// How many connections an error lists, and how many its text names.
const LISTED: usize = 16;
const NAMED: usize = 3;

/// Who takes a connection.
#[derive(Clone, Copy)]
pub(crate) struct Taker(Option<&'static Metadata<'static>>);

impl Taker {
    /// The current span. Where nobody listens, that costs a look at a number.
    pub(crate) fn current() -> Self {
        if LevelFilter::current() == LevelFilter::OFF {
            return Self(None);
        }
        Self(tracing::dispatcher::get_default(|listens| listens.current_span().metadata()))
    }
}

/// A connection, and who has had it since when, if anybody has. Nobody else locks it but who waits in vain.
#[derive(Default)]
pub(crate) struct Use(Mutex<Option<(Instant, Taker)>>);

impl Use {
    pub(crate) fn begins(&self, since: Instant, taker: Taker) {
        *self.lock() = Some((since, taker));
    }

    pub(crate) fn ends(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Instant, Taker)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connections of a pool.
#[derive(Default)]
pub(crate) struct Uses(Mutex<Vec<Arc<Use>>>);

impl Uses {
    /// That of one more connection.
    pub(crate) fn add(&self) -> Arc<Use> {
        let added = Arc::<Use>::default();
        self.lock().push(Arc::clone(&added));
        added
    }

    pub(crate) fn remove(&self, closed: &Arc<Use>) {
        self.lock().retain(|known| !Arc::ptr_eq(known, closed));
    }

    /// Those that are in use, the ones first that have been for the longest time.
    pub(crate) fn longest(&self) -> Vec<InUse> {
        let mut taken: Vec<(Instant, Taker)> = self.lock().iter().filter_map(|known| *known.lock()).collect();
        taken.sort_by_key(|(since, _)| *since);
        let told = |(since, Taker(span)): (Instant, Taker)| InUse {
            held: since.elapsed(),
            span: span.map(|span| format!("{}::{}", span.target(), span.name())),
        };
        taken.into_iter().take(LISTED).map(told).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Use>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a message says of them: `; longest for 34s by "shop::orders::page", for 4.203s`.
pub(crate) fn told(in_use: &[InUse]) -> String {
    let named: Vec<String> = in_use.iter().take(NAMED).map(InUse::to_string).collect();
    if named.is_empty() { String::new() } else { format!("; longest {}", named.join(", ")) }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Subscriber};
    use tracing_core::span::Current;

    use super::*;

    /// Knows the spans by their numbers, and which of them one is in.
    #[derive(Default)]
    pub(crate) struct Spans {
        known: Mutex<Vec<&'static Metadata<'static>>>,
        entered: Mutex<Vec<Id>>,
    }

    impl Subscriber for Spans {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut known = self.known.lock().unwrap();
            known.push(span.metadata());
            Id::from_u64(known.len() as u64)
        }

        fn enter(&self, span: &Id) {
            self.entered.lock().unwrap().push(span.clone());
        }

        fn exit(&self, _: &Id) {
            self.entered.lock().unwrap().pop();
        }

        fn current_span(&self) -> Current {
            match self.entered.lock().unwrap().last() {
                Some(id) => {
                    let number = usize::try_from(id.into_u64()).unwrap();
                    Current::new(id.clone(), self.known.lock().unwrap()[number - 1])
                }
                None => Current::none(),
            }
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
    }

    #[test]
    fn those_in_use_for_the_longest_time_come_first_with_their_spans() {
        let (uses, now, pause) = (Uses::default(), Instant::now(), Duration::from_millis(2));
        let connections: Vec<Arc<Use>> = (0..20).map(|_| uses.add()).collect();
        assert_eq!((uses.longest(), told(&uses.longest())), (Vec::new(), String::new()));
        connections[3].begins(now - pause * 2, Taker::current());
        let listens = isogloss_testkit::events::listen(Spans::default());
        tracing::info_span!(target: "shop::orders", "page")
            .in_scope(|| connections[1].begins(now - pause, Taker::current()));
        connections[2].begins(now, Taker::current());
        drop(listens);
        let spans = |uses: &Uses| uses.longest().into_iter().map(|one| one.span).collect::<Vec<_>>();
        assert_eq!(spans(&uses), [None, Some("shop::orders::page".to_owned()), None]);
        assert!(uses.longest()[1].held >= pause);
        connections[3].ends();
        uses.remove(&connections[2]);
        assert_eq!(spans(&uses), [Some("shop::orders::page".to_owned())]);
        connections.iter().for_each(|one| one.begins(Instant::now(), Taker(None)));
        assert_eq!(uses.longest().len(), LISTED);
    }

    #[test]
    fn a_message_names_a_few() {
        let one = |millis: u64, span: Option<&str>| InUse {
            held: Duration::from_millis(millis) + Duration::from_nanos(7),
            span: span.map(Into::into),
        };
        let all = [one(4_203, Some("shop::orders::page")), one(700, None), one(3, Some("shop::cart")), one(1, None)];
        assert_eq!(told(&all), "; longest for 4.203s by `shop::orders::page`, for 700ms, for 3ms by `shop::cart`");
    }
}
