//! The current session of a task.

use std::future::Future;

use super::{Session, SessionError};
use crate::OrmResult;

tokio::task_local! {
    static CURRENT: Session;
}

impl Session {
    /// Runs a future with this session as the current one. Tasks that it spawns have none, unless they are spawned with
    /// a scope of their own.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// use isogloss::config::DataSourceConfig;
    /// use isogloss::prelude::*;
    /// use isogloss::{OrmContext, Session};
    /// let context = OrmContext::new(Catalog::builder().build()?);
    /// context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
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

    /// The session of the innermost [`scope`](Self::scope).
    ///
    /// # Errors
    /// [`SessionError::NoCurrent`] outside of any scope.
    pub fn current() -> OrmResult<Self> {
        Ok(CURRENT.try_with(Self::clone).map_err(|_| SessionError::NoCurrent)?)
    }
}
