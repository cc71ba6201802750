//! The tables of a catalog: their statements in each dialect, and that the engines at hand take them and mean them.
//!
//! SQLite is there always, PostgreSQL and MariaDB or MySQL where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name
//! servers, with blanks between them.

use std::env;
use std::fmt::{Display, Write as _};
use std::path::Path;

use isogloss_compiler::args;
use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, DbValueType as T, ValueOps, func, prop};
use isogloss_compiler::model::{
    Catalog, CatalogBuilder, ColumnDef, ConstraintDef, IndexDef, ReferenceAction, TableDef, sample,
};
use isogloss_conformance::judge::Judge;
use isogloss_driver::ddl::{Ddl, DiffOptions, Difference, catalog_differences};
use isogloss_driver::{Result, ServerDialect};
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;
use mysql::prelude::Queryable;

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
        .constraint(ConstraintDef::new(["Up"], "Told").on_delete(ReferenceAction::Cascade).name("under_another"));
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

/// The same as lines.
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

#[test]
fn tables_of_the_sample() {
    let catalog = sample::catalog();
    for (id, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
        snapshot(&format!("sample_{}", entity.name.as_str().to_lowercase()), |ddl| {
            ddl.create_table(&catalog, id, &shard("2024"))
        });
    }
}

#[test]
fn tables_of_every_kind() {
    let catalog = catalog();
    for (id, entity) in catalog.entities() {
        snapshot(&entity.name.as_str().to_lowercase(), |ddl| ddl.create_table(&catalog, id, &shard("x")));
    }
}

/// A table before and after: each property is changed in one way.
fn versions(partial: bool) -> [Catalog; 2] {
    let customer = TableDef::new("Customer").table("Customers").column(ColumnDef::new("Id", T::Int64).primary_key());
    let text = |name: &str, length: u32| ColumnDef::new(name, T::String).length(length);
    let decimal = |digits: u8, scale: u8| ColumnDef::new("Price", T::Decimal).precision(digits, scale);
    let order = || TableDef::new("Order").table("Orders").column(ColumnDef::new("Id", T::Int64).primary_key());
    let unique = || IndexDef::new(["Grows", "Default"]).unique();
    let old = order()
        .column(text("Grows", 50))
        .column(text("Shrinks", 200))
        .column(ColumnDef::new("Widens", T::Int32))
        .column(ColumnDef::new("Turns", T::Int32))
        .column(decimal(10, 2))
        .column(ColumnDef::new("Moment", T::DateTime2).time_precision(0))
        .column(ColumnDef::new("Zoned", T::DateTime2))
        .column(ColumnDef::new("Clock", T::Time).time_precision(0))
        .column(text("Required", 20).nullable())
        .column(text("Optional", 20))
        .column(ColumnDef::new("Default", T::Int32).default_sql("1"))
        .column(ColumnDef::new("NoDefault", T::Int32).default_sql("1"))
        .column(ColumnDef::new("CustomerId", T::Int64))
        .column(ColumnDef::new("Twice", T::Int32).computed("{Default} * 2"))
        .column(text("Gone", 20).index())
        .comment("What is sold");
    let new = order()
        .comment("What's sold")
        .column(text("Grows", 200).comment("It grows"))
        .column(text("Shrinks", 50))
        .column(ColumnDef::new("Widens", T::Int64))
        .column(text("Turns", 20))
        .column(decimal(12, 4))
        .column(ColumnDef::new("Moment", T::DateTime2).time_precision(6))
        .column(ColumnDef::new("Zoned", T::DateTimeOffset))
        .column(ColumnDef::new("Clock", T::Time).time_precision(3))
        .column(text("Required", 20))
        .column(text("Optional", 20).nullable())
        .column(ColumnDef::new("Default", T::Int32).default_sql("2"))
        .column(ColumnDef::new("NoDefault", T::Int32))
        .column(ColumnDef::new("CustomerId", T::Int64).index())
        .column(ColumnDef::new("Twice", T::Int32).computed("{Default} * 3"))
        .column(ColumnDef::new("Added", T::Int32).default_sql("7"))
        .column(text("AddedNullable", 20).nullable())
        .column(ColumnDef::new("AddedNow", T::DateTime2).default_sql("CURRENT_TIMESTAMP"))
        .index(if partial { unique().filter_sql("{Default} > 0") } else { unique() })
        .check("OrderPositive", "{Default} > 0")
        .constraint(ConstraintDef::new(["CustomerId"], "Customer"));
    let of = |order: TableDef, other: TableDef| {
        Catalog::builder().table(customer.clone()).table(order).table(other).build().unwrap()
    };
    let other = |name: &str| TableDef::new(name).table(name).column(ColumnDef::new("Id", T::Int64).primary_key());
    [of(old, other("Old")), of(new, other("New"))]
}

