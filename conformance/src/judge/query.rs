//! The queries of a statement, cut into clauses.

use super::token::TokenKind;
use super::tree::{Node, commas};

/// Where a query stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is the statement, or the query of an INSERT.
    Statement,
    /// In a FROM.
    Derived,
    /// In a WITH.
    Common,
    /// In an expression.
    Value,
}

/// A clause: its word, and what follows up to the next one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause<'n, 't> {
    pub word: &'static str,
    pub body: &'n [Node<'t>],
}

/// A statement, or a query in it; with the members of a set operation one after the other.
#[derive(Debug)]
pub(super) struct JudgedQuery<'n, 't> {
    pub role: Role,
    pub clauses: Vec<Clause<'n, 't>>,
    /// Its columns have names of their own: `x (a, b)`.
    pub named: bool,
    /// The query in which it stands.
    pub parent: Option<usize>,
}

impl<'n, 't> JudgedQuery<'n, 't> {
    /// The members of a set operation; of any other query, itself.
    pub fn members(&self) -> impl Iterator<Item = Member<'_, 'n, 't>> {
        self.clauses.split(|clause| SETS.contains(&clause.word)).map(Member)
    }

    pub fn is_set(&self) -> bool {
        self.clauses.iter().any(|clause| SETS.contains(&clause.word))
    }

    /// The names by which its clauses know its tables.
    pub fn tables(&self) -> impl Iterator<Item = &'n Node<'t>> {
        self.members().flat_map(Member::tables)
    }
}

/// One SELECT, or a statement that writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'q, 'n, 't>(&'q [Clause<'n, 't>]);

impl<'q, 'n, 't> Member<'q, 'n, 't> {
    /// What follows that word.
    pub fn clause(self, word: &str) -> Option<&'n [Node<'t>]> {
        self.0.iter().find(|clause| clause.word == word).map(|clause| clause.body)
    }

    /// The clauses by those words.
    pub fn clauses(self, words: &[&str]) -> impl Iterator<Item = &'n [Node<'t>]> {
        self.0.iter().filter(|clause| words.contains(&clause.word)).map(|clause| clause.body)
    }

    /// The names by which its clauses know its tables.
    pub fn tables(self) -> impl Iterator<Item = &'n Node<'t>> {
        self.0.iter().flat_map(|clause| tables(*clause))
    }

    /// The names of the tables that it reads.
    pub fn sources(self) -> impl Iterator<Item = &'n Node<'t>> {
        self.0.iter().filter(|clause| SOURCES.contains(&clause.word)).flat_map(|clause| tables(*clause))
    }

    /// The items of the select list; none, if it is no SELECT.
    pub fn items(self) -> Option<impl Iterator<Item = &'n [Node<'t>]> + use<'n, 't>> {
        Some(commas(list(self.clause("SELECT")?)))
    }

    pub fn is_distinct(self) -> bool {
        self.clause("SELECT").and_then(<[_]>::first).is_some_and(|first| first.is_word("DISTINCT"))
    }

    pub fn has_top(self) -> bool {
        self.clause("SELECT").is_some_and(|body| body.iter().take(2).any(|node| node.is_word("TOP")))
    }

    /// What it is ordered by, without the direction.
    pub fn order(self) -> impl Iterator<Item = &'n [Node<'t>]> + use<'n, 't> {
        commas(self.clause("ORDER BY").unwrap_or_default()).map(|item| before(item, &["ASC", "DESC", "NULLS"]))
    }
}

/// A select list behind DISTINCT and TOP.
pub(super) fn list<'n, 't>(mut body: &'n [Node<'t>]) -> &'n [Node<'t>] {
    loop {
        body = match body {
            [first, rest @ ..] if first.is_word("DISTINCT") || first.is_word("ALL") => rest,
            [first, _, rest @ ..] if first.is_word("TOP") => rest,
            _ => return body,
        }
    }
}

/// What stands before the first of those words.
pub(super) fn before<'n, 't>(nodes: &'n [Node<'t>], words: &[&str]) -> &'n [Node<'t>] {
    let end = nodes.iter().position(|node| words.iter().any(|word| node.is_word(word)));
    nodes.get(..end.unwrap_or(nodes.len())).unwrap_or_default()
}

/// The operators between the members of a set operation.
pub(super) const SETS: [&str; 4] = ["UNION", "INTERSECT", "EXCEPT", "MINUS"];

