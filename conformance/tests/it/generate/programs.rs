//! Programs over what is generated: one over the definitions, and one that is compiled.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{Expr, from};
use isogloss_driver::{ConnectionExt as _, Flow, Row, RowSink};
use isogloss_generate::CrateOptions;

use crate::generate::place::engines;
use crate::generate::{DATABASES, Made, made};

/// Reads each value of each row.
struct Values(Vec<Option<isogloss_compiler::expr::DbType>>, i64);

impl RowSink for Values {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        for index in 0..row.len() {
            row.value(index, self.0.get(index).copied().flatten())?;
        }
        self.1 += 1;
        Ok(Flow::More)
    }
}

/// Each value of each table and view is read by the definitions.
#[tokio::test]
async fn definitions_read_every_row() {
    for (number, engine) in engines().iter().enumerate() {
        for database in DATABASES {
            let made = made(engine, number, database, "rows").await.unwrap();
            let catalog = made.model.catalog().unwrap();
            let target = Compiler::new(catalog.clone()).target(made.place.backend.dialect());
            let mut connection = made.place.backend.connect().await.unwrap();
            for (_, entity) in catalog.entities() {
                let query = Expr::from(from(entity.name.as_str()));
                let compiled = target.compile(&query).unwrap().into_owned();
                let types = compiled.columns.iter().map(|column| column.ty).collect();
                let told = format!("{} {database} {}", engine.name, entity.name);
                let sink = connection.query_into(&compiled, Values(types, 0)).await;
                let read = sink.unwrap_or_else(|error| panic!("{told}: {error}")).1;
                assert_eq!(read, counted(&made, entity.name.as_str()).await, "{told}");
            }
            drop(connection);
        }
    }
}

/// The rows of an entity's table, as the engine counts them.
async fn counted(made: &Made, entity: &str) -> i64 {
    let (_, schema, table) = made.model.tables().find(|(name, ..)| *name == entity).unwrap();
    made.place.count(schema, table).await.unwrap()
}

fn written(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // What has not changed is not compiled again.
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

/// That of this workspace, so that what it has compiled is not compiled once more.
const PROFILE: &str = "[profile.dev.package.\"*\"]\ndebug = \"line-tables-only\"\n\n\
    [profile.dev.package.libsqlite3-sys]\ndebug = false\n";

/// One workspace: a crate for each database, and a program for each that reads all of its rows.
#[tokio::test]
async fn crates_compile_without_a_warning_and_read_every_row() {
    if env::var_os("ISOGLOSS_GENERATED").is_none() {
        isogloss_testkit::skipped("no ISOGLOSS_GENERATED");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let mut all = Vec::new();
    let mut depends = String::new();
    let _ = fs::remove_dir_all(folder.join("src/bin"));
    for (number, engine) in engines().iter().enumerate() {
        for database in DATABASES {
            let made = made(engine, number, database, "crate").await.unwrap();
            let name = format!("{}_{number}_{database}", engine.name);
            let options = CrateOptions::new(&*name).path(root.join("orm").display().to_string()).feature(engine.name);
            for (path, text) in made.model.to_crate(&options).unwrap() {
                let strict = if path.ends_with(".rs") { "#![deny(warnings)]\n" } else { "" };
                written(&folder.join(&name).join(path), &format!("{strict}{text}"));
            }
            written(&folder.join(format!("src/bin/{name}.rs")), &program(&made, &name));
            let _ = writeln!(depends, "{name} = {{ path = {name:?} }}");
            all.push((made, name));
        }
    }
    let members: Vec<&String> = all.iter().map(|(_, name)| name).collect();
    let isogloss = root.join("orm");
    let manifest = format!(
        "[workspace]\nmembers = {members:?}\n\n[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{depends}isogloss = {{ path = {isogloss:?}, features = [\"definitions\", \"orm\", \"postgres\", \"mysql\", \"sqlite\"] }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n{PROFILE}"
    );
    written(&folder.join("Cargo.toml"), &manifest);
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let cargo = |words: &[&str]| {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&root).args(words).args(["--offline", "--manifest-path"]).arg(folder.join("Cargo.toml"));
        command.env("CARGO_TARGET_DIR", target);
        command
    };
    let built = cargo(&["build", "--bins"]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for (made, name) in all {
        let definitions = folder.join(format!("{name}.toml"));
        fs::write(&definitions, made.model.to_toml()).unwrap();
        let ran =
            Command::new(target.join("debug").join(&name)).arg(&made.place.url).arg(&definitions).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{name}: {told}{}", String::from_utf8_lossy(&ran.stderr));
        let mut wanted = String::new();
        for (entity, ..) in made.model.tables() {
            let _ = writeln!(wanted, "{entity} {}", counted(&made, entity).await);
        }
        assert_eq!(told, wanted, "{name}");
    }
}

/// A program that prints how many rows of each entity it has read, and compares the structs with the definitions.
fn program(made: &Made, name: &str) -> String {
    let provider = made.place.engine.name;
    let mut code = format!(
        "#![deny(warnings)]\n\
         use isogloss::config::DataSourceConfig;\n\
         use isogloss::model::CatalogBuilder;\n\
         use isogloss::prelude::*;\n\
         use {name} as tables;\n\n\
         #[tokio::main(flavor = \"current_thread\")]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n\
             let mut words = std::env::args().skip(1);\n\
             let url = words.next().ok_or(\"no URL\")?;\n\
             let text = std::fs::read_to_string(words.next().ok_or(\"no definitions\")?)?;\n\
             let catalog = isogloss::entity::linked().build()?;\n\
             let defined = CatalogBuilder::from_toml(&text)?.build()?;\n\
             for (_, entity) in defined.entities() {{\n\
                 let (_, own) = catalog.entity(entity.name.as_str()).ok_or(\"no entity\")?;\n\
                 // No field is an array of floats.\n\
                 let has = |name: &str| own.columns.iter().any(|column| column.name == *name);\n\
                 let same = |e: &isogloss::model::Entity| {{\n\
                     let name = |at: usize| e.columns[at].name.clone();\n\
                     let keys = |join: &isogloss::model::Join| join.keys.iter().map(|(at, _)| name(*at)).collect::<Vec<_>>();\n\
                     let joins: Vec<_> = e.joins.iter().map(|join| (join.alias.clone(), keys(join))).collect();\n\
                     let columns: Vec<_> = e.columns.iter().filter(|column| has(column.name.as_str())).collect();\n\
                     format!(\"{{:?}} {{columns:?}} {{joins:?}}\", e.table)\n\
                 }};\n\
                 assert_eq!(same(own), same(entity));\n\
             }}\n\
             let orm = OrmContext::new(catalog);\n\
             orm.add_data_source(DataSourceConfig::new(\"main\", {provider:?}, &url))?;\n\
             let session = orm.create_session()?;\n"
    );
    for entity in made.model.entities() {
        let _ = writeln!(
            code,
            "    let rows = ObjectViewDao::<tables::{entity}>::new(&session).search(from({entity:?})).all().await?;\n    \
             println!(\"{entity} {{}}\", rows.len());"
        );
    }
    code.push_str("    Ok(())\n}\n");
    code
}
