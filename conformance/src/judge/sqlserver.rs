//! What SQL Server does not take, by the numbers of its errors.

use super::group::is_aggregate;
use super::outline::Outline;
use super::query::{Role, before};
use super::structure::is_subquery;
use super::token::{Token, TokenKind};
use super::tree::{Node, commas, show, text};
use super::{Finding, names};

pub(super) fn check(tokens: &[Token<'_>], nodes: &[Node<'_>], outline: &Outline<'_, '_>, found: &mut Vec<Finding>) {
    for token in tokens {
        if token.kind == TokenKind::Name && token.text.starts_with('"') {
            found.push(Finding::new("a name in double quotes", token.text));
        }
        // It would be cut down to the code page of the database.
        if token.kind == TokenKind::Text && token.text.starts_with('\'') && !token.text.is_ascii() {
            found.push(Finding::new("a literal without N that is not ASCII", token.text));
        }
    }
    // 10713
    if nodes.first().is_some_and(|first| first.is_word("MERGE"))
        && !nodes.last().is_some_and(|last| last.is_symbol(";"))
    {
        found.push(Finding::new("a MERGE without a semicolon", show(nodes)));
    }
    aggregates(nodes, found);
    typeless(nodes, found);
    // 164, 408, 1008, 5309: a key needs a column. A number is a place in the select list.
    for key in &outline.keys {
        let place = matches!(key, [number] if number.is(TokenKind::Number));
        if !place && !key.iter().any(|node| node.any(&mut |node| node.is(TokenKind::Name) || is_varying(node))) {
            found.push(Finding::new("a constant in ORDER BY or GROUP BY", show(key)));
        }
    }
    for query in &outline.queries {
        names::order(query, found);
        let tables: Vec<String> = query.tables().map(|table| text(std::slice::from_ref(table))).collect();
        for item in query.members().filter_map(|member| member.items()).flatten() {
            outer_references(item, &tables, found);
        }
        for member in query.members() {
            let offset = member.clause("OFFSET").is_some();
            // 10741
            if member.has_top() && offset {
                found.push(Finding::new("TOP together with OFFSET", show(member.clause("SELECT").unwrap_or_default())));
            }
            if offset && member.clause("ORDER BY").is_none() {
                found.push(Finding::new("OFFSET without ORDER BY", show(member.clause("OFFSET").unwrap_or_default())));
            }
            if member.clause("FETCH").is_some() && !offset {
                found.push(Finding::new("FETCH without OFFSET", show(member.clause("FETCH").unwrap_or_default())));
            }
            if let Some(lock) = member.clause("FOR").filter(|clause| !clause.iter().any(|word| word.is_word("JSON"))) {
                found.push(Finding::new("a lock at the end of a query", show(lock)));
            }
            // 1033
            if let Some(order) = member.clause("ORDER BY")
                && query.role != Role::Statement
                && !member.has_top()
                && !offset
                && member.clause("FOR").is_none()
            {
                found.push(Finding::new("a subquery is ordered for nothing", show(order)));
            }
        }
        // 8155, 8156
        if matches!(query.role, Role::Derived | Role::Common) && !query.named {
            columns(query.members().next().and_then(|member| member.items()), found);
        }
    }
}

/// Whether it gives each row or group a value of its own without naming a column.
fn is_varying(node: &Node<'_>) -> bool {
    is_aggregate(node) || is_subquery(node) || ["NEWID", "CRYPT_GEN_RANDOM"].iter().any(|name| node.is_word(name))
}

/// Each column of a derived table has a name, and no other has the same.
fn columns<'n, 't: 'n>(items: Option<impl Iterator<Item = &'n [Node<'t>]>>, found: &mut Vec<Finding>) {
    let mut names: Vec<String> = Vec::new();
    for item in items.into_iter().flatten() {
        let expression = before(item, &["AS"]);
        let is_column =
            expression.iter().all(|node| node.is(TokenKind::Name) || node.is(TokenKind::Word) || node.is_symbol("."));
        match item.last() {
            Some(star) if star.is_symbol("*") => {}
            Some(name) if expression.len() < item.len() || is_column => {
                let name = text(std::slice::from_ref(name)).to_lowercase();
                if names.contains(&name) {
                    found.push(Finding::new("two columns of a derived table have one name", show(item)));
                }
                names.push(name);
            }
            _ => found.push(Finding::new("a column of a derived table has no name", show(item))),
        }
    }
}

