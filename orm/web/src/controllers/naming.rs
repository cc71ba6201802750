//! The names of routes.

/// How an entity is called in a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Naming {
    pub(super) kebab: bool,
    pub(super) plural: bool,
}

impl Naming {
    /// The name of an entity: what is behind its last dot.
    pub(super) fn of(self, entity: &str) -> String {
        let name = entity.rsplit('.').next().unwrap_or_default();
        let name = if self.plural { plural(name) } else { name.to_owned() };
        if self.kebab { kebab(&name) } else { name }
    }
}

/// The usual plural of an English noun.
fn plural(name: &str) -> String {
    let mut letters = name.chars().rev().map(|letter| letter.to_ascii_lowercase());
    match (letters.next(), letters.next()) {
        (Some('y'), Some(before)) if !"aeiou".contains(before) => {
            format!("{}ies", name.strip_suffix(['y', 'Y']).unwrap_or(name))
        }
        (Some('s' | 'x' | 'z'), _) | (Some('h'), Some('c' | 's')) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// In lower case, with `-` between words. A run of capitals is one word.
fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    let mut before = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let starts_word = letter.is_uppercase()
            && before.is_some_and(|before: char| {
                !before.is_uppercase() || letters.peek().is_some_and(|next| next.is_lowercase())
            });
        if letter == '_' || starts_word && !kebab.ends_with('-') {
            kebab.push('-');
        }
        if letter != '_' {
            kebab.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::Naming;

    #[test]
    fn names_are_as_entities_are_called_or_as_usual_in_urls() {
        for (entity, plain, kebab, plural, both) in [
            ("Order", "Order", "order", "Orders", "orders"),
            ("OrderItem", "OrderItem", "order-item", "OrderItems", "order-items"),
            ("shop.Category", "Category", "category", "Categories", "categories"),
            ("Day", "Day", "day", "Days", "days"),
            ("Address", "Address", "address", "Addresses", "addresses"),
            ("Branch", "Branch", "branch", "Branches", "branches"),
            ("HTTPLog", "HTTPLog", "http-log", "HTTPLogs", "http-logs"),
            ("audit_Entry", "audit_Entry", "audit-entry", "audit_Entries", "audit-entries"),
            ("Iso3166", "Iso3166", "iso3166", "Iso3166s", "iso3166s"),
            ("Y", "Y", "y", "Ys", "ys"),
        ] {
            let name = |kebab, plural| Naming { kebab, plural }.of(entity);
            let names = [name(false, false), name(true, false), name(false, true), name(true, true)];
            assert_eq!(names, [plain, kebab, plural, both], "{entity}");
        }
    }
}
