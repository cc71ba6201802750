//! A program is killed while it writes.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use super::{holds, kept};
use crate::place::Place;
use crate::{Outcome, Scale};

/// How many transactions a round may number.
const ROUND: i64 = 10_000_000;

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let mut confirmed = Vec::new();
    for round in 0..scale.rounds {
        let from = i64::try_from(round)? * ROUND;
        let mut child = Command::new(&scale.program)
            .args(["--child", "write", &place.provider, &place.url, &from.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut out = child.stdout.take().ok_or("the child's words")?;
        // Each time at another moment.
        tokio::time::sleep(Duration::from_millis(700 + 137 * u64::try_from(round % 7)?)).await;
        if let Some(status) = child.try_wait()? {
            return Err(format!("a program ended by itself, with {status}").into());
        }
        child.start_kill()?;
        let mut said = String::new();
        out.read_to_string(&mut said).await?;
        child.wait().await?;
        // The last line may not be whole.
        let lines = said.rsplit_once('\n').map_or("", |(lines, _)| lines);
        confirmed.extend(lines.lines().filter_map(|line| line.parse::<i64>().ok()));
    }
    holds(!confirmed.is_empty(), || "no program has written anything".to_owned())?;
    let context = place.context(&place.url, |source| source)?;
    let there = kept(&context, &confirmed).await?;
    context.close();
    if place.is_server() {
        place.no_connections().await?;
    }
    Ok(format!("{} kills, {} transactions confirmed, {there} there, each whole", scale.rounds, confirmed.len()))
}
