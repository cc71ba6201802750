//! What breaks.

mod balanced;
mod batches;
mod closed;
mod corrupt;
mod cut;
mod demoted;
mod drips;
mod dropped;
mod full;
mod kill;
mod moved;
mod pooled;
mod prepared;
mod refused;
mod restart;
mod runtimes;
mod served;
mod shutdown;
mod silence;
mod soak;
mod stopped;
mod storm;
mod together;

use std::collections::BTreeMap;

use isogloss::dao::ObjectViewDao;
use isogloss::{Compiled, OrmContext, prelude::*};

use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scenario, settled};

/// All of them.
pub static ALL: &[Scenario] = &[
    Scenario {
        name: "kill",
        what: "a program is killed while it writes: transactions confirmed; lost or half there",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(kill::run(place, scale)),
    },
    Scenario {
        name: "restart",
        what: "the server is killed under load and started again: kills; transactions confirmed; lost or half there; until the next one is confirmed, at most",
        is_for: Place::is_server,
        starts_servers: true,
        run: |place, scale| Box::pin(restart::run(place, scale)),
    },
    Scenario {
        name: "cut",
        what: "connections are cut under load: transactions confirmed; lost or half there",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(cut::run(place, scale)),
    },
    Scenario {
        name: "silence",
        what: "a server falls silent, with a limit of 300 ms and 2 s of grace: a statement ends after; a COMMIT, in doubt, after",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(silence::run(place, scale)),
    },
    Scenario {
        name: "stopped",
        what: "the server's processes stand still, and go on: a caller has an error after; the next transaction is confirmed after",
        is_for: Place::is_server,
        starts_servers: true,
        run: |place, scale| Box::pin(stopped::run(place, scale)),
    },
    Scenario {
        name: "refused",
        what: "a server lets nobody in while one connection of 8 is in use: callers that wait; failed; attempts to connect meanwhile",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(refused::run(place, scale)),
    },
    Scenario {
        name: "dropped",
        what: "16 idle connections are dropped without a word: asked before there is a new one; the next call takes",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(dropped::run(place, scale)),
    },
    Scenario {
        name: "closed",
        what: "the server closes connections that are idle: closed; calls; failed",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(closed::run(place, scale)),
    },
    Scenario {
        name: "demoted",
        what: "a primary is made a replica, and its name leads to another server: transactions behind that, with 8 old connections; failed",
        is_for: Place::is_server,
        starts_servers: true,
        run: |place, scale| Box::pin(demoted::run(place, scale)),
    },
    Scenario {
        name: "drips",
        what: "of a stream some rows come and then nothing, with a limit of 300 ms and 2 s of grace: rows given out; it ends after",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(drips::run(place, scale)),
    },
    Scenario {
        name: "prepared",
        what: "another program has prepared 50 of the 60 statements that the server keeps: statements of a pool of 4; failed; sent again, as the server was busy",
        is_for: |place| place.provider == "mysql",
        starts_servers: true,
        run: |place, scale| Box::pin(prepared::run(place, scale)),
    },
    Scenario {
        name: "runtimes",
        what: "a context is used from one runtime after the other: runtimes; transactions; failed",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(runtimes::run(place, scale)),
    },
    Scenario {
        name: "moved",
        what: "a file is moved away or replaced while it is written to: transactions confirmed; told that it is away; lost",
        is_for: |place| !place.is_server(),
        starts_servers: false,
        run: |place, scale| Box::pin(moved::run(place, scale)),
    },
    Scenario {
        name: "storm",
        what: "callers give up all the time, with a pool of 4: given up; most connections at the server",
        is_for: Place::is_server,
        starts_servers: false,
        run: |place, scale| Box::pin(storm::run(place, scale)),
    },
    Scenario {
        name: "batches",
        what: "batches that overlap, in any order, by 8 writers: batches; failed",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(batches::run(place, scale)),
    },
    Scenario {
        name: "together",
        what: "two processes count one row up: updates; lost",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(together::run(place, scale)),
    },
    Scenario {
        name: "shutdown",
        what: "the context is closed under load: drained in; transactions confirmed; lost or half there",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(shutdown::run(place, scale)),
    },
    Scenario {
        name: "served",
        what: "an HTTP API whose database is killed and started again, with a pool of 16: clients, who wait a second before they ask again; answers a second; 99 % of those done within; memory grown by; refused by 503; in doubt by 504; an answer, while the server is away, within; the last refusal after it answers again",
        is_for: |_| true,
        starts_servers: true,
        run: |place, scale| Box::pin(served::run(place, scale)),
    },
    Scenario {
        name: "full",
        what: "a file that may not grow, a disk that is full: writes told so; transactions confirmed; lost or half there",
        is_for: |_| true,
        starts_servers: true,
        run: |place, scale| Box::pin(full::run(place, scale)),
    },
    Scenario {
        name: "corrupt",
        what: "pages of the file are overwritten: reads; errors; wrong rows",
        is_for: |place| !place.is_server(),
        starts_servers: false,
        run: |place, scale| Box::pin(corrupt::run(place, scale)),
    },
    Scenario {
        name: "balanced",
        what: "two servers behind HAProxy: statements given up; with the number of a stranger's connection at the other server; strangers ended",
        is_for: |place| place.provider == "mysql",
        starts_servers: true,
        run: |place, scale| Box::pin(balanced::run(place, scale)),
    },
    Scenario {
        name: "pooled",
        what: "programs behind PgBouncer in its mode `transaction`: reads; wrong; statements out of time; others ended with them; transactions of programs that are killed; lost, half there or left open",
        is_for: |place| place.provider == "postgres",
        starts_servers: false,
        run: |place, scale| Box::pin(pooled::run(place, scale)),
    },
    Scenario {
        name: "soak",
        what: "reads, writes, streams, cancellations and failures, by 8 at once: operations; memory grown by; connections, with a pool of 8, at most",
        is_for: |_| true,
        starts_servers: false,
        run: |place, scale| Box::pin(soak::run(place, scale)),
    },
];

