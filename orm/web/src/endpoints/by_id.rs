//! `GET /{id}`, `DELETE /{id}` and `GET /exists/{id}`.

use axum::response::Response;
use isogloss::expr::{LogicExpr, ValueOps as _, prop};
use isogloss::service::QueryOf;

use super::{json, ok};
use crate::id::key_of;
use crate::rows::items;
use crate::{Call, WebResult};

impl Call {
    /// The row with that key as its view, or `null`.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn get(&self, id: &str) -> WebResult<Response> {
        let mounted = &self.mounted;
        let key = key_of(mounted.entity(), id)?;
        let columns = mounted.entity().key_columns();
        let is_it = columns.zip(key).map(|(column, value)| prop(column.name.clone()).eq(value));
        let query = mounted.seen(mounted.rows().filter(LogicExpr::all(is_it)));
        let query = QueryOf::<()>::into_query(query);
        let row = items(&*self.service()?, query, mounted.json()).await?;
        Ok(json(if row.count == 0 { b"null".to_vec() } else { row.text }))
    }

    /// Deletes the row with that key: `false` if there is none.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn delete(&self, id: &str) -> WebResult<Response> {
        let key = key_of(self.mounted.entity(), id)?;
        Ok(ok(self.service()?.delete_key(key).await?))
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn exists(&self, id: &str) -> WebResult<Response> {
        let key = key_of(self.mounted.entity(), id)?;
        Ok(ok(self.service()?.has_key(key).await?))
    }
}
