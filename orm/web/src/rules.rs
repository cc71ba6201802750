//! The rules of a controller.

use std::time::Duration;

use isogloss::expr::Name;
use isogloss::json::ReadLimits;
use isogloss::walk::QueryPolicy;

/// What clients of a controller may do, and how much.
///
/// By default clients only read: `POST`, `PUT` and `DELETE` are answered with 405. [`allow_insert`](Self::allow_insert),
/// [`allow_update`](Self::allow_update) and [`allow_delete`](Self::allow_delete) open them one by one,
/// [`allow_writes`](Self::allow_writes) opens all of them. Clients then set the columns that are `#[column(writable)]`
/// and visible, and no others.
///
/// ```
/// use std::time::Duration;
/// use isogloss::walk::QueryPolicy;
/// use isogloss_web::{Int64, Rules};
/// let rules = Rules::new()
///     .allow_insert()
///     .allow_update()
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
    pub(crate) json: ReadLimits,
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
    pub(crate) verbs: Vec<Verb>,
    pub(crate) filled: Vec<Name>,
    pub(crate) anonymous_writes: bool,
    pub(crate) require_version: bool,
    pub(crate) includes: Vec<String>,
    pub(crate) max_included_of_one: u64,
    pub(crate) max_included: u64,
}

/// A write that clients may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Insert,
    Update,
    Delete,
}

/// The notation of 64-bit whole numbers and decimals in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Int64 {
    /// As numbers with all digits. JavaScript's `JSON.parse` rounds whole numbers above 2^53.
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
            json: ReadLimits::DEFAULT,
            page_size: 20,
            max_page_size: 100,
            max_skip: None,
            max_list: Some(1_000),
            timeout: Duration::from_secs(30),
            max_body: 256 * 1024,
            int64: Int64::default(),
            strict: true,
            count_cap: 10_000,
            query_string: false,
            lenient: false,
            csv_guards: true,
            ndjson_end: false,
            max_answer: 8 * 1024 * 1024,
            max_count: None,
            verbs: Vec::new(),
            filled: Vec::new(),
            anonymous_writes: false,
            require_version: false,
            includes: Vec::new(),
            max_included_of_one: 100,
            max_included: 5_000,
        }
    }
}

impl Rules {
    /// The default rules: clients only read, in pages of 20 rows and at most 100, and lists of at most 1,000 rows.
    /// Bodies have at most 256 KiB, answers of pages at most 8 MiB, and a request takes at most 30 seconds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the controller's name in the path, instead of the entity's: ASCII letters, digits, `-`, `_`.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the policy for clients' trees. By default it is [`QueryPolicy::new`] of the controller's view. Properties
    /// that it denies are not shown either.
    #[must_use]
    pub fn policy(self, policy: QueryPolicy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Shows properties of the view that clients may not use in queries.
    #[must_use]
    pub fn show<N: Into<Name>>(mut self, properties: impl IntoIterator<Item = N>) -> Self {
        self.shown.extend(properties.into_iter().map(Into::into));
        self
    }

    /// Sets the limits of a page's tree, and how deep JSON documents in rows may be nested.
    #[must_use]
    pub fn json(self, limits: ReadLimits) -> Self {
        Self { json: limits, ..self }
    }

    /// Sets the usual and the maximal number of rows in a page.
    #[must_use]
    pub fn page_sizes(self, usual: u64, most: u64) -> Self {
        Self { page_size: usual, max_page_size: most, ..self }
    }

    /// Sets how many rows a page may skip, including the pages inside of its tree; also for pages of a list by its
    /// query string. More is answered with 400. There is no limit by default.
    #[must_use]
    pub fn max_skip(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_skip: rows.into(), ..self }
    }

