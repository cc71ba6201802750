//! Writes the canonical text, on a stack of its own.

use std::fmt::Write as _;

use compact_str::CompactString;

use super::shape::{JsonPart, JsonShape, WrittenCtes};
use crate::expr::Value;

/// What is left to write.
enum Task<'a> {
    End(char),
    Field(&'a str, JsonPart<'a>),
    Items(JsonPart<'a>),
    Entries(&'a [(CompactString, Value)]),
}

/// Appends the text of a part.
pub(super) fn text(part: JsonPart<'_>, out: &mut String) {
    let (mut tasks, mut seen) = (Vec::new(), WrittenCtes::default());
    begin(part, out, &mut tasks, &mut seen);
    while let Some(task) = tasks.pop() {
        match task {
            Task::End(end) => out.push(end),
            Task::Field(key, part) => {
                out.push(',');
                field(key, part, out, &mut tasks, &mut seen);
            }
            Task::Items(list) => {
                if let Some((item, rest)) = list.next_item() {
                    out.push(',');
                    tasks.push(Task::Items(rest));
                    begin(item, out, &mut tasks, &mut seen);
                } else {
                    out.push(']');
                }
            }
            Task::Entries(entries) => {
                if let Some(((key, value), rest)) = entries.split_first() {
                    out.push(',');
                    tasks.push(Task::Entries(rest));
                    field(key, JsonPart::Plain(value), out, &mut tasks, &mut seen);
                } else {
                    out.push('}');
                }
            }
        }
    }
}

fn field<'a>(key: &str, part: JsonPart<'a>, out: &mut String, tasks: &mut Vec<Task<'a>>, seen: &mut WrittenCtes<'a>) {
    string(key, out);
    out.push(':');
    begin(part, out, tasks, seen);
}

/// Writes a scalar, or the beginning of an object or list down to its first scalar.
fn begin<'a>(mut part: JsonPart<'a>, out: &mut String, tasks: &mut Vec<Task<'a>>, seen: &mut WrittenCtes<'a>) {
    loop {
        part = match seen.shape(part) {
            JsonShape::Null => return out.push_str("null"),
            JsonShape::Bool(b) => return out.push_str(if b { "true" } else { "false" }),
            JsonShape::Int(n) => return number(n, out),
            JsonShape::UInt(n) => return number(n, out),
            JsonShape::Float(n) => return double(n, out),
            JsonShape::Str(text) => return string(&text, out),
            JsonShape::List(list) => {
                out.push('[');
                let Some((item, rest)) = list.next_item() else { return out.push(']') };
                tasks.push(Task::Items(rest));
                item
            }
            JsonShape::Object(fields) => {
                out.push('{');
                let Some(((key, part), rest)) = fields.as_slice().split_first() else { return out.push('}') };
                tasks.push(Task::End('}'));
                tasks.extend(rest.iter().rev().map(|(key, part)| Task::Field(key, *part)));
                string(key, out);
                out.push(':');
                *part
            }
            // It is one of the others by now.
            JsonShape::Definition(_) => return,
            JsonShape::Entries(entries) => {
                out.push('{');
                let Some(((key, value), rest)) = entries.split_first() else { return out.push('}') };
                tasks.push(Task::Entries(rest));
                string(key, out);
                out.push(':');
                JsonPart::Plain(value)
            }
        };
    }
}

/// A text in quotes. Only what must be escaped is.
fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(short);
        if short.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        }
        done = at + 1;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out.push('"');
}

/// The shortest notation of a finite double that reads as the same: with a point where that takes no more than 16
/// digits before it or 5 zeros after it, else with an exponent, as `serde_json` writes it.
pub(super) fn double(n: f64, out: &mut String) {
    let text = format!("{n:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    if (-5..16).contains(&exponent) {
        let plain = format!("{n}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
    } else {
        let _ = write!(out, "{sign}{digits}e{exponent:+}");
    }
}

fn number(n: impl std::fmt::Display, out: &mut String) {
    let _ = write!(out, "{n}");
}
