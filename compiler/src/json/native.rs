//! The notation of typed values: `{"$guid":".."}`.

use std::borrow::Cow;
use std::str::FromStr;

use chrono::{DateTime, FixedOffset, TimeDelta};
#[cfg(feature = "schema")]
use serde_json::json;
use uuid::Uuid;

use super::base64;
use super::scan::{Scanner, underflows};
#[cfg(feature = "schema")]
use super::schema::closed::{any_of, one_of, text};
#[cfg(feature = "schema")]
use crate::expr::Family;
use crate::expr::{Decimal, Value};

/// One block a type of values: its marker, what a message says of its text; how the text is read and written, and the schema of
/// what stands under the marker.
macro_rules! natives {
    ($(
        $name:ident $marker:literal, $looks:literal
        read |$text:ident| $read:expr;
        write $value:ident($held:pat) => $write:expr;
        schema $schema:expr;
    )*) => {
        /// Which type a wrapped value has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Native {
            $($name,)*
        }

        impl Native {
            pub(super) const ALL: &[Native] = &[$(Native::$name),*];

            /// The key that says the type.
            pub(super) const fn marker(self) -> &'static str {
                match self {
                    $(Native::$name => $marker,)*
                }
            }

            /// What a message says of the text.
            const fn looks(self) -> &'static str {
                match self {
                    $(Native::$name => $looks,)*
                }
            }

            /// The value of a text.
            fn parse(self, text: &str) -> Option<Value> {
                match self {
                    $(Native::$name => { let $text = text; $read.map(Value::$value) })*
                }
            }

            /// The type under which a value is wrapped; none of those that JSON has itself.
            pub(super) fn of(value: &Value) -> Option<Native> {
                match value {
                    $(Value::$value(_) => Some(Native::$name),)*
                    Value::Null | Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Text(_) | Value::List(_) => None,
                }
            }

            /// The text of a value that is wrapped.
            pub(super) fn text(value: &Value) -> Cow<'_, str> {
                match value {
                    $(Value::$value($held) => $write,)*
                    _ => Cow::Borrowed(""),
                }
            }

            /// The schema of what stands under the marker.
            #[cfg(feature = "schema")]
            pub(super) fn schema(self) -> serde_json::Value {
                match self {
                    $(Native::$name => $schema,)*
                }
            }
        }
    };
}

natives! {
    // Older clients write a Z behind a time that is in UTC; it is one without an offset nevertheless.
    DateTime "$datetime", "it looks like 2024-01-31T10:20:30.5"
        read |text| parse(text.strip_suffix('Z').unwrap_or(text));
        write DateTime(time) => short_fraction(format!("{time:?}")).into();
        schema text(&format!("{YEAR_TO_DAY}T{TIME}Z?"));

    DateTimeOffset "$datetimeoffset", "it looks like 2024-01-31T10:20:30.5+02:00"
        read |text| parse(text);
        write DateTimeOffset(time) => offset_text(time).into();
        schema text(&format!("{YEAR_TO_DAY}T{TIME}{OFFSET}"));

    TimeSpan "$timespan", "it looks like [-][days.]hh:mm:ss[.fffffff]"
        read |text| timespan(text);
        write TimeSpan(span) => timespan_text(*span).into();
        schema text(r"-?(?:[0-9]{1,12}\.)?(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?");

    Guid "$guid", "it looks like 00000000-0000-0000-0000-000000000000"
        read |text| Uuid::parse_str(text).ok();
        write Uuid(id) => id.hyphenated().to_string().into();
        schema text("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");

    // The bits that are left over are 0.
    Bytes "$bytes", "it is base64 with padding"
        read |text| base64::decode(text).map(Into::into);
        write Bytes(bytes) => base64::encode(bytes).into();
        schema text("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?");

    Date "$date", "it looks like 2024-01-31"
        read |text| parse(text);
        write Date(date) => format!("{date:?}").into();
        schema text(YEAR_TO_DAY);

    Time "$time", "it looks like 10:20:30.5"
        read |text| parse(text);
        write Time(time) => short_fraction(format!("{time:?}")).into();
        schema text(TIME);

    // Or a number, which the reader takes.
    Decimal "$decimal", "it is a number of at most 38 digits"
        read |text| text.parse::<Decimal>().ok().map(Box::new);
        write Decimal(exact) => exact.to_string().into();
        schema any_of(vec![json!({ "type": "number" }), text(r"-?[0-9]{1,38}(?:\.[0-9]{1,38})?")]);

    // Or a number.
    Double "$double", "it is a number, \"NaN\", \"Infinity\" or \"-Infinity\""
        read |text| double(text);
        write Float(n) => double_text(*n);
        schema any_of(vec![json!({ "type": "number" }), one_of(["NaN", "Infinity", "-Infinity"]), text(NUMBER)]);

    // The reader has looked whether it is one, within its limits.
    Json "$json", "it is the text of a JSON document"
        read |text| Some(text.into());
        write Json(text) => Cow::Borrowed(text);
        schema json!({ "type": "string", "contentMediaType": "application/json" });

    // No text: the reader takes a dictionary, the writer gives one.
    Map "$map", "a dictionary"
        read |_text| None;
        write Map(_) => Cow::Borrowed("");
        schema json!({ "type": "object" });
}