    /// Sets the maximal number of rows of a list; `None` is no limit.
    #[must_use]
    pub fn max_list(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_list: rows.into(), ..self }
    }

    /// Sets the time limit of a request, from reading its head until the answer is ready; for a list, until its last
    /// byte is sent. What still runs then is cancelled.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the maximal size of a body, in bytes.
    #[must_use]
    pub fn max_body(self, bytes: usize) -> Self {
        Self { max_body: bytes, ..self }
    }

    /// Sets the maximal size of the rows of a page, or of the row of `GET /{id}`, as JSON in bytes. More is answered
    /// with 422, and the query ends. Rows that are [included](Self::include) are a part of it. Lists are streamed, and
    /// limited by [`max_list`](Self::max_list); a list with included rows is not streamed, and limited by both.
    #[must_use]
    pub fn max_answer(self, bytes: usize) -> Self {
        Self { max_answer: bytes, ..self }
    }

    /// Allows clients to insert rows by `POST`, if a column is `#[column(writable)]` and visible.
    ///
    /// A row needs a value in each column that is never NULL and has no default. Clients set those that are writable;
    /// the scope of the request sets those that it fixes. [`filled`](Self::filled) names those that the program sets.
    /// If one remains, `POST` is answered with 422, and the log names the column.
    #[must_use]
    pub fn allow_insert(self) -> Self {
        self.allow(Verb::Insert)
    }

    /// Allows clients to update rows by `PUT`, if a column is `#[column(writable)]` and visible.
    #[must_use]
    pub fn allow_update(self) -> Self {
        self.allow(Verb::Update)
    }

    /// Allows clients to delete rows by `DELETE`, whether or not they may write a column.
    #[must_use]
    pub fn allow_delete(self) -> Self {
        self.allow(Verb::Delete)
    }

    /// Allows clients to insert, update and delete rows. This is the specification's form.
    ///
    /// As the default of [`Controllers`](crate::Controllers) it also opens `DELETE` of entities that have no writable
    /// column. Give rules of their own to entities whose rows clients must not delete.
    #[must_use]
    pub fn allow_writes(self) -> Self {
        self.allow_insert().allow_update().allow_delete()
    }

    fn allow(mut self, verb: Verb) -> Self {
        if !self.verbs.contains(&verb) {
            self.verbs.push(verb);
        }
        self
    }

    /// Refuses all writes, including those that were allowed before.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { verbs: Vec::new(), ..self }
    }

    /// Names columns that the program fills in an insert: in [events](isogloss::service::EntityEvents), in the
    /// controller's service, or by the `Default` of the entity's struct.
    ///
    /// It is needed for columns that are never NULL, have no default in the database, and are not set by clients.
    #[must_use]
    pub fn filled<N: Into<Name>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.filled.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Allows writes by unknown callers, for whom [`Host::authenticate`](crate::Host::authenticate) returns `None`. By
    /// default they are answered with 401. If the host has no `authenticate`, anyone may write. An endpoint of the
    /// program's own that writes what the rules do not allow has to check this itself.
    #[must_use]
    pub fn anonymous_writes(self) -> Self {
        Self { anonymous_writes: true, ..self }
    }

    /// Requires that a `PUT` or `DELETE` says which version of the row it is about, by `If-Match` or in the body;
    /// otherwise it is answered with 428. Clients then cannot overwrite what they have not read, except by `If-Match:
    /// *`, which stands for any version. It does not affect entities without a version column.
    #[must_use]
    pub fn require_version(self) -> Self {
        Self { require_version: true, ..self }
    }

    /// Allows clients to include related rows, by the paths of relations of the view: `items.product` allows `items`, too.
    /// Nothing else can be included, and nothing deeper. By default that is nothing. A list with a query string then has no
    /// conditions on a property called `include`.
    ///
    /// The rows are those of the related entity's own controller, which the same host has to serve: its view, its
    /// properties, its service, and what [`included`](crate::EntityController::included) says. If there is none,
    /// [`Controllers`](crate::Controllers) is not mounted; a single controller answers 500, and the log says once what is
    /// missing. Layers around the routes of the related controller, its own `get`, `list` and `page`, and its limits do not
    /// hold for included rows: the limits are those of the controller that includes them.
    ///
    /// To include a relation of many to many grants reading which rows are linked. The scope, fixed filters and
    /// `soft_delete` of the entity between hold, and its controller, if the host has one, is asked whether the caller may
    /// read its rows.
    ///
    /// Where `has_one` finds several rows, the first by its primary key is included.
    ///
    /// ```
    /// use isogloss_web::Rules;
    /// let rules = Rules::new().include(["items.product", "customer"]).max_included(20, 1_000);
    /// # let _ = rules;
    /// ```
    #[must_use]
    pub fn include<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.includes.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Sets how many rows of a relation to many are included in one row at most, and how many rows in an answer; 100 and 5,000
    /// by default. A row that several rows relate to counts once; with many to many, once for each link. All rows count that a
    /// `has_one` finds. More is answered with 422: nothing is cut off.
    #[must_use]
    pub fn max_included(self, of_one: u64, all: u64) -> Self {
        Self { max_included_of_one: of_one, max_included: all, ..self }
    }

    /// Sets the notation of 64-bit whole numbers and decimals in JSON.
    #[must_use]
    pub fn int64(self, int64: Int64) -> Self {
        Self { int64, ..self }
    }

    /// Refuses a tree that is neither a page nor a filter, and a page of groups, joins, sets or distinct rows without a
    /// select list. This is the default, and takes [`lenient_pages`](Self::lenient_pages) back.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Ignores a tree that is neither a page nor a filter, and answers it with the first page of **all rows**. This is
    /// rule 5 of the specification's page endpoint. The log has a warning for each controller that does so.
    ///
    /// A `$where`, `$orderby` or `$select` without a `$section` is such a tree: its filter is ignored. So are values
    /// such as `5`, an `and` without items, and the source of a page of groups, joins, sets or distinct rows without a
    /// select list. A `$section` directly over a filter is a page of all rows.
    #[must_use]
    pub fn lenient_pages(self) -> Self {
        Self { strict: false, ..self }
    }

    /// Sets how many rows a page counts at most for `count=capped`; 10,000 by default.
    #[must_use]
    pub fn count_cap(self, rows: u64) -> Self {
        Self { count_cap: rows, ..self }
    }

    /// Sets how many rows are counted at most for a page's exact total and by `GET /count`. At that number, there may
    /// be more rows, and a page has `totalIsCapped`. There is no limit by default.
    #[must_use]
    pub fn max_count(self, rows: impl Into<Option<u64>>) -> Self {
        Self { max_count: rows.into(), ..self }
    }

    /// Allows a query string for the list, in the notation of [`QueryString`](crate::QueryString):
    /// `?status=Paid&orderby=id desc`. Without `page`, the list has its usual maximum of rows, with it the usual number
    /// of a page.
    #[must_use]
    pub fn query_string(self) -> Self {
        Self { query_string: true, ..self }
    }

    /// Allows a query string for the list, as [`query_string`](Self::query_string) does, and ignores unknown names. A
    /// client's misspelling then filters nothing.
    #[must_use]
    pub fn lenient_query_string(self) -> Self {
        Self { query_string: true, lenient: true, ..self }
    }

    /// Writes texts, and bytes in Base64, into CSV as they are. By default, a `'` is put before a text that begins with
    /// `=`, `+`, `-`, `@`, a tab, a carriage return or a line feed, as spreadsheets would run it as a formula. A
    /// program that reads the list cannot distinguish it from a `'` of the text itself.
    #[must_use]
    pub fn raw_csv(self) -> Self {
        Self { csv_guards: false, ..self }
    }

    /// Ends an NDJSON list with a line that has the number of rows, `{"$end":{"rows":20}}`, so that a truncated list is
    /// recognized even behind a proxy.
    #[must_use]
    pub fn ndjson_end(self) -> Self {
        Self { ndjson_end: true, ..self }
    }
}
