//! Types and defaults as texts, so that two spellings of one can be compared.

/// A type in small letters, without blanks beside parentheses and commas: `decimal(18,2)`.
#[must_use]
pub fn squeezed(ty: &str) -> String {
    let words: Vec<&str> = ty.split_whitespace().collect();
    let mut text = words.join(" ").to_lowercase();
    for (from, to) in [(" (", "("), ("( ", "("), (" )", ")"), (", ", ","), (" ,", ",")] {
        text = text.replace(from, to);
    }
    text
}

/// A type's name without its digits, what stands between parentheses, and what follows.
pub(crate) fn parts(ty: &str) -> (String, Vec<u64>, String) {
    let Some((name, rest)) = ty.split_once('(') else { return (ty.to_owned(), Vec::new(), String::new()) };
    let (inner, after) = rest.split_once(')').unwrap_or((rest, ""));
    let digits = inner.split(',').filter_map(|digits| digits.trim().split(' ').next()?.parse().ok()).collect();
    (name.trim().to_owned(), digits, after.trim().to_owned())
}

/// Whole numbers, each wider than the one before it.
const WHOLE: [&[&str]; 4] =
    [&["tinyint"], &["smallint", "int2"], &["integer", "int", "int4", "mediumint"], &["bigint", "int8"]];

/// Texts and binaries without a limit.
const ENDLESS: [&str; 8] = ["text", "longtext", "mediumtext", "longblob", "nvarchar", "varchar", "varbinary", "blob"];

/// Whether each value of a type is one of another, both as [`squeezed`] says them.
pub(crate) fn widens(now: &str, wanted: &str) -> bool {
    let rank = |name: &str| WHOLE.iter().position(|names| names.contains(&name));
    let ((a, before, a_end), (b, after, b_end)) = (parts(now), parts(wanted));
    if let (Some(a), Some(b)) = (rank(&a), rank(&b)) {
        return a <= b && a_end == b_end;
    }
    match (before.as_slice(), after.as_slice()) {
        // A text that had a limit. `nvarchar(max)` has no digits.
        ([_], []) => ENDLESS.contains(&b.as_str()) && is_binary(&a) == is_binary(&b),
        ([n], [m]) => a == b && n <= m,
        ([p, s], [q, t]) => a == b && s <= t && p.saturating_sub(*s) <= q.saturating_sub(*t),
        _ => false,
    }
}

fn is_binary(name: &str) -> bool {
    name.contains("binary") || name.contains("blob") || name == "raw" || name == "bytea"
}

/// A default without parentheses around it and casts.
pub(crate) fn bare_default(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = unparenthesized(text) {
        text = inner.trim();
    }
    if let Some((value, cast)) = text.rsplit_once("::")
        && cast.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '(' | ')' | ',' | '[' | ']' | '"'))
    {
        return bare_default(value);
    }
    text
}

/// A default without parentheses around it, casts, and blanks and letters that mean nothing: what two spellings share.
pub(crate) fn plain_default(text: &str) -> String {
    let text = bare_default(text);
    let bare = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Ok(number) = bare.unwrap_or(text).trim().parse::<f64>() {
        return number.to_string();
    }
    if bare.is_some() {
        return text.to_owned();
    }
    let plain = text.to_lowercase().replace(' ', "");
    // `now` is another name of it, and the one that MySQL reports.
    let plain = plain.strip_prefix("now(").map_or(plain.clone(), |digits| format!("current_timestamp({digits}"));
    plain.strip_suffix("()").filter(|name| *name == "current_timestamp").map_or(plain.clone(), str::to_owned)
}

/// What stands between parentheses that hold the whole text.
fn unparenthesized(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_i32;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_types_hold_every_value() {
        for (now, wanted) in [
            ("varchar(10)", "varchar(20)"),
            ("varchar(10)", "text"),
            ("nvarchar(10)", "nvarchar(max)"),
            ("smallint", "bigint"),
            ("decimal(10,2)", "decimal(12,4)"),
            ("datetime(0)", "datetime(6)"),
        ] {
            assert!(widens(now, wanted), "{now} {wanted}");
            assert!(!widens(wanted, now), "{wanted} {now}");
        }
        for (now, wanted) in [("decimal(10,2)", "decimal(10,4)"), ("bigint", "text"), ("bigint unsigned", "bigint")] {
            assert!(!widens(now, wanted), "{now} {wanted}");
        }
    }

    #[test]
    fn defaults_are_compared_by_what_they_mean() {
        for (a, b) in [
            ("'x'::character varying", "'x'"),
            ("((7))", "7"),
            ("1.50", "1.5"),
            ("'0'", "0"),
            ("current_timestamp(6)", "CURRENT_TIMESTAMP(6)"),
            ("now(6)", "CURRENT_TIMESTAMP(6)"),
            ("now()", "CURRENT_TIMESTAMP"),
            ("(1 + 1)", "1 + 1"),
            ("'{}'::integer[]", "'{}'"),
        ] {
            assert_eq!(plain_default(a), plain_default(b));
        }
        assert_ne!(plain_default("'X'"), plain_default("'x'"));
        assert_ne!(plain_default("(a) + (b)"), plain_default("a) + (b"));
    }
}
