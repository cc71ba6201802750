//! Compiled statements on connections of [diesel] and of diesel-async.
//!
//! The backend crates make a [`Statement`] of a compiled one, with its parameters as their engine takes them:
//! `isogloss_sqlite::diesel::statement(&compiled)`. It is a query of diesel's, so that whoever holds a connection of it
//! can run it.

use std::fmt;
use std::marker::PhantomData;

use diesel::RunQueryDsl;
use diesel::backend::{Backend, DieselReserveSpecialization};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Untyped;

/// A compiled statement as a query of diesel's.
///
/// `B` is a bound parameter; the backend crates have one each. `ST` is the type of its rows: as they come, a row is read
/// by the names of its columns into what derives `QueryableByName`; [`typed`](Self::typed) says what they are.
///
/// A connection keeps it prepared, by its text, as it does with diesel's own queries, and for as long. Where texts are
/// of many kinds, as those of INSERTs of ever other numbers of rows, say [`uncached`](Self::uncached).
#[must_use = "queries are only executed when calling `load`, `get_result`, or similar"]
pub struct Statement<'s, B, ST = Untyped> {
    sql: &'s str,
    binds: Vec<B>,
    cached: bool,
    row: PhantomData<ST>,
}

impl<'s, B> Statement<'s, B> {
    /// A statement and its parameters, in the order of the placeholders.
    pub fn new(sql: &'s str, binds: Vec<B>) -> Self {
        Self { sql, binds, cached: true, row: PhantomData }
    }
}

impl<'s, B, ST> Statement<'s, B, ST> {
    /// With rows of these types, one for each column: `typed::<(Integer, Nullable<Text>)>()`. Then a row may be a tuple.
    pub fn typed<Row>(self) -> Statement<'s, B, Row> {
        Statement { sql: self.sql, binds: self.binds, cached: self.cached, row: PhantomData }
    }

    /// Not kept prepared.
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
