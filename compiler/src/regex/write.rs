//! Writing a pattern as an engine takes it.

use super::set::Set;
use super::{Pattern, PatternNode};

/// How an engine spells what others spell differently.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternSpelling {
    /// The end of the text.
    pub(crate) end: &'static str,
    /// Any character.
    pub(crate) any: &'static str,
    /// Whether it has `(?:..)`.
    pub(crate) plain_group: bool,
    /// Whether `\` takes the meaning of what follows in a class.
    pub(crate) class_escape: bool,
    /// Whether it looks ahead and behind.
    pub(crate) look: bool,
    /// Whether `\b` is the border of a word of ASCII.
    pub(crate) border: bool,
    /// Whether nothing counts but that there is a match.
    pub(crate) test: bool,
}

/// The pattern in an engine's spelling; none if it has a border that cannot be told there.
pub(crate) fn write(pattern: &Pattern<'_>, spelling: &PatternSpelling) -> Option<String> {
    let mut writer = PatternWriter { spelling, text: String::new(), groups: 0, numbers: Vec::new() };
    writer.whole(&pattern.root)?;
    Some(writer.text)
}

struct PatternWriter<'s> {
    spelling: &'s PatternSpelling,
    text: String,
    /// How many groups are captured so far, and the number that each had.
    groups: u32,
    numbers: Vec<(u32, u32)>,
}

