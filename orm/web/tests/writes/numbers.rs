//! Numbers that are read as they were written.

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_web::{EntityController as _, Host};

use crate::places;
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
}

fn open(config: DataSourceConfig) -> (OrmContext, Router) {
    let context = OrmContext::new(Catalog::builder().entity::<Reading>().build().unwrap());
    context.add_data_source(config, true).unwrap();
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
        let row = r#"{"id":1,"single":0.1,"double":0.1}"#;
        assert_eq!(send(&api, "GET /Reading/1", None).await.text, row, "{engine}");
        assert_eq!(send(&api, "GET /Reading", None).await.text, format!("[{row}]"), "{engine}");
        let csv = send_as(&api, "GET /Reading", None, &[("accept", "text/csv")]).await;
        assert_eq!(csv.text, "id,single,double\r\n1,0.1,0.1\r\n", "{engine}");
        context.close();
    })
    .await;
}
