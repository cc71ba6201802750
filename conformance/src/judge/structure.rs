//! What neither SQL Server nor Oracle takes.

use super::Finding;
use super::outline::{Outline, Place};
use super::query::{JudgedQuery, Member, SETS, TABLES, before, is_query};
use super::token::TokenKind;
use super::tree::{Node, commas, show, text};
use super::{group, names, scope};

/// `booleans` says whether the version has a type for truth values.
pub(super) fn check(booleans: bool, nodes: &[Node<'_>], outline: &Outline<'_, '_>, found: &mut Vec<Finding>) {
    if !booleans {
        for (place, nodes) in &outline.misplaced {
            let what = match place {
                Place::Value => "a truth value in the place of a value",
                Place::Predicate => "a value in the place of a predicate",
            };
            found.push(Finding::new(what, show(nodes)));
        }
        words(nodes, &["TRUE", "FALSE"], "a literal that the engine takes for a name", found);
    }
    words(nodes, &["LIMIT", "ILIKE", "RECURSIVE"], "a word that the engine does not know", found);
    scope::check(outline, found);
    for query in &outline.queries {
        group::check(query, found);
        names::check(query, found);
        set_order(query, found);
        for member in query.members() {
            distinct_order(member, found);
            windows(member, found);
            aggregates(member, found);
            for key in commas(member.clause("GROUP BY").unwrap_or_default()) {
                if key.iter().any(|node| node.any(&mut is_subquery)) {
                    found.push(Finding::new("a subquery in GROUP BY", show(key)));
                }
            }
        }
    }
}

/// Words that are no names in quotes.
fn words(nodes: &[Node<'_>], unknown: &[&str], what: &'static str, found: &mut Vec<Finding>) {
    for (at, node) in nodes.iter().enumerate() {
        match node {
            // JSON_EXISTS(.. TRUE ON ERROR)
            Node::Leaf(_) if nodes.get(at + 1).is_some_and(|next| next.is_word("ON")) => {}
            Node::Leaf(token) if unknown.iter().any(|word| token.is_word(word)) => {
                found.push(Finding::new(what, token.text));
            }
            Node::Leaf(_) => {}
            Node::Group(inside) | Node::Case(inside) => words(inside, unknown, what, found),
        }
    }
}

pub(super) fn is_subquery(node: &Node<'_>) -> bool {
    node.group().is_some_and(is_query)
}

/// The order of a set operation stands at its end, and names columns of the first member.
fn set_order(query: &JudgedQuery<'_, '_>, found: &mut Vec<Finding>) {
    if !query.is_set() {
        return;
    }
    let last = query.clauses.iter().rposition(|clause| SETS.contains(&clause.word)).unwrap_or_default();
    for (at, clause) in query.clauses.iter().enumerate().filter(|(_, clause)| clause.word == "ORDER BY") {
        if at < last {
            found.push(Finding::new("a member of a set operation has an order", show(clause.body)));
        }
    }
    for key in query.members().last().iter().flat_map(|member| member.order()) {
        if !matches!(key, [name] if name.is(TokenKind::Name) || name.is(TokenKind::Word) || name.is(TokenKind::Number))
        {
            found.push(Finding::new("the order of a set operation names no column of it", show(key)));
        }
    }
}

/// The order of DISTINCT rows is by what is selected.
fn distinct_order(member: Member<'_, '_, '_>, found: &mut Vec<Finding>) {
    let Some(items) = member.items().filter(|_| member.is_distinct()) else { return };
    let mut selected = Vec::new();
    for item in items {
        let expression = before(item, &["AS"]);
        selected.push(text(expression));
        // Its name: the alias, or that of the column.
        selected.extend(item.last().map(|name| text(std::slice::from_ref(name))));
    }
    for key in member.order() {
        if !selected.contains(&text(key)) && !matches!(key, [number] if number.is(TokenKind::Number)) {
            found.push(Finding::new("distinct rows are ordered by what is not selected", show(key)));
        }
    }
}

/// Windows stand in the select list and the order only.
fn windows(member: Member<'_, '_, '_>, found: &mut Vec<Finding>) {
    for body in member.clauses(&["WHERE", "ON", "HAVING", "GROUP BY", "SET"]) {
        if contains_word(body, "OVER") {
            found.push(Finding::new("a window function outside of the select list", show(body)));
        }
    }
}

/// Rows are chosen before they are put together.
fn aggregates(member: Member<'_, '_, '_>, found: &mut Vec<Finding>) {
    for body in member.clauses(&["WHERE", "ON", "GROUP BY", "SET"]) {
        if group::aggregates(body) {
            found.push(Finding::new("an aggregate where rows are looked at one by one", show(body)));
        }
    }
}

/// Whether the word stands in it, outside of subqueries.
fn contains_word(nodes: &[Node<'_>], word: &str) -> bool {
    nodes.iter().any(|node| match node {
        Node::Leaf(token) => token.is_word(word),
        Node::Group(inside) => !is_query(inside) && contains_word(inside, word),
        Node::Case(inside) => contains_word(inside, word),
    })
}

/// The derived tables of a query, and its common tables' names, with an alias by AS.
pub(super) fn aliased_by_as<'n, 't>(query: &JudgedQuery<'n, 't>) -> impl Iterator<Item = &'n [Node<'t>]> {
    query
        .clauses
        .iter()
        .filter(|clause| TABLES.contains(&clause.word))
        .flat_map(|clause| commas(clause.body))
        .filter(|table| table.iter().any(|node| node.is_word("AS")))
}

#[cfg(test)]
mod tests {
    use isogloss_oracle::Oracle;
    use isogloss_sqlserver::SqlServer;

    use super::super::assert_found;

    #[test]
    fn truth_values_are_no_values_before_oracle_23() {
        let wrong = [
            (r#"SELECT "a" > 1 AS "x" FROM "t""#, r#"a truth value in the place of a value: "a" > 1"#),
            (r#"SELECT 1 FROM "t" WHERE "a""#, r#"a value in the place of a predicate: "a""#),
            (r#"SELECT 1 FROM "t" WHERE "a" = TRUE"#, "a literal that the engine takes for a name: TRUE"),
        ];
        assert_found(&Oracle::V21, &wrong, &[]);
        assert_found(&Oracle::V23, &[], &wrong.map(|(sql, _)| sql));
        assert_found(
            &SqlServer::V2022,
            &[("SELECT 1 FROM [t] WHERE [a] = FALSE", "a literal that the engine takes for a name: FALSE")],
            &["SELECT N'true' AS [TRUE] FROM [t] WHERE [a] = 1"],
        );
    }

    #[test]
    fn words_of_other_engines_are_found() {
        assert_found(
            &SqlServer::V2019,
            &[
                ("SELECT 1 FROM [t] LIMIT 1", "a word that the engine does not know: LIMIT"),
                (
                    "WITH RECURSIVE [x] AS (SELECT 1 AS [a]) SELECT 1 FROM [x]",
                    "a word that the engine does not know: RECURSIVE",
                ),
            ],
            &[
                "SELECT [LIMIT] FROM [t]",
                "SELECT 1 FROM [t] WHERE [t].[a] IS DISTINCT FROM (SELECT MIN([u].[b]) FROM [u])",
            ],
        );
    }

    #[test]
    fn the_order_of_set_operations_and_distinct_rows_is_by_what_they_give() {
        assert_found(
            &Oracle::V19,
            &[
                (
                    r#"SELECT "a" FROM "t" ORDER BY 1 UNION SELECT "b" FROM "u""#,
                    "a member of a set operation has an order: 1",
                ),
                (
                    r#"SELECT "T0"."a" FROM "t" "T0" UNION SELECT "b" FROM "u" ORDER BY "T0"."a" DESC"#,
                    r#"the order of a set operation names no column of it: "T0" . "a""#,
                ),
                (
                    r#"SELECT DISTINCT "T0"."a" FROM "t" "T0" ORDER BY "T0"."b""#,
                    r#"distinct rows are ordered by what is not selected: "T0" . "b""#,
                ),
            ],
            &[
                r#"SELECT "a" FROM "t" UNION SELECT "b" FROM "u" ORDER BY "a" DESC NULLS LAST"#,
                r#"SELECT DISTINCT "T0"."a", "T0"."b" + 1 AS "c" FROM "t" "T0" ORDER BY "T0"."a", "c", "T0"."b" + 1"#,
            ],
        );
    }

    #[test]
    fn windows_and_subqueries_stand_where_they_may() {
        assert_found(
            &SqlServer::V2019,
            &[
                (
                    "SELECT 1 FROM [t] WHERE ROW_NUMBER() OVER (ORDER BY [a]) = 1",
                    "a window function outside of the select list: ROW_NUMBER () OVER (ORDER BY [a]) = 1",
                ),
                (
                    "SELECT 1 FROM [t] WHERE SUM([a]) > 1",
                    "an aggregate where rows are looked at one by one: SUM ([a]) > 1",
                ),
                ("SELECT 1 FROM [t] GROUP BY [a] + (SELECT 1)", "a subquery in GROUP BY: [a] + (SELECT 1)"),
            ],
            &["SELECT 1 FROM [t] WHERE [a] IN (SELECT ROW_NUMBER() OVER (ORDER BY [b]) FROM [u])"],
        );
    }
}
