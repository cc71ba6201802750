//! What is generated, as texts: an expert would write it so.

use std::fmt::Write as _;

use isogloss_compiler::model::CatalogBuilder;
use isogloss_driver::ddl::{DiffOptions, Part, differences};
use isogloss_generate::{CrateOptions, Mapping, Model, Options};

use crate::generate::place::engines;
use crate::generate::{DATABASES, made};

fn text(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "snapshots" }, {
        insta::assert_snapshot!(name, text);
    });
}

#[tokio::test]
async fn texts_are_those_that_an_expert_would_write() {
    let sqlite = &engines()[0];
    for database in DATABASES {
        let made = made(sqlite, 0, database, "texts").await.unwrap();
        let model = &made.model;
        text(&format!("{database}.rs"), &model.to_rust().unwrap());
        text(&format!("{database}.toml"), &model.to_toml());
        if database == "chinook" {
            text("chinook.mmd", &model.to_mermaid());
            text("chinook.dot", &model.to_dot());
        }
        let mut findings = String::new();
        for finding in model.findings() {
            let _ = writeln!(findings, "{}: {finding}", finding.what.kind());
        }
        text(&format!("{database}.findings"), &findings);
    }
}

/// Twice the same, and the definitions in both formats are one catalog.
#[tokio::test]
async fn texts_do_not_change_by_themselves() {
    for (number, engine) in engines().iter().enumerate() {
        for database in DATABASES {
            let made = made(engine, number, database, "twice").await.unwrap();
            let again = Model::new(&made.report, &Mapping::default(), &Options::default());
            assert_eq!(made.model.to_rust().unwrap(), again.to_rust().unwrap());
            // What a table has beside its columns is there as the entities say it.
            let (ddl, catalog) = (made.place.backend.ddl(), again.catalog().unwrap());
            let left = differences(ddl, &made.report, &catalog, &DiffOptions::default()).unwrap();
            let beside = |part: &Part| matches!(part, Part::Index(_) | Part::ForeignKey(_) | Part::Check(_));
            let left: Vec<String> =
                left.iter().filter(|one| one.wanted.is_some() && beside(&one.part)).map(ToString::to_string).collect();
            assert!(left.is_empty(), "{}: {left:#?}", engine.name);
            assert_eq!(made.model.to_toml(), again.to_toml());
            let options = CrateOptions::new("tables");
            assert_eq!(made.model.to_crate(&options).unwrap(), again.to_crate(&options).unwrap());
            let toml = CatalogBuilder::from_toml(&made.model.to_toml()).unwrap().build().unwrap();
            let json = made.model.catalog().unwrap();
            assert_eq!(toml.entities().count(), made.model.entities().count());
            for ((_, a), (_, b)) in toml.entities().zip(json.entities()) {
                assert_eq!(
                    format!("{:?}", (&a.name, &a.columns, &a.joins)),
                    format!("{:?}", (&b.name, &b.columns, &b.joins))
                );
            }
        }
    }
}

/// What people have named stays so, and what they name in vain is told.
#[tokio::test]
async fn names_by_hand_are_kept() {
    let made = made(&engines()[0], 0, "odd", "names").await.unwrap();
    let mapping = Mapping::from_toml(
        r#"
        [tables.people]
        name = "Human"
        columns = { full_name = "name", gone = "gone" }
        [tables."main.types"]
        skip = true
        [tables.untyped]
        primary_key = ["id"]
        types = { doubled = "Decimal(12,2)" }
        [tables.nowhere]
        name = "Nowhere"
        "#,
    );
    let model = Model::new(&made.report, &mapping.unwrap(), &Options::default());
    let code = model.to_rust().unwrap();
    assert!(code.contains("pub struct Human {") && !code.contains("pub struct Person"), "{code}");
    assert!(code.contains("#[column(name = \"full_name\", length = 80)]\n    pub name: String"), "{code}");
    assert!(code.contains("pub doubled: Option<Decimal>"), "{code}");
    assert!(model.entities().any(|name| name == "Type"));
    let vain: Vec<String> =
        model.findings().iter().filter(|f| f.what.kind() == "unknown_in_mapping").map(ToString::to_string).collect();
    assert_eq!(vain.len(), 2, "{vain:?}");
    assert!(vain[0].starts_with("`nowhere`: the mapping names this table"), "{vain:?}");
    assert!(vain[1].starts_with("`people`.`gone`: the mapping names this column"), "{vain:?}");
}
