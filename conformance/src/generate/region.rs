//! Random scopes over the tables of the [tenants](super::catalog::tenants), with the rows that each lets pass.

use std::sync::LazyLock;

use isogloss_compiler::Scope;
use isogloss_compiler::expr::{
    Expr, LogicExpr, SqlSegment, Value, ValueOps, exists, exists_query, exists_related, from, prop, prop_of,
};
use isogloss_compiler::model::{Catalog, CatalogErrors};

use super::Choices;
use super::catalog::{TABLES, unfiltered};
use crate::data::{Data, TableData};
use crate::evaluator::{self, Deleted, Error, Filter, Whose, Within};

/// A scope, in the words of the compiler and in those of the [evaluator](crate::evaluator).
#[derive(Debug, Clone)]
pub struct Region {
    /// What statements are compiled with.
    pub scope: Scope,
    /// What the evaluator is told.
    pub within: Within,
    /// What holds of the rows of each table, to be asked of tables that hide nothing by themselves.
    conditions: Vec<Condition>,
}

/// What holds of a table's rows.
#[derive(Debug, Clone)]
struct Condition {
    table: &'static str,
    holds: LogicExpr,
    /// Whether written rows are held to it.
    of_writes: bool,
}

impl Condition {
    fn new(table: &'static str, holds: LogicExpr) -> Self {
        Self { table, holds, of_writes: true }
    }
}

/// A random scope. It has a filter on each table.
pub fn region(choices: &mut Choices<'_>) -> Region {
    let mut region = Region {
        scope: Scope::new(),
        within: Within::default(),
        conditions: vec![Condition::new("Team", prop("State").eq(1))],
    };
    match choices.below(6) {
        0 | 1 => {
            let tenant = choices.pick(&[1, 1, 1, 2, 3]);
            region.column("Tenant", prop("Tenant").eq(tenant), |scope| scope.column("Tenant", tenant));
        }
        2 => {
            let tenants = values(choices, 3);
            region.column("Tenant", is_one_of("Tenant", &tenants), |scope| scope.column_in("Tenant", tenants));
        }
        3 => {
            let ids = values(choices, 9);
            region.column("Id", is_one_of("Id", &ids), |scope| scope.column_in("Id", ids));
        }
        4 => {
            let tenant = choices.pick(&[1, 1, 1, 2, 3]);
            region.column("Tenant", prop("Tenant").eq(tenant), |scope| scope.column("Tenant", tenant).named("tenant"));
            region.entity("Person", "Person", Drawn::new(choices));
        }
        _ => {
            for table in TABLES {
                region.entity(table, table, Drawn::new(choices));
            }
        }
    }
    for _ in 0..choices.pick(&[0, 0, 1, 1, 2]) {
        let table = choices.pick(&["Person", "Task", "Team"]);
        let drawn = Drawn::new(choices);
        let of = match table {
            "Person" if choices.chance(30) => "PersonView",
            "Task" if choices.chance(30) => "TaskView",
            table => table,
        };
        region.entity(of, table, drawn);
    }
    if choices.chance(20) {
        region.scope = region.scope.for_reads();
        if let Some(last) = region.within.filters.last_mut() {
            last.reads_only = true;
            let of = last.of.clone();
            let same = region.conditions.iter_mut().rev();
            let count = if matches!(of, Whose::Property(_)) { TABLES.len() } else { 1 };
            same.take(count).for_each(|condition| condition.of_writes = false);
        }
    }
    let marked = || prop("Gone").eq(true);
    let shown = match choices.below(4) {
        2 => {
            region.scope = region.scope.only_deleted("Task");
            region.within.deleted.push(("Task".to_owned(), Deleted::Only));
            Some(marked())
        }
        3 => {
            region.scope = region.scope.with_deleted("Task");
            region.within.deleted.push(("Task".to_owned(), Deleted::With));
            None
        }
        _ => Some(!marked()),
    };
    region.conditions.extend(shown.map(|holds| Condition { of_writes: false, ..Condition::new("Task", holds) }));
    region
}

/// Some small numbers: none, now and then, or NULL among them.
fn values(choices: &mut Choices<'_>, most: i64) -> Vec<Value> {
    let count = choices.pick(&[2, 3, 4, 1, 0]);
    (0..count).map(|_| if choices.chance(10) { Value::Null } else { choices.between(1, most).into() }).collect()
}

fn is_one_of(property: &'static str, values: &[Value]) -> LogicExpr {
    prop(property).in_list(values.iter().filter(|value| !value.is_null()).cloned().collect::<Vec<_>>())
}

/// What a condition on a table's rows is made of.
#[derive(Clone, Copy)]
struct Drawn {
    which: usize,
    number: i64,
    tenant: i64,
}

impl Drawn {
    fn new(choices: &mut Choices<'_>) -> Self {
        Self { which: choices.below(7), number: choices.between(1, 6), tenant: choices.between(1, 3) }
    }

