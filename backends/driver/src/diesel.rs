//! Runs compiled statements on connections of [diesel] and of diesel-async.
//!
//! Each backend crate has a function that turns a compiled statement into a [`Statement`], with its parameters in the
//! types of its engine: `isogloss_sqlite::diesel::statement(&compiled)`. It is a query in diesel's sense, so that any
//! connection of diesel can load or execute it.

use std::fmt;
use std::marker::PhantomData;

use diesel::RunQueryDsl;
use diesel::backend::{Backend, DieselReserveSpecialization};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Untyped;

/// A compiled statement as a query of diesel.
///
/// `B` is the type of a bound parameter; each backend crate has its own. `ST` is the SQL type of its rows. Without one,
/// rows are read by column names into types that derive `QueryableByName`. Use [`typed`](Self::typed) to give the types
/// of the columns.
///
/// A connection keeps the statement prepared, with its text as the key, as it does with diesel's own queries. If a
/// program has very many different texts, such as INSERTs with varying numbers of rows, use
/// [`uncached`](Self::uncached).
#[must_use = "queries are only executed when calling `load`, `get_result`, or similar"]
pub struct Statement<'s, B, ST = Untyped> {
    sql: &'s str,
    binds: Vec<B>,
    cached: bool,
    row: PhantomData<ST>,
}

impl<'s, B> Statement<'s, B> {
    /// A statement with its parameters, in the order of the placeholders.
    pub fn new(sql: &'s str, binds: Vec<B>) -> Self {
        Self { sql, binds, cached: true, row: PhantomData }
    }
}

impl<'s, B, ST> Statement<'s, B, ST> {
    /// Sets the SQL types of the columns: `typed::<(Integer, Nullable<Text>)>()`. A row can then be read as a tuple.
    pub fn typed<Row>(self) -> Statement<'s, B, Row> {
        Statement { sql: self.sql, binds: self.binds, cached: self.cached, row: PhantomData }
    }

    /// Does not keep the statement prepared.
    pub fn uncached(self) -> Self {
        Self { cached: false, ..self }
    }
}

impl<B, ST> fmt::Debug for Statement<'_, B, ST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` with {} parameters", self.sql, self.binds.len())
    }
}

impl<DB, B, ST> QueryFragment<DB> for Statement<'_, B, ST>
where
    DB: Backend + DieselReserveSpecialization,
    B: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if !self.cached {
            pass.unsafe_to_cache_prepared();
        }
        pass.push_sql(self.sql);
        // The placeholders are in the text: each bind gives its value only.
        self.binds.iter().try_for_each(|bind| bind.walk_ast(pass.reborrow()))
    }
}

impl<B, ST> QueryId for Statement<'_, B, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<B, ST> Query for Statement<'_, B, ST> {
    type SqlType = ST;
}

impl<B, ST, Connection> RunQueryDsl<Connection> for Statement<'_, B, ST> {}
