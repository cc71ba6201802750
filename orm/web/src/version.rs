//! Versions of rows as entity tags: `ETag`, `If-None-Match` and `If-Match`.
//!
//! Invariant: whether a row still has the version that a client has seen is asked by the statement that writes it, not before.

use std::sync::Arc;

use axum::http::header::{ETAG, HeaderMap, HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use isogloss::driver::Row;
use isogloss::expr::{LogicExpr, Name, SqlSegment, Value, ValueOps as _, prop, table};
use isogloss::model::{Column, Entity, Property};
use isogloss::service::{DynamicServiceOps, QueryOf, ReadAny};
use isogloss::session::Purpose;
use isogloss::{OrmResult, Request, Session};

use crate::id::text_of;
use crate::{Mounted, Problem, ProblemKind, WebResult};

/// The column that holds the version of an entity's rows, with its place.
pub(crate) fn column(entity: &Entity) -> Option<(usize, &Column)> {
    let place = entity.version?;
    Some((place, entity.columns.get(place)?))
}

/// The row that a query finds, as JSON, with its version where its entity has one.
pub(crate) async fn row(
    service: &dyn DynamicServiceOps,
    mounted: &Mounted,
    rows: SqlSegment,
) -> OrmResult<Option<(Vec<u8>, Option<Value>)>> {
    let mut names: Vec<Name> = mounted.visible().cloned().collect();
    let version = column(mounted.entity()).filter(|(_, column)| column.is_readable()).map(|(_, column)| {
        let place = names.iter().position(|name| *name == column.name).unwrap_or(names.len());
        if place == names.len() {
            names.push(column.name.clone());
        }
        (place, column.ty)
    });
    let query = QueryOf::<()>::into_query(rows.select(names.into_iter().map(prop)));
    let json = mounted.json();
    let read: ReadAny = Arc::new(move |row: &dyn Row| {
        let mut text = Vec::new();
        json.write(row, &mut text)?;
        let version = version.map(|(place, ty)| row.typed_value(place, ty)).transpose()?;
        Ok(Box::new((text, version)))
    });
    let row = service.find_any(query, read).await?.into_iter().next();
    Ok(row.and_then(|row| row.downcast().ok()).map(|row| *row))
}

/// Whether a row that is seen is another only where its version is: what a view joins has versions of its own.
pub(crate) fn tells_all(mounted: &Mounted) -> bool {
    let view = mounted.view();
    mounted.visible().all(|name| matches!(view.property(name.as_str()), Some(Property::Column(_))))
}

/// Gives an answer the version of its row.
pub(crate) fn tag(response: &mut Response, version: Option<&Value>) {
    let tag = version.and_then(text_of).and_then(|text| HeaderValue::try_from(format!("\"{text}\"")).ok());
    response.headers_mut().extend(tag.map(|tag| (ETAG, tag)));
}

/// Whether the client has the row in that version already: `If-None-Match`, by which tags are compared weakly.
pub(crate) fn is_known(head: &HeaderMap, version: &Value) -> WebResult<bool> {
    let Some(tags) = tags(head, &IF_NONE_MATCH)? else { return Ok(false) };
    let own = text_of(version);
    Ok(match tags {
        Tags::Any => true,
        Tags::Of(tags) => tags.iter().any(|(_, tag)| own.as_deref() == Some(tag)),
    })
}

/// The answer to a client that has the row already.
pub(crate) fn not_modified(version: &Value) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    tag(&mut response, Some(version));
    response
}

/// What a client says of the row that it writes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expected {
    /// Nothing.
    Nothing,
    /// It is there.
    Exists,
    /// It has one of these versions.
    OneOf(Vec<Value>),
}

