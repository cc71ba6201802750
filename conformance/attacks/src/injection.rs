//! Hostile texts in every place where a text may come in: each is data, or refused with an error of ours, and nothing else in
//! the database changes.

use std::collections::BTreeMap;
use std::time::Duration;

use isogloss::config::{DataSourceConfig, OrmConfig};
use isogloss::driver::ErrorKind;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{ExprString, OrmContext, OrmError, Session};

use crate::Outcome;
use crate::payloads;
use crate::servers::Database;

/// What came of the texts at an entry point.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    /// They were data.
    pub data: u64,
    /// They were refused.
    pub refused: u64,
}

/// What came of them at each entry point, by its name.
pub type Found = BTreeMap<&'static str, Counts>;

/// What rows a statement has to give.
#[derive(Clone, Copy)]
enum Gives {
    /// One, with the text in its only column.
    Itself,
    /// The one that holds the text.
    ItsRow,
    /// Whatever there is.
    Anything,
}
use Gives::{Anything, ItsRow, Itself};

type Make = fn(&str) -> Expr;

fn rows(filter: LogicExpr) -> Expr {
    from("Item").filter(filter).select(["Name"]).into()
}

fn one(item: impl Into<ValueTypeExpr>) -> Expr {
    from("Canary").filter(prop("Id").eq(1)).select([item.into().alias("v")]).into()
}

fn call(name: &'static str, text: &str, others: &[&str]) -> Expr {
    let args = std::iter::once(text).chain(others.iter().copied()).map(ValueTypeExpr::from);
    one(func(name, args.collect::<Vec<_>>()))
}

/// Where a text may be a value or a name in a tree.
const TREES: &[(&str, Gives, Make)] = &[
    ("=", ItsRow, |s| rows(prop("Name").eq(s))),
    ("<>", Anything, |s| rows(prop("Name").ne(s))),
    ("<", Anything, |s| rows(prop("Name").lt(s))),
    ("<=", ItsRow, |s| rows(prop("Name").le(s))),
    (">", Anything, |s| rows(prop("Name").gt(s))),
    (">=", ItsRow, |s| rows(prop("Name").ge(s))),
    ("BETWEEN", ItsRow, |s| rows(prop("Name").between(s, s))),
    ("IN", ItsRow, |s| rows(prop("Name").in_list([s, "b"]))),
    ("NOT IN", Anything, |s| rows(prop("Name").not_in_list([s, "b"]))),
    ("LIKE", Anything, |s| rows(prop("Name").like(s))),
    ("contains", ItsRow, |s| rows(prop("Name").contains(s))),
    ("starts with", ItsRow, |s| rows(prop("Name").starts_with(s))),
    ("ends with", ItsRow, |s| rows(prop("Name").ends_with(s))),
    ("against a number", Anything, |s| rows(prop("Id").eq(s))),
    ("row", Anything, |s| rows(row([prop("Id"), prop("Name")]).in_list(row([row([value(1), value(s)])])))),
    ("value", Itself, |s| one(value(s))),
    ("constant", Itself, |s| one(constant(s))),
    ("CASE", Itself, |s| one(if_else(prop("Id").eq(1), s, "no"))),
    ("Concat", Itself, |s| one(value(s).concat(""))),
    ("Coalesce", Itself, |s| call("Coalesce", s, &["b"])),
    ("Replace", Anything, |s| call("Replace", "abc", &["b", s])),
    ("Replace what", Anything, |s| call("Replace", s, &["b", "c"])),
    ("Lower", Anything, |s| call("Lower", s, &[])),
    ("Trim", Anything, |s| call("Trim", s, &[])),
    ("Length", Anything, |s| call("Length", s, &[])),
    ("IndexOf", Anything, |s| call("IndexOf", "abc", &[s])),
    ("cast", Anything, |s| one(value(s).cast(DbValueType::String))),
    ("JSON path", Anything, |s| one(func("JsonValue", [document(s), s.into()]))),
    ("JSON key", Anything, |s| one(func("JsonValue", [document(s), format!("$.{}", json_text(s)).into()]))),
    ("cursor", Anything, |s| {
        let keys = [prop("Name").asc(), prop("Id").asc()];
        from("Item").order_by(keys).after([value(s), value(0)], 5).select(["Name"]).into()
    }),
    ("alias", Anything, |s| from("Item").select([prop("Id").alias(s)]).into()),
    ("alias below", Anything, |s| {
        let below = SqlSegment::from(from("Item").select([prop("Id").alias(s)]));
        below.filter(prop(s).gt(0)).select([prop(s)]).into()
    }),
    ("alias of a table", Anything, |s| {
        let items = SqlSegment::from(isogloss::expr::TableExpr { alias: Some(s.into()), ..table("Item") });
        items.select([prop_of(s, "Id")]).into()
    }),
    ("common table", Anything, |s| SqlSegment::from(from("Item").select(["Id"]).with(s)).select(["Id"]).into()),
    ("property", Anything, |s| rows(prop(s).eq(1))),
    ("qualifier", Anything, |s| rows(prop_of(s, "Id").eq(1))),
    ("order", Anything, |s| from("Item").order_by([prop(s).asc()]).select(["Id"]).into()),
    ("entity", Anything, |s| from(s).select(["Id"]).into()),
    ("EXISTS", Anything, |s| rows(exists(s, None).into())),
    ("function", Anything, |s| one(func(s, [1]))),
    ("fragment", Anything, |s| rows(sql(s, 1).into())),
    ("table argument", Anything, |s| from_args("Shard", [s]).select(["Id"]).into()),
];

