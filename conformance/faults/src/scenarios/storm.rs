//! Callers that give up all the time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use isogloss::Compiled;
use isogloss::dao::ObjectViewDao;
use isogloss::session::Purpose;

use super::{holds, keeps_to, number};
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// How many connections the pool may have.
const POOL: u32 = 4;

/// How many connections the server may have: some more are there to cancel, or are being closed.
const BOUND: i64 = POOL as i64 + 4;

/// How many calls are given up at least.
const CALLS: u64 = 300;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source.max_pool_size(POOL).pool_size(POOL))?;
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    let sql = if place.provider == "postgres" { "SELECT 1 FROM pg_sleep(300)" } else { "SELECT SLEEP(300)" };
    let (ended, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let callers = (0..32_u64).map(|caller| {
        let (context, ended, calls) = (context.clone(), Arc::clone(&ended), Arc::clone(&calls));
        tokio::spawn(async move {
            let (mut given_up, mut others) = (0_u64, BTreeMap::<String, u64>::new());
            while !ended.load(Ordering::Relaxed) {
                let sleep = async {
                    let session = context.create_session()?;
                    let statement = Compiled { sql: sql.into(), ..Compiled::default() };
                    session.lease(None, Purpose::Write).await?.execute(&statement).await
                };
                match tokio::time::timeout(Duration::from_millis(2 + caller % 11), sleep).await {
                    Err(_) => {
                        given_up += 1;
                        calls.fetch_add(1, Ordering::Relaxed);
                    }
                    // Nobody but the caller ends it.
                    Ok(came) => *others.entry(format!("{came:?}")).or_default() += 1,
                }
            }
            (given_up, others)
        })
    });
    let callers: Vec<_> = callers.collect();
    let (begun, mut most) = (Instant::now(), 0);
    while begun.elapsed() < scale.time || calls.load(Ordering::Relaxed) < CALLS {
        // Who asks is a stranger, which the server has to let in.
        most = most.max(place.connections().await?);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    keeps_to(place, BOUND).await?;
    ended.store(true, Ordering::Relaxed);
    let (mut given_up, mut others) = (0, BTreeMap::<String, u64>::new());
    for caller in callers {
        let (own, came) = caller.await?;
        given_up += own;
        came.into_iter().for_each(|(what, count)| *others.entry(what).or_default() += count);
    }
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    holds(given_up > 0 && others.is_empty(), || format!("{given_up} given up, others: {others:?}"))?;
    holds(scale.is_patient || most <= BOUND, || format!("a pool of {POOL} had {most} connections"))?;
    context.close();
    place.no_connections().await?;
    Ok(format!("{}; {most}", number(usize::try_from(given_up)?)))
}
