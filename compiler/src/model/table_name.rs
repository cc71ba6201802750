//! A table's name: its schema parts, and the placeholders of a sharded table.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use compact_str::CompactString;

use crate::expr::Name;

/// The name of a table as its definition gives it: parts parted by `.`, with `{0}`, `{1}`, ... where the arguments of a
/// sharded table go.
///
/// ```
/// use isogloss_compiler::model::TableName;
/// let name: TableName = "sales.Orders_{0}".parse()?;
/// assert_eq!(name.args(), 1);
/// assert_eq!(*name.expand(&["202411".into()])?, ["sales", "Orders_202411"]);
/// assert!(name.expand(&["x; DROP TABLE y".into()]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableName {
    parts: Vec<TableNamePart>,
    /// The parts' text; what the name is if it has no placeholder.
    plain: Vec<CompactString>,
    args: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TableNamePart(Vec<NamePiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum NamePiece {
    Text(CompactString),
    Arg(usize),
}

/// Why a table name is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadTableName {
    /// Nothing, or nothing between two dots.
    #[error("a part of the name is empty")]
    Empty,
    /// Too many dots.
    #[error("a name has at most {} parts, as in `database.schema.table`", TableName::MAX_PARTS)]
    TooManyParts,
    /// A part is too long.
    #[error("a part of the name is over {} bytes long", Name::MAX_LEN)]
    TooLong,
    /// A control character.
    #[error("the name has a control character")]
    Control,
    /// A brace that is no placeholder.
    #[error("`{{` and `}}` only stand around the number of a placeholder, as in `Orders_{{0}}`")]
    Brace,
    /// A number is left out.
    #[error("the placeholders are numbered from 0 without a gap: `{{{0}}}` is missing")]
    Gap(usize),
}

/// Why a sharded table's name cannot be completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// Fewer arguments than placeholders.
    #[error("table `{table}` is sharded: it takes {needed} table argument(s), got {given}; give them with the query")]
    Missing {
        /// The name with its placeholders.
        table: String,
        /// How many the name takes.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// An argument that may not become part of a name.
    #[error("bad table argument {argument:?} for table `{table}`: 1 to 64 ASCII letters, digits and `_`")]
    BadArgument {
        /// The name with its placeholders.
        table: String,
        /// The first 40 characters of the argument.
        argument: String,
    },
    /// The completed name is too long.
    #[error("table `{table}` gets a name of over {} bytes with these arguments", Name::MAX_LEN)]
    TooLong {
        /// The name with its placeholders.
        table: String,
    },
}

impl TableName {
    /// The most parts of a name.
    pub const MAX_PARTS: usize = 4;
    /// The most placeholders of a name.
    pub const MAX_ARGS: usize = 16;
    /// The longest argument, in bytes.
    pub const MAX_ARG_LEN: usize = 64;

    /// How many arguments the name takes; 0 unless the table is sharded.
    pub fn args(&self) -> usize {
        self.args
    }

    /// The parts of the name, if it has no placeholder.
    pub fn plain(&self) -> Option<&[CompactString]> {
        if self.args == 0 { Some(&self.plain) } else { None }
    }

