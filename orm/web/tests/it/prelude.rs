//! The prelude beside the names of axum: none that a handler writes is ambiguous.

use std::sync::Arc;

use axum::extract::*;
use axum::response::*;
use axum::routing::*;
use axum::*;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use tower::ServiceExt as _;

// Other tests register a `Note`.
#[derive(Debug, Clone, Default, Entity)]
#[table(register = false)]
struct Note {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100)]
    text: String,
}

/// `Json`, `State`, `Query`, `Path` and `Form` are axum's, `Session`, `OrmContext` and the data access objects ours.
async fn add(State(context): State<Arc<OrmContext>>, Json(text): Json<String>) -> Result<Json<i64>, String> {
    let session: Session = context.create_session().map_err(|error| error.to_string())?;
    let mut note = Note { text, ..Note::default() };
    ObjectDao::new(&session).insert(&mut note).await.map_err(|error| error.to_string())?;
    Ok(Json(note.id))
}

async fn find(
    State(context): State<Arc<OrmContext>>,
    Path(id): Path<i64>,
    request: Request,
) -> Result<Response, String> {
    assert_eq!(request.method(), "GET");
    let session = context.create_session().map_err(|error| error.to_string())?;
    let query = query!(|n: Note| n.filter(n.id == id));
    let notes = ObjectViewDao::<Note>::new(&session).search(query).all().await.map_err(|error| error.to_string())?;
    Ok(Json(notes.into_iter().map(|note| note.text).collect::<Vec<_>>()).into_response())
}

#[tokio::test]
async fn no_name_of_a_handler_is_ambiguous() {
    let context = OrmContext::new(Catalog::builder().entity::<Note>().build().unwrap());
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    let routes = Router::new().route("/", post(add)).route("/{id}", get(find)).with_state(Arc::new(context));

    let ask = async |request: http::request::Builder, text: &'static str| {
        let request = request.header("content-type", "application/json").body(body::Body::from(text)).unwrap();
        let answer = routes.clone().oneshot(request).await.unwrap();
        String::from_utf8(body::to_bytes(answer.into_body(), 1_000).await.unwrap().to_vec()).unwrap()
    };
    assert_eq!(ask(http::Request::post("/"), r#""Hi!""#).await, "1");
    assert_eq!(ask(http::Request::get("/1"), "").await, r#"["Hi!"]"#);
}
