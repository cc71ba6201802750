//! The files of the page: those that are compiled in, the examples, and the compiler for browsers where it was built.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use isogloss_compiler::json;
use isogloss_tpch as tpch;

/// The definitions of TPC-H's tables.
pub const CATALOG: &str = include_str!("../page/catalog.json");

/// What the files of the page are, and what a browser is told of each.
const FILES: &[(&str, &str)] = &[
    ("style.css", include_str!("../page/style.css")),
    ("icon.svg", include_str!("../page/icon.svg")),
    ("catalog.json", CATALOG),
    ("app/compiler.js", include_str!("../page/app/compiler.js")),
    ("app/complete.js", include_str!("../page/app/complete.js")),
    ("app/editor.js", include_str!("../page/app/editor.js")),
    ("app/examples.js", include_str!("../page/app/examples.js")),
    ("app/format.js", include_str!("../page/app/format.js")),
    ("app/json.js", include_str!("../page/app/json.js")),
    ("app/main.js", include_str!("../page/app/main.js")),
    ("app/results.js", include_str!("../page/app/results.js")),
    ("app/rows.js", include_str!("../page/app/rows.js")),
    ("app/schema.js", include_str!("../page/app/schema.js")),
    ("app/share.js", include_str!("../page/app/share.js")),
    ("app/sql.js", include_str!("../page/app/sql.js")),
];

/// The page itself. What there is beside it stands in its first element, and what it will ask for before its program.
const INDEX: &str = include_str!("../page/index.html");

/// The examples by topic, but for the queries of the standard.
const EXAMPLES: &str = include_str!("../page/examples.json");

/// What the 22 queries of the standard are called there.
const TITLES: [&str; 22] = [
    "Pricing summary",
    "Minimum cost supplier",
    "Shipping priority",
    "Order priority checking",
    "Local supplier volume",
    "Forecasting revenue change",
    "Volume shipping",
    "National market share",
    "Product type profit",
    "Returned items",
    "Important stock",
    "Shipping modes",
    "Customer distribution",
    "Promotion effect",
    "Top supplier",
    "Parts and suppliers",
    "Small-quantity orders",
    "Large volume customers",
    "Discounted revenue",
    "Potential promotion",
    "Suppliers who kept waiting",
    "Global sales opportunity",
];

/// What the compiler for browsers consists of, as `compiler/wasm/build.sh` calls it.
const MODULE: [&str; 2] = ["isogloss.js", "isogloss_bg.wasm"];

/// A file, as a browser gets it.
#[derive(Debug, Clone)]
pub struct File {
    /// Its type.
    pub mime: &'static str,
    /// What it holds.
    pub bytes: Bytes,
}

/// The page.
#[derive(Debug)]
pub struct Page {
    files: BTreeMap<String, File>,
    /// The Content-Security-Policy.
    pub policy: &'static str,
}

impl Page {
    /// The page, with the compiler from a folder, and whether there are rows to be had.
    ///
    /// # Errors
    /// The folder has no compiler.
    pub fn new(wasm: Option<&Path>, rows: bool) -> io::Result<Self> {
        let mut page = Self { files: BTreeMap::new(), policy: POLICY };
        for (path, text) in FILES {
            page.add(path, text.as_bytes().into());
        }
        page.add("examples.json", examples().into());
        page.add("schema.json", json::schema::canonical().to_string().into());
        if let Some(folder) = wasm {
            for name in MODULE {
                page.add(&format!("isogloss/{name}"), std::fs::read(folder.join(name))?.into());
            }
            page.policy = POLICY_WITH_WASM;
        }
        page.add("index.html", index(wasm.is_some(), rows).into());
        Ok(page)
    }

    fn add(&mut self, path: &str, bytes: Bytes) {
        let mime = match path.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "json")) => "application/json",
            Some((_, "svg")) => "image/svg+xml",
            Some((_, "wasm")) => "application/wasm",
            _ => "application/octet-stream",
        };
        self.files.insert(path.to_owned(), File { mime, bytes });
    }

    /// The file of a path, which begins with a slash.
    pub fn file(&self, path: &str) -> Option<&File> {
        let path = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
        self.files.get(path)
    }

    /// Writes all files into a folder, to be served by anything. The policy stands in the page then.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn export(&self, folder: &Path) -> io::Result<()> {
        let policy =
            format!("<head>\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", in_page(self.policy));
        for (path, file) in &self.files {
            let target = folder.join(path);
            std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
            if path == "index.html" {
                std::fs::write(target, String::from_utf8_lossy(&file.bytes).replacen("<head>", &policy, 1))?;
            } else {
                std::fs::write(target, &file.bytes)?;
            }
        }
        Ok(())
    }
}

