//! A server that lets nobody in for a while.

use std::time::Duration;

use futures_util::future::try_join_all;
use isogloss::dao::ObjectViewDao;
use isogloss::session::Purpose;
use isogloss::{OrmContext, OrmError};

use super::plain;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::rows::Row;
use crate::{Outcome, Scale, settled};

const POOL: u32 = 8;

/// How many attempts to connect fail before the server lets anybody in again.
const ATTEMPTS: usize = 4;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.max_pool_size(POOL).pool_wait(crate::HANG))?;
    let session = context.create_session()?;
    // One connection is open, and in use.
    let mut leased = session.lease(None, Purpose::Write).await?;
    leased.fetch::<(i64,)>(&plain("SELECT 1")).await?;
    proxy.refuse();
    let callers: Vec<_> = (1..POOL).map(|_| tokio::spawn(count(context.clone()))).collect();
    settled(|| async {
        let tried = proxy.in_vain();
        tokio::time::sleep(Duration::from_millis(1)).await;
        if tried >= ATTEMPTS { Ok(()) } else { Err(format!("{tried} attempts to connect")) }
    })
    .await?;
    proxy.heal();
    let callers = try_join_all(callers).await?;
    let attempts = proxy.in_vain();
    if let Some(error) = callers.iter().find_map(|done| done.as_ref().err()) {
        return Err(format!("after {attempts} attempts to connect: {error}").into());
    }
    drop(leased);
    context.close();
    Ok(format!("{}; 0; {attempts}", callers.len()))
}

async fn count(context: OrmContext) -> Result<u64, OrmError> {
    ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await
}
