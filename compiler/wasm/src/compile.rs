//! A tree, compiled for each dialect.

use std::sync::Arc;

use isogloss_compiler::dialect::{Dialect, Placeholder};
use isogloss_compiler::expr::{DbType, Expr};
use isogloss_compiler::json::{self, JsonErrorKind};
use isogloss_compiler::model::TextMode;
use isogloss_compiler::{Buffers, Compiled, Compiler, Error, ErrorKind, Request, Verb, compact_str::CompactString};
use serde::Deserialize;

use crate::json::Json;
use crate::targets::{self, FAMILIES};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Options {
    dialects: Option<Vec<String>>,
    root: Option<String>,
    verb: Option<String>,
    text: Option<String>,
    table_args: Vec<String>,
}

/// The options, each as what it says.
struct Asked {
    dialects: Vec<Arc<dyn Dialect>>,
    root: Option<String>,
    verb: Verb,
    text: TextMode,
    table_args: Vec<CompactString>,
}

pub(crate) fn answer(catalog: &str, tree: &str, options: &str) -> String {
    let asked = match read_options(options) {
        Ok(asked) => asked,
        Err(message) => return Json::error("options", &message, None),
    };
    let compiler = match crate::build(catalog) {
        Ok(catalog) => Compiler::new(catalog),
        Err(message) => return Json::error("catalog", &message, None),
    };
    let tree = match json::from_str(tree) {
        Ok(tree) => tree,
        Err(error) => return unreadable(&error),
    };
    let mut out = Json::default();
    out.open('{');
    out.key("tree").raw(&json::to_string(&tree));
    out.key("results").open('[');
    for dialect in &asked.dialects {
        write_result(&mut out, &compiler, &tree, &asked, &**dialect);
    }
    out.close(']');
    out.close('}');
    out.finish()
}

fn read_options(text: &str) -> Result<Asked, String> {
    let options = match text.trim() {
        "" => Options::default(),
        text => serde_json::from_str(text).map_err(|error| error.to_string())?,
    };
    let verb = match options.verb.as_deref() {
        None | Some("rows") => Verb::Select,
        Some("count") => Verb::Count,
        Some("exists") => Verb::Exists,
        Some(other) => return Err(format!("unknown verb `{other}`: it is rows, count or exists")),
    };
    let dialects = match options.dialects {
        Some(names) => names.iter().map(|name| targets::named(name)).collect::<Result<_, _>>()?,
        None => FAMILIES.iter().flat_map(|family| family.versions).map(|listed| listed.to_shared()).collect(),
    };
    Ok(Asked {
        dialects,
        root: options.root,
        verb,
        text: options.text.map_or(Ok(TextMode::Database), |mode| mode.parse())?,
        table_args: options.table_args.into_iter().map(CompactString::from).collect(),
    })
}

/// Text that is no tree. Where it is no JSON, the place is one in the text, as no path leads there.
fn unreadable(error: &json::JsonError) -> String {
    let mut out = Json::default();
    out.open('{');
    out.key("error").open('{');
    out.key("in").text("tree");
    out.key("message").text(&error.message());
    out.key("path").text(error.path.as_str());
    if let JsonErrorKind::Syntax { offset, .. } = error.kind {
        out.key("offset").raw(&offset.to_string());
    }
    out.close('}');
    out.close('}');
    out.finish()
}

fn write_result(out: &mut Json, compiler: &Compiler, tree: &Expr, asked: &Asked, dialect: &dyn Dialect) {
    let label = dialect.label();
    let (name, version) = label.split_once(' ').unwrap_or((&label, ""));
    out.open('{');
    out.key("label").text(&label);
    out.key("dialect").text(name);
    out.key("version").text(version);
    let mut request = Request::default().verb(asked.verb).table_args(&asked.table_args).columns();
    request.root = asked.root.as_deref();
    let target = match asked.text {
        TextMode::Database => compiler.target(dialect),
        text => compiler.target_of(dialect, text, &[]),
    };
    match target.compile_with(tree, &request, Buffers::default()) {
        Ok(compiled) => write_compiled(out, &compiled, dialect.sheet().placeholder),
        Err(error) => write_error(out, &error),
    }
    out.close('}');
}

fn write_compiled(out: &mut Json, compiled: &Compiled<'_>, placeholder: Placeholder) {
    out.key("sql").text(&compiled.sql);
    out.key("pretty").text(&compiled.pretty());
    out.key("parameters").open('[');
    for (number, parameter) in (1..).zip(&compiled.params) {
        out.open('{');
        out.key("placeholder").text(&match placeholder {
            Placeholder::Question => "?".to_owned(),
            Placeholder::Numbered(sign) => format!("{sign}{number}"),
        });
        write_type(out, parameter.ty);
        out.key("value").value(&parameter.value);
        out.key("shown").text(&parameter.to_string());
        out.close('}');
    }
    out.close(']');
    out.key("outputs").open('[');
    for output in &compiled.outputs {
        write_column(out, &output.name, output.ty);
    }
    out.close(']');
    out.key("columns").open('[');
    for column in &compiled.columns {
        write_column(out, &column.name, column.ty);
    }
    out.close(']');
    out.key("notes").open('[');
    for note in &compiled.notes {
        out.open('{');
        out.key("rule").text(note.rule.name());
        out.key("feature").text(note.feature);
        out.key("why").text(note.why);
        out.close('}');
    }
    out.close(']');
}

fn write_column(out: &mut Json, name: &str, ty: Option<DbType>) {
    out.open('{');
    out.key("name").text(name);
    write_type(out, ty);
    out.close('}');
}

/// Under the key `type`; null where nothing tells it.
pub(crate) fn write_type(out: &mut Json, ty: Option<DbType>) {
    out.key("type");
    match ty {
        Some(ty) if ty.array => out.text(&format!("{}[]", ty.base.name())),
        Some(ty) => out.text(ty.base.name()),
        None => out.raw("null"),
    }
}

fn write_error(out: &mut Json, error: &Error) {
    out.key("error").open('{');
    out.key("message").text(&error.message());
    out.key("path").text(error.path().as_str());
    out.key("refused").truth(error.is_refused());
    if let ErrorKind::Refused { feature, reason, .. } = error.kind() {
        out.key("feature").text(feature);
        out.key("reason").text(reason);
    }
    out.close('}');
}
