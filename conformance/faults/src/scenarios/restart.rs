//! The server is killed under load, and started again.

use std::time::Duration;

use super::{kept, number};
use crate::load::Load;
use crate::own::Server;
use crate::place::Place;
use crate::{Outcome, Scale};

/// How long it may take until a transaction is confirmed by a server that answers again.
const RECOVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let mut server = match Server::start(place, 1).await {
        Ok(server) => server,
        Err(why) => return Ok(format!("not run: {why}")),
    };
    let context = place.context(&server.url, |source| source.max_pool_size(8))?;
    context.sync_table("Row", [""; 0]).await?;
    let load = Load::start(&context, 12);
    let kills = scale.rounds.clamp(1, 20);
    let mut slowest = Duration::ZERO;
    for round in 0..kills {
        // Each time at another moment.
        load.confirms(20 + 37 * u64::try_from(round % 7)?).await?;
        server.kill().await?;
        server.again().await?;
        slowest = slowest.max(load.goes_on(scale.at_most(RECOVERY)).await?);
    }
    let loaded = load.end().await?;
    loaded.failed_as(&["connection_lost", "connect"])?;
    kept(&context, &loaded.confirmed).await?;
    context.close();
    Ok(format!("{kills}; {}; 0; {slowest:.0?}", number(loaded.confirmed.len())))
}
