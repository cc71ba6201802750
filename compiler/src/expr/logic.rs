//! Predicates: the conditions of filters, joins and CASE.

use super::{Child, Name, SqlSegment, Value, ValueTypeExpr, child};

/// A predicate of any kind.
///
/// Copies, equality, hash and `Debug` work on trees of any depth; they stand in `walk`.
#[non_exhaustive]
pub enum LogicExpr {
    /// A comparison.
    Binary(LogicBinaryExpr),
    /// All of the terms; true without terms.
    And(AndExpr),
    /// At least one of the terms; false without terms.
    Or(OrExpr),
    /// The negation.
    Not(Child<NotExpr>),
    /// EXISTS over a related entity.
    Foreign(Child<ForeignExpr>),
    /// EXISTS over a query.
    Exists(Child<SqlSegment>),
    /// A boolean value as a predicate.
    IsTrue(Child<ValueTypeExpr>),
    /// A registered SQL fragment.
    Sql(Child<GenericSqlExpr>),
}

/// The operator of a comparison. The discriminants are those of the wire format; 64 is the flag of the negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are the specification's and say it all")]
pub enum LogicOperator {
    Equal = 0,
    GreaterThan = 1,
    LessThan = 2,
    StartsWith = 3,
    EndsWith = 4,
    Contains = 5,
    Like = 6,
    In = 7,
    RegexpLike = 8,
    /// LIKE without regard to case.
    ILike = 9,
    IStartsWith = 10,
    IEndsWith = 11,
    IContains = 12,
    /// Equality with NULL as a value like any other: never unknown.
    IsNotDistinctFrom = 13,
    NotEqual = 64,
    LessThanOrEqual = 65,
    GreaterThanOrEqual = 66,
    NotStartsWith = 67,
    NotEndsWith = 68,
    NotContains = 69,
    NotLike = 70,
    NotIn = 71,
    NotRegexpLike = 72,
    NotILike = 73,
    NotIStartsWith = 74,
    NotIEndsWith = 75,
    NotIContains = 76,
    IsDistinctFrom = 77,
}

impl LogicOperator {
    /// All operators.
    pub const ALL: [LogicOperator; 28] = {
        use LogicOperator as O;
        [
            O::Equal,
            O::GreaterThan,
            O::LessThan,
            O::StartsWith,
            O::EndsWith,
            O::Contains,
            O::Like,
            O::In,
            O::RegexpLike,
            O::ILike,
            O::IStartsWith,
            O::IEndsWith,
            O::IContains,
            O::IsNotDistinctFrom,
            O::NotEqual,
            O::LessThanOrEqual,
            O::GreaterThanOrEqual,
            O::NotStartsWith,
            O::NotEndsWith,
            O::NotContains,
            O::NotLike,
            O::NotIn,
            O::NotRegexpLike,
            O::NotILike,
            O::NotIStartsWith,
            O::NotIEndsWith,
            O::NotIContains,
            O::IsDistinctFrom,
        ]
    };

    /// The operator that is true exactly where this one is false.
    #[must_use]
    pub fn opposite(self) -> Self {
        let number = self as u8 ^ 64;
        Self::ALL.into_iter().find(|o| *o as u8 == number).unwrap_or(self)
    }

    /// The operator with the same meaning for swapped sides: `>` for `<`. `None` for operators that search.
    pub fn reverse(self) -> Option<Self> {
        use LogicOperator as O;
        Some(match self {
            O::Equal | O::NotEqual | O::IsDistinctFrom | O::IsNotDistinctFrom => self,
            O::GreaterThan => O::LessThan,
            O::LessThan => O::GreaterThan,
            O::GreaterThanOrEqual => O::LessThanOrEqual,
            O::LessThanOrEqual => O::GreaterThanOrEqual,
            _ => return None,
        })
    }

    /// Whether it is a negated operator (`NotEqual`, `LessThanOrEqual`, `NotIn`, ...).
    pub fn is_negated(self) -> bool {
        self as u8 & 64 != 0
    }

    /// The operator without its negation.
    #[must_use]
    pub fn positive(self) -> Self {
        if self.is_negated() { self.opposite() } else { self }
    }

    /// The operator's sign in the wire format.
    pub fn sign(self) -> &'static str {
        use LogicOperator as O;
        match self {
            O::Equal => "==",
            O::NotEqual => "!=",
            O::GreaterThan => ">",
            O::GreaterThanOrEqual => ">=",
            O::LessThan => "<",
            O::LessThanOrEqual => "<=",
            O::In => "in",
            O::NotIn => "notin",
            O::Like => "like",
            O::NotLike => "notlike",
            O::Contains => "contains",
            O::NotContains => "notcontains",
            O::StartsWith => "startswith",
            O::NotStartsWith => "notstartswith",
            O::EndsWith => "endswith",
            O::NotEndsWith => "notendswith",
            O::RegexpLike => "regexp",
            O::NotRegexpLike => "notregexp",
            O::ILike => "ilike",
            O::NotILike => "notilike",
            O::IContains => "icontains",
            O::NotIContains => "noticontains",
            O::IStartsWith => "istartswith",
            O::NotIStartsWith => "notistartswith",
            O::IEndsWith => "iendswith",
            O::NotIEndsWith => "notiendswith",
            O::IsDistinctFrom => "distinct",
            O::IsNotDistinctFrom => "notdistinct",
        }
    }
}

