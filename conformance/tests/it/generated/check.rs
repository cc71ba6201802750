//! What an engine says of a case.

use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, Value, from};
use isogloss_compiler::{Request, Verb};
use isogloss_conformance::data::Answer;
use isogloss_conformance::evaluator::Error;
use isogloss_conformance::generate::Region;
use isogloss_driver::TransactionOptions;

use crate::generated::case::{Asked, Bounds, Case, how_often, rows_where, unknown, whole};
use crate::generated::engine::{Engine, Trouble};

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
    let request = case.request();
    let checked = match &case.asked {
        Asked::Query(query, verb) => self::query(engine, query, &request.verb(*verb), case).await,
        Asked::Predicate(entity, filter) => predicate(engine, entity, filter, &request, expected).await,
        Asked::Write(entity, filter, update, delete) => write(engine, entity, filter, [update, delete], case).await,
        Asked::Insert(entity, insert) => {
            engine.begin(&TransactionOptions::default()).await;
            let checked = changed(engine, entity, insert, case, expected.and_then(|answers| answers.first())).await;
            engine.rollback().await;
            checked.map(drop)
        }
    };
    match (checked, &case.expected) {
        (Ok(()), Ok(_)) => Outcome::Agreed,
        (Ok(()), Err(Error::Fault(why))) => Outcome::Failed(format!("the evaluator says that it must fail: {why}")),
        (Ok(()), Err(_)) => Outcome::Alone,
        (Err(Trouble::Refused(why)), _) => Outcome::Refused(why),
        // Where all must fail, an error of the engine is what is due.
        (Err(Trouble::Engine(_)), Err(Error::Fault(_))) => Outcome::Agreed,
        (Err(Trouble::Engine(why) | Trouble::Differs(why)), _) => Outcome::Failed(why),
    }
}

/// Whether a query gives what is expected of it; and within a scope what it gives where there are no rows outside.
async fn query(engine: &mut Engine, query: &Expr, request: &Request<'_>, case: &Case) -> Checked {
    let expected = case.expected.as_ref().ok().and_then(|answers| answers.first());
    let answer = agrees(engine, query, request, expected).await?;
    let Some(bounds) = &case.within else { return Ok(()) };
    let everything = Region::everything();
    engine.begin(&TransactionOptions::default()).await;
    engine.remove(&bounds.outside).await;
    let alone = agrees(engine, query, &request.scope(&everything.scope), expected).await;
    engine.rollback().await;
    match (alone?, &case.expected) {
        // Which rows stand on a page need not be determined.
        (_, Err(Error::Unsupported(why))) if why.contains("page") => Ok(()),
        (alone, _) => {
            let alone = Answer { ordered: expected.is_some_and(|expected| expected.ordered), ..alone };
            same(&alone, &answer, "with no rows outside of the scope, it is another answer")
        }
    }
}

/// The answer of a query, if it is what is expected; if nothing is, whatever comes.
async fn agrees(
    engine: &mut Engine,
    query: &Expr,
    request: &Request<'_>,
    expected: Option<&Answer>,
) -> Result<Answer, Trouble> {
    let nothing = Answer::default();
    let exists = request.verb == Verb::Exists;
    let types = expected.filter(|_| !exists).unwrap_or(&nothing);
    let (answer, sql) = engine.ask(query, request, types).await?;
    match expected {
        // What stands in the row is nobody's concern.
        Some(expected) if !exists || expected.rows.is_empty() != answer.rows.is_empty() => {
            same(expected, &answer, &sql)?;
        }
        _ => {}
    }
    Ok(answer)
}

fn same(expected: &Answer, answer: &Answer, sql: &str) -> Checked {
    expected.near(answer).map_err(|difference| {
        let due = expected.rows.iter().map(|row| format!("  {row:?}\n")).collect::<String>();
        let came = answer.rows.iter().map(|row| format!("  {row:?}\n")).collect::<String>();
        let ordered = if expected.ordered { "in this order" } else { "in any order" };
        Trouble::Differs(format!("{difference}\n{sql}\ndue, {ordered}:\n{due}came:\n{came}"))
    })
}

