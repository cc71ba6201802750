//! An HTTP API has many clients while its database is killed, and started again.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use isogloss::Compiled;
use isogloss::session::Purpose;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::{holds, number, resident};
use crate::api::POOL;
use crate::clients::{Answer, Asked, Clients, Fate};
use crate::own::{Server, may_open};
use crate::place::Place;
use crate::{Outcome, Scale};

/// How many files each of the two processes may have open: those of the long form, or of short ones on all engines at once.
const FILES: u64 = 4_096;

/// How long clients may be refused once the server answers again.
const RECOVERY: Duration = Duration::from_secs(5);

/// How long a client may wait for an answer that it gets while the server is away.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a shutdown may take.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// How much more memory the API may have in the last third than in the first, in mebibytes: so much, and a fifth. New
/// connections to the server take some, once.
const GROWTH: u64 = 8;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    if let Err(why) = may_open(FILES).await {
        return Ok(format!("not run: {why}"));
    }
    if !place.is_server() {
        return served(place, None, scale).await;
    }
    match Server::start(place, 1).await {
        Ok(mut server) => {
            let own = Place::make(&place.provider, &server.url).await?;
            served(&own, Some(&mut server), scale).await
        }
        Err(why) => Ok(format!("not run: {why}")),
    }
}

async fn served(place: &Place, server: Option<&mut Server>, scale: &Scale) -> Outcome {
    // The long form takes a minute.
    let third = (scale.time * 2 / 3).min(Duration::from_secs(20));
    let (mut api, address) = start(place, scale).await?;
    let pid = api.id().ok_or("a program that runs")?.to_string();
    let begun = Instant::now();
    let clients = Clients::start(&address, scale.clients, third / 4).await?;
    sleep(third / 2).await;
    let before = most_memory(&pid, third / 2).await;
    fill_pool(&address, place).await?;
    let away = match server {
        Some(server) => Some(Away::kill(server, third / 2).await?),
        None => None,
    };
    let rest = (begun + third * 2).saturating_duration_since(Instant::now());
    sleep(rest).await;
    if away.is_some() {
        let served = timeout(scale.at_most(RECOVERY), clients.are_all_served()).await;
        served.map_err(|_| "a client is not served again")?;
    }
    let after = most_memory(&pid, third).await;
    let answers = clients.end().await?;
    let seconds = begun.elapsed().as_secs();
    fill_pool(&address, place).await?;
    end(&mut api, place, scale).await?;

    let all: Vec<Answer> = answers.iter().flatten().copied().collect();
    kept(place, &all).await?;
    let found = away.map(|away| away.judged(&answers, scale)).transpose()?;
    let grown = before.zip(after).map(|(before, after)| (before, after.saturating_sub(before)));
    holds(grown.is_none_or(|(before, by)| by <= GROWTH + before / 5), || {
        format!("the API has grown by {grown:?} MiB")
    })?;

    let mut took: Vec<Duration> = all.iter().filter(|answer| answer.fate == Fate::Done).map(Answer::took).collect();
    took.sort_unstable();
    let slow = took.get(took.len() * 99 / 100).copied().unwrap_or_default();
    let rate = u64::try_from(all.len())?.checked_div(seconds).unwrap_or_default();
    let memory = grown.map_or("not measured".to_owned(), |(before, by)| format!("{by} of {before} MiB"));
    let clients = number(answers.len());
    Ok(format!("{clients}; {rate}; {slow:.0?}; {memory}{}", found.unwrap_or_default()))
}

