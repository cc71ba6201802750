//! Foreign keys and primary keys, by the schemas and names that they have.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, TableDef};
use isogloss_driver::ddl::Part;
use isogloss_migrate::{DiffOptions, database_differences};

use crate::support::{Outcome, Place, engines, open};
use crate::{run, told};

fn table(entity: &str, name: &str) -> TableDef {
    TableDef::new(entity).table(name).column(ColumnDef::new("Id", T::Int32).column("id").primary_key())
}

/// A table that refers to one of two that have the same name, of which the second is in a schema of its own.
fn children(child: &str, target: &str, other: &str) -> Catalog {
    let up = ColumnDef::new("Up", T::Int32).column("up");
    let child = table("Child", child).column(up).constraint(ConstraintDef::new(["Up"], target).name("of_parent"));
    let all = [child, table("Parent", "parents"), table("Other", &format!("{other}.parents"))];
    all.into_iter().fold(Catalog::builder(), |all, table| all.table(table)).build().unwrap()
}

#[tokio::test]
async fn a_foreign_key_refers_to_the_table_of_a_schema() -> Outcome {
    for (engine, server) in engines().into_iter().filter(|(engine, _)| engine != "sqlite") {
        let [place, second] = [Place::new(server.as_deref()).await?, Place::new(server.as_deref()).await?];
        let backend = open(&place.url).await?;
        // A schema of MySQL and MariaDB is a database.
        let (home, other) = match engine.starts_with("mysql") {
            true => (place.name(), second.name()),
            false => ("public", "other"),
        };
        if !engine.starts_with("mysql") {
            backend.connect().await?.script("CREATE SCHEMA other").await?;
        }
        let options = DiffOptions::default();
        let made = children("children", "Parent", other);
        run(&*backend, &database_differences(&*backend, &made, &options).await?, true).await?;
        // What has no schema is in that of the connection, by whatever name.
        let named = children(&format!("{home}.children"), "Parent", other);
        for catalog in [&made, &named] {
            let left = told(&database_differences(&*backend, catalog, &options).await?);
            assert_eq!(left, [""; 0], "{engine}");
        }
        let wanted = children("children", "Other", other);
        let found = database_differences(&*backend, &wanted, &options).await?;
        let parts: Vec<&Part> = found.iter().map(|one| &one.part).collect();
        let key = Part::ForeignKey("of_parent".to_owned());
        assert_eq!(parts, [&key, &key], "{engine}: {found:#?}");
        assert!(found[0].to_string().contains(&format!("up -> {home}.parents (id)")), "{}", found[0]);
        for (up, catalog, not) in [(true, &wanted, &made), (false, &made, &wanted)] {
            run(&*backend, &found, up).await?;
            assert_eq!(told(&database_differences(&*backend, catalog, &options).await?), [""; 0], "{engine}");
            assert_eq!(database_differences(&*backend, not, &options).await?.len(), 2, "{engine}");
        }
        drop(backend);
        place.end().await?;
        second.end().await?;
    }
    Ok(())
}
