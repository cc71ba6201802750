//! What an engine says of a case.

use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, from};
use isogloss_compiler::{Request, Verb};
use isogloss_conformance::data::Answer;
use isogloss_driver::TransactionOptions;

use crate::case::{Asked, Case, how_often, rows_where, unknown, whole};
use crate::engine::{Engine, Trouble};

/// What came of a case on an engine.
#[derive(Debug)]
pub enum Outcome {
    /// The engine and the evaluator agree.
    Agreed,
    /// The engine agrees with itself; the evaluator does not know.
    Alone,
    /// There is no engine, and its judges have nothing against the texts.
    Judged,
    /// The compiler refuses the tree, with its reason.
    Refused(String),
    /// They differ, or the engine reports an error.
    Failed(String),
}

type Checked = Result<(), Trouble>;

/// Runs a case.
pub async fn check(engine: &mut Engine, case: &Case) -> Outcome {
    let expected = case.expected.as_ref().ok();
    let checked = match &case.asked {
        Asked::Query(query, verb) => {
            let expected = expected.and_then(|answers| answers.first());
            agrees(engine, query, *verb, expected).await
        }
        Asked::Predicate(entity, filter) => predicate(engine, entity, filter, expected).await,
        Asked::Write(entity, filter, update, delete) => {
            let writes = [update, delete];
            engine.begin(&TransactionOptions::default()).await;
            let checked = write(engine, entity, filter, writes, expected).await;
            engine.rollback().await;
            checked
        }
    };
    match (checked, &case.expected) {
        (Ok(()), Ok(_)) => Outcome::Agreed,
        (Ok(()), Err(isogloss_conformance::evaluator::Error::Fault(why))) => {
            Outcome::Failed(format!("the evaluator says that it must fail: {why}"))
        }
        (Ok(()), Err(_)) => Outcome::Alone,
        (Err(Trouble::Refused(why)), _) => Outcome::Refused(why),
        // Where all must fail, an error of the engine is what is due.
        (Err(Trouble::Engine(_)), Err(isogloss_conformance::evaluator::Error::Fault(_))) => Outcome::Agreed,
        (Err(Trouble::Engine(why) | Trouble::Differs(why)), _) => Outcome::Failed(why),
    }
}

/// Whether a query gives what is expected of it; if nothing is, whether it runs.
async fn agrees(engine: &mut Engine, query: &Expr, verb: Verb, expected: Option<&Answer>) -> Checked {
    let request = Request::default().verb(verb);
    let nothing = Answer::default();
    let types = expected.filter(|_| verb != Verb::Exists).unwrap_or(&nothing);
    let (answer, sql) = engine.ask(query, &request, types).await?;
    let Some(expected) = expected else { return Ok(()) };
    // What stands in the row is nobody's concern.
    let same = if verb == Verb::Exists && expected.rows.is_empty() == answer.rows.is_empty() {
        Ok(())
    } else {
        expected.near(&answer)
    };
    match same {
        Ok(()) => Ok(()),
        Err(difference) => {
            let due = expected.rows.iter().map(|row| format!("  {row:?}\n")).collect::<String>();
            let came = answer.rows.iter().map(|row| format!("  {row:?}\n")).collect::<String>();
            let ordered = if expected.ordered { "in this order" } else { "in any order" };
            Err(Trouble::Differs(format!("{difference}\n{sql}\ndue, {ordered}:\n{due}came:\n{came}")))
        }
    }
}

async fn count(engine: &mut Engine, query: &SqlSegment) -> Result<i64, Trouble> {
    let query = Expr::from(query.clone());
    engine.number(&query, &Request::default().verb(Verb::Count)).await
}

/// TLP: a predicate, its negation and that it is unknown part the rows. NoREC: as many rows pass a filter as there are
/// for which its value is true.
async fn predicate(
    engine: &mut Engine,
    entity: &'static str,
    filter: &LogicExpr,
    expected: Option<&Vec<Answer>>,
) -> Checked {
    agrees(engine, &rows_where(entity, filter.clone()), Verb::Select, expected.and_then(|e| e.first())).await?;
    let all = count(engine, &from(entity)).await?;
    let holds = count(engine, &from(entity).filter(filter.clone())).await?;
    let not = count(engine, &from(entity).filter(!filter.clone())).await?;
    let open = count(engine, &from(entity).filter(unknown(filter))).await?;
    if holds + not + open != all {
        let texts =
            engine.texts([filter, &!filter.clone(), &unknown(filter)].map(|filter| rows_where(entity, filter.clone())));
        let counts = format!("TLP: {holds} hold, {not} do not, {open} are unknown, of {all} rows");
        return Err(Trouble::Differs(format!("{counts}\n{texts}")));
    }
    let sum = engine.number(&how_often(entity, filter), &Request::default()).await?;
    if sum != holds {
        let texts = engine.texts([rows_where(entity, filter.clone()), how_often(entity, filter)]);
        return Err(Trouble::Differs(format!("NoREC: {holds} rows pass, {sum} have the value true\n{texts}")));
    }
    Ok(())
}

/// DQE: SELECT, UPDATE and DELETE with one predicate mean the same rows.
async fn write(
    engine: &mut Engine,
    entity: &'static str,
    filter: &LogicExpr,
    writes: [&Expr; 2],
    expected: Option<&Vec<Answer>>,
) -> Checked {
    let expected = |at: usize| expected.and_then(|answers| answers.get(at));
    let rows = rows_where(entity, filter.clone());
    agrees(engine, &rows, Verb::Select, expected(0)).await?;
    let all = count(engine, &from(entity)).await?;
    let meant = count(engine, &from(entity).filter(filter.clone())).await?;
    for (at, statement) in writes.into_iter().enumerate() {
        engine.begin(&TransactionOptions::default()).await;
        let checked = async {
            let changed = engine.write(statement).await?;
            agrees(engine, &whole(entity), Verb::Select, expected(at + 1)).await?;
            let left = count(engine, &from(entity)).await?;
            // How many an UPDATE touched, some engines say only of those that it changed.
            let deleted = at == 1;
            if deleted && (left != all - meant || i64::try_from(changed) != Ok(meant)) {
                return Err(Trouble::Differs(format!(
                    "DQE: SELECT finds {meant} of {all} rows, DELETE took {changed} and left {left}"
                )));
            }
            Ok(())
        }
        .await;
        engine.rollback().await;
        checked?;
    }
    Ok(())
}
