//! Cursors that are not what the server made, or not for whom.

use crate::hostile::app::{App, problem};

const QUERY: &str = r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Points"},"Asc":false}]},"Take":3}"##;

#[tokio::test]
async fn case_29_a_cursor_is_good_for_whom_and_for_what_it_was_made() {
    let app = App::new().await;
    let first = app.send("POST /api/Order/page?cursor=true", QUERY).await;
    assert_eq!(first.status, 200, "{first:?}");
    let cursor = first.at("/next").as_str().unwrap().to_owned();
    let behind = async |tenant: i32, cursor: &str, query: &str| {
        app.send_as(tenant, &format!("POST /api/Order/page?after={cursor}"), query).await
    };
    let second = behind(1, &cursor, QUERY).await;
    assert_eq!((second.status.as_u16(), second.at("/items").as_array().unwrap().len()), (200, 3), "{second:?}");
    assert_ne!(first.at("/items"), second.at("/items"));

    // Any byte of it.
    for place in 0..cursor.len() {
        let mut bytes = cursor.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        let answer = behind(1, std::str::from_utf8(&bytes).unwrap(), QUERY).await;
        assert!(answer.status == 400 && problem(&answer)["code"] == "bad-cursor", "{place} {answer:?}");
    }
    let long = "A".repeat(60_000);
    for other in [
        "",
        "v1",
        "v1...",
        "v0.own.x.x",
        "%00",
        "%FF",
        "null",
        "../..",
        &cursor[..cursor.len() - 1],
        &format!("{cursor}A"),
        &long,
    ] {
        let answer = behind(1, other, QUERY).await;
        assert!(
            answer.status == 400 && ["bad-cursor", "bad-query"].contains(&problem(&answer)["code"].as_str().unwrap()),
            "{other} {answer:?}"
        );
    }
    // Another filter, order, size of the order; another user, who has other rows.
    for query in [
        r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Points"}}]},"Take":3}"##,
        r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"},"Asc":false}]},"Take":3}"##,
        r##"{"$section":{"$orderby":{"$where":null,"Where":{"$":">","Left":{"#":"Id"},"Right":0}},"OrderBys":[{"Field":{"#":"Points"},"Asc":false}]},"Take":3}"##,
        r##"{"$section":null,"Take":3}"##,
    ] {
        let answer = behind(1, &cursor, query).await;
        assert!(answer.status == 400 && problem(&answer)["code"] == "bad-cursor", "{query} {answer:?}");
    }
    let other = behind(2, &cursor, QUERY).await;
    assert!(other.status == 400 && problem(&other)["code"] == "bad-cursor", "{other:?}");
    // One of another server, which has other keys.
    let elsewhere = App::new().await;
    let answer = elsewhere.send(&format!("POST /api/Order/page?after={cursor}"), QUERY).await;
    assert!(answer.status == 400 && problem(&answer)["code"] == "bad-cursor", "{answer:?}");
}

#[tokio::test]
async fn parameters_of_a_page_are_those_that_it_has() {
    let app = App::new().await;
    for query in ["count=all", "count=", "cursor=yes", "count=none&count=exact", "after=a&after=b", "count=%FF"] {
        let answer = app.send(&format!("POST /api/Order/page?{query}"), r#"{"$section":null}"#).await;
        assert_eq!(answer.status, 400, "{query} {answer:?}");
    }
}
