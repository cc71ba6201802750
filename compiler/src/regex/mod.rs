//! The regular expressions that mean the same on every engine, and what each of them writes.
//!
//! The engines have five different libraries: PostgreSQL's own, ICU in MySQL, PCRE in MariaDB, Oracle's POSIX with parts of
//! Perl, RE2 in SQL Server. A pattern that is known while compiling is read here, by one meaning:
//!
//! - `.` is any character, `^` and `\A` the start of the text, `$` and `\z` its end, also where it ends with a line break.
//! - `\d`, `\w`, `\s`, `[[:alpha:]]` and the like are classes of ASCII; `\b` is the border of a `\w`.
//! - `(?i)` and `(?i:..)` ignore case, one character for one other; `(?s)` is what holds without it, `(?-s)` takes the
//!   line feed from `.`.
//! - `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}` up to 255, and the lazy ones with `?` behind.
//! - `(..)`, `(?:..)`, `|`, `\1` for a group that certainly has matched, `(?=..)`, `(?!..)`, and `(?<=..)`, `(?<!..)` of
//!   a fixed length.
//!
//! What is none of these is an error, on every engine alike. What an engine lacks is written by what it has
//! ([`write`]), or is refused for that engine. Where the extent of a match matters ([`settled`]), a pattern has to have
//! one only: POSIX takes the longest match, Perl the first alternative.

mod parse;
mod set;
mod settled;
mod write;

pub(crate) use parse::parse;
pub(crate) use settled::settled;
pub(crate) use write::{PatternSpelling, write};

use set::Set;

#[cfg(test)]
mod tests;

/// What is wrong with a pattern: behind how many characters, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatternFault {
    pub(crate) at: usize,
    pub(crate) why: &'static str,
}

/// A regular expression that has been read.
#[derive(Debug)]
pub(crate) struct Pattern<'t> {
    pub(crate) root: PatternNode<'t>,
    pub(crate) uses: Uses,
}

/// What occurs in a pattern that not every engine has, or reads in the same way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) end: bool,
    pub(crate) any: bool,
    pub(crate) plain_group: bool,
    pub(crate) look: bool,
    pub(crate) border: bool,
    pub(crate) back: bool,
    /// A class that has a name, or case that does not matter.
    pub(crate) named: bool,
    /// A class in brackets that is not only plain characters and ranges of them.
    pub(crate) class: bool,
    pub(crate) lazy: bool,
    pub(crate) greedy: bool,
    pub(crate) choice: bool,
}

/// A part of a pattern.
#[derive(Debug)]
pub(crate) enum PatternNode<'t> {
    /// One character of a set, as it is spelled if every engine reads that alike.
    Set(Set, Option<&'t str>),
    Any,
    Start,
    End,
    /// `\b`, or `\B`.
    Border {
        negated: bool,
    },
    /// A group, by its number if it is captured.
    Group(Box<PatternNode<'t>>, Option<u32>),
    /// What a group has matched.
    Back(u32),
    Look {
        behind: bool,
        negated: bool,
        inner: Box<PatternNode<'t>>,
    },
    Repeat {
        inner: Box<PatternNode<'t>>,
        least: u32,
        most: Option<u32>,
        lazy: bool,
    },
    Sequence(Vec<PatternNode<'t>>),
    Choice(Vec<PatternNode<'t>>),
}

impl PatternNode<'_> {
    /// Whether it may match the empty text.
    fn is_nullable(&self) -> bool {
        match self {
            PatternNode::Set(..) | PatternNode::Any => false,
            PatternNode::Start | PatternNode::End | PatternNode::Border { .. } | PatternNode::Look { .. } => true,
            // A group may have matched the empty text.
            PatternNode::Back(_) => true,
            PatternNode::Group(inner, _) => inner.is_nullable(),
            PatternNode::Repeat { inner, least, .. } => *least == 0 || inner.is_nullable(),
            PatternNode::Sequence(items) => items.iter().all(PatternNode::is_nullable),
            PatternNode::Choice(items) => items.iter().any(PatternNode::is_nullable),
        }
    }

    /// How many characters each of its matches has, if all have as many.
    fn length(&self) -> Option<u32> {
        match self {
            PatternNode::Set(..) | PatternNode::Any => Some(1),
            PatternNode::Start | PatternNode::End | PatternNode::Border { .. } | PatternNode::Look { .. } => Some(0),
            PatternNode::Back(_) => None,
            PatternNode::Group(inner, _) => inner.length(),
            PatternNode::Repeat { inner, least, most, .. } => {
                let length = inner.length()?;
                (*most == Some(*least) || length == 0).then(|| length.checked_mul(*least)).flatten()
            }
            PatternNode::Sequence(items) => items.iter().try_fold(0, |sum: u32, item| sum.checked_add(item.length()?)),
            PatternNode::Choice(items) => {
                let first = items.first()?.length();
                first.filter(|_| items.iter().all(|item| item.length() == first))
            }
        }
    }

    /// How many characters it has with its repetitions written out.
    fn weight(&self) -> u32 {
        let sum = |items: &[PatternNode<'_>]| items.iter().fold(0, |sum: u32, item| sum.saturating_add(item.weight()));
        match self {
            PatternNode::Group(inner, _) | PatternNode::Look { inner, .. } => inner.weight(),
            PatternNode::Repeat { inner, least, most, .. } => {
                inner.weight().saturating_mul(most.unwrap_or(least.saturating_add(1)).max(1))
            }
            PatternNode::Sequence(items) | PatternNode::Choice(items) => sum(items),
            _ => 1,
        }
    }

    /// The characters that a match of it begins with, or ends with; none if that is not known.
    fn edge(&self, first: bool) -> Option<Set> {
        match self {
            PatternNode::Set(set, _) => Some(set.clone()),
            PatternNode::Group(inner, _) => inner.edge(first),
            PatternNode::Repeat { inner, least: 1.., .. } => inner.edge(first),
            PatternNode::Sequence(items) => if first { items.first() } else { items.last() }?.edge(first),
            PatternNode::Choice(items) => {
                items.iter().try_fold(Set::default(), |all, item| Some(all.union(&item.edge(first)?)))
            }
            _ => None,
        }
    }
}
