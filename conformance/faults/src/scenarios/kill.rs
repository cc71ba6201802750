//! A program is killed while it writes.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::{holds, kept, number};
use crate::place::Place;
use crate::{HANG, Outcome, Scale};

/// How many transactions a round may number.
const ROUND: i64 = 10_000_000;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let confirmed = killed(place, &place.url, 0, scale).await?;
    if place.is_server() {
        place.no_connections().await?;
    }
    Ok(format!("{}; 0", number(confirmed)))
}

/// Lets programs write by way of that URL, and kills them. Gives how many transactions were confirmed, which are all there.
pub(super) async fn killed(place: &Place, url: &str, first: i64, scale: &Scale) -> Outcome<usize> {
    let mut confirmed = Vec::new();
    for round in 0..scale.rounds {
        let from = (first + i64::try_from(round)?) * ROUND;
        let mut child = Command::new(&scale.program)
            .args(["--child", "write", &place.provider, url, &from.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut out = BufReader::new(child.stdout.take().ok_or("the child's words")?);
        let mut said = String::new();
        // Each time at another moment.
        for _ in 0..50 + 37 * (round % 7) {
            timeout(HANG, out.read_line(&mut said)).await.map_err(|_| "a program writes nothing any more")??;
        }
        if let Some(status) = child.try_wait()? {
            return Err(format!("a program ended by itself, with {status}").into());
        }
        child.start_kill()?;
        out.read_to_string(&mut said).await?;
        child.wait().await?;
        // The last line may not be whole.
        let lines = said.rsplit_once('\n').map_or("", |(lines, _)| lines);
        confirmed.extend(lines.lines().filter_map(|line| line.parse::<i64>().ok()));
    }
    holds(!confirmed.is_empty(), || "no program has written anything".to_owned())?;
    let context = place.context(&place.url, |source| source)?;
    kept(&context, &confirmed).await?;
    context.close();
    Ok(confirmed.len())
}
