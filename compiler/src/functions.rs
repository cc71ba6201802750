//! The portable functions: their names, arguments, results and meaning, which are the same on every engine.
//!
//! [`func`](crate::expr::func) calls them by name, without regard to case: `func("Substring", args![prop("Name"), 0,
//! 3])`. In JSON it is `{"$":"func","Substring":[{"#":"Name"},0,3]}`. [`ValueOps`](crate::expr::ValueOps) has methods
//! for the most common aggregates, and [`aggregate`](crate::expr::aggregate) supports DISTINCT. A function that is not
//! listed is refused, unless it is in the [`Registry`](crate::Registry).
//!
#![doc = include_str!("functions.md")]

use crate::expr::DbValueType;
use crate::names::NameTable;
use std::sync::OnceLock;

/// The required type of an argument. A parameter in its place is bound as that type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// Anything.
    Any,
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Int,
    /// A date, or a date and time.
    Date,
    /// A date, a time, or both.
    Moment,
    /// JSON, or text that holds JSON.
    Json,
    /// A literal that the compiler reads: a JSON path or a format pattern.
    Literal,
    /// A boolean.
    Bool,
}

impl ArgKind {
    /// The kind for a letter of [`Signature::args`].
    #[must_use]
    pub const fn of(letter: u8) -> Self {
        match letter {
            b't' => ArgKind::Text,
            b'n' => ArgKind::Number,
            b'i' => ArgKind::Int,
            b'd' => ArgKind::Date,
            b'm' => ArgKind::Moment,
            b'j' => ArgKind::Json,
            b'l' => ArgKind::Literal,
            b'b' => ArgKind::Bool,
            _ => ArgKind::Any,
        }
    }

    /// Its name in a signature.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ArgKind::Any => "any",
            ArgKind::Text => "text",
            ArgKind::Number => "number",
            ArgKind::Int => "integer",
            ArgKind::Date => "date",
            ArgKind::Moment => "date or time",
            ArgKind::Json => "json",
            ArgKind::Literal => "literal",
            ArgKind::Bool => "truth",
        }
    }
}

/// The type of a function's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// Always this type.
    Is(DbValueType),
    /// The type of the first argument.
    First,
    /// The widest type of all arguments.
    Widest,
    /// The type of a sum of the first argument: `Int64` for whole numbers.
    Sum,
    /// The type of an average of the first argument: a double, or a decimal for decimals.
    Average,
    /// A date for a date, otherwise a date and time.
    DateLike,
}

/// When a function's result is NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullRule {
    /// When any argument is NULL.
    Any,
    /// When all arguments are NULL.
    All,
    /// When the first argument is NULL.
    First,
    /// Never.
    Never,
    /// Possibly, whatever the arguments are.
    Maybe,
}

/// The class of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One value for each row.
    Scalar,
    /// One value for many rows; it can also be used over a window.
    Aggregate,
    /// Only used over a window.
    Window,
}

/// The signature and meaning of a portable function.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Signature {
    /// The name of the function.
    pub name: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// The arguments, one letter for each: `a`ny, `t`ext, `n`umber, `i`nteger, `d`ate, `m`oment (a date, a time or
    /// both), `j`son, `l`iteral, `b`oolean; `?` follows the first optional one, `*` one that may be repeated.
    pub args: &'static str,
    /// The type of the result.
    pub result: ResultType,
    /// When the result is NULL.
    pub null: NullRule,
    /// The class of the function.
    pub class: Class,
    /// The meaning, on every engine.
    pub meaning: &'static str,
}

macro_rules! functions {
    ($(
        @ $topic:ident $title:literal $about:literal
        $($func:ident $args:literal $class:ident $result:expr, $null:ident, [$($alias:literal),*], $meaning:literal;)*
    )*) => {
        /// A topic of functions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Topic {
            $(#[doc = $title] $topic,)*
        }

        impl Topic {
            /// All topics, in the order of the table.
            pub const ALL: &'static [Topic] = &[$(Topic::$topic),*];

            /// The title of the topic.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Topic::$topic => $title,)*
                }
            }

            /// What applies to all functions of the topic; may be empty.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Topic::$topic => $about,)*
                }
            }

            /// The functions of the topic.
            pub const fn functions(self) -> &'static [Func] {
                match self {
                    $(Topic::$topic => &[$(Func::$func),*],)*
                }
            }
        }

        /// A portable function. The [module's page](self) has them all in a table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Func {
            $($(
                #[doc = $meaning]
                #[doc = concat!("\n\nArguments, a letter each as in [`Signature::args`]: `", $args, "`.")]
                $(#[doc = concat!("\n\nAlso called `", $alias, "`.")])*
                $func,
            )*)*
        }

        impl Func {
            /// All functions, in the order of the table.
            pub const ALL: &'static [Func] = &[$($(Func::$func),*),*];

            /// The signature and meaning of the function.
            pub const fn signature(self) -> &'static Signature {
                match self {
                    $($(Func::$func => &Signature {
                        name: stringify!($func),
                        aliases: &[$($alias),*],
                        args: $args,
                        result: $result,
                        null: NullRule::$null,
                        class: Class::$class,
                        meaning: $meaning,
                    },)*)*
                }
            }
        }
    };
}