impl Expected {
    /// What `If-Match` says, by which tags are compared strongly.
    pub(crate) fn of(head: &HeaderMap, entity: &Entity) -> WebResult<Self> {
        let version = |tag: &str| Some(column(entity)?.1.coerce(&tag.into()).ok()?.into_owned());
        Ok(match tags(head, &IF_MATCH)? {
            None => Self::Nothing,
            Some(Tags::Any) => Self::Exists,
            Some(Tags::Of(tags)) => {
                Self::OneOf(tags.into_iter().filter(|(weak, _)| !weak).filter_map(|(_, tag)| version(tag)).collect())
            }
        })
    }

    /// With the version that the body has.
    pub(crate) fn and(self, version: Option<&Value>) -> Self {
        match (self, version) {
            (expected, None) => expected,
            (Self::OneOf(versions), Some(version)) => {
                Self::OneOf(versions.into_iter().filter(|one| one == version).collect())
            }
            (_, Some(version)) => Self::OneOf(vec![version.clone()]),
        }
    }

    /// The version that the row has to have when it is written, if any. Where there is no row, `Err` has the answer.
    pub(crate) async fn settle(self, service: &dyn DynamicServiceOps, key: &[Value]) -> WebResult<Settled> {
        let conflict = || Problem::of(ProblemKind::VersionConflict);
        let versions = match self {
            Self::Nothing => return Ok(Settled::Any),
            Self::Exists if service.has_key(key.to_vec()).await? => return Ok(Settled::Any),
            Self::Exists => return Err(Problem::new(ProblemKind::VersionConflict, "The row is not there.")),
            Self::OneOf(versions) => versions,
        };
        if let [version] = &*versions {
            return Ok(Settled::Version(version.clone()));
        }
        match current(service, key).await? {
            None => Ok(Settled::Gone),
            Some(version) if versions.contains(&version) => Ok(Settled::Version(version)),
            Some(_) => Err(conflict()),
        }
    }
}

/// What is known of a row before it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Settled {
    /// It may have any version.
    Any,
    /// It must have that one.
    Version(Value),
    /// It is not there.
    Gone,
}

/// Nothing was written: a 412 if that is because the row has another version.
pub(crate) async fn explain(service: &dyn DynamicServiceOps, key: &[Value], version: &Value) -> WebResult<()> {
    match current(service, key).await? {
        Some(current) if current != *version => Err(Problem::of(ProblemKind::VersionConflict)),
        // It is gone, or a subscriber does not want it written.
        _ => Ok(()),
    }
}

/// The version of the row with that key; NULL where it has none.
async fn current(service: &dyn DynamicServiceOps, key: &[Value]) -> OrmResult<Option<Value>> {
    let row = service.get_key(key.to_vec()).await?;
    Ok(row.map(|row| row.entity().version.and_then(|place| row.value(place)).cloned().unwrap_or_default()))
}

/// Holds the row with that key for the open transaction, if it has that version: an UPDATE that changes nothing, which every
/// engine can.
pub(crate) async fn hold(session: &Session, entity: &Entity, key: &[Value], version: &Value) -> OrmResult<bool> {
    let is = |column: &Column, value: &Value| prop(column.name.clone()).eq(value.clone());
    let Some((_, versioned)) = column(entity) else { return Ok(false) };
    let key = entity.key_columns().zip(key).map(|(column, value)| is(column, value));
    let filter = LogicExpr::all(key.chain([is(versioned, version)]));
    // A version that the database makes is not to be set.
    let others = entity.columns.iter();
    let Some(same) = [versioned].into_iter().chain(others).find(|column| column.is_updatable()) else {
        return Ok(false);
    };
    let update = table(entity.name.clone()).update([(same.name.clone(), prop(same.name.clone()))]).filter(filter);
    let mut lease = session.lease(entity.data_source.as_deref(), Purpose::Write).await?;
    let compiled = session.compile(lease.target(), &update, Request::of(entity.name.as_str()))?;
    Ok(lease.execute(&compiled).await? > 0)
}

