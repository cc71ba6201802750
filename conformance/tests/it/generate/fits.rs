//! A database fits the catalog that was made from it: nothing of the catalog is otherwise there.

use isogloss_driver::ddl::{DiffOptions, differences};
use isogloss_driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss_generate::{Mapping, Model, Options};

use crate::generate::place::{Place, engines};
use crate::generate::{DATABASES, made};

/// What the database has otherwise than the catalog of its own definitions says, and what is not there.
pub fn misfits(place: &Place, report: &SchemaReport, model: &Model) -> Vec<String> {
    let catalog = model.catalog().unwrap();
    let found = differences(place.backend.ddl(), report, &catalog, &DiffOptions::default()).unwrap();
    found.iter().filter(|one| one.wanted.is_some()).map(ToString::to_string).collect()
}

#[tokio::test]
async fn databases_fit_the_catalogs_of_them() {
    let mut left = Vec::new();
    for (number, engine) in engines().iter().enumerate() {
        for database in DATABASES {
            let made = made(engine, number, database, "fits").await.unwrap();
            let own = misfits(&made.place, &made.report, &made.model);
            left.extend(own.into_iter().map(|one| format!("{} {database}: {one}", engine.name)));
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

/// Tables as people make them: each type in each spelling, with a default where there is one, and what a catalog does not say.
fn statements(engine: &str) -> Vec<String> {
    let types: &[(&str, &str)] = match engine {
        "sqlite" => &[
            ("", "1"),
            ("ANY", "'x'"),
            ("BIGINT", "1"),
            ("BLOB", "x'00'"),
            ("BOOLEAN", "TRUE"),
            ("CHAR(4)", "'it''s'"),
            ("DATE", "'2024-01-31'"),
            ("DATETIME", "CURRENT_TIMESTAMP"),
            ("DECIMAL(10,2)", "1.50"),
            ("DOUBLE PRECISION", "1e3"),
            ("FLOAT", "-1.5"),
            ("INT", "0x10"),
            ("JSON", "'{}'"),
            ("MEDIUMINT", "+1"),
            ("NUMERIC", "(1 + 1)"),
            ("NVARCHAR(40)", "'ł'"),
            ("REAL", "NULL"),
            ("SMALLINT", "- 1"),
            ("TEXT", "'a\nb'"),
            ("TIME", "CURRENT_TIME"),
            ("TINYINT", "1"),
            ("UNSIGNED BIG INT", "1"),
            ("UUID", "(lower(hex(randomblob(16))))"),
            ("VARCHAR", "'a' "),
        ],
        "postgres" => &[
            ("BIGINT", "1"),
            ("BIT(3)", "B'101'"),
            ("BOOLEAN", "'yes'"),
            ("BOOLEAN", "TRUE"),
            ("BYTEA", r"'\x00'"),
            ("CHAR(4)", "'it''s'"),
            ("DATE", "CURRENT_DATE"),
            ("DATE", "'2024-01-31'"),
            ("DOUBLE PRECISION", "1e3"),
            ("INET", "'::1'"),
            ("INTEGER", "-1"),
            ("INTEGER[]", "'{1,2}'"),
            ("INTEGER[]", "ARRAY[1, 2]"),
            ("INTERVAL", "'1 day'"),
            ("JSON", "'{}'"),
            ("JSONB", r#"'{"a": [1]}'"#),
            ("NUMERIC", "1.5"),
            ("NUMERIC(10)", "1"),
            ("NUMERIC(10,2)", "1.50"),
            ("NUMERIC(50,20)", "0"),
            ("REAL", "1.5"),
            ("SMALLINT", "1 + 1"),
            ("TEXT", r"E'a\nb\\'"),
            ("TEXT", "'a' || 'b'"),
            ("TEXT[]", "'{}'"),
            ("TIME(3)", "'10:00'"),
            ("TIMETZ", "'10:00+01'"),
            ("TIMESTAMP", "now()"),
            ("TIMESTAMP(0)", "CURRENT_TIMESTAMP"),
            ("TIMESTAMPTZ(3)", "clock_timestamp()"),
            ("UUID", "gen_random_uuid()"),
            ("VARCHAR", "'x'"),
            ("VARCHAR(40)[]", "NULL"),
            ("VARCHAR(40)", "NULL"),
            ("XML", "NULL"),
            ("\"char\"", "'a'"),
            ("NAME", "current_user"),
            ("CITY", "'x'"),
        ],
        _ => &[
            ("BIGINT", "1"),
            ("BIGINT UNSIGNED", "1"),
            ("BIGINT(10) ZEROFILL", "1"),
            ("BINARY(3)", "'abc'"),
            ("BIT(3)", "b'101'"),
            ("BLOB", "('x')"),
            ("BOOLEAN", "TRUE"),
            ("CHAR(4)", "'it''s'"),
            ("CHAR(36)", "(uuid())"),
            ("DATE", "'2024-01-31'"),
            ("DATETIME", "CURRENT_TIMESTAMP"),
            ("DATETIME(3)", "NOW(3)"),
            ("DECIMAL", "1"),
            ("DECIMAL(10,2)", "1.50"),
            ("DECIMAL(50,20) UNSIGNED", "0"),
            ("DOUBLE", "1e3"),
            ("ENUM('a', 'it''s')", "'a'"),
            ("FLOAT", "1.5"),
            ("FLOAT(7,3)", "1.5"),
            ("INT", "-1"),
            ("INT UNSIGNED", "1"),
            ("JSON", "('{}')"),
            ("LONGBLOB", "NULL"),
            ("LONGTEXT", "('x')"),
            ("MEDIUMBLOB", "NULL"),
            ("MEDIUMINT", "1"),
            ("MEDIUMINT UNSIGNED", "1"),
            ("MEDIUMTEXT", "('x')"),
            ("POINT", "NULL"),
            ("SET('a', 'b')", "'a,b'"),
            ("SMALLINT", "(1 + 1)"),
            ("SMALLINT UNSIGNED", "1"),
            ("TEXT", "('x')"),
            ("TIME", "'10:00:00'"),
            ("TIME(3)", "'10:00:00'"),
            ("TIMESTAMP", "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"),
            ("TIMESTAMP(6) NULL", "NULL"),
            ("TINYBLOB", "NULL"),
            ("TINYINT", "1"),
            ("TINYINT UNSIGNED", "1"),
            ("TINYTEXT", "('x')"),
            ("VARBINARY(20)", "'x'"),
            ("VARCHAR(9000)", "'a\nb\\\\'"),
            ("VARCHAR(40)", r#"'a\n\t''\'\\\% \"'"#),
            ("VARCHAR(40) CHARACTER SET latin1", "''"),
            ("YEAR", "2024"),
        ],
    };
    let columns = |with: &dyn Fn(&str) -> String| {
        let all = types.iter().enumerate();
        all.map(|(at, (ty, default))| format!(", c{at} {ty}{}", with(default))).collect::<String>()
    };
    let mut all = vec![
        format!("CREATE TABLE plain (id INTEGER NOT NULL PRIMARY KEY{})", columns(&|_| String::new())),
        format!("CREATE TABLE filled (id INTEGER NOT NULL PRIMARY KEY{})", columns(&|default| format!(" DEFAULT {default}"))),
        "CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER, CHECK (c > 0), CHECK (c < 9), PRIMARY KEY (b, a))".to_owned(),
        "CREATE TABLE bare (a INTEGER, b INTEGER, UNIQUE (a, b), UNIQUE (b))".to_owned(),
        "CREATE INDEX one ON bare (a)".to_owned(),
        "CREATE INDEX two ON bare (a)".to_owned(),
        "CREATE UNIQUE INDEX third ON bare (a)".to_owned(),
        "CREATE TABLE computed (a INTEGER NOT NULL PRIMARY KEY, b INTEGER GENERATED ALWAYS AS (a * 2) STORED)".to_owned(),
    ];
    match engine {
        "sqlite" => all.extend([
            "CREATE TABLE loose (k TEXT PRIMARY KEY, CHECK (k <> ''), CONSTRAINT twice CHECK (k <> 'a'), CONSTRAINT twice CHECK (k <> 'b'))".to_owned(),
            "CREATE TABLE number (n INT PRIMARY KEY, o INTEGER)".to_owned(),
        ]),
        "postgres" => all.extend([
            "CREATE TABLE numbered (a SERIAL, b INTEGER GENERATED ALWAYS AS IDENTITY (START 5 INCREMENT 5), c BIGSERIAL PRIMARY KEY)".to_owned(),
            "CREATE TABLE never (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) STORED NOT NULL)".to_owned(),
            "CREATE TABLE keyed (a INTEGER, k INTEGER GENERATED ALWAYS AS (a * 2) STORED PRIMARY KEY)".to_owned(),
        ]),
        _ => all.extend([
            "CREATE TABLE numbered (a INTEGER UNSIGNED AUTO_INCREMENT, b INTEGER PRIMARY KEY, KEY (a)) AUTO_INCREMENT = 7".to_owned(),
            "CREATE TABLE small (a TINYINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)".to_owned(),
            "CREATE TABLE checked (n INTEGER CHECK (n > 0), m INTEGER CHECK (m <> 1))".to_owned(),
        ]),
    }
    if engine == "postgres" {
        all.insert(0, "CREATE DOMAIN city AS VARCHAR(30) NOT NULL DEFAULT 'Oslo'".to_owned());
    }
    all
}

#[tokio::test]
async fn tables_of_every_type_fit() {
    let mut left = Vec::new();
    for engine in engines() {
        let place = Place::new(&engine, "types").await.unwrap();
        let mut connection = place.backend.connect().await.unwrap();
        for sql in statements(engine.name) {
            connection.script(&sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        }
        let report = introspect(&mut *connection, place.backend.ddl(), &IntrospectOptions::default()).await.unwrap();
        let model = Model::new(&report, &Mapping::default(), &Options::default());
        let own = misfits(&place, &report, &model);
        left.extend(own.into_iter().map(|one| format!("{}: {one}", engine.name)));
    }
    assert!(left.is_empty(), "{left:#?}");
}
