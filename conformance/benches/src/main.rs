//! The bench executable; `--help` says how to call it.

use isogloss_benches::data::Data;
use isogloss_benches::measure::measure;
use isogloss_benches::peer::{Case, Mode, Peer, Workload};
use isogloss_benches::report::{self, Row};
use isogloss_benches::{peers, tokens};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
isogloss-benches [FILTER...] [OPTIONS]

FILTER: a workload (W1, W4 for W4a and W4b, J for all of JSON) or a contestant (its name, or the start of it);
several of a kind are joined by OR.

  --mode full|render      only one of the two modes
  --samples N             batches per contestant (31)
  --batch-ms N            time of a batch (2)
  --quick                 9 samples of 1 ms
  --cold-heap             leave glibc's thresholds as they are at the start (see README.md)
  --base NAME             the contestant of the ratios (hand)
  --markdown              tables as Markdown
  --json FILE             all figures into a file
  --show                  print the texts instead of measuring (long ones cut; --show-all: whole)
  --list                  the workloads and contestants, and why some do not meet
  --pairs                 the pairs as lines `workload contestant mode`, for scripts
  --callgrind-one WORKLOAD CONTESTANT MODE N    N iterations and nothing else";

struct Options {
    workloads: Vec<Workload>,
    peers: Vec<Box<dyn Peer>>,
    modes: Vec<Mode>,
    samples: usize,
    batch: Duration,
    base: String,
    cold_heap: bool,
    markdown: bool,
    json: Option<String>,
    action: Action,
}

enum Action {
    Help,
    Measure,
    Show { whole: bool },
    List,
    Pairs,
    One(u64),
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let all = peers::all();
    let (mut workloads, mut names): (Vec<Workload>, Vec<String>) = (Vec::new(), Vec::new());
    let mut options = Options {
        workloads: Vec::new(),
        peers: Vec::new(),
        modes: Mode::ALL.to_vec(),
        samples: 31,
        batch: Duration::from_millis(2),
        base: "hand".to_owned(),
        cold_heap: false,
        markdown: false,
        json: None,
        action: Action::Measure,
    };
    let filter = |text: &str, workloads: &mut Vec<Workload>, names: &mut Vec<String>| -> Result<(), String> {
        let lower = text.to_lowercase();
        let exact = |name: &str| name.to_lowercase() == lower;
        let found: Vec<_> = Workload::ALL.into_iter().filter(|w| w.name().to_lowercase().starts_with(&lower)).collect();
        if !found.is_empty() {
            workloads.extend(found);
            return Ok(());
        }
        let found: Vec<_> = match all.iter().find(|p| exact(p.name())) {
            Some(peer) => vec![peer.name().to_owned()],
            None => all.iter().filter(|p| p.name().starts_with(&lower)).map(|p| p.name().to_owned()).collect(),
        };
        if found.is_empty() {
            return Err(format!("neither a workload nor a contestant: {text}\n\n{HELP}"));
        }
        names.extend(found);
        Ok(())
    };
    while let Some(arg) = args.next() {
        let mut next = |what: &str| args.next().ok_or_else(|| format!("{arg} wants {what}"));
        match arg.as_str() {
            "--help" | "-h" => options.action = Action::Help,
            // Given by `cargo bench`.
            "--bench" => {}
            "--mode" => options.modes = vec![mode(&next("a mode")?)?],
            "--samples" => options.samples = count(&next("a number")?)?.max(1) as usize,
            "--batch-ms" => options.batch = Duration::from_millis(count(&next("a number")?)?.max(1)),
            "--quick" => (options.samples, options.batch) = (9, Duration::from_millis(1)),
            "--base" => options.base = next("a contestant")?,
            "--cold-heap" => options.cold_heap = true,
            "--markdown" => options.markdown = true,
            "--json" => options.json = Some(next("a file")?),
            "--show" => options.action = Action::Show { whole: false },
            "--show-all" => options.action = Action::Show { whole: true },
            "--list" => options.action = Action::List,
            "--pairs" => options.action = Action::Pairs,
            "--callgrind-one" => {
                let (workload, peer) = (next("a workload")?, next("a contestant")?);
                filter(&workload, &mut workloads, &mut names)?;
                filter(&peer, &mut workloads, &mut names)?;
                options.modes = vec![mode(&next("a mode")?)?];
                options.action = Action::One(count(&next("a number")?)?);
            }
            text if text.starts_with('-') => return Err(format!("unknown: {text}\n\n{HELP}")),
            text => filter(text, &mut workloads, &mut names)?,
        }
    }
    options.workloads = Workload::ALL.into_iter().filter(|w| workloads.is_empty() || workloads.contains(w)).collect();
    options.peers = all.into_iter().filter(|p| names.is_empty() || names.iter().any(|n| n == p.name())).collect();
    Ok(options)
}

