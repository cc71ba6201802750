//! Tables as a database has them that nobody made for this library: their texts compare without case, some in a character
//! set that lacks characters.

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::Linked as _;
use isogloss::expr::{SqlSegment, from_args};
use isogloss::model::{Catalog, TextMode};
use isogloss::prelude::*;

use crate::support::engines::{Place, each_place};

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
    context.add_data_source(source).unwrap();
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
            let found = tracks.search(query).all().await.unwrap();
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

/// What is compared with a text by code points is compared by code points, too, behind a list, a set or a derived table.
#[tokio::test]
async fn a_text_by_code_points_makes_others_so() {
    use isogloss::expr::{ValueTypeExpr, func, if_else, value};
    each_place(async |place: Place| {
        fill(&place).await;
        let context = context(&place, TextMode::Database).await;
        let source = context.data_source(None).unwrap();
        let target = source.target().await.unwrap();
        let found = async |query: SqlSegment| -> Vec<String> {
            let compiled = target.compile(&query).unwrap();
            let mut connection = source.backend().await.unwrap().connect().await.unwrap();
            let mut rows: Vec<String> =
                isogloss::driver::ConnectionExt::fetch(&mut *connection, &compiled).await.unwrap();
            rows.sort_unstable();
            rows
        };
        let half = || from("Half");
        let title = || half().select([prop("Title").alias("K")]);
        // By code points: Jazz, blue, JAZZ, Rock.
        let made = || func("Replace", [ValueTypeExpr::from(prop("Genre")), value("jazz").into(), value("blue").into()]);
        let genre = || half().select([made().alias("K")]);
        let place = place.provider;
        let of_query = half().filter(prop("Title").in_list(genre().into_segment())).select(["Title"]);
        assert_eq!(found(of_query.into_segment()).await, ["blue"], "{place}");
        let all = ["B", "Blue", "JAZZ", "Jazz", "Rock", "a", "blue"];
        assert_eq!(found(title().union(genre()).into_segment()).await, all, "{place}");
        assert_eq!(found(genre().union(title()).into_segment()).await, all, "{place}");
        let behind = title().union_all(genre()).into_segment().filter(prop("K").eq("blue")).select(["K"]);
        assert_eq!(found(behind.into_segment()).await, ["blue", "blue"], "{place}");
        let distinct = genre().into_segment().select(["K"]).distinct();
        assert_eq!(found(distinct.into_segment()).await, ["JAZZ", "Jazz", "Rock", "blue"], "{place}");
        // What only chooses a text does not make it one by code points. SQLite's computed texts have no collation, and those
        // of a citext and a text are texts.
        let chosen = half().select([if_else(prop("Genre").eq("none"), "x", prop("Title")).alias("K")]);
        let chosen = chosen.into_segment().filter(prop("K").eq("BLUE")).select(["K"]);
        let alike: &[&str] = if place == "mysql" { &["Blue", "blue"] } else { &[] };
        assert_eq!(found(chosen.into_segment()).await, alike, "{place}");
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

/// A table for each year, and one whose name such a table could have.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "marks_{0}", columns = "snake_case")]
struct Marked {
    #[column(primary_key)]
    id: i32,
    #[column(length = 50)]
    genre: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "marks_of", columns = "snake_case")]
struct MarksOf {
    #[column(primary_key)]
    id: i32,
    #[column(length = 50)]
    genre: String,
}

/// The engine is asked for the tables of the catalog alone, and for all that the name of a sharded one may mean.
#[tokio::test]
async fn the_tables_of_a_catalog_are_asked_for_and_every_shard() {
    each_place(async |place: Place| {
        fill(&place).await;
        let catalog = || Catalog::builder().entity::<Marked>().entity::<MarksOf>().build().unwrap();
        let context = place.context(catalog(), false);
        let backend = context.data_source(None).unwrap().backend().await.unwrap();
        let mut connection = backend.connect().await.unwrap();
        for name in ["marks_2024", "Marks_2025", "marks_of", "marksx2026", "remarks_1"] {
            let quote = if place.provider == "mysql" { '`' } else { '"' };
            let name = format!("{quote}{name}{quote}");
            connection.script(&tables(place.provider).replace("tracks", &name)).await.unwrap();
        }
        let asked = backend.collations().unwrap();
        let told = asked.tell(&mut *connection, context.catalog()).await.unwrap();
        let mut names: Vec<&str> = told
            .iter()
            .filter(|known| known.schema.is_none() && known.column == "genre")
            .map(|known| &*known.table)
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, ["Marks_2025", "marks_2024", "marks_of"], "{}", place.provider);
        drop(connection);
        context.close();

        let context = place.context(catalog(), false);
        let target = context.data_source(None).unwrap().target().await.unwrap();
        let marked = from_args("Marked", ["2024"]).filter(prop("Genre").eq("jazz")).select(["Id"]).into_segment();
        let notes: Vec<&str> = target.compile(&marked).unwrap().notes.iter().map(|note| note.rule.name()).collect();
        assert_eq!(notes, ["database_text"], "{}", place.provider);
        context.close();
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "codes", columns = "snake_case")]
struct Code {
    #[column(primary_key, length = 10)]
    code: String,
    #[column(length = 40)]
    mood: String,
}

/// The table of [`Code`], of which this reads the token alone.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "codes", columns = "snake_case")]
struct Token {
    #[column(primary_key, length = 40)]
    token: String,
}

/// `char(n)`, an enum and a UUID that the program takes for texts, in both modes.
#[tokio::test]
async fn a_text_may_be_of_a_type_of_its_own() {
    const TOKEN: &str = "5f0c2a1e-0000-4000-8000-00000000000a";
    each_place(async |place: Place| {
        if place.provider != "postgres" {
            return;
        }
        for mode in [TextMode::Database, TextMode::Exact] {
            let context = OrmContext::new(Catalog::builder().entity::<Code>().entity::<Token>().build().unwrap());
            let source = DataSourceConfig::new("main", place.provider, &place.url).text(mode);
            context.add_data_source(source).unwrap();
            let backend = context.data_source(None).unwrap().backend().await.unwrap();
            let mut connection = backend.connect().await.unwrap();
            let types = format!(
                "DROP TABLE IF EXISTS codes; DROP TYPE IF EXISTS mood; CREATE TYPE mood AS ENUM ('sad', 'happy'); \
                 CREATE TABLE codes (code char(10) PRIMARY KEY, mood mood NOT NULL, token uuid DEFAULT '{TOKEN}')"
            );
            connection.script(&types).await.unwrap();
            drop(connection);
            let session = context.create_session().unwrap();
            let (codes, found) = (ObjectDao::<Code>::new(&session), ObjectViewDao::<Code>::new(&session));
            let mut row = Code { code: "x".into(), mood: "happy".into() };
            codes.insert(&mut row).await.unwrap();
            // It is read without the blanks that fill it, and is found by what was read.
            let read = found.search(from("Code")).all().await.unwrap();
            assert_eq!(read, [row.clone()]);
            assert_eq!(found.get("x").await.unwrap(), Some(row.clone()));
            row.mood = "sad".into();
            assert!(codes.update(&mut row).await.unwrap());
            let many = || (0..100).map(|n| if n == 50 { "x".to_owned() } else { n.to_string() }).collect::<Vec<_>>();
            for (filter, count) in [
                (prop("Code").eq("x"), 1),
                (prop("Code").ne("x"), 0),
                (prop("Code").eq("X"), 0),
                (prop("Code").in_list(["x", "y"]), 1),
                (prop("Code").in_list(many()), 1),
                (prop("Code").not_in_list(many()), 0),
                (prop("Mood").eq("sad"), 1),
                (prop("Mood").in_list(["sad", "happy"]), 1),
                (prop("Mood").ne("happy"), 1),
            ] {
                assert_eq!(found.count(filter.clone()).await.unwrap(), count, "{filter:?}, {mode:?}");
            }
            let tokens = ObjectViewDao::<Token>::new(&session);
            for (filter, count) in
                [(prop("Token").eq(TOKEN), 1), (prop("Token").in_list([TOKEN]), 1), (prop("Token").ne(TOKEN), 0)]
            {
                assert_eq!(tokens.count(filter.clone()).await.unwrap(), count, "{filter:?}, {mode:?}");
            }
            if mode == TextMode::Exact {
                // Blanks at the end count, on both sides of it.
                assert_eq!(found.count(prop("Code").eq("x ")).await.unwrap(), 0);
                assert_eq!(found.count(prop("Code").ne("x ")).await.unwrap(), 1);
            }
            assert!(codes.delete(&row).await.unwrap());
            context.close();
        }
    })
    .await;
}

/// Columns of two collations in one column of a set operation.
#[tokio::test]
async fn members_of_two_collations_are_one_column() {
    each_place(async |place: Place| {
        fill(&place).await;
        let context = context(&place, TextMode::Exact).await;
        let source = context.data_source(None).unwrap();
        let target = source.target().await.unwrap();
        let texts = |column: &'static str| from("Track").select([prop(column).alias("K")]);
        let compiled = target.compile(&texts("Genre").union_all(texts("Title")).into_segment()).unwrap().into_owned();
        let mut connection = source.backend().await.unwrap().connect().await.unwrap();
        let mut rows: Vec<String> = isogloss::driver::ConnectionExt::fetch(&mut *connection, &compiled).await.unwrap();
        rows.sort_unstable();
        assert_eq!(rows, ["B", "Blue", "JAZZ", "Jazz", "Rock", "a", "blue", "jazz"]);
        context.close();
    })
    .await;
}
