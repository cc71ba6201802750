//! A finished text, read back: each table in it that a scope has a filter on carries its condition, where it belongs.
//!
//! What stands in the text is looked at, not what the compiler says of it.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::ops::ControlFlow;

use isogloss_cases::{Case, Target, cases, stone};
use isogloss_compiler::expr::SqlSegment;
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit_while};
use sqlparser::ast::{
    AssignmentTarget, BinaryOperator, Expr, FromTable, Insert, JoinConstraint, JoinOperator, Merge, MergeAction,
    ObjectName, OnConflictAction, OnInsert, Select, Statement, TableFactor, TableObject, TableWithJoins, Visit,
    Visitor,
};
use sqlparser::dialect::{Dialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;

/// The tables that have a tenant.
const TABLES: [&str; 3] = ["Orders", "Memos", "Tickets"];

/// The scopes of these cases have a filter by the tenant on each of those tables, and no node does without it.
fn is_by_tenant(case: &Case) -> bool {
    let compiler = stone::compiler();
    let scope = case.scope.as_ref().map(|scope| scope.report(compiler.catalog())).unwrap_or_default();
    let tenant = |filters: &Vec<String>| filters.iter().any(|filter| filter.starts_with("tenant"));
    let by_tenant = |entity: &str| scope.iter().any(|(name, filters)| *name == *entity && tenant(filters));
    let on = visit_while(&case.expr, VisitOrder::Pre, |node| match node {
        ExprRef::Table(table) | ExprRef::Segment(SqlSegment::Table(table)) => {
            table.filters_off.iter().all(|off| off.name != *"tenant")
        }
        _ => true,
    });
    on && ["Order", "Memo", "Ticket"].into_iter().all(by_tenant)
}

fn parser(target: &Target) -> Option<Box<dyn Dialect>> {
    Some(match target.label().split(' ').next()? {
        "postgres" => Box::new(PostgreSqlDialect {}),
        "mysql" | "mariadb" => Box::new(MySqlDialect {}),
        "sqlite" => Box::new(SQLiteDialect {}),
        "sqlserver" => Box::new(MsSqlDialect {}),
        _ => return None,
    })
}

/// The tables of a statement, and those among them without their condition.
#[derive(Default)]
struct Tables {
    seen: usize,
    bare: Vec<String>,
}

impl Tables {
    fn of(sql: &str, dialect: &dyn Dialect) -> Self {
        let mut tables = Self::default();
        // The parser has the hints of a MERGE behind its alias only.
        let sql = &sql.replacen(" WITH (HOLDLOCK, UPDLOCK)", "", 1);
        for statement in Parser::parse_sql(dialect, sql).unwrap_or_else(|error| panic!("{error}: {sql}")) {
            let ControlFlow::Continue(()) = statement.visit(&mut tables);
        }
        tables
    }

    /// A table, with the conditions of which one has to hold it to the tenant.
    fn table(&mut self, table: &TableFactor, alone: bool, conditions: &[Option<&Expr>]) {
        let TableFactor::Table { name, alias, .. } = table else { return };
        let alias = alias.as_ref().map(|alias| alias.name.value.as_str());
        self.named(name, alias, alone, conditions);
    }

    fn named(&mut self, name: &ObjectName, alias: Option<&str>, alone: bool, conditions: &[Option<&Expr>]) {
        let table = last(name);
        if !TABLES.iter().any(|known| known.eq_ignore_ascii_case(&table)) {
            return;
        }
        self.seen += 1;
        let qualifier = alias.unwrap_or(&table);
        if !conditions.iter().flatten().any(|condition| holds(condition, qualifier, alone && alias.is_none())) {
            self.bare.push(format!("{table} {qualifier}"));
        }
    }

    /// The tables of a FROM: the first is held by WHERE, a joined one by its ON. A side whose rows all stay is a query of its
    /// own, and so held in that.
    fn from(&mut self, from: &[TableWithJoins], selection: Option<&Expr>) {
        let alone = from.len() == 1 && from.iter().all(|from| from.joins.is_empty());
        for from in from {
            let kept = from.joins.iter().any(|join| matches!(kind(&join.join_operator), Kind::Kept));
            self.table(&from.relation, alone, &[selection.filter(|_| !kept)]);
            for join in &from.joins {
                let on = match kind(&join.join_operator) {
                    Kind::On(on) => on,
                    Kind::Kept => None,
                };
                self.table(&join.relation, false, &[on]);
            }
        }
    }
}

enum Kind<'a> {
    On(Option<&'a Expr>),
    /// All rows of the joined side stay.
    Kept,
}

fn kind(operator: &JoinOperator) -> Kind<'_> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint) => match constraint {
            JoinConstraint::On(on) => Kind::On(Some(on)),
            _ => Kind::On(None),
        },
        JoinOperator::CrossJoin(_) => Kind::On(None),
        _ => Kind::Kept,
    }
}

