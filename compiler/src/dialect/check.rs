//! What must hold of every dialect.

use std::fmt;

use super::{Dialect, Feature, Form, On, Row, Support};
use crate::functions::{Class, Func};

/// What is wrong with a dialect, found by [`check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Faults {}

/// Looks through the tables of a dialect and its bases, for its own tests:
///
/// ```
/// use isogloss_compiler::dialect::{self, Dialect};
/// fn the_tables_are_complete(mine: &dyn Dialect) -> Result<(), dialect::Faults> {
///     dialect::check(mine)
/// }
/// # let _ = the_tables_are_complete;
/// ```
///
/// Whether what it spells is right, the engine alone can tell: that is what the conformance suite is for.
///
/// # Errors
/// - a feature of which no sheet says anything, or one sheet twice;
/// - a function without a row for one of the numbers of arguments that it takes;
/// - a row that can never be chosen, as an earlier one fits wherever it does, or that is for more arguments than there are;
/// - an aggregate whose spelling has no place for what follows it;
/// - a reason of a refusal that says nothing;
/// - a label that does not begin with the sheet's name, or a value that does not equal its copy.
pub fn check(dialect: &dyn Dialect) -> Result<(), Faults> {
    let mut faults = Vec::new();
    if !dialect.label().starts_with(dialect.sheet().name) {
        faults.push(format!("the label `{}` does not begin with `{}`", dialect.label(), dialect.sheet().name));
    }
    if *dialect != *dialect.to_shared() {
        faults.push("a copy of the value does not equal it".to_owned());
    }
    features(dialect, &mut faults);
    for func in Func::ALL {
        let rows = dialect.rows_of(*func);
        let (least, most) = func.signature().arity();
        for args in least..=most.min(least + 2) {
            if !rows.iter().any(|row| row.args.is_none_or(|n| usize::from(n) == args)) {
                faults.push(format!("{func:?}: no row is for {args} arguments"));
            }
        }
    }
    functions(dialect, &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn features(dialect: &dyn Dialect, faults: &mut Vec<String>) {
    let sheet = dialect.sheet();
    for feature in Feature::ALL {
        let (mentions, variant) = (sheet.mentions(*feature), dialect.base().is_some());
        if mentions > 1 {
            faults.push(format!("{}: {}", sheet.name, feature.said_twice()));
        } else if mentions == 0 && !variant {
            faults.push(format!("{}: {}", sheet.name, feature.unsaid()));
        }
    }
    for (feature, since) in sheet.support {
        if let Support::Refuse(reason) = since.support {
            reasonable(&format!("{feature:?}"), reason, faults);
        }
    }
    if let Some(base) = dialect.base() {
        features(base, faults);
    }
}

fn functions(dialect: &dyn Dialect, faults: &mut Vec<String>) {
    let rows: Vec<_> = dialect.more_functions().iter().chain(dialect.sheet().functions).collect();
    for (place, row) in rows.iter().enumerate() {
        let func = row.func;
        let (least, most) = func.signature().arity();
        if let Some(count) = row.args
            && !(least..=most).contains(&usize::from(count))
        {
            faults.push(format!("{func:?}: it never takes {count} arguments, as a row wants"));
        }
        if let Some(first) = rows.iter().take(place).find(|first| first.func == func && covers(first, row)) {
            faults.push(format!("{func:?}: {:?} is never reached behind {:?}", row.form, first.form));
        }
        match &row.form {
            Form::Refuse(reason) => reasonable(&format!("{func:?}"), reason, faults),
            Form::Text(_, spelling) if func.signature().class != Class::Scalar => {
                let text = spelling.text();
                // WITHIN GROUP stands before it.
                let text = text.trim_end_matches("{w}").trim_end_matches("{W}");
                // What follows an aggregate is its window, if an earlier row does not refuse any.
                let earlier = rows.iter().take(place).filter(|first| first.func == func && first.over);
                let never_over = earlier.into_iter().any(|first| covers(&Row { over: false, ..**first }, row));
                let open = text.ends_with(')') && !text.starts_with("CASE") && !text.starts_with('(');
                if !(open || never_over || text.contains("{v}") || text.contains("{f}")) {
                    faults.push(format!("{func:?}: `{text}` says nowhere where OVER stands"));
                }
            }
            Form::Text(..) | Form::Expand(_) => {}
        }
    }
    if let Some(base) = dialect.base() {
        functions(base, faults);
    }
}

/// Whether a row fits wherever another one does.
fn covers(row: &Row, other: &Row) -> bool {
    let on = row.on == On::Anything || row.on == other.on && (!row.every || other.every);
    on && (row.args.is_none() || row.args == other.args)
        && (!row.plain || other.plain)
        && row.not_null & other.not_null == row.not_null
        && (row.int32.is_none() || row.int32 == other.int32)
        && (row.not_zero.is_none() || row.not_zero == other.not_zero)
        && (!row.distinct || other.distinct)
        && (!row.over || other.over)
        && row.since <= other.since
}

/// A reason is a sentence that says what is missing, and best what to do.
fn reasonable(what: &str, reason: &str, faults: &mut Vec<String>) {
    if reason.len() <= 10 || reason.contains("  ") {
        faults.push(format!("{what}: `{reason}` is no reason that helps anybody"));
    }
}
