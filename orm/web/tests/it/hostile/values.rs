//! Values that mean something else to an engine, or bring it down.

use crate::hostile::app::{App, ORDERS, problem};
use crate::support::statements;

const ALL: u64 = ORDERS as u64;

#[tokio::test]
async fn case_20_a_text_that_is_looked_for_has_no_signs_of_patterns() {
    let app = App::new().await;
    let total = async |sign: &str, text: &str| {
        let text = serde_json::to_string(text).unwrap();
        app.total(&format!(r##"{{"$":"{sign}","Left":{{"#":"OrderNo"}},"Right":{text}}}"##)).await
    };
    for part in ["%", "_", "[", "]", "\\", "50% _[off]\\", "% _"] {
        assert_eq!(total("contains", part).await, 1, "{part}");
        assert_eq!(total("icontains", part).await, 1, "{part}");
    }
    assert_eq!((total("startswith", "_").await, total("startswith", "A-0%").await), (0, 0));
    assert_eq!((total("endswith", "\\").await, total("endswith", "%").await), (1, 0));
    assert_eq!((total("contains", "").await, total("contains", "'; --").await), (ALL, 0));
    // In a pattern they are signs; one that ends with the sign of escape is a pattern all the same.
    let like = async |pattern: &str| {
        let pattern = serde_json::to_string(pattern).unwrap();
        app.page(&format!(r##"{{"$":"like","Left":{{"#":"OrderNo"}},"Right":{pattern}}}"##)).await
    };
    for pattern in ["%\\", "[a-"] {
        let answer = like(pattern).await;
        assert!([200, 400, 422].contains(&answer.status.as_u16()), "{answer:?}");
    }
    // One that takes an engine for ever is refused before the engine is asked.
    let statements = statements::count();
    for pattern in ["%a".repeat(5_000), "_%".repeat(5_000)] {
        assert_eq!(like(&pattern).await.status, 400);
    }
    assert_eq!(statements.take(), 0);
}

#[tokio::test]
async fn cells_of_csv_are_no_formulas() {
    let app = App::new().await;
    let evil = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "\",=1,\""];
    for text in evil {
        let text = serde_json::to_string(text).unwrap();
        let body = format!(r#"{{"customerId":1,"orderNo":{text},"points":-1}}"#);
        assert_eq!(app.send("POST /api/Order", &body).await.text, "true");
    }
    let headers = [("authorization", "Bearer 1"), ("accept", "text/csv")];
    let csv = app.send_with("GET /api/Order", "", &headers).await;
    assert!(csv.status == 200 && csv.header("content-type").starts_with("text/csv"), "{csv:?}");
    for cell in [
        "'=1+1,-1,",
        "'+1,-1,",
        "'-1,-1,",
        "'@SUM(A1),-1,",
        "'\t=1",
        "'\r=1",
        "'=cmd|' /C calc'!A0,-1,",
        "\"\"\",=1,\"\"\",-1,",
    ] {
        assert!(csv.text.contains(cell), "{cell} {}", csv.text);
    }
}

#[tokio::test]
async fn case_21_regular_expressions_are_not_allowed() {
    let app = App::new().await;
    for sign in ["regexp", "notregexp", "RegexpLike"] {
        let answer = app.refuses(&format!(r##"{{"$":"{sign}","Left":{{"#":"OrderNo"}},"Right":"(a+)+$"}}"##)).await;
        assert_eq!(problem(&answer)["code"], "bad-query");
    }
    app.refuses(r##"{"$":"==","Left":{"$":"func","RegexpReplace":[{"#":"OrderNo"},"(a+)+$",""]},"Right":""}"##).await;
    let long = format!(r##"{{"$":"regexp","Left":{{"#":"OrderNo"}},"Right":"{}"}}"##, "(a+)+".repeat(200_000));
    assert_eq!(app.page(&long).await.status, 413);
}

#[tokio::test]
async fn case_22_what_the_engine_fails_at_is_told_without_its_words_and_tells_of_no_other_row() {
    let app = App::new().await;
    for tree in [
        r##"{"$":"==","Left":{"$":"/","Left":{"#":"Points"},"Right":{"@":0}},"Right":1}"##,
        r##"{"$":"==","Left":{"$":"%","Left":{"#":"Points"},"Right":{"@":0}},"Right":1}"##,
        r##"{"$":"==","Left":{"$":"func","CAST":[{"#":"OrderNo"},"Int32"]},"Right":1}"##,
        r##"{"$":"==","Left":{"$":"func","CAST":[{"#":"OrderNo"},"Date"]},"Right":{"$date":"2024-01-01"}}"##,
        r##"{"$":"==","Left":{"$":"func","AddYears":[{"@":{"$date":"2024-01-01"}},{"@":1000000}]},"Right":{"$date":"2024-01-01"}}"##,
        r##"{"$":"==","Left":{"$":"func","Round":[{"#":"Points"},{"@":1000000000}]},"Right":1}"##,
        r##"{"$":"==","Left":{"$":"func","Substring":[{"#":"OrderNo"},{"@":-5},{"@":-9223372036854775808}]},"Right":"x"}"##,
        r##"{"$":"<","Left":{"$":"*","Left":{"#":"Points"},"Right":{"@":9223372036854775807}},"Right":0}"##,
        r##"{"$":"==","Left":{"#":"OrderNo"},"Right":{"@":"a\u0000b"}}"##,
        r##"{"$":"==","Left":{"#":"OrderNo"},"Right":{"@":{"$json":"{"}}}"##,
        r##"{"$":"==","Left":{"#":"Id"},"Right":{"@":{"a":1}}}"##,
        r##"{"$":"==","Left":{"#":"Id"},"Right":{"@":"x"}}"##,
    ] {
        let answer = app.page(tree).await;
        assert!([200, 400, 422].contains(&answer.status.as_u16()), "{tree} {answer:?}");
    }
    // A row of the second tenant has points whose size is no number of 64 bits.
    let size = r##"{"$":">=","Left":{"$":"func","Abs":[{"#":"Points"}]},"Right":0}"##;
    assert_eq!(app.total(size).await, ALL);
    let own = app.send_as(2, "POST /api/Order/page", size).await;
    assert_eq!(own.status, 422, "{own:?}");
    assert_eq!(problem(&own)["code"], "bad-value", "{own:?}");
}

#[tokio::test]
async fn case_23_numbers_keep_their_digits_or_are_refused() {
    let app = App::new().await;
    let equal = |number: &str| format!(r##"{{"$":"==","Left":{{"#":"Points"}},"Right":{number}}}"##);
    let answer = app.page(&equal("9007199254740993")).await;
    assert!(answer.at("/total") == 1 && answer.text.contains(r#""points":9007199254740993,"#), "{answer:?}");
    for other in ["9007199254740992", "9007199254740994", "-0", "0"] {
        assert_eq!(app.total(&equal(other)).await, 0, "{other}");
    }
    assert_eq!(app.total(&equal("5.0")).await, 1);
    for bad in [
        "18446744073709551615",
        "5.5",
        "1e400",
        "-1e400",
        "1e999999999",
        "01",
        "+1",
        "0x10",
        "NaN",
        "Infinity",
        "1.",
        ".5",
        "--1",
    ] {
        app.refuses(&equal(bad)).await;
    }
    for long in ["1234567890123456789012345678901234567890", "0.1234567890123456789012345678901234567890"] {
        let answer = app.page(&equal(long)).await;
        assert!(answer.status == 400 || answer.at("/total") == 0, "{long} {answer:?}");
    }
}

#[tokio::test]
async fn case_24_functions_that_do_something_are_not_on_the_list() {
    let app = App::new().await;
    for function in [
        "pg_sleep",
        "sleep",
        "benchmark",
        "waitfor",
        "load_file",
        "load_extension",
        "readfile",
        "version",
        "sqlite_version",
        "user",
        "current_user",
        "session_user",
        "database",
        "pg_read_file",
        "xp_cmdshell",
        "dbms_lock.sleep",
        "randomblob",
        "zeroblob",
        "Repeat",
        "Replicate",
        "PadLeft",
        "PadRight",
        "Replace",
        "Space",
        "Format",
        "JsonValue",
        "StringAgg",
        "Random",
        "Nosuch",
        "Upper(1);--",
        "Upper ",
        "",
    ] {
        let name = serde_json::to_string(function).unwrap();
        app.refuses(&format!(
            r##"{{"$":"==","Left":{{"$":"func",{name}:[{{"#":"OrderNo"}},{{"@":1000000000}}]}},"Right":"x"}}"##
        ))
        .await;
    }
    // Texts of texts grow no longer than they may.
    let mut text = r##"{"#":"OrderNo"}"##.to_owned();
    for _ in 0..12 {
        text = format!(r#"{{"$":"func","Concat":[{text},{text}]}}"#);
    }
    app.refuses(&format!(r#"{{"$":"==","Left":{text},"Right":"x"}}"#)).await;
}
