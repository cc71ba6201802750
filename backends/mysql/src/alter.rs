//! How MySQL and MariaDB change tables, and what that does to a table in use.

use isogloss_compiler::dialect::Quotes;
use isogloss_driver::ddl::{Change, Impact, Lock, is_literal, squeezed};
use isogloss_driver::introspect::{ColumnReport, Filled, IndexKey, IndexReport, TableReport};

pub(crate) const QUOTES: Quotes = Quotes('`', '`');

/// Types as `COLUMN_TYPE` says them, without the widths at which numbers are shown.
pub(crate) fn reported_type(ty: &str) -> String {
    let ty = squeezed(ty);
    let (name, rest) = ty.find('(').map_or((ty.as_str(), ""), |at| ty.split_at(at));
    match name {
        "smallint" | "mediumint" | "int" | "bigint" => {
            let after = rest.split_once(')').map_or("", |(_, after)| after);
            format!("{name}{after}")
        }
        "integer" => "int".to_owned(),
        "boolean" | "bool" => "tinyint(1)".to_owned(),
        // No digits are all that there may be.
        "numeric" => format!("decimal{rest}"),
        _ if rest == "(0)" && matches!(name, "datetime" | "time" | "timestamp") => name.to_owned(),
        _ => ty,
    }
}

/// A default without the escapes in its texts.
pub(crate) fn reported_default(text: &str) -> String {
    // Without digits it has none.
    if text.trim().eq_ignore_ascii_case("CURRENT_TIMESTAMP(0)") {
        return "CURRENT_TIMESTAMP".to_owned();
    }
    let (mut out, mut open) = (String::new(), None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (open, c) {
            (None, '\'' | '"') => {
                open = Some(c);
                out.push('\'');
            }
            (Some(quote), c) if c == quote && chars.next_if_eq(&quote).is_none() => {
                open = None;
                out.push('\'');
            }
            (Some(_), '\\') => {
                // It stays before a sign of a pattern.
                out.extend(chars.peek().filter(|c| matches!(c, '%' | '_')).map(|_| '\\'));
                out.extend(chars.next().map(escaped).into_iter().flat_map(doubled));
            }
            (Some(_), c) => out.extend(doubled(c)),
            (None, c) => out.push(c),
        }
    }
    out
}

/// A character of a text between quotes.
fn doubled(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).chain((c == '\'').then_some(c))
}

/// What a backslash with a character behind it is.
pub(crate) fn escaped(c: char) -> char {
    match c {
        '0' => '\0',
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'Z' => '\u{1a}',
        other => other,
    }
}

/// Numbers begin at 1 as far as is told, and have an index.
pub(crate) fn reported(table: &mut TableReport) {
    let first = table.primary_key.first().cloned();
    for column in &mut table.columns {
        if let Filled::Identity { start, increment } = &mut column.filled {
            (*start, *increment) = (1, 1);
            let is_key = |index: &IndexReport| index.keys.first() == Some(&IndexKey::Column(column.name.clone()));
            if first.as_ref() != Some(&column.name) && !table.indexes.iter().any(is_key) {
                let keys = vec![IndexKey::Column(column.name.clone())];
                table.indexes.push(IndexReport::new(column.name.clone(), false, keys));
            }
        }
    }
    // A foreign key makes an index of its name, unless there is one that begins with its columns.
    for key in &table.foreign_keys {
        let begins = |columns: &[&String]| {
            columns.get(..key.columns.len()).is_some_and(|of| of.iter().copied().eq(&key.columns))
        };
        let columns = |index: &IndexReport| -> Vec<String> {
            index
                .keys
                .iter()
                .filter_map(|key| match key {
                    IndexKey::Column(name) => Some(name.clone()),
                    _ => None,
                })
                .collect()
        };
        let has = begins(&table.primary_key.iter().collect::<Vec<_>>())
            || table.indexes.iter().any(|index| begins(&columns(index).iter().collect::<Vec<_>>()));
        if !has {
            let keys = key.columns.iter().cloned().map(IndexKey::Column).collect();
            let mut index = IndexReport::new(key.name.clone(), false, keys);
            index.of_foreign_key = true;
            table.indexes.push(index);
        }
    }
}

/// A text, in which a backslash is one.
pub(crate) fn literal(text: &str) -> String {
    Quotes('\'', '\'').quoted([text.replace('\\', "\\\\").as_str()])
}

/// All of a column is said anew, whatever changes.
pub(crate) fn alter(table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
    let name = QUOTES.quoted([to.name.as_str()]);
    let column = format!("{name} {}", column(to)?);
    let modified = || Some(vec![format!("ALTER TABLE {table} MODIFY COLUMN {column}")]);
    match (&to.filled, change) {
        (Filled::Generated(_), Change::Generated) => Some(vec![
            format!("ALTER TABLE {table} DROP COLUMN {name}"),
            format!("ALTER TABLE {table} ADD COLUMN {column}"),
        ]),
        (Filled::Generated(_), Change::Comment) => modified(),
        (Filled::Generated(_), _) => None,
        (Filled::Identity { .. }, _) => modified(),
        // A virtual column becomes none that is stored (error 3106), and which one it is, is not told.
        _ if matches!(from.filled, Filled::Generated(_)) => None,
        _ => modified(),
    }
}

