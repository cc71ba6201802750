//! One condition, written in each of the ways there are: as Rust, by methods, as a client's JSON, and in SQL text.
//!
//! All find the same books. `cargo run -p conditions`

use std::error::Error;
use std::io::{self, Write};

use isogloss::config::DataSourceConfig;
use isogloss::dao::{ObjectDao, ObjectViewDao, Search};
use isogloss::dialect::Dialect;
use isogloss::entity::{Condition, catalog};
use isogloss::expr::Decimal;
use isogloss::json::ReadLimits;
use isogloss::prelude::*;
use isogloss::{ExprString, OrmContext, SQLITE, Session};
use isogloss_postgres::Postgres;

/// An author. `identity`: the database numbers them.
#[derive(Debug, Clone, PartialEq, Entity)]
#[table(name = "authors", columns = "snake_case")]
struct Author {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100)]
    name: String,
}

/// A book. What may be NULL is an `Option`.
#[derive(Debug, Clone, PartialEq, Entity)]
#[table(name = "books", columns = "snake_case")]
struct Book {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 200)]
    title: String,
    #[foreign(Author)]
    author_id: i64,
    #[column(precision = 10, scale = 2)]
    price: Decimal,
    year: Option<i32>,
}

/// A book with its author's name, which a join gives where somebody asks for it.
#[derive(Debug, Clone, PartialEq, View)]
#[view(of = Book)]
struct BookView {
    book: Book,
    #[foreign_column(Author, property = name)]
    author_name: String,
}

/// 1. As Rust. rustc checks names and types, and what the closure captures becomes parameters.
fn as_rust(max: Decimal, authors: &[&str]) -> Condition<BookView> {
    expr!(|b: BookView| b.price < max && authors.contains(&b.author_name) && b.year >= 1900)
}

/// 2. By methods of the columns, without a macro. The types are checked all the same.
fn by_methods(max: Decimal, authors: &[&str]) -> Condition<BookView> {
    let b = BookView::columns(None);
    b.price.lt(max) & b.author_name.is_in(authors) & b.year.ge(1900)
}

/// 3. From a client: JSON, read within limits and checked by a policy, which says what this client may name.
fn from_json(text: &str) -> Result<LogicExpr, Box<dyn Error>> {
    let filter: LogicExpr = json::read(text, &ReadLimits::DEFAULT)?;
    QueryPolicy::new(BookView::NAME).check(&filter, catalog()?)?;
    Ok(filter)
}

const FROM_A_CLIENT: &str = r##"{"$and":[
    {"$":"<","Left":{"#":"Price"},"Right":20},
    {"$":"in","Left":{"#":"AuthorName"},"Right":["Kafka","Woolf"]},
    {"$":">=","Left":{"#":"Year"},"Right":1900}]}"##;

/// 4. In SQL text, for what no tree says. Brackets become the engine's quotes, and a hole a parameter: never text.
fn in_sql(max: Decimal, authors: &[&str]) -> ExprString {
    let authors = authors.to_vec();
    // A hole takes a condition, too. Its columns bring the joins that they need into `{From}`.
    let by = expr!(|b: BookView| authors.contains(&b.author_name));
    sql!("SELECT {AllFields} FROM {From} WHERE [price] < {max} AND {by} AND [year] >= 1900")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).await
}

async fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // `sync_table`: the tables are made at their first use.
    let context = OrmContext::new(catalog()?.clone());
    context.add_data_source(DataSourceConfig::new("shop", "sqlite", ":memory:").sync_table(true))?;
    let session = context.create_session()?;
    fill(&session).await?;

    let (max, authors) = (Decimal::from(20), ["Kafka", "Woolf"]);
    let searches: [(&str, Search); 4] = [
        ("as Rust", as_rust(max, &authors).into()),
        ("by methods", by_methods(max, &authors).into()),
        ("as JSON", from_json(FROM_A_CLIENT)?.into()),
        ("in SQL text", in_sql(max, &authors).into()),
    ];
    let books = ObjectViewDao::<BookView>::new(&session);
    let mut before: Option<Vec<BookView>> = None;
    for (way, search) in searches {
        let mut found = books.search(search).all().await?;
        found.sort_by_key(|book| book.id);
        let titles: Vec<String> = found.iter().map(|book| format!("{} ({})", book.title, book.author_name)).collect();
        writeln!(out, "{way:<11} {}", titles.join(", "))?;
        if before.get_or_insert_with(|| found.clone()) != &found {
            return Err(format!("{way}, other books are found").into());
        }
    }

    // What is one tree is one text on each engine. The first runs here; of the other there is the compiler only.
    let filter = as_rust(max, &authors);
    let query = query!(|b: BookView| b
        .filter(filter)
        .order_by((b.price.desc(), b.id))
        .take(10)
        .select((b.title, b.author_name)));
    for dialect in [&SQLITE as &dyn Dialect, &Postgres::V15] {
        writeln!(out, "\n{}\n{}", dialect.label(), context.compiler().compile(&query, dialect)?.pretty())?;
    }
    Ok(())
}

async fn fill(session: &Session) -> Result<(), Box<dyn Error>> {
    let mut authors = ["Austen", "Kafka", "Woolf"].map(|name| Author { id: 0, name: name.to_owned() });
    // The numbers that the database gives come back into the structs.
    ObjectDao::new(session).batch_insert(&mut authors).await?;
    let [austen, kafka, woolf] = authors.map(|author| author.id);
    let book = |title: &str, author_id, price: i64, year| Book {
        id: 0,
        title: title.to_owned(),
        author_id,
        price: price.into(),
        year,
    };
    let mut books = [
        book("Emma", austen, 12, Some(1815)),
        book("The Trial", kafka, 15, Some(1925)),
        book("The Castle", kafka, 25, Some(1926)),
        book("Letters", kafka, 10, None),
        book("Orlando", woolf, 18, Some(1928)),
    ];
    ObjectDao::new(session).batch_insert(&mut books).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn all_ways_find_the_same() {
        let mut out = Vec::new();
        run(&mut out).await.unwrap();
        let out = String::from_utf8(out).unwrap();
        for way in ["as Rust    ", "by methods ", "as JSON    ", "in SQL text"] {
            assert!(out.contains(&format!("{way} The Trial (Kafka), Orlando (Woolf)\n")), "{out}");
        }
        for sql in ["\nsqlite 3.45\nSELECT ", "\npostgres 15\nSELECT "] {
            assert!(out.contains(sql), "{out}");
        }
    }

    #[test]
    fn one_condition_is_one_tree() {
        let (max, authors) = (Decimal::from(20), ["Kafka", "Woolf"]);
        assert_eq!(as_rust(max, &authors), by_methods(max, &authors));
    }

    #[test]
    fn a_client_names_what_is_there() {
        let error = from_json(r##"{"$":"==","Left":{"#":"Password"},"Right":1}"##).unwrap_err();
        assert_eq!(error.to_string(), "`Password` is not available on `BookView` at $.Left");
    }
}