    /// What may be said of a table's rows, by their own columns or by rows of the tables that they refer to. The entity
    /// whose names it has is the table, or a view of it.
    fn condition(self, table: &str, of: &'static str) -> LogicExpr {
        let Self { which, number, tenant } = self;
        let team = || exists("Team", prop("Id").eq(prop_of(of, "TeamId")) & prop("Id").le(number));
        let persons = || SqlSegment::from(from("Person").filter(prop("Id").le(number)).select(["Id"]));
        match (table, which) {
            (_, 0) => prop("Tenant").ne(tenant),
            (_, 1) => prop("Id").gt(number) | prop("Tenant").eq(tenant),
            ("Team", 2) => prop("Budget").is_null() | prop("Budget").gt(number),
            ("Team", 3) => !prop("Open").eq(true),
            ("Team", _) => prop("Tenant").in_list([tenant, number]),
            ("Person", 2) => prop("BossId").is_null() | prop("Age").lt(20),
            ("Person", 3) => team().into(),
            ("Person", 4) => exists_related("Team", None).into(),
            ("Person", 5) => !LogicExpr::from(exists_related("Team", prop("Tenant").eq(tenant))),
            ("Person", _) => prop("Active").is_distinct_from(true),
            (_, 2) => prop("Hours").gt(number) & prop("Tenant").le(tenant),
            (_, 3) => prop("PersonId").in_list(persons()),
            (_, 4) => exists_related("Person", prop("Id").gt(number)).into(),
            (_, 5) => {
                let own = prop_of("p", "Id").eq(prop_of(of, "PersonId"));
                exists_query(from("Person").aliased("p").filter(own).select(["Id"]))
            }
            _ => prop("Label").ne("a"),
        }
    }
}

impl Region {
    /// Adds a filter on every table.
    fn column(&mut self, property: &str, condition: LogicExpr, add: impl FnOnce(Scope) -> Scope) {
        self.scope = add(self.scope.clone());
        self.conditions.extend(TABLES.map(|table| Condition::new(table, condition.clone())));
        let of = Whose::Property(property.to_owned());
        self.within.filters.push(Filter { of, condition, reads_only: false });
    }

    /// Adds a filter on everything over a table.
    fn entity(&mut self, entity: &'static str, table: &'static str, drawn: Drawn) {
        let condition = drawn.condition(table, entity);
        self.scope = self.scope.clone().filter_of(entity, condition.clone());
        self.conditions.push(Condition::new(table, drawn.condition(table, table)));
        let of = Whose::Entity(entity.to_owned());
        self.within.filters.push(Filter { of, condition, reads_only: false });
    }

    /// The rows inside, and those outside.
    ///
    /// # Errors
    /// What the evaluator does not know.
    pub fn part(&self, data: &Data) -> Result<[Data; 2], Error> {
        let inside = self.where_it_holds(data, |_| true)?;
        let outside = without(data, &inside);
        Ok([inside, outside])
    }

    /// Of the rows of a table after a write: those that are neither as they were outside before, nor may have been written.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn strays(&self, outside: &Data, after: &Data) -> Result<Data, Error> {
        let others = without(after, outside);
        Ok(without(&others, &self.where_it_holds(after, |condition| condition.of_writes)?))
    }

    /// The rows for which conditions hold. They are found by plain queries over tables that hide nothing: one table after
    /// the other, as the rows of one may be inside because of those of another that are.
    fn where_it_holds(&self, data: &Data, which: impl Fn(&Condition) -> bool) -> Result<Data, Error> {
        static TABLES_ALONE: LazyLock<Result<Catalog, CatalogErrors>> = LazyLock::new(unfiltered);
        let catalog = TABLES_ALONE.as_ref().map_err(|errors| Error::Fault(errors.to_string()))?;
        let mut inside = data.clone();
        for entity in TABLES {
            let conditions = self.conditions.iter().filter(|condition| condition.table == entity && which(condition));
            let filter = conditions.map(|condition| condition.holds.clone()).reduce(|all, next| all & next);
            let kept = ids(catalog, &inside, entity, filter)?;
            if let Some(table) = inside.table_mut(entity) {
                let at = table.column("Id");
                table.rows.retain(|row| at.and_then(|at| row.get(at)).is_some_and(|id| kept.contains(id)));
            }
        }
        Ok(inside)
    }

    /// What is left to say where there are no rows outside: nothing of tenants, and that deleted rows are as good as others.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            scope: Scope::unscoped("no other rows are there").with_deleted("Task"),
            within: Within { deleted: vec![("Task".to_owned(), Deleted::With)], ..Within::default() },
            conditions: Vec::new(),
        }
    }
}

/// The rows that are not among others, by their keys.
fn without(data: &Data, others: &Data) -> Data {
    let rest = |table: &TableData| {
        let key = table.column("Id");
        let id = |row: &Vec<Value>| key.and_then(|at| row.get(at)).cloned();
        let known: Vec<_> =
            others.table(&table.entity).map(|others| others.rows.iter().map(id).collect()).unwrap_or_default();
        let rows = table.rows.iter().filter(|row| !known.contains(&id(row))).cloned().collect();
        TableData { rows, ..table.clone() }
    };
    data.tables.iter().map(rest).collect()
}

/// The keys of the rows for which a condition holds.
fn ids(catalog: &Catalog, data: &Data, entity: &str, filter: Option<LogicExpr>) -> Result<Vec<Value>, Error> {
    let query = Expr::from(SqlSegment::from(from(entity.to_owned()).filter(filter).select(["Id"])));
    let answer = evaluator::evaluate(catalog, data, &query, &isogloss_compiler::Request::default())?;
    Ok(answer.rows.into_iter().flatten().collect())
}
