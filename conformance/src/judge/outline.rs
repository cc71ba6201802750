//! The queries and expressions of a statement, as far as the checks need them.
//!
//! This is no parser: what it does not know it takes for a value. It reads T-SQL and Oracle's SQL.

use super::query::{Clause, JOINS, JudgedQuery, Role, before, clauses, is_name, is_query, list};
use super::token::TokenKind;
use super::tree::{Node, commas};

/// What an expression is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Value,
    Predicate,
}

/// Everything that the checks look at.
#[derive(Debug, Default)]
pub(super) struct Outline<'n, 't> {
    pub queries: Vec<JudgedQuery<'n, 't>>,
    /// Expressions that are not what their place expects, and what it does.
    pub misplaced: Vec<(Place, &'n [Node<'t>])>,
    /// The keys of each GROUP BY and ORDER BY, those of windows among them.
    pub keys: Vec<&'n [Node<'t>]>,
    /// The lists of IN.
    pub lists: Vec<&'n [Node<'t>]>,
    /// Both sides of each comparison.
    pub comparisons: Vec<(&'n [Node<'t>], &'n [Node<'t>])>,
    /// The tables before the points of columns, and the query in which each stands.
    pub qualifiers: Vec<(usize, &'n Node<'t>)>,
    /// The query that is being read.
    current: Option<usize>,
}

