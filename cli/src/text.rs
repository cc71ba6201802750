//! Texts for a terminal: without passwords, and without what would steer it.

use std::borrow::Cow;

/// The text without the passwords of URLs and connection strings in it.
pub(crate) fn masked(text: &str) -> String {
    without_named(&without_authority(text))
}

/// A URL without its password, which may have in it what would end the URL in a text.
pub(crate) fn masked_url(url: &str) -> String {
    let whole = url.split_once("://").and_then(|(scheme, behind)| {
        let (user, host) = behind.rsplit_once('@')?;
        Some(format!("{scheme}://{}:***@{host}", user.split_once(':')?.0))
    });
    masked(whole.as_deref().unwrap_or(url))
}

/// `://user:password@` as `://user:***@`.
fn without_authority(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        let (url, after) = behind.split_at(authority(behind));
        // An `@` that should have been escaped belongs to the password.
        match url.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
            Some((user, host)) => out.push_str(&format!("{user}:***@{host}")),
            None => out.push_str(url),
        }
        rest = after;
    }
    out + rest
}

/// How long a URL is at least as far as its host: up to a blank or a quote, unless that belongs to a password.
fn authority(text: &str) -> usize {
    let end = text.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(text.len());
    let url = text.get(..end).unwrap_or_default();
    let is_port = |behind: &str| behind.split(['/', '?', '#', ',']).next().unwrap_or_default().parse::<u16>().is_ok();
    let has_password = !url.contains('@')
        && !url.starts_with('[')
        && url.split_once(':').is_some_and(|(user, behind)| !user.contains('/') && !is_port(behind));
    let next_url = text.find("://").unwrap_or(text.len());
    let sign = text.get(..next_url).and_then(|text| text.find('@')).filter(|_| has_password);
    sign.map_or(end, |sign| sign + 1)
}

/// `password=secret` as `password=***`, up to what ends the value.
fn without_named(text: &str) -> String {
    const NAMES: [&str; 3] = ["password", "passwd", "pwd"];
    // The letters of the names are ASCII, so that the places are those of the text.
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(end) = NAMES.iter().filter_map(|name| Some(lower.get(at..)?.find(name)? + at + name.len())).min() {
        let behind = text.get(end..).unwrap_or_default();
        let value = behind.trim_start().strip_prefix('=').map(str::trim_start);
        let start = value.map_or(end, |value| text.len() - value.len());
        out.push_str(text.get(at..start).unwrap_or_default());
        at = start;
        if let Some(value) = value {
            out.push_str("***");
            at += value_length(value);
        }
    }
    out + text.get(at..).unwrap_or_default()
}

/// How long the value is that a text begins with: in braces or quotes, which stand twice or behind a `\` in it; else up to what
/// ends a parameter. Blanks are part of a value that a `;` ends.
fn value_length(text: &str) -> usize {
    let close = match text.chars().next() {
        Some('{') => Some('}'),
        Some(quote) if is_quote(quote) => Some(quote),
        _ => None,
    };
    if let Some(close) = close {
        let mut places = text.char_indices().skip(1).peekable();
        while let Some((place, c)) = places.next() {
            let is_twice = c == close && places.peek().is_some_and(|(_, next)| *next == close);
            if is_twice || (c == '\\' && close != '}') {
                places.next();
            } else if c == close {
                return place + c.len_utf8();
            }
        }
        if close == '}' {
            return text.len();
        }
    }
    let line = text.split('\n').next().unwrap_or_default();
    let parameter = line.find(['&', ';']);
    let end = |c: char| c.is_whitespace() || is_quote(c);
    parameter.or_else(|| line.find(end)).unwrap_or(line.len())
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// The text with control characters but line breaks replaced: what a server or a row says does not steer the terminal.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |c| is_steering(c) && c != '\n')
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, is_steering)
}

/// Whether a terminal obeys the character, or shows those behind it in another order.
fn is_steering(c: char) -> bool {
    let is_bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_bidi
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
            ("Password = secret", "Password = ***"),
            ("Server=db;Password=my secret;Database=shop", "Server=db;Password=***;Database=shop"),
            ("host=db password='my \\'secret' user=app", "host=db password=*** user=app"),
            ("Pwd={a;\"b}} c};Database=shop", "Pwd=***;Database=shop"),
            ("PWD = \"a;b\"\"c\";Database=shop", "PWD = ***;Database=shop"),
            ("the text 'Server=db;Pwd='", "the text 'Server=db;Pwd=***'"),
            ("password={never closed", "password=***"),
            ("password authentication failed", "password authentication failed"),
            ("at `mysql://app:my 'secret'@h/d`", "at `mysql://app:***@h/d`"),
            ("mysql://h:3306/d: denied for 'root'@'h'", "mysql://h:3306/d: denied for 'root'@'h'"),
            ("mysql://root@h:3306/d: denied for 'root'@'h'", "mysql://root@h:3306/d: denied for 'root'@'h'"),
            ("mysql://[::1]:3306/d: denied for 'root'@'h'", "mysql://[::1]:3306/d: denied for 'root'@'h'"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn no_part_of_a_password_ends_a_url() {
        for password in ["secret", "a'b\"c`d", "a b", "a://b", "12 34", "a@b", "/?#;&"] {
            assert_eq!(masked_url(&format!("mysql://app:{password}@h:3306/d")), "mysql://app:***@h:3306/d");
        }
        assert_eq!(masked_url("postgres://h1:5432,h2:5432/d?password=a"), "postgres://h1:5432,h2:5432/d?password=***");
        assert_eq!(masked_url("shop.db"), "shop.db");
    }

    #[test]
    fn terminals_are_not_steered() {
        assert_eq!(visible("a\u{1b}[31m\nb"), "a\\u{1b}[31m\nb");
        assert_eq!(one_line("a\tb\nc"), "a\\tb\\nc");
        assert_eq!(visible("a\u{9b}1m\u{202e}b\u{2066}\u{200f}"), r"a\u{9b}1m\u{202e}b\u{2066}\u{200f}");
        assert_eq!(visible("שלום, ä\u{200d}"), "שלום, ä\u{200d}");
    }
}
