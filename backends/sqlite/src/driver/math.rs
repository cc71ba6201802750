//! The mathematical functions, for a SQLite that was built without `SQLITE_ENABLE_MATH_FUNCTIONS`.
//!
//! They do what SQLite's own do (<https://sqlite.org/lang_mathfunc.html>): NULL for NULL, for what is no number, and
//! outside of a function's domain.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value as Stored, ValueRef};
use rusqlite::{Connection, Result};

/// Adds the functions, unless SQLite has them.
pub(super) fn add_missing(connection: &Connection) -> Result<()> {
    let has = connection.query_row("SELECT 1 FROM pragma_function_list WHERE name = 'acos'", [], |_| Ok(()));
    match has {
        Ok(()) => Ok(()),
        Err(rusqlite::Error::QueryReturnedNoRows) => add(connection),
        Err(error) => Err(error),
    }
}

fn add(connection: &Connection) -> Result<()> {
    for &(name, function) in ONE {
        connection.create_scalar_function(name, 1, FLAGS, move |context| Ok(number(context, 0).map(function)))?;
    }
    for &(name, function) in TWO {
        connection.create_scalar_function(name, 2, FLAGS, move |context| {
            Ok(number(context, 0).zip(number(context, 1)).map(|(a, b)| function(a, b)))
        })?;
    }
    for &(name, function) in WHOLE {
        connection.create_scalar_function(name, 1, FLAGS, move |context| {
            Ok(match context.get_raw(0) {
                ValueRef::Integer(number) => Stored::Integer(number),
                _ => number(context, 0).map_or(Stored::Null, |number| Stored::Real(function(number))),
            })
        })?;
    }
    connection.create_scalar_function("pi", 0, FLAGS, |_| Ok(std::f64::consts::PI))
}

const FLAGS: FunctionFlags =
    FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC).union(FunctionFlags::SQLITE_INNOCUOUS);

/// An argument as a number; SQLite stores NULL for NaN.
#[allow(clippy::cast_precision_loss, reason = "the functions are of doubles")]
fn number(context: &Context<'_>, index: usize) -> Option<f64> {
    match context.get_raw(index) {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// NaN, which becomes NULL, where a logarithm has no value.
fn positive(number: f64, logarithm: Function) -> f64 {
    if number > 0.0 { logarithm(number) } else { f64::NAN }
}

type Function = fn(f64) -> f64;
type Function2 = fn(f64, f64) -> f64;

/// The functions of one number.
const ONE: &[(&str, Function)] = &[
    ("acos", f64::acos),
    ("acosh", f64::acosh),
    ("asin", f64::asin),
    ("asinh", f64::asinh),
    ("atan", f64::atan),
    ("atanh", f64::atanh),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("degrees", f64::to_degrees),
    ("exp", f64::exp),
    ("ln", |x| positive(x, f64::ln)),
    ("log", |x| positive(x, f64::log10)),
    ("log10", |x| positive(x, f64::log10)),
    ("log2", |x| positive(x, f64::log2)),
    ("radians", f64::to_radians),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

/// The functions of two.
const TWO: &[(&str, Function2)] = &[
    ("atan2", f64::atan2),
    ("log", |base, x| if base > 1.0 { positive(x, f64::ln) / base.ln() } else { f64::NAN }),
    ("mod", |x, y| x % y),
    ("pow", f64::powf),
    ("power", f64::powf),
];

/// Those that leave a whole number as it is.
const WHOLE: &[(&str, Function)] =
    &[("ceil", f64::ceil), ("ceiling", f64::ceil), ("floor", f64::floor), ("trunc", f64::trunc)];

#[cfg(test)]
mod tests {
    use super::*;

    /// Ours and SQLite's own give the same, where this build has them.
    #[test]
    fn they_give_what_sqlites_own_give() {
        let (ours, theirs) = (Connection::open_in_memory().unwrap(), Connection::open_in_memory().unwrap());
        add(&ours).unwrap();
        add_missing(&theirs).unwrap();
        let arguments = ["NULL", "0", "1", "-1", "2", "0.5", "-0.5", "2.5", "-2.5", "100", "'2.25'", "'x'", "1e300"];
        let mut texts: Vec<String> = Vec::new();
        for a in arguments {
            texts.extend(ONE.iter().chain(WHOLE).map(|(name, _)| format!("{name}({a})")));
            for b in arguments {
                texts.extend(TWO.iter().map(|(name, _)| format!("{name}({a}, {b})")));
            }
        }
        texts.push("pi()".into());
        for text in texts {
            let ask =
                |c: &Connection| c.query_row(&format!("SELECT {text}"), [], |row| row.get::<_, Stored>(0)).unwrap();
            let (ours, theirs) = (ask(&ours), ask(&theirs));
            let same = match (&ours, &theirs) {
                (Stored::Real(a), Stored::Real(b)) => a == b || (a - b).abs() <= 1e-14 * b.abs(),
                _ => ours == theirs,
            };
            assert!(same, "{text}: {ours:?}, {theirs:?}");
        }
    }
}
