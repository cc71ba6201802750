//! Values: operands of predicates, select items, and assigned values.

use super::{Child, DbType, LogicExpr, Name, OrderByItemExpr, SqlSegment, Value};

/// A value of any kind.
#[non_exhaustive]
pub enum ValueTypeExpr {
    /// A parameter or a constant.
    Value(ValueExpr),
    /// A column, by the name of its property.
    Property(PropertyExpr),
    /// Minus, bitwise not, or DISTINCT before the argument of an aggregate.
    Unary(Child<UnaryExpr>),
    /// Arithmetic, or a concatenation.
    Binary(Child<ValueBinaryExpr>),
    /// A function or an aggregate.
    Function(Child<FunctionExpr>),
    /// A list of values: a row, the right side of IN, or a concatenation.
    Set(Child<ValueSet>),
    /// `CASE WHEN ... THEN ... ELSE ... END`.
    Case(Child<CaseExpr>),
    /// `CAST(x AS type)`.
    Cast(Child<CastExpr>),
    /// A function over a window.
    Window(Child<WindowExpr>),
    /// A subquery: one value, or the right side of IN.
    Query(Child<SqlSegment>),
    /// A predicate as a value.
    Truth(Child<LogicExpr>),
    /// A registered SQL fragment as a value.
    Sql(Child<super::GenericSqlExpr>),
}

impl ValueTypeExpr {
    /// Whether it owns nothing on the heap.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        match self {
            ValueTypeExpr::Value(node) => node.value.is_plain(),
            ValueTypeExpr::Property(node) => node.alias.is_none() && node.name.is_inline(),
            _ => false,
        }
    }
}

/// A value that is bound as a parameter, or written into the SQL text as a constant of the program.
#[derive(Debug, Clone, Default)]
pub struct ValueExpr {
    /// The value.
    pub value: Value,
    /// Whether it is written into the text. Equality ignores it.
    pub is_const: bool,
}

impl PartialEq for ValueExpr {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for ValueExpr {}

impl std::hash::Hash for ValueExpr {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

/// A property of an entity, with the alias of its table if several are in scope.
///
/// In the conflict clause of an INSERT, the alias `excluded` is the proposed row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PropertyExpr {
    /// The alias, if one is given.
    pub alias: Option<Box<Name>>,
    /// The name of the property, not of the column.
    pub name: Name,
}

/// An operator on one value. The discriminants are those of the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnaryOperator {
    /// `-x`. Its name in the wire format is `Nagive`, a misspelling that existing clients send.
    Negative = 0,
    /// `~x`
    BitwiseNot = 1,
    /// `DISTINCT x`, as the first argument of an aggregate or the first item of a select list.
    Distinct = 2,
}

/// An operator applied to one value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnaryExpr {
    /// The operator.
    pub operator: UnaryOperator,
    /// The operand.
    pub operand: ValueTypeExpr,
}

/// An operator on two values. The discriminants are those of the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it all")]
pub enum ValueOperator {
    Add = 0,
    Subtract = 1,
    Multiply = 2,
    /// Truncates whole numbers toward zero, on every engine; division by zero gives NULL.
    Divide = 3,
    /// The result has the sign of the dividend, on every engine.
    Modulo = 4,
    /// NULL if one side is NULL, on every engine.
    Concat = 5,
}

/// An operator applied to two values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueBinaryExpr {
    /// The left side.
    pub left: ValueTypeExpr,
    /// The operator.
    pub operator: ValueOperator,
    /// The right side.
    pub right: ValueTypeExpr,
}

/// A call of a portable function, or of a registered one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionExpr {
    /// Its name, without regard to case.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<ValueTypeExpr>,
    /// Whether the aggregate of that name is meant (`Max` of a column, not the greatest of its arguments).
    pub is_aggregate: bool,
    /// `FILTER (WHERE ...)` of an aggregate, which is emulated by CASE on engines without it.
    pub filter: Option<LogicExpr>,
    /// The order inside of an aggregate, as in `STRING_AGG(x, ', ' ORDER BY y)`.
    pub order_by: Vec<OrderByItemExpr>,
}

/// How a [`ValueSet`] combines its items. The discriminants are those of the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ValueJoinType {
    /// `(a, b, c)`: a row or a list.
    #[default]
    List = 0,
    /// `a || b || c`
    Concat = 3,
    /// Items separated by blanks. It can be read from the wire format, but is refused as it has no portable meaning.
    Blank = 4,
}

/// A list of values: a row, the right side of IN, or a concatenation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueSet {
    /// How they are combined.
    pub join: ValueJoinType,
    /// The values.
    pub items: Vec<ValueTypeExpr>,
}

/// `CASE WHEN cond THEN value ... ELSE value END`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CaseExpr {
    /// Conditions and their values, at least one.
    pub cases: Vec<(LogicExpr, ValueTypeExpr)>,
    /// The value of ELSE; NULL by default.
    pub otherwise: Option<ValueTypeExpr>,
}

/// `CAST(value AS type)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CastExpr {
    /// The value.
    pub value: ValueTypeExpr,
    /// The type. It is an enum, so that no SQL text can be inserted.
    pub to: DbType,
}

/// `function OVER (PARTITION BY ... ORDER BY ... frame)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WindowExpr {
    /// The function.
    pub function: FunctionExpr,
    /// The keys of the partition.
    pub partition_by: Vec<ValueTypeExpr>,
    /// The order inside of a partition.
    pub order_by: Vec<OrderByItemExpr>,
    /// The frame; by default that of the engine.
    pub frame: Option<Frame>,
}

/// The frame of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// What the bounds count.
    pub unit: FrameUnit,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends.
    pub end: FrameBound,
    /// The rows that are excluded.
    pub exclude: FrameExclude,
}

/// What the bounds of a frame count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum FrameUnit {
    Rows,
    Range,
    Groups,
}

/// A bound of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(u32),
    CurrentRow,
    Following(u32),
    UnboundedFollowing,
}

/// The rows that a frame excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "SQL's own words")]
pub enum FrameExclude {
    #[default]
    NoOthers,
    CurrentRow,
    Group,
    Ties,
}

impl Default for ValueTypeExpr {
    fn default() -> Self {
        ValueTypeExpr::Value(ValueExpr::default())
    }
}

impl<T: Into<Value>> From<T> for ValueTypeExpr {
    /// A parameter.
    fn from(value: T) -> Self {
        ValueTypeExpr::Value(ValueExpr { value: value.into(), is_const: false })
    }
}

impl From<super::SelectExpr> for ValueTypeExpr {
    /// A subquery.
    fn from(select: super::SelectExpr) -> Self {
        SqlSegment::from(select).into()
    }
}

macro_rules! value_type_from {
    ($($node:ident => $variant:ident;)*) => {$(
        impl From<$node> for ValueTypeExpr {
            fn from(node: $node) -> Self {
                ValueTypeExpr::$variant(node.into())
            }
        }
    )*};
}

value_type_from! {
    ValueExpr => Value;
    PropertyExpr => Property;
    UnaryExpr => Unary;
    ValueBinaryExpr => Binary;
    FunctionExpr => Function;
    ValueSet => Set;
    CaseExpr => Case;
    CastExpr => Cast;
    WindowExpr => Window;
    SqlSegment => Query;
    LogicExpr => Truth;
}
