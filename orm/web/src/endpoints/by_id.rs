//! `GET /{id}`, `DELETE /{id}` and `GET /exists/{id}`.

use axum::response::Response;
use isogloss::expr::{LogicExpr, ValueOps as _, prop};

use super::{json, ok};
use crate::include::{self, Columns};
use crate::{Call, WebResult, version};

impl Call {
    /// The default of `GET /{id}`: the row with a key as its view, with an `ETag` if it has a version; `null` if there
    /// is none. It answers 304 if the client's `If-None-Match` has the current version. With `?include=`, the row has
    /// related rows in it, as far as [`Rules::include`](crate::Rules::include) allows it; its `ETag` covers them.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn get(&self, id: &str) -> WebResult<Response> {
        let mounted = &self.mounted;
        let key = self.key_of(id)?;
        let (asked, _) = include::of_url(&self.parts.uri)?;
        if mounted.includes.is_empty() && asked.is_some() {
            return Err(include::refused());
        }
        let wanted = self.wanted(asked.as_deref(), &[]).await?;
        let columns = mounted.entity().key_columns();
        let is_it = columns.zip(key).map(|(column, value)| prop(column.name.clone()).eq(value));
        let rows = mounted.rows().filter(LogicExpr::all(is_it));
        let columns = Columns::new(mounted.view(), &wanted, mounted.visible().cloned().map(Some));
        let row = version::row(&*self.service()?, mounted, rows, &columns).await;
        let Some((mut row, version)) = row.map_err(|problem| self.session.told(problem))? else {
            return Ok(json(b"null".to_vec()));
        };
        self.include(std::slice::from_mut(&mut row), &columns, &wanted).await?;
        let row = row.text;
        let is_own = wanted.is_empty();
        let tag = version.and_then(|version| version::tag_of(mounted, &version, &row, is_own));
        if let Some(tag) = &tag
            && version::is_known(&self.parts.headers, tag)?
        {
            return Ok(version::not_modified(tag));
        }
        let mut response = json(row);
        version::put(&mut response, tag.as_deref());
        Ok(response)
    }

    /// The default of `DELETE /{id}`: deletes the row with a key, and answers `true`; `false` if there is none, or a
    /// subscriber cancels it. It answers 412 if `If-Match` or `If-None-Match` does not hold.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn delete(&self, id: &str) -> WebResult<Response> {
        let key = self.key_of(id)?;
        Ok(ok(self.delete_expected(key).await?))
    }

    /// The default of `GET /exists/{id}`: whether there is a row with a key.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn exists(&self, id: &str) -> WebResult<Response> {
        let key = self.key_of(id)?;
        let there = self.service()?.has_key(key).await;
        Ok(ok(there.map_err(|error| self.session.told(error))?))
    }
}
