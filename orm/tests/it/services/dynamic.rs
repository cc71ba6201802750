//! Services of entities that are known when the program runs: those of definitions, and those that have a struct.

use isogloss::Scope;
use isogloss::config::DataSourceConfig;
use isogloss::context::OrmBuilder;
use isogloss::driver::Row;
use isogloss::entity::{FieldError, Linked as _};
use isogloss::expr::{Decimal, Expr, Value};
use isogloss::model::{Catalog, CatalogBuilder};
use isogloss::prelude::*;
use isogloss::service::{
    AnyRow, DynamicObject, DynamicService, DynamicServiceOps, EntityEvents, EntityService, EventContext, Interception,
    NotDynamic, Principal, QueryOf, ReadAny, ServiceError, ServiceInvokeContext, ServiceInvokedEvent, ServiceQuery,
    SessionPrincipal, TypedService, async_trait,
};

use crate::services::tape::{Log, Tape};
use crate::services::{Audit, Doc, Item, Mark, Sort};
use crate::support::engines;

/// A number of the database, a tenant, a version, a mark of deleted rows, and a column of another table.
const TICKETS: &str = r#"
    [[entity]]
    name = "Ticket"
    table = "tickets"
    columns = [
      { name = "Id", type = "Int64", column = "id", primary_key = true, identity = true },
      { name = "TenantId", type = "Int32", column = "tenant_id", nullable = true },
      { name = "Title", type = "String(50)", column = "title", unique = true },
      { name = "Price", type = "Decimal(10,2)", column = "price", nullable = true },
      { name = "Due", type = "Date", column = "due", nullable = true },
      { name = "State", type = "Int32", column = "state", default = "1", enum = { Open = 1, Done = 2 } },
      { name = "SortId", type = "Int32", column = "sort_id", nullable = true, foreign = { entity = "Sort" } },
      { name = "Version", type = "Int32", column = "version", timestamp = true },
      { name = "Deleted", type = "Boolean", column = "deleted", soft_delete = true },
    ]

    [[view]]
    name = "TicketView"
    of = "Ticket"
    foreign_columns = [{ name = "SortName", foreign = "Sort", property = "Name" }]

    [[entity]]
    name = "Seat"
    table = "seats"
    columns = [
      { name = "Row", type = "Int32", column = "row_no", primary_key = true },
      { name = "Code", type = "String(10)", column = "code", primary_key = true },
      { name = "Note", type = "String(50)", column = "note", nullable = true },
    ]
"#;

/// A struct of which no row can be made.
#[derive(Debug, Clone, Entity)]
#[table(name = "fixtures", columns = "snake_case")]
pub(crate) struct Fixture {
    #[column(primary_key)]
    pub id: i32,
}

