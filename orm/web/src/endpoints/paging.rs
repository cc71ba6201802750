//! What a page is asked for besides its tree: a cursor, and how its rows are counted.

use std::time::SystemTime;

use axum::extract::Query;
use axum::http::Uri;
use isogloss::OrmResult;
use isogloss::expr::{DbType, SqlSegment, Value};
use isogloss::service::{DynamicServiceOps, QueryOf};
use serde::Deserialize;

use super::at_most;
use crate::cursor::{Keyset, Subject};
use crate::include::Columns;
use crate::{Call, CursorKeys, Problem, ProblemKind, WebResult};

/// The parameters of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paging {
    /// The cursor that the page is behind.
    after: Option<String>,
    /// Whether the answer has a cursor. One behind a cursor has it anyway.
    #[serde(default)]
    cursor: bool,
    #[serde(default)]
    count: Count,
    /// The relations whose rows are included.
    pub(super) include: Option<String>,
}

/// How the rows are counted that all pages have together.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Count {
    None,
    #[default]
    Exact,
    Capped,
}

/// How many rows there are, as far as it is known.
#[derive(Debug)]
pub(super) struct Total {
    pub(super) rows: Option<u64>,
    /// Whether there are more, where that was asked.
    pub(super) is_capped: Option<bool>,
}

/// A page of a walk through rows, from cursor to cursor.
pub(super) struct Walk<'c> {
    signer: &'c CursorKeys,
    subject: Subject,
    take: u64,
    /// The rows of the page.
    pub(super) query: SqlSegment,
    /// Where the keys stand in them.
    pub(super) keys: Vec<(usize, DbType)>,
}

impl Paging {
    /// Reads a URL.
    pub(super) fn of(uri: &Uri) -> WebResult<Self> {
        let read = Query::try_from_uri(uri).map(|Query(paging)| paging);
        read.map_err(|_| {
            let detail =
                "A page takes `after`, a cursor; `cursor`, true or false; `count`, which is none, exact or capped; and \
                 `include`, a list of relations; each once, and nothing else.";
            Problem::new(ProblemKind::BadQuery, detail)
        })
    }

    /// Counts rows, unless their number is known: all, if there are none given.
    pub(super) async fn total(
        &self,
        call: &Call,
        service: &dyn DynamicServiceOps,
        counted: Option<SqlSegment>,
        known: Option<u64>,
    ) -> OrmResult<Total> {
        let number = async |rows: Option<SqlSegment>| match (known, rows) {
            (Some(known), _) => Ok(known),
            (None, Some(rows)) => service.number_of(QueryOf::<()>::into_query(rows)).await,
            (None, None) => service.number_of(QueryOf::<()>::into_query(())).await,
        };
        Ok(match self.count {
            Count::None => Total { rows: None, is_capped: None },
            Count::Exact | Count::Capped => {
                let rules = &call.mounted.rules;
                let cap = match self.count {
                    Count::Capped => Some(rules.max_count.unwrap_or(u64::MAX).min(rules.count_cap)),
                    _ => rules.max_count,
                };
                let Some(cap) = cap else {
                    return Ok(Total { rows: Some(number(counted).await?), is_capped: None });
                };
                let rows = counted.unwrap_or_else(|| call.mounted.rows());
                let rows = number(Some(at_most(rows, cap.saturating_add(1)))).await?;
                Total { rows: Some(rows.min(cap)), is_capped: Some(rows > cap) }
            }
        })
    }

    /// The page behind the cursor, or the first one of a walk; nothing where no cursor is asked for.
    pub(super) async fn walk<'c>(
        &self,
        call: &'c Call,
        rows: Option<SqlSegment>,
        skip: u64,
        take: u64,
        columns: &Columns,
    ) -> WebResult<Option<Walk<'c>>> {
        if self.after.is_none() && !self.cursor {
            return Ok(None);
        }
        let refused = |detail| Problem::new(ProblemKind::BadQuery, detail);
        if skip > 0 {
            return Err(refused("A cursor is where a page begins: leave `Skip` out.").at("$.Skip"));
        }
        let rows =
            rows.ok_or_else(|| refused("A cursor goes through rows: leave `$select` and `After` out.").at("$"))?;
        let mounted = &*call.mounted;
        let signer = mounted.host.cursor_keys.as_deref().ok_or_else(|| Problem::of(ProblemKind::Internal))?;
        let keyset =
            Keyset::new(rows, &mounted.catalog, mounted.view(), |name| mounted.visible().any(|own| own == name))?;
        let all = keyset.all();
        let subject = Subject::new(&all, call.session());
        let page = match &self.after {
            Some(cursor) => keyset.after(signer.open(&subject, cursor, SystemTime::now())?, take)?,
            None => all.take(take),
        };
        let keys = keyset.keys().filter_map(|(name, ty)| Some((columns.place(name)?, ty))).collect();
        let query = columns.of(page);
        // What cannot be compared on this engine is the client's to know.
        call.compiled(&query).await?;
        Ok(Some(Walk { signer, subject, take, query, keys }))
    }
}

impl Walk<'_> {
    /// The cursor behind the last of so many rows; nothing where the page is not full, as there are no more.
    pub(super) fn next(&self, count: usize, last: Option<Vec<Value>>) -> WebResult<Option<String>> {
        match last {
            Some(keys) if count as u64 >= self.take => {
                self.signer.sign(&self.subject, keys, SystemTime::now()).map(Some)
            }
            _ => Ok(None),
        }
    }
}
