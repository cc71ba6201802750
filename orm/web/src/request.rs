//! What is read of a request.

use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use crate::{Problem, ProblemKind, WebResult};

/// The body, which is JSON of at most that many bytes.
pub(crate) async fn body(head: &Parts, body: Body, most: usize) -> WebResult<Bytes> {
    if !is_json(head) || is_encoded(head) {
        return Err(Problem::of(ProblemKind::UnsupportedMediaType));
    }
    let too_large = || Problem::new(ProblemKind::TooLarge, format!("The body is longer than {most} bytes."));
    let announced = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let mut chunks = body.into_data_stream();
    let mut all = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let broken = |_| Problem::new(ProblemKind::BadRequest, "The body broke off.");
        let chunk = chunk.map_err(broken)?;
        if all.len() + chunk.len() > most {
            return Err(too_large());
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.freeze())
}

/// Whether it says that its body is JSON. A body of no type is refused, as a page of another site may send one.
fn is_json(head: &Parts) -> bool {
    let mut types = head.headers.get_all(CONTENT_TYPE).iter();
    let (Some(Ok(content)), None) = (types.next().map(|content| content.to_str()), types.next()) else { return false };
    let mut parts = content.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_utf8 = |parameter: &str| match parameter.split_once('=') {
        Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
            charset.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    };
    let json = essence == "application/json"
        || essence.strip_prefix("application/").is_some_and(|subtype| subtype.ends_with("+json"));
    json && parts.all(is_utf8)
}

fn is_encoded(head: &Parts) -> bool {
    let mut encodings = head.headers.get_all(CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// The keyword of a count.
pub(crate) fn keyword(head: &Parts) -> WebResult<Option<String>> {
    let bad = |detail| Problem::new(ProblemKind::BadRequest, detail);
    let Query(pairs) =
        Query::<Vec<(String, String)>>::try_from_uri(&head.uri).map_err(|_| bad("The query string cannot be read."))?;
    let mut keywords = pairs.into_iter().filter(|(name, _)| name == "keyword").map(|(_, keyword)| keyword);
    let keyword = keywords.next();
    match keywords.next() {
        Some(_) => Err(bad("The query string has two of `keyword`.")),
        None => Ok(keyword.filter(|keyword| !keyword.is_empty())),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn content_types_of_json() {
        let is = |content: &str| {
            let (head, ()) = Request::builder().header(CONTENT_TYPE, content).body(()).unwrap().into_parts();
            is_json(&head)
        };
        for json in ["application/json", "Application/JSON; charset=\"UTF-8\"", "application/vnd.orders+json;v=1"] {
            assert!(is(json), "{json}");
        }
        for other in
            ["", "text/json", "application/jsonp", "application/json; charset=latin1", "application/xml", "+json"]
        {
            assert!(!is(other), "{other}");
        }
    }
}
