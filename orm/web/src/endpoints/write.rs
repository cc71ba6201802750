//! `POST /` and `PUT /`.

use std::time::Duration;

use axum::extract::OriginalUri;
use axum::http::HeaderValue;
use axum::http::header::LOCATION;
use axum::response::Response;
use bytes::Bytes;
use isogloss::dialect::Feature;
use isogloss::expr::Value;
use isogloss::service::DynamicObject;
use isogloss::{OrmError, OrmResult, Session};
use tokio::time::timeout_at;

use super::ok;
use super::precondition::{Settled, hold};
use crate::body::{self, Write};
use crate::id::{id_of, is_address, text_of};
use crate::names::camel;
use crate::problem::columns_of;
use crate::{Call, FieldProblem, Problem, ProblemKind, WebResult, version};

impl Call {
    /// The default of `POST /`: inserts the row in the body, and answers `true`, with `Location` if its key is known
    /// and `ETag` if it has a version; `false` if a subscriber cancels it.
    ///
    /// The body may have the columns that are [writable](isogloss::model::ColumnDef::writable) and visible. Those that
    /// are never null and have no default are required. Any other member is a 422. So is a row that lacks a required
    /// column which clients do not set, unless the scope or the [program](crate::Rules::filled) sets it.
    ///
    /// If the request's scope filters the rows of a table that the row refers to, the referenced row must be in the
    /// scope; otherwise the answer is 409, as for a row that does not exist.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn insert(&self, body: Bytes) -> WebResult<Response> {
        self.may(self.mounted.is_insertable())?;
        let mut object = self.row_of(&body, Write::Insert).await?;
        self.is_complete().await?;
        let references = self.references(&object).await?;
        let service = self.service()?;
        let inserted = self.referring(&references, service.insert(&mut object)).await?;
        let mut response = ok(inserted);
        if inserted {
            let headers = response.headers_mut();
            headers.extend(self.location(&object).map(|location| (LOCATION, location)));
            version::put(&mut response, version_of(&object).and_then(text_of).as_deref());
        }
        Ok(response)
    }

    /// The default of `PUT /`: updates the row with the key in the body, and answers `true` with the new `ETag`;
    /// `false` if there is no such row, a subscriber cancels it, or a concurrent writer was faster and no version was
    /// given.
    ///
    /// The body has the key and the writable columns. It may have the row's version, which can also be given by
    /// `If-Match`. The answer is 412 if the row has another version, if `If-None-Match` excludes it, or if `If-Match`
    /// requires a row that does not exist. Columns that are never null and have no default are required; other columns
    /// that are missing stay as they are. Any other member is a 422.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn update(&self, body: Bytes) -> WebResult<Response> {
        let entity = self.mounted.entity();
        self.may(self.mounted.is_updatable())?;
        let mut object = self.row_of(&body, Write::Update).await?;
        let key: Vec<Value> = entity.keys.iter().filter_map(|place| object.value(*place).cloned()).collect();
        let expected = self.expected(version_of(&object))?;
        let service = self.service()?;
        let settled = self.settle(&*service, &key, &expected).await?;
        match (&settled, entity.version) {
            (Settled::Gone, _) => return Ok(ok(false)),
            (Settled::Version(version), Some(place)) => {
                object.set_value(place, version.clone()).map_err(OrmError::from)?;
            }
            _ => {}
        }
        let references = self.references(&object).await?;
        let updated = self.referring(&references, service.update(&mut object)).await?;
        if let (false, Settled::Version(version)) = (updated, &settled) {
            self.explain(&*service, &key, &expected, version).await?;
        }
        let mut response = ok(updated);
        version::put(&mut response, version_of(&object).filter(|_| updated).and_then(text_of).as_deref());
        Ok(response)
    }

    /// Clients may write in a way.
    fn may(&self, is_allowed: bool) -> WebResult<()> {
        let refused = || Problem::of(ProblemKind::MethodNotAllowed).allow(self.mounted.methods_of_all());
        is_allowed.then_some(()).ok_or_else(refused)
    }

    /// Refuses an insert that would leave a required column to what the struct or the engine takes for nothing.
    async fn is_complete(&self) -> WebResult<()> {
        let mounted = &*self.mounted;
        if mounted.unfilled(&[]).is_empty() {
            return Ok(());
        }
        let (entity, mut of_scope) = (mounted.entity(), Vec::new());
        if let Some(scope) = self.session().current_scope() {
            let target = mounted.host.context.data_source_of(entity)?.target().await?;
            let rows = target.scoped_rows(entity.name.as_str(), scope).map_err(OrmError::from)?;
            of_scope.extend(rows.fixed().map(|(place, _)| place));
        }
        let unfilled = mounted.unfilled(&of_scope);
        if unfilled.is_empty() {
            return Ok(());
        }
        mounted.tell_of_unfilled(&unfilled);
        // A hidden column is not named.
        let seen = unfilled.iter().filter(|column| mounted.visible().any(|visible| *visible == column.name));
        let errors: Vec<FieldProblem> = seen
            .map(|column| {
                let name = camel(column.name.as_str());
                let detail = format!("`{name}` is required, and clients do not set it: no row can be inserted here.");
                FieldProblem::new(name, "required", detail)
            })
            .collect();
        if errors.is_empty() {
            let detail = "A row needs values that clients do not set: no row can be inserted here.";
            return Err(Problem::new(ProblemKind::InvalidBody, detail));
        }
        Err(Problem::of_fields(errors))
    }

    /// Deletes the row with that key, if it is as the client expects.
    pub(super) async fn delete_expected(&self, key: Vec<Value>) -> WebResult<bool> {
        if !self.mounted.is_deletable() {
            return Err(Problem::of(ProblemKind::MethodNotAllowed).allow(self.mounted.methods_of_one()));
        }
        let entity = self.mounted.entity();
        let service = self.service()?;
        let expected = self.expected(None)?;
        let version = match self.settle(&*service, &key, &expected).await? {
            Settled::Gone => return Ok(false),
            Settled::Any => return self.written(service.delete_key(key)).await,
            Settled::Version(version) => version,
        };
        let (service, key) = (&service, &key);
        let deleted = self.session().transaction(async |session: &Session| -> OrmResult<Option<bool>> {
            // The service is the first to ask: it looks whether somebody may, and has a table made that is not there.
            if !service.has_key(key.clone()).await? || !hold(session, entity, key, &version).await? {
                return Ok(None);
            }
            service.delete_key(key.clone()).await.map(Some)
        });
        match self.written(deleted).await? {
            Some(deleted) => Ok(deleted),
            None => self.explain(&**service, key, &expected, &version).await.map(|()| false),
        }
    }

    /// The row in a body, with no number whose digits the engine has no room for.
    async fn row_of(&self, body: &[u8], write: Write) -> WebResult<DynamicObject> {
        let object = body::read(&self.mounted, body, write)?;
        let inexact = body::inexact(&object);
        if !inexact.is_empty() {
            let source = self.mounted.host.context.data_source_of(self.mounted.entity())?;
            // One that has no text of a decimal of its own has no decimals, but doubles.
            if !source.target().await?.has(Feature::DecimalText) {
                return Err(Problem::of_fields(inexact));
            }
        }
        Ok(object)
    }

    /// Does a write, and says what the client is told where it fails.
    pub(super) async fn written<T>(&self, write: impl Future<Output = OrmResult<T>>) -> WebResult<T> {
        self.in_time(write).await?.map_err(|error| self.refused(error))
    }

    /// Does a write, as long as the request may take. If it is given up, nobody knows whether it was done.
    pub(super) async fn in_time<T>(&self, write: impl Future<Output = T>) -> WebResult<T> {
        let given_up = GivenUp { name: self.mounted.name() };
        // Before the request itself is given up, of which no more is told than that.
        let deadline = self.deadline.checked_sub(Duration::from_millis(1)).unwrap_or(self.deadline);
        let Ok(written) = timeout_at(deadline, write).await else { return Err(Problem::of(ProblemKind::InDoubt)) };
        std::mem::forget(given_up);
        Ok(written)
    }

    /// What a client is told of a write that has failed.
    pub(super) fn refused(&self, error: OrmError) -> Problem {
        let entity = self.mounted.entity();
        let visible = |property: &str| self.mounted.visible().any(|visible| *visible == *property);
        let problem = Problem::of_write(error, |constraint| {
            let columns = columns_of(entity, constraint).into_iter().filter_map(|place| entity.columns.get(place));
            let columns = columns.filter(|column| visible(column.name.as_str()));
            columns.map(|column| camel(column.name.as_str())).collect()
        });
        self.session.told(problem)
    }

    /// Where a new row is, if it has an address.
    fn location(&self, object: &DynamicObject) -> Option<HeaderValue> {
        let key = object.entity().keys.iter().map(|place| object.value(*place));
        let key = key.collect::<Option<Vec<&Value>>>().filter(|key| !key.is_empty())?;
        let asked = self.parts.extensions.get::<OriginalUri>().map_or(&self.parts.uri, |original| &original.0);
        let id = id_of(key).filter(|id| is_address(id))?;
        HeaderValue::try_from(format!("{}/{id}", asked.path().trim_end_matches('/'))).ok()
    }
}

/// Dropped, it logs that a write was given up: for its time, or as its client is gone.
struct GivenUp<'n> {
    name: &'n str,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        tracing::warn!(target: "isogloss::web", name = self.name, "a write was given up: it may have been done");
    }
}

fn version_of(object: &DynamicObject) -> Option<&Value> {
    object.value(object.entity().version?)
}
