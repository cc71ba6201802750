//! The words of the notation: markers, operators, the enums, each with its spellings.

use super::native::Native;
use crate::expr::{
    FrameBound, FrameExclude, FrameUnit, LockMode, LockWait, LogicOperator, Nulls, SelectSetType, TableJoinType,
    UnaryOperator, ValueJoinType, ValueOperator,
};

/// Which node an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Property,
    Param,
    /// `{"$":"value","Value":x}`, and the same with `const`.
    Value {
        is_const: bool,
    },
    Native(Native),
    Unary,
    Compute(ValueOperator),
    Function,
    Set,
    Over,
    Truth,
    Compare(LogicOperator),
    /// `{"$":"logic","Operator":..}`
    Logic,
    /// `{"$":"bin","Operator":..}`: the operator says whether it is a predicate.
    Binary,
    And,
    Or,
    Not,
    Foreign,
    Exists,
    IsTrue,
    /// A fragment: a value in a slot for values, else a predicate.
    Sql,
    Table,
    From,
    Where,
    GroupBy,
    Having,
    OrderBy,
    Section,
    Lock,
    Select,
    CommonTable,
    SelectItem,
    OrderByItem,
    Join,
    Insert,
    Update,
    Delete,
}

/// What stands at a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Value,
    Logic,
    Segment,
    Other,
}

impl Marker {
    pub(super) fn sort(self) -> Sort {
        use Marker as M;
        match self {
            M::Property | M::Param | M::Value { .. } | M::Native(_) | M::Unary | M::Compute(_) => Sort::Value,
            M::Function | M::Set | M::Over | M::Truth => Sort::Value,
            M::Compare(_) | M::Logic | M::Binary | M::And | M::Or | M::Not => Sort::Logic,
            M::Foreign | M::Exists | M::IsTrue | M::Sql => Sort::Logic,
            M::Table | M::From | M::Where | M::GroupBy | M::Having | M::OrderBy | M::Section | M::Lock => Sort::Segment,
            M::Select | M::CommonTable => Sort::Segment,
            M::SelectItem | M::OrderByItem | M::Join | M::Insert | M::Update | M::Delete => Sort::Other,
        }
    }

    /// What a message calls such a node.
    pub(super) fn noun(self) -> &'static str {
        use Marker as M;
        match self {
            M::Property => "a property",
            M::Param | M::Value { .. } | M::Native(_) => "a value",
            M::Unary | M::Compute(_) => "a computed value",
            M::Function => "a function",
            M::Set => "a set of values",
            M::Over => "a window",
            M::Truth => "a predicate as a value",
            M::Compare(_) | M::Logic | M::Binary => "a comparison",
            M::And | M::Or | M::Not | M::Exists | M::IsTrue => "a logic expression",
            M::Foreign => "an EXISTS",
            M::Sql => "a SQL fragment",
            M::Table => "a table",
            M::Select => "a select",
            M::CommonTable => "a common table expression",
            M::From | M::Where | M::GroupBy | M::Having | M::OrderBy | M::Section | M::Lock => "a query",
            M::SelectItem => "a select item",
            M::OrderByItem => "an order item",
            M::Join => "a join",
            M::Insert => "an INSERT",
            M::Update => "an UPDATE",
            M::Delete => "a DELETE",
        }
    }
}

/// Whether a key says which node its object is.
#[inline]
pub(super) fn is_marker(key: &str) -> bool {
    matches!(key.as_bytes(), [b'$', ..] | [b'#' | b'@' | b'!'])
}

/// The markers that are keys.
pub(super) const KEYS: &[(&str, Marker)] = &[
    ("#", Marker::Property),
    ("@", Marker::Param),
    ("!", Marker::Not),
    ("$and", Marker::And),
    ("$or", Marker::Or),
    ("$where", Marker::Where),
    ("$orderby", Marker::OrderBy),
    ("$section", Marker::Section),
    ("$foreign", Marker::Foreign),
    ("$table", Marker::Table),
    ("$from", Marker::From),
    ("$join", Marker::Join),
    ("$group", Marker::GroupBy),
    ("$having", Marker::Having),
    ("$lock", Marker::Lock),
    ("$select", Marker::Select),
    ("$cte", Marker::CommonTable),
    ("$exists", Marker::Exists),
    ("$istrue", Marker::IsTrue),
    ("$truth", Marker::Truth),
    ("$insert", Marker::Insert),
    ("$update", Marker::Update),
    ("$delete", Marker::Delete),
];