    /// The parts of the name, with the arguments in their places. An argument that the name does not ask for is not
    /// looked at, as all tables of a statement share its arguments.
    ///
    /// # Errors
    /// When an argument is missing, or is anything but 1 to 64 ASCII letters, digits and `_`.
    pub fn expand(&self, args: &[CompactString]) -> Result<Cow<'_, [CompactString]>, ShardError> {
        if self.args == 0 {
            return Ok(Cow::Borrowed(&self.plain));
        }
        let Some(args) = args.get(..self.args) else {
            return Err(ShardError::Missing { table: self.to_string(), needed: self.args, given: args.len() });
        };
        if let Some(bad) = args.iter().find(|arg| !is_argument(arg)) {
            let argument = bad.chars().take(40).collect();
            return Err(ShardError::BadArgument { table: self.to_string(), argument });
        }
        let parts = self.parts.iter().map(|part| part.expand(args)).collect::<Vec<_>>();
        if parts.iter().any(|part| part.len() > Name::MAX_LEN) {
            return Err(ShardError::TooLong { table: self.to_string() });
        }
        Ok(Cow::Owned(parts))
    }

    /// The parts of the name as patterns of LIKE whose escape is `!`: a placeholder is `%`. The characters of `special`
    /// are escaped: `!` itself, `%`, `_`, and what else the engine's LIKE takes for more than it is.
    #[must_use]
    pub fn patterns(&self, special: &str) -> Vec<String> {
        self.parts.iter().map(|part| part.pattern(special)).collect()
    }

    /// Whether these parts are the name with some arguments, whatever the case of their letters.
    #[must_use]
    pub fn matches(&self, parts: &[&str]) -> bool {
        self.parts.len() == parts.len() && self.parts.iter().zip(parts).all(|(part, text)| part.matches(text))
    }

    /// Whether a table of this name may be called that, in some schema. Of a name that may be any at all, this is not said.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.parts.last().is_some_and(|part| !part.is_any() && part.matches(name))
    }

    /// Whether a table of this name may be one of the other's, if a name with a schema and one without may be the same. Of a
    /// name that may be any at all, none is but those of the same kind.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let (Some(part), Some(other)) = (self.parts.last(), other.parts.last()) else { return false };
        if other.is_any() {
            return part.is_any();
        }
        match (part.plain(), other.plain()) {
            (Some(name), _) => other.matches(name),
            (None, Some(name)) => part.matches(name),
            (None, None) => part.may_be(other),
        }
    }
}

/// Whether the text may become part of a table's name.
fn is_argument(text: &str) -> bool {
    (1..=TableName::MAX_ARG_LEN).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl TableNamePart {
    fn read(text: &str) -> Result<Self, BadTableName> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (number, after) = after.split_once('}').ok_or(BadTableName::Brace)?;
            if before.contains('}') || number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
                return Err(BadTableName::Brace);
            }
            let number = number.parse().ok().filter(|n| *n < TableName::MAX_ARGS).ok_or(BadTableName::Brace)?;
            if !before.is_empty() {
                pieces.push(NamePiece::Text(before.into()));
            }
            pieces.push(NamePiece::Arg(number));
            rest = after;
        }
        if rest.contains('}') {
            return Err(BadTableName::Brace);
        }
        if !rest.is_empty() {
            pieces.push(NamePiece::Text(rest.into()));
        }
        Ok(Self(pieces))
    }

    fn expand(&self, args: &[CompactString]) -> CompactString {
        let mut name = CompactString::default();
        for piece in &self.0 {
            match piece {
                NamePiece::Text(text) => name.push_str(text),
                NamePiece::Arg(n) => name.push_str(args.get(*n).map_or("", |arg| arg.as_str())),
            }
        }
        name
    }

    fn pattern(&self, special: &str) -> String {
        let mut pattern = String::new();
        for piece in &self.0 {
            match piece {
                NamePiece::Text(text) => {
                    for c in text.chars() {
                        if special.contains(c) {
                            pattern.push('!');
                        }
                        pattern.push(c);
                    }
                }
                NamePiece::Arg(_) => pattern.push('%'),
            }
        }
        pattern
    }

    /// Its text, if it has no placeholder.
    fn plain(&self) -> Option<&str> {
        match &*self.0 {
            [NamePiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it is made of arguments alone.
    fn is_any(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, NamePiece::Arg(_)))
    }

    /// Whether the ends of two parts with placeholders do not rule out that they are the same.
    fn may_be(&self, other: &Self) -> bool {
        let ends = |part: &Self| {
            [part.0.first(), part.0.last()].map(|piece| match piece {
                Some(NamePiece::Text(text)) => text.to_lowercase().to_string(),
                _ => String::new(),
            })
        };
        let ([begin, end], [other_begin, other_end]) = (ends(self), ends(other));
        (begin.starts_with(&other_begin) || other_begin.starts_with(&begin))
            && (end.ends_with(&other_end) || other_end.ends_with(&end))
    }

    fn matches(&self, text: &str) -> bool {
        if let Some(plain) = self.plain().filter(|plain| plain.is_ascii()) {
            return plain.eq_ignore_ascii_case(text);
        }
        let text = &*text.to_lowercase();
        // Where the pieces so far may end.
        let mut ends = vec![0];
        for piece in &self.0 {
            let rest = |start: usize| text.get(start..).unwrap_or_default();
            ends = match piece {
                NamePiece::Text(piece) => {
                    let piece = piece.to_lowercase();
                    ends.into_iter()
                        .filter(|start| rest(*start).starts_with(&*piece))
                        .map(|start| start + piece.len())
                        .collect()
                }
                NamePiece::Arg(_) => {
                    let after = |start: usize| {
                        let most = TableName::MAX_ARG_LEN.min(text.len() - start);
                        (1..=most)
                            .map_while(move |len| is_argument(text.get(start..start + len)?).then_some(start + len))
                    };
                    ends.into_iter().flat_map(after).collect::<BTreeSet<usize>>().into_iter().collect()
                }
            };
        }
        ends.contains(&text.len())
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|piece| match piece {
            NamePiece::Arg(n) => Some(*n),
            NamePiece::Text(_) => None,
        })
    }
}

