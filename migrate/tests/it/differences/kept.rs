//! Comments follow the catalog, and what no catalog says of a column stays as it is where the column changes.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::ddl::{Ddl, Part, asked, differences};
use isogloss_driver::introspect::{ColumnReport, SchemaReport, TableReport};
use isogloss_driver::{Backend, ConnectionExt as _};
use isogloss_migrate::{DiffOptions, Difference, catalog_differences, database_differences};
use isogloss_mysql::MySql;
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

use super::{run, told};
use crate::support::{Engines, Outcome, Place, on_engines, open, tables};

/// A table with a key.
pub(crate) fn things() -> TableDef {
    TableDef::new("Thing").table("things").column(ColumnDef::new("Id", T::Int32).primary_key())
}

pub(crate) fn catalog(table: TableDef) -> Catalog {
    Catalog::builder().table(table).build().unwrap()
}

/// A table with comments on it, on a column with a default, and on one that is computed.
fn commented(texts: [Option<&str>; 3]) -> Catalog {
    let [table, note, twice] = texts;
    let things = table.into_iter().fold(things(), TableDef::comment);
    let on = |column: ColumnDef, text: Option<&str>| text.into_iter().fold(column, ColumnDef::comment);
    let of_note = ColumnDef::new("Note", T::String).length(20).default_sql("'it''s'");
    let of_twice = ColumnDef::new("Twice", T::Int32).computed("{Place} * 2");
    let things = things.column(on(of_note, note)).column(ColumnDef::new("Place", T::Int32).nullable());
    catalog(things.column(on(of_twice, twice)))
}

async fn comments(backend: &dyn Backend) -> Outcome<[Option<String>; 3]> {
    let report = tables(&mut backend.connect().await?, backend).await?;
    let table = report.tables.iter().find(|table| table.name == "things").ok_or("no table")?;
    let of = |name: &str| table.column(name).and_then(|column| column.comment.clone());
    Ok([table.comment.clone(), of("Note"), of("Twice")])
}

const NONE: [Option<&str>; 3] = [None; 3];
const SOME: [Option<&str>; 3] = [Some("What's there"), Some("A \\ in\ntwo lines"), Some("Both")];
const OTHERS: [Option<&str>; 3] = [Some("Another"), Some("It's \"short\""), Some("Twice it")];

#[tokio::test]
async fn comments_follow_the_catalog_there_and_back() -> Outcome {
    on_engines(Engines::Servers, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        let made = database_differences(&*backend, &commented(NONE), &options).await?;
        run(&*backend, &made, true).await?;
        for (before, after) in [(NONE, SOME), (SOME, OTHERS)] {
            for from_database in [true, false] {
                let wanted = commented(after);
                let found = if from_database {
                    database_differences(&*backend, &wanted, &options).await?
                } else {
                    catalog_differences(backend.ddl(), &commented(before), &wanted, &options)?
                };
                let parts: Vec<&Part> = found.iter().map(|one| &one.part).collect();
                let of = |name: &str| Part::Comment(Some(name.to_owned()));
                assert_eq!(parts, [&Part::Comment(None), &of("Note"), &of("Twice")], "{engine}");
                for (up, texts) in [(true, after), (false, before), (true, after)] {
                    run(&*backend, &found, up).await.map_err(|error| format!("{engine}: {error}"))?;
                    assert_eq!(comments(&*backend).await?, texts.map(|text| text.map(str::to_owned)), "{found:#?}");
                    // Nothing else has changed: neither a default nor what is computed.
                    assert_eq!(told(&database_differences(&*backend, &commented(texts), &options).await?), [""; 0]);
                }
                if from_database {
                    run(&*backend, &found, false).await?;
                }
            }
        }

        // What people have written by hand is no difference to a catalog that says nothing.
        let options = options.drop_extra(true);
        assert_eq!(told(&database_differences(&*backend, &commented(NONE), &options).await?), [""; 0], "{engine}");
        // It stays where a column changes, and goes where a catalog takes it away.
        let longer = things().column(ColumnDef::new("Note", T::String).length(50).default_sql("'it''s'"));
        let longer = longer.column(ColumnDef::new("Place", T::Int32).nullable());
        let longer = catalog(longer.column(ColumnDef::new("Twice", T::Int32).computed("{Place} * 2")));
        let found = database_differences(&*backend, &longer, &options).await?;
        for up in [true, false] {
            run(&*backend, &found, up).await?;
            assert_eq!(comments(&*backend).await?, OTHERS.map(|text| text.map(str::to_owned)), "{engine}: {found:#?}");
        }
        let found = catalog_differences(backend.ddl(), &commented(OTHERS), &commented(NONE), &options)?;
        run(&*backend, &found, true).await?;
        assert_eq!(comments(&*backend).await?, [None, None, None], "{engine}: {found:#?}");
        Ok(())
    })
    .await
}

