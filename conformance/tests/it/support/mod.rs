//! The sample catalog's tables on a real engine.

pub mod garbage;

use std::collections::HashSet;

use isogloss_cases::{Case, Target, cases, stone};
use isogloss_compiler::model::sample;
use isogloss_compiler::render::Parameter;
use isogloss_driver::ddl::Ddl;

/// Arguments for the tables whose name has a placeholder: those that the cases name.
const SHARDS: [&str; 2] = ["2023", "2024"];

/// The schema that one table of the sample is in.
pub const SCHEMA: &str = "sales";

/// Every table of the sample, as the engine's own DDL makes it.
pub fn tables(ddl: &dyn Ddl) -> Vec<String> {
    let catalog = sample::catalog();
    let (mut statements, mut made) = (Vec::new(), HashSet::new());
    // Of several entities over one table, the first has all of its columns.
    for (id, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
        if !made.insert(entity.table.to_string()) {
            continue;
        }
        let shards: &[&str] = if entity.table.args() == 0 { &[""] } else { &SHARDS };
        for shard in shards {
            statements.extend(ddl.create_table(&catalog, id, &[(*shard).into()]).unwrap());
        }
    }
    statements
}

/// Hands every text of a dialect to a check; what the check finds comes back, with the name of its case.
pub fn check_all(
    dialect: &str,
    wanted: impl Fn(&Target) -> Result<(), String>,
    mut check: impl FnMut(&str, &[Parameter<'_>]) -> Result<(), String>,
) -> Vec<String> {
    let compiler = stone::compiler();
    let mut failures = Vec::new();
    let (mut checked, mut skipped) = (0, 0);
    for (topic, cases) in cases::all() {
        for case in &cases {
            for target in targets_of(case, dialect) {
                let Ok(compiled) = stone::compile(&compiler, case, &target) else { continue };
                if let Err(reason) = wanted(&target) {
                    println!("skipped: {topic}/{}: {reason}", case.name);
                    skipped += 1;
                    continue;
                }
                checked += 1;
                if let Err(error) = check(&compiled.sql, &compiled.params) {
                    let text: String = compiled.sql.chars().take(600).collect();
                    let failure = format!("{topic}/{} ({}): {error}\n    {text}", case.name, target.label());
                    failures.push(failure.replace('\0', "\\0"));
                }
            }
        }
    }
    println!("{dialect}: {checked} texts checked, {skipped} skipped, {} refused by the engine", failures.len());
    failures
}

fn targets_of(case: &Case, dialect: &str) -> Vec<Target> {
    case.targets().into_iter().filter(|target| target.label().split(' ').next() == Some(dialect)).collect()
}
