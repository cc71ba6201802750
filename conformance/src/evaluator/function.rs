//! Functions of one row.

use bigdecimal::RoundingMode;
use isogloss_compiler::expr::{FunctionExpr, Value, ValueTypeExpr};
use isogloss_compiler::functions::{ArgKind, Class, Func, NullRule};

use super::number::Number;
use super::scope::{Env, Kind};
use super::{Evaluator, Result, date, fault, logic, text, unsupported, value};

impl Evaluator<'_> {
    pub(crate) fn function(&self, env: &Env<'_>, node: &FunctionExpr) -> Result<Value> {
        let Some(mut func) = Func::from_name(node.name.as_str()) else {
            return unsupported(format!("no function `{}`", node.name));
        };
        if !node.is_aggregate && node.args.len() > 1 {
            func = match func {
                Func::Max => Func::Greatest,
                Func::Min => Func::Least,
                other => other,
            };
        }
        match func.signature().class {
            Class::Aggregate => return self.aggregate(env, func, node),
            Class::Window => return fault("a window function without a window"),
            Class::Scalar => {}
        }
        let kind = self.kind(env, &ValueTypeExpr::Function(node.clone().into()))?;
        let args = self.arguments(env, func, &node.args)?;
        call(func, &args, kind)
    }

    /// The arguments; a plain value takes the kind that is due, or that of the others where one of them is given back.
    pub(crate) fn arguments(&self, env: &Env<'_>, func: Func, nodes: &[ValueTypeExpr]) -> Result<Vec<Value>> {
        let alike = matches!(func, Func::Coalesce | Func::NullIf | Func::Greatest | Func::Least);
        let beside = nodes.iter().find(|node| alike && !matches!(node, ValueTypeExpr::Value(_)));
        let argument = |(index, node): (usize, &ValueTypeExpr)| {
            let ValueTypeExpr::Value(plain) = node else { return self.value(env, node) };
            let kind = match func.signature().arg(index) {
                ArgKind::Text => Some(Kind::Text),
                ArgKind::Int => Some(Kind::Int),
                ArgKind::Bool => Some(Kind::Bool),
                ArgKind::Date if matches!(&plain.value, Value::Text(text) if text.len() <= 10) => Some(Kind::Date),
                ArgKind::Date if matches!(plain.value, Value::Text(_)) => Some(Kind::DateTime),
                ArgKind::Number if matches!(plain.value, Value::Text(_)) => Some(Kind::Decimal),
                // What does not fit keeps its own kind.
                _ if alike => return self.fit_beside(env, &plain.value, beside).or_else(|_| Ok(plain.value.clone())),
                _ => None,
            };
            value::fit(&plain.value, kind, None)
        };
        nodes.iter().enumerate().map(argument).collect()
    }
}

/// Whether an argument is NULL that makes the result NULL.
fn takes_null(func: Func, args: &[Value]) -> bool {
    match func.signature().null {
        NullRule::Any | NullRule::Maybe => args.iter().any(Value::is_null),
        NullRule::First => args.first().is_some_and(Value::is_null),
        NullRule::All | NullRule::Never => false,
    }
}

