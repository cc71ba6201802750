//! `GET /`.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use isogloss::expr::SqlSegment;
use isogloss::service::QueryOf;

use crate::accept::Format;
use crate::include::{self, Columns, Wanted};
#[cfg(feature = "arrow")]
use crate::rows::ArrowRows;
use crate::rows::{CsvRows, JsonArray, NdJsonRows, RowWriter, joined, ndjson, streamed};
use crate::{Call, Problem, ProblemKind, QueryString, WebResult};

/// How many rows the list has at most.
const MAX_ROWS: HeaderName = HeaderName::from_static("x-max-rows");

impl Call {
    /// The default of `GET /`: all rows by their key, up to the limit of the rules. The header `X-Max-Rows` has that
    /// limit, or the size of a page if the query string asks for pages.
    ///
    /// The format is the one that `Accept` prefers: JSON, NDJSON (`application/x-ndjson`), CSV (`text/csv`) or, with
    /// the feature `arrow`, an Arrow IPC stream (`application/vnd.apache.arrow.stream`).
    ///
    /// With `?include=`, rows have related rows in them, as far as [`Rules::include`](crate::Rules::include) allows it. Such
    /// a list is JSON or NDJSON. It is not streamed, and has as many bytes at most as
    /// [`Rules::max_answer`](crate::Rules::max_answer) says.
    ///
    /// # Errors
    /// The problem to answer with.
    pub async fn list(&self) -> WebResult<Response> {
        let includes = &self.mounted.includes;
        let asked = self.parts.uri.query().unwrap_or_default();
        let (include, rest) =
            if includes.is_empty() { (None, asked.to_owned()) } else { include::of_url(&self.parts.uri)? };
        let wanted = self.wanted(include.as_deref(), &[]).await?;
        let formats = if wanted.is_empty() { Format::ALL } else { Format::NESTED };
        let format = Format::of(&self.parts.headers, formats)?;
        let (rows, most) = self.listed(&rest).await?;
        let mut response = if wanted.is_empty() {
            let query = self.mounted.seen(rows);
            streamed(self, QueryOf::<()>::into_query(query), self.writer(format)).await?
        } else {
            self.nested_list(rows, format, &wanted).await?
        };
        let headers = response.headers_mut();
        headers.append(VARY, HeaderValue::from_static("Accept"));
        if let Some(most) = most {
            headers.insert(MAX_ROWS, HeaderValue::from(most));
        }
        Ok(response)
    }

    /// The rows of the list, as the query string says where it may, and how many there are at most.
    async fn listed(&self, asked: &str) -> WebResult<(SqlSegment, Option<u64>)> {
        let (mounted, rules) = (&*self.mounted, &self.mounted.rules);
        let all = |rows: SqlSegment| match rules.max_list {
            Some(most) => (rows.take(most), Some(most)),
            None => (rows, None),
        };
        let text = match asked {
            "" => return Ok(all(mounted.in_key_order(mounted.rows()))),
            text if rules.query_string => text,
            _ => return Err(Problem::new(ProblemKind::BadQuery, "This list takes no query string.")),
        };
        let strings = QueryString::new(&mounted.catalog, mounted.view, mounted.policy()).page_size(rules.page_size);
        let strings = if rules.lenient { strings.lenient() } else { strings };
        let mut query = strings.read(text)?;
        if let Some(filter) = &query.filter {
            mounted.guard.check(filter).map_err(|refusal| Problem::from(refusal).nowhere())?;
        }
        self.may_skip(query.skip).map_err(|problem| problem.of_field("page"))?;
        // Some engines refuse the same key twice.
        let keys = mounted.key_order().into_iter();
        let keys: Vec<_> = keys.filter(|key| query.order.iter().all(|named| named.field != key.field)).collect();
        query.order.extend(keys);
        let rows = mounted.rows().filter(query.filter);
        let rows = if query.order.is_empty() { rows } else { rows.order_by(query.order) };
        // What this engine cannot compare is the client's to know.
        self.compiled(&rows).await.map_err(Problem::nowhere)?;
        Ok(if query.is_page { (rows.section(query.skip, query.take), Some(query.take)) } else { all(rows) })
    }

    /// A list whose rows have rows in them.
    async fn nested_list(&self, rows: SqlSegment, format: Format, wanted: &Wanted<'_>) -> WebResult<Response> {
        let mounted = &self.mounted;
        let columns = Columns::new(mounted.view(), wanted, mounted.visible().cloned().map(Some));
        let query = QueryOf::<()>::into_query(columns.of(rows));
        let service = self.service()?;
        let rows = self.nested(&*service, query, mounted.json(), &[], Problem::from, (&columns, wanted)).await?;
        let text = if format == Format::NdJson {
            ndjson(&rows, mounted.rules.ndjson_end)
        } else {
            [b"[", joined(&rows, b',').as_slice(), b"]"].concat()
        };
        let mut response = Response::new(Body::from(text));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format.content_type()));
        Ok(response)
    }

    fn writer(&self, format: Format) -> Box<dyn RowWriter> {
        let (mounted, rules) = (&self.mounted, &self.mounted.rules);
        match format {
            Format::Json => Box::new(JsonArray::new(mounted.json())),
            Format::NdJson => Box::new(NdJsonRows::new(mounted.json(), rules.ndjson_end)),
            Format::Csv => Box::new(CsvRows::new(&mounted.shape, rules.csv_guards)),
            #[cfg(feature = "arrow")]
            Format::Arrow => Box::new(ArrowRows::new(&mounted.shape)),
        }
    }
}
