//! Callers that give up all the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use isogloss::Compiled;
use isogloss::dao::ObjectViewDao;
use isogloss::session::Purpose;

use super::holds;
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
    let (given_up, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let callers = (0..32_u64).map(|caller| {
        let (context, given_up, ended) = (context.clone(), Arc::clone(&given_up), Arc::clone(&ended));
        tokio::spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                let sleep = async {
                    let session = context.create_session()?;
                    let statement = Compiled { sql: sql.into(), ..Compiled::default() };
                    session.lease(None, Purpose::Write).await?.execute(&statement).await
                };
                if tokio::time::timeout(Duration::from_millis(2 + caller % 11), sleep).await.is_err() {
                    given_up.fetch_add(1, Ordering::Relaxed);
                }
            }
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
    for caller in callers {
        caller.await?;
    }
    let begun = Instant::now();
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    let again = begun.elapsed();
    holds(most <= i64::from(POOL) + BESIDE, || format!("a pool of {POOL} had {most} connections"))?;
    context.close();
    place.no_connections().await?;
    let given_up = given_up.load(Ordering::Relaxed);
    Ok(format!("{given_up} given up, at most {most} connections for a pool of {POOL}, of use again after {again:.1?}"))
}
