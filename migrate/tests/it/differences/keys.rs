//! Foreign keys and primary keys, by the schemas and names that they have.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, TableDef};
use isogloss_driver::ddl::{Ddl, Part, differences};
use isogloss_migrate::{DiffOptions, catalog_differences, database_differences};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use super::{run, told};
use crate::support::{Engines, Outcome, on_engines, open, tables};

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
    on_engines(Engines::Servers, async |engine, place| {
        let second = place.another().await?;
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
        assert_eq!(told(&database_differences(&*backend, &made, &options).await?), [""; 0], "{engine}");
        let by_name = database_differences(&*backend, &named, &options).await;
        if engine.starts_with("mysql") {
            // There, it is in that of the key's table.
            let error = by_name.unwrap_err().to_string();
            let why = format!(
                " looks for `parents`, which has no schema, in `{home}`, where the constraint's table is: \
                 give `Parent` the schema in its table's name"
            );
            assert!(error.contains("constraint `of_parent`: ") && error.ends_with(&why), "{error}");
        } else {
            assert_eq!(told(&by_name?), [""; 0], "{engine}");
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
        Ok(())
    })
    .await
}

/// PostgreSQL looks for a table in several schemas, of which the report's default one is the first.
#[test]
fn a_foreign_key_refers_to_the_table_that_is_found() -> Outcome {
    let options = DiffOptions::default();
    let of = |parent: &str| {
        let up = ColumnDef::new("Up", T::Int32).column("up");
        let child = table("Child", "app.children").column(up).constraint(ConstraintDef::new(["Up"], "Parent"));
        Catalog::builder().table(child).table(table("Parent", parent)).build()
    };
    let mut now = Postgres::V15.expected(&of("public.parents")?, &options)?;
    now.default_schema = Some("app".to_owned());
    for (parent, left) in [("public.parents", 0), ("parents", 0), ("app.parents", 3)] {
        let found = told(&differences(&Postgres::V15, &now, &of(parent)?, &options)?);
        assert_eq!(
            found.iter().filter(|one| one.contains("foreign key") || one.contains("app.parents")).count(),
            left,
            "{found:?}"
        );
    }
    Ok(())
}

/// A table with a key of one of its columns, or of two.
fn keyed(name: Option<&str>, two: bool) -> Catalog {
    let (of, other) = (ColumnDef::new("A", T::Int32), ColumnDef::new("B", T::Int32));
    let things = TableDef::new("Thing").table("things").column(of.primary_key());
    let things = things.column(if two { other.primary_key() } else { other.nullable() });
    let things = name.into_iter().fold(things, TableDef::key_name);
    Catalog::builder().table(things).build().unwrap()
}

