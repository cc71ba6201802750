//! A catalog, its tables, what the engine says of them, and the catalog of that: on the engine, the second catalog is the first
//! if it makes the same tables.

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::expr::{DbType, DbValueType as T};
use isogloss_compiler::model::{Catalog, ColumnDef, ConstraintDef, IndexDef, ReferenceAction, TableDef};
use isogloss_driver::ddl::{Ddl, DiffOptions, differences};
use isogloss_driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss_generate::{Mapping, Model, Options};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::generate::place::{Place, engines};

/// How many catalogs.
const CATALOGS: usize = 40;

fn column(at: usize) -> impl Strategy<Value = ColumnDef> {
    let plain = prop::sample::select(vec![
        T::Boolean,
        T::Int16,
        T::Int32,
        T::Int64,
        T::UInt64,
        T::Single,
        T::Double,
        T::Date,
        T::Guid,
        T::Json,
        T::Jsonb,
    ]);
    let of = move |ty: T| ColumnDef::new(format!("C{at}"), ty).column(format!("c_{at}"));
    let ty = prop_oneof![
        8 => plain.prop_map(of),
        3 => (1..4_000_u32).prop_map(move |length| of(T::String).length(length)),
        1 => (4_001..9_000_u32).prop_map(move |length| of(T::String).length(length)),
        1 => Just(of(T::String)),
        1 => Just(of(T::Binary).length(20)),
        1 => Just(of(T::Binary).length(70_000)),
        2 => (1..=30_u8, 0..=10_u8).prop_map(move |(digits, scale)| of(T::Decimal).precision(digits, scale.min(digits))),
        1 => (prop::sample::select(vec![T::Time, T::DateTime2, T::DateTimeOffset]), 0..=6_u8)
            .prop_map(move |(ty, digits)| of(ty).time_precision(digits)),
        1 => prop::sample::select(vec![T::Int32, T::String, T::Double])
            .prop_map(move |ty| ColumnDef::new(format!("C{at}"), DbType::array_of(ty)).column(format!("c_{at}"))),
    ];
    let default = prop::sample::select(vec![None, None, Some("7")]);
    (ty, any::<bool>(), prop::sample::select(vec![0, 0, 0, 1, 2]), default)
        .prop_map(|(column, nullable, index, default)| Drawn { column, nullable, index, default }.column())
}

/// What is drawn for a column, of which some goes with some types alone.
struct Drawn {
    column: ColumnDef,
    nullable: bool,
    index: u8,
    default: Option<&'static str>,
}

impl Drawn {
    fn column(self) -> ColumnDef {
        // The type is seen by the catalog alone.
        let probe = Catalog::builder().table(TableDef::new("Probe").column(self.column.clone())).build().unwrap();
        let found = &probe.entity("Probe").unwrap().1.columns[0];
        let number = found.ty.base.is_integer() && !found.ty.array;
        let short = found.length.is_some_and(|length| length <= 50);
        let mut column = self.column;
        if self.nullable {
            column = column.nullable();
        }
        if number && let Some(default) = self.default {
            column = column.default_sql(default);
        } else if found.ty == T::String.into() && short && self.default.is_some() {
            column = column.default_sql("'it''s'");
        }
        match self.index {
            1 if number || short => column.index(),
            2 if number || short => column.unique(),
            _ => column,
        }
    }
}

fn table(at: usize) -> impl Strategy<Value = (TableDef, Beside)> {
    let key = prop_oneof![
        4 => Just(vec![ColumnDef::new("Id", T::Int64).column("id").primary_key().identity(1, 1)]),
        1 => Just(vec![
            ColumnDef::new("First", T::Int32).column("first").primary_key(),
            ColumnDef::new("Second", T::String).column("second").length(20).primary_key(),
        ]),
        1 => Just(vec![ColumnDef::new("Code", T::String).column("code").length(10).primary_key()]),
        1 => Just(Vec::new()),
    ];
    let columns = (1..8_usize).prop_flat_map(|count| (0..count).map(column).collect::<Vec<_>>());
    let beside = (any::<[bool; 6]>(), any::<bool>()).prop_map(|(parts, is_commented)| Beside { parts, is_commented });
    (key, columns, beside).prop_map(move |(key, columns, beside)| {
        let table = TableDef::new(format!("Thing{at}")).table(format!("things_{at}"));
        (key.into_iter().chain(columns).fold(table, TableDef::column), beside)
    })
}

/// What is drawn for a table beside its columns.
#[derive(Debug, Clone)]
struct Beside {
    /// An index, whether it is unique, named, over some rows; a check; a foreign key to the first table.
    parts: [bool; 6],
    is_commented: bool,
}

