//! What a policy lets pass says nothing about columns that it hides: no name means one column to it and another one to
//! the compiler.

use isogloss_compiler::Compiler;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, ColumnMode, ForeignType, TableDef};
use isogloss_compiler::walk::QueryPolicy;
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;
use isogloss_testkit::random::count;
use proptest::prelude::*;
use proptest::sample::select;

fn dialects() -> [Box<dyn Dialect>; 7] {
    [
        Box::new(Postgres::V15),
        Box::new(MySql::V8_0),
        Box::new(MariaDb::new(10, 11)),
        Box::new(Sqlite::V3_45),
        Box::new(SqlServer::V2019),
        Box::new(Oracle::V19),
        Box::new(DuckDb::V1_5),
    ]
}

/// How the columns begin that nothing may name. No property and no alias is called so.
const HIDDEN: &str = "hidden_";
/// The same for a column that a select without a list has all the same.
const SECRET: &str = "secret_";

/// Tables that have the same names for columns of which some are hidden, others not. Two of them go by two names each.
fn catalog() -> Catalog {
    let int = |name: &'static str| ColumnDef::new(name, DbValueType::Int32);
    let hidden =
        |name: &'static str| int(name).column(format!("{HIDDEN}{name}")).not_filterable().mode(ColumnMode::WRITE);
    let key = || int("Id").primary_key();
    let friend = ForeignType::new("Vault").alias("Friend");
    let root = TableDef::new("S.Root")
        .column(key())
        .column(int("Note"))
        .column(int("FriendId").foreign(friend))
        .column(hidden("Code"))
        .column(hidden("Pin"))
        .column(int("Word").column(format!("{SECRET}Word")).not_filterable());
    let inner = TableDef::new("S.In")
        .column(key())
        .column(int("Code"))
        .column(int("Pin").computed("{Id} + 1"))
        .column(hidden("Note"));
    let friend = TableDef::new("Friend").column(key()).column(int("Name"));
    let vault = TableDef::new("Vault").column(key()).column(int("Name").column(format!("{HIDDEN}Name")));
    Catalog::builder().table(root).table(inner).table(friend).table(vault).build().unwrap()
}

fn policy() -> QueryPolicy {
    ["S.Root", "IN", "Friend"].into_iter().fold(QueryPolicy::new("Root"), QueryPolicy::allow_entity).max_nesting(20)
}

fn property() -> impl Strategy<Value = PropertyExpr> {
    let name = select(vec!["Id", "Note", "Code", "Pin", "Name", "a"]);
    let alias = select(vec!["T0", "T1", "T2", "Root", "S.Root", "In", "s.in", "Friend", "x"]);
    (proptest::option::weighted(0.2, alias), name).prop_map(|(alias, name)| match alias {
        Some(alias) => prop_of(alias, name),
        None => prop(name),
    })
}

fn value() -> impl Strategy<Value = ValueTypeExpr> {
    prop_oneof![
        2 => property().prop_map(ValueTypeExpr::from),
        1 => property().prop_map(|p| p + 1),
        1 => property().prop_map(|p| func("Abs", [p]).into()),
        1 => property().prop_map(|p| p.max().into()),
    ]
}

fn item() -> impl Strategy<Value = SelectItemExpr> {
    let alias = proptest::option::of(select(vec!["Id", "Note", "Code", "Pin", "Name", "a"]));
    (value(), alias).prop_map(|(value, alias)| match alias {
        Some(alias) => value.alias(alias),
        None => SelectItemExpr { value, alias: None },
    })
}

fn items() -> impl Strategy<Value = Vec<SelectItemExpr>> {
    prop_oneof![
        3 => proptest::collection::vec(item(), 1),
        1 => proptest::collection::vec(item(), 0..3),
    ]
}

const TABLES: [&str; 5] = ["Root", "s.ROOT", "In", "S.In", "Friend"];

/// A clause around a query.
#[derive(Debug, Clone)]
enum Clause {
    Where(LogicExpr),
    GroupBy(ValueTypeExpr),
    Having(LogicExpr),
    OrderBy(OrderByItemExpr),
    Select(Vec<SelectItemExpr>, bool),
    Take,
    After(usize),
    /// A page by that key, behind a cursor or not.
    Page(OrderByItemExpr, bool),
    /// The same behind a select list.
    ListedPage(SelectItemExpr, OrderByItemExpr, bool),
}

impl Clause {
    fn around(self, query: SqlSegment) -> SqlSegment {
        match self {
            Self::Where(filter) => query.filter(filter),
            Self::GroupBy(key) => query.group_by([key]),
            Self::Having(filter) => query.having(filter),
            Self::OrderBy(key) => query.order_by([key]),
            Self::Select(items, true) => query.select(items).distinct().into(),
            Self::Select(items, false) => query.select(items).into(),
            Self::Take => query.take(3),
            Self::After(keys) => query.after(vec![5; keys], 3),
            Self::Page(key, false) => query.order_by([key]).take(3),
            Self::Page(key, true) => query.order_by([key]).after([5], 3),
            Self::ListedPage(item, key, after) => Self::Page(key, after).around(query.select([item]).into()),
        }
    }
}

fn clause(filter: BoxedStrategy<LogicExpr>) -> impl Strategy<Value = Clause> {
    let order = (value(), any::<bool>(), select(vec![Nulls::Default, Nulls::First, Nulls::Last]))
        .prop_map(|(field, ascending, nulls)| OrderByItemExpr { field, ascending, nulls })
        .boxed();
    prop_oneof![
        3 => filter.clone().prop_map(Clause::Where),
        1 => order.clone().prop_map(Clause::OrderBy),
        1 => (order.clone(), any::<bool>()).prop_map(|(key, after)| Clause::Page(key, after)),
        2 => (item(), order, any::<bool>()).prop_map(|(item, key, after)| Clause::ListedPage(item, key, after)),
        3 => (items(), any::<bool>()).prop_map(|(items, distinct)| Clause::Select(items, distinct)),
        1 => value().prop_map(Clause::GroupBy),
        1 => filter.prop_map(Clause::Having),
        1 => Just(Clause::Take),
        1 => (1..4_usize).prop_map(Clause::After),
    ]
}

