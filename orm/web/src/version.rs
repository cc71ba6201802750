//! Versions of rows as entity tags: `ETag`, `If-None-Match` and `If-Match`.
//!
//! Invariant: a tag that is sent is strong: two answers with the same tag are the same, byte for byte.
//!
//! Of one row, that is: a version that counts begins at 1 again where a row is deleted and another inserted with its key. A version
//! by date and time, and a key that is never given twice, do not come again.

use axum::http::header::{ETAG, HeaderMap, HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use isogloss::expr::{Name, SqlSegment, Value, prop};
use isogloss::model::{Column, Entity, Property};
use isogloss::service::{DynamicServiceOps, QueryOf};
use sha2::{Digest as _, Sha256};

use crate::id::text_of;
use crate::include::Columns;
use crate::rows::{KeyedReader, KeyedRow};
use crate::{Mounted, Problem, ProblemKind, WebResult};

/// The column that holds the version of an entity's rows, with its place.
pub(crate) fn column(entity: &Entity) -> Option<(usize, &Column)> {
    let place = entity.version?;
    Some((place, entity.columns.get(place)?))
}

/// The row that a query finds, as JSON, with the keys of its relations, and its version where its entity has one.
pub(crate) async fn row(
    service: &dyn DynamicServiceOps,
    mounted: &Mounted,
    rows: SqlSegment,
    columns: &Columns,
) -> WebResult<Option<(KeyedRow, Option<Value>)>> {
    let mut names: Vec<Name> = columns.names().cloned().collect();
    let version = column(mounted.entity()).filter(|(_, column)| column.is_readable()).map(|(_, column)| {
        let place = names.iter().position(|name| *name == column.name).unwrap_or(names.len());
        if place == names.len() {
            names.push(column.name.clone());
        }
        (place, column.ty)
    });
    let query = QueryOf::<()>::into_query(rows.select(names.into_iter().map(prop)));
    let keys: Vec<_> = columns.keys.iter().copied().chain(version).collect();
    let reader = KeyedReader::new(mounted.json(), &keys, mounted.rules.max_answer);
    let found = service.find_any(query, reader.read()).await.map_err(|error| reader.told(error, Problem::from))?;
    let row = KeyedReader::rows(found).into_iter().next();
    Ok(row.map(|mut row| {
        let version = version.and_then(|_| row.keys.pop());
        (row, version)
    }))
}

/// Whether the row's own version covers all that clients see of it: what a view joins changes without it.
fn version_covers_all(mounted: &Mounted) -> bool {
    let view = mounted.view();
    mounted.visible().all(|name| matches!(view.property(name.as_str()), Some(Property::Column(_))))
}

/// The tag of a row as it is sent: its version, behind which is a hash where the view has columns of other tables, or the row is
/// not alone.
pub(crate) fn tag_of(mounted: &Mounted, version: &Value, sent: &[u8], is_alone: bool) -> Option<String> {
    let mut tag = text_of(version)?;
    if !(is_alone && version_covers_all(mounted)) {
        tag.push('~');
        Sha256::digest(sent).iter().take(HASH).for_each(|byte| tag.push_str(&format!("{byte:02x}")));
    }
    Some(tag)
}

/// How many bytes of a hash are in a tag.
const HASH: usize = 12;

/// The version in a tag.
fn version_in(tag: &str) -> &str {
    tag.split_once('~').map_or(tag, |(version, _)| version)
}

/// Gives an answer a tag.
pub(crate) fn put(response: &mut Response, tag: Option<&str>) {
    let tag = tag.and_then(|tag| HeaderValue::try_from(format!("\"{tag}\"")).ok());
    response.headers_mut().extend(tag.map(|tag| (ETAG, tag)));
}

/// Whether the client has what is sent already: `If-None-Match`, by which tags are compared weakly.
pub(crate) fn is_known(head: &HeaderMap, own: &str) -> WebResult<bool> {
    Ok(tags(head, &IF_NONE_MATCH)?.is_some_and(|tags| tags.any(|tag| tag == own)))
}

/// Whether `If-None-Match` excludes that a row of this version is written.
pub(crate) fn is_excluded(head: &HeaderMap, version: &Value) -> WebResult<bool> {
    let own = text_of(version);
    Ok(tags(head, &IF_NONE_MATCH)?.is_some_and(|tags| tags.any(|tag| own.as_deref() == Some(version_in(tag)))))
}

/// The tags of `If-Match`, if a client sends it.
pub(crate) fn if_match(head: &HeaderMap) -> WebResult<Option<Tags<'_>>> {
    tags(head, &IF_MATCH)
}

