//! How what runs at a server is ended from outside: by KILL, over one connection that is kept for that.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_driver::{Error, ErrorKind, Result};
use mysql_async::prelude::Queryable;
use tokio::time::{self, sleep, timeout};

use super::error::{error, is_last};
use super::line::Line;
use super::server::Server;

/// What a server says of itself, in words that both engines know, and beyond those what each of them has of its own: MySQL
/// skips what stands behind `M!`, and MariaDB what is for a MySQL from 5.7.
pub(super) const IDENTITY: &str =
    "CONCAT_WS(' ', @@hostname, @@port, @@server_id /*!50700 , @@server_uuid */ /*M!110700 , @@server_uid */)";

/// How much a server's count of the seconds since its start may be off, at both ends.
const ROUNDED: Duration = Duration::from_secs(2);

/// How long to wait before a connection is asked for again that is about to end.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(100)];

/// A connection as its server knows it.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Its number. Where what is between has numbers of its own, it is not known.
    id: Option<u64>,
    /// Which server gave it.
    server: Arc<str>,
    /// When it was there: a server that was started later has given the number to another one.
    since: Instant,
}

impl Target {
    /// The connection of which the greeting said the one number, and which has the other when it is asked. A greeting has
    /// room for the lower half.
    pub(super) fn new(greeted: u32, id: u64, server: &str) -> Self {
        let id = Some(id).filter(|id| id & u64::from(u32::MAX) == u64::from(greeted));
        Self { id, server: server.into(), since: Instant::now() }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.id.unwrap_or_default())
    }
}

/// What a KILL ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Query,
    Connection,
}

/// The connection that KILLs go over.
#[derive(Debug)]
pub(super) struct Lane {
    line: Line,
    place: Place,
}

/// Which server is at the other end, and since when it runs.
#[derive(Debug)]
struct Place {
    server: String,
    asked: Instant,
    up: Duration,
}

impl Place {
    /// Whether it is the server that the connection is at, and was not started again since.
    fn has(&self, target: &Target) -> bool {
        *self.server == *target.server && self.asked.saturating_duration_since(target.since) <= self.up + ROUNDED
    }
}

/// Why there was no KILL.
enum Failure {
    /// Another server is at the other end.
    Elsewhere,
    /// The connection for it is lost.
    Lost(Error),
    /// The server does not do it.
    Refused(Error),
}

impl Lane {
    async fn open(server: &Server) -> Result<Self> {
        let mut line = server.dial().await?;
        let asked = async {
            let conn = line.conn()?;
            let server: Option<String> = conn.query_first(format!("SELECT {IDENTITY}")).await?;
            let up: Option<(String, u64)> = conn.query_first("SHOW GLOBAL STATUS LIKE 'Uptime'").await?;
            Ok((server.unwrap_or_default(), up.map_or(0, |(_, seconds)| seconds)))
        };
        let (server, up) = asked.await.map_err(error)?;
        Ok(Self { line, place: Place { server, asked: Instant::now(), up: Duration::from_secs(up) } })
    }

    /// Whether it leads to the server of that connection, and is still there. A KILL that is lost with it is not sent again:
    /// it may have come, and be what ends the next statement.
    async fn leads_to(&mut self, target: &Target, grace: Duration) -> bool {
        if !self.place.has(target) || self.line.is_orphaned() {
            return false;
        }
        let answers = async { self.line.conn()?.ping().await };
        matches!(timeout(grace, answers).await, Ok(Ok(())))
    }

    async fn kill(&mut self, what: What, target: &Target) -> Result<(), Failure> {
        let Some(id) = target.id.filter(|_| self.place.has(target)) else { return Err(Failure::Elsewhere) };
        let what = match what {
            What::Query => "QUERY",
            What::Connection => "CONNECTION",
        };
        let sent = async { self.line.conn()?.query_drop(format!("KILL {what} {id}")).await };
        sent.await.map_err(|found| match found {
            mysql_async::Error::Server(ref answer) if !is_last(answer.code) => Failure::Refused(error(found)),
            _ => Failure::Lost(error(found)),
        })
    }
}