/// The transactions whose rows are there; none may have one row only.
async fn whole(context: &OrmContext) -> Outcome<Vec<i64>> {
    let session = context.create_session()?;
    let rows = ObjectViewDao::<Row>::new(&session).search(from("Row").order_by([prop("Id")])).all().await?;
    let mut pairs = BTreeMap::<i64, usize>::new();
    for row in rows {
        *pairs.entry(row.pair).or_default() += 1;
    }
    if let Some((pair, count)) = pairs.iter().find(|(_, count)| **count != 2) {
        return Err(format!("transaction {pair} has {count} of its 2 rows").into());
    }
    Ok(pairs.into_keys().collect())
}

/// That each of these transactions is there, and whole.
async fn kept(context: &OrmContext, confirmed: &[i64]) -> Outcome<usize> {
    let there = whole(context).await?;
    let lost: Vec<&i64> = confirmed.iter().filter(|pair| there.binary_search(pair).is_err()).collect();
    match lost.as_slice() {
        [] => Ok(there.len()),
        [first, ..] => Err(format!("{} confirmed transactions are lost, {first} among them", lost.len()).into()),
    }
}

/// That the server has no more connections than `most`, sooner or later: it may notice late that one is closed.
async fn keeps_to(place: &Place, most: i64) -> Outcome<()> {
    settled(|| async {
        match place.connections().await? {
            there if there <= most => Ok(()),
            there => Err(format!("the server has {there} connections instead of {most}").into()),
        }
    })
    .await
}

/// A statement without parameters.
fn plain(sql: impl Into<String>) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

/// A number as people read it.
fn number(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// That something is so.
fn holds(is: bool, otherwise: impl FnOnce() -> String) -> Outcome<()> {
    if is { Ok(()) } else { Err(otherwise().into()) }
}

/// How much memory a process has, in bytes, where the system tells.
fn resident(pid: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
}
