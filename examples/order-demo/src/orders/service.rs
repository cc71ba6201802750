//! The service of orders, with the permissions and transactions of its methods.

use isogloss::chrono::{Months, NaiveDate, NaiveTime};
use isogloss::expr::{SqlSegment, count_all};
use isogloss::prelude::*;
use isogloss::service::{EntityService, FromSession, ServiceFailure, service};
use isogloss_web::{Problem, ProblemKind};

use super::input::Input;
use super::shown::{Month, Stats};
use crate::auth::{Caller, now};
use crate::domain::{ArchivedOrder, Order, OrderView, Status, month_of};

/// Why the service refuses.
#[derive(Debug, thiserror::Error)]
pub(super) enum OrderError {
    #[error("there is no such order")]
    Missing,
    #[error("the order is somebody else's")]
    Foreign,
    #[error("the order has another version")]
    Changed,
    #[error(transparent)]
    Orm(#[from] OrmError),
}

impl ServiceFailure for OrderError {}

impl From<OrderError> for Problem {
    fn from(error: OrderError) -> Self {
        match error {
            OrderError::Missing => Self::new(ProblemKind::NotFound, "There is no such order."),
            OrderError::Foreign => Self::new(ProblemKind::Forbidden, "The order is somebody else's."),
            OrderError::Changed => Self::of(ProblemKind::VersionConflict),
            OrderError::Orm(error) => error.into(),
        }
    }
}

/// Orders of the session's tenant.
#[derive(FromSession)]
pub(super) struct OrderService {
    session: Session,
    orders: EntityService<Order, OrderView>,
    archive: EntityService<ArchivedOrder>,
}

#[service]
#[service_permission(roles = "Admin, Sales, Operations, AccountManager")]
#[service_log(level = debug)]
impl OrderService {
    pub async fn page(&self, query: &SqlSegment) -> OrmResult<Vec<OrderView>> {
        self.orders.search(query.clone()).await
    }

    pub async fn count(&self, filter: &LogicExpr) -> OrmResult<u64> {
        self.orders.count(filter.clone()).await
    }

    /// The statistics of a condition, by one statement.
    pub async fn stats(&self, filter: &LogicExpr) -> OrmResult<Stats> {
        let number_of = |status: Status| count_all().filter(Order::STATUS.eq(status).into_logic());
        let query = from(OrderView::NAME).filter(filter.clone()).select(items![
            prop("TotalAmount").sum().alias("TotalAmount"),
            count_all().alias("Total"),
            number_of(Status::Pending).alias("Pending"),
            number_of(Status::Paid).alias("Paid"),
            number_of(Status::Shipped).alias("Shipped"),
            number_of(Status::Completed).alias("Completed"),
            number_of(Status::Cancelled).alias("Cancelled"),
        ]);
        let none = Stats { total_amount: None, total: 0, pending: 0, paid: 0, shipped: 0, completed: 0, cancelled: 0 };
        Ok(self.orders.search_as(query).await?.pop().unwrap_or(none))
    }

    /// The sums of the last twelve months that have orders, the newest first.
    pub async fn months(&self, filter: &LogicExpr) -> OrmResult<Vec<Month>> {
        let part = |name| func(name, [prop("CreatedTime")]);
        let query = from(OrderView::NAME)
            .filter(filter.clone())
            .group_by([part("Year"), part("Month")])
            .order_by([part("Year").desc(), part("Month").desc()])
            .take(12)
            .select(items![
                part("Year").alias("Year"),
                part("Month").alias("Month"),
                count_all().alias("Orders"),
                prop("TotalAmount").sum().alias("Amount"),
            ]);
        self.orders.search_as(query).await
    }

    /// An order that the caller may see.
    pub async fn get(&self, id: i64) -> Result<OrderView, OrderError> {
        self.own(id).await
    }

    #[transaction]
    pub async fn place(&self, #[log(skip)] input: Input) -> Result<OrderView, OrderError> {
        let created_by_user_id = self.caller()?.id;
        let mut order = Order { created_by_user_id, created_time: now(), order_no: new_number(), ..Order::default() };
        input.write(&mut order);
        self.orders.insert(&mut order).await?;
        self.own(order.id).await
    }

    /// Changes an order; if a version is given, only that version of it.
    #[transaction]
    pub async fn change(
        &self,
        id: i64,
        version: Option<i64>,
        #[log(skip)] input: Input,
    ) -> Result<OrderView, OrderError> {
        let mut order = self.of_version(id, version).await?;
        input.write(&mut order);
        order.updated_time = Some(now());
        if !self.orders.update(&mut order).await? {
            return Err(OrderError::Changed);
        }
        self.own(id).await
    }

    #[transaction]
    pub async fn remove(&self, id: i64, version: Option<i64>) -> Result<(), OrderError> {
        let order = self.of_version(id, version).await?;
        if self.orders.delete(&order).await? { Ok(()) } else { Err(OrderError::Changed) }
    }

    /// Makes the table of a month, if it is not there.
    #[service_permission(roles = "Admin")]
    pub async fn prepare_archive(&self, month: NaiveDate) -> OrmResult<()> {
        self.session.context().sync_table(ArchivedOrder::NAME, [month_of(month.into())]).await.map(drop)
    }

    /// Moves the completed and cancelled orders of a month into the table of that month, and gives their number.
    #[transaction]
    #[service_permission(roles = "Admin")]
    pub async fn archive(&self, month: NaiveDate) -> Result<usize, OrderError> {
        let begin = month.and_time(NaiveTime::MIN);
        let end = begin.checked_add_months(Months::new(1)).unwrap_or(begin);
        let done = expr!(|o: Order| o.created_time >= begin
            && o.created_time < end
            && [Status::Completed, Status::Cancelled].contains(&o.status));
        let done = self.orders.search(done).await?;
        let mut archived: Vec<ArchivedOrder> = done.iter().map(|view| ArchivedOrder::from(&view.order)).collect();
        self.archive.batch_insert(&mut archived).await?;
        let moved: Vec<Order> = done.into_iter().map(|view| view.order).collect();
        self.orders.batch_delete(&moved).await?;
        Ok(archived.len())
    }

    /// How many orders the table of a month has.
    #[service_permission(roles = "Admin")]
    pub async fn archived(&self, month: &str) -> OrmResult<u64> {
        self.archive.clone().with_args([month]).count(()).await
    }
}

impl OrderService {
    /// The order with that id, if the caller may see it. The filter of a list does not protect access by id.
    async fn own(&self, id: i64) -> Result<OrderView, OrderError> {
        let order = self.orders.get_object(id).await?.ok_or(OrderError::Missing)?;
        let caller = self.caller()?;
        if !caller.is_admin() && order.order.created_by_user_id != caller.id {
            return Err(OrderError::Foreign);
        }
        Ok(order)
    }

    async fn of_version(&self, id: i64, version: Option<i64>) -> Result<Order, OrderError> {
        let order = self.own(id).await?.order;
        if version.is_some_and(|version| version != order.version) {
            return Err(OrderError::Changed);
        }
        Ok(order)
    }

    fn caller(&self) -> Result<&Caller, OrderError> {
        Caller::of(&self.session).ok_or(OrderError::Foreign)
    }
}

/// A new order number: the day, and 40 random bits.
fn new_number() -> String {
    let mut bytes = [0; 5];
    // Without random bytes the clock will do: the unique key refuses a number that is taken.
    let random = match getrandom::fill(&mut bytes) {
        Ok(()) => bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)),
        Err(_) => now().and_utc().timestamp_subsec_nanos().into(),
    };
    format!("O-{}-{random:010X}", now().format("%Y%m%d"))
}
