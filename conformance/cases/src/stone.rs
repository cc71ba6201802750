//! What a snapshot says: a small Rosetta stone.

use std::fmt::Write as _;

use isogloss_compiler::dialect::Placeholder;
use isogloss_compiler::expr::{DbType, Expr, Value};
use isogloss_compiler::model::{TextMode, sample};
use isogloss_compiler::render::Parameter;
use isogloss_compiler::{AppliedFilter, Buffers, Compiled, Compiler, FragmentContext, Registry, Verb};

use crate::Case;
use crate::targets::Target;

/// How many placeholders or values stand side by side before the middle ones are left out.
const SHOWN: usize = 12;

/// The longest tree that is shown whole.
const JSON: usize = 1_600;

/// The compiler of the cases: the sample catalog, and a few fragments and functions of a program.
pub fn compiler() -> Compiler {
    let mut registry = Registry::default();
    registry.fragment("at_least", |cx: &mut FragmentContext<'_, '_>, arg| {
        cx.column("Amount")?;
        cx.text(" >= ");
        cx.bind(arg.clone());
        cx.text(" OR ");
        cx.column("Paid")?;
        cx.text(" IS NULL");
        Ok(())
    });
    registry.value_fragment("tenths", Some(isogloss_compiler::expr::DbValueType::Int32.into()), |cx, _| {
        cx.column("Qty")?;
        cx.text(" * 10");
        Ok(())
    });
    registry.value_fragment("settled", Some(isogloss_compiler::expr::DbValueType::Boolean.into()), |cx, _| {
        cx.column("Paid")
    });
    registry.value_fragment("latest", Some(isogloss_compiler::expr::DbValueType::Int64.into()), |cx, _| {
        cx.text("(SELECT MAX(1) FROM ");
        cx.identifier("Orders");
        cx.text(")");
        Ok(())
    });
    registry.value_fragment("untyped", None, |cx, _| cx.column("CreatedTime"));
    registry
        .function(
            "Similarity",
            Some(isogloss_compiler::expr::DbValueType::Double.into()),
            [("postgres", "similarity({0}, {1})"), ("oracle", "UTL_MATCH.JARO_WINKLER_SIMILARITY({0}, {1}) / 100")],
        )
        .and_then(|registry| {
            let everywhere = ["postgres", "mysql", "mariadb", "sqlite", "sqlserver", "oracle"];
            registry.function("Doubled", None, everywhere.map(|name| (name, "({0} + {0})")))
        })
        .expect("the templates are well formed");
    Compiler::with_registry(sample::catalog(), registry)
}

/// A case compiled for a target.
///
/// # Errors
/// The refusal, or what is wrong with the case on every dialect.
pub fn compile<'c>(
    compiler: &Compiler,
    case: &'c Case,
    target: &Target,
) -> Result<Compiled<'c>, isogloss_compiler::Error> {
    let target = match case.text {
        TextMode::Database => compiler.target(&*target.dialect),
        text => compiler.target_of(&*target.dialect, text, &[]),
    };
    target.compile_with(&case.expr, &case.request(), Buffers::default())
}