impl PatternWriter<'_> {
    /// The whole of a pattern: a border at one of its ends is a character or an end of the text there.
    fn whole(&mut self, node: &PatternNode<'_>) -> Option<()> {
        let items = match node {
            PatternNode::Choice(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push('|');
            }
            match item {
                PatternNode::Sequence(items) if self.spelling.test && !self.spelling.look && !self.spelling.border => {
                    self.ends(items)?;
                }
                other => self.node(other, None, None)?,
            }
        }
        Some(())
    }

    /// ```text
    /// \bab\b        (^|[^0-9A-Z_a-z])ab([^0-9A-Z_a-z]|$)
    /// ```
    fn ends(&mut self, items: &[PatternNode<'_>]) -> Option<()> {
        let word = Set::word();
        let in_word = |node: Option<&PatternNode<'_>>, first: bool| {
            node.and_then(|node| node.edge(first)).is_some_and(|edge| edge.is_within(&word))
        };
        let border = |node: &PatternNode<'_>| matches!(node, PatternNode::Border { negated: false });
        let (mut from, mut to) = (0, items.len());
        if items.first().is_some_and(border) && in_word(items.get(1), true) {
            self.text.push_str("(^|");
            self.set(&word.negated());
            self.text.push(')');
            self.groups += 1;
            from = 1;
        }
        let behind = items.last().is_some_and(border) && to > from + 1 && in_word(items.get(to - 2), false);
        if behind {
            to -= 1;
        }
        self.sequence(items.get(from..to).unwrap_or_default())?;
        if behind {
            self.text.push('(');
            self.set(&word.negated());
            self.text.push('|');
            self.text.push_str(self.spelling.end);
            self.text.push(')');
            self.groups += 1;
        }
        Some(())
    }

    fn sequence(&mut self, items: &[PatternNode<'_>]) -> Option<()> {
        for (index, item) in items.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| items.get(index));
            self.node(item, before, items.get(index + 1))?;
        }
        Some(())
    }

    fn node(
        &mut self,
        node: &PatternNode<'_>,
        before: Option<&PatternNode<'_>>,
        behind: Option<&PatternNode<'_>>,
    ) -> Option<()> {
        match node {
            PatternNode::Set(_, Some(raw)) => self.text.push_str(raw),
            PatternNode::Set(set, None) => self.set(set),
            PatternNode::Any => self.text.push_str(self.spelling.any),
            PatternNode::Start => self.text.push('^'),
            PatternNode::End => self.text.push_str(self.spelling.end),
            PatternNode::Border { negated } => self.border(*negated, before, behind)?,
            PatternNode::Group(inner, number) => {
                match number {
                    None if self.spelling.plain_group => self.text.push_str("(?:"),
                    _ => {
                        self.groups += 1;
                        self.numbers.extend(number.map(|number| (number, self.groups)));
                        self.text.push('(');
                    }
                }
                self.node(inner, None, None)?;
                self.text.push(')');
            }
            PatternNode::Back(number) => {
                let written = self.numbers.iter().find(|known| known.0 == *number)?.1;
                self.text.push('\\');
                self.text.push(char::from_digit(written, 10)?);
            }
            PatternNode::Look { behind, negated, inner } => {
                self.text.push_str(match (behind, negated) {
                    (false, false) => "(?=",
                    (false, true) => "(?!",
                    (true, false) => "(?<=",
                    (true, true) => "(?<!",
                });
                self.node(inner, None, None)?;
                self.text.push(')');
            }
            PatternNode::Repeat { inner, least, most, lazy } => {
                self.node(inner, None, None)?;
                match (least, most) {
                    (0, None) => self.text.push('*'),
                    (1, None) => self.text.push('+'),
                    (0, Some(1)) => self.text.push('?'),
                    (least, most) => {
                        self.text.push('{');
                        self.text.push_str(&least.to_string());
                        if *most != Some(*least) {
                            self.text.push(',');
                            self.text.push_str(&most.map(|most| most.to_string()).unwrap_or_default());
                        }
                        self.text.push('}');
                    }
                }
                // What is repeated a fixed number of times is neither lazy nor greedy.
                if *lazy && *most != Some(*least) {
                    self.text.push('?');
                }
            }
            PatternNode::Sequence(items) => self.sequence(items)?,
            PatternNode::Choice(items) => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text.push('|');
                    }
                    self.node(item, None, None)?;
                }
            }
        }
        Some(())
    }

    /// A border of a word, by what is next to it where that is known.
    ///
    /// ```text
    /// \bab      (?<![0-9A-Z_a-z])ab
    /// ab\b      ab(?![0-9A-Z_a-z])
    /// ```
    fn border(
        &mut self,
        negated: bool,
        before: Option<&PatternNode<'_>>,
        behind: Option<&PatternNode<'_>>,
    ) -> Option<()> {
        if self.spelling.border {
            self.text.push_str(if negated { "\\B" } else { "\\b" });
            return Some(());
        }
        if !self.spelling.look {
            return None;
        }
        let word = Set::word();
        // Whether a word is on that side; none if that is not known.
        let on_side = |node: Option<&PatternNode<'_>>, first: bool| {
            let edge = node?.edge(first)?;
            if edge.is_within(&word) { Some(true) } else { (!edge.meets(&word)).then_some(false) }
        };
        let (ahead, behind_it) = (on_side(behind, true), on_side(before, false));
        if let Some(inside) = ahead {
            self.look(true, inside != negated, &word);
        } else if let Some(inside) = behind_it {
            self.look(false, inside != negated, &word);
        } else {
            self.text.push_str("(?:");
            self.look(true, false, &word);
            self.look(false, !negated, &word);
            self.text.push('|');
            self.look(true, true, &word);
            self.look(false, negated, &word);
            self.text.push(')');
        }
        Some(())
    }

    /// A look behind or ahead for a character of a set, or for none.
    fn look(&mut self, behind: bool, none: bool, set: &Set) {
        self.text.push_str("(?");
        if behind {
            self.text.push('<');
        }
        self.text.push(if none { '!' } else { '=' });
        self.set(set);
        self.text.push(')');
    }

    fn set(&mut self, set: &Set) {
        if let Some(c) = set.single() {
            if "\\^$.[]|()*+?{}".contains(c) {
                self.text.push('\\');
            }
            self.text.push(c);
            return;
        }
        let open = set.is_open();
        let listed = if open { set.negated() } else { set.clone() };
        if open && listed.is_empty() {
            self.text.push_str(self.spelling.any);
            return;
        }
        self.text.push_str(if open { "[^" } else { "[" });
        if self.spelling.class_escape {
            for &(from, to) in listed.ranges() {
                self.range(from, to, true);
            }
        } else {
            self.posix(&listed, open);
        }
        self.text.push(']');
    }

    /// The items of a class in which no escape is: `]` stands first, and `-` last.
    fn posix(&mut self, listed: &Set, negated: bool) {
        const ENDS: &[char] = &[']', '[', '^', '-'];
        let marks: Vec<char> = ENDS.iter().copied().filter(|c| listed.contains(u32::from(*c))).collect();
        let has = |c: char| marks.contains(&c);
        let rest = marks.iter().fold(listed.clone(), |rest, c| rest.without(u32::from(*c)));
        let only_ends = rest.is_empty() && !has(']') && !has('[') && !negated;
        if has(']') {
            self.text.push(']');
        }
        if only_ends && has('-') {
            self.text.push('-');
        }
        for &(from, to) in rest.ranges() {
            self.range(from, to, false);
        }
        for c in ['[', '^'] {
            if has(c) {
                self.text.push(c);
            }
        }
        if !only_ends && has('-') {
            self.text.push('-');
        }
    }

    fn range(&mut self, from: u32, to: u32, escape: bool) {
        self.member(from, escape);
        if to > from + 1 {
            self.text.push('-');
        }
        if to > from {
            self.member(to, escape);
        }
    }

    fn member(&mut self, code: u32, escape: bool) {
        let Some(c) = char::from_u32(code) else { return };
        if escape && matches!(c, '\\' | ']' | '[' | '^' | '-' | '&') {
            self.text.push('\\');
        }
        self.text.push(c);
    }
}
