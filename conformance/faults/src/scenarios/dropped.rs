//! Idle connections that a firewall has dropped without a word.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use isogloss::OrmContext;
use isogloss::dao::ObjectViewDao;
use isogloss::session::Purpose;
use tokio::sync::Barrier;

use super::{holds, plain};
use crate::place::Place;
use crate::proxy::Proxy;
use crate::rows::Row;
use crate::{Outcome, Scale};

const POOL: u32 = 16;

/// After that time every backend asks an idle connection whether it is still there.
const IDLE: Duration = Duration::from_millis(10_500);

/// How many connections may be asked before there is a new one.
const ASKED: usize = 1;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.max_pool_size(POOL).pool_size(POOL))?;
    let all = Barrier::new(POOL.try_into()?);
    try_join_all((0..POOL).map(|_| taken(&context, &all))).await?;
    tokio::time::sleep(IDLE).await;
    proxy.drop_silently();
    let begun = Instant::now();
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await?;
    let (took, asked) = (begun.elapsed(), proxy.in_vain());
    holds(asked <= ASKED, || format!("{asked} connections were asked before there was a new one, in {took:?}"))?;
    context.close();
    Ok(format!("{asked}; {took:.1?}"))
}

/// Takes a connection while all others are taken, too.
async fn taken(context: &OrmContext, all: &Barrier) -> Outcome<()> {
    let session = context.create_session()?;
    let mut lease = session.lease(None, Purpose::Write).await?;
    lease.fetch::<(i64,)>(&plain("SELECT 1")).await?;
    all.wait().await;
    Ok(())
}
