//! Tables as a database has them that nobody made for this library: their texts compare without case, some in a character
//! set that lacks characters.

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::dao::ObjectViewDao;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;

use super::engines::{Place, each_place};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tracks", columns = "snake_case")]
struct Track {
    #[column(primary_key)]
    id: i32,
    #[column(length = 50)]
    genre: String,
    #[column(length = 50)]
    title: String,
}

/// The same table, with one column by code points.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tracks", columns = "snake_case")]
struct Half {
    #[column(primary_key)]
    id: i32,
    #[column(length = 50, text = "exact")]
    genre: String,
    #[column(length = 50)]
    title: String,
}

const ROWS: &str =
    "INSERT INTO tracks VALUES (1, 'Jazz', 'Blue'), (2, 'jazz', 'blue'), (3, 'JAZZ', 'a'), (4, 'Rock', 'B')";

fn tables(provider: &str) -> &'static str {
    match provider {
        "sqlite" => {
            "CREATE TABLE tracks (id INTEGER PRIMARY KEY, genre VARCHAR(50) COLLATE NOCASE NOT NULL, \
             title VARCHAR(50) COLLATE NOCASE NOT NULL)"
        }
        "postgres" => {
            "CREATE EXTENSION IF NOT EXISTS citext; \
             CREATE TABLE tracks (id int PRIMARY KEY, genre citext NOT NULL, title citext NOT NULL)"
        }
        _ => {
            "CREATE TABLE tracks (id INT PRIMARY KEY, \
             genre VARCHAR(50) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci NOT NULL, \
             title VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL, INDEX (genre), INDEX (title))"
        }
    }
}

fn catalog() -> Catalog {
    Catalog::builder().entity::<Track>().entity::<Half>().build().unwrap()
}

async fn context(place: &Place, mode: TextMode) -> OrmContext {
    let context = OrmContext::new(catalog());
    let source = DataSourceConfig::new("main", place.provider, &place.url).text(mode);
    context.add_data_source(source, true).unwrap();
    context
}

async fn fill(place: &Place) {
    let context = context(place, TextMode::Database).await;
    let backend = context.data_source(None).unwrap().backend().await.unwrap();
    let mut connection = backend.connect().await.unwrap();
    connection.script(tables(place.provider)).await.unwrap();
    connection.script(ROWS).await.unwrap();
    drop(connection);
    context.close();
}

#[tokio::test]
async fn a_source_compares_texts_by_code_points_if_it_says_so() {
    each_place(async |place: Place| {
        fill(&place).await;
        let context = context(&place, TextMode::Exact).await;
        let session = context.create_session().unwrap();
        let tracks = ObjectViewDao::<Track>::new(&session);
        let ids = async |query: SqlSegment| {
            let found = tracks.search(query).to_list().await.unwrap();
            found.into_iter().map(|track| track.id).collect::<Vec<_>>()
        };
        let by = |filter: LogicExpr| from("Track").filter(filter).order_by(["Id"]);
        for (filter, expected) in [
            (prop("Genre").eq("jazz"), vec![2]),
            (prop("Title").eq("blue"), vec![2]),
            (prop("Genre").ne("jazz"), vec![1, 3, 4]),
            (prop("Genre").in_list(["jazz", "ROCK"]), vec![2]),
            (prop("Title").not_in_list(["blue", "b"]), vec![1, 3, 4]),
            (prop("Genre").like("jaz%"), vec![2]),
            (prop("Genre").starts_with("Ja"), vec![1]),
            (prop("Title").contains("LU"), vec![]),
            (prop("Genre").lt("Rock"), vec![1, 3]),
            // A character that the column's character set lacks: no row has it.
            (prop("Genre").eq("ja\u{1F600}"), vec![]),
            (prop("Title").eq("bl\u{1F600}e"), vec![]),
            (prop("Title").in_list(["\u{1F600}", "blue"]), vec![2]),
            (prop("Title").contains("\u{1F600}"), vec![]),
        ] {
            assert_eq!(ids(by(filter.clone())).await, expected, "{filter:?} on {}", place.provider);
        }
        let sorted = from("Track").order_by([prop("Title").asc()]);
        assert_eq!(ids(sorted).await, [4, 1, 3, 2], "{}", place.provider);
        assert_eq!(tracks.count(prop("Genre").eq("jazz")).await.unwrap(), 1);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn a_column_can_say_so_by_itself() {
    each_place(async |place: Place| {
        fill(&place).await;
        let context = context(&place, TextMode::Database).await;
        let target = context.data_source(None).unwrap().target().await.unwrap();
        let by = |filter: LogicExpr| from("Half").filter(filter).select(["Id"]).into_segment();
        let notes = |query: &SqlSegment| {
            let compiled = target.compile(query).unwrap();
            compiled.notes.iter().map(|note| note.rule.name()).collect::<Vec<_>>()
        };
        assert_eq!(notes(&by(prop("Genre").eq("jazz"))), ["exact_text"]);
        // The engine has said what it compares by.
        assert_eq!(notes(&by(prop("Title").eq("blue"))), ["database_text"]);
        assert_eq!(notes(&by(prop("Id").eq(1))), [] as [&str; 0]);
        let session = context.create_session().unwrap();
        let half = ObjectViewDao::<Half>::new(&session);
        assert_eq!(half.count(prop("Genre").eq("jazz")).await.unwrap(), 1);
        assert_eq!(half.count(prop("Title").eq("blue")).await.unwrap(), 2);
        context.close();
    })
    .await;
}

/// The comparison by the collation stands beside the exact one, in the column's character set.
#[tokio::test]
async fn an_index_serves_an_exact_equality() {
    each_place(async |place: Place| {
        if place.provider != "mysql" {
            return;
        }
        fill(&place).await;
        let context = context(&place, TextMode::Exact).await;
        let source = context.data_source(None).unwrap();
        let target = source.target().await.unwrap();
        for (column, charset) in [("Genre", "utf8mb3"), ("Title", "latin1")] {
            let query = from("Track").filter(prop(column).eq("jazz")).select(["Id"]).into_segment();
            let mut compiled = target.compile(&query).unwrap().into_owned();
            assert!(compiled.sql.contains(&format!("CAST(? AS CHAR) USING {charset})")), "{}", compiled.sql);
            compiled.sql.insert_str(0, "EXPLAIN FORMAT=JSON ");
            let mut connection = source.backend().await.unwrap().connect().await.unwrap();
            let plan: Vec<String> = isogloss::driver::ConnectionExt::fetch(&mut *connection, &compiled).await.unwrap();
            assert!(plan[0].contains(&format!("\"{}\"", column.to_lowercase())), "{}", plan[0]);
            assert!(!plan[0].contains("\"ALL\"") && !plan[0].contains("table_scan"), "{}", plan[0]);
        }
        context.close();
    })
    .await;
}
