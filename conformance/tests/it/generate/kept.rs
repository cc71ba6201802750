//! What is made again from the entities of a database finds the same rows and holds the same values: what cannot be said is left out
//! with all that hangs on it, and told.

use isogloss_driver::ddl::asked;
use isogloss_driver::introspect::{IntrospectOptions, introspect};
use isogloss_driver::{AnyConnection, ConnectionExt as _};
use isogloss_generate::{Mapping, Model, Options};

use crate::generate::place::{Engine, Place, engines};
use crate::generate::round_trip;
use crate::generate::special::found;

/// A database with these tables, and what is generated from it.
pub(super) async fn modelled(engine: &Engine, statements: &[String]) -> (Place, Model) {
    let place = Place::new(engine, "kept").await.unwrap();
    let mut connection = place.backend.connect().await.unwrap();
    for sql in statements {
        connection.script(sql).await.unwrap_or_else(|error| panic!("{}: {error}: {sql}", engine.name));
    }
    let report = introspect(&mut *connection, place.backend.ddl(), &IntrospectOptions::default()).await.unwrap();
    let model = Model::new(&report, &Mapping::default(), &Options::default());
    model.to_rust().unwrap();
    (place, model)
}

/// An empty database with the tables of the entities.
async fn again(engine: &Engine, model: &Model) -> Place {
    recreated_after(&[], engine, model).await
}

/// The same, once these statements have run.
pub(super) async fn recreated_after(first: &[&str], engine: &Engine, model: &Model) -> Place {
    let place = Place::new(engine, "again").await.unwrap();
    let mut connection = place.backend.connect().await.unwrap();
    for sql in first {
        connection.script(sql).await.unwrap();
    }
    for sql in round_trip::statements(place.backend.ddl(), &model.catalog().unwrap()).concat() {
        connection.script(&sql).await.unwrap_or_else(|error| panic!("{}: {error}: {sql}", engine.name));
    }
    place
}

async fn text(connection: &mut AnyConnection, sql: &str) -> String {
    connection.fetch_one::<(String,)>(&asked(sql, &[])).await.unwrap_or_else(|error| panic!("{error}: {sql}")).0
}

/// A part of a key finds the rows of others: an update of one row would change them all.
#[tokio::test]
async fn a_column_that_is_left_out_takes_its_keys_with_it() {
    for engine in engines() {
        let (odd, is_four) = match engine.name {
            "postgres" => ("INET", "family(ip) = 4"),
            "mysql" => ("BIT(8)", "ip > 4"),
            _ => ("INET", "ip > 4"),
        };
        let mut statements = vec![
            format!(
                "CREATE TABLE hosts (ip {odd} NOT NULL, ns INTEGER NOT NULL, note VARCHAR(9), n INTEGER, \
                 is_four BOOLEAN GENERATED ALWAYS AS ({is_four}) STORED, PRIMARY KEY (ip, ns), \
                 CONSTRAINT only_four CHECK ({is_four}), CONSTRAINT small CHECK (n < 9))"
            ),
            "CREATE UNIQUE INDEX one_ip ON hosts (ip)".to_owned(),
            "CREATE INDEX by_note ON hosts (note, ip)".to_owned(),
            "CREATE UNIQUE INDEX by_n ON hosts (n, ip)".to_owned(),
            format!(
                "CREATE TABLE visits (id INTEGER PRIMARY KEY, ip {odd}, ns INTEGER, \
                 CONSTRAINT of_host FOREIGN KEY (ip, ns) REFERENCES hosts (ip, ns))"
            ),
        ];
        if engine.name != "mysql" {
            statements.push(format!("CREATE UNIQUE INDEX some_rows ON hosts (note, n) WHERE {is_four}"));
        }
        let (_place, model) = modelled(&engine, &statements).await;
        let catalog = model.catalog().unwrap();
        let (_, host) = catalog.entity("Host").unwrap();
        assert!(
            host.keys.is_empty() && host.columns.iter().all(|column| !column.is_unique),
            "{}: {host:?}",
            engine.name
        );
        assert!(host.indexes.is_empty(), "{}: {:?}", engine.name, host.indexes);
        assert_eq!(host.checks.len(), 1, "{}: {:?}", engine.name, host.checks);
        let (_, visit) = catalog.entity("Visit").unwrap();
        assert!(visit.joins.is_empty() && visit.constraints.is_empty(), "{}: {visit:?}", engine.name);
        let told = |kind: &str, parts: &[&str]| {
            let mut own: Vec<String> =
                found(&model, kind).iter().map(|at| at.rsplit('.').next().unwrap().to_owned()).collect();
            own.sort();
            assert_eq!(own, parts, "{} {kind}: {:#?}", engine.name, model.findings());
        };
        told("key_column", &["hosts"]);
        told("composite_unique", &["by_n", "one_ip"]);
        told("composite_index", &["by_note"]);
        told("check", &["only_four"]);
        told("computed_from", &["is_four"]);
        told("foreign_column", &["of_host"]);
        told("partial_index", if engine.name == "mysql" { &[] } else { &["some_rows"] });
        again(&engine, &model).await;
    }
}

