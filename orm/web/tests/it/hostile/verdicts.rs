//! The same value has the same verdict on every engine.

use axum::Router;
use isogloss::chrono::{NaiveDate, NaiveDateTime};
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::walk::QueryPolicy;
use isogloss_web::{EntityController as _, Host, Rules};

use crate::support::{Answer, Plain, places, send};

/// A column of each family.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "things", columns = "snake_case")]
struct Thing {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100, writable)]
    name: String,
    #[column(precision = 12, scale = 2, writable)]
    price: Decimal,
    #[column(writable)]
    small: i32,
    #[column(writable)]
    big: i64,
    #[column(writable)]
    ratio: f64,
    #[column(writable)]
    at: NaiveDateTime,
    #[column(writable)]
    day: NaiveDate,
    #[column(length = 100, writable)]
    data: Vec<u8>,
}

async fn served(config: DataSourceConfig) -> (OrmContext, Router) {
    let context = OrmContext::new(Catalog::builder().entity::<Thing>().build().unwrap());
    context.add_data_source(config).unwrap();
    let session = context.create_session().unwrap();
    let thing = |number: i64| Thing {
        name: format!("thing {number}"),
        price: Decimal::from(number),
        small: i32::try_from(number).unwrap(),
        big: i64::MAX - number,
        ratio: 0.5,
        at: "2024-02-29T12:00:00".parse().unwrap(),
        day: "2024-02-29".parse().unwrap(),
        data: vec![1, 2, 255],
        ..Thing::default()
    };
    let mut things: Vec<Thing> = (1..=3).map(thing).collect();
    ObjectDao::<Thing>::new(&session).batch_insert(&mut things).await.unwrap();
    let policy = QueryPolicy::new("Thing").allow_functions(["Concat", "AddDays", "AddYears", "Length"]);
    let rules = Rules::new().query_string().policy(policy);
    (context.clone(), Plain::<Thing>::by(rules).router(&Host::new(&context)).unwrap())
}

/// What a client is told: the status, the number of rows, and of a problem its code.
fn verdict(answer: &Answer) -> String {
    match answer.status.as_u16() {
        200 => format!("200 {}", answer.at("/total")),
        status => format!("{status} {}", answer.at("/code").as_str().unwrap_or("bad-json")),
    }
}

fn compare(sign: &str, left: &str, right: &str) -> String {
    format!(r##"{{"$":"{sign}","Left":{left},"Right":{right}}}"##)
}

fn func(name: &str, args: &str) -> String {
    format!(r##"{{"$":"func","{name}":[{args}]}}"##)
}

fn prop_of(name: &str) -> String {
    format!(r##"{{"#":"{name}"}}"##)
}

/// Trees with values that engines take differently, each with what is answered.
fn trees() -> Vec<(String, &'static str)> {
    let (name, at, day) = (prop_of("Name"), prop_of("At"), prop_of("Day"));
    let refused = "400 bad-query";
    let mut trees = Vec::new();
    for column in ["Small", "Big"] {
        for number in ["9223372036854775808", "18446744073709551616", "1e30"] {
            trees.push((compare(">", &prop_of(column), number), refused));
        }
        // No whole number is equal to a fraction, but some are greater.
        trees.push((compare("==", &prop_of(column), "1.5"), refused));
    }
    trees.push((compare(">", &prop_of("Small"), "1.5"), "200 2"));
    trees.push((compare(">", &prop_of("Big"), "1.5"), "200 3"));
    let nul = r#"{"@":"a\u0000b"}"#;
    trees.push((compare("==", &name, nul), refused));
    trees.push((compare("contains", &name, nul), refused));
    trees.push((compare("in", &name, r#"["a\u0000b","x"]"#), refused));
    trees.push((compare("==", &func("Concat", &format!("{name},{nul}")), r#"{"@":"x"}"#), refused));
    for (date, expected) in [
        ("0000-01-01", refused),
        ("-0001-01-01", refused),
        ("0001-01-01", "200 3"),
        ("9999-12-31", "200 0"),
        ("0000-00-00", "400 bad-json"),
    ] {
        trees.push((compare(">", &day, &format!(r#"{{"@":{{"$date":"{date}"}}}}"#)), expected));
        trees.push((compare(">", &at, &format!(r#"{{"@":{{"$datetime":"{date}T00:00:00"}}}}"#)), expected));
    }
    for to in ["Int32", "Int64", "Double", "Date", "DateTime", "Boolean"] {
        trees.push((compare("!=", &func("CAST", &format!(r#"{{"@":"abc"}},"{to}""#)), "null"), refused));
    }
    for span in ["1000000000000", "-1000000000000", "9223372036854775807", "-9223372036854775808", "3652059"] {
        for (function, column) in [("AddDays", &at), ("AddDays", &day), ("AddYears", &at)] {
            trees.push((compare("!=", &func(function, &format!("{column},{{\"@\":{span}}}")), "null"), refused));
        }
    }
    trees.push((compare("!=", &func("AddDays", &format!(r#"{at},{{"@":2900000}}"#)), "null"), "200 3"));
    for (left, right) in [(prop_of("Data"), r#"{"@":"x"}"#.to_owned()), (name.clone(), prop_of("Data"))] {
        trees.push((compare("==", &func("Concat", &format!("{left},{right}")), r#"{"@":"x"}"#), refused));
        let joined = format!(r#"{{"$":"||","Left":{left},"Right":{right}}}"#);
        trees.push((compare("==", &joined, r#"{"@":"x"}"#), refused));
    }
    let bytes = func("Concat", &format!(r#"{name},{{"@":{{"$bytes":"AQL/"}}}}"#));
    trees.push((compare("==", &bytes, r#"{"@":"x"}"#), refused));
    for sign in ["+", "*"] {
        let most = r#"{"@":9223372036854775807}"#;
        let computed = format!(r#"{{"$":"{sign}","Left":{most},"Right":{most}}}"#);
        trees.push((compare(">", &prop_of("Big"), &computed), refused));
    }
    trees.push((compare("<", r#"{"$":"unary","Nagive":{"@":-9223372036854775808}}"#, &prop_of("Big")), refused));
    trees
}

#[tokio::test]
async fn what_is_known_of_a_value_has_one_verdict() {
    places::each(async |engine, config| {
        let (context, api) = served(config).await;
        for (tree, expected) in trees() {
            let answer = send(&api, "POST /Thing/page", &*tree).await;
            assert_eq!(verdict(&answer), expected, "{engine} {tree} {}", answer.text);
        }
        // A list's conditions and a keyword are asked the same.
        for request in ["GET /Thing?name=a%00b", "GET /Thing?name=%25a%00b", "GET /Thing/count?keyword=a%00b"] {
            let answer = send(&api, request, None).await;
            assert_eq!(answer.status, 400, "{engine} {request} {}", answer.text);
        }
        context.close();
    })
    .await;
}