/// A JSON document with that key.
fn document(key: &str) -> ValueTypeExpr {
    value(Value::Json(format!("{{{}:1}}", json_text(key)).into())).into()
}

/// A text as JSON has it.
fn json_text(text: &str) -> String {
    json::to_string(&ValueTypeExpr::from(value(text))).trim_start_matches("{\"@\":").trim_end_matches('}').to_owned()
}

fn catalog() -> Outcome<Catalog> {
    let id = || ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key();
    let word = |name: &'static str, column: &'static str| ColumnDef::new(name, DbValueType::String).column(column);
    Ok(Catalog::builder()
        .table(TableDef::new("Item").table("items").column(id()).column(word("Name", "name").length(400)))
        .table(TableDef::new("Canary").table("canaries").column(id()).column(word("Word", "word").length(40)))
        .table(TableDef::new("Shard").table("shard_{0}").column(id()))
        .build()?)
}

/// A database that is attacked.
struct Attacked<'u> {
    provider: &'u str,
    url: &'u str,
    context: OrmContext,
    session: Session,
    found: Found,
    wrong: Vec<String>,
}

/// Tries every text at every entry point of an engine.
///
/// # Errors
/// A text that was neither data nor refused; or a canary that has changed.
pub async fn run(provider: &str, server: &str) -> Outcome<Found> {
    let database = match provider {
        "sqlite" => None,
        _ => Some(Database::make("isogloss_attacks", provider, server).await?),
    };
    let url = database.as_ref().map_or(":memory:", |database| &database.url);
    let done = attack(provider, url).await;
    if let Some(database) = &database {
        database.end().await?;
    }
    done
}

async fn attack(provider: &str, url: &str) -> Outcome<Found> {
    let context = open(provider, url, catalog()?)?;
    for entity in ["Item", "Canary"] {
        context.sync_table(entity, [""; 0]).await?;
    }
    let session = context.create_session()?;
    let mut attacked = Attacked { provider, url, context, session, found: Found::new(), wrong: Vec::new() };
    for id in 1..=3 {
        attacked.change(table("Canary").insert(["Id", "Word"], vec![id.into(), format!("canary {id}").into()])).await?;
    }
    let canaries = attacked.canaries().await?;
    for text in payloads::all() {
        attacked.try_all(&text).await?;
        if attacked.canaries().await? != canaries {
            return Err(format!("{} has changed what is beside it", shown(&text)).into());
        }
    }
    attacked.context.close();
    match attacked.wrong.first() {
        None => Ok(attacked.found),
        Some(_) => Err(format!("{}:\n{}", attacked.wrong.len(), attacked.wrong.join("\n")).into()),
    }
}

fn open(provider: &str, url: &str, catalog: Catalog) -> Outcome<OrmContext> {
    let context = OrmContext::new(catalog);
    let source = DataSourceConfig::new("main", provider, url).pool_size(1).connect_timeout(Duration::from_secs(5));
    context.add_data_source(source, true)?;
    Ok(context)
}

