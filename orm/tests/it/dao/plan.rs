//! A plan tells what a sync would leave as it is.

use isogloss::driver::ddl::{Difference, Part};
use isogloss::expr::DbValueType;
use isogloss::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, TableDef};

use crate::support::engines::{Place, each_place};

fn column(name: &str, ty: DbValueType) -> ColumnDef {
    ColumnDef::new(name, ty).column(name.to_lowercase())
}

fn tables(item: TableDef) -> Catalog {
    let kind = TableDef::new("Kind").table("kind").column(column("Id", DbValueType::Int32).primary_key());
    Catalog::builder().table(kind).table(item).build().unwrap()
}

fn item() -> TableDef {
    TableDef::new("Item").table("item").column(column("Id", DbValueType::Int32).primary_key())
}

fn before(note: &str) -> Catalog {
    tables(
        item()
            .column(column("Name", DbValueType::String).length(20))
            .column(column("Price", DbValueType::Int32).default_sql("1"))
            .column(column("Note", DbValueType::String).length(20).default_sql(note))
            .column(column("Kind", DbValueType::Int32)),
    )
}

/// Another type, length, NULL and default, an index, a foreign key, and a column that a sync adds.
fn after() -> Catalog {
    tables(
        item()
            .column(column("Name", DbValueType::String).length(50).nullable())
            .column(column("Price", DbValueType::Int64).default_sql("2"))
            .column(column("Note", DbValueType::String).length(20).default_sql("'one'"))
            .column(column("Kind", DbValueType::Int32).comment("Which kind"))
            .column(column("Added", DbValueType::Int32).nullable().index())
            .index(IndexDef::new(["Name", "Price"]).unique().name("one_price"))
            .constraint(ConstraintDef::new(["Kind"], "Kind").name("of_kind")),
    )
}

fn parts(found: &[Difference]) -> Vec<&Part> {
    found.iter().map(|told| &told.part).collect()
}

#[tokio::test]
async fn what_is_otherwise_is_told_and_left_alone() {
    each_place(async |place: Place| {
        let old = place.context(before("'one\ntwo'"), true);
        old.sync_all().await.unwrap();
        assert!(old.sync_plan().await.unwrap().is_empty());

        let new = place.context(after(), true);
        let plan = new.sync_plan().await.unwrap();
        let [item] = &plan[..] else { panic!("{plan:?}") };
        assert_eq!((item.table.as_str(), item.statements.len()), ("item", 2), "the column and its index");
        let text = item.to_string();
        assert!(text.contains("\n-- left alone: item"), "{text}");
        // What a database says may have line breaks, which MariaDB tells by an escape.
        let behind = text.lines().skip_while(|line| !line.starts_with("-- left alone")).collect::<Vec<_>>();
        let is_broken = behind.iter().any(|line| line.starts_with("-- two'"));
        let is_escaped = place.provider == "mysql" && behind.iter().any(|line| line.contains(r"'one\ntwo'"));
        assert!(is_broken != is_escaped && behind.iter().all(|line| line.starts_with("-- ")), "{text}");
        if place.provider == "sqlite" {
            // Nothing of it is changed there but by a new table with the rows.
            let [table] = &item.differences[..] else { panic!("{:?}", item.differences) };
            let wanted = table.wanted.as_deref().unwrap_or_default();
            for part in ["name NULL", "price DEFAULT 2", "index one_price unique on name, price", "foreign key of_kind"]
            {
                assert!(wanted.contains(part), "{wanted}");
            }
            assert_eq!((&table.part, table.impact.rewrites, table.replaces), (&Part::Table, true, true));
        } else {
            let name = |name: &str| name.to_owned();
            let told = parts(&item.differences);
            for part in [
                Part::Type(name("name")),
                Part::Nullable(name("name")),
                Part::Type(name("price")),
                Part::Index(name("one_price")),
                Part::ForeignKey(name("of_kind")),
                Part::Comment(Some(name("kind"))),
            ] {
                assert!(told.contains(&&part), "{part:?}: {told:?}");
            }
            assert!(!told.contains(&&Part::Column(name("added"))), "{told:?}");
            let length = item.differences.iter().find(|told| told.part == Part::Type(name("name"))).unwrap();
            assert!(!length.up.is_empty() && !length.impact.loses_data, "{length:?}");
        }

        // A sync makes what it makes, and the rest is told as before.
        let done = new.sync_all().await.unwrap();
        assert_eq!((done.len(), &done[0].statements, done[0].differences.len()), (1, &item.statements, 0));
        let again = new.sync_plan().await.unwrap();
        assert!(again[0].statements.is_empty());
        if place.provider != "sqlite" {
            assert_eq!(again[0].differences, item.differences);
        }
        // What the old program does not name is no difference: others may.
        assert!(old.sync_plan().await.unwrap().is_empty());
        old.close();
        new.close();
    })
    .await;
}
