//! What every engine takes at most, and the order of placeholders.

use isogloss_compiler::dialect::{Dialect, Placeholder};

use super::Finding;
use super::outline::Outline;
use super::token::{Token, TokenKind};
use super::tree::{commas, show};

/// Placeholders, names and the number of statements.
pub(super) fn check(
    dialect: &dyn Dialect,
    tokens: &[Token<'_>],
    parameters: usize,
    outputs: usize,
    found: &mut Vec<Finding>,
) {
    placeholders(dialect, tokens, parameters + outputs, found);
    let limits = dialect.sheet().limits;
    if parameters + outputs > limits.parameters {
        found.push(Finding::new("more parameters than the engine takes", (parameters + outputs).to_string()));
    }
    for name in tokens.iter().filter(|token| token.kind == TokenKind::Name) {
        let inside = name.inside();
        let length = if limits.identifier_bytes { inside.len() } else { inside.chars().count() };
        if length > limits.identifier {
            found.push(Finding::new("a name is too long", name.text));
        }
        if inside.is_empty() || inside.contains('\0') {
            found.push(Finding::new("no name", name.text));
        }
    }
    for comment in tokens.iter().filter(|token| token.kind == TokenKind::Comment && !token.text.starts_with("/*+")) {
        found.push(Finding::new("a comment that is no hint", comment.text));
    }
    if let Some(end) = tokens.iter().position(|token| token.is_symbol(";"))
        && end + 1 < tokens.len()
    {
        found.push(Finding::new("more than one statement", tokens.get(end + 1).map_or("", |token| token.text)));
    }
}

/// They are numbered from 1 in the order in which they first stand in the text, and none is left out. Only an engine
/// whose driver binds by name may have one twice.
fn placeholders(dialect: &dyn Dialect, tokens: &[Token<'_>], wanted: usize, found: &mut Vec<Finding>) {
    let mut highest = 0;
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Parameter) {
        let number = match dialect.sheet().placeholder {
            Placeholder::Question => highest + 1,
            Placeholder::Numbered(prefix) => token.text.strip_prefix(prefix).and_then(|n| n.parse().ok()).unwrap_or(0),
        };
        if number == highest + 1 {
            highest = number;
        } else if number > highest || number == 0 {
            found.push(Finding::new("a placeholder is out of order", token.text));
            return;
        } else if !dialect.repeats_placeholders() {
            found.push(Finding::new("a placeholder stands twice", token.text));
        }
    }
    if highest != wanted {
        found.push(Finding::new("not a placeholder for each parameter", format!("{highest} for {wanted}")));
    }
}

/// The lengths of lists.
pub(super) fn lists(dialect: &dyn Dialect, outline: &Outline<'_, '_>, found: &mut Vec<Finding>) {
    let limits = dialect.sheet().limits;
    // Oracle's own number is that of the queries of a UNION ALL.
    let rows_in_values = if dialect.sheet().name == "oracle" { 65_535 } else { limits.rows_in_values };
    for list in &outline.lists {
        if commas(list).count() > limits.in_items {
            found.push(Finding::new("more items in an IN than the engine takes", show(list)));
        }
    }
    for query in &outline.queries {
        for rows in query.clauses.iter().filter(|clause| clause.word == "VALUES").map(|clause| clause.body) {
            let of_insert = query.clauses.iter().any(|clause| clause.word == "INSERT");
            if of_insert && commas(rows).count() > rows_in_values {
                found.push(Finding::new("more rows in an INSERT than the engine takes", show(rows)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use isogloss_mysql::MySql;
    use isogloss_oracle::Oracle;
    use isogloss_postgres::Postgres;
    use isogloss_sqlserver::SqlServer;

    use super::super::{assert_found, findings};
    use super::*;

    #[test]
    fn placeholders_are_dense_and_in_order() {
        let what = |dialect: &dyn Dialect, sql: &str, parameters: usize| {
            findings(dialect, sql, parameters, 0).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(what(&Postgres::V15, "SELECT $1, $2", 2), [] as [&str; 0]);
        assert_eq!(what(&Postgres::V15, "SELECT $2, $1", 2), ["a placeholder is out of order: $2"]);
        assert_eq!(what(&Postgres::V15, "SELECT $1, $3", 3), ["a placeholder is out of order: $3"]);
        assert_eq!(what(&Postgres::V15, "SELECT $1", 2), ["not a placeholder for each parameter: 1 for 2"]);
        assert_eq!(what(&MySql::V8_0, "SELECT '?', ?", 2), ["not a placeholder for each parameter: 1 for 2"]);
        assert_eq!(what(&Oracle::V19, "SELECT :1, :1 FROM DUAL", 1), ["a placeholder stands twice: :1"]);
        assert_eq!(what(&SqlServer::V2019, "SELECT @P1, @P1", 1), [] as [&str; 0]);
    }

    #[test]
    fn what_is_too_much_is_found() {
        let parameters = |n: usize| (1..=n).map(|n| format!("@P{n}")).collect::<Vec<_>>().join(", ");
        let many = |n: usize| findings(&SqlServer::V2019, &format!("SELECT {}", parameters(n)), n, 0);
        assert_eq!(many(2_098), []);
        assert_eq!(many(2_099), [Finding::new("more parameters than the engine takes", "2099")]);

        let items = |n: usize| {
            findings(&Oracle::V19, &format!("SELECT 1 FROM DUAL WHERE 1 IN ({})", vec!["1"; n].join(", ")), 0, 0)
        };
        assert_eq!(items(1_000), []);
        assert_eq!(items(1_001).first().map(|finding| finding.what), Some("more items in an IN than the engine takes"));

        let rows = |n: usize| {
            findings(&SqlServer::V2019, &format!("INSERT INTO [t] ([a]) VALUES {}", vec!["(1)"; n].join(", ")), 0, 0)
        };
        assert_eq!(rows(1_000), []);
        assert_eq!(
            rows(1_001).first().map(|finding| finding.what),
            Some("more rows in an INSERT than the engine takes")
        );

        let named =
            |dialect: &dyn Dialect, name: &str| findings(dialect, &format!("SELECT 1 AS \"{name}\" FROM DUAL"), 0, 0);
        assert_eq!(named(&Oracle::V12_1, &"n".repeat(30)), []);
        assert_eq!(
            named(&Oracle::V12_1, &"n".repeat(31)).first().map(|finding| finding.what),
            Some("a name is too long")
        );
        assert_eq!(named(&Oracle::V19, &"n".repeat(128)), []);
        assert_eq!(
            named(&Oracle::V19, &"ä".repeat(65)).first().map(|finding| finding.what),
            Some("a name is too long")
        );
    }

    #[test]
    fn a_text_is_one_statement_without_comments() {
        assert_found(
            &SqlServer::V2019,
            &[
                ("SELECT 1; DROP TABLE [t]", "more than one statement: DROP"),
                ("SELECT 1 -- [x]", "a comment that is no hint: -- [x]"),
                ("SELECT [] FROM [t]", "no name: []"),
                ("SELECT N'a", "a literal, a name or a comment has no end: N'a"),
                ("SELECT (1", "a bracket or CASE has no partner: ("),
            ],
            &["SELECT N'--; /*' AS [;]"],
        );
    }
}
