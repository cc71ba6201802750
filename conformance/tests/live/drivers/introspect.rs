//! What the engine's catalog says of tables, those of others' statements and our own.

use isogloss_compiler::expr::{DbType, DbValueType as T};
use isogloss_driver::ErrorKind;
use isogloss_driver::introspect::{
    CheckReport, ColumnReport, Filled, IndexKey, IntrospectOptions, Kept, SchemaReport, TableKind, TableReport,
    introspect,
};

use crate::drivers::site::{Db, Site, pool};
use crate::drivers::{Outcome, not_here};

tests! {
    tables_of_others_are_read_whole
    our_own_tables_are_read_as_they_were_declared
    a_schema_that_is_not_there_is_empty
}

/// In words that all of them take.
const TABLES: [&str; 6] = [
    "CREATE TABLE parent (b VARCHAR(20) NOT NULL, a INTEGER NOT NULL, code CHAR(3), PRIMARY KEY (a, b))",
    "CREATE TABLE child (id INTEGER NOT NULL PRIMARY KEY, pa INTEGER, pb VARCHAR(20), \
     price DECIMAL(10, 2) DEFAULT 1.5 NOT NULL, note VARCHAR(50), word VARCHAR(9) DEFAULT 'it''s', \
     twice INTEGER GENERATED ALWAYS AS (id * 2) STORED, \
     CONSTRAINT one_note UNIQUE (note, pa), CONSTRAINT positive CHECK (price > 0), \
     CONSTRAINT has_parent FOREIGN KEY (pa, pb) REFERENCES parent (a, b) ON DELETE CASCADE)",
    "CREATE INDEX by_price ON child (price, pa)",
    "CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY, child INTEGER NOT NULL, \
     CONSTRAINT of_child FOREIGN KEY (child) REFERENCES child (id))",
    "CREATE UNIQUE INDEX one_child ON other (child, id)",
    "CREATE VIEW shown AS SELECT id, note FROM child",
];

async fn read(db: &Db, options: &IntrospectOptions) -> Outcome<SchemaReport> {
    let mut connection = db.connect().await?;
    match introspect(&mut *connection, db.backend.ddl(), options).await {
        Err(error) if error.kind() == ErrorKind::Configuration => not_here("its catalog is not read"),
        read => Ok(read?),
    }
}

fn table<'r>(report: &'r SchemaReport, name: &str) -> &'r TableReport {
    report.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no `{name}`: {report:?}"))
}

fn column<'t>(table: &'t TableReport, name: &str) -> &'t ColumnReport {
    table.column(name).unwrap_or_else(|| panic!("no `{name}`: {table:?}"))
}

async fn tables_of_others_are_read_whole(site: &Site) -> Outcome {
    let db = site.with(pool(2)).await?;
    // Nothing that no engine reads is made.
    read(&db, &IntrospectOptions::default()).await?;
    let mut connection = db.connect().await?;
    for sql in TABLES {
        connection.script(sql).await?;
    }
    let report = read(&db, &IntrospectOptions::default()).await?;
    let parent = table(&report, "parent");
    assert_eq!((parent.kind, &parent.primary_key[..]), (TableKind::Table, &["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(parent.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["b", "a", "code"]);
    let (b, code) = (column(parent, "b"), column(parent, "code"));
    assert!(!b.nullable && code.nullable);
    assert_eq!(b.portable.map(|ty| (ty.ty, ty.length)), Some((T::String.into(), Some(20))));
    assert_eq!(code.portable.and_then(|ty| ty.length), Some(3));

    let child = table(&report, "child");
    assert_eq!(child.primary_key, ["id"]);
    let price = column(child, "price");
    let digits = price.portable.map(|ty| (ty.ty, ty.precision, ty.scale));
    assert_eq!(digits, Some((T::Decimal.into(), Some(10), Some(2))));
    assert!(!price.nullable);
    assert!(matches!(&price.filled, Filled::Default(text) if text.contains("1.5")), "{price:?}");
    let word = &column(child, "word").filled;
    assert!(
        matches!(word, Filled::Default(text) if text.starts_with("'it'") || text.starts_with(r"'it\'s")),
        "{word:?}"
    );
    let twice = &column(child, "twice").filled;
    let is_told = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("* 2"));
    assert!(matches!(twice, Filled::Generated(text) if is_told(text)), "{twice:?}");
    assert_eq!(child.unique_keys.len(), 1);
    assert_eq!(
        (&child.unique_keys[0].name[..], child.unique_keys[0].columns.join(", ")),
        ("one_note", "note, pa".to_owned())
    );
    let by_price = child.indexes.iter().find(|index| index.name == "by_price").unwrap();
    let keys = ["price", "pa"].map(|name| IndexKey::Column(name.to_owned()));
    assert_eq!((by_price.unique, &by_price.keys[..], &by_price.condition), (false, &keys[..], &None));
    let [foreign] = &child.foreign_keys[..] else { panic!("{:?}", child.foreign_keys) };
    assert_eq!((&foreign.columns[..], foreign.table.as_str()), (&["pa".to_owned(), "pb".to_owned()][..], "parent"));
    assert_eq!((&foreign.referred[..], foreign.on_delete.as_str()), (&["a".to_owned(), "b".to_owned()][..], "CASCADE"));
    assert!(["NO ACTION", "RESTRICT"].contains(&foreign.on_update.as_str()), "{foreign:?}");
    assert_eq!((foreign.name.as_str(), foreign.kept, foreign.deferred), ("has_parent", Kept::Always, false));
    let positive = child.checks.iter().find(|check| check.name == "positive");
    let is_told = |check: &CheckReport| check.kept == Kept::Always && check.condition.contains("price");
    assert!(positive.is_some_and(is_told), "{:?}", child.checks);

    let other = table(&report, "other");
    let unique = other.indexes.iter().find(|index| index.name == "one_child").map(|index| index.unique);
    let as_key = other.unique_keys.iter().any(|key| key.name == "one_child" && key.columns == ["child", "id"]);
    assert!(unique == Some(true) || as_key, "{other:?}");
    let shown = table(&report, "shown");
    assert_eq!((shown.kind, shown.columns.len()), (TableKind::View, 2));
    assert!(shown.primary_key.is_empty());
    Ok(())
}

async fn our_own_tables_are_read_as_they_were_declared(site: &Site) -> Outcome {
    let db = site.with(pool(2)).await?;
    let report = read(&db, &IntrospectOptions::default()).await?;
    let person = table(&report, "person");
    assert_eq!(person.primary_key, ["id"]);
    let id = column(person, "id");
    assert_eq!((&id.filled, id.nullable), (&Filled::Identity { start: 1, increment: 1 }, false));
    let name = column(person, "name");
    assert!(name.nullable && name.filled == Filled::Not, "{name:?}");
    // SQLite's types say how a value is stored, and no more.
    if db.backend.origin().system != "sqlite" {
        let is = |table: &str, name: &str, ty: T| {
            let found = column(self::table(&report, table), name).portable.map(|found| found.ty);
            assert_eq!(found, Some(DbType::from(ty)), "{table}.{name}");
        };
        is("item", "id", T::Int64);
        is("item", "name", T::String);
        is("item", "n", T::Int32);
        is("item", "moment", T::DateTime2);
        is("person", "score", T::Decimal);
        assert_eq!(name.portable.and_then(|ty| ty.length), Some(40));
    }
    Ok(())
}

async fn a_schema_that_is_not_there_is_empty(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let report = read(&db, &IntrospectOptions::default().schema("no_such_schema")).await?;
    assert!(report.tables.is_empty(), "{report:?}");
    Ok(())
}
