//! Connections that the server closes while nobody uses them.

use futures_util::future::try_join_all;
use isogloss::OrmContext;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::session::Purpose;
use tokio::sync::Barrier;

use super::number;
use crate::child::one;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

const POOL: u32 = 8;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source.max_pool_size(POOL).pool_size(POOL))?;
    let rounds = i64::try_from(scale.rounds * 4)?;
    let (mut closed, mut calls) = (0, 0);
    for round in 0..rounds {
        let all = Barrier::new(POOL.try_into()?);
        let call = async |caller: i64| {
            let session = context.create_session()?;
            // Each has a connection of its own.
            let lease = session.lease(None, Purpose::Write).await?;
            all.wait().await;
            drop(lease);
            all.wait().await;
            called(&context, 1 + round * i64::from(POOL) + caller).await
        };
        try_join_all((0..i64::from(POOL)).map(call)).await?;
        calls += POOL;
        closed += place.end_connections().await?;
        try_join_all((0..i64::from(POOL)).map(|caller| again(&context, caller, round))).await?;
        calls += POOL;
    }
    context.close();
    Ok(format!("{}; {}; 0", number(closed), number(calls.try_into()?)))
}

/// Reads, writes what commits by itself, and writes in a transaction.
async fn called(context: &OrmContext, id: i64) -> Outcome<()> {
    match id % 3 {
        0 => one(context, id).await?,
        1 => drop(ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?),
        _ => {
            let mut row = Row { id: -id, ..Row::default() };
            ObjectDao::<Row>::new(&context.create_session()?).insert(&mut row).await?;
        }
    }
    Ok(())
}

/// The same, where a connection was closed by the server just now.
async fn again(context: &OrmContext, caller: i64, round: i64) -> Outcome<()> {
    let id = 1_000_000 + round * i64::from(POOL) + caller;
    called(context, id).await.map_err(|error| format!("round {round}, call {}: {error}", id % 3).into())
}
