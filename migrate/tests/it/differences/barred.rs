//! Changes of columns that something else names, and which an engine refuses as long as it is there.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{ColumnDef, ConstraintDef, IndexDef, TableDef};
use isogloss_driver::ConnectionExt as _;
use isogloss_driver::ddl::{Ddl, Difference, Part, asked, differences};
use isogloss_driver::introspect::{IndexKey, IndexReport};
use isogloss_migrate::{DiffOptions, database_differences};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use super::kept::{catalog, things};
use super::{run, told};
use crate::support::{Engines, Outcome, on_engines, open};

/// The only difference between a table and what it should be, in which a report of the first one says more of a column.
fn difference(ddl: &dyn Ddl, now: TableDef, wanted: TableDef, collation: Option<&str>) -> Outcome<Difference> {
    let options = DiffOptions::default();
    let mut report = ddl.expected(&catalog(now), &options)?;
    if let Some(note) = report.tables[0].columns.iter_mut().find(|column| column.name == "Note") {
        note.collation = collation.map(str::to_owned);
    }
    let mut found = differences(ddl, &report, &catalog(wanted), &options)?;
    assert_eq!(found.len(), 1, "{found:#?}");
    Ok(found.remove(0))
}

#[test]
fn what_is_in_the_way_on_sql_server_goes_and_comes_again() -> Outcome {
    let place = |ty| ColumnDef::new("Place", ty);
    let with = |ty| things().column(place(ty).index()).check("first", "{Place} > 0");
    let found = difference(&SqlServer::V2019, with(T::Int32), with(T::Int64), None)?;
    let around = |ty: &str| {
        [
            "ALTER TABLE [things] DROP CONSTRAINT [first]".to_owned(),
            "DROP INDEX [IX_things_Place] ON [things]".to_owned(),
            format!("ALTER TABLE [things] ALTER COLUMN [Place] {ty} NOT NULL"),
            "CREATE INDEX [IX_things_Place] ON [things] ([Place])".to_owned(),
            "ALTER TABLE [things] ADD CONSTRAINT [first] CHECK ([Place] > 0)".to_owned(),
        ]
    };
    assert_eq!((found.up, found.down), (around("bigint").to_vec(), around("int").to_vec()));

    // A text may grow under its index, and keeps its collation.
    let of = |length| things().column(ColumnDef::new("Note", T::String).length(length).index());
    let found = difference(&SqlServer::V2019, of(20), of(30), Some("Latin1_General_100_BIN2"))?;
    let grown = "ALTER TABLE [things] ALTER COLUMN [Note] nvarchar(30) COLLATE Latin1_General_100_BIN2 NOT NULL";
    assert_eq!(found.up, [grown]);
    assert_eq!(found.down.len(), 3, "it does not shrink under it: {found:#?}");
    Ok(())
}

#[test]
fn a_key_or_a_computed_column_in_the_way_is_told() -> Outcome {
    let id = |ty| TableDef::new("Thing").table("things").column(ColumnDef::new("Id", ty).primary_key());
    let found = difference(&SqlServer::V2019, id(T::Int32), id(T::Int64), None)?;
    let why = "the primary key is on the column, with what refers to it: it is done by hand";
    assert!(found.is_only_told() && found.down.is_empty(), "{found:#?}");
    assert!(found.impact.note.as_deref().is_some_and(|note| note.contains(why)), "{found:#?}");

    let twice = |ty| {
        things().column(ColumnDef::new("Place", ty)).column(ColumnDef::new("Twice", T::Int64).computed("{Place} * 2"))
    };
    for ddl in [&SqlServer::V2019 as &dyn Ddl, &Postgres::V15] {
        let found = difference(ddl, twice(T::Int32), twice(T::Int64), None)?;
        let why = "a column is computed from it: it is done by hand";
        assert!(found.is_only_told(), "{found:#?}");
        assert!(found.impact.note.as_deref().is_some_and(|note| note.contains(why)), "{found:#?}");
    }

    let up = |ty| things().column(ColumnDef::new("Up", ty).nullable()).constraint(ConstraintDef::new(["Up"], "Thing"));
    // It has the type of the key that it refers to.
    let options = DiffOptions::default();
    let now = MySql::V8_4.expected(&catalog(up(T::Int32)), &options)?;
    assert!(differences(&MySql::V8_4, &now, &catalog(up(T::Int64)), &options)?.is_empty());
    // A text grows in place on MySQL alone: on MariaDB the foreign key goes meanwhile.
    let of = |length| {
        let code = |name: &str| ColumnDef::new(name, T::String).length(length);
        let table = TableDef::new("Thing").table("things").column(code("Code").primary_key());
        table.column(code("Up").nullable()).constraint(ConstraintDef::new(["Up"], "Thing"))
    };
    for (ddl, count) in [(&MySql::V8_4 as &dyn Ddl, 2), (&MariaDb::V10_11, 4)] {
        let found = differences(ddl, &ddl.expected(&catalog(of(20)), &options)?, &catalog(of(30)), &options)?;
        assert!(found.len() == count && found.iter().all(|one| !one.is_only_told()), "{found:#?}");
    }
    Ok(())
}