/// The words of the clauses that name tables which are read.
const SOURCES: [&str; 4] = ["FROM", "JOIN", "APPLY", "USING"];

/// The words of the clauses that name tables.
pub(super) const TABLES: [&str; 8] = ["FROM", "JOIN", "APPLY", "USING", "INTO", "UPDATE", "DELETE", "MERGE"];

/// The words that begin a clause.
const CLAUSES: [&str; 29] = [
    "SELECT",
    "FROM",
    "JOIN",
    "APPLY",
    "USING",
    "ON",
    "WHERE",
    "HAVING",
    "OFFSET",
    "FETCH",
    "FOR",
    "OPTION",
    "INSERT",
    "INTO",
    "VALUES",
    "UPDATE",
    "SET",
    "DELETE",
    "MERGE",
    "WHEN",
    "THEN",
    "OUTPUT",
    "RETURNING",
    "WITH",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "MINUS",
    "LIMIT",
];

/// Those that need BY behind them.
const BY: [(&str, &str); 3] = [("ORDER", "ORDER BY"), ("GROUP", "GROUP BY"), ("PARTITION", "PARTITION BY")];

/// Cuts what stands in one pair of brackets into clauses.
pub(super) fn clauses<'n, 't>(nodes: &'n [Node<'t>]) -> Vec<Clause<'n, 't>> {
    let mut found = Vec::new();
    let mut current = ("", 0);
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let by = nodes.get(at + 1).is_some_and(|next| next.is_word("BY"));
        // FROM t WITH (HOLDLOCK), OPENJSON(a) WITH (..): a part of the table.
        let hint = node.is_word("WITH") && nodes.get(at + 1).is_some_and(|next| next.group().is_some());
        // a IS DISTINCT FROM b
        let compares = node.is_word("FROM") && at > 0 && nodes.get(at - 1).is_some_and(|last| last.is_word("DISTINCT"));
        let next = match BY.iter().find(|(word, _)| by && node.is_word(word)) {
            Some((_, clause)) => Some((*clause, at + 2)),
            None if hint || compares => None,
            None => CLAUSES.iter().find(|word| node.is_word(word)).map(|word| (*word, at + 1)),
        };
        if let Some(next) = next {
            found.push(Clause { word: current.0, body: nodes.get(current.1..at).unwrap_or_default() });
            at = next.1;
            current = next;
            // FOR UPDATE OF .., FOR JSON ..: the last clause, whose words are its own.
            if next.0 == "FOR" {
                break;
            }
        } else {
            at += 1;
        }
    }
    found.push(Clause { word: current.0, body: nodes.get(current.1..).unwrap_or_default() });
    found.retain(|clause| !(clause.word.is_empty() && clause.body.is_empty()));
    found
}

/// Whether it is a query, and not an expression in brackets.
pub(super) fn is_query(nodes: &[Node<'_>]) -> bool {
    match nodes {
        [Node::Group(inside), ..] => {
            is_query(inside) && nodes.get(1).is_none_or(|next| SETS.iter().any(|word| next.is_word(word)))
        }
        [first, ..] => ["SELECT", "WITH", "VALUES"].iter().any(|word| first.is_word(word)),
        [] => false,
    }
}

/// The words before a JOIN or an APPLY.
pub(super) const JOINS: [&str; 7] = ["LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL"];

pub(super) fn is_name(node: &Node<'_>) -> bool {
    node.is(TokenKind::Name) || node.is(TokenKind::Word)
}

/// The name by which the other clauses know a table: its alias, or its own.
fn alias<'n, 't>(table: &'n [Node<'t>]) -> Option<&'n Node<'t>> {
    // Behind the alias: its columns, a hint, the kind of the next join.
    table.iter().rev().find(|node| is_name(node) && !JOINS.iter().chain(&["WITH"]).any(|word| node.is_word(word)))
}

/// The names of the tables of a clause.
fn tables<'n, 't>(clause: Clause<'n, 't>) -> Vec<&'n Node<'t>> {
    if !TABLES.contains(&clause.word) {
        return Vec::new();
    }
    commas(clause.body)
        .flat_map(|table| match table {
            // Joins in brackets.
            [Node::Group(inside), ..] if !is_query(inside) => clauses(inside)
                .into_iter()
                .flat_map(|clause| {
                    tables(Clause { word: if clause.word.is_empty() { "FROM" } else { clause.word }, ..clause })
                })
                .collect(),
            _ => alias(table).into_iter().collect::<Vec<_>>(),
        })
        .collect()
}