/// The answer to a client that has the row already.
pub(crate) fn not_modified(tag: &str) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    put(&mut response, Some(tag));
    response
}

/// Entity tags in a header.
pub(crate) enum Tags<'h> {
    /// `*`
    Any,
    /// Whether each is weak, and what is in its quotes.
    Of(Vec<(bool, &'h str)>),
}

impl Tags<'_> {
    /// The versions in them, compared strongly: a weak tag has none. There is no list of `*`.
    pub(crate) fn versions(&self, entity: &Entity) -> Option<Vec<Value>> {
        let Self::Of(tags) = self else { return None };
        let version = |tag: &str| Some(column(entity)?.1.coerce(&version_in(tag).into()).ok()?.into_owned());
        Some(tags.iter().filter(|(weak, _)| !weak).filter_map(|(_, tag)| version(tag)).collect())
    }

    /// Whether one of them is meant, be it weak.
    fn any(&self, is: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::Of(tags) => tags.iter().any(|(_, tag)| is(tag)),
        }
    }
}

fn tags<'h>(head: &'h HeaderMap, name: &HeaderName) -> WebResult<Option<Tags<'h>>> {
    let bad = || Problem::new(ProblemKind::BadRequest, format!("`{name}` is `*`, or a list of entity tags in quotes."));
    if !head.contains_key(name) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for value in head.get_all(name) {
        let mut rest = value.to_str().map_err(|_| bad())?.trim();
        if rest == "*" {
            return Ok(Some(Tags::Any));
        }
        // An element that is empty is none.
        while !rest.is_empty() {
            if let Some(next) = rest.strip_prefix(',') {
                rest = next.trim_start();
                continue;
            }
            let (weak, quoted) = rest.strip_prefix("W/").map_or((false, rest), |quoted| (true, quoted));
            let (tag, after) = quoted.strip_prefix('"').and_then(|quoted| quoted.split_once('"')).ok_or_else(bad)?;
            all.push((weak, tag));
            rest = after.trim_start();
            if !rest.is_empty() && !rest.starts_with(',') {
                return Err(bad());
            }
        }
    }
    Ok(Some(Tags::Of(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_knows_is_compared_weakly() {
        let head = |values: &[&'static str]| {
            let mut head = HeaderMap::new();
            head.extend(values.iter().map(|value| (IF_NONE_MATCH, HeaderValue::from_static(value))));
            head
        };
        let knows = |values: &[&'static str]| is_known(&head(values), "7").unwrap();
        assert!(knows(&["*"]) && knows(&["\"6\", W/\"7\""]) && knows(&["\"7\""]));
        assert!(!knows(&[]) && !knows(&["\"70\""]) && !knows(&["\"7~a\""]) && !knows(&[""]));
        let excludes = |values: &[&'static str]| is_excluded(&head(values), &7.into()).unwrap();
        assert!(excludes(&["*"]) && excludes(&["\"6\", W/\"7\""]) && excludes(&["\"7~a\""]));
        assert!(!excludes(&[]) && !excludes(&["\"70\""]) && !excludes(&[""]));
        assert!(is_excluded(&head(&["*"]), &Value::Null).unwrap());
        assert!(!is_excluded(&head(&["\"7\""]), &Value::Null).unwrap());
    }
}
