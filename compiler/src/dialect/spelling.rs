//! How a call is spelled.

use crate::functions::Signature;

/// A text with holes for the arguments of a call, and what the compiler has to know of it. [`Form::Text`](super::Form::Text)
/// says which holes there are.
///
/// It is read once, when it is made. That is when Rust compiles, for a table of functions: a hole that there is not is an error
/// there.
///
/// ```
/// use isogloss_compiler::dialect::Spelling;
///
/// const UPPER: Spelling = Spelling::new("UPPER({0})");
/// assert!(!UPPER.repeats(0));
/// ```
///
/// ```compile_fail,E0080
/// use isogloss_compiler::dialect::Spelling;
///
/// const UPPER: Spelling = Spelling::new("UPPER({x})");
/// # let _ = UPPER;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling<'t> {
    text: &'t str,
    /// One more than the last argument that has a hole.
    arguments: usize,
    has_rows: bool,
    counts_rows: bool,
    has_order: bool,
    has_distinct: bool,
    /// Where the condition begins and ends in `CASE WHEN condition THEN ..`.
    condition: Option<(usize, usize)>,
    is_truth: bool,
}

impl<'t> Spelling<'t> {
    /// The spelling that a text is.
    ///
    /// # Panics
    /// A hole or a brace in it means nothing; see [`parse`](Self::parse). In a `const`, that is an error of Rust's compiler.
    #[must_use]
    #[allow(clippy::panic, reason = "a table of functions is made when Rust compiles")]
    pub const fn new(text: &'t str) -> Self {
        match Self::parse(text) {
            Ok(spelling) => spelling,
            Err(why) => panic!("{}", why),
        }
    }

