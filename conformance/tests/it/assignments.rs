//! An assignment is a CAST: every type into every other, by every kind of write, on every engine that is at hand.
//!
//! A table has two columns of each type, one to read and one to write. What the evaluator knows of a CAST must be stored by
//! each engine; what it does not know must be refused by each. SQLite is there always, PostgreSQL and MySQL or MariaDB where
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` lead to them.

#[path = "../../../backends/driver/testing/values.rs"]
mod typed;

use std::fmt::Write as _;
use std::sync::Arc;

use isogloss_compiler::expr::{
    ConflictAction, DbValueType as T, Decimal, Expr, Family, SqlSegment, Value, ValueOps, ValueTypeExpr, from, prop,
    prop_of, table,
};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, ErrorKind};
use isogloss_conformance::data::{Answer, Data, Reader, TableData};
use isogloss_conformance::evaluator;
use isogloss_conformance::suite::{self, Engine};
use isogloss_driver::{AnyConnection, ConnectionExt, TransactionOptions};
use typed::TYPES;

#[test]
fn each_family_is_assigned() {
    for ty in T::ALL.into_iter().filter(|ty| ty.family() != Family::Other) {
        assert!(TYPES.iter().any(|known| known.family() == ty.family()), "{ty:?}");
    }
}

/// What an engine has no CAST for, though others do: the dialect, from and to.
const LACKING: &[(&str, T, T)] = &[
    // It has no type with an offset that a text could be read as.
    ("mysql", T::String, T::DateTimeOffset),
    ("mysql", T::AnsiString, T::DateTimeOffset),
    ("mariadb", T::String, T::DateTimeOffset),
    ("mariadb", T::AnsiString, T::DateTimeOffset),
];

/// The kinds of writes.
#[derive(Debug, Clone, Copy)]
enum Write {
    /// `UPDATE t SET b = a`.
    Update,
    /// `INSERT INTO u (b) SELECT a FROM t`.
    Select,
    /// `INSERT INTO t (a) VALUES (..) ON CONFLICT DO UPDATE SET b = EXCLUDED.a`.
    Upsert,
}

fn column(side: &str, ty: T) -> ColumnDef {
    let column = ColumnDef::new(format!("{side}{}", ty.name()), ty).nullable();
    match ty {
        T::Decimal if side == "From" => column.precision(20, 4),
        T::Decimal => column.precision(20, 2),
        T::String | T::AnsiString => column.length(100),
        _ => column,
    }
}

fn catalog() -> Catalog {
    let with = |name: &str| {
        let table = TableDef::new(name).table(format!("{name}s")).column(ColumnDef::new("Id", T::Int32).primary_key());
        TYPES.iter().fold(table, |table, ty| table.column(column("From", *ty)).column(column("To", *ty)))
    };
    Catalog::builder().table(with("Cell")).table(with("Copy")).build().unwrap()
}

fn read<V: std::str::FromStr>(texts: &[&str]) -> Vec<Value>
where
    V::Err: std::fmt::Debug,
    Value: From<V>,
{
    texts.iter().map(|text| text.parse::<V>().unwrap().into()).collect()
}

/// Values of a type, those at its edges among them.
fn samples(ty: T) -> Vec<Value> {
    let whole = |values: &[i64]| values.iter().map(|value| (*value).into()).collect();
    match ty {
        T::Boolean => vec![true.into(), false.into()],
        T::Byte => whole(&[0, 1, 255]),
        T::SByte => whole(&[0, -1, 127, -128]),
        T::Int16 => whole(&[0, 1, -7, i16::MAX.into(), i16::MIN.into()]),
        T::UInt16 => whole(&[0, 1, u16::MAX.into()]),
        T::Int32 => whole(&[0, 1, -7, 250, i32::MAX.into(), i32::MIN.into()]),
        T::UInt32 => whole(&[0, 1, u32::MAX.into()]),
        T::Int64 => whole(&[0, 1, -7, 250, i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1]),
        T::UInt64 => whole(&[0, 1, 900_719_925_474_099]),
        T::Decimal | T::Currency => read::<Decimal>(&[
            "0",
            "0.5",
            "-0.5",
            "2.5",
            "-2.5",
            "1.005",
            "-1.005",
            "0.004",
            "12.30",
            "0.9999",
            "123456.7899",
            "-7",
        ]),
        T::Single => [0.0, 0.5, -0.5, 2.5, -2.5, 0.125, 1024.75].map(Value::from).to_vec(),
        T::Double => [0.0, 0.5, -0.5, 2.5, -2.5, 0.125, 1.005, 1e6 + 0.75].map(Value::from).to_vec(),
        T::String | T::AnsiString => {
            let mut texts: Vec<Value> = [
                "",
                "a",
                "12",
                "-7",
                "2.75",
                "1.005",
                "true",
                " No ",
                "2024-02-29",
                "2024-02-29 23:59:59.999",
                "23:59:59.999",
                "10:20:30",
                "2B6F0CC9-04E4-4D63-9E55-4A5A5D5B2B9A",
                r#"{"a": [1, null]}"#,
            ]
            .map(Value::from)
            .to_vec();
            texts.extend((ty == T::String).then(|| "é日😀".into()));
            texts
        }
        T::Date => read::<chrono::NaiveDate>(&["2024-02-29", "1999-12-31", "1970-01-01"]),
        T::DateTime2 => read::<chrono::NaiveDateTime>(&[
            "2024-02-29T23:59:59.999999",
            "2023-12-31T23:59:59.5",
            "2024-01-31T00:00:00",
            "1969-12-31T12:00:00.25",
        ]),
        T::DateTimeOffset => read::<chrono::DateTime<chrono::FixedOffset>>(&[
            "2024-02-29T23:30:00.999999-02:00",
            "2024-01-01T01:00:00+05:30",
            "2024-01-31T10:20:30Z",
        ]),
        T::Time => read::<chrono::NaiveTime>(&["00:00:00", "23:59:59.999999", "10:20:30.5", "10:20:30"]),
        T::Guid => read::<uuid::Uuid>(&["2b6f0cc9-04e4-4d63-9e55-4a5a5d5b2b9a"]),
        T::Binary => vec![Value::Bytes((*b"abc").into()), Value::Bytes("é".as_bytes().into())],
        T::Json => vec![Value::Json(r#"{"a": [1, null]}"#.into())],
        other => panic!("no values of {other:?}"),
    }
}

/// The values of a type as rows, NULL the last.
fn rows(ty: T) -> Vec<Value> {
    samples(ty).into_iter().chain([Value::Null]).collect()
}

/// A table of which every row has the next value of each type.
fn cells() -> Data {
    let all: Vec<Vec<Value>> = TYPES.iter().map(|ty| rows(*ty)).collect();
    let count = all.iter().map(Vec::len).max().unwrap();
    let columns: Vec<String> = std::iter::once("Id".to_owned())
        .chain(TYPES.iter().flat_map(|ty| [format!("From{}", ty.name()), format!("To{}", ty.name())]))
        .collect();
    let row = |index: usize| -> Vec<Value> {
        let cell = |values: &Vec<Value>| [values.get(index).cloned().unwrap_or_default(), Value::Null];
        std::iter::once(Value::from(index as i64 + 1)).chain(all.iter().flat_map(cell)).collect()
    };
    let table = |name: &str, rows| TableData { entity: name.to_owned(), columns: columns.clone(), rows };
    [table("Cell", (0..count).map(row).collect()), table("Copy", Vec::new())].into_iter().collect()
}

/// A table without its rows.
fn heading(table: &TableData) -> TableData {
    TableData { entity: table.entity.clone(), columns: table.columns.clone(), rows: Vec::new() }
}

/// What is due of a pair of types: the rows that have a value there, and what their CAST is.
struct Pair {
    from: T,
    to: T,
    due: Vec<(i64, Value)>,
}

impl Pair {
    fn new(catalog: &Catalog, data: &Data, from: T, to: T) -> Self {
        let (_, entity) = catalog.entity("Cell").unwrap();
        let (_, target) = entity.column(&format!("To{}", to.name())).unwrap();
        let due = (1..=rows(from).len() as i64).filter_map(|id| {
            let update = table("Cell").update([(target.name.clone(), source(from))]).filter(prop("Id").eq(id));
            let cells = data.table("Cell").unwrap();
            let row = TableData { rows: vec![cells.rows[id as usize - 1].clone()], ..heading(cells) };
            let mut after = [row].into_iter().collect();
            evaluator::execute(catalog, &mut after, &Expr::from(update)).ok()?;
            let value = after.table("Cell").unwrap().rows[0][cells.column(target.name.as_str()).unwrap()].clone();
            // A value that its type has no room for is another test's, and so are the last digits of a float of 32 bits.
            (target.coerce(&value).is_ok() && (to != T::Single || is_single(&value))).then_some((id, value))
        });
        Self { from, to, due: due.collect() }
    }

    /// Whether the CAST has a meaning: of NULL alone it always has.
    fn is_known(&self) -> bool {
        self.due.iter().any(|(_, value)| !value.is_null())
    }

    /// Whether that engine has none.
    fn is_lacking(&self, dialect: &str) -> bool {
        LACKING.contains(&(dialect, self.from, self.to))
    }

    /// The identity that a copied row gets: one for each pair.
    fn shift(&self) -> i64 {
        100 * (1 + TYPES.iter().position(|ty| *ty == self.to).unwrap() as i64)
    }

    fn statement(&self, write: Write, data: &Data) -> Expr {
        let target = format!("To{}", self.to.name());
        let ids: Vec<i64> = self.due.iter().map(|(id, _)| *id).collect();
        match write {
            Write::Update => {
                table("Cell").update([(target.as_str(), source(self.from))]).filter(prop("Id").in_list(ids)).into()
            }
            Write::Select => {
                let rows = from("Cell").filter(prop("Id").in_list(ids));
                let rows = rows.select([prop("Id") + self.shift(), source(self.from)]);
                table("Copy").insert_query(["Id", target.as_str()], rows).into()
            }
            Write::Upsert => {
                let from = format!("From{}", self.from.name());
                let cells = data.table("Cell").unwrap();
                let at = cells.column(&from).unwrap();
                let values = ids.iter().flat_map(|id| [(*id).into(), cells.rows[*id as usize - 1][at].clone()]);
                let insert = table("Cell").insert(["Id", from.as_str()], values.collect());
                let sets = vec![(target.as_str().into(), ValueTypeExpr::from(prop_of("excluded", from.as_str())))];
                insert.conflict(["Id"], ConflictAction::Update(sets)).into()
            }
        }
    }
}

/// Whether a float of 32 bits is the very number.
#[allow(clippy::cast_possible_truncation)]
fn is_single(value: &Value) -> bool {
    match value {
        Value::Float(number) => f64::from(*number as f32) == *number,
        _ => true,
    }
}

fn source(ty: T) -> ValueTypeExpr {
    prop(format!("From{}", ty.name())).into()
}

/// An engine with the two tables in a place of their own.
struct Place {
    engine: Box<dyn Engine>,
    connection: AnyConnection,
    name: String,
}

impl Place {
    async fn new(name: &'static str, url: Option<&str>, catalog: &Catalog, data: &Data) -> Self {
        let engine = suite::connect(name, url).await.unwrap();
        let mut connection = engine.backend().connect().await.unwrap();
        let name = format!("isogloss_assignments_{}", std::process::id());
        let ddl = engine.backend();
        let ddl = ddl.ddl();
        let tables = catalog.entities().flat_map(|(id, _)| ddl.create_table(catalog, id, &[]).unwrap());
        // A process of the same id may have been killed before.
        let fresh = engine.drop_place(&name).into_iter().chain(engine.make_place(&name));
        for text in fresh.chain(engine.enter_place(&name)).chain(tables) {
            connection.script(&text).await.unwrap();
        }
        let mut place = Self { engine, connection, name };
        let cells = data.table("Cell").unwrap();
        let insert = table("Cell").insert(cells.columns.clone(), cells.rows.concat());
        place.run(catalog, &insert.into()).await.unwrap().unwrap();
        place
    }

    /// Whether it was compiled, and what the engine then said.
    async fn run(
        &mut self,
        catalog: &Catalog,
        statement: &Expr,
    ) -> Result<Result<(), String>, isogloss_compiler::Error> {
        let backend = self.engine.backend();
        let compiled = Compiler::new(catalog.clone()).compile(statement, backend.dialect())?.into_owned();
        let done = self.connection.execute(&compiled).await;
        Ok(done.map(drop).map_err(|error| format!("{error}\n    {compiled}")))
    }

    async fn stored(&mut self, catalog: &Catalog, entity: &str) -> Result<Answer, String> {
        let columns: Vec<String> =
            std::iter::once("Id".to_owned()).chain(TYPES.iter().map(|ty| format!("To{}", ty.name()))).collect();
        let query = Expr::from(SqlSegment::from(from(entity).select(columns.iter().map(|name| prop(name.clone())))));
        let backend = self.engine.backend();
        let compiled = Compiler::new(catalog.clone()).compile(&query, backend.dialect()).unwrap().into_owned();
        let types = [T::Int32].into_iter().chain(TYPES).map(|ty| Some(ty.into())).collect();
        let read = self.connection.query_into(&compiled, Reader::typed(types, columns)).await;
        read.map(Reader::into_answer).map_err(|error| format!("{}: {error}\n", self.engine.name()))
    }

    /// Each pair of one source by one kind of write, and what differs.
    async fn check(&mut self, catalog: &Catalog, data: &Data, pairs: &[&Pair], write: Write) -> String {
        let mut found = String::new();
        let label = self.engine.name().to_owned();
        let dialect = self.engine.backend().dialect().sheet().name;
        self.connection.begin(&TransactionOptions::default()).await.unwrap();
        let mut done = Vec::new();
        for pair in pairs {
            let what = format!("{label}: {write:?} of {:?} := {:?}", pair.to, pair.from);
            let wanted = pair.is_known() && !pair.is_lacking(dialect);
            match self.run(catalog, &pair.statement(write, data)).await {
                Ok(Ok(())) if wanted => done.push(*pair),
                Ok(Err(error)) if wanted => {
                    writeln!(found, "{what}: {error}").unwrap();
                    // The transaction may be at its end.
                    self.connection.rollback().await.unwrap();
                    return found;
                }
                Ok(_) => writeln!(found, "{what} has no meaning, but it was compiled").unwrap(),
                Err(error) if wanted || !is_refusal(&error) => writeln!(found, "{what}: {error}").unwrap(),
                Err(_) => {}
            }
        }
        let entity = if matches!(write, Write::Select) { "Copy" } else { "Cell" };
        let answer = match self.stored(catalog, entity).await {
            Ok(answer) => answer,
            Err(error) => {
                found += &error;
                done.clear();
                Answer::default()
            }
        };
        for pair in done {
            let at = 1 + TYPES.iter().position(|ty| *ty == pair.to).unwrap();
            let shift = if entity == "Copy" { pair.shift() } else { 0 };
            for (id, due) in &pair.due {
                let row = answer.rows.iter().find(|row| row[0] == Value::from(id + shift)).unwrap();
                let cell = |value: &Value| Answer {
                    columns: vec![String::new()],
                    rows: vec![vec![value.clone()]],
                    ordered: true,
                };
                if cell(due).near(&cell(&row[at])).is_err() {
                    let from = &rows(pair.from)[*id as usize - 1];
                    let came = &row[at];
                    writeln!(
                        found,
                        "{label}: {write:?} of {:?} := {:?}: {from:?} gives {came:?}, {due:?} is due",
                        pair.to, pair.from
                    )
                    .unwrap();
                }
            }
        }
        self.connection.rollback().await.unwrap();
        found
    }

    async fn leave(mut self) {
        for text in self.engine.drop_place(&self.name) {
            self.connection.script(&text).await.unwrap();
        }
    }
}

fn is_refusal(error: &isogloss_compiler::Error) -> bool {
    error.is_refused() || matches!(error.kind(), ErrorKind::BadAssignment { .. })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_type_is_stored_in_every_other_as_a_cast_gives_it() {
    let (catalog, data) = (Arc::new(catalog()), Arc::new(cells()));
    let types = TYPES.iter().flat_map(|from| TYPES.iter().map(|to| (*from, *to)));
    let pairs: Arc<Vec<Pair>> = Arc::new(types.map(|(from, to)| Pair::new(&catalog, &data, from, to)).collect());
    let known = pairs.iter().filter(|pair| pair.is_known()).count();
    println!("{} pairs of types, {known} with a CAST", pairs.len());
    assert!(known > 200, "{known}");
    let mut servers = vec![("sqlite", None)];
    servers.extend(isogloss_testkit::servers::postgres().into_iter().map(|url| ("postgres", Some(url))));
    servers.extend(isogloss_testkit::servers::mysql().into_iter().map(|url| ("mysql", Some(url))));
    let mut tasks = Vec::new();
    for (name, url) in servers {
        let (catalog, data, pairs) = (Arc::clone(&catalog), Arc::clone(&data), Arc::clone(&pairs));
        tasks.push(tokio::spawn(async move {
            let mut found = String::new();
            let mut place = Place::new(name, url.as_deref(), &catalog, &data).await;
            for from in TYPES {
                let of_one: Vec<&Pair> = pairs.iter().filter(|pair| pair.from == from).collect();
                for write in [Write::Update, Write::Select, Write::Upsert] {
                    found += &place.check(&catalog, &data, &of_one, write).await;
                }
            }
            place.leave().await;
            found
        }));
    }
    let mut found = String::new();
    for task in tasks {
        found += &task.await.unwrap();
    }
    assert!(found.is_empty(), "{} differences\n{found}", found.lines().count());
}
