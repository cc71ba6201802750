//! Whether the tables before the points of columns are there.

use super::Finding;
use super::outline::Outline;
use super::token::TokenKind;
use super::tree::Node;

/// Each is a table of its query, or of one around it.
pub(super) fn check(outline: &Outline<'_, '_>, found: &mut Vec<Finding>) {
    let tables: Vec<Vec<String>> = outline.queries.iter().map(|query| query.tables().map(name).collect()).collect();
    for (query, qualifier) in &outline.qualifiers {
        let wanted = name(qualifier);
        let around =
            std::iter::successors(Some(*query), |query| outline.queries.get(*query).and_then(|query| query.parent));
        let known = around.filter_map(|query| tables.get(query)).any(|tables| tables.contains(&wanted));
        // DBMS_RANDOM.VALUE: a package of Oracle.
        if !known && !PSEUDO.contains(&wanted.as_str()) && !wanted.starts_with("DBMS_") {
            found.push(Finding::new("no table has that name here", wanted));
        }
    }
}

/// What stands before the columns of the rows that are written.
const PSEUDO: [&str; 2] = ["INSERTED", "DELETED"];

/// A name as the engine compares it.
fn name(node: &Node<'_>) -> String {
    match node.leaf() {
        Some(token) if token.kind == TokenKind::Name => token.inside().to_owned(),
        Some(token) => token.text.to_uppercase(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use isogloss_oracle::Oracle;
    use isogloss_sqlserver::SqlServer;

    use super::super::assert_found;

    #[test]
    fn a_table_that_is_not_there_is_found() {
        let missing = "no table has that name here: T1";
        assert_found(
            &SqlServer::V2019,
            &[
                ("SELECT [T1].[a] FROM [t] [T0]", missing),
                ("SELECT [T0].[a] FROM [t] [T0] WHERE [T1].[b] = 1", missing),
                (
                    "SELECT [T0].[a] FROM [t] [T0] WHERE EXISTS (SELECT 1 FROM [u] [T2] WHERE [T2].[b] = [T1].[c])",
                    missing,
                ),
                (
                    "SELECT [T0].[a] FROM [t] [T0] WHERE [T0].[a] IN (SELECT [T2].[b] FROM [u] [T2]) ORDER BY [T1].[a]",
                    missing,
                ),
                ("SELECT [T0].[a] FROM (SELECT [T1].[a] FROM [u] [T2]) [T0]", missing),
            ],
            &[
                "SELECT [T0].[a], [T1].[b], v.*, [j].[value] FROM [t] [T0] LEFT JOIN [s].[u] [T1] WITH (UPDLOCK) ON [T1].[b] = [T0].[a] \
                 CROSS APPLY (VALUES (1)) v ([x]) CROSS APPLY OPENJSON([T0].[c]) WITH ([value] int '$') [j]",
                "SELECT [t].[a] FROM [s].[t] WHERE EXISTS (SELECT 1 WHERE [t].[a] = 1)",
                "UPDATE [T0] SET [a] = [u].[b] OUTPUT inserted.[a] FROM [t] [T0] JOIN [u] ON [u].[c] = [T0].[c]",
            ],
        );
        assert_found(
            &Oracle::V19,
            &[(r#"SELECT "T1"."a" FROM "t" "T0""#, missing)],
            &[
                r#"SELECT DBMS_RANDOM.VALUE FROM "t""#,
                r#"MERGE INTO "t" T USING (SELECT 1 AS "a" FROM DUAL) S ON (T."a" = S."a") WHEN NOT MATCHED THEN INSERT ("a") VALUES (S."a")"#,
            ],
        );
    }
}
