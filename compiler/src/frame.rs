//! What resolving makes and rendering writes: a statement in which every name is a column, every value has its type,
//! and nothing is left that the target lacks.
//!
//! Nodes live in the arena of one compilation (`'a`) and borrow values from the tree (`'e`). They are small and
//! `Copy`; a rule that rewrites one makes another.
//!
//! This is no API of programs. It is here for whoever writes a [`Dialect`](crate::dialect::Dialect): what its hooks are
//! given, and what a hook may have to look into, is documented and kept as stable as the hooks are. Such a struct may get
//! fields: a hook that changes one writes `Update { returning: &[], ..*update }`. What else there is of a statement can be
//! reached through their fields, as the dialects of this workspace rewrite queries, but is hidden from the documentation
//! and changes in any release: pass it on to the [`Writer`](crate::render::Writer).

mod column;
mod part;
mod statement;

use crate::dialect::Spelling;
use crate::expr::{DbType, FrameBound, FrameExclude, FrameUnit, Value};
use crate::functions::Func;
use crate::model::{Collation, Column, TextMode};
use crate::render::Prec;

pub use column::ColumnRef;
pub(crate) use part::Part;
pub use statement::{
    Assign, Body, BuiltJoin, Conflict, Cte, Delete, Insert, Item, Items, Join, Joined, Lock, Order, Query, Rows,
    Select, Source, TargetColumn, Update, ViewJoins,
};
pub(crate) use statement::{Piece, Statement};

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
#[non_exhaustive]
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
#[doc(hidden)]
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
#[doc(hidden)]
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
#[doc(hidden)]
pub struct Case<'a, 'e> {
    /// Conditions and values.
    pub cases: &'a [(Pred<'a, 'e>, Scalar<'a, 'e>)],
    /// The value otherwise.
    pub otherwise: Option<Scalar<'a, 'e>>,
}

/// A function over a window.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
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
#[doc(hidden)]
pub struct Fragment<'e> {
    /// Its place among the fragments that the compilation made.
    pub index: usize,
    /// Ties it to its tree.
    pub tree: std::marker::PhantomData<&'e ()>,
}

/// A predicate.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it all")]
#[doc(hidden)]
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
#[doc(hidden)]
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
#[doc(hidden)]
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
#[doc(hidden)]
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
#[doc(hidden)]
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
