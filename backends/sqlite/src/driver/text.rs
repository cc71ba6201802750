//! Dates and times as SQLite keeps them: `2024-01-31 10:20:30.123456`, with 3, 6 or 9 digits of a fraction or none.
//!
//! Rows are full of them, so that they are written and read without a format that is interpreted each time.

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

/// Appends a date; `None` where SQLite's own functions would not understand it: before the year 0, after 9999.
pub(super) fn push_date(out: &mut String, date: NaiveDate) -> Option<()> {
    let year = u32::try_from(date.year()).ok().filter(|year| *year <= 9_999)?;
    push_two(out, year / 100);
    push_two(out, year % 100);
    out.push('-');
    push_two(out, date.month());
    out.push('-');
    push_two(out, date.day());
    Some(())
}

/// Appends a time of day.
pub(super) fn push_time(out: &mut String, time: NaiveTime) {
    push_two(out, time.hour());
    out.push(':');
    push_two(out, time.minute());
    out.push(':');
    // A leap second, which has the nanoseconds of two, is the last microsecond before it.
    let nanos = if time.nanosecond() < 1_000_000_000 { time.nanosecond() } else { 999_999_000 };
    push_two(out, time.second());
    if nanos == 0 {
        return;
    }
    out.push('.');
    let digits = match nanos {
        n if n % 1_000_000 == 0 => 3,
        n if n % 1_000 == 0 => 6,
        _ => 9,
    };
    let mut unit = 100_000_000;
    for _ in 0..digits {
        push_digit(out, nanos / unit % 10);
        unit /= 10;
    }
}

fn push_two(out: &mut String, number: u32) {
    push_digit(out, number / 10 % 10);
    push_digit(out, number % 10);
}

fn push_digit(out: &mut String, digit: u32) {
    out.push(char::from_digit(digit, 10).unwrap_or('0'));
}

/// Reads a date, alone or with the time of a midnight.
pub(super) fn day(text: &str) -> Option<NaiveDate> {
    let at = date_time(text)?;
    (at.time() == NaiveTime::MIN).then(|| at.date())
}

/// Reads a date at the beginning of a text.
fn date(text: &str) -> Option<NaiveDate> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes().first_chunk()? else { return None };
    let year = two(y1, y2)? * 100 + two(y3, y4)?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, two(m1, m2)?, two(d1, d2)?)
}

/// Reads a time of day.
pub(super) fn time(text: &str) -> Option<NaiveTime> {
    let (clock, fraction) = text.as_bytes().split_first_chunk::<8>()?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *clock else { return None };
    let mut nanos = 0;
    if let Some((dot, digits)) = fraction.split_first() {
        if *dot != b'.' || digits.is_empty() || digits.len() > 9 {
            return None;
        }
        let mut unit = 100_000_000;
        for byte in digits {
            nanos += digit(*byte)? * unit;
            unit /= 10;
        }
    }
    let second = two(s1, s2)?;
    // The text of a leap second.
    let (second, nanos) = if second == 60 { (59, nanos + 1_000_000_000) } else { (second, nanos) };
    NaiveTime::from_hms_nano_opt(two(h1, h2)?, two(m1, m2)?, second, nanos)
}

/// Reads a date and time with `T` or a blank between, as SQLite's own functions take it; without a time it is midnight.
pub(super) fn date_time(text: &str) -> Option<NaiveDateTime> {
    let date = date(text)?;
    match text.as_bytes().get(10) {
        None => date.and_hms_opt(0, 0, 0),
        Some(b' ' | b'T') => Some(date.and_time(time(text.get(11..)?)?)),
        Some(_) => None,
    }
}

fn two(first: u8, second: u8) -> Option<u32> {
    Some(digit(first)? * 10 + digit(second)?)
}

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_is_what_the_format_gives() {
        for text in [
            "2024-01-31 10:20:30",
            "0001-12-01 00:00:00.100",
            "9999-12-31 23:59:59.999999",
            "1999-02-28 01:02:03.000000001",
        ] {
            let at = date_time(text).unwrap();
            let mut out = String::new();
            push_date(&mut out, at.date()).unwrap();
            out.push(' ');
            push_time(&mut out, at.time());
            assert_eq!((out.as_str(), at.format("%Y-%m-%d %H:%M:%S%.f").to_string().as_str()), (text, text));
        }
        // SQLite's functions know no second 60.
        let mut leap = String::new();
        push_time(&mut leap, time("23:59:60.5").unwrap());
        assert_eq!(leap, "23:59:59.999999");
        assert_eq!(date_time("2024-01-31"), date_time("2024-01-31T00:00:00"));
        for text in
            ["", "2024-1-31", "2024-02-30", "2024-01-31x", "2024-01-31 10:20", "2024-01-31 10:20:30.", "２０24-01-31"]
        {
            assert_eq!(date_time(text), None, "{text}");
        }
        assert_eq!(push_date(&mut String::new(), NaiveDate::from_ymd_opt(10_000, 1, 1).unwrap()), None);
    }
}