impl std::str::FromStr for TableName {
    type Err = BadTableName;

    fn from_str(text: &str) -> Result<Self, BadTableName> {
        if text.chars().any(char::is_control) {
            return Err(BadTableName::Control);
        }
        let plain: Vec<CompactString> = text.split('.').map(CompactString::new).collect();
        if plain.len() > Self::MAX_PARTS {
            return Err(BadTableName::TooManyParts);
        }
        if plain.iter().any(|part| part.trim().is_empty()) {
            return Err(BadTableName::Empty);
        }
        if plain.iter().any(|part| part.len() > Name::MAX_LEN) {
            return Err(BadTableName::TooLong);
        }
        let parts = plain.iter().map(|part| TableNamePart::read(part)).collect::<Result<Vec<_>, _>>()?;
        let args = parts.iter().flat_map(TableNamePart::numbers).max().map_or(0, |n| n + 1);
        let missing = (0..args).find(|n| !parts.iter().flat_map(TableNamePart::numbers).any(|m| m == *n));
        match missing {
            Some(gap) => Err(BadTableName::Gap(gap)),
            None => Ok(Self { parts, plain, args }),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.plain.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> TableName {
        text.parse().unwrap()
    }

    fn args(args: &[&str]) -> Vec<CompactString> {
        args.iter().map(CompactString::new).collect()
    }

    #[test]
    fn a_plain_name_is_borrowed_and_ignores_arguments() {
        let orders = name("sales.Orders");
        assert!(matches!(orders.expand(&args(&["x"])), Ok(Cow::Borrowed(parts)) if parts == ["sales", "Orders"]));
        assert_eq!(orders.plain().unwrap(), ["sales", "Orders"]);
        assert_eq!(orders.to_string(), "sales.Orders");
    }

    #[test]
    fn placeholders_take_their_arguments() {
        let orders = name("t{1}.Orders_{0}_{1}x");
        assert_eq!(orders.args(), 2);
        assert_eq!(orders.plain(), None);
        assert_eq!(*orders.expand(&args(&["a", "b", "more"])).unwrap(), ["tb", "Orders_a_bx"]);
        assert_eq!(orders.to_string(), "t{1}.Orders_{0}_{1}x");
    }

    #[test]
    fn arguments_are_checked() {
        let orders = name("Orders_{0}");
        assert!(matches!(orders.expand(&[]), Err(ShardError::Missing { needed: 1, given: 0, .. })));
        for bad in ["", "a b", "a\"", "a.b", "é", "a;", "{0}", &"a".repeat(65)] {
            let error = orders.expand(&args(&[bad])).unwrap_err();
            assert!(matches!(error, ShardError::BadArgument { .. }), "{bad}: {error}");
        }
        let long = name(&format!("{}{{0}}", "a".repeat(120)));
        assert!(matches!(long.expand(&args(&["123456789"])), Err(ShardError::TooLong { .. })));
        assert_eq!(
            orders.expand(&args(&["x'"])).unwrap_err().to_string(),
            r#"bad table argument "x'" for table `Orders_{0}`: 1 to 64 ASCII letters, digits and `_`"#
        );
    }

    #[test]
    fn the_tables_of_a_sharded_name_are_known_by_it() {
        let of = |text: &str, parts: &[&str]| name(text).matches(parts);
        assert!(of("Orders_{0}", &["Orders_2024"]) && of("Orders_{0}", &["orders_a_b"]));
        for other in
            [&["Orders_"][..], &["Orders"], &["Orders_a-b"], &["sales", "Orders_1"], &["xOrders_1"], &["Orders_é"]]
        {
            assert!(!of("Orders_{0}", other), "{other:?}");
        }
        assert!(
            of("t{1}.Orders_{0}_{1}x", &["tb", "Orders_a_bx"]) && !of("t{1}.Orders_{0}_{1}x", &["t", "Orders_a_bx"])
        );
        assert!(of("{0}{1}{0}{1}{0}{1}", &[&"a".repeat(128)]) && !of("{0}x", &[&"a".repeat(128)]));
        assert!(of("sales.Straße", &["SALES", "straße"]));
        assert_eq!(name("t{1}.Or!d%_[{0}]").patterns("!%_["), ["t%", "Or!!d!%!_![%]"]);
        assert_eq!(name("Orders").patterns("!%_"), ["Orders"]);
    }

    #[test]
    fn a_refusal_says_what_a_name_is() {
        for (text, why) in [
            ("a..b", "a part of the name is empty"),
            ("a.b.c.d.e", "a name has at most 4 parts, as in `database.schema.table`"),
            (&*"a".repeat(129), "a part of the name is over 128 bytes long"),
            ("a\0b", "the name has a control character"),
            ("a{x}", "`{` and `}` only stand around the number of a placeholder, as in `Orders_{0}`"),
            ("a{1}", "the placeholders are numbered from 0 without a gap: `{0}` is missing"),
        ] {
            assert_eq!(text.parse::<TableName>().unwrap_err().to_string(), why, "{text:?}");
        }
        let long = name(&format!("{}{{0}}", "a".repeat(120))).expand(&args(&["123456789"])).unwrap_err();
        assert!(long.to_string().ends_with("a{0}` gets a name of over 128 bytes with these arguments"), "{long}");
    }

    #[test]
    fn bad_names_are_refused() {
        for (text, why) in [
            ("", BadTableName::Empty),
            ("a..b", BadTableName::Empty),
            (" ", BadTableName::Empty),
            ("a.b.c.d.e", BadTableName::TooManyParts),
            ("a\0b", BadTableName::Control),
            ("a{", BadTableName::Brace),
            ("a}", BadTableName::Brace),
            ("a}{0}", BadTableName::Brace),
            ("a{}", BadTableName::Brace),
            ("a{x}", BadTableName::Brace),
            ("a{+1}", BadTableName::Brace),
            ("a{99}", BadTableName::Brace),
            ("a{{0}}", BadTableName::Brace),
            ("a{1}", BadTableName::Gap(0)),
            ("a{0}{2}", BadTableName::Gap(1)),
        ] {
            assert_eq!(text.parse::<TableName>(), Err(why), "{text:?}");
        }
        assert_eq!("a".repeat(129).parse::<TableName>(), Err(BadTableName::TooLong));
    }
}
