//! `GET /count`.

use axum::response::Response;
use isogloss::expr::{ValueOps as _, prop};
use isogloss::service::QueryOf;
use isogloss::walk::{Refusal, Rule};

use super::{at_most, ok};
use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// How many rows there are; with a keyword, how many have it in their `Name`. It counts no further than
    /// [`Rules::max_count`](crate::Rules::max_count).
    ///
    /// # Errors
    /// The problem that the client is told: the rows have no `Name`, or it is none that the client may name.
    pub async fn count(&self, keyword: Option<&str>) -> WebResult<Response> {
        let filter = match keyword.filter(|keyword| !keyword.is_empty()) {
            None => None,
            Some(keyword) => {
                let filter = prop("Name").contains(keyword);
                let refused = |refusal: Refusal| match refusal.rule {
                    Rule::PatternBytes => Problem::new(ProblemKind::BadRequest, "The keyword is too long."),
                    _ => Problem::new(ProblemKind::BadRequest, "The rows have no `name` that a keyword could be in."),
                };
                self.mounted.guard.check(&filter).map_err(refused)?;
                self.compiled(&filter).await.map_err(|problem| problem.nowhere().of_field("keyword"))?;
                Some(filter)
            }
        };
        let query = match self.mounted.rules.max_count {
            None => QueryOf::<()>::into_query(filter),
            Some(most) => {
                let rows = filter.into_iter().fold(self.mounted.rows(), |rows, filter| rows.filter(filter));
                QueryOf::<()>::into_query(at_most(rows, most))
            }
        };
        let count = self.service()?.number_of(query).await;
        Ok(ok(count.map_err(|error| self.session.told(error))?))
    }
}
