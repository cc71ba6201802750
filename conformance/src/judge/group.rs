//! What a grouped query may name.

use super::Finding;
use super::query::{JudgedQuery, Member, before, is_query};
use super::token::TokenKind;
use super::tree::{Node, commas, show, text};

/// Beside aggregates, the select list, HAVING and ORDER BY of a grouped query name its keys only, written as in
/// GROUP BY to the letter: with another parameter for the same value it is another expression.
pub(super) fn check(query: &JudgedQuery<'_, '_>, found: &mut Vec<Finding>) {
    let tables: Vec<String> = query.tables().map(|table| text(std::slice::from_ref(table))).collect();
    for member in query.members() {
        let keys: Vec<Vec<String>> = commas(member.clause("GROUP BY").unwrap_or_default()).map(words).collect();
        let Some(items) = member.items() else { continue };
        let expressions: Vec<_> =
            items.map(|item| before(item, &["AS"])).chain(member.clause("HAVING")).chain(order(member)).collect();
        if keys.is_empty() && !expressions.iter().any(|nodes| aggregates(nodes)) {
            continue;
        }
        for expression in expressions {
            if let Some(column) = loose(expression, &keys, &tables) {
                found.push(Finding::new("neither grouped by nor in an aggregate", column));
            }
        }
    }
}

/// The keys of the order that are no names of the select list.
fn order<'n, 't>(member: Member<'_, 'n, 't>) -> impl Iterator<Item = &'n [Node<'t>]> + use<'n, 't> {
    member.order().filter(|key| key.len() > 1)
}

fn words(nodes: &[Node<'_>]) -> Vec<String> {
    nodes.iter().map(|node| text(std::slice::from_ref(node))).collect()
}

/// The first column of the query's own tables outside of its keys and of aggregates.
fn loose(nodes: &[Node<'_>], keys: &[Vec<String>], tables: &[String]) -> Option<String> {
    let own = words(nodes);
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let rest = own.get(at..).unwrap_or_default();
        if let Some(key) = keys.iter().find(|key| rest.starts_with(key)) {
            at += key.len();
            continue;
        }
        let after = nodes.get(at + 1);
        let inside = after.and_then(Node::group);
        match node {
            // With OVER behind it, it is no aggregate of the group: its arguments are values of the group.
            _ if is_aggregate(node) && inside.is_some() && !over(nodes.get(at + 2..).unwrap_or_default()) => {
                at += 2;
                // STRING_AGG(..) WITHIN GROUP (..), MAX(..) KEEP (..)
                while nodes.get(at).is_some_and(|next| {
                    next.is_word("WITHIN") || next.is_word("KEEP") || next.is_word("GROUP") || next.group().is_some()
                }) {
                    at += 1;
                }
                continue;
            }
            Node::Group(inside) if is_query(inside) => {}
            Node::Group(inside) | Node::Case(inside) => {
                if let Some(column) = loose(inside, keys, tables) {
                    return Some(column);
                }
            }
            Node::Leaf(_)
                if after.is_some_and(|point| point.is_symbol("."))
                    && tables.contains(&text(std::slice::from_ref(node))) =>
            {
                return Some(show(nodes.get(at..at + 3).unwrap_or_default()));
            }
            Node::Leaf(_) => {}
        }
        at += 1;
    }
    None
}

/// Whether an aggregate of the group stands in it.
pub(super) fn aggregates(nodes: &[Node<'_>]) -> bool {
    nodes.iter().enumerate().any(|(at, node)| match node {
        Node::Group(inside) => !is_query(inside) && aggregates(inside),
        Node::Case(inside) => aggregates(inside),
        Node::Leaf(_) => {
            is_aggregate(node)
                && nodes.get(at + 1).is_some_and(|next| next.group().is_some())
                && !over(nodes.get(at + 2..).unwrap_or_default())
        }
    })
}

/// Whether what follows a call makes it one of a window.
fn over(mut after: &[Node<'_>]) -> bool {
    while let [first, rest @ ..] = after
        && (["WITHIN", "GROUP", "KEEP", "IGNORE", "RESPECT", "NULLS"].iter().any(|word| first.is_word(word))
            || first.group().is_some())
    {
        after = rest;
    }
    after.first().is_some_and(|first| first.is_word("OVER"))
}

/// The aggregates of both engines.
pub(super) fn is_aggregate(node: &Node<'_>) -> bool {
    const NAMES: [&str; 25] = [
        "AVG",
        "BIT_AND_AGG",
        "BIT_OR_AGG",
        "CORR",
        "COUNT",
        "COUNT_BIG",
        "JSON_ARRAYAGG",
        "JSON_OBJECTAGG",
        "LISTAGG",
        "MAX",
        "MEDIAN",
        "MIN",
        "PERCENTILE_CONT",
        "PERCENTILE_DISC",
        "STDDEV",
        "STDDEV_POP",
        "STDDEV_SAMP",
        "STDEV",
        "STDEVP",
        "STRING_AGG",
        "SUM",
        "VAR",
        "VARP",
        "VAR_POP",
        "VAR_SAMP",
    ];
    node.is(TokenKind::Word) && NAMES.iter().any(|name| node.is_word(name))
}

#[cfg(test)]
mod tests {
    use isogloss_sqlserver::SqlServer;

    use super::super::assert_found;

    #[test]
    fn a_column_beside_the_keys_is_found() {
        assert_found(
            &SqlServer::V2019,
            &[
                ("SELECT [T0].[a], COUNT(*) FROM [t] [T0]", "neither grouped by nor in an aggregate: [T0] . [a]"),
                (
                    "SELECT [T0].[b] FROM [t] [T0] GROUP BY [T0].[a]",
                    "neither grouped by nor in an aggregate: [T0] . [b]",
                ),
                (
                    "SELECT COALESCE([T0].[a], @P1) FROM [t] [T0] GROUP BY COALESCE([T0].[a], @P2)",
                    "neither grouped by nor in an aggregate: [T0] . [a]",
                ),
                (
                    "SELECT [T0].[a] FROM [t] [T0] GROUP BY [T0].[a] HAVING [T0].[b] > 1",
                    "neither grouped by nor in an aggregate: [T0] . [b]",
                ),
                (
                    "SELECT [T0].[a] FROM [t] [T0] GROUP BY [T0].[a] ORDER BY [T0].[b] DESC",
                    "neither grouped by nor in an aggregate: [T0] . [b]",
                ),
                (
                    "SELECT [T0].[a], SUM([T0].[b]) OVER (ORDER BY [T0].[a]) FROM [t] [T0] GROUP BY [T0].[a]",
                    "neither grouped by nor in an aggregate: [T0] . [b]",
                ),
            ],
            &[
                "SELECT [T0].[a], SUM([T0].[b]) / COUNT(*) AS [n], STRING_AGG([T0].[c], N', ') WITHIN GROUP (ORDER BY [T0].[d]) FROM [t] [T0] \
                 GROUP BY [T0].[a] HAVING MAX([T0].[b]) > 1 ORDER BY [n]",
                "SELECT COALESCE([T0].[a], @P1) + 1 FROM [t] [T0] GROUP BY COALESCE([T0].[a], @P1)",
                "SELECT [T0].[a], SUM(SUM([T0].[b])) OVER (ORDER BY [T0].[a]) FROM [t] [T0] GROUP BY [T0].[a]",
                "SELECT [T0].[a], COUNT(*) OVER () FROM [t] [T0]",
                "SELECT (SELECT MAX([T1].[b]) + [T0].[a] FROM [u] [T1]) FROM [t] [T0]",
            ],
        );
    }
}
