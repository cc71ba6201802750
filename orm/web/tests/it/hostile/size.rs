//! What is too deep, too long, too much. A test has a stack of 2 MiB.

use isogloss::json::ReadLimits;
use isogloss::walk::QueryPolicy;
use isogloss_web::Rules;

use crate::hostile::app::{App, ORDERS};
use crate::support::statements;

/// The tree in that many of these.
fn nested(before: &str, after: &str, times: usize, tree: &str) -> String {
    [before.repeat(times), tree.to_owned(), after.repeat(times)].concat()
}

const FILTER: &str = r##"{"$":">","Left":{"#":"Id"},"Right":0}"##;

#[tokio::test]
async fn case_14_what_is_too_deep_or_too_large_is_refused_at_once() {
    // The limits of JSON are out of the way, so that those behind them show, too.
    let rules = Rules::new()
        .max_body(64 << 20)
        .json(ReadLimits::DEFAULT.depth(usize::MAX).nodes(usize::MAX).bytes(usize::MAX).list(usize::MAX));
    for app in [App::new().await, App::with(rules).await] {
        let statements = statements::count();
        for depth in [66, 300, 10_000] {
            for (before, after) in [
                (r#"{"!":"#, "}"),
                (r#"{"$and":["#, "]}"),
                (r##"{"$exists":{"$where":{"$table":"Customer"},"Where":"##, "}}"),
                (r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":"##, "}"),
                (r##"{"$istrue":{"$truth":"##, "}}"),
            ] {
                let answer = app.page(&nested(before, after, depth, FILTER)).await;
                assert!(answer.status == 400 || answer.status == 413, "{depth} {before} {answer:?}");
            }
            for (before, after, last) in [
                ("[", "]", ""),
                (r#"{"a":"#, "}", "1"),
                (r#"{"$section":"#, "}", "null"),
                (r#"{"$":"func","Abs":["#, "]}", "1"),
            ] {
                let answer = app.page(&nested(before, after, depth, last)).await;
                assert!(answer.status == 400 || answer.status == 413, "{depth} {before} {answer:?}");
            }
        }
        let many = |item: &str, count: usize| vec![item; count].join(",");
        for tree in [
            format!(r#"{{"$and":[{}]}}"#, many(FILTER, 200_000)),
            format!(r##"{{"$":"in","Left":{{"#":"Id"}},"Right":{{"@":[{}]}}}}"##, many("1", 100_000)),
            format!(
                r##"{{"$":"in","Left":{{"#":"Id"}},"Right":{{"$":"set","List":[{}]}}}}"##,
                many(r#"{"@":1}"#, 100_000)
            ),
            format!(r##"{{"$":"==","Left":{{"#":"OrderNo"}},"Right":"{}"}}"##, "x".repeat(10 << 20)),
            format!(r##"{{"$":"==","Left":{{"#":"{}"}},"Right":1}}"##, "x".repeat(1 << 20)),
            format!(r#"{{"{}":1}}"#, "x".repeat(1 << 20)),
            format!(r##"{{"$":"==","Left":{{"#":"Id"}},"Right":{}}}"##, "1".repeat(1 << 20)),
        ] {
            let answer = app.page(&tree).await;
            assert!(answer.status == 400 || answer.status == 413, "{} {answer:?}", &tree[..60]);
            assert!(answer.text.len() < 1_000, "the answer is as long as the request: {} bytes", answer.text.len());
        }
        assert_eq!(statements.take(), 0, "the database was asked");
        assert_eq!(app.total(FILTER).await, ORDERS as u64);
        assert!(statements.take() > 0);
    }
}

#[tokio::test]
async fn case_15_a_page_has_the_size_that_it_may_have() {
    let app = App::new().await;
    for (take, expected) in [
        ("0", 20),
        ("-1", 20),
        ("1", 1),
        ("100", 100),
        ("101", 100),
        ("2147483648", 100),
        ("9223372036854775807", 100),
        ("9223372036854775808", 100),
        ("18446744073709551615", 100),
        ("-9223372036854775808", 20),
    ] {
        let answer = app.page(&format!(r#"{{"$section":null,"Take":{take}}}"#)).await;
        assert_eq!((answer.status.as_u16(), answer.at("/take")), (200, expected.into()), "{take} {answer:?}");
        assert!(answer.at("/items").as_array().unwrap().len() <= expected, "{take}");
    }
    for (skip, expected) in [("0", 0), ("-1", 0), ("5", 5), ("-9223372036854775808", 0)] {
        let answer = app.page(&format!(r#"{{"$section":null,"Skip":{skip},"Take":5}}"#)).await;
        assert_eq!((answer.status.as_u16(), answer.at("/skip")), (200, expected.into()), "{skip} {answer:?}");
    }
    for skip in ["1000000000000", "9223372036854775807", "18446744073709551615"] {
        let answer = app.page(&format!(r#"{{"$section":null,"Skip":{skip},"Take":5}}"#)).await;
        assert_eq!((answer.status.as_u16(), answer.at("/items")), (200, serde_json::json!([])), "{skip} {answer:?}");
    }
    for bad in [r#""20""#, "null", "1.5", "1e2", "[]", "{}", "true", "18446744073709551616", "1e400"] {
        app.refuses(&format!(r#"{{"$section":null,"Take":{bad}}}"#)).await;
        app.refuses(&format!(r#"{{"$section":null,"Skip":{bad}}}"#)).await;
    }
}

#[tokio::test]
async fn case_16_the_outer_page_holds_whatever_is_in_it() {
    let app = App::new().await;
    for tree in [
        r##"{"$section":{"$section":null,"Take":1000000},"Take":1000000}"##,
        r##"{"$section":{"$section":{"$section":null},"Take":0},"Take":1000000}"##,
        r##"{"$section":{"$orderby":{"$section":null,"Take":1000000},"OrderBys":[{"Field":{"#":"Id"}}]},"Take":1000000}"##,
        r##"{"$section":{"$select":{"$section":null,"Take":1000000},"Selects":[{"Value":{"#":"Id"}}]},"Take":1000000}"##,
    ] {
        let answer = app.page(tree).await;
        // 30 rows are there; one that asks for a million has at most a page of them.
        assert!(answer.status == 200 || answer.status == 400, "{tree} {answer:?}");
        if answer.status == 200 {
            assert!(answer.at("/take") == 100 && answer.at("/items").as_array().unwrap().len() <= 100, "{answer:?}");
        }
    }
    let few = app.page(r##"{"$section":{"$section":null,"Take":3},"Take":100}"##).await;
    assert!(few.status == 400 || few.at("/items").as_array().unwrap().len() == 3, "{few:?}");
    let small = App::with(Rules::new().page_sizes(2, 4)).await;
    let answer = small.page(r##"{"$section":{"$section":null,"Take":30},"Take":30}"##).await;
    assert!(answer.status == 400 || answer.at("/items").as_array().unwrap().len() == 4, "{answer:?}");
}

#[tokio::test]
async fn case_17_joins_are_counted_however_they_are_written() {
    let app = App::wide().await;
    let join =
        r##"{"$join":{"$table":"Customer"},"On":{"$":"==","Left":{"#":"CustomerId"},"Right":{"#":"Customer.Id"}}}"##;
    for joins in [1, 200] {
        let joins = vec![join; joins].join(",");
        app.refuses(&format!(r##"{{"$section":{{"$from":{{"$table":"OrderView"}},"Joins":[{joins}]}}}}"##)).await;
    }
    let hop = r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":"##;
    app.refuses(&nested(hop, "}", 10, FILTER)).await;
    let beside = vec![
        r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":">","Left":{"#":"Id"},"Right":0}}"##;
        2_000
    ];
    app.refuses(&format!(r#"{{"$and":[{}]}}"#, beside.join(","))).await;
}

#[tokio::test]
async fn case_18_an_order_is_by_what_it_says() {
    let app = App::new().await;
    let by = async |keys: &[String]| {
        let keys = keys.iter().map(|key| format!(r#"{{"Field":{key}}}"#)).collect::<Vec<_>>().join(",");
        app.page(&format!(r##"{{"$section":{{"$orderby":null,"OrderBys":[{keys}]}},"Take":100}}"##)).await
    };
    let ids = |answer: &crate::support::Answer| -> Vec<i64> {
        let items = answer.at("/items");
        items.as_array().unwrap().iter().map(|order| order["id"].as_i64().unwrap()).collect()
    };
    let by_id = ids(&by(&[r##"{"#":"Id"}"##.to_owned()]).await);
    assert_eq!(by_id.len(), ORDERS);
    // A number is a value, and no column of that number.
    for constant in [r#"{"@":2}"#, "2", r#"{"@":"orderNo"}"#] {
        let answer = by(&[constant.to_owned()]).await;
        assert!(answer.status == 400 || ids(&answer) == by_id, "{constant} {answer:?}");
    }
    let many: Vec<String> =
        (0..50).map(|n| format!(r##"{{"$":"+","Left":{{"#":"Id"}},"Right":{{"@":{n}}}}}"##)).collect();
    let answer = by(&many).await;
    assert!(answer.status == 400 || ids(&answer) == by_id, "{answer:?}");
    let sub = r##"{"$select":{"$table":"Customer"},"Selects":[{"Value":{"#":"Id"}}]}"##;
    assert_eq!(by(&[sub.to_owned()]).await.status, 400);
}

#[tokio::test]
async fn case_19_no_body_is_unpacked() {
    let app = App::with(Rules::new().policy(QueryPolicy::new("OrderView"))).await;
    for encoding in ["gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip", "x-gzip"] {
        let headers =
            [("authorization", "Bearer 1"), ("content-type", "application/json"), ("content-encoding", encoding)];
        let answer = app.send_with("POST /api/Order/page", "\u{1f}\u{8b}", &headers).await;
        assert_eq!(answer.status, 415, "{encoding} {answer:?}");
    }
}
