//! The catalog of the generated trees: three tables with relations, and views over two of them.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, CatalogErrors, ColumnDef, ForeignType, TableDef, ViewDef};

/// The entities, those that others refer to first.
pub const TABLES: [&str; 3] = ["Team", "Person", "Task"];

/// The views.
pub const VIEWS: [&str; 2] = ["PersonView", "TaskView"];

/// The catalog.
///
/// # Errors
/// None: it is correct.
pub fn catalog() -> Result<Catalog, CatalogErrors> {
    with_views([team(state().constant(1)), person(), task()])
}

/// The catalog with a tenant's number on every row. Each table is for statements with a scope, and tasks that are deleted
/// stay, and are marked.
///
/// # Errors
/// None: it is correct.
pub fn tenants() -> Result<Catalog, CatalogErrors> {
    let task = task().column(tenant()).column(gone().soft_delete());
    with_views([team(state().constant(1)).column(tenant()), person().column(tenant()), task].map(TableDef::scoped))
}

/// The tables with all columns, and without what hides rows of them: for what fills and empties them.
///
/// # Errors
/// None: it is correct.
pub fn unfiltered() -> Result<Catalog, CatalogErrors> {
    let tables = [team(state()), person(), task().column(gone())];
    let [team, person, task] = tables.map(|table| table.column(tenant()));
    Catalog::builder().table(team).table(person).table(task).build()
}

fn with_views([team, person, task]: [TableDef; 3]) -> Result<Catalog, CatalogErrors> {
    Catalog::builder()
        .table(team)
        .table(person)
        .table(task)
        .view(
            ViewDef::new("PersonView", "Person")
                .foreign_column("TeamName", "Team", "Title")
                .foreign_column("TeamBudget", "Team", "Budget")
                .foreign_column("BossAge", "Boss", "Age"),
        )
        .view(ViewDef::new("TaskView", "Task").foreign_column("PersonName", "Person", "Name").foreign_column(
            "PersonTeam",
            "Team",
            "Title",
        ))
        .build()
}

fn state() -> ColumnDef {
    ColumnDef::new("State", T::Int32)
}

/// Rows without one are nobody's.
fn tenant() -> ColumnDef {
    null("Tenant", T::Int32)
}

fn gone() -> ColumnDef {
    ColumnDef::new("Gone", T::Boolean)
}

fn id() -> ColumnDef {
    ColumnDef::new("Id", T::Int32).primary_key()
}

fn null(name: &str, ty: T) -> ColumnDef {
    ColumnDef::new(name.to_owned(), ty).nullable()
}

fn text(name: &str) -> ColumnDef {
    null(name, T::String).length(60)
}

/// Its rows are those whose state is 1.
fn team(state: ColumnDef) -> TableDef {
    TableDef::new("Team")
        .table("Teams")
        .column(id())
        .column(text("Title"))
        .column(null("Budget", T::Decimal).precision(18, 2))
        .column(null("Open", T::Boolean))
        .column(null("Founded", T::Date))
        .column(state)
}

fn person() -> TableDef {
    TableDef::new("Person")
        .table("Persons")
        .column(id())
        .column(null("TeamId", T::Int32).foreign(ForeignType::new("Team").auto_expand()))
        .column(null("BossId", T::Int32).foreign(ForeignType::new("Person").alias("Boss")))
        .column(text("Name").column("Full Name"))
        .column(null("Age", T::Int32))
        .column(null("Big", T::Int64))
        .column(null("Salary", T::Decimal).precision(18, 2))
        .column(null("Score", T::Double))
        .column(null("Active", T::Boolean))
        .column(null("Born", T::Date))
        .column(null("Seen", T::DateTime2))
        .column(null("Token", T::Guid))
}

fn task() -> TableDef {
    TableDef::new("Task")
        .table("Tasks")
        .column(id())
        .column(null("PersonId", T::Int32).foreign(ForeignType::new("Person").auto_expand()))
        .column(ColumnDef::new("Label", T::String).length(60))
        .column(ColumnDef::new("Hours", T::Int32))
        .column(null("Cost", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Done", T::Boolean))
        .column(null("Due", T::Date))
        .column(ColumnDef::new("At", T::DateTime2))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_correct() {
        for catalog in [super::catalog().unwrap(), super::tenants().unwrap()] {
            for name in super::TABLES.iter().chain(&super::VIEWS) {
                assert!(catalog.entity(name).is_some(), "{name}");
            }
        }
        assert!(super::unfiltered().is_ok());
    }
}