/// A struct with a field of its own type.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "gauges", columns = "snake_case", scoped)]
pub(crate) struct Gauge {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: i32,
    pub level: Level,
    #[column(length = 20)]
    pub label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
pub(crate) enum Level {
    #[default]
    Low = 1,
    High = 2,
}

/// Written down by nobody, and generic: nothing registers it.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "shadows", columns = "snake_case", register = false)]
pub(crate) struct Shadow {
    #[column(primary_key)]
    pub id: i32,
}

fn catalog() -> Catalog {
    let structs = CatalogBuilder::default()
        .entity::<Item>()
        .entity::<crate::services::ItemView>()
        .entity::<Sort>()
        .entity::<Doc>()
        .entity::<Mark>()
        .entity::<Audit>()
        .entity::<Fixture>()
        .entity::<Gauge>()
        .entity::<Shadow>();
    structs.add_toml(TICKETS).unwrap().build().unwrap()
}

/// Runs a test on every engine, in a context of its own.
async fn each<F: Future<Output = ()>>(builder: impl Fn() -> OrmBuilder, test: impl Fn(OrmContext) -> F) {
    engines::each_place(async |place: engines::Place| {
        let context = builder().catalog(catalog()).build().await.unwrap();
        let source = DataSourceConfig::new("main", place.provider, &place.url).sync_table(true);
        context.add_data_source(source).unwrap();
        test(context.clone()).await;
        context.close();
    })
    .await;
}

fn service(session: &Session, entity: &str, view: &str) -> DynamicService {
    DynamicService::new(session, entity, view).unwrap()
}

fn filled<const N: usize>(service: &DynamicService, values: [(&str, Value); N]) -> DynamicObject {
    let mut object = service.object();
    for (name, value) in values {
        object.set(name, value).unwrap();
    }
    object
}

fn of_tenant(context: &OrmContext, tenant: i32) -> Session {
    context.create_session().unwrap().scoped(&Scope::new().column("TenantId", tenant)).unwrap()
}

#[tokio::test]
async fn e02_rows_of_a_definition_are_written_and_read_by_name() {
    each(Orm::builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let sorts = service(&session, "Sort", "Sort");
        assert!(sorts.insert(&mut filled(&sorts, [("Id", 1.into()), ("Name", "bug".into())])).await.unwrap());
        let tickets = service(&session, "Ticket", "TicketView");

        // E12: it takes the number and the version; the values have the types of their columns.
        let mut saw = filled(
            &tickets,
            [("title", "saw".into()), ("Price", "1.50".into()), ("Due", "2024-01-31".into()), ("SortId", 1.into())],
        );
        saw.set("State", "Open").unwrap();
        assert!(tickets.insert(&mut saw).await.unwrap());
        assert_eq!((saw.get("Id"), saw.get("Version")), (Some(&1.into()), Some(&1.into())));
        let mut axe = filled(&tickets, [("Title", "axe".into())]);
        assert!(tickets.insert(&mut axe).await.unwrap());

        // What is not set has the column's default, and is there when the row is read; so is a column of another table.
        let read = tickets.get(saw.key().unwrap()).await.unwrap().unwrap();
        let expected = [
            ("Id", Value::from(1)),
            ("TenantId", Value::Null),
            ("Title", "saw".into()),
            ("Price", "1.50".parse::<Decimal>().unwrap().into()),
            ("Due", chrono::NaiveDate::from_ymd_opt(2024, 1, 31).unwrap().into()),
            ("State", 1.into()),
            ("SortId", 1.into()),
            ("Version", 1.into()),
            ("Deleted", false.into()),
            ("SortName", "bug".into()),
        ];
        assert_eq!(read.iter().map(|(name, value)| (name, value.clone())).collect::<Vec<_>>(), expected);
        let read = tickets.get(2).await.unwrap().unwrap();
        assert_eq!((read.get("State"), read.get("SortName")), (Some(&1.into()), Some(&Value::Null)));

        // Only what is set is written, over any version where none is given.
        let mut change = filled(&tickets, [("Id", 1.into()), ("State", 2.into())]);
        assert!(tickets.update(&mut change).await.unwrap());
        assert_eq!(change.get("Version"), Some(&2.into()));
        let read = tickets.get(1).await.unwrap().unwrap();
        assert_eq!((read.get("Title"), read.get("State")), (Some(&"saw".into()), Some(&2.into())));
        // With a version, it must be that.
        assert!(!tickets.update(&mut saw).await.unwrap());
        saw.set("Version", 2).unwrap();
        assert!(tickets.update(&mut saw).await.unwrap());
        assert_eq!(saw.get("Version"), Some(&3.into()));
        // Nothing to write is whether the row is there.
        assert!(tickets.update(&mut filled(&tickets, [("Id", 1.into())])).await.unwrap());
        let mut absent = filled(&tickets, [("Id", 9.into()), ("State", 2.into())]);
        assert!(!tickets.update(&mut absent).await.unwrap());
        assert!(!tickets.update(&mut filled(&tickets, [("Id", 9.into())])).await.unwrap());

        let found = tickets.search(from("TicketView").filter(prop("SortName").eq("bug"))).await.unwrap();
        assert_eq!(found.iter().map(|row| row.get("Title")).collect::<Vec<_>>(), [Some(&"saw".into())]);
        assert_eq!(tickets.search(prop("Version").gt(0)).await.unwrap().len(), 2);
        assert_eq!((tickets.count(()).await.unwrap(), tickets.count(prop("State").eq(2)).await.unwrap()), (2, 0));
        assert!(tickets.exists(prop("Title").eq("axe")).await.unwrap() && !tickets.exists_id(9).await.unwrap());

        // The row is marked, and no longer there.
        assert!(tickets.delete(2).await.unwrap() && !tickets.delete(2).await.unwrap());
        assert_eq!((tickets.get(2).await.unwrap().is_none(), tickets.count(()).await.unwrap()), (true, 1));
        let deleted = session.scoped(&Scope::new().only_deleted("Ticket")).unwrap();
        assert_eq!(service(&deleted, "Ticket", "Ticket").count(()).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn e04_a_key_of_two_columns_is_given_in_their_order() {
    each(Orm::builder, async |context: OrmContext| {
        let seats = service(&context.create_session().unwrap(), "Seat", "Seat");
        for code in ["a", "b"] {
            let mut seat = filled(&seats, [("Row", 1.into()), ("Code", code.into())]);
            assert!(seats.insert(&mut seat).await.unwrap());
            assert_eq!(seat.key().unwrap(), [1.into(), code.into()]);
        }
        let mut seat = filled(&seats, [("Row", 1.into()), ("Code", "b".into()), ("Note", "window".into())]);
        assert!(seats.update(&mut seat).await.unwrap());
        assert_eq!(seats.get((1, "b")).await.unwrap().unwrap().get("Note"), Some(&"window".into()));
        assert_eq!(seats.get((1, "a")).await.unwrap().unwrap().get("Note"), Some(&Value::Null));
        assert!(seats.delete((1, "a")).await.unwrap() && !seats.exists_id((1, "a")).await.unwrap());

        let error = seats.get(1).await.unwrap_err();
        assert_eq!(error.to_string(), "the key of `Seat` is (Row, Code), 1 values are given");
        let error = seats.update(&mut filled(&seats, [("Row", 1.into())])).await.unwrap_err();
        assert_eq!(error.to_string(), "the key of `Seat` is not set");
        let mut twice = filled(&seats, [("Row", 1.into()), ("Code", "b".into())]);
        assert!(seats.insert(&mut twice).await.unwrap_err().is_unique_violation());
    })
    .await;
}

#[tokio::test]
async fn e13_a_scope_holds_for_both_kinds() {
    each(Orm::builder, async |context: OrmContext| {
        let (ours, theirs) = (of_tenant(&context, 1), of_tenant(&context, 2));
        for (entity, name, key) in [("Ticket", "Title", None), ("Gauge", "Label", Some(7))] {
            let (rows, others) = (service(&ours, entity, entity), service(&theirs, entity, entity));
            let mut row = filled(&rows, [(name, "x".into())]);
            if let Some(key) = key {
                row.set("Id", key).unwrap();
            }
            assert!(rows.insert(&mut row).await.unwrap());
            // It takes the tenant.
            assert_eq!(row.get("TenantId"), Some(&1.into()), "{entity}");
            let key = row.key().unwrap();
            assert!(rows.exists_id(key.clone()).await.unwrap());

            // Others do not see it, change it, or delete it.
            assert!(!others.exists_id(key.clone()).await.unwrap() && others.get(key.clone()).await.unwrap().is_none());
            assert_eq!((others.count(()).await.unwrap(), others.search(()).await.unwrap().len()), (0, 0));
            let mut change = others.object();
            change.set("Id", key[0].clone()).unwrap();
            assert!(!others.update(&mut change).await.unwrap());
            change.set(name, "theirs").unwrap();
            assert!(!others.update(&mut change).await.unwrap() && !others.delete(key.clone()).await.unwrap());

            // No row leaves its tenant, and none comes into another's.
            let mut leaves = rows.object();
            leaves.set("Id", key[0].clone()).unwrap();
            leaves.set("TenantId", 2).unwrap();
            let error = rows.update(&mut leaves).await.unwrap_err();
            assert!(matches!(error, OrmError::OutOfScope { .. }), "{entity}: {error:?}");
            let mut foreign = filled(&rows, [(name, "y".into()), ("TenantId", 2.into())]);
            if entity == "Gauge" {
                foreign.set("Id", 8).unwrap();
            }
            let error = rows.insert(&mut foreign).await.unwrap_err();
            assert!(matches!(error, OrmError::OutOfScope { .. }), "{entity}: {error:?}");
            assert_eq!(rows.get(key).await.unwrap().unwrap().get(name), Some(&"x".into()));
        }
    })
    .await;
}

#[tokio::test]
async fn e02_a_row_of_a_struct_is_held_to_its_fields() {
    each(Orm::builder, async |context: OrmContext| {
        let session = of_tenant(&context, 1);
        let gauges = service(&session, "Gauge", "Gauge");
        // What is not set is the struct's default.
        let mut gauge = filled(&gauges, [("Id", 1.into()), ("Label", "a".into())]);
        assert!(gauges.insert(&mut gauge).await.unwrap());
        let read = ObjectViewDao::<Gauge>::new(&session).get(1).await.unwrap().unwrap();
        assert_eq!(read, Gauge { id: 1, tenant_id: 1, level: Level::Low, label: "a".into() });
        // Only what is set is written.
        let mut change = filled(&gauges, [("Id", 1.into()), ("Level", 2.into())]);
        assert!(gauges.update(&mut change).await.unwrap());
        let read = ObjectViewDao::<Gauge>::new(&session).get(1).await.unwrap().unwrap();
        assert_eq!(read, Gauge { id: 1, tenant_id: 1, level: Level::High, label: "a".into() });
        // A value that is none of the field's type is told with the property.
        let mut bad = gauges.object();
        let (level, _) = bad.entity().column("Level").unwrap();
        bad.set("Id", 1).unwrap();
        bad.set_value(level, 9.into()).unwrap();
        for error in [gauges.update(&mut bad).await.unwrap_err(), gauges.insert(&mut bad).await.unwrap_err()] {
            assert!(error.to_string().starts_with("`Gauge.Level`: "), "{error}");
        }
        // A row that says which shard it is of is written there; to others, the service is told.
        let marks = service(&session, "Mark", "Mark").with_args(["2024"]);
        let mut mark = filled(&marks, [("Day", 1.into()), ("Code", "a".into()), ("Points", 5.into())]);
        assert!(marks.insert(&mut mark).await.unwrap());
        assert_eq!(marks.count(()).await.unwrap(), 1);
        assert!(marks.delete((1, "a")).await.unwrap());
    })
    .await;
}

/// Doubles prices, and lets nothing be inserted that is called so.
struct Doubles;

#[async_trait]
impl EntityEvents<Item> for Doubles {
    async fn on_inserting(&self, item: &mut Item, _: &EventContext) -> OrmResult<bool> {
        item.price *= 2;
        Ok(item.name != "no")
    }
}

#[tokio::test]
async fn ve01_who_listens_to_a_struct_hears_of_what_is_written_by_values() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Item, _>(move |_| Ok(tape.clone())).entity_events::<Item, _>(|_| Ok(Doubles))
    };
    each(builder, async |context: OrmContext| {
        log.take();
        let session = context.create_session().unwrap();
        let items = service(&session, "Item", "ItemView");
        let mut saw = filled(&items, [("Name", "saw".into()), ("Price", 5.into())]);
        assert!(items.insert(&mut saw).await.unwrap());
        // It takes what a subscriber has made of it.
        assert_eq!((saw.get("Id"), saw.get("Price")), (Some(&1.into()), Some(&10.into())));
        assert_eq!(log.take(), ["inserting saw", "inserted saw", "committed: inserted saw"]);

        let mut no = filled(&items, [("Name", "no".into())]);
        assert!(!items.insert(&mut no).await.unwrap());
        assert_eq!((no.get("Id"), log.take()), (None, vec!["inserting no".to_owned()]));

        // They see the whole row, whatever is set.
        let mut change = filled(&items, [("Id", 1.into()), ("Price", 7.into())]);
        assert!(items.update(&mut change).await.unwrap());
        assert_eq!(log.take(), ["updating saw", "updated saw", "committed: updated saw"]);
        let read = items.get(1).await.unwrap().unwrap();
        assert_eq!((read.get("Name"), read.get("Price")), (Some(&"saw".into()), Some(&7.into())));
        let mut absent = filled(&items, [("Id", 9.into()), ("Price", 7.into())]);
        assert!(!items.update(&mut absent).await.unwrap());
        assert!(log.take().is_empty());

        assert!(items.delete(1).await.unwrap());
        assert_eq!(log.take(), ["deleting id 1 of []", "deleted id 1 of []", "committed: deleted id 1"]);
        assert!(!items.delete(1).await.unwrap());
    })
    .await;
    // The version of the object holds, and is renewed.
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Doc, _>(move |_| Ok(tape.clone()))
    };
    each(builder, async |context: OrmContext| {
        log.take();
        let docs = service(&context.create_session().unwrap(), "Doc", "Doc");
        let mut doc = filled(&docs, [("Id", 1.into()), ("Text", "a".into())]);
        assert!(docs.insert(&mut doc).await.unwrap());
        assert_eq!(doc.get("Version"), Some(&1.into()));
        let mut change = filled(&docs, [("Id", 1.into()), ("Text", "b".into())]);
        assert!(docs.update(&mut change).await.unwrap());
        assert_eq!(change.get("Version"), Some(&2.into()));
        assert!(!docs.update(&mut doc).await.unwrap());
        doc.set("Version", 2).unwrap();
        assert!(docs.update(&mut doc).await.unwrap());
        assert_eq!(docs.get(1).await.unwrap().unwrap().get("Version"), Some(&3.into()));
    })
    .await;
}

#[tokio::test]
async fn e01_a_service_of_a_struct_is_one_by_values() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Item, _>(move |_| Ok(tape.clone()))
    };
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let typed = EntityService::<Item, crate::services::ItemView>::new(&session);
        let items: &dyn DynamicServiceOps = &TypedService::new(Box::new(typed), &session);
        let names = service(&session, "Item", "Item");
        let mut saw = filled(&names, [("Name", "saw".into()), ("Price", 5.into())]);
        assert!(items.insert(&mut saw).await.unwrap());
        assert_eq!(saw.get("Id"), Some(&1.into()));
        log.take();
        let mut change = filled(&names, [("Id", 1.into()), ("Price", 7.into())]);
        assert!(items.update(&mut change).await.unwrap());
        assert_eq!(log.take(), ["updating saw", "updated saw", "committed: updated saw"]);
        let read = items.get_key(vec![1.into()]).await.unwrap().unwrap();
        assert_eq!(read.entity().name, *"ItemView");
        assert_eq!((read.get("Name"), read.get("Price")), (Some(&"saw".into()), Some(&7.into())));
        let mut absent = filled(&names, [("Id", 9.into()), ("Price", 7.into())]);
        assert!(!items.update(&mut absent).await.unwrap());
        assert!(items.delete_key(vec![1.into()]).await.unwrap());

        // What each row has is written, and the version of an object is compared.
        let sorts = TypedService::<Sort, Sort>::new(Box::new(EntityService::new(&session)), &session);
        let names = service(&session, "Sort", "Sort");
        assert!(sorts.insert(&mut filled(&names, [("Id", 1.into()), ("Name", "bug".into())])).await.unwrap());
        assert!(sorts.update(&mut filled(&names, [("Id", 1.into()), ("Name", "big".into())])).await.unwrap());
        assert!(sorts.has_key(vec![1.into()]).await.unwrap());
        let docs = TypedService::<Doc, Doc>::new(Box::new(EntityService::new(&session)), &session);
        let mut doc = filled(&service(&session, "Doc", "Doc"), [("Id", 1.into()), ("Text", "a".into())]);
        assert!(docs.insert(&mut doc).await.unwrap());
        let stale = doc.clone();
        assert!(docs.update(&mut doc).await.unwrap());
        assert_eq!(doc.get("Version"), Some(&2.into()));
        assert!(!docs.update(&mut stale.clone()).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn v03_rows_are_read_by_a_closure() {
    each(Orm::builder, async |context: OrmContext| {
        let tickets = service(&context.create_session().unwrap(), "Ticket", "Ticket");
        for title in ["a", "b"] {
            tickets.insert(&mut filled(&tickets, [("Title", title.into())])).await.unwrap();
        }
        let tickets: &dyn DynamicServiceOps = &tickets;
        let query = || -> ServiceQuery {
            QueryOf::<DynamicObject>::into_query(from("Ticket").order_by(["Title"]).select(["Title"]))
        };
        let read: ReadAny =
            std::sync::Arc::new(|row: &dyn Row| Ok(Box::new(row.text(0)?.unwrap_or_default().to_owned())));
        let text = |row: AnyRow| *row.downcast::<String>().unwrap();
        let rows = tickets.find_any(query(), read.clone()).await.unwrap();
        assert_eq!(rows.into_iter().map(text).collect::<Vec<_>>(), ["a", "b"]);
        let rows: Vec<_> = futures_util::StreamExt::collect(tickets.find_each_any(query(), read).into_stream()).await;
        assert_eq!(rows.into_iter().map(|row| text(row.unwrap())).collect::<Vec<_>>(), ["a", "b"]);
        assert!(tickets.has_key(vec![1.into()]).await.unwrap());
        assert_eq!(tickets.number_of(ServiceQuery::default()).await.unwrap(), 2);
        assert!(tickets.get_key(vec![1.into()]).await.unwrap().is_some());
        assert!(tickets.delete_key(vec![1.into()]).await.unwrap());
    })
    .await;
}

#[derive(Debug)]
struct Ann;

impl Principal for Ann {
    fn id(&self) -> &str {
        "ann"
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

struct Looks(Log);

#[async_trait]
impl ServiceInvokedEvent for Looks {
    async fn on_invoked(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()> {
        let result = context.result().unwrap_or_default();
        self.0.add(format!("{}.{}({}) {result}", context.service_name(), context.method_name(), context.arguments()));
        Ok(())
    }
}

#[tokio::test]
async fn p02_writes_want_a_principal_and_logs_show_no_values() {
    let log = Log::default();
    let builder = || {
        let interception = Interception::new().principals(SessionPrincipal).invoked(Looks(log.clone()));
        Orm::builder().with_interception(interception)
    };
    each(builder, async |context: OrmContext| {
        log.take();
        let nobody = context.create_session().unwrap();
        let seats = service(&nobody, "Seat", "Seat");
        let mut seat = filled(&seats, [("Row", 1.into()), ("Code", "secret".into())]);
        let error = seats.insert(&mut seat).await.unwrap_err();
        assert!(matches!(error, OrmError::Forbidden { service: "Seat", method: "insert", .. }), "{error:?}");
        assert!(seats.delete((1, "a")).await.is_err() && seats.update(&mut seat).await.is_err());
        assert_eq!(seats.count(()).await.unwrap(), 0);

        let ann = service(&nobody.with_principal(std::sync::Arc::new(Ann)), "Seat", "Seat");
        assert!(ann.insert(&mut seat).await.unwrap());
        ann.search(()).await.unwrap();
        let told = log.take();
        assert_eq!(
            told,
            [
                "Seat.count(query: None) 0",
                "Seat.insert(entity: Seat { Row, Code }) true",
                "Seat.search(query: None) [Seat { Row, Code, Note }]"
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn v08_a_query_of_another_entity_is_refused() {
    each(Orm::builder, async |context: OrmContext| {
        let seats = service(&context.create_session().unwrap(), "Seat", "Seat");
        assert!(seats.search(from("Ticket")).await.is_err());
        assert!(seats.count(from("Ticket")).await.is_err());
        let write = Expr::from(table("Seat").delete().all_rows());
        let error = seats.search(write).await.unwrap_err();
        assert!(error.to_string().starts_with("a search reads"), "{error}");
    })
    .await;
}

struct Quiet;

impl EntityEvents<Shadow> for Quiet {}

#[tokio::test]
async fn e02_what_is_not_served_is_told() {
    let builder = Orm::builder().entity_events::<Shadow, _>(|_| Ok(Quiet)).catalog(catalog());
    let context = builder.build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:")).unwrap();
    for (entity, view, expected) in [
        ("Nobody", "Nobody", NotDynamic::Unknown),
        ("TicketView", "TicketView", NotDynamic::View),
        ("Ticket", "ItemView", NotDynamic::OtherView),
        ("Ticket", "Nobody", NotDynamic::OtherView),
        ("Fixture", "Fixture", NotDynamic::NotMade),
        ("Shadow", "Shadow", NotDynamic::NotRegistered),
    ] {
        assert_eq!(DynamicService::check(&context, entity, view), Err(expected), "{entity}");
    }
    assert_eq!(DynamicService::check(&context, "item", "itemview"), Ok(()));
    let error = DynamicService::new(&context.create_session().unwrap(), "Fixture", "Fixture").unwrap_err();
    let OrmError::Service(why) = &error else { panic!("{error:?}") };
    assert!(matches!(**why, ServiceError::NotDynamic { reason: NotDynamic::NotMade, .. }));
    assert_eq!(
        error.to_string(),
        "`Fixture` is not served by values: its struct is not both `Clone` and `Default`: no row of it can be made"
    );
}

#[test]
fn e02_an_object_takes_what_its_columns_take() {
    let catalog = catalog();
    let (id, _) = catalog.entity("TicketView").unwrap();
    let mut ticket = DynamicObject::new(&catalog, id);
    let told = |error: Result<(), FieldError>| error.unwrap_err().to_string();
    assert_eq!(told(ticket.set("Titel", "x")), "`TicketView` has no property `Titel` (did you mean `Title`?)");
    assert_eq!(told(ticket.set("SortName", "x")), "`TicketView.SortName` is of another table, and only read");
    assert_eq!(told(ticket.set("Title", Value::Null)), "`TicketView.Title` is never NULL");
    assert!(told(ticket.set("Due", "soon")).contains("`Due`, Date: expected yyyy-MM-dd"));
    assert!(told(ticket.set("State", "Lost")).contains("`State`"));
    assert!(told(ticket.set_value(10, 1.into())).contains("no column 10"));
    assert!(told(ticket.set_value(9, 1.into())).contains("no column 9"), "that of another table is none");
    assert_eq!((ticket.iter().count(), ticket.key(), ticket.get("Nothing")), (0, None, None));
    ticket.set("id", "7").unwrap();
    assert_eq!(
        (ticket.get("ID"), ticket.value(0), ticket.key()),
        (Some(&7.into()), Some(&7.into()), Some(vec![7.into()]))
    );
    ticket.set("Price", Value::Null).unwrap();
    assert_eq!(format!("{ticket:?}"), "TicketView { Id, Price }");
}
