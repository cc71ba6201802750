//! What the three functions answer, as a program in JavaScript reads it.

use serde_json::{Value, json};

const CATALOG: &str = r#"{
  "entity": [
    {"name": "Department", "table": "Departments", "columns": [
      {"name": "Id", "type": "Int32", "primary_key": true},
      {"name": "Name", "type": "String(100)"}]},
    {"name": "User", "table": "Users", "columns": [
      {"name": "Id", "type": "Int32", "primary_key": true},
      {"name": "Name", "type": "String(100)"},
      {"name": "Kind", "type": "Int32", "enum": {"Guest": 0, "Member": 1}},
      {"name": "Password", "type": "String(60)", "filterable": false, "nullable": true},
      {"name": "DeptId", "type": "Int32", "nullable": true, "foreign": {"entity": "Department", "alias": "Dept"}}]}
  ],
  "view": [{"name": "UserView", "of": "User",
    "foreign_columns": [{"name": "DeptName", "foreign": "Dept", "property": "Name"}]}]
}"#;

const FILTER: &str = r##"{"$":"startswith","Left":{"#":"DeptName"},"Right":"R&D_"}"##;

fn compiled(tree: &str, options: &Value) -> Value {
    serde_json::from_str(&isogloss_wasm::compile(CATALOG, tree, &options.to_string())).unwrap()
}

#[test]
fn a_statement_has_all_that_a_driver_needs() {
    let answer = compiled(FILTER, &json!({"root": "UserView", "dialects": ["postgres", "sqlserver 2022"]}));
    assert_eq!(answer["tree"], json!({"$":"startswith","Left":{"#":"DeptName"},"Right":{"@":"R&D_"}}));
    let [postgres, sqlserver] = answer["results"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(postgres["label"], "postgres 15");
    assert_eq!(sqlserver["version"], "2022");
    assert!(postgres["sql"].as_str().unwrap().ends_with(r#"WHERE "Dept"."Name" LIKE $1"#), "{postgres}");
    assert_eq!(
        postgres["parameters"],
        json!([{"placeholder": "$1", "type": "String", "value": "R&D\\_%", "shown": r"text 'R&D\_%'"}])
    );
    assert_eq!(sqlserver["parameters"][0]["placeholder"], "@P1");
    assert_eq!(postgres["columns"][0], json!({"name": "Id", "type": "Int32"}));
}

#[test]
fn without_dialects_all_are_meant() {
    let answer = compiled(FILTER, &json!({"root": "UserView"}));
    let labels: Vec<_> = answer["results"].as_array().unwrap().iter().map(|r| r["label"].as_str().unwrap()).collect();
    let words: Value = serde_json::from_str(&isogloss_wasm::types()).unwrap();
    let listed: Vec<_> =
        words["dialects"].as_array().unwrap().iter().flat_map(|d| d["versions"].as_array().unwrap()).collect();
    assert_eq!(labels, listed);
    assert!(labels.len() > 20);
}

#[test]
fn verbs_texts_and_arguments_are_taken() {
    let count = compiled(FILTER, &json!({"root": "UserView", "verb": "count", "dialects": ["sqlite"]}));
    assert!(count["results"][0]["sql"].as_str().unwrap().starts_with("SELECT COUNT(*)"), "{count}");
    let same = r##"{"$":"==","Left":{"#":"Name"},"Right":"Ann"}"##;
    let sql = |text: &str| {
        compiled(same, &json!({"root": "User", "text": text, "dialects": ["mysql"]}))["results"][0]["sql"].clone()
    };
    assert_ne!(sql("database"), sql("exact"));
    let unused = compiled(same, &json!({"root": "User", "tableArgs": ["x"], "dialects": ["mysql"]}));
    assert!(unused["results"][0]["error"]["message"].is_string(), "{unused}");
}

#[test]
fn notes_and_refusals_say_why() {
    let regex = r##"{"$":"regexp","Left":{"#":"Name"},"Right":"^A"}"##;
    let answer = compiled(regex, &json!({"root": "User", "dialects": ["sqlserver", "postgres"]}));
    let error = &answer["results"][0]["error"];
    assert_eq!(error["refused"], true);
    assert!(error["reason"].as_str().unwrap().contains("SQL Server"), "{error}");
    assert_eq!(answer["results"][1]["error"], Value::Null);

    let noted = compiled(FILTER, &json!({"root": "UserView", "dialects": ["sqlite"]}));
    assert_eq!(noted["results"][0]["notes"][0]["rule"], "like_to_glob");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let unknown = compiled(
        r##"{"$":"==","Left":{"#":"DeptNmae"},"Right":1}"##,
        &json!({"root": "UserView", "dialects": ["oracle"]}),
    );
    let error = &unknown["results"][0]["error"];
    assert_eq!((&error["path"], &error["refused"]), (&json!("$.Left"), &json!(false)));
    assert!(error["message"].as_str().unwrap().contains("did you mean `DeptName`?"));

    let misplaced = compiled(r##"{"$and":[{"#":"Name"}]}"##, &json!({}));
    assert_eq!((&misplaced["error"]["in"], &misplaced["error"]["path"]), (&json!("tree"), &json!("$.$and[0]")));

    let unfinished = compiled(r##"{"$and":["##, &json!({}));
    assert_eq!(unfinished["error"]["offset"], 9);

    for (options, why) in [
        (json!({"dialects": ["db2"]}), "unknown dialect `db2`"),
        (json!({"verb": "delete"}), "unknown verb"),
        (json!({"text": "binary"}), "no mode of texts"),
        (json!({"dialect": "mysql"}), "unknown field `dialect`"),
    ] {
        let answer = compiled(FILTER, &options);
        assert_eq!(answer["error"]["in"], "options");
        assert!(answer["error"]["message"].as_str().unwrap().contains(why), "{answer}");
    }
    for bad in ["", "5", r#"{"entity":[{"name":"A","columns":[],"x":1}]}"#, r#"{"view":[{"name":"V","of":"Nothing"}]}"#]
    {
        for answer in [isogloss_wasm::compile(bad, FILTER, ""), isogloss_wasm::catalog(bad)] {
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["error"]["in"], "catalog", "{bad}");
        }
    }
}

#[test]
fn deep_and_broken_trees_have_an_answer() {
    let deep = format!("{}{{\"#\":\"Name\"}}{}", "{\"!\":".repeat(100_000), "}".repeat(100_000));
    assert!(compiled(&deep, &json!({}))["error"]["message"].as_str().unwrap().contains("nested deeper"));
    for end in 0..FILTER.len() {
        assert_eq!(compiled(&FILTER[..end], &json!({}))["error"]["in"], "tree", "{end}");
    }
}

#[test]
fn a_catalog_is_described() {
    let described: Value = serde_json::from_str(&isogloss_wasm::catalog(CATALOG)).unwrap();
    let view = &described["entities"][2];
    assert_eq!((&view["name"], &view["of"], &view["table"]), (&json!("UserView"), &json!("User"), &json!("Users")));
    assert_eq!(view["relations"], json!(["Department"]));
    let properties = view["properties"].as_array().unwrap();
    assert_eq!(properties[0], json!({"name": "Id", "type": "Int32", "key": true}));
    assert_eq!(properties[2], json!({"name": "Kind", "type": "Int32", "values": ["Guest", "Member"]}));
    assert_eq!(properties[3], json!({"name": "Password", "type": "String", "nullable": true, "hidden": true}));
    assert_eq!(properties[5], json!({"name": "DeptName", "type": "String"}));
}
