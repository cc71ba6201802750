//! Statements run in their order: what loses data comes last, and nothing goes while something else needs it.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, ReferenceAction, SyncTableMode, TableDef};
use isogloss_driver::ConnectionExt as _;
use isogloss_driver::ddl::{Part, asked};
use isogloss_migrate::{DiffOptions, catalog_differences, database_differences};
use isogloss_postgres::Postgres;

use super::kept::{catalog, things};
use super::{run, told};
use crate::support::{Engines, Outcome, on_engines, open};

#[tokio::test]
async fn a_statement_that_fails_comes_before_what_loses_data() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        for sql in [
            "CREATE TABLE alone (x INTEGER)",
            "CREATE TABLE things (Id INTEGER NOT NULL PRIMARY KEY, Place INTEGER NOT NULL, gone INTEGER)",
            "INSERT INTO things VALUES (1, 5, 9)",
            "INSERT INTO things VALUES (2, 5, 9)",
        ] {
            let sql = if engine.starts_with("postgres") {
                sql.replace("Id", "\"Id\"").replace("Place", "\"Place\"")
            } else {
                sql.to_owned()
            };
            backend.connect().await?.script(&sql).await?;
        }
        let wanted = catalog(things().column(ColumnDef::new("Place", T::Int32).unique()));
        let found = database_differences(&*backend, &wanted, &DiffOptions::default().drop_extra(true)).await?;
        assert!(run(&*backend, &found, true).await.is_err(), "{engine}: two rows have one place");
        for sql in ["SELECT COUNT(gone) FROM things", "SELECT COUNT(*) + 2 FROM alone"] {
            let there = backend.connect().await?.fetch_one::<(i64,)>(&asked(sql, &[])).await?;
            assert_eq!(there, (2,), "{engine}: {sql}");
        }
        Ok(())
    })
    .await
}

/// Each table goes before those that it refers to.
#[tokio::test]
async fn tables_that_refer_to_each_other_go_in_their_order() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        for sql in [
            "CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY)",
            "CREATE TABLE c (id INTEGER NOT NULL PRIMARY KEY, a_id INTEGER, FOREIGN KEY (a_id) REFERENCES a (id))",
            "CREATE TABLE b (id INTEGER NOT NULL PRIMARY KEY, c_id INTEGER, FOREIGN KEY (c_id) REFERENCES c (id))",
        ] {
            backend.connect().await?.script(sql).await?;
        }
        let options = DiffOptions::default().drop_extra(true);
        let wanted = catalog(things());
        run(&*backend, &database_differences(&*backend, &wanted, &options).await?, true).await?;
        let left = database_differences(&*backend, &wanted, &options).await?;
        assert!(left.is_empty(), "{engine}: {:?}", told(&left));
        Ok(())
    })
    .await
}

/// Error 1553: a foreign key has an index at each moment.
#[tokio::test]
async fn an_index_that_a_foreign_key_needs_is_replaced() -> Outcome {
    on_engines(Engines::MySql, async |engine, place| {
        let backend = open(&place.url).await?;
        let of = |index: IndexDef| {
            let up = ColumnDef::new("Up", T::Int32).nullable();
            catalog(
                things()
                    .column(up)
                    .column(ColumnDef::new("No", T::Int32))
                    .index(index)
                    .constraint(ConstraintDef::new(["Up"], "Thing").name("has_up")),
            )
        };
        let options = DiffOptions::default().drop_extra(true);
        let steps = [
            of(IndexDef::new(["Up", "No"]).name("by_up")),
            // Of the same name, and of another one.
            of(IndexDef::new(["Up", "No"]).unique().name("by_up")),
            of(IndexDef::new(["Up", "No"]).name("other")),
        ];
        for wanted in &steps {
            let found = database_differences(&*backend, wanted, &options).await?;
            run(&*backend, &found, true).await?;
            let left = database_differences(&*backend, wanted, &options).await?;
            assert!(left.is_empty(), "{engine}: {:?}", told(&left));
        }
        Ok(())
    })
    .await
}

