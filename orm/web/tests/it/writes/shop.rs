//! Articles and their lines, each of a tenant, as an API.

use std::future::Future;

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::{Decimal, Value};
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{EntityEvents, EventContext, async_trait};
use isogloss::session::Purpose;
use isogloss_web::{EntityController, Host, Problem, ProblemKind, Rules};

use crate::support::places;
use crate::support::{Answer, Plain, send_as};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
pub(crate) enum State {
    #[default]
    Draft = 1,
    Live = 2,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "articles", columns = "snake_case")]
pub(crate) struct Article {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    pub(crate) owner_id: i64,
    #[column(length = 20, unique, writable)]
    pub(crate) code: String,
    #[column(length = 200, writable)]
    pub(crate) title: Option<String>,
    #[column(precision = 12, scale = 2, writable)]
    pub(crate) price: Decimal,
    #[column(writable)]
    pub(crate) stock: Option<i64>,
    #[column(writable)]
    pub(crate) state: State,
    #[column(length = 40, not_filterable, writable)]
    pub(crate) secret: Option<String>,
    #[column(timestamp)]
    pub(crate) version: i64,
}

/// Its key is the client's to choose.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "article_lines", columns = "snake_case", sync_table = "Never")]
pub(crate) struct Line {
    #[column(primary_key, length = 20, writable)]
    pub(crate) no: String,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[foreign(Article)]
    #[column(writable)]
    pub(crate) article_id: i64,
    #[column(length = 20, writable)]
    pub(crate) place: Option<String>,
    #[column(writable)]
    pub(crate) qty: i32,
    #[column(timestamp)]
    pub(crate) version: i64,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Line)]
pub(crate) struct LineView {
    pub(crate) line: Line,
    #[foreign_column(Article, property = code)]
    pub(crate) article_code: Option<String>,
}

/// An entity without a version.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
pub(crate) struct Note {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 100, writable)]
    pub(crate) text: String,
}

struct Lines;

impl EntityController for Lines {
    type Entity = Line;
    type View = LineView;

    fn rules(&self) -> Rules {
        Rules::new().allow_writes()
    }
}

/// The program gives the owner, and lets no article be written whose title is `veto`, nor the one with the id 2 be deleted.
struct Wishes;

#[async_trait]
impl EntityEvents<Article> for Wishes {
    async fn on_inserting(&self, article: &mut Article, _: &EventContext) -> OrmResult<bool> {
        article.owner_id = 42;
        Ok(article.title.as_deref() != Some("veto"))
    }

    async fn on_updating(&self, article: &mut Article, _: &EventContext) -> OrmResult<bool> {
        Ok(article.title.as_deref() != Some("veto"))
    }

    async fn on_delete_iding(&self, key: &[Value], _: &EventContext) -> OrmResult<bool> {
        Ok(*key != [Value::from(2)])
    }
}

const LINES: &str = "CREATE TABLE article_lines (
    no VARCHAR(20) NOT NULL PRIMARY KEY,
    tenant_id INT NULL,
    article_id BIGINT NOT NULL,
    place VARCHAR(20) NULL,
    qty INT NOT NULL,
    version BIGINT NOT NULL,
    CONSTRAINT article_lines_article FOREIGN KEY (article_id) REFERENCES articles (id),
    CONSTRAINT article_lines_qty CHECK (qty > 0),
    UNIQUE (tenant_id, place)
)";

/// A tenant that sees drafts only.
const DRAFTS: i32 = 9;

/// An API on an empty database.
pub(crate) struct Shop {
    pub(crate) engine: &'static str,
    pub(crate) api: Router,
    pub(crate) context: OrmContext,
}

/// Runs a test on every engine.
pub(crate) async fn each<F: Future<Output = Shop>>(test: impl Fn(Shop) -> F) {
    places::each(async |engine, config| {
        let shop = test(Shop::open(engine, config).await).await;
        shop.context.close();
    })
    .await;
}

impl Shop {
    /// One in memory.
    pub(crate) async fn new() -> Self {
        Self::open("sqlite", DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).await
    }

    async fn open(engine: &'static str, config: DataSourceConfig) -> Self {
        let catalog = Catalog::builder().entity::<Article>().entity::<Line>().entity::<LineView>().entity::<Note>();
        let context = Orm::builder().catalog(catalog.build().unwrap());
        let context = context.entity_events::<Article, _>(|_| Ok(Wishes)).build().await.unwrap();
        context.add_data_source(config).unwrap();
        context.sync_table("Article", [""; 0]).await.unwrap();
        let session = context.create_session().unwrap();
        session.lease(None, Purpose::Write).await.unwrap().script(LINES).await.unwrap();
        // `Bearer 7` is somebody of tenant 7.
        let host = Host::new(&context).scope(|head, _| {
            let token =
                head.headers.get("authorization").and_then(|token| token.to_str().ok()?.strip_prefix("Bearer "));
            let tenant = token.and_then(|token| token.parse::<i32>().ok());
            let tenant = tenant.ok_or_else(|| Problem::of(ProblemKind::Unauthenticated))?;
            let scope = Scope::new().column("TenantId", tenant);
            Ok(if tenant == DRAFTS { scope.filter_of("Article", prop("State").eq(1)) } else { scope })
        });
        let routes = Plain::<Article>::by(Rules::new().allow_writes().filled(["OwnerId"]))
            .router(&host)
            .unwrap()
            .merge(Lines.router(&host).unwrap())
            .merge(Plain::<Note>::new().router(&host).unwrap());
        Self { engine, api: Router::new().nest("/api", routes), context }
    }

    /// Sends a request of tenant 1.
    pub(crate) async fn send(&self, request: &str, body: impl Into<Option<&str>>) -> Answer {
        self.send_with(request, body, &[]).await
    }

    pub(crate) async fn send_with(
        &self,
        request: &str,
        body: impl Into<Option<&str>>,
        headers: &[(&str, &str)],
    ) -> Answer {
        self.send_of("1", request, body.into(), headers).await
    }

    /// Sends a request of a tenant.
    pub(crate) async fn send_of(
        &self,
        tenant: &str,
        request: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let token = format!("Bearer {tenant}");
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([("authorization", &*token)]).collect();
        send_as(&self.api, request, body, &headers).await
    }

    /// Inserts an article with that code, and says what its id is.
    pub(crate) async fn article(&self, code: &str) -> String {
        let body = format!(r#"{{"code":"{code}","price":1.5,"state":"Draft"}}"#);
        let answer = self.send("POST /api/Article", &*body).await;
        assert_eq!((answer.status.as_u16(), &*answer.text), (200, "true"), "{answer:?}");
        answer.header("location").rsplit('/').next().unwrap().to_owned()
    }

    /// An article as it is stored.
    pub(crate) async fn stored(&self, id: &str) -> Option<Article> {
        let session = self.context.create_session().unwrap();
        ObjectViewDao::<Article>::new(&session).get(id.parse::<i64>().unwrap()).await.unwrap()
    }
}