/// Nothing but the page's own files, and no text that is run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// With WebAssembly, which counts as text that is run.
const POLICY_WITH_WASM: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                                img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                                frame-ancestors 'none'";

/// A page cannot say who may frame it; only a header can.
fn in_page(policy: &str) -> &str {
    policy.trim_end_matches("; frame-ancestors 'none'")
}

/// The folder that `compiler/wasm/build.sh` fills, if it did.
pub fn built_wasm() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm");
    MODULE.iter().all(|name| folder.join(name).is_file()).then_some(folder)
}

fn index(wasm: bool, rows: bool) -> String {
    let mut known = String::from("<html lang=\"en\"");
    known.push_str(if wasm { " data-wasm" } else { "" });
    known.push_str(if rows { " data-rows>" } else { ">" });
    // All at once, instead of each when the one before it names it.
    let scripts = FILES.iter().filter(|(path, _)| path.ends_with(".js"));
    let mut early: Vec<String> =
        scripts.map(|(path, _)| format!("<link rel=\"modulepreload\" href=\"{path}\">")).collect();
    let data = ["catalog.json", "examples.json"].into_iter().chain(wasm.then_some("isogloss/isogloss_bg.wasm"));
    early.extend(data.map(|path| format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{path}\">")));
    if wasm {
        early.push("<link rel=\"modulepreload\" href=\"isogloss/isogloss.js\">".to_owned());
    }
    INDEX.replacen("<html lang=\"en\">", &known, 1).replacen(EARLY, &early.join("\n    "), 1)
}

/// The place in the page of what is loaded early.
const EARLY: &str = "<!-- before the program: what the server adds -->";

/// The examples, and the queries of the standard behind them. Trees are texts: their keys keep their order.
fn examples() -> String {
    let standard: Vec<String> = (tpch::queries(tpch::SCALE).iter().zip(TITLES))
        .map(|(query, title)| {
            let (number, tree) = (query.number, json::to_string(&query.expr));
            format!(r#"{{"id":"q{number:02}","title":"Q{number}: {title}","tree":{tree}}}"#)
        })
        .collect();
    let (own, _) = EXAMPLES.trim_end().rsplit_once(']').unwrap_or((EXAMPLES, ""));
    format!(r#"{},{{"topic":"TPC-H","examples":[{}]}}]"#, own.trim_end(), standard.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isogloss_compiler::model::{Catalog, CatalogBuilder};
    use serde_json::Value;

    #[test]
    fn the_definitions_are_those_of_the_standards_tables() {
        let definitions = CatalogBuilder::from_json(CATALOG).unwrap().build().unwrap();
        let show = |catalog: &Catalog| -> Vec<String> {
            catalog
                .entities()
                .map(|(_, entity)| {
                    format!(
                        "{:?}",
                        (
                            &entity.name,
                            &entity.table,
                            &entity.columns,
                            &entity.joins,
                            &entity.foreign_columns,
                            &entity.relations
                        )
                    )
                })
                .collect()
        };
        assert_eq!(show(&definitions), show(&tpch::catalog().unwrap()));
    }

    /// Each example compiles for an engine at least, and each topic and identifier is there once.
    #[test]
    fn every_example_is_a_tree() {
        let topics: Vec<Value> = serde_json::from_str(&examples()).unwrap();
        let mut ids = Vec::new();
        for topic in &topics {
            for example in topic["examples"].as_array().unwrap() {
                ids.push(example["id"].as_str().unwrap().to_owned());
                let options =
                    serde_json::json!({"root": example["root"], "text": example["text"], "verb": example["verb"]});
                let answer: Value = serde_json::from_str(&isogloss_wasm::compile(
                    CATALOG,
                    &example["tree"].to_string(),
                    &options.to_string(),
                ))
                .unwrap();
                assert_eq!(answer["error"], Value::Null, "{example}");
                let results = answer["results"].as_array().unwrap();
                let wrong = results.iter().find(|r| r["error"]["refused"] == false);
                assert_eq!(wrong, None, "{example}");
                assert!(results.iter().any(|r| r["sql"].is_string()), "{example}");
            }
        }
        let all = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all, "an identifier comes twice");
        assert!(topics.len() > 5 && all > 40);
    }
}
