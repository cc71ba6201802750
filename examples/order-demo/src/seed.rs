//! Example data: two tenants with departments, users and orders, the same at each run except for the dates.

use indicatif::{ProgressBar, ProgressStyle};
use isogloss::chrono::TimeDelta;
use isogloss::expr::Decimal;
use isogloss::prelude::*;

use crate::auth;
use crate::domain::{Audit, Department, Order, PlatformOrder, Role, Status, User};

/// The password of all users.
pub(crate) const PASSWORD: &str = "isogloss";

/// How many orders there are at the scale 1.
pub(crate) const ORDERS: usize = 20_000;

/// How many rows a batch has.
const BATCH: usize = 1_000;

/// A user who is there: name, shown name, role, department, tenant.
pub(crate) struct Login {
    pub(crate) user_name: &'static str,
    pub(crate) display_name: &'static str,
    pub(crate) role: Role,
    pub(crate) department: &'static str,
    pub(crate) tenant: i32,
}

const fn login(
    user_name: &'static str,
    display_name: &'static str,
    role: Role,
    department: &'static str,
    tenant: i32,
) -> Login {
    Login { user_name, display_name, role, department, tenant }
}

/// All users. Three quarters of the orders belong to the first tenant.
pub(crate) const LOGINS: [Login; 8] = [
    login("ada", "Ada Holm", Role::Admin, "Head Office", 1),
    login("sam", "Sam Okoye", Role::Sales, "Sales", 1),
    login("sue", "Sue Lindqvist", Role::Sales, "Sales", 1),
    login("oli", "Oliver Brandt", Role::Operations, "Warehouse", 1),
    login("mia", "Mia Castellano", Role::AccountManager, "Key Accounts", 1),
    login("bea", "Beatriz Nunes", Role::Admin, "Head Office", 2),
    login("tom", "Tom Aalto", Role::Sales, "Sales", 2),
    login("eva", "Eva Novak", Role::Operations, "Warehouse", 2),
];

const DEPARTMENTS: [&str; 4] = ["Head Office", "Sales", "Warehouse", "Key Accounts"];

const CUSTOMERS: [&str; 12] = [
    "Alder & Sons",
    "Blue Harbour",
    "Cedar Clinic",
    "Delta Foods",
    "Elm Street Books",
    "Fjord Travel",
    "Granite Works",
    "Hilltop School",
    "Iris Optics",
    "Juniper Hotel",
    "Kestrel Bikes",
    "Lumen Studio",
];

/// A product and its price in cents.
const PRODUCTS: [(&str, i128); 10] = [
    ("Desk lamp", 3_990),
    ("Office chair", 18_900),
    ("Standing desk", 42_500),
    ("Monitor arm", 8_950),
    ("Whiteboard", 12_400),
    ("Notebook, 12 pack", 2_760),
    ("Filing cabinet", 23_900),
    ("Wall clock", 3_480),
    ("Coat stand", 5_990),
    ("Projector", 61_900),
];

/// Why there is no example data.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SeedError {
    #[error("a password cannot be hashed: {0}")]
    Password(argon2::password_hash::Error),
    #[error(transparent)]
    Orm(#[from] OrmError),
}

/// Makes the example data with that many orders, unless there are users already; gives how many orders were made.
///
/// # Errors
/// The database does not take it.
pub(crate) async fn seed(context: &OrmContext, orders: usize) -> Result<usize, SeedError> {
    let session = context.create_session()?.unscoped("whether there is anybody, of whatever tenant");
    if ObjectViewDao::<User>::new(&session).exists(()).await? {
        return Ok(0);
    }
    let mut platform = PlatformOrder { order_no: "P-1".into(), total_amount: Decimal::from(990), ..Default::default() };
    ObjectDao::new(&session).insert(&mut platform).await?;

    let bar = progress_bar(orders);
    for (tenant, share) in [(1, orders - orders / 4), (2, orders / 4)] {
        let session = context.create_session()?.scoped(&Scope::new().column("TenantId", tenant))?;
        let users = people(&session, tenant).await?;
        make_orders(&session, tenant, &users, share, &bar).await?;
    }
    bar.finish_and_clear();
    Ok(orders)
}