/// SQL Server names no computed column in a filter, and one that is not stored in no check and few indexes.
#[test]
fn computed_columns_of_sql_server_are_stored_where_that_is_asked() -> Outcome {
    let total = || ColumnDef::new("Total", T::Double).nullable().computed("{Price} * 1.5");
    let table = || things().column(ColumnDef::new("Price", T::Double)).column(total());
    let index = IndexDef::new(["Price", "Total"]).unique();
    for (table, is_stored) in
        [(table(), false), (table().check("much", "{Total} > 0"), true), (table().index(index), true)]
    {
        let made = catalog(table);
        let statements = SqlServer::V2019.create_table(&made, made.entity("Thing").ok_or("no entity")?.0, &[])?;
        assert_eq!(statements[0].contains("PERSISTED"), is_stored, "{statements:?}");
        assert!(!statements.iter().any(|sql| sql.contains(" WHERE ")), "{statements:?}");
    }
    Ok(())
}

/// What an index does not name is not in its way, also where the engine tells of it by expressions.
#[test]
fn indexes_over_expressions_are_in_the_way_of_what_they_name() -> Outcome {
    let options = DiffOptions::default();
    let of = |ty| things().column(ColumnDef::new("Place", ty)).column(ColumnDef::new("Born", T::DateTime));
    for (key, is_told) in [("[Born] DESC", false), ("[Place] DESC", true)] {
        let mut now = SqlServer::V2019.expected(&catalog(of(T::Int32)), &options)?;
        now.tables[0].indexes.push(IndexReport::new("down", false, vec![IndexKey::Expression(key.to_owned())]));
        let found = differences(&SqlServer::V2019, &now, &catalog(of(T::Int64)), &options)?;
        let place = found.iter().find(|one| matches!(one.part, Part::Type(_))).ok_or("no difference")?;
        assert_eq!(place.is_only_told(), is_told, "{found:#?}");
    }

    // Oracle's unique index over columns that may be NULL is one over expressions, and is made again by the catalog.
    let of = |length, more: &[&str]| {
        let text = |name: &str| ColumnDef::new(name, T::String).length(length).nullable();
        let keys = ["A", "B"].into_iter().chain(more.iter().copied());
        things().column(text("A")).column(text("B")).column(text("C")).index(IndexDef::new(keys).unique().name("one"))
    };
    let mut now = Oracle::V19.expected(&catalog(of(20, &[])), &options)?;
    assert!(differences(&Oracle::V19, &now, &catalog(of(20, &[])), &options)?.is_empty());
    let found = differences(&Oracle::V19, &now, &catalog(of(30, &[])), &options)?;
    let guard = r#"CASE WHEN "A" IS NOT NULL AND "B" IS NOT NULL THEN"#;
    let made = format!(r#"CREATE UNIQUE INDEX "one" ON "things" ({guard} "A" END, {guard} "B" END)"#);
    let a = [r#"DROP INDEX "one""#, r#"ALTER TABLE "things" MODIFY ("A" VARCHAR2(30 CHAR))"#, &made];
    assert_eq!(found[0].up, a, "{found:#?}");
    assert_eq!(found[2].up.len(), 1, "C is in no index: {found:#?}");
    // As Oracle writes them.
    for key in &mut now.tables[0].indexes[0].keys {
        let IndexKey::Expression(text) = key else { return Err("a column".into()) };
        *text = text.replace("CASE WHEN ", "CASE  WHEN (").replace(" THEN", ") THEN");
    }
    assert!(differences(&Oracle::V19, &now, &catalog(of(20, &[])), &options)?.is_empty());
    assert_eq!(differences(&Oracle::V19, &now, &catalog(of(20, &["C"])), &options)?.len(), 2);

    // A column of the index may be NULL from now on.
    let of = |nullable: bool| {
        let (a, b) = (ColumnDef::new("A", T::Int32).nullable(), ColumnDef::new("B", T::Int32));
        let b = if nullable { b.nullable() } else { b };
        things().column(a).column(b).index(IndexDef::new(["A", "B"]).unique().name("one"))
    };
    let mut now = SqlServer::V2019.expected(&catalog(of(false)), &options)?;
    now.tables[0].indexes[0].condition = Some("([A] IS NOT NULL)".to_owned());
    assert!(differences(&SqlServer::V2019, &now, &catalog(of(false)), &options)?.is_empty());
    let found = differences(&SqlServer::V2019, &now, &catalog(of(true)), &options)?;
    let ups: Vec<&str> = found.iter().flat_map(|one| &one.up).map(String::as_str).collect();
    let expected = [
        "DROP INDEX [one] ON [things]",
        "ALTER TABLE [things] ALTER COLUMN [B] int NULL",
        "CREATE UNIQUE INDEX [one] ON [things] ([A], [B]) WHERE [A] IS NOT NULL AND [B] IS NOT NULL",
    ];
    assert_eq!(ups, expected, "{found:#?}");
    Ok(())
}

/// What is told to be done by hand would fail, and what is not runs, there and back.
#[tokio::test]
async fn engines_refuse_what_is_in_the_way() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        let of = |ty| {
            let place = ColumnDef::new("Place", ty).index();
            let up = ColumnDef::new("Up", ty).nullable();
            let twice = ColumnDef::new("Twice", T::Int64).computed("{Place} * 2");
            let id = ColumnDef::new("Id", T::Int32).primary_key();
            let table = TableDef::new("Thing").table("things").column(id).column(place).column(up).column(twice);
            catalog(table.check("first", "{Place} > 0"))
        };
        run(&*backend, &database_differences(&*backend, &of(T::Int32), &options).await?, true).await?;
        let found = database_differences(&*backend, &of(T::Int64), &options).await?;
        // SQLite's whole numbers are all of one type.
        let by_hand: &[&str] = if engine.starts_with("postgres") { &["Place"] } else { &[] };
        for one in &found {
            let Part::Type(name) = &one.part else { return Err(format!("{engine}: {found:#?}").into()) };
            assert_eq!(one.is_only_told(), by_hand.contains(&name.as_str()), "{engine}: {found:#?}");
        }
        run(&*backend, &found, true).await?;
        let left = database_differences(&*backend, &of(T::Int64), &options).await?;
        assert_eq!(left.len(), if engine == "sqlite" { 0 } else { by_hand.len() }, "{engine}: {:?}", told(&left));
        Ok(())
    })
    .await
}

