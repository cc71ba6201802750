//! Connections that are cut under load.

use std::time::Duration;

use super::{kept, number};
use crate::load::Load;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::{Outcome, Scale};

/// How long it may take after the last cut until a transaction is confirmed.
const RECOVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let proxy = Proxy::to(place.address()?).await?;
    let url = place.by_way_of(&proxy.address.to_string())?;
    let context = place.context(&url, |source| source.max_pool_size(8))?;
    let load = Load::start(&context, 12);
    for round in 0..scale.rounds * 4 {
        // Each time at another moment.
        load.confirms(1 + u64::try_from(round * 5 % 7)?).await?;
        proxy.cut();
    }
    load.goes_on(scale.at_most(RECOVERY)).await?;
    let loaded = load.end().await?;
    kept(&context, &loaded.confirmed).await?;
    context.close();
    drop(proxy);
    place.no_connections().await?;
    loaded.failed_as(&["connection_lost", "connect"])?;
    Ok(format!("{}; 0", number(loaded.confirmed.len())))
}
