//! What logs show of values.

mod impls;
#[doc(hidden)]
pub mod probe;

use std::fmt::{self, Write as _};

use isogloss_compiler::expr::Value;
use isogloss_compiler::json;

use super::FieldError;

/// How many items of a collection are shown.
const ITEMS: usize = 10;

/// How many bytes are shown.
const BYTES: usize = 1024;

/// A value with its own representation in logs.
///
/// `#[derive(Entity)]` and `#[derive(View)]` implement it: all columns are shown, except for those with `#[log(skip)]`.
/// For any other type of the program without it, logs show the type's name, `<Card>`, as its `Debug` may reveal too
/// much.
///
/// ```
/// use std::fmt::Write as _;
/// use isogloss::entity::{LogText, Logable};
/// struct Card {
///     number: String,
/// }
///
/// impl Logable for Card {
///     fn log(&self, text: &mut LogText) {
///         let end = self.number.get(self.number.len().saturating_sub(4)..).unwrap_or_default();
///         text.push(format_args!("card ..{end}"));
///     }
/// }
/// let cards = vec![Card { number: "4000123412341234".into() }];
/// assert_eq!(LogText::of(&cards), "[card ..1234]");
/// ```
pub trait Logable {
    /// Appends the value's text.
    fn log(&self, text: &mut LogText);

    /// Appends the text of several values, as a collection with this name. Bytes are shown in another way than numbers.
    #[doc(hidden)]
    fn log_all(items: &[Self], name: &str, text: &mut LogText)
    where
        Self: Sized,
    {
        text.list(name, items.iter(), |item, text| item.log(text));
    }
}

/// A text that is built for a log.
#[derive(Debug, Clone)]
pub struct LogText {
    text: String,
    items: usize,
}

impl Default for LogText {
    fn default() -> Self {
        Self { text: String::new(), items: ITEMS }
    }
}

impl LogText {
    /// An empty text. Of a collection with more items than this, only the number is shown.
    #[must_use]
    pub fn with_items(items: usize) -> Self {
        Self { items, ..Self::default() }
    }

    /// The text of a value.
    #[must_use]
    pub fn of(value: &(impl Logable + ?Sized)) -> String {
        let mut text = Self::default();
        value.log(&mut text);
        text.into_string()
    }

    /// Returns the text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }

    /// Appends text as it is.
    pub fn push(&mut self, shown: impl fmt::Display) {
        // Writing to a text does not fail; what cannot be shown is left out.
        let _ = write!(self.text, "{shown}");
    }

    /// Appends bytes in base64; more than 1,024 as their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        match bytes.len() {
            length if length > BYTES => self.push(format_args!("[bytes:{length}]")),
            _ => self.text.push_str(&json::to_base64(bytes)),
        }
    }

    /// Appends a collection: its items, or the name of its type with their number if there are too many.
    pub fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut each: impl FnMut(T, &mut Self),
    ) {
        let items = items.into_iter();
        if items.len() > self.items {
            self.name(name);
            return self.push(format_args!("[{}]", items.len()));
        }
        self.text.push('[');
        for (place, item) in items.enumerate() {
            if place > 0 {
                self.text.push_str(", ");
            }
            each(item, self);
        }
        self.text.push(']');
    }

    /// Appends the name of a type without its modules.
    pub fn name(&mut self, name: &str) {
        let mut rest = name;
        while let Some(end) = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            let (word, behind) = rest.split_at(end);
            if let Some(behind) = behind.strip_prefix("::") {
                rest = behind;
                continue;
            }
            let (sign, behind) = behind.split_at(behind.chars().next().map_or(0, char::len_utf8));
            self.text.push_str(word);
            self.text.push_str(sign);
            rest = behind;
        }
        self.text.push_str(rest);
    }

    /// Appends a column of a row.
    pub fn column(&mut self, name: &str, value: Result<Value, FieldError>) {
        self.text.push_str(if self.text.ends_with("{ ") { "" } else { ", " });
        self.push(format_args!("{name}: "));
        match value {
            Ok(value) => value.log(self),
            Err(_) => self.text.push('?'),
        }
    }

    /// Appends a row: `Order { Id: 1, .. }`.
    #[doc(hidden)]
    pub fn row(&mut self, name: &str, columns: impl FnOnce(&mut Self)) {
        self.push(format_args!("{name} {{ "));
        columns(self);
        self.text.push_str(if self.text.ends_with("{ ") { "}" } else { " }" });
    }
}

impl fmt::Write for LogText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn collections_are_shown_up_to_their_limit() {
        assert_eq!(LogText::of(&[1, 2]), "[1, 2]");
        assert_eq!(LogText::of(&vec![Some("a\n"); 2]), r#"["a\n", "a\n"]"#);
        assert_eq!(LogText::of(&vec![1_i32; 11]), "Vec<i32>[11]");
        assert_eq!(LogText::of(&vec![vec![0_i64; 10]; 11]), "Vec<Vec<i64>>[11]");
        assert_eq!(LogText::of(&BTreeMap::from([(1, "a")])), r#"[1: "a"]"#);
        let mut text = LogText::with_items(1);
        [true, false].as_slice().log(&mut text);
        assert_eq!(text.into_string(), "[bool][2]");
    }

    #[test]
    fn bytes_are_shown_in_base64() {
        assert_eq!(LogText::of(&[1_u8, 2]), "AQI=");
        assert_eq!(LogText::of(&vec![0_u8; 1025]), "[bytes:1025]");
        assert_eq!(LogText::of(&Value::Bytes([1_u8; 3].into())), "AQEB");
    }
}