/// The snapshot of a case: its name, its tree, and what each dialect makes of it.
///
/// Parameters stand under the first dialect; a later one shows its own where they are others. The reason of a note
/// is given once.
pub fn stone(compiler: &Compiler, topic: &str, case: &Case) -> String {
    let mut out = format!("{topic}/{}{}\n\n{}\n\n", case.name, asked(case), tree(&case.expr));
    let outcomes: Vec<(Target, DialectOutcome)> = case
        .targets()
        .into_iter()
        .map(|target| (target.clone(), DialectOutcome::of(compiler, case, &target)))
        .collect();
    if let Some(error) = common_error(&outcomes) {
        let _ = writeln!(out, "every dialect  error: {error}");
        return out;
    }
    let mut known: Vec<(String, &DialectOutcome)> = Vec::new();
    let mut params: Option<Vec<String>> = None;
    let mut filtered: Option<&[String]> = None;
    let mut reasons: Vec<&str> = Vec::new();
    for (target, outcome) in &outcomes {
        let label = target.label();
        let like = |unlike| [unlike, target.dialect.sheet().name];
        let is_like =
            |unlike| known.iter().any(|(other, o)| like(unlike).iter().any(|n| other.starts_with(n)) && *o == outcome);
        let hidden = target.unlike.is_some_and(is_like);
        known.push((label.clone(), outcome));
        if hidden {
            continue;
        }
        match outcome {
            DialectOutcome::Refused { feature, reason } => {
                let _ = writeln!(out, "{label:<14} refused: {feature}: {reason}");
            }
            DialectOutcome::Error(error) => {
                let _ = writeln!(out, "{label:<14} error: {error}");
            }
            DialectOutcome::Text { sql, parameters, notes, filters } => {
                let _ = writeln!(out, "{label:<14} {}", shorten(sql, target.dialect.sheet().placeholder));
                if params.as_ref() != Some(parameters) {
                    let mark = target.dialect.sheet().placeholder;
                    for (index, parameter) in parameters.iter().enumerate() {
                        if parameters.len() > SHOWN && (SHOWN / 2..parameters.len() - 1).contains(&index) {
                            if index == SHOWN / 2 {
                                let _ = writeln!(out, "{:15}... {} more", "", parameters.len() - 1 - index);
                            }
                            continue;
                        }
                        let number = index + 1;
                        let _ = match mark {
                            Placeholder::Question => writeln!(out, "{:15}?{number} = {parameter}", ""),
                            Placeholder::Numbered(sign) => writeln!(out, "{:15}{sign}{number} = {parameter}", ""),
                        };
                    }
                    if parameters.is_empty() {
                        match &params {
                            Some(first) if !first.is_empty() => _ = writeln!(out, "{:15}no parameters", ""),
                            _ => {}
                        }
                    }
                }
                if params.is_none() {
                    params = Some(parameters.clone());
                }
                if filtered.is_none_or(|before| before != filters) {
                    filters.iter().for_each(|filter| _ = writeln!(out, "{:15}filter {filter}", ""));
                    filtered = Some(filters);
                }
                for (name, why) in notes {
                    if reasons.contains(&name.as_str()) {
                        let _ = writeln!(out, "{:15}note {name}", "");
                    } else {
                        let _ = writeln!(out, "{:15}note {name}: {why}", "");
                        reasons.push(name);
                    }
                }
            }
        }
    }
    out
}

/// What a dialect makes of a case, as it is shown.
#[derive(Debug, PartialEq)]
enum DialectOutcome {
    Text { sql: String, parameters: Vec<String>, notes: Vec<(String, &'static str)>, filters: Vec<String> },
    Refused { feature: String, reason: String },
    Error(String),
}

impl DialectOutcome {
    fn of(compiler: &Compiler, case: &Case, target: &Target) -> Self {
        match compile(compiler, case, target) {
            Ok(compiled) => DialectOutcome::Text {
                parameters: compiled.params.iter().map(parameter).collect(),
                filters: compiled.filters.iter().map(filter).collect(),
                notes: compiled.notes.iter().map(|note| (note.rule.name().to_owned(), note.why)).collect(),
                sql: compiled.sql,
            },
            Err(error) => match error.kind() {
                isogloss_compiler::ErrorKind::Refused { feature, reason, .. } => DialectOutcome::Refused {
                    feature: feature.clone(),
                    reason: format!("{reason}; at {}", error.path()),
                },
                _ => DialectOutcome::Error(error.to_string()),
            },
        }
    }
}

/// An error that has nothing to do with a dialect.
fn common_error(outcomes: &[(Target, DialectOutcome)]) -> Option<&str> {
    let (_, first) = outcomes.first()?;
    match first {
        DialectOutcome::Error(error) if outcomes.iter().all(|(_, outcome)| outcome == first) => Some(error),
        _ => None,
    }
}

fn asked(case: &Case) -> String {
    let mut words = Vec::new();
    match case.verb {
        Verb::Select => {}
        Verb::Count => words.push("count".to_owned()),
        Verb::Exists => words.push("exists".to_owned()),
    }
    if let Some(root) = case.root {
        words.push(format!("over {root}"));
    }
    if let Some(scope) = &case.scope {
        words.push(scope.reason().map_or_else(|| "in a scope".to_owned(), |reason| format!("unscoped: {reason}")));
    }
    if case.text == TextMode::Exact {
        words.push("text: exact".to_owned());
    }
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(" ")) }
}

