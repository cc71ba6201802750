//! What a client expects of the row that it writes: `If-Match`, `If-None-Match`, and the version in its body.
//!
//! Invariant: whether a row still has the version that a client has seen is asked by the statement that writes it, not before.

use axum::http::header::{HeaderMap, IF_NONE_MATCH};
use isogloss::dialect::{Feature, Support};
use isogloss::driver::{Flow, Row, RowSink};
use isogloss::expr::{LockMode, LockWait, LogicExpr, Value, ValueOps as _, from, prop};
use isogloss::model::{Column, Entity};
use isogloss::service::DynamicServiceOps;
use isogloss::session::Purpose;
use isogloss::{OrmResult, Request, Session};

use crate::{Call, Problem, ProblemKind, WebResult, version};

/// What a client expects of the row that it writes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expected {
    /// `If-Match` says that it is there.
    exists: bool,
    /// It has one of these versions.
    one_of: Option<Vec<Value>>,
}

/// What is known of a row before it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Settled {
    /// It may have any version.
    Any,
    /// It must have that one.
    Version(Value),
    /// It is not there.
    Gone,
}

impl Expected {
    /// What `If-Match` says, and the version in the body.
    fn of(head: &HeaderMap, entity: &Entity, body: Option<&Value>) -> WebResult<Self> {
        let tags = version::if_match(head)?;
        let exists = tags.is_some();
        let one_of = match (tags.and_then(|tags| tags.versions(entity)), body) {
            (Some(versions), Some(body)) => Some(versions.into_iter().filter(|version| version == body).collect()),
            (None, Some(body)) => Some(vec![body.clone()]),
            (versions, None) => versions,
        };
        Ok(Self { exists, one_of })
    }

    /// The row is not there.
    fn absent(&self) -> WebResult<Settled> {
        if self.exists {
            return Err(Problem::new(ProblemKind::VersionConflict, "The row is not there."));
        }
        Ok(Settled::Gone)
    }
}

impl Call {
    /// What the client expects of the row, by the head of the request and the version in its body.
    ///
    /// # Errors
    /// It says nothing, and has to; or a header cannot be read.
    pub(super) fn expected(&self, body: Option<&Value>) -> WebResult<Expected> {
        let entity = self.mounted.entity();
        let expected = Expected::of(&self.parts.headers, entity, body)?;
        let is_open = !expected.exists && expected.one_of.is_none();
        if is_open && self.mounted.rules.require_version && entity.version.is_some() {
            return Err(Problem::of(ProblemKind::PreconditionRequired));
        }
        Ok(expected)
    }

    /// What the row has to be when it is written. It is looked up where the statement that writes it cannot ask for that:
    /// whether it is there, or has one of several versions, or another than `If-None-Match` says.
    ///
    /// # Errors
    /// It has another version already, or is not there and has to be.
    pub(super) async fn settle(
        &self,
        service: &dyn DynamicServiceOps,
        key: &[Value],
        expected: &Expected,
    ) -> WebResult<Settled> {
        let head = &self.parts.headers;
        if !head.contains_key(IF_NONE_MATCH) {
            match expected.one_of.as_deref() {
                None if !expected.exists => return Ok(Settled::Any),
                Some([version]) => return Ok(Settled::Version(version.clone())),
                _ => {}
            }
        }
        let Some(current) = self.current(service, key).await? else { return expected.absent() };
        if version::is_excluded(head, &current)? {
            return Err(Problem::of(ProblemKind::VersionConflict));
        }
        match &expected.one_of {
            None => Ok(Settled::Any),
            Some(versions) if versions.contains(&current) => Ok(Settled::Version(current)),
            Some(_) => Err(Problem::of(ProblemKind::VersionConflict)),
        }
    }

    /// Nothing was written: a 412 if that is because the row is not as the client expects.
    pub(super) async fn explain(
        &self,
        service: &dyn DynamicServiceOps,
        key: &[Value],
        expected: &Expected,
        version: &Value,
    ) -> WebResult<()> {
        match self.current(service, key).await? {
            Some(current) if current != *version => Err(Problem::of(ProblemKind::VersionConflict)),
            // A subscriber does not want it written.
            Some(_) => Ok(()),
            None => expected.absent().map(|_| ()),
        }
    }

    /// The version of the row with that key; NULL where it has none.
    async fn current(&self, service: &dyn DynamicServiceOps, key: &[Value]) -> WebResult<Option<Value>> {
        // A transaction reads from the primary, also by a service of the program's own: a replica may be behind.
        let read = self.session().transaction(async |_: &Session| service.get_key(key.to_vec()).await);
        let row = read.await.map_err(|error| self.session.told(error))?;
        Ok(row.map(|row| row.entity().version.and_then(|place| row.value(place)).cloned().unwrap_or_default()))
    }
}