impl Attacked<'_> {
    async fn try_all(&mut self, text: &str) -> Outcome<()> {
        let inserted = self.change(table("Item").insert(["Id", "Name"], vec![1.into(), text.into()])).await;
        let stored = inserted.is_ok();
        self.count("INSERT", text, inserted.map(|_| true));
        for &(name, gives, make) in TREES {
            let answer = self.ask(&make(text)).await.map(|rows| match gives {
                Itself => matches!(rows.as_slice(), [row] if row.as_slice() == [Value::from(text)]),
                ItsRow => !stored || rows.contains(&vec![text.into()]),
                Anything => true,
            });
            self.count(name, text, answer);
        }
        for (name, template) in [("template", "SELECT {0} AS v"), ("identifier in a template", "SELECT 1 AS {0}")] {
            let template = ExprString::parse(template)?;
            let is_value = name == "template";
            let template = if is_value { template.arg(text) } else { template.arg(isogloss::identifier(text)) };
            let answer = ask(&self.session, &template).await;
            self.count(name, text, answer.map(|rows| !is_value || rows == [[Value::from(text)]]));
        }
        self.change(table("Item").delete().all_rows()).await?;
        self.change(table("Item").insert(["Id", "Name"], vec![2.into(), "b".into()])).await?;
        let updated = self.change(table("Item").update([("Name", value(text))]).filter(prop("Id").eq(2))).await;
        self.count("UPDATE", text, updated.map(|count| count == 1 || text == "b"));
        let deleted = self.change(table("Item").delete().filter(prop("Name").eq(text))).await;
        self.count("DELETE", text, deleted.map(|_| true));
        self.change(table("Item").delete().all_rows()).await?;

        for (name, tree) in [("JSON", text.to_owned()), ("JSON property", format!("{{\"#\":{}}}", json_text(text)))] {
            match json::read::<LogicExpr>(&tree, &json::Limits::DEFAULT) {
                Ok(tree) => {
                    let answer = self.ask(&rows(tree)).await;
                    self.count(name, text, answer.map(|_| true));
                }
                Err(_) => self.found.entry(name).or_default().refused += 1,
            }
        }
        self.configured(text).await;
        let made = self.table_of(text).await;
        self.count("names of a table and a column", text, made);
        Ok(())
    }

    /// Configurations.
    async fn configured(&mut self, text: &str) {
        let key = format!("{{\"Orm\":{{{}:1,\"DataSources\":[{{\"Name\":\"m\",{0}:1}}]}}}}", json_text(text));
        for (name, config) in [("configuration", text), ("key of a configuration", key.as_str())] {
            let read = OrmConfig::from_json(config).map(|_| true);
            self.count(name, text, read.map_err(OrmError::from));
        }
        let url = match self.url.rsplit_once('/') {
            // What is a file's name may make it.
            _ if self.provider == "sqlite" => text.to_owned(),
            Some((base, _)) => format!("{base}/{text}"),
            None => return,
        };
        let opened = match catalog().and_then(|catalog| open(self.provider, &url, catalog)) {
            Ok(context) => context.ping().await.map(|()| true),
            Err(error) => match error.downcast::<OrmError>() {
                Ok(error) => Err(*error),
                Err(_) => return,
            },
        };
        match opened {
            // That there is no such database.
            Err(OrmError::Driver { .. }) => self.found.entry("connection string").or_default().refused += 1,
            opened => self.count("connection string", text, opened),
        }
    }

    /// Makes a table of that name, with a column of that name, and reads what it writes there.
    async fn table_of(&self, text: &str) -> Result<bool, OrmError> {
        let id = ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key();
        let word = ColumnDef::new("Word", DbValueType::String).column(format!("{text}_")).length(40);
        let catalog = Catalog::builder().table(TableDef::new("Odd").table(format!("{text}__")).column(id).column(word));
        let context = OrmContext::new(catalog.build()?);
        context.add_data_source(DataSourceConfig::new("main", self.provider, self.url).pool_size(1), true)?;
        context.sync_table("Odd", [""; 0]).await?;
        let session = context.create_session()?;
        let insert = table("Odd").insert(["Id", "Word"], vec![1.into(), "odd".into()]);
        change(&session, &insert.into()).await?;
        let found = ask(&session, &Expr::from(from("Odd").select(["Word"]))).await?;
        context.close();
        Ok(found == [[Value::from("odd")]])
    }

    async fn change(&self, statement: impl Into<Expr>) -> Result<u64, OrmError> {
        change(&self.session, &statement.into()).await
    }

    async fn ask(&self, query: &Expr) -> Result<Vec<Vec<Value>>, OrmError> {
        ask(&self.session, query).await
    }

    async fn canaries(&self) -> Result<Vec<Vec<Value>>, OrmError> {
        self.ask(&from("Canary").order_by(["Id"]).select(["Id", "Word"]).into()).await
    }

    /// Counts what came of a text.
    fn count(&mut self, name: &'static str, text: &str, came: Result<bool, OrmError>) {
        let counts = self.found.entry(name).or_default();
        match came {
            Ok(true) => counts.data += 1,
            Ok(false) => self.wrong.push(format!("{name}: {} came back as something else", shown(text))),
            Err(error) if is_refusal(name, &error) => counts.refused += 1,
            Err(error) => self.wrong.push(format!("{name}: {}: {:?} {error:.300}", shown(text), error.kind())),
        }
    }
}

/// Where a text is a part of a table's name, which need not be there.
const TABLES: [&str; 2] = ["table argument", "names of a table and a column"];

/// Whether it says what is wrong with a text, and not that an engine has read it as SQL.
fn is_refusal(name: &str, error: &OrmError) -> bool {
    let as_sql = || {
        let (code, text) = (error.driver().and_then(|error| error.code()), error.to_string());
        matches!(code, Some("42601" | "1064"))
            || ["near \"", "unrecognized token", "incomplete input"].iter().any(|part| text.contains(part))
    };
    match error.kind() {
        Some(ErrorKind::ConnectionLost | ErrorKind::Timeout) => false,
        Some(ErrorKind::Syntax) => TABLES.contains(&name) && !as_sql(),
        _ => true,
    }
}

async fn change(session: &Session, statement: &Expr) -> Result<u64, OrmError> {
    let mut lease = session.lease(None, Purpose::Write).await?;
    let target = lease.target().clone();
    lease.execute(&target.compile(statement)?).await
}

async fn ask<'q>(session: &Session, query: impl Into<isogloss::StatementRef<'q>>) -> Result<Vec<Vec<Value>>, OrmError> {
    let mut lease = session.lease(None, Purpose::Read).await?;
    let target = lease.target().clone();
    lease.fetch(&target.compile(query)?).await
}

fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}
