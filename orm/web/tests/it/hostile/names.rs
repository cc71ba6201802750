//! Names of what is hidden, or not there, or somebody else's.

use crate::hostile::app::{App, problem};

/// Places in a tree in which a name may stand.
const PLACES: &[&str] = &[
    r##"{"$":"==","Left":{"#":"NAME"},"Right":1}"##,
    r##"{"$":"startswith","Left":{"#":"NAME"},"Right":"h"}"##,
    r##"{"$":"==","Left":{"#":"NAME"},"Right":null}"##,
    r##"{"!":{"$istrue":{"#":"NAME"}}}"##,
    r##"{"$":"in","Left":{"#":"Id"},"Right":{"$":"set","List":[{"#":"NAME"}]}}"##,
    r##"{"$":">","Left":{"$":"func","Length":[{"#":"NAME"}]},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"func","CASE":[{"$":"==","Left":{"#":"NAME"},"Right":1},1,2]},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"func","CASE":[{"$":"==","Left":{"#":"Id"},"Right":1},{"#":"NAME"},2]},"Right":1}"##,
    r##"{"$":"==","Left":{"$":"set","Concat":[{"#":"OrderNo"},{"#":"NAME"}]},"Right":"x"}"##,
    r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"NAME"}}]},"Take":5}"##,
    r##"{"$section":{"$select":{"$group":null,"GroupBys":[{"#":"NAME"}]},"Selects":[{"Value":{"$":"func","Count":[],"IsAggregate":true}}]}}"##,
    r##"{"$section":{"$select":{"$having":{"$group":null,"GroupBys":[{"#":"Id"}]},"Having":{"$":"==","Left":{"$":"func","Max":[{"#":"NAME"}],"IsAggregate":true},"Right":1}},"Selects":[{"Value":{"#":"Id"}}]}}"##,
    r##"{"$section":{"$select":null,"Selects":[{"Value":{"#":"NAME"}}]}}"##,
    r##"{"$section":{"$select":null,"Selects":[{"Value":{"#":"Id"}}],"Distinct":[{"#":"NAME"}]}}"##,
    r##"{"$section":{"$select":null,"Selects":[{"Alias":"n","Value":{"$":"over","Func":{"$":"func","RowNumber":[]},"OrderBy":[{"Field":{"#":"NAME"}}]}}]}}"##,
    r##"{"$section":{"$where":null,"Where":{"$exists":{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":{"#":"NAME"},"Right":1}}}}}"##,
];

#[tokio::test]
async fn case_01_a_hidden_property_is_as_unknown_as_one_that_is_not_there() {
    let app = App::new().await;
    for place in PLACES {
        let [hidden, unknown] = ["Secret", "Nosuch"].map(|name| (name, place.replace("NAME", name)));
        let hidden = app.refuses(&hidden.1).await.text.replace(hidden.0, "NAME");
        assert_eq!(hidden, app.refuses(&unknown.1).await.text.replace(unknown.0, "NAME"), "{place}");
    }
}

#[tokio::test]
async fn case_02_a_hidden_property_is_so_at_the_end_of_relations() {
    let app = App::wide().await;
    let one = r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"startswith","Left":{"#":"NAME"},"Right":"h"}}"##;
    let two = r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$foreign":"Region","AutoRelated":true,"InnerExpr":{"$":"==","Left":{"#":"NAME"},"Right":"north"}}}"##;
    let joined = r##"{"$":"==","Left":{"#":"Customer.NAME"},"Right":"x"}"##;
    for (tree, name) in [(one, "Password"), (two, "Name"), (joined, "Password")] {
        let hidden = app.refuses(&tree.replace("NAME", name)).await.text.replace(name, "NAME");
        let unknown = app.refuses(&tree.replace("NAME", "Nosuch")).await.text.replace("Nosuch", "NAME");
        assert_eq!(hidden, unknown, "{tree}");
    }
    // What is to be seen there is.
    assert_eq!(app.total(&one.replace("NAME", "Name").replace(r#""h""#, r#""A""#)).await, 15);
    // The rows at the other end are the tenant's, too.
    let all = r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"startswith","Left":{"#":"Name"},"Right":"Annika"}}"##;
    assert_eq!(app.total(all).await, 0);
}

#[tokio::test]
async fn case_03_no_spelling_of_a_name_leads_around() {
    let app = App::wide().await;
    for name in [
        "secret",
        "SECRET",
        "T0.Secret",
        "t0.Secret",
        "T1.Password",
        "T1.Name",
        "Customer.password",
        "orders.Secret",
        "main.orders",
        r#"\"Secret\""#,
        "[Secret]",
        "`Secret`",
        "Secret ",
        " Secret",
        "Secret\\u0000",
        "Ѕecret",
        "Se\u{200b}cret",
        "Secret--",
        "Secret;",
        "rowid",
        "_rowid_",
        "oid",
        "sqlite_master.sql",
        "*",
        "T0.*",
        "",
        ".",
        "Secret.",
        ".Secret",
        "a.b.c",
        "T0..Secret",
    ] {
        app.refuses(&format!(r##"{{"$":"==","Left":{{"#":"{name}"}},"Right":"top"}}"##)).await;
    }
}

#[tokio::test]
async fn case_04_the_table_is_the_view_of_the_controller() {
    let app = App::new().await;
    for table in ["Customer", "Region", "Order", "orders", "sqlite_master", "Nosuch"] {
        app.refuses(&format!(r##"{{"$section":{{"$table":"{table}"}},"Take":5}}"##)).await;
        app.refuses(&format!(r##"{{"$section":{{"$where":{{"$table":"{table}"}},"Where":{{"$":">","Left":{{"#":"Id"}},"Right":0}}}},"Take":5}}"##)).await;
    }
    app.refuses(r##"{"$section":{"$table":"OrderView","TableArgs":["2024"]},"Take":5}"##).await;
    assert_eq!(app.total(r##"{"$section":{"$table":"OrderView"},"Take":5}"##).await, 30);
}

#[tokio::test]
async fn case_05_no_alias_and_no_aggregate_shows_what_is_hidden() {
    let app = App::new().await;
    for item in [
        r##"{"Alias":"OrderNo","Value":{"#":"Secret"}}"##,
        r##"{"Alias":"OrderNo","Value":{"$":"func","Min":[{"#":"Secret"}],"IsAggregate":true}}"##,
        r##"{"Alias":"n","Value":{"$":"func","Max":[{"#":"IsDeleted"}],"IsAggregate":true}}"##,
        r##"{"Alias":"n","Value":{"$":"func","Count":[{"$":"unary","Distinct":{"#":"Secret"}}],"IsAggregate":true}}"##,
        r##"{"Alias":"n","Value":{"$":"func","Coalesce":[{"#":"Secret"},{"#":"OrderNo"}]}}"##,
    ] {
        let answer = app.refuses(&format!(r##"{{"$section":{{"$select":null,"Selects":[{item}]}}}}"##)).await;
        assert_eq!(problem(&answer)["code"], "bad-query", "{answer:?}");
    }
    // No row shows it without being asked either.
    for request in ["GET /api/Order", "GET /api/Order/1", "GET /api/Customer"] {
        let answer = app.send(request, "").await;
        assert!(answer.status == 200 && !answer.text.to_lowercase().contains("secret"), "{answer:?}");
        assert!(!answer.text.to_lowercase().contains("password"), "{answer:?}");
    }
}