/// A view or the primary key stands on the column, and PostgreSQL lets it change under neither.
#[tokio::test]
async fn what_postgresql_would_refuse_is_told() -> Outcome {
    on_engines(Engines::Postgres, async |_, place| {
        let backend = open(&place.url).await?;
        for sql in [
            r#"CREATE TABLE things ("Id" INTEGER PRIMARY KEY, "Place" INTEGER NOT NULL, gone INTEGER)"#,
            r#"CREATE VIEW places AS SELECT "Place", gone FROM things"#,
            r#"CREATE TABLE others ("Id" INTEGER PRIMARY KEY, "No" INTEGER NOT NULL)"#,
        ] {
            backend.connect().await?.script(sql).await?;
        }
        let wide = things().column(ColumnDef::new("Place", T::Int64));
        let others = TableDef::new("Other").table("others");
        let others = others.column(ColumnDef::new("Id", T::Int32).nullable()).column(ColumnDef::new("No", T::Int32));
        let wanted = Catalog::builder().table(wide).table(others).build()?;
        let options = DiffOptions::default();
        for options in [options.clone().drop_extra(true), options] {
            let found = database_differences(&*backend, &wanted, &options).await?;
            let place = found.iter().find(|one| matches!(one.part, Part::Type(_))).ok_or("no difference")?;
            assert!(place.is_only_told() && place.impact.to_string().contains("the view places reads"), "{place:#?}");
            let gone = found.iter().find(|one| one.part == Part::Column("gone".to_owned()));
            assert!(gone.is_some_and(isogloss_migrate::Difference::is_only_told), "{found:#?}");
            let nullable = found.iter().any(|one| matches!(one.part, Part::Nullable(_)));
            assert_eq!(nullable, options.drop_extra, "{found:#?}");
        }
        let found = database_differences(&*backend, &wanted, &DiffOptions::default().drop_extra(true)).await?;
        run(&*backend, &found, true).await
    })
    .await
}

/// A sequence has a type of its own, beyond whose largest number it gives none.
#[tokio::test]
async fn the_sequence_of_a_column_grows_with_it() -> Outcome {
    on_engines(Engines::Postgres, async |_, place| {
        let backend = open(&place.url).await?;
        for sql in [
            r#"CREATE TABLE things ("Id" SERIAL PRIMARY KEY, "Place" INTEGER)"#,
            r#"CREATE TABLE counters ("Id" INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)"#,
        ] {
            backend.connect().await?.script(sql).await?;
        }
        let id = || ColumnDef::new("Id", T::Int64).primary_key().identity(1, 1);
        let place = ColumnDef::new("Place", T::Int32).nullable();
        let wanted = Catalog::builder()
            .table(TableDef::new("Thing").table("things").column(id()).column(place))
            .table(TableDef::new("Counter").table("counters").column(id()))
            .build()?;
        let found = database_differences(&*backend, &wanted, &DiffOptions::default()).await?;
        run(&*backend, &found, true).await?;
        let largest = "SELECT MIN(max_value) FROM pg_sequences";
        assert_eq!(backend.connect().await?.fetch_one::<(i64,)>(&asked(largest, &[])).await?, (i64::MAX,));
        run(&*backend, &found, false).await?;
        assert_eq!(backend.connect().await?.fetch_one::<(i64,)>(&asked(largest, &[])).await?, (i64::from(i32::MAX),));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn no_migration_makes_a_table_of_a_view() -> Outcome {
    let view = || TableDef::new("Total").table("totals").sync_table(SyncTableMode::Never);
    let view = || view().column(ColumnDef::new("Sum", T::Int64));
    let wanted = Catalog::builder().table(things()).table(view()).build()?;
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let found = database_differences(&*backend, &wanted, &DiffOptions::default()).await?;
        let totals = found.iter().find(|one| one.table == "totals").ok_or("it is not told")?;
        assert!(totals.is_only_told(), "{engine}: {totals:#?}");
        Ok(())
    })
    .await?;
    let options = DiffOptions::default();
    for [old, new] in [[catalog(things()), wanted.clone()], [wanted, catalog(things())]] {
        let found = catalog_differences(&Postgres::V15, &old, &new, &options)?;
        assert!(found.len() == 1 && found[0].is_only_told(), "{found:#?}");
    }
    Ok(())
}

/// After its statements have run, there is no difference any more.
#[tokio::test]
async fn migrations_converge() -> Outcome {
    let number = |name: &str| ColumnDef::new(name, T::Int32).nullable();
    let foreign = |action| ConstraintDef::new(["Up"], "Thing").name("has_up").on_delete(action);
    let steps = [
        things().column(number("Up")).constraint(foreign(ReferenceAction::NoAction)),
        things().column(number("Up")).constraint(foreign(ReferenceAction::Cascade)),
        things().column(number("Up").index()).constraint(foreign(ReferenceAction::SetNull)),
        things().column(number("Up").unique()).constraint(foreign(ReferenceAction::NoAction)),
        things().column(number("Up").unique()).constraint(ConstraintDef::new(["Up"], "Thing")),
        things().column(number("Up")),
    ];
    let counted = TableDef::new("Thing")
        .table("things")
        .column(ColumnDef::new("Code", T::String).length(10).primary_key())
        .column(ColumnDef::new("No", T::Int64).identity(1, 1).unique());
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default().drop_extra(true);
        let mut all = vec![steps.to_vec()];
        if engine != "sqlite" {
            all.push(vec![counted.clone()]);
        }
        for steps in all {
            for (at, table) in steps.into_iter().enumerate() {
                let wanted = catalog(table);
                run(&*backend, &database_differences(&*backend, &wanted, &options).await?, true).await?;
                let left = database_differences(&*backend, &wanted, &options).await?;
                assert!(left.is_empty(), "{engine}, step {at}: {left:#?}");
            }
            backend.connect().await?.script("DROP TABLE things").await?;
        }
        Ok(())
    })
    .await
}
