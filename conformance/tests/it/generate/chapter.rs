//! What the book's chapter shows is what comes out.

use isogloss_driver::introspect::{IntrospectOptions, introspect};
use isogloss_generate::{Mapping, Model, Options};

use crate::generate::place::{Place, engines};

/// The code blocks of that language.
fn blocks<'c>(chapter: &'c str, language: &str) -> Vec<&'c str> {
    let begin = format!("```{language}\n");
    chapter.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[tokio::test]
async fn the_chapter_shows_what_is_generated() {
    let chapter = include_str!("../../../../docs/src/database.md");
    let (sql, mapping, rust) = (blocks(chapter, "sql"), blocks(chapter, "toml"), blocks(chapter, "rust"));
    assert_eq!((sql.len(), mapping.len(), rust.len()), (1, 1, 1));
    let place = Place::new(&engines()[0], "chapter").await.unwrap();
    place.fill(sql[0]).await.unwrap();
    let mut connection = place.backend.connect().await.unwrap();
    let report = introspect(&mut *connection, place.backend.ddl(), &IntrospectOptions::default()).await.unwrap();
    let model = Model::new(&report, &Mapping::from_toml(mapping[0]).unwrap(), &Options::default());
    assert_eq!(model.to_rust().unwrap(), rust[0]);
    assert!(model.catalog().is_ok());
}
