//! What is logged of calls.

use std::time::Duration;

use isogloss::entity::{LogText, Logable};
use isogloss::service::{LogFormat, LogLevel, LogRule, Method, Service};
use isogloss_testkit::events::{self, Event, Events};
use tracing::Level;
use tracing::subscriber::DefaultGuard;

use super::*;

/// Captures what is logged of calls.
fn heard_at(level: Level) -> (Events, DefaultGuard) {
    events::capture("isogloss::service", level)
}

/// A line for each event, with those fields.
fn lines(heard: &Events, names: &[&str]) -> Vec<String> {
    let line = |event: Event| {
        let level = event.level.to_string();
        let field = |name: &&str| if *name == "level" { Some(level.clone()) } else { event.fields.get(*name).cloned() };
        names.iter().filter_map(field).collect::<Vec<_>>().join(" | ")
    };
    heard.take().into_iter().map(line).collect()
}

const USUAL: [&str; 6] = ["level", "service", "method", "arguments", "result", "message"];

/// A type whose `Debug` says too much.
#[derive(Debug)]
struct Card(&'static str);

impl Logable for Card {
    fn log(&self, text: &mut LogText) {
        text.push(format_args!("card of {} digits", self.0.len()));
    }
}

/// A type of the program's.
#[derive(Debug, Clone)]
struct Command {
    id: i32,
}

struct Silent;

fn business(error: &ShopError) -> bool {
    error.is_business()
}

#[derive(FromSession)]
struct Logged {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
impl Logged {
    pub async fn plain(&self, id: i32, name: &str) -> OrmResult<Vec<i32>> {
        Ok(vec![id; name.len()])
    }

    #[service_log(level = debug, format = none)]
    pub async fn quiet(&self, id: i32) -> OrmResult<i32> {
        Ok(id)
    }

    #[service_log(format = args)]
    pub async fn args(&self, id: i32) -> OrmResult<i32> {
        Ok(id)
    }

    #[service_log(level = warning, format = result)]
    pub async fn result(&self, id: i32) -> OrmResult<i32> {
        Ok(id)
    }

    #[service_log(level = none)]
    pub async fn nothing(&self, fails: bool) -> Result<(), ShopError> {
        if fails { Err(ShopError::SoldOut) } else { Ok(()) }
    }

    #[service_log(slow = "1ms")]
    pub async fn slow(&self, id: i32) -> OrmResult<()> {
        self.orders.insert(&mut order(id, "slow")).await?;
        tokio::time::sleep(Duration::from_millis(5)).await;
        Ok(())
    }

    pub async fn fails(&self, id: i32, #[log(skip)] password: String, business: bool) -> Result<(), ShopError> {
        assert_eq!(password, "guess");
        self.orders.insert(&mut order(id, "fails")).await?;
        if business {
            return Err(ShopError::SoldOut);
        }
        self.orders.insert(&mut order(id, "twice")).await?;
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "one of each kind")]
    pub async fn shown(
        &self,
        order: Order,
        orders: Vec<Order>,
        card: Card,
        commands: &[Command],
        #[log(skip)] hidden: Silent,
        silent: Silent,
        bytes: Vec<u8>,
        change: &mut Command,
    ) -> OrmResult<Command> {
        let _ = (order, orders, card, commands, hidden, silent, bytes, business);
        change.id += 1;
        Ok(change.clone())
    }
}

#[tokio::test]
async fn l01_levels_and_formats() {
    let context = memory(interception()).await;
    let logged: Logged = context.create_session().unwrap().service().unwrap();
    let (heard, _listens) = heard_at(Level::DEBUG);
    logged.plain(7, "ab").await.unwrap();
    assert_eq!(
        lines(&heard, &USUAL),
        [
            r#"INFO | Logged | plain | id: 7, name: "ab" | a service is called"#,
            "INFO | Logged | plain | [7, 7] | a service has returned",
        ]
    );
    logged.quiet(1).await.unwrap();
    logged.args(1).await.unwrap();
    logged.result(1).await.unwrap();
    logged.nothing(false).await.unwrap();
    assert_eq!(
        lines(&heard, &USUAL),
        [
            "DEBUG | Logged | quiet | a service is called",
            "DEBUG | Logged | quiet | a service has returned",
            "INFO | Logged | args | id: 1 | a service is called",
            "INFO | Logged | args | a service has returned",
            "WARN | Logged | result | a service is called",
            "WARN | Logged | result | 1 | a service has returned",
        ]
    );
    // A failure is told whatever the level is.
    logged.nothing(true).await.unwrap_err();
    assert_eq!(lines(&heard, &USUAL), ["WARN | Logged | nothing | fails: true | a service has failed"]);
    let rules: Vec<String> = Logged::methods().map(Method::to_string).collect();
    assert_eq!(rules[1..3], ["Logged.quiet: log(Debug, None)", "Logged.args: log(Information, Args)"]);
}

#[tokio::test]
async fn l01_entity_services_are_told_to_those_who_look_for_mistakes() {
    let context = memory(interception()).await;
    let orders = isogloss::service::EntityViewService::<Order>::new(&context.create_session().unwrap());
    let (heard, _listens) = heard_at(Level::DEBUG);
    orders.count(()).await.unwrap();
    assert_eq!(
        lines(&heard, &USUAL),
        [
            "DEBUG | Order | count | query: None | a service is called",
            "DEBUG | Order | count | 0 | a service has returned",
        ]
    );
}

#[tokio::test]
async fn l01_a_program_says_what_holds_for_all() {
    let rule = LogRule::new().level(LogLevel::Trace).format(LogFormat::Args);
    let context = memory(interception().default_log(rule)).await;
    let logged: Logged = context.create_session().unwrap().service().unwrap();
    let (heard, _listens) = heard_at(Level::TRACE);
    logged.plain(7, "ab").await.unwrap();
    assert_eq!(lines(&heard, &["level", "arguments", "result"]), [r#"TRACE | id: 7, name: "ab""#, "TRACE"]);
}

#[tokio::test]
async fn l02_slow_and_failed_calls_are_told_with_their_statements() {
    each(interception, async |context: OrmContext| {
        let logged: Logged = context.create_session().unwrap().service().unwrap();
        let (heard, _listens) = heard_at(Level::WARN);
        logged.slow(1).await.unwrap();
        let slow = heard.take();
        assert_eq!((slow.len(), slow[0].message()), (1, "slow call of a service"));
        let slow = &slow[0].fields;
        assert!(slow["sql"].starts_with("INSERT INTO"), "{slow:?}");
        // It has slept for 5, so that it took no less on any machine.
        assert!(slow["took_ms"].parse::<u64>().unwrap() >= 5);
        assert_eq!(slow["session"], logged.session.id().to_string());

        // The arguments are told whatever the format is; those that are hidden are not.
        logged.fails(2, "guess".into(), true).await.unwrap_err();
        logged.fails(1, "guess".into(), false).await.unwrap_err();
        let [business, other] = heard.take().try_into().unwrap();
        assert_eq!((business.level, business.fields["error"].as_str()), (Level::WARN, "sold out"));
        assert_eq!(other.level, Level::ERROR);
        assert!(other.fields["error"].contains("unique violation"), "{other:?}");
        for Event { fields: failed, .. } in [business, other] {
            assert!(failed["arguments"].contains("password: *, business: "), "{failed:?}");
            // The oldest comes first, and none has values.
            assert!(failed["sql"].starts_with("INSERT INTO"), "{failed:?}");
            assert!(!failed["sql"].contains("fails") && !failed["sql"].contains("hidden"), "{failed:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn l03_l04_arguments_are_shown_with_care() {
    let context = memory(interception().log_items(2)).await;
    let logged: Logged = context.create_session().unwrap().service().unwrap();
    let (heard, _listens) = heard_at(Level::INFO);
    let commands = [Command { id: 1 }, Command { id: 2 }];
    let mut change = Command { id: 3 };
    let orders = vec![order(1, "a"), order(2, "b"), order(3, "c")];
    logged
        .shown(order(1, "a\nb"), orders, Card("4000"), &commands, Silent, Silent, vec![1, 2, 3], &mut change)
        .await
        .unwrap();
    let [called, returned] = heard.take().try_into().unwrap();
    assert_eq!(
        called.fields["arguments"],
        "order: Order { Id: 1, Note: \"a\\nb\" }, orders: Vec<Order>[3], card: card of 4 digits, \
         commands: <&[Command]>, hidden: *, silent: <Silent>, bytes: AQID, change: <&mut Command>"
    );
    assert_eq!(returned.fields["result"], "<Command>");
}

#[tokio::test]
async fn l04_conditions_and_updates_are_shown_without_values() {
    let context = memory(interception()).await;
    let session = context.create_session().unwrap().with_principal(user("ann", &[]));
    let orders = isogloss::service::EntityService::<Order>::new(&session);
    let (heard, _listens) = heard_at(Level::DEBUG);
    let hidden = || Some("guess".to_owned());
    let change = isogloss::entity::update::<Order>([Order::SECRET.set(hidden())]);
    orders.update_all(change.filter(Order::SECRET.ne(hidden()))).await.unwrap();
    orders.count(Order::SECRET.eq(hidden())).await.unwrap();
    orders.delete_all(Order::SECRET.starts_with("guess")).await.unwrap();
    let told: Vec<String> = lines(&heard, &["arguments"]).into_iter().filter(|line| !line.is_empty()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|line| line.contains("Secret") && line.contains('?')), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("guess")), "{told:?}");
    // Nor has the argument of a fragment, nor a row.
    let fragment = LogText::of(&isogloss::expr::Expr::from(isogloss::expr::sql("Own", "guess")));
    assert!(fragment.contains("Own") && !fragment.contains("guess"), "{fragment}");
    let insert = LogText::of(&isogloss::expr::Expr::from(table("Order").insert(["Secret"], vec!["guess".into()])));
    assert!(insert.contains("Secret") && !insert.contains("guess"), "{insert}");
}

#[tokio::test]
async fn v05_what_has_a_closure_is_not_called_from_another_program() {
    let context = memory(interception()).await;
    let session = context.create_session().unwrap();
    let orders = isogloss::service::EntityViewService::<Order>::new(&session);
    let refused = session.remote(orders.for_each((), async |_| Ok(()))).await.unwrap_err();
    assert!(
        matches!(&refused, OrmError::Service(error) if matches!(**error, isogloss::service::ServiceError::NotRemote { .. })),
        "{refused}"
    );
    orders.for_each((), async |_| Ok(())).await.unwrap();
    session.remote(orders.count(())).await.unwrap();
}

#[test]
fn l03_entities_leave_out_what_is_hidden() {
    assert_eq!(LogText::of(&order(1, "a")), r#"Order { Id: 1, Note: "a" }"#);
    let view = OrderView { order: order(1, "a"), doubled: 2, hidden: 3 };
    assert_eq!(view.hidden, 3);
    assert_eq!(LogText::of(&view), r#"OrderView { Id: 1, Note: "a", Doubled: 2 }"#);
}

#[derive(Debug, Clone, Default, View)]
#[view(of = Order, register = false)]
struct OrderView {
    order: Order,
    #[column(computed = "{Id} * 2")]
    doubled: i32,
    #[log(skip)]
    #[column(computed = "{Id} * 3")]
    hidden: i32,
}

#[tokio::test]
async fn l05_connection_strings_are_not_logged() {
    let context = OrmContext::builder().catalog(catalog()).with_interception(interception()).build().await.unwrap();
    let url = "postgres://shop:secret-password@127.0.0.1:1/shop";
    let source = isogloss::config::DataSourceConfig::new("main", "postgres", url);
    context.add_data_source(source).unwrap();
    let logged: Logged = context.create_session().unwrap().service().unwrap();
    let (heard, _listens) = heard_at(Level::TRACE);
    logged.fails(1, "guess".into(), false).await.unwrap_err();
    let told = format!("{:?}", heard.take());
    assert!(told.contains("a service has failed") && !told.contains("secret-password"), "{told}");
}

/// Counts how often it is shown.
struct Counts(Arc<Mutex<u32>>);

impl Logable for Counts {
    fn log(&self, text: &mut LogText) {
        *self.0.lock().unwrap() += 1;
        text.push("counted");
    }
}

#[derive(FromSession)]
struct Lazy {
    session: Session,
}

#[service]
impl Lazy {
    pub async fn look(&self, owned: Counts, borrowed: &Counts, fails: bool) -> Result<u64, ShopError> {
        drop(owned);
        let _ = borrowed;
        if fails { Err(ShopError::SoldOut) } else { Ok(self.session.id()) }
    }
}

#[tokio::test]
async fn i02_arguments_are_rendered_only_if_somebody_looks() {
    let context = memory(interception()).await;
    let lazy: Lazy = context.create_session().unwrap().service().unwrap();
    let count = Arc::new(Mutex::new(0));
    let call = async |fails: bool| {
        let _ = lazy.look(Counts(Arc::clone(&count)), &Counts(Arc::clone(&count)), fails).await;
        std::mem::take(&mut *count.lock().unwrap())
    };
    assert_eq!((call(false).await, call(true).await), (0, 0));
    // Warnings are heard: what the body takes over is shown before it, what it borrows is shown when it has failed.
    let (heard, _listens) = heard_at(Level::WARN);
    assert_eq!((call(false).await, call(true).await), (1, 2));
    assert_eq!(lines(&heard, &["arguments"]), ["owned: counted, borrowed: counted, fails: true"]);
}
