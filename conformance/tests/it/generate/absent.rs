//! SQL Server and Oracle, which do not run here: rows as the documentation of their catalog views has them are read. And an engine
//! that does not answer.

use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::introspect::{Filled, IntrospectOptions, Kept, SchemaReport, introspect};
use isogloss_generate::{Mapping, Model, Options};
use isogloss_oracle::Oracle;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

use crate::generate::recorded::Recorded;

/// A row of texts and numbers; `_` is NULL.
macro_rules! row {
    ($($value:tt),*) => { vec![$(value!($value)),*] };
}
macro_rules! value {
    (_) => {
        Value::Null
    };
    ($value:literal) => {
        Value::from($value)
    };
}

async fn read(ddl: &dyn Ddl, recorded: Recorded) -> SchemaReport {
    let mut connection = recorded;
    introspect(&mut connection, ddl, &IntrospectOptions::default()).await.unwrap()
}

/// The types of the columns of the first table.
fn types(report: &SchemaReport) -> Vec<Option<T>> {
    report.tables[0].columns.iter().map(|column| column.portable.map(|ty| ty.ty.base)).collect()
}

#[tokio::test]
async fn sql_server() {
    let ddl = SqlServer::V2022;
    let asked = ddl.introspection().unwrap();
    let recorded = Recorded::default()
        .answer(asked.default_schema, vec![row!["dbo"]])
        .answer(
            asked.tables,
            vec![row!["dbo", "Orders", "table", "What is sold", 12], row!["dbo", "Totals", "view", _, _]],
        )
        .answer(
            asked.columns,
            vec![
                row!["Orders", "Id", "int", "int", _, _, _, 0, "identity", "100 5", _, _, 0],
                row![
                    "Orders",
                    "Name",
                    "nvarchar(40)",
                    "nvarchar",
                    40,
                    _,
                    _,
                    1,
                    "default",
                    "(N'new')",
                    _,
                    "Its name",
                    0
                ],
                row!["Orders", "Note", "nvarchar(max)", "nvarchar", _, _, _, 1, _, _, "Latin1_General_BIN2", _, 0],
                row!["Orders", "Price", "decimal(18, 2)", "decimal", _, 18, 2, 0, _, _, _, _, 0],
                row![
                    "Orders",
                    "Twice",
                    "decimal(19, 2)",
                    "decimal",
                    _,
                    19,
                    2,
                    1,
                    "generated",
                    "([Price]*(2))",
                    _,
                    _,
                    0
                ],
                row!["Orders", "At", "datetime2(7)", "datetime2", _, 7, _, 0, _, _, _, _, 0],
                row!["Orders", "Version", "timestamp", "timestamp", _, _, _, 0, "generated", _, _, _, 0],
                row!["Orders", "Spot", "geography", "geography", _, _, _, 0, _, _, _, _, 0],
                row!["Orders", "Since", "datetime2(7)", "datetime2", _, 7, _, 0, "generated", _, _, _, 1],
                row![
                    "Orders",
                    "No",
                    "bigint",
                    "bigint",
                    _,
                    _,
                    _,
                    0,
                    "default",
                    "(NEXT VALUE FOR [dbo].[Num]]bers])",
                    _,
                    _,
                    0
                ],
                row!["Totals", "Total", "money", "money", _, _, _, 1, _, _, _, _, 0],
            ],
        )
        .answer(
            asked.keys,
            vec![
                row!["Orders", "FK_Up", "F", "Id", "dbo", "Orders", "Id", "NO ACTION", "CASCADE", 0, 0],
                row!["Orders", "FK_Off", "F", "No", "dbo", "Orders", "Id", "CASCADE", "NO ACTION", 2, 0],
                row!["Orders", "PK_Orders", "P", "Id", _, _, _, _, _, 0, 0],
                row!["Orders", "UQ_Off", "U", "At", _, _, _, _, _, 2, 0],
            ],
        )
        .answer(
            asked.indexes,
            vec![
                row!["Orders", "FULLTEXT", 0, "Note", _, _, "FULLTEXT"],
                row!["Orders", "IX_All", 0, "Price", _, _, "NONCLUSTERED COLUMNSTORE"],
                row!["Orders", "IX_All", 0, "At", _, _, "NONCLUSTERED COLUMNSTORE"],
                row!["Orders", "IX_Down", 0, _, "[Price] DESC", _, _],
                row!["Orders", "IX_More", 0, "Price", _, _, "NONCLUSTERED INCLUDE"],
                row!["Orders", "IX_Name", 1, "Name", _, "([Name] IS NOT NULL)", _],
                row!["Orders", "IX_Some", 0, "Price", _, "([Price]>(5))", _],
            ],
        )
        .answer(
            asked.checks.unwrap(),
            vec![row!["Orders", "CK_Old", "([Price]<(9))", 1, 0], row!["Orders", "CK_Price", "([Price]>(0))", 0, 0]],
        )
        .answer(
            asked.sequences.unwrap(),
            vec![row!["dbo", "Free", 1, 1, _, 99, 1, _, _, _, 0], row!["dbo", "Num]bers", 7, 1, 1, 99, 0, _, _, _, 0]],
        );
    let report = read(&ddl, recorded).await;
    let orders = &report.tables[0];
    assert_eq!((orders.estimated_rows, orders.comment.as_deref()), (Some(12), Some("What is sold")));
    let wanted = [T::Int32, T::String, T::String, T::Decimal, T::Decimal, T::DateTime2, T::Binary].map(Some);
    assert_eq!(types(&report), [&wanted[..], &[None, Some(T::DateTime2), Some(T::Int64)]].concat());
    assert_eq!((orders.primary_key_name.as_deref(), orders.primary_key_is_made), (Some("PK_Orders"), false));
    assert_eq!(orders.columns[0].filled, Filled::Identity { start: 100, increment: 5 });
    assert_eq!(orders.columns[6].filled, Filled::Generated(None));
    assert_eq!(orders.columns[5].portable.unwrap().precision, None);
    let model = Model::new(&report, &Mapping::default(), &Options::default());
    assert!(model.catalog().is_ok());
    let code = model.to_rust().unwrap();
    assert!(code.contains("#[column(primary_key, identity(100, 5))]"), "{code}");
    assert!(code.contains("INSERTs will fail"), "{code}");
    let kinds: Vec<&str> = model.findings().iter().map(|finding| finding.what.kind()).collect();
    for kind in [
        "collation",
        "unknown_expression",
        "needed_by_insert",
        "hidden",
        "index_method",
        "not_validated",
        "not_enforced",
    ] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert!(code.contains("#[column(length = 40, unique, default = \"(N'new')\", comment = \"Its name\")]"), "{code}");
    assert!(code.contains(r#"#[index(columns(price), filter = "([Price]>(5))", name = "IX_Some")]"#), "{code}");
    assert!(code.contains(r#"#[check(name = "CK_Price", sql = "([Price]>(0))")]"#), "{code}");
    assert!(code.contains(r#"#[foreign_key(Order, columns(id), on_update = cascade, name = "FK_Up")]"#), "{code}");
    assert!(!code.contains(r#"name = "FK_Off""#), "{code}");
    let told = |part: &str| -> Vec<&str> {
        let own = model.findings().iter().filter(|finding| finding.part.as_deref() == Some(part));
        own.map(|finding| finding.what.kind()).collect()
    };
    assert_eq!(
        [told("UQ_Off"), told("IX_Down"), told("IX_More")],
        [["not_enforced"], ["expression_index"], ["index_method"]]
    );
    // A reader of the data may not ask for dependencies.
    assert!(!asked.sequences.unwrap().contains("dependencies"));
    let all = orders.indexes.iter().find(|index| index.name == "IX_All").unwrap();
    assert_eq!((all.keys.len(), all.method.as_deref()), (2, Some("NONCLUSTERED COLUMNSTORE")));
    let told: Vec<String> =
        model.findings().iter().filter(|f| f.what.kind() == "sequence").map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`dbo.Free`: it is a sequence from 1, by 1, at most 99, in a cycle, which an entity does not say; no default draws \
         from it: a statement of yours may",
            "`dbo.Num]bers`: it is a sequence from 7, by 1, at least 1, at most 99, which an entity does not say; `dbo.Orders.No` \
         takes its numbers from it: where tables are made from this, make the sequence first",
        ]
    );
}

#[tokio::test]
async fn oracle() {
    let ddl = Oracle::V19;
    let asked = ddl.introspection().unwrap();
    let recorded = Recorded::default()
        .answer(asked.default_schema, vec![row!["SHOP"]])
        .answer(asked.tables, vec![row!["SHOP", "ORDERS", "table", "What is sold", 12]])
        .answer(
            asked.columns,
            vec![
                row![
                    "ORDERS",
                    "ID",
                    "NUMBER",
                    "NUMBER",
                    _,
                    _,
                    _,
                    0,
                    "default",
                    "\"SHOP\".\"ISEQ$$_1\".nextval",
                    _,
                    _,
                    0
                ],
                row!["ORDERS", "QTY", "NUMBER(9,0)", "NUMBER", _, 9, 0, 0, _, _, _, _, 0],
                row![
                    "ORDERS",
                    "NO",
                    "NUMBER(9,0)",
                    "NUMBER",
                    _,
                    9,
                    0,
                    0,
                    "default",
                    "\"SHOP\".\"NUMBERS\".\"NEXTVAL\"",
                    _,
                    _,
                    1
                ],
                row!["ORDERS", "PRICE", "NUMBER(18,2)", "NUMBER", _, 18, 2, 1, "default", "0 ", _, _, 0],
                row!["ORDERS", "NAME", "VARCHAR2(40 CHAR)", "VARCHAR2", 40, _, _, 1, _, _, _, "Its name", 0],
                row!["ORDERS", "BORN", "DATE", "DATE", _, _, _, 1, _, _, _, _, 0],
                row![
                    "ORDERS",
                    "AT",
                    "TIMESTAMP(3) WITH TIME ZONE",
                    "TIMESTAMP(3) WITH TIME ZONE",
                    _,
                    _,
                    3,
                    1,
                    _,
                    _,
                    _,
                    _,
                    0
                ],
                row!["ORDERS", "SPOT", "SDO_GEOMETRY", "SDO_GEOMETRY", _, _, _, 1, _, _, _, _, 0],
            ],
        )
        .answer(asked.identities.unwrap(), vec![row!["ORDERS", "ID", 100, 5]])
        .answer(asked.keys, vec![row!["ORDERS", "SYS_C1", "P", "ID", _, _, _, _, _, 0, 0]])
        .answer(asked.indexes, vec![row!["ORDERS", "BY_NAME", 0, _, "UPPER(\"NAME\")", _, _]])
        .answer(
            asked.checks.unwrap(),
            vec![row!["ORDERS", "SYS_C2", "PRICE > 0", 0, 0], row!["ORDERS", "SYS_C3", "QTY > 0", 2, 0]],
        )
        .answer(
            asked.sequences.unwrap(),
            vec![
                row!["SHOP", "ISEQ$$_1", _, 5, 1, _, 0, "SHOP", "ORDERS", "ID", 1],
                row!["SHOP", "NUMBERS", _, 1, 1, _, 0, _, _, _, 0],
            ],
        );
    let report = read(&ddl, recorded).await;
    let wanted = [T::VarNumeric, T::Int32, T::Int32, T::Decimal, T::String, T::DateTime2, T::DateTimeOffset].map(Some);
    assert_eq!(types(&report), [&wanted[..], &[None]].concat());
    let orders = &report.tables[0];
    assert_eq!(orders.columns[0].filled, Filled::Identity { start: 100, increment: 5 });
    assert_eq!((orders.primary_key_name.as_deref(), orders.primary_key_is_made), (Some("SYS_C1"), true));
    let digits = |at: usize| orders.columns[at].portable.unwrap().precision;
    assert_eq!((digits(5), digits(6)), (Some(0), Some(3)));
    assert_eq!(orders.checks.iter().map(|check| check.kept).collect::<Vec<_>>(), [Kept::Always, Kept::Never]);
    let serves: Vec<_> = report.sequences.iter().map(|own| (own.serves[0].column.as_str(), own.owned)).collect();
    assert_eq!(serves, [("ID", true), ("NO", false)]);
    let model = Model::new(&report, &Mapping::default(), &Options::default());
    assert!(model.catalog().is_ok());
    let kinds: Vec<&str> = model.findings().iter().map(|finding| finding.what.kind()).collect();
    for kind in ["hidden", "not_enforced", "expression_index", "sequence"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let code = model.to_rust().unwrap();
    assert!(
        code.contains("#[table(name = \"ORDERS\", columns = \"SCREAMING_SNAKE_CASE\", comment = \"What is sold\")]"),
        "{code}"
    );
    assert!(code.contains("pub struct Order {") && code.contains("pub qty: i32"), "{code}");
}

/// That a view could not be asked for says nothing of the view.
#[tokio::test]
async fn an_engine_that_does_not_answer_has_no_broken_view() {
    let ddl = Sqlite::V3_45;
    let asked = ddl.introspection().unwrap();
    let mut recorded = Recorded::default()
        .answer(asked.default_schema, vec![row!["main"]])
        .answer(asked.tables, vec![row!["main", "Totals", "view", _, _]])
        .answer(asked.columns, Vec::new());
    let error = introspect(&mut recorded, &ddl, &IntrospectOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("nothing is recorded of"), "{error}");
}
