//! Hostile texts in every place where a text may come in: each is data, or refused with an error of ours, and nothing else in
//! the database changes.

use std::collections::BTreeMap;
use std::time::Duration;

use isogloss::config::{DataSourceConfig, OrmConfig};
use isogloss::driver::ErrorKind;
use isogloss::expr::{
    DbValueType, Expr, SqlSegment, Value, ValueTypeExpr, constant, exists, from_args, if_else, row, sql, value,
};
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Buffers, ExprString, OrmContext, OrmError, Request, Session};

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

/// Whether the rows are those that a statement has to give for that text, which is in a row of `Item` or not. The other row
/// there is [`HARMLESS`].
type Gives = fn(&str, bool, &[Vec<Value>]) -> bool;

/// The name of the row that no text is to reach.
const HARMLESS: &str = "harmless";

/// What is written of an item, which belongs to itself.
const ITEM: [&str; 3] = ["Id", "Name", "OwnerId"];

/// What no answer may hold.
const CANARY: &str = "canary ";

fn only(text: &str, rows: &[Vec<Value>]) -> bool {
    matches!(rows, [row] if row.as_slice() == [Value::from(text)])
}

/// One row, with the text in its only column.
fn itself(text: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    only(text, rows)
}

/// The row that holds the text, and no other.
fn its_row(text: &str, stored: bool, rows: &[Vec<Value>]) -> bool {
    if stored { only(text, rows) } else { rows.is_empty() }
}

/// As before; but every text has the empty one in it.
fn part(text: &str, stored: bool, rows: &[Vec<Value>]) -> bool {
    if text.is_empty() { every(text, stored, rows) } else { its_row(text, stored, rows) }
}

/// The row that holds the text, among others.
fn with_its_row(text: &str, stored: bool, rows: &[Vec<Value>]) -> bool {
    !stored || rows.contains(&vec![text.into()])
}

/// Not the row that holds the text.
fn without_its_row(text: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    !rows.contains(&vec![text.into()])
}

/// The other row alone.
fn the_other(_: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    only(HARMLESS, rows)
}

/// As many rows as there are.
fn every(_: &str, stored: bool, rows: &[Vec<Value>]) -> bool {
    rows.len() == if stored { 2 } else { 1 }
}

/// What stands under the text as a key.
fn its_key(_: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    only("1", rows)
}

fn one_row(_: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    rows.len() == 1
}

fn at_most_one_row(_: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    rows.len() <= 1
}

fn no_row(_: &str, _: bool, rows: &[Vec<Value>]) -> bool {
    rows.is_empty()
}

/// A pattern of the text's own.
fn whatever(_: &str, _: bool, _: &[Vec<Value>]) -> bool {
    true
}

