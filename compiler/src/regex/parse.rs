//! Reading a pattern.

use super::set::Set;
use super::{Pattern, PatternFault, PatternNode, Uses};

/// How deep groups may stand in each other.
const DEPTH: usize = 40;
/// How often something is repeated at most, by a number.
const MOST: u32 = 255;
/// How many characters it has, with its repetitions written out: what every engine takes.
const WEIGHT: u32 = 1_000;

type Result<T> = std::result::Result<T, PatternFault>;

/// Reads a pattern.
pub(crate) fn parse(text: &str) -> Result<Pattern<'_>> {
    let mut parser = Parser { text, at: 0, groups: 0, uses: Uses::default(), looks: 0 };
    let mut flags = Flags { fold: false, dot_all: true };
    let root = parser.choice(&mut flags, 0)?;
    if parser.peek().is_some() {
        return Err(parser.fault("a `)` has no `(`; a plain one is `\\)`"));
    }
    let whole = |why| PatternFault { at: text.chars().count(), why };
    check_references(&root, true, &mut Vec::new()).map_err(whole)?;
    if root.weight() > WEIGHT {
        return Err(whole("with its repetitions written out, it has over 1,000 characters"));
    }
    Ok(Pattern { root, uses: parser.uses })
}

#[derive(Clone, Copy)]
struct Flags {
    fold: bool,
    dot_all: bool,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    groups: u32,
    uses: Uses,
    /// How many looks ahead or behind are around.
    looks: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn fault(&self, why: &'static str) -> PatternFault {
        PatternFault { at: self.text.get(..self.at).unwrap_or_default().chars().count(), why }
    }

