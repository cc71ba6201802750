//! `GET /count`.

use axum::response::Response;
use isogloss::expr::{ValueOps as _, prop};
use isogloss::service::QueryOf;
use isogloss::walk::{PolicyRule, Refusal};

use super::{at_most, ok};
use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// The default of `GET /count`: the number of rows; with a keyword, of those whose `Name` contains it. It does not
    /// count beyond [`Rules::max_count`](crate::Rules::max_count).
    ///
    /// # Errors
    /// The problem to answer with, such as for rows without a `Name` that the client may use.
    pub async fn count(&self, keyword: Option<&str>) -> WebResult<Response> {
        let filter = match keyword.filter(|keyword| !keyword.is_empty()) {
            None => None,
            Some(keyword) => {
                let filter = prop("Name").contains(keyword);
                let refused = |refusal: Refusal| match refusal.rule {
                    PolicyRule::PatternBytes => Problem::new(ProblemKind::BadRequest, "The keyword is too long."),
                    PolicyRule::Value => {
                        Problem::new(ProblemKind::BadQuery, "The keyword has a NUL.").of_field("keyword")
                    }
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
