//! Two servers behind one address, in turns. What is given up is ended where it runs, or its connection is closed: a
//! connection of the same number at the other server is somebody else's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use isogloss::driver::ErrorKind;
use isogloss::session::{Lease, Purpose};
use isogloss::{Compiled, OrmContext};
use tokio::process::Command;
use tokio::time::timeout;

use super::holds;
use crate::own::{Listener, Server, program};
use crate::place::Place;
use crate::{Outcome, Scale, settled};

/// How many connections others have at the first server. Those of the program at the second one have the same numbers.
const STRANGERS: u32 = 60;

/// What a statement of the program may take, and when it is dropped.
const LIMIT: Duration = Duration::from_millis(200);

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let Some(haproxy) = program("haproxy") else {
        return Ok("not run: install the package haproxy".into());
    };
    // One after the other: their setting up is not made for company.
    let mut servers = Vec::new();
    for number in 1..=2 {
        match Server::start(place, number).await {
            Ok(server) => servers.push(server),
            Err(why) => return Ok(format!("not run: {why}")),
        }
    }
    let [first, second] = servers.as_slice() else { return Err("two servers".into()) };
    let balancer = balance(haproxy, &first.folder, [first.port, second.port]).await?;

    let strangers = context(place, first.port, None)?;
    let leases = try_join_all((0..STRANGERS).map(|_| lease(&strangers))).await?;
    let rounds = scale.rounds.clamp(1, 5) * 6;
    let over = AtomicBool::new(false);
    let program = async {
        let given_up = give_up(place, balancer.port, second.port, rounds).await;
        over.store(true, Ordering::Relaxed);
        given_up
    };
    let theirs = leases.into_iter().map(|lease| stranger(lease, &over));
    let (given_up, theirs) = tokio::try_join!(program, try_join_all(theirs))?;
    let both = theirs.iter().filter(|id| given_up.contains(id)).count();
    holds(both > 0, || format!("{both} numbers are at both servers"))?;
    strangers.close();
    Ok(format!("{rounds}; {both}; 0"))
}

/// Gives up a statement in each round. Gives the numbers of the connections that were at the second server.
async fn give_up(place: &Place, balancer: u16, second: u16, rounds: usize) -> Outcome<BTreeSet<i64>> {
    let mut program = context(place, balancer, Some(LIMIT))?;
    let mut given_up = BTreeSet::new();
    for round in 0..rounds {
        // Each pool ends statements over a connection that it keeps for that: now at the one server, now at the other.
        if round % 2 == 0 {
            program.close();
            program = context(place, balancer, Some(LIMIT))?;
        }
        let (mut lease, (id, port)) = settled(|| async {
            let mut lease = lease(&program).await?;
            let number = number(&mut lease).await?;
            Outcome::Ok((lease, number))
        })
        .await?;
        if port == i64::from(second) {
            given_up.insert(id);
        }
        let slow = plain("SET @slept = (SELECT SUM(SLEEP(20)) FROM mysql.user)");
        if round % 2 == 0 {
            let error = lease.execute(&slow).await.map(|_| "an answer").unwrap_err();
            let kind = error.kind();
            holds(matches!(kind, Some(ErrorKind::Timeout | ErrorKind::ConnectionLost)), || error.to_string())?;
        } else {
            let dropped = timeout(LIMIT / 2, lease.execute(&slow)).await;
            holds(dropped.is_err(), || format!("{dropped:?}"))?;
        }
    }
    program.close();
    Ok(given_up)
}

/// Somebody else's statements, each of which runs to its end, for as long as the program gives up its own. Gives their
/// connection's number.
async fn stranger(mut lease: Lease, over: &AtomicBool) -> Outcome<i64> {
    let (id, _) = number(&mut lease).await?;
    let sleep = plain(&format!("SELECT SLEEP({:.1})", LIMIT.as_secs_f64() * 5.0));
    while !over.load(Ordering::Relaxed) {
        let slept = lease.fetch_one::<(i64,)>(&sleep).await;
        let whole = matches!(slept, Ok((0,)));
        holds(whole, || format!("a stranger's connection {id} was interrupted: {slept:?}"))?;
    }
    let (now, _) = number(&mut lease).await?;
    holds(now == id, || format!("a stranger's connection {id} was closed"))?;
    Ok(id)
}

/// The connection's number, and its server's port.
async fn number(lease: &mut Lease) -> Outcome<(i64, i64)> {
    Ok(lease.fetch_one::<(i64, i64)>(&plain("SELECT CONNECTION_ID(), @@port")).await?)
}

async fn lease(context: &OrmContext) -> Outcome<Lease> {
    Ok(context.create_session()?.lease(None, Purpose::Write).await?)
}

fn context(place: &Place, port: u16, limit: Option<Duration>) -> Outcome<OrmContext> {
    place.context(&format!("mysql://root@127.0.0.1:{port}/mysql"), |source| {
        let source = source.max_pool_size(STRANGERS);
        match limit {
            Some(limit) => source.statement_timeout(limit),
            None => source,
        }
    })
}

fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.to_owned(), ..Compiled::default() }
}

/// HAProxy before both.
async fn balance(haproxy: PathBuf, folder: &Path, servers: [u16; 2]) -> Outcome<Listener> {
    let [first, second] = servers;
    let settings = |port| {
        format!(
            "defaults\n    mode tcp\n    timeout connect 5s\n    timeout client 1h\n    timeout server 1h\n\
             listen balanced\n    bind 127.0.0.1:{port}\n    balance roundrobin\n    \
             server first 127.0.0.1:{first}\n    server second 127.0.0.1:{second}\n"
        )
    };
    let mut command = Command::new(haproxy);
    command.args(["-db", "-f"]);
    Listener::start(folder, settings, command).await
}