/// What a difference says and does, there and back.
fn told(difference: &Difference) -> Vec<String> {
    let mut lines = vec![format!("-- {difference}: {}", difference.impact)];
    lines.extend(difference.up.iter().cloned());
    lines.extend(difference.down.iter().map(|sql| format!("-- back: {sql}")));
    lines
}

#[test]
fn differences() {
    let options = DiffOptions::default().drop_extra(true);
    snapshot("differences", |ddl| {
        let of = |partial: bool| {
            let [old, new] = versions(partial);
            catalog_differences(ddl, &old, &new, &options)
        };
        // Where no index is over some of the rows, that is said, and what there is without it.
        let (mut lines, all) = match of(true) {
            Ok(all) => (Vec::new(), all),
            Err(error) => (vec![error.to_string()], of(false)?),
        };
        lines.extend(all.iter().flat_map(told));
        Ok(lines)
    });
    let table = || TableDef::new("Note").table("Notes").column(ColumnDef::new("Id", T::Int64).primary_key());
    let of = |table: TableDef| Catalog::builder().table(table).build().unwrap();
    let [old, new] = [of(table().column(ColumnDef::new("Gone", T::Int32).nullable())), of(table())];
    snapshot("difference_of_a_column", |ddl| {
        Ok(catalog_differences(ddl, &old, &new, &options)?.iter().flat_map(told).collect())
    });
}

#[test]
fn what_stands_beside_columns_is_checked() {
    let wrong = |order: TableDef| {
        let id = || ColumnDef::new("Id", T::Int64).primary_key();
        let order = order.column(id()).column(ColumnDef::new("Other", T::Int64));
        let catalog = Catalog::builder().table(TableDef::new("Customer").column(id())).table(order);
        catalog.build().unwrap_err().to_string()
    };
    let none = wrong(TableDef::new("Order").index(IndexDef::new([""; 0])));
    assert!(none.contains("entity `Order`: an index, check or constraint: it has no columns"), "{none}");
    let two = wrong(TableDef::new("Order").constraint(ConstraintDef::new(["Id", "Other"], "Customer")));
    assert!(two.contains("it has 2 columns, and the key of `Customer` has 1"), "{two}");
    let between = r#"{"entity": [{"name": "A", "columns": [{"name": "Id", "type": "Int32", "primary_key": true}],
        "relations": [{"name": "Others", "kind": "has_many", "entity": "A", "through": "A"}]}]}"#;
    let between = CatalogBuilder::from_json(between).unwrap().build().unwrap_err().to_string();
    assert!(
        between.contains("relation `Others`: a many-to-many, and nothing else, goes through an entity between"),
        "{between}"
    );
}

