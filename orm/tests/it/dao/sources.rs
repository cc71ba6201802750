//! Entities of two data sources, whose databases have the same tables.

use std::env;
use std::path::PathBuf;

use isogloss::config::DataSourceConfig;
use isogloss::dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao, Search};
use isogloss::entity::{Definition, Linked as _};
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::{OrmContext, OrmError};

use crate::dao::{Department, User, UserView, department, user};

/// Users are in the default source, departments in the archive.
fn catalog() -> Catalog {
    let of = |definition: Definition, source: &str| match definition {
        Definition::Table(table) => Definition::Table(table.data_source(source.to_owned())),
        view @ Definition::View(_) => view,
    };
    let catalog = Catalog::builder().definition(User::definition()).definition(UserView::definition());
    catalog.definition(of(Department::definition(), "archive")).build().unwrap()
}

struct Files(Vec<PathBuf>);

impl Files {
    fn new(test: &str) -> Self {
        let file = |n| env::temp_dir().join(format!("isogloss_sources_{test}_{}_{n}.db", std::process::id()));
        Self((0..2).map(file).collect())
    }

    /// A context whose main database has a table of departments, too, as it may be a copy.
    async fn context(&self) -> OrmContext {
        let everything = OrmContext::new(Catalog::builder().entity::<User>().entity::<Department>().build().unwrap());
        everything
            .add_data_source(DataSourceConfig::new("main", "sqlite", format!("{}?create=true", self.0[0].display())))
            .unwrap();
        for entity in ["User", "Department"] {
            everything.sync_table(entity, [] as [&str; 0]).await.unwrap();
        }
        let session = everything.create_session().unwrap();
        ObjectDao::<Department>::new(&session).insert(&mut department(1, "a copy")).await.unwrap();
        let context = OrmContext::new(catalog());
        for (name, file) in ["main", "archive"].into_iter().zip(&self.0) {
            let source = DataSourceConfig::new(name, "sqlite", format!("{}?create=true", file.display()));
            context.add_data_source(source).unwrap();
        }
        context.sync_table("Department", [] as [&str; 0]).await.unwrap();
        context
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for file in &self.0 {
            for end in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{end}", file.display()));
            }
        }
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, OrmError>) {
    match result {
        Err(OrmError::Compile(error)) if error.to_string().contains("a statement reads one database") => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_statement_stays_in_its_source() {
    let files = Files::new("stays");
    let context = files.context().await;
    let session = context.create_session().unwrap();
    let departments = ObjectDao::<Department>::new(&session);
    departments.insert(&mut department(7, "of the archive")).await.unwrap();
    let mut ann = User { dept_id: Some(1), ..user("Ann", 1) };
    ObjectDao::<User>::new(&session).insert(&mut ann).await.unwrap();

    // Each entity is read and written where it is.
    let found = ObjectViewDao::<Department>::new(&session).search(()).all().await.unwrap();
    assert_eq!(found, [department(7, "of the archive")]);
    assert_eq!(ObjectViewDao::<Department>::new(&session).get(1).await.unwrap(), None);

    let related = || LogicExpr::from(exists_related("Department", prop("Name").eq("a copy")));
    let list = || prop("DeptId").in_list(from("Department").select([prop("Id")]).into_segment());
    let views = ObjectViewDao::<User>::new(&session);
    refused(views.search(related()).all().await);
    refused(views.count(list()).await);
    refused(views.exists(list()).await);
    refused(DataViewDao::<User>::new(&session).search(list()).await);
    refused(ObjectViewDao::<UserView>::new(&session).search(()).all().await);
    refused(ObjectViewDao::<UserView>::new(&session).get(1_i64).await);
    let template = sql!("SELECT {AllFields} FROM {From} WHERE {filter}", filter = related());
    refused(views.search(template).all().await);
    let users = ObjectDao::<User>::new(&session);
    refused(users.delete_where(related()).await);
    refused(users.update_where(table("User").update([("Age", 9)]).filter(related())).await);
    refused(DataDao::<User>::new(&session).update_all_values([("Age", 9)], related()).await);
    // A query over several tables is of the source in which it runs, though it begins with whatever table.
    let pairs = || query!(|u: User, v: User| u.join(v, v.id == u.id).select(v.name));
    refused(ObjectViewDao::<Department>::new(&session).search(pairs()).all().await);
    refused(DataViewDao::<Department>::new(&session).search(pairs()).await);
    refused(ObjectViewDao::<Department>::new(&session).count(pairs()).await);
    assert_eq!(views.search(pairs()).all().await.unwrap(), ["Ann"]);
    // A tree over the other entity runs neither here nor there.
    let other: Search = from("Department").into();
    assert!(views.search(other).all().await.is_err());
    assert_eq!(views.search(()).all().await.unwrap(), [ann]);

    // A transaction may be over both.
    session
        .transaction(async |session: &isogloss::Session| {
            ObjectDao::<User>::new(session).insert(&mut user("Bob", 2)).await?;
            ObjectDao::<Department>::new(session).insert(&mut department(8, "b")).await
        })
        .await
        .unwrap();
    assert_eq!(views.count(()).await.unwrap(), 2);
    assert_eq!(ObjectViewDao::<Department>::new(&session).count(()).await.unwrap(), 2);
    // What the error advises.
    let keys = ObjectViewDao::<Department>::new(&session).search_as::<(i32,)>(from("Department").select(["Id"]));
    let keys: Vec<i32> = keys.all().await.unwrap().into_iter().map(|(id,)| id).collect();
    assert_eq!(views.count(prop("DeptId").in_list(keys)).await.unwrap(), 0);
}

#[tokio::test]
async fn the_default_source_may_be_named() {
    let files = Files::new("named");
    files.context().await;
    let context = OrmContext::new(catalog());
    let archive = DataSourceConfig::new("ARCHIVE", "sqlite", files.0[0].display().to_string());
    context.add_data_source(archive).unwrap();
    let session = context.create_session().unwrap();
    let list = prop("DeptId").in_list(from("Department").select([prop("Id")]).into_segment());
    assert_eq!(ObjectViewDao::<UserView>::new(&session).search(list).all().await.unwrap(), []);
}