/// 130: no subquery in an aggregate.
fn aggregates(nodes: &[Node<'_>], found: &mut Vec<Finding>) {
    for (at, node) in nodes.iter().enumerate() {
        let Node::Group(inside) = node else {
            if let Node::Case(inside) = node {
                aggregates(inside, found);
            }
            continue;
        };
        let function = at.checked_sub(1).and_then(|before| nodes.get(before));
        if function.is_some_and(is_aggregate) && inside.iter().any(|node| node.any(&mut is_subquery)) {
            found.push(Finding::new("a subquery in an aggregate", show(inside)));
        }
        aggregates(inside, found);
    }
}

/// 8124: an aggregate names a column of a query around its own only where it names no other.
fn outer_references(nodes: &[Node<'_>], tables: &[String], found: &mut Vec<Finding>) {
    for (at, node) in nodes.iter().enumerate() {
        let (Node::Group(inside) | Node::Case(inside)) = node else { continue };
        let function = at.checked_sub(1).and_then(|before| nodes.get(before));
        if function.is_some_and(is_aggregate) {
            let mut columns = Vec::new();
            qualifiers(inside, &mut columns);
            let outer = columns.iter().any(|table| !tables.contains(table));
            if outer && columns.len() > 1 {
                found.push(Finding::new("an outer reference beside another column in an aggregate", show(inside)));
            }
        } else if !is_subquery(node) {
            outer_references(inside, tables, found);
        }
    }
}

/// The tables before the points.
fn qualifiers(nodes: &[Node<'_>], found: &mut Vec<String>) {
    for (at, node) in nodes.iter().enumerate() {
        match node {
            Node::Leaf(_) if nodes.get(at + 1).is_some_and(|next| next.is_symbol(".")) => {
                found.push(text(std::slice::from_ref(node)));
            }
            Node::Leaf(_) => {}
            Node::Group(inside) | Node::Case(inside) => qualifiers(inside, found),
        }
    }
}

/// 4127, 4151, 8133: of nothing but NULL the engine knows no type.
fn typeless(nodes: &[Node<'_>], found: &mut Vec<Finding>) {
    let is_null = |nodes: &[Node<'_>]| matches!(nodes, [null] if null.is_word("NULL"));
    for (at, node) in nodes.iter().enumerate() {
        let function = at.checked_sub(1).and_then(|before| nodes.get(before));
        let (inside, none) = match node {
            Node::Leaf(_) => continue,
            Node::Group(inside) => {
                let is = |name: &str| function.is_some_and(|function| function.is_word(name));
                let mut arguments = commas(inside);
                (
                    inside,
                    is("COALESCE") && arguments.all(is_null)
                        || is("NULLIF") && commas(inside).next().is_some_and(is_null),
                )
            }
            Node::Case(inside) => {
                let results = inside.split(|node| node.is_word("WHEN")).flat_map(|part| {
                    let then = part.split(|node| node.is_word("THEN")).nth(1).unwrap_or_default();
                    then.split(|node| node.is_word("ELSE"))
                });
                (inside, results.filter(|result| !result.is_empty()).all(is_null))
            }
        };
        if none {
            found.push(Finding::new("nothing but NULL, of no type", show(inside)));
        }
        typeless(inside, found);
    }
}

#[cfg(test)]
mod tests {
    use isogloss_sqlserver::SqlServer;

    use super::super::assert_found;

    #[test]
    fn paging_is_as_the_engine_wants_it() {
        assert_found(
            &SqlServer::V2019,
            &[
                (
                    "SELECT TOP (1) [a] FROM [t] ORDER BY [a] OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY",
                    "TOP together with OFFSET: TOP (1) [a]",
                ),
                ("SELECT [a] FROM [t] OFFSET 1 ROWS", "OFFSET without ORDER BY: 1 ROWS"),
                ("SELECT [a] FROM [t] ORDER BY [a] FETCH NEXT 1 ROWS ONLY", "FETCH without OFFSET: NEXT 1 ROWS ONLY"),
                ("SELECT [a] FROM [t] ORDER BY [a] FOR UPDATE", "a lock at the end of a query: UPDATE"),
                ("SELECT [a] FROM (SELECT [a] FROM [t] ORDER BY [a]) [x]", "a subquery is ordered for nothing: [a]"),
                (
                    "SELECT 1 FROM [t] WHERE [a] IN (SELECT [b] FROM [u] ORDER BY [b])",
                    "a subquery is ordered for nothing: [b]",
                ),
                (
                    "WITH [x] AS (SELECT [a] FROM [t] ORDER BY [a]) SELECT [a] FROM [x]",
                    "a subquery is ordered for nothing: [a]",
                ),
            ],
            &[
                "SELECT [a] FROM (SELECT TOP (1) [a] FROM [t] ORDER BY [a]) [x] ORDER BY [a] OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY",
                "SELECT [a] FROM (SELECT [a] FROM [t] ORDER BY (SELECT NULL) OFFSET 1 ROWS) [x]",
                "SELECT ROW_NUMBER() OVER (ORDER BY [a]) AS [n], STRING_AGG([b], N',') WITHIN GROUP (ORDER BY [c]) OVER () AS [l] FROM [t]",
            ],
        );
    }

    #[test]
    fn names_and_literals_are_as_the_engine_wants_them() {
        assert_found(
            &SqlServer::V2019,
            &[
                (r#"SELECT "a" FROM [t]"#, r#"a name in double quotes: "a""#),
                ("SELECT 'ä' FROM [t]", "a literal without N that is not ASCII: 'ä'"),
                ("SELECT 1 FROM (SELECT COUNT(*) FROM [t]) [x]", "a column of a derived table has no name: COUNT (*)"),
                (
                    "SELECT 1 FROM (SELECT [t].[a], [b] AS [A] FROM [t]) [x]",
                    "two columns of a derived table have one name: [b] AS [A]",
                ),
                (
                    "MERGE INTO [t] USING [u] ON ([t].[a] = [u].[a]) WHEN MATCHED THEN DELETE",
                    "a MERGE without a semicolon: MERGE INTO [t] USING [u] ON ([t] . [a] = [u] . [a]) WHEN MATCHED THEN DELETE",
                ),
            ],
            &[
                "SELECT N'ä', 'en-US' FROM (SELECT [t].[a], COUNT(*) AS [n] FROM [t] GROUP BY [t].[a]) [x] CROSS JOIN (SELECT v.* FROM (VALUES (1, 2)) v ([a], [b])) y",
            ],
        );
    }

    #[test]
    fn keys_and_aggregates_are_as_the_engine_wants_them() {
        assert_found(
            &SqlServer::V2019,
            &[
                ("SELECT [a] FROM [t] ORDER BY @P1", "a constant in ORDER BY or GROUP BY: @P1"),
                ("SELECT [a] FROM [t] ORDER BY N'x' DESC", "a constant in ORDER BY or GROUP BY: N'x'"),
                ("SELECT COUNT(*) FROM [t] GROUP BY @P1 + 1", "a constant in ORDER BY or GROUP BY: @P1 + 1"),
                ("SELECT ROW_NUMBER() OVER (ORDER BY NULL) FROM [t]", "a constant in ORDER BY or GROUP BY: NULL"),
                ("SELECT SUM((SELECT 1)) FROM [t]", "a subquery in an aggregate: (SELECT 1)"),
                (
                    "SELECT (SELECT 1 + SUM([T1].[a] * [T0].[b]) FROM [u] [T1]) FROM [t] [T0]",
                    "an outer reference beside another column in an aggregate: [T1] . [a] * [T0] . [b]",
                ),
                ("SELECT COALESCE(NULL, NULL)", "nothing but NULL, of no type: NULL, NULL"),
                ("SELECT NULLIF(NULL, 1)", "nothing but NULL, of no type: NULL, 1"),
                (
                    "SELECT CASE WHEN 1 = 1 THEN NULL WHEN 1 = 0 THEN NULL ELSE NULL END",
                    "nothing but NULL, of no type: WHEN 1 = 1 THEN NULL WHEN 1 = 0 THEN NULL ELSE NULL",
                ),
            ],
            &[
                "SELECT [a] FROM [t] ORDER BY 1, NEWID(), COUNT(*) % @P1, CASE WHEN [a] IS NULL THEN 1 ELSE 0 END, (SELECT NULL)",
            ],
        );
    }
}
