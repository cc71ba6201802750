//! What not every engine has, by name.

/// Something that not every engine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the comments in the groups say it")]
pub enum Feature {
    /// A predicate as a value: `SELECT a > 1`.
    BooleanValue,
    /// A truth value as a predicate: `WHERE paid`.
    BooleanPredicate,
    /// The literals TRUE and FALSE.
    BooleanLiteral,
    /// The type of a parameter need not be told where nothing around it does.
    UntypedParameter,
    /// Nor where it is a position or a number of something among the arguments of a function.
    UntypedArgument,
    /// NULL without a type as an argument of any function.
    UntypedNull,
    /// NULL beside nothing but bound texts, as in a CASE, is a text and not bytes.
    NullBesideTexts,
    /// `NULLS FIRST | LAST`.
    NullsOrder,
    /// `(a, b) IN ((1, 2))`.
    TupleIn,
    /// The rows of that list without the word VALUES before them.
    TupleInList,
    /// `(a, b) = (1, 2)`.
    TupleCompare,
    /// `(a, b) > (1, 2)`, served by an index.
    TupleOrder,
    /// A list in one parameter: `= ANY($1)`, or a JSON text.
    ArrayParameter,
    /// The same in an UPDATE or DELETE, read once and not for each row.
    ArrayInChange,
    /// The same in the condition of a join, whatever the list has twice.
    ArrayInJoin,
    /// The same of texts and UUIDs where the engine cannot join by it (in NOT IN, and under OR or NOT), and beside what is
    /// no column, whose collation the list would not meet.
    ArrayOfTexts,
    /// `FILTER (WHERE ...)` of an aggregate.
    AggregateFilter,
    /// ORDER BY inside of an aggregate other than string aggregation.
    AggregateOrder,
    /// String aggregations of one select that are ordered in different ways.
    AggregateOrders,
    /// DISTINCT in a string aggregation.
    StringAggDistinct,
    /// A string aggregation over a window with an order or a frame.
    StringAggWindow,
    /// `DISTINCT ON`.
    DistinctOn,
    /// A select of a group's key that holds a parameter: `SELECT f(a, $1) ... GROUP BY f(a, $2)`.
    GroupParameter,
    /// An aggregate over a subquery.
    SubqueryInAggregate,
    /// An aggregate over columns of its own query together with those of a query around it.
    OuterInAggregate,
    /// A subquery in the key of a group.
    SubqueryInGroup,
    /// Joins.
    RightJoin,
    FullJoin,
    Lateral,
    /// Set operations.
    Intersect,
    Except,
    /// A member of a set operation with its own ORDER BY and LIMIT, in parentheses.
    SetMemberParentheses,
    /// Parentheses that group set operations: `a UNION (b INTERSECT c)`.
    SetGroupParentheses,
    /// A group of set operations that INTERSECT or EXCEPT compares, with NULL in its rows.
    SetGroupNulls,
    /// `-0.0` is `0.0` to INTERSECT and EXCEPT.
    SetZeroSign,
    /// A recursive common table expression whose members are joined by UNION rather than UNION ALL.
    RecursiveUnion,
    /// The columns of a recursive common table expression become as wide as its rounds make them.
    RecursiveTypes,
    /// Outer joins, DISTINCT, pages and groups in the rounds of a recursion.
    RecursiveClauses,
    /// A recursion goes as deep as the rows do.
    RecursionDepth,
    /// Paging.
    OffsetWithoutOrder,
    /// Two columns of one name in a page.
    TwinsInPage,
    /// `IN (SELECT ... LIMIT n)`.
    LimitInSubquery,
    /// A derived table may look at the query around it.
    OuterInDerived,
    /// `EXISTS` of a page of groups or distinct rows skips groups, not rows.
    ExistsGroups,
    ExistsPage,
    GroupKeyInside,
    GroupKeyInHaving,
    /// `NOT IN (SELECT ...)` as a join.
    NotInQuery,
    /// EXISTS, and IN of a subquery, in the condition of a join.
    SubqueryInJoin,
    /// A function of a text that a derived table computes, beside that text.
    ComputedText,
    /// `(SELECT a ...) IN (SELECT b ...)`.
    QueryInQuery,
    /// `(a, (SELECT b ...)) IN (SELECT c, d ...)`.
    RowOfQueryInQuery,
    /// A subquery that is used as a value and gives several rows is an error.
    ScalarRows,
    /// `COALESCE((SELECT ...), a)` looks for the rows once.
    CoalesceQuery,
    /// HAVING where there is no GROUP BY.
    HavingWithoutGroup,
    /// The default of Lag and Lead need not be of the very type of their value.
    WindowDefault,
    /// An index on a truth value serves a predicate that is nothing else.
    TruthIndex,
    /// LOWER and UPPER fold every letter.
    CaseFolding,
    /// A frame's GROUPS and EXCLUDE.
    FrameGroups,
    FrameExclude,
    /// A RANGE frame with an offset.
    FrameRangeOffset,
    /// `ROW_NUMBER() OVER ()`, and a frame of a window without an order.
    WindowWithoutOrder,
    /// Row locks.
    LockUpdate,
    LockShare,
    LockSkipLocked,
    LockNoWait,
    /// A row lock together with paging.
    LockWithLimit,
    /// `/` of whole numbers truncates.
    IntegerDivision,
    /// `/` of decimals gives a fraction whatever their values are, of more than a few digits behind those of the dividend.
    DecimalDivision,
    /// CAST to a whole number cuts toward zero.
    IntegerCast,
    /// CAST of a text that is no number is an error.
    TextNumber,
    /// CAST of `true` to a truth value is true.
    TextTruth,
    /// CAST of a text to a time keeps all of its fraction.
    TextTime,
    /// CAST to a float of 32 bits leaves it no more than those.
    SingleCast,
    /// A column takes a value of another type as a CAST to its own gives it; of some types each engine's
    /// [`assigns`](crate::dialect::Dialect::assigns) says so.
    Assignment,
    /// A decimal in a column has no more digits behind its point than the column's definition says.
    ColumnScale,
    /// A time in a column has no more digits behind its seconds than the column's definition says, and what is computed is
    /// cut to them, not rounded.
    ColumnSeconds,
    /// Division by zero gives NULL.
    DivisionByZero,
    /// `%` takes the dividend's sign, and takes decimals.
    Modulo,
    /// `%` takes numbers that are not whole at all.
    FractionModulo,
    /// A position or length below 0 is one of 0; or else the function table sees to it.
    NegativeLength,
    /// Rounding to a number of digits that is negative, or not known before the statement runs.
    RoundDigits,
    /// A quotient, a product or an average of decimals keeps all of the digits that one would want.
    DecimalDigits,
    /// A date beside a date and time is its midnight.
    DateKinds,
    /// A date and a date and time as the values of one CASE or COALESCE.
    DateValues,
    /// A date and time beside one with an offset is one at UTC.
    OffsetKinds,
    /// UUIDs are in the order of their texts.
    GuidOrder,
    /// The parts of a date and time with an offset are those at UTC; or else the function table sees to it.
    OffsetParts,
    /// Bits.
    BitNot,
    /// A concatenation with NULL is NULL.
    ConcatNull,
    /// A whole number in a concatenation need not be cast to text.
    ConcatAny,
    /// A decimal as text has all of its digits.
    DecimalText,
    /// The empty string is not NULL.
    EmptyString,
    /// What StringAgg writes between two texts may be computed.
    StringAggSeparator,
    /// The characters of Trim may be computed, or as long as a text is.
    TrimComputed,
    /// A zero character in a text that is searched, or an argument of a function.
    ZeroCharacter,
    /// `[` is an ordinary character in LIKE.
    LikeBracket,
    /// Texts of more than 4,000 characters are compared, sorted and grouped like others.
    LargeText,
    /// `=` of texts counts the blanks at their ends.
    TrailingBlanks,
    /// Texts are compared, sorted and grouped by code points, whatever the collation of a column is.
    ExactText,
    /// In a LIKE pattern, the escape may stand before any character.
    LikeEscape,
    /// LIKE follows the collation of its column.
    LikeCollation,
    /// ILIKE.
    ILike,
    /// `~`, REGEXP, REGEXP_LIKE.
    Regex,
    /// `$` in a regular expression is the end, not also a place before a line break there.
    RegexEnd,
    /// `.` in a regular expression is one character, also where that is a carriage return before a line feed.
    RegexAny,
    /// `(?:..)`.
    RegexGroup,
    /// `\` takes the meaning of what follows, in a class of a regular expression as well.
    RegexClass,
    /// `\b` is the border of a word of ASCII.
    RegexBorder,
    /// `(?=..)`, `(?!..)`, `(?<=..)`, `(?<!..)`.
    RegexLook,
    /// `\1` in a regular expression.
    RegexReference,
    /// `IS [NOT] DISTINCT FROM`, or the engine's own spelling of it.
    NullSafeEqual,
    /// Writes.
    MultiRowInsert,
    Upsert,
    InsertReturning,
    UpdateReturning,
    DeleteReturning,
    /// A subquery among the values that come back.
    ReturningSubquery,
    /// A subquery of an UPDATE or DELETE that looks at the same table.
    SelfSubquery,
    /// The same among several rows in VALUES: none of them sees another.
    SelfSubqueryRows,
    /// A common table expression in front of a write.
    WriteWith,
    /// The same in front of an UPDATE or DELETE.
    ChangeWith,
    /// An INSERT or UPDATE gives an identity column a value.
    IdentityValue,
    /// Division by zero does in an INSERT, UPDATE or DELETE what it does in a query.
    DivisionInWrite,
    /// Whole numbers of 64 bits without a sign.
    UnsignedBig,
    /// A lock with an order and a limit takes the rows of the page only.
    LockOrder,
    /// A lock of the rows of one table among joined ones.
    LockOf,
    /// A decimal or JSON parameter is one by itself; else it is taken for text unless a CAST says otherwise.
    TextParameter,
    /// A parameter can be a date and time with an offset.
    OffsetParameter,
    /// JSON equals JSON by its value, not by its text.
    JsonEqual,
    /// A truth value is one in JSON, too, not a number.
    JsonBoolean,
    /// NULL becomes a JSON null where it is set at a path.
    JsonNull,
    /// An index in a JSON path finds items of arrays only.
    JsonIndex,
    /// NaN and infinities.
    NotFinite,
    /// A JSON column or value inside of JsonObject, JsonArray and JsonSet stays JSON.
    NestedJson,
    /// An array as a value.
    Array,
}

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Feature::Array as usize + 1;

    /// What errors and notes call it.
    pub fn title(self) -> &'static str {
        match self {
            Feature::BooleanValue => "a predicate as a value",
            Feature::BooleanPredicate => "a truth value as a predicate",
            Feature::BooleanLiteral => "TRUE and FALSE",
            Feature::UntypedParameter => "an untyped parameter",
            Feature::UntypedArgument => "an untyped parameter in a function",
            Feature::UntypedNull => "NULL as an argument",
            Feature::NullBesideTexts => "NULL beside bound texts",
            Feature::NullsOrder => "NULLS FIRST and LAST",
            Feature::TupleIn => "IN of rows",
            Feature::TupleInList => "a list of rows without VALUES",
            Feature::TupleCompare => "a comparison of rows",
            Feature::TupleOrder => "an order of rows",
            Feature::ArrayParameter => "a list as one parameter",
            Feature::ArrayInChange => "a list as one parameter in an UPDATE or DELETE",
            Feature::ArrayInJoin => "a list as one parameter in the condition of a join",
            Feature::ArrayOfTexts => "a list of texts as one parameter in NOT IN or under OR",
            Feature::AggregateFilter => "FILTER of an aggregate",
            Feature::AggregateOrder => "ORDER BY inside of an aggregate",
            Feature::AggregateOrders => "string aggregations in different orders",
            Feature::StringAggDistinct => "DISTINCT in a string aggregation",
            Feature::StringAggWindow => "a string aggregation over an ordered window",
            Feature::DistinctOn => "DISTINCT ON",
            Feature::GroupParameter => "a parameter in the key of a group",
            Feature::SubqueryInAggregate => "an aggregate of a subquery",
            Feature::OuterInAggregate => "an aggregate of columns of two queries",
            Feature::SubqueryInGroup => "a subquery in the key of a group",
            Feature::RightJoin => "RIGHT JOIN",
            Feature::FullJoin => "FULL JOIN",
            Feature::Lateral => "LATERAL",
            Feature::Intersect => "INTERSECT",
            Feature::Except => "EXCEPT",
            Feature::SetMemberParentheses => "parentheses around a member of a set operation",
            Feature::SetGroupParentheses => "parentheses around a group of set operations",
            Feature::SetGroupNulls => "NULL in a group of set operations that INTERSECT or EXCEPT compares",
            Feature::SetZeroSign => "a zero with a sign that INTERSECT or EXCEPT compares",
            Feature::RecursiveUnion => "a recursive UNION",
            Feature::RecursiveTypes => "a column that a recursion computes",
            Feature::RecursiveClauses => "an outer join, DISTINCT, a page or groups in a recursion",
            Feature::RecursionDepth => "a recursion of many rounds",
            Feature::OffsetWithoutOrder => "paging without an order",
            Feature::TwinsInPage => "two columns of one name in a page",
            Feature::NotInQuery => "NOT IN over a subquery",
            Feature::LimitInSubquery => "a limit in a subquery of IN",
            Feature::SubqueryInJoin => "EXISTS or IN of a subquery in the condition of a join",
            Feature::ComputedText => "a function of a text that a derived table computes",
            Feature::QueryInQuery => "a subquery that IN looks for in another one",
            Feature::RowOfQueryInQuery => "a row with a subquery that IN looks for in another one",
            Feature::ScalarRows => "an error for several rows of a subquery as a value",
            Feature::CoalesceQuery => "COALESCE of a subquery",
            Feature::OuterInDerived => "a derived table that looks at the query around it",
            Feature::ExistsGroups => "EXISTS of a page of groups or distinct rows",
            Feature::ExistsPage => "EXISTS in a page",
            Feature::GroupKeyInside => "a computed key of a group inside of another value",
            Feature::GroupKeyInHaving => "a computed key of a group in HAVING",
            Feature::HavingWithoutGroup => "HAVING without GROUP BY",
            Feature::WindowDefault => "a default of Lag and Lead",
            Feature::TruthIndex => "an index on a truth value",
            Feature::CaseFolding => "the case of letters beyond ASCII",
            Feature::FrameGroups => "a GROUPS frame",
            Feature::FrameExclude => "EXCLUDE of a frame",
            Feature::FrameRangeOffset => "a RANGE frame with an offset",
            Feature::WindowWithoutOrder => "a window without an order",
            Feature::LockUpdate => "FOR UPDATE",
            Feature::LockShare => "FOR SHARE",
            Feature::LockSkipLocked => "SKIP LOCKED",
            Feature::LockNoWait => "NOWAIT",
            Feature::LockWithLimit => "a row lock with paging",
            Feature::IntegerDivision => "division of whole numbers",
            Feature::DecimalDivision => "division of decimals",
            Feature::IntegerCast => "a CAST to a whole number",
            Feature::TextNumber => "a CAST of text to a number",
            Feature::TextTruth => "a CAST of text to a truth value",
            Feature::TextTime => "a CAST of text to a time",
            Feature::SingleCast => "a CAST to a float of 32 bits",
            Feature::Assignment => "a value stored in a column of another type",
            Feature::ColumnScale => "digits after the point that a column has no room for",
            Feature::ColumnSeconds => "digits behind the seconds that a column has no room for",
            Feature::DivisionByZero => "division by zero",
            Feature::Modulo => "the remainder operator",
            Feature::FractionModulo => "the remainder of numbers that are not whole",
            Feature::NegativeLength => "a negative position or length",
            Feature::RoundDigits => "rounding to tens or to computed digits",
            Feature::DecimalDigits => "digits after the point of a computed decimal",
            Feature::DateKinds => "a date beside a date and time",
            Feature::DateValues => "a date and a date and time as one value",
            Feature::OffsetKinds => "a date and time beside one with an offset",
            Feature::GuidOrder => "an order of UUIDs",
            Feature::OffsetParts => "a part of a date and time with an offset",
            Feature::BitNot => "bitwise not",
            Feature::ConcatNull => "a concatenation with NULL",
            Feature::ConcatAny => "a concatenation of what is no text",
            Feature::DecimalText => "a decimal as text",
            Feature::EmptyString => "the empty text",
            Feature::StringAggSeparator => "a computed separator in StringAgg",
            Feature::TrimComputed => "computed characters of Trim",
            Feature::ZeroCharacter => "a zero character in a text that is searched or measured",
            Feature::LikeBracket => "a bracket in LIKE",
            Feature::LargeText => "a comparison of long texts",
            Feature::TrailingBlanks => "blanks at the end of a text",
            Feature::ExactText => "texts by code points",
            Feature::LikeEscape => "an escape before any character in LIKE",
            Feature::LikeCollation => "a LIKE that follows the collation",
            Feature::ILike => "ILIKE",
            Feature::Regex => "a regular expression",
            Feature::RegexEnd => "the end in a regular expression",
            Feature::RegexAny => "any character in a regular expression",
            Feature::RegexGroup => "a group that is not captured, in a regular expression",
            Feature::RegexClass => "an escape in a class of a regular expression",
            Feature::RegexBorder => "the border of a word in a regular expression",
            Feature::RegexLook => "a look ahead or behind in a regular expression",
            Feature::RegexReference => "a reference to a group in a regular expression",
            Feature::NullSafeEqual => "IS DISTINCT FROM",
            Feature::MultiRowInsert => "several rows in VALUES",
            Feature::Upsert => "ON CONFLICT",
            Feature::InsertReturning => "RETURNING of an INSERT",
            Feature::UpdateReturning => "RETURNING of an UPDATE",
            Feature::DeleteReturning => "RETURNING of a DELETE",
            Feature::ReturningSubquery => "a subquery in RETURNING",
            Feature::SelfSubquery => "a subquery over the written table",
            Feature::SelfSubqueryRows => "a subquery over the written table in several rows",
            Feature::WriteWith => "WITH in front of a write",
            Feature::ChangeWith => "WITH in front of an UPDATE or DELETE",
            Feature::IdentityValue => "a value for an identity column",
            Feature::DivisionInWrite => "division by zero in a write as in a query",
            Feature::UnsignedBig => "an unsigned number of 64 bits",
            Feature::LockOrder => "a row lock with an order and a limit",
            Feature::LockOf => "a row lock of one among joined tables",
            Feature::TextParameter => "a decimal or JSON parameter",
            Feature::OffsetParameter => "a date and time with an offset",
            Feature::JsonEqual => "a comparison of JSON",
            Feature::JsonBoolean => "a truth value in JSON",
            Feature::JsonNull => "NULL at a JSON path",
            Feature::JsonIndex => "an index in a JSON path",
            Feature::NotFinite => "NaN and infinities",
            Feature::NestedJson => "JSON inside of JSON",
            Feature::Array => "an array",
        }
    }
}
