//! Whether a replica has what was written to its primary.

use std::fmt;

use crate::ddl::asked;
use crate::{AnyConnection, ConnectionExt as _, Result};

/// The queries by which an engine tells how far its changes have come: see [`Backend::replication`](crate::Backend::replication).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replication {
    /// Asked of the primary: its position as a text, or NULL or the empty text if it keeps none.
    pub position: &'static str,
    /// Asked of a replica, with a position as its parameter: 1 if everything up to there has been applied, else 0 or NULL.
    pub reached: &'static str,
}

/// A position in the changes of a primary: a log sequence number, or a set of global transaction ids.
#[derive(Clone, PartialEq, Eq)]
pub struct Position(String);

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Replication {
    /// The position of a primary, which is behind everything that has been committed on it; `None` if it keeps none, as
    /// without a binary log.
    ///
    /// # Errors
    /// The query fails.
    pub async fn position(&self, primary: &mut AnyConnection) -> Result<Option<Position>> {
        let position = primary.fetch_first::<(Option<String>,)>(&asked(self.position, &[])).await?;
        Ok(position.and_then(|(position,)| position).filter(|position| !position.is_empty()).map(Position))
    }

    /// Whether a replica has applied everything up to a position of its primary.
    ///
    /// # Errors
    /// The query fails, as on a server that is not a replica of that kind.
    pub async fn has_reached(&self, replica: &mut AnyConnection, position: &Position) -> Result<bool> {
        let reached = replica.fetch_first::<(Option<i64>,)>(&asked(self.reached, &[&position.0])).await?;
        Ok(reached == Some((Some(1),)))
    }
}