/// A call with known arguments; `kind` is that of its result.
fn call(func: Func, args: &[Value], kind: Option<Kind>) -> Result<Value> {
    match (func, args) {
        (Func::Coalesce, _) => {
            return value::widen(args.iter().find(|arg| !arg.is_null()).cloned().unwrap_or_default(), kind);
        }
        (Func::NullIf, [first, second]) => {
            let equal = logic::compare(first, second)?.is_some_and(std::cmp::Ordering::is_eq);
            return Ok(if equal { Value::Null } else { first.clone() });
        }
        (Func::ConcatWs, [separator, rest @ ..]) => {
            let Some(separator) = text::of(separator)? else { return Ok(Value::Null) };
            let parts: Vec<String> =
                rest.iter().filter_map(|part| text::of(part).transpose()).collect::<Result<_>>()?;
            return Ok(parts.join(&separator).into());
        }
        _ if takes_null(func, args) => return Ok(Value::Null),
        (Func::Concat, _) => {
            let parts: Vec<String> =
                args.iter().filter_map(|part| text::of(part).transpose()).collect::<Result<_>>()?;
            return Ok(parts.concat().into());
        }
        (Func::Greatest | Func::Least, [first, rest @ ..]) => {
            let mut best = first;
            for other in rest {
                let order = logic::compare(other, best)?;
                let better = if func == Func::Greatest {
                    order.is_some_and(|o| o.is_gt())
                } else {
                    order.is_some_and(|o| o.is_lt())
                };
                if better {
                    best = other;
                }
            }
            return value::widen(best.clone(), kind);
        }
        _ => {}
    }
    if let Some(value) = numeric(func, args)? {
        return Ok(value);
    }
    if let Some(value) = date::function(func, args)? {
        return Ok(value);
    }
    match text::function(func, args)? {
        Some(value) => Ok(value),
        None => unsupported(format!("function `{}`", func.signature().name)),
    }
}

/// A function of numbers, none of whose arguments is NULL; none if it is no such function.
fn numeric(func: Func, args: &[Value]) -> Result<Option<Value>> {
    use Func as F;
    let number = |index: usize| args.get(index).map_or_else(|| fault("an argument is missing"), Number::of);
    let digits = |index: usize| match args.get(index) {
        None => Ok(0),
        Some(Value::Int(digits)) => Ok((*digits).clamp(-38, 38)),
        _ => unsupported("digits that are no whole number"),
    };
    let real = |x: f64, holds: bool| if holds && x.is_finite() { Value::from(x) } else { Value::Null };
    Ok(Some(match func {
        F::Abs => number(0)?.absolute()?.value()?,
        F::Sign => {
            let order = number(0)?.compare(Number::Int(0))?;
            Value::Int(i64::from(order as i8))
        }
        F::Ceiling => number(0)?.round(0, RoundingMode::Ceiling)?.value()?,
        F::Floor => number(0)?.round(0, RoundingMode::Floor)?.value()?,
        F::Round => number(0)?.round(digits(1)?, RoundingMode::HalfUp)?.value()?,
        F::Truncate => number(0)?.round(digits(1)?, RoundingMode::Down)?.value()?,
        F::Mod => number(0)?.remainder(number(1)?)?.map_or(Ok(Value::Null), Number::value)?,
        F::Sqrt => {
            let x = number(0)?.to_float();
            real(x.sqrt(), x >= 0.0)
        }
        F::Exp => real(number(0)?.to_float().exp(), true),
        F::Log => {
            let x = number(0)?.to_float();
            real(x.ln(), x > 0.0)
        }
        F::Log10 => {
            let x = number(0)?.to_float();
            real(x.log10(), x > 0.0)
        }
        F::Log2 => {
            let x = number(0)?.to_float();
            real(x.log2(), x > 0.0)
        }
        F::Power => real(number(0)?.to_float().powf(number(1)?.to_float()), true),
        F::Sin => real(number(0)?.to_float().sin(), true),
        F::Cos => real(number(0)?.to_float().cos(), true),
        F::Atan => real(number(0)?.to_float().atan(), true),
        F::Atan2 => real(number(0)?.to_float().atan2(number(1)?.to_float()), true),
        F::Degrees => real(number(0)?.to_float().to_degrees(), true),
        F::Radians => real(number(0)?.to_float().to_radians(), true),
        F::Pi => std::f64::consts::PI.into(),
        F::BitAnd | F::BitOr | F::BitXor => match args {
            [Value::Int(a), Value::Int(b)] => Value::Int(match func {
                F::BitAnd => a & b,
                F::BitOr => a | b,
                _ => a ^ b,
            }),
            _ => return unsupported("bits of what is no whole number"),
        },
        _ => return Ok(None),
    }))
}
