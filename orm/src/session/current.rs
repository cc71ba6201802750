//! The session of a task.

use std::future::Future;

use super::{Session, SessionError};
use crate::OrmResult;

tokio::task_local! {
    static CURRENT: Session;
}

impl Session {
    /// Makes this the current session of what the future awaits. A task that it spawns has none, unless it is spawned
    /// with a scope of its own.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// use isogloss::config::DataSourceConfig;
    /// use isogloss::prelude::*;
    /// use isogloss::{OrmContext, Session};
    /// let context = OrmContext::new(Catalog::builder().build()?);
    /// context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"), true)?;
    ///
    /// let session = context.create_session()?;
    /// let id = session.scope(async { Session::current().map(|current| current.id()) }).await?;
    /// assert_eq!(id, session.id());
    /// assert!(Session::current().is_err());
    /// # Ok(()) }
    /// ```
    pub async fn scope<F: Future>(&self, future: F) -> F::Output {
        CURRENT.scope(self.clone(), future).await
    }

    /// The session of the innermost [`scope`](Self::scope) around.
    ///
    /// # Errors
    /// [`SessionError::NoCurrent`] outside of any.
    pub fn current() -> OrmResult<Self> {
        Ok(CURRENT.try_with(Self::clone).map_err(|_| SessionError::NoCurrent)?)
    }
}
