//! What is compiled: every case, and every call of a function.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::Hasher;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use isogloss_cases::calls::calls;
use isogloss_cases::{cases, other_versions, stone, targets};
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{Expr, ValueTypeExpr};
use isogloss_compiler::functions::Func;
use isogloss_compiler::model::TextMode;
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit};
use isogloss_compiler::{Buffers, Compiler, ErrorKind, Request, Target, Verb};
use isogloss_conformance::suite::{Schema, Suite};
use isogloss_conformance::tpch;

use super::altered::About;

pub static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::new);

/// A statement.
pub struct Item {
    pub name: String,
    expr: Expr,
    verb: Verb,
    root: Option<&'static str>,
    text: TextMode,
    /// The place of its compiler.
    compiler: usize,
    functions: HashSet<Func>,
    /// The places of the dialects that its snapshot is for.
    on: Vec<usize>,
}

/// What a dialect makes of a statement.
pub struct Outcome {
    /// Of the text, its parameters and notes, or of the refusal.
    pub hash: u64,
    /// What a snapshot shows of it first.
    pub shown: String,
    /// The titles of the features that notes and refusals name.
    features: Vec<String>,
}

pub struct Corpus {
    compilers: Vec<Compiler>,
    pub items: Vec<Item>,
    /// What snapshots are for.
    pub dialects: Vec<Arc<dyn Dialect>>,
    /// Of each item, what each dialect makes of it.
    outcomes: Vec<Vec<OnceLock<Outcome>>>,
}

impl Corpus {
    fn new() -> Self {
        let schema = Schema::load(&Suite::folder().join("schemas"), "calls").unwrap();
        let tpch = Compiler::new(tpch::catalog().unwrap());
        let compilers = vec![stone::compiler(), tpch, schema.compiler];
        let mut dialects: Vec<Arc<dyn Dialect>> = Vec::new();
        let mut place = |dialect: &Arc<dyn Dialect>| {
            dialects.iter().position(|other| **other == **dialect).unwrap_or_else(|| {
                dialects.push(Arc::clone(dialect));
                dialects.len() - 1
            })
        };
        let every: Vec<usize> = targets().iter().chain(&other_versions()).map(|t| place(&t.dialect)).collect();
        let mut items: Vec<Item> = calls()
            .into_iter()
            .map(|call| Item {
                name: format!("calls/{}", call.func.signature().name),
                functions: functions(&call.query),
                expr: call.query,
                verb: Verb::Select,
                root: None,
                text: TextMode::Database,
                compiler: 2,
                on: every.clone(),
            })
            .collect();
        let cases = cases::all().into_iter().flat_map(|(topic, cases)| cases.into_iter().map(move |c| (topic, 0, c)));
        for (topic, compiler, case) in cases.chain(tpch::cases().into_iter().map(|case| ("tpch", 1, case))) {
            items.push(Item {
                name: format!("{topic}/{}", case.name),
                functions: functions(&case.expr),
                on: case.targets().iter().map(|target| place(&target.dialect)).collect(),
                expr: case.expr,
                verb: case.verb,
                root: case.root,
                text: case.text,
                compiler,
            });
        }
        // Short ones first: they are compiled soonest, and show most clearly what a row makes. NULL shows the least.
        items.sort_by_cached_key(|item| {
            let tree = isogloss_compiler::json::to_string(&item.expr);
            (item.compiler != 2, tree.contains("null"), tree.len())
        });
        let outcomes = items.iter().map(|_| dialects.iter().map(|_| OnceLock::new()).collect()).collect();
        Self { compilers, items, dialects, outcomes }
    }

    /// What a dialect makes of a statement.
    pub fn outcome(&self, item: &Item, dialect: &Arc<dyn Dialect>) -> Outcome {
        Targets::new(self, dialect).outcome(item)
    }

    /// The first statement for which the one dialect makes another text than the other, which is at that place if its
    /// outcomes are kept.
    pub fn difference(
        &self,
        about: About,
        dialect: &Arc<dyn Dialect>,
        place: Option<usize>,
        altered: &Arc<dyn Dialect>,
    ) -> Option<(&Item, Outcome, Outcome)> {
        let (own, other) = (Targets::new(self, dialect), Targets::new(self, altered));
        let plain = |index: usize| match place {
            Some(place) => self.outcomes[index][place].get_or_init(|| own.outcome(&self.items[index])),
            None => unreachable!("only kept outcomes are looked at before"),
        };
        let asked = |index: &usize| place.is_none_or(|place| self.items[*index].on.contains(&place));
        let speaks = |index: &usize| match about {
            About::Function(func) => self.items[*index].functions.contains(&func),
            About::Feature(feature) if place.is_some() => {
                plain(*index).features.iter().any(|title| title == feature.title())
            }
            _ => false,
        };
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..self.items.len()).filter(asked).partition(speaks);
        first.into_iter().chain(rest).find_map(|index| {
            let item = &self.items[index];
            let after = other.outcome(item);
            if place.is_some() {
                if plain(index).hash == after.hash {
                    return None;
                }
                return Some((item, own.outcome(item), after));
            }
            let before = own.outcome(item);
            (before.hash != after.hash).then_some((item, before, after))
        })
    }
}

fn functions(expr: &Expr) -> HashSet<Func> {
    let mut found = HashSet::new();
    visit(expr, VisitOrder::Pre, |node| {
        let function = match node {
            ExprRef::Function(function) => Some(function),
            ExprRef::Value(ValueTypeExpr::Function(function)) => Some(&**function),
            _ => None,
        };
        found.extend(function.and_then(|function| Func::from_name(function.name.as_str())));
    });
    found
}

/// The compilers for one dialect, made as they are needed.
struct Targets<'c> {
    corpus: &'c Corpus,
    dialect: &'c Arc<dyn Dialect>,
    made: Mutex<HashMap<(usize, bool), Arc<Target>>>,
}

impl<'c> Targets<'c> {
    fn new(corpus: &'c Corpus, dialect: &'c Arc<dyn Dialect>) -> Self {
        Self { corpus, dialect, made: Mutex::default() }
    }

    fn target(&self, item: &Item) -> Arc<Target> {
        let key = (item.compiler, item.text == TextMode::Exact);
        let mut made = self.made.lock().unwrap();
        let target = made
            .entry(key)
            .or_insert_with(|| self.corpus.compilers[item.compiler].target_of(&**self.dialect, item.text, &[]));
        Arc::clone(target)
    }

    fn outcome(&self, item: &Item) -> Outcome {
        let request = item.root.map_or_else(Request::default, Request::of).verb(item.verb);
        let mut text = Hashed(DefaultHasher::new());
        match self.target(item).compile_with(&item.expr, &request, Buffers::default()) {
            Ok(compiled) => {
                let mut shown = compiled.sql;
                for note in &compiled.notes {
                    let _ = write!(shown, "  -- {}", note.rule.name());
                }
                let _ = write!(text, "{shown} {:?}", compiled.params);
                let features = compiled.notes.iter().map(|note| note.feature.to_owned()).collect();
                Outcome { hash: text.0.finish(), shown, features }
            }
            Err(error) => {
                let (shown, features) = match error.kind() {
                    ErrorKind::Refused { feature, reason, .. } => {
                        (format!("refused: {feature}: {reason}"), vec![feature.clone()])
                    }
                    _ => (error.to_string(), Vec::new()),
                };
                let _ = text.write_str(&shown);
                Outcome { hash: text.0.finish(), shown, features }
            }
        }
    }
}

struct Hashed(DefaultHasher);

impl std::fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
