//! A generated case: a tree, and what the evaluator says of it.

use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, ValueOps, ValueTypeExpr, from, if_else};
use isogloss_compiler::model::Catalog;
use isogloss_compiler::{Request, Verb};
use isogloss_conformance::data::{Answer, Data};
use isogloss_conformance::evaluator::{Error, Within};
use isogloss_conformance::generate::{self, Choices, Region};

use crate::generated::world::World;

/// What is asked of the engines.
#[derive(Debug)]
pub enum Asked {
    /// A query, or how many rows it has.
    Query(Expr, Verb),
    /// A predicate over an entity, for the oracles.
    Predicate(&'static str, LogicExpr),
    /// A predicate over a table, with an UPDATE and a DELETE by it.
    Write(&'static str, LogicExpr, Expr, Expr),
    /// An INSERT into a table.
    Insert(&'static str, Expr),
}

impl Asked {
    /// The statements that it comes to: also that a predicate does not hold, that it is unknown, and its value.
    pub fn statements(&self) -> Vec<(Expr, Verb)> {
        match self {
            Self::Query(query, verb) => vec![(query.clone(), *verb)],
            Self::Predicate(entity, filter) => {
                let filters = [filter.clone(), !filter.clone(), unknown(filter)];
                let rows = filters.map(|filter| (rows_where(entity, filter), Verb::Select));
                rows.into_iter().chain([(how_often(entity, filter), Verb::Select)]).collect()
            }
            Self::Write(entity, filter, update, delete) => {
                let rows = rows_where(entity, filter.clone());
                vec![(rows, Verb::Select), (update.clone(), Verb::Select), (delete.clone(), Verb::Select)]
            }
            Self::Insert(_, insert) => vec![(insert.clone(), Verb::Select)],
        }
    }
}

/// A case and the answers that are due.
#[derive(Debug)]
pub struct Case {
    pub choices: Vec<u32>,
    pub asked: Asked,
    /// The scope that it is asked within.
    pub within: Option<Bounds>,
    pub expected: Result<Vec<Answer>, Error>,
}

/// A scope, and the rows that it keeps out.
#[derive(Debug)]
pub struct Bounds {
    pub region: Region,
    pub outside: Data,
}

impl Case {
    pub fn new(world: &World, data: &Data, choices: Vec<u32>) -> Self {
        let catalog = &world.catalog;
        let mut draw = Choices::new(&choices);
        let region = world.scoped.then(|| generate::region(&mut draw));
        let asked = match draw.below(if world.scoped { 12 } else { 10 }) {
            0..=6 => {
                let query = generate::query(catalog, &mut draw);
                let verb = match draw.below(20) {
                    1 => Verb::Count,
                    2 => Verb::Exists,
                    _ => Verb::Select,
                };
                Asked::Query(query, verb)
            }
            7 | 8 => {
                let (entity, filter) = generate::predicate(catalog, &mut draw);
                Asked::Predicate(entity, filter)
            }
            9 => {
                let (entity, filter, update, delete) = generate::write(catalog, &mut draw);
                Asked::Write(entity, filter, update, delete)
            }
            _ => {
                let (entity, insert) = generate::insert(catalog, &mut draw);
                Asked::Insert(entity, insert)
            }
        };
        let Some(region) = region else {
            let expected = expected(catalog, data, &Within::default(), &asked);
            return Self { choices, asked, within: None, expected };
        };
        let [inside, outside] = region.part(data).unwrap();
        let expected = expected(catalog, data, &region.within, &asked);
        if matches!(asked, Asked::Query(..) | Asked::Predicate(..)) {
            // Whoever reads finds the same when the rows outside have been taken away.
            let alone = self::expected(catalog, &inside, &Region::everything().within, &asked);
            assert_eq!(expected.as_ref().ok(), alone.as_ref().ok(), "the evaluator, within {region:?}: {asked:?}");
        }
        Self { choices, asked, within: Some(Bounds { region, outside }), expected }
    }

    /// What each of its statements is compiled with.
    pub fn request(&self) -> Request<'_> {
        let scope = self.within.iter().map(|bounds| &bounds.region.scope);
        scope.fold(Request::default(), Request::scope)
    }
}

/// The rows of an entity for which a predicate holds.
pub fn rows_where(entity: &'static str, filter: LogicExpr) -> Expr {
    Expr::from(SqlSegment::from(from(entity).filter(filter).select(["Id"])))
}

/// Of how many rows of an entity a predicate's value is true; NULL for none.
pub fn how_often(entity: &'static str, filter: &LogicExpr) -> Expr {
    let one = if_else(ValueTypeExpr::from(filter.clone()).is_true(), 1, 0);
    Expr::from(SqlSegment::from(from(entity).select([one.sum()])))
}

/// Every row and column of a table.
pub fn whole(entity: &'static str) -> Expr {
    Expr::from(SqlSegment::from(from(entity).select_all()))
}

/// Whether a predicate is unknown.
pub fn unknown(filter: &LogicExpr) -> LogicExpr {
    ValueTypeExpr::from(filter.clone()).is_null()
}

fn expected(catalog: &Catalog, data: &Data, within: &Within, asked: &Asked) -> Result<Vec<Answer>, Error> {
    let request = Request::default();
    let evaluate = |expr: &Expr| within.evaluate(catalog, data, expr, &request);
    let after = |entity, write| {
        let mut after = data.clone();
        within.execute(catalog, &mut after, write)?;
        within.evaluate(catalog, &after, &whole(entity), &request)
    };
    match asked {
        Asked::Query(query, verb) => Ok(vec![within.evaluate(catalog, data, query, &request.verb(*verb))?]),
        Asked::Predicate(entity, filter) => Ok(vec![evaluate(&rows_where(entity, filter.clone()))?]),
        Asked::Write(entity, filter, update, delete) => {
            Ok(vec![evaluate(&rows_where(entity, filter.clone()))?, after(entity, update)?, after(entity, delete)?])
        }
        Asked::Insert(entity, insert) => Ok(vec![after(entity, insert)?]),
    }
}
