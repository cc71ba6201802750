//! The smallest tree, over the fewest rows, that still fails.

use std::fmt::Write as _;
use std::sync::Arc;

use isogloss_compiler::json;
use isogloss_conformance::data::Data;

use crate::generated::case::{Asked, Case};
use crate::generated::check::Outcome;
use crate::generated::party::Party;
use crate::generated::world::World;

/// How many trees are tried.
const TRIES: usize = 3_000;

async fn failure(party: &mut Party, case: &Case) -> Option<String> {
    match party.check(case).await {
        Outcome::Failed(why) => Some(why),
        _ => None,
    }
}

/// What failed, made small and told.
pub async fn shrink(party: &mut Party, world: &World, data: &Arc<Data>, case: &Case) -> String {
    party.load(data).await;
    let Some(mut why) = failure(party, case).await else {
        return format!("{}: failed once, and not again:\n{:?}", party.name(), case.asked);
    };
    let mut best = Case::new(world, data, case.choices.clone());
    let mut tries = 0;
    // Lists of choices: without a part, with a part of zeros, with smaller numbers. Each makes a simpler tree.
    let mut width = best.choices.len();
    while width > 0 && tries < TRIES {
        let mut at = 0;
        while at < best.choices.len() && tries < TRIES {
            let mut improved = false;
            for way in 0..4 {
                let mut choices = best.choices.clone();
                let end = (at + width).min(choices.len());
                match way {
                    0 => drop(choices.drain(at..end)),
                    1 => choices[at..end].fill(0),
                    2 if width == 1 => choices[at] /= 2,
                    3 if width == 1 => choices[at] = choices[at].saturating_sub(1),
                    _ => continue,
                }
                // At the end, zeros are what there is anyway.
                while choices.last() == Some(&0) {
                    choices.pop();
                }
                if choices == best.choices {
                    continue;
                }
                tries += 1;
                let smaller = Case::new(world, data, choices);
                if size(&smaller) > size(&best) {
                    continue;
                }
                if let Some(found) = failure(party, &smaller).await {
                    (best, why, improved) = (smaller, found, true);
                    break;
                }
            }
            if !improved {
                at += width;
            }
        }
        width /= 2;
    }
    // Then rows that make no difference.
    let mut rows = (**data).clone();
    for table in 0..rows.tables.len() {
        let mut at = 0;
        while at < rows.tables[table].rows.len() {
            let mut fewer = rows.clone();
            fewer.tables[table].rows.remove(at);
            let case = Case::new(world, &fewer, best.choices.clone());
            party.load(&fewer).await;
            match failure(party, &case).await {
                Some(found) => (rows, why, best) = (fewer, found, case),
                None => at += 1,
            }
        }
    }
    tell(party.name(), &best, &rows, &why)
}

/// How large a tree looks. Fewer choices do not always make a smaller one.
fn size(case: &Case) -> (usize, usize) {
    (text(case).len(), case.choices.len())
}

fn text(case: &Case) -> String {
    let written = |expr: &isogloss_compiler::expr::Expr| json::to_string(expr);
    match &case.asked {
        Asked::Query(query, verb) => format!("{verb:?} {}", written(query)),
        Asked::Predicate(entity, filter) => format!("{entity} {}", written(&filter.clone().into())),
        Asked::Write(_, _, update, delete) => format!("{}\n{}", written(update), written(delete)),
        Asked::Insert(_, insert) => written(insert),
    }
}

fn tell(engine: &str, case: &Case, rows: &Data, why: &str) -> String {
    let mut told = format!("--- {engine}\n{}\n{why}\n", text(case));
    if let Some(bounds) = &case.within {
        let _ = writeln!(told, "within {:?}", bounds.region.within);
    }
    for table in &rows.tables {
        let _ = writeln!(told, "{} {:?}", table.entity, table.columns);
        for row in &table.rows {
            let _ = writeln!(told, "  {row:?}");
        }
    }
    told
}
