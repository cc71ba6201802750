//! A program of contestants, asked through its standard input: `name<TAB>workload<TAB>counts`, and
//! `nanoseconds<TAB>rows<TAB>allocations` back; or `name<TAB>?<TAB>expression`, and `=<TAB>answer..` back.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Contestant, Outcome, Work, alloc};

/// What a run took.
pub struct Taken {
    pub time: Duration,
    pub rows: i64,
    /// Of the whole program, if they were to be counted.
    pub allocs: u64,
}

/// Runs a workload here.
pub async fn run<W: Work>(contestant: &mut dyn Contestant<W>, workload: W, counts: bool) -> Outcome<Option<Taken>> {
    if counts {
        alloc::start();
    }
    let done = contestant.run(workload).await;
    let allocs = alloc::stop();
    Ok(done?.map(|(time, rows)| Taken { time, rows, allocs }))
}

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

    async fn answer(&mut self, question: String) -> Outcome<String> {
        self.stdin.write_all(question.as_bytes()).await?;
        Ok(self.stdout.next_line().await?.ok_or("the peer ended")?)
    }

    pub async fn ask(&mut self, name: &str, expression: &str) -> Outcome<Vec<String>> {
        let answer = self.answer(format!("{name}\t?\t{expression}\n")).await?;
        match answer.strip_prefix("=\t") {
            Some(answers) => Ok(answers.split('\t').map(str::to_owned).collect()),
            None => Err(answer.into()),
        }
    }

    pub async fn run<W: Work>(&mut self, name: &str, workload: W, counts: bool) -> Outcome<Option<Taken>> {
        let answer = self.answer(format!("{name}\t{workload}\t{counts}\n")).await?;
        let mut parts = answer.split('\t');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("-"), None, None) => Ok(None),
            (Some(time), Some(rows), Some(allocs)) => {
                let time = Duration::from_nanos(time.parse()?);
                Ok(Some(Taken { time, rows: rows.parse()?, allocs: allocs.parse()? }))
            }
            _ => Err(answer.into()),
        }
    }

    pub async fn end(mut self) -> Outcome<()> {
        drop(self.stdin);
        self.child.wait().await?;
        Ok(())
    }
}

/// The other side.
pub async fn serve<W: Work>(mut contestants: Vec<Box<dyn Contestant<W>>>) -> Outcome<()> {
    let names: Vec<String> = contestants.iter().map(|c| c.name()).collect();
    println!("{}", names.join("\t"));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let mut parts = line.split('\t');
        let (Some(name), Some(workload), Some(counts)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("a line is name, workload and whether allocations are counted".into());
        };
        let contestant = contestants.iter_mut().find(|c| c.name() == name).ok_or("no such contestant")?;
        if workload == "?" {
            match contestant.ask(counts).await {
                Ok(answers) => println!("=\t{}", answers.join("\t")),
                Err(error) => println!("{error}"),
            }
            continue;
        }
        match run(&mut **contestant, workload.parse()?, counts.parse()?).await {
            Ok(Some(Taken { time, rows, allocs })) => println!("{}\t{rows}\t{allocs}", time.as_nanos()),
            Ok(None) => println!("-"),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
