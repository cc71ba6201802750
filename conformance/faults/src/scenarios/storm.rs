//! Callers that give up all the time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use isogloss::Compiled;
use isogloss::dao::ObjectViewDao;
use isogloss::session::Purpose;

use super::{holds, number};
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// How many connections the pool may have.
const POOL: u32 = 4;

/// How many more there may be: what cancels, and what is being closed.
const BESIDE: i64 = 4;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source.max_pool_size(POOL).pool_size(POOL))?;
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    let sql = if place.provider == "postgres" { "SELECT 1 FROM pg_sleep(5)" } else { "SELECT SLEEP(5)" };
    let ended = Arc::new(AtomicBool::new(false));
    let callers = (0..32_u64).map(|caller| {
        let (context, ended) = (context.clone(), Arc::clone(&ended));
        tokio::spawn(async move {
            let (mut given_up, mut others) = (0_u64, BTreeMap::<String, u64>::new());
            while !ended.load(Ordering::Relaxed) {
                let sleep = async {
                    let session = context.create_session()?;
                    let statement = Compiled { sql: sql.into(), ..Compiled::default() };
                    session.lease(None, Purpose::Write).await?.execute(&statement).await
                };
                match tokio::time::timeout(Duration::from_millis(2 + caller % 11), sleep).await {
                    Err(_) => given_up += 1,
                    // Nobody but the caller ends it.
                    Ok(came) => *others.entry(format!("{came:?}")).or_default() += 1,
                }
            }
            (given_up, others)
        })
    });
    let callers: Vec<_> = callers.collect();
    let (begun, mut most) = (Instant::now(), 0);
    while begun.elapsed() < scale.time {
        // Who asks is a stranger, which the server has to let in.
        most = most.max(place.connections().await?);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ended.store(true, Ordering::Relaxed);
    let (mut given_up, mut others) = (0, BTreeMap::<String, u64>::new());
    for caller in callers {
        let (own, came) = caller.await?;
        given_up += own;
        came.into_iter().for_each(|(what, count)| *others.entry(what).or_default() += count);
    }
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    holds(given_up > 0 && others.is_empty(), || format!("{given_up} given up, others: {others:?}"))?;
    holds(most <= i64::from(POOL) + BESIDE, || format!("a pool of {POOL} had {most} connections"))?;
    context.close();
    place.no_connections().await?;
    Ok(format!("{}; {most}", number(usize::try_from(given_up)?)))
}
