//! Whether a name is known where it stands, and is the only one of its kind.

use super::Finding;
use super::query::{JudgedQuery, Member, before, is_query};
use super::token::TokenKind;
use super::tree::{Node, show, text};

/// The alias of a select item is known to ORDER BY, and to nothing else of its query; two tables of one name are known
/// to nothing.
pub(super) fn check(query: &JudgedQuery<'_, '_>, found: &mut Vec<Finding>) {
    for member in query.members() {
        let mut tables: Vec<String> = Vec::new();
        for table in member.sources() {
            let name = text(std::slice::from_ref(table));
            if tables.contains(&name) {
                found.push(Finding::new("two tables have one name", &*name));
            }
            tables.push(name);
        }
        let aliases = aliases(member);
        let items = member.items().into_iter().flatten().map(|item| before(item, &["AS"]));
        for nodes in items.chain(member.clauses(&["WHERE", "ON", "GROUP BY", "HAVING"])) {
            for alias in bare(nodes).filter(|name| aliases.contains(name)) {
                found.push(Finding::new("an alias of the select list is not known here", alias));
            }
        }
    }
}

/// SQL Server, error 207: in ORDER BY an alias stands alone. Error 169: no key stands twice.
pub(super) fn order(query: &JudgedQuery<'_, '_>, found: &mut Vec<Finding>) {
    for member in query.members() {
        let aliases = aliases(member);
        let mut keys: Vec<String> = Vec::new();
        for key in member.order() {
            if let Some(alias) = bare(key).find(|name| *name != text(key) && aliases.contains(name)) {
                found.push(Finding::new("an alias in an expression of ORDER BY", alias));
            }
            let text = text(key);
            if keys.contains(&text) {
                found.push(Finding::new("a key stands twice in ORDER BY", show(key)));
            }
            keys.push(text);
        }
    }
}

fn aliases(member: Member<'_, '_, '_>) -> Vec<String> {
    let items = member.items().into_iter().flatten();
    items.filter(|item| before(item, &["AS"]).len() < item.len()).filter_map(|item| item.last()).map(one).collect()
}

fn one(node: &Node<'_>) -> String {
    text(std::slice::from_ref(node))
}

/// The names in quotes that stand without a table before them, outside of subqueries.
fn bare(nodes: &[Node<'_>]) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    collect(nodes, &mut found);
    found.into_iter()
}

fn collect(nodes: &[Node<'_>], found: &mut Vec<String>) {
    let is_point = |node: Option<&Node<'_>>| node.is_some_and(|node| node.is_symbol("."));
    for (at, node) in nodes.iter().enumerate() {
        match node {
            Node::Group(inside) if is_query(inside) => {}
            Node::Group(inside) | Node::Case(inside) => collect(inside, found),
            Node::Leaf(token) if token.kind == TokenKind::Name => {
                let before = at.checked_sub(1).and_then(|at| nodes.get(at));
                if !is_point(before) && !is_point(nodes.get(at + 1)) {
                    found.push(one(node));
                }
            }
            Node::Leaf(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use isogloss_oracle::Oracle;
    use isogloss_sqlserver::SqlServer;

    use super::super::assert_found;

    #[test]
    fn an_alias_is_known_to_the_order_alone() {
        assert_found(
            &Oracle::V19,
            &[
                (
                    r#"SELECT "T0"."a" + 1 AS "b" FROM "t" "T0" WHERE "b" > 1"#,
                    r#"an alias of the select list is not known here: "b""#,
                ),
                (
                    r#"SELECT "T0"."a" AS "b", ROW_NUMBER() OVER (ORDER BY "b") AS "n" FROM "t" "T0""#,
                    r#"an alias of the select list is not known here: "b""#,
                ),
                (r#"SELECT 1 FROM "t" "x" CROSS JOIN "u" "x""#, r#"two tables have one name: "x""#),
            ],
            &[
                r#"SELECT "T0"."a" + 1 AS "b" FROM "t" "T0" WHERE "T0"."b" > 1 ORDER BY CASE WHEN "b" > 1 THEN 1 END, "b""#,
            ],
        );
        assert_found(
            &SqlServer::V2019,
            &[
                (
                    "SELECT [T0].[a] + 1 AS [b] FROM [t] [T0] ORDER BY CASE WHEN [b] > 1 THEN 1 END",
                    "an alias in an expression of ORDER BY: [b]",
                ),
                (
                    "SELECT [T0].[a] FROM [t] [T0] ORDER BY [T0].[a], [T0].[a] DESC",
                    "a key stands twice in ORDER BY: [T0] . [a]",
                ),
            ],
            &["SELECT [T0].[a] + 1 AS [b] FROM [t] [T0] ORDER BY [b] DESC, [T0].[b]"],
        );
    }
}
