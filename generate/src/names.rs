//! Names of a database as names of Rust.

use std::collections::HashSet;

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};

/// What a struct may not be called: the module, or Rust's prelude, has the name already.
const TAKEN: [&str; 45] = [
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "DateTime",
    "Debug",
    "Decimal",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Entity",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "NaiveDate",
    "NaiveDateTime",
    "NaiveTime",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "Utc",
    "Uuid",
    "Vec",
];

/// Plurals that do not follow the rule.
const IRREGULAR: [(&str, &str); 14] = [
    ("aliases", "alias"),
    ("buses", "bus"),
    ("caches", "cache"),
    ("canvas", "canvas"),
    ("children", "child"),
    ("cookies", "cookie"),
    ("indices", "index"),
    ("men", "man"),
    ("movies", "movie"),
    ("news", "news"),
    ("people", "person"),
    ("series", "series"),
    ("species", "species"),
    ("statuses", "status"),
];

/// `order_items` is `OrderItem`, or `OrderItems` where plurals are kept.
pub(crate) fn structure(table: &str, plural: bool) -> String {
    let snake = identifier(&table.to_snake_case());
    let name = match snake.rsplit_once('_') {
        _ if plural => snake.to_upper_camel_case(),
        Some((front, last)) => format!("{}{}", front.to_upper_camel_case(), singular(last).to_upper_camel_case()),
        None => singular(&snake).to_upper_camel_case(),
    };
    match name.chars().next() {
        None => "Table".to_owned(),
        Some(first) if first.is_numeric() => format!("Table{name}"),
        Some(_) if TAKEN.contains(&name.as_str()) || is_made(&name) => format!("{name}Row"),
        Some(_) => name,
    }
}

/// Returns whether statements have aliases of that form themselves: `T1`. The name of an entity is an alias, too.
pub(crate) fn is_made(alias: &str) -> bool {
    let number = alias.strip_prefix(['T', 't']).unwrap_or_default();
    alias.eq_ignore_ascii_case("excluded") || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// `CustomerID` is `customer_id`, `type` is `r#type`, `2nd Line` is `_2nd_line`.
pub(crate) fn field(column: &str) -> String {
    let name = identifier(&column.to_snake_case());
    match name.chars().next() {
        None => "column".to_owned(),
        // Reserved since the edition of 2024, which the parser does not know.
        Some(_) if name == "gen" => "r#gen".to_owned(),
        Some(_) if syn::parse_str::<syn::Ident>(&name).is_ok() => name,
        Some(first) if !first.is_alphabetic() => format!("_{name}"),
        Some(_) if syn::parse_str::<syn::Ident>(&format!("r#{name}")).is_ok() => format!("r#{name}"),
        // `self`, `super`, `crate`.
        Some(_) => format!("{name}_"),
    }
}

/// Whether somebody may call a struct or a field so.
pub(crate) fn is_name(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_ok()
}

/// A text of the database that may stand in a comment: characters that end a line, or turn its direction, are blanks.
pub(crate) fn harmless(text: &str) -> String {
    let is_bad = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(is_bad, " ")
}

/// The letters of a name that a name of Rust may have.
fn identifier(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii() || is_name(&format!("a{c}"))).collect()
}

/// The last word of a table's name, for one row.
fn singular(word: &str) -> String {
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    let hisses = ["sses", "shes", "ches", "xes", "zzes"].iter().any(|end| word.ends_with(end));
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.chars().count() > 1) {
        format!("{stem}y")
    } else if let Some(stem) = word.strip_suffix("es").filter(|_| hisses) {
        stem.to_owned()
    } else if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.to_owned()
    } else {
        word.strip_suffix('s').filter(|stem| stem.chars().count() > 1).unwrap_or(word).to_owned()
    }
}

/// How a table's columns are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Pascal,
    Snake,
    Camel,
    Screaming,
}

impl Case {
    pub(crate) const ALL: [Case; 4] = [Case::Pascal, Case::Snake, Case::Camel, Case::Screaming];

    /// The word of the derive's `columns = ".."`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Case::Pascal => "PascalCase",
            Case::Snake => "snake_case",
            Case::Camel => "camelCase",
            Case::Screaming => "SCREAMING_SNAKE_CASE",
        }
    }

    /// What the derive calls the column of a field.
    pub(crate) fn of(self, field: &str) -> String {
        let words = field.strip_prefix("r#").unwrap_or(field).split('_').filter(|word| !word.is_empty());
        match self {
            Case::Pascal => words.map(capital).collect(),
            Case::Camel => {
                words.enumerate().map(|(i, word)| if i == 0 { word.to_owned() } else { capital(word) }).collect()
            }
            Case::Snake => words.collect::<Vec<_>>().join("_"),
            Case::Screaming => words.collect::<Vec<_>>().join("_").to_uppercase(),
        }
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Names of one place, in which case and underscores make no difference.
#[derive(Debug, Default)]
pub(crate) struct Scope(HashSet<String>);

impl Scope {
    fn key(name: &str) -> String {
        name.strip_prefix("r#").unwrap_or(name).replace('_', "").to_lowercase()
    }

    /// Whether the name was free; it no longer is.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.0.insert(Self::key(name))
    }

    /// Whether one of the names is taken.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&Self::key(name))
    }

    /// The name, or the first one with a number behind it that is free.
    pub(crate) fn free(&mut self, name: &str, between: &str) -> String {
        if self.take(name) {
            return name.to_owned();
        }
        // `r#type_2` is no keyword any more.
        let base = name.strip_prefix("r#").unwrap_or(name);
        let mut number = 2_u64;
        loop {
            let next = format!("{base}{between}{number}");
            if self.take(&next) {
                return next;
            }
            number = number.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_structs_of_one_row() {
        for (table, name) in [
            ("order_items", "OrderItem"),
            ("Order Details", "OrderDetail"),
            ("Categories", "Category"),
            ("addresses", "Address"),
            ("boxes", "BoxRow"),
            ("Status", "Status"),
            ("people", "Person"),
            ("warehouses", "Warehouse"),
            ("InvoiceLine", "InvoiceLine"),
            ("options", "OptionRow"),
            ("2fa", "Table2fa"),
            ("%%", "Table"),
            ("t1", "T1Row"),
            ("excluded", "ExcludedRow"),
            ("größen", "Größen"),
        ] {
            assert_eq!(structure(table, false), name, "{table}");
        }
        assert_eq!(structure("order_items", true), "OrderItems");
        assert_eq!(structure("self", false), "SelfRow");
    }

    #[test]
    fn columns_are_fields() {
        for (column, name) in [
            ("CustomerID", "customer_id"),
            ("UNIT_PRICE", "unit_price"),
            ("type", "r#type"),
            ("self", "self_"),
            ("gen", "r#gen"),
            ("2nd Line", "_2nd_line"),
            ("Größe", "größe"),
            ("a²", "a"),
            ("#", "column"),
            ("a__b", "a_b"),
        ] {
            assert_eq!(field(column), name, "{column}");
            assert!(is_name(name), "{name}");
        }
    }

    #[test]
    fn names_that_collide_are_numbered() {
        let mut scope = Scope::default();
        let names = ["qty_2", "qty2", "r#type", "type"].map(|name| scope.free(name, "_"));
        assert_eq!(names, ["qty_2", "qty2_2", "r#type", "type_2"]);
        assert!(scope.has("QTY2"));
    }

    #[test]
    fn columns_follow_a_rule() {
        let cases = Case::ALL.map(|case| case.of("r#unit_price"));
        assert_eq!(cases, ["UnitPrice", "unit_price", "unitPrice", "UNIT_PRICE"]);
    }
}
