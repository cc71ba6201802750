//! Dates and times that are read from texts.
//!
//! SQLite's functions take more than a text of a date and a time: a number is a day since 4714 BC, `now` is one, a time of
//! day is that of the year 2000, and the 30th of February is the 1st of March. What they are given is looked at first, and
//! what is no date or time is NULL, as it is on MySQL.

use isogloss_compiler::Result;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::frame::Scalar;
use isogloss_compiler::render::{Prec, Writer};

/// Whether its first ten characters are a date of the calendar. With a modifier, even one that adds nothing, `DATE` gives
/// `2024-03-01` for `2024-02-30`.
const DATE: &str = "DATE(SUBSTR({0}, 1, 10), '+0 days') = SUBSTR({0}, 1, 10)";

/// Whether there is no hour behind the date, or one of a day.
const HOUR: &str = "SUBSTR({0}, 12, 2) < '24'";

/// So many digits behind the second, as they are stored: none, three or six; `from` is where they begin.
pub(crate) fn fraction(from: u8, digits: u8) -> String {
    format!(
        "REPLACE(REPLACE(REPLACE(SUBSTR(PRINTF('%.6f', CAST('0' || SUBSTR({{0}}, {from}, {}) AS REAL)), 2) || '|', '000|', '|'), \
         '.000|', ''), '|', '')",
        digits + 1
    )
}

/// A text as a date or a time, in the form that is stored; NULL if it is none.
pub(crate) fn time_in_text<'e>(w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, to: T, by_sqlx: bool) -> Result<()> {
    let behind_date = fraction(20, 6);
    let template = match to {
        T::Date => format!("CASE WHEN {DATE} AND DATE({{0}}) IS NOT NULL THEN SUBSTR({{0}}, 1, 10) END"),
        T::Time => {
            let alone = fraction(9, 6);
            format!(
                "CASE WHEN {{0}} GLOB '[0-2][0-9]:*' AND {{0}} < '24' THEN STRFTIME('%H:%M:%S', {{0}}) || {alone} \
                 WHEN {DATE} AND {HOUR} THEN STRFTIME('%H:%M:%S', {{0}}) || {behind_date} END"
            )
        }
        _ => {
            let (form, offset) = match to {
                T::DateTimeOffset if by_sqlx => ("%Y-%m-%dT%H:%M:%S", " || '+00:00'"),
                T::DateTimeOffset => ("%Y-%m-%d %H:%M:%S", " || '+00:00'"),
                _ => ("%Y-%m-%d %H:%M:%S", ""),
            };
            format!("CASE WHEN {DATE} AND {HOUR} THEN STRFTIME('{form}', {{0}}) || {behind_date}{offset} END")
        }
    };
    for (index, part) in template.split("{0}").enumerate() {
        if index > 0 {
            w.scalar(text, Prec::Concat)?;
        }
        w.text(part);
    }
    Ok(())
}