impl<'n, 't> Outline<'n, 't> {
    /// The outline of a statement.
    pub fn new(statement: &'n [Node<'t>]) -> Self {
        let mut outline = Outline::default();
        outline.query(statement, Role::Statement, false);
        outline
    }

    fn query(&mut self, nodes: &'n [Node<'t>], role: Role, named: bool) {
        let clauses = clauses(nodes);
        let parent = self.current.replace(self.queries.len());
        self.queries.push(JudgedQuery { role, clauses: clauses.clone(), named, parent });
        for clause in clauses {
            self.clause(clause, role);
        }
        self.current = parent;
    }

    fn clause(&mut self, Clause { word, body }: Clause<'n, 't>, role: Role) {
        match word {
            "SELECT" => {
                for item in commas(list(body)) {
                    self.expression(before(item, &["AS"]), Place::Value);
                }
            }
            "FROM" | "JOIN" | "APPLY" | "USING" => commas(body).for_each(|table| self.table(table)),
            "ON" | "WHERE" | "HAVING" => {
                // Between ON and the next JOIN stands the kind of that join.
                let end =
                    body.iter().rposition(|node| !JOINS.iter().any(|word| node.is_word(word))).map_or(0, |at| at + 1);
                self.expression(body.get(..end).unwrap_or_default(), Place::Predicate);
            }
            "PARTITION BY" | "OUTPUT" | "RETURNING" => self.values(body),
            "GROUP BY" | "ORDER BY" => {
                for item in commas(body) {
                    // Behind the last key of a window stands its frame.
                    let key = before(item, &["ASC", "DESC", "NULLS", "ROWS", "RANGE", "GROUPS"]);
                    self.keys.push(key);
                    self.expression(key, Place::Value);
                }
            }
            "SET" => {
                for assignment in commas(body) {
                    if let Some(sign) = assignment.iter().position(|node| node.is_symbol("=")) {
                        self.expression(assignment.get(sign + 1..).unwrap_or_default(), Place::Value);
                    }
                }
            }
            "VALUES" => commas(body).filter_map(|row| row.first()?.group()).for_each(|row| self.values(row)),
            "WHEN" => {
                if let Some(and) = body.iter().position(|node| node.is_word("AND")) {
                    self.expression(body.get(and + 1..).unwrap_or_default(), Place::Predicate);
                }
            }
            "OFFSET" | "FETCH" | "LIMIT" => self.operands(body),
            "WITH" => {
                for (at, node) in body.iter().enumerate() {
                    if let Some(inside) = node.group().filter(|inside| is_query(inside)) {
                        // x (a, b) AS (SELECT ..)
                        let named =
                            at.checked_sub(2).and_then(|at| body.get(at)).is_some_and(|node| node.group().is_some());
                        self.query(inside, Role::Common, named);
                    }
                }
            }
            // Members in brackets, between the operators.
            _ => body
                .iter()
                .filter_map(Node::group)
                .filter(|inside| is_query(inside))
                .for_each(|inside| self.query(inside, role, false)),
        }
    }

    fn table(&mut self, table: &'n [Node<'t>]) {
        match table {
            [Node::Group(inside), rest @ ..] if is_query(inside) => {
                let named = rest.iter().any(|node| node.group().is_some());
                self.query(inside, Role::Derived, named);
            }
            // Joins in brackets.
            [Node::Group(inside), ..] => {
                let joined = clauses(inside);
                for clause in joined {
                    let word = if clause.word.is_empty() { "FROM" } else { clause.word };
                    self.clause(Clause { word, ..clause }, Role::Derived);
                }
            }
            [function, Node::Group(arguments), ..] if function.is(TokenKind::Word) => {
                if is_query(arguments) {
                    self.query(arguments, Role::Derived, false);
                } else {
                    self.arguments("", arguments);
                }
            }
            _ => {}
        }
    }

    fn values(&mut self, nodes: &'n [Node<'t>]) {
        for item in commas(nodes) {
            self.expression(before(item, &["AS"]), Place::Value);
        }
    }

    /// An expression, and what stands in it.
    fn expression(&mut self, nodes: &'n [Node<'t>], place: Place) {
        let mut predicate = true;
        if let Some((left, right)) = split(nodes, &["OR"]).or_else(|| split(nodes, &["AND"])) {
            self.expression(left, Place::Predicate);
            self.expression(right, Place::Predicate);
        } else if let [not, rest @ ..] = nodes
            && not.is_word("NOT")
        {
            self.expression(rest, Place::Predicate);
        } else if let Some(at) = nodes.iter().position(is_comparison) {
            let (left, right) = nodes.split_at(at);
            let left = if left.last().is_some_and(|last| last.is_word("NOT")) {
                left.split_last().map_or(left, |(_, left)| left)
            } else {
                left
            };
            self.expression(left, Place::Value);
            self.compared(left, right);
        } else {
            predicate = match nodes {
                [Node::Group(inside)] if is_query(inside) => {
                    self.query(inside, Role::Value, false);
                    false
                }
                [Node::Group(inside)] if commas(inside).count() == 1 => return self.expression(inside, place),
                [word, Node::Group(inside)] if word.is_word("EXISTS") => {
                    self.query(inside, Role::Value, false);
                    true
                }
                [function, Node::Group(inside)] if PREDICATES.iter().any(|name| function.is_word(name)) => {
                    self.arguments("", inside);
                    true
                }
                _ => {
                    self.operands(nodes);
                    false
                }
            };
        }
        if predicate != (place == Place::Predicate) {
            self.misplaced.push((place, nodes));
        }
    }

    /// The operator of a comparison, and what is on its right.
    fn compared(&mut self, left: &'n [Node<'t>], right: &'n [Node<'t>]) {
        let Some((operator, right)) = right.split_first() else { return };
        match operator.word().as_deref() {
            Some("IS") => {
                if let Some(from) = right.iter().position(|node| node.is_word("FROM")) {
                    let right = right.get(from + 1..).unwrap_or_default();
                    self.expression(right, Place::Value);
                }
            }
            Some("IN") => match right {
                [Node::Group(inside)] if is_query(inside) => self.query(inside, Role::Value, false),
                [Node::Group(inside)] => {
                    self.lists.push(inside);
                    self.values(inside);
                }
                _ => self.operands(right),
            },
            Some("LIKE") => {
                right.split(|node| node.is_word("ESCAPE")).for_each(|part| self.expression(part, Place::Value))
            }
            Some("BETWEEN") => {
                right.split(|node| node.is_word("AND")).for_each(|part| self.expression(part, Place::Value))
            }
            _ => {
                self.comparisons.push((left, right));
                match right {
                    [word, Node::Group(inside)] if ["ANY", "ALL", "SOME"].iter().any(|name| word.is_word(name)) => {
                        self.query(inside, Role::Value, false);
                    }
                    _ => self.expression(right, Place::Value),
                }
            }
        }
    }

    /// The calls, subqueries, brackets and CASEs between the operators of a value.
    fn operands(&mut self, nodes: &'n [Node<'t>]) {
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Leaf(_) => {
                    if let (Some(query), [point, column, after @ ..]) = (self.current, nodes.get(at + 1..).unwrap_or_default())
                        && is_name(node)
                        && point.is_symbol(".")
                        && (is_name(column) || column.is_symbol("*"))
                        // schema.function(..), and the first of three names
                        && !after.first().is_some_and(|next| next.is_symbol(".") || next.group().is_some())
                    {
                        self.qualifiers.push((query, node));
                    }
                }
                Node::Case(inside) => self.case(inside),
                Node::Group(inside) if is_query(inside) => self.query(inside, Role::Value, false),
                Node::Group(inside) => {
                    let function = at.checked_sub(1).and_then(|before| nodes.get(before)).and_then(Node::word);
                    match function.as_deref() {
                        // OVER (..), WITHIN GROUP (..), FILTER (..), KEEP (..)
                        Some("OVER" | "GROUP" | "FILTER" | "KEEP") => {
                            clauses(inside).into_iter().for_each(|clause| self.clause(clause, Role::Value))
                        }
                        name => self.arguments(name.unwrap_or_default(), inside),
                    }
                }
            }
        }
    }

    fn arguments(&mut self, function: &str, inside: &'n [Node<'t>]) {
        for (at, argument) in commas(inside).enumerate() {
            let argument = match function {
                // The first argument is a type.
                "CONVERT" | "TRY_CONVERT" if at == 0 => continue,
                "IIF" if at == 0 => {
                    self.expression(argument, Place::Predicate);
                    continue;
                }
                // EXTRACT(YEAR FROM a), TRIM(LEADING ' ' FROM a)
                "EXTRACT" | "TRIM" => {
                    argument.split(|node| node.is_word("FROM")).for_each(|part| self.operands(part));
                    continue;
                }
                _ => argument,
            };
            let argument = match argument {
                [first, rest @ ..] if first.is_word("DISTINCT") || first.is_word("ALL") => rest,
                // JSON_OBJECT(KEY 'a' VALUE b), JSON_OBJECT('a' : b)
                // JSON_TRANSFORM(a, SET '$.b' = c)
                [first, _, sign, rest @ ..] if first.is_word("SET") && sign.is_symbol("=") => rest,
                _ => argument
                    .iter()
                    .position(|node| node.is_word("VALUE") || node.is_symbol(":"))
                    .and_then(|at| argument.get(at + 1..))
                    .unwrap_or(argument),
            };
            self.expression(argument.get(..end(argument)).unwrap_or_default(), Place::Value);
        }
    }

    fn case(&mut self, inside: &'n [Node<'t>]) {
        let searched = inside.first().is_some_and(|first| first.is_word("WHEN"));
        let mut place = Place::Value;
        for part in inside.split_inclusive(|node| ["WHEN", "THEN", "ELSE"].iter().any(|word| node.is_word(word))) {
            let Some((last, rest)) = part.split_last() else { continue };
            // The last part has no word behind it.
            let (expression, next) = match last.word().as_deref() {
                Some("WHEN") if searched => (rest, Place::Predicate),
                Some("WHEN" | "THEN" | "ELSE") => (rest, Place::Value),
                _ => (part, Place::Value),
            };
            if !expression.is_empty() {
                self.expression(expression, place);
            }
            place = next;
        }
    }
}