/// Entity tags in a header.
enum Tags<'h> {
    /// `*`
    Any,
    /// Whether each is weak, and what is in its quotes.
    Of(Vec<(bool, &'h str)>),
}

fn tags<'h>(head: &'h HeaderMap, name: &HeaderName) -> WebResult<Option<Tags<'h>>> {
    let bad = || Problem::new(ProblemKind::BadRequest, format!("`{name}` is `*`, or a list of entity tags in quotes."));
    let mut all = Vec::new();
    for value in head.get_all(name) {
        let mut rest = value.to_str().map_err(|_| bad())?.trim();
        if rest == "*" {
            return Ok(Some(Tags::Any));
        }
        while !rest.is_empty() {
            let (weak, quoted) = rest.strip_prefix("W/").map_or((false, rest), |quoted| (true, quoted));
            let (tag, after) = quoted.strip_prefix('"').and_then(|quoted| quoted.split_once('"')).ok_or_else(bad)?;
            all.push((weak, tag));
            let after = after.trim_start();
            rest = match after.strip_prefix(',') {
                Some(next) => next.trim_start(),
                None if after.is_empty() => after,
                None => return Err(bad()),
            };
        }
    }
    Ok((!all.is_empty()).then_some(Tags::Of(all)))
}

#[cfg(test)]
mod tests {
    use isogloss::expr::DbValueType as T;
    use isogloss::model::{Catalog, ColumnDef, TableDef};

    use super::*;

    fn head(name: &'static str, values: &[&'static str]) -> HeaderMap {
        let mut head = HeaderMap::new();
        head.extend(values.iter().map(|value| (HeaderName::from_static(name), HeaderValue::from_static(value))));
        head
    }

    #[test]
    fn what_a_client_expects_is_read_from_its_tags() {
        let item = TableDef::new("Item")
            .column(ColumnDef::new("Id", T::Int64).primary_key())
            .column(ColumnDef::new("Version", T::Int64).timestamp());
        let catalog = Catalog::builder()
            .table(item)
            .table(TableDef::new("Plain").column(ColumnDef::new("Id", T::Int64).primary_key()))
            .build()
            .unwrap();
        let of = |entity: &str, values: &[&'static str]| {
            Expected::of(&head("if-match", values), catalog.entity(entity).unwrap().1).map_err(|problem| problem.kind())
        };
        let one_of =
            |versions: &[i64]| Ok(Expected::OneOf(versions.iter().map(|version| Value::from(*version)).collect()));
        assert_eq!(of("Item", &[]), Ok(Expected::Nothing));
        assert_eq!(of("Item", &["*"]), Ok(Expected::Exists));
        assert_eq!(of("Item", &["\"7\""]), one_of(&[7]));
        assert_eq!(of("Item", &["\"7\" , \"8\"", "\"9\""]), one_of(&[7, 8, 9]));
        // A weak tag is equal to nothing, and neither is one of another kind.
        assert_eq!(of("Item", &["W/\"7\", \"x\""]), one_of(&[]));
        assert_eq!(of("Plain", &["\"7\""]), one_of(&[]));
        for bad in ["7", "\"7", "\"7\" \"8\"", "W/7", "\"7\",,\"8\""] {
            assert_eq!(of("Item", &[bad]), Err(ProblemKind::BadRequest), "{bad}");
        }
        assert_eq!(Expected::Nothing.and(Some(&7.into())), one_of(&[7]).unwrap());
        assert_eq!(one_of(&[7, 8]).unwrap().and(Some(&8.into())), one_of(&[8]).unwrap());
        assert_eq!(one_of(&[7]).unwrap().and(Some(&8.into())), one_of(&[]).unwrap());
    }

    #[test]
    fn what_a_client_knows_is_compared_weakly() {
        let knows = |values: &[&'static str]| is_known(&head("if-none-match", values), &7.into()).unwrap();
        assert!(knows(&["*"]) && knows(&["\"6\", W/\"7\""]) && knows(&["\"7\""]));
        assert!(!knows(&[]) && !knows(&["\"70\""]));
    }
}