/// The canonical JSON of a tree; of a long one the beginning.
fn tree(expr: &Expr) -> String {
    let json = isogloss_compiler::json::to_string(expr);
    if json.len() <= JSON {
        return json;
    }
    let begin: String = json.chars().take(JSON / 8).collect();
    format!("{begin} ... ({} bytes)", json.len())
}

/// A filter, and the table that it is on.
fn filter(filter: &AppliedFilter) -> String {
    let off = filter.off.as_ref().map(|reason| format!(" is off: {reason}")).unwrap_or_default();
    format!("{} on {} {}{off}", filter.filter, filter.entity, filter.alias)
}

/// A parameter's type and value.
fn parameter(parameter: &Parameter<'_>) -> String {
    let mut out = parameter.ty.map_or_else(|| "?".to_owned(), type_name);
    out.push(' ');
    value(&mut out, &parameter.value);
    out
}

fn type_name(ty: DbType) -> String {
    format!("{}{}", ty.base.name(), if ty.array { "[]" } else { "" })
}

fn value(out: &mut String, value: &Value) {
    let _ = match value {
        Value::Null => write!(out, "NULL"),
        Value::Bool(v) => write!(out, "{v}"),
        Value::Int(v) => write!(out, "{v}"),
        Value::UInt(v) => write!(out, "{v}"),
        Value::Float(v) => write!(out, "{v:?}"),
        Value::Decimal(v) => write!(out, "{v}"),
        Value::Text(v) if v.len() > 80 && v.starts_with('[') => {
            let begin: String = v.chars().take(24).collect();
            let end: String = v.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
            write!(out, "'{begin} ... {end}' ({} bytes)", v.len())
        }
        Value::Text(v) => write!(out, "'{}'", v.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")),
        Value::Bytes(v) => v.iter().try_fold((), |(), b| write!(out, "{b:02X}")),
        Value::Date(v) => write!(out, "{v}"),
        Value::Time(v) => write!(out, "{v}"),
        Value::DateTime(v) => write!(out, "{v}"),
        Value::DateTimeOffset(v) => write!(out, "{v}"),
        Value::TimeSpan(v) => write!(out, "{v}"),
        Value::Json(v) if v.len() > 80 => {
            let begin: String = v.chars().take(24).collect();
            write!(out, "{begin} ... ({} bytes)", v.len())
        }
        Value::Json(v) => write!(out, "{v}"),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if items.len() > SHOWN && (SHOWN / 2..items.len() - 1).contains(&index) {
                    if index == SHOWN / 2 {
                        let _ = write!(out, ", ... {} more", items.len() - 1 - index);
                    }
                    continue;
                }
                if index > 0 {
                    out.push_str(", ");
                }
                self::value(out, item);
            }
            out.push(']');
            Ok(())
        }
        other => match other.word() {
            Some(word) => write!(out, "{word}"),
            None => write!(out, "{other:?}"),
        },
    };
}

/// The text with the middle of long lists left out: `$1, $2, ... 996 more, $1000`.
///
/// A list is a run of pieces between commas that are the same but for their numbers, or of groups of such pieces:
/// the rows of an INSERT.
fn shorten(sql: &str, mark: Placeholder) -> String {
    let sign = match mark {
        Placeholder::Question => "?",
        Placeholder::Numbered(sign) => sign,
    };
    let pieces: Vec<&str> = sql.split(", ").collect();
    let shapes: Vec<String> =
        pieces.iter().map(|piece| piece.chars().filter(|c| !c.is_ascii_digit()).collect()).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let Some((period, times)) = run(shapes.get(at..).unwrap_or_default(), sign) else {
            out.extend(pieces.get(at).map(|piece| (*piece).to_owned()));
            at += 1;
            continue;
        };
        let group = |n: usize| pieces.iter().skip(at + n * period).take(period).map(|piece| (*piece).to_owned());
        out.extend(group(0).chain(group(1)));
        out.push(format!("... {} more", times - 3));
        out.extend(group(times - 1));
        at += period * times;
    }
    out.join(", ")
}

/// How many pieces make a group that repeats often from here on, and how often.
fn run(shapes: &[String], sign: &str) -> Option<(usize, usize)> {
    (1..=8).find_map(|period| {
        let group = shapes.get(..period)?;
        let times = shapes.chunks_exact(period).take_while(|next| *next == group).count();
        (times > SHOWN && group.iter().all(|shape| shape.contains(sign))).then_some((period, times))
    })
}
