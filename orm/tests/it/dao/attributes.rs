//! What attributes say of a column holds in every operation.

use isogloss::dao::{DataViewDao, ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::entity::{Linked as _, Many};
use isogloss::expr::Decimal;
use isogloss::prelude::*;
use isogloss::service::EntityViewService;
use isogloss::{OrmError, Session};

use super::{catalog, engines};
use crate::support::money::{Cents, Money};

/// By its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
#[db_enum(text, rename_all = "snake_case")]
pub(crate) enum Channel {
    #[default]
    Web,
    ByPhone,
}

/// A key of its own type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Field)]
pub(crate) struct BillId(pub(crate) i64);

/// A bill of any kind of goods.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "bills", columns = "snake_case")]
pub(crate) struct Bill {
    #[column(primary_key, identity)]
    pub(crate) id: BillId,
    #[column(length = 10)]
    pub(crate) channel: Channel,
    #[column(converter = Cents, name = "fee_cents")]
    pub(crate) fee: Money,
    #[column(converter = Cents)]
    pub(crate) tip: Option<Money>,
    /// It is written once.
    #[column(mode = "final", length = 20)]
    pub(crate) number: String,
    /// It is written later.
    #[column(mode = "read|update", default = "'none'", length = 20)]
    pub(crate) note: String,
    pub(crate) price: i32,
    pub(crate) pieces: i32,
    #[column(computed = "{Price} * {Pieces}")]
    pub(crate) total: i32,
}

/// Of any value.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "settings", columns = "snake_case")]
pub(crate) struct Setting<T> {
    #[column(primary_key, length = 20)]
    pub(crate) name: String,
    pub(crate) setting: T,
}

/// With a decimal of two digits behind its point.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "accounts", columns = "snake_case")]
pub(crate) struct Account {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(precision = 10, scale = 2)]
    pub(crate) balance: Decimal,
}

fn bill(number: &str) -> Bill {
    let (channel, fee, number) = (Channel::ByPhone, Money(250), number.to_owned());
    Bill { channel, fee, number, note: "lost".into(), price: 3, pieces: 4, ..Bill::default() }
}

async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, &[("Bill", &[])], test).await;
}

#[tokio::test]
async fn a_column_is_written_where_its_mode_lets_it() {
    each(async |session: Session| {
        let (bills, views) = (ObjectDao::<Bill>::new(&session), ObjectViewDao::<Bill>::new(&session));
        let mut one = bill("A-1");
        assert!(bills.insert(&mut one).await.unwrap());
        assert_ne!(one.id, BillId(0));
        // A note is not written by an INSERT.
        assert_eq!(one.note, "none");
        assert_eq!(views.get(one.id).await.unwrap(), Some(Bill { total: 12, ..one.clone() }));
        let totals = DataViewDao::<Bill>::new(&session).search_properties(&["Total", "Channel"], ()).await.unwrap();
        assert_eq!(
            (totals.value(0, "Total"), totals.value(0, "Channel")),
            (Some(&12.into()), Some(&"by_phone".into()))
        );

        (one.number, one.note, one.tip, one.pieces) = ("B-2".into(), "kept".into(), Some(Money(5)), 5);
        let changed = Bill { number: "A-1".into(), total: 15, ..one.clone() };
        assert!(bills.update(&mut one).await.unwrap());
        assert_eq!(views.get(one.id).await.unwrap(), Some(changed.clone()));
        assert_eq!(views.count(expr!(|b: Bill| b.total == 15 && b.channel == Channel::ByPhone)).await.unwrap(), 1);
        assert_eq!(bills.update_or_insert(&mut one).await.unwrap(), UpdateOrInsertResult::Updated);
        assert_eq!(views.get(one.id).await.unwrap(), Some(changed));

        let mut many: Vec<Bill> = (0..30).map(|n| bill(&format!("M-{n}"))).collect();
        bills.batch_insert(&mut many).await.unwrap();
        assert!(many.iter().all(|bill| bill.note == "none"));
        for bill in &mut many {
            (bill.number, bill.note, bill.fee) = ("X".into(), format!("note of {}", bill.number), Money(7));
        }
        let key = BillId(many[9].id.0);
        let expected = Bill { number: "M-9".into(), total: 12, ..many[9].clone() };
        assert_eq!(bills.batch_update(&mut many).await.unwrap(), 30);
        assert_eq!(views.get(key).await.unwrap().as_ref(), Some(&expected));
        bills.batch_update_or_insert(&mut many).await.unwrap();
        assert_eq!(views.get(key).await.unwrap().as_ref(), Some(&expected));
    })
    .await;
}

