//! What a session has written is read from the primary until the replica has it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_driver::{AnyConnection, Backend, Position};

use super::State;
use crate::OrmResult;
use crate::context::DataSource;

/// How long a replica that lags behind is not asked again.
const PAUSE: Duration = Duration::from_millis(20);

/// A source that the session has written to.
pub(super) struct Written {
    source: Arc<str>,
    /// None before the primary was asked for it.
    position: Option<Position>,
    /// When a replica is asked whether it has what was written; none where that is never told.
    next: Option<Instant>,
}

impl State {
    /// The session has written to a source, or is about to.
    pub(super) fn wrote(&mut self, source: &DataSource) {
        if source.replica_count() == 0 || !source.config().read_your_writes {
            return;
        }
        self.written.retain(|written| written.source != *source.name());
        let (source, next) = (Arc::clone(source.name()), Some(Instant::now()));
        self.written.push(Written { source, position: None, next });
    }

    /// The place of what the session has written to a source and a replica may lack.
    pub(super) fn written_to(&self, source: &DataSource) -> Option<usize> {
        self.written.iter().position(|written| written.source == *source.name())
    }

    /// Whether a replica may be asked for what was written.
    pub(super) fn may_have_arrived(&self, place: usize) -> bool {
        let next = self.written.get(place).and_then(|written| written.next);
        next.is_some_and(|next| next <= Instant::now())
    }

    /// Asks the primary how far it is, and a replica whether it is there. If so, reads go to replicas again.
    pub(super) async fn has_arrived(
        &mut self,
        place: usize,
        source: &DataSource,
        backend: &dyn Backend,
        replica: &mut AnyConnection,
    ) -> OrmResult<bool> {
        let Some(written) = self.written.get_mut(place) else { return Ok(true) };
        let Some(replication) = backend.replication() else {
            written.next = None;
            return Ok(false);
        };
        if written.position.is_none() {
            let mut primary = source.primary().await?.connection;
            let position = replication.position(&mut primary).await.map_err(|error| source.failed(error))?;
            if position.is_none() {
                written.next = None;
                return Ok(false);
            }
            written.position = position;
        }
        let Some(position) = &written.position else { return Ok(false) };
        match replication.has_reached(replica, position).await {
            Ok(true) => {
                self.written.swap_remove(place);
                Ok(true)
            }
            Ok(false) => {
                written.next = Some(Instant::now() + PAUSE);
                Ok(false)
            }
            Err(error) => {
                tracing::debug!(target: "isogloss", data_source = %source.name(), %error, "the replica does not tell how far it is");
                written.next = None;
                Ok(false)
            }
        }
    }
}
