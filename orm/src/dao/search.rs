//! What can be searched for.

use isogloss_compiler::expr::{Expr, LogicExpr, SelectExpr, SqlSegment};
use isogloss_compiler::{ExprString, StatementRef};

use crate::OrmResult;
use crate::entity::{Entity, FieldError, Query};

/// What a search asks: everything, a filter, a query, or a template of the program's own SQL.
///
/// ```
/// use isogloss::dao::Search;
/// use isogloss::prelude::*;
/// let searches: [Search; 4] = [
///     ().into(),
///     prop("Id").gt(5).into(),
///     Some(prop("Id").gt(5)).into(),
///     from("User").order_by(["Name"]).take(10).into(),
/// ];
/// # let _ = searches;
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Search {
    /// Every row.
    #[default]
    All,
    /// A filter, or a query.
    Expr(Expr),
    /// A template.
    Template(ExprString),
}

impl Search {
    /// It as the compiler takes it.
    ///
    /// # Errors
    /// It is a statement that writes: a tree that came from outside must not do that where rows are read.
    pub(super) fn statement(&self) -> OrmResult<StatementRef<'_>> {
        match self {
            Self::All => Ok(StatementRef::Root),
            Self::Expr(Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_)) => {
                let message = "a search reads: give it a filter or a query, and the others to an `ObjectDao`";
                Err(FieldError::new(message).into())
            }
            Self::Expr(expr) => Ok(expr.into()),
            Self::Template(template) => Ok(template.into()),
        }
    }

    /// How many rows it gives at most, if it says so.
    pub(super) fn most(&self) -> Option<u64> {
        let Some(Expr::Segment(segment)) = self.expr() else { return None };
        let mut segment = segment;
        loop {
            segment = match segment {
                SqlSegment::Section(section) => return section.take,
                SqlSegment::Select(select) => select.source.as_ref()?,
                SqlSegment::Lock(lock) => lock.source.as_ref()?,
                _ => return None,
            };
        }
    }

    /// The tree that it is, if it is one.
    pub(super) fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Expr(expr) => Some(expr),
            Self::All | Self::Template(_) => None,
        }
    }
}

impl From<()> for Search {
    fn from((): ()) -> Self {
        Self::All
    }
}

impl From<Expr> for Search {
    fn from(expr: Expr) -> Self {
        Self::Expr(expr)
    }
}

impl From<LogicExpr> for Search {
    fn from(filter: LogicExpr) -> Self {
        Self::Expr(filter.into())
    }
}

/// Without a filter, every row.
impl From<Option<LogicExpr>> for Search {
    fn from(filter: Option<LogicExpr>) -> Self {
        filter.map_or(Self::All, Self::from)
    }
}

impl From<SqlSegment> for Search {
    fn from(query: SqlSegment) -> Self {
        Self::Expr(query.into())
    }
}

impl From<SelectExpr> for Search {
    fn from(query: SelectExpr) -> Self {
        Self::Expr(query.into_segment().into())
    }
}

impl<E: Entity> From<Query<E>> for Search {
    fn from(query: Query<E>) -> Self {
        SqlSegment::from(query).into()
    }
}

impl From<ExprString> for Search {
    fn from(template: ExprString) -> Self {
        Self::Template(template)
    }
}
