//! A primary that is made a replica, while its name is led to another server.

use futures_util::future::try_join_all;
use isogloss::session::Purpose;
use tokio::sync::Barrier;

use super::{holds, plain, whole};
use crate::child::one;
use crate::own::Server;
use crate::place::Place;
use crate::proxy::Proxy;
use crate::{Outcome, Scale};

const POOL: u32 = 8;

/// How many transactions each writer writes before the switch and behind it.
const EACH: i64 = 10;

pub(super) async fn run(place: &Place, _: &Scale) -> Outcome {
    let (old, new) = match (Server::start(place, 1).await, Server::start(place, 2).await) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return Ok(format!("not run: {why}")),
    };
    for server in [&old, &new] {
        let context = place.context(&server.url, |source| source)?;
        context.sync_table("Row", [""; 0]).await?;
        if place.provider == "mysql" {
            // Who may do everything may also write to a replica.
            let user = "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app'; GRANT ALL ON mysql.* TO app@'127.0.0.1'";
            context.create_session()?.lease(None, Purpose::Write).await?.script(user).await?;
        }
        context.close();
    }
    let address = |server: &Server| format!("127.0.0.1:{}", server.port);
    let proxy = Proxy::to(address(&old)).await?;
    let url = old.url.replace(&address(&old), &proxy.address.to_string()).replace("root@", "app:app@");
    let context = place.context(&url, |source| source.max_pool_size(POOL))?;
    let all = Barrier::new(POOL.try_into()?);
    let write = async |writer: i64, part: i64| {
        all.wait().await;
        let first = 1 + (part * i64::from(POOL) + writer) * EACH;
        for pair in first..first + EACH {
            one(&context, pair).await?;
        }
        Outcome::Ok(())
    };
    let writers = 0..i64::from(POOL);
    try_join_all(writers.clone().map(|writer| write(writer, 0))).await?;
    demote(place, &old).await?;
    proxy.lead_to(address(&new));
    let written = i64::from(POOL) * EACH;
    try_join_all(writers.map(|writer| write(writer, 1))).await?;
    context.close();
    let mut there = Vec::new();
    for server in [&new, &old] {
        let context = place.context(&server.url, |source| source)?;
        there.extend(whole(&context).await?);
        context.close();
        holds(!there.is_empty(), || "no transaction was written at the new server".into())?;
    }
    there.sort_unstable();
    holds(there.iter().copied().eq(1..=2 * written), || format!("{} transactions are there", there.len()))?;
    Ok(format!("{written}; 0"))
}

async fn demote(place: &Place, server: &Server) -> Outcome<()> {
    let statements: &[&str] = match place.provider.as_str() {
        "postgres" => &["ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"],
        _ => &["SET GLOBAL read_only = 1"],
    };
    let context = place.context(&server.url, |source| source)?;
    let session = context.create_session()?;
    for sql in statements {
        session.lease(None, Purpose::Write).await?.execute(&plain(*sql)).await?;
    }
    if place.provider == "postgres" {
        // A session of the server hears of it between two statements.
        crate::settled(|| async {
            let mut lease = session.lease(None, Purpose::Write).await?;
            let on = lease.fetch::<(String,)>(&plain("SHOW default_transaction_read_only")).await?;
            holds(on == [("on".to_owned(),)], || format!("{on:?}"))
        })
        .await?;
    }
    context.close();
    Ok(())
}
