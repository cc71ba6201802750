//! The program with servers: those of `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL`, each with a database of its own for
//! the test.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use isogloss::config::DataSourceConfig;
use isogloss::provider;
use isogloss_testkit::servers;
use url::Url;

use crate::support::shop;

const LARGE: &str = "queries/large.json";

/// The shop's tables and rows, as PostgreSQL and MySQL take them.
const UP: &str = "
CREATE TABLE customers (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL, mail VARCHAR(100));
CREATE TABLE orders (
    id BIGINT NOT NULL PRIMARY KEY,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    amount DECIMAL(18, 2) NOT NULL,
    ordered DATE NOT NULL
);
INSERT INTO customers (id, name, mail) VALUES (1, 'Ann', 'ann@example.com'), (2, 'Bob', NULL);
INSERT INTO orders (id, customer_id, amount, ordered) VALUES
    (1, 1, 120.5, '2026-01-31'), (2, 1, 30, '2026-02-01'), (3, 2, 250, '2026-02-14');
";

/// Runs a script with a server's own database.
fn script(engine: &str, url: &str, sql: &str) {
    let known = provider::built_in();
    let provider = known.iter().find(|one| one.names().contains(&engine)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let backend = provider.connect(&DataSourceConfig::new("test", engine, url).primary()).await.unwrap();
        backend.connect().await.unwrap().script(sql).await.unwrap();
    });
}

fn program(folder: &Path, url: &Url, args: &[&str]) -> Command {
    let mut program = Command::new(cargo_bin!("isogloss"));
    program.current_dir(folder).env("SHOP", url.as_str()).args(args).args(["--url", "env:SHOP"]);
    program
}

/// The exit status, and what was written.
fn told(program: &mut Command) -> (i32, String, String) {
    let output = program.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A database of its own on a server, which is dropped with the value.
struct Database<'a> {
    engine: &'a str,
    server: &'a str,
    name: String,
}

impl<'a> Database<'a> {
    fn create(engine: &'a str, server: &'a str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cli_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // A process of the same id may have been killed before.
        script(engine, server, &format!("DROP DATABASE IF EXISTS {name}"));
        script(engine, server, &format!("CREATE DATABASE {name}"));
        Self { engine, server, name }
    }

    fn url(&self) -> Url {
        let mut url = Url::parse(self.server).unwrap();
        url.set_path(&self.name);
        url
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        script(self.engine, self.server, &format!("DROP DATABASE {}", self.name));
    }
}

/// A user of MySQL that may do everything in the database of its name, and is dropped with the value.
struct User<'a>(&'a Database<'a>);

impl<'a> User<'a> {
    fn create(database: &'a Database<'a>, password: &str) -> Self {
        let name = &database.name;
        let sql = format!(
            "DROP USER IF EXISTS {name}@'%'; CREATE USER {name}@'%' IDENTIFIED BY '{password}';
            GRANT ALL ON {name}.* TO {name}@'%'"
        );
        script(database.engine, database.server, &sql);
        Self(database)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        script(self.0.engine, self.0.server, &format!("DROP USER {}@'%'", self.0.name));
    }
}

#[test]
fn commands_ask_servers() {
    let servers = [("postgres", servers::postgres()), ("mysql", servers::mysql())];
    for (engine, urls) in &servers {
        for server in urls {
            commands_ask(&Database::create(engine, server));
        }
    }
}

