//! What Oracle does not take, by the numbers of its errors.

use isogloss_compiler::dialect::Version;

use super::Finding;
use super::outline::Outline;
use super::query::Role;
use super::structure::aliased_by_as;
use super::token::{Token, TokenKind};
use super::tree::show;

/// From this version on there are truth values, and queries of nothing.
pub(super) const V23: Version = (23, 0, 0);

/// ORA-01704: the most bytes of a literal.
const LITERAL: usize = 4_000;

pub(super) fn check(version: Version, tokens: &[Token<'_>], outline: &Outline<'_, '_>, found: &mut Vec<Finding>) {
    for token in tokens {
        match token.kind {
            // ORA-01741 and its kin: no quote in a name, however it is written.
            TokenKind::Name if token.inside().contains('"') => {
                found.push(Finding::new("a quote in a name", token.text))
            }
            TokenKind::Text if token.inside().replace("''", "'").len() > LITERAL => {
                found.push(Finding::new(
                    "a literal of over 4,000 bytes",
                    token.text.chars().take(40).collect::<String>(),
                ));
            }
            // ORA-00933
            TokenKind::Symbol if token.text == ";" => found.push(Finding::new("a semicolon at the end", token.text)),
            TokenKind::Symbol if matches!(token.text, "[" | "]" | "`") => {
                found.push(Finding::new("quotes of another engine", token.text))
            }
            _ => {}
        }
    }
    for (left, right) in &outline.comparisons {
        for side in [left, right] {
            let empty = |token: &Token<'_>| token.kind == TokenKind::Text && token.inside().is_empty();
            if matches!(side, [text] if text.leaf().is_some_and(empty)) {
                found.push(Finding::new("a comparison with the empty text, which is NULL", show(left)));
            }
        }
    }
    for query in &outline.queries {
        for table in aliased_by_as(query) {
            found.push(Finding::new("AS before the alias of a table", show(table)));
        }
        for member in query.members() {
            let select = member.clause("SELECT");
            if let Some(items) = select.filter(|_| version < V23 && member.clause("FROM").is_none()) {
                found.push(Finding::new("a query of nothing", show(items)));
            }
            let paged = member.clause("FETCH").or(member.clause("OFFSET"));
            // ORA-00907: an order of its own only where rows are counted off by it.
            if let Some(order) = member.clause("ORDER BY").filter(|_| select.is_some())
                && query.role == Role::Value
                && paged.is_none()
            {
                found.push(Finding::new("a subquery is ordered for nothing", show(order)));
            }
            // ORA-02014
            if let Some(lock) =
                member.clause("FOR").filter(|lock| lock.first().is_some_and(|first| first.is_word("UPDATE")))
                && (paged.is_some() || member.is_distinct() || member.clause("GROUP BY").is_some() || query.is_set())
            {
                found.push(Finding::new("rows are locked that are none of a table", show(lock)));
            }
            if let Some(top) = select.filter(|items| items.first().is_some_and(|first| first.is_word("TOP"))) {
                found.push(Finding::new("a word that the engine does not know", show(top)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use isogloss_oracle::Oracle;

    use super::super::assert_found;

    #[test]
    fn what_other_engines_take_is_found() {
        assert_found(
            &Oracle::V19,
            &[
                ("SELECT 1", "a query of nothing: 1"),
                (r#"SELECT 1 FROM "t" WHERE EXISTS (SELECT 1)"#, "a query of nothing: 1"),
                (r#"SELECT 1 FROM "t" AS "x""#, r#"AS before the alias of a table: "t" AS "x""#),
                (
                    r#"SELECT 1 FROM "t" LEFT JOIN (SELECT 1 AS "a" FROM DUAL) AS "x" ON 1 = 1"#,
                    r#"AS before the alias of a table: (SELECT 1 AS "a" FROM DUAL) AS "x""#,
                ),
                (r#"SELECT 1 FROM "t" WHERE "a" = ''"#, r#"a comparison with the empty text, which is NULL: "a""#),
                (
                    r#"SELECT 1 FROM "t" WHERE "a" || "b" <> N''"#,
                    r#"a comparison with the empty text, which is NULL: "a" || "b""#,
                ),
                (r#"DELETE FROM "t";"#, "a semicolon at the end: ;"),
                (r#"SELECT "a""b" FROM "t""#, r#"a quote in a name: "a""b""#),
                (
                    r#"SELECT 1 FROM "t" WHERE "a" IN (SELECT "b" FROM "u" ORDER BY "b")"#,
                    r#"a subquery is ordered for nothing: "b""#,
                ),
                (
                    r#"SELECT "a" FROM "t" FETCH FIRST 1 ROWS ONLY FOR UPDATE"#,
                    "rows are locked that are none of a table: UPDATE",
                ),
                (r#"SELECT TOP 1 "a" FROM "t""#, r#"a word that the engine does not know: TOP 1 "a""#),
            ],
            &[
                r#"SELECT '' AS "e" FROM "t" "x" WHERE "a" = '''' AND COALESCE("b", '') IS NULL"#,
                r#"SELECT 1 FROM (SELECT "a" FROM "t" ORDER BY "a") "x" WHERE "a" IN (SELECT "b" FROM "u" ORDER BY "b" FETCH FIRST 1 ROWS ONLY)"#,
                r#"SELECT "a" FROM "t" ORDER BY "a" FOR UPDATE OF "a" SKIP LOCKED"#,
            ],
        );
        assert_found(&Oracle::V23, &[], &["SELECT 1"]);
        let long = |n: usize| format!("SELECT '{}' FROM DUAL", "n".repeat(n));
        assert_found(
            &Oracle::V19,
            &[(&long(4_001), &format!("a literal of over 4,000 bytes: '{}", "n".repeat(39)))],
            &[&long(4_000)],
        );
    }
}