    /// The spelling that a text is, where the text is made when the program runs.
    ///
    /// # Errors
    /// Why a hole or a brace in it means nothing.
    pub const fn parse(text: &'t str) -> Result<Self, &'static str> {
        Self::counting(text, &mut Holes { met: 0, repeated: 0 })
    }

    const fn counting(text: &'t str, holes: &mut Holes) -> Result<Self, &'static str> {
        let mut spelling = Self {
            text,
            arguments: 0,
            has_rows: false,
            counts_rows: false,
            has_order: false,
            has_distinct: false,
            condition: None,
            is_truth: false,
        };
        let mut rest = text.as_bytes();
        // Until a second CASE begins, the next THEN ends the condition of the first.
        let mut condition = match behind(rest, b"CASE WHEN ") {
            Some(first) => {
                rest = first;
                Some(text.len() - first.len())
            }
            None => None,
        };
        while let [byte, after @ ..] = rest {
            let here = rest;
            rest = after;
            match (*byte, after) {
                (b'{', [b'{', after @ ..]) | (b'}', [b'}', after @ ..]) => rest = after,
                (b'{', hole) => match spelling.hole(hole, holes) {
                    Ok(after) => rest = after,
                    Err(why) => return Err(why),
                },
                (b'}', _) => return Err("a brace that stands for itself is doubled"),
                (b'S', _) if behind(here, b"SELECT ").is_some() => spelling.has_rows = true,
                (b'C', _) if behind(here, b"COUNT(").is_some() => spelling.counts_rows = true,
                (b'C', _) if behind(here, b"CASE ").is_some() => condition = None,
                (b' ', _) if behind(here, b" THEN ").is_some() => {
                    if let Some(begin) = condition {
                        spelling.condition = Some((begin, text.len() - here.len()));
                        spelling.is_truth = behind(here, b" THEN 1 WHEN ").is_some();
                    }
                    condition = None;
                }
                _ => {}
            }
        }
        Ok(spelling)
    }

    /// Reads a hole behind its brace, and gives what is behind it.
    const fn hole<'h>(&mut self, hole: &'h [u8], holes: &mut Holes) -> Result<&'h [u8], &'static str> {
        match hole {
            [b'0'..=b'9', ..] => return self.argument(hole, holes),
            [b'o' | b'w' | b'W', b'}', ..] => self.has_order = true,
            [b'd', b'}', ..] => self.has_distinct = true,
            [b'f' | b'v', b'}', ..] | [b'v', b'=', b'}', ..] => {}
            // All arguments.
            [b':', b'}', ..] | [b'*' | b'=', ..] => holes.meet(u128::MAX),
            _ => return Err("there is no such hole: arguments are `{0}`, `{1^}`, `{*}` .."),
        }
        let mut rest = hole;
        while let [byte, after @ ..] = rest {
            if *byte == b'}' {
                return Ok(after);
            }
            rest = after;
        }
        Err("a hole is left open")
    }

    const fn argument<'h>(&mut self, hole: &'h [u8], holes: &mut Holes) -> Result<&'h [u8], &'static str> {
        let (mut index, mut rest) = (0_usize, hole);
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            index = index.saturating_mul(10).saturating_add((*digit - b'0') as usize);
            rest = after;
        }
        let after = match rest {
            // All arguments from that one on: there may be none.
            [b'*', b'}', after @ ..] if index < ARGUMENTS => {
                self.needs(index);
                holes.meet(u128::MAX << index);
                return Ok(after);
            }
            [b'i' | b'f' | b't' | b's' | b'j' | b'p' | b'k' | b'n' | b'q' | b'r', b'^', b'}', after @ ..]
            | [
                b'^' | b'=' | b'\'' | b'i' | b'f' | b't' | b's' | b'j' | b'p' | b'k' | b'n' | b'q' | b'r',
                b'}',
                after @ ..,
            ]
            | [b'}', after @ ..] => after,
            _ => return Err("what stands behind an argument in its hole means nothing"),
        };
        if index >= ARGUMENTS {
            return Err("there are not so many arguments");
        }
        self.needs(index + 1);
        holes.meet(1 << index);
        Ok(after)
    }

    const fn needs(&mut self, arguments: usize) {
        if self.arguments < arguments {
            self.arguments = arguments;
        }
    }

    /// An error, in a `const` one of Rust's compiler, where it has a hole for an argument that the function has not.
    #[allow(clippy::panic, reason = "a table of functions is made when Rust compiles")]
    pub(super) const fn assert_fits(&self, arguments: usize) {
        if self.arguments > arguments {
            panic!("a spelling has a hole for an argument that its function has not");
        }
    }

    /// The text, with its holes.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// Whether an argument has more than one hole. The text is read again: only statements with random values ask.
    #[must_use]
    pub const fn repeats(&self, argument: usize) -> bool {
        let mut holes = Holes { met: 0, repeated: 0 };
        Self::counting(self.text, &mut holes).is_ok() && argument < ARGUMENTS && holes.repeated & 1 << argument != 0
    }

    /// Whether it is a subquery, or has one.
    #[must_use]
    pub const fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// Whether it has a subquery that is an aggregate over its rows.
    pub(crate) const fn aggregates_rows(&self) -> bool {
        self.has_rows && self.counts_rows
    }

    /// Whether it has a place for the order of an aggregate.
    #[must_use]
    pub const fn has_order(&self) -> bool {
        self.has_order
    }

    /// Whether it says where DISTINCT goes, if that is not before the first argument.
    pub(crate) const fn places_distinct(&self) -> bool {
        self.has_distinct
    }

    /// The condition, in `CASE WHEN condition THEN ..`.
    #[must_use]
    pub fn condition(&self) -> Option<Self> {
        let (begin, end) = self.condition?;
        Self::parse(self.text.get(begin..end)?).ok()
    }

    /// The condition, in `CASE WHEN condition THEN 1 WHEN ..`: it holds where the whole is 1.
    pub(crate) fn truth(&self) -> Option<Self> {
        self.condition().filter(|_| self.is_truth)
    }

    /// A position as the engine counts it, from 1, where 1 is subtracted from that.
    pub(crate) fn counted_from_one(&self) -> Option<Self> {
        Self::parse(self.text.strip_suffix(" - 1")?).ok()
    }
}

/// A bit for each argument that has a hole, and for each that has more than one.
struct Holes {
    met: u128,
    repeated: u128,
}

impl Holes {
    const fn meet(&mut self, arguments: u128) {
        self.repeated |= self.met & arguments;
        self.met |= arguments;
    }
}

/// How many arguments may have holes of their own.
const ARGUMENTS: usize = 128;