fn last(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone()).unwrap_or_default()
}

/// Whether a condition is true only where the tenant's is: it is one of the terms between its ANDs.
fn holds(condition: &Expr, qualifier: &str, bare: bool) -> bool {
    match condition {
        Expr::Nested(inner) => holds(inner, qualifier, bare),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            holds(left, qualifier, bare) || holds(right, qualifier, bare)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => is_tenant(left, qualifier, bare) && is_bound(right),
        Expr::InList { expr, list, negated: false } => is_tenant(expr, qualifier, bare) && list.iter().all(is_bound),
        // Nothing satisfies it.
        Expr::Value(value) => value.value.to_string().eq_ignore_ascii_case("false"),
        _ => false,
    }
}

fn is_tenant(expr: &Expr, qualifier: &str, bare: bool) -> bool {
    match expr {
        Expr::Identifier(name) => bare && name.value == "TenantId",
        Expr::CompoundIdentifier(parts) => {
            matches!(parts.as_slice(), [table, column] if table.value == qualifier && column.value == "TenantId")
        }
        _ => false,
    }
}

/// Whether it is a parameter: a value of the scope never stands in the text.
fn is_bound(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, sqlparser::ast::Value::Placeholder(_)),
        Expr::Identifier(name) => name.value.starts_with('@'),
        _ => false,
    }
}