/// A type of PostgreSQL changes by what converts its values, and a computed column is computed anew.
#[tokio::test]
async fn values_of_postgresql_are_converted() -> Outcome {
    on_engines(Engines::Postgres, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        let of = |paid, note, scale| {
            let column = |name: &str, ty| ColumnDef::new(name, ty).nullable();
            let total = ColumnDef::new("Total", T::Decimal).precision(18, scale).computed("{Price} * 2");
            let table = things().column(column("Paid", paid)).column(column("Note", note).length(20));
            catalog(table.column(ColumnDef::new("Price", T::Decimal).precision(18, 4)).column(total))
        };
        let sync = async |paid, note, scale| -> Outcome {
            let found = database_differences(&*backend, &of(paid, note, scale), &options).await?;
            run(&*backend, &found, true).await
        };
        let row = async || -> Outcome<(Option<String>, Option<String>, String)> {
            let texts = r#"SELECT "Paid"::text, "Note"::text, "Total"::text FROM things"#;
            let question = asked(texts, &[]);
            Ok(backend.connect().await?.fetch_one(&question).await?)
        };
        sync(T::Boolean, T::String, 2).await?;
        backend.connect().await?.script("INSERT INTO things VALUES (1, true, 'né', 1.2345)").await?;
        for (paid, told) in
            [(T::Int32, "1"), (T::Boolean, "true"), (T::Int64, "1"), (T::Boolean, "true"), (T::Decimal, "1.00")]
        {
            sync(paid, T::String, 2).await?;
            assert_eq!(row().await?.0.as_deref(), Some(told), "{engine}");
        }
        sync(T::Boolean, T::Binary, 2).await?;
        assert_eq!(row().await?.1.as_deref(), Some(r"\x6ec3a9"), "{engine}: the bytes of UTF-8");
        sync(T::Boolean, T::String, 4).await?;
        let (_, note, total) = row().await?;
        assert_eq!((note.as_deref(), total.as_str()), (Some("né"), "2.4690"), "{engine}");
        assert!(database_differences(&*backend, &of(T::Boolean, T::String, 4), &options).await?.is_empty());
        Ok(())
    })
    .await
}

