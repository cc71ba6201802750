//! Texts for a terminal: without passwords, and without what would steer it.

use std::borrow::Cow;

/// The text without the passwords of URLs and connection strings in it.
pub(crate) fn masked(text: &str) -> String {
    without_named(&without_authority(text))
}

/// `://user:password@` as `://user:***@`.
fn without_authority(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        let end = behind.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')).unwrap_or(behind.len());
        let (url, after) = behind.split_at(end);
        // An `@` that should have been escaped belongs to the password.
        match url.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
            Some((user, host)) => out.push_str(&format!("{user}:***@{host}")),
            None => out.push_str(url),
        }
        rest = after;
    }
    out + rest
}

/// `password=secret` as `password=***`, up to what ends a parameter.
fn without_named(text: &str) -> String {
    const NAMES: [&str; 3] = ["password=", "passwd=", "pwd="];
    // The letters of the names are ASCII, so that the places are those of the text.
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(start) = NAMES.iter().filter_map(|name| Some(lower.get(at..)?.find(name)? + at + name.len())).min() {
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str("***");
        let value = text.get(start..).unwrap_or_default();
        let length = value.find(|c: char| c.is_whitespace() || "&;\"'`".contains(c)).unwrap_or(value.len());
        at = start + length;
    }
    out + text.get(at..).unwrap_or_default()
}

/// The text with control characters but line breaks replaced: what a server or a row says does not steer the terminal.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |c| c.is_control() && c != '\n')
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, char::is_control)
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_bad(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// `1 row`, `2 rows`, `2 queries`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        for (text, shown) in [
            ("postgres://app:secret@db/shop", "postgres://app:***@db/shop"),
            ("postgres://app:se@cr/et@db/shop", "postgres://app:***@db/shop"),
            ("postgres://app@db/shop", "postgres://app@db/shop"),
            ("sqlite:///var/a:b.db", "sqlite:///var/a:b.db"),
            ("two: \"mysql://a:x@h/d\", 'oracle://b:y@h/d'", "two: \"mysql://a:***@h/d\", 'oracle://b:***@h/d'"),
            ("postgres://db/shop?Password=a;b&x=1", "postgres://db/shop?Password=***;b&x=1"),
            ("Server=db;Pwd=secret;Database=shop", "Server=db;Pwd=***;Database=shop"),
            ("pwd=", "pwd=***"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn terminals_are_not_steered() {
        assert_eq!(visible("a\u{1b}[31m\nb"), "a\\u{1b}[31m\nb");
        assert_eq!(one_line("a\tb\nc"), "a\\tb\\nc");
    }
}
