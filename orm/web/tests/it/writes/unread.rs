//! A column that is written and never read.

use isogloss::config::DataSourceConfig;
use isogloss::dao::DataViewDao;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{EntityEvents, EventContext, async_trait};
use isogloss_web::{Controllers, EntityController as _, Host, Rules};

use crate::support::places;
use crate::support::{Plain, send};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "members", columns = "snake_case")]
struct Member {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 40, writable)]
    name: String,
    #[column(length = 40, writable)]
    town: Option<String>,
    #[column(length = 60, mode = "insert|update")]
    password_hash: String,
    #[column(mode = "insert|update")]
    tries: Option<i32>,
}

/// Sees each row whole.
struct Watches;

#[async_trait]
impl EntityEvents<Member> for Watches {
    async fn on_updating(&self, member: &mut Member, _: &EventContext) -> OrmResult<bool> {
        assert_eq!(member.password_hash, "hash");
        Ok(true)
    }
}

async fn context(config: DataSourceConfig, watched: bool) -> OrmContext {
    let orm = Orm::builder().catalog(Catalog::builder().entity::<Member>().build().unwrap());
    let orm = if watched { orm.entity_events::<Member, _>(|_| Ok(Watches)) } else { orm };
    let context = orm.build().await.unwrap();
    context.add_data_source(config).unwrap();
    context
}

#[tokio::test]
async fn a_column_that_is_not_read_stays_as_it_is() {
    for watched in [false, true] {
        places::each(async |engine, config| {
            let context = context(config, watched).await;
            let session = context.create_session().unwrap();
            let mut members = ["a", "b"].map(|name| Member {
                name: name.into(),
                town: Some("Ulm".into()),
                password_hash: "hash".into(),
                tries: Some(3),
                ..Member::default()
            });
            ObjectDao::new(&session).batch_insert(&mut members).await.unwrap();
            let host = Host::new(&context);
            let typed = Plain::<Member>::new().router(&host).unwrap();
            let dynamic = Controllers::of(Host::new(&context)).defaults(Rules::new().allow_update()).router().unwrap();
            for (api, id) in [(typed, 1), (dynamic, 2)] {
                let body = format!(r#"{{"id":{id},"name":"n{id}"}}"#);
                let answer = send(&api, "PUT /Member", &*body).await;
                assert_eq!((answer.status.as_u16(), &*answer.text), (200, "true"), "{engine} {watched} {id}");
                let names = ["Name", "Town", "PasswordHash", "Tries"];
                let stored = DataViewDao::<Member>::new(&session).search_properties(&names, prop("Id").eq(id)).await;
                let stored = stored.unwrap();
                let row = stored.rows().next().unwrap();
                let name = format!("n{id}");
                assert_eq!(*row, [name.into(), "Ulm".into(), "hash".into(), 3.into()], "{engine} {watched} {id}");
                // None is there.
                assert_eq!(send(&api, "PUT /Member", r#"{"id":9,"name":"n"}"#).await.text, "false");
            }
            context.close();
        })
        .await;
    }
}