#[test]
fn changes() {
    let catalog = catalog();
    let (id, _) = catalog.entity("Grown").unwrap();
    snapshot("add_column", |ddl| Ok(lines(ddl, &catalog, "Grown")));
    snapshot("index_and_drop", |ddl| {
        let mut all = ddl.create_index(&catalog, id, "Int32", &shard("x"))?;
        all.extend(ddl.drop_table(&catalog, id, &shard("x"))?);
        Ok(all)
    });
    let told = catalog.entity("Told").unwrap().0;
    snapshot("told_constraints", |ddl| ddl.add_constraints(&catalog, told, &[]));
    snapshot("inspect", |ddl| {
        let asked = ddl.inspect(&catalog, catalog.entity("Counter").unwrap().0, &[])?;
        let lines = [asked.columns, asked.indexes].map(|query| {
            let texts: Vec<_> = query.params.iter().map(|param| param.value.to_string()).collect();
            format!("{} -- {}", query.sql, texts.join(", "))
        });
        Ok(lines.into())
    });
    snapshot("unknown", |ddl| ddl.add_column(&catalog, id, "Int23", &shard("x")));
    snapshot("key", |ddl| ddl.add_column(&catalog, id, "Id", &shard("x")));
    snapshot("without_shard", |ddl| ddl.create_table(&catalog, id, &[]));
}

/// What no engine, or not every one, has is refused before anything is sent.
#[test]
fn refusals() {
    let hard = hard();
    snapshot("hard", |ddl| Ok(lines(ddl, &hard, "Hard")));
    snapshot("hard_table", |ddl| ddl.create_table(&hard, hard.entity("Hard").unwrap().0, &[]));
    snapshot("pair", |ddl| ddl.create_table(&hard, hard.entity("Pair").unwrap().0, &[]));
    snapshot("members", |ddl| Ok(lines(ddl, &hard, "Chosen")));
    snapshot("wide_pair", |ddl| ddl.create_table(&hard, hard.entity("WidePair").unwrap().0, &[]));
}

