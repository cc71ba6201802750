//! A database that was made from a catalog has no differences from it, and what mends a difference mends it, there and back.

use std::thread;

mod barred;
mod kept;
mod keys;
mod order;
mod referring;

use isogloss_compiler::args;
use isogloss_compiler::expr::ValueOps as _;
use isogloss_compiler::expr::{DbValueType as T, func, prop};
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, ReferenceAction, TableDef, sample};
use isogloss_driver::ddl::asked;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt as _};
use isogloss_migrate::{
    DiffOptions, Difference, Lock, Migration, Migrations, Migrator, catalog_differences, database_differences,
    write_migration,
};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;
use isogloss_testkit::servers::{SALES_LOCK, SALES_MARK};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{Engines, Outcome, Place, engines, on_engines, open, tables};

/// The statements as a migration runs them.
async fn run(backend: &dyn Backend, found: &[Difference], up: bool) -> Outcome {
    let parent = tempfile::tempdir()?;
    let folder = parent.path().join("migrations");
    if write_migration(&folder, "change", &[(backend.dialect(), found.to_vec())])?.is_some() {
        let written = Migrations::read(&folder, backend.dialect())?;
        let one = written.iter().next().unwrap();
        let text = if up { one.up() } else { one.down_text().ok_or("no way back")? };
        let all = Migrations::new([Migration::new(1, "change", text)])?;
        let done = Migrator::new(backend, &all).table("mig_tried").run(None).await;
        backend.connect().await?.script("DROP TABLE mig_tried").await?;
        done.map_err(|error| format!("{error}\n{text}"))?;
    }
    Ok(())
}

async fn report(connection: &mut AnyConnection, backend: &dyn Backend) -> Outcome<String> {
    let report = tables(connection, backend).await?;
    // A column that goes and comes back is the last one.
    let mut lines: Vec<String> = Vec::new();
    for table in &report.tables {
        // MySQL tells `CURRENT_TIMESTAMP` by another name where it was written as an expression.
        let told = |column| format!("{column:?}").replace("\"now(", "\"CURRENT_TIMESTAMP(");
        let mut columns: Vec<_> = table.columns.iter().map(told).collect();
        columns.sort();
        lines.push(format!(
            "{} {columns:?} {:?} {:?} {:?} {:?} {:?}",
            table.name, table.primary_key, table.indexes, table.unique_keys, table.foreign_keys, table.checks
        ));
    }
    Ok(lines.join("\n"))
}

