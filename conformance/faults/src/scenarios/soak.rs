//! All that a program does, for a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::prelude::*;
use isogloss::{OrmContext, OrmError, Session};

use super::{holds, keeps_to, number, resident, whole};
use crate::child::one;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

const POOL: u32 = 8;

/// How many connections the server may have: some more are there to cancel, or are being closed.
const MOST: i64 = POOL as i64 + 4;

/// How many operations there are at least.
const OPERATIONS: u64 = 400;

/// How much the process may grow once it is warm, in mebibytes: so much, and one more for every ten seconds.
const GROWTH: u64 = 16;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source.max_pool_size(POOL))?;
    let (done, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let workers = (0..8_i64).map(|worker| {
        let (context, done, ended) = (context.clone(), Arc::clone(&done), Arc::clone(&ended));
        tokio::spawn(async move {
            let mut round = 0;
            while !ended.load(Ordering::Relaxed) {
                round += 1;
                step(&context, worker, round).await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, OrmError>(())
        })
    });
    let workers: Vec<_> = workers.collect();
    tokio::time::sleep(scale.time / 3).await;
    let (warm, begun, mut most) = (resident("self"), Instant::now(), 0);
    while begun.elapsed() < scale.time || done.load(Ordering::Relaxed) < OPERATIONS {
        tokio::time::sleep(Duration::from_millis(200)).await;
        if place.is_server() {
            most = most.max(place.connections().await?);
        }
    }
    if place.is_server() {
        keeps_to(place, MOST).await?;
    }
    ended.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.await??;
    }
    let grown = warm.zip(resident("self")).map(|(warm, now)| now.saturating_sub(warm) >> 20);
    let bound = GROWTH + scale.time.as_secs() / 10;
    holds(grown.is_none_or(|grown| grown <= bound), || format!("the process has grown by {grown:?} MiB"))?;
    holds(scale.is_patient || most <= MOST, || format!("a pool of {POOL} had {most} connections"))?;
    whole(&context).await?;
    context.close();
    if place.is_server() {
        place.no_connections().await?;
    }
    let grown = grown.map_or("not measured".to_owned(), |grown| format!("{grown} MiB"));
    let most = if place.is_server() { format!("; {most}") } else { String::new() };
    Ok(format!("{}; {grown}{most}", number(usize::try_from(done.load(Ordering::Relaxed))?)))
}

/// One of the things that programs do. Each worker has keys of its own.
async fn step(context: &OrmContext, worker: i64, round: i64) -> Result<(), OrmError> {
    let session = context.create_session()?;
    let (rows, views) = (ObjectDao::<Row>::new(&session), ObjectViewDao::<Row>::new(&session));
    let pair = worker * 1_000_000_000 + round;
    match round % 8 {
        0 => one(context, pair).await?,
        1 => drop(views.get(pair).await?),
        2 => drop(views.search(from("Row").order_by([prop("Id")]).take(20)).all().await?),
        // A stream that is given up.
        3 => drop(views.search(()).stream().take(3).collect::<Vec<_>>().await),
        // A caller who gives up.
        4 => drop(tokio::time::timeout(Duration::from_micros(300), views.count(())).await),
        // A transaction that fails, and one whose future is dropped.
        5 => {
            let failed = session.transaction(async |tx: &Session| {
                ObjectDao::<Row>::new(tx).insert(&mut Row { id: -pair, ..Row::default() }).await?;
                Err::<(), OrmError>(isogloss::entity::FieldError::new("on purpose").into())
            });
            drop(failed.await);
        }
        6 => {
            let late = session.transaction(async |tx: &Session| {
                ObjectDao::<Row>::new(tx).insert(&mut Row { id: -pair, ..Row::default() }).await?;
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok::<_, OrmError>(())
            });
            drop(tokio::time::timeout(Duration::from_millis(2), late).await);
        }
        _ => {
            let mut many: Vec<Row> = Row::pair(pair).into();
            rows.batch_update_or_insert(&mut many).await?;
            rows.batch_delete(&many).await?;
        }
    }
    Ok(())
}