/// What is behind a text, where another begins with it.
const fn behind<'t>(mut text: &'t [u8], mut begin: &[u8]) -> Option<&'t [u8]> {
    loop {
        match (text, begin) {
            (rest, []) => return Some(rest),
            ([a, rest @ ..], [b, next @ ..]) if *a == *b => (text, begin) = (rest, next),
            _ => return None,
        }
    }
}

impl Signature {
    /// How many arguments it takes at most.
    pub(super) const fn most(&self) -> usize {
        let (mut most, mut letters) = (0, self.args.as_bytes());
        while let [letter, rest @ ..] = letters {
            match letter {
                b'*' => return usize::MAX,
                b'?' => {}
                _ => most += 1,
            }
            letters = rest;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_counted_by_argument() {
        let repeats = |text, index| Spelling::parse(text).is_ok_and(|spelling| spelling.repeats(index));
        assert!(repeats("ROUND({0}) - (ROUND({0}) > {0^})", 0));
        assert!(!repeats("SUBSTR({0}, {1^} + 1, {1})", 0));
        assert!(repeats("SUBSTR({0}, {1^} + 1, {1})", 1));
        assert!(!repeats("F({1}, {10})", 1) && !repeats("F({0}, {{0}})", 0));
        assert!(repeats("F({0}, {*})", 0) && repeats("G({*}) - L({*})", 5) && repeats("F({1}, {1*})", 1));
        assert!(!repeats("F({0}, {1*})", 0) && !repeats("F({31}, {32})", 32));
        assert!(repeats("F({40}, {40})", 40) && !repeats("F({40})", 40));
    }

    #[test]
    fn a_hole_that_there_is_not_is_an_error() {
        let none = "there is no such hole: arguments are `{0}`, `{1^}`, `{*}` ..";
        let behind = "what stands behind an argument in its hole means nothing";
        let brace = "a brace that stands for itself is doubled";
        for (text, why) in [
            ("UPPER({x})", none),
            ("F({})", none),
            ("{", none),
            ("F({0", behind),
            ("F({0^i})", behind),
            ("F({0ii})", behind),
            ("F({*", "a hole is left open"),
            ("}", brace),
            ("F({0}))}", brace),
            ("F({256})", "there are not so many arguments"),
        ] {
            assert_eq!(Spelling::parse(text), Err(why), "{text}");
        }
        for text in
            ["F({0i^}, {1'}, {2=}, {*})", "F({= AS })", "F({* VALUE })", "F({*j}{o}{w}{W}{d}{f}{v}{v=}{:})", "{{}}"]
        {
            assert!(Spelling::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    #[should_panic(expected = "a spelling has a hole for an argument that its function has not")]
    fn a_hole_for_an_argument_that_there_is_not_is_an_error() {
        let _ = crate::dialect::Row::call(crate::functions::Func::Lower, "LOWER({1})");
    }

    #[test]
    fn what_it_is_made_of_is_known() {
        let of = Spelling::new;
        assert!(of("(SELECT 1 FROM t)").has_rows() && !of("SELECTED({0})").has_rows());
        assert!(of("(SELECT COUNT(*) FROM t)").aggregates_rows() && !of("COUNT({0})").aggregates_rows());
        assert!(of("F({0}{w})").has_order() && !of("F({0})").has_order());
        let texts = |text| {
            let spelling = of(text);
            [spelling.condition(), spelling.truth()].map(|part| part.map(|part| part.text()))
        };
        assert_eq!(texts("CASE WHEN {0^} > 0 THEN LN({0}) END"), [Some("{0^} > 0"), None]);
        assert_eq!(texts("CASE WHEN {0} THEN 1 WHEN NOT {0} THEN 0 END"), [Some("{0}"), Some("{0}")]);
        assert_eq!(texts("CASE WHEN CASE WHEN {0} THEN 1 END = 1 THEN 1 WHEN TRUE THEN 0 END"), [None, None]);
        assert_eq!(texts("F(CASE WHEN {0} THEN 1 END)"), [None, None]);
        assert_eq!(of("INSTR({0}, {1}) - 1").counted_from_one().map(|part| part.text()), Some("INSTR({0}, {1})"));
        assert_eq!(of("INSTR({0}, {1})").counted_from_one(), None);
    }
}