/// A column but for its name, with what no catalog says of it.
pub(crate) fn column(to: &ColumnReport) -> Option<String> {
    let ty = squeezed(&to.engine_type);
    let name = ty.split('(').next().unwrap_or_default();
    let is_text = ["char", "text", "enum", "set"].iter().any(|of| name.ends_with(of));
    let is_moment = matches!(name, "timestamp" | "datetime") && !matches!(to.filled, Filled::Generated(_));
    // With the digits of the column, or the engine refuses it.
    let digits = ty.find('(').and_then(|at| ty.get(at..)).unwrap_or_default();
    // In parentheses, MySQL takes it for an expression, which is another default.
    let is_now = |text: &str| {
        is_moment && text.trim_end_matches("()").eq_ignore_ascii_case(&format!("current_timestamp{digits}"))
    };
    let null = if to.nullable { "" } else { " NOT NULL" };
    let filled = match &to.filled {
        Filled::Default(text) if is_literal(text) || is_now(text) => format!(" DEFAULT {text}{null}"),
        Filled::Default(text) => format!(" DEFAULT ({text}){null}"),
        Filled::Identity { .. } => " NOT NULL AUTO_INCREMENT".to_owned(),
        Filled::Generated(text) => {
            let kept = if to.stored { "STORED" } else { "VIRTUAL" };
            // MariaDB has none that is never NULL.
            format!(" GENERATED ALWAYS AS ({}) {kept}{null}", text.as_ref()?)
        }
        _ => null.to_owned(),
    };
    let collation = to.collation.as_ref().filter(|_| is_text).map(|of| format!(" COLLATE {of}")).unwrap_or_default();
    let updated = to.updated.as_ref().filter(|_| is_moment);
    let updated = updated.map(|_| format!(" ON UPDATE CURRENT_TIMESTAMP{digits}")).unwrap_or_default();
    let hidden = if to.hidden { " INVISIBLE" } else { "" };
    let comment = to.comment.as_ref().map(|text| format!(" COMMENT {}", literal(text))).unwrap_or_default();
    Some(format!("{}{collation}{filled}{updated}{hidden}{comment}", to.engine_type))
}

/// `instant`: whether a column is added and dropped without the rows being written again.
pub(crate) fn impact(change: Change, from: Option<&ColumnReport>, to: Option<&ColumnReport>, instant: bool) -> Impact {
    let copies = || {
        Impact::rewriting(Lock::Writes)
            .note("the table is copied; online: gh-ost or pt-online-schema-change copy it in parts")
    };
    let is_copied = |column: &ColumnReport| match &column.filled {
        Filled::Identity { .. } => true,
        Filled::Default(text) => !is_literal(text) || squeezed(&column.engine_type).contains("text"),
        _ => false,
    };
    match change {
        Change::AddColumn if to.is_some_and(is_copied) => copies(),
        Change::AddColumn | Change::DropColumn if instant => Impact::default(),
        Change::AddColumn | Change::DropColumn => Impact::rewriting(Lock::None).note("in place, with writes going on"),
        Change::Type { widens: true } if stays_in_place(from, to) => Impact::default(),
        Change::Type { .. } | Change::Generated | Change::Identity => copies(),
        Change::Nullable => Impact::rewriting(Lock::None).note("in place, with writes going on"),
        Change::AddConstraint | Change::AddCheck => copies(),
        Change::CreateIndex => Impact::default().note("it reads all rows, with writes going on"),
        _ => Impact::default(),
    }
}

/// Whether a text grows, and its length is counted by as many bytes as before.
pub(crate) fn stays_in_place(from: Option<&ColumnReport>, to: Option<&ColumnReport>) -> bool {
    let bytes = |column: &ColumnReport| {
        let ty = squeezed(&column.engine_type);
        let length: u32 = ty.strip_prefix("varchar(")?.strip_suffix(')')?.parse().ok()?;
        Some(length.saturating_mul(4) > 255)
    };
    from.and_then(bytes).zip(to.and_then(bytes)).is_some_and(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_defaults_have_no_escapes() {
        for (text, value) in [
            (r"'a\nb''c\'d\\e'", "'a\nb''c''d\\e'"),
            (r#""it's""#, "'it''s'"),
            (r"'50\%'", r"'50\%'"),
            (r"'50\\%'", r"'50\%'"),
            (r"concat('\t', `a\b`, 'x')", "concat('\t', `a\\b`, 'x')"),
            ("'open", "'open"),
        ] {
            assert_eq!(reported_default(text), value);
        }
    }
}
