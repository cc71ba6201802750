//! What not every engine has, by name.

macro_rules! declare {
    ($($(#[$doc:meta])* $feature:ident: $title:literal,)*) => {
        /// Something that not every engine has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[$doc])* $feature,)*
        }

        impl Feature {
            /// All of them, in their order.
            pub const ALL: &'static [Feature] = &[$(Feature::$feature),*];

            /// What errors and notes call it.
            pub fn title(self) -> &'static str {
                match self { $(Feature::$feature => $title,)* }
            }

            /// What is wrong with a sheet that does not mention it.
            pub(super) const fn unsaid(self) -> &'static str {
                match self { $(Feature::$feature => concat!("the sheet does not say what every version has of ", stringify!($feature)),)* }
            }

            /// What is wrong with a sheet that mentions it again.
            pub(super) const fn said_twice(self) -> &'static str {
                match self { $(Feature::$feature => concat!("the sheet says twice what every version has of ", stringify!($feature)),)* }
            }
        }
    };
}

declare! {
    /// A predicate as a value: `SELECT a > 1`.
    BooleanValue: "a predicate as a value",
    /// A truth value as a predicate: `WHERE paid`.
    BooleanPredicate: "a truth value as a predicate",
    /// The literals TRUE and FALSE.
    BooleanLiteral: "TRUE and FALSE",
    /// The type of a parameter need not be told where nothing around it does.
    UntypedParameter: "an untyped parameter",
    /// The type of a parameter need not be told where it is a position or a number of something among the arguments of a function.
    UntypedArgument: "an untyped parameter in a function",
    /// NULL without a type as an argument of any function.
    UntypedNull: "NULL as an argument",
    /// NULL beside nothing but bound texts, as in a CASE, is a text and not bytes.
    NullBesideTexts: "NULL beside bound texts",
    /// `NULLS FIRST | LAST`.
    NullsOrder: "NULLS FIRST and LAST",
    /// `(a, b) IN ((1, 2))`.
    TupleIn: "IN of rows",
    /// `(a, b) IN ((1, 2))` without the word VALUES before the list.
    TupleInList: "a list of rows without VALUES",
    /// `(a, b) = (1, 2)`.
    TupleCompare: "a comparison of rows",
    /// `(a, b) > (1, 2)`, served by an index.
    TupleOrder: "an order of rows",
    /// A list in one parameter: `= ANY($1)`, or a JSON text.
    ArrayParameter: "a list as one parameter",
    /// A list in one parameter is read once in an UPDATE or DELETE, and not again for each row.
    ArrayInChange: "a list as one parameter in an UPDATE or DELETE",
    /// A list in one parameter, in the condition of a join, finds each row once even where the list has a value twice.
    ArrayInJoin: "a list as one parameter in the condition of a join",
    /// A list of texts or UUIDs in one parameter where the engine cannot join by it (in NOT IN, and under OR or NOT), and beside what is
    /// no column, whose collation the list would not meet.
    ArrayOfTexts: "a list of texts as one parameter in NOT IN or under OR",
    /// `FILTER (WHERE ...)` of an aggregate.
    AggregateFilter: "FILTER of an aggregate",
    /// ORDER BY inside of an aggregate other than string aggregation.
    AggregateOrder: "ORDER BY inside of an aggregate",
    /// String aggregations of one select that are ordered in different ways.
    AggregateOrders: "string aggregations in different orders",
    /// DISTINCT in a string aggregation.
    StringAggDistinct: "DISTINCT in a string aggregation",
    /// A string aggregation over a window with an order or a frame.
    StringAggWindow: "a string aggregation over an ordered window",
    /// `DISTINCT ON`.
    DistinctOn: "DISTINCT ON",
    /// A select of a group's key that holds a parameter: `SELECT f(a, $1) ... GROUP BY f(a, $2)`.
    GroupParameter: "a parameter in the key of a group",
    /// An aggregate over a subquery.
    SubqueryInAggregate: "an aggregate of a subquery",
    /// An aggregate over columns of its own query together with those of a query around it.
    OuterInAggregate: "an aggregate of columns of two queries",
    /// GROUP BY with outer columns only, which have one value in all rows of a subquery.
    OuterGroup: "GROUP BY with outer columns only",
    /// An outer column in a key of GROUP BY or ORDER BY.
    OuterInKey: "an outer column in a key of GROUP BY or ORDER BY",
    /// A subquery in the key of a group.
    SubqueryInGroup: "a subquery in the key of a group",
    /// `RIGHT JOIN`.
    RightJoin: "RIGHT JOIN",
    /// `FULL JOIN`.
    FullJoin: "FULL JOIN",
    /// `a FULL JOIN b ON a.x < b.x`.
    FullJoinCondition: "FULL JOIN by another condition than an equality",
    /// `JOIN LATERAL (SELECT ...)`, or APPLY.
    Lateral: "LATERAL",
    /// `INTERSECT`.
    Intersect: "INTERSECT",
    /// `EXCEPT`, or MINUS.
    Except: "EXCEPT",
    /// A member of a set operation with its own ORDER BY and LIMIT, in parentheses.
    SetMemberParentheses: "parentheses around a member of a set operation",
    /// Parentheses that group set operations: `a UNION (b INTERSECT c)`.
    SetGroupParentheses: "parentheses around a group of set operations",
    /// `SELECT (SELECT ...) ... GROUP BY (SELECT ...)`.
    GroupSubqueryRepeated: "the key of a group with a subquery, repeated beside the groups",
    /// `a IN (SELECT ... UNION SELECT ... ORDER BY ... LIMIT n)`, and the same in FROM or WITH.
    PagedSetInSubquery: "a page of a set operation inside another query",
    /// A group of set operations that INTERSECT or EXCEPT compares, with NULL in its rows.
    SetGroupNulls: "NULL in a group of set operations that INTERSECT or EXCEPT compares",
    /// `-0.0` is `0.0` to INTERSECT and EXCEPT.
    SetZeroSign: "a zero with a sign that INTERSECT or EXCEPT compares",
    /// A common table expression that refers to itself.
    Recursion: "a recursive common table expression",
    /// A recursive common table expression whose members are joined by UNION rather than UNION ALL.
    RecursiveUnion: "a recursive UNION",
    /// The columns of a recursive common table expression become as wide as its rounds make them.
    RecursiveTypes: "a column that a recursion computes",
    /// Outer joins, DISTINCT, pages and groups in the rounds of a recursion.
    RecursiveClauses: "an outer join, DISTINCT, a page or groups in a recursion",
    /// A recursion goes as deep as the rows do.
    RecursionDepth: "a recursion of many rounds",
    /// A page of a query that has no ORDER BY.
    OffsetWithoutOrder: "paging without an order",
    /// Two columns of one name in a page.
    TwinsInPage: "two columns of one name in a page",
    /// `IN (SELECT ... LIMIT n)`.
    LimitInSubquery: "a limit in a subquery of IN",
    /// `IN (SELECT ROW_NUMBER() OVER (...) ...)`.
    WindowInSubquery: "a window in a subquery of IN",
    /// A derived table may look at the query around it.
    OuterInDerived: "a derived table that looks at the query around it",
    /// `EXISTS` of a page of groups or distinct rows skips groups, not rows.
    ExistsGroups: "EXISTS of a page of groups or distinct rows",
    /// `EXISTS (SELECT ... LIMIT n OFFSET m)`.
    ExistsPage: "EXISTS in a page",
    /// `EXISTS` in an UPDATE or DELETE of one table is planned as a join.
    ExistsInChange: "EXISTS in a write as a join",
    /// `EXISTS` of one row at most may come first in a plan.
    ExistsByKey: "EXISTS by a key as a join",
    /// `SELECT t.a, j.b FROM t JOIN j ... LIMIT n` begins with the page's rows.
    PageOfJoins: "a page whose joins only show columns",
    /// `WHERE (p.a = 1 AND l.b = 2) OR (p.a = 3 AND l.b = 4)` may begin with the rows of either table.
    OrOfTables: "OR over several tables",
    /// A computed key of a group inside of another value: `UPPER(key)`.
    GroupKeyInside: "a computed key of a group inside of another value",
    /// A computed key of a group in HAVING.
    GroupKeyInHaving: "a computed key of a group in HAVING",
    /// `NOT IN (SELECT ...)` as a join.
    NotInQuery: "NOT IN over a subquery",
    /// EXISTS, and IN of a subquery, in the condition of a join.
    SubqueryInJoin: "EXISTS or IN of a subquery in the condition of a join",
    /// A function of a text that a derived table computes, beside that text.
    ComputedText: "a function of a text that a derived table computes",
    /// `(SELECT a ...) IN (SELECT b ...)`.
    QueryInQuery: "a subquery that IN looks for in another one",
    /// `(a, (SELECT b ...)) IN (SELECT c, d ...)`.
    RowOfQueryInQuery: "a row with a subquery that IN looks for in another one",
    /// A subquery that is used as a value and gives several rows is an error.
    ScalarRows: "an error for several rows of a subquery as a value",
    /// `COALESCE((SELECT ...), a)` looks for the rows once.
    CoalesceQuery: "COALESCE of a subquery",
    /// HAVING where there is no GROUP BY.
    HavingWithoutGroup: "HAVING without GROUP BY",
    /// HAVING where there is no GROUP BY and the select list has no aggregate.
    HavingOverConstants: "HAVING over constants",
    /// The default of Lag and Lead need not be of the very type of their value.
    WindowDefault: "a default of Lag and Lead",
    /// An index on a truth value serves a predicate that is nothing else.
    TruthIndex: "an index on a truth value",
    /// LOWER and UPPER fold every letter.
    CaseFolding: "the case of letters beyond ASCII",
    /// `OVER (...)`.
    Window: "a window",
    /// `GROUPS BETWEEN ...` as the frame of a window.
    FrameGroups: "a GROUPS frame",
    /// `EXCLUDE CURRENT ROW` in the frame of a window.
    FrameExclude: "EXCLUDE of a frame",
    /// A RANGE frame with an offset.
    FrameRangeOffset: "a RANGE frame with an offset",
    /// `ROW_NUMBER() OVER ()`, and a frame of a window without an order.
    WindowWithoutOrder: "a window without an order",
    /// `FOR UPDATE`, or a hint that locks as it does.
    LockUpdate: "FOR UPDATE",
    /// `FOR SHARE`.
    LockShare: "FOR SHARE",
    /// `SKIP LOCKED`.
    LockSkipLocked: "SKIP LOCKED",
    /// `NOWAIT`.
    LockNoWait: "NOWAIT",
    /// A row lock together with paging.
    LockWithLimit: "a row lock with paging",
    /// `/` of whole numbers truncates.
    IntegerDivision: "division of whole numbers",
    /// `/` of decimals gives a fraction whatever their values are, of more than a few digits behind those of the dividend.
    DecimalDivision: "division of decimals",
    /// CAST to a whole number cuts toward zero.
    IntegerCast: "a CAST to a whole number",
    /// CAST of a text that is no number is an error.
    TextNumber: "a CAST of text to a number",
    /// CAST of `true` to a truth value is true.
    TextTruth: "a CAST of text to a truth value",
    /// CAST of a text to a time keeps all of its fraction.
    TextTime: "a CAST of text to a time",
    /// CAST to a float of 32 bits leaves it no more than those.
    SingleCast: "a CAST to a float of 32 bits",
    /// A column takes a value of another type as a CAST to its own gives it; of some types each engine's
    /// [`assigns`](crate::dialect::Dialect::assigns) says so.
    Assignment: "a value stored in a column of another type",
    /// A decimal in a column has no more digits behind its point than the column's definition says.
    ColumnScale: "digits after the point that a column has no room for",
    /// A time in a column has no more digits behind its seconds than the column's definition says, and what is computed is
    /// cut to them, not rounded.
    ColumnSeconds: "digits behind the seconds that a column has no room for",
    /// Division by zero gives NULL.
    DivisionByZero: "division by zero",
    /// `%` takes the dividend's sign, and takes decimals.
    Modulo: "the remainder operator",
    /// `%` takes numbers that are not whole.
    FractionModulo: "the remainder of numbers that are not whole",
    /// A position or length below 0 is one of 0; or else the function table sees to it.
    NegativeLength: "a negative position or length",
    /// Rounding to a number of digits that is negative, or not known before the statement runs.
    RoundDigits: "rounding to tens or to computed digits",
    /// A quotient, a product or an average of decimals keeps all of the digits that one would want.
    DecimalDigits: "digits after the point of a computed decimal",
    /// A date beside a date and time is its midnight.
    DateKinds: "a date beside a date and time",
    /// A date and a date and time as the values of one CASE or COALESCE.
    DateValues: "a date and a date and time as one value",
    /// A date and time beside one with an offset is one at UTC.
    OffsetKinds: "a date and time beside one with an offset",
    /// UUIDs are in the order of their texts.
    GuidOrder: "an order of UUIDs",
    /// The parts of a date and time with an offset are those at UTC; or else the function table sees to it.
    OffsetParts: "a part of a date and time with an offset",
    /// `~a` is a number with a sign.
    BitNot: "bitwise not",
    /// A concatenation with NULL is NULL.
    ConcatNull: "a concatenation with NULL",
    /// A whole number in a concatenation need not be cast to text.
    ConcatAny: "a concatenation of what is no text",
    /// A decimal as text has all of its digits.
    DecimalText: "a decimal as text",
    /// The empty string is not NULL.
    EmptyString: "the empty text",
    /// What StringAgg writes between two texts may be computed.
    StringAggSeparator: "a computed separator in StringAgg",
    /// The characters of Trim may be computed, or as long as a text is.
    TrimComputed: "computed characters of Trim",
    /// A zero character in a text that is searched, or an argument of a function.
    ZeroCharacter: "a zero character in a text that is searched or measured",
    /// `[` is an ordinary character in LIKE.
    LikeBracket: "a bracket in LIKE",
    /// Texts of more than 4,000 characters are compared, sorted and grouped like others.
    LargeText: "a comparison of long texts",
    /// Binary values of more than 2,000 bytes are compared, sorted and grouped like others.
    LargeBinary: "a comparison of long binary values",
    /// `=` of texts counts the blanks at their ends.
    TrailingBlanks: "blanks at the end of a text",
    /// Texts are compared, sorted and grouped by code points, whatever the collation of a column is.
    ExactText: "texts by code points",
    /// In a LIKE pattern, the escape may stand before any character.
    LikeEscape: "an escape before any character in LIKE",
    /// LIKE follows the collation of its column.
    LikeCollation: "a LIKE that follows the collation",
    /// `ILIKE`: LIKE that ignores case.
    ILike: "ILIKE",
    /// Regular expressions: `~`, REGEXP, REGEXP_LIKE.
    Regex: "a regular expression",
    /// `$` in a regular expression is the end, not also a place before a line break there.
    RegexEnd: "the end in a regular expression",
    /// `.` in a regular expression is one character, also where that is a carriage return before a line feed.
    RegexAny: "any character in a regular expression",
    /// `(?:..)`.
    RegexGroup: "a group that is not captured, in a regular expression",
    /// `\` takes the meaning of what follows, in a class of a regular expression as well.
    RegexClass: "an escape in a class of a regular expression",
    /// `\b` is the border of a word of ASCII.
    RegexBorder: "the border of a word in a regular expression",
    /// `(?=..)`, `(?!..)`, `(?<=..)`, `(?<!..)`.
    RegexLook: "a look ahead or behind in a regular expression",
    /// `\1` in a regular expression.
    RegexReference: "a reference to a group in a regular expression",
    /// `IS [NOT] DISTINCT FROM`, or the engine's own spelling of it.
    NullSafeEqual: "IS DISTINCT FROM",
    /// `INSERT ... VALUES (...), (...)`.
    MultiRowInsert: "several rows in VALUES",
    /// `INSERT ... ON CONFLICT (key) DO UPDATE | NOTHING`.
    Upsert: "ON CONFLICT",
    /// `INSERT ... RETURNING`.
    InsertReturning: "RETURNING of an INSERT",
    /// `UPDATE ... RETURNING`.
    UpdateReturning: "RETURNING of an UPDATE",
    /// `DELETE ... RETURNING`.
    DeleteReturning: "RETURNING of a DELETE",
    /// A subquery among the values that come back.
    ReturningSubquery: "a subquery in RETURNING",
    /// A subquery in what is done about a row that is there: in its new values, or in the condition that it is changed on.
    ConflictSubquery: "a subquery in ON CONFLICT",
    /// An assignment sees the row as it was, whatever stands before it.
    CrossAssignment: "assignments that read each other's columns",
    /// A subquery of an UPDATE or DELETE that looks at the same table.
    SelfSubquery: "a subquery over the written table",
    /// A subquery over the written table among several rows in VALUES: none of them sees another.
    SelfSubqueryRows: "a subquery over the written table in several rows",
    /// A common table expression in front of a write.
    WriteWith: "WITH in front of a write",
    /// A common table expression in front of an UPDATE or DELETE.
    ChangeWith: "WITH in front of an UPDATE or DELETE",
    /// An INSERT or UPDATE gives an identity column a value.
    IdentityValue: "a value for an identity column",
    /// Division by zero does in an INSERT, UPDATE or DELETE what it does in a query.
    DivisionInWrite: "division by zero in a write as in a query",
    /// Whole numbers of 64 bits without a sign.
    UnsignedBig: "an unsigned number of 64 bits",
    /// A lock with an order and a limit takes the rows of the page only.
    LockOrder: "a row lock with an order and a limit",
    /// A lock of the rows of one table among joined ones.
    LockOf: "a row lock of one among joined tables",
    /// A decimal or JSON parameter is one by itself; else it is taken for text unless a CAST says otherwise.
    TextParameter: "a decimal or JSON parameter",
    /// A parameter can be a date and time with an offset.
    OffsetParameter: "a date and time with an offset",
    /// JSON equals JSON by its value, not by its text.
    JsonEqual: "a comparison of JSON",
    /// A truth value is one in JSON, too, not a number.
    JsonBoolean: "a truth value in JSON",
    /// NULL becomes a JSON null where it is set at a path.
    JsonNull: "NULL at a JSON path",
    /// An index in a JSON path finds items of arrays only.
    JsonIndex: "an index in a JSON path",
    /// NaN and infinities.
    NotFinite: "NaN and infinities",
    /// A JSON column or value inside of JsonObject, JsonArray and JsonSet stays JSON.
    NestedJson: "JSON inside of JSON",
    /// An array as a value.
    Array: "an array",
}

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();
}

/// A list of [features](crate::dialect::Feature) by their names.
///
/// ```
/// use isogloss_compiler::dialect::Feature;
/// const NATIVE: &[Feature] = isogloss_compiler::features![Lateral FullJoin];
/// # let _ = NATIVE;
/// ```
#[macro_export]
macro_rules! features {
    ($($feature:ident)*) => { &[$($crate::dialect::Feature::$feature),*] };
}