impl Beside {
    fn table(self, at: usize, table: TableDef, is_partial: bool, has_target: bool) -> TableDef {
        let [index, unique, named, some_rows, check, foreign] = self.parts;
        let (mut rank, mut other) = (
            ColumnDef::new("Rank", T::Int32).column("rank"),
            ColumnDef::new("Other", T::Int64).column("other").nullable(),
        );
        let mut table = table;
        if self.is_commented {
            table = table.comment("It's all of \\ them");
            (rank, other) = (rank.comment("Which one it's"), other.comment("{Braces}"));
        }
        // A table without a key has no name of one.
        if named
            && table.properties().next().is_some_and(|key| ["Id", "First", "Code"].iter().any(|name| *key == **name))
        {
            table = table.key_name(format!("key_{at}"));
        }
        table = table.column(rank).column(other);
        if index {
            let mut own = IndexDef::new(["Rank", "Other"]);
            if unique {
                own = own.unique();
            }
            if named {
                own = own.name(format!("by_rank_{at}"));
            }
            if some_rows && is_partial {
                own = own.filter_sql("{Rank} > 1");
            }
            table = table.index(own);
        }
        if check {
            table = table.check(format!("ck_{at}"), "{Rank} > 0");
        }
        if foreign && has_target {
            let mut own = ConstraintDef::new(["Other"], "Thing0");
            if named {
                own = own.name(format!("has_other_{at}"));
            }
            if unique {
                own = own.on_delete(ReferenceAction::Cascade);
            }
            // Where an index may be over some of the rows, foreign keys are deferred.
            if check && is_partial {
                own = own.deferred();
            }
            table = table.constraint(own);
        }
        table
    }
}

/// Tables, some of which refer to the first one, if it has a number for its key. `is_partial`: whether indexes may be over some
/// of the rows.
fn catalogs(is_partial: bool) -> impl Strategy<Value = Vec<TableDef>> {
    (1..4_usize).prop_flat_map(|count| (0..count).map(table).collect::<Vec<_>>()).prop_map(move |tables| {
        let has_target =
            tables.first().is_some_and(|(first, _)| first.properties().next().is_some_and(|key| *key == *"Id"));
        let all = tables.into_iter().enumerate();
        all.map(|(at, (table, beside))| beside.table(at, table, is_partial, has_target)).collect()
    })
}

pub fn statements(ddl: &dyn Ddl, catalog: &Catalog) -> Vec<Vec<String>> {
    let args: &[CompactString] = &[];
    let of = |(id, _)| ddl.create_table(catalog, id, args).unwrap();
    let mut all: Vec<Vec<String>> = catalog.entities().map(of).collect();
    all.sort();
    // When all tables are there.
    let mut keys: Vec<Vec<String>> =
        catalog.entities().map(|(id, _)| ddl.add_constraints(catalog, id, args).unwrap()).collect();
    keys.sort();
    all.extend(keys);
    all
}

/// What an engine does not tell apart: PostgreSQL has no unsigned numbers, and one of 64 bits is a decimal of 20 digits there;
/// MySQL and MariaDB have no UUIDs, and one is a text of 36 characters there.
fn plain(statements: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let one = |text: String| {
        let text = text.replace("numeric(20) ", "numeric(20, 0) ").replace(" CHAR(36) ", " VARCHAR(36) ");
        // A condition is told in the engine's own spelling.
        let spellings = ["(\"rank\" > ", "(`rank` > ", "((rank > "].map(|spelling| (spelling, "(rank > "));
        let text = spellings.into_iter().fold(text, |text, (from, to)| text.replace(from, to));
        text.replace("> 0))", "> 0)")
            .replace("WHERE \"rank\" > 1", "WHERE (rank > 1)")
            .replace("WHERE rank > 1", "WHERE (rank > 1)")
    };
    statements.into_iter().map(|all| all.into_iter().map(one).collect()).collect()
}

#[tokio::test]
async fn a_catalog_is_found_again() {
    let seed = isogloss_testkit::random::seed();
    println!("{CATALOGS} catalogs; again with ISOGLOSS_SEED={seed}");
    for (number, engine) in engines().iter().enumerate() {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let place = Place::new(engine, &format!("trip_{number}")).await.unwrap();
        let mut connection = place.backend.connect().await.unwrap();
        let ddl = place.backend.ddl();
        for _ in 0..CATALOGS {
            let tables = catalogs(engine.name != "mysql").new_tree(&mut runner).unwrap().current();
            let catalog = tables.into_iter().fold(Catalog::builder(), |all, table| all.table(table)).build().unwrap();
            let wanted = statements(ddl, &catalog);
            for statement in wanted.iter().flatten() {
                connection.script(statement).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
            }
            let report: SchemaReport = introspect(&mut *connection, ddl, &IntrospectOptions::default()).await.unwrap();
            let model = Model::new(&report, &Mapping::default(), &Options::default());
            let found = statements(ddl, &model.catalog().unwrap());
            let (found, wanted) = (plain(found), plain(wanted));
            assert_eq!(found, wanted, "{}: {:#?}", engine.name, model.findings());
            let left = differences(ddl, &report, &catalog, &DiffOptions::default()).unwrap();
            assert!(left.is_empty(), "{}: {left:#?}", engine.name);
            let left = crate::generate::fits::misfits(&place, &report, &model);
            assert!(left.is_empty(), "{}: {left:#?}", engine.name);
            // The first one last, as others refer to it.
            for (id, _) in catalog.entities().collect::<Vec<_>>().into_iter().rev() {
                for statement in ddl.drop_table(&catalog, id, &[]).unwrap() {
                    connection.script(&statement).await.unwrap();
                }
            }
        }
    }
}
