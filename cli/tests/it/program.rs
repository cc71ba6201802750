//! The program as a shell has it: standard input, exit status, pipes, colours, and what is wrong.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use assert_cmd::Command as Asserted;
use assert_cmd::cargo::cargo_bin;

use crate::support::shop;

const LARGE: &str = "queries/large.json";

fn program(folder: &Path) -> Asserted {
    let mut program = Asserted::new(cargo_bin!("isogloss"));
    program.current_dir(folder).env_remove("NO_COLOR").env_remove("ISOGLOSS_PASSWORD");
    program
}

/// The exit status, standard output and standard error.
fn said(folder: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    told(program(folder).args(args).write_stdin(input).output().unwrap())
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_tree_comes_from_standard_input() {
    let folder = shop();
    let filter = r##"{"$":">","Left":{"#":"Amount"},"Right":100}"##;
    let args = ["sql", "-", "--root", "Order", "--verb", "count", "--dialect", "sqlite"];
    let (status, out, error) = said(&folder, &args, filter);
    assert_eq!((status, &*error), (0, ""));
    assert!(out.contains(r#"SELECT COUNT(*) FROM "orders" "T0" WHERE "T0"."amount" > ?"#), "{out}");

    let (status, out, _) =
        said(&folder, &["run", "-", "--root", "Order", "--verb", "count", "--format", "csv"], filter);
    assert_eq!((status, out.lines().last()), (0, Some("2")));
}

#[test]
fn json_is_for_programs() {
    let folder = shop();
    let (status, out, error) = said(&folder, &["sql", "mails.json", "--format", "json", "--notes"], "");
    assert_eq!((status, &*error), (1, ""));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["parameters"][0]["shown"], "text '^[a-z]+@'");
    assert_eq!(results[0]["columns"][0], serde_json::json!({"name": "Id", "type": "Int64"}));
    assert_eq!((&results[1]["error"]["path"], &results[1]["error"]["refused"]), (&"$.Where".into(), &true.into()));

    let (status, out, _) = said(&folder, &["check", "--queries", ".", "--dialect", "sqlite", "--format", "json"], "");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, report["queries"].as_u64(), report["problems"].as_array().unwrap().len()), (1, Some(3), 1));
    assert_eq!(report["problems"][0]["query"], "./mails.json");
}

#[test]
fn rows_are_written_in_each_format() {
    let folder = shop();
    let tree = r#"{"$table":"Customer"}"#;
    let run = |more: &[&str]| said(&folder, &[&["run", "-"], more].concat(), tree);
    let table = "| Id | Name | Mail            |\n|----|------|-----------------|\n|  1 | Ann  | ann@example.com |\n\
                 |  2 | Bob  | NULL            |\n2 rows\n";
    assert_eq!(run(&[]), (0, table.to_owned(), String::new()));
    assert_eq!(run(&["--format", "csv"]).1, "Id,Name,Mail\n1,Ann,ann@example.com\n2,Bob,\n");
    let lines = "{\"Id\":1,\"Name\":\"Ann\",\"Mail\":\"ann@example.com\"}\n{\"Id\":2,\"Name\":\"Bob\",\"Mail\":null}\n";
    assert_eq!(run(&["--format", "ndjson"]).1, lines);

    let (status, out, error) = run(&["--format", "csv", "--limit", "1"]);
    assert_eq!((status, &*out), (0, "Id,Name,Mail\n1,Ann,ann@example.com\n"));
    assert!(error.contains("there are more than 1 row"), "{error}");
    // Where there is no row, the columns are those that the compiler knows.
    let none = r##"{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":{"#":"Id"},"Right":9}}"##;
    assert_eq!(said(&folder, &["run", "-", "--format", "csv"], none).1, "Id,Name,Mail\n");
}