#[tokio::test]
async fn what_a_converter_refuses_says_its_row() {
    each(async |session: Session| {
        let bills = ObjectDao::<Bill>::new(&session);
        let mut many: Vec<Bill> = (0..5_000).map(|n| bill(&format!("M-{n}"))).collect();
        many[4_321].fee = Money(-1);
        let error = bills.batch_insert(&mut many).await.unwrap_err();
        assert!(matches!(error, OrmError::Row { row: 4_322, .. }), "{error}");
        assert!(error.to_string().contains("Bill.Fee") && error.to_string().contains("not negative"), "{error}");
        assert_eq!(ObjectViewDao::<Bill>::new(&session).count(()).await.unwrap(), 0);

        many[4_321].fee = Money(1);
        bills.batch_insert(&mut many).await.unwrap();
        many[77].tip = Some(Money(-5));
        for error in [bills.batch_update(&mut many).await.err(), bills.batch_update_or_insert(&mut many).await.err()] {
            let error = error.unwrap();
            assert!(matches!(error, OrmError::Row { row: 78, .. }), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_decimal_is_stored_with_the_digits_of_its_column() {
    let catalog = || Catalog::builder().entity::<Account>().build().unwrap();
    engines::each(catalog, &[("Account", &[])], async |session: Session| {
        let (accounts, views) = (ObjectDao::<Account>::new(&session), ObjectViewDao::<Account>::new(&session));
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        let rows = |first: &str, rest: &str| -> Vec<Account> {
            (1..=30).map(|id| Account { id, balance: decimal(if id == 1 { first } else { rest }) }).collect()
        };
        // Whether the first row of a batch has such digits or a later one.
        for first in ["2", "2.675"] {
            accounts.batch_insert(&mut rows(first, "1.005")).await.unwrap();
            assert_eq!(views.get(30).await.unwrap().unwrap().balance, decimal("1.01"));
            accounts.batch_update(&mut rows(first, "-3.335")).await.unwrap();
            assert_eq!(views.get(30).await.unwrap().unwrap().balance, decimal("-3.34"));
            accounts.batch_update_or_insert(&mut rows(first, "7.125")).await.unwrap();
            assert_eq!(views.get(30).await.unwrap().unwrap().balance, decimal("7.13"));
            let mut one = Account { id: 31, balance: decimal("0.005") };
            accounts.insert(&mut one).await.unwrap();
            assert_eq!(views.get(31).await.unwrap().unwrap().balance, decimal("0.01"));
            one.balance = decimal("-0.015");
            accounts.update(&mut one).await.unwrap();
            assert_eq!(views.get(31).await.unwrap().unwrap().balance, decimal("-0.02"));
            accounts.delete_all_rows().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn an_entity_of_any_value_is_written() {
    let catalog = || Catalog::builder().entity::<Setting<i32>>().build().unwrap();
    engines::each(catalog, &[("Setting", &[])], async |session: Session| {
        let settings = ObjectDao::<Setting<i32>>::new(&session);
        let mut width = Setting { name: "width".into(), setting: 80 };
        settings.insert(&mut width).await.unwrap();
        width.setting = 100;
        assert!(settings.update(&mut width).await.unwrap());
        assert_eq!(ObjectViewDao::<Setting<i32>>::new(&session).get("width").await.unwrap(), Some(width));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "crates", columns = "snake_case")]
struct Crate {
    #[column(primary_key)]
    id: i32,
    #[has_many]
    packets: Many<Packet>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "packets", columns = "snake_case")]
struct Packet {
    #[column(primary_key)]
    id: i32,
    #[foreign(Crate)]
    crate_id: i32,
    width: i32,
    #[column(computed = "{Width} * 10")]
    area: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Packet)]
struct PacketView {
    packet: Packet,
}

#[tokio::test]
async fn a_struct_that_is_read_has_its_computed_columns() {
    let catalog = || Catalog::builder().entity::<Crate>().entity::<Packet>().entity::<PacketView>().build().unwrap();
    engines::each(catalog, &[("Crate", &[]), ("Packet", &[])], async |session: Session| {
        ObjectDao::<Crate>::new(&session).insert(&mut Crate { id: 1, ..Crate::default() }).await.unwrap();
        let mut packet = Packet { id: 2, crate_id: 1, width: 5, area: 0 };
        ObjectDao::<Packet>::new(&session).insert(&mut packet).await.unwrap();
        let (packets, area) = (ObjectViewDao::<Packet>::new(&session), |packets: Vec<Packet>| packets[0].area);
        assert_eq!(packets.get(2).await.unwrap().unwrap().area, 50);
        assert_eq!(area(packets.search(()).all().await.unwrap()), 50);
        assert_eq!(area(packets.search(expr!(|p: Packet| p.area > 40)).all().await.unwrap()), 50);
        assert_eq!(area(packets.search(query!(|p: Packet| p.order_by(p.id).take(1))).all().await.unwrap()), 50);
        assert_eq!(area(packets.search(from("Packet").take(1)).all().await.unwrap()), 50);
        let views = ObjectViewDao::<PacketView>::new(&session);
        assert_eq!(views.get(2).await.unwrap().unwrap().packet.area, 50);
        assert_eq!(views.search(()).all().await.unwrap()[0].packet.area, 50);
        let table = DataViewDao::<Packet>::new(&session).search(()).await.unwrap();
        assert_eq!(table.value(0, "Area"), Some(&50.into()));
        assert_eq!(EntityViewService::<Packet>::new(&session).get_object(2).await.unwrap().unwrap().area, 50);
        let mut crates = ObjectViewDao::<Crate>::new(&session).search(()).all().await.unwrap();
        session.load(&mut crates, Crate::packets()).await.unwrap();
        assert_eq!(crates[0].packets.get().unwrap()[0].area, 50);
    })
    .await;
}
