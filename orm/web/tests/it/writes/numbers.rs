//! Numbers that are read as they were written.

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_web::{EntityController as _, Host};

use crate::support::places;
use crate::support::{Plain, send, send_as};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "readings")]
struct Reading {
    #[column(primary_key, identity)]
    id: i64,
    #[column(writable)]
    single: Option<f32>,
    #[column(writable)]
    double: Option<f64>,
    #[column(precision = 28, scale = 8, writable)]
    exact: Option<Decimal>,
}

fn open(config: DataSourceConfig) -> (OrmContext, Router) {
    let context = OrmContext::new(Catalog::builder().entity::<Reading>().build().unwrap());
    context.add_data_source(config).unwrap();
    let api = Plain::<Reading>::new().router(&Host::new(&context)).unwrap();
    (context, api)
}

/// D.5 case 23
#[tokio::test]
async fn floats_have_the_digits_of_their_width() {
    places::each(async |engine, config| {
        let (context, api) = open(config);
        let post = r#"{"single":0.1,"double":0.1}"#;
        assert_eq!(send(&api, "POST /Reading", post).await.text, "true", "{engine}");
        let row = r#"{"id":1,"single":0.1,"double":0.1,"exact":null}"#;
        assert_eq!(send(&api, "GET /Reading/1", None).await.text, row, "{engine}");
        assert_eq!(send(&api, "GET /Reading", None).await.text, format!("[{row}]"), "{engine}");
        let csv = send_as(&api, "GET /Reading", None, &[("accept", "text/csv")]).await;
        assert_eq!(csv.text, "id,single,double,exact\r\n1,0.1,0.1,\r\n", "{engine}");
        context.close();
    })
    .await;
}

/// D.5 case 23
#[tokio::test]
async fn decimals_have_all_digits_or_are_refused() {
    places::each(async |engine, config| {
        let (context, api) = open(config);
        let post = async |exact: &str| send(&api, "POST /Reading", &*format!(r#"{{"exact":{exact}}}"#)).await;
        assert_eq!(post("1234567890123.5").await.text, "true", "{engine}");
        let long = "12345678901234567890.12345678";
        let answer = post(long).await;
        if engine == "sqlite" {
            assert_eq!((answer.status.as_u16(), answer.at("/path")), (422, "$.exact".into()), "{answer:?}");
            assert_eq!(answer.at("/errors/0/code"), "too-precise");
            let put = send(&api, "PUT /Reading", &*format!(r#"{{"id":1,"exact":"{long}"}}"#)).await;
            assert_eq!((put.status.as_u16(), put.at("/path")), (422, "$.exact".into()), "{put:?}");
        } else {
            assert_eq!(answer.text, "true", "{engine}");
            let found = send(&api, "GET /Reading/2", None).await;
            assert!(found.text.contains(&format!("\"exact\":{long}}}")), "{engine} {}", found.text);
        }
        context.close();
    })
    .await;
}