/// What PostgreSQL numbers from now on goes on behind the rows that are there.
#[test]
fn numbers_go_on_behind_rows() {
    for (increment, last) in [
        (2, r#"max("Id")) FROM "Note's" HAVING max("Id") >= 5"#),
        (-2, r#"min("Id")) FROM "Note's" HAVING min("Id") <= 5"#),
    ] {
        let of =
            |id: ColumnDef| Catalog::builder().table(TableDef::new("Note").table("Note's").column(id)).build().unwrap();
        let id = || ColumnDef::new("Id", T::Int64).primary_key();
        let [old, new] = [of(id()), of(id().identity(5, increment))];
        let found = catalog_differences(&Postgres::V15, &old, &new, &DiffOptions::default()).unwrap();
        let [_, _, behind] = &found[0].up[..] else { panic!("{found:?}") };
        assert_eq!(behind, &format!(r#"SELECT setval(pg_get_serial_sequence('"Note''s"', 'Id'), {last}"#));
    }
}

/// A comment for which the engine has no room is refused, on the table and on a column.
#[test]
fn comments_have_a_length() {
    for (dialect, ddl) in SHOWN {
        let limit = |of_column: bool| match dialect.sheet().name {
            "mysql" | "mariadb" => Some(if of_column { 1_024 } else { 2_048 }),
            "sqlserver" => Some(3_750),
            "oracle" => Some(4_000),
            _ => None,
        };
        for (of_column, entity) in [(false, "`Note`"), (true, "`Text` of `Note`")] {
            let made = |length: usize| {
                let (table, column) =
                    (TableDef::new("Note").table("Notes"), ColumnDef::new("Text", T::Int32).nullable());
                let long = "x".repeat(length);
                let (table, column) =
                    if of_column { (table, column.comment(long)) } else { (table.comment(long), column) };
                let table = table.column(ColumnDef::new("Id", T::Int32).primary_key()).column(column);
                let catalog = Catalog::builder().table(table).build().unwrap();
                let id = catalog.entity("Note").unwrap().0;
                let done = if of_column {
                    ddl.add_column(&catalog, id, "Text", &[])
                } else {
                    ddl.create_table(&catalog, id, &[])
                };
                done.map_err(|error| error.to_string())
            };
            let Some(limit) = limit(of_column) else {
                made(5_000).unwrap();
                continue;
            };
            made(limit).unwrap();
            let error = made(limit + 1).unwrap_err();
            let told = format!("{entity}: its comment has {} ", limit + 1);
            assert!(error.contains(&told) && error.contains(&format!(" has room for {limit}: shorten it")), "{error}");
        }
    }
}

#[test]
fn a_view_has_the_table_of_its_entity_and_a_name_has_a_few_parts() {
    let catalog = sample::catalog();
    let id = |name: &str| catalog.entity(name).unwrap().0;
    for (_, ddl) in SHOWN {
        let of = |name: &str| ddl.create_table(&catalog, id(name), &[]).unwrap();
        assert_eq!(of("OrderView"), of("Order"));
    }
    let far = TableDef::new("Far").table("a.b.c.d").column(ColumnDef::new("Id", T::Int32).primary_key());
    let catalog = Catalog::builder().table(far).build().unwrap();
    for (_, ddl) in SHOWN {
        assert!(ddl.drop_table(&catalog, catalog.entity("Far").unwrap().0, &[]).is_err());
    }
}

/// The judges of engines that cannot be run here take every statement, and not the other engine's.
#[test]
fn judges() {
    const JUDGED: [(&dyn Dialect, &dyn Ddl); 5] = [
        (&SqlServer::V2017, &SqlServer::V2017),
        (&SqlServer::V2019, &SqlServer::V2019),
        (&Oracle::V12_2, &Oracle::V12_2),
        (&Oracle::V19, &Oracle::V19),
        (&Oracle::V23, &Oracle::V23),
    ];
    for (dialect, ddl) in JUDGED {
        let Some(mut judge) = Judge::start(dialect).unwrap() else {
            println!("skipped: the judge of {} is not set up", dialect.label());
            continue;
        };
        for (_, other) in SHOWN.into_iter().filter(|(other, _)| other.sheet().name == "mysql") {
            assert!(every_statement(other).iter().any(|sql| judge.check(sql).is_err()));
        }
        // The grammar of Oracle's SQL has no sign there, which its documentation of sequences has.
        let is_known = |sql: &String| !sql.contains("INCREMENT BY -") || dialect.sheet().name != "oracle";
        let findings: Vec<String> = every_statement(ddl)
            .into_iter()
            .filter(is_known)
            .filter_map(|sql| judge.check(&sql).err().map(|why| format!("{}: {why}\n    {sql}", dialect.label())))
            .collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}

/// What makes, grows and drops the tables of both catalogs, and what changes one, there and back.
fn every_statement(ddl: &dyn Ddl) -> Vec<String> {
    let mut all = Vec::new();
    for catalog in [sample::catalog(), catalog(), hard()] {
        for (id, entity) in catalog.entities() {
            all.extend(ddl.create_table(&catalog, id, &shard("x")).unwrap_or_default());
            for column in &entity.columns {
                all.extend(ddl.add_column(&catalog, id, column.name.as_str(), &shard("x")).unwrap_or_default());
            }
            all.extend(ddl.drop_table(&catalog, id, &shard("x")).unwrap_or_default());
        }
    }
    let [old, new] = versions(false);
    let found = catalog_differences(ddl, &old, &new, &DiffOptions::default()).unwrap();
    let changes = found.into_iter().flat_map(|found| found.up.into_iter().chain(found.down));
    // What drops a default of SQL Server is a batch of two statements.
    all.extend(changes.filter(|sql| !sql.starts_with("DECLARE @d ")));
    all.sort_unstable();
    all.dedup();
    assert!(all.len() > 100, "{}", all.len());
    all
}

/// An engine that statements are run on.
trait Engine {
    type Error: Display;

    /// Runs a statement.
    fn run(&mut self, sql: &str) -> std::result::Result<(), Self::Error>;

    /// The only column of the only row, as text.
    fn text(&mut self, sql: &str) -> String;
}

/// What makes a table that has nothing but a key.
fn only_key(ddl: &dyn Ddl, table: &str) -> Vec<String> {
    let table = TableDef::new("Before").table(table).column(ColumnDef::new("Id", T::Int32).primary_key());
    let catalog = Catalog::builder().table(table).build().unwrap();
    ddl.create_table(&catalog, catalog.entity("Before").unwrap().0, &[]).unwrap()
}

/// Makes every table of the catalog, grows one, and looks at what the engine makes of them.
fn holds<E: Engine>(engine: &mut E, dialect: &dyn ServerDialect, quote: char) {
    let catalog = catalog();
    let all = |statements: Vec<String>, engine: &mut E| {
        for sql in statements {
            if let Err(error) = engine.run(&sql) {
                panic!("{}: {error}\n{sql}", dialect.label());
            }
        }
    };
    for (id, entity) in catalog.entities().filter(|(_, entity)| entity.name != *"Grown") {
        match dialect.create_table(&catalog, id, &[]) {
            Ok(statements) => all(statements, engine),
            Err(error) => {
                let refused: &[&str] = match dialect.sheet().name {
                    "postgres" => &["Long"],
                    "sqlite" => &["Five", "Line", "Zero", "Down"],
                    _ => &["Five", "Long", "Zero", "Down"],
                };
                assert!(refused.contains(&entity.name.as_str()), "{}: {error}", entity.name);
            }
        }
    }
    let q = |text: &str| text.replace('"', &quote.to_string());

    // Numbers begin where the catalog says, defaults are there, and NULL is no twin of NULL.
    for name in ["NULL", "NULL", "'x'", "'X'", "'x '"] {
        all(vec![q(&format!(r#"INSERT INTO "Counters" ("Name") VALUES ({name})"#))], engine);
    }
    assert!(engine.run(&q(r#"INSERT INTO "Counters" ("Name") VALUES ('x')"#)).is_err(), "a twin");
    assert_eq!(engine.text(&q(r#"SELECT MIN("Id") FROM "Counters""#)), "100");
    let defaults = r#"SELECT COUNT(*) FROM "Counters" WHERE "Active" = TRUE AND "Paid" = FALSE AND "Rank" = 7"#;
    assert_eq!(engine.text(&q(defaults)), "5");
    for (name, first, second) in [("Zero", "0", "1"), ("Down", "5", "3"), ("Huge", "7", "8"), ("Whole", "1", "2")] {
        if dialect.create_table(&catalog, catalog.entity(name).unwrap().0, &[]).is_ok() {
            all(vec![q(&format!(r#"INSERT INTO "{name}" ("Note") VALUES (1)"#))], engine);
            assert_eq!(engine.text(&q(&format!(r#"SELECT MAX("Id") FROM "{name}""#))), first, "{name}");
            all(vec![q(&format!(r#"INSERT INTO "{name}" ("Note") VALUES (2)"#))], engine);
            assert_eq!(engine.text(&q(&format!(r#"SELECT "Id" FROM "{name}" WHERE "Note" = 2"#))), second, "{name}");
        }
    }
    // By code points.
    let order = r#"SELECT "Name" FROM "Counters" WHERE "Name" IS NOT NULL ORDER BY "Name" LIMIT 1"#;
    assert_eq!(engine.text(&q(order)), "X");

    // The key has both columns, and the engine computes.
    if dialect.sheet().name != "sqlite" {
        let line = r#"INSERT INTO "Lines" ("Tenant", "Qty", "Price") VALUES (1, 3, 1.25)"#;
        all(vec![q(line), q(line)], engine);
        assert_eq!(engine.text(&q(r#"SELECT SUM("Total") FROM "Lines""#)), "7.50");
    }

    // Rows that are there get something in every column that is added.
    let (id, entity) = catalog.entity("Grown").unwrap();
    let shard = shard("x");
    all(only_key(dialect, "Growns_x"), engine);
    all(vec![q(r#"INSERT INTO "Growns_x" ("Id") VALUES (1)"#)], engine);
    for column in entity.columns.iter().filter(|column| !column.primary_key) {
        all(dialect.add_column(&catalog, id, column.name.as_str(), &shard).unwrap(), engine);
    }
    all(dialect.create_index(&catalog, id, "Int32", &shard).unwrap(), engine);
    let there = r#"SELECT COUNT(*) FROM "Growns_x" WHERE "Boolean" = FALSE AND "Decimal" = 0 AND "Twice" = 0 AND "Label" = 'X'"#;
    assert_eq!(engine.text(&q(there)), "1");

    // What is not refused, it takes: of a table with rows.
    for (table, name, there) in [
        ("Hards", "Hard", r#""Quoted" = 'it''s' AND "Big" = ''"#),
        ("Chosens", "Chosen", r#""FromZero" = 0 AND "FromOneByDefault" = 1 AND "Flags" = 0 AND "NameByDefault" = 'A'"#),
    ] {
        all(only_key(dialect, table), engine);
        let rows = [1, 2].map(|id| q(&format!(r#"INSERT INTO "{table}" ("Id") VALUES ({id})"#)));
        all(rows.into(), engine);
        for made in added(dialect, &hard(), name).into_iter().flatten() {
            all(made, engine);
        }
        assert_eq!(engine.text(&q(&format!(r#"SELECT COUNT(*) FROM "{table}" WHERE {there}"#))), "2");
        all(vec![q(&format!(r#"DROP TABLE "{table}""#))], engine);
    }

    for (id, entity) in catalog.entities() {
        if dialect.create_table(&catalog, id, &shard).is_ok() {
            let drops = dialect.drop_table(&catalog, id, &shard).unwrap();
            assert_eq!(drops.len(), 1, "{}", entity.name);
            all(drops, engine);
        }
    }
}

/// The servers that an environment variable names.
fn servers(variable: &str) -> Vec<String> {
    let urls = env::var(variable).unwrap_or_default();
    if urls.trim().is_empty() {
        println!("skipped: no {variable}");
    }
    urls.split_whitespace().map(str::to_owned).collect()
}

/// A database of this test's own.
fn database() -> String {
    format!("isogloss_ddl_{}", std::process::id())
}

impl Engine for rusqlite::Connection {
    type Error = rusqlite::Error;

    fn run(&mut self, sql: &str) -> rusqlite::Result<()> {
        self.execute_batch(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        let value: rusqlite::types::Value = self.query_row(sql, [], |row| row.get(0)).unwrap();
        match value {
            rusqlite::types::Value::Integer(n) => n.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn sqlite() {
    let mut connection = rusqlite::Connection::open_in_memory().unwrap();
    holds(&mut connection, &Sqlite::V3_45, '"');
}

#[test]
fn sqlite_in_a_schema() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch("ATTACH ':memory:' AS sales").unwrap();
    let table = TableDef::new("Note")
        .table("sales.Notes")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(50, 1))
        .column(ColumnDef::new("Text", T::String).unique());
    let catalog = Catalog::builder().table(table).build().unwrap();
    let (id, _) = catalog.entity("Note").unwrap();
    let mut statements = Sqlite::V3_45.create_table(&catalog, id, &[]).unwrap();
    statements.push("INSERT INTO sales.Notes (Text) VALUES ('a')".into());
    statements.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
    let number: i64 = connection.query_row("SELECT Id FROM sales.Notes", [], |row| row.get(0)).unwrap();
    assert_eq!(number, 50);
    assert!(connection.execute_batch("INSERT INTO sales.Notes (Text) VALUES ('a')").is_err());
}

impl Engine for postgres::Client {
    type Error = postgres::Error;

    fn run(&mut self, sql: &str) -> std::result::Result<(), postgres::Error> {
        self.batch_execute(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        let messages = self.simple_query(sql).unwrap();
        let row = messages.iter().find_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        row.unwrap().to_owned()
    }
}

#[test]
fn postgres() {
    for url in servers("ISOGLOSS_POSTGRES_URL") {
        let mut server = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        let database = database();
        let collated = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'";
        server.batch_execute(&format!("CREATE DATABASE {database} {collated}")).unwrap();
        let held = std::panic::catch_unwind(|| {
            let mut config: postgres::Config = url.parse().unwrap();
            let mut client = config.dbname(&database).connect(postgres::NoTls).unwrap();
            holds(&mut client, &Postgres::V15, '"');
        });
        server.batch_execute(&format!("DROP DATABASE {database} WITH (FORCE)")).unwrap();
        assert!(held.is_ok(), "{}", server.text("SELECT version()"));
    }
}

impl Engine for mysql::Conn {
    type Error = mysql::Error;

    fn run(&mut self, sql: &str) -> mysql::Result<()> {
        self.query_drop(sql)
    }

    fn text(&mut self, sql: &str) -> String {
        self.query_first(sql).unwrap().unwrap()
    }
}

/// A column is added without a copy of the table, unless its default is an expression or that of a large object on MySQL;
/// and to a row that is full.
fn in_place(connection: &mut mysql::Conn, dialect: &dyn ServerDialect) {
    let catalog = catalog();
    for sql in ["Growns_x", "Hards"].iter().flat_map(|table| only_key(dialect, table)) {
        connection.run(&sql).unwrap();
    }
    for sql in added(dialect, &catalog, "Grown").into_iter().chain(added(dialect, &hard(), "Hard")).flatten().flatten()
    {
        let large = ["JSON NOT", "TEXT NOT", "BLOB NOT", "(1 + 1)"].iter().any(|why| sql.contains(why));
        let copies = large && dialect.sheet().name == "mysql";
        let how = if sql.starts_with("CREATE") || copies { "" } else { ", ALGORITHM=INSTANT" };
        connection.run(&format!("{sql}{how}")).unwrap_or_else(|error| panic!("{}: {error}\n{sql}", dialect.label()));
    }

    let mut full = TableDef::new("Wide").table("Wides").column(ColumnDef::new("Id", T::Int32).primary_key());
    for n in 0..4 {
        full = full.column(ColumnDef::new(format!("Long{n}"), T::String).length(4_000).nullable());
    }
    let full = full.column(ColumnDef::new("Text0", T::String).nullable());
    let before = Catalog::builder().table(full).build().unwrap();
    let mut grow = dialect.create_table(&before, before.entity("Wide").unwrap().0, &[]).unwrap();
    grow.extend(dialect.add_column(&catalog, catalog.entity("Wide").unwrap().0, "Late", &[]).unwrap());
    grow.iter().for_each(|sql| connection.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}")));
}

#[test]
fn mysql() {
    for url in servers("ISOGLOSS_MYSQL_URL") {
        let mut connection = mysql::Conn::new(url.as_str()).unwrap();
        let database = database();
        connection.query_drop(format!("CREATE DATABASE {database}")).unwrap();
        let mariadb = connection.text("SELECT VERSION()").contains("MariaDB");
        let held = std::panic::catch_unwind(|| {
            let mut connection = mysql::Conn::new(url.as_str()).unwrap();
            connection.query_drop(format!("USE {database}")).unwrap();
            let dialect: &dyn ServerDialect = if mariadb { &MariaDb::V10_11 } else { &MySql::V8_4 };
            holds(&mut connection, dialect, '`');
            in_place(&mut connection, dialect);
        });
        connection.query_drop(format!("DROP DATABASE {database}")).unwrap();
        assert!(held.is_ok(), "{url}");
    }
}
