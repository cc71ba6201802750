//! Content negotiation by the request's `Accept`.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use crate::{Problem, ProblemKind, WebResult};

/// The forms that rows are answered in, the one that is preferred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One array.
    Json,
    /// An object a line.
    NdJson,
    /// Text with a header, for spreadsheets.
    Csv,
    /// Batches of columns.
    #[cfg(feature = "arrow")]
    Arrow,
}

impl Format {
    /// Every one.
    pub(crate) const ALL: &'static [Self] = &[
        Self::Json,
        Self::NdJson,
        Self::Csv,
        #[cfg(feature = "arrow")]
        Self::Arrow,
    ];

    /// Those of rows that have rows in them.
    pub(crate) const NESTED: &'static [Self] = &[Self::Json, Self::NdJson];

    /// The value of `Content-Type`.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::NdJson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            #[cfg(feature = "arrow")]
            Self::Arrow => "application/vnd.apache.arrow.stream",
        }
    }

    /// The media type, without parameters.
    pub(crate) fn media_type(self) -> &'static str {
        self.content_type().split(';').next().unwrap_or_default()
    }

    /// The form of these that the client likes best. Of those that it likes equally, the first; where `Accept` is absent or empty, the
    /// first, too.
    ///
    /// # Errors
    /// It accepts none of them.
    pub(crate) fn of(headers: &HeaderMap, formats: &[Self]) -> WebResult<Self> {
        let values: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        if headers.get_all(ACCEPT).iter().all(|value| value.as_bytes().trim_ascii().is_empty()) {
            return Ok(Self::Json);
        }
        let ranges: Vec<Range<'_>> =
            values.iter().flat_map(|value| value.split(',')).filter_map(Range::parse).collect();
        let best = formats.iter().map(|format| (*format, quality(&ranges, format.media_type())));
        // `max_by_key` takes the last of equals.
        let best = best.rev().max_by_key(|(_, quality)| *quality).filter(|(_, quality)| *quality > 0);
        best.map(|(format, _)| format).ok_or_else(|| {
            let all: Vec<&str> = formats.iter().map(|format| format.media_type()).collect();
            Problem::new(ProblemKind::NotAcceptable, format!("Accept one of {}.", all.join(", ")))
        })
    }
}

/// The media types that a part of `Accept` means, and how much they are liked, in thousandths.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    quality: u16,
}

impl<'a> Range<'a> {
    /// One that cannot be read means nothing. Parameters other than `q` are not looked at.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = match weight {
            Some(weight) => thousandths(weight)?,
            None => 1_000,
        };
        Some(Self { kind, subtype, quality })
    }

    /// How exactly it means a media type, if at all.
    fn means(&self, media_type: &str) -> Option<u8> {
        let (kind, subtype) = media_type.split_once('/')?;
        match (self.kind, self.subtype) {
            ("*", "*") => Some(0),
            (own, "*") if own.eq_ignore_ascii_case(kind) => Some(1),
            (own, sub) if own.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => Some(2),
            _ => None,
        }
    }
}

/// What the most exact of the ranges says.
fn quality(ranges: &[Range<'_>], media_type: &str) -> u16 {
    let means = ranges.iter().filter_map(|range| Some((range.means(media_type)?, range.quality)));
    means.max().map_or(0, |(_, quality)| quality)
}

/// `0.5`, of at most three digits behind the point.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, digits) = weight.split_once('.').unwrap_or((weight, ""));
    let digits =
        Some(digits).filter(|digits| digits.len() <= 3 && digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let fraction = format!("{digits:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    fn of(accept: &[&'static str]) -> Result<Format, ProblemKind> {
        let mut headers = HeaderMap::new();
        accept.iter().for_each(|value| {
            headers.append(ACCEPT, value.parse().unwrap());
        });
        Format::of(&headers, Format::ALL).map_err(|problem| problem.kind())
    }

    #[test]
    fn the_form_that_is_liked_best() {
        for (accept, format) in [
            ("application/json", Format::Json),
            ("*/*", Format::Json),
            ("application/*", Format::Json),
            ("text/*", Format::Csv),
            ("TEXT/CSV", Format::Csv),
            ("text/csv; charset=utf-8", Format::Csv),
            ("application/x-ndjson", Format::NdJson),
            ("text/csv;q=0.5, application/x-ndjson;q=0.9", Format::NdJson),
            ("text/csv, application/json", Format::Json),
            ("application/json;q=0.1, text/csv;q=0.11", Format::Csv),
            // The most exact range counts, not the one that likes most.
            ("application/json;q=0, */*", Format::NdJson),
            ("application/*;q=0.1, application/x-ndjson;q=1.000, text/csv;q=0.5", Format::NdJson),
            // A browser.
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Format::Json),
            // What cannot be read means nothing.
            ("text/csv;q=2, application/x-ndjson;q=0.1", Format::NdJson),
            ("nonsense, text/csv", Format::Csv),
        ] {
            assert_eq!(of(&[accept]), Ok(format), "{accept}");
        }
        assert_eq!(of(&["application/json;q=0.5", "text/csv"]), Ok(Format::Csv));
    }

    #[test]
    fn any_form_where_nothing_is_said() {
        for accept in [&[][..], &[""], &["", " "]] {
            assert_eq!(of(accept), Ok(Format::Json), "{accept:?}");
        }
    }

    #[test]
    fn none_is_acceptable() {
        for accept in ["text/html", "application/json;q=0", "*/*;q=0", "application/json;q=x", "json"] {
            assert_eq!(of(&[accept]), Err(ProblemKind::NotAcceptable), "{accept}");
        }
    }

    #[cfg(feature = "arrow")]
    #[test]
    fn columns_where_they_are_asked_for() {
        assert_eq!(of(&["application/vnd.apache.arrow.stream"]), Ok(Format::Arrow));
    }
}
