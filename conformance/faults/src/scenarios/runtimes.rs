//! A context that outlives the runtimes it is used from, as tests of a program have one each.

use isogloss::OrmContext;
use tokio::runtime::Builder;

use super::{kept, number};
use crate::child::one;
use crate::place::Place;
use crate::{Outcome, Scale};

/// How many transactions are written in each runtime.
const EACH: i64 = 4;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let context = place.context(&place.url, |source| source.max_pool_size(4))?;
    let runtimes = i64::try_from(scale.rounds)?;
    for runtime in 0..runtimes {
        let context = context.clone();
        tokio::task::spawn_blocking(move || in_another(&context, 1 + runtime * EACH)).await??;
    }
    let written: Vec<i64> = (1..=runtimes * EACH).collect();
    kept(&context, &written).await?;
    context.close();
    Ok(format!("{runtimes}; {}; 0", number(written.len())))
}

fn in_another(context: &OrmContext, first: i64) -> Outcome<()> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        for pair in first..first + EACH {
            one(context, pair).await?;
        }
        Ok(())
    })
}
