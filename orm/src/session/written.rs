//! What a session has written is read from the primary until the replica has it.

use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::{AnyConnection, Error, ErrorKind, Position, Replication};
use tokio::time::Instant;

use super::State;
use crate::OrmResult;
use crate::context::{Asked, DataSource, Reached};

/// How long a replica that lags behind is not asked again.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a server is not asked again whose connection was lost, or that took too long to answer.
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// A source that the session has written to.
pub(super) struct Written {
    source: Arc<str>,
    /// The position of the primary after the write, and how a replica is asked for it; `None` before it is known.
    position: Option<(Replication, Position)>,
    /// Whether the primary tells it.
    primary: Arrival,
    /// Whether each of the replicas has arrived there.
    replicas: Vec<Arrival>,
}

/// What a server has said of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrival {
    /// It is asked from this time on.
    AskAt(Instant),
    /// It has arrived.
    There,
    /// It cannot tell.
    Untold,
}

impl Arrival {
    fn is_due(self) -> bool {
        matches!(self, Self::AskAt(time) if time <= Instant::now())
    }

    /// After a question that has failed. Most errors come again: a permission that is missing, another kind of server.
    fn after(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::ConnectionLost
            | ErrorKind::Connect
            | ErrorKind::Busy
            | ErrorKind::PoolExhausted
            | ErrorKind::Timeout => Self::AskAt(Instant::now() + LONG_PAUSE),
            _ => Self::Untold,
        }
    }
}

impl State {
    /// The session has written to a source, or is about to.
    pub(super) fn wrote(&mut self, source: &DataSource) {
        if source.replica_count() == 0 || !source.config().read_your_writes {
            return;
        }
        let now = Arrival::AskAt(Instant::now());
        let replicas = vec![now; source.replica_count()];
        let written = Written { source: Arc::clone(source.name()), position: None, primary: now, replicas };
        match self.written.iter_mut().find(|known| known.is_of(source)) {
            Some(known) => *known = written,
            None => self.written.push(written),
        }
    }
}

impl Written {
    pub(super) fn is_of(&self, source: &DataSource) -> bool {
        self.source == *source.name()
    }

    /// Whether a replica, or any of them, may be read from, as far as that is known before it is asked.
    pub(super) fn may_be_at(&self, replica: Option<usize>) -> bool {
        let may_be = |arrival: &Arrival| *arrival == Arrival::There || arrival.is_due();
        let arrival = replica.and_then(|replica| self.replicas.get(replica));
        self.position.is_some() && arrival.map_or_else(|| self.replicas.iter().any(may_be), may_be)
    }

    /// A connection to the primary, which first says how far it is, unless that is known.
    pub(super) async fn primary(&mut self, source: &DataSource) -> OrmResult<Reached> {
        let mut reached = source.primary().await?;
        if self.position.is_some() || !self.primary.is_due() {
            return Ok(reached);
        }
        let told = match reached.opened.backend.replication() {
            Some(replication) => {
                let position = replication.position(&mut reached.connection).await;
                position.map(|position| position.map(|position| (replication, position)))
            }
            None => Ok(None),
        };
        match told {
            Ok(position) => {
                (self.primary, self.position) = (Arrival::Untold, position);
                Ok(reached)
            }
            Err(error) => {
                self.primary = Arrival::after(&error);
                tracing::warn!(
                    target: "isogloss",
                    data_source = %source.name(), %error,
                    "the data source does not tell how far it is, and is read from in place of its replicas"
                );
                drop(reached);
                source.primary().await
            }
        }
    }

    /// Whether a replica has what was written. It is asked if that is not known.
    pub(super) async fn is_at(&mut self, source: &DataSource, asked: Asked, connection: &mut AnyConnection) -> bool {
        let (Some((replication, position)), Some(arrival)) = (&self.position, self.replicas.get_mut(asked.replica))
        else {
            return false;
        };
        if arrival.is_due() {
            *arrival = match replication.has_reached(connection, position).await {
                Ok(true) => Arrival::There,
                Ok(false) => Arrival::AskAt(Instant::now() + PAUSE),
                Err(error) => {
                    if error.kind() == ErrorKind::ConnectionLost {
                        source.set_aside(asked, &error);
                    }
                    tracing::debug!(
                        target: "isogloss",
                        data_source = %source.name(), replica = asked.replica, %error,
                        "the replica does not tell how far it is"
                    );
                    Arrival::after(&error)
                }
            };
        }
        *arrival == Arrival::There
    }
}
