//! What resolving makes and rendering writes: a statement in which every name is a column, every value has its type,
//! and nothing is left that the target lacks.
//!
//! Nodes live in the arena of one compilation (`'a`) and borrow values from the tree (`'e`). They are small and
//! `Copy`; a rule that rewrites one makes another.

mod column;

use crate::dialect::Spelling;
use crate::expr::{
    DbType, FrameBound, FrameExclude, FrameUnit, LockMode, LockWait, SelectSetType, TableJoinType, Value,
};
use crate::functions::Func;
use crate::model::{Collation, Column, TextMode};
use crate::render::Prec;

pub use column::ColumnRef;

/// A value with its type.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'a, 'e> {
    /// What it is.
    pub kind: ScalarKind<'a, 'e>,
    /// Its type, if that is known.
    pub ty: Option<DbType>,
    /// Whether it can be NULL.
    pub nullable: bool,
    /// The column that it is, to whose type a value beside it is brought.
    pub column: Option<&'a Column>,
    /// What its text is compared by, where it is given by a query that makes it of more than a column. Nothing is known of
    /// its collation then.
    pub text: Option<TextMode>,
}

/// Scalars are copied wherever they go.
const _: () = assert!(size_of::<Scalar<'_, '_>>() <= 40);

impl<'a> Scalar<'a, '_> {
    /// Whether it is a parameter or a literal, so that it reads no column.
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, ScalarKind::Param(_) | ScalarKind::Literal(_))
    }

    /// The collation of its column, as far as it is known.
    pub fn collation(&self) -> Option<&'a Collation> {
        self.column.filter(|_| self.text.is_none()).and_then(|column| column.collation.as_ref())
    }
}

