//! A server that keeps no more prepared statements, as another program has nearly all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::try_join_all;
use isogloss::driver::ErrorKind;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext};

use super::{holds, number, plain};
use crate::own::Server;
use crate::place::Place;
use crate::{Outcome, Scale, settled};

/// How many statements the server keeps, and how many of them another program has.
const KEPT: usize = 60;
const TAKEN: usize = 50;

const POOL: u32 = 4;

/// How many statements each caller runs.
const EACH: usize = 50;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let server = match Server::start(place, 1).await {
        Ok(server) => server,
        Err(why) => return Ok(format!("not run: {why}")),
    };
    let others = place.context(&server.url, |source| source.max_pool_size(1))?;
    let limit = plain(format!("SET GLOBAL max_prepared_stmt_count = {KEPT}"));
    let theirs = others.create_session()?;
    let mut lease = theirs.lease(None, Purpose::Write).await?;
    lease.execute(&limit).await?;
    for n in 1..TAKEN {
        lease.fetch::<(i64,)>(&statement(n)).await?;
    }
    let context = place.context(&server.url, |source| source.max_pool_size(POOL))?;
    let all = try_join_all((0..POOL).map(|caller| called(&context, usize::try_from(caller).unwrap_or(0)))).await?;
    let busy: usize = all.into_iter().sum();
    // The other program goes on with what it has.
    lease.fetch::<(i64,)>(&statement(1)).await?;
    drop(lease);
    others.close();
    context.close();
    Ok(format!("{}; 0; {}", number(EACH * POOL as usize), number(busy)))
}

fn statement(n: usize) -> Compiled<'static> {
    plain(format!("SELECT {n}"))
}

/// Gives how often a statement was to be sent again, as the database was busy.
async fn called(context: &OrmContext, caller: usize) -> Outcome<usize> {
    let busy = AtomicUsize::new(0);
    for n in 0..EACH {
        let statement = statement(1_000 + n * 7 + caller);
        settled(|| async {
            let session = context.create_session()?;
            let found = session.lease(None, Purpose::Write).await?.fetch::<(i64,)>(&statement).await;
            if let Err(error) = &found {
                holds(error.kind() == Some(ErrorKind::Busy), || format!("not busy, but {error}"))?;
                busy.fetch_add(1, Ordering::Relaxed);
            }
            Outcome::Ok(found?)
        })
        .await?;
    }
    Ok(busy.into_inner())
}