use DbValueType as T;
use ResultType::{Average, DateLike, First, Is, Sum, Widest};

functions! {
    @Text "Text" "What is no text is taken as a CAST to text gives it. Case matters in a regular expression, its `.` is any character, and its named classes (`\\d`, `\\w`, `\\s`, `[[:alpha:]]`) are of ASCII; one that engines would read in different ways is an error. Positions and lengths count characters, positions from 0; one that is out of the text is cut to it. A text joined with NULL is NULL."
    Length "t" Scalar Is(T::Int32), Any, ["Len", "CharLength"], "The number of characters, trailing blanks counted.";
    ByteLength "t" Scalar Is(T::Int32), Any, ["OctetLength"], "The number of bytes in the column's encoding.";
    Lower "t" Scalar First, Any, ["ToLower"], "In lower case.";
    Upper "t" Scalar First, Any, ["ToUpper"], "In upper case.";
    Trim "t?t" Scalar First, Any, [], "Without blanks, or any of the characters of the second argument, at both ends.";
    TrimStart "t?t" Scalar First, Any, ["LTrim"], "Without blanks, or any of those characters, at the start.";
    TrimEnd "t?t" Scalar First, Any, ["RTrim"], "Without blanks, or any of those characters, at the end.";
    Substring "ti?i" Scalar First, Any, ["Substr"], "The part of the text from a position (the first is 0, the last that every engine takes 2,147,483,646), at most so many characters; to its end without a length.";
    IndexOf "tt?i" Scalar Is(T::Int32), Any, [], "Where the second text is first found in the first, looked for from a position on; the first is 0, and -1 says that it is not there. The empty text is found where the search begins, unless that is after the end.";
    Replace "ttt" Scalar First, Any, [], "Each occurrence of the second text replaced by the third.";
    Remove "ti?i" Scalar First, Any, [], "Without the characters from a position (the first is 0) to the end, or without so many of them.";
    Insert "tit" Scalar First, Any, ["Stuff"], "The text with the third argument put in before the character at a position (the first is 0).";
    Left "ti" Scalar First, Any, [], "The first so many characters.";
    Right "ti" Scalar First, Any, [], "The last so many characters.";
    PadLeft "ti?t" Scalar First, Any, ["LPad"], "Filled at the start with a blank or the third text's character to a length; a longer text stays whole.";
    PadRight "ti?t" Scalar First, Any, ["RPad"], "Filled at the end to a length; a longer text stays whole.";
    Repeat "ti" Scalar First, Any, ["Replicate"], "The text so many times.";
    Reverse "t" Scalar First, Any, [], "The characters in reverse.";
    Space "i" Scalar Is(T::String), Any, [], "So many blanks.";
    Ascii "t" Scalar Is(T::Int32), Any, [], "The code of the first character, for ASCII text.";
    Char "i" Scalar Is(T::String), Maybe, ["Chr"], "The character of an ASCII code, 1 to 127; NULL of any other number.";
    Concat "a*" Scalar Is(T::String), Any, [], "All texts one after the other; NULL if any is.";
    ConcatWs "ta*" Scalar Is(T::String), Maybe, [], "The texts that are not NULL, with the first between them.";
    RegexpReplace "ttt" Scalar First, Any, ["RegexReplace"], "Each match of a regular expression replaced by a text that stands for itself.";
    RegexpSubstr "tt" Scalar First, Maybe, ["RegexpSubstring"], "The first match of a regular expression; NULL if there is none.";
    RegexpCount "tt" Scalar Is(T::Int32), Any, [], "How often a regular expression matches.";

    @Numbers "Numbers" "Angles are radians."
    Abs "n" Scalar First, Any, [], "Without its sign.";
    Sign "n" Scalar Is(T::Int32), Any, [], "-1, 0 or 1.";
    Ceiling "n" Scalar First, Any, ["Ceil"], "The least whole number that is not less.";
    Floor "n" Scalar First, Any, [], "The greatest whole number that is not greater.";
    Round "n?i" Scalar First, Any, [], "Rounded to so many digits after the point, halves away from zero.";
    Truncate "n?i" Scalar First, Any, ["Trunc"], "Cut to so many digits after the point, toward zero.";
    Sqrt "n" Scalar Is(T::Double), Maybe, [], "The square root; NULL of a negative number.";
    Power "nn" Scalar Is(T::Double), Maybe, ["Pow"], "The first to the power of the second; NULL where that is no real number. Too large for a double is an error, or infinite on SQLite and Oracle; too small is 0, or an error on PostgreSQL if the exponent is a known whole number that is not negative.";
    Exp "n" Scalar Is(T::Double), Any, [], "e to that power.";
    Log "n" Scalar Is(T::Double), Maybe, ["Ln"], "The natural logarithm; NULL of zero and less.";
    Log10 "n" Scalar Is(T::Double), Maybe, [], "The logarithm to base 10; NULL of zero and less.";
    Log2 "n" Scalar Is(T::Double), Maybe, [], "The logarithm to base 2; NULL of zero and less.";
    Sin "n" Scalar Is(T::Double), Any, [], "The sine of radians.";
    Cos "n" Scalar Is(T::Double), Any, [], "The cosine of radians.";
    Tan "n" Scalar Is(T::Double), Any, [], "The tangent of radians.";
    Asin "n" Scalar Is(T::Double), Maybe, [], "The arc sine in radians; NULL outside of -1 to 1.";
    Acos "n" Scalar Is(T::Double), Maybe, [], "The arc cosine in radians; NULL outside of -1 to 1.";
    Atan "n" Scalar Is(T::Double), Any, [], "The arc tangent in radians.";
    Atan2 "nn" Scalar Is(T::Double), Any, ["Atn2"], "The angle of the point (second, first) in radians.";
    Degrees "n" Scalar Is(T::Double), Any, [], "Radians as degrees.";
    Radians "n" Scalar Is(T::Double), Any, [], "Degrees as radians.";
    Pi "" Scalar Is(T::Double), Never, [], "The number pi.";
    Mod "nn" Scalar Widest, Maybe, [], "The remainder, with the dividend's sign; NULL if the divisor is 0.";
    Random "" Scalar Is(T::Double), Never, ["Rand"], "A random number, at least 0 and less than 1, for each row.";
    Greatest "aa*" Scalar Widest, Any, [], "The greatest of the arguments; NULL if any is.";
    Least "aa*" Scalar Widest, Any, [], "The least of the arguments; NULL if any is.";
    BitAnd "ii" Scalar Widest, Any, [], "The bits that are set in both.";
    BitOr "ii" Scalar Widest, Any, [], "The bits that are set in either.";
    BitXor "ii" Scalar Widest, Any, [], "The bits that are set in one of them only.";
    ShiftLeft "ii" Scalar Is(T::Int64), Any, [], "The bits moved up, of 64; 0 for a distance that is negative or over 63, of which SQL Server and Oracle take none.";
    ShiftRight "ii" Scalar First, Any, [], "The bits of a number that is not negative moved down; 0 for a distance that is negative or over 63, of which SQL Server and Oracle take none.";

    @Nulls "NULL" ""
    Coalesce "a*" Scalar Widest, All, ["IfNull", "Nvl"], "The first argument that is not NULL.";
    NullIf "aa" Scalar First, Maybe, [], "NULL if both are equal, else the first.";

    @Dates "Dates and times" "A day begins at midnight, a week on Monday. A time with an offset is an instant: its parts are those at UTC, and a time without an offset beside it is one at UTC. A year, month, day or difference is a whole number."
    Now "" Scalar Is(T::DateTime2), Never, [], "The server's date and time when the statement began, without a zone.";
    UtcNow "" Scalar Is(T::DateTime2), Never, [], "The date and time in UTC when the statement began, without a zone.";
    Today "" Scalar Is(T::Date), Never, ["CurrentDate"], "The server's date when the statement began.";
    Year "d" Scalar Is(T::Int32), Any, [], "The year.";
    Quarter "d" Scalar Is(T::Int32), Any, [], "The quarter, 1 to 4.";
    Month "d" Scalar Is(T::Int32), Any, [], "The month, 1 to 12.";
    Week "d" Scalar Is(T::Int32), Any, ["IsoWeek"], "The ISO 8601 week of the year, 1 to 53.";
    Day "d" Scalar Is(T::Int32), Any, [], "The day of the month, 1 to 31.";
    DayOfYear "d" Scalar Is(T::Int32), Any, [], "The day of the year, 1 to 366.";
    DayOfWeek "d" Scalar Is(T::Int32), Any, [], "The day of the week, Sunday 0 to Saturday 6.";
    Hour "m" Scalar Is(T::Int32), Any, [], "The hour, 0 to 23.";
    Minute "m" Scalar Is(T::Int32), Any, [], "The minute, 0 to 59.";
    Second "m" Scalar Is(T::Int32), Any, [], "The whole second, 0 to 59.";
    Millisecond "m" Scalar Is(T::Int32), Any, [], "The thousandths of the second, 0 to 999.";
    Date "d" Scalar Is(T::Date), Any, [], "The date without the time.";
    TimeOfDay "d" Scalar Is(T::Time), Any, ["Time"], "The time without the date.";
    AddYears "di" Scalar First, Any, [], "So many years later; the 29th of February becomes the 28th where there is none.";
    AddQuarters "di" Scalar First, Any, [], "So many quarters later; a day that the month lacks becomes its last.";
    AddMonths "di" Scalar First, Any, [], "So many months later; a day that the month lacks becomes its last.";
    AddWeeks "di" Scalar First, Any, [], "So many weeks later.";
    AddDays "di" Scalar First, Any, [], "So many days later.";
    AddHours "di" Scalar DateLike, Any, [], "So many hours later; a date counts from its midnight and becomes a date and time.";
    AddMinutes "di" Scalar DateLike, Any, [], "So many minutes later.";
    AddSeconds "di" Scalar DateLike, Any, [], "So many seconds later.";
    AddMilliseconds "di" Scalar DateLike, Any, [], "So many thousandths of a second later.";
    DateDiffYears "dd" Scalar Is(T::Int64), Any, [], "The whole years from the second to the first, toward zero.";
    DateDiffMonths "dd" Scalar Is(T::Int64), Any, [], "The whole months from the second to the first, toward zero.";
    DateDiffDays "dd" Scalar Is(T::Int64), Any, [], "The whole days (24 hours) from the second to the first, toward zero.";
    DateDiffHours "dd" Scalar Is(T::Int64), Any, [], "The whole hours from the second to the first, toward zero.";
    DateDiffMinutes "dd" Scalar Is(T::Int64), Any, [], "The whole minutes from the second to the first, toward zero.";
    DateDiffSeconds "dd" Scalar Is(T::Int64), Any, [], "The whole seconds from the second to the first, toward zero.";
    DateDiffMilliseconds "dd" Scalar Is(T::Int64), Any, [], "The whole thousandths of a second from the second to the first, toward zero.";
    TruncYear "d" Scalar First, Any, [], "The first of January of its year, at midnight.";
    TruncQuarter "d" Scalar First, Any, [], "The first day of its quarter, at midnight.";
    TruncMonth "d" Scalar First, Any, [], "The first day of its month, at midnight.";
    TruncWeek "d" Scalar First, Any, [], "The Monday of its week, at midnight.";
    TruncDay "d" Scalar First, Any, [], "Its midnight.";
    TruncHour "d" Scalar First, Any, [], "The beginning of its hour.";
    TruncMinute "d" Scalar First, Any, [], "The beginning of its minute.";
    LastDay "d" Scalar Is(T::Date), Any, ["EndOfMonth"], "The last day of its month, as a date.";
    MakeDate "iii" Scalar Is(T::Date), Maybe, ["DateFromParts"], "The date of a year from 1 to 9999, a month and a day; NULL where there is none, which is an error on SQL Server and Oracle.";
    ToUnixSeconds "d" Scalar Is(T::Int64), Any, [], "The whole seconds since 1970-01-01 00:00:00 of the same zone, rounded down: negative before it.";
    FromUnixSeconds "i" Scalar Is(T::DateTime2), Any, [], "The date and time so many seconds after 1970-01-01 00:00:00.";
    Format "dl" Scalar Is(T::String), Any, [], "As text, by a .NET pattern of the tokens yyyy yy MM M dd d HH H hh mm ss fff tt, and '...' for text.";

    @Json "JSON" "A path is a text of the program or the client that the compiler reads: `$`, then `.name`, `.\"name\"` and `[0]`."
    JsonValue "jl" Scalar Is(T::String), Maybe, [], "The scalar at a path as text; NULL if there is none, or an object or array.";
    JsonQuery "jl" Scalar Is(T::Json), Maybe, ["JsonExtract"], "The object or array at a path as JSON; NULL if there is none, or a scalar.";
    JsonExists "jl" Scalar Is(T::Boolean), Any, [], "Whether there is anything at a path.";
    JsonLength "j?l" Scalar Is(T::Int32), Maybe, ["JsonArrayLength"], "How many items the array at a path has; NULL if there is none.";
    JsonContains "jj" Scalar Is(T::Boolean), Any, [], "Whether the first holds all of the second.";
    JsonSet "jla" Scalar Is(T::Json), First, ["JsonModify"], "With the value at a path replaced or added; NULL is put there as a JSON null.";
    JsonObject "a*" Scalar Is(T::Json), Never, [], "An object of names and values.";
    JsonArray "a*" Scalar Is(T::Json), Never, [], "An array of values.";
    IsJson "t" Scalar Is(T::Boolean), Any, ["JsonValid"], "Whether the text is JSON.";

    @Other "Other" ""
    NewGuid "" Scalar Is(T::Guid), Never, ["Uuid"], "A new random UUID.";
    Hex "a" Scalar Is(T::String), Any, [], "Bytes as hexadecimal digits in upper case.";

    @Aggregates "Aggregates" "They take FILTER and, where the engine has it, DISTINCT and an order; over a window they are window functions."
    Count "?a" Aggregate Is(T::Int64), Never, ["CountBig"], "How many rows, or how many values that are not NULL.";
    Sum "n" Aggregate Sum, Maybe, [], "The sum; NULL of no values.";
    Avg "n" Aggregate Average, Maybe, ["Average"], "The average, not truncated for whole numbers; NULL of no values. Whole numbers beyond 2^53 may be rounded to doubles first.";
    Min "a" Aggregate First, Maybe, [], "The least.";
    Max "a" Aggregate First, Maybe, [], "The greatest.";
    StringAgg "tt" Aggregate Is(T::String), Maybe, ["GroupConcat", "ListAgg"], "The texts that are not NULL, with the second between them, in the order given.";
    StdDev "n" Aggregate Is(T::Double), Maybe, ["StdDevSamp"], "The standard deviation of a sample; NULL of fewer than two values.";
    StdDevPop "n" Aggregate Is(T::Double), Maybe, [], "The standard deviation of a population.";
    Variance "n" Aggregate Is(T::Double), Maybe, ["Var", "VarSamp"], "The variance of a sample; NULL of fewer than two values.";
    VariancePop "n" Aggregate Is(T::Double), Maybe, ["VarPop"], "The variance of a population.";
    BoolAnd "b" Aggregate Is(T::Boolean), Maybe, ["Every", "All"], "Whether every value is true.";
    BoolOr "b" Aggregate Is(T::Boolean), Maybe, ["Some", "Any"], "Whether some value is true.";
    JsonArrayAgg "a" Aggregate Is(T::Json), Maybe, ["JsonAgg"], "The values as a JSON array.";

    @Windows "Windows" "They need a window: `func(..).over()`."
    RowNumber "" Window Is(T::Int64), Never, [], "The row's number in its part, from 1.";
    Rank "" Window Is(T::Int64), Never, [], "Its rank, with gaps.";
    DenseRank "" Window Is(T::Int64), Never, [], "Its rank, without gaps.";
    PercentRank "" Window Is(T::Double), Never, [], "(rank - 1) / (rows - 1).";
    CumeDist "" Window Is(T::Double), Never, [], "The part of the rows that are not after it.";
    NTile "i" Window Is(T::Int64), Any, [], "The number of its bucket of so many, at least 1.";
    Lag "a?ia" Window First, Maybe, [], "The value so many rows before; the third argument, or NULL, if there is none.";
    Lead "a?ia" Window First, Maybe, [], "The value so many rows after.";
    FirstValue "a" Window First, Maybe, [], "The value of the frame's first row.";
    LastValue "a" Window First, Maybe, [], "The value of the frame's last row.";
    NthValue "ai" Window First, Maybe, [], "The value of the frame's n-th row; n is at least 1.";
}