/// A primary key is dropped by the name that it has, and gets it again.
#[tokio::test]
async fn a_primary_key_changes_by_its_name() -> Outcome {
    on_engines(Engines::Servers, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        let has_names = engine.starts_with("postgres");
        for (given, name) in [(Some("one thing"), "one thing"), (None, "things_pkey")] {
            run(&*backend, &database_differences(&*backend, &keyed(given, false), &options).await?, true).await?;
            // One catalog says the name, and the other leaves it as it is.
            for wanted in [keyed(given, true), keyed(None, true)] {
                let found = database_differences(&*backend, &wanted, &options).await?;
                let told: Vec<String> = found.iter().map(ToString::to_string).collect();
                if !has_names {
                    assert_eq!(told.last().map(String::as_str), Some("things primary key: A -> A, B"), "{engine}");
                    continue;
                }
                assert_eq!(found[0].up, [format!(r#"ALTER TABLE "things" DROP CONSTRAINT "{name}""#)], "{told:?}");
                for (up, catalog, columns) in [(true, &wanted, 2), (false, &keyed(given, false), 1)] {
                    run(&*backend, &found, up).await?;
                    let left = database_differences(&*backend, catalog, &options).await?;
                    assert!(left.is_empty(), "{left:#?} after {found:#?}");
                    let report = tables(&mut backend.connect().await?, &*backend).await?;
                    let table = &report.tables[0];
                    assert_eq!((table.primary_key.len(), table.primary_key_name.as_deref()), (columns, Some(name)));
                    assert_eq!(table.primary_key_is_made, given.is_none());
                }
            }
            backend.connect().await?.script("DROP TABLE things").await?;
        }
        Ok(())
    })
    .await
}

/// A name that an engine has made is another one each time, so that the key is added by it.
#[tokio::test]
async fn a_primary_key_gets_back_the_name_that_was_made() -> Outcome {
    let options = DiffOptions::default();
    on_engines(Engines::Postgres, async |engine, place| {
        let backend = open(&place.url).await?;
        // `things_pkey` is taken by another relation.
        let made = r#"CREATE TABLE things_pkey (a int); CREATE TABLE things ("A" int PRIMARY KEY, "B" int NOT NULL); DROP TABLE things_pkey"#;
        backend.connect().await?.script(made).await?;
        let found = database_differences(&*backend, &keyed(None, true), &options).await?;
        for (up, columns) in [(true, 2), (false, 1), (true, 2)] {
            run(&*backend, &found, up).await.map_err(|error| format!("{engine}: {error}"))?;
            let report = tables(&mut backend.connect().await?, &*backend).await?;
            let table = &report.tables[0];
            assert_eq!((table.primary_key.len(), table.primary_key_name.as_deref()), (columns, Some("things_pkey1")));
        }
        Ok(())
    })
    .await?;
    let engines: [(&dyn Ddl, &str); 2] = [(&SqlServer::V2019, "PK__things__3213E83F"), (&Oracle::V19, "SYS_C0042")];
    for (ddl, name) in engines {
        let mut now = ddl.expected(&keyed(None, false), &options)?;
        now.tables[0].primary_key_name = Some(name.to_owned());
        let found = differences(ddl, &now, &keyed(None, true), &options)?;
        let keys: Vec<_> = found.iter().filter(|one| one.part == Part::PrimaryKey).collect();
        let [goes, comes] = keys.as_slice() else { panic!("{found:#?}") };
        for statement in [&goes.up, &goes.down, &comes.up, &comes.down] {
            assert!(statement[0].contains(name), "{found:#?}");
        }
    }
    Ok(())
}

#[test]
fn primary_keys_of_catalogs() -> Outcome {
    let options = DiffOptions::default();
    let ups = |ddl, name, two: bool| -> Outcome<Vec<String>> {
        let found = catalog_differences(ddl, &keyed(name, !two), &keyed(name, two), &options)?;
        Ok(found.iter().filter(|one| one.part == Part::PrimaryKey).flat_map(|one| one.up.clone()).collect())
    };
    let of = |table: &str, open: char, close: char, keys: &str| {
        let name = format!("{open}key of it{close}");
        [
            format!("ALTER TABLE {table} DROP CONSTRAINT {name}"),
            format!("ALTER TABLE {table} ADD CONSTRAINT {name} PRIMARY KEY ({keys})"),
        ]
    };
    assert_eq!(ups(&SqlServer::V2019, Some("key of it"), true)?, of("[things]", '[', ']', "[A], [B]"));
    assert_eq!(ups(&Oracle::V19, Some("key of it"), false)?, of(r#""things""#, '"', '"', r#""A""#));
    // PostgreSQL always makes the same name, the others one that nobody knows.
    assert_eq!(ups(&Postgres::V15, None, true)?[0], r#"ALTER TABLE "things" DROP CONSTRAINT "things_pkey""#);
    assert_eq!(ups(&SqlServer::V2019, None, true)?, [""; 0]);
    for (name, note) in [(None, true), (Some("key of it"), false)] {
        let found = catalog_differences(&Postgres::V15, &keyed(name, false), &keyed(name, true), &options)?;
        let told = found[0].impact.note.as_deref().unwrap_or_default();
        let renamed = "the key of a table that was renamed has a name of before: compare with the database";
        assert_eq!(told.contains(renamed), note, "{found:#?}");
    }

    // What rows of others refer to is changed by hand.
    let parent = |key: ColumnDef| {
        let parent = TableDef::new("Parent").table("parents").column(ColumnDef::new("A", T::Int32).primary_key());
        let child = table("Child", "children").column(ColumnDef::new("Up", T::Int32).nullable());
        Catalog::builder()
            .table(parent.column(key))
            .table(child.constraint(ConstraintDef::new(["Id"], "Parent")))
            .build()
    };
    let old = parent(ColumnDef::new("B", T::Int32))?;
    let new = Catalog::builder()
        .table(
            TableDef::new("Parent")
                .table("parents")
                .column(ColumnDef::new("A", T::Int32))
                .column(ColumnDef::new("B", T::Int32).primary_key()),
        )
        .table(
            table("Child", "children")
                .column(ColumnDef::new("Up", T::Int32).nullable())
                .constraint(ConstraintDef::new(["Id"], "Parent")),
        )
        .build()?;
    let found = catalog_differences(&Postgres::V15, &old, &new, &options)?;
    let key = found.iter().find(|one| one.part == Part::PrimaryKey).ok_or("no key")?;
    assert_eq!(key.impact.note.as_deref(), Some("a key is changed by hand, with all that refers to it"), "{found:#?}");
    assert!(key.is_only_told());
    Ok(())
}
