//! Durations in settings.

use std::time::Duration;

/// The error for a text that is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a duration is expected: `hh:mm:ss` or `d.hh:mm:ss`, with hours up to 23 and minutes and seconds up to 59")]
pub struct DurationError;

/// Parses `hh:mm:ss` or `d.hh:mm:ss`, either with a fraction of a second of up to seven digits.
///
/// ```
/// use isogloss::config::duration_from_text;
/// use std::time::Duration;
/// assert_eq!(duration_from_text("00:10:00"), Ok(Duration::from_secs(600)));
/// assert_eq!(duration_from_text("1.00:00:00.25"), Ok(Duration::from_millis(86_400_250)));
/// assert!(duration_from_text("24:00:00").is_err());
/// ```
///
/// # Errors
/// The text has another form.
pub fn duration_from_text(text: &str) -> Result<Duration, DurationError> {
    read(text.trim()).ok_or(DurationError)
}

fn read(text: &str) -> Option<Duration> {
    let mut parts = text.split(':');
    let (first, minutes, last) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (days, hours) = match first.split_once('.') {
        Some((days, hours)) => (number(days, 8)?, hours),
        None => (0, first),
    };
    let (seconds, nanos) = match last.split_once('.') {
        Some((seconds, fraction)) => {
            let ticks = number(fraction, 7)?;
            let places = u32::try_from(fraction.len()).ok()?;
            (seconds, ticks * 10_u64.pow(9 - places))
        }
        None => (last, 0),
    };
    let (hours, minutes, seconds) = (number(hours, 2)?, number(minutes, 2)?, number(seconds, 2)?);
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
    Some(Duration::new(whole, u32::try_from(nanos).ok()?))
}

fn number(text: &str, digits: usize) -> Option<u64> {
    if text.is_empty() || text.len() > digits || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Formats a duration for [`duration_from_text`]. Anything below 100 ns is cut off.
#[must_use]
pub fn duration_to_text(duration: Duration) -> String {
    let whole = duration.as_secs();
    let (days, hours, minutes, seconds) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
    let days = if days == 0 { String::new() } else { format!("{days}.") };
    let ticks = duration.subsec_nanos() / 100;
    let fraction = if ticks == 0 { String::new() } else { format!(".{ticks:07}") };
    format!("{days}{hours:02}:{minutes:02}:{seconds:02}{fraction}")
}
