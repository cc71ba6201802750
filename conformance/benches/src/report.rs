//! Tables and JSON.

use crate::measure::Figures;
use std::fmt::Write;

/// One line of the result.
pub struct Row {
    pub workload: &'static str,
    pub about: &'static str,
    pub peer: &'static str,
    pub params: usize,
    pub text_len: usize,
    /// Build + render + drop.
    pub full: Option<Figures>,
    /// Render only.
    pub render: Option<Figures>,
    /// Why there are no figures.
    pub skipped: Option<&'static str>,
    /// Why the text is another one.
    pub deviation: Option<&'static str>,
}

/// 1234567.8 as `1,234,568`; small numbers with one digit.
fn number(v: f64) -> String {
    if v < 9.95 && v.fract() != 0.0 {
        return format!("{v:.1}");
    }
    let digits = format!("{v:.0}");
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn ratio(v: f64, base: Option<f64>) -> String {
    match base {
        Some(base) if base > 0.0 => {
            let r = v / base;
            if r < 9.995 { format!("{r:.2}") } else { format!("{r:.1}") }
        }
        _ => "-".to_owned(),
    }
}

/// The figures of one workload. `base` names the contestant of the ratios; a JSON workload takes its first line.
pub fn cells(rows: &[&Row], base: &str) -> Vec<Vec<String>> {
    let base = rows.iter().find(|r| r.peer == base).or(rows.iter().find(|r| r.full.is_some()));
    let base_ns = base.and_then(|r| r.full).map(|f| f.ns);
    let base_render = base.and_then(|r| r.render.or(r.full)).map(|f| f.ns);
    rows.iter()
        .map(|r| {
            let mut line = vec![r.peer.to_owned()];
            for (figures, base) in [(r.full, base_ns), (r.render, base_render)] {
                match figures {
                    Some(f) => line.extend([
                        number(f.ns),
                        ratio(f.ns, base),
                        format!("{:.0}%", f.spread * 100.0),
                        number(f.allocs + f.reallocs),
                        number(f.bytes),
                    ]),
                    None => line.extend(std::iter::repeat_n("-".to_owned(), 5)),
                }
            }
            line.extend([number(r.text_len as f64), number(r.params as f64)]);
            line.push(r.skipped.or(r.deviation).unwrap_or("").to_owned());
            line
        })
        .collect()
}

pub const HEAD: [&str; 14] = [
    "contestant",
    "full ns",
    "ratio",
    "±",
    "allocs",
    "bytes",
    "render ns",
    "ratio",
    "±",
    "allocs",
    "bytes",
    "text",
    "params",
    "note",
];

/// A table whose columns stand under each other: all but the first and the last are numbers.
pub fn aligned(head: &[&str], lines: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..head.len())
        .map(|i| lines.iter().map(|l| l[i].chars().count()).chain([head[i].chars().count()]).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (i, cell) in cells.enumerate() {
            let w = widths[i];
            let note = head[i] == "note";
            let _ = if i == 0 || note { write!(text, "{cell:<w$}  ") } else { write!(text, "{cell:>w$}  ") };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(&mut head.iter().copied());
    for l in lines {
        line(&mut l.iter().map(String::as_str));
    }
    out
}

/// The same as Markdown.
pub fn markdown(head: &[&str], lines: &[Vec<String>]) -> String {
    let mut out = format!("| {} |\n|", head.join(" | "));
    for (i, h) in head.iter().enumerate() {
        out.push_str(if i == 0 || *h == "note" { ":--|" } else { "--:|" });
    }
    out.push('\n');
    for l in lines {
        let _ = writeln!(out, "| {} |", l.join(" | "));
    }
    out
}

/// Workloads to the right, contestants downwards: ns of the full mode.
pub fn matrix(rows: &[Row], workloads: &[&'static str]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let mut head = vec!["full ns"];
    head.extend(workloads);
    let mut peers: Vec<&str> = Vec::new();
    for r in rows {
        if !peers.contains(&r.peer) {
            peers.push(r.peer);
        }
    }
    let lines = peers
        .iter()
        .map(|peer| {
            let mut line = vec![(*peer).to_owned()];
            line.extend(workloads.iter().map(|w| {
                let row = rows.iter().find(|r| r.peer == *peer && r.workload == *w);
                row.and_then(|r| r.full.or(r.render)).map_or("-".to_owned(), |f| number(f.ns))
            }));
            line
        })
        .collect();
    (head, lines)
}

/// All figures, unrounded.
pub fn json(rows: &[Row]) -> String {
    fn figures(f: Option<Figures>) -> serde_json::Value {
        f.map_or(serde_json::Value::Null, |f| {
            serde_json::json!({
                "ns": f.ns, "min_ns": f.min_ns, "spread": f.spread, "allocs": f.allocs, "reallocs": f.reallocs,
                "bytes": f.bytes, "batch": f.batch,
            })
        })
    }
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            serde_json::json!({
                "workload": r.workload, "peer": r.peer, "params": r.params, "text_len": r.text_len,
                "full": figures(r.full), "render": figures(r.render),
                "skipped": r.skipped, "deviation": r.deviation,
            })
        })
        .collect();
    serde_json::to_string_pretty(&rows).unwrap_or_default()
}
