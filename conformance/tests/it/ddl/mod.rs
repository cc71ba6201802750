//! The tables of a catalog: their statements in each dialect, and that the engines at hand take them and mean them.

mod engines;
mod made;
mod refused;

use std::fmt::Write as _;
use std::path::Path;

use isogloss_compiler::args;
use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, DbValueType as T, ValueOps, func, prop};
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, ReferenceAction, TableDef};
use isogloss_driver::Result;
use isogloss_driver::ddl::Ddl;
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

/// The versions that a snapshot shows.
const SHOWN: [(&dyn Dialect, &dyn Ddl); 7] = [
    (&Postgres::V15, &Postgres::V15),
    (&MySql::V8_4, &MySql::V8_4),
    (&MariaDb::V10_11, &MariaDb::V10_11),
    (&Sqlite::V3_45, &Sqlite::V3_45),
    (&SqlServer::V2019, &SqlServer::V2019),
    (&Oracle::V19, &Oracle::V19),
    (&DuckDb::V1_5, &DuckDb::V1_5),
];

/// Tables with everything that the sample leaves out.
fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", T::Int32).primary_key();
    let mut kinds = TableDef::new("Kind").table("Kinds").column(id());
    for ty in T::ALL {
        kinds = kinds.column(ColumnDef::new(ty.name(), ty).nullable());
    }
    let kinds = kinds
        .column(ColumnDef::new("Short", T::String).length(4_000).nullable())
        .column(ColumnDef::new("Long", T::String).length(4_001).nullable())
        .column(ColumnDef::new("Hash", T::Binary).length(32).nullable())
        .column(ColumnDef::new("Blob", T::Binary).length(5_000).nullable())
        .column(ColumnDef::new("Exact", T::Decimal).precision(38, 10).nullable())
        .column(ColumnDef::new("Seconds", T::DateTime).time_precision(0).nullable())
        .column(ColumnDef::new("Millis", T::DateTime2).time_precision(3).nullable())
        .column(ColumnDef::new("Zoned", T::DateTimeOffset).time_precision(0).nullable())
        .column(ColumnDef::new("Clock", T::Time).time_precision(0).nullable())
        .column(ColumnDef::new("Numbers", DbType::array_of(T::Int32)).nullable())
        .column(ColumnDef::new("Words", DbType::array_of(T::String)).nullable());
    let counter = TableDef::new("Counter")
        .table("Counters")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(100, 1))
        .column(ColumnDef::new("Name", T::String).length(20).nullable().unique())
        .column(ColumnDef::new("Active", T::Boolean).default_sql("true"))
        .column(ColumnDef::new("Paid", T::Boolean).default_sql("0"))
        .column(ColumnDef::new("Rank", T::Int32).default_sql("7").index());
    let line = TableDef::new("Line")
        .table("Lines")
        .column(ColumnDef::new("Tenant", T::Int32).primary_key())
        .column(ColumnDef::new("No", T::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("Qty", T::Int32))
        .column(ColumnDef::new("Price", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Total", T::Decimal).precision(18, 2).computed("{Qty} * {Price}"));
    let fives = TableDef::new("Five").table("Fives").column(id().identity(10, 5));
    let long = TableDef::new("Long").column(id()).column(ColumnDef::new("L".repeat(65), T::Int32));
    let odd = TableDef::new("Odd")
        .table("Odd \"Na`me]")
        .column(id())
        .column(ColumnDef::new("A\"b`c]d'e", T::String).length(10).index())
        .column(ColumnDef::new("AnAlarminglyLongNameOfAColumnThatFillsWhatAnEngineHasForIt", T::Int32).index());
    // What is added to a table that is there already.
    let mut grown = TableDef::new("Grown").table("Growns_{0}").column(id());
    // A PostgreSQL may be built without XML: then no value is one, and no default.
    for ty in T::ALL.into_iter().filter(|ty| *ty != T::Xml) {
        grown = grown.column(ColumnDef::new(ty.name(), ty));
    }
    let label = func("Upper", args![prop("AnsiString").concat("x")]);
    let grown = grown
        .column(ColumnDef::new("Words", DbType::array_of(T::String)))
        .column(ColumnDef::new("Note", T::String).nullable().index().comment("What it's about"))
        .column(ColumnDef::new("Twice", T::Int32).computed("{Int32} * 2"))
        .column(ColumnDef::new("Label", T::String).length(40).computed_expr(label));
    // More than MySQL has room for in a row.
    let mut wide = TableDef::new("Wide").table("Wides").column(id());
    for n in 0..5 {
        wide = wide.column(ColumnDef::new(format!("Long{n}"), T::String).length(4_000).nullable());
    }
    for n in 0..65 {
        wide = wide.column(ColumnDef::new(format!("Text{n}"), T::String).nullable());
    }
    let wide = wide
        .column(ColumnDef::new("Code", T::String).length(768).unique())
        .column(ColumnDef::new("Late", T::String).length(300).nullable());
    let told = TableDef::new("Told")
        .table("Tolds")
        .comment("What is told: it's all here, with a \\ and two\nlines")
        .column(id().comment("Its number"))
        .column(ColumnDef::new("Up", T::Int32).nullable().comment("Whom it's under"))
        .column(ColumnDef::new("Place", T::Int32))
        .column(ColumnDef::new("Twice", T::Int32).computed("{Place} * 2").comment("Both"))
        .index(IndexDef::new(["Up", "Place"]).unique().name("one_place"))
        .check("in_place", "{Place} > 0")
        .key_name("one's key")
        .constraint(ConstraintDef::new(["Up"], "Told").name("under_another"));
    let mut builder = Catalog::builder();
    for table in [kinds, counter, line, fives, odd, long, grown, wide, told] {
        builder = builder.table(table);
    }
    // Numbers that some engines do not count by themselves.
    for (name, id, start, increment) in [
        ("Zero", ColumnDef::new("Id", T::Int32), 0, 1),
        ("Down", ColumnDef::new("Id", T::Int32), 5, -2),
        ("Huge", ColumnDef::new("Id", T::UInt64), 7, 1),
        ("Whole", ColumnDef::new("Id", T::Decimal), 1, 1),
    ] {
        let table = TableDef::new(name).table(name).column(id.primary_key().identity(start, increment));
        builder = builder.table(table.column(ColumnDef::new("Note", T::Int32).nullable()));
    }
    builder.build().unwrap()
}

/// Tables that refer to each other.
fn referring() -> Catalog {
    let table = |name: &str| {
        let id = ColumnDef::new("Id", T::Int32).primary_key();
        let number = |name: &str| ColumnDef::new(name, T::Int32).nullable();
        TableDef::new(name).table(format!("{name}s")).column(id).column(number("A")).column(number("B"))
    };
    let key = |column: &str, entity: &str, action| ConstraintDef::new([column], entity).on_delete(action);
    let (cascade, nulls) = (ReferenceAction::Cascade, ReferenceAction::SetNull);
    Catalog::builder()
        .table(table("Node").constraint(key("A", "Node", nulls)))
        .table(table("Child").constraint(key("A", "Node", cascade)))
        .table(table("Grandchild").constraint(key("A", "Child", cascade)).constraint(key("B", "Node", nulls)))
        // A way that does nothing is none.
        .table(
            table("Heir")
                .constraint(key("A", "Child", cascade).on_update(ReferenceAction::NoAction).name("of_child"))
                .constraint(key("B", "Node", ReferenceAction::NoAction)),
        )
        .build()
        .unwrap()
}

/// A table whose columns not every engine has an index on, or adds to a table with rows.
fn hard() -> Catalog {
    let text = |length: u32| ColumnDef::new(format!("Text{length}"), T::String).length(length).nullable().index();
    let hash = |length: u32| ColumnDef::new(format!("Hash{length}"), T::Binary).length(length).nullable().index();
    let mut table = TableDef::new("Hard").table("Hards").column(ColumnDef::new("Id", T::Int32).primary_key());
    for column in [text(768), text(769), text(4_001), hash(3_072), hash(3_073), hash(4_001)] {
        table = table.column(column);
    }
    // All that MySQL has room for in a row is in these.
    for ty in [T::Json, T::Jsonb, T::Object, T::Guid, T::DateTime, T::Decimal] {
        table = table.column(ColumnDef::new(ty.name(), ty).nullable().index());
    }
    let table = table
        .column(ColumnDef::new("Words", DbType::array_of(T::String)).nullable().unique())
        .column(ColumnDef::new("Email", T::String).length(100).unique())
        .column(ColumnDef::new("Nick", T::String).length(100).unique().nullable())
        .column(ColumnDef::new("Seen", T::DateTimeOffset).nullable().index())
        .column(ColumnDef::new("Heard", T::DateTimeOffset).nullable().unique())
        .column(ColumnDef::new("Born", T::DateTime).default_sql("CURRENT_TIMESTAMP"))
        .column(ColumnDef::new("Noted", T::DateTime2).time_precision(0).default_sql("CURRENT_TIMESTAMP"))
        .column(ColumnDef::new("Quoted", T::String).length(9).default_sql("'it''s'"))
        .column(ColumnDef::new("Wide", T::String).length(9).default_sql("'ł'"))
        .column(ColumnDef::new("Sum", T::Int32).default_sql("1 + 1"))
        .column(ColumnDef::new("Big", T::String).length(5_000))
        .column(ColumnDef::new("Blob", T::Binary).length(5_000));
    let part = |name: &str| ColumnDef::new(name, T::String).length(400).primary_key();
    let pair = TableDef::new("Pair").table("Pairs").column(part("A")).column(part("B"));
    // More than Oracle has for a key, and on MySQL for one column of it.
    let part = |name: &str| ColumnDef::new(name, T::String).length(800).primary_key();
    let wide = TableDef::new("WidePair").table("WidePairs").column(part("A")).column(part("B"));
    // Where the rows that are there have a value of an enumeration, and where they have none.
    let number = |name: &str| ColumnDef::new(name, T::Int32);
    let text = |name: &str| ColumnDef::new(name, T::String).length(10).enumeration([("None", 0), ("A", 1)]);
    let chosen = TableDef::new("Chosen")
        .table("Chosens")
        .column(number("Id").primary_key())
        .column(number("FromZero").enumeration([("A", 1), ("None", 0)]))
        .column(number("FromOne").enumeration([("A", 1), ("B", 2)]))
        .column(number("FromOneOrNull").enumeration([("A", 1), ("B", 2)]).nullable())
        .column(number("FromOneByDefault").enumeration([("A", 1), ("B", 2)]).default_sql("1"))
        .column(number("Flags").flags([("A", 1), ("B", 2)]))
        .column(text("Name"))
        .column(text("NameByDefault").default_sql("'A'"));
    Catalog::builder().table(table).table(pair).table(wide).table(chosen).build().unwrap()
}

/// What is made of each column that comes to a table, or why there is nothing.
fn added(ddl: &dyn Ddl, catalog: &Catalog, name: &str) -> Vec<std::result::Result<Vec<String>, String>> {
    let (id, entity) = catalog.entity(name).unwrap();
    let columns = entity.columns.iter().filter(|column| !column.primary_key);
    let add = |name: &str| ddl.add_column(catalog, id, name, &shard("x")).map_err(|error| error.to_string());
    columns.map(|column| add(column.name.as_str())).collect()
}

/// What is made of each column that comes to a table, a line for each statement or refusal.
fn lines(ddl: &dyn Ddl, catalog: &Catalog, name: &str) -> Vec<String> {
    added(ddl, catalog, name).into_iter().flat_map(|made| made.unwrap_or_else(|why| vec![why])).collect()
}

/// Compares the statements of each dialect with the snapshot of that name.
fn snapshot(name: &str, statements: impl Fn(&dyn Ddl) -> Result<Vec<String>>) {
    let mut text = String::new();
    for (dialect, ddl) in SHOWN {
        let _ = writeln!(text, "{}", dialect.label());
        match statements(ddl) {
            Ok(statements) => statements.iter().for_each(|sql| _ = writeln!(text, "    {sql}")),
            Err(error) => _ = writeln!(text, "    {error}"),
        }
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/ddl"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text.trim_end()));
}

fn shard(shard: &str) -> Vec<CompactString> {
    vec![shard.into()]
}
