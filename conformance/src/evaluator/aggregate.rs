//! Aggregates.

use isogloss_compiler::expr::{FunctionExpr, UnaryOperator, Value, ValueTypeExpr};
use isogloss_compiler::functions::Func;

use super::number::Number;
use super::scope::{Env, Kind, Tuple};
use super::{Evaluator, Result, fault, logic, text, unsupported};

impl Evaluator<'_> {
    /// An aggregate over the rows of the group.
    pub(crate) fn aggregate(&self, env: &Env<'_>, func: Func, node: &FunctionExpr) -> Result<Value> {
        if !env.grouped {
            // One of a query around this one.
            return match env.parent {
                Some(parent) if parent.grouped => unsupported("an aggregate of the query around"),
                _ => fault("an aggregate where rows are looked at one by one"),
            };
        }
        let one = |row| Env { grouped: false, rows: row, peers: None, list: None, ..*env };
        self.aggregate_of(func, node, &mut env.rows.iter().map(|row: &Tuple| one(std::slice::from_ref(row))))
    }

    /// An aggregate over rows, each with what its names mean.
    pub(crate) fn aggregate_of(
        &self,
        func: Func,
        node: &FunctionExpr,
        rows: &mut dyn Iterator<Item = Env<'_>>,
    ) -> Result<Value> {
        let (distinct, arg) = match node.args.first() {
            Some(ValueTypeExpr::Unary(unary)) if unary.operator == UnaryOperator::Distinct => {
                (true, Some(&unary.operand))
            }
            arg => (false, arg),
        };
        let mut kind = None;
        let mut values: Vec<(Value, Vec<Value>)> = Vec::new();
        let mut separator = None;
        for env in rows {
            if let Some(filter) = &node.filter
                && self.logic(&env, filter)? != Some(true)
            {
                continue;
            }
            let Some(arg) = arg else {
                values.push((Value::Int(1), Vec::new()));
                continue;
            };
            kind = self.kind(&env, arg)?;
            let value = self.value(&env, arg)?;
            if let Some(node) = node.args.get(1) {
                separator = text::of(&self.value(&env, node)?)?;
            }
            if !value.is_null() {
                let keys = node.order_by.iter().map(|key| self.value(&env, &key.field)).collect::<Result<_>>()?;
                values.push((value, keys));
            }
        }
        if distinct {
            let mut kept: Vec<(Value, Vec<Value>)> = Vec::new();
            for item in values {
                let mut twice = false;
                for other in &kept {
                    twice |= logic::same(&other.0, &item.0)?;
                }
                if !twice {
                    kept.push(item);
                }
            }
            values = kept;
        }
        if func == Func::StringAgg {
            return self.joined(node, values, separator);
        }
        fold(func, kind, values.into_iter().map(|(value, _)| value))
    }

    /// The texts in their order, with the separator between them. An order that does not tell two different texts
    /// apart leaves the answer open.
    fn joined(
        &self,
        node: &FunctionExpr,
        mut values: Vec<(Value, Vec<Value>)>,
        separator: Option<String>,
    ) -> Result<Value> {
        let determined = super::query::sort(&mut values, &node.order_by, |item| &item.1)?;
        for pair in values.windows(2) {
            if let [a, b] = pair
                && logic::same_rows(&a.1, &b.1)?
                && !logic::same(&a.0, &b.0)?
            {
                return unsupported("texts joined in an order that is not determined");
            }
        }
        if !determined {
            return unsupported("texts joined in an order that says nothing of NULL");
        }
        let texts: Vec<String> =
            values.iter().filter_map(|(value, _)| text::of(value).transpose()).collect::<Result<_>>()?;
        match (texts.is_empty(), separator) {
            (true, _) => Ok(Value::Null),
            (false, Some(separator)) => Ok(texts.join(&separator).into()),
            (false, None) => unsupported("texts joined by NULL"),
        }
    }
}

/// The aggregate of values that are not NULL.
fn fold(func: Func, kind: Option<Kind>, values: impl Iterator<Item = Value>) -> Result<Value> {
    let mut count = 0_i64;
    let mut all: Option<Value> = None;
    let mut sum = Number::Int(0);
    for value in values {
        count += 1;
        match func {
            Func::Count => continue,
            Func::Sum | Func::Avg => {
                sum = sum.add(Number::of(&value)?)?;
                continue;
            }
            Func::Min | Func::Max | Func::BoolAnd | Func::BoolOr => {}
            _ => return unsupported(format!("aggregate `{}`", func.signature().name)),
        }
        let less = matches!(func, Func::Min | Func::BoolAnd);
        all = Some(match all {
            None => value,
            Some(best) => match logic::compare(&value, &best)? {
                Some(order) if order.is_lt() == less && order.is_ne() => value,
                _ => best,
            },
        });
    }
    Ok(match func {
        Func::Count => count.into(),
        Func::Sum | Func::Avg if count == 0 => Value::Null,
        Func::Sum => sum.value()?,
        Func::Avg if kind == Some(Kind::Decimal) => {
            let quotient = Number::Decimal(sum.to_decimal()?).divide(Number::Int(count.into()))?;
            quotient.map_or(Ok(Value::Null), Number::value)?
        }
        Func::Avg => {
            let quotient = Number::Float(sum.to_float()).divide(Number::Int(count.into()))?;
            quotient.map_or(Ok(Value::Null), Number::value)?
        }
        _ => all.unwrap_or_default(),
    })
}
