//! What a table has beside its columns: indexes, checks, foreign keys, and comments.

use isogloss::driver::ddl::Ddl;
use isogloss::entity::Linked as _;
use isogloss::model::{Catalog, CatalogBuilder, ReferenceAction};
use isogloss::prelude::*;
use isogloss::{MYSQL, ORACLE, POSTGRES, SQLITE, SQLSERVER};

#[derive(Entity)]
#[table(
    name = "shelves",
    comment = "Where it's kept",
    key_name = "one_shelf",
    columns = "snake_case",
    register = false
)]
struct Shelf {
    #[column(primary_key)]
    room: i32,
    #[column(primary_key, comment = "From the left")]
    place: i32,
}

#[derive(Entity)]
#[table(name = "books", columns = "snake_case", register = false)]
#[index(columns(shelf_room, shelf_place), name = "by_shelf")]
#[index(columns(title, "Year"), unique)]
#[index(columns(year), filter = "{Year} > 1900")]
#[check(name = "printed", sql = "{Year} >= 1455")]
#[check(name = "titled", sql = "{Title} <> '{{}}'")]
#[foreign_key(Shelf, columns(shelf_room, shelf_place), on_delete = cascade, on_update = "set_null", name = "on_shelf")]
#[foreign_key("Book", columns(follows), deferred)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(length = 50)]
    title: String,
    year: i32,
    shelf_room: Option<i32>,
    shelf_place: Option<i32>,
    follows: Option<i64>,
}

fn catalog() -> Catalog {
    Catalog::builder().entity::<Shelf>().entity::<Book>().build().unwrap()
}

#[test]
fn they_are_in_the_catalog() {
    let catalog = catalog();
    let shelf = catalog.entity("Shelf").unwrap().1;
    assert_eq!(shelf.comment.as_deref(), Some("Where it's kept"));
    assert_eq!(shelf.key_name.as_deref(), Some("one_shelf"));
    assert_eq!(shelf.columns[1].comment.as_deref(), Some("From the left"));
    let book = catalog.entity("Book").unwrap().1;
    let indexes: Vec<_> = book.indexes.iter().map(|own| (&own.columns[..], own.unique, own.name.as_deref())).collect();
    assert_eq!(indexes, [(&[3, 4][..], false, Some("by_shelf")), (&[1, 2], true, None), (&[2], false, None)]);
    assert!(book.indexes[2].filter.is_some());
    assert_eq!(book.checks.iter().map(|check| check.name.as_str()).collect::<Vec<_>>(), ["printed", "titled"]);
    let [on_shelf, follows] = &book.constraints[..] else { panic!("{:?}", book.constraints) };
    assert_eq!((&on_shelf.columns[..], on_shelf.name.as_deref()), (&[3, 4][..], Some("on_shelf")));
    assert_eq!((on_shelf.on_delete, on_shelf.on_update), (ReferenceAction::Cascade, ReferenceAction::SetNull));
    assert!(follows.deferred && !on_shelf.deferred && follows.name.is_none());
}

/// The definitions of both are those of a file.
#[test]
fn definitions_say_it_as_well() {
    let text = r#"{"entity": [
      {"name": "Shelf", "table": "shelves", "comment": "Where it's kept", "key_name": "one_shelf", "columns": [
        {"name": "Room", "column": "room", "type": "Int32", "primary_key": true},
        {"name": "Place", "column": "place", "type": "Int32", "primary_key": true, "comment": "From the left"}]},
      {"name": "Book", "table": "books", "columns": [
        {"name": "Id", "column": "id", "type": "Int64", "primary_key": true},
        {"name": "Title", "column": "title", "type": "String(50)"},
        {"name": "Year", "column": "year", "type": "Int32"},
        {"name": "ShelfRoom", "column": "shelf_room", "type": "Int32", "nullable": true},
        {"name": "ShelfPlace", "column": "shelf_place", "type": "Int32", "nullable": true},
        {"name": "Follows", "column": "follows", "type": "Int64", "nullable": true}],
       "indexes": [
        {"columns": ["ShelfRoom", "ShelfPlace"], "name": "by_shelf"},
        {"columns": ["Title", "Year"], "unique": true},
        {"columns": ["Year"], "filter": "{Year} > 1900"}],
       "checks": {"printed": "{Year} >= 1455", "titled": "{Title} <> '{{}}'"},
       "foreign_keys": [
        {"columns": ["ShelfRoom", "ShelfPlace"], "entity": "Shelf", "on_delete": "cascade", "on_update": "set_null", "name": "on_shelf"},
        {"columns": ["Follows"], "entity": "Book", "deferred": true}]}]}"#;
    let read = CatalogBuilder::from_json(text).unwrap().build().unwrap();
    let derived = catalog();
    for name in ["Shelf", "Book"] {
        let of = |catalog: &Catalog| {
            let own = catalog.entity(name).unwrap().1.clone();
            format!("{:?}", (own.comment, own.columns, own.indexes, own.checks, own.constraints))
        };
        assert_eq!(of(&derived), of(&read));
    }
}

/// What an engine lacks is refused with a reason, or it is made.
#[test]
fn each_engine_makes_it_or_says_why_not() {
    let catalog = catalog();
    let book = catalog.entity("Book").unwrap().0;
    let made = |ddl: &dyn Ddl| {
        let all = ddl.create_table(&catalog, book, &[]).and_then(|mut all| {
            all.extend(ddl.add_constraints(&catalog, book, &[])?);
            Ok(all)
        });
        all.map_err(|error| error.to_string())
    };
    let postgres = made(&POSTGRES).unwrap().join("\n");
    for wanted in [
        r#"CONSTRAINT "titled" CHECK ("title" <> '{}')"#,
        r#"CREATE INDEX "by_shelf" ON "books" ("shelf_room", "shelf_place")"#,
        r#"CREATE UNIQUE INDEX "UX_books_title_year" ON "books" ("title", "year")"#,
        r#"CREATE INDEX "IX_books_year" ON "books" ("year") WHERE "year" > 1900"#,
        r#"ADD CONSTRAINT "on_shelf" FOREIGN KEY ("shelf_room", "shelf_place") REFERENCES "shelves" ("room", "place") ON DELETE CASCADE ON UPDATE SET NULL"#,
        r#"FOREIGN KEY ("follows") REFERENCES "books" ("id") DEFERRABLE INITIALLY DEFERRED"#,
    ] {
        assert!(postgres.contains(wanted), "{wanted}\n{postgres}");
    }
    let deferred = "defers no foreign key: leave `deferred` out";
    let no_update = "has no ON UPDATE SET NULL: leave it out";
    for (ddl, wanted) in [(&MYSQL as &dyn Ddl, deferred), (&SQLSERVER, deferred), (&ORACLE, no_update)] {
        let why = made(ddl).unwrap_err();
        assert!(why.contains(wanted), "{why}");
    }
    let comment =
        |ddl: &dyn Ddl| ddl.create_table(&catalog, catalog.entity("Shelf").unwrap().0, &[]).unwrap().join("\n");
    assert!(comment(&ORACLE).contains("COMMENT ON TABLE \"shelves\" IS 'Where it''s kept'"));
    assert!(comment(&SQLSERVER).contains("@column sysname', N'From the left', N'shelves', N'place'"));
    assert!(!comment(&SQLITE).contains("kept"));
}
