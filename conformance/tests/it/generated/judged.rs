//! What is said of the texts for engines that are not at hand.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, TextMode};
use isogloss_compiler::{Buffers, CompileLimits, Compiler, Target};
use isogloss_conformance::generate;
use isogloss_conformance::judge::{Judge, structure};
use isogloss_oracle::Oracle;
use isogloss_sqlserver::SqlServer;

use crate::generated::case::Case;
use crate::generated::check::Outcome;
use crate::generated::engine::{Trouble, refused};

/// Versions of an engine that one grammar judges where it is set up. The structure of the texts is looked at always.
pub struct Judged {
    pub name: String,
    versions: Vec<(Box<dyn Dialect>, Arc<Target>)>,
    grammar: Option<Judge>,
    /// What the grammar takes is not asked again: most versions have one text.
    taken: HashSet<String>,
}

impl Judged {
    /// The first and the last version of each engine, and those between that are spelled by other rules. Grammars take
    /// their time: each has the versions whose texts are much alike, beside the others.
    pub fn all(catalog: &Catalog, mode: TextMode) -> Vec<Self> {
        let sqlserver = |version: SqlServer| Box::new(version) as Box<dyn Dialect>;
        let oracle = |version: Oracle| Box::new(version) as Box<dyn Dialect>;
        // Oracle 12.1 knows no COLLATE.
        let first = if mode == TextMode::Exact { Oracle::V12_2 } else { Oracle::V12_1 };
        vec![
            Self::new(catalog, mode, vec![sqlserver(SqlServer::V2017)]),
            Self::new(catalog, mode, vec![sqlserver(SqlServer::V2022), sqlserver(SqlServer::V2025)]),
            Self::new(catalog, mode, vec![oracle(first), oracle(Oracle::V19)]),
            Self::new(catalog, mode, vec![oracle(Oracle::V23)]),
        ]
    }

    fn new(catalog: &Catalog, mode: TextMode, versions: Vec<Box<dyn Dialect>>) -> Self {
        let limits = CompileLimits::default().in_list(generate::IN_LIST);
        let compiler = Compiler::new(catalog.clone()).with_limits(limits).with_text(mode);
        let mut name = versions.iter().map(|version| version.label()).collect::<Vec<_>>().join(", ");
        let grammar = versions.last().and_then(|version| Judge::start(&**version).unwrap());
        if grammar.is_none() {
            isogloss_testkit::skipped(format_args!(
                "the grammar of {name}: conformance/judges/*/setup.sh has not been run"
            ));
        }
        if mode == TextMode::Exact {
            name.push_str(", exact");
        }
        let versions = versions.into_iter().map(|version| (compiler.target(&*version), version));
        Self {
            name,
            versions: versions.map(|(target, dialect)| (dialect, target)).collect(),
            grammar,
            taken: HashSet::new(),
        }
    }

    /// Whether every text of a case is one that the engine takes, as far as can be seen.
    pub fn check(&mut self, case: &Case) -> Outcome {
        let mut found = String::new();
        let mut refusal = None;
        for (statement, verb) in case.asked.statements() {
            let request = case.request().verb(verb);
            for (dialect, target) in &self.versions {
                let compiled = match target.compile_with(&statement, &request, Buffers::default()).map_err(refused) {
                    Ok(compiled) => compiled,
                    Err(Trouble::Refused(why)) => {
                        refusal = Some(why);
                        continue;
                    }
                    Err(other) => return Outcome::Failed(format!("{other:?}")),
                };
                let structure = structure(&**dialect, &compiled);
                let mut findings: Vec<String> = structure.iter().map(ToString::to_string).collect();
                if let Some(grammar) = &mut self.grammar
                    && !self.taken.contains(&compiled.sql)
                {
                    match grammar.check(&compiled.sql) {
                        Ok(()) => drop(self.taken.insert(compiled.sql.clone())),
                        Err(finding) => findings.push(finding),
                    }
                }
                for finding in findings {
                    let _ = writeln!(found, "{}: {finding}\n    {compiled}", dialect.label());
                }
            }
        }
        match refusal {
            _ if !found.is_empty() => Outcome::Failed(found),
            Some(why) => Outcome::Refused(why),
            None => Outcome::Judged,
        }
    }
}