/// Whether the row with that key has that version, which it keeps until the open transaction ends. It is read, and locked where
/// the engine locks rows: an UPDATE would need a column that may be set, whatever the scope and the fixed filter hold.
pub(super) async fn hold(session: &Session, entity: &Entity, key: &[Value], version: &Value) -> OrmResult<bool> {
    let is = |column: &Column, value: &Value| prop(column.name.clone()).eq(value.clone());
    let Some((_, versioned)) = version::column(entity) else { return Ok(false) };
    let conditions = entity.key_columns().zip(key).map(|(column, value)| is(column, value));
    let row = from(entity.name.clone()).filter(LogicExpr::all(conditions.chain([is(versioned, version)])));
    let mut lease = session.lease(entity.data_source.as_deref(), Purpose::Write).await?;
    // An engine without such locks has transactions that see to it.
    let locks = matches!(lease.target().support(Feature::LockUpdate), Support::Native);
    let row = if locks { row.lock(LockMode::Update, LockWait::default()) } else { row };
    let row = row.select(entity.key_columns().map(|column| prop(column.name.clone()))).into_segment();
    let compiled = session.compile(lease.target(), &row, Request::of(entity.name.as_str()))?;
    Ok(lease.query_into(&compiled, Found(false)).await?.0)
}

/// Whether there is a row.
struct Found(bool);

impl RowSink for Found {
    fn row(&mut self, _: &dyn Row) -> isogloss::driver::Result<Flow> {
        self.0 = true;
        Ok(Flow::More)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::IF_MATCH;
    use isogloss::expr::DbValueType as T;
    use isogloss::model::{Catalog, ColumnDef, TableDef};

    use super::*;

    #[test]
    fn what_a_client_expects_is_read_from_its_tags_and_its_body() {
        let item = TableDef::new("Item")
            .column(ColumnDef::new("Id", T::Int64).primary_key())
            .column(ColumnDef::new("Version", T::Int64).timestamp());
        let catalog = Catalog::builder()
            .table(item)
            .table(TableDef::new("Plain").column(ColumnDef::new("Id", T::Int64).primary_key()))
            .build()
            .unwrap();
        let expected = |entity: &str, values: &[&'static str], body: Option<i64>| {
            let mut head = HeaderMap::new();
            head.extend(values.iter().map(|value| (IF_MATCH, HeaderValue::from_static(value))));
            let body = body.map(Value::from);
            Expected::of(&head, catalog.entity(entity).unwrap().1, body.as_ref()).map_err(|problem| problem.kind())
        };
        let of = |entity: &str, values: &[&'static str]| expected(entity, values, None);
        let is = |exists: bool, one_of: Option<&[i64]>| {
            let one_of = one_of.map(|versions| versions.iter().map(|version| Value::from(*version)).collect());
            Ok(Expected { exists, one_of })
        };
        assert_eq!(of("Item", &[]), is(false, None));
        assert_eq!(of("Item", &["*"]), is(true, None));
        assert_eq!(of("Item", &["\"7\""]), is(true, Some(&[7])));
        assert_eq!(of("Item", &["\"7\" , \"8\"", "\"9\""]), is(true, Some(&[7, 8, 9])));
        // What is behind `~` is of what a view shows beside the row.
        assert_eq!(of("Item", &["\"7~0a1b\""]), is(true, Some(&[7])));
        // A weak tag is equal to nothing, and neither is one of another kind.
        assert_eq!(of("Item", &["W/\"7\", \"x\""]), is(true, Some(&[])));
        assert_eq!(of("Plain", &["\"7\""]), is(true, Some(&[])));
        // RFC 9110, 5.6.1: an element of a list that is empty is none.
        for (list, versions) in
            [("", &[][..]), (",", &[]), (", \"7\"", &[7]), ("\"7\",,\"8\" ,", &[7, 8]), ("\"7\",\t\"8\"", &[7, 8])]
        {
            assert_eq!(of("Item", &[list]), is(true, Some(versions)), "{list}");
        }
        for bad in ["7", "\"7", "\"7\" \"8\"", "W/7", "W/, \"7\"", "*, \"7\""] {
            assert_eq!(of("Item", &[bad]), Err(ProblemKind::BadRequest), "{bad}");
        }
        assert_eq!(expected("Item", &[], Some(7)), is(false, Some(&[7])));
        assert_eq!(expected("Item", &["*"], Some(7)), is(true, Some(&[7])));
        assert_eq!(expected("Item", &["\"7\", \"8\""], Some(8)), is(true, Some(&[8])));
        assert_eq!(expected("Item", &["\"7\""], Some(8)), is(true, Some(&[])));
    }
}