fn query(tables: &[&'static str], filter: BoxedStrategy<LogicExpr>) -> impl Strategy<Value = SqlSegment> + use<> {
    let table = (select(tables.to_vec()), proptest::option::weighted(0.2, Just("x")));
    (table, proptest::collection::vec(clause(filter), 0..5)).prop_map(|((entity, alias), clauses)| {
        let table = match alias {
            Some(alias) => from(entity).aliased(alias),
            None => from(entity),
        };
        clauses.into_iter().fold(table, |query, clause| clause.around(query))
    })
}

fn filter() -> impl Strategy<Value = LogicExpr> {
    let leaf = prop_oneof![
        (value(), 0..9_i32).prop_map(|(value, n)| value.gt(n)),
        (value(), value()).prop_map(|(left, right)| left.eq(right)),
    ]
    .boxed();
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            query(&TABLES, inner.clone()).prop_map(exists_query),
            (query(&TABLES, inner.clone()), items()).prop_map(|(query, items)| prop("Id").in_list(query.select(items))),
            query(&TABLES, inner.clone()).prop_map(|query| prop("Id").in_list(query)),
            (select(vec!["In", "S.In", "Friend"]), inner.clone())
                .prop_map(|(entity, inner)| exists(entity, inner).into()),
            (inner.clone(), inner).prop_map(|(a, b)| a & b),
        ]
    })
}

/// Set operations over the root, with clauses around them.
fn sets() -> impl Strategy<Value = SqlSegment> {
    let name = select(vec!["Id", "Note", "FriendId"]);
    let label = select(vec!["Id", "a", "b", "Word"]);
    let list = proptest::collection::vec((name.clone(), label.clone()), 4);
    let member = (proptest::option::of(list), name.clone()).prop_map(|(list, name)| {
        let rows = from("Root").filter(prop(name).gt(0));
        match list {
            Some(list) => rows.select(list.into_iter().map(|(name, label)| prop(name).alias(label))),
            None => rows.select_all(),
        }
    });
    let kind = select(vec![SelectSetType::UnionAll, SelectSetType::Except]);
    let above = prop_oneof![name, label];
    (proptest::collection::vec(member, 2..4), kind, proptest::collection::vec((above, any::<bool>()), 0..3)).prop_map(
        |(members, kind, clauses)| {
            let mut members = members.into_iter();
            let first = members.next().unwrap();
            let set: SqlSegment = members.fold(first, |set, member| set.set(kind, member)).into();
            clauses.into_iter().fold(set, |query, (name, order)| {
                if order { query.order_by([prop(name)]) } else { query.filter(prop(name).gt(1)) }
            })
        },
    )
}

/// What passes the policy compiles to texts without a hidden column, or not at all. Tells whether it passed, and
/// compiled.
fn hides(compiler: &Compiler, hidden: &str, tree: &Expr, compiled: &Expr) -> Result<(bool, bool), TestCaseError> {
    let policy = policy();
    if policy.check(tree, compiler.catalog()).is_err() {
        return Ok((false, false));
    }
    let mut any = false;
    for dialect in dialects() {
        let Ok(text) = compiler.compile(compiled, &*dialect) else { continue };
        any = true;
        let json = isogloss_compiler::json::to_string(tree);
        prop_assert!(!text.sql.contains(hidden), "{}\n{}\n{json}", dialect.label(), text.sql);
    }
    Ok((true, any))
}

/// Runs a property, and sees to it that enough of the trees came as far as a text.
fn check(hidden: &str, cases: u64, tree: impl Strategy<Value = (Expr, Expr)>) {
    let compiler = Compiler::new(catalog());
    let (mut passed, mut compiled) = (0, 0);
    let counts = std::cell::RefCell::new((&mut passed, &mut compiled));
    let cases = u32::try_from(cases).unwrap();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let run = |(tree, query): (Expr, Expr)| {
        let (passes, compiles) = hides(&compiler, hidden, &tree, &query)?;
        let mut counts = counts.borrow_mut();
        *counts.0 += u32::from(passes);
        *counts.1 += u32::from(compiles);
        Ok(())
    };
    proptest::test_runner::TestRunner::new(config).run(&tree, run).unwrap_or_else(|error| panic!("{error}"));
    assert!(compiled > cases / 50, "{compiled} of {passed} of {cases}");
}

#[test]
fn no_filter_that_passes_reads_a_hidden_column() {
    check(
        HIDDEN,
        count(1_000, 8_000),
        filter().prop_map(|filter| {
            let query = from("Root").filter(filter.clone()).select([prop("Id")]);
            (filter.into(), query.into())
        }),
    );
}

#[test]
fn no_query_that_passes_reads_a_hidden_column() {
    check(
        HIDDEN,
        count(600, 3_000),
        query(&["Root", "S.Root"], filter().boxed()).prop_map(|query| {
            let query = Expr::from(query);
            (query.clone(), query)
        }),
    );
}

#[test]
fn no_set_that_passes_reads_a_hidden_column() {
    check(
        SECRET,
        count(400, 1_500),
        sets().prop_map(|query| {
            let query = Expr::from(query);
            (query.clone(), query)
        }),
    );
}
