//! What a controller allows.

use std::time::Duration;

use isogloss::expr::Name;
use isogloss::json::Limits;
use isogloss::walk::QueryPolicy;

/// What clients of a controller may do, and how much.
///
/// Clients write rows of an entity that has a column for them to set: one that is `#[column(writable)]`, and visible. An entity
/// without one is read-only: `POST`, `PUT` and `DELETE` are answered with 405.
///
/// ```
/// use std::time::Duration;
/// use isogloss::walk::QueryPolicy;
/// use isogloss_web::{Int64, Rules};
/// let rules = Rules::new()
///     .policy(QueryPolicy::new("OrderView").allow_entity("Department"))
///     .page_sizes(20, 50)
///     .max_list(10_000)
///     .timeout(Duration::from_secs(5))
///     .int64(Int64::String);
/// # let _ = rules;
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    pub(crate) name: Option<String>,
    pub(crate) policy: Option<QueryPolicy>,
    pub(crate) shown: Vec<Name>,
    pub(crate) json: Limits,
    pub(crate) page_size: u64,
    pub(crate) max_page_size: u64,
    pub(crate) max_skip: Option<u64>,
    pub(crate) max_list: Option<u64>,
    pub(crate) timeout: Duration,
    pub(crate) max_body: usize,
    pub(crate) int64: Int64,
    pub(crate) strict: bool,
    pub(crate) count_cap: u64,
    pub(crate) query_string: bool,
    pub(crate) lenient: bool,
    pub(crate) csv_guards: bool,
    pub(crate) ndjson_end: bool,
    pub(crate) max_answer: usize,
    pub(crate) max_count: Option<u64>,
    pub(crate) read_only: bool,
    pub(crate) deletable: bool,
    pub(crate) anonymous_writes: bool,
    pub(crate) require_version: bool,
}

/// How 64-bit whole numbers and decimals are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Int64 {
    /// As numbers, with all their digits. JavaScript's `JSON.parse` rounds whole numbers above 2^53.
    #[default]
    Number,
    /// As texts.
    String,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            name: None,
            policy: None,
            shown: Vec::new(),
            json: Limits::DEFAULT,
            page_size: 20,
            max_page_size: 100,
            max_skip: None,
            max_list: Some(1_000),
            timeout: Duration::from_secs(30),
            max_body: 256 * 1024,
            int64: Int64::default(),
            strict: false,
            count_cap: 10_000,
            query_string: false,
            lenient: false,
            csv_guards: true,
            ndjson_end: false,
            max_answer: 8 * 1024 * 1024,
            max_count: None,
            read_only: false,
            deletable: false,
            anonymous_writes: false,
            require_version: false,
        }
    }
}

impl Rules {
    /// Those of a controller that says nothing: pages of 20 rows and at most 100, lists of at most 1,000, bodies of at most
    /// 256 KiB, rows of a page of at most 8 MiB, 30 seconds a request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The part of the path that is the controller's, instead of the entity's name: ASCII letters, digits, `-`, `_`.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// What a client's tree may say, instead of what [`QueryPolicy::new`] allows over the controller's view. What it denies is
    /// not shown either.
    #[must_use]
    pub fn policy(self, policy: QueryPolicy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Shows properties of the view that a client may not name.
    #[must_use]
    pub fn show<N: Into<Name>>(mut self, properties: impl IntoIterator<Item = N>) -> Self {
        self.shown.extend(properties.into_iter().map(Into::into));
        self
    }

    /// How large the tree of a page may be; also how deep JSON documents in rows may nest.
    #[must_use]
    pub fn json(self, limits: Limits) -> Self {
        Self { json: limits, ..self }
    }

    /// How many rows a page has where the client says nothing, and how many it has at most.
    #[must_use]
    pub fn page_sizes(self, usual: u64, most: u64) -> Self {
        Self { page_size: usual, max_page_size: most, ..self }
    }

    /// How many rows a page may skip, together with the pages that its tree has inside; also a page of a list, by its query
    /// string. A client that asks for more gets a 400. No bound from the start.
    #[must_use]
    pub fn max_skip(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_skip: rows.into(), ..self }
    }

