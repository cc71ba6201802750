//! Statements: queries, and what writes.

use crate::expr::{LockMode, LockWait, SelectSetType, TableJoinType, Value};
use crate::model::Column;

use super::{Literal, Pred, Scalar, ScalarKind};

/// A query: a select or a set operation, with its order and paging.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Query<'a, 'e> {
    /// Its common table expressions; at the root only.
    pub ctes: &'a [Cte<'a, 'e>],
    /// What it is.
    pub body: Body<'a, 'e>,
    /// Its order.
    pub order: &'a [Order<'a, 'e>],
    /// How many rows at most.
    pub limit: Option<Scalar<'a, 'e>>,
    /// How many rows are skipped.
    pub offset: Option<Scalar<'a, 'e>>,
    /// Its lock.
    pub lock: Option<Lock<'a>>,
    /// Whether it is below EXISTS and has one row at most, by a key: then it may be a join.
    pub by_key: bool,
}

impl Query<'_, '_> {
    /// Whether it is `SELECT NULL`.
    pub(crate) fn is_null(&self) -> bool {
        let null = |item: &Item<'_, '_>| matches!(item.value.kind, ScalarKind::Literal(Literal::Null));
        matches!(self.body, Body::Select(Select { from: None, items: Items::List([item]), .. }) if null(item))
    }
}

/// A row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock<'a> {
    /// How rows are locked.
    pub mode: LockMode,
    /// What to do about locked ones.
    pub wait: LockWait,
    /// A column of the table whose rows are locked, quoted and qualified.
    pub column: Option<&'a str>,
}

impl Lock<'_> {
    /// The lock as a hint behind the table itself says it.
    pub(crate) fn without_column(self) -> Lock<'static> {
        Lock { mode: self.mode, wait: self.wait, column: None }
    }
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Cte<'a, 'e> {
    /// Its quoted name.
    pub name: &'a str,
    /// Its quoted columns; given where it is recursive.
    pub columns: &'a [&'a str],
    /// Its definition.
    pub query: &'a Query<'a, 'e>,
    /// Whether it refers to itself.
    pub recursive: bool,
}

/// The body of a query.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
#[doc(hidden)]
pub enum Body<'a, 'e> {
    Select(&'a Select<'a, 'e>),
    Set { op: SelectSetType, left: &'a Query<'a, 'e>, right: &'a Query<'a, 'e> },
}

/// A select.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Select<'a, 'e> {
    /// Whether equal rows are one.
    pub distinct: bool,
    /// `DISTINCT ON` keys, on engines that have it.
    pub distinct_on: &'a [Scalar<'a, 'e>],
    /// What is selected.
    pub items: Items<'a, 'e>,
    /// The first source.
    pub from: Option<Source<'a, 'e>>,
    /// The joins.
    pub joins: &'a [Join<'a, 'e>],
    /// WHERE.
    pub filter: Option<Pred<'a, 'e>>,
    /// GROUP BY.
    pub group: &'a [Scalar<'a, 'e>],
    /// HAVING.
    pub having: Option<Pred<'a, 'e>>,
}