/// A comparison of two values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LogicBinaryExpr {
    /// The left side.
    pub left: ValueTypeExpr,
    /// The operator.
    pub operator: LogicOperator,
    /// The right side.
    pub right: ValueTypeExpr,
}

impl LogicBinaryExpr {
    /// Swaps the sides of the comparison: `a < b` becomes `b > a`.
    ///
    /// ```
    /// use isogloss_compiler::expr::{LogicBinaryExpr, LogicOperator, constant, prop};
    /// let less = LogicBinaryExpr { left: prop("A").into(), operator: LogicOperator::LessThan, right: constant(5).into() };
    /// let reversed = less.reverse().map_err(|same| format!("{same} has no reverse"))?;
    /// assert_eq!(reversed.to_string(), "5 > A");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// The unchanged comparison, if its operator cannot be swapped: `LIKE`, `IN` and similar ones.
    pub fn reverse(self) -> Result<Self, Self> {
        match self.operator.reverse() {
            Some(operator) => Ok(Self { left: self.right, operator, right: self.left }),
            None => Err(self),
        }
    }
}

/// A conjunction, as a flat list. Equality and hash treat it as a set.
#[derive(Debug, Clone, Default)]
pub struct AndExpr {
    /// The terms.
    pub items: Vec<LogicExpr>,
}

/// A disjunction, as a flat list. Equality and hash treat it as a set.
#[derive(Debug, Clone, Default)]
pub struct OrExpr {
    /// The terms.
    pub items: Vec<LogicExpr>,
}

impl LogicExpr {
    /// Whether it is a comparison of two values that own nothing on the heap.
    #[inline]
    fn is_plain(&self) -> bool {
        matches!(self, LogicExpr::Binary(node) if node.left.is_plain() && node.right.is_plain())
    }
}

macro_rules! list_node {
    ($($node:ident, $variant:ident;)*) => {$(
        impl Drop for $node {
            fn drop(&mut self) {
                let nests = |item: &LogicExpr| matches!(item, LogicExpr::And(_) | LogicExpr::Or(_));
                child::drop_list(&mut self.items, nests, LogicExpr::is_plain);
            }
        }

        impl $node {
            /// Takes the terms out.
            pub fn into_items(mut self) -> Vec<LogicExpr> {
                std::mem::take(&mut self.items)
            }
        }

        impl FromIterator<LogicExpr> for $node {
            fn from_iter<I: IntoIterator<Item = LogicExpr>>(items: I) -> Self {
                let items = items.into_iter();
                let (least, most) = items.size_hint();
                let mut node = Self { items: Vec::with_capacity(most.unwrap_or(least).min(64)) };
                for item in items {
                    match item {
                        LogicExpr::$variant(inner) => node.items.extend(inner.into_items()),
                        other => node.items.push(other),
                    }
                }
                node
            }
        }
    )*};
}

list_node! {
    AndExpr, And;
    OrExpr, Or;
}

/// A negation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NotExpr {
    /// What is negated.
    pub operand: LogicExpr,
}

/// `EXISTS (SELECT 1 FROM entity WHERE fixed filter AND relation AND inner)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForeignExpr {
    /// The entity in the subquery.
    pub entity: Name,
    /// The alias of its table; by default the next `T<n>`.
    pub alias: Option<Name>,
    /// The condition on its rows. A name without an alias refers to this entity first, then to the outer query.
    pub inner: Option<LogicExpr>,
    /// Arguments for the placeholders of its table name.
    pub table_args: Vec<compact_str::CompactString>,
    /// Whether the relation is taken from the catalog: the foreign keys of the outer entity, or those that refer to it;
    /// several are combined by OR. Where keys lead both ways, as from an entity to itself, the statement does not compile.
    pub auto_related: bool,
}

/// An SQL fragment that is registered under a key. A tree has its key and argument, never its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GenericSqlExpr {
    /// The key, without regard to case.
    pub key: Name,
    /// The argument of its callback.
    pub arg: Value,
}

impl Default for LogicExpr {
    /// The empty conjunction: true. Onto it conditions are ANDed; ORed with anything it stays true.
    fn default() -> Self {
        LogicExpr::And(AndExpr::default())
    }
}

macro_rules! logic_from {
    ($($node:ident => $variant:ident;)*) => {$(
        impl From<$node> for LogicExpr {
            fn from(node: $node) -> Self {
                LogicExpr::$variant(node.into())
            }
        }
    )*};
}

// What a `filter` takes.
macro_rules! optional_from {
    ($($node:ident),*) => {$(
        impl From<$node> for Option<LogicExpr> {
            fn from(node: $node) -> Self {
                Some(node.into())
            }
        }
    )*};
}

optional_from!(LogicBinaryExpr, AndExpr, OrExpr, NotExpr, ForeignExpr, GenericSqlExpr);

logic_from! {
    LogicBinaryExpr => Binary;
    AndExpr => And;
    OrExpr => Or;
    NotExpr => Not;
    ForeignExpr => Foreign;
    GenericSqlExpr => Sql;
}