fn mode(text: &str) -> Result<Mode, String> {
    Mode::ALL.into_iter().find(|m| m.name() == text).ok_or_else(|| format!("no such mode: {text}"))
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

fn run(options: Options) -> Result<(), String> {
    let data: &'static Data = Box::leak(Box::new(Data::new()));
    match options.action {
        Action::Help => println!("{HELP}"),
        Action::One(n) => {
            let (Some(workload), Some(peer)) = (options.workloads.first(), options.peers.first()) else {
                return Err("no such pair".to_owned());
            };
            let case = peer.case(*workload, data)?;
            case.iterate(options.modes[0], n);
        }
        Action::List => {
            for w in Workload::ALL {
                println!("{:<4} {}", w.name(), w.about());
            }
            for peer in &options.peers {
                println!("\n{}: {}", peer.name(), peer.about());
                for w in &options.workloads {
                    match peer.case(*w, data) {
                        Err("") => {}
                        Err(why) => println!("  {:<4} skipped: {why}", w.name()),
                        Ok(_) => {
                            if let Some(why) = peer.deviation(*w) {
                                println!("  {:<4} differs: {why}", w.name());
                            }
                        }
                    }
                }
            }
        }
        Action::Pairs => {
            for w in &options.workloads {
                for peer in &options.peers {
                    if let Ok(case) = peer.case(*w, data) {
                        for mode in options.modes.iter().filter(|m| **m == Mode::Full || case.has_tree()) {
                            println!("{} {} {}", w.name(), peer.name(), mode.name());
                        }
                    }
                }
            }
        }
        Action::Show { whole } => {
            for w in &options.workloads {
                for peer in &options.peers {
                    if let Ok(case) = peer.case(*w, data) {
                        let text = case.text();
                        println!(
                            "-- {} {}: {} bytes, {} parameters, {} placeholders",
                            w.name(),
                            peer.name(),
                            text.sql.len(),
                            text.params,
                            tokens::placeholders(&text.sql)
                        );
                        if whole || text.sql.len() <= 1_200 {
                            println!("{}\n", text.sql);
                        } else {
                            let cut: String = text.sql.chars().take(600).collect();
                            println!("{cut} ...\n");
                        }
                    }
                }
            }
        }
        Action::Measure => measured(&options, data)?,
    }
    Ok(())
}

fn measured(options: &Options, data: &'static Data) -> Result<(), String> {
    let table = if options.markdown { report::markdown } else { report::aligned };
    if !options.cold_heap {
        // glibc raises its mmap and trim thresholds when a large block is freed. Without this, whether the heap's top
        // goes back to the system in every iteration depends on what ran before: the same case took 27 or 93 us.
        drop(std::hint::black_box(vec![1u8; 24 << 20]));
    }
    let mut all: Vec<Row> = Vec::new();
    for w in &options.workloads {
        let mut rows: Vec<Row> = Vec::new();
        let mut cases: Vec<(Box<dyn Case>, usize)> = Vec::new();
        for peer in &options.peers {
            let mut row = Row {
                workload: w.name(),
                about: w.about(),
                peer: peer.name(),
                params: 0,
                text_len: 0,
                full: None,
                render: None,
                skipped: None,
                deviation: peer.deviation(*w),
            };
            match peer.case(*w, data) {
                Ok(case) => {
                    let text = case.text();
                    (row.params, row.text_len) = (text.params, text.sql.len());
                    cases.push((case, rows.len()));
                }
                Err("") => continue,
                Err(why) => row.skipped = Some(why),
            }
            rows.push(row);
        }
        let jobs: Vec<(&dyn Case, Mode, usize)> = cases
            .iter()
            .flat_map(|(case, row)| options.modes.iter().map(move |mode| (case.as_ref(), *mode, *row)))
            .filter(|(case, mode, _)| *mode == Mode::Full || case.has_tree())
            .collect();
        let runs: Vec<_> = jobs.iter().map(|(case, mode, _)| (*case, *mode)).collect();
        for ((_, mode, row), figures) in jobs.iter().zip(measure(&runs, options.samples, options.batch)) {
            match mode {
                Mode::Full => rows[*row].full = Some(figures),
                Mode::Render => rows[*row].render = Some(figures),
            }
        }
        if !rows.is_empty() {
            let refs: Vec<&Row> = rows.iter().collect();
            let title = if options.markdown { "### " } else { "" };
            println!("{title}{}: {}\n", w.name(), w.about());
            println!("{}", table(&report::HEAD, &report::cells(&refs, &options.base)));
        }
        all.extend(rows);
    }
    let names: Vec<&'static str> = options.workloads.iter().map(|w| w.name()).collect();
    let (head, lines) = report::matrix(&all, &names);
    println!("{}", table(&head, &lines));
    if let Some(file) = &options.json {
        std::fs::write(file, report::json(&all)).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok(())
}
