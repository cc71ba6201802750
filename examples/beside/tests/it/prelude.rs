//! The prelude of Isogloss beside that of diesel: both are imported, and no name is ambiguous.

use diesel::prelude::*;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;

table! {
    notes (id) {
        id -> BigInt,
        text -> Text,
    }
}

/// A row as diesel reads it.
#[derive(Debug, PartialEq, Queryable, Selectable, Insertable)]
#[diesel(table_name = notes)]
struct Row {
    id: i64,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
struct Note {
    #[column(primary_key, identity)]
    id: i64,
    text: String,
}

/// `Table` and `Column` are diesel's.
fn names<T: Table, C: Column>(_: T, _: C) -> &'static str {
    C::NAME
}

#[test]
fn diesel_writes_and_isogloss_reads() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("notes.db").display().to_string();
    let mut connection = SqliteConnection::establish(&path)?;
    diesel::sql_query("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)").execute(&mut connection)?;
    diesel::insert_into(notes::table).values(Row { id: 1, text: "Hi!".into() }).execute(&mut connection)?;
    assert_eq!(names(notes::table, notes::text), "text");
    assert_eq!(notes::table.filter(notes::id.eq(1)).select(Row::as_select()).load(&mut connection)?.len(), 1);

    let found: OrmResult<Vec<Note>> =
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
            context.add_data_source(DataSourceConfig::new("main", "sqlite", &path))?;
            let session: Session = context.create_session()?;
            // By a column, and by a name: `eq` is a method of both libraries.
            let notes = ObjectViewDao::<Note>::new(&session);
            let found = notes.search(expr!(|n: Note| n.text.contains("Hi"))).all().await?;
            assert_eq!(notes.search(prop("Id").eq(1)).all().await?, found);
            Ok(found)
        });
    assert_eq!(found?, [Note { id: 1, text: "Hi!".into() }]);
    Ok(())
}
