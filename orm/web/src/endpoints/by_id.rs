//! `GET /{id}`, `DELETE /{id}` and `GET /exists/{id}`.

use axum::response::Response;
use isogloss::expr::{LogicExpr, ValueOps as _, prop};

use super::{json, ok};
use crate::{Call, Problem, ProblemKind, WebResult, version};

impl Call {
    /// The row with that key as its view, with `ETag` where it has a version; or `null`. A client that has it already, as
    /// `If-None-Match` says, gets a 304.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn get(&self, id: &str) -> WebResult<Response> {
        let mounted = &self.mounted;
        let key = self.key_of(id)?;
        let columns = mounted.entity().key_columns();
        let is_it = columns.zip(key).map(|(column, value)| prop(column.name.clone()).eq(value));
        let rows = mounted.rows().filter(LogicExpr::all(is_it));
        let row = version::row(&*self.service()?, mounted, rows).await;
        let Some((row, version)) = row.map_err(|error| self.session.told(error))? else {
            return Ok(json(b"null".to_vec()));
        };
        if row.len() > mounted.rules.max_answer {
            return Err(Problem::of(ProblemKind::AnswerTooLarge));
        }
        let tag = version.and_then(|version| version::tag_of(mounted, &version, &row));
        if let Some(tag) = &tag
            && version::is_known(&self.parts.headers, tag)?
        {
            return Ok(version::not_modified(tag));
        }
        let mut response = json(row);
        version::put(&mut response, tag.as_deref());
        Ok(response)
    }

    /// Deletes the row with that key: `false` if there is none, or a subscriber does not want it. One that is not as
    /// `If-Match` and `If-None-Match` say is a 412.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn delete(&self, id: &str) -> WebResult<Response> {
        let key = self.key_of(id)?;
        Ok(ok(self.delete_expected(key).await?))
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn exists(&self, id: &str) -> WebResult<Response> {
        let key = self.key_of(id)?;
        let there = self.service()?.has_key(key).await;
        Ok(ok(there.map_err(|error| self.session.told(error))?))
    }
}