#[test]
fn comments_of_engines_without_a_server() -> Outcome {
    let of =
        |ddl: &dyn Ddl, old, new| catalog_differences(ddl, &commented(old), &commented(new), &DiffOptions::default());
    let first = |found: &[Difference], at: usize| [found[at].up.join("\n"), found[at].down.join("\n")];
    let found = of(&SqlServer::V2019, SOME, OTHERS)?;
    let set = |column: &str, text: &str| {
        let (of, given, column) = match column {
            "" => ("", "", String::new()),
            name => (", N''COLUMN'', @column", ", @column sysname", format!(", N'{name}'")),
        };
        format!(
            "EXEC sys.sp_executesql N'DECLARE @schema sysname = SCHEMA_NAME() EXEC sys.sp_updateextendedproperty \
             N''MS_Description'', @text, N''SCHEMA'', @schema, N''TABLE'', @table{of}', \
             N'@text nvarchar(3750), @table sysname{given}', N'{text}', N'things'{column}"
        )
    };
    assert_eq!(first(&found, 0), [set("", "Another"), set("", "What''s there")]);
    assert_eq!(first(&found, 2), [set("Twice", "Twice it"), set("Twice", "Both")]);
    let [add, drop] = first(&of(&SqlServer::V2019, NONE, SOME)?, 2);
    assert!(add.contains("sys.sp_addextendedproperty N''MS_Description'', @text"), "{add}");
    assert_eq!(
        drop,
        "EXEC sys.sp_executesql N'DECLARE @schema sysname = SCHEMA_NAME() EXEC sys.sp_dropextendedproperty \
         N''MS_Description'', N''SCHEMA'', @schema, N''TABLE'', @table, N''COLUMN'', @column', \
         N'@table sysname, @column sysname', N'things', N'Twice'"
    );
    assert_eq!(
        first(&of(&Oracle::V19, NONE, SOME)?, 0),
        [r#"COMMENT ON TABLE "things" IS 'What''s there'"#, r#"COMMENT ON TABLE "things" IS ''"#]
    );
    // It has no comments.
    assert_eq!(of(&Sqlite::V3_45, NONE, SOME)?, []);
    // One for which the engine has no room is refused here as well.
    let long = "x".repeat(5_000);
    let error = of(&Oracle::V19, NONE, [None, Some(&long), None]).unwrap_err().to_string();
    assert!(error.contains("`Note` of `Thing`: its comment has 5000 bytes"), "{error}");
    Ok(())
}

/// What MySQL and MariaDB say anew of a column that changes: that it is invisible, when it changes by itself, and MariaDB its check.
#[tokio::test]
async fn a_column_that_changes_keeps_what_a_catalog_does_not_say() -> Outcome {
    on_engines(Engines::MySql, async |_, place| {
        let backend = open(&place.url).await?;
        let made = "CREATE TABLE things (Id INTEGER PRIMARY KEY, \
                    Note VARCHAR(20) INVISIBLE COLLATE utf8mb4_bin COMMENT 'by hand' CHECK (Note <> 'it''s \\\\'), \
                    Doc JSON NOT NULL, At DATETIME(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3))";
        backend.connect().await?.script(made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?;
        let table = things()
            .column(ColumnDef::new("Note", T::String).length(50).nullable())
            .column(ColumnDef::new("Doc", T::Json).nullable())
            .column(ColumnDef::new("At", T::DateTime2).time_precision(3).default_sql("CURRENT_TIMESTAMP(3)"));
        let catalog = catalog(table);
        let found = database_differences(&*backend, &catalog, &DiffOptions::default()).await?;
        run(&*backend, &found, true).await?;
        let after = tables(&mut backend.connect().await?, &*backend).await?;
        let [table, changed] = [&before, &after].map(|report| &report.tables[0]);
        for name in ["Note", "Doc", "At"] {
            let [was, is] = [table, changed].map(|table| table.column(name).unwrap());
            assert!(was.engine_type != is.engine_type || was.nullable != is.nullable, "{found:#?}");
            let kept = |column: &ColumnReport| {
                (column.hidden, column.comment.clone(), column.collation.clone(), column.updated.clone())
            };
            assert_eq!(kept(was), kept(is), "{found:#?}");
        }
        assert_eq!((table.checks.len(), &changed.checks), (1, &table.checks), "{found:#?}");
        let bad = backend.connect().await?.script("INSERT INTO things (Id, Note) VALUES (1, 'it''s \\\\')").await;
        assert!(bad.is_err());
        // MariaDB's JSON is a text with a check.
        assert!(
            backend.connect().await?.script("INSERT INTO things (Id, Note, Doc) VALUES (1, 'a', '{')").await.is_err()
        );
        backend.connect().await?.script("INSERT INTO things (Id, Note, At) VALUES (1, 'a', '2000-01-01')").await?;
        backend.connect().await?.script("UPDATE things SET Note = 'b'").await?;
        let (years,): (i64,) = backend.connect().await?.fetch_one(&asked("SELECT YEAR(At) FROM things", &[])).await?;
        assert!(years > 2_000);
        backend.connect().await?.script("DELETE FROM things").await?;
        run(&*backend, &found, false).await?;
        assert_eq!(tables(&mut backend.connect().await?, &*backend).await?.tables[0], *table);

        // A check that goes is left out of the column that is said anew, and comes back in it.
        let found = database_differences(&*backend, &catalog, &DiffOptions::default().drop_extra(true)).await?;
        run(&*backend, &found, true).await?;
        let after = tables(&mut backend.connect().await?, &*backend).await?;
        assert_eq!(after.tables[0].checks, [], "{found:#?}");
        run(&*backend, &found, false).await?;
        assert_eq!(tables(&mut backend.connect().await?, &*backend).await?.tables[0], *table, "{found:#?}");
        Ok(())
    })
    .await
}

/// Runs what mends the differences of a table that was made by hand, and goes back; each change is looked at.
async fn there_and_back(
    made: &str,
    catalog: &Catalog,
    look: impl Fn(&TableReport, &TableReport, &[Difference]),
) -> Outcome {
    on_engines(Engines::MySql, async |_, place| {
        let backend = open(&place.url).await?;
        backend.connect().await?.script(made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?;
        let found = database_differences(&*backend, catalog, &DiffOptions::default()).await?;
        run(&*backend, &found, true).await?;
        let after = tables(&mut backend.connect().await?, &*backend).await?;
        look(&before.tables[0], &after.tables[0], &found);
        let left = told(&database_differences(&*backend, catalog, &DiffOptions::default()).await?);
        assert_eq!(left, [""; 0], "{found:#?}");
        run(&*backend, &found, false).await?;
        let back = tables(&mut backend.connect().await?, &*backend).await?;
        assert_eq!(back.tables, before.tables, "{found:#?}");
        Ok(())
    })
    .await
}

/// MySQL and MariaDB take no `CURRENT_TIMESTAMP` of other digits than the column has.
#[tokio::test]
async fn a_column_gets_the_time_of_an_update_with_its_own_digits() -> Outcome {
    let made = "CREATE TABLE things (Id INTEGER PRIMARY KEY, \
                At DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), \
                Seen DATETIME NULL ON UPDATE CURRENT_TIMESTAMP)";
    let finer = |column: ColumnDef| column.time_precision(6);
    let at = finer(ColumnDef::new("At", T::DateTime2)).default_sql("CURRENT_TIMESTAMP(6)");
    let table = things().column(at).column(finer(ColumnDef::new("Seen", T::DateTime2)).nullable());
    there_and_back(made, &catalog(table), |_, after, found| {
        for name in ["At", "Seen"] {
            let column = after.column(name).unwrap();
            let updated = column.updated.as_ref().map(|text| text.to_lowercase());
            assert_eq!(
                (column.engine_type.as_str(), updated.as_deref()),
                ("datetime(6)", Some("current_timestamp(6)")),
                "{found:#?}"
            );
        }
    })
    .await
}

/// A column that the catalog does not have comes back with its comment, and on MySQL and MariaDB with all that is said of it.
#[tokio::test]
async fn a_column_that_was_dropped_comes_back_whole() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let made = match engine.split('@').next() {
            Some("mysql") => {
                "CREATE TABLE things (Id INTEGER PRIMARY KEY, Note VARCHAR(20) COLLATE utf8mb4_unicode_ci DEFAULT 'it''s' COMMENT 'by hand', \
                 At DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3))"
            }
            Some("postgres") => {
                r#"CREATE TABLE things ("Id" integer PRIMARY KEY, "Note" varchar(20) COLLATE "C"); COMMENT ON COLUMN things."Note" IS 'it''s'"#
            }
            _ => r#"CREATE TABLE things ("Id" integer PRIMARY KEY NOT NULL, "Note" varchar(20) COLLATE NOCASE)"#,
        };
        backend.connect().await?.script(made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?.tables;
        let options = DiffOptions::default().drop_extra(true);
        let found = database_differences(&*backend, &catalog(things()), &options).await?;
        run(&*backend, &found, true).await?;
        assert_eq!(tables(&mut backend.connect().await?, &*backend).await?.tables[0].columns.len(), 1, "{found:#?}");
        run(&*backend, &found, false).await?;
        let after = tables(&mut backend.connect().await?, &*backend).await?.tables;
        let [was, is] = [&before, &after].map(|tables| tables[0].column("Note").unwrap().clone());
        if is.collation != was.collation {
            assert!(!engine.starts_with("mysql"));
            let note = found[0].impact.note.clone().unwrap_or_default();
            assert!(note.ends_with("the column comes back without its collation"), "{note}");
        }
        let mut was = was;
        was.collation.clone_from(&is.collation);
        assert_eq!(is, was, "{engine}: {found:#?}");
        assert_eq!(after[0].column("At"), before[0].column("At"), "{engine}: {found:#?}");
        Ok(())
    })
    .await
}

/// Somebody may run what is said of a comment, and leave the rest.
#[tokio::test]
async fn a_comment_changes_nothing_else_of_its_column() -> Outcome {
    let of = |length: u32, comment: &str| {
        catalog(things().column(ColumnDef::new("Note", T::String).length(length).comment(comment)))
    };
    let (long, short) = (of(50, "before"), of(20, "after"));
    on_engines(Engines::Servers, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        run(&*backend, &database_differences(&*backend, &long, &options).await?, true).await?;
        let note = async || -> Outcome<_> {
            let report = tables(&mut backend.connect().await?, &*backend).await?;
            let note = report.tables[0].column("Note").ok_or("no column")?;
            Ok((note.portable.and_then(|ty| ty.length).unwrap_or_default(), note.comment.clone().unwrap_or_default()))
        };
        let found = database_differences(&*backend, &short, &options).await?;
        let [comment, ty] = found.as_slice() else { panic!("{engine}: {found:#?}") };
        assert!(ty.impact.loses_data && !comment.impact.loses_data, "{engine}: {found:#?}");
        run(&*backend, std::slice::from_ref(comment), true).await?;
        assert_eq!(note().await?, (50, "after".to_owned()), "{engine}: {found:#?}");
        run(&*backend, std::slice::from_ref(comment), false).await?;
        for (up, is) in [(true, (20, "after")), (false, (50, "before"))] {
            run(&*backend, &found, up).await?;
            assert_eq!(note().await?, (is.0, is.1.to_owned()), "{engine}: {found:#?}");
        }
        Ok(())
    })
    .await?;
    // A column that is made anew gets it at the same time.
    let of = |text: &str, comment: Option<&str>| {
        let twice = ColumnDef::new("Twice", T::Int32).computed(text);
        catalog(things().column(comment.into_iter().fold(twice, ColumnDef::comment)))
    };
    let found = catalog_differences(
        &Postgres::V15,
        &of("{Id} * 2", None),
        &of("{Id} + {Id}", Some("both")),
        &DiffOptions::default(),
    )?;
    let comments = found.iter().flat_map(|one| &one.up).filter(|sql| sql.contains("COMMENT ON")).count();
    assert_eq!((found.len(), comments), (1, 1), "{found:#?}");
    Ok(())
}

