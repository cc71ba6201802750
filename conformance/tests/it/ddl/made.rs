//! What is made of tables, and of what is otherwise between two catalogs.

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, TableDef, sample};
use isogloss_conformance::judge::Judge;
use isogloss_driver::ddl::{Ddl, DiffOptions, Difference, catalog_differences};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use crate::ddl::{SHOWN, catalog, hard, lines, referring, shard, snapshot};

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
fn changes() {
    let catalog = catalog();
    let (id, _) = catalog.entity("Grown").unwrap();
    snapshot("add_column", |ddl| Ok(lines(ddl, &catalog, "Grown")));
    snapshot("index_and_drop", |ddl| {
        let mut all = ddl.create_index(&catalog, id, "Int32", &shard("x"))?;
        all.extend(ddl.drop_table(&catalog, id, &shard("x"))?);
        Ok(all)
    });
    let referring = referring();
    snapshot("constraints", |ddl| ddl.add_constraints(&referring, referring.entity("Heir").unwrap().0, &[]));
    snapshot("constraint_that_cascades_to_itself", |ddl| {
        ddl.add_constraints(&referring, referring.entity("Node").unwrap().0, &[])
    });
    snapshot("constraints_that_cascade_on_two_ways", |ddl| {
        ddl.add_constraints(&referring, referring.entity("Grandchild").unwrap().0, &[])
    });
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
            isogloss_testkit::skipped(format_args!("the judge of {} is not set up", dialect.label()));
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