impl Func {
    /// The function of a name, without regard to case.
    pub fn from_name(name: &str) -> Option<Func> {
        static TABLE: OnceLock<NameTable> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let mut table = NameTable::default();
            table.extend(Func::ALL.iter().enumerate().flat_map(|(index, func)| {
                let signature = func.signature();
                std::iter::once(signature.name).chain(signature.aliases.iter().copied()).map(move |name| (name, index))
            }));
            table
        });
        table.get(name).and_then(|index| Func::ALL.get(index).copied())
    }

    /// Whether what it gives is the beginning of a minute or of something longer.
    pub(crate) const fn begins_a_unit(self) -> bool {
        use Func as F;
        matches!(
            self,
            F::TruncYear | F::TruncQuarter | F::TruncMonth | F::TruncWeek | F::TruncDay | F::TruncHour | F::TruncMinute
        )
    }

    /// The most similar name, for error messages.
    pub fn near_match(name: &str) -> Option<String> {
        crate::names::nearest(name, Func::ALL.iter().map(|f| f.signature().name)).map(str::to_owned)
    }
}

impl Signature {
    /// The call with named arguments, for people: `Substring(text, integer[, integer])`.
    #[must_use]
    pub fn call(&self) -> String {
        let mut text = format!("{}(", self.name);
        let (mut optional, mut first) = (0, true);
        for (index, letter) in self.args.bytes().enumerate() {
            match letter {
                b'*' => text.push_str(", ..."),
                b'?' => {}
                _ => {
                    let opens = index > 0 && self.args.as_bytes().get(index - 1) == Some(&b'?');
                    // What follows an optional argument is optional, too.
                    if opens || optional > 0 {
                        text.push('[');
                        optional += 1;
                    }
                    if !first {
                        text.push_str(", ");
                    }
                    first = false;
                    text.push_str(ArgKind::of(letter).name());
                }
            }
        }
        text.push_str(&"]".repeat(optional));
        text.push(')');
        text
    }

