//! `POST /` and `PUT /`.

use axum::extract::OriginalUri;
use axum::http::HeaderValue;
use axum::http::header::LOCATION;
use axum::response::Response;
use bytes::Bytes;
use isogloss::OrmError;
use isogloss::expr::Value;
use isogloss::service::DynamicObject;

use super::ok;
use crate::body::{self, Write};
use crate::id::id_of;
use crate::names::camel;
use crate::problem::columns_of;
use crate::version::{self, Expected, Settled};
use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// Inserts the row in the body: `true`, with `Location` where its key is known and `ETag` where it has a version;
    /// `false` if a subscriber does not want it.
    ///
    /// The body has what clients may set: columns that are [writable](isogloss::model::ColumnDef::writable), and visible. Those
    /// that are never null and have no default are required. Any other member is a 422.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn insert(&self, body: Bytes) -> WebResult<Response> {
        self.writes()?;
        let mut object = body::read(&self.mounted, &body, Write::Insert)?;
        let inserted = self.service()?.insert(&mut object).await.map_err(|error| self.refused(error))?;
        let mut response = ok(inserted);
        if inserted {
            let headers = response.headers_mut();
            headers.extend(self.location(&object).map(|location| (LOCATION, location)));
            version::tag(&mut response, version_of(&object));
        }
        Ok(response)
    }

    /// Writes what the body has over the row with its key: `true` with the new `ETag`; `false` if there is no such row, a
    /// subscriber does not want it, or somebody else was writing it and no version was asked for.
    ///
    /// The body has the key, what clients may set, and may have the row's version, which `If-Match` may say as well: a row in
    /// another version is a 412. What is never null and has no default is required; other members that are not there stay as
    /// they are. Any other member is a 422.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn update(&self, body: Bytes) -> WebResult<Response> {
        let entity = self.mounted.entity();
        self.writes()?;
        if entity.keys.is_empty() {
            return Err(Problem::of(ProblemKind::MethodNotAllowed).allow(self.mounted.methods_of_all()));
        }
        let mut object = body::read(&self.mounted, &body, Write::Update)?;
        let key: Vec<Value> = entity.keys.iter().filter_map(|place| object.value(*place).cloned()).collect();
        let expected = Expected::of(&self.parts.headers, entity)?.and(version_of(&object));
        let service = self.service()?;
        let settled = expected.settle(&*service, &key).await?;
        match (&settled, entity.version) {
            (Settled::Gone, _) => return Ok(ok(false)),
            (Settled::Version(version), Some(place)) => {
                object.set_value(place, version.clone()).map_err(OrmError::from)?;
            }
            _ => {}
        }
        let updated = service.update(&mut object).await.map_err(|error| self.refused(error))?;
        if let (false, Settled::Version(version)) = (updated, &settled) {
            version::explain(&*service, &key, version).await?;
        }
        let mut response = ok(updated);
        version::tag(&mut response, version_of(&object).filter(|_| updated));
        Ok(response)
    }

    /// Clients may set something of a row.
    fn writes(&self) -> WebResult<()> {
        let refused = || Problem::of(ProblemKind::MethodNotAllowed).allow(self.mounted.methods_of_all());
        self.mounted.is_writable().then_some(()).ok_or_else(refused)
    }

    /// Deletes the row with that key, if it has the version that the client expects.
    pub(super) async fn delete_expected(&self, key: Vec<Value>) -> WebResult<bool> {
        if !self.mounted.is_deletable() {
            return Err(Problem::of(ProblemKind::MethodNotAllowed).allow(self.mounted.methods_of_one()));
        }
        let entity = self.mounted.entity();
        let service = self.service()?;
        let expected = Expected::of(&self.parts.headers, entity)?;
        let version = match expected.settle(&*service, &key).await? {
            Settled::Gone => return Ok(false),
            Settled::Any => return service.delete_key(key).await.map_err(|error| self.refused(error)),
            Settled::Version(version) => version,
        };
        // Whoever is first to ask of a table has it made, which is not done in a transaction.
        if !service.has_key(key.clone()).await? {
            return Ok(false);
        }
        let (service, key) = (&service, &key);
        let deleted = self.session().transaction(async |session: &isogloss::Session| -> WebResult<Option<bool>> {
            if !version::hold(session, entity, key, &version).await? {
                return Ok(None);
            }
            service.delete_key(key.clone()).await.map(Some).map_err(|error| self.refused(error))
        });
        match deleted.await? {
            Some(deleted) => Ok(deleted),
            None => version::explain(&**service, key, &version).await.map(|()| false),
        }
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

    /// Where a new row is.
    fn location(&self, object: &DynamicObject) -> Option<HeaderValue> {
        let key = object.entity().keys.iter().map(|place| object.value(*place));
        let key = key.collect::<Option<Vec<&Value>>>().filter(|key| !key.is_empty())?;
        let asked = self.parts.extensions.get::<OriginalUri>().map_or(&self.parts.uri, |original| &original.0);
        let id = id_of(key)?;
        HeaderValue::try_from(format!("{}/{id}", asked.path().trim_end_matches('/'))).ok()
    }
}

fn version_of(object: &DynamicObject) -> Option<&Value> {
    object.value(object.entity().version?)
}