/// A mapping may name a key that is not there as a whole.
#[tokio::test]
async fn a_key_by_hand_is_whole_or_none() {
    let (place, _) = modelled(&engines()[0], &["CREATE TABLE lines (id INTEGER, no INTEGER)".to_owned()]).await;
    let mut connection = place.backend.connect().await.unwrap();
    let report = introspect(&mut *connection, place.backend.ddl(), &IntrospectOptions::default()).await.unwrap();
    let mapping = Mapping::from_toml("[tables.lines]\nprimary_key = [\"id\", \"nr\"]").unwrap();
    let model = Model::new(&report, &mapping, &Options::default());
    assert!(!model.to_rust().unwrap().contains("primary_key"));
    assert_eq!(found(&model, "key_column"), ["main.lines"]);
}

/// The columns of a table whose types have no limit, and of each a value that a limit would cut: what is read of it.
fn endless(engine: &str) -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    match engine {
        "sqlite" => vec![
            ("NUMERIC", "1234567890.0625", "CAST({} AS TEXT)", "1234567890.0625"),
            ("DECIMAL", "0.0625", "CAST({} AS TEXT)", "0.0625"),
            ("TEXT", "printf('%.9000c', 'x')", "CAST(length({}) AS TEXT)", "9000"),
            ("VARCHAR", "printf('%.9000c', 'x')", "CAST(length({}) AS TEXT)", "9000"),
            ("BLOB", "zeroblob(9000)", "CAST(length({}) AS TEXT)", "9000"),
        ],
        "postgres" => vec![
            ("NUMERIC", "12345678901234567890.0625", "CAST({} AS TEXT)", "12345678901234567890.0625"),
            ("NUMERIC(50, 20)", "12345678901234567890.0625", "trim_scale({})::text", "12345678901234567890.0625"),
            ("TEXT", "repeat('x', 9000)", "length({})::text", "9000"),
            ("VARCHAR", "repeat('x', 9000)", "length({})::text", "9000"),
            ("BPCHAR", "repeat('x', 9000)", "length({})::text", "9000"),
            ("BYTEA", "convert_to(repeat('x', 9000), 'UTF8')", "length({})::text", "9000"),
            ("NUMERIC[]", "'{0.0625}'", "CAST({} AS TEXT)", "{0.0625}"),
            ("TEXT[]", "ARRAY[repeat('x', 9000)]", "length({}[1])::text", "9000"),
        ],
        _ => vec![
            ("DECIMAL(60, 25)", "12345678901234567890.0625", "CAST(0 + {} AS CHAR)", "12345678901234567890.0625"),
            ("DECIMAL", "1234567890", "CAST({} AS CHAR)", "1234567890"),
            ("TEXT", "REPEAT('x', 9000)", "CAST(LENGTH({}) AS CHAR)", "9000"),
            ("LONGTEXT", "REPEAT('x', 70000)", "CAST(LENGTH({}) AS CHAR)", "70000"),
            ("MEDIUMBLOB", "REPEAT('x', 70000)", "CAST(LENGTH({}) AS CHAR)", "70000"),
            ("VARCHAR(9000)", "REPEAT('x', 9000)", "CAST(LENGTH({}) AS CHAR)", "9000"),
        ],
    }
}

#[tokio::test]
async fn what_has_no_limit_gets_none() {
    for engine in engines() {
        let columns = endless(engine.name);
        let lines: String = columns.iter().enumerate().map(|(at, (ty, ..))| format!(", c{at} {ty}")).collect();
        let (_place, model) =
            modelled(&engine, &[format!("CREATE TABLE endless (id INTEGER PRIMARY KEY{lines})")]).await;
        let place = again(&engine, &model).await;
        let mut connection = place.backend.connect().await.unwrap();
        let names: String = (0..columns.len()).map(|at| format!(", c{at}")).collect();
        let values: String = columns.iter().map(|(_, value, ..)| format!(", {value}")).collect();
        connection.script(&format!("INSERT INTO endless (id{names}) VALUES (1{values})")).await.unwrap();
        for (at, (ty, _, read, wanted)) in columns.iter().enumerate() {
            let read = read.replace("{}", &format!("c{at}"));
            let there = text(&mut connection, &format!("SELECT {read} FROM endless")).await;
            let there = if there.contains('.') { there.trim_end_matches('0') } else { &there };
            assert_eq!(there, *wanted, "{} {ty}", engine.name);
        }
    }
}

/// SQLite limits nothing, and neither does what is made from it elsewhere.
#[tokio::test]
async fn a_database_moves_to_another_engine_without_new_limits() {
    let all = engines();
    let table = "CREATE TABLE endless (id INTEGER PRIMARY KEY, note TEXT, price NUMERIC, file BLOB)".to_owned();
    let (_place, model) = modelled(&all[0], &[table]).await;
    for engine in &all {
        let place = again(engine, &model).await;
        let mut connection = place.backend.connect().await.unwrap();
        let text_value = if engine.name == "sqlite" { "printf('%.9000c', 'x')" } else { "REPEAT('x', 9000)" };
        let insert = format!("INSERT INTO endless (id, note, price) VALUES (1, {text_value}, 1234567.0625)");
        connection.script(&insert).await.unwrap();
        let is_whole =
            "SELECT CASE WHEN LENGTH(note) = 9000 AND price = 1234567.0625 THEN 'all' ELSE 'cut' END FROM endless";
        assert_eq!(text(&mut connection, is_whole).await, "all", "{}", engine.name);
    }
}

