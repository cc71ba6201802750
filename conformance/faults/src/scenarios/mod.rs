//! What breaks.

mod balanced;
mod batches;
mod corrupt;
mod cut;
mod full;
mod kill;
mod shutdown;
mod silence;
mod soak;
mod stopped;
mod storm;
mod together;

use std::collections::BTreeMap;

use isogloss::dao::ObjectViewDao;
use isogloss::{OrmContext, prelude::*};

use crate::place::Place;
use crate::rows::Row;
use crate::{Outcome, Scenario};

/// All of them.
pub static ALL: &[Scenario] = &[
    Scenario {
        name: "kill",
        what: "a program is killed while it writes: what was confirmed is there, nothing is half there, no connection is left",
        is_for: |_| true,
        run: |place, scale| Box::pin(kill::run(place, scale)),
    },
    Scenario {
        name: "together",
        what: "two processes read and write one row: no update is lost",
        is_for: |_| true,
        run: |place, scale| Box::pin(together::run(place, scale)),
    },
    Scenario {
        name: "silence",
        what: "a server says nothing any more, in a statement and in a COMMIT: the caller has an error in time",
        is_for: Place::is_server,
        run: |place, scale| Box::pin(silence::run(place, scale)),
    },
    Scenario {
        name: "cut",
        what: "connections are cut under load: what was confirmed is there, nothing is half there, and it goes on",
        is_for: Place::is_server,
        run: |place, scale| Box::pin(cut::run(place, scale)),
    },
    Scenario {
        name: "balanced",
        what: "two servers behind one address, in turns: what is given up ends nothing of a stranger's at the other one",
        is_for: |place| place.provider == "mysql",
        run: |place, scale| Box::pin(balanced::run(place, scale)),
    },
    Scenario {
        name: "storm",
        what: "callers give up all the time: the server has no more connections than the pool may have",
        is_for: Place::is_server,
        run: |place, scale| Box::pin(storm::run(place, scale)),
    },
    Scenario {
        name: "batches",
        what: "batches whose rows overlap, in any order: all of them succeed",
        is_for: |_| true,
        run: |place, scale| Box::pin(batches::run(place, scale)),
    },
    Scenario {
        name: "shutdown",
        what: "the context is closed under load: what is under way comes to its end, nothing new begins",
        is_for: |_| true,
        run: |place, scale| Box::pin(shutdown::run(place, scale)),
    },
    Scenario {
        name: "soak",
        what: "reads, writes, streams, cancellations and failures for a time: memory and connections stay as they are",
        is_for: |_| true,
        run: |place, scale| Box::pin(soak::run(place, scale)),
    },
    Scenario {
        name: "stopped",
        what: "the server's processes stand still, and go on: a caller has an error in time, nothing confirmed is lost",
        is_for: Place::is_server,
        run: |place, scale| Box::pin(stopped::run(place, scale)),
    },
    Scenario {
        name: "full",
        what: "the file may not grow: it is told as such, what was confirmed is there, and writes go on when there is room",
        is_for: |place| !place.is_server(),
        run: |place, scale| Box::pin(full::run(place, scale)),
    },
    Scenario {
        name: "corrupt",
        what: "pages of the file are overwritten: an error, and no wrong row",
        is_for: |place| !place.is_server(),
        run: |place, scale| Box::pin(corrupt::run(place, scale)),
    },
];

/// The transactions whose rows are there; none may have one row only.
async fn whole(context: &OrmContext) -> Outcome<Vec<i64>> {
    let session = context.create_session()?;
    let rows = ObjectViewDao::<Row>::new(&session).search(from("Row").order_by([prop("Id")])).to_list().await?;
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

/// That something is so.
fn holds(is: bool, otherwise: impl FnOnce() -> String) -> Outcome<()> {
    if is { Ok(()) } else { Err(otherwise().into()) }
}