    /// How many rows a list has at most; with `None`, all of them.
    #[must_use]
    pub fn max_list(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_list: rows.into(), ..self }
    }

    /// How long a request may take, from when its head was read until the answer is made; a list, until its last byte is
    /// sent. What runs then is cancelled.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How many bytes a body may have.
    #[must_use]
    pub fn max_body(self, bytes: usize) -> Self {
        Self { max_body: bytes, ..self }
    }

    /// How many bytes the rows of a page, or the one row of `GET /{id}`, may have as JSON. A client that asks for more gets a
    /// 422, and the query ends. Lists are streamed: [`max_list`](Self::max_list) bounds their rows.
    #[must_use]
    pub fn max_answer(self, bytes: usize) -> Self {
        Self { max_answer: bytes, ..self }
    }

    /// Refuses every write: `POST`, `PUT` and `DELETE` are answered with 405.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { read_only: true, ..self }
    }

    /// Lets clients delete rows though they may set no column of them.
    #[must_use]
    pub fn deletable(self) -> Self {
        Self { deletable: true, ..self }
    }

    /// Lets callers write of whom [`Host::authenticate`](crate::Host::authenticate) gives `None`. From the start they are refused,
    /// with 401. Where the host has no `authenticate`, anybody may write. An endpoint of the program's own over an entity of which
    /// clients may set nothing asks for itself.
    #[must_use]
    pub fn anonymous_writes(self) -> Self {
        Self { anonymous_writes: true, ..self }
    }

    /// Refuses a `PUT` and a `DELETE` that do not say which version of the row they are about, by `If-Match` or in the body:
    /// with 428. Nobody overwrites then what they have not read, unless by `If-Match: *`, which stands for any version. Entities
    /// without a version column are not concerned.
    #[must_use]
    pub fn require_version(self) -> Self {
        Self { require_version: true, ..self }
    }

    /// How 64-bit whole numbers and decimals are written in JSON.
    #[must_use]
    pub fn int64(self, int64: Int64) -> Self {
        Self { int64, ..self }
    }

    /// Refuses a tree that is neither a page nor a filter, and a page of groups, joins, sets or distinct rows without a select
    /// list. Otherwise they are ignored: a page of all rows is answered.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// How many rows a page counts at most where the client asks for `count=capped`. 10,000 from the start.
    #[must_use]
    pub fn count_cap(self, rows: u64) -> Self {
        Self { count_cap: rows, ..self }
    }

    /// How far rows are counted, where clients ask for a page's exact total and by `GET /count`: that number says that there are
    /// as many rows or more, and a page has `totalIsCapped`. No bound from the start.
    #[must_use]
    pub fn max_count(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_count: rows.into(), ..self }
    }

    /// Lets the list take a query string in the notation of [`QueryString`](crate::QueryString): `?status=Paid&orderby=id desc`.
    /// Without `page` it has as many rows as a list may have, with it the usual number of a page.
    #[must_use]
    pub fn query_string(self) -> Self {
        Self { query_string: true, ..self }
    }

    /// Lets the list take a query string, as [`query_string`](Self::query_string) does, and ignores what names no property in it.
    /// What a client misspells then filters nothing.
    #[must_use]
    pub fn lenient_query_string(self) -> Self {
        Self { query_string: true, lenient: true, ..self }
    }

    /// Writes texts, and bytes as Base64, into CSV as they are. Otherwise a `'` stands before each that begins with `=`, `+`,
    /// `-`, `@`, a tab, a carriage return or a line feed, since spreadsheets take it for a formula and run it. A program that reads
    /// the list cannot tell that `'` from one of the text's own.
    #[must_use]
    pub fn raw_csv(self) -> Self {
        Self { csv_guards: false, ..self }
    }

    /// Ends a list of NDJSON with a line that says how many rows there were, `{"$end":{"rows":20}}`, so that one that is cut
    /// off is known also where a proxy hides it.
    #[must_use]
    pub fn ndjson_end(self) -> Self {
        Self { ndjson_end: true, ..self }
    }
}