    /// The minimal and maximal number of arguments.
    pub fn arity(&self) -> (usize, usize) {
        let (mut least, mut most, mut optional, mut repeats) = (0, 0, false, false);
        for letter in self.args.bytes() {
            match letter {
                b'?' => optional = true,
                b'*' => repeats = true,
                _ => {
                    most += 1;
                    least += usize::from(!optional);
                }
            }
        }
        (least, if repeats { usize::MAX } else { most })
    }

    /// The required type of an argument.
    pub fn arg(&self, index: usize) -> ArgKind {
        let mut kind = ArgKind::Any;
        let letters = self.args.bytes().filter(|b| !matches!(b, b'?' | b'*'));
        for (at, letter) in letters.enumerate() {
            kind = ArgKind::of(letter);
            if at == index {
                break;
            }
        }
        kind
    }

    /// The number of arguments in words.
    pub fn arity_text(&self) -> String {
        match self.arity() {
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (a, b) if a == b => format!("{a} arguments"),
            (a, usize::MAX) => format!("at least {a} arguments"),
            (a, b) => format!("{a} to {b} arguments"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_case() {
        for func in Func::ALL {
            assert_eq!(Func::from_name(&func.signature().name.to_uppercase()), Some(*func));
        }
        assert_eq!(Func::from_name("ceil"), Some(Func::Ceiling));
        assert_eq!(Func::from_name("pg_sleep"), None);
    }

    #[test]
    fn there_are_as_many_as_users_expect() {
        assert!(Func::ALL.len() >= 90, "{}", Func::ALL.len());
    }

    #[test]
    fn a_call_is_written_as_people_do() {
        for (func, call) in [
            (Func::Pi, "Pi()"),
            (Func::Substring, "Substring(text, integer[, integer])"),
            (Func::Lag, "Lag(any[, integer[, any]])"),
            (Func::Concat, "Concat(any, ...)"),
            (Func::Count, "Count([any])"),
        ] {
            assert_eq!(func.signature().call(), call);
        }
    }

    #[test]
    fn arities_are_read_from_the_letters() {
        assert_eq!(Func::Substring.signature().arity(), (2, 3));
        assert_eq!(Func::Coalesce.signature().arity(), (1, usize::MAX));
        assert_eq!(Func::Count.signature().arity(), (0, 1));
        assert_eq!(Func::Substring.signature().arg(2), ArgKind::Int);
        assert_eq!(Func::ConcatWs.signature().arg(7), ArgKind::Any);
    }
}
