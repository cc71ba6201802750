//! Arguments of searches by services.

use isogloss_compiler::expr::{Expr, ForeignExpr, GenericSqlExpr, LogicExpr, SelectExpr, SqlSegment, from};

use crate::dao::{Search, SearchOf};
use crate::entity::{Column, Condition, Entity, Field, LogText, Logable, Query, Takes, Truth, Typed};

/// What a service searches for: all rows, a filter, or a query; never SQL of the program's own.
#[derive(Debug, Clone, Default)]
pub struct ServiceQuery(Search);

impl ServiceQuery {
    /// The tree; `None` is all rows.
    #[must_use]
    pub fn expr(&self) -> Option<&Expr> {
        self.0.expr()
    }

    pub(super) fn into_search(self) -> Search {
        self.0
    }

    /// It with a limit of one row, over the rows of that entity.
    pub(super) fn first_of(self, entity: &str) -> Search {
        match self.0 {
            Search::All => from(entity.to_owned()).take(1).into(),
            Search::Expr(Expr::Logic(filter)) => from(entity.to_owned()).filter(filter).take(1).into(),
            Search::Expr(Expr::Segment(query)) => query.take(1).into(),
            other => other,
        }
    }
}

impl Logable for ServiceQuery {
    fn log(&self, text: &mut LogText) {
        self.expr().log(text);
    }
}

/// An argument of a search for rows of `V` by a service: `()` for all rows, a condition on `V` or on the entity of a
/// view `V`, a query of `V`, and trees that are known only at run time.
///
/// Templates of the program's own SQL, which [`SearchOf`] accepts too, require an
/// [`ObjectViewDao`](crate::dao::ObjectViewDao):
///
/// ```compile_fail,E0277
/// use isogloss::prelude::*;
/// use isogloss::service::EntityViewService;
/// #[derive(Debug, Clone, Entity)]
/// struct Note {
///     #[column(primary_key)]
///     id: i64,
/// }
/// async fn all(notes: &EntityViewService<Note>) -> OrmResult<Vec<Note>> {
///     notes.search(sql!("SELECT {AllFields} FROM {From}")).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no search of rows of `{V}` through a service",
    label = "no condition or query for rows of `{V}`",
    note = "`()` finds every row",
    note = "a template of the program's own SQL (`sql!`) is for `ObjectViewDao`, a service takes conditions and queries"
)]
pub trait QueryOf<V> {
    /// Converts it to a query of a service.
    fn into_query(self) -> ServiceQuery;
}

macro_rules! queries {
    ($([$($generics:tt)*] $of:ty $(where $($bound:tt)*)?;)*) => {$(
        impl<$($generics)*> QueryOf<V> for $of $(where $($bound)*)? {
            fn into_query(self) -> ServiceQuery {
                ServiceQuery(SearchOf::<V>::into_search(self))
            }
        }
    )*};
}

queries! {
    [V] ();
    [V] Expr;
    [V] LogicExpr;
    [V] Option<LogicExpr>;
    [V] ForeignExpr;
    [V] GenericSqlExpr;
    [V] SqlSegment;
    [V] SelectExpr;
    [V: Entity, R] Query<V, R>;
    [V: Takes<E>, E] Condition<E>;
    [V: Takes<E>, E] Option<Condition<E>>;
    [V: Takes<E>, E, T: Field<Base: Truth>] Column<E, T>;
    [V: Takes<E>, E, T: Field<Base: Truth>] Typed<E, T>;
}

impl<V> QueryOf<V> for ServiceQuery {
    fn into_query(self) -> ServiceQuery {
        self
    }
}
