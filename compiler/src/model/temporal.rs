//! Dates and times from their ISO 8601 text.
//!
//! Stricter than chrono's own readers: four digits of year, two of everything else, nothing left over. What two
//! readers may take for two different times is not read at all.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

/// `yyyy-MM-dd`.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let (date, rest) = take_date(text.as_bytes())?;
    rest.is_empty().then_some(date)
}

/// `HH:mm[:ss[.fffffffff]]`.
pub(super) fn time(text: &str) -> Option<NaiveTime> {
    let (time, rest) = take_time(text.as_bytes())?;
    rest.is_empty().then_some(time)
}

/// `yyyy-MM-dd[(T| )HH:mm[:ss[.fffffffff]][Z|(+|-)HH[:]mm]]`: the time, midnight if there is none, and the offset that
/// is written.
pub(super) fn datetime(text: &str) -> Option<(NaiveDateTime, Option<FixedOffset>)> {
    let (date, rest) = take_date(text.as_bytes())?;
    let [b'T' | b't' | b' ', rest @ ..] = rest else {
        return rest.is_empty().then(|| (date.and_time(NaiveTime::MIN), None));
    };
    let (time, rest) = take_time(rest)?;
    let offset = match rest {
        [] => None,
        [b' ', rest @ ..] | rest => Some(offset(rest)?),
    };
    Some((date.and_time(time), offset))
}

/// The time at that offset; at UTC if none is written.
pub(super) fn at_offset(time: NaiveDateTime, offset: Option<FixedOffset>) -> Option<DateTime<FixedOffset>> {
    let offset = offset.or_else(|| FixedOffset::east_opt(0))?;
    time.and_local_timezone(offset).single()
}

/// `[-][d.]HH:mm:ss[.fffffff]`, as .NET writes a span of time.
pub(super) fn timespan(text: &str) -> Option<TimeDelta> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (days, text) = match (text.find('.'), text.find(':')) {
        (Some(dot), Some(colon)) if dot < colon => {
            text.split_at_checked(dot).and_then(|(d, r)| Some((d, r.get(1..)?)))?
        }
        _ => ("0", text),
    };
    if days.is_empty() || days.len() > 8 || !days.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let span = TimeDelta::try_days(days.parse().ok()?)?.checked_add(&(time(text)? - NaiveTime::MIN))?;
    Some(if negative { -span } else { span })
}

fn take_date(text: &[u8]) -> Option<(NaiveDate, &[u8])> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, rest @ ..] = text else {
        return None;
    };
    let year = number(&[*y1, *y2, *y3, *y4])?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)?;
    Some((date, rest))
}

fn take_time(text: &[u8]) -> Option<(NaiveTime, &[u8])> {
    let [h1, h2, b':', m1, m2, rest @ ..] = text else {
        return None;
    };
    let (hour, minute) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    let (second, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (number(&[*s1, *s2])?, rest),
        _ => return Some((NaiveTime::from_hms_opt(hour, minute, 0)?, rest)),
    };
    let (nanos, rest) = match rest {
        [b'.' | b',', rest @ ..] => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if !(1..=9).contains(&digits) {
                return None;
            }
            let (fraction, rest) = rest.split_at_checked(digits)?;
            (number(fraction)? * 10_u32.pow(u32::try_from(9 - digits).ok()?), rest)
        }
        _ => (0, rest),
    };
    Some((NaiveTime::from_hms_nano_opt(hour, minute, second, nanos)?, rest))
}

fn offset(text: &[u8]) -> Option<FixedOffset> {
    let (sign, h1, h2, m1, m2) = match text {
        [b'Z' | b'z'] => return FixedOffset::east_opt(0),
        [sign @ (b'+' | b'-'), h1, h2] => (sign, h1, h2, &b'0', &b'0'),
        [sign @ (b'+' | b'-'), h1, h2, m1, m2] | [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => (sign, h1, h2, m1, m2),
        _ => return None,
    };
    let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = i32::try_from((hours * 60 + minutes) * 60).ok()?;
    FixedOffset::east_opt(if *sign == b'-' { -seconds } else { seconds })
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |n, digit| digit.is_ascii_digit().then(|| n * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_strict() {
        assert_eq!(date("2024-02-29"), NaiveDate::from_ymd_opt(2024, 2, 29));
        for bad in
            ["2023-02-29", "2024-1-5", "24-01-05", "2024-01-05 ", "+2024-01-05", "01/05/2024", "2024-01-05T00:00"]
        {
            assert_eq!(date(bad), None, "{bad}");
        }
    }

    #[test]
    fn times_have_up_to_nine_digits_of_a_second() {
        assert_eq!(time("07:05"), NaiveTime::from_hms_opt(7, 5, 0));
        assert_eq!(time("23:59:59.5"), NaiveTime::from_hms_milli_opt(23, 59, 59, 500));
        assert_eq!(time("23:59:59.123456789"), NaiveTime::from_hms_nano_opt(23, 59, 59, 123_456_789));
        for bad in ["24:00", "7:05", "07:5", "07:05:", "07:05:01.", "07:05:01.1234567890", "07:05 pm"] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_offset_is_read_in_every_form() {
        let at =
            |text: &str| datetime(text).map(|(time, offset)| (time.to_string(), offset.map(|o| o.local_minus_utc())));
        let noon = "2024-01-31 12:00:00".to_owned();
        assert_eq!(at("2024-01-31T12:00"), Some((noon.clone(), None)));
        assert_eq!(at("2024-01-31T12:00Z"), Some((noon.clone(), Some(0))));
        assert_eq!(at("2024-01-31 12:00:00+05:30"), Some((noon.clone(), Some(19_800))));
        assert_eq!(at("2024-01-31 12:00:00 -0800"), Some((noon.clone(), Some(-28_800))));
        assert_eq!(at("2024-01-31T12:00:00-08"), Some((noon, Some(-28_800))));
        assert_eq!(at("2024-01-31"), Some(("2024-01-31 00:00:00".to_owned(), None)));
        for bad in ["2024-01-31T", "2024-01-31T12", "2024-01-31X12:00", "2024-01-31T12:00+24:00", "2024-01-31T12:00+1"]
        {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn spans_have_days_and_a_sign() {
        assert_eq!(timespan("-1.02:00:00"), TimeDelta::try_hours(-26));
        assert_eq!(timespan("00:00:00.5"), TimeDelta::try_milliseconds(500));
        for bad in ["", "-", "1.", ".01:00", "1.25:00:00", "1d", "x.00:00"] {
            assert_eq!(timespan(bad), None, "{bad}");
        }
    }
}