/// The departments and users of a tenant.
async fn people(session: &Session, tenant: i32) -> Result<Vec<User>, SeedError> {
    let mut departments = DEPARTMENTS.map(|name| Department { name: name.to_owned(), ..Department::default() });
    ObjectDao::new(session).batch_insert(&mut departments).await?;
    let id_of = |name| departments.iter().find(|department| department.name == name).map_or(0, |found| found.id);
    let mut users = Vec::new();
    for login in LOGINS.iter().filter(|login| login.tenant == tenant) {
        users.push(User {
            user_name: login.user_name.to_owned(),
            display_name: login.display_name.to_owned(),
            role: login.role,
            department_id: id_of(login.department),
            password_hash: auth::hash(PASSWORD).map_err(SeedError::Password)?,
            ..User::default()
        });
    }
    ObjectDao::new(session).batch_insert(&mut users).await?;
    Ok(users)
}

/// Inserts the orders of a tenant in batches, with audits of some of them.
async fn make_orders(
    session: &Session,
    tenant: i32,
    users: &[User],
    count: usize,
    bar: &ProgressBar,
) -> Result<(), SeedError> {
    let mut random = Random(tenant.unsigned_abs().into());
    let (orders, audits) = (ObjectDao::<Order>::new(session), ObjectDao::<Audit>::new(session));
    let mut made = 0;
    while made < count {
        let some = BATCH.min(count - made);
        let mut batch: Vec<Order> = (0..some).map(|place| order(tenant, made + place, users, &mut random)).collect();
        orders.batch_insert(&mut batch).await?;
        let changed = batch.iter().filter(|order| order.id % 8 == 0);
        let mut seen: Vec<Audit> = changed.map(|order| audit(order, users, &mut random)).collect();
        audits.batch_insert(&mut seen).await?;
        made += some;
        bar.inc(u64::try_from(some).unwrap_or(0));
    }
    Ok(())
}

fn order(tenant: i32, number: usize, users: &[User], random: &mut Random) -> Order {
    let &(product, cents) = random.one_of(&PRODUCTS);
    let quantity = random.up_to(20) + 1;
    let unit_price = Decimal::new(cents, 2).unwrap_or_default();
    let total_amount = Decimal::new(cents * i128::from(quantity), 2).unwrap_or_default();
    // Most old orders are completed.
    let minutes = random.up_to(365 * 24 * 60);
    let days = minutes / (24 * 60);
    let status = match (random.up_to(100), days) {
        (0..8, _) => Status::Cancelled,
        (_, 0..7) => *random.one_of(&[Status::Pending, Status::Pending, Status::Paid]),
        (_, 7..21) => *random.one_of(&[Status::Paid, Status::Shipped, Status::Shipped, Status::Completed]),
        (chance, _) if chance < 12 => Status::Shipped,
        _ => Status::Completed,
    };
    Order {
        order_no: format!("O-{tenant}-{number:07}"),
        customer_name: (*random.one_of(&CUSTOMERS)).to_owned(),
        product_name: product.to_owned(),
        quantity: i32::try_from(quantity).unwrap_or(1),
        unit_price,
        total_amount,
        status,
        note: (random.up_to(10) == 0).then(|| "Deliver to the back door.".to_owned()),
        created_time: auth::now() - TimeDelta::minutes(i64::from(minutes)),
        created_by_user_id: random.one_of(users).id,
        ..Order::default()
    }
}

fn audit(order: &Order, users: &[User], random: &mut Random) -> Audit {
    Audit {
        order_id: order.id,
        action: "Changed".to_owned(),
        user_name: random.one_of(users).user_name.clone(),
        done_time: order.created_time + TimeDelta::minutes(i64::from(random.up_to(600))),
        ..Audit::default()
    }
}

fn progress_bar(orders: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("orders {bar:30} {pos}/{len} {eta}");
    let bar = ProgressBar::new(u64::try_from(orders).unwrap_or(0));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// SplitMix64: random enough for an example, and the same numbers at each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below that one.
    fn up_to(&mut self, most: u32) -> u32 {
        u32::try_from(self.next() % u64::from(most.max(1))).unwrap_or(0)
    }

    #[expect(clippy::indexing_slicing, reason = "the place is below the length, and no list here is empty")]
    fn one_of<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.up_to(u32::try_from(list.len()).unwrap_or(1)) as usize]
    }
}
