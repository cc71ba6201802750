//! The requests of each workload.

use std::str::FromStr;

use serde_json::json;
use workload::dao::{CUSTOMERS, Item, item};
use workload::{Failure, Outcome};

use crate::data::ORDERS;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// An order by its id.
    Get,
    /// 20 orders of a customer, with the names of customer and city: two joins, two filters, an order; and how many such orders
    /// there are.
    Page,
    /// The page without that number.
    Uncounted,
    /// 10,000 orders.
    List,
    /// One more order.
    Insert,
}

impl Workload {
    pub const ALL: [Self; 5] = [Self::Get, Self::Page, Self::Uncounted, Self::List, Self::Insert];
}

impl FromStr for Workload {
    type Err = Failure;

    fn from_str(text: &str) -> Outcome<Self> {
        let found = Self::ALL.iter().find(|workload| format!("{workload:?}").eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| format!("there is no workload {text}").into())
    }
}

/// What the body of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A tree.
    Tree,
    /// The four values that are asked for: what a handler of one query alone takes.
    Values,
}

/// Some requests, each on a line: method, path, and body if it has one.
pub fn of(workload: Workload, form: Form, count: i64) -> impl Iterator<Item = String> {
    (0..count).map(move |n| match workload {
        Workload::Get => format!("GET /api/Order/{}", n * 7_919 % ORDERS + 1),
        Workload::Page => format!("POST /api/OrderView/page {}", page(n, form)),
        Workload::Uncounted => format!("POST /api/OrderView/page?count=none {}", page(n, form)),
        Workload::List => "GET /api/Order".into(),
        Workload::Insert => format!("POST /api/Order {}", order(n)),
    })
}

fn page(n: i64, form: Form) -> String {
    let (customer, amount, skip, take) = (n * 7 % CUSTOMERS, 10.0, 40, 20);
    let asked = match form {
        Form::Values => json!({ "customerId": customer, "amount": amount, "skip": skip, "take": take }),
        Form::Tree => {
            let filters = json!([
                { "$": "==", "Left": { "#": "CustomerId" }, "Right": { "@": customer } },
                { "$": ">", "Left": { "#": "Amount" }, "Right": { "@": amount } },
            ]);
            let rows = json!({ "$where": { "$table": "OrderView" }, "Where": { "$and": filters } });
            let ordered = json!({ "$orderby": rows, "OrderBys": [{ "Field": { "#": "Quantity" } }] });
            json!({ "$section": ordered, "Skip": skip, "Take": take })
        }
    };
    asked.to_string()
}

fn order(n: i64) -> String {
    // Of a customer whose orders nobody asks for.
    let Item { code, quantity, amount, paid, created, note, .. } = item(n);
    json!({
        "customerId": CUSTOMERS, "code": code, "quantity": quantity, "amount": amount, "paid": paid, "created": created, "note": note
    })
    .to_string()
}