#[cfg(feature = "schema")]
const YEAR_TO_DAY: &str = "[+-]?[0-9]{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
#[cfg(feature = "schema")]
const TIME: &str = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?";
#[cfg(feature = "schema")]
const OFFSET: &str = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
#[cfg(feature = "schema")]
const NUMBER: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";

impl Native {
    /// That of a marker.
    pub(super) fn of_marker(marker: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|native| native.marker() == marker)
    }

    /// What messages call it: its marker without the `$`.
    pub(super) fn title(self) -> &'static str {
        self.marker().trim_start_matches('$')
    }

    /// The value of a text.
    ///
    /// # Errors
    /// Why it is none, for a message.
    pub(super) fn read(self, text: &str) -> Result<Value, &'static str> {
        self.parse(text).ok_or_else(|| self.why_not(text))
    }

    /// Why a text is none of its values.
    pub(super) fn why_not(self, text: &str) -> &'static str {
        match self {
            Native::DateTime if DateTime::parse_from_rfc3339(text).is_ok() => {
                "it has no offset; one with an offset is a $datetimeoffset"
            }
            _ => self.looks(),
        }
    }

    /// Those of which a column takes values; the first is its own. A text of one of them does without the marker.
    #[cfg(feature = "schema")]
    pub(super) const fn of_column(family: Family) -> &'static [Self] {
        match family {
            Family::Decimal => &[Native::Decimal],
            Family::Float => &[Native::Double],
            Family::Date => &[Native::Date],
            Family::Time => &[Native::Time],
            Family::DateTime => &[Native::DateTime, Native::Date],
            Family::DateTimeOffset => &[Native::DateTimeOffset, Native::DateTime],
            Family::Guid => &[Native::Guid],
            Family::Binary => &[Native::Bytes],
            Family::Json => &[Native::Json],
            Family::Integer | Family::Text | Family::Boolean | Family::Other => &[],
        }
    }
}

/// A date or time of chrono's notation, which is that of ISO 8601; nothing around it or in between.
fn parse<T: FromStr>(text: &str) -> Option<T> {
    if text.bytes().any(|b| b.is_ascii_whitespace()) { None } else { text.parse().ok() }
}

fn double(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => {
            let mut scan = Scanner { text, at: 0 };
            scan.skip_number().ok()?;
            text.parse().ok().filter(|n: &f64| scan.at == text.len() && n.is_finite() && !underflows(text, *n))
        }
    }
}

/// All digits of a double that has few of them.
fn double_text(n: f64) -> Cow<'static, str> {
    if n.is_nan() {
        return "NaN".into();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let text = format!("{n:.60e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0')).into()
}

/// Without the zeros at the end of a fraction.
fn short_fraction(mut text: String) -> String {
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').len());
    }
    text
}

/// With an offset in whole minutes, as ISO 8601 has it; the instant is kept.
fn offset_text(time: &DateTime<FixedOffset>) -> String {
    let seconds = time.offset().local_minus_utc();
    let whole = FixedOffset::east_opt(seconds - seconds % 60).unwrap_or(*time.offset());
    let local = time.with_timezone(&whole).naive_local();
    let (sign, minutes) = if seconds < 0 { ('-', -seconds / 60) } else { ('+', seconds / 60) };
    format!("{}{sign}{:02}:{:02}", short_fraction(format!("{local:?}")), minutes / 60, minutes % 60)
}

/// `[-][d.]hh:mm:ss[.fffffff]`: .NET's constant format, with 9 digits where 7 do not do.
fn timespan_text(span: TimeDelta) -> String {
    let (sign, seconds, nanos) = match (span.num_seconds(), span.subsec_nanos()) {
        (seconds, nanos) if seconds < 0 || nanos < 0 => ("-", seconds.unsigned_abs(), nanos.unsigned_abs()),
        (seconds, nanos) => ("", seconds.unsigned_abs(), nanos.unsigned_abs()),
    };
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let days = if days == 0 { String::new() } else { format!("{days}.") };
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos % 100 == 0 => format!(".{:07}", nanos / 100),
        _ => format!(".{nanos:09}"),
    };
    format!("{sign}{days}{hours:02}:{minutes:02}:{:02}{fraction}", seconds % 60)
}

/// `[-][days.]hh:mm:ss[.fffffff]`, the constant format of .NET, with up to 9 digits of a second.
fn timespan(text: &str) -> Option<TimeDelta> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = text.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (days, hours) = hours.split_once('.').unwrap_or(("0", hours));
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let number = |digits: &str, limit: i64| -> Option<i64> {
        let plain = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|n| plain && *n < limit)
    };
    if parts.next().is_some() || fraction.len() > 9 {
        return None;
    }
    let seconds = number(days, i64::MAX)?
        .checked_mul(86_400)?
        .checked_add(number(hours, 24)? * 3_600 + number(minutes, 60)? * 60 + number(seconds, 60)?)?;
    let nanos = format!("{fraction:0<9}");
    let nanos = number(&nanos, 1_000_000_000)?;
    let (seconds, nanos) = match (negative, nanos) {
        (false, _) => (seconds, nanos),
        (true, 0) => (-seconds, 0),
        (true, _) => (-seconds - 1, 1_000_000_000 - nanos),
    };
    TimeDelta::new(seconds, u32::try_from(nanos).ok()?)
}