async fn count(engine: &mut Engine, query: &SqlSegment, request: &Request<'_>) -> Result<i64, Trouble> {
    let query = Expr::from(query.clone());
    engine.number(&query, &request.verb(Verb::Count)).await
}

/// TLP: a predicate, its negation and that it is unknown part the rows. NoREC: as many rows pass a filter as there are
/// for which its value is true.
async fn predicate(
    engine: &mut Engine,
    entity: &'static str,
    filter: &LogicExpr,
    request: &Request<'_>,
    expected: Option<&Vec<Answer>>,
) -> Checked {
    agrees(engine, &rows_where(entity, filter.clone()), request, expected.and_then(|e| e.first())).await?;
    let all = count(engine, &from(entity), request).await?;
    let holds = count(engine, &from(entity).filter(filter.clone()), request).await?;
    let not = count(engine, &from(entity).filter(!filter.clone()), request).await?;
    let open = count(engine, &from(entity).filter(unknown(filter)), request).await?;
    if holds + not + open != all {
        let texts = [filter, &!filter.clone(), &unknown(filter)].map(|filter| rows_where(entity, filter.clone()));
        let texts = engine.texts(texts, request);
        let counts = format!("TLP: {holds} hold, {not} do not, {open} are unknown, of {all} rows");
        return Err(Trouble::Differs(format!("{counts}\n{texts}")));
    }
    let sum = engine.number(&how_often(entity, filter), request).await?;
    if sum != holds {
        let texts = engine.texts([rows_where(entity, filter.clone()), how_often(entity, filter)], request);
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
    case: &Case,
) -> Checked {
    let expected = |at: usize| case.expected.as_ref().ok().and_then(|answers| answers.get(at));
    let request = case.request();
    let rows = rows_where(entity, filter.clone());
    agrees(engine, &rows, &request, expected(0)).await?;
    let all = count(engine, &from(entity), &request).await?;
    let meant = count(engine, &from(entity).filter(filter.clone()), &request).await?;
    for (at, statement) in writes.into_iter().enumerate() {
        engine.begin(&TransactionOptions::default()).await;
        let checked = async {
            let changed = changed(engine, entity, statement, case, expected(at + 1)).await?;
            let left = count(engine, &from(entity), &request).await?;
            // How many an UPDATE touched, some engines say only of those that it changed; so is a mark of a deleted row.
            let deleted = at == 1 && (case.within.is_none() || entity != "Task");
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

/// Runs a write, and looks at the rows of its table; within a scope at those outside, too. Gives how many it changed.
async fn changed(
    engine: &mut Engine,
    entity: &'static str,
    statement: &Expr,
    case: &Case,
    expected: Option<&Answer>,
) -> Result<u64, Trouble> {
    let request = case.request();
    let (changed, sql) = engine.write(statement, &request).await?;
    agrees(engine, &whole(entity), &request, expected).await?;
    if let Some(Bounds { region, outside }) = &case.within {
        let after = engine.dump(outside).await;
        for (table, rows) in outside.tables.iter().zip(&after.tables) {
            let key = |row: &Vec<Value>| row.first().cloned();
            let known: Vec<_> = table.rows.iter().map(key).collect();
            let still = rows.rows.iter().filter(|row| known.contains(&key(row))).cloned().collect();
            let answer = |rows| Answer { columns: table.columns.clone(), rows, ordered: false };
            same(&answer(table.rows.clone()), &answer(still), &format!("rows outside of the scope\n{sql}"))?;
        }
        let strays = region.strays(outside, &after).map_err(|error| Trouble::Differs(error.to_string()))?;
        if let Some(stray) = strays.table(entity).and_then(|table| table.rows.first()) {
            return Err(Trouble::Differs(format!("written outside of the scope: {stray:?}\n{sql}")));
        }
    }
    Ok(changed)
}