fn all_kinds() -> Catalog {
    let mut kinds = TableDef::new("Kind").table("Kinds").column(ColumnDef::new("Id", T::Int32).primary_key());
    for ty in T::ALL.into_iter().filter(|ty| *ty != T::Xml) {
        kinds = kinds.column(ColumnDef::new(ty.name(), ty).nullable());
    }
    let kinds = kinds
        .column(ColumnDef::new("Long", T::String).length(4_001).nullable())
        .column(ColumnDef::new("Hash", T::Binary).length(32).nullable())
        .column(ColumnDef::new("Exact", T::Decimal).precision(30, 10).nullable())
        .column(ColumnDef::new("Seconds", T::DateTime).time_precision(0).nullable())
        .column(ColumnDef::new("Zoned", T::DateTimeOffset).time_precision(3).nullable())
        .column(ColumnDef::new("Clock", T::Time).time_precision(0).nullable());
    let counter = TableDef::new("Counter")
        .table("Counters")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(100, 1))
        .column(ColumnDef::new("Name", T::String).length(20).nullable().unique())
        .column(ColumnDef::new("Active", T::Boolean).default_sql("true"))
        .column(ColumnDef::new("Rank", T::Int32).default_sql("7").index())
        .column(ColumnDef::new("Share", T::Decimal).precision(10, 3).default_sql("1.5"))
        .column(ColumnDef::new("Born", T::DateTime).default_sql("CURRENT_TIMESTAMP"))
        .column(ColumnDef::new("Quoted", T::String).length(9).default_sql("'it''s'"))
        .column(ColumnDef::new("Sum", T::Int32).default_sql("1 + 1"))
        .column(
            ColumnDef::new("Label", T::String)
                .length(40)
                .computed_expr(func("Upper", args![prop("Quoted").concat("x")])),
        );
    let line = TableDef::new("Line")
        .table("Lines")
        .column(ColumnDef::new("Tenant", T::Int32).primary_key())
        .column(ColumnDef::new("No", T::Int32).primary_key())
        .column(ColumnDef::new("Qty", T::Int32))
        .column(ColumnDef::new("Price", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Total", T::Decimal).precision(18, 2).computed("{Qty} * {Price}"));
    Catalog::builder().table(kinds).table(counter).table(line).build().unwrap()
}

#[tokio::test]
async fn what_was_made_from_a_catalog_has_no_differences() -> Outcome {
    for catalog in [all_kinds(), sample::catalog()] {
        on_engines(Engines::All, async |engine, place| {
            let backend = open(&place.url).await?;
            let mut holder = backend.connect().await?;
            let is_mysql = engine.starts_with("mysql");
            if is_mysql {
                // A schema is a database beside the test's own: the conformance tests make that of the sample, too, and take
                // this lock. It ends with its connection.
                holder.set_statement_timeout(None).await?;
                let lock = asked(format!("SELECT GET_LOCK('{SALES_LOCK}', 600)"), &[]);
                assert_eq!(holder.fetch_one::<(i64,)>(&lock).await?, (1,));
            }
            let options = DiffOptions::default();
            let found = database_differences(&*backend, &catalog, &options).await?;
            assert!(found.len() >= 3);
            let mut made = Vec::new();
            // Those of the sample that are in a schema of their own are made in it.
            if found.iter().any(|one| one.table.contains('.')) && engine != "sqlite" {
                for schema in found.iter().filter_map(|one| one.table.split_once('.')).map(|(schema, _)| schema) {
                    if backend.connect().await?.script(&format!("CREATE SCHEMA {schema}")).await.is_ok() && is_mysql {
                        let mark = format!("CREATE TABLE {schema}.{SALES_MARK} (n INT)");
                        holder.script(&mark).await?;
                        made.push(schema.to_owned());
                    }
                }
            }
            let found: Vec<_> =
                found.into_iter().filter(|one| engine != "sqlite" || !one.table.contains('.')).collect();
            let ran = run(&*backend, &found, true).await.map_err(|error| format!("{engine}: {error}"));
            let left = database_differences(&*backend, &catalog, &options).await;
            for schema in made {
                holder.script(&format!("DROP DATABASE {schema}")).await?;
            }
            ran?;
            let left = left?;
            let left: Vec<_> = left
                .iter()
                .filter(|one| engine != "sqlite" || !one.table.contains('.'))
                .filter(|one| !one.table.ends_with(SALES_MARK))
                .map(ToString::to_string)
                .collect();
            assert!(left.is_empty(), "{engine}: {left:#?}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// A column as the generator makes it: its kind, and whether it may be NULL, has a default, an index, or a unique one.
type Spec = (usize, bool, bool, u8);

const KINDS: [(T, u32, &str); 9] = [
    (T::Int32, 0, "7"),
    (T::Int64, 0, "8"),
    (T::String, 20, "'a'"),
    (T::String, 60, "'b''c'"),
    (T::String, 300, "'a'"),
    (T::Decimal, 10, "1.5"),
    (T::Decimal, 14, "2"),
    (T::Boolean, 0, "true"),
    (T::DateTime, 0, "CURRENT_TIMESTAMP"),
];

fn column(name: &str, (kind, nullable, default, index): Spec) -> ColumnDef {
    let (ty, size, text) = KINDS[kind % KINDS.len()];
    let mut column = ColumnDef::new(name, ty);
    if ty == T::String {
        column = column.length(size);
    }
    if ty == T::Decimal {
        column = column.precision(u8::try_from(size).unwrap(), 2);
    }
    if nullable {
        column = column.nullable();
    }
    if default {
        column = column.default_sql(text);
    }
    match index % 4 {
        1 => column.index(),
        2 if nullable => column.unique(),
        _ => column,
    }
}

/// What is beside the columns: a bit each.
const TOGETHER: u8 = 1;
const UNIQUE: u8 = 2;
const CHECK: u8 = 4;
const KEY: u8 = 8;
const CASCADE: u8 = 16;

fn catalog(specs: &[Option<Spec>], more: bool, identity: bool, beside: u8) -> Catalog {
    let id = ColumnDef::new("Id", T::Int64).primary_key();
    let mut table = TableDef::new("Thing").table("things").column(if identity { id.identity(1, 1) } else { id });
    for (at, spec) in specs.iter().enumerate() {
        if let Some(spec) = spec {
            table = table.column(column(&format!("c{at}"), *spec));
        }
    }
    if beside & (TOGETHER | KEY) != 0 {
        table = table.column(ColumnDef::new("More", T::Int32).nullable());
    }
    if beside & TOGETHER != 0 {
        let index = IndexDef::new(["Id", "More"]);
        table = table.index(if beside & UNIQUE != 0 { index.unique() } else { index });
    }
    if beside & CHECK != 0 {
        // A number that MariaDB counts has no check.
        table = table.column(ColumnDef::new("Count", T::Int32).nullable()).check("things_count", "{Count} >= 0");
    }
    if beside & KEY != 0 && more {
        let action = if beside & CASCADE != 0 { ReferenceAction::Cascade } else { ReferenceAction::NoAction };
        table = table.constraint(ConstraintDef::new(["More"], "More").on_delete(action));
    }
    let mut builder = Catalog::builder().table(table);
    if more {
        let id = ColumnDef::new("Id", T::Int32).primary_key();
        builder = builder.table(
            TableDef::new("More")
                .table("mores")
                .column(id)
                .column(ColumnDef::new("word", T::String).length(10).index()),
        );
    }
    builder.build().unwrap()
}

fn specs() -> impl Strategy<Value = (Vec<Option<Spec>>, bool, u8)> {
    let spec = (0..KINDS.len(), any::<bool>(), any::<bool>(), any::<u8>());
    (proptest::collection::vec(proptest::option::weighted(0.7, spec), 1..5), any::<bool>(), 0..32_u8)
}

/// From nothing to a, from a to b and back, on an empty table of an engine.
async fn there_and_back(backend: &dyn Backend, a: &Catalog, b: &Catalog) -> Outcome {
    let options = DiffOptions::default();
    let none = Catalog::builder().build()?;
    let first = catalog_differences(backend.ddl(), &none, a, &options)?;
    run(backend, &first, true).await?;
    let text = |found: Vec<Difference>| found.iter().map(ToString::to_string).collect::<Vec<_>>();
    let left = text(database_differences(backend, a, &options).await?);
    assert!(left.is_empty(), "after the first: {left:#?}");
    let mut connection = backend.connect().await?;
    let before = report(&mut connection, backend).await?;
    drop(connection);
    for from_database in [false, true] {
        // SQLite does not tell the checks, and drops no column that one names.
        if from_database
            && backend.origin().system == "sqlite"
            && [a, b].iter().any(|catalog| catalog.entities().any(|(_, of)| !of.checks.is_empty()))
        {
            continue;
        }
        let change = if from_database {
            database_differences(backend, b, &options.clone().drop_extra(true)).await?
        } else {
            catalog_differences(backend.ddl(), a, b, &options)?
        };
        let can_return = change.iter().all(|one| !one.down.is_empty());
        run(backend, &change, true).await?;
        let left = text(database_differences(backend, b, &options).await?);
        assert!(left.is_empty(), "from a database: {from_database}: {left:#?} after {change:#?}");
        if !can_return {
            // A table that only the database had.
            assert!(from_database, "{change:#?}");
            break;
        }
        run(backend, &change, false).await?;
        let left = text(database_differences(backend, a, &options).await?);
        assert!(left.is_empty(), "from a database: {from_database}: {left:#?} back from {change:#?}");
        // SQLite keeps the default that a column was added with.
        if backend.origin().system != "sqlite" {
            let mut connection = backend.connect().await?;
            assert_eq!(report(&mut connection, backend).await?, before, "back from {change:#?}");
        }
    }
    for table in ["things", "mores"] {
        backend.connect().await?.script(&format!("DROP TABLE IF EXISTS {table}")).await?;
    }
    Ok(())
}

/// Changes random catalogs into each other on an engine, in a database of its own.
fn random_changes(engine: &str, server: Option<&str>, cases: u32) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let place = runtime.block_on(Place::new(server))?;
    let backend = runtime.block_on(open(&place.url))?;
    let config = Config { cases, max_shrink_iters: 40, failure_persistence: None, ..Config::default() };
    let done = TestRunner::new(config).run(
        &(specs(), specs(), any::<bool>()),
        |((a, more, of_a), (b, other, of_b), identity)| {
            let (a, b) = (catalog(&a, more, identity, of_a), catalog(&b, other, identity, of_b));
            let clean = async {
                for table in ["things", "mores", "mig_tried"] {
                    backend.connect().await?.script(&format!("DROP TABLE IF EXISTS {table}")).await?;
                }
                there_and_back(&*backend, &a, &b).await
            };
            runtime.block_on(clean).map_err(|error| TestCaseError::fail(error.to_string()))
        },
    );
    done.map_err(|error| format!("{engine}: {error}").into())
}

#[test]
fn what_mends_a_difference_mends_it_there_and_back() -> Outcome {
    let engines = engines();
    let results: Vec<Outcome> = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (engine, server) in &engines {
            // A server waits for its disk most of the time, so that several databases of it are changed at once.
            let (databases, cases) = if engine == "sqlite" { (4, 15) } else { (5, 4) };
            for _ in 0..databases {
                threads.push(scope.spawn(move || random_changes(engine, server.as_deref(), cases)));
            }
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    results.into_iter().collect()
}

#[test]
fn what_an_engine_lacks_is_refused_and_a_body_keeps_its_marks() -> Outcome {
    let of = |default: &str| {
        let table = TableDef::new("Thing").table("things").column(ColumnDef::new("Id", T::Int64).primary_key());
        table.column(ColumnDef::new("Other", T::Int64).nullable().default_sql(default))
    };
    let key = ConstraintDef::new(["Other"], "Owner").on_update(ReferenceAction::Cascade);
    let owner = || TableDef::new("Owner").table("owners").column(ColumnDef::new("Id", T::Int64).primary_key());
    let both = |thing| Catalog::builder().table(owner()).table(thing).build();
    let (plain, keyed) = (both(of("1"))?, both(of("1").constraint(key))?);
    let options = DiffOptions::default();
    let error = catalog_differences(&Oracle::V19, &plain, &keyed, &options).unwrap_err().to_string();
    assert!(error.contains("constraint `FK_things_Other`: oracle 19c has no ON UPDATE CASCADE"), "{error}");
    let found = catalog_differences(&SqlServer::V2019, &plain, &keyed, &options)?;
    assert!(found[0].up[0].ends_with("REFERENCES [owners] ([Id]) ON UPDATE CASCADE"), "{found:?}");

    // A default of SQL Server is dropped by a script with semicolons of its own.
    let changed = both(of("2"))?;
    let found = catalog_differences(&SqlServer::V2019, &plain, &changed, &options)?;
    let parent = tempfile::tempdir()?;
    let folder = parent.path().join("migrations");
    write_migration(&folder, "change", &[(&SqlServer::V2019, found)])?;
    let written = Migrations::read(&folder, &SqlServer::V2019)?;
    let text = written.iter().next().unwrap().up();
    assert!(text.contains("-- isogloss: begin\nDECLARE @d sysname"), "{text}");
    Ok(())
}

#[tokio::test]
async fn null_is_not_overwritten_where_a_table_is_replaced() -> Outcome {
    let place = Place::new(None).await?;
    let backend = open(&place.url).await?;
    let of = |column: ColumnDef| {
        let id = ColumnDef::new("Id", T::Int32).primary_key();
        Catalog::builder().table(TableDef::new("Thing").table("things").column(id).column(column)).build()
    };
    let name = || ColumnDef::new("Name", T::String).length(20);
    let options = DiffOptions::default();
    let none = Catalog::builder().build()?;
    run(&*backend, &catalog_differences(backend.ddl(), &none, &of(name().nullable())?, &options)?, true).await?;
    backend.connect().await?.script("INSERT INTO things VALUES (1, NULL), (2, 'b')").await?;
    for wanted in [of(name())?, of(name().default_sql("'none'"))?] {
        let found = database_differences(&*backend, &wanted, &options).await?;
        assert!(found[0].impact.note.as_deref().is_some_and(|note| note.contains("has NULL there")), "{found:?}");
        let error = run(&*backend, &found, true).await.unwrap_err().to_string();
        assert!(error.contains("NOT NULL constraint failed"), "{error}");
        let mut connection = backend.connect().await?;
        let rows: Vec<(i64, Option<String>)> =
            connection.fetch(&asked("SELECT Id, Name FROM things ORDER BY Id", &[])).await?;
        assert_eq!(rows, [(1, None), (2, Some("b".to_owned()))]);
    }
    Ok(())
}

#[tokio::test]
async fn what_the_catalog_names_elsewhere_is_not_dropped() -> Outcome {
    let place = Place::new(None).await?;
    let backend = open(&place.url).await?;
    let table =
        |name: &str, table: &str| TableDef::new(name).table(table).column(ColumnDef::new("Id", T::Int32).primary_key());
    let catalog = Catalog::builder()
        .table(table("Thing", "things"))
        .table(table("Event", "events_{0}"))
        .table(table("Remote", "remotes").data_source("other"))
        .build()?;
    let tables = ["things", "events_2026", "remotes", "own_history", "stray"];
    for table in tables {
        backend.connect().await?.script(&format!("CREATE TABLE {table} (Id integer NOT NULL PRIMARY KEY)")).await?;
    }
    let options = DiffOptions::default().drop_extra(true);
    let none = Migrations::default();
    let found = Migrator::new(&*backend, &none).table("own_history").differences(&catalog, &options).await?;
    let statements: Vec<&str> = found.iter().flat_map(|one| &one.up).map(String::as_str).collect();
    assert_eq!(statements, [r#"DROP TABLE "main"."stray""#]);
    Ok(())
}

fn told(found: &[Difference]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn catalogs_are_compared_by_conditions_and_by_what_is_deferred() -> Outcome {
    let id = || ColumnDef::new("Id", T::Int64).primary_key();
    let of = |filter: &str, deferred: bool| {
        let key = ConstraintDef::new(["Other"], "Thing");
        let key = if deferred { key.deferred() } else { key };
        let table = TableDef::new("Thing").table("things").column(id()).column(ColumnDef::new("Other", T::Int64));
        Catalog::builder()
            .table(table.index(IndexDef::new(["Other"]).filter_sql(filter).name("some")).constraint(key))
            .build()
    };
    let (options, engine) = (DiffOptions::default(), Postgres::V15);
    let first = of("{Other} > 0", false)?;
    assert_eq!(catalog_differences(&engine, &first, &of("{Other} > 0", false)?, &options)?, []);
    let found = catalog_differences(&engine, &first, &of("{Other} > 1", true)?, &options)?;
    let ups: Vec<&str> = found.iter().flat_map(|one| &one.up).map(String::as_str).collect();
    assert_eq!(
        ups,
        [
            r#"ALTER TABLE "things" DROP CONSTRAINT "FK_things_Other""#,
            r#"DROP INDEX "some""#,
            r#"CREATE INDEX "some" ON "things" ("Other") WHERE "Other" > 1"#,
            concat!(
                r#"ALTER TABLE "things" ADD CONSTRAINT "FK_things_Other" FOREIGN KEY ("Other") REFERENCES "things" ("Id")"#,
                " DEFERRABLE INITIALLY DEFERRED"
            ),
        ],
        "{found:#?}"
    );

    // A second entity of the table has a check and a foreign key of its own.
    let more = TableDef::new("More").table("things").column(id()).column(ColumnDef::new("Count", T::Int64).nullable());
    let more = more.check("things_count", "{Count} >= 0").constraint(ConstraintDef::new(["Count"], "Thing"));
    let thing = TableDef::new("Thing").table("things").column(id());
    let both = Catalog::builder().table(thing).table(more).build()?;
    let found = catalog_differences(&engine, &Catalog::builder().build()?, &both, &options)?;
    let ups = found.iter().flat_map(|one| &one.up).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(ups.contains(r#"ADD CONSTRAINT "things_count" CHECK ("Count" >= 0)"#), "{ups}");
    assert!(ups.contains(r#"ADD CONSTRAINT "FK_things_Count""#), "{ups}");
    Ok(())
}

#[test]
fn the_impact_says_what_is_copied_and_who_waits() -> Outcome {
    let of = |precision: u8, scale: u8, check: bool| {
        let table = TableDef::new("Thing").table("things").column(ColumnDef::new("Id", T::Int64).primary_key());
        let table = table.column(ColumnDef::new("Price", T::Decimal).precision(precision, scale));
        Catalog::builder().table(if check { table.check("price", "{Price} > 0") } else { table }).build()
    };
    let now = of(10, 2, false)?;
    let found = |to: &Catalog| catalog_differences(&Postgres::V15, &now, to, &DiffOptions::default());
    let (longer, finer, checked) = (found(&of(14, 2, false)?)?, found(&of(14, 4, false)?)?, found(&of(10, 2, true)?)?);
    assert!(!longer[0].impact.rewrites && finer[0].impact.rewrites, "{longer:?} {finer:?}");
    assert_eq!(checked[0].impact.locks, Lock::ReadsAndWrites);
    Ok(())
}

/// It is dropped and added again, and what names it is there afterwards.
#[tokio::test]
async fn a_generated_column_that_changes_keeps_its_indexes_and_checks() -> Outcome {
    let of = |computed: &str| {
        let table = TableDef::new("Thing").table("things").column(ColumnDef::new("Id", T::Int64).primary_key());
        let table = table.column(ColumnDef::new("Twice", T::Int64).computed(computed));
        let table = table.index(IndexDef::new(["Twice", "Id"])).check("things_twice", "{Twice} > 0");
        Catalog::builder().table(table).build()
    };
    on_engines(Engines::Servers, async |engine, place| {
        let backend = open(&place.url).await?;
        let (old, new, none) = (of("{Id} * 2")?, of("{Id} + {Id} + 1")?, Catalog::builder().build()?);
        let options = DiffOptions::default();
        run(&*backend, &catalog_differences(backend.ddl(), &none, &old, &options)?, true).await?;
        backend
            .connect()
            .await?
            .script(
                "INSERT INTO things (Id) VALUES (3)"
                    .replace("Id", if engine.starts_with("mysql") { "Id" } else { "\"Id\"" })
                    .as_str(),
            )
            .await?;
        let change = catalog_differences(backend.ddl(), &old, &new, &options)?;
        for (up, twice, catalog) in [(true, 7_i64, &new), (false, 6, &old)] {
            run(&*backend, &change, up).await.map_err(|error| format!("{engine}: {error}"))?;
            assert_eq!(
                told(&database_differences(&*backend, catalog, &options).await?),
                [""; 0],
                "{engine}: {change:#?}"
            );
            let column = if engine.starts_with("mysql") { "Twice" } else { "\"Twice\"" };
            let query = asked(format!("SELECT {column} FROM things"), &[]);
            let (value,): (i64,) = backend.connect().await?.fetch_one(&query).await?;
            assert_eq!(value, twice, "{engine}");
        }
        Ok(())
    })
    .await
}

/// A column that the database numbers from now on goes on behind the rows that are there.
#[tokio::test]
async fn numbers_go_on_behind_rows_that_are_there() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let of = |id: ColumnDef| {
            let table = TableDef::new("Thing").table("Thing's").column(id.primary_key());
            Catalog::builder().table(table.column(ColumnDef::new("Note", T::Int32).nullable())).build()
        };
        let options = DiffOptions::default();
        let plain = of(ColumnDef::new("Id", T::Int32))?;
        run(&*backend, &catalog_differences(backend.ddl(), &Catalog::builder().build()?, &plain, &options)?, true)
            .await?;
        let mut connection = backend.connect().await?;
        let quote = if engine.starts_with("mysql") { '`' } else { '"' };
        let name = |name: &str| format!("{quote}{name}{quote}");
        let (table, id, note) = (name("Thing's"), name("Id"), name("Note"));
        connection.script(&format!("INSERT INTO {table} ({id}) VALUES (1), (7)")).await?;
        drop(connection);
        let numbered = of(ColumnDef::new("Id", T::Int32).identity(1, 1))?;
        let found = database_differences(&*backend, &numbered, &options).await?;
        run(&*backend, &found, true).await?;
        let mut connection = backend.connect().await?;
        connection.script(&format!("INSERT INTO {table} ({note}) VALUES (5)")).await?;
        let rows: Vec<(i64,)> =
            connection.fetch(&asked(format!("SELECT {id} FROM {table} ORDER BY {id}"), &[])).await?;
        assert_eq!(rows, [(1,), (7,), (8,)], "{engine}: {found:#?}");
        drop(connection);
        Ok(())
    })
    .await
}
