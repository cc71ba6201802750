//! Values: what a predicate compares, a list selects, an assignment sets.

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
    /// A predicate used as a value.
    Truth(Child<LogicExpr>),
    /// A registered SQL fragment used as a value.
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

/// A value: bound as a parameter, or written into the text as a constant of the program.
#[derive(Debug, Clone, Default)]
pub struct ValueExpr {
    /// The value.
    pub value: Value,
    /// Written into the text. Equality does not look at it.
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

/// A property of an entity, with the alias of its table where more than one is in scope.
///
/// The alias `excluded` means the row that an INSERT proposed, inside of its conflict clause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PropertyExpr {
    /// The alias, if one is given.
    pub alias: Option<Box<Name>>,
    /// The property's name, not the column's.
    pub name: Name,
}

/// An operator on one value. The discriminants are the wire's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnaryOperator {
    /// `-x`; on the wire `Nagive`, a misspelling that clients of the specification send.
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
    /// What it applies to.
    pub operand: ValueTypeExpr,
}

/// An operator on two values. The discriminants are the wire's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it all")]
pub enum ValueOperator {
    Add = 0,
    Subtract = 1,
    Multiply = 2,
    /// Whole numbers truncate toward zero, on every engine; division by zero gives NULL.
    Divide = 3,
    /// Takes the dividend's sign, on every engine.
    Modulo = 4,
    /// NULL if either side is NULL, on every engine.
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

/// A call of a function of the portable table, or of one registered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionExpr {
    /// Its name; case does not matter.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<ValueTypeExpr>,
    /// Whether the caller means the aggregate of that name (`Max` of a column, not the greatest of its arguments).
    pub is_aggregate: bool,
    /// `FILTER (WHERE ...)` of an aggregate; emulated by CASE where the engine lacks it.
    pub filter: Option<LogicExpr>,
    /// The order inside of an aggregate, as in `STRING_AGG(x, ', ' ORDER BY y)`.
    pub order_by: Vec<OrderByItemExpr>,
}

/// How a [`ValueSet`] joins its items. The discriminants are the wire's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ValueJoinType {
    /// `(a, b, c)`: a row or a list.
    #[default]
    List = 0,
    /// `a || b || c`
    Concat = 3,
    /// Items with blanks between them. Read for the wire's sake; it has no portable meaning and is refused.
    Blank = 4,
}

/// Values side by side.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueSet {
    /// How they are joined.
    pub join: ValueJoinType,
    /// The values.
    pub items: Vec<ValueTypeExpr>,
}

/// `CASE WHEN cond THEN value ... ELSE value END`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CaseExpr {
    /// Conditions and their values, at least one.
    pub cases: Vec<(LogicExpr, ValueTypeExpr)>,
    /// The value when no condition holds; NULL if absent.
    pub otherwise: Option<ValueTypeExpr>,
}

/// `CAST(value AS type)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CastExpr {
    /// What is cast.
    pub value: ValueTypeExpr,
    /// The type that it takes. A closed list, so that no text can come in by it.
    pub to: DbType,
}

/// `function OVER (PARTITION BY ... ORDER BY ... frame)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WindowExpr {
    /// The function.
    pub function: FunctionExpr,
    /// What parts the rows.
    pub partition_by: Vec<ValueTypeExpr>,
    /// The order inside of a part.
    pub order_by: Vec<OrderByItemExpr>,
    /// The frame; the engine's default if absent.
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
    /// What it leaves out.
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

/// What a frame leaves out.
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