impl Server {
    /// Ends what runs on a connection, or that with it. An error says that nothing was ended; one that is in doubt, that it
    /// may yet be, or what runs there next.
    pub(super) async fn kill(&self, what: What, target: &Target) -> Result<()> {
        let mut kept = self.lane.lock().await;
        // One that is in use is not kept: a future that is dropped leaves it in the middle of something.
        let mut kept_one = kept.take();
        if let Some(lane) = &mut kept_one
            && !lane.leads_to(target, self.options.pool.grace).await
        {
            kept_one = None;
        }
        let mut lane = match kept_one {
            Some(lane) => lane,
            None => {
                let opened = timeout(self.options.pool.connect_timeout, Lane::open(self));
                opened.await.map_err(|_| silent())??
            }
        };
        let done = timeout(self.options.pool.grace, lane.kill(what, target)).await;
        let done = done.unwrap_or_else(|_| Err(Failure::Lost(silent())));
        if !matches!(done, Err(Failure::Lost(_))) {
            *kept = Some(lane);
        }
        done.map_err(|failure| match failure {
            Failure::Lost(error) => error.in_doubt(),
            Failure::Refused(error) => error,
            Failure::Elsewhere => {
                let message =
                    "the name of the server leads to another one, where the connection's number is a stranger's";
                Error::new(ErrorKind::Other, message)
            }
        })
    }

    /// Ends a connection, and waits until it is gone: as long as the server says that it is still there, and no longer for
    /// an answer than the server has to end something. A KILL goes on behind the caller's back, if the server is slow.
    pub(super) async fn end(self: &Arc<Self>, target: &Target) {
        let [mut pause, longest] = PAUSES;
        loop {
            let (server, target) = (Arc::clone(self), target.clone());
            let kill = async move {
                timeout(server.options.pool.connect_timeout, server.kill(What::Connection, &target)).await
            };
            let answer = timeout(self.options.pool.grace, tokio::spawn(kill)).await;
            if !matches!(answer, Ok(Ok(Ok(Ok(()))))) {
                // It is unknown by now; or it cannot be ended, and is closed.
                return;
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }
}

/// Ends what runs on a connection that somebody else has.
pub(super) struct Killer {
    pub(super) server: Arc<Server>,
    pub(super) target: Target,
}

/// Runs something, and kills it at the server if it takes too long. Whether it was killed comes with what came of it;
/// nothing if it goes on regardless, or if nobody knows what a KILL that was lost will end.
pub(super) async fn limited<T>(run: impl Future<Output = T>, limit: Option<(Duration, Killer)>) -> Option<(T, bool)> {
    let begun = time::Instant::now();
    flowing(run, limit, || begun).await
}

/// As [`limited`], for what shows signs of life: the time counts from the last one.
pub(super) async fn flowing<T>(
    run: impl Future<Output = T>,
    limit: Option<(Duration, Killer)>,
    last_sign: impl Fn() -> time::Instant,
) -> Option<(T, bool)> {
    let Some((limit, Killer { server, target })) = limit else { return Some((run.await, false)) };
    let mut run = pin!(run);
    let mut left = limit;
    loop {
        tokio::select! {
            biased;
            done = &mut run => return Some((done, false)),
            () = sleep(left) => {}
        }
        left = limit.saturating_sub(last_sign().elapsed());
        if left.is_zero() {
            break;
        }
    }
    let killed = async {
        match server.kill(What::Query, &target).await {
            Err(error) if error.is_in_doubt() => None,
            killed => Some((run.await, killed.is_ok())),
        }
    };
    timeout(server.options.pool.grace, killed).await.ok().flatten()
}

/// The server does not answer, and others wait for the connection that KILLs go over.
fn silent() -> Error {
    Error::new(ErrorKind::ConnectionLost, "the server does not answer a KILL")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(server: &str, up: u64) -> Place {
        Place { server: server.into(), asked: Instant::now(), up: Duration::from_secs(up) }
    }

    #[test]
    fn a_number_is_meant_for_the_server_that_gave_it() {
        let target = Target::new(7, 7, "db1 3306 1");
        assert!(place("db1 3306 1", 100).has(&target));
        assert!(!place("db2 3306 1", 100).has(&target));
        // It was started again: another one may have the number.
        let Some(since) = Instant::now().checked_sub(Duration::from_secs(60)) else { return };
        let old = Target { since, ..target };
        assert!(place("db1 3306 1", 100).has(&old) && place("db1 3306 1", 59).has(&old));
        assert!(!place("db1 3306 1", 10).has(&old));
    }

    #[test]
    fn what_is_between_has_numbers_of_its_own() {
        assert_eq!(Target::new(7, 7, "").id, Some(7));
        assert_eq!(Target::new(7, (1 << 32) + 7, "").id, Some((1 << 32) + 7));
        assert_eq!(Target::new(7, 8, "").id, None);
    }
}
