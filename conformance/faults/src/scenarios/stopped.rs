//! The server's processes stand still, and go on.

use std::time::{Duration, Instant};

use isogloss::dao::ObjectViewDao;

use super::{holds, kept};
use crate::load::Load;
use crate::own::Server;
use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scale};

/// The limit of a statement. The server has two seconds more to end it.
const LIMIT: Duration = Duration::from_millis(300);

/// The limit of making a connection.
const CONNECT: Duration = Duration::from_millis(900);

/// How long a caller may wait then: until another one's statement is given up, and for a connection. And how long it may
/// take afterwards. Both with what a busy machine adds.
const BOUND: Duration = Duration::from_secs(8);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let server = match Server::start(place, 1).await {
        Ok(server) => server,
        Err(why) => return Ok(format!("not run: {why}")),
    };
    let context = place
        .context(&server.url, |source| source.statement_timeout(LIMIT).connect_timeout(CONNECT).max_pool_size(4))?;
    context.sync_table("Row", [""; 0]).await?;
    let load = Load::start(&context, 4);
    load.confirms(10).await?;

    let stopped = server.stop()?;
    stopped.stand_still().await?;
    let begun = Instant::now();
    let answer = ObjectViewDao::<Row>::new(&context.create_session()?).count(()).await;
    let waited = begun.elapsed();
    holds(answer.is_err() && waited < scale.at_most(BOUND), || {
        format!("a stopped server, after {waited:?}: {answer:?}")
    })?;
    load.fails(1).await?;
    drop(stopped);

    let again = load.goes_on(scale.at_most(BOUND)).await?;
    let loaded = load.end().await?;
    loaded.failed_as(&["timeout", "connect", "connection_lost", "pool_exhausted"])?;
    kept(&context, &loaded.confirmed).await?;
    context.close();
    Ok(format!("{waited:.1?}; {again:.0?}"))
}
