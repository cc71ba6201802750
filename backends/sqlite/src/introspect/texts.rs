//! What stands in the text of a table or an index only: checks, the names of constraints, what columns are computed from, their
//! collations, expressions and conditions of indexes, and the options of the table.

use std::iter::Peekable;

use isogloss_compiler::dialect::Quotes;
use isogloss_driver::introspect::{CheckReport, ColumnReport, Filled, ForeignKeyReport, IndexKey, TableReport};
use isogloss_lexis::{Notation, Scanner, Token, is_word};

use crate::LEXIS;

/// Adds what the text of a table, of its index of that name, or of a trigger says. Of a table or an index, a text that is not read to
/// its end adds nothing.
pub(super) fn read(table: &mut TableReport, index: Option<&str>, text: &str) {
    // However it was written, SQLite keeps it with these words in front.
    if text.starts_with("CREATE TRIGGER ") {
        table.triggers.push(text.to_owned());
        return;
    }
    let Some(text) = uncommented(text) else { return };
    let Some(words) = words(&text) else { return };
    match index {
        Some(index) => read_index(table, index, &text, &words),
        None => read_table(table, &words),
    }
}

/// A word, a quoted name or literal, a sign, or a pair of parentheses with all that is between.
#[derive(Debug, Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    /// Where it begins.
    at: usize,
}

impl<'t> Word<'t> {
    fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }

    fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// What stands between the parentheses, if it is a pair of them.
    fn inside(&self) -> Option<&'t str> {
        Some(self.text.strip_prefix('(')?.strip_suffix(')')?.trim())
    }

    /// The name that it is, without quotes.
    fn name(&self) -> String {
        for (open, close) in [('"', '"'), ('`', '`'), ('[', ']'), ('\'', '\'')] {
            if let Some(name) = self.text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
                return if open == close {
                    name.replace(&format!("{close}{close}"), &close.to_string())
                } else {
                    name.to_owned()
                };
            }
        }
        self.text.to_owned()
    }
}

/// The text with a blank for each comment.
fn uncommented(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    for token in Scanner::new(text, LEXIS, Notation::NONE) {
        plain.push_str(match token.ok()?.1 {
            Token::Comment(_) | Token::OpenComment(_) => " ",
            Token::Code(part) | Token::Quoted(part) | Token::Name(part) | Token::Hole(part) => part,
        });
    }
    Some(plain)
}

/// The words of a text, those between parentheses as one.
fn words(text: &str) -> Option<Vec<Word<'_>>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let (mut depth, mut open) = (0_usize, 0_usize);
    let mut add = |at: usize, word: &'_ str| {
        match word {
            "(" => {
                open = if depth == 0 { at } else { open };
                depth += 1;
            }
            ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    words.push(Word { text: text.get(open..=at)?, at: open });
                }
            }
            _ if depth == 0 => words.push(Word { text: text.get(at..at + word.len())?, at }),
            _ => {}
        }
        Some(())
    };
    for token in Scanner::new(text, LEXIS, Notation::NONE) {
        match token.ok()? {
            (at, Token::Code(code)) => {
                let mut chars = code.char_indices().peekable();
                while let Some((from, c)) = chars.next() {
                    let mut to = from + c.len_utf8();
                    while is_word(c) && chars.next_if(|(_, next)| is_word(*next)).is_some() {
                        to = chars.peek().map_or(code.len(), |(next, _)| *next);
                    }
                    if !c.is_whitespace() {
                        add(at + from, code.get(from..to)?)?;
                    }
                }
            }
            (at, Token::Quoted(quoted)) => add(at, quoted)?,
            _ => {}
        }
    }
    (depth == 0).then_some(words)
}

/// The parts of a list, between which there are commas.
fn parts<'w, 't>(words: &'w [Word<'t>]) -> impl Iterator<Item = &'w [Word<'t>]> {
    words.split(|word| word.text == ",").filter(|part| !part.is_empty())
}

/// The names that the parts of a list begin with.
fn names(list: &str) -> Vec<String> {
    let words = words(list).unwrap_or_default();
    parts(&words).filter_map(|part| part.first()).map(Word::name).collect()
}

