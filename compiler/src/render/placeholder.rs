//! The text of placeholders: made once for each dialect, then copied, many of them at a time.

use std::sync::OnceLock;

use crate::dialect::Placeholder;

use super::push_number;

/// How many placeholders stand in a block.
const BLOCK: usize = 1000;

/// How many blocks are kept, if they are needed: more than any engine takes parameters.
const BLOCKS: usize = 66;

/// What stands between two placeholders.
const COMMA: &str = ", ";

/// The placeholders of a dialect in blocks: `, $1000, $1001, ...`.
#[derive(Debug)]
pub(crate) struct Placeholders {
    style: Placeholder,
    /// What stands before the number, with the comma.
    prefix: Box<str>,
    blocks: Box<[OnceLock<Box<str>>]>,
    /// The first of them one by one.
    singles: OnceLock<Box<[Box<str>]>>,
}

impl Placeholders {
    pub(crate) fn new(style: Placeholder) -> Self {
        let prefix = match style {
            Placeholder::Question => ", ?".into(),
            Placeholder::Numbered(prefix) => [COMMA, prefix].concat().into(),
        };
        let blocks = (0..BLOCKS).map(|_| OnceLock::new()).collect();
        Self { style, prefix, blocks, singles: OnceLock::new() }
    }

    /// Appends the placeholder of the parameter with that number, counted from 1.
    #[inline]
    pub(crate) fn push(&self, sql: &mut String, number: usize) {
        match self.singles().get(number) {
            Some(text) => sql.push_str(text),
            None => self.write(sql, number),
        }
    }

    #[inline]
    fn singles(&self) -> &[Box<str>] {
        self.singles.get_or_init(|| {
            let single = |number| {
                let mut text = String::new();
                self.write(&mut text, number);
                text.into()
            };
            (0..BLOCK).map(single).collect()
        })
    }

    /// Appends the placeholders of `count` parameters from that number on, with commas between them.
    pub(crate) fn push_run(&self, sql: &mut String, first: usize, count: usize) {
        let mut skip = COMMA.len();
        let (mut number, end) = (first, first + count);
        while number < end {
            // As many as stand in the same block.
            let last = (end - 1).min(number / BLOCK * BLOCK + (BLOCK - 1));
            let (start, (at, width)) = (self.place(number).0, self.place(last));
            match self.block(number / BLOCK).and_then(|block| block.get(start + skip..at + width)) {
                Some(text) => sql.push_str(text),
                None => {
                    for number in number..=last {
                        sql.push_str(COMMA.get(skip..).unwrap_or_default());
                        self.write(sql, number);
                        skip = 0;
                    }
                }
            }
            skip = 0;
            number = last + 1;
        }
    }

    /// Where the placeholder of a number begins in its block, and how long it is with its comma.
    #[inline]
    fn place(&self, number: usize) -> (usize, usize) {
        let prefix = self.prefix.len();
        let at = number % BLOCK;
        if self.style == Placeholder::Question {
            return (at * prefix, prefix);
        }
        match number {
            0..10 => (at * (prefix + 1), prefix + 1),
            10..100 => (at * (prefix + 2) - 10, prefix + 2),
            100..1000 => (at * (prefix + 3) - 110, prefix + 3),
            1000..10_000 => (at * (prefix + 4), prefix + 4),
            _ => (at * (prefix + 5), prefix + 5),
        }
    }

    #[inline]
    fn block(&self, index: usize) -> Option<&str> {
        let slot = self.blocks.get(index)?;
        Some(match slot.get() {
            Some(block) => block,
            None => self.make(slot, index),
        })
    }

    #[cold]
    fn make<'s>(&self, slot: &'s OnceLock<Box<str>>, index: usize) -> &'s str {
        slot.get_or_init(|| {
            let mut block = String::with_capacity(BLOCK * (self.prefix.len() + 5));
            for number in index * BLOCK..(index + 1) * BLOCK {
                block.push_str(COMMA);
                self.write(&mut block, number);
            }
            block.into()
        })
    }

    /// A placeholder by itself, made anew.
    fn write(&self, sql: &mut String, number: usize) {
        sql.push_str(self.prefix.get(COMMA.len()..).unwrap_or_default());
        if self.style != Placeholder::Question {
            push_number(sql, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_its_placeholders_with_commas() {
        for style in [Placeholder::Question, Placeholder::Numbered("$"), Placeholder::Numbered("@P")] {
            let placeholders = Placeholders::new(style);
            let one = |number: usize| match style {
                Placeholder::Question => "?".to_owned(),
                Placeholder::Numbered(prefix) => format!("{prefix}{number}"),
            };
            let edges = [1, 2, 9, 10, 11, 99, 100, 998, 999, 1000, 1001, 9_999, 10_000, 65_535, 65_999, 66_000, 70_123];
            for first in edges {
                let mut text = String::new();
                placeholders.push(&mut text, first);
                assert_eq!(text, one(first));
                for count in [0, 1, 2, 8, 100, 1000, 2_500] {
                    let mut run = String::new();
                    placeholders.push_run(&mut run, first, count);
                    let expected: Vec<String> = (first..first + count).map(one).collect();
                    assert_eq!(run, expected.join(", "));
                }
            }
        }
    }
}
