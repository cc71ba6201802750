//! Values as text, whatever the format.

use std::io::Write as _;

use isogloss::chrono::{
    DateTime, Datelike as _, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset as _, Timelike as _,
};
use isogloss::expr::Value;

/// `2024-02-29`; a year outside of four digits has a sign.
pub(crate) fn date(date: NaiveDate, out: &mut Vec<u8>) {
    match u32::try_from(date.year()) {
        Ok(year @ ..=9999) => {
            digits(year, 4, out);
            out.push(b'-');
            digits(date.month(), 2, out);
            out.push(b'-');
            digits(date.day(), 2, out);
        }
        _ => put(date, out),
    }
}

/// `23:59:59.5`
pub(crate) fn time(time: NaiveTime, out: &mut Vec<u8>) {
    digits(time.hour(), 2, out);
    out.push(b':');
    digits(time.minute(), 2, out);
    out.push(b':');
    // A leap second is told as more than a second's nanoseconds.
    digits(time.second() + time.nanosecond() / 1_000_000_000, 2, out);
    let (mut fraction, mut width) = (time.nanosecond() % 1_000_000_000, 9);
    if fraction > 0 {
        while fraction % 10 == 0 {
            (fraction, width) = (fraction / 10, width - 1);
        }
        out.push(b'.');
        digits(fraction, width, out);
    }
}

/// `2024-02-29T23:59:59.5`
pub(crate) fn datetime(datetime: NaiveDateTime, out: &mut Vec<u8>) {
    date(datetime.date(), out);
    out.push(b'T');
    time(datetime.time(), out);
}

/// `2024-02-29T23:59:59.5+02:00`; at UTC with a `Z`.
pub(crate) fn datetime_offset(at: DateTime<FixedOffset>, out: &mut Vec<u8>) {
    datetime(at.naive_local(), out);
    match at.offset().fix().local_minus_utc() {
        0 => out.push(b'Z'),
        _ => put(at.offset(), out),
    }
}

/// A value of a kind whose text needs no escaping, and is no number; whether it is one.
pub(crate) fn plain(value: &Value, out: &mut Vec<u8>) -> bool {
    match value {
        Value::Date(value) => date(*value, out),
        Value::Time(value) => time(*value, out),
        Value::DateTime(value) => datetime(*value, out),
        Value::DateTimeOffset(value) => datetime_offset(*value, out),
        other => match other.word() {
            Some(word) => put(word, out),
            None => return false,
        },
    }
    true
}

/// What prints itself.
pub(crate) fn put(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail.
    let _ = write!(out, "{value}");
}

fn digits(number: u32, width: u32, out: &mut Vec<u8>) {
    for place in (0..width).rev() {
        let digit = number / 10_u32.pow(place) % 10;
        out.push(b'0' + u8::try_from(digit).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T>(value: T, write: fn(T, &mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_are_iso_8601() {
        for at in [
            "0001-01-01T00:00:00",
            "2024-02-29T23:59:59.5",
            "9999-12-31T23:59:59.999999999",
            "2024-01-02T03:04:05.00001",
        ] {
            assert_eq!(text(at.parse().unwrap(), datetime), at);
        }
        assert_eq!(text(NaiveDate::from_ymd_opt(12_345, 1, 2).unwrap(), date), "+12345-01-02");
        for at in ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.25+05:30", "2024-01-02T03:04:05-11:00"] {
            assert_eq!(text(DateTime::parse_from_rfc3339(at).unwrap(), datetime_offset), at);
        }
        let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_500_000_000).unwrap();
        assert_eq!(text(leap, time), "23:59:60.5");
    }
}
