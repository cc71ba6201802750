//! A program of contestants, asked through its standard input: `name<TAB>workload`, and `nanoseconds<TAB>rows` back.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Contestant, Outcome, Workload};

/// The other program.
pub struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    /// Its contestants.
    pub names: Vec<String>,
}

impl Peer {
    /// Starts it for an engine.
    pub async fn start(program: &Path, engine: &str, url: &str) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.args([engine, url]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the peer has no pipes".into());
        };
        let mut stdout = BufReader::new(stdout).lines();
        let names = stdout.next_line().await?.ok_or("the peer said nothing")?;
        Ok(Self { child, stdin, stdout, names: names.split('\t').map(str::to_owned).collect() })
    }

    pub async fn run(&mut self, name: &str, workload: Workload) -> Outcome<Option<(Duration, i64)>> {
        self.stdin.write_all(format!("{name}\t{workload}\n").as_bytes()).await?;
        let answer = self.stdout.next_line().await?.ok_or("the peer ended")?;
        if answer == "-" {
            return Ok(None);
        }
        let (time, rows) = answer.split_once('\t').ok_or_else(|| answer.clone())?;
        Ok(Some((Duration::from_nanos(time.parse()?), rows.parse()?)))
    }

    pub async fn end(mut self) -> Outcome<()> {
        drop(self.stdin);
        self.child.wait().await?;
        Ok(())
    }
}

/// The other side.
pub async fn serve(mut contestants: Vec<Box<dyn Contestant>>) -> Outcome<()> {
    let names: Vec<String> = contestants.iter().map(|c| c.name()).collect();
    println!("{}", names.join("\t"));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let (name, workload) = line.split_once('\t').ok_or("a line is name and workload")?;
        let contestant = contestants.iter_mut().find(|c| c.name() == name).ok_or("no such contestant")?;
        match contestant.run(workload.parse()?).await {
            Ok(Some((time, rows))) => println!("{}\t{rows}", time.as_nanos()),
            Ok(None) => println!("-"),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
