//! What a client says of an order.

use isogloss::expr::Decimal;
use isogloss_web::{FieldProblem, Problem, WebResult};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::{Order, Status};

/// The body, unchecked. It has no creator, number or total: a client does not set those.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Body {
    customer_name: Option<String>,
    product_name: Option<String>,
    quantity: Option<Box<RawValue>>,
    unit_price: Option<Box<RawValue>>,
    status: Option<String>,
    note: Option<String>,
}

/// The body, checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Input {
    customer_name: String,
    product_name: String,
    quantity: i32,
    unit_price: Decimal,
    total_amount: Decimal,
    status: Status,
    note: Option<String>,
}

/// What is wrong with a member.
type Wrong = (&'static str, &'static str);

impl Body {
    /// Checks every member.
    ///
    /// # Errors
    /// A problem that lists every wrong member by its name.
    pub(super) fn check(self) -> WebResult<Input> {
        let mut errors = Vec::new();
        let customer_name = text(self.customer_name, 100).map_err(|wrong| errors.push(("customerName", wrong)));
        let product_name = text(self.product_name, 100).map_err(|wrong| errors.push(("productName", wrong)));
        let quantity = quantity(self.quantity.as_deref()).map_err(|wrong| errors.push(("quantity", wrong)));
        let unit_price = price(self.unit_price.as_deref()).map_err(|wrong| errors.push(("unitPrice", wrong)));
        let status = status(self.status.as_deref()).map_err(|wrong| errors.push(("status", wrong)));
        let note = self.note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
        if note.as_ref().is_some_and(|note| note.chars().count() > 400) {
            errors.push(("note", ("too-long", "It has at most 400 characters.")));
        }
        let (Ok(customer_name), Ok(product_name), Ok(quantity), Ok(unit_price), Ok(status), true) =
            (customer_name, product_name, quantity, unit_price, status, errors.is_empty())
        else {
            let problem = |(field, (code, detail)): (&str, Wrong)| FieldProblem::new(field, code, detail);
            return Err(Problem::of_fields(errors.into_iter().map(problem).collect()));
        };
        let total_amount = times(unit_price, quantity);
        Ok(Input { customer_name, product_name, quantity, unit_price, total_amount, status, note })
    }
}

impl Input {
    /// Writes the values into an order.
    pub(super) fn write(self, order: &mut Order) {
        order.customer_name = self.customer_name;
        order.product_name = self.product_name;
        order.quantity = self.quantity;
        order.unit_price = self.unit_price;
        order.total_amount = self.total_amount;
        order.status = self.status;
        order.note = self.note;
    }
}

/// The total: at most 10^12, which a decimal always holds.
fn times(price: Decimal, quantity: i32) -> Decimal {
    Decimal::new(price.mantissa() * i128::from(quantity), price.scale()).unwrap_or_default()
}

fn text(text: Option<String>, most: usize) -> Result<String, Wrong> {
    let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let text = text.ok_or(("required", "It is required."))?;
    if text.chars().count() > most {
        return Err(("too-long", "It has at most 100 characters."));
    }
    Ok(text)
}

fn quantity(json: Option<&RawValue>) -> Result<i32, Wrong> {
    let wrong = ("bad-value", "It is a whole number from 1 to 1,000,000.");
    digits(json)?.parse().ok().filter(|quantity| (1..=1_000_000).contains(quantity)).ok_or(wrong)
}

fn price(json: Option<&RawValue>) -> Result<Decimal, Wrong> {
    let wrong = ("bad-value", "It is an amount from 0 to 1,000,000 with at most two decimals.");
    let price: Decimal = digits(json)?.parse().map_err(|_| wrong)?;
    let fits = price.round(2) == price && (Decimal::from(0)..=Decimal::from(1_000_000)).contains(&price);
    fits.then(|| price.round(2)).ok_or(wrong)
}

fn status(name: Option<&str>) -> Result<Status, Wrong> {
    let wrong = ("bad-value", "It is Pending, Paid, Shipped, Completed or Cancelled.");
    name.map_or(Ok(Status::Pending), |name| Status::read(name).ok_or(wrong))
}

/// The digits of a number, or of a text that holds one: numbers of JavaScript do not keep every digit.
fn digits(json: Option<&RawValue>) -> Result<&str, Wrong> {
    let text = json.map_or("", |json| json.get().trim_matches('"').trim());
    if text.is_empty() { Err(("required", "It is required.")) } else { Ok(text) }
}