/// The kinds of values.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum ScalarKind<'a, 'e> {
    /// A column; the text is quoted and qualified.
    Column(&'a ColumnRef<'a>),
    /// A bound value.
    Param(Param<'e>),
    /// A value in the text.
    Literal(Literal<'e>),
    Negative(&'a Scalar<'a, 'e>),
    BitNot(&'a Scalar<'a, 'e>),
    Binary(Arith, &'a [Scalar<'a, 'e>; 2]),
    Concat(&'a [Scalar<'a, 'e>]),
    Call(&'a Call<'a, 'e>),
    Case(&'a Case<'a, 'e>),
    Cast(&'a Scalar<'a, 'e>, DbType),
    Window(&'a Window<'a, 'e>),
    Query(&'a Query<'a, 'e>),
    /// A predicate as a value, on engines that have such.
    Truth(&'a Pred<'a, 'e>),
    Row(&'a [Scalar<'a, 'e>]),
    Fragment(&'a Fragment<'e>),
    /// A text by its code points.
    Exact(&'a Scalar<'a, 'e>, TextForm),
}

/// What a text by its code points is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// It stays the text that it is: it may be selected.
    Value,
    /// It is compared or sorted only, and blanks at its end count.
    Key,
    /// It is matched against a pattern that knows kinds of characters, of which a collation by code points knows ASCII's.
    Pattern,
}

impl<'a> ScalarKind<'a, '_> {
    /// The column that it is.
    pub(crate) fn as_column(&self) -> Option<&'a ColumnRef<'a>> {
        match *self {
            Self::Column(column) => Some(column),
            _ => None,
        }
    }

    /// Its kind, and where the node is that it refers to.
    pub(crate) fn address(&self) -> Option<(std::mem::Discriminant<Self>, *const u8)> {
        use std::ptr::from_ref;
        let address: *const u8 = match *self {
            Self::Negative(a) | Self::BitNot(a) | Self::Cast(a, _) | Self::Exact(a, _) => from_ref(a).cast(),
            Self::Binary(_, sides) => from_ref(sides).cast(),
            Self::Concat(items) | Self::Row(items) => items.as_ptr().cast(),
            Self::Call(node) => from_ref(node).cast(),
            Self::Case(node) => from_ref(node).cast(),
            Self::Window(node) => from_ref(node).cast(),
            Self::Query(node) => from_ref(node).cast(),
            Self::Truth(node) => from_ref(node).cast(),
            Self::Fragment(node) => from_ref(node).cast(),
            _ => return None,
        };
        Some((std::mem::discriminant(self), address))
    }

    /// Whether it is the very node that the other is, or the same column.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        use std::ptr::eq;
        match (*self, *other) {
            (Self::Column(a), Self::Column(b)) => a == b,
            (Self::Negative(a), Self::Negative(b)) | (Self::BitNot(a), Self::BitNot(b)) => eq(a, b),
            (Self::Binary(a, left), Self::Binary(b, right)) => a == b && eq(left, right),
            (Self::Concat(a), Self::Concat(b)) | (Self::Row(a), Self::Row(b)) => eq(a, b),
            (Self::Call(a), Self::Call(b)) => eq(a, b),
            (Self::Case(a), Self::Case(b)) => eq(a, b),
            (Self::Cast(a, from), Self::Cast(b, to)) => eq(a, b) && from == to,
            (Self::Window(a), Self::Window(b)) => eq(a, b),
            (Self::Query(a), Self::Query(b)) => eq(a, b),
            (Self::Truth(a), Self::Truth(b)) => eq(a, b),
            (Self::Fragment(a), Self::Fragment(b)) => eq(a, b),
            (Self::Exact(a, form), Self::Exact(b, other)) => eq(a, b) && form == other,
            _ => false,
        }
    }
}

/// A bound value: one of the tree's, or one that was made while compiling.
#[derive(Clone, Copy, Debug)]
pub struct Param<'e> {
    /// Where the value is.
    pub value: Bound<'e>,
    /// Whether nothing around it tells the engine its type.
    pub untyped: bool,
    /// Whether what stands beside it does not tell its type either; an assignment does.
    pub cast: bool,
    /// Whether it is the same parameter as others of that value that are shared: bound once, written by one number.
    pub shared: bool,
    /// Whether a rule writes it more than once: it is bound once, where a placeholder may stand twice.
    pub repeated: bool,
}

/// Where a bound value is.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'e> {
    /// In the tree.
    Tree(&'e Value),
    /// In the tree, in a statement that is to be kept for other values of its class: whoever reads it has to record that, as
    /// [`Writer::value_of`](crate::render::Writer::value_of) does.
    Open(&'e Value),
    /// Among the values that the compilation made.
    Made(u32),
}

impl Bound<'_> {
    /// Whether it is the same place, whatever the value there is.
    pub(crate) fn is(&self, other: &Bound<'_>) -> bool {
        match (self, other) {
            (Bound::Tree(a) | Bound::Open(a), Bound::Tree(b) | Bound::Open(b)) => std::ptr::eq(*a, *b),
            (Bound::Made(a), Bound::Made(b)) => a == b,
            _ => false,
        }
    }
}

/// A value in the text.
#[derive(Clone, Copy, Debug)]
pub enum Literal<'e> {
    /// A constant of the tree.
    Tree(&'e Value),
    /// One of the values that the compilation made.
    Made(u32),
    /// A number that a rule needs.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text that a rule needs; behind a reference, so that every scalar is smaller.
    Text(&'static &'static str),
    /// NULL.
    Null,
}

/// Arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Arith {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Truncates toward zero.
    DivideInt,
    Modulo,
}

/// A call of a function of the table.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a, 'e> {
    /// The function, unless the program registered it.
    pub func: Option<Func>,
    /// How the target spells it; see [`Form::Text`](crate::dialect::Form::Text).
    pub spelling: &'a Spelling<'a>,
    /// How tight the outermost operator of that spelling binds.
    pub prec: Prec,
    /// Its arguments.
    pub args: &'a [Scalar<'a, 'e>],
    /// `DISTINCT` before the argument of an aggregate.
    pub distinct: bool,
    /// The order inside of an aggregate.
    pub order: &'a [Order<'a, 'e>],
    /// `FILTER (WHERE ...)`, on engines that have it.
    pub filter: Option<Pred<'a, 'e>>,
}

impl<'a, 'e> Call<'a, 'e> {
    /// A call of no function of the table.
    pub(crate) fn spelled(spelling: &'a Spelling<'a>, prec: Prec, args: &'a [Scalar<'a, 'e>]) -> Self {
        Self { func: None, spelling, prec, args, distinct: false, order: &[], filter: None }
    }
}

/// `CASE WHEN ... END`.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a, 'e> {
    /// Conditions and values.
    pub cases: &'a [(Pred<'a, 'e>, Scalar<'a, 'e>)],
    /// The value otherwise.
    pub otherwise: Option<Scalar<'a, 'e>>,
}

/// A function over a window.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, 'e> {
    /// The function.
    pub call: Call<'a, 'e>,
    /// What parts the rows.
    pub partition: &'a [Scalar<'a, 'e>],
    /// The order inside of a part.
    pub order: &'a [Order<'a, 'e>],
    /// The frame.
    pub frame: Option<(FrameUnit, FrameBound, FrameBound, FrameExclude)>,
}

/// Text made by a registered callback, with the values that it bound.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'e> {
    /// Its place among the fragments that the compilation made.
    pub index: usize,
    /// Ties it to its tree.
    pub tree: std::marker::PhantomData<&'e ()>,
}

/// A predicate.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Pred<'a, 'e> {
    Const(bool),
    Compare(&'a Compare<'a, 'e>),
    /// `IS NULL`, or with `true` `IS NOT NULL`.
    Null(&'a Scalar<'a, 'e>, bool),
    Match(&'a Match<'a, 'e>),
    In(&'a In<'a, 'e>),
    /// `EXISTS`, or with `true` `NOT EXISTS`.
    Exists(&'a Query<'a, 'e>, bool),
    And(&'a [Pred<'a, 'e>]),
    Or(&'a [Pred<'a, 'e>]),
    Not(&'a Pred<'a, 'e>),
    /// A truth value as a predicate, on engines that have such.
    IsTrue(&'a Scalar<'a, 'e>),
    /// Text that the catalog made in advance: comparisons joined by AND.
    Text(&'a str),
    Fragment(&'a Fragment<'e>),
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Differs, where NULL is a value like any other.
    Distinct,
    /// Equals, where NULL is a value like any other.
    NotDistinct,
    /// Is the same JSON document.
    JsonEqual,
    /// Is another JSON document.
    JsonNotEqual,
}

impl CompareOp {
    /// Whether it asks which of two values comes first.
    pub(crate) fn is_of_order(self) -> bool {
        use CompareOp as O;
        matches!(self, O::Less | O::LessOrEqual | O::Greater | O::GreaterOrEqual)
    }

    /// SQL's sign, for the operators that every engine spells alike.
    pub fn sign(self) -> &'static str {
        match self {
            CompareOp::Equal | CompareOp::JsonEqual => " = ",
            CompareOp::NotEqual | CompareOp::JsonNotEqual => " <> ",
            CompareOp::Less => " < ",
            CompareOp::LessOrEqual => " <= ",
            CompareOp::Greater => " > ",
            CompareOp::GreaterOrEqual => " >= ",
            CompareOp::Distinct => " IS DISTINCT FROM ",
            CompareOp::NotDistinct => " IS NOT DISTINCT FROM ",
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a, 'e> {
    /// The left side.
    pub left: Scalar<'a, 'e>,
    /// The operator.
    pub op: CompareOp,
    /// The right side.
    pub right: Scalar<'a, 'e>,
}

/// How a text is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// A LIKE pattern; the escape is `\`.
    Like {
        /// Whether the pattern may hold an escape.
        escaped: bool,
    },
    /// The same with no regard to case, on engines that have it.
    ILike {
        /// Whether the pattern may hold an escape.
        escaped: bool,
    },
    /// SQLite's GLOB.
    Glob,
    /// A regular expression.
    Regex,
}

/// A match of a text against a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a, 'e> {
    /// The text.
    pub text: Scalar<'a, 'e>,
    /// The pattern.
    pub pattern: Scalar<'a, 'e>,
    /// How.
    pub kind: MatchKind,
    /// Whether it must not match.
    pub negated: bool,
}

/// `IN`.
#[derive(Clone, Copy, Debug)]
pub struct In<'a, 'e> {
    /// The value; a [`ScalarKind::Row`] where several are looked up together.
    pub left: Scalar<'a, 'e>,
    /// Where it is looked up.
    pub list: InList<'a, 'e>,
    /// Whether it must not be there.
    pub negated: bool,
    /// The value by its code points, that an item has to be equal to as well; beside an array only.
    pub exact: Option<&'a Scalar<'a, 'e>>,
}

/// The right side of an IN.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum InList<'a, 'e> {
    /// Plain values of the tree that need no conversion: bound one by one.
    Values(&'e [Value], DbType),
    /// Anything.
    Scalars(&'a [Scalar<'a, 'e>]),
    /// All values in one parameter, an array or a JSON text: their type, and how many there are.
    Array(Param<'e>, DbType, usize),
    Query(&'a Query<'a, 'e>),
}

/// A query: a select or a set operation, with its order and paging.
#[derive(Clone, Copy, Debug)]
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
    /// The same for a hint behind the table itself.
    pub(crate) fn without_column(self) -> Lock<'static> {
        Lock { mode: self.mode, wait: self.wait, column: None }
    }
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
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
pub enum Body<'a, 'e> {
    Select(&'a Select<'a, 'e>),
    Set { op: SelectSetType, left: &'a Query<'a, 'e>, right: &'a Query<'a, 'e> },
}

/// A select.
#[derive(Clone, Copy, Debug)]
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
pub enum Join<'a, 'e> {
    /// Joins of a view, made in advance.
    View(&'a ViewJoins),
    Built(&'a BuiltJoin<'a, 'e>),
}

/// Joins that a view declares, as the text has them.
#[derive(Debug)]
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
pub struct BuiltJoin<'a, 'e> {
    /// Its kind.
    pub kind: TableJoinType,
    /// Whether the source looks at the ones before it.
    pub lateral: bool,
    /// What is joined.
    pub source: Source<'a, 'e>,
    /// Its condition.
    pub on: Option<Pred<'a, 'e>>,
}

/// A key of an order.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a, 'e> {
    /// The value.
    pub value: Scalar<'a, 'e>,
    /// The direction.
    pub descending: bool,
    /// `NULLS FIRST` (true) or `NULLS LAST`, where it has to be said and the engine has it.
    pub nulls_first: Option<bool>,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Statement<'a, 'e> {
    Query(&'a Query<'a, 'e>),
    Insert(&'a Insert<'a, 'e>),
    Update(&'a Update<'a, 'e>),
    Delete(&'a Delete<'a, 'e>),
    /// A template of the program.
    Template(&'a [Piece<'a, 'e>]),
}

/// A piece of a template.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a, 'e> {
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
    pub columns: &'a [Target<'a>],
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
pub struct Target<'a> {
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
    pub target: &'a [Target<'a>],
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
