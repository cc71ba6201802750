//! Names: of fields as properties and columns, and near matches.

use syn::{Ident, LitStr};

/// How words are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Pascal,
    Camel,
    Snake,
    Screaming,
    AsIs,
}

const CASES: [(&str, Case); 5] = [
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::Screaming),
    ("as_is", Case::AsIs),
];

impl Case {
    pub(crate) fn parse(text: &LitStr) -> syn::Result<Self> {
        let value = text.value();
        CASES.iter().find(|(name, _)| *name == value).map(|(_, case)| *case).ok_or_else(|| {
            let names = CASES.map(|(name, _)| format!("`{name}`")).join(", ");
            syn::Error::new(text.span(), format!("unknown case `{value}`: it is one of {names}"))
        })
    }

    /// A name of Rust's in this case.
    pub(crate) fn of(self, name: &str) -> String {
        let words = words(name);
        match self {
            Self::AsIs => name.to_owned(),
            Self::Pascal => words.iter().map(|word| capital(word)).collect(),
            Self::Camel => {
                let word = |(i, word): (usize, &String)| if i == 0 { word.clone() } else { capital(word) };
                words.iter().enumerate().map(word).collect()
            }
            Self::Snake => words.join("_"),
            Self::Screaming => words.join("_").to_uppercase(),
        }
    }
}

/// The words of a name in small letters: `order_id` and `OrderId` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut small = false;
    for c in name.chars() {
        if c == '_' {
            fresh = true;
            continue;
        }
        if fresh || c.is_uppercase() && small {
            words.push(String::new());
        }
        (fresh, small) = (false, !c.is_uppercase());
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A name without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// ` (did you mean ..?)`, if one of the names is near.
pub(crate) fn near<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let name = name.to_ascii_lowercase();
    let far = |other: &str| distance(&name, &other.to_ascii_lowercase());
    let best = names.into_iter().map(|other| (far(other), other)).min();
    match best {
        Some((distance, other)) if distance <= name.len().max(other.len()) / 3 => format!(" (did you mean `{other}`?)"),
        _ => String::new(),
    }
}

/// How many letters must be changed, added or taken away.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let above = *cell;
            left = (corner + usize::from(x != *y)).min(above + 1).min(left + 1);
            (corner, *cell) = (above, left);
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        assert_eq!(Case::Pascal.of("order_id"), "OrderId");
        assert_eq!(Case::Pascal.of("line1_text"), "Line1Text");
        assert_eq!(Case::Snake.of("InProgress"), "in_progress");
        assert_eq!(Case::Camel.of("order_id"), "orderId");
        assert_eq!(Case::Screaming.of("orderId"), "ORDER_ID");
        assert_eq!(Case::AsIs.of("order_Id"), "order_Id");
    }

    #[test]
    fn near_names_are_told() {
        assert_eq!(near("lenght", ["length", "name"]), " (did you mean `length`?)");
        assert_eq!(near("primarykey", ["primary_key"]), " (did you mean `primary_key`?)");
        assert_eq!(near("zzz", ["length", "name"]), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