/// There is nothing of that name: it is refused.
fn never(_: &str, _: bool, _: &[Vec<Value>]) -> bool {
    false
}

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
    ("=", its_row, |s| rows(prop("Name").eq(s))),
    ("<>", the_other, |s| rows(prop("Name").ne(s))),
    ("<", without_its_row, |s| rows(prop("Name").lt(s))),
    ("<=", with_its_row, |s| rows(prop("Name").le(s))),
    (">", without_its_row, |s| rows(prop("Name").gt(s))),
    (">=", with_its_row, |s| rows(prop("Name").ge(s))),
    ("BETWEEN", its_row, |s| rows(prop("Name").between(s, s))),
    ("IN", its_row, |s| rows(prop("Name").in_list([s, "b"]))),
    ("NOT IN", the_other, |s| rows(prop("Name").not_in_list([s, "b"]))),
    ("LIKE", whatever, |s| rows(prop("Name").like(s))),
    ("contains", part, |s| rows(prop("Name").contains(s))),
    ("starts with", part, |s| rows(prop("Name").starts_with(s))),
    ("ends with", part, |s| rows(prop("Name").ends_with(s))),
    ("against a number", no_row, |s| rows(prop("Id").eq(s))),
    ("row", its_row, |s| rows(row([prop("Id"), prop("Name")]).in_list(row([row([value(1), value(s)])])))),
    ("value", itself, |s| one(value(s))),
    ("constant", itself, |s| one(constant(s))),
    ("CASE", itself, |s| one(if_else(prop("Id").eq(1), s, "no"))),
    ("Concat", itself, |s| one(value(s).concat(""))),
    ("Coalesce", itself, |s| call("Coalesce", s, &["b"])),
    ("Replace", |s, _, rows| only(&format!("a{s}c"), rows), |s| call("Replace", "abc", &["b", s])),
    ("Replace what", |s, _, rows| only(&s.replace('b', "c"), rows), |s| call("Replace", s, &["b", "c"])),
    ("Lower", one_row, |s| call("Lower", s, &[])),
    ("Trim", one_row, |s| call("Trim", s, &[])),
    ("Length", one_row, |s| call("Length", s, &[])),
    ("IndexOf", one_row, |s| call("IndexOf", "abc", &[s])),
    ("cast", itself, |s| one(value(s).cast(DbValueType::String))),
    ("JSON path", one_row, |s| one(func("JsonValue", [document(s), s.into()]))),
    ("JSON key", its_key, |s| one(func("JsonValue", [document(s), format!("$.{}", json_text(s)).into()]))),
    ("cursor", with_its_row, |s| {
        let keys = [prop("Name").asc(), prop("Id").asc()];
        from("Item").order_by(keys).after([value(s), value(0)], 5).select(["Name"]).into()
    }),
    ("relation", its_row, |s| rows(prop_of("Owner", "Name").eq(s))),
    ("EXISTS along a relation", its_row, |s| rows(exists_related("Item", prop("Name").eq(s)).into())),
    ("view", its_row, |s| from("ItemView").filter(prop("OwnerName").eq(s)).select(["OwnerName"]).into()),
    ("computed column", its_row, |s| rows(prop("Label").eq(format!("{s}'!")))),
    ("alias", every, |s| from("Item").select([prop("Id").alias(s)]).into()),
    ("alias below", every, |s| {
        let below = SqlSegment::from(from("Item").select([prop("Id").alias(s)]));
        below.filter(prop(s).gt(0)).select([prop(s)]).into()
    }),
    ("alias of a table", every, |s| {
        let items = SqlSegment::from(isogloss::expr::TableExpr { alias: Some(s.into()), ..table("Item") });
        items.select([prop_of(s, "Id")]).into()
    }),
    ("common table", every, |s| SqlSegment::from(from("Item").select(["Id"]).with(s)).select(["Id"]).into()),
    ("property", at_most_one_row, |s| rows(prop(s).eq(1))),
    ("qualifier", at_most_one_row, |s| rows(prop_of(s, "Id").eq(1))),
    ("order", every, |s| from("Item").order_by([prop(s).asc()]).select(["Id"]).into()),
    ("entity", never, |s| from(s).select(["Id"]).into()),
    ("EXISTS", never, |s| rows(exists(s, None).into())),
    ("function", never, |s| one(func(s, [1]))),
    ("fragment", never, |s| rows(sql(s, 1).into())),
    ("table argument", never, |s| from_args("Shard", [s]).select(["Id"]).into()),
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
    let owner = ColumnDef::new("OwnerId", DbValueType::Int32).column("owner").nullable();
    let label = word("Label", "label").length(402).nullable().computed_expr(prop("Name").concat("'!"));
    let item = TableDef::new("Item").table("items").column(id()).column(word("Name", "name").length(400));
    Ok(Catalog::builder()
        .table(item.column(owner.foreign(ForeignType::new("Item").alias("Owner"))).column(label))
        .view(ViewDef::new("ItemView", "Item").foreign_column("OwnerName", "Owner", "Name"))
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
        attacked
            .change(table("Canary").insert(["Id", "Word"], vec![id.into(), format!("{CANARY}{id}").into()]))
            .await?;
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
    context.add_data_source(source)?;
    Ok(context)
}

