//! `GET /count`.

use axum::response::Response;
use isogloss::expr::{ValueOps as _, prop};
use isogloss::service::QueryOf;

use super::ok;
use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// How many rows there are; with a keyword, how many have it in their `Name`.
    ///
    /// # Errors
    /// The problem that the client is told: the rows have no `Name`, or it is none that the client may name.
    pub async fn count(&self, keyword: Option<&str>) -> WebResult<Response> {
        let filter = match keyword.filter(|keyword| !keyword.is_empty()) {
            None => None,
            Some(keyword) => {
                let filter = prop("Name").contains(keyword);
                let refused =
                    |_| Problem::new(ProblemKind::BadRequest, "The rows have no `name` that a keyword could be in.");
                self.mounted.policy.check(&filter, &self.mounted.catalog).map_err(refused)?;
                self.compiled(&filter).await.map_err(|problem| problem.nowhere().of_field("keyword"))?;
                Some(filter)
            }
        };
        let count = self.service()?.number_of(QueryOf::<()>::into_query(filter)).await;
        Ok(ok(count.map_err(|error| self.session.told(error))?))
    }
}
