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

/// A type without what stands between parentheses, `interval day() to second()`, and the digits that do, of each pair.
fn parts(ty: &str) -> (String, Vec<Vec<u64>>) {
    let (mut name, mut digits, mut rest) = (String::new(), Vec::new(), ty);
    while let Some((before, (inner, after))) =
        rest.split_once('(').and_then(|(a, rest)| Some((a, rest.split_once(')')?)))
    {
        name.push_str(before);
        name.push_str("()");
        digits.push(inner.split(',').filter_map(|digits| digits.trim().split(' ').next()?.parse().ok()).collect());
        rest = after;
    }
    name.push_str(rest);
    (name, digits)
}

/// Whole numbers, each wider than the one before it.
const WHOLE: [&[&str]; 4] =
    [&["tinyint"], &["smallint", "int2"], &["integer", "int", "int4", "mediumint"], &["bigint", "int8"]];

/// Texts and binaries without a limit.
const ENDLESS: [&str; 9] =
    ["text", "longtext", "mediumtext", "longblob", "nvarchar", "varchar", "varbinary", "blob", "clob"];

/// Whether each value of a type is one of another, both as [`squeezed`] says them.
pub(crate) fn widens(now: &str, wanted: &str) -> bool {
    let ((a, before), (b, after)) = (parts(now), parts(wanted));
    // The digits of a whole number say how it is shown.
    let bare = |name: &str| name.replacen("()", "", 1);
    if let (Some((from, from_end)), Some((to, to_end))) = (ranked(&bare(&a)), ranked(&bare(&b))) {
        return from <= to && from_end == to_end;
    }
    let is_wider = |(before, after): (&Vec<u64>, &Vec<u64>)| match (before.as_slice(), after.as_slice()) {
        ([p, s], [q, t]) => s <= t && p.saturating_sub(*s) <= q.saturating_sub(*t),
        ([n], [m]) => n <= m,
        _ => false,
    };
    let is_decimal = |name: &str| matches!(name, "numeric" | "number");
    if after.is_empty() && is_decimal(&b) && bare(&a) == b {
        return true;
    }
    // A text that had a limit. `nvarchar(max)` has no digits.
    let is_limited = matches!(before.as_slice(), [digits] if digits.len() == 1);
    let is_endless = after.iter().all(Vec::is_empty) && ENDLESS.contains(&bare(&b).as_str());
    is_limited && is_endless && is_binary(&a) == is_binary(&b)
        || a == b && !before.is_empty() && before.iter().zip(&after).all(is_wider)
}

/// The rank of a whole number among those that are wider and wider, and what its type says behind its name: `unsigned`.
fn ranked(ty: &str) -> Option<(usize, &str)> {
    let (name, end) = ty.split_once(' ').unwrap_or((ty, ""));
    WHOLE.iter().position(|names| names.contains(&name)).map(|rank| (rank, end))
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
            ("int(11)", "bigint(20)"),
            ("interval day(0) to second(0)", "interval day(2) to second(6)"),
            ("timestamp(0) with time zone", "timestamp(3) with time zone"),
            ("varchar2(200 char)", "clob"),
            ("numeric(10,2)", "numeric"),
        ] {
            assert!(widens(now, wanted), "{now} {wanted}");
            assert!(!widens(wanted, now), "{wanted} {now}");
        }
        for (now, wanted) in [
            ("decimal(10,2)", "decimal(10,4)"),
            ("bigint", "text"),
            ("bigint unsigned", "bigint"),
            ("timestamp(6)", "timestamp(6) with time zone"),
            ("timestamp(6) with time zone", "timestamp(6)"),
            ("interval day(0) to second(6)", "interval day(0) to second(0)"),
            ("decimal(9,2) unsigned", "decimal(9,2)"),
            ("enum('a','b')", "enum('a')"),
            ("int(11) unsigned", "bigint(20)"),
            ("varchar(10)", "blob"),
        ] {
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