/// What stands under the key `$`, besides operators.
pub(super) const KINDS: &[(&str, Marker)] = &[
    ("func", Marker::Function),
    ("function", Marker::Function),
    ("and", Marker::And),
    ("or", Marker::Or),
    ("not", Marker::Not),
    ("logic", Marker::Logic),
    ("bin", Marker::Binary),
    ("prop", Marker::Property),
    ("property", Marker::Property),
    ("value", Marker::Value { is_const: false }),
    ("const", Marker::Value { is_const: true }),
    ("set", Marker::Set),
    ("unary", Marker::Unary),
    ("over", Marker::Over),
    ("sql", Marker::Sql),
    ("foreign", Marker::Foreign),
    ("selectitem", Marker::SelectItem),
    ("orderbyitem", Marker::OrderByItem),
    ("table", Marker::Table),
    ("from", Marker::From),
    ("where", Marker::Where),
    ("group", Marker::GroupBy),
    ("groupby", Marker::GroupBy),
    ("having", Marker::Having),
    ("orderby", Marker::OrderBy),
    ("section", Marker::Section),
    ("lock", Marker::Lock),
    ("select", Marker::Select),
    ("cte", Marker::CommonTable),
    ("join", Marker::Join),
    ("update", Marker::Update),
    ("delete", Marker::Delete),
];

/// A word, the reference system's number for it (255: none), and what it means.
pub(super) type WordRow<T> = (&'static str, u8, T);

const NONE: u8 = 255;

pub(super) const VALUE_OPERATORS: &[WordRow<ValueOperator>] = &[
    ("+", 0, ValueOperator::Add),
    ("-", 1, ValueOperator::Subtract),
    ("*", 2, ValueOperator::Multiply),
    ("/", 3, ValueOperator::Divide),
    ("%", 4, ValueOperator::Modulo),
    ("||", 5, ValueOperator::Concat),
    ("Add", NONE, ValueOperator::Add),
    ("Subtract", NONE, ValueOperator::Subtract),
    ("Multiply", NONE, ValueOperator::Multiply),
    ("Divide", NONE, ValueOperator::Divide),
    ("Modulo", NONE, ValueOperator::Modulo),
    ("Concat", NONE, ValueOperator::Concat),
];

/// The names of the comparisons; their signs are [`LogicOperator::sign`].
pub(super) const LOGIC_OPERATORS: &[(&str, LogicOperator)] = {
    use LogicOperator as O;
    &[
        ("=", O::Equal),
        ("<>", O::NotEqual),
        ("Equal", O::Equal),
        ("NotEqual", O::NotEqual),
        ("Not", O::NotEqual),
        ("GreaterThan", O::GreaterThan),
        ("LessThanOrEqual", O::LessThanOrEqual),
        ("LessThan", O::LessThan),
        ("GreaterThanOrEqual", O::GreaterThanOrEqual),
        ("RegexpLike", O::RegexpLike),
        ("NotRegexpLike", O::NotRegexpLike),
        ("IsDistinctFrom", O::IsDistinctFrom),
        ("IsNotDistinctFrom", O::IsNotDistinctFrom),
    ]
};

pub(crate) const UNARY_OPERATORS: &[WordRow<UnaryOperator>] = &[
    ("Nagive", 0, UnaryOperator::Negative),
    ("BitwiseNot", 1, UnaryOperator::BitwiseNot),
    ("Distinct", 2, UnaryOperator::Distinct),
    ("Negative", NONE, UnaryOperator::Negative),
];

pub(super) const VALUE_JOINS: &[WordRow<ValueJoinType>] =
    &[("List", 0, ValueJoinType::List), ("Concat", 3, ValueJoinType::Concat), ("Blank", 4, ValueJoinType::Blank)];

pub(super) const TABLE_JOINS: &[WordRow<TableJoinType>] = &[
    ("Inner", NONE, TableJoinType::Inner),
    ("Left", NONE, TableJoinType::Left),
    ("Right", NONE, TableJoinType::Right),
    ("Full", NONE, TableJoinType::Full),
    ("Cross", NONE, TableJoinType::Cross),
];

pub(super) const SET_TYPES: &[WordRow<SelectSetType>] = &[
    ("UnionAll", 0, SelectSetType::UnionAll),
    ("Union", 1, SelectSetType::Union),
    ("Intersect", 2, SelectSetType::Intersect),
    ("Except", 3, SelectSetType::Except),
];

pub(super) const NULLS: &[WordRow<Nulls>] =
    &[("First", NONE, Nulls::First), ("Last", NONE, Nulls::Last), ("Default", NONE, Nulls::Default)];

pub(super) const LOCK_MODES: &[WordRow<LockMode>] =
    &[("Update", NONE, LockMode::Update), ("Share", NONE, LockMode::Share)];

pub(super) const LOCK_WAITS: &[WordRow<LockWait>] =
    &[("Wait", NONE, LockWait::Wait), ("NoWait", NONE, LockWait::NoWait), ("SkipLocked", NONE, LockWait::SkipLocked)];

pub(super) const FRAME_UNITS: &[WordRow<FrameUnit>] =
    &[("Rows", NONE, FrameUnit::Rows), ("Range", NONE, FrameUnit::Range), ("Groups", NONE, FrameUnit::Groups)];

pub(super) const FRAME_EXCLUDES: &[WordRow<FrameExclude>] = &[
    ("NoOthers", NONE, FrameExclude::NoOthers),
    ("CurrentRow", NONE, FrameExclude::CurrentRow),
    ("Group", NONE, FrameExclude::Group),
    ("Ties", NONE, FrameExclude::Ties),
];

/// The bounds of a frame that are no object.
pub(super) const FRAME_BOUNDS: &[WordRow<FrameBound>] = &[
    ("UnboundedPreceding", NONE, FrameBound::UnboundedPreceding),
    ("CurrentRow", NONE, FrameBound::CurrentRow),
    ("UnboundedFollowing", NONE, FrameBound::UnboundedFollowing),
];

/// What an INSERT does about a conflict, besides updating by expressions: whether it updates.
pub(super) const CONFLICT_ACTIONS: &[WordRow<bool>] = &[("DoNothing", NONE, false), ("UpdateAll", NONE, true)];

/// The keys of a function's object that are no function names.
pub(crate) const FUNCTION_KEYS: &[&str] = &["FunctionName", "Args", "IsAggregate", "Filter", "OrderBy"];

/// What a word means, ignoring case; also a number written as text.
pub(super) fn find<T: Copy>(words: &[WordRow<T>], word: &str) -> Option<T> {
    let by_name = words.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word));
    by_name.map(|(.., meaning)| *meaning).or_else(|| find_number(words, i64::from(word.parse::<u8>().ok()?)))
}