/// Starts the API. Gives where it listens.
async fn start(place: &Place, scale: &Scale) -> Outcome<(Child, String)> {
    let mut api = Command::new(&scale.program)
        .args(["--child", "serve", &place.provider, &place.url, "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(api.stdout.take().ok_or("the API's words")?).lines();
    let address = lines.next_line().await?.ok_or("an API that serves")?;
    Ok((api, address))
}

/// Tells the API to end, which it does in order.
async fn end(api: &mut Child, place: &Place, scale: &Scale) -> Outcome<()> {
    drop(api.stdin.take());
    let limit = scale.at_most(SHUTDOWN);
    let status = timeout(limit, api.wait()).await.map_err(|_| format!("the API runs {limit:?} after its end"))??;
    holds(status.success(), || format!("the API ended with {status}"))?;
    if place.is_server() { place.no_connections().await } else { Ok(()) }
}

/// The most memory that a process has in that time, in mebibytes.
async fn most_memory(pid: &str, time: Duration) -> Option<u64> {
    let (begun, mut most) = (Instant::now(), None);
    while begun.elapsed() < time {
        most = most.max(resident(pid));
        sleep(Duration::from_millis(100)).await;
    }
    most.map(|bytes| bytes >> 20)
}

/// So many clients at once that the pool opens all the connections that it may have, and no more.
async fn fill_pool(address: &str, place: &Place) -> Outcome<()> {
    Clients::start(address, POOL * 8, Duration::ZERO).await?.end().await?;
    let connections = if place.is_server() { place.connections().await? } else { i64::from(POOL) };
    holds(connections == i64::from(POOL), || format!("a pool of {POOL} has {connections} connections"))
}

/// That each order is there once that was told to be, none that was refused, and none twice.
async fn kept(place: &Place, answers: &[Answer]) -> Outcome<()> {
    let context = place.context(&place.url, |source| source)?;
    let statement = Compiled { sql: "SELECT number FROM fault_orders".to_owned(), ..Compiled::default() };
    let rows = context.create_session()?.lease(None, Purpose::Read).await?.fetch::<(i64,)>(&statement).await?;
    context.close();
    let mut there = BTreeMap::<i64, usize>::new();
    rows.into_iter().for_each(|(number,)| *there.entry(number).or_default() += 1);
    for answer in answers {
        let Asked::Insert(number) = answer.asked else { continue };
        let count = there.get(&number).copied().unwrap_or_default();
        let is_right = match answer.fate {
            Fate::Done => count == 1,
            Fate::Refused => count == 0,
            Fate::InDoubt => count <= 1,
        };
        holds(is_right, || format!("order {number} is there {count} times: {answer:?}"))?;
    }
    Ok(())
}

/// When the server was away.
struct Away {
    from: Instant,
    to: Instant,
}

impl Away {
    /// Kills the server, and starts it again some time later.
    async fn kill(server: &mut Server, time: Duration) -> Outcome<Self> {
        let from = Instant::now();
        server.kill().await?;
        sleep(time).await;
        server.again().await?;
        Ok(Self { from, to: Instant::now() })
    }

    /// What clients were told, and when: how many were refused, how many in doubt; the longest answer meanwhile; the last
    /// refusal after.
    fn judged(&self, clients: &[Vec<Answer>], scale: &Scale) -> Outcome {
        let all = || clients.iter().flatten();
        let count = |fate: Fate| all().filter(|answer| answer.fate == fate).count();
        let refused = all().filter(|answer| answer.fate != Fate::Done);
        holds(refused.clone().next().is_some(), || "nobody has seen the server away".to_owned())?;
        let early: Vec<&Answer> = refused.clone().filter(|answer| answer.told < self.from).collect();
        holds(early.is_empty(), || format!("{} were refused before: {:?}", early.len(), early.first()))?;
        let last = refused.map(|answer| answer.told).max().unwrap_or(self.to);
        let recovered = last.saturating_duration_since(self.to);
        let served = clients.iter().filter(|own| own.last().is_some_and(|answer| answer.fate == Fate::Done)).count();
        holds(recovered <= scale.at_most(RECOVERY) && served == clients.len(), || {
            format!("the last refusal came {recovered:?} after, and {served} of {} are served again", clients.len())
        })?;
        let meanwhile = all().filter(|answer| answer.told > self.from && answer.sent < self.to);
        let longest = meanwhile.map(|answer| answer.told - answer.sent.max(self.from)).max().unwrap_or_default();
        holds(longest <= scale.at_most(PATIENCE), || {
            format!("an answer took {longest:.1?} while the server was away")
        })?;
        let (refused, doubt) = (number(count(Fate::Refused)), number(count(Fate::InDoubt)));
        Ok(format!("; {refused}; {doubt}; {longest:.0?}; {recovered:.0?}"))
    }
}
