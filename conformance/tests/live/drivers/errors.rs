//! What goes wrong, by its kind.

use std::time::Duration;

use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{ConnectionExt, ErrorKind, PoolOptions, rows};
use tokio::net::TcpListener;

use crate::drivers::Outcome;
use crate::drivers::site::{Db, Site};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;

tests! {
    they_have_kinds
    a_statement_runs_again_after_it_has_failed
    rows_that_break_a_rule_are_told_as_a_statement_is
    what_does_not_fit_is_an_error_before_anything_is_sent
    a_value_that_is_too_long_is_not_sent
    nobody_gets_in_without_a_server_a_name_or_a_database
    a_server_that_does_not_answer_is_not_waited_for
}

const RULES: &str = "CREATE TABLE rules (id INTEGER NOT NULL, name VARCHAR(5), n INTEGER NOT NULL, parent BIGINT, \
                    CONSTRAINT rules_key PRIMARY KEY (id), CONSTRAINT one_name UNIQUE (name), CONSTRAINT positive CHECK (n > 0), \
                    CONSTRAINT has_parent FOREIGN KEY (parent) REFERENCES item (id))";

/// A place with a table that has rules, and a row.
async fn ruled(site: &Site) -> Outcome<Db> {
    let db = site.db().await?;
    db.script(&RULES.replace("BIGINT", db.parent())).await?;
    db.script("INSERT INTO item (id) VALUES (1); INSERT INTO rules (id, name, n, parent) VALUES (1, 'one', 1, 1)")
        .await?;
    Ok(db)
}