/// Functions that are a predicate.
const PREDICATES: [&str; 7] =
    ["REGEXP_LIKE", "JSON_EXISTS", "JSON_EQUAL", "XMLEXISTS", "LNNVL", "CONTAINS", "FREETEXT"];

/// The signs and words of a comparison.
fn is_comparison(node: &Node<'_>) -> bool {
    ["=", "<>", "!=", "<", ">", "<=", ">="].iter().any(|sign| node.is_symbol(sign))
        || ["IS", "IN", "LIKE", "BETWEEN"].iter().any(|word| node.is_word(word))
}

/// What stands before and behind the first of those words that is no part of a BETWEEN.
fn split<'n, 't>(nodes: &'n [Node<'t>], words: &[&str]) -> Option<(&'n [Node<'t>], &'n [Node<'t>])> {
    let mut between = false;
    for (at, node) in nodes.iter().enumerate() {
        if node.is_word("BETWEEN") {
            between = true;
        } else if between && node.is_word("AND") {
            between = false;
        } else if words.iter().any(|word| node.is_word(word)) {
            return Some((nodes.get(..at)?, nodes.get(at + 1..)?));
        }
    }
    None
}

/// Where an argument ends, and what is said of it begins: its type, `FORMAT JSON`, `NULL ON NULL`.
fn end(argument: &[Node<'_>]) -> usize {
    let words = ["AS", "FORMAT", "RETURNING", "ABSENT", "COLUMNS", "PASSING", "WITH", "WITHOUT", "USING", "DEFAULT"];
    argument
        .iter()
        .enumerate()
        .position(|(at, node)| {
            words.iter().any(|word| node.is_word(word))
                || at > 0
                    && (node.is_word("NULL") || node.is_word("ERROR") || node.is_word("TRUE"))
                    && argument.get(at + 1).is_some_and(|next| next.is_word("ON"))
        })
        .unwrap_or(argument.len())
}

#[cfg(test)]
mod tests {
    use isogloss_sqlserver::SqlServer;

    use super::super::{token, tree};
    use super::*;

    fn misplaced(sql: &str) -> Vec<(Place, String)> {
        let tokens = token::tokens(&SqlServer::V2019, sql).unwrap();
        let nodes = tree::tree(&tokens).unwrap();
        let outline = Outline::new(&nodes);
        outline.misplaced.iter().map(|(place, nodes)| (*place, tree::show(nodes))).collect()
    }

    #[test]
    fn a_truth_value_is_found_in_every_value_place() {
        for (sql, found) in [
            ("SELECT a > 1 FROM t", "a > 1"),
            ("SELECT a, (b IS NULL) AS c FROM t", "b IS NULL"),
            ("SELECT 1 FROM t ORDER BY a = 1 DESC", "a = 1"),
            ("SELECT 1 FROM t GROUP BY a, b IN (1, 2)", "b IN (1, 2)"),
            ("UPDATE t SET a = 1, b = c > 2", "c > 2"),
            ("INSERT INTO t (a) VALUES (1), (NOT b = 2)", "NOT b = 2"),
            ("SELECT SUM(a < 2) FROM t", "a < 2"),
            ("SELECT COUNT(DISTINCT a < 2) FROM t", "a < 2"),
            ("SELECT CASE WHEN a = 1 THEN b = 2 ELSE 0 END FROM t", "b = 2"),
            ("SELECT CASE a WHEN b = 1 THEN 2 END FROM t", "b = 1"),
            ("SELECT 1 FROM t WHERE (a = 1) = 1", "a = 1"),
            ("SELECT 1 FROM t WHERE a IN (b = 1, 2)", "b = 1"),
            ("SELECT 1 FROM t WHERE a = (SELECT b = 1 FROM u)", "b = 1"),
            ("SELECT 1 FROM (SELECT EXISTS (SELECT 1) AS x) y", "EXISTS (SELECT 1)"),
            ("WITH x AS (SELECT a LIKE 'b' AS c FROM t) SELECT c FROM x", "a LIKE 'b'"),
            ("SELECT ROW_NUMBER() OVER (PARTITION BY a = 1 ORDER BY b) FROM t", "a = 1"),
            ("SELECT CAST(a = 1 AS bit) FROM t", "a = 1"),
            ("SELECT IIF(a = 1, b = 2, 0) FROM t", "b = 2"),
            ("SELECT JSON_ARRAY(a = 1 NULL ON NULL) FROM t", "a = 1"),
        ] {
            assert_eq!(misplaced(sql), [(Place::Value, found.to_owned())], "{sql}");
        }
    }

    #[test]
    fn a_value_is_found_in_every_place_of_a_predicate() {
        for (sql, found) in [
            ("SELECT 1 FROM t WHERE a", "a"),
            ("SELECT 1 FROM t WHERE a = 1 AND b", "b"),
            ("SELECT 1 FROM t WHERE NOT (a)", "a"),
            ("SELECT 1 FROM t LEFT JOIN u ON u.a LEFT JOIN v ON v.a = 1", "u . a"),
            ("SELECT 1 FROM t HAVING COUNT(*)", "COUNT (*)"),
            ("SELECT CASE WHEN a THEN 1 END FROM t", "a"),
            ("SELECT IIF(a, 1, 0) FROM t", "a"),
            ("SELECT 1 FROM t WHERE (SELECT 1)", "(SELECT 1)"),
            ("MERGE INTO t USING u ON (a = b) WHEN MATCHED AND c THEN DELETE", "c"),
        ] {
            assert_eq!(misplaced(sql), [(Place::Predicate, found.to_owned())], "{sql}");
        }
    }

    #[test]
    fn what_stands_in_its_place_is_not_found() {
        for sql in [
            "SELECT DISTINCT TOP (1) a, CASE WHEN b BETWEEN 1 AND 2 OR c IS NULL THEN 1 ELSE 0 END AS x FROM t",
            "SELECT 1 FROM t WHERE NOT (a = 1 AND (b + 1) * 2 >= c) AND d NOT LIKE 'x' ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM u)",
            "SELECT 1 FROM t CROSS JOIN u LEFT JOIN v ON v.a = t.a AND (v.b IS NULL OR v.c IN (SELECT d FROM w)) CROSS APPLY (SELECT 1 AS x) y",
            "UPDATE t SET a = CASE WHEN b = 1 THEN 2 END OUTPUT inserted.a WHERE c NOT BETWEEN 1 AND 2",
            "MERGE INTO t USING (VALUES (1, 2)) s (a, b) ON (t.a = s.a) WHEN MATCHED AND t.b > 1 THEN UPDATE SET b = 2 WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);",
            "SELECT TRIM(LEADING ' ' FROM a), EXTRACT(YEAR FROM b), CONVERT(varchar(10), c, 23), CAST(d AS decimal(38, 10)) FROM t",
            "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b DESC), SUM(c) OVER (PARTITION BY d ORDER BY e ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
            "SELECT 1 FROM t WHERE REGEXP_LIKE(a, 'b') AND c IS NOT DISTINCT FROM d + 1",
            "(SELECT a FROM t) UNION ALL SELECT b FROM u ORDER BY 1",
            "SELECT JSON_TRANSFORM(a, SET '$.b' = c RETURNING CLOB), JSON_OBJECT('a' VALUE b, 'c' : d) FROM t",
            "SELECT v FROM JSON_TABLE(:1, '$[*]' ERROR ON ERROR COLUMNS (v NUMBER PATH '$'))",
        ] {
            assert_eq!(misplaced(sql), [], "{sql}");
        }
    }
}