/// What the reference system's number means.
pub(super) fn find_number<T: Copy>(words: &[WordRow<T>], number: i64) -> Option<T> {
    let known = |at: &u8| *at != NONE && i64::from(*at) == number;
    words.iter().find(|(_, at, _)| known(at)).map(|(.., meaning)| *meaning)
}

/// The first word of that meaning.
pub(crate) fn spell<T: Copy + PartialEq>(words: &[WordRow<T>], meaning: T) -> &'static str {
    words.iter().find(|(.., m)| *m == meaning).map_or("", |(name, ..)| name)
}

/// The comparison of that sign, name or number, ignoring case.
pub(super) fn logic_operator(word: &str) -> Option<LogicOperator> {
    let by_sign = LogicOperator::ALL.into_iter().find(|o| o.sign().eq_ignore_ascii_case(word));
    by_sign
        .or_else(|| LOGIC_OPERATORS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, o)| *o))
        .or_else(|| logic_operator_number(i64::from(word.parse::<u8>().ok()?)))
}

/// The comparison of that number.
pub(super) fn logic_operator_number(number: i64) -> Option<LogicOperator> {
    LogicOperator::ALL.into_iter().find(|o| i64::from(*o as u8) == number)
}

/// What the text under the key `$` says, ignoring case.
pub(super) fn kind(word: &str) -> Option<Marker> {
    frequent_kind(word).or_else(|| rare_kind(word))
}

/// The same for the frequent ones as they are usually written.
#[inline]
pub(super) fn frequent_kind(word: &str) -> Option<Marker> {
    use LogicOperator as O;
    Some(match word.as_bytes() {
        b"==" => Marker::Compare(O::Equal),
        b"!=" => Marker::Compare(O::NotEqual),
        b">" => Marker::Compare(O::GreaterThan),
        b">=" => Marker::Compare(O::GreaterThanOrEqual),
        b"<" => Marker::Compare(O::LessThan),
        b"<=" => Marker::Compare(O::LessThanOrEqual),
        b"in" => Marker::Compare(O::In),
        b"like" => Marker::Compare(O::Like),
        b"func" => Marker::Function,
        b"contains" => Marker::Compare(O::Contains),
        b"startswith" => Marker::Compare(O::StartsWith),
        _ => return None,
    })
}

fn rare_kind(word: &str) -> Option<Marker> {
    let by_kind = KINDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, marker)| *marker);
    by_kind
        .or_else(|| logic_operator(word).map(Marker::Compare))
        .or_else(|| find(VALUE_OPERATORS, word).map(Marker::Compute))
}

/// Every text that may stand under the key `$`.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    let values = VALUE_OPERATORS.iter().map(|(name, ..)| *name);
    KINDS.iter().map(|(name, _)| *name).chain(logic_operators()).chain(values)
}

/// Every sign and name of a comparison.
pub(super) fn logic_operators() -> impl Iterator<Item = &'static str> {
    LogicOperator::ALL.into_iter().map(LogicOperator::sign).chain(LOGIC_OPERATORS.iter().map(|(name, _)| *name))
}
