//! What all controllers of a program have in common.

use std::sync::Arc;

use axum::http::request::Parts;
use futures_util::future::BoxFuture;
use isogloss::service::Principal;
use isogloss::{OrmContext, Scope, Session};

use crate::WebResult;

type Authenticate =
    dyn for<'p> Fn(&'p Parts, Session) -> BoxFuture<'p, WebResult<Option<Arc<dyn Principal>>>> + Send + Sync;
type ScopeOf = dyn Fn(&Parts, Option<&Arc<dyn Principal>>) -> WebResult<Scope> + Send + Sync;

/// Where requests get their sessions from: the context, who calls, and whose rows are meant. A clone is the same host.
#[derive(Clone)]
pub struct Host {
    pub(crate) context: OrmContext,
    pub(crate) authenticate: Option<Arc<Authenticate>>,
    pub(crate) scope: Option<Arc<ScopeOf>>,
}

impl Host {
    /// One over a context: nobody is known, and the rows of all are meant.
    #[must_use]
    pub fn new(context: &OrmContext) -> Self {
        Self { context: context.clone(), authenticate: None, scope: None }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}