/// A text keeps its collation where its type changes.
#[test]
fn a_text_of_postgresql_keeps_its_collation() -> Outcome {
    let of = |length| things().column(ColumnDef::new("Note", T::String).length(length));
    let found = difference(&Postgres::V15, of(20), of(30), Some("C"))?;
    let ty = "character varying(30)";
    let up = found.up.first().map(|sql| sql.replace("varchar(30)", ty)).unwrap_or_default();
    assert_eq!(up, format!(r#"ALTER TABLE "things" ALTER COLUMN "Note" TYPE {ty} COLLATE "C" USING "Note"::{ty}"#));
    Ok(())
}

/// Oracle keeps the text NULL of a default that was taken away, and changes nothing into a large object.
#[test]
fn oracle_keeps_a_default_of_null_and_large_objects() -> Outcome {
    let options = DiffOptions::default();
    let of = |length| things().column(ColumnDef::new("Note", T::String).length(length));
    let mut report = Oracle::V19.expected(&catalog(of(20)), &options)?;
    for column in &mut report.tables[0].columns {
        column.filled = isogloss_driver::introspect::Filled::Default("NULL".to_owned());
    }
    assert!(differences(&Oracle::V19, &report, &catalog(of(20)), &options)?.is_empty());

    for (from, to) in [(20, 5_000), (5_000, 20)] {
        let found = difference(&Oracle::V19, of(from), of(to), None)?;
        assert!(found.is_only_told(), "{found:#?}");
        assert_eq!(found.impact.loses_data, from > to, "{found:#?}");
    }
    Ok(())
}

/// The unique index of columns that may be NULL takes rows with NULL as often as they come, on each engine that runs here.
#[tokio::test]
async fn rows_with_null_are_equal_to_none() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let number = |name: &str| ColumnDef::new(name, T::Int32).nullable();
        let wanted = things().column(number("A")).column(number("B")).index(IndexDef::new(["A", "B"]).unique());
        run(&*backend, &database_differences(&*backend, &catalog(wanted), &DiffOptions::default()).await?, true)
            .await?;
        let insert = |values: &str| format!("INSERT INTO things VALUES {values}");
        let mut connection = backend.connect().await?;
        connection.script(&insert("(1, NULL, 5), (2, NULL, 5), (3, NULL, NULL), (4, NULL, NULL), (5, 5, 5)")).await?;
        assert!(connection.script(&insert("(6, 5, 5)")).await.is_err(), "{engine}");
        drop(connection);
        Ok(())
    })
    .await
}

#[test]
fn an_index_of_oracle_belongs_to_the_schema_of_its_table() -> Outcome {
    let table = |index: bool| {
        let place = ColumnDef::new("Place", T::Int32);
        let id = ColumnDef::new("Id", T::Int32).primary_key();
        TableDef::new("Thing").table("shop.things").column(id).column(if index { place.index() } else { place })
    };
    let found = difference(&Oracle::V19, table(false), table(true), None)?;
    assert_eq!(found.up, [r#"CREATE INDEX "shop"."IX_things_Place" ON "shop"."things" ("Place")"#]);
    assert_eq!(found.down, [r#"DROP INDEX "shop"."IX_things_Place""#]);
    Ok(())
}