#[tokio::test]
async fn the_bytes_of_a_default_are_kept() {
    for engine in engines() {
        let defaults: &[(&str, &str)] = match engine.name {
            "sqlite" => &[("BLOB", "x'00ff'"), ("BLOB", "'ab'")],
            "postgres" => &[("BYTEA", r"'\x00ff27'"), ("BYTEA", "'ab'"), ("BYTEA", "''")],
            _ => &[
                ("VARBINARY(9)", "'ab'"),
                ("VARBINARY(9)", "0x00ff"),
                ("BINARY(3)", "X'ff0027'"),
                ("VARBINARY(9)", "''"),
                ("VARBINARY(9)", "'a?b'"),
                ("VARBINARY(9) NOT NULL", "'ab'"),
                ("VARBINARY(9)", "(UNHEX('00ff'))"),
                ("VARBINARY(9)", "NULL"),
            ],
        };
        let lines: String =
            defaults.iter().enumerate().map(|(at, (ty, value))| format!(", `a b{at}` {ty} DEFAULT {value}")).collect();
        let sql = format!("CREATE TABLE filled (id INTEGER PRIMARY KEY{lines})");
        let quote = if engine.name == "mysql" { "`" } else { "\"" };
        let (there, model) = modelled(&engine, &[sql.replace('`', quote)]).await;
        let place = again(&engine, &model).await;
        let mut read = Vec::new();
        for place in [&there, &place] {
            let mut connection = place.backend.connect().await.unwrap();
            connection.script("INSERT INTO filled (id) VALUES (1)").await.unwrap();
            for at in 0..defaults.len() {
                let name = format!("{quote}a b{at}{quote}");
                let digits =
                    if engine.name == "postgres" { format!("encode({name}, 'hex')") } else { format!("HEX({name})") };
                read.push(text(&mut connection, &format!("SELECT COALESCE({digits}, 'NULL') FROM filled")).await);
            }
        }
        let (before, after) = read.split_at(defaults.len());
        assert_eq!(before, after, "{}: {}", engine.name, model.to_toml());
    }
}

#[tokio::test]
async fn a_key_over_the_start_of_a_text_is_told() {
    let statements = [
        "CREATE TABLE tokens (token TEXT, no INTEGER, PRIMARY KEY (token(191), no))".to_owned(),
        "CREATE TABLE pairs (id INTEGER PRIMARY KEY, a INTEGER, code VARCHAR(20), UNIQUE KEY one_start (a, code(5)))"
            .to_owned(),
    ];
    for engine in engines().into_iter().filter(|engine| engine.name == "mysql") {
        let (_place, model) = modelled(&engine, &statements).await;
        let told: Vec<String> =
            model.findings().iter().filter(|one| one.what.kind() == "key_clause").map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains("(`token`(191), no)"), "{told:?}");
        assert_eq!(found(&model, "expression_index"), ["one_start"]);
        let (_, pair) =
            &model.catalog().map(|catalog| catalog.entity("Pair").map(|(id, own)| (id, own.clone())).unwrap()).unwrap();
        assert!(pair.columns.iter().all(|column| !column.is_unique), "{pair:?}");
    }
}

#[tokio::test]
async fn a_table_may_have_the_name_of_an_alias() {
    let statements = ["t1", "excluded", "T_2"].map(|name| format!("CREATE TABLE {name} (id INTEGER PRIMARY KEY)"));
    for engine in engines() {
        let (_place, model) = modelled(&engine, &statements).await;
        model.catalog().unwrap();
        let mut names: Vec<&str> = model.entities().collect();
        names.sort_unstable();
        assert_eq!(names, ["ExcludedRow", "T1Row", "T2Row"], "{}", engine.name);
    }
    assert!(Mapping::from_toml("[tables.t]\nname = \"T1\"").unwrap_err().to_string().contains("an alias"));
}

/// Where the connection looks for tables is another schema.
#[tokio::test]
async fn the_tables_of_another_schema_are_named_with_it() {
    for engine in engines().into_iter().filter(|engine| engine.name == "postgres") {
        let statements =
            ["CREATE SCHEMA music", "CREATE TABLE music.artists (id INTEGER PRIMARY KEY)"].map(str::to_owned);
        let (place, _) = modelled(&engine, &statements).await;
        let mut connection = place.backend.connect().await.unwrap();
        let options = IntrospectOptions::default().schema("music");
        let report = introspect(&mut *connection, place.backend.ddl(), &options).await.unwrap();
        let model = Model::new(&report, &Mapping::default(), &Options::default());
        assert!(model.to_toml().contains("table = \"music.artists\""), "{}", model.to_toml());
    }
}
