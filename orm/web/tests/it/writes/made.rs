//! Rows whose version the database makes.

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss_web::{EntityController as _, Host};

use crate::support::places;
use crate::support::{Plain, send_as};

/// The scope holds the only column that an UPDATE may set.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "made", columns = "snake_case", sync_table = "Never")]
struct Scoped {
    #[column(primary_key, length = 20, writable)]
    no: String,
    tenant_id: i32,
    #[column(timestamp, mode = "read")]
    version: i64,
}

/// The fixed filter does.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "made", columns = "snake_case", sync_table = "Never", fixed_filter = prop("Kind").eq(1))]
struct Fixed {
    #[column(primary_key, length = 20, writable)]
    no: String,
    kind: i32,
    #[column(timestamp, mode = "read")]
    version: i64,
}

/// There is none.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "made", columns = "snake_case", sync_table = "Never")]
struct Bare {
    #[column(primary_key, length = 20, writable)]
    no: String,
    #[column(timestamp, mode = "read")]
    version: i64,
}

const MADE: &str = "CREATE TABLE made (
    no VARCHAR(20) NOT NULL PRIMARY KEY,
    tenant_id INT DEFAULT 1 NOT NULL,
    kind INT DEFAULT 1 NOT NULL,
    version BIGINT DEFAULT 7 NOT NULL
);
INSERT INTO made (no) VALUES ('Scoped');
INSERT INTO made (no) VALUES ('Fixed');
INSERT INTO made (no) VALUES ('Bare');
INSERT INTO made (no, tenant_id) VALUES ('other', 2)";

async fn served(config: DataSourceConfig) -> (OrmContext, Router) {
    let catalog = Catalog::builder().entity::<Scoped>().entity::<Fixed>().entity::<Bare>().build().unwrap();
    let context = OrmContext::new(catalog);
    context.add_data_source(config).unwrap();
    let session = context.create_session().unwrap();
    session.lease(None, Purpose::Write).await.unwrap().script(MADE).await.unwrap();
    let tenant = Host::new(&context).scope(|_, _| Ok(Scope::new().column("TenantId", 1)));
    let routes = Plain::<Scoped>::new().router(&tenant).unwrap();
    let host = Host::new(&context);
    let routes = routes.merge(Plain::<Fixed>::new().router(&host).unwrap());
    (context, routes.merge(Plain::<Bare>::new().router(&host).unwrap()))
}

#[tokio::test]
async fn a_row_of_a_version_that_the_database_makes_is_deleted_in_that_one() {
    places::each(async |engine, config| {
        let (context, api) = served(config).await;
        let delete = async |path: &str, tag: &str| {
            let answer = send_as(&api, &format!("DELETE /{path}"), None, &[("if-match", tag)]).await;
            (answer.status.as_u16(), if answer.status == 200 { answer.text } else { String::new() })
        };
        for name in ["Scoped", "Fixed", "Bare"] {
            let path = format!("{name}/{name}");
            assert_eq!(delete(&path, "\"6\"").await, (412, String::new()), "{engine} {name}");
            assert_eq!(delete(&path, "\"7\"").await, (200, "true".into()), "{engine} {name}");
            assert_eq!(delete(&path, "\"7\"").await, (412, String::new()), "{engine} {name}");
        }
        // A row of somebody else is not there.
        assert_eq!(delete("Scoped/other", "\"7\"").await, (412, String::new()), "{engine}");
        assert_eq!(delete("Bare/other", "\"7\"").await, (200, "true".into()), "{engine}");
        context.close();
    })
    .await;
}