fn read_index(table: &mut TableReport, name: &str, text: &str, words: &[Word<'_>]) {
    let Some(index) = table.indexes.iter_mut().find(|index| index.name == name) else { return };
    let mut rest = words.iter().skip_while(|word| word.inside().is_none());
    let Some(list) = rest.next().and_then(Word::inside) else { return };
    let keys = self::words(list).unwrap_or_default();
    for (key, part) in index.keys.iter_mut().zip(parts(&keys)) {
        let is_column = match part {
            [_] => true,
            [_, order] => order.is("ASC"),
            _ => false,
        };
        if let (false, Some((first, last))) =
            (is_column && matches!(key, IndexKey::Column(_)), part.first().zip(part.last()))
        {
            *key = IndexKey::Expression(list.get(first.at..last.end()).unwrap_or_default().to_owned());
        }
    }
    if let Some(condition) = rest.find(|word| word.is("WHERE")).and_then(|word| text.get(word.end()..)) {
        index.condition = Some(condition.trim().to_owned());
    }
}

fn read_table(table: &mut TableReport, words: &[Word<'_>]) {
    // What stands between the parentheses of a virtual table is its module's.
    if words.get(1).is_some_and(|word| word.is("VIRTUAL")) {
        return;
    }
    let mut rest = words.iter().skip_while(|word| word.inside().is_none());
    let Some(body) = rest.next().and_then(Word::inside) else { return };
    let options: Vec<Word<'_>> = rest.copied().collect();
    table.options =
        parts(&options).map(|option| option.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")).collect();
    let Some(words) = self::words(body) else { return };
    // SQLite makes the indexes of unique keys in their order.
    let mut made: Vec<usize> = (0..table.unique_keys.len()).collect();
    made.sort_by_key(|at| table.unique_keys.get(*at).map(|key| (key.name.len(), key.name.clone())));
    // SQLite numbers foreign keys from the last one.
    let numbered = table.foreign_keys.iter().enumerate();
    let mut keys: Vec<(u32, usize)> = numbered.filter_map(|(at, key)| Some((key.name.parse().ok()?, at))).collect();
    keys.sort_unstable();
    for part in parts(&words) {
        let is_constraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
        let column = part.first().filter(|first| !is_constraint.iter().any(|word| first.is(word)));
        let words = part.iter().skip(usize::from(column.is_some())).copied();
        constraints(table, &mut keys, &mut made, column.map(Word::name), words);
    }
}

/// Reads the constraints of a column, or of the table. The last one of `keys` is the foreign key that comes next, by its number and
/// its place; `made` has the places of unique keys that have not been found yet, in the order of their names.
fn constraints<'t>(
    table: &mut TableReport,
    keys: &mut Vec<(u32, usize)>,
    made: &mut Vec<usize>,
    column: Option<String>,
    words: impl Iterator<Item = Word<'t>>,
) {
    let mut words = words.peekable();
    let mut name: Option<String> = None;
    let mut columns: Vec<String> = column.iter().cloned().collect();
    while let Some(word) = words.next() {
        let word_is = |keywords: &[&str]| keywords.iter().any(|keyword| word.is(keyword));
        if word.is("CONSTRAINT") {
            name = words.next().map(|word| word.name());
        } else if word.is("CHECK") {
            let condition = group(&mut words).unwrap_or_default();
            table.checks.push(CheckReport::new(name.take().unwrap_or_default(), condition));
        } else if word.is("AS") {
            let text = group(&mut words);
            if let Some(computed) = own(table, column.as_deref()) {
                computed.filled = Filled::Generated(text.map(str::to_owned));
            }
        } else if word.is("UNIQUE") {
            let (list, clause) = key_clause(&mut words, &columns);
            columns = list.map_or(columns, names);
            let key = |at: &usize| {
                table.unique_keys.get(*at).is_some_and(|key| is_made(&key.name) && alike(&key.columns, &columns))
            };
            let at = made.iter().position(key).map(|place| made.remove(place));
            if let Some(key) = at.and_then(|at| table.unique_keys.get_mut(at)) {
                key.clause = clause;
                if let Some(name) = name.take() {
                    key.name = name;
                }
            }
        } else if word.is("PRIMARY") {
            name = None;
            words.next_if(|word| word.is("KEY"));
            table.primary_key_clause = key_clause(&mut words, &columns).1;
        } else if word.is("FOREIGN") {
            words.next_if(|word| word.is("KEY"));
            columns = group(&mut words).map_or(columns, names);
        } else if word.is("REFERENCES") {
            let target = words.next().map(|word| word.name()).unwrap_or_default();
            let is =
                |key: &&mut ForeignKeyReport| key.table.eq_ignore_ascii_case(&target) && alike(&key.columns, &columns);
            let key = keys.pop().and_then(|(_, at)| table.foreign_keys.get_mut(at));
            if let Some(key) = key.filter(is) {
                key.deferred = is_deferred(&mut words);
                if let Some(name) = name.take() {
                    key.name = name;
                }
            }
        } else if word.is("COLLATE") {
            name = None;
            let collation = words.next().map(|word| word.name()).filter(|name| !name.eq_ignore_ascii_case("BINARY"));
            if let Some(own) = own(table, column.as_deref()) {
                own.collation = collation;
            }
        } else if word.is("NOT") && words.next_if(|word| word.is("NULL")).is_some() {
            name = None;
            let on_null = conflict(&mut words);
            if let Some(own) = own(table, column.as_deref()) {
                own.on_null = on_null;
            }
        } else if word_is(&["NULL", "DEFAULT", "GENERATED"]) {
            name = None;
        }
    }
}

fn own<'t>(table: &'t mut TableReport, column: Option<&str>) -> Option<&'t mut ColumnReport> {
    table.columns.iter_mut().find(|own| column.is_some_and(|column| column.eq_ignore_ascii_case(&own.name)))
}

