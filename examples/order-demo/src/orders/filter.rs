//! The query string of a list as a condition, an order and a page.

use isogloss::chrono::{Days, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss::expr::{Decimal, OrderByItemExpr};
use isogloss::prelude::*;
use isogloss_web::{Problem, ProblemKind, WebResult};
use serde::Deserialize;

use crate::auth::Caller;
use crate::domain::{Order, OrderView, Status};

const PAGE_SIZE: u64 = 10;
const MOST_ROWS: u64 = 100;

/// What a list may be sorted by.
const SORTED: [&str; 13] = [
    "Id",
    "OrderNo",
    "CustomerName",
    "ProductName",
    "Quantity",
    "UnitPrice",
    "TotalAmount",
    "Status",
    "CreatedTime",
    "UpdatedTime",
    "CreatedByUserName",
    "CreatedByLoginName",
    "DepartmentName",
];

/// The query string of a list. An empty value counts as absent; unknown names are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Params {
    keyword: String,
    status: String,
    department_name: String,
    created_by_user_name: String,
    min_total_amount: String,
    max_total_amount: String,
    created_from: String,
    created_to: String,
    only_mine: String,
    sort_by: String,
    desc: String,
    page: String,
    page_size: String,
}

/// Which rows of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Page {
    pub(super) number: u64,
    pub(super) size: u64,
}

impl Page {
    pub(super) fn skip(self) -> u64 {
        (self.number - 1).saturating_mul(self.size)
    }
}

impl Params {
    /// The condition: the orders that the caller may see, narrowed by the parameters. List, count and statistics share it.
    ///
    /// # Errors
    /// A value that cannot be read, with the name of its parameter.
    pub(super) fn condition(&self, caller: &Caller) -> WebResult<LogicExpr> {
        let only_mine = flag("onlyMine", &self.only_mine, false)?;
        let status = given(&self.status).map(|text| {
            Status::read(text).ok_or_else(|| bad("status", "one of Pending, Paid, Shipped, Completed and Cancelled"))
        });
        let least = amount("minTotalAmount", &self.min_total_amount)?;
        let most = amount("maxTotalAmount", &self.max_total_amount)?;
        let since = time("createdFrom", &self.created_from)?.map(|(since, _)| since);
        let until = time("createdTo", &self.created_to)?;

        let mut condition = own(caller, only_mine);
        condition &= given(&self.keyword).map(|text| {
            LogicExpr::from(
                Order::ORDER_NO.icontains(text)
                    | Order::CUSTOMER_NAME.icontains(text)
                    | Order::PRODUCT_NAME.icontains(text),
            )
        });
        condition &= status.transpose()?.map(|status| Order::STATUS.eq(status).into_logic());
        condition &= given(&self.department_name).map(|text| OrderView::DEPARTMENT_NAME.icontains(text).into_logic());
        condition &= given(&self.created_by_user_name).map(|text| {
            (OrderView::CREATED_BY_USER_NAME.icontains(text) | OrderView::CREATED_BY_LOGIN_NAME.icontains(text))
                .into_logic()
        });
        condition &= least.map(|least| Order::TOTAL_AMOUNT.ge(least).into_logic());
        condition &= most.map(|most| Order::TOTAL_AMOUNT.le(most).into_logic());
        condition &= since.map(|since| Order::CREATED_TIME.ge(since).into_logic());
        condition &= until.map(|(until, is_day)| match is_day {
            true => Order::CREATED_TIME.lt(until).into_logic(),
            false => Order::CREATED_TIME.le(until).into_logic(),
        });
        Ok(condition)
    }

    /// The order; without parameters, the newest first.
    ///
    /// # Errors
    /// `sortBy` names no column, or `desc` is not a truth value.
    pub(super) fn order(&self) -> WebResult<Vec<OrderByItemExpr>> {
        let column = match given(&self.sort_by) {
            None => "CreatedTime",
            Some(name) => SORTED
                .into_iter()
                .find(|column| column.eq_ignore_ascii_case(name))
                .ok_or_else(|| bad("sortBy", "a member of an order"))?,
        };
        let desc = flag("desc", &self.desc, true)?;
        Ok(sorted(column, desc))
    }

    /// The page. A number below 1 is taken as 1; a page has at most 100 rows.
    ///
    /// # Errors
    /// A value that is not a whole number.
    pub(super) fn page(&self) -> WebResult<Page> {
        let number = whole("page", &self.page)?.map_or(1, |number| number.max(1));
        let size = whole("pageSize", &self.page_size)?.filter(|size| *size > 0).unwrap_or(PAGE_SIZE).min(MOST_ROWS);
        Ok(Page { number, size })
    }
}

/// The condition on who made an order: none for an administrator, unless they ask for their own orders.
pub(super) fn own(caller: &Caller, only_mine: bool) -> LogicExpr {
    let mut condition = LogicExpr::default();
    if only_mine || !caller.is_admin() {
        condition &= Order::CREATED_BY_USER_ID.eq(caller.id).into_logic();
    }
    condition
}

/// Orders by a column, then by the key, so that no row is on two pages.
pub(super) fn sorted(column: &'static str, desc: bool) -> Vec<OrderByItemExpr> {
    let by = |column| if desc { prop(column).desc() } else { prop(column).asc() };
    if column == "Id" { vec![by(column)] } else { vec![by(column), by("Id")] }
}

fn given(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn bad(name: &'static str, wants: &str) -> Problem {
    Problem::new(ProblemKind::BadRequest, format!("`{name}` wants {wants}.")).of_field(name)
}

fn flag(name: &'static str, text: &str, otherwise: bool) -> WebResult<bool> {
    match given(text).map(str::to_ascii_lowercase).as_deref() {
        None => Ok(otherwise),
        Some("true" | "t" | "y" | "1") => Ok(true),
        Some("false" | "f" | "n" | "0") => Ok(false),
        Some(_) => Err(bad(name, "true or false")),
    }
}

/// A whole number; negative ones are taken as 0.
fn whole(name: &'static str, text: &str) -> WebResult<Option<u64>> {
    let number = |text: &str| text.parse::<i64>().map(|number| u64::try_from(number).unwrap_or(0));
    given(text).map(number).transpose().map_err(|_| bad(name, "a whole number"))
}

fn amount(name: &'static str, text: &str) -> WebResult<Option<Decimal>> {
    given(text).map(str::parse).transpose().map_err(|_| bad(name, "an amount such as 12.50"))
}

/// A time, and whether it was given as a day. A day is taken as its first moment, for `createdTo` as that of the next day.
fn time(name: &'static str, text: &str) -> WebResult<Option<(NaiveDateTime, bool)>> {
    let Some(text) = given(text) else { return Ok(None) };
    let wrong = || bad(name, "a day such as 2024-01-31, or a time such as 2024-01-31T12:30:00");
    if let Ok(day) = text.parse::<NaiveDate>() {
        let day = if name == "createdTo" { day.checked_add_days(Days::new(1)).ok_or_else(wrong)? } else { day };
        return Ok(Some((day.and_time(NaiveTime::MIN), true)));
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    text.parse().map(|time| Some((time, false))).map_err(|_| wrong())
}
