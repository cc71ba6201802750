//! JSON and SQL at the width of a terminal, and the colours of SQL.
//!
//! What is broken over lines here is a copy for the eye. The text that runs is left as it is.

use console::{measure_text_width as width_of, style};

/// JSON without blanks, broken where a part is wider than the terminal.
pub(crate) fn json(text: &str, width: usize) -> String {
    let mut out = String::new();
    part(text, 0, width, &mut out);
    out
}

/// Writes a part whose lines begin at `indent`.
fn part(text: &str, indent: usize, width: usize, out: &mut String) {
    let last_line = out.rsplit('\n').next().unwrap_or_default();
    let inside = text.strip_prefix(['{', '[']).and_then(|rest| rest.strip_suffix(['}', ']']));
    let Some(inside) = inside.filter(|_| width_of(last_line) + width_of(text) > width) else {
        return out.push_str(text);
    };
    let (open, close) = if text.starts_with('{') { ('{', '}') } else { ('[', ']') };
    let members = split(inside);
    out.push(open);
    if let (true, Some((last, before))) = (open == '{', members.split_last()) {
        let (key, value) = keyed(last);
        let head: String = before.iter().flat_map(|member| [*member, ","]).chain([key]).collect();
        // The last one is the long one, as the operands of AND are: it begins on this line.
        if indent + width_of(&head) + 2 <= width / 2 && value.starts_with(['{', '[']) {
            out.push_str(&head);
            part(value, indent, width, out);
            return out.push(close);
        }
    }
    for (place, member) in members.iter().enumerate() {
        out.push_str(if place == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        let (key, value) = if open == '{' { keyed(member) } else { ("", *member) };
        out.push_str(key);
        part(value, indent + 2, width, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// The members of an object or a list.
fn split(inside: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    outside_of_strings(inside)
        .filter_map(|(at, c)| {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (c == ',' && depth == 0).then_some(at)
        })
        .chain([inside.len()])
        .scan(0, |from, to| inside.get(std::mem::replace(from, to + 1)..to))
        .collect()
}

/// A member's key with its colon, and its value.
fn keyed(member: &str) -> (&str, &str) {
    let colon = outside_of_strings(member).find(|(_, c)| *c == ':');
    colon.and_then(|(at, _)| member.split_at_checked(at + 1)).unwrap_or(("", member))
}

fn outside_of_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quoted, mut escaped) = (false, false);
    text.char_indices().filter(move |(_, c)| {
        let was = quoted;
        match c {
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ => {}
        }
        !was && !quoted
    })
}

/// SQL whose lines are broken at commas, AND and OR: where they are least nested, and as far to the right as the width lets.
pub(crate) fn sql(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let (mut rest, mut by) = (line.trim_start(), indent);
        while by + width_of(rest) > width {
            let fits = |at: usize| rest.get(..at).is_some_and(|head| by + width_of(head.trim_end()) <= width);
            // Where nothing fits, the shortest that there is.
            let best = |(at, depth): &(usize, usize)| match fits(*at) {
                true => (0, *depth, usize::MAX - at),
                false => (1, *depth, *at),
            };
            let at = breaks(rest).filter(|(at, _)| *at < rest.len()).min_by_key(best).map(|(at, _)| at);
            let Some((head, tail)) = at.and_then(|at| rest.split_at_checked(at)) else { break };
            lines.push(" ".repeat(by) + head.trim_end());
            (rest, by) = (tail.trim_start(), indent + 4);
        }
        lines.push(" ".repeat(by) + rest);
    }
    lines.join("\n")
}

/// Where a line may be broken, each with how many parentheses are open there.
fn breaks(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut depth = 0_usize;
    words(line).filter_map(move |(at, word, quoted)| {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        match word {
            _ if quoted || at == 0 => None,
            "AND" | "OR" | "THEN" | "ELSE" => Some((at, depth)),
            "," => Some((at + 1, depth)),
            _ => None,
        }
    })
}

/// SQL with its keywords in colour, where the terminal has any.
pub(crate) fn painted(sql: &str) -> String {
    let painted = words(sql).map(|(_, word, quoted)| {
        let keyword = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if keyword && !quoted { style(word).cyan().to_string() } else { word.to_owned() }
    });
    painted.collect()
}

/// The words of a line, the quoted ones whole, and each other character by itself: where it begins, and whether it is quoted.
fn words(sql: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (from, rest) = (at, sql.get(at..)?);
        let first = rest.chars().next()?;
        let close = match first {
            '\'' | '"' | '`' => Some(first),
            '[' => Some(']'),
            _ => None,
        };
        let more = rest.get(first.len_utf8()..)?;
        let length = match close {
            Some(close) => more.find(close).map_or(more.len(), |at| at + close.len_utf8()),
            None if is_word(first) => more.find(|c| !is_word(c)).unwrap_or(more.len()),
            None => 0,
        };
        at += first.len_utf8() + length;
        Some((from, sql.get(from..at)?, close.is_some()))
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '@' | '$' | '#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_broken_where_a_part_is_too_wide() {
        let text =
            r##"{"$and":[{"$":"==","Left":{"#":"a,b"},"Right":"{\"["},{"$":"in","Left":{"#":"c"},"Right":[1,2]}]}"##;
        assert_eq!(json(text, 200), text);
        assert_eq!(
            json(text, 50),
            r##"{"$and":[
  {"$":"==","Left":{"#":"a,b"},"Right":"{\"["},
  {"$":"in","Left":{"#":"c"},"Right":[1,2]}
]}"##
        );
        assert_eq!(
            json(text, 40),
            r##"{"$and":[
  {
    "$":"==",
    "Left":{"#":"a,b"},
    "Right":"{\"["
  },
  {
    "$":"in",
    "Left":{"#":"c"},
    "Right":[1,2]
  }
]}"##
        );
        assert_eq!(json("5", 1), "5");
    }

    #[test]
    fn sql_is_broken_where_it_is_least_nested_and_never_in_quotes() {
        let text = "SELECT \"a, AND b\", f(c, d)\nWHERE a = 1 AND (b = 2 OR c = 3)";
        assert_eq!(sql(text, 80), text);
        assert_eq!(sql(text, 22), "SELECT \"a, AND b\",\n    f(c, d)\nWHERE a = 1\n    AND (b = 2\n    OR c = 3)");
        assert_eq!(sql("    SELECT a, b", 14), "    SELECT a,\n        b");
        assert_eq!(sql("SELECT one", 3), "SELECT one");
    }

    #[test]
    fn keywords_alone_are_painted() {
        let plain = words("SELECT [SELECT] FROM \"T0\" WHERE x = @P1");
        let words: Vec<_> =
            plain.filter(|(_, word, quoted)| !quoted && word.len() > 1).map(|(_, word, _)| word).collect();
        assert_eq!(words, ["SELECT", "FROM", "WHERE", "@P1"]);
    }
}