/// A select list.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
#[doc(hidden)]
pub enum Items<'a, 'e> {
    /// An entity's list, made in advance.
    Text(&'a str),
    List(&'a [Item<'a, 'e>]),
    /// `1`: only whether there is a row matters.
    One,
}

/// An item of a select list.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a, 'e> {
    /// The value.
    pub value: Scalar<'a, 'e>,
    /// Its quoted name, if it needs one.
    pub alias: Option<&'a str>,
}

/// A source of rows.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
#[doc(hidden)]
pub enum Source<'a, 'e> {
    /// A table or a common table expression: quoted name and quoted alias.
    Table {
        name: &'a str,
        alias: Option<&'a str>,
    },
    Derived {
        query: &'a Query<'a, 'e>,
        alias: &'a str,
    },
}

/// A join.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
#[doc(hidden)]
pub enum Join<'a, 'e> {
    /// Joins of a view, made in advance.
    View(&'a ViewJoins),
    Built(&'a BuiltJoin<'a, 'e>),
}

/// Joins that a view declares, as the text has them.
#[derive(Debug)]
#[doc(hidden)]
pub struct ViewJoins {
    /// The text, with the blank before it.
    pub text: Box<str>,
    /// The aliases of the joined tables, quoted.
    pub(crate) aliases: Vec<Box<str>>,
    /// Whether one of them keeps rows that have no partner.
    pub(crate) outer: bool,
}

/// A join made for this statement.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct BuiltJoin<'a, 'e> {
    /// Its kind.
    pub kind: TableJoinType,
    /// Whether the source looks at the ones before it.
    pub lateral: bool,
    /// What is joined.
    pub source: Source<'a, 'e>,
    /// Its condition.
    pub on: Option<Pred<'a, 'e>>,
    /// Whether the engine reads it after the tables before it.
    pub in_order: bool,
}

/// A key of an order.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Order<'a, 'e> {
    /// The value.
    pub value: Scalar<'a, 'e>,
    /// The direction.
    pub descending: bool,
    /// `NULLS FIRST` (true) or `NULLS LAST`, where it has to be said and the engine has it.
    pub nulls_first: Option<bool>,
    /// It puts the NULLs of the key behind it in their place.
    pub sorts_nulls: bool,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub(crate) enum Statement<'a, 'e> {
    Query(&'a Query<'a, 'e>),
    Insert(&'a Insert<'a, 'e>),
    Update(&'a Update<'a, 'e>),
    Delete(&'a Delete<'a, 'e>),
    /// A template of the program.
    Template(&'a [Piece<'a, 'e>]),
}

/// A piece of a template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a, 'e> {
    /// Code of the program.
    Code(&'e str),
    /// A literal or a quoted name of the program, with its quotes.
    Quoted(&'e str),
    /// A comment.
    Comment(&'e str),
    /// Text that is taken over as it stands.
    Raw(&'e str),
    /// A quoted name.
    Name(&'a str),
    /// A value.
    Value(Scalar<'a, 'e>),
    /// A list, in parentheses.
    List(&'a [Scalar<'a, 'e>]),
    /// A predicate.
    Pred(Pred<'a, 'e>),
    /// A query, in parentheses.
    Query(&'a Query<'a, 'e>),
    /// Items of a select list.
    Items(Items<'a, 'e>),
    /// Keys of an order.
    Orders(&'a [Order<'a, 'e>]),
    /// A source with its joins.
    Source(Source<'a, 'e>, &'a [Join<'a, 'e>]),
}

/// INSERT.
#[derive(Clone, Copy, Debug)]
pub struct Insert<'a, 'e> {
    /// The common table expressions of the statement.
    pub ctes: &'a [Cte<'a, 'e>],
    /// The quoted table.
    pub table: &'a str,
    /// The quoted columns, with what they are. None: one row of what the database makes by itself, see
    /// [`default_row`](crate::dialect::Dialect::default_row).
    pub columns: &'a [TargetColumn<'a>],
    /// The rows.
    pub rows: Rows<'a, 'e>,
    /// The column that the database numbers in a row that is given nothing.
    pub numbered: Option<&'a str>,
    /// Whether there are several, of which one looks at the table, on an engine where it would see those before it:
    /// they are inserted by a query.
    pub reads_itself: bool,
    /// What happens to rows that are there already.
    pub conflict: Option<Conflict<'a, 'e>>,
    /// What comes back.
    pub returning: &'a [Item<'a, 'e>],
}

/// A column that is written.
#[derive(Clone, Copy, Debug)]
pub struct TargetColumn<'a> {
    /// Its quoted name.
    pub name: &'a str,
    /// What it is.
    pub column: &'a Column,
}

/// The rows of an INSERT, row after row in one flat list.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Rows<'a, 'e> {
    /// Plain values that need no conversion.
    Values(&'e [Value]),
    Scalars(&'a [Scalar<'a, 'e>]),
    Query(&'a Query<'a, 'e>),
}

/// The conflict clause of an INSERT.
#[derive(Clone, Copy, Debug)]
pub struct Conflict<'a, 'e> {
    /// The key that collides.
    pub target: &'a [TargetColumn<'a>],
    /// What is set; empty: nothing happens.
    pub sets: &'a [Assign<'a, 'e>],
    /// What must hold of a row that is there for it to be changed: the fixed filter.
    pub filter: Option<Pred<'a, 'e>>,
}

/// An assignment.
#[derive(Clone, Copy, Debug)]
pub struct Assign<'a, 'e> {
    /// The quoted column.
    pub column: &'a str,
    /// The value.
    pub value: Scalar<'a, 'e>,
}

/// The written table with what is joined to it.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Joined<'a, 'e> {
    /// The table under its alias.
    pub source: Source<'a, 'e>,
    /// The joins.
    pub joins: &'a [Join<'a, 'e>],
}

/// UPDATE.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a, 'e> {
    /// The common table expressions of the statement.
    pub ctes: &'a [Cte<'a, 'e>],
    /// The quoted table.
    pub table: &'a str,
    /// What is joined to it, on engines that take that: the table is an alias then.
    pub joined: Option<Joined<'a, 'e>>,
    /// What is set.
    pub sets: &'a [Assign<'a, 'e>],
    /// The rows.
    pub filter: Option<Pred<'a, 'e>>,
    /// What comes back.
    pub returning: &'a [Item<'a, 'e>],
}

/// DELETE.
#[derive(Clone, Copy, Debug)]
pub struct Delete<'a, 'e> {
    /// The common table expressions of the statement.
    pub ctes: &'a [Cte<'a, 'e>],
    /// The quoted table.
    pub table: &'a str,
    /// What is joined to it, on engines that take that: the table is an alias then.
    pub joined: Option<Joined<'a, 'e>>,
    /// The rows.
    pub filter: Option<Pred<'a, 'e>>,
    /// What comes back.
    pub returning: &'a [Item<'a, 'e>],
}