    fn choice(&mut self, flags: &mut Flags, depth: usize) -> Result<PatternNode<'t>> {
        if depth > DEPTH {
            return Err(self.fault("its groups are nested too deep"));
        }
        let first = self.sequence(flags, depth)?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        self.uses.choice = true;
        let mut items = vec![first];
        while self.eat("|") {
            items.push(self.sequence(flags, depth)?);
        }
        Ok(PatternNode::Choice(items))
    }

    fn sequence(&mut self, flags: &mut Flags, depth: usize) -> Result<PatternNode<'t>> {
        let mut items = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            let Some(atom) = self.atom(flags, depth)? else { continue };
            items.push(self.repeated(atom)?);
        }
        match items.len() {
            0 => Err(self.fault("it is empty, or an alternative is, which engines read in different ways: write `?` behind what may be missing")),
            1 => Ok(items.pop().unwrap_or(PatternNode::Any)),
            _ => Ok(PatternNode::Sequence(items)),
        }
    }

    /// One part without what repeats it; nothing for flags.
    fn atom(&mut self, flags: &mut Flags, depth: usize) -> Result<Option<PatternNode<'t>>> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(None) };
        Ok(Some(match c {
            '.' if flags.dot_all => {
                self.uses.any = true;
                PatternNode::Any
            }
            '.' => PatternNode::Set(Set::one('\n').negated(), None),
            '^' => PatternNode::Start,
            '$' => {
                self.uses.end = true;
                PatternNode::End
            }
            '(' => return self.group(flags, depth),
            '[' => self.class(*flags, start)?,
            '\\' => self.escaped(*flags, start)?,
            '*' | '+' | '?' => {
                return Err(self.fault("there is nothing that it could repeat; a plain one has a `\\` in front"));
            }
            '{' if self.peek().is_some_and(|c| c.is_ascii_digit() || c == ',') => {
                return Err(self.fault("there is nothing that it could repeat; a plain one is `\\{`"));
            }
            c => self.literal(c, *flags, self.text.get(start..self.at).filter(|_| !matches!(c, '{' | '}' | ']')))?,
        }))
    }

    /// A character that stands for itself.
    fn literal(&mut self, c: char, flags: Flags, raw: Option<&'t str>) -> Result<PatternNode<'t>> {
        if c == '\0' {
            return Err(self.fault("no text has a character of code 0"));
        }
        let set = Set::one(c);
        Ok(match set.folded().filter(|folded| flags.fold && *folded != set) {
            Some(folded) => PatternNode::Set(folded, None),
            None => PatternNode::Set(set, raw),
        })
    }

    fn group(&mut self, flags: &mut Flags, depth: usize) -> Result<Option<PatternNode<'t>>> {
        let mut own = *flags;
        let look = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
        if let Some((_, behind, negated)) = look.into_iter().find(|(word, ..)| self.eat(word)) {
            self.uses.look = true;
            self.looks += 1;
            let inner = Box::new(self.closed(&mut own, depth)?);
            self.looks -= 1;
            if behind && inner.length().is_none() {
                return Err(self.fault("what is looked for behind has to have a fixed length"));
            }
            return Ok(Some(PatternNode::Look { behind, negated, inner }));
        }
        if !self.eat("?") {
            // Groups in a look are not counted by every engine, and nothing refers to them.
            let number = if self.looks == 0 {
                self.groups += 1;
                Some(self.groups)
            } else {
                self.uses.plain_group = true;
                None
            };
            return Ok(Some(PatternNode::Group(Box::new(self.closed(&mut own, depth)?), number)));
        }
        let mut on = true;
        loop {
            match self.next() {
                Some('i') => {
                    own.fold = on;
                    self.uses.named = true;
                }
                Some('s') => own.dot_all = on,
                Some('-') if on => on = false,
                Some(':') => {
                    self.uses.plain_group = true;
                    return Ok(Some(PatternNode::Group(Box::new(self.closed(&mut own, depth)?), None)));
                }
                Some(')') => {
                    *flags = own;
                    return Ok(None);
                }
                _ => {
                    return Err(self.fault(
                        "of the groups that begin with `(?`, there are `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!` and the flags `i` and `s`",
                    ));
                }
            }
        }
    }

    fn closed(&mut self, flags: &mut Flags, depth: usize) -> Result<PatternNode<'t>> {
        let inner = self.choice(flags, depth + 1)?;
        if self.eat(")") { Ok(inner) } else { Err(self.fault("a `(` has no `)`; a plain one is `\\(`")) }
    }

    fn repeated(&mut self, atom: PatternNode<'t>) -> Result<PatternNode<'t>> {
        let (least, most) = match self.peek() {
            Some('{') if self.is_count() => self.counted()?,
            Some(mark @ ('*' | '+' | '?')) => {
                self.next();
                match mark {
                    '*' => (0, None),
                    '+' => (1, None),
                    _ => (0, Some(1)),
                }
            }
            _ => return Ok(atom),
        };
        if matches!(atom, PatternNode::Start | PatternNode::End | PatternNode::Border { .. } | PatternNode::Look { .. })
        {
            return Err(self.fault("what matches a place and no character is not repeated"));
        }
        let lazy = self.eat("?");
        if self.peek().is_some_and(|c| matches!(c, '*' | '+' | '?')) || self.is_count() {
            return Err(self.fault("a repetition is not repeated, nor made possessive: put a group around it"));
        }
        if most != Some(least) {
            self.uses.lazy |= lazy;
            self.uses.greedy |= !lazy;
        }
        Ok(PatternNode::Repeat { inner: Box::new(atom), least, most, lazy })
    }

    /// Whether a number of repetitions comes next.
    fn is_count(&self) -> bool {
        let mut next = self.rest().chars();
        next.next() == Some('{') && next.next().is_some_and(|c| c.is_ascii_digit())
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    fn counted(&mut self) -> Result<(u32, Option<u32>)> {
        self.next();
        let least = self.number();
        let most = match self.eat(",") {
            true if self.peek() == Some('}') => None,
            true => Some(self.number()),
            false => Some(least),
        };
        let largest = most.unwrap_or(least);
        if !self.eat("}") || least > MOST || largest > MOST || largest < least || most == Some(0) {
            return Err(self.fault(
                "a number of repetitions is `{n}`, `{n,}` or `{n,m}` with numbers from 1 to 255, the lesser first",
            ));
        }
        Ok((least, most))
    }

    fn number(&mut self) -> u32 {
        let mut number: u32 = 0;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next();
            digits += 1;
            number = number.saturating_mul(10).saturating_add(digit);
        }
        if digits == 0 { u32::MAX } else { number }
    }

    /// What stands behind a backslash outside of a class.
    fn escaped(&mut self, flags: Flags, start: usize) -> Result<PatternNode<'t>> {
        match self.peek() {
            Some('A') => {
                self.next();
                Ok(PatternNode::Start)
            }
            Some('z') => {
                self.next();
                self.uses.end = true;
                Ok(PatternNode::End)
            }
            Some('Z') => {
                Err(self
                    .fault("`\\Z` is the end on one engine, and also before a line break there on others: write `$`"))
            }
            Some(c @ ('b' | 'B')) => {
                self.next();
                self.uses.border = true;
                Ok(PatternNode::Border { negated: c == 'B' })
            }
            Some(c @ '1'..='9') => {
                self.next();
                if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    return Err(
                        self.fault("a digit behind `\\1` is read as a part of its number by some engines: write `[0]`")
                    );
                }
                if flags.fold {
                    return Err(self.fault("engines disagree whether the case of what a group has matched counts"));
                }
                if self.looks > 0 {
                    return Err(self.fault("a look ahead or behind has no reference to a group on every engine"));
                }
                self.uses.back = true;
                Ok(PatternNode::Back(c.to_digit(10).unwrap_or(1)))
            }
            _ => {
                let set = self.class_escape()?;
                match set.single() {
                    Some(c) => {
                        let raw =
                            self.text.get(start..self.at).filter(|_| c.is_ascii_punctuation() && self.at == start + 2);
                        self.literal(c, flags, raw)
                    }
                    None => Ok(PatternNode::Set(set, None)),
                }
            }
        }
    }

    /// What stands behind a backslash anywhere: a class, or a character.
    fn class_escape(&mut self) -> Result<Set> {
        let named = |parser: &mut Self, name: &str, negated: bool| {
            parser.uses.named = true;
            let set = Set::named(name).unwrap_or_default();
            if negated { set.negated() } else { set }
        };
        let Some(c) = self.next() else { return Err(self.fault("there is nothing behind the last `\\`")) };
        Ok(match c {
            'd' | 'D' => named(self, "digit", c == 'D'),
            'w' | 'W' => named(self, "word", c == 'W'),
            's' | 'S' => named(self, "space", c == 'S'),
            't' => Set::one('\t'),
            'n' => Set::one('\n'),
            'r' => Set::one('\r'),
            'f' => Set::one('\x0C'),
            'a' => Set::one('\x07'),
            'e' => Set::one('\x1B'),
            'x' if self.eat("{") => {
                let length = self.rest().find('}').filter(|length| (1..=6).contains(length));
                let code = self.hex(length.unwrap_or(0))?;
                self.eat("}");
                code
            }
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            c if c.is_ascii_alphanumeric() => {
                return Err(self.fault(
                    "engines have different meanings for this letter or digit behind a `\\`, or none: a class in brackets says what is meant",
                ));
            }
            c => Set::one(c),
        })
    }

    fn hex(&mut self, digits: usize) -> Result<Set> {
        let found = self.rest().get(..digits).filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let c = found.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32).filter(|c| *c != '\0');
        let Some(c) = c else {
            return Err(self.fault("the code of a character is `\\x` with 2 digits, `\\u` with 4, or `\\x{..}`"));
        };
        self.at += digits;
        Ok(Set::one(c))
    }

    /// A class in brackets, whose first bracket has been read.
    fn class(&mut self, flags: Flags, start: usize) -> Result<PatternNode<'t>> {
        let negated = self.eat("^");
        let (mut set, mut plain, mut first) = (Set::default(), true, true);
        loop {
            let Some(c) = self.next() else { return Err(self.fault("a `[` has no `]`; a plain one is `\\[`")) };
            if c == ']' && !first {
                break;
            }
            first = false;
            let (item, is_plain) = self.class_item(c)?;
            plain &= is_plain;
            let one = item.single();
            let range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            match one.filter(|_| range) {
                Some(from) => {
                    self.next();
                    let c = self.next().unwrap_or(']');
                    let (to, is_plain) = self.class_item(c)?;
                    plain &= is_plain;
                    match to.single().filter(|to| *to >= from) {
                        Some(to) => set = set.union(&Set::range(from, to)),
                        None => return Err(self.fault("a range in a class goes from a character to a later one")),
                    }
                    if self.rest().starts_with('-') && !self.rest().starts_with("-]") {
                        return Err(self.fault("a `-` behind a range is read in different ways: write it last"));
                    }
                }
                None if range => return Err(self.fault("a range in a class goes from a character to a later one")),
                None => set = set.union(&item),
            }
        }
        if flags.fold {
            let folded = set.folded();
            set = folded.ok_or_else(|| self.fault("the class is too large to be one that ignores case"))?;
            plain = false;
        }
        if negated {
            set = set.negated();
        }
        if set.is_empty() {
            return Err(self.fault("no character is in the class"));
        }
        self.uses.class |= !plain;
        Ok(PatternNode::Set(set, self.text.get(start..self.at).filter(|_| plain)))
    }

    /// An item of a class, and whether every engine reads it in the same way.
    fn class_item(&mut self, c: char) -> Result<(Set, bool)> {
        match c {
            '\0' => Err(self.fault("no text has a character of code 0")),
            '\\' => Ok((self.class_escape()?, false)),
            '[' if self.rest().starts_with([':', '.', '=']) => {
                let end = self.rest().find(":]").filter(|_| self.rest().starts_with(':'));
                let named = end.and_then(|end| Set::named(self.rest().get(1..end).unwrap_or_default()).zip(Some(end)));
                let Some((set, end)) = named else {
                    return Err(self.fault(
                        "of the named classes, there are alpha, digit, alnum, upper, lower, space, blank, punct, xdigit and word",
                    ));
                };
                self.at += end + 2;
                self.uses.named = true;
                Ok((set, false))
            }
            c => Ok((Set::one(c), !matches!(c, '[' | ']' | '^' | '-' | '&' | '~' | '|'))),
        }
    }
}

/// A reference is to a group that certainly has matched: engines disagree about others.
fn check_references(node: &PatternNode<'_>, sure: bool, known: &mut Vec<u32>) -> std::result::Result<(), &'static str> {
    match node {
        PatternNode::Back(number) if !known.contains(number) => Err(
            "a reference is to a group in front of it that certainly has matched: none in an alternative or a repetition",
        ),
        PatternNode::Group(inner, number) => {
            check_references(inner, sure, known)?;
            known.extend(number.filter(|_| sure));
            Ok(())
        }
        PatternNode::Look { inner, .. } | PatternNode::Repeat { inner, .. } => check_references(inner, false, known),
        PatternNode::Choice(items) => items.iter().try_for_each(|item| check_references(item, false, known)),
        PatternNode::Sequence(items) => items.iter().try_for_each(|item| check_references(item, sure, known)),
        _ => Ok(()),
    }
}