#[test]
fn what_a_row_holds_does_not_steer_the_terminal() {
    let folder = shop();
    let tree = r##"{"$insert":{"$table":"Customer"},"Columns":["Name"],"Values":[["\u001b[31mred\nand more"]],"Returning":[{"#":"Id"}]}"##;
    let (status, out, error) = said(&folder, &["run", "-", "--write", "--format", "ndjson"], tree);
    assert_eq!((status, &*out, &*error), (0, "{\"Id\":3}\n", ""));
    let (_, out, _) = said(&folder, &["run", "-"], r#"{"$table":"Customer"}"#);
    assert!(out.contains(r"\u{1b}[31mred\nand more") && !out.contains('\u{1b}'), "{out}");
    // A pipe has what the row has.
    let (_, out, _) = said(&folder, &["run", "-", "--format", "csv"], r#"{"$table":"Customer"}"#);
    assert!(out.ends_with("\n3,\"\u{1b}[31mred\nand more\",\n"), "{out}");
}

#[test]
fn comments_end_with_their_line() {
    let folder = shop();
    let odd = "odd\nDROP TABLE customers; -- \u{1b}[31m\u{202e}";
    let database = rusqlite::Connection::open(folder.join("shop.db")).unwrap();
    database.execute_batch(&format!("CREATE TABLE \"{odd}\" (id INTEGER PRIMARY KEY)")).unwrap();
    let name = serde_json::json!({"@": odd});
    let tree =
        format!(r##"{{"$where":{{"$table":"Customer"}},"Where":{{"$":"==","Left":{{"#":"Name"}},"Right":{name}}}}}"##);
    let (_, sql, _) = said(&folder, &["sql", "-", "--dialect", "sqlite"], &tree);
    let (_, diff, _) = said(&folder, &["diff", "--drop-extra"], "");
    fs::rename(folder.join("migrations/0001_add_notes"), folder.join(format!("migrations/0001_{odd}"))).unwrap();
    let (_, planned, _) = said(&folder, &["migrate", "run", "--dry-run"], "");
    let (_, done, _) = said(&folder, &["migrate", "run"], "");
    for text in [&sql, &diff, &planned, &done] {
        assert!(text.contains("DROP TABLE customers") && !text.contains("\nDROP TABLE customers"), "{text}");
        assert!(text == &planned || !text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    // The statements have the names as they are.
    let (_, diff, _) = said(&folder, &["diff", "--drop-extra", "--sql"], "");
    assert!(diff.contains("\n-- main.odd\\nDROP TABLE"), "{diff}");
    assert!(diff.contains(&format!("\nDROP TABLE \"main\".\"{odd}\";\n")), "{diff}");
}

#[test]
fn writes_are_asked_for() {
    let folder = shop();
    let count =
        |folder: &Path| said(folder, &["run", "-", "--format", "csv", "--verb", "count"], r#"{"$table":"Order"}"#).1;
    assert_eq!(said(&folder, &["run", "close.json"], "").0, 2);
    assert_eq!(count(&folder).lines().last(), Some("3"));
    assert_eq!(said(&folder, &["run", "close.json", "--write"], ""), (0, "1 row written\n".into(), String::new()));
    assert_eq!(count(&folder).lines().last(), Some("2"));
    for args in [&["explain", "close.json", "--analyze"][..], &["bench", "close.json"]] {
        let (status, _, error) = said(&folder, args, "");
        assert!(status == 2 && error.contains("the tree writes"), "{error}");
    }
    // Its plan alone writes nothing.
    assert_eq!(said(&folder, &["explain", "close.json"], "").0, 0);
    assert_eq!(count(&folder).lines().last(), Some("2"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = shop();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("bad.json", r##"{"$where":{"$table":"Order"},"Where":{"$":">","Left":{"#":"Amuont"},"Right":1}}"##);
    write("torn.json", r#"{"$where""#);
    write("bad.toml", "[[entity]]\nname = \"A\"\ncolums = []");
    write("odd.toml", "[[entity]]\nname = \"A\"\ncolumns = []\n[[view]]\nname = \"V\"\nof = \"B\"");
    write("project.toml", "[databases]\nshop = 'postgres://app:secret@db/shop'");
    write("no.db", "no database at all, however long this text may be ......................................");
    for (args, status, words) in [
        (&["sql", LARGE, "--catalog", "nowhere.toml"][..], 2, &["cannot read the catalog `nowhere.toml`"][..]),
        (&["sql", LARGE, "--catalog", "bad.toml"], 2, &["the catalog `bad.toml`", "unknown field `colums`"]),
        (&["sql", LARGE, "--catalog", "odd.toml"], 2, &["the catalog `odd.toml`", "`B`"]),
        (&["sql", "nowhere.json"], 2, &["cannot read the tree `nowhere.json`"]),
        (&["sql", "torn.json"], 2, &["the tree `torn.json`", "ends too early"]),
        (&["sql", "bad.json"], 2, &["unknown property `Amuont`", "at $.Where.Left", "did you mean `Amount`?"]),
        (&["run", "bad.json"], 2, &["unknown property `Amuont`"]),
        (&["sql", LARGE, "--dialect", "db2"], 2, &["unknown dialect `db2`", "one of postgres"]),
        (&["sql", LARGE, "--dialect", "oracle:x"], 2, &["bad version `x` of oracle"]),
        (&["sql", LARGE, "--scope", "TenantId=7"], 2, &["--scope", "TenantId"]),
        (&["sql", LARGE, "--prety"], 2, &["--prety", "--pretty"]),
        (&["check", "--queries", "nowhere"], 2, &["cannot read the folder `nowhere`"]),
        (&["-C", "nowhere", "check"], 2, &["cannot read the folder `nowhere`"]),
        (&["run", "mails.json"], 1, &["refused", "sqlite"]),
        (&["run", LARGE, "--url", "env:ISOGLOSS_NO_SUCH_VARIABLE"], 2, &["no variable `ISOGLOSS_NO_SUCH_VARIABLE`"]),
        (
            &["run", LARGE, "--url", "shopp"],
            2,
            &["no database of `isogloss.toml` is called `shopp`, and no file: it has shop", "URL"],
        ),
        (&["run", LARGE, "--url", ""], 2, &["is called ``"]),
        (&["run", LARGE, "--url", "none.db"], 3, &["none.db", "there is no such file"]),
        (&["run", LARGE, "--url", "no.db"], 3, &["no.db: "]),
        (
            &["run", LARGE, "--url", "postgres://app:secret@127.0.0.1:1/shop"],
            3,
            &["app:***@127.0.0.1:1", "cannot connect"],
        ),
        (&["run", LARGE, "--url", "postgres://app:the'secret word@127.0.0.1:1/shop"], 3, &["app:***@127.0.0.1:1"]),
        (&["run", LARGE, "--url", "jdbc:oracle:thin:app/secret@//db:1521/shop"], 2, &["begins with `jdbc:`"]),
        (&["run", LARGE, "postgres://app:secret@db/shop"], 2, &["unexpected argument", "app:***@db", "--help"]),
        (&["run", "--catalog", "project.toml", LARGE], 2, &["the catalog `project.toml`"]),
        (&["run", LARGE, "--timeout", "soon"], 2, &["--timeout", "1500ms"]),
        (&["bench", LARGE, "--samples", "0"], 2, &["--samples"]),
    ] {
        let (code, out, error) = said(&folder, args, "");
        assert_eq!((code, &*out), (status, ""), "{args:?}: {error}");
        assert!(words.iter().all(|word| error.contains(word)), "{args:?}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_project_file_is_read_with_care() {
    let folder = shop();
    let project = folder.join("isogloss.toml");
    for (text, words) in [
        ("catalogue = 'shop.toml'", &["line 1", "unknown field `catalogue`"][..]),
        ("catalog = 'shop.toml'\ndatabases = 'postgres://app:secret@db/shop'", &["line 2", "expected a map"]),
        ("[databases]\nshop = ['jdbc:oracle:thin:app/secret@db']", &["line 2", "expected a string"]),
        ("dialects = 'secret, expected'", &["line 1", "expected a sequence"]),
        ("databases.a = \n'postgres://app:secret@db/shop' x", &["isogloss.toml"]),
    ] {
        fs::write(&project, text).unwrap();
        let (status, _, error) = said(&folder, &["sql", LARGE], "");
        assert!(status == 2 && words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    fs::write(&project, "catalog = 'shop.toml'\n[databases]\na = 'shop.db'\nb = 'env:SHOP'").unwrap();
    let (status, _, error) = said(&folder, &["run", LARGE], "");
    assert!(status == 2 && error.contains("which database? Give one by --url: a, b"), "{error}");
    for (url, words) in [
        ("jdbc:oracle:thin:app/secret@//db:1521/shop", "the database `b`: no engine of this program has a URL"),
        ("postgres://app:secret@/x/y/shop", "b: "),
    ] {
        let (status, _, error) =
            told(program(&folder).args(["run", LARGE, "--url", "b"]).env("SHOP", url).output().unwrap());
        assert!(status >= 2 && error.contains(words) && !error.contains("secret"), "{error}");
    }
    let by_variable = program(&folder).args(["run", LARGE, "--url", "b"]).env("SHOP", "sqlite:shop.db").output();
    assert_eq!(told(by_variable.unwrap()).0, 0);
    fs::remove_file(&project).unwrap();
    let (status, _, error) = said(&folder, &["sql", LARGE], "");
    assert!(status == 2 && error.contains("no catalog"), "{error}");
    let (status, _, error) = said(&folder, &["run", LARGE, "--catalog", "shop.toml"], "");
    assert!(status == 2 && error.contains("no database"), "{error}");
}

#[test]
fn passwords_are_not_asked_where_nobody_answers() {
    let folder = shop();
    for (url, words) in [
        ("postgres://app@127.0.0.1:1/shop", "no terminal to ask for the password"),
        ("postgres://app@127.0.0.1:1,127.0.0.1:2/shop", "set ISOGLOSS_PASSWORD"),
        ("postgres://127.0.0.1:1/shop", "has no user whose password --password could be: write user@host"),
    ] {
        let (status, _, error) = said(&folder, &["run", LARGE, "--url", url, "--password"], "");
        assert!(status == 2 && error.contains(words), "{error}");
    }
    assert_eq!(said(&folder, &["run", LARGE, "--password"], "").0, 0, "a file has no password");
}

#[test]
fn colours_are_for_terminals() {
    let folder = shop();
    let colours = |args: &[&str], no_color: bool| {
        let mut program = program(&folder);
        program.args(["sql", "mails.json"]).args(args);
        if no_color {
            program.env("NO_COLOR", "1");
        }
        let (_, out, error) = told(program.output().unwrap());
        (out.contains('\u{1b}'), error.contains('\u{1b}'))
    };
    assert_eq!(colours(&[], false), (false, false));
    assert_eq!(colours(&["--color", "always"], false), (true, true));
    assert_eq!(colours(&["--color", "never"], false), (false, false));
    assert_eq!(colours(&[], true), (false, false));
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let folder = shop();
    // More than a pipe holds.
    let many: Vec<String> = (0..20_000).map(|n| format!(r#"["name {n}"]"#)).collect();
    let tree = format!(r#"{{"$insert":{{"$table":"Customer"}},"Columns":["Name"],"Values":[{}]}}"#, many.join(","));
    let (status, out, error) = said(&folder, &["run", "-", "--write"], &tree);
    assert_eq!((status, &*out), (0, "20000 rows written\n"), "{error}");
    fs::write(folder.join("all.json"), r#"{"$table":"Customer"}"#).unwrap();
    for format in ["ndjson", "csv", "table"] {
        let mut child = Command::new(cargo_bin!("isogloss"))
            .args(["run", "all.json", "--limit", "0", "--format", format])
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut begin = [0; 16];
        child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
        let (status, _, error) = told(child.wait_with_output().unwrap());
        assert_eq!((status, &*error), (0, ""), "{format}");
    }
}

/// A file that is not whole says so.
#[test]
fn rows_that_an_error_ends_say_that_others_are_missing() {
    let folder = shop();
    let database = rusqlite::Connection::open(folder.join("shop.db")).unwrap();
    // The last of them is none.
    database
        .execute_batch(
            "CREATE TABLE numbers (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL);
             WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)
             INSERT INTO numbers SELECT i, IIF(i < 3000, i, 'many') FROM c",
        )
        .unwrap();
    let tree = r#"{"$table":"Number"}"#;
    for (format, end) in [
        ("csv", Some("# incomplete: 2999 rows, and an error")),
        ("ndjson", Some(r#"{"$incomplete":{"rows":2999}}"#)),
        ("table", None),
    ] {
        let (status, out, error) =
            said(&folder, &["run", "-", "-c", "shop.db", "--url", "shop.db", "--format", format, "--limit", "0"], tree);
        assert!(status == 3 && error.contains("shop.db"), "{format}: {status} {error}");
        assert_eq!(out.lines().last(), end, "{format}");
    }
}

#[test]
fn a_broken_pipe_keeps_the_status() {
    let folder = shop();
    let other = rusqlite::Connection::open(folder.join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)").unwrap();
    for (args, status) in [
        (&["sql", LARGE][..], 0),
        (&["sql", "mails.json"], 1),
        (&["sql", "mails.json", "--format", "json"], 1),
        (&["check"], 0),
        (&["check", "--queries", ".", "--dialect", "sqlite"], 1),
        (&["diff", "--url", "other.db"], 1),
        (&["migrate", "status"], 1),
        (&["explain", "mails.json"], 1),
        (&["run", LARGE], 0),
        (&["generate", "--out", "tables.rs", "--check"], 1),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut program = Command::new(cargo_bin!("isogloss"));
        let output = program.args(args).current_dir(&folder).stdout(writer).stderr(Stdio::piped()).output();
        let (code, _, error) = told(output.unwrap());
        assert!(code == status && !error.contains("error"), "{args:?}: {code} {error}");
    }
}

#[test]
fn a_time_is_measured_within_its_bounds() {
    let folder = shop();
    // No machine is so slow that the time, rather than the number of samples, ends the measurement.
    let args = ["bench", LARGE, "--url", "shop", "--samples", "5", "--time", "600", "--format", "json"];
    let (status, out, error) = said(&folder, &args, "");
    assert_eq!((status, &*error), (0, ""));
    let results: serde_json::Value = serde_json::from_str(&out).unwrap();
    let one = &results[0];
    assert_eq!(
        (one["database"].as_str(), one["rows"].as_u64(), one["runs"].as_u64()),
        (Some("shop"), Some(2), Some(5))
    );
    let [p10, median, p90] = ["p10", "median", "p90"].map(|key| one[key].as_f64().unwrap());
    assert!(0.0 < p10 && p10 <= median && median <= p90, "{out}");
    let (_, out, _) = said(&folder, &["bench", LARGE, "--time", "0", "--format", "json"], "");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()[0]["runs"], 1);
    let (status, out, _) = said(&folder, &["bench", LARGE, "--url", "shop", "--url", "shop.db"], "");
    assert!(status == 0 && out.lines().count() == 4, "{out}");
}

#[test]
fn plans_stand_side_by_side() {
    let folder = shop();
    let (status, out, _) =
        said(&folder, &["explain", LARGE, "--url", "shop", "--url", "shop.db", "--side-by-side"], "");
    let beside = out.lines().find(|line| line.contains("shop: sqlite")).unwrap();
    assert!(status == 0 && beside.contains("shop.db: sqlite"), "{out}");
    let (status, out, _) = said(&folder, &["explain", LARGE, "--url", "shop", "--analyze"], "");
    assert!(status == 1 && out.contains("no plan: sqlite"), "{out}");
}

#[test]
fn shells_and_manuals_are_served() {
    let folder = shop();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, out, _) = said(&folder, &["completions", shell], "");
        assert!(status == 0 && out.contains("isogloss") && out.contains("explain"), "{shell}");
    }
    let (status, out, _) = said(&folder, &["man"], "");
    assert!(status == 0 && out.contains(".TH isogloss 1") && out.contains("ISOGLOSS_PASSWORD"));
    let (status, out, _) = said(&folder, &["man", "run"], "");
    assert!(status == 0 && out.contains(".TH isogloss-run 1") && out.contains("\\-\\-write"));
    let (status, out, _) = said(&folder, &["man", "migrate", "run"], "");
    assert!(status == 0 && out.contains(".TH isogloss-migrate-run 1") && out.contains("\\-\\-dry\\-run"), "{out}");
    for (args, words) in [
        (&["man", "walk"][..], "no command of `isogloss` is called `walk`: they are sql, run, "),
        (&["man", "migrate", "walk"], "no command of `migrate` is called `walk`: they are diff, "),
        (&["man", "run", "walk"], "no command of `run` is called `walk`: it has none"),
    ] {
        let (status, _, error) = said(&folder, args, "");
        assert!(status == 2 && error.contains(words), "{error}");
    }
}

#[test]
fn generated_files_are_replaced_with_care() {
    let folder = shop();
    let generate = |args: &[&str]| said(&folder, &[&["generate"], args].concat(), "");
    let (status, code, _) = generate(&[]);
    assert!(status == 0 && code.contains("pub struct Customer"), "{code}");
    let file = folder.join("src/tables.rs");
    let out = ["--out", "src/tables.rs"];
    assert_eq!(generate(&[&["rust"], &out[..], &["--check"]].concat()).0, 1);
    assert!(!file.exists());
    assert_eq!(generate(&out), (0, "src/tables.rs is written\n".to_owned(), String::new()));
    assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), code.trim_end());
    // What is there already is not written again.
    assert_eq!(generate(&out), (0, String::new(), String::new()));
    assert_eq!(generate(&[&out[..], &["--check"]].concat()).0, 0);
    fs::write(&file, "// by hand").unwrap();
    let (status, _, error) = generate(&out);
    assert!(status == 2 && error.contains("--force replaces it"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "// by hand");
    assert_eq!(generate(&[&out[..], &["--check"]].concat()).0, 1);
    assert_eq!(generate(&[&out[..], &["--force"]].concat()).0, 0);
    // A file that is not UTF-8 is somebody's file, too, and one that cannot be read may be.
    fs::write(&file, b"// K\xf6ln").unwrap();
    let (status, _, error) = generate(&out);
    assert!(status == 2 && error.contains("--force replaces it"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"// K\xf6ln");
    assert_eq!(generate(&[&out[..], &["--check"]].concat()).0, 1);
    assert_eq!(generate(&[&out[..], &["--force"]].concat()).0, 0);
    for how in [&[][..], &["--check"], &["--force"]] {
        let (status, _, error) = generate(&[&["--out", "src"], how].concat());
        assert!(status == 2 && error.contains("cannot read the file `src`"), "{error}");
    }

    assert_eq!(generate(&["crate", "--out", "shop-tables"]).0, 0);
    let manifest = fs::read_to_string(folder.join("shop-tables/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"shop-tables\"") && manifest.contains("sqlite"), "{manifest}");
    assert_eq!(generate(&["crate"]).0, 2);
    for (what, file) in
        [("mermaid", "a.mmd"), ("dot", "a.dot"), ("json", "a.json"), ("toml", "a.toml"), ("rust", "a.rs")]
    {
        let (status, out, _) = generate(&[what]);
        assert!(status == 0 && out.contains("rders") | out.contains("Order"), "{out}");
        // The ending of a file says what it has, if nothing else does.
        assert_eq!(generate(&["--out", file]).0, 0);
        assert_eq!(fs::read_to_string(folder.join(file)).unwrap().trim_end(), out.trim_end());
    }
    assert_eq!(generate(&["rust", "--out", "rust.toml"]).0, 0);
    assert!(fs::read_to_string(folder.join("rust.toml")).unwrap().contains("pub struct Customer"));
    fs::write(folder.join("names.toml"), "[[").unwrap();
    let (status, _, error) = generate(&["--mapping", "names.toml"]);
    assert!(status == 2 && error.contains("the mapping `names.toml`"), "{error}");
}

#[test]
fn a_catalog_is_what_a_database_has() {
    let folder = shop();
    let tree = r#"{"$table":"Customer"}"#;
    let by_url = said(&folder, &["sql", "-", "--catalog", "shop", "--dialect", "postgres"], tree);
    assert!(by_url.0 == 0 && by_url.1.contains(r#"FROM "customers""#), "{by_url:?}");
    fs::remove_file(folder.join("isogloss.toml")).unwrap();
    let (status, out, error) = said(&folder, &["run", "-", "--url", "shop.db", "--format", "csv"], tree);
    assert_eq!((status, &*out, &*error), (0, "Id,Name,Mail\n1,Ann,ann@example.com\n2,Bob,\n", ""));
}

#[test]
fn each_database_but_the_catalogs_own_is_compared_with_it() {
    let folder = shop();
    let other = rusqlite::Connection::open(folder.join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)").unwrap();
    fs::write(folder.join("isogloss.toml"), "[databases]\nshop = 'sqlite:shop.db'\nother = 'other.db'").unwrap();
    for args in [
        &["check", "--url", "shop", "--url", "other"][..],
        &["check", "--catalog", "shop", "--url", "other"],
        &["check", "--catalog", "sqlite:shop.db", "--url", "other", "--url", "shop"],
    ] {
        let (status, out, error) = said(&folder, args, "");
        assert!(status == 1 && out.contains("other: orders") && !out.contains("shop: "), "{args:?}: {out}{error}");
    }
    let (status, out, error) = said(&folder, &["check", "--catalog", "shop", "--url", "shop"], "");
    assert!(status == 0 && out.ends_with("1 database: 0 problems\n"), "{out}{error}");
}

#[test]
fn a_view_of_the_database_is_no_table_that_is_missing() {
    let folder = shop();
    let database = rusqlite::Connection::open(folder.join("viewed.db")).unwrap();
    database
        .execute_batch("CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, body TEXT); CREATE VIEW texts AS SELECT id, body FROM notes")
        .unwrap();
    let (_, catalog, error) = said(&folder, &["generate", "toml", "--url", "viewed.db"], "");
    assert!(catalog.contains("table = \"texts\""), "{catalog}{error}");
    fs::write(folder.join("viewed.toml"), catalog).unwrap();
    let ask = |command: &str| said(&folder, &[command, "--catalog", "viewed.toml", "--url", "viewed.db"], "");
    assert_eq!(ask("diff"), (0, String::new(), String::new()));
    // What a view lacks is told, and no statement adds it.
    database.execute_batch("DROP VIEW texts; CREATE VIEW texts AS SELECT id FROM notes").unwrap();
    let (status, out, _) = ask("diff");
    assert_eq!((status, &*out), (1, "texts.body: missing -> TEXT\n  it is a view, which is made by hand\n"));
    let migrate =
        ["migrate", "diff", "views", "--migrations", "views", "--catalog", "viewed.toml", "--url", "viewed.db"];
    let (status, out, error) = said(&folder, &migrate, "");
    assert!(status == 0 && out == "nothing to do\n" && error.contains("texts.body"), "{out}{error}");
}

#[test]
fn a_folder_without_queries_is_told() {
    let folder = shop();
    fs::create_dir_all(folder.join("empty/inner")).unwrap();
    fs::write(folder.join("empty/inner/readme.txt"), "no query").unwrap();
    let (status, out, error) = said(&folder, &["check", "--queries", "empty"], "");
    assert!(status == 2 && out.is_empty(), "{out}{error}");
    assert!(error.contains("the folder `empty` has no saved query, which is a file that ends with `.json`"), "{error}");
    // That of the project may still be empty.
    fs::write(folder.join("isogloss.toml"), "catalog = 'shop.toml'\nqueries = 'empty'").unwrap();
    let (status, out, error) = said(&folder, &["check", "--dialect", "sqlite"], "");
    assert_eq!((status, &*out), (0, "0 queries, 1 dialect, 0 databases: 0 problems\n"));
    assert!(error.starts_with("note: the folder `empty` has no saved query"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_in_circles() {
    use std::os::unix::fs::symlink;
    let folder = shop();
    for name in ["again", "and-again"] {
        symlink("..", folder.join("queries").join(name)).unwrap();
    }
    symlink("../queries", folder.join("migrations/queries")).unwrap();
    let (status, out, error) = said(&folder, &["check", "--dialect", "postgres"], "");
    // The link `again` leads to the shop's folder, which has two trees of its own.
    assert_eq!((status, &*out), (0, "3 queries, 1 dialect, 0 databases: 0 problems\n"), "{error}");
}

#[test]
fn migrations_that_changed_are_told() {
    let folder = shop();
    assert_eq!(said(&folder, &["migrate", "run"], "").0, 0);
    let (status, out, _) = said(&folder, &["migrate", "status"], "");
    assert!(status == 0 && out.contains("| applied |"), "{out}");
    let file = folder.join("migrations/0001_add_notes/up.sql");
    fs::write(&file, "CREATE TABLE notes (id INTEGER PRIMARY KEY);").unwrap();
    let (status, _, error) = said(&folder, &["migrate", "run"], "");
    assert!(status == 1 && error.starts_with("error: shop: migration") && error.contains("was changed"), "{error}");
    for (args, words) in [
        (&["migrate", "run", "--migrations", "nowhere"][..], "nowhere"),
        (&["migrate", "resolve", "1", "ran"], "nothing to resolve"),
        (&["migrate", "resolve", "7", "ran"], "7"),
    ] {
        let (status, _, error) = said(&folder, args, "");
        assert!(status == 2 && error.contains(words), "{status} {error}");
    }
}

#[test]
fn a_database_grows_with_its_catalog() {
    let folder = shop();
    let url = ["--url", "grown.db"];
    let ask = |args: &[&str]| said(&folder, &[args, &url[..]].concat(), "");
    let grown = rusqlite::Connection::open(folder.join("grown.db")).unwrap();
    grown
        .execute_batch("CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL)")
        .unwrap();

    let (status, out, error) = ask(&["diff"]);
    assert!(status == 1 && out.contains("mail") && out.contains("orders"), "{out}{error}");
    let (status, out, error) = ask(&["check"]);
    assert!(
        status == 1 && out.contains("grown.db: orders") && out.contains("queries/large.json: grown.db"),
        "{out}{error}"
    );
    let (_, out, _) = ask(&["diff", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(told.as_array().unwrap().iter().any(|one| one["table"] == "orders" && one["now"].is_null()), "{out}");

    let diff = ["migrate", "diff", "grow", "--migrations", "grown"];
    let (status, out, error) = ask(&diff);
    assert!(status == 0 && out.contains("0001_grow") && out.contains("sqlite.up.sql is written"), "{out}{error}");
    assert_eq!(ask(&["migrate", "run", "--migrations", "grown"]).0, 0);
    assert_eq!(ask(&["diff"]), (0, String::new(), String::new()));
    assert_eq!(ask(&["check"]).0, 0);
    assert_eq!(ask(&diff), (0, "nothing to do\n".to_owned(), String::new()));

    let two = [&diff[..], &["--url", "shop.db"]].concat();
    let (status, _, error) = ask(&two);
    assert!(status == 2 && error.contains("two databases are of sqlite"), "{error}");
    let (status, out, _) = ask(&["diff", "--sql", "--url", "shop"]);
    assert_eq!((status, &*out), (2, ""), "one database at a time");
}
