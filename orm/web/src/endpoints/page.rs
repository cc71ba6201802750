//! `POST /page`.

use std::io::Write as _;
use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use isogloss::service::QueryOf;

use super::json;
use super::paging::Paging;
use super::query::Asked;
use crate::include::{self, Wanted};
use crate::rows::{Items, JsonRow, items, joined};
use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// The default of `POST /page`: the page that a client's tree asks for. The answer has the number of skipped rows,
    /// the size of a page, the total number of rows, and the rows of the page.
    ///
    /// `total` counts the rows that pass the nearest filter below the page, its order and the pages inside of it.
    /// Without such a filter, and above a select list or groups, it counts all rows that the caller may see. A page of
    /// groups, joins, sets or distinct rows has other rows than the view. Without a select list that names them, its
    /// source is ignored, and the page is one of all rows; with [`Rules::strict`](crate::Rules::strict) it is refused.
    ///
    /// Parameters in the URL:
    ///
    /// - `count=none`: `total` is null.
    /// - `count=capped`: `total` is at most [`Rules::count_cap`](crate::Rules::count_cap), and `totalIsCapped` says
    ///   whether there are more rows.
    /// - `cursor=true`: the answer also has `next`, a cursor, or null if the page is not full and therefore the last
    ///   one.
    /// - `after=` with a cursor, and the same tree: the page that follows.
    /// - `include=items.product,customer`: the related rows within each row, as far as
    ///   [`Rules::include`](crate::Rules::include) allows it. The tree may have it, too: `"include": ["items.product"]`.
    ///
    /// All pages of a cursor together have each row once, even if rows are inserted and deleted in between. The order
    /// ends with the primary key, and NULL is above all other values, unless the order says otherwise. A cursor is
    /// valid for the same query of the same user in the same scope.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn page(&self, body: Bytes) -> WebResult<Response> {
        let paging = Paging::of(&self.parts.uri)?;
        let includes = &self.mounted.includes;
        if includes.is_empty() && paging.include.is_some() {
            return Err(include::refused());
        }
        let (body, paths) = includes.of_body(&body)?;
        let wanted = self.wanted(paging.include.as_deref(), &paths).await?;
        let asked = self.asked(&body, &wanted).await?;
        match self.page_of_asked(paging, asked, &wanted).await {
            Err(problem) if problem.kind() == ProblemKind::BadQuery => {
                self.explain_tree(&body).await?;
                Err(problem)
            }
            answered => answered,
        }
    }

    async fn page_of_asked(&self, paging: Paging, asked: Asked, wanted: &Wanted<'_>) -> WebResult<Response> {
        let mounted = &self.mounted;
        let Asked { skip, take, counted, rows, counts_pages, query, shape, columns } = asked;
        let walk = paging.walk(self, rows, skip, take, &columns).await?;
        let is_listed = shape.is_some();
        let row = shape.map_or_else(|| mounted.json(), |shape| Arc::new(JsonRow::new(&shape, mounted.rules.int64)));
        let service = self.service()?;
        let (query, keys) = match &walk {
            Some(walk) => (walk.query.clone(), walk.keys.clone()),
            None => (query, Vec::new()),
        };
        let failed = if is_listed { Problem::of_list } else { Problem::of_query };
        let most = mounted.rules.max_answer;
        let query = QueryOf::<()>::into_query(query);
        let items = if wanted.is_empty() {
            items(&*service, query, row, keys, most, failed).await.map_err(|problem| self.session.told(problem))?
        } else {
            let found = self.nested(&*service, query, row, &keys, failed, (&columns, wanted)).await?;
            let last = found.last().map(|row| row.keys.clone());
            Items { text: joined(&found, b','), count: found.len(), last }
        };
        // A page that is not full is the last one, so that nothing is left to be counted.
        let is_last = (items.count as u64) < take && (items.count > 0 || skip == 0);
        let known = (is_last && counts_pages && walk.is_none()).then(|| skip.saturating_add(items.count as u64));
        let told = |error| self.session.told(Problem::of_query(error));
        let total = paging.total(self, &*service, counted, known).await.map_err(told)?;
        let mut text = Vec::with_capacity(items.text.len() + 80);
        // Writing to a `Vec` cannot fail.
        let _ = write!(text, r#"{{"skip":{skip},"take":{take},"total":"#);
        let _ = match total.rows {
            Some(rows) => write!(text, "{rows}"),
            None => write!(text, "null"),
        };
        if let Some(is_capped) = total.is_capped {
            let _ = write!(text, r#","totalIsCapped":{is_capped}"#);
        }
        text.extend_from_slice(br#","items":["#);
        text.extend_from_slice(&items.text);
        text.push(b']');
        if let Some(walk) = walk {
            // A cursor has no character that JSON would have to escape.
            let _ = match walk.next(items.count, items.last)? {
                Some(cursor) => write!(text, r#","next":"{cursor}""#),
                None => write!(text, r#","next":null"#),
            };
        }
        text.push(b'}');
        Ok(json(text))
    }
}