/// Prepared or not, inside and outside a transaction.
async fn a_statement_runs_again_after_it_has_failed(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let (one, gone) = (db.insert(1..2), plain("DELETE FROM item"));
    for _ in 0..4 {
        assert_eq!(connection.execute(&one).await?, 1);
        assert_eq!(connection.execute(&one).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        assert_eq!(connection.execute(&gone).await?, 1);
        connection.begin(&plainly()).await?;
        assert_eq!(connection.execute(&one).await?, 1);
        assert_eq!(connection.execute(&one).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        connection.rollback().await?;
    }
    // One that asks for a table that is there later.
    let later = plain("SELECT id FROM later");
    assert_eq!(connection.fetch::<(i64,)>(&later).await.unwrap_err().kind(), ErrorKind::Syntax);
    connection.script("CREATE TABLE later (id INTEGER); INSERT INTO later VALUES (7)").await?;
    for _ in 0..2 {
        assert_eq!(connection.fetch::<(i64,)>(&later).await?, [(7,)]);
    }
    connection.script("DROP TABLE later").await?;
    assert_eq!(connection.fetch::<(i64,)>(&later).await.unwrap_err().kind(), ErrorKind::Syntax);
    connection.script("CREATE TABLE later (id VARCHAR(9)); INSERT INTO later VALUES ('7')").await?;
    assert_eq!(connection.fetch::<(String,)>(&later).await?, [("7".to_owned(),)]);
    connection.script("DROP TABLE later").await?;
    Ok(())
}

/// With the engine's code, the constraint as far as it is told, and the statement.
async fn they_have_kinds(site: &Site) -> Outcome {
    let db = ruled(site).await?;
    let mut connection = db.connect().await?;
    let values = |values: &str| format!("INSERT INTO rules (id, name, n, parent) VALUES ({values})");
    for (mistake, sql, kind) in [
        ("primary", values("1, 'x', 1, 1"), ErrorKind::UniqueViolation),
        ("unique", values("2, 'one', 1, 1"), ErrorKind::UniqueViolation),
        ("foreign", values("2, 'x', 1, 77"), ErrorKind::ForeignKeyViolation),
        ("referred", "DELETE FROM item".to_owned(), ErrorKind::ForeignKeyViolation),
        ("null", values("2, 'x', NULL, 1"), ErrorKind::NotNullViolation),
        ("absent", "INSERT INTO rules (id) VALUES (2)".to_owned(), ErrorKind::NotNullViolation),
        ("check", values("2, 'x', 0, 1"), ErrorKind::CheckViolation),
        ("text", values("2, 'x', 'seven', 1"), ErrorKind::BadValue),
        ("column", "SELECT nothing FROM rules".to_owned(), ErrorKind::Syntax),
        ("table", "SELECT 1 FROM nowhere".to_owned(), ErrorKind::Syntax),
        ("word", "SELEC 1".to_owned(), ErrorKind::Syntax),
        ("function", db.select("nowhere(1)"), ErrorKind::Syntax),
    ] {
        if db.judges(mistake).is_none() {
            continue;
        }
        let error = connection.execute(&plain(&*sql)).await.unwrap_err();
        let (code, constraint) = db.told(mistake);
        let found = (error.kind(), error.code().filter(|_| code.is_some()), error.constraint());
        assert_eq!(found, (db.unlike(mistake).unwrap_or(kind), code, constraint), "{mistake}: {error:?}");
        assert_eq!(error.sql(), Some(&*sql));
    }
    assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM rules").await?, 1);
    Ok(())
}

/// And none of them is written, be they in a transaction or not.
async fn rows_that_break_a_rule_are_told_as_a_statement_is(site: &Site) -> Outcome {
    let db = ruled(site).await?;
    let mut connection = db.connect().await?;
    let column = |name: &str, ty| ColumnDef::new(name, ty).column(db.folded(name)).nullable();
    let table = TableDef::new("rules").table(db.folded("rules")).column(column("id", T::Int64));
    let table =
        table.column(column("name", T::String)).column(column("n", T::Int64)).column(column("parent", T::Int64));
    let catalog = isogloss_compiler::model::Catalog::builder().table(table).build()?;
    let target = isogloss_compiler::Compiler::new(catalog).target(db.backend.dialect());
    let into = target.bulk_insert("rules", &["id", "name", "n", "parent"], &[])?;
    let good = |id: i64| -> [Value; 4] { [id.into(), format!("n{id}").into(), 1.into(), 1.into()] };
    let bad = |place: usize, value: Value| {
        let mut row = good(99);
        row[place] = value;
        row
    };
    for (mistake, bad, kind) in [
        ("primary", bad(0, 1.into()), ErrorKind::UniqueViolation),
        ("unique", bad(1, "one".into()), ErrorKind::UniqueViolation),
        ("unique", bad(1, "n7".into()), ErrorKind::UniqueViolation),
        ("long", bad(1, "too long".into()), ErrorKind::BadValue),
        ("null", bad(2, Value::Null), ErrorKind::NotNullViolation),
        ("check", bad(2, 0.into()), ErrorKind::CheckViolation),
        ("large", bad(2, i64::MAX.into()), ErrorKind::BadValue),
        ("foreign", bad(3, 77.into()), ErrorKind::ForeignKeyViolation),
    ] {
        let Some(constraint) = db.judges(mistake) else { continue };
        for in_transaction in [false, true] {
            if in_transaction {
                connection.begin(&plainly()).await?;
                connection.execute(&db.insert(2..3)).await?;
            }
            let given: Vec<_> = (2..50).map(good).chain([bad.clone()]).chain((100..150).map(good)).collect();
            let error = connection.bulk_insert(&into, rows(given)).await.unwrap_err();
            assert_eq!((error.kind(), error.constraint()), (kind, constraint), "{mistake}: {error:?}");
            if in_transaction {
                assert!(db.fails_whole() || db.count(&mut *connection).await? == 2);
                connection.rollback().await?;
            }
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM rules").await?, 1, "{mistake}");
        }
    }
    Ok(())
}

/// In a transaction, which is not ended by it.
async fn what_does_not_fit_is_an_error_before_anything_is_sent(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let one = db.insert(1..2);
    for _ in 0..2 {
        connection.begin(&plainly()).await?;
        let mut none = one.clone();
        none.params.clear();
        let error = connection.execute(&none).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
        for value in [Value::from(u64::MAX), "yes".into(), Value::List([].into())] {
            let mut odd = one.clone();
            odd.params[0].value = std::borrow::Cow::Owned(value.clone());
            let error = connection.execute(&odd).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadValue, "{value:?}: {error}");
        }
        assert_eq!(connection.execute(&one).await?, 1);
        connection.rollback().await?;
    }
    Ok(())
}

async fn a_value_that_is_too_long_is_not_sent(site: &Site) -> Outcome {
    let db = site.with(PoolOptions::default().value_bytes(1_000)).await?;
    let mut connection = db.connect().await?;
    let mut insert = db.insert(1..2);
    for (length, fits) in [(40, true), (1_001, false)] {
        insert.params[1].value = std::borrow::Cow::Owned("a".repeat(length).into());
        match connection.execute(&insert).await {
            Ok(count) => assert!(fits && count == 1),
            Err(error) => assert!(!fits && error.kind() == ErrorKind::BadValue, "{error}"),
        }
    }
    db.works(&mut *connection).await?;
    Ok(())
}

async fn nobody_gets_in_without_a_server_a_name_or_a_database(site: &Site) -> Outcome {
    let db = site.db().await?;
    let server = db.needs_server()?;
    let error = server.through(1, PoolOptions::default().wait(Duration::from_secs(5))).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    for (told, stranger) in server.strangers() {
        let error = stranger.await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        assert!(error.to_string().contains(told), "{error}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    }
    Ok(())
}

/// The shorter of the two limits ends the call; the other one is longer than a test may take.
async fn a_server_that_does_not_answer_is_not_waited_for(site: &Site) -> Outcome {
    let db = site.db().await?;
    let server = db.needs_server()?;
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let place = silent.local_addr()?;
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(3_600));
    for (connect_timeout, wait) in [(short, long), (long, short)] {
        let options = PoolOptions::default().connect_timeout(connect_timeout).wait(wait);
        let error = server.through(place.port(), options).await.map(drop).unwrap_err();
        let told = format!("cannot connect: {place}: the server did not answer");
        assert!(error.to_string().starts_with(&told), "{error}");
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    }
    Ok(())
}
