//! Names as clients see them.

use std::borrow::Cow;

use isogloss::model::Entity;

/// The name of a property in JSON: camelCase, where a run of capitals in front is lowered up to the next word's.
///
/// `OrderNo` is `orderNo`, `ID` is `id`, and `URLPath` is `urlPath`.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    let mut in_front = true;
    while let Some(letter) = chars.next() {
        let starts_word = !camel.is_empty() && chars.peek().is_some_and(|next| next.is_lowercase());
        in_front &= letter.is_uppercase() && !starts_word;
        if in_front {
            camel.extend(letter.to_lowercase());
        } else {
            camel.push(letter);
        }
    }
    camel
}

/// What clients call each column of an entity.
pub(crate) fn members(entity: &Entity) -> Vec<String> {
    entity.columns.iter().map(|column| camel(column.name.as_str())).collect()
}

/// How many characters of a client's name an answer repeats.
const SHOWN: usize = 100;

/// A name as an answer repeats it.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", name.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{camel, shown};

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(shown(&"é".repeat(100)), "é".repeat(100));
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
    }

    #[test]
    fn a_run_of_capitals_is_one_word() {
        for (name, expected) in [
            ("OrderNo", "orderNo"),
            ("Id", "id"),
            ("ID", "id"),
            ("URLPath", "urlPath"),
            ("order_no", "order_no"),
            ("Äpfel", "äpfel"),
            ("X", "x"),
            ("", ""),
        ] {
            assert_eq!(camel(name), expected);
        }
    }
}
