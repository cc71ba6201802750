//! What the compiler reads in a text of the tree: JSON paths and patterns of `Format`.

use crate::dialect::{FormatToken, PathStep};
use crate::error::{ErrorKind, Result};

/// Reads a JSON path: `$`, then `.name`, `."any name"` or `[0]`. `$` may be left out before a name.
pub(crate) fn json_steps(path: &str) -> Result<Vec<PathStep<'_>>> {
    let bad = |why: &str| {
        let name = path.chars().take(40).collect();
        crate::Error::from(ErrorKind::BadName { name, why: format!("{why}; a JSON path is `$.name.\"any name\"[0]`") })
    };
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    let bare = rest.len() == path.len() && !rest.is_empty();
    let mut first = bare;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']').ok_or_else(|| bad("a bracket is left open"))?;
            steps.push(PathStep::Item(index.parse().map_err(|_| bad("an index is a whole number"))?));
            rest = after;
        } else {
            let after = match rest.strip_prefix('.') {
                Some(after) => after,
                None if first => rest,
                None => return Err(bad("a step begins with `.` or `[`")),
            };
            if let Some(quoted) = after.strip_prefix('"') {
                let (name, after) = quoted.split_once('"').ok_or_else(|| bad("a quote is left open"))?;
                if name.contains('\\') || name.chars().any(char::is_control) {
                    return Err(bad("a quoted name takes no backslash and no control character"));
                }
                steps.push(PathStep::Member(name));
                rest = after;
            } else {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                let plain = |c: char| c.is_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(plain) {
                    return Err(bad("a bare name has letters, digits and `_`"));
                }
                steps.push(PathStep::Member(name));
                rest = after;
            }
        }
        first = false;
    }
    Ok(steps)
}

/// A text that becomes one of the statement has no zero character: no engine reads on behind it.
pub(crate) fn no_zero(text: &str) -> Result<()> {
    if !text.contains('\0') {
        return Ok(());
    }
    let why = "it has a zero character, which ends the text of a statement".to_owned();
    Err(ErrorKind::BadName { name: text.chars().take(40).collect(), why }.into())
}

/// Reads a pattern of `Format`.
pub(crate) fn format_tokens(pattern: &str) -> Result<Vec<FormatToken<'_>>> {
    use FormatToken as T;
    no_zero(pattern)?;
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let (text, after) = rest.get(1..).and_then(|r| r.split_once('\'')).ok_or_else(|| ErrorKind::BadName {
                name: pattern.chars().take(40).collect(),
                why: "a quote is left open".into(),
            })?;
            tokens.push(T::Text(text));
            rest = after;
            continue;
        }
        let run = rest.find(|other| other != c).unwrap_or(rest.len());
        let (word, after) = rest.split_at(run);
        let token = match word {
            "yyyy" => T::Year4,
            "yy" => T::Year2,
            "MMMM" => T::MonthName,
            "MMM" => T::MonthShort,
            "MM" => T::Month2,
            "M" => T::Month,
            "dddd" => T::DayName,
            "ddd" => T::DayShort,
            "dd" => T::Day2,
            "d" => T::Day,
            "HH" => T::Hour24,
            "H" => T::Hour24Plain,
            "hh" => T::Hour12,
            "h" => T::Hour12Plain,
            "mm" => T::Minute,
            "ss" => T::Second,
            "fff" => T::Millisecond,
            "tt" => T::AmPm,
            other if !other.starts_with(|c: char| c.is_ascii_alphabetic()) => T::Text(word),
            other => {
                let why = format!("`{other}` is no token; text stands between single quotes");
                return Err(ErrorKind::BadName { name: pattern.chars().take(40).collect(), why }.into());
            }
        };
        tokens.push(token);
        rest = after;
    }
    Ok(tokens)
}