/// Reads what a foreign key says behind its table: whether it is looked at when a transaction ends.
fn is_deferred<'t>(words: &mut Peekable<impl Iterator<Item = Word<'t>>>) -> bool {
    let begins = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "COLLATE", "GENERATED", "AS", "REFERENCES"];
    let own = |word: &Word<'t>| !begins.iter().any(|keyword| word.is(keyword));
    let said: Vec<Word<'t>> = std::iter::from_fn(|| words.next_if(own)).collect();
    let has = |a: &str, b: &str| said.windows(2).any(|pair| matches!(pair, [x, y] if x.is(a) && y.is(b)));
    has("INITIALLY", "DEFERRED") && !has("NOT", "DEFERRABLE")
}

/// Reads the columns of a key, if they stand there, and all that stands there if it is more than their names.
fn key_clause<'t>(
    words: &mut Peekable<impl Iterator<Item = Word<'t>>>,
    columns: &[String],
) -> (Option<&'t str>, Option<String>) {
    let list = group(words);
    let order = words.next_if(|word| word.is("ASC") || word.is("DESC")).filter(|word| word.is("DESC"));
    let conflict = conflict(words);
    let inner = list.map(self::words).unwrap_or_default().unwrap_or_default();
    let is_plain = order.is_none() && parts(&inner).all(|part| part.len() == 1);
    if is_plain && conflict.is_none() {
        return (list, None);
    }
    let conflict = conflict.map(|how| format!(" ON CONFLICT {how}")).unwrap_or_default();
    // Said with its column, an INTEGER that goes down is no number of the row; said of the table, it is.
    if order.is_some() {
        return (list, Some(format!("DESC{conflict}")));
    }
    let text = list.map_or_else(
        || {
            let names = columns.iter().map(|name| Quotes('"', '"').quoted([name.as_str()]));
            names.collect::<Vec<_>>().join(", ")
        },
        str::to_owned,
    );
    (list, Some(format!("({text}){conflict}")))
}

/// What happens at a conflict, if that is said next.
fn conflict<'t>(words: &mut Peekable<impl Iterator<Item = Word<'t>>>) -> Option<String> {
    words.next_if(|word| word.is("ON"))?;
    words.next_if(|word| word.is("CONFLICT"))?;
    words.next().map(|how| how.text.to_owned())
}

/// What stands between the parentheses that come next.
fn group<'t>(words: &mut Peekable<impl Iterator<Item = Word<'t>>>) -> Option<&'t str> {
    words.next_if(|word| word.inside().is_some())?.inside()
}

/// Whether SQLite has made the name of a key.
fn is_made(name: &str) -> bool {
    name.starts_with("sqlite_autoindex_")
}

fn alike(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.eq_ignore_ascii_case(b))
}
