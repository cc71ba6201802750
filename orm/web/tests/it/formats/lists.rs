//! The forms of a list.

use axum::Router;
use isogloss_web::Rules;

use super::items::{Item, api, item, stored};
use crate::support::{Answer, send_as};

async fn list(api: &Router, accept: &str) -> Answer {
    send_as(api, "GET /Item", None, &[("accept", accept)]).await
}

/// Items with texts that mean something elsewhere.
async fn texts(names: &[Option<&str>], rules: Rules) -> Router {
    let items = (1..).zip(names).map(|(id, name)| Item { name: name.map(str::to_owned), rank: Some(-1), ..item(id) });
    api(&stored(items).await, rules)
}

#[tokio::test]
async fn b3_json_unless_another_form_is_asked_for() {
    let api = api(&stored((1..=3).map(item)).await, Rules::new());
    for accept in ["*/*", "application/json", "text/csv;q=0.5, application/json", "text/html, */*;q=0.1", ""] {
        let answer = list(&api, accept).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"), "{accept}");
        assert!(answer.headers.get_all("vary").iter().any(|header| header == "Accept"));
        assert_eq!(answer.header("x-max-rows"), "1000");
        assert_eq!(answer.json().as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn e_a_form_that_there_is_not_is_a_406() {
    let api = api(&stored([]).await, Rules::new());
    let answer = list(&api, "application/xml").await;
    assert_eq!((answer.status.as_u16(), answer.at("/type")), (406, "/problems/not-acceptable".into()));
    assert!(answer.headers.get_all("vary").iter().any(|header| header == "Accept"));
    assert!(
        answer
            .at("/detail")
            .as_str()
            .unwrap()
            .starts_with("Accept one of application/json, application/x-ndjson, text/csv")
    );
}

#[tokio::test]
async fn e_ndjson_has_a_line_for_each_row() {
    let api = texts(&[Some("two\nlines"), None], Rules::new()).await;
    let answer = list(&api, "application/x-ndjson").await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    assert_eq!(
        answer.text,
        "{\"id\":1,\"tenantId\":1,\"rank\":-1,\"name\":\"two\\nlines\",\"price\":1,\"weight\":0.5}\n\
         {\"id\":2,\"tenantId\":1,\"rank\":-1,\"name\":null,\"price\":2,\"weight\":0.5}\n"
    );
    let ended = texts(&[None, None], Rules::new().ndjson_end()).await;
    assert_eq!(list(&ended, "application/x-ndjson").await.text.lines().last(), Some(r#"{"$end":{"rows":2}}"#));
    let empty = texts(&[], Rules::new()).await;
    assert_eq!(list(&empty, "application/x-ndjson").await.text, "");
}

#[tokio::test]
async fn e_csv_is_that_of_rfc_4180() {
    let api = texts(&[Some("a \"b\", c"), Some("two\r\nlines"), None, Some("")], Rules::new()).await;
    let answer = list(&api, "text/csv").await;
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(
        answer.text,
        "id,tenantId,rank,name,price,weight\r\n\
         1,1,-1,\"a \"\"b\"\", c\",1,0.5\r\n\
         2,1,-1,\"two\r\nlines\",2,0.5\r\n\
         3,1,-1,,3,0.5\r\n\
         4,1,-1,,4,0.5\r\n"
    );
    let empty = texts(&[], Rules::new()).await;
    assert_eq!(list(&empty, "text/csv").await.text, "id,tenantId,rank,name,price,weight\r\n");
}

#[tokio::test]
async fn e_csv_has_no_formulas() {
    let formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x"];
    let names: Vec<Option<&str>> = formulas.iter().map(|name| Some(*name)).collect();
    let guarded = list(&texts(&names, Rules::new()).await, "text/csv").await.text;
    let raw = list(&texts(&names, Rules::new().raw_csv()).await, "text/csv").await.text;
    for (id, formula) in (1..).zip(formulas) {
        let quoted = |text: &str| if text.contains(['\r', '\n']) { format!("\"{text}\"") } else { text.to_owned() };
        let row = |name: &str| format!("\r\n{id},1,-1,{},", quoted(name));
        assert!(guarded.contains(&row(&format!("'{formula}"))), "{formula}: {guarded}");
        assert!(raw.contains(&row(formula)), "{formula}: {raw}");
    }
    // A negative number is no text.
    assert!(guarded.contains("\r\n1,1,-1,"), "{guarded}");
}

#[cfg(feature = "arrow")]
#[tokio::test]
async fn e_arrow_is_a_stream_of_batches() {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt as _;

    let api = api(&stored((1..=1_500).map(item)).await, Rules::new().max_list(None));
    let request = Request::get("/Item").header("accept", "application/vnd.apache.arrow.stream").body(Body::empty());
    let response = api.oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/vnd.apache.arrow.stream");
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let stream = arrow_ipc::reader::StreamReader::try_new(&*bytes, None).unwrap();
    let schema = stream.schema();
    let fields: Vec<String> =
        schema.fields().iter().map(|field| format!("{} {}", field.name(), field.data_type())).collect();
    assert_eq!(
        fields,
        ["id Int64", "tenantId Int32", "rank Int32", "name Utf8", "price Decimal128(38, 2)", "weight Float64"]
    );
    let batches: Vec<_> = stream.map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [1024, 476]);
    let last = &batches[1].slice(474, 2);
    let shown = |column: usize| format!("{:?}", last.column(column)).split_whitespace().collect::<String>();
    assert!(shown(0).ends_with("[1499,1500,]"), "{}", shown(0));
    assert!(shown(2).ends_with("[2,null,]"), "{}", shown(2));
    assert!(shown(3).ends_with(r#"["item1",null,]"#), "{}", shown(3));
}
