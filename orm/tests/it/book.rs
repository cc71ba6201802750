//! The book in `docs/`: every chapter is in its contents, and its code is run.

use std::error::Error;
use std::fs;
use std::path::Path;

#[test]
fn every_chapter_is_listed_and_run() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapters = root.join("../docs/src");
    let contents = fs::read_to_string(chapters.join("SUMMARY.md"))?;
    // Those about controllers, tests and the command line run in their crates.
    let crates = ["src/lib.rs", "web/src/lib.rs", "../backends/testing/src/lib.rs", "../cli/tests/it/support/mod.rs"];
    let run = crates.iter().map(|file| fs::read_to_string(root.join(file))).collect::<Result<String, _>>()?;
    for file in fs::read_dir(&chapters)? {
        let name = file?.file_name().into_string().map_err(|_| "a name that is no text")?;
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(contents.contains(&format!("]({name})")), "{name} is not in SUMMARY.md");
            assert!(run.contains(&format!("docs/src/{name}")), "{name} is not in the module `book` of a lib.rs");
        }
    }
    for link in contents.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(chapters.join(link).is_file(), "SUMMARY.md has {link}, which is not there");
    }
    Ok(())
}

#[test]
fn every_sql_of_the_typed_queries_is_that_of_an_example() -> Result<(), Box<dyn Error>> {
    let chapter = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/typed-queries.md"))?;
    let names = chapter.split("<!-- sql: ").skip(1).filter_map(|rest| rest.split_once(" -->"));
    for (name, _) in names {
        assert!(chapter.contains(&format!("shown(&session, \"{name}\", &")), "no example shows the SQL of `{name}`");
    }
    Ok(())
}