fn commands_ask(database: &Database<'_>) {
    let (engine, url) = (database.engine, &database.url());
    let folder = shop();
    fs::write(folder.join("migrations/0001_add_notes/up.sql"), UP).unwrap();
    fs::write(folder.join("migrations/0001_add_notes/down.sql"), "DROP TABLE orders;\nDROP TABLE customers;").unwrap();
    let ask = |args: &[&str]| told(&mut program(&folder, url, args));

    let (status, _, error) = ask(&["run", LARGE]);
    assert!(status == 3 && error.starts_with("error: env:SHOP: syntax error or unknown name"), "{error}");
    let (status, out, _) = ask(&["check"]);
    assert!(status == 1 && out.contains("env:SHOP"), "{out}");

    assert_eq!(ask(&["migrate", "status"]).0, 1);
    let ran = ask(&["migrate", "run"]);
    assert_eq!(ran, (0, "0001_add_notes up: 4 statements\n".to_owned(), String::new()));
    assert_eq!(ask(&["migrate", "status"]).0, 0);

    let rows = "Id,CustomerId,Amount,Ordered,CustomerName\n3,2,250,2026-02-14,Bob\n1,1,120.5,2026-01-31,Ann\n";
    assert_eq!(ask(&["run", LARGE, "--format", "csv"]), (0, rows.to_owned(), String::new()));
    let (status, out, error) = ask(&["explain", LARGE]);
    assert!(
        status == 0 && out.starts_with("env:SHOP: ") && out.contains("orders") | out.contains("T0"),
        "{out}{error}"
    );
    let (status, out, error) = ask(&["explain", LARGE, "--analyze"]);
    assert!(status == 0 && out.lines().count() > 1, "{out}{error}");
    // The plan of a write, which writes nothing.
    let insert = r##"{"$insert":{"$table":"Customer"},"Columns":["Id","Name"],"Values":[[9,"Zoe"]]}"##;
    fs::write(folder.join("add.json"), insert).unwrap();
    for tree in ["close.json", "add.json"] {
        let (status, out, error) = ask(&["explain", tree]);
        assert!(status == 0 && out.lines().count() > 1, "{tree}: {out}{error}");
    }
    let (status, out, error) = ask(&["explain", "close.json", "--analyze"]);
    assert!(status == 2 && error.contains("the tree writes"), "{out}{error}");
    assert_eq!(ask(&["run", LARGE, "--format", "csv"]).1, rows);
    let (status, out, error) = ask(&["bench", LARGE, "--samples", "3", "--time", "600", "--format", "json"]);
    assert!(status == 0 && out.contains("\"rows\": 2") && out.contains("\"runs\": 3"), "{out}{error}");

    // Without a catalog it is what the database has.
    let (status, out, error) = ask(&["generate", "toml"]);
    assert!(status == 0 && out.contains("name = \"Order\"") && out.contains("Decimal(18,2)"), "{out}{error}");
    // Tables whose names differ in case only, where the server tells them apart.
    let quote = if engine == "mysql" { '`' } else { '"' };
    for (name, column) in [("Notes", "body"), ("notes", "text")] {
        let name = format!("{quote}{name}{quote}");
        let sql = format!("CREATE TABLE IF NOT EXISTS {name} (id INT PRIMARY KEY, {column} JSON, code INT UNIQUE)");
        script(engine, url.as_str(), &sql);
    }
    let (status, out, error) = ask(&["generate", "toml"]);
    assert!(status == 0 && !error.contains("case makes no difference"), "{out}{error}");
    assert!(out.contains("column = \"body\"") && out.matches("column = \"code\"").count() <= 2, "{out}");
    fs::write(folder.join("notes.toml"), out).unwrap();
    let (_, out, error) = ask(&["diff", "--catalog", "notes.toml"]);
    assert!(error.is_empty() && !out.contains("missing"), "{out}{error}");
    script(
        engine,
        url.as_str(),
        &format!("DROP TABLE IF EXISTS {quote}notes{quote}; DROP TABLE IF EXISTS {quote}Notes{quote}"),
    );
    fs::write(folder.join("isogloss.toml"), "migrations = 'migrations'").unwrap();
    fs::write(folder.join("orders.json"), r#"{"$table":"Order"}"#).unwrap();
    let (status, out, error) = ask(&["run", "orders.json", "--verb", "count", "--format", "csv"]);
    assert!(status == 0 && out.ends_with("\n3\n"), "{out}{error}");

    if engine == "mysql" {
        let user = User::create(database, "a%41 @/b");
        let mut own = url.clone();
        own.set_username(&database.name).unwrap();
        let count = |password: &str| {
            let args = ["run", "orders.json", "--verb", "count", "--format", "csv"];
            told(program(&folder, &own, &args).env("ISOGLOSS_PASSWORD", password))
        };
        let (right, wrong) = (count("a%41 @/b"), count("aA @/b"));
        drop(user);
        assert!(right.0 == 0 && wrong.0 == 3, "{right:?} {wrong:?}");
    }

    assert_eq!(ask(&["migrate", "down", "--to", "0"]).0, 0);
    assert_eq!(ask(&["migrate", "status"]).0, 1);
}