impl Visitor for Tables {
    type Break = std::convert::Infallible;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        self.from(&select.from, select.selection.as_ref());
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<Self::Break> {
        match statement {
            Statement::Update(update) => self.written(std::slice::from_ref(&update.table), update.selection.as_ref()),
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                self.written(from, delete.selection.as_ref());
            }
            Statement::Insert(insert) => self.inserted(insert),
            Statement::Merge(merge) => self.merged(merge),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Tables {
    fn written(&mut self, from: &[TableWithJoins], selection: Option<&Expr>) {
        let alone = from.iter().all(|from| from.joins.is_empty());
        for from in from {
            self.table(&from.relation, alone, &[selection]);
        }
    }

    /// A row gets the tenant; one that is there is held to it before it is changed.
    fn inserted(&mut self, insert: &Insert) {
        let TableObject::TableName(name) = &insert.table else { return };
        let table = last(name);
        if !TABLES.contains(&table.as_str()) {
            return;
        }
        self.seen += 1;
        let given = insert.columns.iter().any(|column| last(column) == "TenantId");
        let guarded = |value: &Expr| match value {
            Expr::Function(call) if last(&call.name) == "IF" => call.to_string().contains("`TenantId`"),
            _ => false,
        };
        let held = match &insert.on {
            None => true,
            Some(OnInsert::OnConflict(conflict)) => match &conflict.action {
                OnConflictAction::DoNothing => true,
                OnConflictAction::DoUpdate(update) => {
                    update.selection.as_ref().is_some_and(|condition| holds(condition, &table, false))
                }
            },
            Some(OnInsert::DuplicateKeyUpdate(sets)) => sets.iter().all(|set| {
                let AssignmentTarget::ColumnName(column) = &set.target else { return false };
                last(column) == "Id" || guarded(&set.value)
            }),
            Some(_) => false,
        };
        if !(given && held) {
            self.bare.push(format!("{table}: an INSERT"));
        }
    }

    fn merged(&mut self, merge: &Merge) {
        let TableFactor::Table { name, alias, .. } = &merge.table else { return };
        let qualifier = alias.as_ref().map(|alias| alias.name.value.clone()).unwrap_or_default();
        for clause in &merge.clauses {
            match &clause.action {
                MergeAction::Update(_) | MergeAction::Delete { .. } => {
                    self.named(name, Some(&qualifier), false, &[clause.predicate.as_ref()]);
                }
                MergeAction::DoNothing { .. } => {}
                MergeAction::Insert(insert) => {
                    self.seen += 1;
                    if !insert.columns.iter().any(|column| last(column) == "TenantId") {
                        self.bare.push(format!("{}: an INSERT", last(name)));
                    }
                }
            }
        }
    }
}

#[test]
fn every_table_carries_its_condition() {
    let compiler = stone::compiler();
    let (mut statements, mut tables, mut dialects) = (0, 0, std::collections::BTreeSet::new());
    let of_scopes = cases::all().into_iter().filter(|(topic, _)| *topic == "scopes").flat_map(|(_, cases)| cases);
    for case in of_scopes.filter(is_by_tenant) {
        for target in case.targets() {
            let (Some(dialect), Ok(compiled)) = (parser(&target), stone::compile(&compiler, &case, &target)) else {
                continue;
            };
            let found = Tables::of(&compiled.sql, &*dialect);
            assert!(found.bare.is_empty(), "{} ({}): {:?}: {}", case.name, target.label(), found.bare, compiled.sql);
            dialects.extend(target.label().split(' ').next().map(str::to_owned));
            statements += usize::from(found.seen > 0);
            tables += found.seen;
        }
    }
    assert_eq!(dialects.len(), 5, "{dialects:?}");
    assert!(statements > 150 && tables > 220, "{statements} statements with {tables} tables");
}

/// The walker sees what is gone: each condition is taken out of a text by itself.
#[test]
fn a_condition_that_is_gone_is_missed() {
    for (sql, bare) in [
        (r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE "T0"."TenantId" = $1 AND "T0"."Qty" = 1"#, 0),
        (r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE "T0"."TenantId" = $1 OR "T0"."Qty" = 1"#, 1),
        (r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE "T1"."TenantId" = $1"#, 1),
        (r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE "T0"."TenantId" = 7"#, 1),
        (r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE NOT "T0"."TenantId" = $1"#, 1),
        (r#"SELECT 1 FROM "Customers" "c" LEFT JOIN "Orders" "o" ON "o"."TenantId" = $1 AND TRUE"#, 0),
        (r#"SELECT 1 FROM "Customers" "c" LEFT JOIN "Orders" "o" ON TRUE WHERE "o"."TenantId" = $1"#, 1),
        (r#"SELECT 1 FROM "Customers" "c" RIGHT JOIN "Orders" "o" ON "o"."TenantId" = $1"#, 1),
        (r#"SELECT 1 FROM "Orders" "o" RIGHT JOIN "Customers" "c" ON TRUE WHERE "o"."TenantId" = $1"#, 1),
        (r#"SELECT 1 FROM "Customers" "c" WHERE EXISTS (SELECT 1 FROM "Orders" "o" WHERE "o"."Id" = 1)"#, 1),
        (r#"WITH "a" AS (SELECT 1 FROM "Orders" "o") SELECT 1 FROM "a" UNION SELECT 1 FROM "Orders" "p""#, 2),
        (r#"UPDATE "Orders" SET "Qty" = 1 WHERE "Id" = 1"#, 1),
        (r#"DELETE FROM "Orders" WHERE "TenantId" = $1"#, 0),
        (r#"INSERT INTO "Tickets" ("Id", "TenantId") VALUES ($1, $2) ON CONFLICT ("Id") DO UPDATE SET "Id" = 1"#, 1),
        (r#"INSERT INTO "Tickets" ("Id") VALUES ($1)"#, 1),
    ] {
        assert_eq!(Tables::of(sql, &PostgreSqlDialect {}).bare.len(), bare, "{sql}");
    }
}
