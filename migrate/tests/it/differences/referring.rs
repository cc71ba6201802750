//! The columns of foreign keys, where the engine wants them to be as those that they refer to.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, TableDef};
use isogloss_driver::ConnectionExt as _;
use isogloss_driver::ddl::{Ddl as _, asked};
use isogloss_migrate::{DiffOptions, database_differences};
use isogloss_mysql::MySql;

use super::{run, told};
use crate::support::{Engines, Outcome, on_engines, open};

fn table(entity: &str, key: ColumnDef) -> TableDef {
    TableDef::new(entity).table(format!("{}s", entity.to_lowercase())).column(key.primary_key())
}

/// Tables of other hands have keys without a sign and with a collation of their own.
#[tokio::test]
async fn a_new_foreign_key_has_the_type_and_collation_of_the_key_that_is_there() -> Outcome {
    on_engines(Engines::MySql, async |engine, place| {
        let backend = open(&place.url).await?;
        let mut connection = backend.connect().await?;
        for sql in [
            "CREATE TABLE parents (Id INT UNSIGNED PRIMARY KEY)",
            "CREATE TABLE codes (Code VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_general_ci PRIMARY KEY)",
            "CREATE TABLE words (Word VARCHAR(20) PRIMARY KEY) CHARACTER SET latin2 COLLATE latin2_general_ci",
            "CREATE TABLE olds (Id INT PRIMARY KEY, ParentId BIGINT NOT NULL, Code VARCHAR(20) NOT NULL)",
            "INSERT INTO parents VALUES (4000000000)",
            "INSERT INTO codes VALUES ('a')",
            "INSERT INTO olds VALUES (1, 4000000000, 'a')",
        ] {
            connection.script(sql).await?;
        }
        drop(connection);
        let text = |name: &str| ColumnDef::new(name, T::String).length(20);
        let catalog = Catalog::builder()
            .table(table("Parent", ColumnDef::new("Id", T::UInt32)))
            .table(table("Code", text("Code")))
            .table(table("Word", text("Word")))
            // By way of a table that is not there yet.
            .table(
                table("Grand", ColumnDef::new("MiddleId", T::Int64))
                    .constraint(ConstraintDef::new(["MiddleId"], "Middle")),
            )
            .table(
                table("Middle", ColumnDef::new("ParentId", T::UInt32))
                    .column(text("Code"))
                    .column(text("Word").nullable())
                    .constraint(ConstraintDef::new(["ParentId"], "Parent"))
                    .constraint(ConstraintDef::new(["Code"], "Code"))
                    .constraint(ConstraintDef::new(["Word"], "Word")),
            )
            .table(
                table("Old", ColumnDef::new("Id", T::Int32))
                    .column(ColumnDef::new("ParentId", T::Int64))
                    .column(text("Code"))
                    .column(ColumnDef::new("SecondId", T::UInt32).nullable())
                    .constraint(ConstraintDef::new(["ParentId"], "Parent"))
                    .constraint(ConstraintDef::new(["SecondId"], "Parent"))
                    .constraint(ConstraintDef::new(["Code"], "Code")),
            )
            .build()?;
        let options = DiffOptions::default();
        run(&*backend, &database_differences(&*backend, &catalog, &options).await?, true).await?;
        let keys =
            "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()";
        assert_eq!(backend.connect().await?.fetch_one::<(i64,)>(&asked(keys, &[])).await?, (7,), "{engine}");
        let left = database_differences(&*backend, &catalog, &options).await?;
        assert!(left.is_empty(), "{engine}: {:?}", told(&left));
        Ok(())
    })
    .await
}

#[test]
fn a_foreign_key_of_a_catalog_has_the_type_of_its_key() -> Outcome {
    let up = table("Up", ColumnDef::new("Id", T::Int64));
    let down = table("Down", ColumnDef::new("Id", T::Int32))
        .column(ColumnDef::new("UpId", T::Int32).nullable())
        .constraint(ConstraintDef::new(["UpId"], "Up"));
    let catalog = Catalog::builder().table(up).table(down).build()?;
    let (id, _) = catalog.entity("Down").ok_or("no entity")?;
    let made = MySql::V8_4.create_table(&catalog, id, &[])?;
    assert!(made[0].contains("`UpId` BIGINT") && made[0].contains("`Id` INT "), "{made:?}");
    Ok(())
}

/// The columns at both ends of a foreign key change, and the engine lets neither.
#[tokio::test]
async fn both_ends_of_a_foreign_key_change_their_type() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let of = |ty: T| {
            let sized = |name: &str| {
                let column = ColumnDef::new(name, ty);
                if ty == T::String { column.length(20) } else { column }
            };
            let down = table("Down", ColumnDef::new("Id", T::Int32))
                .column(sized("UpId"))
                .constraint(ConstraintDef::new(["UpId"], "Up").name("has_up"));
            Catalog::builder().table(table("Up", sized("Code"))).table(down).build()
        };
        let [before, after] = if engine.starts_with("postgres") { [T::Int32, T::String] } else { [T::Int32, T::Int64] };
        let (before, after) = (of(before)?, of(after)?);
        let options = DiffOptions::default();
        run(&*backend, &database_differences(&*backend, &before, &options).await?, true).await?;
        let fill = "INSERT INTO ups VALUES (7); INSERT INTO downs VALUES (1, 7)";
        for sql in fill.split("; ") {
            backend.connect().await?.script(sql).await?;
        }
        let found = database_differences(&*backend, &after, &options).await?;
        assert!(found.iter().all(|one| !one.is_only_told()), "{engine}: {found:#?}");
        run(&*backend, &found, true).await?;
        let left = database_differences(&*backend, &after, &options).await?;
        assert!(left.is_empty(), "{engine}: {:?}", told(&left));
        let dangling = backend.connect().await?.script("INSERT INTO downs VALUES (2, 8)").await;
        assert!(dangling.is_err() || engine == "sqlite", "{engine}: the key is there again");
        run(&*backend, &found, false).await?;
        let left = database_differences(&*backend, &before, &options).await?;
        assert!(left.is_empty(), "{engine}: {:?}", told(&left));
        Ok(())
    })
    .await
}
