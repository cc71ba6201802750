//! One UPDATE for the rows of a batch.

use std::borrow::Cow;

use isogloss_compiler::expr::{Expr, Value, ValueTypeExpr};
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::walk::{ExprRef, Order, visit};
use isogloss_compiler::{Compiled, Target};
use isogloss_driver::RowSource;

use super::TableArgs;
use super::batch::Flat;
use super::entity::table_of;
use super::update::{Slot, Version, changes, filled, slots};
use crate::OrmResult;
use crate::entity::Table;

/// One UPDATE for many rows: what is another in each is a parameter.
pub(super) struct Plan {
    pub(super) statement: Compiled<'static>,
    /// Where each parameter comes from.
    slots: Vec<Slot>,
}

impl Plan {
    /// The statement of the first row, if each of its values is a parameter as it stands.
    pub(super) fn of<'e, T: Table>(
        target: &Target,
        model: &Model,
        args: &TableArgs,
        mut rows: impl Iterator<Item = (&'e T, Option<&'e Version>)>,
    ) -> OrmResult<Option<Self>> {
        let Some((entity, version)) = rows.next() else { return Ok(None) };
        let first = Expr::from(changes(table_of::<T>(args), entity, model, version)?);
        let (values, slots) = (values(&first), slots(model, version));
        // Two lists that are made apart: were they ever in another order, each row would have its own statement.
        let mut known = values.len() == slots.len();
        for (value, slot) in values.iter().zip(&slots) {
            known = known && **value == filled(slot, entity, model, version)?;
        }
        let compiled = target.compile(&first)?;
        let mut used = vec![false; values.len()];
        let mut params = Vec::with_capacity(compiled.params.len());
        for param in &compiled.params {
            let place = match &param.value {
                Cow::Borrowed(value) => values.iter().position(|known| std::ptr::eq(*known, *value)),
                Cow::Owned(_) => None,
            };
            params.push(match place.and_then(|place| Some((slots.get(place)?, used.get_mut(place)?))) {
                Some((slot, used)) => {
                    *used = true;
                    slot.clone()
                }
                None => Slot::Fixed(param.value.as_ref().clone()),
            });
        }
        let all = known && used.into_iter().all(|used| used);
        Ok(all.then(|| Self { statement: compiled.into_owned(), slots: params }))
    }

    /// The parameters of each row.
    pub(super) fn rows<'e, T: Table>(
        &self,
        model: &Model,
        rows: impl Iterator<Item = (&'e T, Option<&'e Version>)>,
    ) -> OrmResult<Box<dyn RowSource>> {
        let mut values = Vec::new();
        for (entity, version) in rows {
            for slot in &self.slots {
                values.push(filled(slot, entity, model, version)?);
            }
        }
        Ok(Box::new(Flat { values: values.into_iter(), width: self.slots.len() }))
    }
}

/// The values of a statement, in their order.
fn values(statement: &Expr) -> Vec<&Value> {
    let mut found = Vec::new();
    visit(statement, Order::Pre, |node| {
        if let ExprRef::Value(ValueTypeExpr::Value(value)) = node {
            found.push(&value.value);
        }
    });
    found
}
