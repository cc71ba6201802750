//! Times in literals.

use std::fmt;

use chrono::{NaiveTime, Timelike as _};

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
        let Self(time) = self;
        // In a leap second there are more of them than a second has.
        let (second, micros) =
            (time.second() + time.nanosecond() / 1_000_000_000, time.nanosecond() / 1_000 % 1_000_000);
        write!(f, "{:02}:{:02}:{second:02}.{micros:06}", time.hour(), time.minute())
    }
}