impl Attacked<'_> {
    async fn try_all(&mut self, text: &str) -> Outcome<()> {
        self.change(table("Item").insert(ITEM, vec![3.into(), HARMLESS.into(), 3.into()])).await?;
        let inserted = self.change(table("Item").insert(ITEM, vec![1.into(), text.into(), 1.into()])).await;
        let stored = inserted.is_ok();
        self.count("INSERT", text, inserted.map(|count| count == 1));
        for &(name, gives, make) in TREES {
            let answer = self.ask(&make(text)).await;
            self.count(name, text, answer.map(|rows| no_canary(&rows) && gives(text, stored, &rows)));
        }
        for (name, template) in [("template", "SELECT {0} AS v"), ("identifier in a template", "SELECT 1 AS {0}")] {
            let template = ExprString::parse(template)?;
            let is_value = name == "template";
            let template = if is_value { template.arg(text) } else { template.arg(isogloss::identifier(text)) };
            let answer = ask(&self.session, &template).await;
            let wanted = if is_value { Value::from(text) } else { Value::from(1) };
            self.count(name, text, answer.map(|rows| rows == [[wanted]]));
        }
        let items = from("Item").select(["Name"]).into();
        for (name, gives, scope) in [
            ("scope", its_row as Gives, Scope::new().column("Name", text)),
            ("scope, one of", its_row, Scope::new().column_in("Name", [text, "b"])),
            ("filter of a scope", the_other, Scope::new().filter_of("Item", prop("Name").ne(text))),
            ("name of a scope's filter", the_other, Scope::new().column("Name", HARMLESS).named(text)),
        ] {
            let answer = ask_within(&self.session, &items, &scope).await;
            self.count(name, text, answer.map(|rows| gives(text, stored, &rows)));
        }
        self.change(table("Item").delete().filter(prop("Id").eq(1))).await?;
        self.change(table("Item").insert(["Id", "Name"], vec![2.into(), "b".into()])).await?;
        let updated = self.change(table("Item").update([("Name", value(text))]).filter(prop("Id").eq(2))).await;
        let holds_it = u64::from(updated.is_ok());
        self.count("UPDATE", text, updated.map(|count| count == 1));
        let deleted = self.change(table("Item").delete().filter(prop("Name").eq(text))).await;
        self.change(table("Item").delete().filter(prop("Id").eq(2))).await?;
        let left = self.ask(&from("Item").select(["Name"]).into()).await?;
        self.count("DELETE", text, deleted.map(|count| count == holds_it && only(HARMLESS, &left)));
        self.change(table("Item").delete().all_rows()).await?;

        for (name, tree) in [("JSON", text.to_owned()), ("JSON property", format!("{{\"#\":{}}}", json_text(text)))] {
            match json::read::<LogicExpr>(&tree, &json::ReadLimits::DEFAULT) {
                Ok(tree) => {
                    let answer = self.ask(&rows(tree)).await;
                    self.count(name, text, answer.map(|rows| no_canary(&rows)));
                }
                Err(_) => self.found.entry(name).or_default().refused += 1,
            }
        }
        self.configured(text).await?;
        let made = self.table_of(text).await;
        self.count("names of a table and a column", text, made);
        let computed = self.computed_of(text).await;
        self.count(COMPUTED, text, computed);
        Ok(())
    }

    /// Configurations.
    async fn configured(&mut self, text: &str) -> Outcome<()> {
        let key = format!("{{\"Orm\":{{{}:1,\"DataSources\":[{{\"Name\":\"m\",{0}:1}}]}}}}", json_text(text));
        for (name, config) in [("configuration", text), ("key of a configuration", key.as_str())] {
            let read = OrmConfig::from_json(config).map(|_| true);
            self.count(name, text, read.map_err(OrmError::from));
        }
        let url = match self.url.rsplit_once('/') {
            // What is a file's name may make it.
            _ if self.provider == "sqlite" => text.to_owned(),
            Some((base, _)) => format!("{base}/{text}"),
            None => return Err("a URL with a database".into()),
        };
        let opened = match open(self.provider, &url, catalog()?) {
            Ok(context) => context.ping().await.map(|()| true),
            Err(error) => Err(*error.downcast::<OrmError>()?),
        };
        self.count("connection string", text, opened);
        Ok(())
    }

    /// Makes a table of that name, with a column of that name, and reads what it writes there.
    async fn table_of(&self, text: &str) -> Result<bool, OrmError> {
        let word = ColumnDef::new("Word", DbValueType::String).column(format!("{text}_")).length(40);
        let found = self.made(TableDef::new("Odd").table(format!("{text}__")).column(word), "Word").await?;
        Ok(found == [[Value::from("odd ")]])
    }

    /// Makes a table with a column that is computed from the text, and reads what becomes of it there.
    async fn computed_of(&self, text: &str) -> Result<bool, OrmError> {
        let word = ColumnDef::new("Word", DbValueType::String).column("word").length(40);
        let both = ColumnDef::new("Both", DbValueType::String).column("both").length(440).nullable();
        let both = both.computed_expr(prop("Word").concat(text));
        let number = self.found.get(COMPUTED).map_or(0, |counts| counts.data + counts.refused);
        let odd = TableDef::new("Odd").table(format!("computed_{number}"));
        let found = self.made(odd.column(word).column(both), "Both").await?;
        Ok(found == [[Value::from(format!("odd {text}"))]])
    }

    /// Makes the table, gives it a key, writes a word there, and reads the column.
    async fn made(&self, odd: TableDef, column: &'static str) -> Result<Vec<Vec<Value>>, OrmError> {
        let id = ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key();
        let context = OrmContext::new(Catalog::builder().table(odd.column(id)).build()?);
        context.add_data_source(DataSourceConfig::new("main", self.provider, self.url).pool_size(1))?;
        let found = async {
            context.sync_table("Odd", [""; 0]).await?;
            let session = context.create_session()?;
            change(&session, &table("Odd").insert(["Id", "Word"], vec![1.into(), "odd ".into()]).into()).await?;
            ask(&session, &Expr::from(from("Odd").select([column]))).await
        };
        let found = found.await;
        context.close();
        found
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

/// Where a text is a part of a table's definition, for which an engine may find it too long.
const COMPUTED: &str = "constant of a computed column";
const TOO_LONG: &str = "4026";

/// How engines say that there is no such table, schema or database, or that it is theirs.
const NO_TABLE: [&str; 5] = ["42P01", "3F000", "42501", "1146", "1049"];
const NO_TABLE_IN_SQLITE: [&str; 3] = ["no such table", "unknown database", "reserved for internal use"];

/// Whether it is an error of ours that says what is wrong with a text, and not an engine's that has read it as SQL.
fn is_refusal(name: &str, error: &OrmError) -> bool {
    match error.kind() {
        Some(ErrorKind::Compile | ErrorKind::Configuration | ErrorKind::BadValue) => true,
        Some(ErrorKind::Connect) => name == "connection string",
        None => matches!(error, OrmError::Catalog(_) | OrmError::Field(_)),
        _ if name == COMPUTED => error.driver().and_then(|error| error.code()) == Some(TOO_LONG),
        _ if TABLES.contains(&name) => {
            let (code, text) = (error.driver().and_then(|error| error.code()), error.to_string());
            code.is_some_and(|code| NO_TABLE.contains(&code))
                || NO_TABLE_IN_SQLITE.iter().any(|part| text.contains(part))
        }
        _ => false,
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

async fn ask_within(session: &Session, query: &Expr, scope: &Scope) -> Result<Vec<Vec<Value>>, OrmError> {
    let mut lease = session.lease(None, Purpose::Read).await?;
    let target = lease.target().clone();
    let statement = target.compile_with(query, &Request::default().scope(scope), Buffers::default())?;
    lease.fetch(&statement).await
}

fn no_canary(rows: &[Vec<Value>]) -> bool {
    !rows.iter().flatten().any(|value| value.to_string().contains(CANARY))
}

fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}