/// MariaDB says the check of a column with the column, which may have changed by then, or is to change later.
#[tokio::test]
async fn a_check_is_said_anew_with_its_column_as_it_is() -> Outcome {
    // Both name `total`, which is made anew; `subtotals` does not.
    let made = "CREATE TABLE things (Id INTEGER PRIMARY KEY, \
                first INT NOT NULL CHECK (first > total), total INT NULL, \
                subtotals INT NOT NULL CHECK (subtotals > 0), last INT NOT NULL CHECK (last > total))";
    let wide = |name: &str| ColumnDef::new(name, T::Int64).default_sql("5");
    let total = ColumnDef::new("total", T::Int32).computed("{Id} * 2");
    let table = things().column(wide("first")).column(total).column(wide("subtotals")).column(wide("last"));
    on_engines(Engines::MySql, async |engine, place| {
        let backend = open(&place.url).await?;
        if !backend.dialect().label().starts_with("mariadb") {
            eprintln!(
                "{engine}: skipped, its checks are those of tables, and one within a column names no other column"
            );
            return Ok(());
        }
        backend.connect().await?.script(made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?;
        let wanted = catalog(table.clone());
        let found = database_differences(&*backend, &wanted, &DiffOptions::default()).await?;
        let total = found.iter().find(|one| one.part == Part::Generated("total".to_owned())).ok_or("no column")?;
        assert!(!total.up.iter().any(|sql| sql.contains("subtotals")), "{total:#?}");
        run(&*backend, &found, true).await?;
        let mut left = database_differences(&*backend, &wanted, &DiffOptions::default()).await?;
        // The checks are not the catalog's.
        left.retain(|one| !one.is_only_told());
        assert_eq!(told(&left), [""; 0], "{found:#?}");
        let after = tables(&mut backend.connect().await?, &*backend).await?;
        assert_eq!(after.tables[0].checks, before.tables[0].checks, "{found:#?}");
        // Back, but for the column that is computed by now: what it was is done by hand.
        for one in found.iter().rev().filter(|one| one.part != total.part) {
            for sql in &one.down {
                backend.connect().await?.script(sql).await?;
            }
        }
        let back = tables(&mut backend.connect().await?, &*backend).await?;
        let columns = |report: &SchemaReport| {
            report.tables[0].columns.iter().filter(|column| column.name != "total").cloned().collect::<Vec<_>>()
        };
        assert_eq!(columns(&back), columns(&before));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_generated_column_keeps_what_a_catalog_does_not_say() -> Outcome {
    let made = "CREATE TABLE things (Id INTEGER PRIMARY KEY, Place INT NULL, \
                Note VARCHAR(20) COLLATE utf8mb4_unicode_ci GENERATED ALWAYS AS (CONCAT(Place, 'x')) STORED INVISIBLE COMMENT 'by hand')";
    let note = ColumnDef::new("Note", T::String).length(20).computed("CONCAT({Place}, 'x')").comment("by a catalog");
    let table = things().column(ColumnDef::new("Place", T::Int32).nullable()).column(note);
    there_and_back(made, &catalog(table), |before, after, found| {
        let [was, is] = [before, after].map(|table| table.column("Note").unwrap().clone());
        assert_eq!(is.comment.as_deref(), Some("by a catalog"), "{found:#?}");
        assert!(was.hidden && was.stored && was.collation.is_some(), "{was:?}");
        let mut was = was;
        was.comment.clone_from(&is.comment);
        assert_eq!(is, was, "{found:#?}");
    })
    .await?;

    // One of MySQL that is never NULL, which MariaDB has not, and one that is made anew.
    let of = |text: &str| {
        let twice = ColumnDef::new("Twice", T::String).length(9).computed(text).comment("by a catalog");
        catalog(things().column(twice))
    };
    let mut now = MySql::V8_4.expected(&of("{Id} * 2"), &DiffOptions::default())?;
    let column = now.tables[0].columns.iter_mut().find(|column| column.name == "Twice").ok_or("no column")?;
    (column.nullable, column.stored, column.hidden, column.comment) = (false, true, true, None);
    column.collation = Some("utf8mb4_bin".to_owned());
    let found = differences(&MySql::V8_4, &now, &of("{Id} * 2"), &DiffOptions::default())?;
    let line = "`Twice` VARCHAR(9) COLLATE utf8mb4_bin GENERATED ALWAYS AS (`Id` * 2) STORED NOT NULL INVISIBLE";
    let modify = format!("ALTER TABLE `things` MODIFY COLUMN {line}");
    assert_eq!((&found[0].up, &found[0].down), (&vec![format!("{modify} COMMENT 'by a catalog'")], &vec![modify]));
    Ok(())
}

/// A type that introspection takes for the catalog's is no difference, and stays where something else changes.
#[tokio::test]
async fn a_column_that_changes_keeps_a_type_that_fits() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let (ty, of, other) = match engine {
            "sqlite" => ("DECIMAL(9, 2)", T::Decimal, T::Double),
            engine if engine.starts_with("postgres") => ("character(9)", T::StringFixedLength, T::Int32),
            // MariaDB says a width behind it.
            _ => ("mediumint", T::Int32, T::Int16),
        };
        let quote = if engine.starts_with("mysql") { '`' } else { '"' };
        let made = format!("CREATE TABLE things (\"Id\" INTEGER NOT NULL PRIMARY KEY, \"Note\" {ty})");
        backend.connect().await?.script(&made.replace('"', &quote.to_string())).await?;
        let with = |ty: T| {
            let note = ColumnDef::new("Note", ty);
            let note = if ty == T::Decimal { note.precision(9, 2) } else { note };
            catalog(things().column(if ty == T::StringFixedLength { note.length(9) } else { note }))
        };
        let options = DiffOptions::default();
        let found = database_differences(&*backend, &with(of), &options).await?;
        for (up, nullable) in [(true, false), (false, true)] {
            run(&*backend, &found, up).await?;
            let report = tables(&mut backend.connect().await?, &*backend).await?;
            let note = report.tables[0].column("Note").ok_or("no column")?;
            assert!(note.engine_type.starts_with(ty) && note.nullable == nullable, "{engine}: {found:#?}");
        }
        let told = told(&database_differences(&*backend, &with(other), &options).await?);
        let name = ty.split('(').next().unwrap_or(ty);
        assert!(told.iter().any(|one| one.contains(name)), "{engine}: {told:?}");
        Ok(())
    })
    .await
}

/// A text of Oracle whose length is one in bytes holds fewer characters than the catalog says.
#[test]
fn a_length_in_bytes_is_none_in_characters() -> Outcome {
    let options = DiffOptions::default();
    for (length, up) in [(50, &[r#"ALTER TABLE "things" MODIFY ("Note" VARCHAR2(50 CHAR))"#][..]), (4_000, &[])] {
        let wanted = catalog(things().column(ColumnDef::new("Note", T::String).length(length)));
        let mut now = Oracle::V19.expected(&wanted, &options)?;
        let note = now.tables[0].columns.iter_mut().find(|column| column.name == "Note").ok_or("no column")?;
        note.engine_type = format!("VARCHAR2({length} BYTE)");
        let found = differences(&Oracle::V19, &now, &wanted, &options)?;
        let ups: Vec<&str> = found.iter().flat_map(|one| &one.up).map(String::as_str).collect();
        assert_eq!(ups, up, "{found:#?}");
    }
    Ok(())
}

/// SQLite's table that is replaced has a check once, and a key is a number of the row only if it was.
#[tokio::test]
async fn a_table_that_is_replaced_keeps_checks_and_keys() -> Outcome {
    for (key, is_alias) in
        [("PRIMARY KEY DESC", false), ("PRIMARY KEY DESC ON CONFLICT IGNORE", false), ("PRIMARY KEY", true)]
    {
        let place = Place::new(None).await?;
        let backend = open(&place.url).await?;
        let made = format!(
            r#"CREATE TABLE things ("Id" INTEGER NOT NULL {key}, "Note" text, CONSTRAINT "by hand" CHECK ("Note" <> ''));
               INSERT INTO things VALUES (7, 'a'), (3, 'b')"#
        );
        backend.connect().await?.script(&made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?.tables;
        let wanted = things().column(ColumnDef::new("Note", T::String)).check("of_catalog", "{Note} <> ''");
        let found = database_differences(&*backend, &catalog(wanted), &DiffOptions::default()).await?;
        assert!(found[0].replaces, "{found:#?}");
        for up in [true, false] {
            run(&*backend, &found, up).await?;
            let after = tables(&mut backend.connect().await?, &*backend).await?.tables;
            assert_eq!(after[0].checks, before[0].checks, "{found:#?}");
            assert_eq!(after[0].primary_key_clause, before[0].primary_key_clause, "{found:#?}");
            let query = asked(r#"SELECT CAST("Id" = rowid AS INTEGER) FROM things ORDER BY "Id" LIMIT 1"#, &[]);
            let (is,): (i64,) = backend.connect().await?.fetch_one(&query).await?;
            assert_eq!(is == 1, is_alias, "{key}: {found:#?}");
        }
    }
    Ok(())
}

/// SQLite's table that is replaced keeps what no catalog says of it, and what names it still does.
#[tokio::test]
async fn a_table_that_is_replaced_keeps_its_options_and_triggers() -> Outcome {
    for (options, is_numbered, kept) in [
        ("", false, &[][..]),
        ("STRICT, WITHOUT  ROWID", false, &["STRICT", "WITHOUT ROWID"]),
        ("strict", true, &["strict"]),
        ("STRICT,without rowid", true, &["STRICT"]),
    ] {
        let place = Place::new(None).await?;
        let backend = open(&place.url).await?;
        let made = format!(
            r#"CREATE TABLE things ("Id" INTEGER NOT NULL PRIMARY KEY,
                   "Note" text NOT NULL /* (no, such ) */ ON CONFLICT REPLACE DEFAULT 'none') {options};
               CREATE TABLE log (note TEXT);
               CREATE VIEW notes AS SELECT t."Note" FROM things t;
               CREATE TRIGGER IF NOT EXISTS of_log DELETE ON log BEGIN INSERT INTO things VALUES (9, old.note); END;
               CREATE TRIGGER "logs; all" AFTER INSERT ON THINGS BEGIN
                   INSERT INTO log VALUES (new."Note"); -- each; once
               END;
               INSERT INTO things VALUES (7, NULL), (3, 'b')"#
        );
        backend.connect().await?.script(&made).await?;
        let before = tables(&mut backend.connect().await?, &*backend).await?.tables;
        let id = ColumnDef::new("Id", T::Int64).primary_key();
        let id = if is_numbered { id.identity(1, 1) } else { id };
        let note = ColumnDef::new("Note", T::String).default_sql("'none'");
        let wanted = TableDef::new("Thing").table("things").column(id).column(note).check("short", "{Note} <> ''");
        let (wanted, diff) = (catalog(wanted), DiffOptions::default());
        let found = database_differences(&*backend, &wanted, &diff).await?;
        // The log is not of the catalog.
        let due = |found: &[Difference]| found.iter().filter(|one| !one.is_only_told()).count();
        assert!(due(&found) == 1 && found[0].replaces, "{found:#?}");
        for (up, id) in [(true, 10), (false, 11)] {
            run(&*backend, &found, up).await?;
            let left = due(&database_differences(&*backend, &wanted, &diff).await?);
            assert_eq!(left, usize::from(!up), "{options}");
            let after = tables(&mut backend.connect().await?, &*backend).await?.tables;
            let [then, now] = [&before, &after].map(|tables| tables.iter().find(|table| table.name == "things"));
            let (then, now) = (then.ok_or("no table")?, now.ok_or("no table")?);
            assert_eq!(now.options, if up { kept.to_vec() } else { then.options.iter().map(String::as_str).collect() });
            assert_eq!((&now.triggers, now.triggers.len()), (&then.triggers, 1));
            assert_eq!(now.columns[1].on_null.as_deref(), Some("REPLACE"));
            let mut connection = backend.connect().await?;
            connection.script(&format!("INSERT INTO things VALUES ({id}, NULL)")).await?;
            let count =
                asked("SELECT (SELECT COUNT(*) FROM notes WHERE \"Note\" = 'none'), (SELECT COUNT(*) FROM log)", &[]);
            let counts: (i64, i64) = connection.fetch_one(&count).await?;
            assert_eq!(
                counts,
                (id - 8, id - 7),
                "{options}: the copy is logged by no trigger, and the trigger is there"
            );
            let legacy: (i64,) = connection.fetch_one(&asked("PRAGMA legacy_alter_table", &[])).await?;
            assert_eq!(legacy, (0,));
        }
        backend.connect().await?.script("DELETE FROM log WHERE rowid = 1").await?;
    }
    Ok(())
}

/// The digits of a text are characters, and those of a number are its value.
#[tokio::test]
async fn a_default_of_digits_is_a_text_where_the_column_is_one() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let options = DiffOptions::default();
        let of = |text: &str, number: &str| {
            let code = ColumnDef::new("Code", T::String).length(9).default_sql(text);
            catalog(
                things().column(code).column(ColumnDef::new("Share", T::Decimal).precision(9, 2).default_sql(number)),
            )
        };
        let made = database_differences(&*backend, &of("'007'", "1.50"), &options).await?;
        run(&*backend, &made, true).await?;
        assert_eq!(told(&database_differences(&*backend, &of("'007'", "1.5"), &options).await?), [""; 0], "{engine}");
        let found = database_differences(&*backend, &of("'7'", "1.5"), &options).await?;
        assert_eq!(found.len(), 1, "{engine}: {found:#?}");
        run(&*backend, &found, true).await?;
        assert_eq!(told(&database_differences(&*backend, &of("'7'", "1.5"), &options).await?), [""; 0], "{engine}");
        Ok(())
    })
    .await
}
