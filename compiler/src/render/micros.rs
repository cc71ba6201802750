//! Times in literals.

use std::fmt;

use chrono::{NaiveTime, Timelike as _};

use crate::expr::on_clock;

/// A time with six fractional digits, which every engine supports.
///
/// ```
/// # use isogloss_compiler::{chrono::NaiveTime, render::Micros};
/// let time = NaiveTime::from_hms_nano_opt(9, 5, 0, 1_999).ok_or("no time")?;
/// assert_eq!(Micros(time).to_string(), "09:05:00.000001");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Micros(pub NaiveTime);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = on_clock(self.0);
        let micros = time.nanosecond() / 1_000;
        write!(f, "{:02}:{:02}:{:02}.{micros:06}", time.hour(), time.minute(), time.second())
    }
}
