//! What no engine, or not every one, has.

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Catalog, CatalogBuilder, ColumnDef, ConstraintDef, IndexDef, TableDef, sample};

use crate::ddl::{SHOWN, hard, lines, snapshot};

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
    let keyless = TableDef::new("Log").column(ColumnDef::new("Id", T::Int64)).key_name("log_key");
    let keyless = Catalog::builder().table(keyless).build().unwrap_err().to_string();
    assert!(
        keyless.contains("entity `Log`: an index, check or constraint: `log_key` names a primary key, and it has none"),
        "{keyless}"
    );
    let log = |table: &str| {
        let log = TableDef::new("Log").table(table).column(ColumnDef::new("Id", T::Int64).primary_key());
        Catalog::builder().table(log.key_name("log_key")).build()
    };
    let sharded = log("logs_{0}").unwrap_err().to_string();
    let why = "each table of `logs_{0}` would have the key `log_key`, and a schema has one: leave its name out";
    assert!(sharded.contains(why), "{sharded}");
    assert!(log("tenant_{0}.logs").is_ok());
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

/// SQL Server reads a backslash at the end of a line as one that goes on, in a literal, too.
#[test]
fn a_comment_whose_line_would_go_on_is_refused() {
    for (text, is_whole) in [("a\\\nb", false), ("a\\\r\nb", false), ("a\\ \nb\\", true)] {
        let table =
            TableDef::new("Note").table("Notes").column(ColumnDef::new("Id", T::Int32).primary_key().comment(text));
        let catalog = Catalog::builder().table(table).build().unwrap();
        let id = catalog.entity("Note").unwrap().0;
        for (dialect, ddl) in SHOWN {
            let made = ddl.create_table(&catalog, id, &[]);
            assert_eq!(made.is_ok(), is_whole || dialect.sheet().name != "sqlserver", "{dialect:?}: {made:?}");
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
